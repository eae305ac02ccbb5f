//! `thalweg-bench list --device gpu`.

use std::cell::RefCell;

use thalweg::gpu::list::{self, Engine, Options};
use thalweg_cli::failure::Outcome;
use thalweg_cli::input::links;
use thalweg_cli::memory;
use thalweg_data::ListKind;
use thalweg_data::lists::{walk, weights};

use super::{Gpu, open, race, row};
use crate::bench::{Bench, Case, Common, Selection, drive};
use crate::check;
use crate::columns::{self, table};
use crate::report::{Adapter, Row};
use crate::walks::list::expected;

/// Runs the benchmark.
pub fn run(common: &Common, engines: &[String]) -> Outcome {
    let selection = Selection::parse(engines, Engine::ALL)?;
    let alone = open(&common.device)?.upload(&[0u32])?;
    let selection = selection.on_device(|engine| list::rank(&alone, &options(engine)).map(drop))?;
    drop(alone);
    let gpu = Gpu::open(&common.device)?;
    drive(&GpuList { gpu, engines: selection.engines }, common)
}

fn options(engine: Engine) -> Options {
    Options { engine: Some(engine), ..Options::default() }
}

struct GpuList {
    gpu: Gpu,
    engines: Vec<Engine>,
}

impl GpuList {
    fn case(&self, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        memory::require(case.n * 68, &case.title())?;
        let (n, device) = (case.n, &self.gpu.device);
        let kind = ListKind::ALL.iter().find(|kind| kind.name() == case.kind).expect("the names have been compared");
        let next: Vec<u32> = links::make_list(*kind, n, case.common.seed)?;
        let weights = weights(n, case.common.seed);
        let weight = |i: usize| i64::from(weights[i]);
        let (order, starts) = walk(&next);
        let ranks = expected(&order, &starts, |_| 1, |sum| sum as u32 - 1)?;
        let sums = expected(&order, &starts, weight, |sum| sum)?;
        drop(order);
        let (links, on_device) = (device.upload(&next)?, device.upload(&weights)?);

        // What the engine that ran last has made.
        let (made_ranks, made_sums) = (RefCell::new(None), RefCell::new(None));
        let who = |i: usize| format!("{} on {}, {}", self.engines[i], device.name(), case.title());
        let run = |i: usize| {
            let (made, timing) = device.timed(|| list::rank(&links, &options(self.engines[i])))?;
            made_ranks.replace(Some(made));
            Ok(timing)
        };
        let ranked = race(&self.gpu, case, "rank", self.engines.len(), run, |i| {
            let got = made_ranks.take().expect("it has run").to_vec()?;
            check::equal(&who(i), "rank", &ranks, &got, |&rank| rank)
        })?;
        drop(made_ranks);
        let run = |i: usize| {
            let (made, timing) = device.timed(|| list::sums(&links, &on_device, &options(self.engines[i])))?;
            made_sums.replace(Some(made));
            Ok(timing)
        };
        let summed = race(&self.gpu, case, "sums", self.engines.len(), run, |i| {
            let got = made_sums.take().expect("it has run").to_vec()?;
            check::equal(&who(i), "sum", &sums, &got, |&sum| sum)
        })?;
        let mut rows = Vec::new();
        for (what, timings) in [("rank", ranked), ("sums", summed)] {
            for (engine, timing) in self.engines.iter().zip(timings) {
                let mut row = row(case, what, engine.name()).timed(timing, n);
                row.default = *engine == Engine::HelmanJaja;
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

    /// The links' type.
    const DTYPES: &'static [&'static str] = &["u32"];

    fn kinds() -> Vec<&'static str> {
        ListKind::ALL.iter().map(|kind| kind.name()).collect()
    }

    fn run(&self, _dtype: &str, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        self.case(case)
    }

    fn adapter(&self) -> Option<Adapter> {
        Some(self.gpu.describe())
    }

    fn tables(&self, rows: &[Row]) -> String {
        // Two reads of 8 bytes at random places an element.
        let reads = |row: &Row| 2.0 * row.n as f64 / self.gpu.card.random_pairs_g_per_s;
        let columns = [
            columns::what("ranking"),
            columns::engine("engine"),
            columns::ms(),
            columns::ns("ns/element"),
            columns::number("of 2 random reads", |row| format!("{:.2}x", row.median_ns / reads(row))),
        ];
        table(rows, columns).to_string()
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
