//! `thalweg-bench primitives`: reduce, scan, compact, split, the sorts and fork.

use std::hint::black_box;
use std::time::Duration;

use rayon::prelude::*;
use thalweg::primitives::sort::{self, Engine, Options};
use thalweg::primitives::{self, Fork};
use thalweg::{Key, Order};
use thalweg_cli::choice::one_of;
use thalweg_cli::failure::Outcome;
use thalweg_cli::memory;

use crate::bench::{Bench, Case, Common, drive, on_gpu, timed_types};
use crate::check;
use crate::columns::{self, table};
use crate::peers::SortPeer;
use crate::report::Row;
use crate::timing::time;

/// Parallel primitives: reduce, scan, compact, split, sorts, fork
///
/// Every group has a row `copy`: a plain copy that moves as many bytes (half of them read, half written) between
/// buffers allocated in the same way, on as many threads, in turn with the others. 'of copy' is the share of its speed.
/// The speed in the first line of the output is that of a copy of 256 MiB in a loop of its own: the machine's best.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// Primitives to time
    #[arg(long, num_args = 1.., value_delimiter = ',', value_parser = one_of(Op::ALL, Op::name),
        default_values = Op::ALL.iter().map(|op| op.name()))]
    op: Vec<Op>,
}

/// Runs the benchmark.
pub fn run(args: Args) -> Outcome {
    on_gpu!(args.common, crate::gpu::primitives::run(&args.common));
    drive(&PrimitivesBench { ops: args.op }, &args.common)
}

struct PrimitivesBench {
    ops: Vec<Op>,
}

/// A primitive and what it is given to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    /// The smallest element.
    Reduce,
    /// Exclusive sums of the elements' bits, wrapping: exact for every type.
    Scan,
    /// The elements whose lowest bit is set: half of random integers.
    Compact,
    /// The others, then these.
    Split,
    /// The elements in order.
    Sort,
    /// Their positions in order.
    SortIdx,
    /// Their positions, as values that are sorted with them.
    SortByKey,
    /// None to three children for everybody.
    Fork,
}

impl Op {
    const ALL: &'static [Self] =
        &[Self::Reduce, Self::Scan, Self::Compact, Self::Split, Self::Sort, Self::SortIdx, Self::SortByKey, Self::Fork];

    const fn name(self) -> &'static str {
        match self {
            Self::Reduce => "reduce",
            Self::Scan => "scan",
            Self::Compact => "compact",
            Self::Split => "split",
            Self::Sort => "sort",
            Self::SortIdx => "sort_idx",
            Self::SortByKey => "sort_by_key",
            Self::Fork => "fork",
        }
    }

    /// Who takes part.
    fn contestants(self, peers: bool) -> Vec<Who> {
        let ours: &[Who] = match self {
            Self::Sort | Self::SortIdx | Self::SortByKey => {
                &[Who::Sort(Engine::Radix), Who::Sort(Engine::Merge), Who::Sort(Engine::Comparison)]
            }
            _ => &[Who::Thalweg],
        };
        let others: &[Who] = match self {
            Self::Reduce | Self::Compact => &[Who::Std, Who::Rayon],
            Self::Scan | Self::Split | Self::Fork => &[Who::Std],
            Self::Sort => {
                &[Who::PeerSort(SortPeer::Std), Who::PeerSort(SortPeer::Rayon), Who::PeerSort(SortPeer::Rdst)]
            }
            Self::SortIdx | Self::SortByKey => &[Who::PeerSort(SortPeer::Rayon), Who::PeerSort(SortPeer::Rdst)],
        };
        std::iter::once(&Who::Copy).chain(ours).chain(others.iter().filter(|_| peers)).copied().collect()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    /// A copy of as many bytes: what the others' speed is compared with.
    Copy,
    Thalweg,
    Sort(Engine),
    /// Sequential iterators.
    Std,
    /// Rayon's iterators.
    Rayon,
    PeerSort(SortPeer),
}

