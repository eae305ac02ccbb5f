//! The minima of 1, 2, 4, ... elements from every element on, for short ranges of short arrays: two reads answer one.
//!
//! Memory: ROWS times the array, so they are made only where the caches hold them, and only for who asks much.

use thalweg_core::{DeviceErrorKind, Result};

use crate::array::Keys;
use crate::coding::KeyCode;
use crate::kernel::Source;
use crate::memory::Buffer;
use crate::primitives::elementwise::{Elementwise, THREADS};

/// Elements of an array that has windows, at most.
const LONGEST: u64 = 1 << 21;
/// Windows of 1 to 2^(ROWS - 1) elements. Ranges shorter than 2^ROWS are answered by two.
pub(super) const ROWS: u32 = 8;
/// Queries of a batch for which they are made, for every element: then they take less time than they save.
const QUERIES: u64 = 4;

/// Whether a batch of so many queries is to be answered by windows.
pub(super) fn pay(values: &Keys, queries: u32) -> bool {
    values.len() <= LONGEST && u64::from(queries) >= QUERIES * values.len()
}

#[derive(Debug)]
pub(super) struct Windows {
    /// Row by row.
    pub(super) minima: Buffer,
    pub(super) bytes: u64,
}

/// The windows of an array, or `None` if the device has no room for them. The commands that make them are on their way.
pub(super) fn make(values: &Keys, coding: KeyCode) -> Result<Option<Windows>> {
    let (device, len) = (values.device(), values.len());
    let words = len * u64::from(ROWS * coding.words);
    if 4 * words > device.limits().binding_bytes {
        return Ok(None);
    }
    let windows = match device.words(words, "windows") {
        Err(e) if e.device_kind() == Some(DeviceErrorKind::OutOfMemory) => return Ok(None),
        windows => windows?,
    };
    let mut commands = device.record();
    Elementwise::statement(device, len, "rmq lines", "table_put(i, key_rank(values_at(i)));")
        .reads("values", "Key", values)
        .declare(|source| source.keys(coding).writes("table", "Key"), [windows.all()].into_iter())
        .dispatch(&mut commands, &[])?;
    let source = Source::new("rmq lines", include_str!("../sparse_table/rows.wgsl"), "table_rows")
        .include("struct Params { groups: u32, rows: u32, row: u32 }\n")
        .include("fn table_positions_at(i: u32) -> u32 { return 0u; }\n")
        .include("fn table_positions_put(i: u32, position: u32) {}\n")
        .constant("THREADS", THREADS)
        .constant("ROWS", 3)
        .keys(coding)
        .writes("table", "Key");
    let kernel = device.kernel(&source)?;
    for row in (0..ROWS - 1).step_by(3) {
        let params = [len as u32, ROWS, row];
        commands.dispatch(&kernel, len.div_ceil(THREADS.into()), &[windows.all()], &params)?;
    }
    commands.submit()?;
    Ok(Some(Windows { minima: windows, bytes: 4 * words }))
}
