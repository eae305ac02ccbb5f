//! The conformance suites of the parallel primitives.
//!
//! Every suite compares with a loop that a reader can check at a glance, at the sizes around every boundary.

use thalweg_core::bits::words;
use thalweg_core::primitives::sort::{
    Engine, Options, sort_by_key_in_place_with, sort_by_key_with, sort_idx_into_with, sort_idx_with, sort_with,
};
use thalweg_core::primitives::{
    SplitRanks, compact, compact_in_place, compact_indices, compact_indices_into, compact_into, exclusive_scan,
    exclusive_scan_in_place, exclusive_scan_into, fork, inclusive_scan, inclusive_scan_in_place, inclusive_scan_into,
    kill_in_place, reduce, split, split_in_place, split_into, split_ranks, split_ranks_into, survivor_ranks, survivors,
};
use thalweg_core::{Key, Order, Position, Positions, Rank};
use thalweg_data::{ArrayKind, Random};

use crate::sizes as suite_sizes;

/// The definitions, as loops.
pub mod naive {
    use thalweg_core::{Key, Order};

    /// The running totals *before* every element, and the total.
    pub fn exclusive_scan<T: Copy>(values: &[T], identity: T, op: impl Fn(T, T) -> T) -> (Vec<T>, T) {
        let mut sum = identity;
        let mut before = Vec::new();
        for &x in values {
            before.push(sum);
            sum = op(sum, x);
        }
        (before, sum)
    }

    /// The running totals including every element.
    pub fn inclusive_scan<T: Copy>(values: &[T], identity: T, op: impl Fn(T, T) -> T) -> Vec<T> {
        let (mut sums, total) = exclusive_scan(values, identity, op);
        sums.push(total);
        sums.remove(0);
        sums
    }

    /// The elements that pass, in order.
    pub fn compact<T: Copy>(values: &[T], keep: impl Fn(&T) -> bool) -> Vec<T> {
        values.iter().copied().filter(keep).collect()
    }

    /// Those that do not pass, then those that do, and the number of the former.
    pub fn split<T: Copy>(values: &[T], test: impl Fn(&T) -> bool) -> (Vec<T>, usize) {
        let mut parted = compact(values, |x| !test(x));
        let falses = parted.len();
        parted.extend(compact(values, test));
        (parted, falses)
    }

    /// The positions in order of the keys, equal keys from left to right.
    pub fn sort_idx<K: Key>(keys: &[K], order: Order) -> Vec<usize> {
        let mut positions: Vec<usize> = (0..keys.len()).collect();
        positions.sort_by_key(|&i| keys[i].rank(order));
        positions
    }

    /// `(parent, rank)` of every child.
    pub fn fork(counts: &[u32]) -> Vec<(usize, usize)> {
        counts.iter().enumerate().flat_map(|(parent, &count)| (0..count as usize).map(move |r| (parent, r))).collect()
    }
}

/// The map x -> a x + b modulo 2^32. Composition is associative, not commutative, and exact: the touchstone of scans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Affine {
    a: u32,
    b: u32,
}

impl Affine {
    /// The identity map.
    pub const IDENTITY: Self = Self { a: 1, b: 0 };

    /// First `self`, then `other`.
    pub fn then(self, other: Self) -> Self {
        Self { a: self.a.wrapping_mul(other.a), b: self.b.wrapping_mul(other.a).wrapping_add(other.b) }
    }

    /// Many different maps.
    pub fn array(n: usize, seed: u64) -> Vec<Self> {
        let random = Random::new(seed, 11);
        (0..n as u64).map(|i| random.bits(i)).map(|bits| Self { a: bits as u32 | 1, b: (bits >> 32) as u32 }).collect()
    }
}

/// [`sizes`](crate::sizes), and sizes around the blocks of the chained primitives for elements of 1 to 16 bytes.
pub fn sizes() -> impl Iterator<Item = usize> {
    let blocks = [8 << 10, 16 << 10, 32 << 10, 128 << 10].into_iter().flat_map(|b| [b - 1, b + 1, 2 * b, 3 * b + 5]);
    suite_sizes().iter().copied().chain(blocks)
}

