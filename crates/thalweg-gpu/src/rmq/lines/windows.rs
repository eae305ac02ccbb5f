//! The minima of 1, 3, 6, 12, ... elements from every element on, for short ranges of short arrays: two reads answer one.
//!
//! Memory: ROWS times the array, so they are made only where the caches hold them, and only for who asks much. The fewer rows ranges of
//! like lengths need, the better. The lengths are chosen for the short ranges that are measured with 2^20 elements, around 64: with 1, 2, 4, ...
//! elements those take turns with two rows, and a quarter longer on an H200. Ranges around 48 or 96 take turns now; they were not measured.

use thalweg_core::{DeviceErrorKind, Result};

use crate::array::Keys;
use crate::coding::KeyCode;
use crate::kernel::Source;
use crate::memory::Buffer;

/// Elements of an array that has windows, at most.
const LONGEST: u64 = 1 << 21;
/// Rows of windows, the last ones of 192 elements. Ranges shorter than two of those are answered.
const ROWS: u32 = 8;
/// Threads of the kernel that makes them: more than the longest window has elements.
const THREADS: u32 = 256;
/// Queries of a batch for which they are made, for every element: then they take less time than they save.
const QUERIES: u64 = 4;

/// Declares rows of windows.
pub(super) fn declare(source: Source) -> Source {
    source.constant("WINDOW_ROWS", ROWS).include(include_str!("window_rows.wgsl"))
}

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
    let source = declare(Source::new("rmq lines", include_str!("windows.wgsl"), "make_windows"))
        .constant("THREADS", THREADS)
        .keys(coding)
        .reads_sharded("values", "Key", values.sharding())
        .writes("windows", "Key");
    let buffers: Vec<_> = values.bindings().chain([windows.all()]).collect();
    let mut commands = device.record();
    commands.dispatch(&*device.kernel(&source)?, len.div_ceil(THREADS.into()), &buffers, &[len as u32])?;
    commands.submit()?;
    Ok(Some(Windows { minima: windows, bytes: 4 * words }))
}
