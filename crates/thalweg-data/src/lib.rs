//! Data and naive answers: arrays, lists, forests, graphs, maps, texts, points, puzzles and queries, benign, structured and hostile, and
//! the oracles that engines are compared with. The command generates from it, the benchmarks and the conformance suites run on it.
#![warn(missing_debug_implementations)]

pub mod arrays;
pub mod convolutions;
pub mod envelopes;
pub mod exact;
pub mod forests;
pub mod graphs;
pub mod grids;
pub mod hulls;
pub mod integer_convolutions;
pub mod lists;
pub mod marbles;
pub mod oracles;
pub mod pictures;
pub mod points;
pub mod queries;
mod random;
pub mod segments;
pub mod signals;
pub mod sudokus;
pub mod texts;
pub mod transforms;

pub use arrays::ArrayKind;
pub use forests::ForestKind;
pub use graphs::GraphKind;
pub use grids::{GridKind, grid_queries};
pub use lists::ListKind;
pub use pictures::PictureKind;
pub use points::PointKind;
pub use queries::QueryKind;
pub use random::Random;
pub use segments::SegmentKind;
pub use signals::SignalKind;
pub use sudokus::SudokuKind;
pub use texts::TextKind;

/// Runs `f` on a thread pool of its own with `threads` threads.
pub fn with_threads<T: Send>(threads: usize, f: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a small thread pool").install(f)
}

/// What `element` says of every number below `n`, in parallel.
///
/// # Panics
/// If there is not so much memory.
fn made<T: Send>(n: usize, element: impl Fn(usize) -> T + Sync) -> Vec<T> {
    thalweg_core::memory::computed(n, 1 << 14, "generated data", element).unwrap_or_else(|error| panic!("{error}"))
}