/// Small sizes for every kind of array; for random ones also those around the blocks of this type.
fn sizes_of<K>(kind: ArrayKind) -> impl Iterator<Item = usize> {
    let block = (128 << 10) / size_of::<K>();
    let blocks = [block - 1, block, block + 1, 3 * block + 5];
    let small = suite_sizes().iter().copied().filter(|&n| n < 10_000);
    small.chain(blocks.into_iter().take(if kind == ArrayKind::Random { 4 } else { 0 }))
}

/// Reductions and scans of one non-commutative operation, in all forms.
///
/// # Panics
/// With the case in the message, at the first wrong answer, as all suites.
pub fn scan_suite() {
    for n in sizes() {
        check_scans(&Affine::array(n, n as u64), Affine::IDENTITY, &Affine::then, "affine");
        let bytes = ArrayKind::Random.make::<u8>(n, 3);
        check_scans(&bytes, 0, &u8::wrapping_add, "u8 sum");
        check_scans(&bytes, u8::MAX, &u8::min, "u8 minimum");
        check_scans(&ArrayKind::Random.make::<u32>(n, 4), 0, &u32::wrapping_add, "u32 sum");
        check_scans(&ArrayKind::Special.make::<i64>(n, 5), 0, &i64::wrapping_add, "i64 sum");
        // Sums of small integers are exact in floats, whatever the brackets.
        let floats: Vec<f32> = bytes.iter().map(|&x| f32::from(x % 8)).collect();
        check_scans(&floats, 0.0, &|a, b| a + b, "f32 sum");
    }
}

/// All forms of reduction and scan against the loops.
pub fn check_scans<T: Copy + Send + Sync + PartialEq + std::fmt::Debug>(
    values: &[T],
    identity: T,
    op: &(dyn Fn(T, T) -> T + Sync),
    name: &str,
) {
    let case = format!("{name} n={}", values.len());
    let (before, total) = naive::exclusive_scan(values, identity, op);
    let including = naive::inclusive_scan(values, identity, op);
    assert_eq!(reduce(values, identity, op), total, "{case}: reduce");
    assert!(inclusive_scan(values, identity, op).unwrap() == including, "{case}: inclusive");
    assert!(exclusive_scan(values, identity, op).unwrap() == (before.clone(), total), "{case}: exclusive");
    let mut out = vec![identity; values.len()];
    inclusive_scan_into(values, &mut out, identity, op).unwrap();
    assert!(out == including, "{case}: inclusive, into");
    assert_eq!(exclusive_scan_into(values, &mut out, identity, op), Ok(total), "{case}: exclusive, into");
    assert!(out == before, "{case}: exclusive, into");
    out.copy_from_slice(values);
    inclusive_scan_in_place(&mut out, identity, op);
    assert!(out == including, "{case}: inclusive, in place");
    out.copy_from_slice(values);
    assert_eq!(exclusive_scan_in_place(&mut out, identity, op), total, "{case}: exclusive, in place");
    assert!(out == before, "{case}: exclusive, in place");
}

/// Compaction, split and kill for one key type: all datasets and sizes, tests that keep all, none, few and half.
///
/// These primitives move elements and know nothing of them but their size: so they get the keys as words, and are
/// compiled for four types.
pub fn compact_suite<K: Key>() {
    for &kind in ArrayKind::ALL {
        for n in sizes_of::<K>(kind) {
            let array = kind.make::<K>(n, n as u64);
            let case = format!("{} {} n={n}", K::NAME, kind.name());
            let middle = array.get(n / 2).map_or(0, |x| x.to_low_bits());
            check_compact(words(&array), &|x| x.to_u64() < middle, &case);
            check_compact(words(&array), &|x| x.to_u64().is_multiple_of(7), &case);
        }
    }
    for n in sizes_of::<K>(ArrayKind::Random) {
        let array = ArrayKind::Sorted.make::<K>(n, 0);
        check_compact(words(&array), &|_| true, "all");
        check_compact(words(&array), &|_| false, "none");
    }
}

