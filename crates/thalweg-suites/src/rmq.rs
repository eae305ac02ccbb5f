//! The conformance suite of range minimum queries.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use thalweg_arrays::Rmq;
use thalweg_core::{Error, Key, Order};

use thalweg_data::oracles::argmins_by_stack;
use thalweg_data::{ArrayKind, QueryKind, Random};

use crate::{in_order, sizes};

/// Holds an engine to the contract, for one key type: all datasets, both orders, all boundary sizes, single queries
/// and batches of either width, values and positions, elements in order and below thresholds, bad queries.
///
/// # Panics
/// With the case in the message, at the first wrong answer.
pub fn suite<K: Key>(build: impl Fn(&[K], Order) -> Rmq<'_, K>) {
    // Compiled once per type, not once per engine.
    suite_of(Extent::full(), &build);
}

/// How much of the suite runs.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Lengths of the arrays.
    pub sizes: &'static [usize],
    /// Every one of so many array kinds, beginning with one that depends on the length.
    pub step: usize,
    /// Single queries of a case at most.
    pub singles: usize,
}

impl Extent {
    /// All of it.
    pub fn full() -> Self {
        Self { sizes: sizes(), step: 1, singles: usize::MAX }
    }
}

/// A part of [`suite`], for engines to which building an index or asking a single query is a long way.
///
/// # Panics
/// As [`suite`] does.
pub fn part_of_suite<K: Key>(extent: Extent, build: impl Fn(&[K], Order) -> Rmq<'_, K>) {
    suite_of(extent, &build);
}

type Build<'b, K> = &'b dyn Fn(&[K], Order) -> Rmq<'_, K>;

fn suite_of<K: Key>(extent: Extent, build: Build<'_, K>) {
    // Where single queries are a long way, elements are asked for in order in one length, which has several lines.
    let several_lines = extent.sizes.iter().copied().filter(|&n| n > 200).min();
    for (k, &kind) in ArrayKind::ALL.iter().enumerate() {
        for order in [Order::Min, Order::Max] {
            for (i, &n) in extent.sizes.iter().enumerate() {
                if (k + i) % extent.step != 0 {
                    continue;
                }
                let array = kind.make::<K>(n, n as u64);
                let rmq = build(&array, order);
                let case = format!("{} {} {} {order:?} n={n}", rmq.engine(), K::NAME, kind.name());
                assert_eq!((rmq.len(), rmq.order()), (n, order), "{case}");
                let ranges = ranges(n);
                let expected = expected(&array, kind, order, &ranges);
                check(&rmq, &array, &ranges, &expected, extent.singles, &case);
                if extent.singles == usize::MAX || Some(n) == several_lines {
                    in_order::check(&rmq, &array, kind, extent.singles, &case);
                }
            }
        }
    }
    bad_queries(build);
}

/// All ranges of a short array; of a long one random ranges of every kind and the ranges around the boundaries.
fn ranges(n: usize) -> Vec<[u64; 2]> {
    if n == 0 {
        return Vec::new();
    }
    let last = n as u64 - 1;
    if n <= 33 {
        return (0..=last).flat_map(|l| (l..=last).map(move |r| [l, r])).collect();
    }
    let count = if n < 5000 { 60 } else { 12 };
    let mut ranges: Vec<[u64; 2]> =
        QueryKind::ALL.iter().flat_map(|kind| kind.make::<u64>(n, count, n as u64)).collect();
    let edges = [0, 1, 14, 15, 16, 17, 31, 32, 255, 256, 257, 4095, 4096, 4097, last / 2, last - 16, last - 1, last];
    for l in edges {
        for r in edges {
            if l <= r && r <= last {
                ranges.push([l, r]);
            }
        }
    }
    let random = Random::new(n as u64, 3);
    // Ranges inside one cache line and across two.
    for i in 0..100 {
        let l = random.below(2 * i, n as u64);
        ranges.push([l, (l + random.below(2 * i + 1, 40)).min(last)]);
    }
    ranges
}

/// The oracle's answers, which are the same for all engines and at all levels of instructions: found once in a process.
fn expected<K: Key>(array: &[K], kind: ArrayKind, order: Order, ranges: &[[u64; 2]]) -> Arc<[u32]> {
    type Case = (&'static str, &'static str, Order, usize);
    static FOUND: Mutex<Option<HashMap<Case, Arc<[u32]>>>> = Mutex::new(None);
    let case = (K::NAME, kind.name(), order, array.len());
    let found = || FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(answers) = found().get_or_insert_default().get(&case) {
        return answers.clone();
    }
    let answers: Arc<[u32]> = argmins_by_stack(array, order, ranges).into_iter().map(|best| best as u32).collect();
    found().get_or_insert_default().insert(case, answers.clone());
    answers
}