impl Who {
    fn name(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::Thalweg => "thalweg",
            Self::Sort(Engine::Radix) => "thalweg radix",
            Self::Sort(Engine::Merge) => "thalweg merge",
            Self::Sort(Engine::Comparison) => "thalweg comparison",
            Self::Sort(other) => other.name(),
            Self::Std => "std iterator",
            Self::Rayon => "rayon iterator",
            Self::PeerSort(SortPeer::Std) => "std sort_unstable",
            Self::PeerSort(SortPeer::Rayon) => "rayon par_sort_unstable",
            Self::PeerSort(SortPeer::Rdst) => "rdst",
        }
    }

    fn is_peer(self) -> bool {
        matches!(self, Self::Std | Self::Rayon | Self::PeerSort(_))
    }

    fn is_default(self, n: usize) -> bool {
        self == Self::Thalweg || self == Self::Sort(Options::default().chosen(n))
    }
}

fn smaller<K: Key>(a: K, b: K) -> K {
    if b.rank(Order::Min) < a.rank(Order::Min) { b } else { a }
}

fn add<K: Key>(a: K, b: K) -> K {
    K::from_low_bits(a.to_low_bits().wrapping_add(b.to_low_bits()))
}

fn is_odd<K: Key>(key: &K) -> bool {
    key.to_low_bits() & 1 == 1
}

/// What the primitives are given, and room for what they return. Buffers are touched beforehand, so that no page
/// fault is timed, wherever a primitive takes a buffer.
struct Data<K: Key> {
    array: Vec<K>,
    /// Where [`Who::Copy`] copies to.
    copied: Vec<K>,
    ranks: Vec<K::Rank>,
    out: Vec<K>,
    /// Room that peers push into; its pages are touched.
    pushed: Vec<K>,
    sorted_ranks: Vec<K::Rank>,
    positions: Vec<u32>,
    pairs: Vec<(K::Rank, u32)>,
}

/// The right answer of one primitive, by the plainest code there is.
enum Expected<K: Key> {
    One(K),
    Keys(Vec<K>),
    Positions(Vec<u32>),
    Fork([Vec<u32>; 3]),
}

impl<K: Key> Data<K> {
    fn new(case: &Case<'_>, op: Op) -> Outcome<Self> {
        let n = case.n;
        let room = |wanted: bool| if wanted { n } else { 0 };
        let sorts = matches!(op, Op::Sort | Op::SortIdx | Op::SortByKey);
        let array = case.array::<K>()?;
        let mut ranks = memory::filled(room(sorts), K::Rank::default(), "ranks")?;
        ranks.par_iter_mut().zip(&array).for_each(|(rank, key)| *rank = key.rank(Order::Min));
        let positions = match op {
            Op::Fork => array.iter().map(|key| (key.to_low_bits() >> 1) as u32 & 3).collect(),
            _ => memory::filled(room(matches!(op, Op::SortIdx | Op::SortByKey)), 0, "positions")?,
        };
        let mut pushed = memory::filled(room(matches!(op, Op::Compact | Op::Split)), K::default(), "output")?;
        pushed.clear();
        Ok(Self {
            copied: memory::filled(n, K::default(), "copy")?,
            ranks,
            out: memory::filled(
                room(matches!(op, Op::Scan | Op::Compact | Op::Split | Op::Sort)),
                K::default(),
                "output",
            )?,
            pushed,
            sorted_ranks: memory::filled(room(sorts), K::Rank::default(), "sorted ranks")?,
            positions,
            pairs: memory::filled(room(matches!(op, Op::SortIdx | Op::SortByKey)), Default::default(), "pairs")?,
            array,
        })
    }

    fn expected(&self, op: Op) -> Expected<K> {
        let keys = || self.array.iter().copied();
        match op {
            Op::Reduce => Expected::One(keys().reduce(smaller).unwrap_or_default()),
            Op::Scan => {
                let mut sum = K::from_low_bits(0);
                let mut before = |key| {
                    let before = sum;
                    sum = add(sum, key);
                    before
                };
                Expected::Keys(keys().map(&mut before).collect())
            }
            Op::Compact => Expected::Keys(keys().filter(is_odd).collect()),
            Op::Split => Expected::Keys(keys().filter(|key| !is_odd(key)).chain(keys().filter(is_odd)).collect()),
            Op::Sort => {
                let mut sorted = self.array.clone();
                sorted.sort_by_key(|key| key.rank(Order::Min));
                Expected::Keys(sorted)
            }
            Op::SortIdx | Op::SortByKey => {
                let mut pairs: Vec<(K::Rank, u32)> = self.ranks.iter().copied().zip(0..).collect();
                pairs.sort();
                Expected::Positions(pairs.into_iter().map(|(_, position)| position).collect())
            }
            Op::Fork => Expected::Fork(fork_by_loop(&self.positions)),
        }
    }

