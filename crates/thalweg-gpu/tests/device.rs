//! Arrays on the device: what goes up comes back, in one buffer and in many.

use thalweg::{Key, Order, for_each_key};
use thalweg_gpu::{Device, Options, primitives, testing};

fn keys<K: Key>(len: usize) -> Vec<K> {
    (0..len as u64).map(|i| K::from_low_bits((i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 7)).collect()
}

fn round_trip<K: Key>(device: &Device) {
    for len in [0, 1, 2, 255, 256, 1000, 70_001] {
        let keys = keys::<K>(len);
        let back = device.upload(&keys).unwrap().to_vec().unwrap();
        let bits = |v: &[K]| v.iter().map(|k| k.to_low_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&keys), bits(&back), "{} {len}", K::NAME);
    }
}

fn minima<K: Key>(device: &Device) {
    for len in [0, 1, 2, 255, 256, 257, 4096, 4097, 70_001] {
        let keys = keys::<K>(len);
        let array = device.upload(&keys).unwrap();
        for order in [Order::Min, Order::Max] {
            let want = keys.iter().map(|k| k.rank(order)).min();
            let op = if order == Order::Min { primitives::Op::Min } else { primitives::Op::Max };
            let got = primitives::reduce(&array, op).unwrap();
            assert_eq!(want, got.map(|k| k.rank(order)), "{} {len} {order:?}", K::NAME);
        }
    }
}

#[test]
fn what_goes_up_comes_back() {
    let Some(device) = testing::device() else { return };
    // 64 KiB a binding: 70,001 keys take several buffers.
    let Some(small) = testing::open(Options { checked: true, binding_bytes: Some(1 << 16) }) else { return };
    macro_rules! one {
        ($t:ident) => {
            round_trip::<$t>(&device);
            round_trip::<$t>(&small);
            minima::<$t>(&device);
            minima::<$t>(&small);
        };
    }
    for_each_key!(one);
}

#[test]
fn the_card_is_measured() {
    let Some(device) = testing::device() else { return };
    let card = thalweg_gpu::measure(&device, 1 << 20).unwrap();
    assert!(card.bytes == 1 << 20 && card.copy_gb_per_s > 0.0 && card.random_reads_g_per_s > 0.0, "{card:?}");
}

#[test]
fn what_does_not_fit_is_an_error_and_the_device_goes_on() {
    let Some(device) = testing::device() else { return };
    assert!(device.allocate::<u64>(1 << 60).is_err());
    assert!(device.allocate::<u32>(u64::MAX).is_err());
    assert_eq!(device.upload(&[1u8, 2, 3]).unwrap().to_vec().unwrap(), [1, 2, 3]);
}

#[test]
fn whoever_times_from_outside_times_all_of_it() {
    let Some(device) = testing::open(Options { checked: true, binding_bytes: None }) else { return };
    let array = device.upload(&[3u32; 10_000]).unwrap();
    let scan = || primitives::inclusive_scan(&array, primitives::Op::Sum);
    let ((inner, again), outer) = device
        .timed(|| {
            let (_, inner) = device.timed(scan)?;
            let (_, again) = device.timed(scan)?;
            Ok((inner, again))
        })
        .unwrap();
    assert!(outer.device >= inner.device + again.device, "{outer:?} {inner:?} {again:?}");
}
