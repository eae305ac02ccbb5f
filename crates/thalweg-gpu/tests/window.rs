//! Windows on the device, held to the answers of a queue on the host.

use thalweg_arrays::window::{Outputs, Shape, WindowEngine, solve_bits};
use thalweg_core::bits::Bits;
use thalweg_core::{Coding, DeviceErrorKind, Error, Key, Order, Position, Result};
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
            for (turn, width) in [3, 40, 300, 2300].into_iter().enumerate() {
                let windows = Windows { align: Align::ALL[turn % 3], ..Windows::new(width) };
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
        [16, 17, 18, 31, 33, 121, 200, 255, 513, 1350, 1351, 2047, 2048, 2049, 2050, 4096, 4097, 6000, 20_000]
            .into_iter()
            .enumerate()
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

/// Zeros of both signs that are the minima of windows of any width, and stretches of NaN: of equal elements the first one's bits.
#[test]
fn zeros_and_nans() {
    let Some(device) = testing::device() else { return };
    let engine = &*engine(&device);
    macro_rules! one {
        ($t:ident, $worse:expr, $order:expr, $widths:expr) => {
            let key = |i: usize| match ((i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) % 601 {
                _ if (4000..8500).contains(&i) => -$t::NAN,
                0 => 0.0,
                1 => -0.0,
                2 => $t::NAN,
                other => $worse * other as $t,
            };
            let array: Vec<$t> = (0..14_011).map(key).collect();
            for (turn, width) in $widths.into_iter().enumerate() {
                let windows = Windows { align: Align::ALL[turn % 3], ..Windows::new(width) };
                check_regular(engine, &array, $order, windows, "zeros");
            }
        };
    }
    one!(f32, 2.0, Order::Min, [7, 60, 220, 700, 1500, 5000]);
    one!(f64, -2.0, Order::Max, [17, 60, 700, 3000]);
    one!(f32, -2.0, Order::Max, [200, 3000]);
    one!(f64, 2.0, Order::Min, [7]);
}

/// Wide windows of elements in order, which are copied, and of such as nearly are: one that is out of place, at borders of blocks and anywhere,
/// ties, zeros of both signs, NaN before and behind.
#[test]
fn elements_in_order() {
    let Some(device) = testing::device() else { return };
    let engine = &*engine(&device);
    let n = 13_003;
    let out_of_place = |i: usize| [1024, 3071, 4095, 4097, 7000, 10_239].contains(&i);
    let numbers: [&dyn Fn(usize) -> usize; 4] =
        [&|i| i, &|i| i / 3, &|i| if out_of_place(i) { n - i } else { i }, &|i| i.clamp(2000, 9000)];
    macro_rules! one {
        ($t:ident, $turn:expr, $key:expr) => {
            for (turn, number) in ($turn..).zip(numbers) {
                for order in [Order::Min, Order::Max] {
                    let array: Vec<$t> = (0..n).map(|i| $key(number(i))).collect();
                    let windows = Windows { align: Align::ALL[turn % 3], ..Windows::new(2300 + 1700 * (turn % 2)) };
                    check_regular(engine, &array, order, windows, "in order");
                    let array: Vec<$t> = array.into_iter().rev().collect();
                    check_regular(engine, &array, order, windows, "in order, reversed");
                }
            }
        };
    }
    one!(u32, 0, |i: usize| i as u32);
    one!(i64, 1, |i: usize| i as i64 - 5000);
    one!(f32, 2, |i: usize| match i {
        ..1500 => f32::NAN,
        6000..6900 if i.is_multiple_of(2) => -0.0,
        6000..6900 => 0.0,
        _ => i as f32 - 6500.0,
    });
    one!(f64, 3, |i: usize| match i {
        6499 => -0.0,
        6500 => 0.0,
        11_500.. => -f64::NAN,
        _ => i as f64 - 6500.0,
    });
    // A zero is no better than the one before it, also where it begins a block and they have different signs.
    for zeros in [[-0.0, 0.0], [0.0, -0.0]] {
        let falling = |i: usize| if (4095..4097).contains(&i) { zeros[i - 4095] } else { 4095.5 - i as f32 };
        let array: Vec<f32> = (0..9001).map(falling).collect();
        let windows = Windows { align: Align::Leading, ..Windows::new(2300) };
        check_regular(engine, &array, Order::Min, windows, "falling through zeros");
    }
}

/// Two blocks in order that both look like the answers of some windows: the one that these begin in, and the one that they end in. An element
/// between them that nobody looks at beforehand is better than either end of the worse block.
#[test]
fn ends_in_order_both() {
    let Some(device) = testing::device() else { return };
    let engine = &*engine(&device);
    for behind in [0, 3, 100, 250, 254, 256] {
        let n = 9000 + behind;
        let number = |i: usize| match i {
            2048..2304 => i - 2048,
            3500 => 1500,
            4000..5400 => 9000 - i,
            _ => 20_000,
        };
        let windows = Windows { align: Align::Leading, ..Windows::new(2300) };
        let rising: Vec<u32> = (0..n).map(|i| number(i) as u32).collect();
        check_regular(engine, &rising, Order::Min, windows, "first ends");
        let falling: Vec<u32> = rising.iter().rev().copied().collect();
        check_regular(engine, &falling, Order::Min, windows, "last ends");
        let negative: Vec<f64> = rising.iter().map(|&x| -f64::from(x)).collect();
        check_regular(engine, &negative, Order::Max, windows, "first ends, maxima");
    }
}

/// Elements that fall, and before them one that is as good as the last one of a tile's first window; falling ones of which some are equal.
#[test]
fn equals_among_falling_elements() {
    let Some(device) = testing::device() else { return };
    let engine = &*engine(&device);
    let windows = Windows { align: Align::Leading, ..Windows::new(2300) };
    for tile in [32, 128, 256] {
        // Where the first window of the twentieth tile ends.
        let last = 20 * tile + windows.width - 1;
        let value = |i: usize| 30_000 - if i == last - 700 { last } else { i };
        let once: Vec<u32> = (0..9001).map(|i| value(i) as u32).collect();
        check_regular(engine, &once, Order::Min, windows, "as good before");
        let once: Vec<f64> = once.iter().map(|&x| f64::from(x) - 21_000.0).collect();
        check_regular(engine, &once, Order::Min, windows, "as good before, floats");
    }
    for equal in [2, 16, 1000] {
        let falling: Vec<i32> = (0..9001).map(|i| 4000 - i / equal).collect();
        check_regular(engine, &falling, Order::Min, windows, "equals");
        let rising: Vec<f32> = falling.iter().rev().map(|&x| x as f32).collect();
        check_regular(engine, &rising, Order::Max, windows, "equals, maxima");
    }
}

/// Kernels as users run them, with loops written out as on a card, and of all sizes.
#[test]
fn unchecked_and_tuned() {
    let Some(device) = testing::open(Options::default()) else { return };
    let keys = ArrayKind::Few.make::<i32>(9001, 5);
    let array = device.upload(&keys).unwrap();
    let usual = Tuning::of::<i32>(&device);
    let lanes = usual.lanes;
    for (lane_threads, lanes, lines, wide_lines, unroll) in
        [(64, lanes, 1, 2, true), (32, lanes / 2, 5, 8, false), (128, lanes, 8, 4, usual.unroll)]
    {
        let (tiles_from, wide_from) = ([lanes + 1; 2], [10 * lanes + 1; 2]);
        let stretches = if lines == 5 { [[17, 2000]; 3] } else { [[1, 0]; 3] };
        let tuning =
            Tuning { lane_threads, lanes, lines, wide_lines, tiles_from, wide_from, stretches, unroll, ..usual };
        for width in [2, 7, 16, 50, 700, 3000] {
            let windows = Windows { align: Align::Trailing, ..Windows::new(width) };
            let (values, positions) = (device.allocate(keys.len()).unwrap(), device.allocate(keys.len()).unwrap());
            let outputs = DeviceOutputs { values: Some(&values), positions: Some(&positions) };
            window::solve_tuned(&array, Order::Max, DeviceShape::Regular(windows), 0, outputs, tuning).unwrap();
            let expected = windows_by_queue(&keys, Order::Max, (0..keys.len()).map(|j| windows.range(j, keys.len())));
            let expected: Vec<_> = expected.into_iter().map(Option::unwrap).collect();
            assert!(
                positions.to_vec().unwrap().iter().eq(expected.iter().map(|&at| at as u32).collect::<Vec<_>>().iter()),
                "{lines} {width}"
            );
            assert!(values.to_vec().unwrap().into_iter().eq(expected.iter().map(|&at| keys[at])), "{lines} {width}");
        }
    }
    let outputs = DeviceOutputs { values: Some(&array), positions: None };
    let shape = DeviceShape::Regular(Windows::new(3));
    let bad = window::solve_tuned(&array, Order::Min, shape, 0, outputs, Tuning { threads: 100, ..usual });
    assert!(matches!(bad, Err(Error::BadOption { option: "tuning", .. })), "{bad:?}");
    let bad = window::solve_tuned(&array, Order::Min, shape, 0, outputs, Tuning { wide_from: [9; 2], ..usual });
    assert!(matches!(bad, Err(Error::BadOption { option: "tuning", .. })), "{bad:?}");
    let bad = window::solve_tuned(&array, Order::Min, shape, 0, outputs, Tuning { stretch_threads: 48, ..usual });
    assert!(matches!(bad, Err(Error::BadOption { option: "tuning", .. })), "{bad:?}");
    let bad = window::solve_tuned(&array, Order::Min, shape, 0, outputs, Tuning { stretch_bytes: u32::MAX, ..usual });
    assert!(matches!(bad, Err(Error::BadOption { option: "tuning", .. })), "{bad:?}");
    let bad = window::solve_into(&array, Order::Min, shape, 0, outputs);
    assert!(matches!(bad, Err(Error::Device(e)) if e.kind() == DeviceErrorKind::Misuse));
}

/// Windows by stretches, for every rest of a width by runs of eight, some by runs of sixteen, and every place of an array's end in vectors of four: of values, of
/// positions, and of both; behind the last window of an array nothing is written.
#[test]
fn stretches_of_every_rest() {
    let Some(device) = testing::open(Options::default()) else { return };
    let usual = Tuning::of::<f64>(&device);
    let tuning = Tuning { stretches: [[17, 4000]; 3], stretch_lines: 3, ..usual };
    stretches_of::<u32>(&device, Tuning { stretch_threads: 32, unroll: true, ..tuning }, &[17, 18, 23, 25]);
    stretches_of::<f32>(&device, tuning, &[33, 66, 76, 269]);
    stretches_of::<i64>(&device, Tuning { stretch_threads: 128, ..tuning }, &[40, 75, 520]);
    stretches_of::<f64>(&device, Tuning { unroll: true, ..tuning }, &[22, 97, 1031]);
    let long = Tuning { long_runs_from: 33, ..tuning };
    stretches_of::<f32>(&device, Tuning { unroll: true, ..long }, &[33, 48, 50, 79, 301]);
    stretches_of::<u64>(&device, long, &[34, 95, 1000]);
}

fn stretches_of<K: Key>(device: &Device, tuning: Tuning, widths: &[usize]) {
    for (turn, &width) in widths.iter().enumerate() {
        let n = 5000 + width + turn;
        let keys = ArrayKind::ALL[turn % ArrayKind::ALL.len()].make::<K>(n, 7);
        let array = device.upload(&keys).unwrap();
        let windows = Windows { align: Align::ALL[turn % 3], ..Windows::new(width) };
        let expected = windows_by_queue(&keys, Order::Min, (0..n).map(|j| windows.range(j, n)));
        let expected: Vec<u32> = expected.into_iter().map(|at| at.unwrap() as u32).collect();
        for (with_values, with_positions) in [(true, false), (false, true), (true, true)] {
            let (values, positions) = (device.allocate::<K>(n).unwrap(), device.allocate::<u32>(n).unwrap());
            let outputs = DeviceOutputs {
                values: with_values.then_some(&values),
                positions: with_positions.then_some(&positions),
            };
            window::solve_tuned(&array, Order::Min, DeviceShape::Regular(windows), K::default(), outputs, tuning)
                .unwrap();
            if with_positions {
                assert_eq!(positions.to_vec().unwrap(), expected, "{width}");
            }
            if with_values {
                let found = values.to_vec().unwrap();
                let same = |j: usize| found[j].to_low_bits() == keys[expected[j] as usize].to_low_bits();
                assert!((0..n).all(same), "{width}");
            }
        }
    }
}

/// Arrays in several buffers: of the array, of answers, and of what is known of blocks.
#[test]
fn arrays_of_several_buffers() {
    let Some(device) = testing::open(Options { checked: true, binding_bytes: Some(1 << 16) }) else { return };
    let engine = &*engine(&device);
    for width in [5, 100, 300, 3000, 5000] {
        check_regular(engine, &ArrayKind::Few.make::<u32>(40_003, 5), Order::Min, Windows::new(width), "few");
    }
    // Each buffer by itself, and windows over their borders; the last buffer has fewer elements than a window, or no window begins there.
    let array = ArrayKind::Special.make::<f64>((4 << 13) + 99, 5);
    for (align, border, width) in [
        (Align::Trailing, Border::Shrink, 100),
        (Align::Centred, Border::Drop, 600),
        (Align::Leading, Border::Shrink, 333),
        (Align::Trailing, Border::Fill, 2048),
        (Align::Centred, Border::Shrink, 8),
    ] {
        check_regular(engine, &array, Order::Max, Windows { align, border, ..Windows::new(width) }, "special");
    }
    check_grid(engine, &ArrayKind::Few.make::<f32>(40_000, 5), Order::Min, 200, [Windows::new(7); 2], "few");
}

/// A buffer need not have a power of two of bytes: answers, of which there are fewer, may be in one where the array is in two.
#[test]
fn answers_of_fewer_buffers_than_the_array() {
    let Some(device) = testing::open(Options { checked: true, binding_bytes: Some(100_000) }) else { return };
    let array = ArrayKind::Few.make::<f64>(12_600, 5);
    for width in [10, 200, 1500] {
        let windows = Windows { border: Border::Drop, ..Windows::new(width) };
        check_regular(&*engine(&device), &array, Order::Min, windows, "few");
    }
    let windows = Windows { border: Border::Drop, ..Windows::new(30) };
    check_regular(&*engine(&device), &ArrayKind::Few.make::<u32>(25_020, 5), Order::Min, windows, "few");
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

/// The device that is measured, so many words that they are 1 GiB, which one buffer holds, and the speed of a copy of them.
fn measured() -> Option<(Device, usize, f64)> {
    let device = testing::open(Options { checked: false, binding_bytes: None })?;
    let n = if device.is_software() { 1 << 16 } else { 1 << 28 };
    let copy = thalweg_gpu::measure(&device, 4 * n as u64).unwrap().copy_gb_per_s;
    println!("a copy: {copy:.0} GB/s");
    Some((device, n, copy))
}

/// Times by the device's clock and the share of a copy's speed, with the library's sizes:
/// `cargo test -p thalweg-gpu --test window -- --ignored --nocapture times`.
///
/// A card's clock falls while it waits for the host, which compiles kernels for seconds: an H200's from 1,980 to 345 MHz, and a tenth of a
/// second of work does not raise it. So all kernels are compiled first, and then the card is kept busy before anything counts.
#[test]
#[ignore = "a measurement"]
fn times() {
    let Some((device, n, copy)) = measured() else { return };
    times_of::<u32>(&device, n, ArrayKind::Random, copy);
    times_of::<f32>(&device, n, ArrayKind::Random, copy);
    times_of::<f64>(&device, n / 2, ArrayKind::Random, copy);
    times_of::<u32>(&device, n, ArrayKind::Sorted, copy);
    times_of::<f32>(&device, n, ArrayKind::Sorted, copy);
    times_of::<f64>(&device, n / 2, ArrayKind::Sorted, copy);
    // In two, and in four.
    times_of::<f64>(&device, n, ArrayKind::Random, copy);
    times_of::<f32>(&device, 4 * n, ArrayKind::Random, copy);
}

/// As [`times`], along stretches and as wide windows, where both will do: which of them is the library's is in `tuning.rs`.
#[test]
#[ignore = "a measurement"]
fn ways_take() {
    let Some((device, n, copy)) = measured() else { return };
    for kind in [ArrayKind::Random, ArrayKind::Sorted, ArrayKind::Reverse, ArrayKind::Runs] {
        times_of_ways::<u32>(&device, n, kind, copy);
        times_of_ways::<f32>(&device, n, kind, copy);
        times_of_ways::<f64>(&device, n / 2, kind, copy);
    }
}

/// As [`times`], of every kind of data.
#[test]
#[ignore = "a measurement"]
fn kinds_take() {
    let Some((device, n, copy)) = measured() else { return };
    for &kind in ArrayKind::ALL {
        times_of::<u32>(&device, n, kind, copy);
        times_of::<f32>(&device, n, kind, copy);
        times_of::<f64>(&device, n / 2, kind, copy);
    }
}

/// As [`times`], of square pictures of 1 GiB.
#[test]
#[ignore = "a measurement"]
fn pictures_take() {
    let Some((device, n, copy)) = measured() else { return };
    times_of_pictures::<f32>(&device, n, copy);
    times_of_pictures::<u32>(&device, n, copy);
}

const WHAT: [&str; 2] = ["values", "positions"];

fn times_of<K: Key>(device: &Device, n: usize, kind: ArrayKind, copy: f64) {
    let usual = Tuning::of::<K>(device);
    let widths = [3, 16, 100, 200, 300, 600, 1000, 1200, 1500, 2000, 4000, 100_000];
    let cases = widths.map(|width| (width.to_string(), trailing(width), usual));
    let from = if kind == ArrayKind::Sorted { 4 } else { 0 };
    let name = format!("{} {}", std::any::type_name::<K>(), kind.name());
    times_of_cases::<K>(device, &kind.make::<K>(n, 3), &cases[from..], copy, &name);
}

fn trailing(width: usize) -> DeviceShape<'static> {
    DeviceShape::Regular(Windows { align: Align::Trailing, ..Windows::new(width) })
}

fn times_of_ways<K: Key>(device: &Device, n: usize, kind: ArrayKind, copy: f64) {
    let usual = Tuning::of::<K>(device);
    let cases = [850, 1000, 1200, 1400, 1700, 2000, 4000].map(|width| {
        let ways = [("stretches", [[17, u32::MAX]; 3]), ("wide", [[1, 0]; 3])];
        ways.map(|(way, stretches)| (format!("{width} by {way}"), trailing(width), Tuning { stretches, ..usual }))
    });
    let name = format!("{} {}", std::any::type_name::<K>(), kind.name());
    times_of_cases::<K>(device, &kind.make::<K>(n, 3), cases.as_flattened(), copy, &name);
}

/// Windows of a square picture.
fn times_of_pictures<K: Key>(device: &Device, n: usize, copy: f64) {
    let shape = |width| DeviceShape::Grid { columns: 1 << (n.ilog2() / 2), windows: [Windows::new(width); 2] };
    let usual = Tuning::of::<K>(device);
    let cases = [3, 15, 63, 255].map(|width| (width.to_string(), shape(width), usual));
    times_of_cases::<K>(device, &ArrayKind::Random.make::<K>(n, 3), &cases, copy, "picture");
}

/// What is measured: its name, which windows, and by which sizes.
type TimedCase = (String, DeviceShape<'static>, Tuning);

fn times_of_cases<K: Key>(device: &Device, keys: &[K], cases: &[TimedCase], copy: f64, name: &str) {
    let (n, array) = (keys.len(), device.upload(keys).unwrap());
    let (values, positions) = (device.allocate::<K>(n).unwrap(), device.allocate::<u32>(n).unwrap());
    let solve = |&(_, shape, tuning): &TimedCase, what| {
        let outputs = DeviceOutputs {
            values: (what == WHAT[0]).then_some(&values),
            positions: (what == WHAT[1]).then_some(&positions),
        };
        window::solve_tuned(&array, Order::Min, shape, K::default(), outputs, tuning)
    };
    for case in cases {
        WHAT.iter().for_each(|what| solve(case, *what).unwrap());
    }
    thalweg_gpu::warm_up(device).unwrap();
    for case in cases {
        for what in WHAT {
            let bytes = n * (size_of::<K>() + if what == WHAT[0] { size_of::<K>() } else { 4 });
            let best = fastest(device, &|| solve(case, what));
            let share = bytes as f64 / best / 1e9 / copy;
            println!("{name} {} {what}: {:.3} ms {:.0} %", case.0, best * 1e3, 100.0 * share);
        }
    }
}

/// Seconds by the device's clock, at best, of a device that is kept busy, without many lists of commands on their way.
fn fastest(device: &Device, solve: &dyn Fn() -> Result<()>) -> f64 {
    let once = || device.timed(solve).unwrap().1.device.as_secs_f64();
    let began = std::time::Instant::now();
    while began.elapsed().as_secs_f64() < 0.05 {
        (0..12).for_each(|_| solve().unwrap());
        once();
    }
    (0..9).map(|_| once()).fold(f64::MAX, f64::min)
}

/// Every answer of more windows than the suites have, by tiles and by blocks.
#[test]
#[ignore = "large"]
fn many_answers() {
    let Some(device) = testing::open(Options { checked: false, binding_bytes: None }) else { return };
    let n = if device.is_software() { 1 << 16 } else { 1 << 27 };
    many_answers_of::<u32>(&device, n);
    many_answers_of::<f32>(&device, n);
    many_answers_of::<f64>(&device, n);
}

fn many_answers_of<K: Key>(device: &Device, n: usize) {
    let keys = ArrayKind::Random.make::<K>(n, 3);
    let array = device.upload(&keys).unwrap();
    let (values, positions) = (device.allocate::<K>(n).unwrap(), device.allocate::<u32>(n).unwrap());
    for width in [300, 1000, 4000, 100_000] {
        let windows = Windows { align: Align::Trailing, ..Windows::new(width) };
        let mut expected = vec![0u32; n];
        let outputs = Outputs { values: None, positions: Some(u32::buffer(&mut expected)) };
        let (coding, cpu) = (Coding::of::<K>(Order::Min), thalweg_arrays::window::engine(Engine::Blocks));
        solve_bits(Bits::of(&keys), coding, Shape::Regular(windows), 0, &*cpu, outputs).unwrap();
        for (values, positions) in [(Some(&values), None), (None, Some(&positions))] {
            let outputs = DeviceOutputs { values, positions };
            window::solve_into(&array, Order::Min, DeviceShape::Regular(windows), K::default(), outputs).unwrap();
        }
        assert!(positions.to_vec().unwrap() == expected, "{width}");
        let found = values.to_vec().unwrap();
        let same = |i: usize| found[i].to_low_bits() == keys[expected[i] as usize].to_low_bits();
        assert!((0..n).all(same), "{width}");
    }
}
