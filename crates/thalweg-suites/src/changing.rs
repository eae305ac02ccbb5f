//! The conformance suite of range minima over arrays that change.

use thalweg_arrays::rmq::Changing;
use thalweg_core::{Error, Key, Order};
use thalweg_data::oracles::argmin_by_scan;
use thalweg_data::{ArrayKind, Random};

/// How much is asked.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Lengths that arrays begin with.
    pub sizes: &'static [usize],
    /// Changes that an array goes through.
    pub rounds: u64,
    /// Every one of so many array kinds, beginning with one that depends on the length.
    pub step: usize,
}

impl Extent {
    /// All of it.
    pub const FULL: Self =
        Self { sizes: &[0, 1, 15, 16, 17, 255, 4095, 4096, 4097, 9000, 70_001], rounds: 24, step: 3 };
}

/// Holds an index that follows changes to the contract, for one key type: whatever is set and appended, in whatever order, it
/// answers as a scan of the array as it then is.
///
/// # Panics
/// With the case in the message, at the first wrong answer.
pub fn suite<K: Key>(extent: Extent, build: impl Fn(Vec<K>, Order) -> Changing<K>) {
    for (k, &kind) in ArrayKind::ALL.iter().enumerate() {
        for order in [Order::Min, Order::Max] {
            for (i, &n) in extent.sizes.iter().enumerate() {
                if (k + i) % extent.step == 0 {
                    let case = format!("{} {} {order:?} n={n}", K::NAME, kind.name());
                    let array = kind.make::<K>(n, n as u64);
                    follow(build(array.clone(), order), array, kind, order, extent.rounds, &case);
                }
            }
        }
    }
    bad_changes(&build);
}

/// Goes through random changes, and asks after each.
fn follow<K: Key>(mut index: Changing<K>, mut array: Vec<K>, kind: ArrayKind, order: Order, rounds: u64, case: &str) {
    let random = Random::new(array.len() as u64, 7);
    let mut draws = 0;
    let mut below = |most: usize| {
        draws += 1;
        random.below(draws, most as u64) as usize
    };
    for round in 0..rounds {
        let case = format!("{case}, change {round}");
        let len = array.len();
        match below(8) {
            // The best of a line, a block, a group or everything gets worse, or the worst becomes the best.
            0..3 if len > 0 => {
                let size = [1, 16, 256, 4096, len][below(5)].min(len);
                let left = below(len - size + 1);
                let best = argmin_by_scan(&array, order, left, left + size - 1);
                let at = if below(2) == 0 { best } else { left + below(size) };
                let value = array[below(len)];
                array[at] = value;
                index.set(at, value).unwrap_or_else(|e| panic!("{case}: {e}"));
            }
            // A batch, with positions that are there several times; sometimes a large one, sometimes in one place.
            3..6 if len > 0 => {
                let count = [3, 70, 300, len / 3, 20_000][below(5)].min(3 * len);
                let (start, room) = if below(2) == 0 { (0, len) } else { (below(len), 40) };
                let positions: Vec<u32> = (0..count).map(|_| (start + below(room)).min(len - 1) as u32).collect();
                let values = kind.make::<K>(count, round);
                for (&at, &value) in positions.iter().zip(&values) {
                    array[at as usize] = value;
                }
                if below(2) == 0 {
                    index.set_batch(&positions, &values).unwrap_or_else(|e| panic!("{case}: {e}"));
                } else {
                    let wide: Vec<u64> = positions.iter().map(|&at| at.into()).collect();
                    index.set_batch(&wide, &values).unwrap_or_else(|e| panic!("{case}: {e}"));
                }
            }
            _ => {
                let count = [0, 1, 2, 17, 64, 65, 5000][below(7)];
                let values = kind.make::<K>(count, round);
                array.extend_from_slice(&values);
                index.append(&values).unwrap_or_else(|e| panic!("{case}: {e}"));
            }
        }
        check(&index, &array, order, &mut below, &case);
    }
}

/// Asks for ranges of all lengths, one by one and as a batch.
fn check<K: Key>(index: &Changing<K>, array: &[K], order: Order, below: &mut impl FnMut(usize) -> usize, case: &str) {
    let len = array.len();
    assert_eq!((index.len(), index.is_empty()), (len, len == 0), "{case}");
    assert!(index.array().iter().map(|key| key.to_low_bits()).eq(array.iter().map(|key| key.to_low_bits())), "{case}");
    if len == 0 {
        assert_eq!(index.position(..), None, "{case}");
        return;
    }
    let mut ranges = vec![[0, len as u64 - 1]];
    for most in [1, 20, 300, 5000, len] {
        for _ in 0..6 {
            let left = below(len);
            ranges.push([left as u64, (left + below(most)).min(len - 1) as u64]);
        }
    }
    let expected: Vec<u64> =
        ranges.iter().map(|&[l, r]| argmin_by_scan(array, order, l as usize, r as usize) as u64).collect();
    let (mut positions, mut values) = (vec![u64::MAX; ranges.len()], vec![K::default(); ranges.len()]);
    index.positions(&ranges, &mut positions).unwrap_or_else(|e| panic!("{case}: {e}"));
    index.values(&ranges, &mut values).unwrap_or_else(|e| panic!("{case}: {e}"));
    for (i, (&[l, r], &want)) in ranges.iter().zip(&expected).enumerate() {
        assert_eq!(positions[i], want, "{case}: {l}..={r}");
        assert_eq!(values[i].to_low_bits(), array[want as usize].to_low_bits(), "{case}: {l}..={r}");
    }
    for (&[l, r], &want) in ranges.iter().zip(&expected).step_by(7) {
        assert_eq!(index.position(l as usize..=r as usize), Some(want as usize), "{case}: {l}..={r}");
    }
}

/// What is refused changes nothing.
fn bad_changes<K: Key>(build: &impl Fn(Vec<K>, Order) -> Changing<K>) {
    let array = ArrayKind::Random.make::<K>(20_000, 1);
    let mut index = build(array.clone(), Order::Min);
    for (row, count) in [(0, 1), (2, 3), (19_999, 20_000)] {
        let mut positions: Vec<u32> = (0..count as u32).collect();
        positions[row] = 20_000;
        let refused = index.set_batch(&positions, &vec![K::default(); count]);
        assert_eq!(refused, Err(Error::Change { row, position: 20_000, len: 20_000 }));
    }
    assert!(matches!(index.set(usize::MAX, K::default()), Err(Error::Change { row: 0, len: 20_000, .. })));
    assert!(matches!(index.set_batch(&[1u32, 2], &[K::default()]), Err(Error::Length { expected: 2, got: 1, .. })));
    check(&index, &array, Order::Min, &mut |most| most / 2, "after bad changes");
    let mut empty = build(Vec::new(), Order::Max);
    assert_eq!(empty.set(0, K::default()), Err(Error::Change { row: 0, position: 0, len: 0 }));
    assert_eq!((empty.set_batch::<u32>(&[], &[]), empty.append(&[])), (Ok(()), Ok(())));
}
