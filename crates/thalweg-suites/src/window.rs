//! The conformance suite of sliding windows.

use std::ops::Range;

use thalweg_arrays::window::{Align, Border, Outputs, Shape, WindowEngine, Windows, solve_bits};
use thalweg_core::bits::{Bits, BitsMut};
use thalweg_core::{Coding, Key, Order, Position};
use thalweg_data::oracles::windows_by_queue;
use thalweg_data::{ArrayKind, Random};

use crate::{is_quick, sizes};

/// Holds an engine to the contract, for one key type: all datasets, boundary lengths and widths, alignments, borders, strides,
/// windows by bounds and of pictures, values and positions together and alone, both orders, either width of positions.
///
/// # Panics
/// With the case in the message, at the first wrong answer.
pub fn suite<K: Key>(engine: &dyn WindowEngine) {
    suite_of::<K>(engine, sizes(), if is_quick() { 200 } else { 1000 });
}

/// The suite with lengths and a number of short arrays of the caller's choice, for devices on which every call is slow.
///
/// # Panics
/// With the case in the message, at the first wrong answer.
pub fn suite_of<K: Key>(engine: &dyn WindowEngine, sizes: &[usize], short: u64) {
    let random = Random::new(3, 7);
    let mut turn = 0u64;
    let mut pick = |below: usize| {
        turn += 1;
        random.below(turn, below as u64) as usize
    };
    for &kind in ArrayKind::ALL {
        for &n in sizes {
            let array = kind.make::<K>(n, n as u64);
            // Around every boundary: spans, lanes, chunks, the array. A few of them each, others for the next dataset.
            let widths =
                [1, 2, 3, 7, 8, 9, 16, 17, 31, 32, 33, 64, 65, 127, 128, 129, 1000, 4095, 4096, 4097, 9973, 65_000];
            let around = [n / 2, n.saturating_sub(1), n, n + 1, 3 * n, usize::MAX];
            let every = if n < 300 || sizes.len() < 12 { 3 } else { 8 };
            let skip = pick(every);
            for width in widths.into_iter().chain(around).skip(skip).step_by(every).filter(|&width| width > 0) {
                let stride = [1, 1, 1, 2, 3, 17, 1000][pick(7)];
                let windows = Windows { width, stride, align: Align::ALL[pick(3)], border: Border::ALL[pick(3)] };
                let order = [Order::Min, Order::Max][pick(2)];
                check_regular(engine, &array, order, windows, kind.name());
            }
            let (starts, ends) = bounds(n, 1 + pick(2 * n.min(3000) + 1), 1 + pick(n + 1), &mut pick);
            check_ragged(engine, &array, Order::Min, &starts, &ends, kind.name());
            for columns in [1, 2, 31, 64, 100, 1021].into_iter().filter(|&columns| columns <= n && n < 70_000) {
                let rows = (n / columns).min(20_000_usize.div_ceil(columns));
                let mut one = |len: usize| Windows {
                    width: [1, 2, 3, 5, 16, 33, len, len + 3][pick(8)],
                    stride: [1, 1, 1, 2, 5][pick(5)],
                    align: Align::ALL[pick(3)],
                    border: Border::ALL[pick(3)],
                };
                let windows = [one(rows), one(columns)];
                check_grid(engine, &array[..rows * columns], Order::Max, columns, windows, kind.name());
            }
        }
    }
    // Short arrays of few values: every shape of ties appears.
    for case in 0..short {
        let n = pick(40);
        let array: Vec<K> = (0..n).map(|i| K::from_f64(random.below(1000 + 64 * case + i as u64, 4) as f64)).collect();
        let border = Border::ALL[pick(3)];
        let windows = Windows { width: 1 + pick(45), stride: 1 + pick(3), align: Align::ALL[pick(3)], border };
        check_regular(engine, &array, [Order::Min, Order::Max][pick(2)], windows, "short");
        let (starts, ends) = bounds(n, pick(60), 1 + pick(20), &mut pick);
        check_ragged(engine, &array, Order::Max, &starts, &ends, "short");
    }
}

/// Bounds that ascend, of windows of about `width` elements.
fn bounds(n: usize, count: usize, width: usize, pick: &mut dyn FnMut(usize) -> usize) -> (Vec<u64>, Vec<u64>) {
    let mut starts: Vec<u64> = (0..count).map(|_| pick(n + 1) as u64).collect();
    starts.sort_unstable();
    let mut last = 0;
    let end = |&start: &u64| {
        last = (start + pick(width + 1) as u64).min(n as u64).max(last);
        last
    };
    let ends = starts.iter().map(end).collect();
    (starts, ends)
}

/// Windows of one width, against the definition.
pub fn check_regular<K: Key>(engine: &dyn WindowEngine, array: &[K], order: Order, windows: Windows, name: &str) {
    let n = array.len();
    let all = 0..windows.count(n);
    let ranges: Vec<Range<usize>> = all.map(|j| windows.range(j, n)).collect();
    let mut expected = windows_by_queue(array, order, ranges);
    for (j, expected) in expected.iter_mut().enumerate() {
        if windows.border == Border::Fill && !windows.is_whole(j, n) {
            *expected = None;
        }
    }
    check(engine, array, order, Shape::Regular(windows), &expected, name);
}

