//! `thalweg-bench ansv --device gpu`.

use thalweg::Key;
use thalweg::ansv::{Builder, Sides};
use thalweg::gpu::ansv::{DeviceSides, Engine, Relation, engine, solve_timed};
use thalweg_cli::failure::Outcome;
use thalweg_cli::memory;

use super::{Gpu, race, race_on_host, row};
use crate::bench::{Bench, Case, Common, Selection, drive, timed_types};
use crate::check;
use crate::columns::{self, of, table};
use crate::report::{Adapter, Row};
use crate::table::maybe;
use crate::timing::time;

/// Runs the benchmark.
pub fn run(common: &Common, engines: &[String]) -> Outcome {
    let selection = Selection::parse(engines, Engine::ALL)?;
    let gpu = Gpu::open(&common.device)?;
    let selection = selection.on_device(|which| engine(&gpu.device, which).map(drop))?;
    drive(&GpuAnsv { gpu, engines: selection.engines }, common)
}

pub struct GpuAnsv {
    pub gpu: Gpu,
    pub engines: Vec<Engine>,
}

impl GpuAnsv {
    fn case<K: Key>(&self, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        memory::require(case.n * (size_of::<K>() + 16), &case.title())?;
        let (array, device) = (case.array::<K>()?, &self.gpu.device);
        let expected = check::nearest_smaller(&array)?;
        let values = device.upload(&array)?;
        let (left, right) = (device.allocate::<u32>(case.n)?, device.allocate::<u32>(case.n)?);
        let mut got = memory::filled(case.n, 0u32, "answers")?;
        let copy = self.gpu.card.copy_gb_per_s;
        let bytes = case.n * (size_of::<K>() + 8);

        let sides = DeviceSides { left: Some(&left), right: Some(&right) };
        let run = |i: usize| Ok(solve_timed(&values, Relation::Smaller, self.engines[i], sides)?);
        let timings = race(&self.gpu, case, "device", self.engines.len(), run, |i| {
            let who = format!("{} on {}, {}", self.engines[i], device.name(), case.title());
            for (what, side, expected) in [("left", &left, &expected[0]), ("right", &right, &expected[1])] {
                side.download(&mut got)?;
                check::equal(&who, what, expected, &got, |&x| x)?;
            }
            Ok(())
        })?;
        let mut rows = Vec::new();
        for (engine, timing) in self.engines.iter().zip(timings) {
            let mut row = row(case, "device", engine.name()).timed(timing, case.n).moving(bytes, copy);
            row.default = *engine == Engine::default();
            rows.push(row);
        }
        drop((values, left, right));

        let mut sides = [got, memory::filled(case.n, 0u32, "answers")?];
        let timings = race_on_host(case, "host to host", self.engines.len(), |i| {
            let [left, right] = &mut sides;
            let sides = Sides { left: Some(&mut left[..]), right: Some(&mut right[..]) };
            let builder = Builder::new().engine(self.engines[i]).device(device);
            let (took, done) = time(|| builder.run_into(&array, sides));
            done?;
            Ok(took)
        })?;
        let who = format!("{}, host to host, {}", device.name(), case.title());
        check::equal(&who, "left", &expected[0], &sides[0], |&x| x)?;
        check::equal(&who, "right", &expected[1], &sides[1], |&x| x)?;
        rows.extend(self.engines.iter().zip(timings).map(|(engine, timing)| {
            let mut row = row(case, "host_to_host", engine.name()).timed(timing, case.n);
            row.default = *engine == Engine::default();
            row
        }));
        Ok(rows)
    }
}

impl Bench for GpuAnsv {
    const NAME: &'static str = "ansv";
    const SIZES: &'static [usize] = &[1 << 24, 1 << 26, 500_000_000];
    const UNIT: &'static str = "ns per element";

    timed_types!(u32, u64, f32, f64);

    fn adapter(&self) -> Option<Adapter> {
        Some(self.gpu.describe())
    }

    fn tables(&self, rows: &[Row]) -> String {
        let host = |row: &Row| {
            let host = of(rows, "host_to_host").find(|other| other.engine == row.engine);
            maybe(host.map(|row| row.median_ns / 1e6))
        };
        let columns = [
            columns::engine("both sides"),
            columns::ms(),
            columns::ns("ns/element"),
            columns::gb_per_s(),
            columns::of_copy(),
            columns::number("host to host ms", host),
        ];
        table(of(rows, "device"), columns).to_string()
    }

    fn panel(row: &Row) -> Option<String> {
        (row.what == "device").then(|| "both sides".into())
    }

    fn how_to_read(&self) -> String {
        "Every answer was checked. ms: by the device's clock, array and answers on the device. GB/s: the array read and\n\
         both sides written, once. Host to host: with both copies."
            .into()
    }
}
