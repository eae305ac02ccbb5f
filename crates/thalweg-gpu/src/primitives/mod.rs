//! Parallel primitives on the device: the building blocks of the engines.

mod reduce;

pub use reduce::min;
