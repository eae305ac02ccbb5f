//! What is held of range minima that are told one after the other: part of the suite of [`rmq`](crate::rmq).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use thalweg_arrays::Rmq;
use thalweg_arrays::rmq::Listed;
use thalweg_core::{Error, Key, Order, Position};
use thalweg_data::ArrayKind;
use thalweg_data::oracles::{positions_by_sorting, positions_not_above};

/// Positions that are compared of a range in a long array.
const SHOWN: usize = 70;
/// Arrays up to this length are told to the end.
const SHORT: usize = 1025;

/// Holds the batches of an engine to the order of its arrays, for one key type: arrays of these lengths, every one of `step`
/// kinds, both orders. The [suite](crate::rmq) of range minima asks some of it of every engine.
///
/// # Panics
/// With the case in the message, at the first wrong answer.
pub fn batches<K: Key>(sizes: &[usize], step: usize, build: impl Fn(&[K], Order) -> Rmq<'_, K>) {
    for (k, &kind) in ArrayKind::ALL.iter().enumerate() {
        for (i, &n) in sizes.iter().enumerate().filter(|(i, _)| (k + i).is_multiple_of(step)) {
            let order = [Order::Min, Order::Max][(k / step + i) % 2];
            let array = kind.make::<K>(n, n as u64);
            let case = format!("{} {} {order:?} n={n}", K::NAME, kind.name());
            check(&build(&array, order), &array, kind, 0, &case);
        }
    }
}

/// Holds an index to the order of its array: the smallest one after the other, and what is not above a threshold.
pub(crate) fn check<K: Key>(rmq: &Rmq<'_, K>, array: &[K], kind: ArrayKind, singles: usize, case: &str) {
    let (order, ranges) = (rmq.order(), ranges(array.len()));
    let smallest = smallest(array, kind, order, &ranges);
    let thresholds = thresholds(array);
    for (&[l, r], want) in ranges.iter().zip(&*smallest).take(singles) {
        let range = l as usize..=r as usize;
        let mut found = rmq.smallest(range.clone()).unwrap_or_else(|e| panic!("{case}: {e}"));
        assert_eq!(found.len(), (r - l + 1) as usize, "{case}: smallest {l}..={r}");
        let got: Vec<u32> = found.by_ref().take(want.len()).map(|position| position as u32).collect();
        assert!(got == *want, "{case}: smallest {l}..={r}: {got:?}, not {want:?}");
        assert_eq!(found.len(), (r - l + 1) as usize - want.len(), "{case}: smallest {l}..={r}");
        if want.len() == (r - l + 1) as usize {
            assert_eq!((found.next(), found.next()), (None, None), "{case}: smallest {l}..={r}");
        }
        for &threshold in &thresholds {
            let want = positions_not_above(array, order, threshold, l as usize, r as usize);
            let found = rmq.below(range.clone(), threshold).unwrap_or_else(|e| panic!("{case}: {e}"));
            assert!(found.eq(want), "{case}: below {threshold:?} in {l}..={r}");
        }
    }
    check_batches::<K, u32>(rmq, array, &ranges, &smallest, &thresholds, case);
    check_batches::<K, u64>(rmq, array, &ranges, &smallest, &thresholds, case);
    let len = array.len();
    for bad in [3..3, len..len + 1, 0..len + 1] {
        assert_eq!(rmq.smallest(bad.clone()).map(|mut found| found.next()), Ok(None), "{case}: {bad:?}");
        assert_eq!(rmq.below(bad.clone(), K::default()).map(|mut found| found.next()), Ok(None), "{case}: {bad:?}");
    }
}

/// The same for batches: so many of each range that it is walked, and so many that it is sorted.
fn check_batches<K: Key, P: Position>(
    rmq: &Rmq<'_, K>,
    array: &[K],
    ranges: &[[u64; 2]],
    smallest: &[Vec<u32>],
    thresholds: &[K],
    case: &str,
) {
    let order = rmq.order();
    let queries: Vec<[P; 2]> = ranges.iter().map(|range| range.map(|bound| P::new(bound as usize))).collect();
    for each in [0, 1, 5, SHOWN] {
        let mut out = vec![P::default(); each * queries.len()];
        rmq.smallest_each(&queries, each, &mut out).unwrap_or_else(|e| panic!("{case}: {e}"));
        for ((got, want), range) in out.chunks(each.max(1)).zip(smallest).zip(ranges) {
            let told = want.iter().map(|&position| P::new(position as usize));
            let want: Vec<P> = told.chain(std::iter::repeat(P::NONE)).take(each).collect();
            assert!(got == want, "{case}: {each} smallest of {range:?}, {}: {got:?}, not {want:?}", P::NAME);
        }
    }
    let below = |threshold: K, [l, r]: [u64; 2]| positions_not_above(array, order, threshold, l as usize, r as usize);
    let compare = |thresholds: &[K]| {
        let found = rmq.below_each(&queries, thresholds).unwrap_or_else(|e| panic!("{case}: {e}"));
        assert_eq!(found.rows().map(<[P]>::len).sum::<usize>(), found.positions.len(), "{case}");
        for ((row, got), &range) in found.rows().enumerate().zip(ranges) {
            let threshold = thresholds[row % thresholds.len()];
            let got = got.iter().map(|position| position.get());
            assert!(got.eq(below(threshold, range)), "{case}: below {threshold:?} in {range:?}, {}", P::NAME);
        }
    };
    if !ranges.is_empty() {
        thresholds.iter().take(3).for_each(|&threshold| compare(&[threshold]));
        let each: Vec<K> = (0..ranges.len()).map(|row| thresholds[row % thresholds.len()]).collect();
        compare(&each);
    }
}

