//! Conformance suites.
//!
//! Everything that must behave the same is held to it by one suite: an engine of any crate, on any device, gets all
//! types, datasets and boundary sizes with one line. A feature a family, so that the tests of one do not compile the
//! others.

#[cfg(feature = "arrays")]
pub mod ansv;
mod levels;
#[cfg(feature = "trees")]
pub mod list;
pub mod primitives;
#[cfg(feature = "arrays")]
pub mod rmq;
#[cfg(feature = "text")]
pub mod text;
#[cfg(feature = "trees")]
pub mod tree;

pub use levels::at_every_level;
pub use thalweg_data::with_threads;

/// Array lengths around every boundary that an engine has: empty, one, cache lines of 16, blocks of 256, groups and
/// tiles up to 65,536, and primes in between.
pub const SIZES: &[usize] = &[
    0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 255, 256, 257, 511, 513, 1009, 1023, 1024, 1025, 4095, 4096,
    4097, 8193, 12_289, 20_011, 65_535, 65_536, 65_537, 100_003,
];
