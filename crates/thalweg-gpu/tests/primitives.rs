//! The primitives on the device against the loops that define them: all types, both orders, sizes around every boundary,
//! in one buffer and in many.

use thalweg_core::{Error, Key, Order, for_each_key};
use thalweg_data::{ArrayKind, Random};
use thalweg_gpu::primitives::sort::{
    Engine, Options as SortOptions, sort_by_key_with, sort_idx_with, sort_pairs_with, sort_with,
};
use thalweg_gpu::primitives::{self, Keep, Op, custom_sizes};
use thalweg_gpu::{Device, Options, testing};
use thalweg_suites::primitives::naive;

/// Sizes around packs, and around tiles of 512 to 4,096 words, and several tiles.
const SIZES: &[usize] = &[0, 1, 2, 3, 4, 5, 255, 256, 511, 513, 1023, 1024, 1025, 2047, 2049, 4095, 4097, 8193, 70_001];

fn bits<K: Key>(keys: &[K]) -> Vec<u64> {
    keys.iter().map(|key| key.to_low_bits()).collect()
}

/// All in one buffer, and 64 KiB a binding: 70,001 keys take several.
fn devices() -> Option<[Device; 2]> {
    Some([testing::device()?, testing::open(Options { checked: true, binding_bytes: Some(1 << 16) })?])
}

/// The definition of an operation, by ranks.
fn apply<K: Key>(op: Op, a: K, b: K) -> K {
    let best = |order| if b.rank(order) < a.rank(order) { b } else { a };
    match op {
        Op::Sum => K::from_low_bits(a.to_low_bits().wrapping_add(b.to_low_bits())),
        Op::Min => canonical(best(Order::Min)),
        Op::Max => canonical(best(Order::Max)),
    }
}

/// 0.0 and NaN for those that have several bit patterns.
fn canonical<K: Key>(key: K) -> K {
    if key.partial_cmp(&key).is_none() {
        K::from_f64(f64::NAN)
    } else if key == K::default() {
        K::default()
    } else {
        key
    }
}

fn ops<K: Key>() -> impl Iterator<Item = Op> {
    Op::ALL.iter().copied().filter(|&op| op != Op::Sum || !K::FLOAT)
}

fn check_scans<K: Key>(device: &Device, keys: &[K], ops: impl Iterator<Item = Op>) {
    let array = device.upload(keys).unwrap();
    for op in ops {
        let case = format!("{} {op:?} n={}", K::NAME, keys.len());
        let (before, total) = naive::exclusive_scan(keys, op.identity::<K>(), |a, b| apply(op, a, b));
        let including = naive::inclusive_scan(keys, op.identity::<K>(), |a, b| apply(op, a, b));
        let reduced = primitives::reduce(&array, op).unwrap();
        assert_eq!(reduced.to_low_bits(), total.to_low_bits(), "{case}: reduce");
        let got = primitives::inclusive_scan(&array, op).unwrap().to_vec().unwrap();
        assert!(bits(&got) == bits(&including), "{case}: inclusive");
        let (got, sum) = primitives::exclusive_scan(&array, op).unwrap();
        assert!(bits(&got.to_vec().unwrap()) == bits(&before), "{case}: exclusive");
        assert_eq!(sum.to_low_bits(), total.to_low_bits(), "{case}: total");
    }
}

/// Kernels take longer to compile for a software renderer than to run: every type in one buffer, one of either width in
/// many.
#[test]
fn scans_and_reductions() {
    let Some([device, small]) = devices() else { return };
    macro_rules! one {
        ($t:ident) => {
            for &n in SIZES {
                let kind = if n % 2 == 0 { ArrayKind::Random } else { ArrayKind::Special };
                check_scans::<$t>(&device, &kind.make(n, n as u64), ops::<$t>());
            }
        };
    }
    for_each_key!(one);
    check_scans::<i32>(&small, &ArrayKind::Random.make(70_001, 1), [Op::Sum, Op::Max].into_iter());
    check_scans::<f64>(&small, &ArrayKind::Random.make(70_001, 1), [Op::Min].into_iter());
}

