//! Arrays on the device: what goes up comes back, in one buffer and in many.

use std::fmt::Debug;

use thalweg_core::{DeviceErrorKind, Error, Key, Order, Result, for_each_key};
use thalweg_gpu::text::{Lce, Text, lpf, suffix_array_with_lcp};
use thalweg_gpu::tree::{Cartesian, EulerTour, Forest, Lca, Nodes};
use thalweg_gpu::{Adapter, Card, Choice, Device, DeviceArray, HostArray, Kind, Limits, Options, Phases, Timing};
use thalweg_gpu::{ansv, list, primitives, rmq, testing};

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
            assert_eq!(
                want.unwrap_or(<K::Rank as thalweg_core::Rank>::WORST),
                got.rank(order),
                "{} {len} {order:?}",
                K::NAME
            );
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
    for e in [device.allocate::<u64>(1 << 60).unwrap_err(), device.allocate::<u32>(usize::MAX).unwrap_err()] {
        assert_eq!(e.device_kind(), Some(DeviceErrorKind::Limit), "{e}");
        assert!(e.to_string().starts_with("device: "), "{e}");
    }
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

/// Where memory is the host's, filling it would stop the machine: a card is needed.
#[test]
#[ignore = "needs a graphics card, and all of its memory"]
fn a_full_card_says_so_and_goes_on() {
    let Some(device) = testing::open(CHECKED) else { return };
    assert!(!device.is_software());
    let mut arrays = Vec::new();
    let e = loop {
        match device.allocate::<u32>(1 << 28) {
            Ok(array) => arrays.push(array),
            Err(e) => break e,
        }
    };
    assert_eq!(e.device_kind(), Some(DeviceErrorKind::OutOfMemory), "{e}");
    assert!(!arrays.is_empty());
    drop(arrays);
    works(&device);
}

#[test]
fn adapters_that_are_not_there() {
    for choice in [Choice::Index(1000), Choice::Name("no adapter is called this".into())] {
        let e = Device::open(&choice).unwrap_err();
        assert_eq!(e.device_kind(), Some(DeviceErrorKind::NoAdapter), "{e}");
    }
}

const CHECKED: Options = Options { checked: true, binding_bytes: None };
/// Arrays of more than 16,384 words take several buffers.
const SMALL: Options = Options { checked: true, binding_bytes: Some(1 << 16) };

#[track_caller]
fn refused<T: Debug>(result: Result<T>) {
    let kind = result.as_ref().err().and_then(Error::device_kind);
    assert_eq!(kind, Some(DeviceErrorKind::Misuse), "{result:?}");
}

/// Whether a device still computes, in one kernel of each kind of call.
#[track_caller]
fn works(device: &Device) {
    let array = device.upload(&[3u32, 1, 2]).unwrap();
    assert_eq!(primitives::inclusive_scan(&array, primitives::Op::Sum).unwrap().to_vec().unwrap(), [3, 4, 6]);
    let left = ansv::left(&array, ansv::Relation::Smaller, ansv::Engine::Tiles).unwrap();
    assert_eq!(left.to_vec().unwrap(), [u32::MAX, u32::MAX, 1]);
    assert!(device.is_alive());
    device.wait().unwrap();
}

fn ramp(device: &Device, len: usize) -> DeviceArray<u32> {
    device.upload(&(0..len as u32).collect::<Vec<_>>()).unwrap()
}

/// A list of all elements.
fn chain(device: &Device, len: usize) -> DeviceArray<u32> {
    device.upload(&(0..len as u32).map(|i| (i + 1).min(len as u32 - 1)).collect::<Vec<_>>()).unwrap()
}

/// A path, whose root is node 0.
fn path(device: &Device, len: usize) -> DeviceArray<u32> {
    device.upload(&(0..len as u32).map(|i| if i == 0 { u32::MAX } else { i - 1 }).collect::<Vec<_>>()).unwrap()
}

