//! Datasets, naive oracles and conformance suites.
//!
//! Everything that must behave the same is held to it by one suite: an engine of any crate, on any device, gets all
//! types, datasets and boundary sizes with one line. The command line uses the same datasets for `gen` and `bench`.

pub mod ansv;
pub mod arrays;
pub mod forests;
pub mod list;
pub mod lists;
pub mod primitives;
pub mod queries;
mod random;
pub mod rmq;
pub mod text;
pub mod texts;
pub mod tree;

pub use arrays::ArrayKind;
pub use forests::ForestKind;
pub use lists::ListKind;
pub use queries::QueryKind;
pub use random::Random;
pub use texts::TextKind;

/// Array lengths around every boundary that an engine has: empty, one, cache lines of 16, blocks of 256, groups and
/// tiles up to 65,536, and primes in between.
pub const SIZES: &[usize] = &[
    0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 255, 256, 257, 511, 513, 1009, 1023, 1024, 1025, 4095, 4096,
    4097, 8193, 12_289, 20_011, 65_535, 65_536, 65_537, 100_003,
];

/// Runs `f` on a thread pool of its own with `threads` threads.
pub fn with_threads<T: Send>(threads: usize, f: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a small thread pool").install(f)
}
