//! Range minima over arrays that change, against scans.

use thalweg_arrays::rmq::Changing;
use thalweg_arrays::{Key, Order, Rmq};
use thalweg_data::{ArrayKind, QueryKind};
use thalweg_suites::changing::{Extent, suite};
use thalweg_suites::{at_every_level, with_threads};

#[test]
fn every_change_is_followed() {
    at_every_level(|| {
        macro_rules! one {
            ($t:ident) => {
                suite::<$t>(Extent::FULL, |array, order| Changing::new(array, order).unwrap());
            };
        }
        thalweg_suites::for_keys_of_level!(one);
    });
}

/// Elements one by one, in all orders: rising, falling, none.
#[test]
fn grown_from_nothing() {
    for kind in [ArrayKind::Sorted, ArrayKind::Reverse, ArrayKind::Random, ArrayKind::Few] {
        let array = kind.make::<i32>(10_000, 5);
        let mut index = Changing::new(Vec::new(), Order::Min).unwrap();
        for (i, &value) in array.iter().enumerate() {
            index.append(&[value]).unwrap();
            if i % 997 == 0 || (4090..4120).contains(&i) {
                let whole = Rmq::new(&array[..=i]).unwrap();
                let ranges = QueryKind::Mixed.make::<u32>(i + 1, 50, i as u64);
                let (mut got, mut want) = ([0; 50], [0; 50]);
                index.positions(&ranges, &mut got).unwrap();
                whole.positions(&ranges, &mut want).unwrap();
                assert_eq!(got, want, "{} {i}", kind.name());
            }
        }
    }
}

/// The last change of an element wins, whoever makes it.
#[test]
fn the_last_one_wins_on_any_number_of_threads() {
    let array = ArrayKind::Random.make::<u32>(300_000, 1);
    let count = 200_000;
    let positions: Vec<u32> = QueryKind::Large.make::<u32>(5000, count, 2).iter().map(|range| range[0] * 60).collect();
    let values = ArrayKind::Random.make::<u32>(count, 3);
    let mut expected = array.clone();
    positions.iter().zip(&values).for_each(|(&at, &value)| expected[at as usize] = value);
    // Sparse batches and dense ones go different ways.
    for part in [17_000, count] {
        for threads in [1, 2, 7] {
            let mut index = Changing::new(array.clone(), Order::Max).unwrap();
            let (old, new) = (count - part, part);
            index.set_batch(&positions[..old], &values[..old]).unwrap();
            with_threads(threads, || index.set_batch(&positions[count - new..], &values[count - new..])).unwrap();
            assert!(index.array() == expected, "{part} on {threads} threads");
            let whole = Rmq::with_engine(&expected, Order::Max, Default::default()).unwrap();
            let ranges = QueryKind::Mixed.make::<u32>(expected.len(), 10_000, 4);
            let (mut got, mut want) = (vec![0; 10_000], vec![0; 10_000]);
            index.positions(&ranges, &mut got).unwrap();
            whole.positions(&ranges, &mut want).unwrap();
            assert!(got == want, "{part} on {threads} threads");
        }
    }
}

#[test]
fn room_that_is_reserved_is_used() {
    let mut index = Changing::new(vec![5u16; 100], Order::Min).unwrap();
    index.reserve(1 << 20).unwrap();
    let before = index.extra_bytes();
    for _ in 0..16 {
        index.append(&[7; 1 << 16]).unwrap();
    }
    index.set(1 << 20, 3).unwrap();
    assert_eq!((index.extra_bytes(), index.position(..), index.value(..50)), (before, Some(1 << 20), Some(5)));
}

/// Batches that are cut into buckets and are small beside the array: what stands above lines and blocks is made anew where
/// something was written, and nowhere else.
#[test]
fn sparse_batches_are_followed() {
    fn check<K: Key>() {
        for (kind, order) in
            [(ArrayKind::Random, Order::Min), (ArrayKind::Sorted, Order::Max), (ArrayKind::Few, Order::Min)]
        {
            // Lines begin anywhere.
            let mut array = kind.make::<K>(300_001, 1)[3..].to_vec();
            let mut index = Changing::new(array.clone(), order).unwrap();
            for round in 0..3u64 {
                let spread = |range: &[u32; 2]| if round == 1 { range[0] / 8 } else { range[0] };
                let ranges = QueryKind::Mixed.make::<u32>(array.len(), 17_000, round);
                let positions: Vec<u32> = ranges.iter().map(spread).collect();
                let values = if round == 2 { vec![K::default(); 17_000] } else { kind.make::<K>(17_000, round + 5) };
                positions.iter().zip(&values).for_each(|(&at, &value)| array[at as usize] = value);
                with_threads(1 + round as usize, || index.set_batch(&positions, &values)).unwrap();
                let whole = Rmq::with_engine(&array, order, Default::default()).unwrap();
                for kind in [QueryKind::Small, QueryKind::Mixed] {
                    let ranges = kind.make::<u32>(array.len(), 20_000, round);
                    let (mut got, mut want) = (vec![0; 20_000], vec![0; 20_000]);
                    index.positions(&ranges, &mut got).unwrap();
                    whole.positions(&ranges, &mut want).unwrap();
                    assert!(got == want, "{} {order:?} {round} {}", K::NAME, kind.name());
                }
            }
        }
    }
    at_every_level(|| {
        check::<u8>();
        check::<i32>();
        check::<f32>();
        check::<f64>();
    });
}