/// All forms of compaction, split and kill against the loops.
///
/// The test is `dyn`: the primitives are compiled once per width, which takes the most time here.
pub fn check_compact<R: Rank>(array: &[R], test: &(dyn Fn(&R) -> bool + Sync), case: &str) {
    let bits = |words: &[R]| words.iter().map(|word| word.to_u64()).collect::<Vec<_>>();
    let some = |positions: &Positions| positions.iter().collect::<Vec<_>>();
    let n = array.len();
    let kept = bits(&naive::compact(array, test));
    let flags: Vec<bool> = array.iter().map(test).collect();
    let indices: Vec<_> = (0..n).filter(|&i| flags[i]).map(Some).collect();

    assert!(bits(&compact(array, test).unwrap()) == kept, "{case}: compact");
    let mut out = vec![R::default(); kept.len()];
    assert_eq!(compact_into(array, &mut out, test), Ok(kept.len()), "{case}: compact into");
    assert!(bits(&out) == kept, "{case}: compact into");
    let mut own = array.to_vec();
    compact_in_place(&mut own, test).unwrap();
    assert!(bits(&own) == kept, "{case}: compact in place");
    let found = compact_indices(array, test).unwrap();
    assert!(some(&found) == indices, "{case}: compact indices");
    let mut wide = vec![0u64; n];
    assert_eq!(compact_indices_into(array, &mut wide, test), Ok(kept.len()), "{case}: compact indices into");
    assert!(wide.iter().take(kept.len()).map(|&i| Some(i as usize)).eq(indices.iter().copied()), "{case}: u64 indices");

    assert!(survivors(&flags).unwrap() == found, "{case}: survivors");
    let mut own = array.to_vec();
    kill_in_place(&mut own, &flags).unwrap();
    assert!(bits(&own) == kept, "{case}: kill in place");
    let (ranks, living) = survivor_ranks(&flags).unwrap();
    let mut next = 0..;
    let expected: Vec<_> = flags.iter().map(|&live| if live { next.next() } else { None }).collect();
    assert!((some(&ranks), living) == (expected, kept.len()), "{case}: survivor ranks");

    let (parted, falses) = naive::split(array, test);
    let parted = bits(&parted);
    let out = split(array, test).unwrap();
    assert!((bits(&out.elements), out.first_true) == (parted.clone(), falses), "{case}: split");
    assert!(bits(out.falses()) == parted[..falses] && bits(out.trues()) == parted[falses..], "{case}: split");
    let mut out = vec![R::default(); n];
    assert_eq!(split_into(array, &mut out, test), Ok(falses), "{case}: split into");
    assert!(bits(&out) == parted, "{case}: split into");
    let mut own = array.to_vec();
    assert_eq!(split_in_place(&mut own, test), Ok(falses), "{case}: split in place");
    assert!(bits(&own) == parted, "{case}: split in place");
    let SplitRanks { ranks, first_true } = split_ranks(&flags).unwrap();
    assert_eq!((ranks.len(), first_true), (n, falses), "{case}: split ranks");
    assert!(ranks.iter().zip(array).all(|(r, word)| parted[r.unwrap()] == word.to_u64()), "{case}: split ranks");
    let (mut next_false, mut next_true) = (0.., falses..);
    let expected = flags.iter().map(|&flag| if flag { next_true.next() } else { next_false.next() });
    assert!(ranks.iter().eq(expected), "{case}: split ranks");
    assert_eq!(split_ranks_into(&flags, &mut wide), Ok(falses), "{case}: split ranks into");
    assert!(wide.iter().map(|&r| Some(r as usize)).eq(ranks.iter()), "{case}: split ranks into");
}

/// Sorting for one engine and key type: all datasets, sizes and orders.
pub fn sort_suite<K: Key>(engine: Engine) {
    for &kind in ArrayKind::ALL {
        for n in suite_sizes().iter().copied().filter(|&n| n < 10_000).chain([16_384, 16_385, 70_001]) {
            let array = kind.make::<K>(n, n as u64);
            // The order changes ranks only: both for small arrays, one of them for large ones.
            for order in if n < 5000 { &[Order::Min, Order::Max][..] } else { &[Order::Max] } {
                check_sort(engine, &array, *order, kind.name());
            }
        }
    }
}

