//! Windows of pictures: along every row, then, of what was found, down every column.
//!
//! Windows of few rows are found in the columns as they lie. For others columns are turned into rows and back: two reads and writes more
//! than there must be.

mod down;

use thalweg_arrays::window::{Border, Windows};
use thalweg_core::Result;

use super::Problem;
use super::along::{Along, Found};
use super::fill::Fill;
use super::tuning::Tuning;
use crate::array::Keys;
use crate::kernel::Source;
use crate::primitives::elementwise::Elementwise;
use crate::recorder::Recorder;

pub(super) fn record(
    commands: &mut Recorder<'_>,
    problem: &Problem<'_>,
    columns: u64,
    [down, along]: &[Windows; 2],
    found: Found<'_>,
    tuning: &Tuning,
) -> Result<()> {
    let Problem { array, coding, .. } = *problem;
    let (device, words) = (array.device(), array.words());
    let rows = array.len().checked_div(columns).unwrap_or(0);
    let (out_rows, out_columns) = (down.count(rows as usize) as u64, along.count(columns as usize) as u64);
    let positions = found.positions.is_some();
    let new = |len, words| Keys::new(device, len, words);
    let wanted = |wanted: bool, len| wanted.then(|| new(len, 1)).transpose();

    // Along the rows.
    let middle = rows * out_columns;
    let (keys, places) = (new(middle, words)?, wanted(positions, middle)?);
    let first = Found { values: Some(&keys), positions: places.as_ref() };
    if let Some(along) = Along::of(array, coding, columns, along, first) {
        problem.along(commands, &along, tuning)?;
    }
    let count = out_rows * out_columns;
    match Along::of(&keys, coding, rows, down, found) {
        None => {}
        Some(columns) if down::serves(&columns) => down::record(commands, &columns, places.as_ref(), tuning)?,
        Some(_) => {
            turned(commands, problem, (&keys, places.as_ref()), rows, down, found, tuning)?;
        }
    }
    keys.keep_in(commands);
    places.into_iter().for_each(|places| places.keep_in(commands));
    if down.border == Border::Fill || along.border == Border::Fill {
        let part = |windows: &Windows, len: u64| match windows.border {
            Border::Fill => windows.incomplete(len as usize),
            _ => (0, windows.count(len as usize)),
        };
        let fill = Fill { device, coding, value: problem.fill, found };
        fill.frame(commands, count, out_columns, part(down, rows), part(along, columns))?;
    }
    Ok(())
}

/// Down columns that become rows, and what is found there columns again.
fn turned(
    commands: &mut Recorder<'_>,
    problem: &Problem<'_>,
    (keys, places): (&Keys, Option<&Keys>),
    rows: u64,
    down: &Windows,
    found: Found<'_>,
    tuning: &Tuning,
) -> Result<()> {
    let (device, words, columns) = (keys.device(), keys.words(), keys.len() / rows);
    let (out_rows, new) = (down.count(rows as usize) as u64, |len, words| Keys::new(device, len, words));
    let turned = new(keys.len(), words)?;
    transpose(commands, keys, &turned, rows, columns)?;
    let count = out_rows * columns;
    let values = found.values.map(|_| new(count, words)).transpose()?;
    let at = places.map(|_| new(count, 1)).transpose()?;
    let second = Found { values: values.as_ref(), positions: at.as_ref() };
    if let Some(along) = Along::of(&turned, problem.coding, rows, down, second) {
        problem.along(commands, &along, tuning)?;
    }
    turned.keep_in(commands);
    if let (Some(places), Some(at)) = (places, &at) {
        let turned = new(keys.len(), 1)?;
        transpose(commands, places, &turned, rows, columns)?;
        Elementwise::new(device, count, "window", include_str!("through.wgsl"))
            .reads("along", "u32", &turned)
            .writes("positions", "u32", at)
            .dispatch(commands, &[])?;
        turned.keep_in(commands);
    }
    for (from, to) in [(values, found.values), (at, found.positions)] {
        if let (Some(from), Some(to)) = (from, to) {
            transpose(commands, &from, to, columns, out_rows)?;
            from.keep_in(commands);
        }
    }
    Ok(())
}

/// Rows become columns.
fn transpose(commands: &mut Recorder<'_>, from: &Keys, to: &Keys, rows: u64, columns: u64) -> Result<()> {
    let device = from.device();
    let element = if from.words() == 1 { include_str!("one_word.wgsl") } else { include_str!("two_words.wgsl") };
    let source = Source::new("window", include_str!("transpose.wgsl"), "transpose")
        .include(element)
        .reads_sharded("straight", "Element", from.sharding())
        .writes_sharded("turned", "Element", to.sharding());
    let across = columns.div_ceil(32);
    let tiles = across * rows.div_ceil(32);
    let bindings: Vec<_> = from.bindings().chain(to.bindings()).collect();
    commands.dispatch(&*device.kernel(&source)?, tiles, &bindings, &[rows, columns, across, tiles].map(|n| n as u32))
}
