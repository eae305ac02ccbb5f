//! What can be summed along lists, and the types of the sums: the same on every device.

use thalweg_core::memory::Zeroable;

/// A weight: `i32`, `u32`, `i64`, `u64`, or an array of such, whose numbers are summed separately.
///
/// The sums of 32-bit weights have 64 bits, and are exact. Those of 64-bit weights wrap around, so a sum that fits is
/// right even where the sums on the way to it do not. An array has at least one number; up to three of them are summed
/// in the same walk, more take a walk for every three.
///
/// Sealed: engines sum plain 64-bit words, in which two's complement serves both signs. What they need to know of a
/// weight is in the constants, and [`Weight::view`] and [`Weight::words`] take the type away.
///
/// ```
/// # use thalweg_trees as thalweg;
/// use thalweg::list::Weight;
/// fn describe<W: Weight>() -> (usize, u32, bool) {
///     (W::COUNT, W::BITS, W::SIGNED)
/// }
/// assert_eq!(describe::<i32>(), (1, 32, true));
/// assert_eq!(describe::<[u64; 2]>(), (2, 64, false));
/// ```
pub trait Weight: Copy + std::fmt::Debug + Send + Sync + sealed::Sealed + 'static {
    /// The type of the sums: `i64` for signed weights, `u64` for unsigned ones, arrays of those for arrays.
    type Sum: Copy + std::fmt::Debug + Default + PartialEq + Send + Sync + Zeroable + 'static;
    /// How many numbers a weight has: one, or the length of the array.
    const COUNT: usize;
    /// Bits of a number: 32 or 64.
    const BITS: u32;
    /// Whether the numbers have signs.
    const SIGNED: bool;
    /// All numbers of some weights, one weight after the other.
    fn view(weights: &[Self]) -> Numbers<'_>;
    /// The words of some sums, [`Weight::COUNT`] each.
    fn words(sums: &mut [Self::Sum]) -> &mut [u64];
}

/// The numbers of weights, whatever their type. Every device takes all of them.
#[derive(Clone, Copy, Debug)]
pub enum Numbers<'w> {
    /// 32 bits with signs.
    I32(&'w [i32]),
    /// 32 bits.
    U32(&'w [u32]),
    /// 64 bits with signs.
    I64(&'w [i64]),
    /// 64 bits.
    U64(&'w [u64]),
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for i32 {}
    impl Sealed for u32 {}
    impl Sealed for i64 {}
    impl Sealed for u64 {}
    impl<W: Sealed, const C: usize> Sealed for [W; C] {}
}

macro_rules! weight {
    ($($t:ident, $numbers:ident => $sum:ty;)*) => {$(
        impl Weight for $t {
            type Sum = $sum;
            const COUNT: usize = 1;
            const BITS: u32 = <$t>::BITS;
            const SIGNED: bool = <$t>::MIN != 0;
            fn view(weights: &[Self]) -> Numbers<'_> {
                Numbers::$numbers(weights)
            }
            fn words(sums: &mut [$sum]) -> &mut [u64] {
                bytemuck::cast_slice_mut(sums)
            }
        }

        impl<const C: usize> Weight for [$t; C] where [$sum; C]: Default {
            type Sum = [$sum; C];
            const COUNT: usize = {
                assert!(C > 0, "a weight has at least one number");
                C
            };
            const BITS: u32 = <$t>::BITS;
            const SIGNED: bool = <$t>::MIN != 0;
            fn view(weights: &[Self]) -> Numbers<'_> {
                Numbers::$numbers(weights.as_flattened())
            }
            fn words(sums: &mut [[$sum; C]]) -> &mut [u64] {
                bytemuck::cast_slice_mut(sums.as_flattened_mut())
            }
        }
    )*};
}
weight! {
    i32, I32 => i64;
    u32, U32 => u64;
    i64, I64 => i64;
    u64, U64 => u64;
}
