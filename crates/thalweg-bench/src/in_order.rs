//! `thalweg-bench in-order`: the k smallest elements of ranges, and those that are not above a threshold.

use std::hint::black_box;

use rayon::prelude::*;
use thalweg::{Key, Order, Rmq};
use thalweg_cli::choice::one_of;
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::memory;
use thalweg_cli::numbers::parse_count;
use thalweg_data::QueryKind;
use thalweg_data::oracles::first_by_scanning;

use crate::bench::{Bench, Case, Common, drive, on_gpu, timed_types};
use crate::cases::in_order::one_in;
use crate::check;
use crate::columns::{self, table};
use crate::report::Row;
use crate::timing::time;

/// Elements of ranges in order: the k smallest, and those not above a threshold
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// Kinds of ranges
    #[arg(long, num_args = 1.., value_delimiter = ',', value_parser = one_of(QueryKind::ALL, QueryKind::name),
        default_values = ["large", "medium", "small"])]
    queries: Vec<QueryKind>,
    /// Ranges in a batch
    #[arg(long, value_parser = parse_count, default_value = "64")]
    count: usize,
    /// How many of the smallest
    #[arg(long, value_parser = parse_count, default_value = "10")]
    k: usize,
    /// One in so many elements is not above the threshold
    #[arg(long, value_parser = parse_count, default_value = "1000")]
    one_in: usize,
}

/// Elements that peers may look at before they are left out.
const MOST_READ: usize = 1 << 29;
const NONE: u32 = u32::MAX;

/// Runs the benchmark.
pub fn run(args: Args) -> Outcome {
    for (name, number) in [("--count", args.count), ("--k", args.k), ("--one-in", args.one_in)] {
        if number == 0 {
            return Err(Failure::at(name, "0 is nothing to time"));
        }
    }
    let Args { common, queries, count, k, one_in } = args;
    on_gpu!(common, crate::gpu::in_order::run(&common, &queries, count, k, one_in));
    drive(&InOrderBench { queries, count, k, one_in }, &common)
}

struct InOrderBench {
    queries: Vec<QueryKind>,
    count: usize,
    k: usize,
    one_in: usize,
}

/// Who takes part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Entrant {
    /// The index.
    Lines,
    /// Sorts the range.
    Sort,
    /// A heap of the k best, over the range.
    Heap,
    /// Looks at the range.
    Scan,
}

impl Entrant {
    fn name(self) -> &'static str {
        match self {
            Self::Lines => "lines",
            Self::Sort => "sort of the range",
            Self::Heap => "heap of k over it",
            Self::Scan => "scan of the range",
        }
    }
}

/// Ranks with their positions: in order by these, the leftmost comes first.
fn ranked<K: Key>(array: &[K], [left, right]: [u32; 2]) -> impl Iterator<Item = (K::Rank, u32)> + '_ {
    (left..=right).map(|i| (array[i as usize].rank(Order::Min), i))
}

/// The k smallest of a range, by a peer.
fn smallest<K: Key>(entrant: Entrant, array: &[K], range: [u32; 2], out: &mut [u32]) {
    out.fill(NONE);
    if entrant == Entrant::Heap {
        let [left, right] = range.map(|bound| bound as usize);
        let first = first_by_scanning(array, Order::Min, left, right, out.len());
        out.iter_mut().zip(first).for_each(|(out, i)| *out = i as u32);
    } else {
        let mut list: Vec<(K::Rank, u32)> = ranked(array, range).collect();
        list.sort_unstable();
        out.iter_mut().zip(list).for_each(|(out, (_, i))| *out = i);
    }
}

