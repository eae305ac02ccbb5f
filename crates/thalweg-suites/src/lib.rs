//! Conformance suites.
//!
//! Everything that must behave the same is held to it by one suite: an engine of any crate, on any device, gets all
//! types, datasets and boundary sizes with one line. A feature a family, so that the tests of one do not compile the
//! others.

#[cfg(feature = "arrays")]
pub mod ansv;
#[cfg(feature = "arrays")]
pub mod changing;
#[cfg(feature = "fourier")]
pub mod fourier;
#[cfg(feature = "geometry")]
pub mod geometry;
#[cfg(feature = "graph")]
pub mod graph;
#[cfg(feature = "arrays")]
pub mod in_order;
mod levels;
#[cfg(feature = "trees")]
pub mod list;
pub mod primitives;
#[cfg(feature = "puzzle")]
pub mod puzzle;
#[cfg(feature = "arrays")]
pub mod rmq;
#[cfg(feature = "text")]
pub mod text;
#[cfg(target_os = "linux")]
mod threads;
#[cfg(feature = "trees")]
pub mod tree;
#[cfg(feature = "arrays")]
pub mod window;

pub use levels::at_every_level;
pub use thalweg_data::with_threads;
#[cfg(target_os = "linux")]
pub use threads::both_threads_take_part;

/// Array lengths around every boundary that an engine has: empty, one, cache lines of 16, blocks of 256, groups and
/// tiles up to 65,536, and primes in between.
pub const SIZES: &[usize] = &[
    0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 255, 256, 257, 511, 513, 1009, 1023, 1024, 1025, 4095, 4096,
    4097, 8193, 12_289, 20_011, 65_535, 65_536, 65_537, 100_003,
];

/// Some of [`SIZES`], for work in progress.
const FEW_SIZES: &[usize] = &[0, 1, 2, 17, 33, 64, 257, 1025, 4097, 20_011, 65_537];

/// Whether `THALWEG_QUICK=1` asks for a part of the suites only, as `./test.sh quick` does: fewer sizes, and the best
/// instruction set alone.
pub fn is_quick() -> bool {
    std::env::var_os("THALWEG_QUICK").is_some_and(|value| value == "1")
}

/// The lengths that a suite runs on: [`SIZES`], or a few of them.
pub fn sizes() -> &'static [usize] {
    if is_quick() { FEW_SIZES } else { SIZES }
}
