//! How far a transform may be off.

use crate::Float;

/// What the relative error of a transform of `len` elements stays below, in the root mean square: the size of the difference
/// from the exact result, by the result's size.
///
/// That is `2^-24 sqrt(log2 len)` in `f32`, and `2^-53 sqrt(log2 len)` in `f64` for powers of two. In `f64` it is four times
/// that for other lengths, because the roots of unity of the butterflies (`rustfft` 6.4) are taken of rounded angles there.
/// For arrays, `len` is how many elements are transformed together.
///
/// ```
/// use thalweg_fourier::transform::error_limit;
/// assert_eq!(error_limit::<f32>(1 << 16), 4.0 / (1 << 24) as f64);
/// ```
pub fn error_limit<T: Float>(len: usize) -> f64 {
    let times = if T::NAME == f64::NAME && !len.is_power_of_two() { 4.0 } else { 1.0 };
    times * T::ROUNDING * (len as f64).log2().sqrt()
}