#[test]
fn arrays_of_another_device_are_refused() {
    let (Some(here), Some(there), Some(small)) = (testing::device(), testing::open(CHECKED), testing::open(SMALL))
    else {
        return;
    };
    // Kernels are compiled for every device, which is what takes the time: the second of a pair only lends arrays.
    for (a, b, len) in [(&here, &there, 1000), (&small, &here, 40_000)] {
        arrays_of_two_devices(a, b, len);
        works(a);
        works(b);
    }
}

fn arrays_of_two_devices(a: &Device, b: &Device, len: usize) {
    let (values, foreign) = (ramp(a, len), ramp(b, len));
    let new = |device: &Device, len: usize| device.allocate::<u32>(len).unwrap();

    let sum = primitives::Op::Sum;
    refused(primitives::inclusive_scan_into(&values, &mut new(b, len), sum));
    refused(primitives::exclusive_scan_into(&values, &mut new(b, len), sum));
    refused(primitives::compact(&values, &foreign));
    refused(primitives::split(&values, &foreign));
    refused(primitives::sort_by_key(&values, &foreign));
    refused(primitives::sort_pairs(&mut values.clone(), &mut foreign.clone()));

    for engine in ansv_engines() {
        let solve = |array: &_, left: &_, right: &_| {
            let sides = ansv::DeviceSides { left: Some(left), right: Some(right) };
            ansv::solve_into::<u32>(array, ansv::Relation::Smaller, engine, sides)
        };
        refused(solve(&values, &new(b, len), &new(b, len)));
        refused(solve(&values, &new(a, len), &new(b, len)));
        refused(solve(&foreign, &new(a, len), &new(b, len)));
    }

    for engine in rmq_engines() {
        let index = rmq::DeviceRmq::with_engine(values.clone(), Order::Min, engine).unwrap();
        let queries = |device: &Device| device.upload(&vec![0u32; 2 * len]).unwrap();
        refused(index.positions(&queries(b), &new(a, len)));
        refused(index.positions(&queries(a), &new(b, len)));
        refused(index.positions(&queries(b), &new(b, len)));
        refused(index.values(&queries(a), &new(b, len)));
    }

    for engine in [list::Engine::HelmanJaja, list::Engine::PointerJumping, list::Engine::IndependentSet] {
        let options = list::Options { engine: Some(engine), ..list::Options::default() };
        refused(list::sums(&chain(a, len), &foreign, &options));
    }

    let tour = EulerTour::new(&path(a, len)).unwrap();
    refused(tour.subtree_sums(&foreign, Nodes::All));
    refused(tour.subtree_values(&foreign, Order::Min, Nodes::All));
    refused(tour.subtree_positions(&foreign, Order::Min, Nodes::All));
    refused(tour.subtree_sizes(Nodes::Some(&foreign)));
    let ancestors = Lca::of_tour(&tour, Default::default()).unwrap();
    let pairs = |device: &Device| device.upload(&vec![0u32; 2 * len]).unwrap();
    refused(ancestors.batch(&pairs(b), &new(a, len)));
    refused(ancestors.batch(&pairs(a), &new(b, len)));

    let text: Vec<u8> = keys(len);
    let suffixes = suffix_array_with_lcp(&Text::upload(a, &text).unwrap()).unwrap();
    let lcp = b.upload(&suffixes.lcp.to_vec().unwrap()).unwrap();
    refused(lpf(&suffixes.positions, &lcp));
    // Found out with the first batch at the latest.
    let mixed = Lce::new(&suffixes.positions, lcp);
    refused(mixed.and_then(|lce| lce.batch(&pairs(a), &new(a, len))));
    let extensions = Lce::new(&suffixes.positions, suffixes.lcp).unwrap();
    refused(extensions.batch(&pairs(b), &new(a, len)));
    refused(extensions.batch(&pairs(a), &new(b, len)));
}

