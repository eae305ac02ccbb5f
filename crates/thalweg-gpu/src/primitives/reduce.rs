//! Reduction: one value from many.

use thalweg::{Key, Order, Result};

use crate::array::DeviceArray;
use crate::coding::{self, Coding};
use crate::kernel::Source;
use crate::transfer;

/// Threads of a workgroup.
const THREADS: u32 = 256;
/// Elements that one thread takes.
const ITEMS: u32 = 16;

/// The smallest key of the array (the largest for [`Order::Max`]), or `None` if the array is empty. Where several bit
/// patterns tie (the two zeros, the NaNs), the canonical one is returned: 0.0, or NaN.
pub fn min<K: Key>(array: &DeviceArray<K>, order: Order) -> Result<Option<K>> {
    if array.is_empty() {
        return Ok(None);
    }
    let device = array.device();
    let source = |coding: Coding, sharding| {
        Source::new("reduce", include_str!("reduce.wgsl"), "reduce_min")
            .constant("THREADS", THREADS)
            .constant("ITEMS", ITEMS)
            .keys(coding)
            .reads_sharded("values", "Key", sharding)
            .writes("partial", "Key")
    };
    let tile = u64::from(THREADS * ITEMS);
    let words = u64::from(coding::words::<K>());
    let mut commands = device.record();
    let mut groups = array.len().div_ceil(tile);
    let mut partial = device.words(groups * words, "partial minima")?;
    let first = device.kernel(&source(Coding::of::<K>(order), array.sharding()))?;
    let bindings: Vec<_> = array.bindings().chain([partial.all()]).collect();
    commands.dispatch(&first, groups, &bindings, &[array.len() as u32])?;
    let next = device.kernel(&source(Coding::plain(coding::words::<K>()), None))?;
    while groups > 1 {
        let count = groups;
        groups = count.div_ceil(tile);
        let out = device.words(groups * words, "partial minima")?;
        commands.dispatch(&next, groups, &[partial.all(), out.all()], &[count as u32])?;
        partial = out;
    }
    commands.submit()?;
    let mut rank = 0u64;
    transfer::download(device, &partial, 0, 4 * words, |_, bytes| {
        let word = |i: usize| u64::from(u32::from_ne_bytes(bytes[4 * i..4 * i + 4].try_into().expect("four bytes")));
        rank = word(0) | if bytes.len() > 4 { word(1) << 32 } else { 0 };
    })?;
    Ok(Some(Coding::of::<K>(order).key(rank)))
}
