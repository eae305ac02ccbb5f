//! The numbers that are transformed: `f32` and `f64`.

use num_complex::Complex;
use thalweg_core::memory::Zeroable;

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

    /// The nearest number.
    fn of(value: f64) -> Self;

    /// The same number, wider.
    fn wide(self) -> f64;
}

impl Float for f32 {
    const NAME: &'static str = "f32";
    const ROUNDING: f64 = 1.0 / (1u64 << 24) as f64;

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

    fn of(value: f64) -> Self {
        value
    }

    fn wide(self) -> f64 {
        self
    }
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
