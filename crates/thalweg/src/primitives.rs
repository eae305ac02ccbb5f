//! Parallel primitives: the set of BSGP (Hou, Zhou, Guo 2008), on the threads of the current rayon pool.
//!
//! They work on whatever the caller has in memory, with the caller's own operations, so they run where the caller does.
//! The same set for arrays on a GPU is `thalweg::gpu::primitives` (feature `gpu`).

pub use thalweg_core::primitives::*;