impl InOrderBench {
    /// Times everybody on one array.
    fn case<K: Key>(&self, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        memory::require(case.n * (4 * size_of::<K>() + 16), &case.title())?;
        let array = case.array::<K>()?;
        let rmq = Rmq::new(&array)?;
        let threshold = one_in(&array, self.one_in)?;
        let mut rows = Vec::new();
        for &kind in &self.queries {
            let mut queries = memory::filled(self.count, [0u32; 2], "the queries")?;
            kind.fill(case.n, case.common.seed, &mut queries);
            let elements: usize = queries.iter().map(|&[l, r]| (r - l + 1) as usize).sum();
            let peers = |case: &mut Case<'_>, peers: &[Entrant]| {
                let mut entrants = vec![Entrant::Lines];
                if elements <= MOST_READ && case.common.peers {
                    entrants.extend(peers);
                } else if case.common.peers {
                    let why = format_args!("{} ranges hold {:.1e} elements", kind.name(), elements as f64);
                    case.skip("sort, heap and scan", why);
                }
                entrants
            };
            let entrants = peers(case, &[Entrant::Sort, Entrant::Heap]);
            rows.extend(self.time_smallest(case, &array, &rmq, kind, &queries, &entrants)?);
            let entrants = peers(case, &[Entrant::Scan]);
            rows.extend(time_below(case, &array, &rmq, kind, &queries, threshold, &entrants)?);
        }
        Ok(rows)
    }

    fn time_smallest<K: Key>(
        &self,
        case: &Case<'_>,
        array: &[K],
        rmq: &Rmq<'_, K>,
        kind: QueryKind,
        queries: &[[u32; 2]],
        entrants: &[Entrant],
    ) -> Outcome<Vec<Row>> {
        let mut expected = memory::filled(queries.len() * self.k, 0u32, "the answers")?;
        let fill = |entrant: Entrant, out: &mut [u32]| {
            out.par_chunks_mut(self.k).zip(queries).for_each(|(out, &range)| smallest(entrant, array, range, out));
        };
        fill(Entrant::Heap, &mut expected);
        let mut out = memory::filled(expected.len(), 0u32, "the answers")?;
        let mut rows = Vec::new();
        for pool in case.pools {
            let timings = case.race(pool, &format!("smallest, {}", kind.name()), entrants.len(), |i| {
                out.fill(NONE - 1);
                let (took, done) = time(|| match entrants[i] {
                    Entrant::Lines => rmq.smallest_each(black_box(queries), self.k, &mut out),
                    peer => {
                        fill(peer, &mut out);
                        Ok(())
                    }
                });
                done?;
                let who = format!("{}, {} ranges on {}", entrants[i].name(), kind.name(), case.title());
                check::equal(&who, "smallest", &expected, &out, |&x| x)?;
                Ok(took)
            })?;
            rows.extend(entrants.iter().zip(timings).map(|(entrant, timing)| {
                let mut row = case.row(pool, "smallest", entrant.name()).timed(timing, queries.len());
                row.queries = Some(kind.name());
                (row.peer, row.default) = (*entrant != Entrant::Lines, *entrant == Entrant::Lines);
                row
            }));
        }
        Ok(rows)
    }
}

fn time_below<K: Key>(
    case: &Case<'_>,
    array: &[K],
    rmq: &Rmq<'_, K>,
    kind: QueryKind,
    queries: &[[u32; 2]],
    threshold: K,
    entrants: &[Entrant],
) -> Outcome<Vec<Row>> {
    let most = threshold.rank(Order::Min);
    let scan = || -> Vec<Vec<u32>> {
        let one = |&range: &[u32; 2]| ranked(array, range).filter(|pair| pair.0 <= most).map(|pair| pair.1).collect();
        queries.par_iter().map(one).collect()
    };
    let expected = scan().concat();
    let mut rows = Vec::new();
    for pool in case.pools {
        let timings = case.race(pool, &format!("below, {}", kind.name()), entrants.len(), |i| {
            let (took, found) = time(|| match entrants[i] {
                Entrant::Lines => rmq.below_each(black_box(queries), &[threshold]).map(|found| found.positions),
                _ => Ok(scan().concat()),
            });
            let who = format!("{}, {} ranges on {}", entrants[i].name(), kind.name(), case.title());
            check::equal(&who, "below", &expected, &found?, |&x| x)?;
            Ok(took)
        })?;
        rows.extend(entrants.iter().zip(timings).map(|(entrant, timing)| {
            let mut row = case.row(pool, "below", entrant.name()).timed(timing, queries.len());
            row.queries = Some(kind.name());
            (row.peer, row.default) = (*entrant != Entrant::Lines, *entrant == Entrant::Lines);
            row
        }));
    }
    Ok(rows)
}

impl Bench for InOrderBench {
    const NAME: &'static str = "in-order";
    const SIZES: &'static [usize] = &[1 << 20, 1 << 24];
    const UNIT: &'static str = "ns per range";

    timed_types!(u32, u64, f32, f64);

    fn tables(&self, rows: &[Row]) -> String {
        let columns = [
            columns::asked("ranges"),
            columns::words("what", |row| row.what.into()),
            columns::engine("engine"),
            columns::threads().together(),
            columns::ns("ns/range"),
            columns::versus("vs best peer"),
        ];
        table(rows, columns).to_string()
    }

    fn panel(row: &Row) -> Option<String> {
        row.queries.map(|ranges| format!("{}, {ranges} ranges", row.what))
    }

    fn how_to_read(&self) -> String {
        format!(
            "Every answer was checked. 'smallest': the {} smallest of each of {} ranges; 'below': all that are among the\n\
             smallest of {} of the array. The index is there already. Peers look at all of a range, and threads have\n\
             ranges of their own.",
            self.k,
            self.count,
            format_args!("one in {}", self.one_in)
        )
    }
}
