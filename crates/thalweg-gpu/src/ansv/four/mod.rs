//! Four keys at a time, as kernels read and compare them: `Four`, and functions on it.

use thalweg_core::Key;

use crate::array::DeviceArray;
use crate::coding;
use crate::kernel::Source;

/// `values_four(i)`: the ranks of four keys from an array `values`.
pub(super) const LOAD_VALUES: &str = include_str!("load_values.wgsl");
/// `levels_four(i)`: four ranks from an array `levels`.
pub(super) const LOAD_LEVELS: &str = include_str!("load_levels.wgsl");

/// Declares `Four`, for a kernel that knows `Key`. `strict`: what counts as a neighbour is smaller, and not as small.
pub(super) fn declare<K: Key>(source: Source, strict: bool) -> Source {
    let keys = if coding::words::<K>() == 1 { include_str!("four32.wgsl") } else { include_str!("four64.wgsl") };
    source.flag("STRICT", strict).include(keys).include(include_str!("four.wgsl"))
}

/// How an array of keys is declared as vectors of four words: the elements per buffer become vectors per buffer.
pub(super) fn sharding<K: Key>(array: &DeviceArray<K>) -> Option<(u32, u32)> {
    array.sharding().map(|(shift, count)| (shift + coding::words::<K>() - 3, count))
}