fn check<K: Key>(rmq: &Rmq<'_, K>, array: &[K], ranges: &[[u64; 2]], expected: &[u32], singles: usize, case: &str) {
    for (&[l, r], &want) in ranges.iter().zip(expected).take(singles) {
        let want = want as usize;
        let got = rmq.position(l as usize..=r as usize);
        assert_eq!(got, Some(want), "{case}: position {l}..={r}");
        let got = rmq.value(l as usize..=r as usize).expect("the range is valid");
        assert_eq!(got.to_low_bits(), array[want].to_low_bits(), "{case}: value {l}..={r}");
    }
    let narrow: Vec<[u32; 2]> = ranges.iter().map(|&[l, r]| [l as u32, r as u32]).collect();
    let (mut wide_out, mut narrow_out) = (vec![u64::MAX; ranges.len()], vec![u32::MAX; ranges.len()]);
    rmq.positions(ranges, &mut wide_out).unwrap_or_else(|e| panic!("{case}: {e}"));
    rmq.positions(&narrow, &mut narrow_out).unwrap_or_else(|e| panic!("{case}: {e}"));
    for i in 0..ranges.len() {
        let want = expected[i];
        assert_eq!(wide_out[i], u64::from(want), "{case}: u64 positions, row {i} {:?}", ranges[i]);
        assert_eq!(narrow_out[i], want, "{case}: u32 positions, row {i} {:?}", ranges[i]);
    }
    let (mut from_wide, mut from_narrow) = (vec![K::default(); ranges.len()], vec![K::default(); ranges.len()]);
    rmq.values(ranges, &mut from_wide).unwrap_or_else(|e| panic!("{case}: {e}"));
    rmq.values(&narrow, &mut from_narrow).unwrap_or_else(|e| panic!("{case}: {e}"));
    for i in 0..ranges.len() {
        let want = array[expected[i] as usize].to_low_bits();
        assert_eq!(from_wide[i].to_low_bits(), want, "{case}: u64 values, row {i} {:?}", ranges[i]);
        assert_eq!(from_narrow[i].to_low_bits(), want, "{case}: u32 values, row {i} {:?}", ranges[i]);
    }
}

fn bad_queries<K: Key>(build: Build<'_, K>) {
    let array = ArrayKind::Random.make::<K>(20_000, 1);
    let rmq = build(&array, Order::Min);
    for (bad, row) in [([7, 6], 0), ([0, 20_000], 9_999), ([u32::MAX, u32::MAX], 5_000), ([19_999, 0], 8_192)] {
        let mut queries = QueryKind::Mixed.make::<u32>(20_000, 10_000, 1);
        queries[row] = bad;
        let want = Error::Query { row, left: bad[0].into(), right: bad[1].into(), len: 20_000 };
        assert_eq!(rmq.positions(&queries, &mut [0; 10_000]), Err(want.clone()), "{}", rmq.engine());
        assert_eq!(rmq.values(&queries, &mut [K::default(); 10_000]), Err(want.clone()), "{}", rmq.engine());
        in_order::check_bad(&rmq, &queries, &want);
    }
    assert!(rmq.positions(&[[0u64, u64::MAX]], &mut [0]).is_err());
    assert!(matches!(rmq.positions(&[[0u64, 1]], &mut []), Err(Error::Length { expected: 1, got: 0, .. })));
    assert_eq!(rmq.positions::<u32>(&[], &mut []), Ok(()));
    assert_eq!((rmq.position(3..3), rmq.position(0..20_001), rmq.value(20_000..)), (None, None, None));
    let empty = build(&[], Order::Min);
    assert!(empty.is_empty() && empty.position(..).is_none() && empty.position(0..=0).is_none());
    assert_eq!(empty.positions::<u32>(&[], &mut []), Ok(()));
    let want = Err(Error::Query { row: 0, left: 0, right: 0, len: 0 });
    assert_eq!(empty.positions(&[[0u32, 0]], &mut [0]), want, "{}", empty.engine());
}

#[cfg(test)]
mod tests {
    use thalweg_data::oracles::argmin_by_scan;

    use super::*;

    #[test]
    fn the_oracle_agrees_with_scans() {
        for &kind in ArrayKind::ALL {
            for n in [1, 2, 20, 33, 300] {
                let (array, ranges) = (kind.make::<f32>(n, 3), ranges(n));
                let answers = argmins_by_stack(&array, Order::Max, &ranges);
                for (&[l, r], answer) in ranges.iter().zip(answers) {
                    assert_eq!(answer, argmin_by_scan(&array, Order::Max, l as usize, r as usize), "{kind:?} {l} {r}");
                }
            }
        }
    }
}