/// A scan by this way, in both widths.
fn check_way(device: &Device, scan: custom_sizes::ScanSizes) {
    for n in [1, 5000, 70_001] {
        let keys: Vec<u64> = ArrayKind::Random.make(n, 3);
        let short: Vec<u32> = ArrayKind::Random.make(n, 4);
        let (array, short_array) = (device.upload(&keys).unwrap(), device.upload(&short).unwrap());
        let out = device.allocate(n).unwrap();
        custom_sizes::time_scan(&array, &out, Op::Sum, false, scan).unwrap();
        assert!(out.to_vec().unwrap() == naive::inclusive_scan(&keys, 0, u64::wrapping_add), "u64 {n} {scan:?}");
        let out = device.allocate(n).unwrap();
        custom_sizes::time_scan(&short_array, &out, Op::Sum, false, scan).unwrap();
        assert!(out.to_vec().unwrap() == naive::inclusive_scan(&short, 0, u32::wrapping_add), "u32 {n} {scan:?}");
    }
}

#[test]
fn scans_in_every_way() {
    let Some([device, small]) = devices() else { return };
    let by_words = testing::with_word_atomics().expect("opened before");
    let patience = |spins, silent| Some(custom_sizes::Patience { spins, counter: spins % 2 == 0, silent });
    for (threads, packs, one_pass) in [
        (256, 4, None),
        (64, 1, None),
        (512, 3, patience(100, false)),
        (256, 4, patience(0, false)),
        (64, 1, patience(0, true)),
        (128, 2, patience(3, true)),
    ] {
        let scan =
            custom_sizes::ScanSizes { tile: custom_sizes::Tile { threads, packs }, unroll: packs != 2, one_pass };
        check_way(&device, scan);
        if one_pass.is_some() {
            check_way(&by_words, scan);
        }
        if (threads, packs) == (256, 4) {
            check_way(&small, scan);
        }
    }
}

/// Flags: none, all, random, few, and not just 0 and 1.
fn flags(n: usize) -> Vec<(&'static str, Vec<u32>)> {
    let random = Random::new(n as u64, 5);
    let made = |f: &dyn Fn(u64) -> u32| (0..n as u64).map(f).collect();
    vec![
        ("none", vec![0; n]),
        ("all", vec![1; n]),
        ("half", made(&|i| random.below(i, 2) as u32)),
        ("few", made(&|i| u32::from(random.below(i, 100) == 0) * 0x8000_0000)),
        ("second half", made(&|i| u32::from(i as usize >= n / 2))),
    ]
}

/// Every number of rows.
#[test]
fn compactions_in_every_way() {
    let Some([device, _]) = devices() else { return };
    // Three flags in the last word of bits, which is not one of the first in its tile.
    let n = 20_131;
    let keys: Vec<u32> = ArrayKind::Random.make(n, 1);
    let array = device.upload(&keys).unwrap();
    for (bit, (threads, packs)) in [(64, 2), (64, 3), (128, 4), (32, 5), (32, 8)].into_iter().enumerate() {
        let tile = custom_sizes::Tile { threads, packs };
        for as_bits in [false, device.limits().subgroup_min >= 8] {
            // Others every time: nothing is right because it was so before.
            let is_kept = |key: u32| key >> (2 * bit + usize::from(as_bits)) & 1;
            let flags = device.upload(&keys.iter().map(|&key| is_kept(key)).collect::<Vec<_>>()).unwrap();
            let want: Vec<u32> = naive::compact(&keys, |&key| is_kept(key) == 1);
            let out = device.upload(&vec![0; n]).unwrap();
            custom_sizes::time_compact(&array, &flags, &out, tile, as_bits).unwrap();
            assert!(out.to_vec().unwrap()[..want.len()] == want, "{tile:?} {as_bits}");
        }
    }
}