    /// Bytes that an operation must move: its input read and its result written, once.
    fn bytes(&self, op: Op, expected: &Expected<K>) -> usize {
        let (n, key) = (self.array.len(), size_of::<K>());
        match (op, expected) {
            (Op::Reduce, _) => n * key,
            (Op::SortIdx, _) => n * (key + 4),
            (Op::SortByKey, _) => n * (key + 8),
            (_, Expected::Keys(result)) => (n + result.len()) * key,
            (_, Expected::Fork(lists)) => 4 * n + lists.iter().map(|list| 4 * list.len()).sum::<usize>(),
            _ => unreachable!("expected answers are made by the same primitive"),
        }
    }

    /// Copies the array, or as much of it as moves that many bytes, on all threads of the pool. Where the operation
    /// moves more than a copy of the whole array, the copy is that of the whole, and the time is scaled.
    ///
    /// The buffers are as cold as everybody's: the others, and the checks of their results, have used the caches since
    /// the last round, and the target has just been filled, as the others' outputs are.
    fn copy(&mut self, bytes: usize) -> Duration {
        let count = (bytes / (2 * size_of::<K>())).clamp(1, self.array.len());
        self.copied.fill(K::from_low_bits(0x55));
        let (from, to) = (black_box(&self.array[..count]), &mut self.copied[..count]);
        // One piece per thread, as anybody would write it. Whether the C library copies a piece past the caches is its own
        // decision: of 2^25 `u32` on two threads it did not (22 GB/s), of 2^26 it did (39 GB/s).
        let piece = count.div_ceil(rayon::current_num_threads());
        let copy =
            || to.par_chunks_mut(piece).zip(from.par_chunks(piece)).for_each(|(to, from)| to.copy_from_slice(from));
        let (took, ()) = time(copy);
        black_box(&self.copied);
        took.mul_f64(bytes as f64 / (2 * count * size_of::<K>()) as f64)
    }

