//! `thalweg-bench changing`: range minima over an array that changes.

use std::hint::black_box;
use std::marker::PhantomData;

use ac_library::{Monoid, Segtree};
use thalweg::rmq::Changing;
use thalweg::{Key, Order, Rank};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::memory;
use thalweg_cli::numbers::parse_count;
use thalweg_data::QueryKind;

use crate::bench::{Bench, Case, Common, drive, on_gpu, timed_types};
use crate::cases::changing::Updates;
use crate::check;
use crate::columns::{self, table};
use crate::report::Row;
use crate::timing::time;

/// Range minima over an array that changes: builds, batches of updates, single updates and queries in turn
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// Random elements that a batch sets
    #[arg(long, value_parser = parse_count, default_value = "2^20")]
    count: usize,
}

/// Queries after every batch, which check it; and single updates with a query each.
const QUERIES: usize = 1 << 14;
const TURNS: usize = 1 << 17;
/// The peer's name.
const SEGTREE: &str = "ac-library-rs Segtree";

/// Runs the benchmark.
pub fn run(args: Args) -> Outcome {
    if args.count == 0 {
        return Err(Failure::at("--count", "a batch of 0 updates has nothing to time"));
    }
    on_gpu!(args.common, crate::gpu::changing::run(&args.common, args.count));
    drive(&ChangingBench { count: args.count }, &args.common)
}

struct ChangingBench {
    count: usize,
}

/// A rank and its position: the smaller one, the leftmost on ties.
struct Leftmost<R>(PhantomData<R>);

impl<R: Rank> Monoid for Leftmost<R> {
    type S = (R, u32);

    fn identity() -> Self::S {
        (R::WORST, u32::MAX)
    }

    fn binary_operation(a: &Self::S, b: &Self::S) -> Self::S {
        *a.min(b)
    }
}

/// Who takes part.
enum Index<K: Key> {
    Ours(Changing<K>),
    Peer(Segtree<Leftmost<K::Rank>>),
}

impl<K: Key> Index<K> {
    fn of(ours: bool, array: Vec<K>) -> Outcome<Self> {
        Ok(if ours {
            Self::Ours(Changing::new(array, Order::Min)?)
        } else {
            let pair = |(i, key): (usize, &K)| (key.rank(Order::Min), i as u32);
            Self::Peer(array.iter().enumerate().map(pair).collect())
        })
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Ours(_) => "lines",
            Self::Peer(_) => SEGTREE,
        }
    }

    fn set_batch(&mut self, updates: &Updates<K>) -> Outcome {
        match self {
            Self::Ours(index) => index.set_batch(&updates.positions, &updates.values)?,
            Self::Peer(tree) => {
                for (&at, value) in updates.positions.iter().zip(&updates.values) {
                    tree.set(at as usize, (value.rank(Order::Min), at));
                }
            }
        }
        Ok(())
    }

    fn batch(&self, queries: &[[u32; 2]], out: &mut [u32]) -> Outcome {
        match self {
            Self::Ours(index) => index.positions(queries, out)?,
            Self::Peer(tree) => {
                for (&[l, r], out) in queries.iter().zip(out) {
                    *out = tree.prod(l as usize..=r as usize).1;
                }
            }
        }
        Ok(())
    }

    /// One element set and one range asked for, in turn.
    fn in_turn(&mut self, updates: &Updates<K>, queries: &[[u32; 2]], out: &mut [u32]) -> Outcome {
        let turns = updates.positions.iter().zip(&updates.values).zip(queries).zip(out);
        for (((&at, &value), &[l, r]), out) in turns {
            match self {
                Self::Ours(index) => {
                    index.set(at as usize, value)?;
                    *out = index.position(l as usize..=r as usize).map_or(u32::MAX, |at| at as u32);
                }
                Self::Peer(tree) => {
                    tree.set(at as usize, (value.rank(Order::Min), at));
                    *out = tree.prod(l as usize..=r as usize).1;
                }
            }
        }
        Ok(())
    }
}

impl ChangingBench {
    /// Times everybody on one array.
    fn case<K: Key>(&self, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        let each = 4 * size_of::<K>() + if case.common.peers { 6 * size_of::<(K::Rank, u32)>() } else { 0 };
        memory::require(case.n.saturating_mul(each).saturating_add(self.count * 24), &case.title())?;
        let mut array = case.array::<K>()?;
        let sides: &[bool] = if case.common.peers { &[true, false] } else { &[true] };
        let mut rows = Vec::new();
        for pool in case.pools {
            let timings = case.race(pool, "build", sides.len(), |i| {
                let copy = array.clone();
                let (took, index) = time(|| Index::of(sides[i], black_box(copy)));
                black_box(index?);
                Ok(took)
            })?;
            for (&ours, timing) in sides.iter().zip(timings) {
                let mut row = case.row(pool, "build", if ours { "lines" } else { SEGTREE }).timed(timing, case.n);
                (row.peer, row.default) = (!ours, ours);
                rows.push(row);
            }
        }
        let mut indexes = Vec::new();
        for &ours in sides {
            indexes.push(Index::of(ours, array.clone())?);
        }
        rows.extend(self.time_batches(case, &mut array, &mut indexes)?);
        rows.extend(time_turns(case, &mut array, &mut indexes)?);
        Ok(rows)
    }