fn check_compact<K: Key>(device: &Device, n: usize) {
    let keys: Vec<K> = ArrayKind::Special.make(n, n as u64);
    let array = device.upload(&keys).unwrap();
    for (name, flags) in flags(n) {
        let case = format!("{} {name} n={n}", K::NAME);
        let device_flags = device.upload(&flags).unwrap();
        let pairs: Vec<_> = keys.iter().zip(&flags).map(|(&key, &flag)| (key, flag != 0)).collect();
        let kept: Vec<K> = naive::compact(&pairs, |pair| pair.1).into_iter().map(|pair| pair.0).collect();
        let got = primitives::compact(&array, &device_flags).unwrap();
        assert_eq!(got.len(), kept.len(), "{case}");
        assert!(bits(&got.to_vec().unwrap()) == bits(&kept), "{case}: compact");
        let (parted, falses) = naive::split(&pairs, |pair| pair.1);
        let parted: Vec<K> = parted.into_iter().map(|pair| pair.0).collect();
        let got = primitives::split(&array, &device_flags).unwrap();
        assert_eq!(got.first_true, falses, "{case}: split");
        assert!(bits(&got.elements.to_vec().unwrap()) == bits(&parted), "{case}: split");
        if K::NAME == "u32" {
            let (want, _) = naive::split(&(0..n as u32).collect::<Vec<_>>(), |&i| flags[i as usize] != 0);
            assert!(
                primitives::split_indices(&device_flags).unwrap().elements.to_vec().unwrap() == want,
                "{case}: split indices"
            );
            let want: Vec<u32> = (0..n as u32).filter(|&i| flags[i as usize] != 0).collect();
            assert!(primitives::survivors(&device_flags).unwrap().to_vec().unwrap() == want, "{case}: survivors");
        }
    }
}

fn check_compact_by<K: Key>(device: &Device, n: usize) {
    let keys: Vec<K> = ArrayKind::Special.make(n, 3);
    let array = device.upload(&keys).unwrap();
    for bound in [keys[n / 2], K::from_f64(0.0), K::from_f64(f64::NAN)] {
        let rank = |key: K| (key.rank(Order::Min), key.rank(Order::Max));
        let (low, high) = rank(bound);
        for (keep, test) in
            [(Keep::Less(bound), 0), (Keep::AtMost(bound), 1), (Keep::Greater(bound), 2), (Keep::AtLeast(bound), 3)]
        {
            let passes = |key: K| match test {
                0 => rank(key).0 < low,
                1 => rank(key).0 <= low,
                2 => rank(key).1 < high,
                _ => rank(key).1 <= high,
            };
            let want = naive::compact(&keys, |&key| passes(key));
            let got = primitives::compact_by(&array, keep).unwrap().to_vec().unwrap();
            assert!(bits(&got) == bits(&want), "{} {keep:?} n={n}", K::NAME);
        }
    }
}

#[test]
fn compactions() {
    let Some([device, small]) = devices() else { return };
    macro_rules! one {
        ($t:ident) => {
            for &n in SIZES {
                check_compact::<$t>(&device, n);
            }
            check_compact::<$t>(&small, 70_001);
        };
    }
    // Elements are moved as they are: one type of either width.
    one!(u32);
    one!(f64);
    check_compact_by::<f32>(&device, 5000);
    check_compact_by::<i64>(&device, 5000);
}

fn check_sort<K: Key>(device: &Device, engine: Engine, kind: ArrayKind, n: usize, order: Order) {
    let case = format!("{engine} {} {} {order:?} n={n}", K::NAME, kind.name());
    let keys: Vec<K> = kind.make(n, n as u64);
    let want = naive::sort_idx(&keys, order);
    let array = device.upload(&keys).unwrap();
    let options = SortOptions { order, engine: Some(engine) };
    let got = sort_idx_with(&array, options).unwrap().to_vec().unwrap();
    assert!(got.iter().map(|&i| i as usize).eq(want.iter().copied()), "{case}: sort_idx");
    let mut sorted = array.clone();
    sort_with(&mut sorted, options).unwrap();
    let want_keys: Vec<K> = want.iter().map(|&i| keys[i]).collect();
    assert!(bits(&sorted.to_vec().unwrap()) == bits(&want_keys), "{case}: sort, bit by bit");
    assert!(bits(&array.to_vec().unwrap()) == bits(&keys), "{case}: the input is as it was");
}