    /// Lets `who` do it once, checks the result, and returns the time.
    fn run(&mut self, op: Op, who: Who, expected: &Expected<K>, name: &str) -> Outcome<Duration> {
        if who == Who::Copy {
            return Ok(self.copy(self.bytes(op, expected)));
        }
        let n = self.array.len();
        let array = black_box(&self.array[..]);
        let bits = |key: &K| key.to_low_bits();
        match (op, expected) {
            (Op::Reduce, Expected::One(expected)) => {
                let (took, got) = match who {
                    Who::Thalweg => time(|| primitives::reduce(array, array[0], smaller)),
                    Who::Rayon => time(|| array.par_iter().copied().reduce(|| array[0], smaller)),
                    _ => time(|| array.iter().copied().reduce(smaller).unwrap_or_default()),
                };
                // Of equal elements any may be returned: 0.0 and -0.0 differ in their bits only.
                check::equal(name, "result", &[*expected], &[got], |key| key.rank(Order::Min))?;
                Ok(took)
            }
            (Op::Scan, Expected::Keys(expected)) => {
                self.out.fill(K::from_low_bits(0x55));
                let out = &mut self.out[..];
                let zero = K::from_low_bits(0);
                let took = match who {
                    Who::Thalweg => {
                        let (took, total) = time(|| primitives::exclusive_scan_into(array, out, zero, add));
                        total?;
                        took
                    }
                    _ => {
                        time(|| {
                            let mut sum = zero;
                            for (out, &key) in out.iter_mut().zip(array) {
                                *out = sum;
                                sum = add(sum, key);
                            }
                        })
                        .0
                    }
                };
                check::equal(name, "sums", expected, &self.out, bits)?;
                Ok(took)
            }
            (Op::Compact, Expected::Keys(expected)) => {
                self.out.fill(K::from_low_bits(0));
                self.pushed.clear();
                let (out, pushed) = (&mut self.out, &mut self.pushed);
                let (took, kept) = match who {
                    Who::Thalweg => time(|| primitives::compact_into(array, out, is_odd)),
                    Who::Rayon => time(|| {
                        pushed.par_extend(array.par_iter().copied().filter(is_odd));
                        Ok(0)
                    }),
                    _ => time(|| {
                        pushed.extend(array.iter().copied().filter(is_odd));
                        Ok(0)
                    }),
                };
                let kept = kept?;
                let got = if who == Who::Thalweg { &self.out[..kept] } else { &self.pushed[..] };
                check::equal(name, "elements", expected, got, bits)?;
                Ok(took)
            }
            (Op::Split, Expected::Keys(expected)) => {
                self.out.fill(K::from_low_bits(0));
                self.pushed.clear();
                let (out, pushed) = (&mut self.out, &mut self.pushed);
                let took = match who {
                    Who::Thalweg => {
                        let (took, first) = time(|| primitives::split_into(array, out, is_odd));
                        first?;
                        took
                    }
                    _ => {
                        time(|| {
                            pushed.extend(array.iter().copied().filter(|key| !is_odd(key)));
                            pushed.extend(array.iter().copied().filter(is_odd));
                        })
                        .0
                    }
                };
                let got = if who == Who::Thalweg { &self.out } else { &self.pushed };
                check::equal(name, "elements", expected, got, bits)?;
                Ok(took)
            }
            (Op::Sort, Expected::Keys(expected)) => {
                let took = if let Who::PeerSort(peer) = who {
                    let took = self.sort_ranks(peer);
                    let rank = |key: &K| key.rank(Order::Min);
                    if let Some(i) = (0..n).into_par_iter().find_first(|&i| rank(&expected[i]) != self.sorted_ranks[i])
                    {
                        return check::wrong(name, format_args!("element {i} is out of place"));
                    }
                    took
                } else {
                    self.out.copy_from_slice(array);
                    let (took, done) = time(|| sort::sort_with(&mut self.out, options(who)));
                    done?;
                    check::equal(name, "elements", expected, &self.out, bits)?;
                    took
                };
                Ok(took)
            }
            (Op::SortIdx | Op::SortByKey, Expected::Positions(expected)) if who == Who::PeerSort(SortPeer::Rdst) => {
                let took = self.sort_ranks(SortPeer::Rdst);
                if let Some(i) = (0..n).find(|&i| self.ranks[expected[i] as usize] != self.sorted_ranks[i]) {
                    return check::wrong(name, format_args!("key {i} is out of place"));
                }
                Ok(took)
            }
            (Op::SortIdx, Expected::Positions(expected)) => {
                let took = if who.is_peer() {
                    let took = self.sort_pairs();
                    check::equal(name, "positions", expected, &self.positions(), |&x| x)?;
                    took
                } else {
                    self.positions.fill(u32::MAX); // What is not written shows.
                    let (took, done) = time(|| sort::sort_idx_into_with(array, &mut self.positions, options(who)));
                    done?;
                    check::equal(name, "positions", expected, &self.positions, |&x| x)?;
                    took
                };
                Ok(took)
            }
            (Op::SortByKey, Expected::Positions(expected)) => {
                let took = if who.is_peer() {
                    let took = self.sort_pairs();
                    check::equal(name, "values", expected, &self.positions(), |&x| x)?;
                    took
                } else {
                    self.positions.iter_mut().zip(0..).for_each(|(value, i)| *value = i);
                    let (took, done) =
                        time(|| sort::sort_by_key_in_place_with(&mut self.positions, array, options(who)));
                    done?;
                    check::equal(name, "values", expected, &self.positions, |&x| x)?;
                    took
                };
                Ok(took)
            }
            (Op::Fork, Expected::Fork(expected)) => {
                let counts = black_box(&self.positions[..]);
                let check = |got: [&[u32]; 3]| -> Outcome {
                    for ((what, expected), got) in ["offsets", "parents", "ranks"].iter().zip(expected).zip(got) {
                        check::equal(name, what, expected, got, |&x| x)?;
                    }
                    Ok(())
                };
                let took = if who == Who::Thalweg {
                    let (took, got) = time(|| primitives::fork(counts));
                    let Fork { offsets, parents, ranks } = got?;
                    check([&offsets, &parents, &ranks].map(|list| list.as_u32().unwrap_or_default()))?;
                    took
                } else {
                    let (took, got) = time(|| fork_by_loop(counts));
                    check([&got[0], &got[1], &got[2]])?;
                    took
                };
                Ok(took)
            }
            _ => unreachable!("expected answers are made by the same primitive"),
        }
    }

