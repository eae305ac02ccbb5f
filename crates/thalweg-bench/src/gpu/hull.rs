//! `thalweg-bench geometry hull --device gpu`.

use thalweg::geometry::Coordinate;
use thalweg::geometry::hull::Builder;
use thalweg::gpu::geometry::hull::{Engine, Options, hull, time_filter};
use thalweg::{Answer, Error};
use thalweg_cli::failure::Outcome;
use thalweg_cli::memory;
use thalweg_data::PointKind;
use thalweg_data::exact::Exact;

use super::{Gpu, race, race_on_host, row};
use crate::bench::{Bench, Case, Common, Selection, drive, timed_types};
use crate::cases::hull::expected;
use crate::check;
use crate::columns::{self, table};
use crate::report::{Adapter, Row};
use crate::table::maybe;
use crate::timing::time;

/// Runs the benchmark.
pub fn run(common: &Common, engines: &[String]) -> Outcome {
    let selection = Selection::parse(engines, Engine::ALL)?;
    let gpu = Gpu::open(&common.device)?;
    let triangle = gpu.device.upload(&[0, 0, 1, 0, 0, 1])?;
    let attempt = |engine| hull(&triangle, Options { boundary: false, engine: Some(engine) }).map(drop);
    let selection = selection.on_device(attempt)?;
    drive(&GpuHull { gpu, selection }, common)
}

struct GpuHull {
    gpu: Gpu,
    selection: Selection<Engine>,
}

impl GpuHull {
    fn case<T: Exact + Coordinate>(&self, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        let kind = PointKind::ALL.iter().find(|kind| kind.name() == case.kind).expect("the names have been compared");
        memory::require(case.n.saturating_mul(2 * size_of::<T>() + 100), &case.title())?;
        let (points, device) = (kind.make::<T>(case.n, case.common.seed), &self.gpu.device);
        let expected = expected(case, &points)?;
        let array = device.upload(points.as_flattened())?;
        let bytes = size_of_val(&points[..]);
        let find = |engine| hull(&array, Options { boundary: false, engine: Some(engine) });
        let mut engines = Vec::new();
        for &engine in &self.selection.engines {
            match find(engine) {
                Err(error @ Error::NotOnDevice { .. }) if !self.selection.named => case.skip(engine.name(), error),
                Err(error) => return Err(error.into()),
                Ok(found) => {
                    let who = format!("{engine} on {}, {}", device.name(), case.title());
                    let found: Vec<usize> = found.positions.iter().flatten().collect();
                    check::equal(&who, "corner", &expected, &found, |&position| position)?;
                    engines.push(engine);
                }
            }
        }

        let mut rows = Vec::new();
        let copy = self.gpu.card.copy_gb_per_s;
        if engines.contains(&Engine::Slabs) {
            if time_filter(&array)?.is_some() {
                let run = |_| Ok(time_filter(&array)?.expect("it was some").0);
                let timings = race(&self.gpu, case, "filter", 1, run, |_| Ok(()))?;
                let row = row(case, "filter", Engine::Slabs.name()).timed(timings[0], case.n);
                rows.push(Row { default: true, ..row.moving(bytes, copy) });
            } else {
                case.skip("the filter of slabs", "most points would stay, so the host takes all of them");
            }
        }
        let run = |i: usize| Ok(device.timed(|| find(engines[i]))?.1);
        let timings = race(&self.gpu, case, "device", engines.len(), run, |_| Ok(()))?;
        for (&engine, timing) in engines.iter().zip(timings) {
            let row = row(case, "device", engine.name()).timed(timing, case.n);
            rows.push(Row { default: engine == Engine::default(), ..row.moving(bytes, copy) });
        }
        drop(array);

        let timings = race_on_host(case, "host to host", engines.len(), |i| {
            let builder = Builder::new().engine(engines[i]).device(device);
            let (took, found) = time(|| builder.hull(&points).map(Answer::into_inner));
            let who = format!("{}, host to host, {}", device.name(), case.title());
            let found: Vec<usize> = found?.iter().flatten().collect();
            check::equal(&who, "corner", &expected, &found, |&position| position)?;
            Ok(took)
        })?;
        for (&engine, timing) in engines.iter().zip(timings) {
            let row = row(case, "host_to_host", engine.name()).timed(timing, case.n);
            rows.push(Row { default: engine == Engine::default(), ..row });
        }
        Ok(rows)
    }
}

impl Bench for GpuHull {
    const NAME: &'static str = "geometry hull";
    const SIZES: &'static [usize] = &[1_000_000, 10_000_000];
    const UNIT: &'static str = "ns per point";
    const DEFAULT_DTYPE: &'static str = "f64";
    const DEFAULT_KIND: &'static str = "disk";

    timed_types!(f64, f32, i64, i32);

    fn kinds() -> Vec<&'static str> {
        PointKind::ALL.iter().map(|kind| kind.name()).collect()
    }

    fn adapter(&self) -> Option<Adapter> {
        Some(self.gpu.describe())
    }

    fn tables(&self, rows: &[Row]) -> String {
        // Time over that of reading the points, at the speed of a copy.
        let reads = |row: &Row| maybe(row.share_of_copy.map(|share| 1.0 / share));
        let columns = [
            columns::what("hull"),
            columns::engine("engine"),
            columns::ms(),
            columns::ns("ns/point"),
            columns::gb_per_s(),
            columns::of_copy(),
            columns::number("of reading", reads),
        ];
        table(rows, columns).to_string()
    }

    fn panel(row: &Row) -> Option<String> {
        Some(row.what.into())
    }

    fn how_to_read(&self) -> String {
        "Every hull was compared with one that was checked in exact arithmetic. filter: the one pass of slabs over the\n\
         points, by the device's clock; device: everything that the device does, copies included, the points being there;\n\
         host to host: with the way of the points, and what the host does, by its clock. GB/s: over the bytes of the points.\n\
         of reading: the time over that of reading them, at the speed of a copy."
            .into()
    }
}
