//! The numbers that are transformed: `f32` and `f64`.

use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};

use num_complex::Complex;
use thalweg_core::memory::Zeroable;
use thalweg_core::parallel::for_each_chunk;

use crate::vector::Lanes;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// A number that can be transformed: `f32` or `f64`. Sealed, because the contract of errors is known for these two only.
pub trait Float: sealed::Sealed + Lanes + rustfft::FftNum + Zeroable + bytemuck::Pod + PartialOrd + Default {
    /// The type's name: `f32`.
    const NAME: &'static str;
    /// The largest relative error of rounding: 2^-24 or 2^-53.
    const ROUNDING: f64;

    /// The largest finite number.
    const MOST: f64;

    /// The nearest number.
    fn of(value: f64) -> Self;

    /// The same number, wider.
    fn wide(self) -> f64;
}

impl Float for f32 {
    const NAME: &'static str = "f32";
    const ROUNDING: f64 = 1.0 / (1u64 << 24) as f64;
    const MOST: f64 = f32::MAX as f64;

    fn of(value: f64) -> Self {
        value as Self
    }

    fn wide(self) -> f64 {
        self.into()
    }
}

impl Float for f64 {
    const NAME: &'static str = "f64";
    const ROUNDING: f64 = 1.0 / (1u64 << 53) as Self;
    const MOST: f64 = Self::MAX;

    fn of(value: f64) -> Self {
        value
    }

    fn wide(self) -> f64 {
        self
    }
}

/// What is of a type that is known to be the other: for generic functions whose bodies are compiled in this crate for the types
/// there are.
///
/// # Panics
/// If it is not.
pub(crate) fn same<A: Any, B: Any>(value: A) -> B {
    *(Box::new(value) as Box<dyn Any>).downcast().expect("types are told apart by their names")
}

/// The largest absolute value; infinity if one is not finite. One pass, on all threads.
pub(crate) fn largest<T: Float>(values: &[T]) -> f64 {
    // The bits of positive numbers are in their order.
    let largest = AtomicU64::new(0);
    for_each_chunk(values.len(), 1 << 16, &|range| {
        let mut most = [T::default(); 16];
        let mut sums = most;
        let (lines, rest) = values[range].as_chunks::<16>();
        for line in lines {
            for ((most, sum), &x) in most.iter_mut().zip(&mut sums).zip(line) {
                let size = x.abs();
                *most = if size > *most { size } else { *most };
                // Zero for a number, NaN for what is none.
                *sum = *sum + x * T::default();
            }
        }
        let is_finite = sums.iter().chain(rest).all(|x| *x * T::default() == T::default());
        let most = most.iter().chain(rest).map(|x| x.abs().wide()).fold(0.0, f64::max);
        largest.fetch_max(if is_finite { most } else { f64::INFINITY }.to_bits(), Ordering::Relaxed);
    });
    f64::from_bits(largest.into_inner())
}

/// `exp(2 pi i * numerator / denominator)`, every part rounded once or nearly so: the angle is brought to an eighth of the
/// circle in integers first.
pub fn root_of_unity(numerator: u64, denominator: u64) -> Complex<f64> {
    let (numerator, denominator) = ((numerator % denominator) as u128, denominator as u128);
    // In eighths of the circle, and what is left of the angle, in units of 1 / (8 denominator) of it.
    let (octant, rest) = (8 * numerator / denominator, 8 * numerator % denominator);
    let fold = if octant % 2 == 1 { denominator - rest } else { rest };
    let angle = fold as f64 / denominator as f64 * std::f64::consts::FRAC_PI_4;
    let (sin, cos) = angle.sin_cos();
    let (x, y) = match octant {
        0 => (cos, sin),
        1 => (sin, cos),
        2 => (-sin, cos),
        3 => (-cos, sin),
        4 => (-cos, -sin),
        5 => (-sin, -cos),
        6 => (sin, -cos),
        _ => (cos, -sin),
    };
    Complex::new(x, y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_is_found() {
        for len in [1, 15, 16, 17, 100, 65_536, 65_537, 200_001] {
            let mut values = vec![1.0f32; len];
            assert_eq!(largest(&values), 1.0);
            for at in [0, len / 2, len - 1] {
                for (x, wanted) in [(-7.0, 7.0), (f32::NAN, f64::INFINITY), (f32::NEG_INFINITY, f64::INFINITY)] {
                    let before = std::mem::replace(&mut values[at], x);
                    assert_eq!(largest(&values), wanted, "{x} at {at} of {len}");
                    values[at] = before;
                }
            }
        }
    }

    #[test]
    fn roots_are_on_the_circle_where_they_belong() {
        for denominator in [1, 2, 3, 4, 5, 7, 8, 12, 16, 360, 1009] {
            for numerator in 0..2 * denominator {
                let expected = Complex::from_polar(1.0, std::f64::consts::TAU * numerator as f64 / denominator as f64);
                assert!((root_of_unity(numerator, denominator) - expected).norm() < 1e-14);
            }
        }
        assert_eq!(root_of_unity(1, 4), Complex::new(0.0, 1.0));
        assert_eq!(root_of_unity(1 << 62, 1 << 63), Complex::new(-1.0, 0.0));
    }
}
