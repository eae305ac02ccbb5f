//! The sizes of the workgroups of all engines.

/// Threads of a workgroup. Not measured.
pub(super) const THREADS: u32 = 256;
/// Elements of a thread where it only passes by. Not measured.
pub(super) const ITEMS: u32 = 4;
