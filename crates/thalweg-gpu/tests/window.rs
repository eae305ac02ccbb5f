//! Windows on the device, held to the answers of a queue on the host.

use thalweg_arrays::window::WindowEngine;
use thalweg_core::{DeviceErrorKind, Error, Order};
use thalweg_data::ArrayKind;
use thalweg_data::oracles::windows_by_queue;
use thalweg_gpu::testing::{self, Pattern};
use thalweg_gpu::window::{self, Align, Border, DeviceOutputs, DeviceShape, Engine, Tuning, Windows};
use thalweg_gpu::{Device, Options};
use thalweg_suites::window::{check_grid, check_ragged, check_regular, suite_of};

fn engine(device: &Device) -> Box<dyn WindowEngine> {
    window::engine(device, Engine::Blocks).unwrap()
}

/// All datasets, shapes, alignments, borders and strides, through the front door of the library.
#[test]
fn suite() {
    let Some(device) = testing::device() else { return };
    suite_of::<u32>(&*engine(&device), &[0, 1, 4097], 3);
}

/// Every type: windows of a few elements, of some runs, and wider than a tile; by bounds; of a picture. Special values are NaNs, zeros of
/// both signs and the worst of every type, so that ties are everywhere.
#[test]
fn every_type() {
    let Some(device) = testing::device() else { return };
    let engine = &*engine(&device);
    macro_rules! one {
        ($t:ident) => {
            let array = ArrayKind::Special.make::<$t>(5003, 2);
            for (turn, width) in [3, 40, 2300].into_iter().enumerate() {
                let windows = Windows { align: Align::ALL[turn], ..Windows::new(width) };
                check_regular(engine, &array, [Order::Min, Order::Max][turn % 2], windows, "special");
            }
            let windows = Windows { border: Border::Fill, ..Windows::new(5) };
            check_grid(engine, &array[..5000], Order::Max, 50, [windows; 2], "special");
            let bounds: Vec<u64> =
                (0..300).map(|i| i * i % 50 + 16 * i).collect::<std::collections::BTreeSet<_>>().into_iter().collect();
            check_ragged(engine, &array, Order::Min, &bounds[..bounds.len() - 9], &bounds[9..], "special");
        };
    }
    thalweg_core::for_each_key!(one);
}

/// Widths around the borders of runs, tiles and blocks, on data of which either end of a window, both or none is its minimum.
#[test]
fn every_border() {
    let Some(device) = testing::device() else { return };
    let engine = &*engine(&device);
    let n = 30_011;
    for (turn, width) in
        [16, 17, 18, 31, 33, 255, 513, 2047, 2048, 2049, 2050, 4096, 4097, 6000, 20_000].into_iter().enumerate()
    {
        let array = match turn % 5 {
            0 => ArrayKind::Sorted.make::<u32>(n, 1),
            1 => ArrayKind::Random.make(n, 1),
            2 => ArrayKind::Reverse.make(n, 1),
            3 => (0..n as u32).map(|i| i % 5003).collect(),
            _ => (0..n as u32).map(|i| (i % 9001).abs_diff(4500)).collect(),
        };
        let windows = Windows { align: Align::ALL[turn % 3], border: Border::ALL[turn / 3 % 3], ..Windows::new(width) };
        check_regular(engine, &array, Order::Min, windows, "ends");
    }
}