    /// Two batches in turn: after either the array is what the one before and this one have made of it.
    fn time_batches<K: Key>(&self, case: &Case<'_>, array: &mut [K], indexes: &mut [Index<K>]) -> Outcome<Vec<Row>> {
        let batches = [Updates::new(case, self.count, 11)?, Updates::new(case, self.count, 12)?];
        let mut queries = memory::filled(QUERIES, [0u32; 2], "the queries")?;
        QueryKind::Mixed.fill(case.n, case.common.seed, &mut queries);
        batches[1].write(array);
        let mut expected = Vec::new();
        for batch in &batches {
            batch.write(array);
            expected.push(check::leftmost_minima(array, &queries)?);
        }
        let mut turns = vec![0; indexes.len()];
        for index in indexes.iter_mut() {
            index.set_batch(&batches[1])?;
        }
        let mut out = memory::filled(queries.len(), 0u32, "the answers")?;
        let mut rows = Vec::new();
        for pool in case.pools {
            let timings = case.race(pool, "updates", indexes.len(), |i| {
                let turn = turns[i] % 2;
                turns[i] += 1;
                let (took, done) = time(|| indexes[i].set_batch(black_box(&batches[turn])));
                done?;
                out.fill(u32::MAX);
                indexes[i].batch(&queries, &mut out)?;
                let who = format!("{} after updates of {}", indexes[i].name(), case.title());
                check::ranges(&who, &array[..0], &queries, &expected[turn], &out, true)?;
                Ok(took)
            })?;
            for (index, timing) in indexes.iter().zip(timings) {
                let mut row = case.row(pool, "updates", index.name()).timed(timing, self.count);
                (row.peer, row.default) = (matches!(index, Index::Peer(_)), matches!(index, Index::Ours(_)));
                rows.push(row);
            }
        }
        // Everybody ends with the same array.
        for (index, turn) in indexes.iter_mut().zip(turns) {
            if turn % 2 == 1 {
                index.set_batch(&batches[1])?;
            }
        }
        Ok(rows)
    }
}

/// Single updates and single queries in turn, on one thread; of those that are made twice the second run is the first again.
fn time_turns<K: Key>(case: &Case<'_>, array: &mut [K], indexes: &mut [Index<K>]) -> Outcome<Vec<Row>> {
    let updates = Updates::new(case, TURNS.min(case.n), 13)?;
    let mut queries = memory::filled(updates.positions.len(), [0u32; 2], "the queries")?;
    QueryKind::Mixed.fill(case.n, case.common.seed + 1, &mut queries);
    updates.write(array);
    let mut out = memory::filled(queries.len(), 0u32, "the answers")?;
    // The right answers, by the peer.
    let mut expected = memory::filled(queries.len(), 0u32, "the answers")?;
    Index::of(false, array.to_vec())?.in_turn(&updates, &queries, &mut expected)?;
    for index in indexes.iter_mut() {
        index.set_batch(&updates)?;
    }
    let pool = &case.pools[0];
    let timings = case.race(pool, "in turn", indexes.len(), |i| {
        out.fill(u32::MAX);
        let (took, done) = time(|| indexes[i].in_turn(black_box(&updates), &queries, &mut out));
        done?;
        let who = format!("{}, in turn, {}", indexes[i].name(), case.title());
        check::equal(&who, "answers", &expected, &out, |&x| x)?;
        Ok(took)
    })?;
    let row = |(index, timing): (&Index<K>, _)| {
        let mut row = case.row(pool, "in turn", index.name()).timed(timing, queries.len());
        (row.peer, row.default) = (matches!(index, Index::Peer(_)), matches!(index, Index::Ours(_)));
        row
    };
    Ok(indexes.iter().zip(timings).map(row).collect())
}

impl Bench for ChangingBench {
    const NAME: &'static str = "changing";
    const SIZES: &'static [usize] = &[1 << 20, 1 << 24];
    const UNIT: &'static str = "ns per update";

    timed_types!(u32, u64, f32, f64);

    fn tables(&self, rows: &[Row]) -> String {
        let build = |row: &Row| {
            let same =
                |other: &&Row| other.what == "build" && (other.engine, other.threads) == (row.engine, row.threads);
            let build = rows.iter().find(same).filter(|_| row.what == "updates");
            crate::table::maybe(build.map(|build| row.median_ns / build.median_ns))
        };
        let columns = [
            columns::what("what"),
            columns::engine("engine"),
            columns::threads().together(),
            columns::ms(),
            columns::ns("ns/item"),
            columns::number("of a build", build),
            columns::versus("vs peer"),
        ];
        table(rows, columns).to_string()
    }

    fn panel(row: &Row) -> Option<String> {
        Some(row.what.into())
    }

    fn how_to_read(&self) -> String {
        format!(
            "Every answer was checked. 'updates': a batch of {} random elements; 'of a build': its time over the build's.\n\
             'in turn': one element is set and one range asked for, an item being both. The peer runs on one thread.",
            self.count
        )
    }
}
