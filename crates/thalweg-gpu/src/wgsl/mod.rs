//! WGSL that kernels of several problems share.

/// `Key` and its functions for keys of 8, 16 and 32 bits.
pub(crate) const KEY32: &str = include_str!("key32.wgsl");
/// `Key` and its functions for keys of 64 bits.
pub(crate) const KEY64: &str = include_str!("key64.wgsl");
/// What every kernel has: its workgroup's number.
pub(crate) const COMMON: &str = include_str!("common.wgsl");
/// A number that looks random: `mixed(x)`.
pub(crate) const MIX: &str = include_str!("mix.wgsl");
/// `fixed_width(width)`: a subgroup's width, a constant where the device has only one.
pub(crate) const WIDTH: &str = include_str!("width.wgsl");
