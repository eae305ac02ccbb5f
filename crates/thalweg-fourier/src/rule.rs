//! What decides between sums of products and transforms: times that were measured.
//!
//! With AVX-512, one thread, a picture of 1400 x 1000 in single precision, sigma from 1 to 50, by the process's clock on a machine with
//! other work: sums of products took 0.026 ns a product and 2 ns a sample beside; transforms of rows and columns 0.42 ns a
//! sample and doubling of the length, there and back. With AVX2 (`THALWEG_SIMD=avx2`) products took 0.04 ns; without vectors they
//! were not measured. Only ratios count. `thalweg-bench blur --threads 1 --dtype f32` tells both engines' times, and which one is
//! chosen.

use crate::vector::{Lanes, Machine};

/// Nanoseconds a sample beside the products: it is read, copied and written.
const COPY: f64 = 2.0;
/// Nanoseconds for an element and a doubling of the transforms' length, forward and back, in single precision.
const TRANSFORM: f64 = 0.42;

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