/// Kernels as users run them, with loops written out as on a card, and of all sizes.
#[test]
fn unchecked_and_tuned() {
    let Some(device) = testing::open(Options::default()) else { return };
    let keys = ArrayKind::Few.make::<i32>(9001, 5);
    let array = device.upload(&keys).unwrap();
    let usual = Tuning::of::<i32>(&device);
    for (threads, unroll) in [(64, true), (128, false), (usual.threads, usual.unroll)] {
        for width in [2, 7, 16, 50, 700, 3000] {
            let windows = Windows { align: Align::Trailing, ..Windows::new(width) };
            let (values, positions) = (device.allocate(keys.len()).unwrap(), device.allocate(keys.len()).unwrap());
            let outputs = DeviceOutputs { values: Some(&values), positions: Some(&positions) };
            let tuning = Tuning { threads, unroll };
            window::solve_tuned(&array, Order::Max, DeviceShape::Regular(windows), 0, outputs, tuning).unwrap();
            let expected = windows_by_queue(&keys, Order::Max, (0..keys.len()).map(|j| windows.range(j, keys.len())));
            let expected: Vec<_> = expected.into_iter().map(Option::unwrap).collect();
            assert!(
                positions.to_vec().unwrap().iter().eq(expected.iter().map(|&at| at as u32).collect::<Vec<_>>().iter()),
                "{threads} {width}"
            );
            assert!(values.to_vec().unwrap().into_iter().eq(expected.iter().map(|&at| keys[at])), "{threads} {width}");
        }
    }
    let outputs = DeviceOutputs { values: Some(&array), positions: None };
    let shape = DeviceShape::Regular(Windows::new(3));
    let bad = window::solve_tuned(&array, Order::Min, shape, 0, outputs, Tuning { threads: 100, ..usual });
    assert!(matches!(bad, Err(Error::BadOption { option: "tuning", .. })), "{bad:?}");
    let bad = window::solve_into(&array, Order::Min, shape, 0, outputs);
    assert!(matches!(bad, Err(Error::Device(e)) if e.kind() == DeviceErrorKind::Misuse));
}

/// Arrays in several buffers: of the array, of answers, and of what is known of blocks.
#[test]
fn arrays_of_several_buffers() {
    let Some(device) = testing::open(Options { checked: true, binding_bytes: Some(1 << 16) }) else { return };
    let engine = &*engine(&device);
    for width in [5, 100, 5000] {
        check_regular(engine, &ArrayKind::Few.make::<u32>(40_003, 5), Order::Min, Windows::new(width), "few");
    }
    check_grid(engine, &ArrayKind::Few.make::<f32>(40_000, 5), Order::Min, 200, [Windows::new(7); 2], "few");
}

/// More elements than a host would check, where a formula tells the answers.
#[test]
fn many_elements() {
    let Some(device) = testing::open(Options::default()) else { return };
    let n: usize = if device.is_software() { 1 << 20 } else { 1_999_999_999 };
    let array = testing::fill(&device, n, Pattern::Sorted).unwrap();
    let positions = device.allocate::<u32>(n).unwrap();
    let outputs = DeviceOutputs { values: None, positions: Some(&positions) };
    for width in [33, 100_000] {
        let windows = Windows { align: Align::Leading, ..Windows::new(width) };
        window::solve_into(&array, Order::Max, DeviceShape::Regular(windows), 0, outputs).unwrap();
        let found = positions.to_vec().unwrap();
        // Eight elements each are equal, and the last of a window is the best, but for those that are as good before it.
        let expected = |j: usize| ((j + width - 1).min(n - 1) & !7).max(j);
        assert!((0..n).all(|j| found[j] as usize == expected(j)), "{width}");
    }
}

#[test]
fn what_is_wrong_is_told() {
    let Some(device) = testing::device() else { return };
    assert!(matches!(window::engine(&device, Engine::Naive), Err(Error::NotOnDevice { .. })));
    let (array, few) = (device.upload(&[1, 2, 3]).unwrap(), device.allocate::<i32>(2).unwrap());
    let ask = |shape: DeviceShape<'_>| {
        let outputs = DeviceOutputs { values: Some(&few), positions: None };
        window::solve_into(&array, Order::Min, shape, 0, outputs).unwrap_err().to_string()
    };
    assert_eq!(ask(DeviceShape::Regular(Windows::new(0))), "width: must be at least 1");
    assert_eq!(ask(DeviceShape::Regular(Windows::new(3))), "values of windows: expected 3 elements, got 2");
    let (starts, ends) = (device.upload(&[0u32, 2]).unwrap(), device.upload(&[1u32]).unwrap());
    assert_eq!(
        ask(DeviceShape::Ragged { starts: &starts, ends: &ends }),
        "ends of windows: expected 2 elements, got 1"
    );
    // Bounds on the device are not looked at beforehand: what is no window is filled.
    let ends = device.upload(&[1u32, 9]).unwrap();
    let outputs = DeviceOutputs { values: Some(&few), positions: None };
    let shape = DeviceShape::Ragged { starts: &starts, ends: &ends };
    window::solve_into(&array, Order::Min, shape, -7, outputs).unwrap();
    assert_eq!(few.to_vec().unwrap(), [1, -7]);
}