fn rmq_engines() -> [rmq::Engine; 5] {
    use rmq::Engine::*;
    let (hierarchy, padded_tree) = (rmq::HierarchyOptions::DEFAULT, rmq::PaddedTreeOptions::DEFAULT);
    [rmq::Engine::default(), PaddedTree(padded_tree), Hierarchy(hierarchy), Inlabel, Naive]
}

fn ansv_engines() -> [ansv::Engine; 2] {
    [ansv::Engine::Tiles, ansv::Engine::Thesis(ansv::ThesisOptions::DEFAULT)]
}

#[test]
fn one_array_as_input_and_output_is_refused() {
    let (Some(device), Some(small)) = (testing::open(CHECKED), testing::open(SMALL)) else { return };
    for (device, len) in [(&device, 1000), (&small, 40_000)] {
        one_array_twice(device, len);
        works(device);
    }
}

fn one_array_twice(device: &Device, len: usize) {
    let values = ramp(device, len);
    let new = |len: usize| device.allocate::<u32>(len).unwrap();

    let sum = primitives::Op::Sum;
    refused(primitives::inclusive_scan_into(&values, &mut values.clone(), sum));
    refused(primitives::exclusive_scan_into(&values, &mut values.clone(), sum));
    // Sorting makes new arrays, so a clone keeps what it had.
    let (mut keys, mut same) = (values.clone(), values.clone());
    primitives::sort_pairs(&mut keys, &mut same).unwrap();
    assert_eq!(keys.to_vec().unwrap(), same.to_vec().unwrap());

    for engine in ansv_engines() {
        let solve = |left: &_, right: &_| {
            let sides = ansv::DeviceSides { left: Some(left), right: Some(right) };
            ansv::solve_into(&values, ansv::Relation::Smaller, engine, sides)
        };
        let answer = new(len);
        refused(solve(&answer, &answer.clone()));
        refused(solve(&values, &answer));
        refused(solve(&answer, &values));
    }

    for engine in rmq_engines() {
        let index = rmq::DeviceRmq::with_engine(values.clone(), Order::Min, engine).unwrap();
        let queries = device.upload(&vec![0u32; 2 * len]).unwrap();
        refused(index.values(&queries, &values));
        refused(index.positions(&queries, &values));
    }

    assert_eq!(values.to_vec().unwrap(), (0..len as u32).collect::<Vec<_>>(), "what was refused was not begun");
}

#[test]
fn all_can_be_printed_and_sent() {
    fn all<T: Debug + Send + Sync + 'static>() {}
    all::<Adapter>();
    all::<Card>();
    all::<Choice>();
    all::<Device>();
    all::<DeviceArray<f64>>();
    all::<HostArray<f64>>();
    all::<Kind>();
    all::<Limits>();
    all::<Options>();
    all::<Phases>();
    all::<Timing>();
    all::<ansv::DeviceAnsv>();
    all::<rmq::DeviceRmq<f64>>();
    all::<rmq::Index>();
    all::<Forest>();
    all::<EulerTour>();
    all::<Cartesian>();
    all::<Lca>();
    all::<Text>();
    all::<Lce>();
    let Some(device) = testing::device() else { return };
    let text = format!("{:?}", device.upload(&[1.0, 2.0]).unwrap());
    assert!(text.contains("f64") && text.contains("len: 2") && text.contains(device.name()), "{text}");
}