fn check_pairs<K: Key, V: Key>(device: &Device, engine: Engine, kind: ArrayKind, n: usize) {
    let case = format!("{engine} {} {} {} n={n}", K::NAME, V::NAME, kind.name());
    let keys: Vec<K> = kind.make(n, n as u64);
    let values: Vec<V> = (0..n as u64).map(|i| V::from_low_bits(i * 0x1_0000_0001)).collect();
    let order = naive::sort_idx(&keys, Order::Min);
    let want: Vec<V> = order.iter().map(|&i| values[i]).collect();
    let (mut key_array, mut value_array) = (device.upload(&keys).unwrap(), device.upload(&values).unwrap());
    let options = SortOptions { order: Order::Min, engine: Some(engine) };
    let got = sort_by_key_with(&value_array, &key_array, options).unwrap().to_vec().unwrap();
    assert!(bits(&got) == bits(&want), "{case}: sort_by_key");
    sort_pairs_with(&mut key_array, &mut value_array, options).unwrap();
    assert!(bits(&value_array.to_vec().unwrap()) == bits(&want), "{case}: values of pairs");
    let want: Vec<K> = order.iter().map(|&i| keys[i]).collect();
    assert!(bits(&key_array.to_vec().unwrap()) == bits(&want), "{case}: keys of pairs");
}

fn sorts_of_every_type(engine: Engine) {
    let Some([device, _]) = devices() else { return };
    macro_rules! one {
        ($t:ident) => {
            // Kernels know an order as bits to flip: a type's two orders are like two types.
            let orders = [Order::Min, Order::Max];
            let orders = match $t::NAME {
                "u32" | "f64" => &orders[..],
                "u8" | "i16" | "i64" => &orders[..1],
                _ => &orders[1..],
            };
            for &order in orders {
                for n in [0, 1, 2, 300, 511, 513, 4097, 10_000] {
                    check_sort::<$t>(&device, engine, ArrayKind::Random, n, order);
                    check_sort::<$t>(&device, engine, ArrayKind::Special, n, order);
                }
            }
        };
    }
    for_each_key!(one);
}

fn sorts_of_every_kind(engine: Engine) {
    let Some([device, small]) = devices() else { return };
    for &kind in ArrayKind::ALL {
        check_sort::<u32>(&device, engine, kind, 20_011, Order::Min);
        check_pairs::<u32, u32>(&device, engine, kind, 9000);
    }
    check_pairs::<f64, u64>(&device, engine, ArrayKind::Few, 9000);
    check_pairs::<i16, u64>(&device, engine, ArrayKind::Few, 9000);
    check_sort::<u32>(&small, engine, ArrayKind::Runs, 70_001, Order::Min);
    check_pairs::<u64, u32>(&small, engine, ArrayKind::Random, 40_001);
}

/// Every engine gets the same cases.
macro_rules! engines {
    ($($name:ident = $engine:expr;)*) => {$(
        mod $name {
            #[test]
            fn every_type() {
                super::sorts_of_every_type($engine);
            }
            #[test]
            fn every_kind() {
                super::sorts_of_every_kind($engine);
            }
        }
    )*};
}
engines! {
    radix = super::Engine::Radix;
    merge = super::Engine::Merge;
}

/// The radix sort by counting first, and by looking back with neighbours that do not answer.
#[test]
fn radix_in_every_way() {
    let Some([device, _]) = devices() else { return };
    let patience = |spins, silent| Some(custom_sizes::Patience { spins, counter: spins % 2 == 0, silent });
    let n = 20_011;
    for (threads, items, digit_bits, one_pass) in [
        (256, 4, 6, None),
        (64, 3, 4, patience(0, true)),
        (128, 2, 7, patience(2, true)),
        (128, 5, 5, patience(0, false)),
    ] {
        let shape = custom_sizes::RadixSizes { threads, items, digit_bits, ahead: items % 4, one_pass };
        for kind in [ArrayKind::Random, ArrayKind::Few, ArrayKind::Sorted] {
            let keys: Vec<u32> = kind.make(n, 1);
            let mut want = keys.clone();
            want.sort();
            let (_, got) = custom_sizes::time_radix(&device.upload(&keys).unwrap(), Order::Min, shape).unwrap();
            assert!(got.to_vec().unwrap() == want, "{shape:?} {}", kind.name());
            let wide: Vec<u64> = kind.make(n, 1);
            let (_, got) = custom_sizes::time_radix_idx(&device.upload(&wide).unwrap(), Order::Max, shape).unwrap();
            let want = naive::sort_idx(&wide, Order::Max);
            assert!(got.to_vec().unwrap().iter().map(|&i| i as usize).eq(want), "positions: {shape:?} {}", kind.name());
        }
    }
}

