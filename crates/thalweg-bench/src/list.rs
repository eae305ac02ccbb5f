//! `thalweg-bench list`: list ranking, without and with weights.

use std::hint::black_box;

use thalweg::list::{Builder, Engine};
use thalweg::{Answer, Device};
use thalweg_cli::failure::Outcome;
use thalweg_cli::input::links;
use thalweg_cli::memory;
use thalweg_data::ListKind;
use thalweg_data::lists::{self, weights};

use crate::bench::{Bench, Case, Common, Selection, drive, on_gpu};
use crate::check;
use crate::columns::{self, table};
use crate::report::Row;
use crate::timing::time;
use crate::walks::list::{expected, heads, walk};

/// List ranking, to the end, without and with weights
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// Engines to time, or all
    #[arg(long, num_args = 1.., value_delimiter = ',', default_value = "all")]
    engine: Vec<String>,
}

/// Engines that read every element log n times, or in many rounds, take part up to this length unless they are named.
const SLOW: usize = 1 << 22;

/// Runs the benchmark.
pub fn run(args: Args) -> Outcome {
    on_gpu!(args.common, crate::gpu::list::run(&args.common, &args.engine));
    drive(&ListBench { selection: Selection::parse(&args.engine, Engine::ALL)? }, &args.common)
}

struct ListBench {
    selection: Selection<Engine>,
}

/// Who takes part.
#[derive(Clone, Copy, PartialEq)]
enum Entrant {
    Ours(Engine),
    /// One list after the other, with all heads and sums known: nothing that walks element by element is faster.
    Walk,
}

impl Entrant {
    fn name(self) -> &'static str {
        match self {
            Self::Ours(engine) => engine.name(),
            Self::Walk => "plain walk",
        }
    }
}

impl ListBench {
    fn entrants(&self, case: &mut Case<'_>) -> Vec<Entrant> {
        let slow = |engine: Engine| matches!(engine, Engine::PointerJumping | Engine::IndependentSet);
        let mut entrants = Vec::new();
        for &engine in &self.selection.engines {
            if slow(engine) && case.n > SLOW && !self.selection.named {
                case.skip(engine.name(), "takes seconds (name it to wait for it)");
            } else {
                entrants.push(Entrant::Ours(engine));
            }
        }
        entrants.extend(case.common.peers.then_some(Entrant::Walk));
        entrants
    }

    fn case(&self, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        let kind = ListKind::ALL.iter().find(|kind| kind.name() == case.kind).expect("the names have been compared");
        memory::require(case.n.saturating_mul(96), &case.title())?;
        let next: Vec<u32> = links::make_list(*kind, case.n, case.common.seed)?;
        let weights = weights(case.n, case.common.seed);
        let weight = |i: usize| i64::from(weights[i]);
        let (order, starts) = lists::walk(&next);
        let (ones, sums) = (heads(&order, &starts, |_| 1), heads(&order, &starts, weight));
        let expected_ranks = expected(&order, &starts, |_| 1, |sum| sum as u32 - 1)?;
        let expected_sums = expected(&order, &starts, weight, |sum| sum)?;
        drop((order, starts));
        let entrants = self.entrants(case);

        let mut rows = Vec::new();
        for pool in case.pools {
            let rank = case.race(pool, "rank", entrants.len(), |i| {
                let (took, ranks) = match entrants[i] {
                    Entrant::Ours(engine) => {
                        let builder = Builder::new().device(Device::Cpu).engine(engine);
                        time(|| builder.rank(black_box(&next)).map(Answer::into_inner))
                    }
                    Entrant::Walk => time(|| {
                        let mut out = vec![0u32; case.n];
                        walk(black_box(&next), &ones, &mut out, |_| 1, |left| left as u32 - 1);
                        Ok(out)
                    }),
                };
                let who = format!("{} on {}", entrants[i].name(), case.title());
                check::equal(&who, "rank", &expected_ranks, &ranks?, |&x| x)?;
                Ok(took)
            })?;
            let sum = case.race(pool, "sums", entrants.len(), |i| {
                let (took, found) = match entrants[i] {
                    Entrant::Ours(engine) => {
                        let builder = Builder::new().device(Device::Cpu).engine(engine);
                        time(|| builder.sums(black_box(&next), &weights).map(Answer::into_inner))
                    }
                    Entrant::Walk => time(|| {
                        let mut out = vec![0i64; case.n];
                        walk(black_box(&next), &sums, &mut out, weight, |left| left);
                        Ok(out)
                    }),
                };
                let who = format!("{} on {}", entrants[i].name(), case.title());
                check::equal(&who, "sum", &expected_sums, &found?, |&x| x)?;
                Ok(took)
            })?;
            // At least: links and weights read, ranks written.
            for (what, timings, bytes) in [("rank", rank, 8), ("sums", sum, 16)] {
                for (&entrant, timing) in entrants.iter().zip(timings) {
                    let row = case.row(pool, what, entrant.name()).timed(timing, case.n);
                    let mut row = row.moving(case.n * bytes, pool.copy_gb_per_s);
                    row.peer = entrant == Entrant::Walk;
                    if let Entrant::Ours(engine) = entrant {
                        let builder = Builder::new().engine(engine);
                        row.default = engine == Builder::new().options().chosen(case.n);
                        row =
                            row.extra(Some(builder.options().extra_bytes::<u32>(case.n, usize::from(what == "sums"))));
                    }
                    rows.push(row);
                }
            }
        }
        Ok(rows)
    }
}

impl Bench for ListBench {
    const NAME: &'static str = "list";
    const SIZES: &'static [usize] = &[1 << 20, 1 << 24];
    const UNIT: &'static str = "ns per element";
    /// The links' type.
    const DTYPES: &'static [&'static str] = &["u32"];

    fn kinds() -> Vec<&'static str> {
        ListKind::ALL.iter().map(|kind| kind.name()).collect()
    }

    fn run(&self, _dtype: &str, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        self.case(case)
    }

    fn tables(&self, rows: &[Row]) -> String {
        let columns = [
            columns::what("ranking"),
            columns::engine("engine"),
            columns::threads(),
            columns::ns("ns/element"),
            columns::gb_per_s(),
            columns::extra_bits("extra bits/element"),
            columns::versus("vs plain walk"),
        ];
        table(rows, columns).to_string()
    }

    fn panel(row: &Row) -> Option<String> {
        Some(row.what.into())
    }

    fn how_to_read(&self) -> String {
        "Every answer was checked. 'rank' counts links, 'sums' adds weights of 32 bits. The plain walk runs on one thread\n\
         and is given the heads of the lists and the sums of their weights. Above 1x is faster than it."
            .into()
    }
}
