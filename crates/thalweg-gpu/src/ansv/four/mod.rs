//! Four keys at a time, as kernels read and compare them: `Four`, and functions on it.

use crate::kernel::Source;

/// `values_four(i)`: the ranks of four keys from an array `values`.
pub(super) const LOAD_VALUES: &str = include_str!("load_values.wgsl");
/// `levels_four(i)`: four ranks from an array `levels`.
pub(super) const LOAD_LEVELS: &str = include_str!("load_levels.wgsl");

/// Declares `Four`, for a kernel that knows `Key`, of so many words. `strict`: what counts as a neighbour is smaller, and not as small.
pub(super) fn declare(source: Source, words: u32, strict: bool) -> Source {
    let keys = if words == 1 { include_str!("four32.wgsl") } else { include_str!("four64.wgsl") };
    source.flag("STRICT", strict).include(keys).include(include_str!("four.wgsl"))
}
