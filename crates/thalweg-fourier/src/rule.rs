//! What decides between sums of products and transforms: times that were measured.
//!
//! With AVX-512, one thread, a picture of 1400 x 1000 in single precision, sigma from 1 to 50, by the process's clock on a machine with
//! other work: sums of products took 0.026 ns a product and 2 ns a sample beside; transforms of rows and columns 0.42 ns a
//! sample and doubling of the length, there and back. With AVX2 (`THALWEG_SIMD=avx2`) products took 0.04 ns; without vectors they
//! were not measured. Convolutions of 2^20 elements, in tiles there and back: 0.6 ns an element and doubling of the tile's length, and
//! 2.8 us a tile beside. Only ratios count. `thalweg-bench blur --threads 1 --dtype f32` and `thalweg-bench convolve --threads 1`
//! tell both engines' times, and which one is chosen.

use crate::vector::{Lanes, Machine};

/// Nanoseconds a sample beside the products: it is read, copied and written.
const COPY: f64 = 2.0;
/// Nanoseconds for an element and a doubling of the transforms' length, forward and back, in single precision.
const TRANSFORM: f64 = 0.42;

/// The same for tiles in two dimensions, with all that is done to them beside, and nanoseconds for a tile.
const TILED: f64 = 0.6;
const TILE: f64 = 2800.0;

/// What a tile costs, counted in elements times doublings.
pub(crate) const TILE_WORK: f64 = TILE / TILED;

/// Nanoseconds before the first transform: plans, a spectrum, memory. Not measured, a guess: short arrays are not worth them.
const START: f64 = 30_000.0;

/// Nanoseconds for a product in single precision.
fn product() -> f64 {
    match Machine::here() {
        Machine::Avx512 => 0.026,
        Machine::Avx2 => 0.041,
        Machine::Plain => 0.2,
    }
}

/// How many numbers of a type take as long as one in single precision.
fn width<T: Lanes>() -> f64 {
    size_of::<T>() as f64 / size_of::<f32>() as f64
}

/// Nanoseconds for `products` of one result.
pub(crate) fn direct<T: Lanes>(products: f64) -> f64 {
    (COPY + products * product()) * width::<T>()
}

/// Nanoseconds for transforms of `elements` in all, each of this length, forward and back.
pub(crate) fn transforms<T: Lanes>(elements: f64, len: usize) -> f64 {
    START + elements * (len as f64).log2().max(1.0) * TRANSFORM * width::<T>()
}

/// Nanoseconds for tiles that take this much work, in elements times doublings.
pub(crate) fn tiles<T: Lanes>(work: f64) -> f64 {
    START + work * TILED * width::<T>()
}
