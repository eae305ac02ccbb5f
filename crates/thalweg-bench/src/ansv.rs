//! `thalweg-bench ansv`: both sides of all nearest smaller values.

use std::hint::black_box;

use thalweg::ansv::{Builder, Engine, Sides, engine};
use thalweg::{Device, Key};
use thalweg_cli::failure::Outcome;
use thalweg_cli::memory;

use crate::bench::{Bench, Case, Common, Selection, drive, on_gpu, timed_types};
use crate::check;
use crate::columns::{self, table};
use crate::report::Row;
use crate::timing::time;

/// All nearest smaller values, both sides
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// Engines to time, or all
    #[arg(long, num_args = 1.., value_delimiter = ',', default_value = "all")]
    engine: Vec<String>,
}

/// Elements that `naive` may read before it is left out: some tenths of a second.
const NAIVE_READS: u64 = 1 << 28;

/// Runs the benchmark.
pub fn run(args: Args) -> Outcome {
    on_gpu!(args.common, crate::gpu::ansv::run(&args.common, &args.engine));
    let mut selection = Selection::parse(&args.engine, Engine::ALL)?.on_device(|which| engine(which).map(drop))?;
    if args.common.peers && !selection.engines.contains(&Engine::Stack) {
        selection.engines.push(Engine::Stack);
    }
    drive(&AnsvBench { selection }, &args.common)
}

struct AnsvBench {
    selection: Selection<Engine>,
}

/// Elements between neighbours, all that a search from every element has to read.
fn reads(left: &[u32], right: &[u32]) -> u64 {
    let n = left.len() as u64;
    let distance = |(i, (&left, &right)): (usize, (&u32, &u32))| {
        let i = i as u64;
        let to_left = if left == u32::MAX { i } else { i - u64::from(left) };
        let to_right = if right == u32::MAX { n - 1 - i } else { u64::from(right) - i };
        to_left + to_right
    };
    left.iter().zip(right).enumerate().map(distance).sum()
}

/// Bytes of scratch that an engine needs.
fn extra_bytes<K: Key>(which: Engine, n: usize) -> usize {
    engine(which).map_or(0, |engine| engine.extra_bytes(n, size_of::<K>()))
}

impl AnsvBench {
    /// Times everybody on one array.
    fn case<K: Key>(&self, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        // Two sides of answers, twice, and an engine's scratch.
        let scratch = self.selection.engines.iter().map(|&e| extra_bytes::<K>(e, case.n)).max().unwrap_or(0);
        memory::require(case.n * (size_of::<K>() + 16) + scratch, &case.title())?;
        let array = case.array::<K>()?;
        let [expected_left, expected_right] = check::nearest_smaller(&array)?;
        let mut left = memory::filled(case.n, 0u32, "left answers")?;
        let mut right = memory::filled(case.n, 0u32, "right answers")?;
        let mut engines = self.selection.engines.clone();
        let reads = reads(&expected_left, &expected_right);
        if reads > NAIVE_READS && !self.selection.named && engines.contains(&Engine::Naive) {
            engines.retain(|&engine| engine != Engine::Naive);
            case.skip("naive", format_args!("would read {:.1e} elements", reads as f64));
        }

        let mut rows = Vec::new();
        for pool in case.pools {
            let timings = case.race(pool, "both sides", engines.len(), |i| {
                // Poison: an answer that is not written shows. No array has this many elements.
                left.fill(u32::MAX - 1);
                right.fill(u32::MAX - 1);
                let sides = Sides { left: Some(&mut left[..]), right: Some(&mut right[..]) };
                let (took, done) =
                    time(|| Builder::new().device(Device::Cpu).engine(engines[i]).run_into(black_box(&array), sides));
                done?;
                let who = format!("{} on {}", engines[i], case.title());
                check::equal(&who, "left", &expected_left, &left, |&x| x)?;
                check::equal(&who, "right", &expected_right, &right, |&x| x)?;
                Ok(took)
            })?;
            for (&which, timing) in engines.iter().zip(timings) {
                let mut row = case.row(pool, "both_sides", which.name()).timed(timing, case.n);
                row = row.moving(case.n * (size_of::<K>() + 8), pool.copy_gb_per_s);
                row = row.extra(Some(extra_bytes::<K>(which, case.n)));
                (row.peer, row.default) = (which == Engine::Stack, which == Engine::default());
                rows.push(row);
            }
        }
        Ok(rows)
    }
}

impl Bench for AnsvBench {
    const NAME: &'static str = "ansv";
    const SIZES: &'static [usize] = &[1 << 20, 1 << 24];
    const UNIT: &'static str = "ns per element";

    timed_types!(u32, u64, f32, f64);

    fn tables(&self, rows: &[Row]) -> String {
        let columns = [
            columns::engine("both sides"),
            columns::threads(),
            columns::ns("ns/element"),
            columns::gb_per_s(),
            columns::of_copy(),
            columns::extra_bits("extra bits/element"),
            columns::versus("vs stack"),
        ];
        table(rows, columns).to_string()
    }

    fn panel(_row: &Row) -> Option<String> {
        Some("both sides".into())
    }

    fn how_to_read(&self) -> String {
        "Every answer was checked. GB/s: the array read and both sides written, once. Extra memory: the worst case.\n\
         No crate offers this problem, so 'vs stack' compares with the sequential algorithm: above 1x is faster."
            .into()
    }
}
