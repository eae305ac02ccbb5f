//! `thalweg-bench tree`: depths, Euler tours, lowest common ancestors, subtree minima.

use std::hint::black_box;

use rayon::prelude::*;
use thalweg::rmq;
use thalweg::tree::{Children, Engine, EulerTour, Forest, Lca, Subtrees, lca};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::{array, links};
use thalweg_cli::memory;
use thalweg_cli::numbers::{parse_count, show_bytes};
use thalweg_data::ForestKind;

use crate::bench::{Bench, Case, Common, Pool, drive, on_gpu};
use crate::check;
use crate::columns::{self, table};
use crate::report::Row;
use crate::timing::{Timing, time};
use crate::walks::forest::{Walked, depths_by_walk, minima_by_walk, tour_by_walk};

/// Forests: roots and depths, Euler tours, lowest common ancestors, subtree minima
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// Pairs of nodes in a batch
    #[arg(long, value_parser = parse_count, default_value = "2^20")]
    count: usize,
    /// Number the nodes parents first, instead of at random
    #[arg(long)]
    ordered: bool,
    /// Leave out indexes of more bytes than this [default: a quarter of the free memory]
    #[arg(long, value_name = "BYTES", value_parser = parse_count)]
    max_extra: Option<usize>,
}

/// Runs the benchmark.
pub fn run(args: Args) -> Outcome {
    if args.count == 0 {
        return Err(Failure::at("--count", "a batch of 0 queries has nothing to time"));
    }
    on_gpu!(args.common, crate::gpu::tree::run(&args.common, args.count, args.ordered));
    let bench = TreeBench {
        count: args.count,
        ordered: args.ordered,
        max_extra: args.max_extra.or(memory::available().map(|free| free as usize / 4)).unwrap_or(usize::MAX),
    };
    drive(&bench, &args.common)
}

struct TreeBench {
    count: usize,
    ordered: bool,
    max_extra: usize,
}

/// The name of what walks node by node on one thread.
const WALK: &str = "plain walk";
/// The name of the textbook's LCA.
const SPARSE: &str = "euler_rmq, sparse table";