/// Windows by bounds.
pub fn check_ragged<K: Key>(
    engine: &dyn WindowEngine,
    array: &[K],
    order: Order,
    starts: &[u64],
    ends: &[u64],
    name: &str,
) {
    let ranges = starts.iter().zip(ends).map(|(&start, &end)| start as usize..end as usize);
    let expected = windows_by_queue(array, order, ranges);
    let narrow = |bounds: &[u64]| bounds.iter().map(|&bound| bound as u32).collect::<Vec<_>>();
    let (narrow_starts, narrow_ends) = (narrow(starts), narrow(ends));
    let shape = Shape::Ragged { starts: u32::view(&narrow_starts), ends: u32::view(&narrow_ends) };
    check(engine, array, order, shape, &expected, name);
    let shape = Shape::Ragged { starts: u64::view(starts), ends: u64::view(ends) };
    check(engine, array, order, shape, &expected, name);
}

/// Windows of a picture: rows one after the other, then columns of these, by the queue.
pub fn check_grid<K: Key>(
    engine: &dyn WindowEngine,
    array: &[K],
    order: Order,
    columns: usize,
    windows: [Windows; 2],
    name: &str,
) {
    let [down, along] = windows;
    let rows = array.len() / columns;
    let ranges = |windows: Windows, len: usize| (0..windows.count(len)).map(move |j| windows.range(j, len));
    let by_rows: Vec<Vec<usize>> = (0..rows)
        .map(|row| {
            let keys = &array[row * columns..][..columns];
            let found = windows_by_queue(keys, order, ranges(along, columns));
            found.into_iter().map(|at| row * columns + at.expect("windows are not empty")).collect()
        })
        .collect();
    let mut expected = vec![None; down.count(rows) * along.count(columns)];
    for column in 0..along.count(columns) {
        let keys: Vec<K> = by_rows.iter().map(|row| array[row[column]]).collect();
        for (row, found) in windows_by_queue(&keys, order, ranges(down, rows)).into_iter().enumerate() {
            let is_filled = |windows: Windows, j, len| windows.border == Border::Fill && !windows.is_whole(j, len);
            if !is_filled(down, row, rows) && !is_filled(along, column, columns) {
                expected[row * along.count(columns) + column] = found.map(|row| by_rows[row][column]);
            }
        }
    }
    check(engine, array, order, Shape::Grid { columns, windows }, &expected, name);
}

/// Checks one shape: values, positions, both, in both widths.
pub fn check<K: Key>(
    engine: &dyn WindowEngine,
    array: &[K],
    order: Order,
    shape: Shape<'_>,
    expected: &[Option<usize>],
    name: &str,
) {
    check_width::<K, u32>(engine, array, order, shape, expected, &[(true, true), (true, false), (false, true)], name);
    // The widths share their code: one combination shows that the wide one works.
    check_width::<K, u64>(engine, array, order, shape, expected, &[(true, true)], name);
}

fn check_width<K: Key, P: Position>(
    engine: &dyn WindowEngine,
    array: &[K],
    order: Order,
    shape: Shape<'_>,
    expected: &[Option<usize>],
    wanted: &[(bool, bool)],
    name: &str,
) {
    let fill = K::from_low_bits(0x5a5a_5a5a_5a5a_5a5a);
    let count = expected.len();
    for &(with_values, with_positions) in wanted {
        let (n, shown) = (array.len(), format!("{shape:?}"));
        let shown = if shown.len() > 300 { "by bounds" } else { &shown };
        let case = format!("{} {} {name} {order:?} n={n} {shown} {}", engine.name(), K::NAME, P::NAME);
        // Poison: an entry that is not written shows.
        let mut values = vec![K::from_low_bits(0xa5a5_a5a5_a5a5_a5a5); count];
        let mut positions = vec![P::new(n + 7); count];
        let outputs = Outputs {
            values: with_values.then(|| BitsMut::of(&mut values)),
            positions: with_positions.then(|| P::buffer(&mut positions)),
        };
        solve_bits(Bits::of(array), Coding::of::<K>(order), shape, fill.to_low_bits(), engine, outputs)
            .unwrap_or_else(|e| panic!("{case}: {e}"));
        for (j, expected) in expected.iter().enumerate() {
            let value = expected.map_or(fill, |at| array[at]);
            assert!(
                !with_positions || positions[j].checked() == *expected,
                "{case} ({with_values}, true): position {j} is {:?}, not {expected:?}",
                positions[j]
            );
            assert!(
                !with_values || values[j].to_low_bits() == value.to_low_bits(),
                "{case} (true, {with_positions}): value {j} is {:?}, not {value:?}",
                values[j]
            );
        }
    }
}