fn check_fork(device: &Device, counts: &[u32], name: &str) {
    let case = format!("{name} n={}", counts.len());
    let want = naive::fork(counts);
    let family = primitives::fork(&device.upload(counts).unwrap()).unwrap();
    let (parents, ranks) = (family.parents.to_vec().unwrap(), family.ranks.to_vec().unwrap());
    let got: Vec<_> = parents.iter().zip(&ranks).map(|(&p, &r)| (p as usize, r as usize)).collect();
    assert!(got == want, "{case}");
    let (mut offsets, total) = naive::exclusive_scan(counts, 0, |a, b| a + b);
    offsets.push(total);
    assert!(family.offsets.to_vec().unwrap() == offsets, "{case}: offsets");
}

#[test]
fn forks() {
    let Some([device, small]) = devices() else { return };
    let random = Random::new(7, 12);
    for n in [0, 1, 2, 300, 5000, 40_000] {
        check_fork(&device, &(0..n as u64).map(|i| random.below(i, 4) as u32).collect::<Vec<_>>(), "random");
        check_fork(&device, &vec![1; n], "ones");
        check_fork(&device, &vec![0; n], "none");
        for heir in [0, n / 2, n.saturating_sub(1)] {
            let mut counts = vec![0; n];
            if let Some(count) = counts.get_mut(heir) {
                *count = 10_000;
            }
            counts.iter_mut().step_by(997).for_each(|count| *count += 1);
            check_fork(&device, &counts, "one heir and a few others");
        }
    }
    check_fork(&small, &(0..30_000).map(|i| random.below(i, 4) as u32).collect::<Vec<_>>(), "random");
    // As many counts as two shards hold: the last offset begins a third.
    check_fork(&small, &vec![1; 32_768], "ones");
    let much = device.upload(&[u32::MAX, 1]).unwrap();
    assert!(primitives::fork(&much).unwrap_err().to_string().contains("4294967296 children"));
}

#[test]
fn host_slices_and_errors() {
    use primitives::host_slices;
    let Some(device) = testing::device() else { return };
    assert_eq!(host_slices::reduce(&device, &[3u32, 1, 4], Op::Sum), Ok(8));
    assert_eq!(host_slices::reduce::<i8>(&device, &[], Op::Max), Ok(-128));
    assert_eq!(host_slices::inclusive_scan(&device, &[3i64, -1, 4], Op::Min).unwrap(), [3, -1, -1]);
    assert_eq!(host_slices::exclusive_scan(&device, &[3u32, 1], Op::Sum).unwrap(), (vec![0, 3], 4));
    let mut keys = [2.5f32, -1.0, 0.0];
    host_slices::sort(&device, &mut keys).unwrap();
    assert_eq!(keys, [-1.0, 0.0, 2.5]);
    assert_eq!(host_slices::sort_idx(&device, &[30u8, 10, 20, 10]).unwrap(), [1, 3, 2, 0]);
    assert_eq!(host_slices::sort_by_key(&device, &[1u64, 2, 3], &[31u8, 104, 8]).unwrap(), [3, 1, 2]);

    let (three, two) = (device.upload(&[1u32, 0, 1]).unwrap(), device.upload(&[1u32, 0]).unwrap());
    assert!(primitives::compact(&three, &two).unwrap_err().to_string().contains("expected 3"));
    assert!(primitives::split(&three, &two).is_err());
    assert!(primitives::sort_by_key(&three, &two).is_err());
    assert!(primitives::sort_pairs(&mut three.clone(), &mut two.clone()).is_err());
    let comparison = SortOptions { engine: Some(Engine::Comparison), ..SortOptions::default() };
    let refused = sort_with(&mut three.clone(), comparison);
    assert!(matches!(refused, Err(Error::NotOnDevice { problem: "sort", engine: "comparison", .. })));
    assert!(primitives::inclusive_scan_into(&three, &mut two.clone(), Op::Sum).is_err());
    let floats = device.upload(&[1.0f32]).unwrap();
    assert!(primitives::reduce(&floats, Op::Sum).unwrap_err().to_string().contains("sums of f32"));
}

