//! `thalweg-bench ansv --device gpu`.

use thalweg::Key;
use thalweg_cli::failure::Outcome;
use thalweg_cli::memory;
use thalweg::gpu::ansv::{Builder, Engine, OnDevice};

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
    drive(&GpuAnsv { gpu: Gpu::open(&common.device)?, engines: selection.engines }, common)
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
        let (left, right) = (device.allocate::<u32>(case.n as u64)?, device.allocate::<u32>(case.n as u64)?);
        let mut got = memory::filled(case.n, 0u32, "answers")?;
        let copy = self.gpu.card.copy_gb_per_s;
        let bytes = case.n * (size_of::<K>() + 8);

        let run =
            |i: usize| Ok(Builder::new().engine(self.engines[i]).run_timed(&values, Some(&left), Some(&right))?);
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
            row.default = *engine == Builder::new().chosen();
            rows.push(row);
        }
        drop((values, left, right));

        let mut sides = [got, memory::filled(case.n, 0u32, "answers")?];
        let timings = race_on_host(case, "host to host", self.engines.len(), |i| {
            let [left, right] = &mut sides;
            let sides = thalweg::ansv::Sides { left: Some(&mut left[..]), right: Some(&mut right[..]) };
            let engine = OnDevice::new(device, self.engines[i]);
            let (took, done) = time(|| thalweg::ansv::Builder::new().run_on(&engine, &array, sides));
            done?;
            Ok(took)
        })?;
        let who = format!("{}, host to host, {}", device.name(), case.title());
        check::equal(&who, "left", &expected[0], &sides[0], |&x| x)?;
        check::equal(&who, "right", &expected[1], &sides[1], |&x| x)?;
        rows.extend(self.engines.iter().zip(timings).map(|(engine, timing)| {
            let mut row = row(case, "host_to_host", engine.name()).timed(timing, case.n);
            row.default = *engine == Builder::new().chosen();
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
