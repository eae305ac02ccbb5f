//! The numbers that pictures are made of.

use crate::Float;
use crate::float::largest;

mod sealed {
    pub trait Sealed {}
    impl Sealed for u8 {}
    impl Sealed for u16 {}
    impl Sealed for f32 {}
}

/// A sample of a picture: `u8`, `u16` or `f32`. Sealed, because the engines know these three.
pub trait Sample: sealed::Sealed + bytemuck::Pod + Send + Sync + Default + PartialEq + std::fmt::Debug {
    /// The type's name: `u8`.
    const NAME: &'static str;
    /// What an opaque pixel's alpha is: the largest number, or 1.
    const OPAQUE: f64;

    /// The same number, wider.
    fn wide(self) -> f64;

    /// The nearest sample.
    fn of(value: f64) -> Self;

    /// Whether this alpha is none: rounded to a sample it is 0, or it is below 2^-24.
    fn is_transparent(alpha: f64) -> bool;

    /// Whether transforms of `len` samples at a time can be trusted: all are finite, and no sum of them is not.
    #[doc(hidden)]
    fn can_be_transformed(samples: &[Self], len: usize) -> bool;

    /// The same number in single precision.
    #[doc(hidden)]
    fn single(self) -> f32;

    /// The nearest sample of a number in single precision.
    #[doc(hidden)]
    fn of_single(value: f32) -> Self;

    /// The same number in the precision of engines.
    #[doc(hidden)]
    #[inline(always)]
    fn real<T: Float>(self) -> T {
        T::of(self.wide())
    }

    /// The nearest sample of a number in the precision of engines.
    #[doc(hidden)]
    #[inline(always)]
    fn of_real<T: Float>(value: T) -> Self {
        Self::of_single(value.wide() as f32)
    }
}

/// Samples of whole numbers: all of the type's range is a level.
macro_rules! levels {
    ($($type:ident),+) => {$(
        impl Sample for $type {
            const NAME: &'static str = stringify!($type);
            const OPAQUE: f64 = $type::MAX as f64;

            #[inline(always)]
            fn wide(self) -> f64 {
                self.into()
            }

            fn of(value: f64) -> Self {
                value.round_ties_even() as Self
            }

            fn can_be_transformed(_: &[Self], _: usize) -> bool {
                true
            }

            #[inline(always)]
            fn is_transparent(alpha: f64) -> bool {
                alpha < 0.5
            }

            #[inline(always)]
            fn single(self) -> f32 {
                self.into()
            }

            #[inline(always)]
            fn of_single(value: f32) -> Self {
                // By way of `i32`, for which vectors have an instruction.
                (value + 0.5).clamp(0.0, Self::OPAQUE as f32) as i32 as Self
            }
        }
    )+};
}

levels!(u8, u16);

impl Sample for f32 {
    const NAME: &'static str = "f32";
    const OPAQUE: f64 = 1.0;

    #[inline(always)]
    fn wide(self) -> f64 {
        self.into()
    }

    fn of(value: f64) -> Self {
        value as Self
    }

    fn can_be_transformed(samples: &[Self], len: usize) -> bool {
        largest(samples) * (len as f64) < Self::MOST
    }

    #[inline(always)]
    fn is_transparent(alpha: f64) -> bool {
        alpha < 1.0 / (1u32 << 24) as f64
    }

    #[inline(always)]
    fn single(self) -> f32 {
        self
    }

    #[inline(always)]
    fn of_single(value: f32) -> Self {
        value
    }
}