#[test]
fn arrays_of_the_host_are_answered_from_and_into_as_any_other() {
    // With small buffers too: an upload is then of several parts of one host array.
    for device in [testing::device(), testing::open(SMALL)].into_iter().flatten() {
        let len = 50_001;
        let values = keys::<u32>(len);
        let mut pinned = device.host_array::<u32>(len).unwrap();
        // Vulkan's memory is the host's everywhere that tests run on Linux.
        assert!(pinned.is_pinned() || !cfg!(target_os = "linux"));
        assert!(pinned.iter().all(|&zero| zero == 0));
        pinned.copy_from_slice(&values);
        let array = device.upload(&pinned[..]).unwrap();
        // The memory is ours again: the device has taken what it needs.
        pinned.fill(7);
        assert_eq!(array.to_vec().unwrap(), values);
        // A part, and into a part; what is beside it stays.
        pinned.copy_from_slice(&values);
        let part = device.upload(&pinned[3..40_000]).unwrap();
        assert_eq!(part.to_vec().unwrap(), values[3..40_000]);
        pinned.fill(7);
        part.download(&mut pinned[5..40_002]).unwrap();
        assert_eq!(pinned[5..40_002], values[3..40_000]);
        assert!(pinned[..5].iter().chain(&pinned[40_002..]).all(|&seven| seven == 7));
        // Batches, in tiles and in one go, from and into either kind of memory.
        let queries: Vec<[u32; 2]> = (0..20_003u32).map(|i| [i % 1000, 1000 + i * 2]).collect();
        let mut want = vec![0; queries.len()];
        for tile in [1 << 20, 1000] {
            let index = rmq::DeviceRmq::new(array.clone()).unwrap().with_tile(tile);
            index.positions_of_slice(&queries, &mut want).unwrap();
            let mut from = device.host_array::<[u32; 2]>(queries.len()).unwrap();
            from.copy_from_slice(&queries);
            let mut into = device.host_array::<u32>(queries.len()).unwrap();
            let mut ordinary = vec![0; queries.len()];
            index.positions_of_slice(&from, &mut into).unwrap();
            assert_eq!(into[..], want);
            index.positions_of_slice(&from, &mut ordinary).unwrap();
            assert_eq!(ordinary, want);
            into.fill(0);
            index.positions_of_slice(&queries, &mut into).unwrap();
            assert_eq!(into[..], want);
            // A bad query in the middle of it: an error, and the memory is nobody else's.
            from[10_000] = [1, 0];
            let e = index.positions_of_slice(&from, &mut into).unwrap_err();
            assert!(matches!(e, Error::Query { row: 10_000, left: 1, right: 0, .. }), "{e}");
        }
        assert!(device.host_array::<f64>(0).unwrap().is_empty());
    }
}

#[test]
fn the_time_goes_somewhere() {
    let Some(device) = testing::open(CHECKED) else { return };
    let opened = device.phases();
    assert!(opened.opening > opened.kernels, "{opened:?}");
    let array = device.upload(&keys::<u32>(1 << 20)).unwrap();
    let index = rmq::DeviceRmq::new(array).unwrap();
    let mut answer = [0];
    index.positions_of_slice(&[[0u32, 5]], &mut answer).unwrap();
    let phases = device.phases();
    for (name, phase) in phases.named() {
        assert!(phase > std::time::Duration::ZERO, "{name}: {phases:?}");
    }
}

#[test]
fn kernels_are_kept_and_a_damaged_file_is_not_believed() {
    if testing::name().is_none() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("thalweg-kernels-{}", std::process::id()));
    thalweg_gpu::keep_kernels_in(&folder);
    let files = || match std::fs::read_dir(&folder) {
        Ok(entries) => entries.map(|entry| entry.unwrap().path()).collect(),
        Err(_) => Vec::new(),
    };
    // Compiled; taken from the file; compiled again, as the file is damaged.
    for round in 0..3 {
        let Some(device) = testing::open(CHECKED) else { return };
        works(&device);
        assert!(thalweg_gpu::save_kernels());
        if cfg!(target_os = "linux") {
            let kept = files();
            assert!(kept.len() == 1 && std::fs::metadata(&kept[0]).unwrap().len() > 100, "{round}: {kept:?}");
        }
        if round == 1 {
            for file in files() {
                let mut bytes = std::fs::read(&file).unwrap();
                let middle = bytes.len() / 2;
                bytes[middle] ^= 0xff;
                std::fs::write(file, bytes).unwrap();
            }
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
