//! Parallel primitives: the set of BSGP (Hou, Zhou, Guo 2008).
//!
//! Most of them work on whatever the caller has in memory, with the caller's own operations, so they run on the threads of
//! the current rayon pool. [Sorting](mod@sort) has engines, and so a builder with a device. The whole set for arrays that
//! stay on a GPU is `thalweg::gpu::primitives` (feature `gpu`).

pub mod sort;

pub use thalweg_core::primitives::*;
