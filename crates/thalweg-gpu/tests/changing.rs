//! Range minima over arrays that change, on the device.

use thalweg_arrays::Rmq;
use thalweg_arrays::rmq::Changing;
use thalweg_core::bits::Array;
use thalweg_core::{Chosen, Coding, Key, Order};
use thalweg_data::{ArrayKind, QueryKind};
use thalweg_gpu::rmq::{Engine, build, build_changing};
use thalweg_gpu::{Device, Options, testing};
use thalweg_suites::changing::{Extent, suite};

fn built<K: Key>(device: &Device, array: Vec<K>, order: Order) -> Changing<K> {
    let index = build_changing(device, Array::of(array), Coding::of::<K>(order)).unwrap();
    let chosen = Chosen::on_device(device.name(), index.engine().name(), "a test");
    Changing::from_engine(index.into_engine(), order, chosen).unwrap()
}

#[test]
fn every_change_is_followed() {
    let Some(device) = testing::device() else { return };
    let extent = Extent { sizes: &[0, 1, 17, 4097, 9000], rounds: 12, step: 23 };
    macro_rules! one {
        ($t:ident) => {
            suite::<$t>(extent, |array, order| built(&device, array, order));
        };
    }
    thalweg_core::for_each_key!(one);
}

/// Arrays in several buffers, that grow into more of them.
#[test]
fn arrays_in_many_buffers() {
    let Some(device) = testing::open(Options { checked: true, binding_bytes: Some(1 << 16) }) else { return };
    let extent = Extent { sizes: &[20_011], rounds: 12, step: 11 };
    suite::<f32>(extent, |array, order| built(&device, array, order));
    suite::<u64>(extent, |array, order| built(&device, array, order));
}

fn compare<K: Key>(index: &Changing<K>, array: &[K], order: Order, case: &str) {
    let whole = Rmq::with_engine(array, order, Default::default()).unwrap();
    for kind in [QueryKind::Small, QueryKind::Medium, QueryKind::Large] {
        let ranges = kind.make::<u32>(array.len(), 5_000, 7);
        let (mut got, mut want) = (vec![0; 5_000], vec![0; 5_000]);
        index.positions(&ranges, &mut got).unwrap();
        whole.positions(&ranges, &mut want).unwrap();
        assert!(got == want, "{case} {} {order:?} {}", K::NAME, kind.name());
        let (mut got, mut want) = (vec![K::default(); 5_000], vec![K::default(); 5_000]);
        index.values(&ranges, &mut got).unwrap();
        whole.values(&ranges, &mut want).unwrap();
        let bits = |keys: &[K]| keys.iter().map(|key| key.to_low_bits()).collect::<Vec<_>>();
        assert!(bits(&got) == bits(&want), "{case} {} {order:?} {}", K::NAME, kind.name());
        let thresholds = [array[array.len() / 2]];
        assert_eq!(index.below_each(&ranges[..9], &thresholds), whole.below_each(&ranges[..9], &thresholds), "{case}");
    }
}

/// Batches of all densities, of arrays with blocks that ascend and without; the last change of an element wins.
#[test]
fn batches_of_all_densities() {
    let Some(device) = testing::device() else { return };
    fn check<K: Key>(device: &Device, kind: ArrayKind, order: Order) {
        let mut array = kind.make::<K>(150_001, 1);
        let mut index = built(device, array.clone(), order);
        for (round, count) in [1, 2, 40, 700, 5_000, 40_000, 200_000].into_iter().enumerate() {
            let seed = round as u64;
            let ranges = QueryKind::Mixed.make::<u32>(array.len(), count, seed);
            // Every third position is there again, half of the batch later.
            let position = |i: usize| ranges[if i.is_multiple_of(3) { i / 2 } else { i }][i % 2];
            let mut positions: Vec<u32> = (0..count).map(position).collect();
            if round == 3 {
                positions.sort_unstable();
                positions.dedup();
            }
            let values = kind.make::<K>(positions.len(), seed + 5);
            positions.iter().zip(&values).for_each(|(&at, &value)| array[at as usize] = value);
            index.set_batch(&positions, &values).unwrap();
            assert!(Coding::of::<K>(order).is_float() || index.array() == array);
            compare(&index, &array, order, &format!("{} of {count}", kind.name()));
        }
    }
    check::<u32>(&device, ArrayKind::Random, Order::Min);
    check::<f32>(&device, ArrayKind::Sorted, Order::Min);
    check::<f64>(&device, ArrayKind::Special, Order::Max);
    check::<u8>(&device, ArrayKind::Sorted, Order::Max);
}

