//! `thalweg-bench geometry raster --device gpu`.

use thalweg::geometry::envelope::{Builder, RasterOutputs, Segments, values_of};
use thalweg::gpu::geometry::envelope::{Engine, Grid, Side, raster, time_levels};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::memory;

use super::{Gpu, race_on_host, row};
use crate::bench::{Bench, Case, Common, Selection, drive};
use crate::cases::raster::{Kind, expected};
use crate::check;
use crate::columns::{self, table};
use crate::report::{Adapter, Row};
use crate::table::maybe;
use crate::timing::time;

/// Runs the benchmark.
pub fn run(common: &Common, engines: &[String]) -> Outcome {
    let known = [Engine::Raster];
    let selection = Selection::parse(engines, &known)?;
    let gpu = Gpu::open(&common.device)?;
    if let Some(other) = selection.engines.iter().find(|engine| !known.contains(engine)) {
        return Err(Failure::at("--engine", format_args!("GPUs have raster, not {other}")));
    }
    drive(&GpuRaster { gpu }, common)
}

/// Values on a grid, on a GPU.
pub struct GpuRaster {
    pub gpu: Gpu,
}

const NAME: &str = "raster";

impl Bench for GpuRaster {
    const NAME: &'static str = "geometry raster";
    const SIZES: &'static [usize] = &[1 << 20, 1 << 24, 1 << 26];
    const UNIT: &'static str = "ns per number";
    const DEFAULT_DTYPE: &'static str = "i32";
    const DEFAULT_KIND: &'static str = "paper";
    const DTYPES: &'static [&'static str] = &["i32"];

    fn kinds() -> Vec<&'static str> {
        Kind::ALL.iter().map(|kind| kind.name()).collect()
    }

    fn run(&self, _dtype: &str, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        let (kind, device) = (Kind::of(case)?, &self.gpu.device);
        memory::require(case.n.saturating_mul(36), &case.title())?;
        let segments = kind.make(case.n, case.common.seed);
        let (grid, want) = (Grid::new(0, case.n)?, expected(case, &segments)?);
        let rows_on_device = device.upload(segments.as_flattened())?;
        let copy = self.gpu.card.copy_gb_per_s;
        // The segments are read and the answers are written, once.
        let bytes = size_of_val(&segments[..]) + 4 * case.n;
        let who = |what: &str| format!("{what} on {}, {}", device.name(), case.title());

        let mut rows = Vec::new();
        if kind.is_level() {
            let heights = device.allocate::<i32>(case.n)?;
            let run = |_| Ok(time_levels(&rows_on_device, Side::Lower, grid, &heights)?);
            let timings = super::race(&self.gpu, case, "levels", 1, run, |_| {
                let told = |&y: &i32| if y == i32::MAX { f64::NAN } else { y.into() };
                let heights: Vec<f64> = heights.to_vec()?.iter().map(told).collect();
                check::equal(&who("levels"), "value", &want, &heights, |value| value.to_bits())
            })?;
            rows.push(row(case, "levels", NAME).timed(timings[0], case.n).moving(bytes, copy));
        }
        let work = || raster(&rows_on_device, Side::Lower, grid);
        let ids = self.gpu.time(case, ("ids", NAME), case.n, work, |ids| {
            let mut values = memory::filled(case.n, 0.0, "the values")?;
            values_of(&Segments::new(&segments)?, Side::Lower, grid, &ids.to_vec()?, &mut values)?;
            check::equal(&who("ids"), "value", &want, &values, |value| value.to_bits())
        })?;
        rows.push(ids.moving(bytes, copy));
        drop(rows_on_device);

        let mut values = memory::filled(case.n, 0.0, "the values")?;
        let timings = race_on_host(case, "host to host", 1, |_| {
            let outputs = RasterOutputs { values: Some(&mut values), ids: None };
            let (took, done) = time(|| Builder::new().device(device).raster_into(&segments, grid, outputs));
            done?;
            Ok(took)
        })?;
        check::equal(&who("host to host"), "value", &want, &values, |value| value.to_bits())?;
        rows.push(row(case, "host_to_host", NAME).timed(timings[0], case.n));
        Ok(rows.into_iter().map(|row| Row { default: true, ..row }).collect())
    }

    fn adapter(&self) -> Option<Adapter> {
        Some(self.gpu.describe())
    }

    fn tables(&self, rows: &[Row]) -> String {
        // Time over that of moving the bytes, at the speed of a copy.
        let moves = |row: &Row| maybe(row.share_of_copy.map(|share| 1.0 / share));
        let columns = [
            columns::what("raster").together(),
            columns::ms(),
            columns::ns("ns/number"),
            columns::gb_per_s(),
            columns::of_copy(),
            columns::number("of the bound", moves),
        ];
        table(rows, columns).to_string()
    }

    fn panel(row: &Row) -> Option<String> {
        Some(format!("{} segments, {}", row.kind, row.what))
    }

    fn how_to_read(&self) -> String {
        "Every value was compared with the CPU's. levels: heights of level segments, as the paper asks for them, and ids: the\n\
         lowest segments' numbers, both of 4 bytes, by the device's clock, everything being there; host to host: values of\n\
         8 bytes, with all copies, by the host's clock. GB/s: over the bytes of the segments and answers; of the bound: the\n\
         time over that of reading and writing these once, at the speed of a copy."
            .into()
    }
}
