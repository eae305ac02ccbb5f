//! The primitives on the device against the loops that define them: all types, both orders, sizes around every boundary,
//! in one buffer and in many.

use thalweg::{Key, Order, for_each_key};
use thalweg_gpu::primitives::{self, Op, tuning};
use thalweg_gpu::{Device, Options, testing};
use thalweg_testkit::primitives::naive;
use thalweg_testkit::{ArrayKind, Random};

/// Sizes around packs, tiles of 4,096 and 2,048, and several tiles.
const SIZES: &[usize] = &[0, 1, 2, 3, 4, 5, 255, 256, 2047, 2048, 2049, 4095, 4096, 4097, 8193, 70_001];

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
    Op::ALL.iter().copied().filter(|&op| op != Op::Sum || !K::NAME.starts_with('f'))
}

fn check_scans<K: Key>(device: &Device, keys: &[K]) {
    let array = device.upload(keys).unwrap();
    for op in ops::<K>() {
        let case = format!("{} {op:?} n={}", K::NAME, keys.len());
        let (before, total) = naive::exclusive_scan(keys, op.identity::<K>(), |a, b| apply(op, a, b));
        let including = naive::inclusive_scan(keys, op.identity::<K>(), |a, b| apply(op, a, b));
        let reduced = primitives::reduce(&array, op).unwrap();
        assert_eq!(reduced.map(K::to_low_bits), (!keys.is_empty()).then_some(total.to_low_bits()), "{case}: reduce");
        let got = primitives::inclusive_scan(&array, op).unwrap().to_vec().unwrap();
        assert!(bits(&got) == bits(&including), "{case}: inclusive");
        let (got, sum) = primitives::exclusive_scan(&array, op).unwrap();
        assert!(bits(&got.to_vec().unwrap()) == bits(&before), "{case}: exclusive");
        assert_eq!(sum.to_low_bits(), total.to_low_bits(), "{case}: total");
    }
}

#[test]
fn scans_and_reductions() {
    let Some(devices) = devices() else { return };
    macro_rules! one {
        ($t:ident) => {
            for device in &devices {
                for &n in SIZES {
                    let kind = if n % 2 == 0 { ArrayKind::Random } else { ArrayKind::Special };
                    check_scans::<$t>(device, &kind.make(n, n as u64));
                }
            }
        };
    }
    for_each_key!(one);
}

#[test]
fn scans_in_every_way() {
    let Some(devices) = devices() else { return };
    let patience = tuning::Patience::default();
    let ways = [
        None,
        Some(patience),
        Some(tuning::Patience { spins: 0, silent: false }),
        Some(tuning::Patience { spins: 0, silent: true }),
        Some(tuning::Patience { spins: 3, silent: true }),
    ];
    for device in &devices {
        for n in [1, 5000, 70_001] {
            let keys: Vec<u64> = ArrayKind::Random.make(n, 3);
            let short: Vec<u32> = ArrayKind::Random.make(n, 4);
            let (array, short_array) = (device.upload(&keys).unwrap(), device.upload(&short).unwrap());
            let want = naive::inclusive_scan(&keys, 0, u64::wrapping_add);
            let want_short = naive::inclusive_scan(&short, 0, u32::wrapping_add);
            for one_pass in ways {
                for (threads, packs) in [(64, 1), (128, 2), (256, 4), (512, 8)] {
                    let scan = tuning::Scan { tile: tuning::Tile { threads, packs }, one_pass };
                    let out = device.allocate(n as u64).unwrap();
                    tuning::time_scan(&array, &out, Op::Sum, false, scan).unwrap();
                    assert!(out.to_vec().unwrap() == want, "u64 {n} {scan:?}");
                    let out = device.allocate(n as u64).unwrap();
                    tuning::time_scan(&short_array, &out, Op::Sum, false, scan).unwrap();
                    assert!(out.to_vec().unwrap() == want_short, "u32 {n} {scan:?}");
                }
            }
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

fn check_compact<K: Key>(device: &Device, n: usize) {
    let keys: Vec<K> = ArrayKind::Special.make(n, n as u64);
    let array = device.upload(&keys).unwrap();
    for (name, flags) in flags(n) {
        let case = format!("{} {name} n={n}", K::NAME);
        let device_flags = device.upload(&flags).unwrap();
        let pairs: Vec<_> = keys.iter().zip(&flags).map(|(&key, &flag)| (key, flag != 0)).collect();
        let kept: Vec<K> = naive::compact(&pairs, |pair| pair.1).into_iter().map(|pair| pair.0).collect();
        let got = primitives::compact(&array, &device_flags).unwrap();
        assert_eq!(got.len(), kept.len() as u64, "{case}");
        assert!(bits(&got.to_vec().unwrap()) == bits(&kept), "{case}: compact");
        if K::NAME == "u32" {
            let want: Vec<u32> = (0..n as u32).filter(|&i| flags[i as usize] != 0).collect();
            assert!(primitives::compact_indices(&device_flags).unwrap().to_vec().unwrap() == want, "{case}: indices");
        }
    }
}

#[test]
fn compactions() {
    let Some(devices) = devices() else { return };
    macro_rules! one {
        ($t:ident) => {
            for device in &devices {
                for &n in SIZES {
                    check_compact::<$t>(device, n);
                }
            }
        };
    }
    // Elements are moved as they are: one type of either width.
    one!(u32);
    one!(f64);
}
