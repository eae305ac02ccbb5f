//! The types of arrays, kernels and results.

use super::bits::I192;

mod sealed {
    pub trait Sealed {}
}

/// The elements of an array or a kernel: one of the eight integer types of up to 64 bits. Sealed, because engines know them
/// all.
pub trait Integer: sealed::Sealed + Copy + Send + Sync + 'static {
    /// The type's name: `u8`.
    const NAME: &'static str;

    /// The values with their type as data.
    fn values(values: &[Self]) -> Values<'_>;
    /// Its absolute value.
    #[doc(hidden)]
    fn magnitude(self) -> u64;
    /// The number plus [`Values::bias`], in 64 bits.
    #[doc(hidden)]
    fn biased(self) -> u64;
    /// The number modulo 2^64.
    #[doc(hidden)]
    fn wrapped(self) -> i64;
    /// The number.
    #[doc(hidden)]
    fn whole(self) -> i128;
}

/// The elements of a result: `i64`, `u64` or `i128`. Sealed, because a result that does not fit must be known.
pub trait Wide: sealed::Sealed + Copy + Send + Sync + PartialEq + std::fmt::Debug + 'static {
    /// The type's name: `i64`.
    const NAME: &'static str;
    /// The type as data.
    const KIND: Kind;

    /// The numbers with their type as data.
    fn numbers(numbers: Vec<Self>) -> Numbers;
    /// The numbers, if they have this type.
    fn of(numbers: Numbers) -> Option<Vec<Self>>;

    /// The same number, if it fits.
    fn from_i64(value: i64) -> Option<Self>;
    /// The same number, if it fits.
    fn from_i128(value: i128) -> Option<Self>;
    /// The same number, if it fits.
    fn from_i192(value: I192) -> Option<Self> {
        value.to_i128().and_then(Self::from_i128)
    }
}

/// The type of a result, known at run time only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// `i64`.
    I64,
    /// `u64`.
    U64,
    /// `i128`.
    I128,
}

/// A result whose type is known at run time only.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Numbers {
    /// `i64`.
    I64(Vec<i64>),
    /// `u64`.
    U64(Vec<u64>),
    /// `i128`.
    I128(Vec<i128>),
}

/// Elements whose type is known at run time only.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Values<'a> {
    /// `u8`.
    U8(&'a [u8]),
    /// `i8`.
    I8(&'a [i8]),
    /// `u16`.
    U16(&'a [u16]),
    /// `i16`.
    I16(&'a [i16]),
    /// `u32`.
    U32(&'a [u32]),
    /// `i32`.
    I32(&'a [i32]),
    /// `u64`.
    U64(&'a [u64]),
    /// `i64`.
    I64(&'a [i64]),
}

/// What is added to numbers of a type so that none is negative: 2^31 to short ones, 2^63 to long ones.
const fn bias(signed: bool, bytes: usize) -> u64 {
    match (signed, bytes) {
        (false, _) => 0,
        (true, 8) => 1 << 63,
        (true, _) => 1 << 31,
    }
}

/// The bits of a biased number: those of `u32`, or all.
const fn mask(bytes: usize) -> u64 {
    if bytes == 8 { u64::MAX } else { u32::MAX as u64 }
}

macro_rules! integers {
    ($($type:ident $variant:ident;)*) => {
        $(
            impl sealed::Sealed for $type {}
            impl Integer for $type {
                const NAME: &'static str = stringify!($type);
                fn values(values: &[Self]) -> Values<'_> {
                    Values::$variant(values)
                }
                #[inline(always)]
                #[allow(unused_comparisons, trivial_numeric_casts)]
                fn magnitude(self) -> u64 {
                    // The absolute value of the smallest number is right after the conversion, too.
                    if self < 0 { (self as i64).wrapping_neg() as u64 } else { self as u64 }
                }
                #[inline(always)]
                fn biased(self) -> u64 {
                    (self as u64).wrapping_add(const { bias(Self::MIN != 0, size_of::<Self>()) }) & const { mask(size_of::<Self>()) }
                }
                #[inline(always)]
                fn wrapped(self) -> i64 {
                    self as i64
                }
                #[inline(always)]
                fn whole(self) -> i128 {
                    self as i128
                }
            }
        )*

        /// Runs an expression with the slice under a name, whatever its type.
        macro_rules! each_type {
            ($values:expr, $slice:ident => $body:expr) => {
                match $values {
                    $($crate::exact::integer::Values::$variant($slice) => $body,)*
                }
            };
        }
    };
}
integers! {
    u8 U8;
    i8 I8;
    u16 U16;
    i16 I16;
    u32 U32;
    i32 I32;
    u64 U64;
    i64 I64;
}
pub(super) use each_type;

impl sealed::Sealed for i128 {}

impl Wide for i64 {
    const NAME: &'static str = "i64";
    const KIND: Kind = Kind::I64;
    fn numbers(numbers: Vec<Self>) -> Numbers {
        Numbers::I64(numbers)
    }
    fn of(numbers: Numbers) -> Option<Vec<Self>> {
        if let Numbers::I64(numbers) = numbers { Some(numbers) } else { None }
    }
    fn from_i64(value: i64) -> Option<Self> {
        Some(value)
    }
    fn from_i128(value: i128) -> Option<Self> {
        value.try_into().ok()
    }
}

impl Wide for u64 {
    const NAME: &'static str = "u64";
    const KIND: Kind = Kind::U64;
    fn numbers(numbers: Vec<Self>) -> Numbers {
        Numbers::U64(numbers)
    }
    fn of(numbers: Numbers) -> Option<Vec<Self>> {
        if let Numbers::U64(numbers) = numbers { Some(numbers) } else { None }
    }
    fn from_i64(value: i64) -> Option<Self> {
        value.try_into().ok()
    }
    fn from_i128(value: i128) -> Option<Self> {
        value.try_into().ok()
    }
}

impl Wide for i128 {
    const NAME: &'static str = "i128";
    const KIND: Kind = Kind::I128;
    fn numbers(numbers: Vec<Self>) -> Numbers {
        Numbers::I128(numbers)
    }
    fn of(numbers: Numbers) -> Option<Vec<Self>> {
        if let Numbers::I128(numbers) = numbers { Some(numbers) } else { None }
    }
    fn from_i64(value: i64) -> Option<Self> {
        Some(value.into())
    }
    fn from_i128(value: i128) -> Option<Self> {
        Some(value)
    }
}

impl Values<'_> {
    /// How many there are.
    pub fn len(&self) -> usize {
        each_type!(self, values => values.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the type has negative numbers.
    pub fn is_signed(&self) -> bool {
        matches!(self, Self::I8(_) | Self::I16(_) | Self::I32(_) | Self::I64(_))
    }

    /// What is added to numbers of the type so that none is negative.
    pub fn bias(&self) -> u64 {
        bias(self.is_signed(), if matches!(self, Self::I64(_)) { 8 } else { 4 })
    }

    /// Whether numbers have 64 bits.
    pub fn is_long(&self) -> bool {
        matches!(self, Self::I64(_) | Self::U64(_))
    }

    /// Whether every number of the type is one of `i32`.
    pub fn is_narrow(&self) -> bool {
        !matches!(self, Self::U32(_) | Self::U64(_) | Self::I64(_))
    }
}