/// All forms of sorting against the standard library's stable sort.
pub fn check_sort<K: Key>(engine: Engine, array: &[K], order: Order, name: &str) {
    let case = format!("{engine} {} {name} {order:?} n={}", K::NAME, array.len());
    let expected = naive::sort_idx(array, order);
    let options = Options { engine: Some(engine), order };
    let positions = sort_idx_with(array, options).unwrap_or_else(|e| panic!("{case}: {e}"));
    assert!(positions.iter().eq(expected.iter().copied().map(Some)), "{case}: sort_idx");
    check_sort_into::<K, u32>(options, array, &expected, &case);
    check_sort_into::<K, u64>(options, array, &expected, &case);
    let mut own = array.to_vec();
    sort_with(&mut own, options).unwrap();
    assert!(
        own.iter().map(|x| x.to_low_bits()).eq(expected.iter().map(|&i| array[i].to_low_bits())),
        "{case}: sort, bit by bit"
    );
    let mut values: Vec<[u8; 3]> = (0..array.len()).map(|i| [i as u8, (i >> 8) as u8, (i >> 16) as u8]).collect();
    let by_key: Vec<_> = expected.iter().map(|&i| values[i]).collect();
    assert!(sort_by_key_with(&values, array, options).unwrap() == by_key, "{case}: sort_by_key");
    sort_by_key_in_place_with(&mut values, array, options).unwrap();
    assert!(values == by_key, "{case}: sort_by_key in place");
}

/// Into a buffer that begins in the middle of a cache line, every entry of which must be written.
fn check_sort_into<K: Key, P: Position>(options: Options, array: &[K], expected: &[usize], case: &str) {
    let mut buffer = vec![P::NONE; array.len() + 1];
    sort_idx_into_with(array, &mut buffer[1..], options).unwrap_or_else(|e| panic!("{case}: {e}"));
    assert!(buffer[1..].iter().map(|i| i.get()).eq(expected.iter().copied()), "{case}: sort_idx_into {}", P::NAME);
    assert!(buffer[0] == P::NONE, "{case}: sort_idx_into writes before the buffer");
}

/// Forks: equal families, no children, one parent with nearly all of them, long stretches without any.
pub fn fork_suite() {
    let random = Random::new(7, 12);
    for n in sizes().filter(|&n| n <= 100_003) {
        check_fork(&(0..n as u64).map(|i| random.below(i, 4) as u32).collect::<Vec<_>>(), "random");
        check_fork(&vec![1; n], "ones");
        check_fork(&vec![0; n], "none");
        for heir in [0, n / 2, n.saturating_sub(1)] {
            let mut counts = vec![0; n];
            if let Some(count) = counts.get_mut(heir) {
                *count = 50_000;
            }
            check_fork(&counts, "one heir");
            counts.iter_mut().step_by(997).for_each(|count| *count += 1);
            check_fork(&counts, "one heir and a few others");
        }
    }
}

/// A fork against its definition, counts in both widths.
pub fn check_fork(counts: &[u32], name: &str) {
    let case = format!("{name} n={}", counts.len());
    let expected = naive::fork(counts);
    let family = fork(counts).unwrap();
    assert!(family.parents.iter().eq(expected.iter().map(|&(parent, _)| Some(parent))), "{case}: parents");
    assert!(family.ranks.iter().eq(expected.iter().map(|&(_, rank)| Some(rank))), "{case}: ranks");
    let wide: Vec<u64> = counts.iter().map(|&count| count.into()).collect();
    let (offsets, total) = naive::exclusive_scan(&wide, 0, |a, b| a + b);
    let offsets = offsets.into_iter().chain([total]);
    assert!(family.offsets.iter().eq(offsets.map(|offset| Some(offset as usize))), "{case}: offsets");
    assert!(fork(&wide).unwrap() == family, "{case}: 64-bit counts");
}