/// Changes that meet: on one element, on elements that share a claim, on one line, in either order, and of values that tie with, win
/// against or lose to everything. Elements, and ranges around them, are those of the host's array.
#[test]
fn changes_that_meet() {
    let Some(device) = testing::device() else { return };
    fn check<K: Key>(device: &Device, kind: ArrayKind, order: Order) {
        const COUNT: u32 = 3_000;
        let mut array = kind.make::<K>(150_001, 1);
        let mut index = built(device, array.clone(), order);
        let mixed = |i: u32| i.wrapping_mul(0x9e37_79b9) >> 8;
        let random = |i: u32| mixed(i) % 150_001;
        // Claims are by fewer bits than positions have.
        let shared = |i: u32| 77 + ((mixed(i) % 3) << 16) + mixed(i) / 3 % 20;
        let news = kind.make::<K>(COUNT as usize, 9);
        let first = K::from_low_bits(0);
        let (least, most) = news.iter().fold((first, first), |(least, most), &key| {
            let rank = |key: K| key.rank(order);
            (if rank(key) < rank(least) { key } else { least }, if rank(key) > rank(most) { key } else { most })
        });
        /// What is called how, where its changes are, and what elements become.
        type Case<'c, K> = (&'c str, &'c dyn Fn(u32) -> u32, &'c dyn Fn(u32) -> K);
        let cases: [Case<'_, K>; 10] = [
            ("one element", &|_| 70_003, &|i| news[i as usize]),
            ("two elements", &|i| 16 * (i & 1), &|i| news[i as usize]),
            ("a claim of several elements", &shared, &|i| news[i as usize]),
            ("one line", &|i| 4096 + mixed(i) % 16, &|i| news[i as usize]),
            ("random", &random, &|i| news[i as usize]),
            ("all equal", &random, &|_| news[1]),
            ("all the least", &random, &|_| least),
            ("all the most", &random, &|_| most),
            ("ascending", &|i| 150_000 - 3 * (COUNT - i), &|i| news[i as usize]),
            ("descending, each twice", &|i| 150_000 - i / 2 * 40, &|i| news[i as usize]),
        ];
        // Few changes leave no marks at lines.
        for ((case, position, value), count) in cases.iter().flat_map(|case| [(case, COUNT), (case, 30)]) {
            let positions: Vec<u32> = (0..count).map(position).collect();
            let values: Vec<K> = (0..count).map(value).collect();
            positions.iter().zip(&values).for_each(|(&at, &value)| array[at as usize] = value);
            if case.len() % 2 == 0 {
                index.set_batch(&positions, &values).unwrap();
            } else {
                let wide: Vec<u64> = positions.iter().map(|&at| at.into()).collect();
                index.set_batch(&wide, &values).unwrap();
            }
            let single: Vec<[u32; 2]> = positions.iter().map(|&at| [at, at]).collect();
            let mut got = vec![first; single.len()];
            index.values(&single, &mut got).unwrap();
            for (&at, got) in positions.iter().zip(got) {
                assert_eq!(got.to_low_bits(), array[at as usize].to_low_bits(), "{case}, {} at {at}", K::NAME);
            }
            let around: Vec<[u32; 2]> =
                positions.iter().map(|&at| [at.saturating_sub(20), (at + 9).min(150_000)]).collect();
            let (mut got, mut want) = (vec![0; around.len()], vec![0; around.len()]);
            index.positions(&around, &mut got).unwrap();
            Rmq::with_engine(&array[..], order, Default::default()).unwrap().positions(&around, &mut want).unwrap();
            assert!(got == want, "{case}, {} {order:?}", K::NAME);
            compare(&index, &array, order, case);
        }
    }
    check::<u32>(&device, ArrayKind::Random, Order::Min);
    check::<f32>(&device, ArrayKind::Special, Order::Min);
    check::<i64>(&device, ArrayKind::Random, Order::Max);
    check::<u16>(&device, ArrayKind::Sorted, Order::Min);
}

/// Appended in portions of all sizes, with and without room, to arrays that ascend and descend.
#[test]
fn grown_in_portions() {
    let Some(device) = testing::device() else { return };
    for kind in [ArrayKind::Sorted, ArrayKind::Reverse, ArrayKind::Random] {
        let array = kind.make::<i32>(60_000, 5);
        let mut index = built(&device, array[..10].to_vec(), Order::Min);
        let mut len = 10;
        for (round, count) in [1, 5, 4_000, 96, 1, 8_192, 20_000, 3, 5_000, 22_000].into_iter().enumerate() {
            if round == 3 {
                index.reserve(30_000).unwrap();
            }
            let end = (len + count).min(array.len());
            index.append(&array[len..end]).unwrap();
            len = end;
            compare(&index, &array[..len], Order::Min, kind.name());
        }
    }
}

#[test]
fn room_that_is_reserved_is_used() {
    let Some(device) = testing::device() else { return };
    let mut index = built(&device, vec![5u16; 100], Order::Min);
    index.reserve(1 << 16).unwrap();
    let before = index.extra_bytes();
    for _ in 0..4 {
        index.append(&[7; 1 << 14]).unwrap();
    }
    index.set(1 << 16, 3).unwrap();
    assert_eq!((index.extra_bytes(), index.position(..), index.value(..50)), (before, Some(1 << 16), Some(5)));
}

/// An index that lends its array does not change with it.
#[test]
fn lent_arrays_do_not_change() {
    let Some(device) = testing::device() else { return };
    let array = [3, 1, 2];
    let bits = thalweg_core::bits::Bits::of(&array);
    let index = build(&device, bits, Coding::of::<i32>(Order::Min), Engine::default()).unwrap();
    assert!(index.with_array(Array::of::<i32>(&array[..])).as_changing().is_none());
    let wrong = build_changing(&device, Array::of::<i32>(&array[..]), Coding::of::<u8>(Order::Min));
    assert!(wrong.is_err());
}
