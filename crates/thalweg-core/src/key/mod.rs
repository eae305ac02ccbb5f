//! The comparable types and their order.
//!
//! Every key is mapped to an unsigned integer of its own width, its *rank*, such that the better key has the smaller
//! rank and equal keys have equal ranks. Engines compare ranks only, so four kernels (8, 16, 32 and 64 bits) serve
//! ten types and both orders. [`bits`] holds arrays whose type has been erased to its width, [`coding`] what is left of
//! the type.

pub mod bits;
pub mod coding;

use std::fmt::Debug;
use std::ops::BitOr;

use self::bits::{Array, Bits, BitsMut};
use self::coding::Ranking;
use crate::memory::Zeroable;
use crate::storage::{Plain, Storage};

/// Which end of the order a problem asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// The smallest element is the best one. NaN counts as larger than everything.
    #[default]
    Min,
    /// The largest element is the best one. NaN counts as smaller than everything.
    Max,
}

/// An unsigned integer that engines compare in place of a key.
///
/// Sealed: engines rely on the four implementations being plain machine integers.
pub trait Rank:
    Copy
    + Ord
    + Default
    + Debug
    + From<u8>
    + BitOr<Output = Self>
    + Zeroable
    + Plain
    + Send
    + Sync
    + sealed::Sealed
    + 'static
{
    /// The worst rank: no key has a larger one.
    const WORST: Self;
    /// Width in bits.
    const BITS: u32;
    /// The numbers 0 to 15.
    const LANES: [Self; 16];
    /// Sixteen times all bits, sixteen zeros, sixteen times all bits: a window of 16 of them, or-ed to 16 ranks, puts
    /// those before or behind a place out of the race. Plain loads, which every compiler turns into vector
    /// instructions, where comparing lane numbers defeats most.
    const MASK: &'static [Self; 48];
    /// The same number in 64 bits.
    fn to_u64(self) -> u64;
    /// The low bits of a number.
    fn from_u64(bits: u64) -> Self;
    /// A slice, with its width known at run time.
    fn erase(words: &[Self]) -> Bits<'_>;
    /// The same for a buffer.
    fn erase_mut(words: &mut [Self]) -> BitsMut<'_>;
    /// The same for what an index keeps.
    fn store(words: Storage<'_, Self>) -> Array<'_>;
    /// The slice, if it has this width.
    fn of_bits(bits: Bits<'_>) -> Option<&[Self]>;
    /// The buffer, if it has this width.
    fn of_bits_mut(bits: BitsMut<'_>) -> Option<&mut [Self]>;
    /// The rank of the key with these bits.
    fn ranked(self, coding: Ranking<Self>) -> Self;
    /// The ranks of many keys. What the bits mean is asked once, so that the loops become vector instructions.
    fn rank_all(bits: &[Self], coding: Ranking<Self>, ranks: &mut [Self]);
    /// The bits of the keys with these ranks, many at once, and whether all of them are told: where several bit patterns share a
    /// rank, something is written for it.
    fn unrank_all(ranks: &[Self], coding: Ranking<Self>, bits: &mut [Self]) -> bool;
    /// Bits of a key with this rank; the key is a float if `FLOAT`, which is what `coding` says.
    fn unranked<const FLOAT: bool>(self, coding: Ranking<Self>) -> Self;
    /// The rank of both zeros, if keys are floats.
    fn zero(coding: Ranking<Self>) -> Self;
    /// The bits of the key with this rank, or `None` where several bit patterns share it (the two zeros, the NaNs).
    fn unrank(self, coding: Ranking<Self>) -> Option<Self>;
}

/// A type whose slices can be indexed: all integers of 8 to 64 bits, `f32` and `f64`.
///
/// Floats follow the IEEE total order with two exceptions that make results agree with a plain scan: NaN is worse than
/// everything in either [`Order`] (and all NaNs tie), and -0.0 equals 0.0. Ties go to the leftmost position.
///
/// Sealed: results must be bit-equal on every device, which can be promised only for types known to the library.
///
/// ```
/// # use thalweg_core as thalweg;
/// use thalweg::{Key, Order};
/// assert!((-3i32).rank(Order::Min) < 5i32.rank(Order::Min));
/// assert!((-3i32).rank(Order::Max) > 5i32.rank(Order::Max));
/// assert_eq!((-0.0f32).rank(Order::Min), 0.0f32.rank(Order::Min));
/// assert!(f64::INFINITY.rank(Order::Min) < f64::NAN.rank(Order::Min));
/// assert!(f64::NEG_INFINITY.rank(Order::Max) < f64::NAN.rank(Order::Max));
/// ```
pub trait Key: Copy + PartialOrd + Default + Debug + Send + Sync + sealed::Sealed + 'static {
    /// The unsigned integer of the same width.
    type Rank: Rank;
    /// The type's name as Rust spells it.
    const NAME: &'static str;
    /// Whether it is a float.
    const FLOAT: bool;
    /// The key's place in `order`: the smaller, the better.
    fn rank(self, order: Order) -> Self::Rank;
    /// The key with these bits, cut to the type's width: for data generators.
    fn from_low_bits(bits: u64) -> Self;
    /// The value nearest to `x`, wrapping for integers: for data generators.
    fn from_f64(x: f64) -> Self;
    /// The bit pattern, for exact comparison.
    fn to_low_bits(self) -> u64;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! rank {
    ($($t:ty, $width:ident, $float:tt;)*) => {$(
        impl sealed::Sealed for $t {}
        impl Rank for $t {
            const WORST: Self = <$t>::MAX;
            const BITS: u32 = <$t>::BITS;
            const LANES: [Self; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
            const MASK: &'static [Self; 48] = &{
                let mut mask = [<$t>::MAX; 48];
                let mut i = 16;
                while i < 32 {
                    mask[i] = 0;
                    i += 1;
                }
                mask
            };
            #[inline(always)]
            fn to_u64(self) -> u64 {
                self.into()
            }
            #[inline(always)]
            fn from_u64(bits: u64) -> Self {
                bits as $t
            }
            fn erase(words: &[Self]) -> Bits<'_> {
                Bits::$width(words)
            }
            fn erase_mut(words: &mut [Self]) -> BitsMut<'_> {
                BitsMut::$width(words)
            }
            fn store(words: Storage<'_, Self>) -> Array<'_> {
                Array::$width(words)
            }
            fn of_bits(bits: Bits<'_>) -> Option<&[Self]> {
                if let Bits::$width(words) = bits { Some(words) } else { None }
            }
            fn of_bits_mut(bits: BitsMut<'_>) -> Option<&mut [Self]> {
                if let BitsMut::$width(words) = bits { Some(words) } else { None }
            }
            #[inline(always)]
            fn ranked(self, coding: Ranking<Self>) -> Self {
                rank!(@ranked $t, $float, self, coding)
            }
            #[inline(always)]
            fn rank_all(bits: &[Self], coding: Ranking<Self>, ranks: &mut [Self]) {
                if coding.float {
                    for (rank, bits) in ranks.iter_mut().zip(bits) {
                        *rank = bits.ranked(Ranking { float: true, ..coding });
                    }
                } else {
                    for (rank, bits) in ranks.iter_mut().zip(bits) {
                        *rank = bits ^ coding.flip;
                    }
                }
            }
            #[inline(always)]
            fn unrank_all(ranks: &[Self], coding: Ranking<Self>, bits: &mut [Self]) -> bool {
                rank!(@unrank_all $t, $float, ranks, coding, bits)
            }
            #[inline(always)]
            fn unranked<const FLOAT: bool>(self, coding: Ranking<Self>) -> Self {
                const TOP: $t = 1 << (<$t>::BITS - 1);
                let plain = self ^ coding.flip;
                // Without a branch, as ranks.
                let sign = (plain.cast_signed() >> (<$t>::BITS - 1)).cast_unsigned();
                if FLOAT { plain ^ (!sign | TOP) } else { plain }
            }
            #[inline(always)]
            fn zero(coding: Ranking<Self>) -> Self {
                (1 << (<$t>::BITS - 1)) ^ coding.flip
            }
            #[inline(always)]
            fn unrank(self, coding: Ranking<Self>) -> Option<Self> {
                rank!(@unrank $t, $float, self, coding)
            }
        }
    )*};
    // No float has this width.
    (@ranked $t:ty, none, $bits:expr, $coding:expr) => { $bits ^ $coding.flip };
    (@unrank_all $t:ty, none, $ranks:expr, $coding:expr, $bits:expr) => {{
        for (bits, rank) in $bits.iter_mut().zip($ranks) {
            *bits = rank ^ $coding.flip;
        }
        true
    }};
    (@unrank $t:ty, none, $rank:expr, $coding:expr) => { Some($rank ^ $coding.flip) };
    // Without a branch on the bits: compilers make vector instructions of that, and none of its plainer forms (small ranges of
    // `f32` took half as long again).
    (@ranked $t:ty, $float:ident, $bits:expr, $coding:expr) => {{
        const TOP: $t = 1 << (<$t>::BITS - 1);
        const INFINITY: $t = $float::INFINITY.to_bits();
        let (bits, flip) = ($bits, $coding.flip);
        if !$coding.float {
            bits ^ flip
        } else {
            let sign = bits.cast_signed() >> (<$t>::BITS - 1);
            // -0.0 would come just before 0.0.
            let ordered = (bits ^ (sign.cast_unsigned() | TOP)) + <$t>::from(bits == TOP);
            let nan = <$t>::from(bits & !TOP > INFINITY);
            (ordered ^ flip) | nan.wrapping_neg()
        }
    }};
    (@unrank_all $t:ty, $float:ident, $ranks:expr, $coding:expr, $bits:expr) => {{
        let (bits, coding, mut shared) = ($bits, $coding, 0);
        if coding.float {
            let zero = <$t>::zero(coding);
            for (bits, &rank) in bits.iter_mut().zip($ranks) {
                // Without a branch, as ranks.
                shared |= <$t>::from(rank == <$t>::MAX) | <$t>::from(rank == zero);
                *bits = rank.unranked::<true>(coding);
            }
        } else {
            for (bits, &rank) in bits.iter_mut().zip($ranks) {
                *bits = rank.unranked::<false>(coding);
            }
        }
        shared == 0
    }};
    (@unrank $t:ty, $float:ident, $rank:expr, $coding:expr) => {{
        let (rank, coding) = ($rank, $coding);
        if !coding.float {
            Some(rank.unranked::<false>(coding))
        } else if rank == <$t>::MAX || rank == <$t>::zero(coding) {
            None
        } else {
            Some(rank.unranked::<true>(coding))
        }
    }};
}
rank! {
    u8, U8, none;
    u16, U16, none;
    u32, U32, f32;
    u64, U64, f64;
}

macro_rules! integer_key {
    ($($t:ident as $rank:ty, $flip:expr;)*) => {$(
        impl Key for $t {
            type Rank = $rank;
            const NAME: &'static str = stringify!($t);
            const FLOAT: bool = false;
            #[inline(always)]
            fn rank(self, order: Order) -> $rank {
                let mask = if order == Order::Max { <$rank>::MAX } else { 0 };
                (self as $rank) ^ $flip ^ mask
            }
            fn from_low_bits(bits: u64) -> Self {
                bits as $t
            }
            fn from_f64(x: f64) -> Self {
                x as i128 as $t
            }
            fn to_low_bits(self) -> u64 {
                (self as $rank).into()
            }
        }
    )*};
}
integer_key! {
    u8 as u8, 0;
    u16 as u16, 0;
    u32 as u32, 0;
    u64 as u64, 0;
    i8 as u8, 1 << 7;
    i16 as u16, 1 << 15;
    i32 as u32, 1 << 31;
    i64 as u64, 1 << 63;
}

macro_rules! sealed_signed {
    ($($t:ty),*) => {$(impl sealed::Sealed for $t {})*};
}
sealed_signed!(i8, i16, i32, i64, f32, f64);

macro_rules! float_key {
    ($($t:ident as $rank:ty, $signed:ty;)*) => {$(
        impl Key for $t {
            type Rank = $rank;
            const NAME: &'static str = stringify!($t);
            const FLOAT: bool = true;
            #[inline(always)]
            fn rank(self, order: Order) -> $rank {
                // Adding 0.0 turns -0.0 into 0.0 and changes nothing else.
                let bits = (self + 0.0).to_bits();
                // Negative numbers sort backwards by their bits: flip all of them; others: flip the sign.
                let sign = (bits as $signed >> (<$rank>::BITS - 1)) as $rank;
                let mask = if order == Order::Max { <$rank>::MAX } else { 0 };
                let rank = bits ^ (sign | 1 << (<$rank>::BITS - 1)) ^ mask;
                if self.is_nan() { <$rank>::MAX } else { rank }
            }
            fn from_low_bits(bits: u64) -> Self {
                Self::from_bits(bits as $rank)
            }
            fn from_f64(x: f64) -> Self {
                x as $t
            }
            fn to_low_bits(self) -> u64 {
                self.to_bits().into()
            }
        }
    )*};
}
float_key! {
    f32 as u32, i32;
    f64 as u64, i64;
}

/// Calls a macro once for every key type: `for_each_key!(m)` expands to `m!(u8); m!(u16); ...`.
///
/// Tests and front ends use it to cover all types with one line.
#[macro_export]
macro_rules! for_each_key {
    ($m:ident) => {
        $m!(u8);
        $m!(u16);
        $m!(u32);
        $m!(u64);
        $m!(i8);
        $m!(i16);
        $m!(i32);
        $m!(i64);
        $m!(f32);
        $m!(f64);
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order that the documentation promises, written with comparisons instead of bits.
    fn better<K: Key>(a: K, b: K, order: Order) -> bool {
        let nan = |x: K| x.partial_cmp(&x).is_none();
        match (nan(a), nan(b)) {
            (true, _) => false,
            (false, true) => true,
            _ if order == Order::Min => a < b,
            _ => a > b,
        }
    }

    fn check<K: Key>(samples: &[K]) {
        for order in [Order::Min, Order::Max] {
            for &a in samples {
                for &b in samples {
                    assert_eq!(a.rank(order) < b.rank(order), better(a, b, order), "{a:?} {b:?} {order:?}");
                }
                let mut all = [K::Rank::default()];
                let told = K::Rank::unrank_all(&[a.rank(order)], Ranking::of::<K>(order), &mut all);
                assert_eq!(told.then_some(all[0]), a.rank(order).unrank(Ranking::of::<K>(order)), "{a:?} {order:?}");
                if let Some(back) = a.rank(order).unrank(Ranking::of::<K>(order)) {
                    assert_eq!(back.to_u64(), a.to_low_bits(), "{a:?} {order:?}");
                } else {
                    assert!(a.partial_cmp(&a).is_none() || a == K::default(), "{a:?} must be invertible");
                }
            }
        }
    }

    #[test]
    fn ranks_follow_the_documented_order() {
        macro_rules! one {
            ($t:ident) => {{
                let mut samples: Vec<$t> = (0..64).map(|i| $t::from_low_bits(1u64 << i)).collect();
                samples.extend((0..64).map(|i| $t::from_low_bits(!(1u64 << i))));
                samples.extend((0..200u64).map(|i| $t::from_low_bits(i.wrapping_mul(0x9e37_79b9_7f4a_7c15))));
                samples.extend([0.0, 1.0, -1.0, 1e-40, -1e-40].map($t::from_f64));
                check(&samples);
            }};
        }
        for_each_key!(one);
        check(&[0.0f32, -0.0, f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MIN, f32::MAX]);
        check(&[0.0f64, -0.0, f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MIN, f64::MAX]);
    }
}