impl TreeBench {
    fn rows(
        &self,
        case: &Case<'_>,
        pool: &Pool,
        what: &'static str,
        engines: &[&'static str],
        timings: Vec<Timing>,
        items: usize,
    ) -> Vec<Row> {
        let default = match what {
            "depths" => Engine::chosen(case.n).name(),
            "lca build" | "lca batch" => lca::Engine::default().name(),
            "tour" => "euler_tour",
            _ => "lines",
        };
        let row = |(&engine, timing): (&&'static str, Timing)| {
            let mut row = case.row(pool, what, engine).timed(timing, items);
            (row.peer, row.default) = (engine == WALK || engine == SPARSE, engine == default);
            row
        };
        engines.iter().zip(timings).map(row).collect()
    }

    fn case(&self, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        let n = case.n;
        let kind = ForestKind::ALL.iter().find(|kind| kind.name() == case.kind).expect("the names have been compared");
        memory::require(n.saturating_mul(160), &case.title())?;
        let parents: Vec<u32> = links::make_forest(*kind, n, !self.ordered, case.common.seed)?;
        let walked = Walked::new(&parents)?;
        let mut rows = self.time_depths(case, &parents, &walked)?;
        rows.extend(self.time_tours(case, &parents, &walked)?);
        let tour = EulerTour::new(&parents)?;
        rows.extend(self.time_ancestors(case, &tour, &walked)?);
        rows.extend(self.time_minima(case, &tour, &walked)?);
        Ok(rows)
    }

    fn time_depths(&self, case: &Case<'_>, parents: &[u32], walked: &Walked) -> Outcome<Vec<Row>> {
        let mut names: Vec<&'static str> = Engine::ALL.iter().map(|engine| engine.name()).collect();
        names.extend(case.common.peers.then_some(WALK));
        let mut rows = Vec::new();
        for pool in case.pools {
            let timings = case.race(pool, "depths", names.len(), |i| {
                let (took, depths) = match Engine::ALL.get(i) {
                    Some(&engine) => {
                        let (took, forest) = time(|| Forest::with_engine(black_box(parents), Some(engine)));
                        (took, forest?.into_roots_and_depths().1)
                    }
                    None => time(|| depths_by_walk(black_box(parents))),
                };
                check::equal(&format!("{} on {}", names[i], case.title()), "depth", &walked.depths, &depths, |&x| x)?;
                Ok(took)
            })?;
            rows.extend(self.rows(case, pool, "depths", &names, timings, case.n));
        }
        Ok(rows)
    }

    fn time_tours(&self, case: &Case<'_>, parents: &[u32], walked: &Walked) -> Outcome<Vec<Row>> {
        let mut names = vec!["euler_tour"];
        names.extend(case.common.peers.then_some(WALK));
        let mut rows = Vec::new();
        for pool in case.pools {
            let timings = case.race(pool, "tour", names.len(), |i| {
                let who = format!("{} on {}", names[i], case.title());
                let (took, [order, sizes]) = if i == 0 {
                    let (took, tour) = time(|| EulerTour::new(black_box(parents)));
                    let tour = tour?;
                    (took, [tour.order().to_vec(), tour.sizes().to_vec()])
                } else {
                    // With the children and the depths, which the tour has to find too.
                    let (took, done) = time(|| -> Outcome<_> {
                        let children = Children::new(black_box(parents))?;
                        let [order, _, sizes] = tour_by_walk(parents, &children);
                        black_box(depths_by_walk(parents));
                        Ok([order, sizes])
                    });
                    (took, done?)
                };
                check::equal(&who, "order", &walked.order, &order, |&x| x)?;
                check::equal(&who, "size", &walked.sizes, &sizes, |&x| x)?;
                Ok(took)
            })?;
            rows.extend(self.rows(case, pool, "tour", &names, timings, case.n));
        }
        Ok(rows)
    }

    fn time_ancestors(&self, case: &mut Case<'_>, tour: &EulerTour<'_, u32>, walked: &Walked) -> Outcome<Vec<Row>> {
        let euler = |rmq| lca::Engine::EulerRmq(lca::EulerRmqOptions { rmq });
        let mut entrants = vec![("inlabel", lca::Engine::Inlabel), ("euler_rmq", euler(None))];
        if case.common.peers {
            // 2n levels, and a position for every power of two.
            let bytes = 8 * case.n * (2 * case.n).next_power_of_two().ilog2() as usize;
            if bytes > self.max_extra {
                let (bytes, limit) = (show_bytes(bytes as u64), show_bytes(self.max_extra as u64));
                case.skip(SPARSE, format_args!("index of {bytes}, over the limit of {limit} (--max-extra)"));
            } else {
                memory::require(2 * bytes, &case.title())?;
                entrants.push((SPARSE, euler(Some(rmq::Engine::SparseTable))));
            }
        }
        let names: Vec<&'static str> = entrants.iter().map(|(name, _)| *name).collect();
        let queries = case.random_pairs(self.count)?;
        let mut rows = Vec::new();
        for pool in case.pools {
            let mut extra = vec![None; entrants.len()];
            let timings = case.race(pool, "lca build", entrants.len(), |i| {
                let (took, index) = time(|| Lca::of_tour(black_box(tour), entrants[i].1));
                extra[i] = Some(index?.extra_bytes());
                Ok(took)
            })?;
            let built = self.rows(case, pool, "lca build", &names, timings, case.n);
            rows.extend(built.into_iter().zip(extra).map(|(row, extra)| row.extra(extra)));
        }
        let mut indexes = Vec::new();
        for &(_, engine) in &entrants {
            indexes.push(Lca::of_tour(tour, engine)?);
        }
        let mut out = memory::filled(self.count, 0u32, "the answers")?;
        for pool in case.pools {
            let timings = case.race(pool, "lca batch", indexes.len(), |i| {
                // Poison: an answer that is not written shows.
                out.fill(u32::MAX - 1);
                let (took, done) = time(|| indexes[i].batch(black_box(&queries), &mut out));
                done?;
                let wrong = (0..out.len()).into_par_iter().find_first(|&row| !walked.is_lca(queries[row], out[row]));
                if let Some(row) = wrong {
                    let who = format!("{} on {}", names[i], case.title());
                    let [x, y] = queries[row];
                    return check::wrong(&who, format_args!("query {row}: {} is not the lca of {x} and {y}", out[row]));
                }
                Ok(took)
            })?;
            rows.extend(self.rows(case, pool, "lca batch", &names, timings, self.count));
        }
        Ok(rows)
    }

    fn time_minima(&self, case: &Case<'_>, tour: &EulerTour<'_, u32>, walked: &Walked) -> Outcome<Vec<Row>> {
        let values = array::generate::<u32>(thalweg_data::ArrayKind::Random, case.n, case.common.seed)?;
        let expected = minima_by_walk(tour.parents(), &walked.order, &values);
        let mut names = vec!["lines"];
        names.extend(case.common.peers.then_some(WALK));
        let mut rows = Vec::new();
        for pool in case.pools {
            let timings = case.race(pool, "subtree minima", names.len(), |i| {
                let (took, minima) = if i == 0 {
                    time(|| Subtrees::new(black_box(tour), &values)?.all_values())
                } else {
                    time(|| Ok(minima_by_walk(tour.parents(), tour.order(), black_box(&values))))
                };
                let who = format!("{} on {}", names[i], case.title());
                check::equal(&who, "minimum", &expected, &minima?, |&x| x)?;
                Ok(took)
            })?;
            rows.extend(self.rows(case, pool, "subtree minima", &names, timings, case.n));
        }
        Ok(rows)
    }
}

impl Bench for TreeBench {
    const NAME: &'static str = "tree";
    const SIZES: &'static [usize] = &[1 << 20, 1 << 22];
    const UNIT: &'static str = "ns per node or query";
    /// The nodes' type.
    const DTYPES: &'static [&'static str] = &["u32"];

    fn kinds() -> Vec<&'static str> {
        ForestKind::ALL.iter().map(|kind| kind.name()).collect()
    }

    fn run(&self, _dtype: &str, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        self.case(case)
    }

    fn tables(&self, rows: &[Row]) -> String {
        let columns = [
            columns::what("what"),
            columns::engine("engine"),
            columns::threads(),
            columns::ns("ns/item"),
            columns::extra_bits("extra bits/node"),
            columns::versus("vs peer"),
        ];
        table(rows, columns).to_string()
    }

    fn panel(row: &Row) -> Option<String> {
        Some(row.what.into())
    }

    fn how_to_read(&self) -> String {
        "Every answer was checked. Items are nodes, and pairs of nodes for 'lca batch'. LCA indexes are built from the\n\
         tour. The peers: plain walks on one thread, and for LCA the textbook's Euler tour with a sparse table, built and\n\
         asked on all threads. Above 1x is faster."
            .into()
    }
}
