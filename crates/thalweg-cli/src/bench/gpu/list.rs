//! `thalweg bench list --device gpu`.

use std::cell::RefCell;

use thalweg::Key;
use thalweg_gpu::list::{Builder, Engine};
use thalweg_testkit::{ListKind, lists};

use super::super::report::{Adapter, Row};
use super::super::table::{self, Table};
use super::super::{Bench, Case, Common, Selection, check, drive, timed_types};
use super::{Gpu, race, row};
use crate::failure::Outcome;
use crate::memory;

/// Runs the benchmark.
pub fn run(common: &Common, engines: &[String]) -> Outcome {
    let selection = Selection::parse(engines, Engine::ALL)?;
    drive(&GpuList { gpu: Gpu::open(&common.device)?, engines: selection.engines }, common)
}

struct GpuList {
    gpu: Gpu,
    engines: Vec<Engine>,
}

impl GpuList {
    fn case<K: Key>(&self, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        memory::require(case.n * 60, &case.title())?;
        let (n, device) = (case.n, &self.gpu.device);
        let next: Vec<u32> = ListKind::Random.make(n, case.common.seed);
        let weights = lists::weights(n, case.common.seed);
        let (links, on_device) = (device.upload(&next)?, device.upload(&weights)?);
        let ranks = thalweg::list::rank(&next)?;
        let sums = thalweg::list::sums(&next, &weights)?;

        // What the engine that ran last has made.
        let (made_ranks, made_sums) = (RefCell::new(None), RefCell::new(None));
        let who = |i: usize| format!("{} on {}, {}", self.engines[i], device.name(), case.title());
        let run = |i: usize| {
            let (made, timing) = device.timed(|| Builder::new().engine(self.engines[i]).rank(&links))?;
            made_ranks.replace(Some(made));
            Ok(timing)
        };
        let ranked = race(&self.gpu, case, "rank", self.engines.len(), run, |i| {
            let got = made_ranks.take().expect("it has run").to_vec()?;
            check::equal(&who(i), "rank", &ranks, &got, |&rank| rank)
        })?;
        drop(made_ranks);
        let run = |i: usize| {
            let (made, timing) = device.timed(|| Builder::new().engine(self.engines[i]).sums(&links, &on_device))?;
            made_sums.replace(Some(made));
            Ok(timing)
        };
        let summed = race(&self.gpu, case, "sums", self.engines.len(), run, |i| {
            let got: Vec<i64> = made_sums.take().expect("it has run").to_vec()?.into_iter().map(i64::from).collect();
            // Of 32 bits, as the weights are.
            check::equal(&who(i), "sum", &sums, &got, |&sum| sum as i32)
        })?;
        let mut rows = Vec::new();
        for (what, timings) in [("rank", ranked), ("sums", summed)] {
            for (engine, timing) in self.engines.iter().zip(timings) {
                let mut row = row(case, what, engine.name()).timed(timing, n);
                row.default = *engine == Builder::new().chosen();
                rows.push(row);
            }
        }
        Ok(rows)
    }
}

impl Bench for GpuList {
    const NAME: &'static str = "list";
    const SIZES: &'static [usize] = &[1 << 20, 1 << 24, 1 << 26];
    const UNIT: &'static str = "ns per element";

    timed_types!(u32);

    fn adapter(&self) -> Option<Adapter> {
        Some(self.gpu.describe())
    }

    fn tables(&self, rows: &[Row]) -> String {
        let mut table = Table::new(2, ["random list", "engine", "ms", "ns/element", "of 2 random reads"]);
        for row in rows {
            // Two reads of 8 bytes at random places an element.
            let reads = 2.0 * row.n as f64 / self.gpu.card.random_pairs_g_per_s;
            table.row([
                row.what.into(),
                row.engine.into(),
                table::short(row.median_ns / 1e6),
                table::short(row.ns_per_item),
                format!("{:.2}x", row.median_ns / reads),
            ]);
        }
        table.to_string()
    }

    fn panel(row: &Row) -> Option<String> {
        Some(row.what.into())
    }

    fn how_to_read(&self) -> String {
        format!(
            "Every answer was checked. ms: by the device's clock, lists and ranks on the device. The last column: the time over\n\
             that of two reads of 8 bytes at random places an element, of which this device does {:.1} billion a second.",
            self.gpu.card.random_pairs_g_per_s
        )
    }
}