/// Large arrays, whose results have closed forms: for real GPUs, `cargo test --release -- --ignored`.
mod large {
    use super::*;

    fn gpu() -> Device {
        Device::open(&thalweg_gpu::Choice::Auto).expect("the large tests need a GPU")
    }

    /// 0, 1, 2, ...: the exclusive sums of ones.
    fn scan_of_ones(log: u32) {
        let device = gpu();
        let n = 1usize << log;
        let ones = device.upload(&vec![1u32; n]).unwrap();
        assert_eq!(primitives::reduce(&ones, Op::Sum).unwrap(), n as u32);
        let (sums, total) = primitives::exclusive_scan(&ones, Op::Sum).unwrap();
        assert_eq!(total, n as u32);
        assert!(sums.to_vec().unwrap().iter().enumerate().all(|(i, &sum)| sum == i as u32));
        assert_eq!(primitives::reduce(&sums, Op::Max).unwrap(), n as u32 - 1);
        // Every third is kept.
        let flags = device.upload(&(0..n).map(|i| u32::from(i % 3 == 0)).collect::<Vec<_>>()).unwrap();
        let kept = primitives::compact(&sums, &flags).unwrap();
        assert_eq!(kept.len(), n.div_ceil(3));
        assert!(kept.to_vec().unwrap().iter().enumerate().all(|(i, &x)| x as usize == 3 * i));
        let parted = primitives::split(&sums, &flags).unwrap();
        let (parted, falses) = (parted.elements.to_vec().unwrap(), parted.first_true);
        assert_eq!(falses, n - n.div_ceil(3));
        assert!(parted[falses..].iter().enumerate().all(|(i, &x)| x as usize == 3 * i));
        assert!(parted[..falses].iter().enumerate().all(|(i, &x)| x as usize == 3 * (i / 2) + i % 2 + 1));
    }

    /// A permutation of 0..n, by a multiplication with an odd number.
    fn sort_of_permutation(log: u32) {
        let device = gpu();
        let n = 1usize << log;
        let place = |i: usize| (i.wrapping_mul(0x9e37_79b1) & (n - 1)) as u32;
        let mut keys = device.upload(&(0..n).map(place).collect::<Vec<_>>()).unwrap();
        let order = primitives::sort_idx(&keys).unwrap().to_vec().unwrap();
        assert!(order.iter().enumerate().all(|(rank, &i)| place(i as usize) as usize == rank));
        primitives::sort(&mut keys).unwrap();
        assert!(keys.to_vec().unwrap().iter().enumerate().all(|(i, &key)| key as usize == i));
    }

    /// Lengths at which a scan takes other kernels, or tiles of another size.
    #[test]
    #[ignore = "needs a GPU"]
    fn scans_of_all_lengths() {
        let device = gpu();
        for n in [1 << 14, (1 << 14) + 1, 1 << 21, (1 << 21) + 1, (1 << 25) + 3] {
            check_scans::<u32>(&device, &ArrayKind::Random.make(n, 1), [Op::Sum, Op::Max].into_iter());
            check_scans::<f64>(&device, &ArrayKind::Random.make(n / 2 + 1, 1), [Op::Min].into_iter());
        }
    }

    #[test]
    #[ignore = "needs a GPU"]
    fn scans_28() {
        scan_of_ones(28);
    }

    #[test]
    #[ignore = "needs a GPU with 40 GB"]
    fn scans_31() {
        scan_of_ones(31);
    }

    #[test]
    #[ignore = "needs a GPU"]
    fn sorts_28() {
        sort_of_permutation(28);
    }

    #[test]
    #[ignore = "needs a GPU with 50 GB"]
    fn sorts_31() {
        sort_of_permutation(31);
    }
}