/// Batches that are refused.
pub(crate) fn check_bad<K: Key>(rmq: &Rmq<'_, K>, queries: &[[u32; 2]], want: &Error) {
    let engine = rmq.engine();
    assert_eq!(rmq.smallest_each(queries, 2, &mut vec![0; 2 * queries.len()]), Err(want.clone()), "{engine}");
    assert_eq!(rmq.below_each(queries, &[K::default()]), Err(want.clone()), "{engine}");
    let short = Error::Length { what: "output of the batch", expected: 2 * queries.len(), got: 1 };
    assert_eq!(rmq.smallest_each(queries, 2, &mut [0]), Err(short), "{engine}");
    assert!(rmq.smallest_each(queries, usize::MAX, &mut [0]).is_err(), "{engine}");
    let few = Error::Length { what: "thresholds", expected: queries.len(), got: 2 };
    assert_eq!(rmq.below_each(queries, &[K::default(); 2]), Err(few), "{engine}");
    let nothing = Listed { lengths: vec![], positions: vec![] };
    assert_eq!(rmq.smallest_each::<u64>(&[], 7, &mut []), Ok(()), "{engine}");
    assert_eq!(rmq.below_each::<u64>(&[], &[]), Ok(nothing.clone()), "{engine}");
    assert_eq!(rmq.below_each::<u64>(&[], &[K::default()]), Ok(nothing), "{engine}");
}

/// All ranges of the shortest arrays; of others the whole, the middle, both ends, and some within a few lines.
fn ranges(n: usize) -> Vec<[u64; 2]> {
    let Some(last) = n.checked_sub(1).map(|last| last as u64) else { return Vec::new() };
    if n <= 3 {
        return (0..=last).flat_map(|l| (l..=last).map(move |r| [l, r])).collect();
    }
    vec![
        [0, last],
        [last / 3, 2 * last / 3],
        [1, last - 1],
        [last.saturating_sub(20), last],
        [last / 2, last / 2],
        [last / 2, (last / 2 + 63).min(last)],
        [last / 4, (last / 4 + 64).min(last)],
    ]
}

/// Elements of the array, of which nothing, something and everything is not above, and the zeros, NaNs and ends of the type.
fn thresholds<K: Key>(array: &[K]) -> Vec<K> {
    let mut thresholds = vec![K::default(), K::from_f64(f64::NAN), K::from_f64(-0.0), K::from_low_bits(u64::MAX)];
    if array.len() > SHORT {
        // An engine that scans would scan for minutes.
        thresholds.truncate(1);
    }
    let step = if array.len() > SHORT { 2 } else { 1 };
    thresholds.extend((0..5).step_by(step).filter_map(|fifth| array.get(fifth * array.len() / 5)));
    thresholds
}

type Found = Arc<[Vec<u32>]>;

/// The oracle's answers, which are the same for all engines and at all levels of instructions: found once in a process.
fn smallest<K: Key>(array: &[K], kind: ArrayKind, order: Order, ranges: &[[u64; 2]]) -> Found {
    type Case = (&'static str, &'static str, Order, usize);
    static FOUND: Mutex<Option<HashMap<Case, Found>>> = Mutex::new(None);
    let case = (K::NAME, kind.name(), order, array.len());
    let found = || FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(answers) = found().get_or_insert_default().get(&case) {
        return answers.clone();
    }
    let shown = if array.len() <= SHORT { array.len() } else { SHOWN };
    let answer = |&[l, r]: &[u64; 2]| {
        let mut positions = positions_by_sorting(array, order, l as usize, r as usize);
        positions.truncate(shown);
        positions.into_iter().map(|position| position as u32).collect()
    };
    let answers: Found = ranges.iter().map(answer).collect();
    found().get_or_insert_default().insert(case, answers.clone());
    answers
}