    /// A peer sorts the bare ranks.
    fn sort_ranks(&mut self, peer: SortPeer) -> Duration {
        self.sorted_ranks.copy_from_slice(&self.ranks);
        time(|| peer.sort(&mut self.sorted_ranks)).0
    }

    /// What users of rayon write to sort positions by keys, stable: pairs, of which the second breaks ties.
    fn sort_pairs(&mut self) -> Duration {
        let (pairs, ranks) = (&mut self.pairs, &self.ranks);
        time(|| {
            pairs.par_iter_mut().zip(ranks).enumerate().for_each(|(i, (pair, &rank))| *pair = (rank, i as u32));
            pairs.par_sort_unstable();
        })
        .0
    }

    fn positions(&self) -> Vec<u32> {
        self.pairs.iter().map(|&(_, position)| position).collect()
    }
}

fn options(who: Who) -> Options {
    let engine = if let Who::Sort(engine) = who { Some(engine) } else { None };
    Options { engine, ..Options::default() }
}

/// Offsets, parents and ranks of everybody's children, one after the other.
fn fork_by_loop(counts: &[u32]) -> [Vec<u32>; 3] {
    let children: u32 = counts.iter().sum();
    let mut offsets = Vec::with_capacity(counts.len() + 1);
    let (mut parents, mut ranks) = (Vec::with_capacity(children as usize), Vec::with_capacity(children as usize));
    for (parent, &count) in (0..).zip(counts) {
        offsets.push(parents.len() as u32);
        parents.extend(std::iter::repeat_n(parent, count as usize));
        ranks.extend(0..count);
    }
    offsets.push(children);
    [offsets, parents, ranks]
}

impl PrimitivesBench {
    /// Times everybody on one array.
    fn case<K: Key>(&self, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        // The sorts need the most: array, ranks, pairs, answers, and an engine's scratch.
        memory::require(case.n * (10 * size_of::<K>() + 32), &case.title())?;
        let mut rows = Vec::new();
        for &op in &self.ops {
            let mut data = Data::<K>::new(case, op)?;
            let expected = data.expected(op);
            let contestants = op.contestants(case.common.peers);
            let bytes = data.bytes(op, &expected);
            for pool in case.pools {
                let timings = case.race(pool, op.name(), contestants.len(), |i| {
                    let name = format!("{} by {} on {}", op.name(), contestants[i].name(), case.title());
                    data.run(op, contestants[i], &expected, &name)
                })?;
                let copy = contestants.iter().zip(&timings).find(|(who, _)| **who == Who::Copy);
                let copy_gb_per_s = copy.map_or(pool.copy_gb_per_s, |(_, timing)| bytes as f64 / timing.median);
                for (&who, timing) in contestants.iter().zip(timings) {
                    let mut row = case.row(pool, op.name(), who.name()).timed(timing, case.n);
                    (row.peer, row.default) = (who.is_peer(), who.is_default(case.n));
                    rows.push(row.moving(bytes, copy_gb_per_s));
                }
            }
        }
        Ok(rows)
    }
}

impl Bench for PrimitivesBench {
    const NAME: &'static str = "primitives";
    const SIZES: &'static [usize] = &[1 << 20, 1 << 23];
    const UNIT: &'static str = "ns per element";

    timed_types!(u32, u64);

    fn tables(&self, rows: &[Row]) -> String {
        let columns = [
            columns::what("primitive"),
            columns::engine("engine"),
            columns::threads(),
            columns::ns("ns/element"),
            columns::gb_per_s(),
            columns::of_copy(),
            columns::versus("vs best peer"),
        ];
        table(rows, columns).to_string()
    }

    fn panel(row: &Row) -> Option<String> {
        Some(row.what.into())
    }

    fn how_to_read(&self) -> String {
        "Every result was checked. GB/s: input read and result written, once, whatever an algorithm moves besides.\n\
         'copy' moves as many bytes, half read and half written, in turn with the others, so caches are as cold for all.\n\
         sort_by_key and fork allocate their results in the time shown; the others write to buffers.\n\
         'vs best peer' is on as many threads, above 1x is faster; the peers sort bare integers (std, rdst: no\n\
         positions at all) or pairs of them, not stable, ours any key, stable."
            .into()
    }
}
