//! Keys as bare bits: how the engines see them.
//!
//! The typed doors turn slices of keys into [`Bits`], one of four widths, and engines never see a key type. [`words`] and
//! [`words_mut`] are the step between: the same memory as unsigned integers. [`by_width!`](crate::by_width) goes back
//! from [`Bits`] to slices, for kernels.
#![allow(unsafe_code)]

use std::borrow::Cow;
use std::mem::ManuallyDrop;

use super::{Key, Rank};
use crate::storage::Storage;

/// The bits of keys as unsigned integers of their width.
pub fn words<K: Key>(keys: &[K]) -> &[K::Rank] {
    const { assert!(size_of::<K>() == size_of::<K::Rank>() && align_of::<K>() == align_of::<K::Rank>()) };
    // SAFETY: same size and alignment, checked above; `Key` is sealed, and its types are plain numbers, as the ranks.
    unsafe { std::slice::from_raw_parts(keys.as_ptr().cast(), keys.len()) }
}

/// The keys that have these bits, if they have the type's width.
pub fn keys_of<K: Key>(bits: Bits<'_>) -> Option<&[K]> {
    const { assert!(size_of::<K>() == size_of::<K::Rank>() && align_of::<K>() == align_of::<K::Rank>()) };
    let words = K::Rank::of_bits(bits)?;
    // SAFETY: as in `words`; all bit patterns of the integers and floats are valid.
    Some(unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), words.len()) })
}

/// The bits of keys, to be written: every bit pattern is a key.
pub fn words_mut<K: Key>(keys: &mut [K]) -> &mut [K::Rank] {
    // SAFETY: as in `words`; all bit patterns of the integers and floats are valid.
    unsafe { std::slice::from_raw_parts_mut(keys.as_mut_ptr().cast(), words(keys).len()) }
}

/// The keys that have these bits: every bit pattern is a key.
pub fn keys<K: Key>(words: Vec<K::Rank>) -> Vec<K> {
    const { assert!(size_of::<K>() == size_of::<K::Rank>() && align_of::<K>() == align_of::<K::Rank>()) };
    let mut words = ManuallyDrop::new(words);
    // SAFETY: as in `words_mut`: the allocation is that of as many keys.
    unsafe { Vec::from_raw_parts(words.as_mut_ptr().cast(), words.len(), words.capacity()) }
}

/// The bits of borrowed or owned keys.
pub fn words_cow<'a, K: Key>(keys: Cow<'a, [K]>) -> Cow<'a, [K::Rank]> {
    match keys {
        Cow::Borrowed(keys) => Cow::Borrowed(words(keys)),
        Cow::Owned(keys) => {
            let mut keys = ManuallyDrop::new(keys);
            let (len, capacity) = (words(&keys).len(), keys.capacity());
            // SAFETY: the allocation of a vector of keys is that of as many ranks: see `words`. The keys are not dropped.
            Cow::Owned(unsafe { Vec::from_raw_parts(keys.as_mut_ptr().cast(), len, capacity) })
        }
    }
}

/// The bits of an array, in one of four widths.
#[derive(Clone, Copy, Debug)]
pub enum Bits<'a> {
    /// Keys of 8 bits.
    U8(&'a [u8]),
    /// Keys of 16 bits.
    U16(&'a [u16]),
    /// Keys of 32 bits.
    U32(&'a [u32]),
    /// Keys of 64 bits.
    U64(&'a [u64]),
}

/// A buffer for the bits of keys, in one of four widths.
#[derive(Debug)]
pub enum BitsMut<'a> {
    /// Keys of 8 bits.
    U8(&'a mut [u8]),
    /// Keys of 16 bits.
    U16(&'a mut [u16]),
    /// Keys of 32 bits.
    U32(&'a mut [u32]),
    /// Keys of 64 bits.
    U64(&'a mut [u64]),
}

/// The bits of an array that an index keeps, lent, owned or mapped, in one of four widths.
#[derive(Debug)]
pub enum Array<'a> {
    /// Keys of 8 bits.
    U8(Storage<'a, u8>),
    /// Keys of 16 bits.
    U16(Storage<'a, u16>),
    /// Keys of 32 bits.
    U32(Storage<'a, u32>),
    /// Keys of 64 bits.
    U64(Storage<'a, u64>),
}

/// Runs an expression for the width of [`Bits`], [`BitsMut`] or an [`Array`]: `by_width!(Bits, bits, slice => f(slice))`.
#[macro_export]
macro_rules! by_width {
    ($enum:ident, $bits:expr, $words:ident => $body:expr) => {
        match $bits {
            $crate::bits::$enum::U8($words) => $body,
            $crate::bits::$enum::U16($words) => $body,
            $crate::bits::$enum::U32($words) => $body,
            $crate::bits::$enum::U64($words) => $body,
        }
    };
}

impl<'a> Bits<'a> {
    /// The bits of keys.
    pub fn of<K: Key>(keys: &'a [K]) -> Self {
        K::Rank::erase(words(keys))
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        by_width!(Bits, self, words => words.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of a key.
    pub const fn width(&self) -> usize {
        match self {
            Self::U8(_) => 1,
            Self::U16(_) => 2,
            Self::U32(_) => 4,
            Self::U64(_) => 8,
        }
    }
}

impl<'a> BitsMut<'a> {
    /// The bits of keys, to be written.
    pub fn of<K: Key>(keys: &'a mut [K]) -> Self {
        K::Rank::erase_mut(words_mut(keys))
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        by_width!(BitsMut, self, words => words.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<'a> Array<'a> {
    /// The bits of borrowed or owned keys.
    pub fn of<K: Key>(keys: impl Into<Cow<'a, [K]>>) -> Self {
        K::Rank::store(words_cow(keys.into()).into())
    }

    /// The bits, for reading.
    pub fn bits(&self) -> Bits<'_> {
        by_width!(Array, self, words => Rank::erase(words))
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.bits().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_bits() {
        assert_eq!(words(&[-1i16, 2]), [0xffff, 2]);
        assert_eq!(words_cow::<i16>(Cow::Owned(vec![-1, 2])).into_owned(), [0xffff, 2]);
        assert_eq!(keys::<i16>(vec![0xffff, 2]), [-1, 2]);
        assert_eq!(keys_of::<i16>(Bits::U16(&[0xffff, 2])), Some(&[-1, 2][..]));
        assert_eq!(keys_of::<i16>(Bits::U8(&[1])), None);
        assert!(matches!(Bits::of(&[1.0f32]), Bits::U32([0x3f80_0000])));
        let array = Array::of::<i8>(vec![-1, 0, 1]);
        assert!(matches!(array.bits(), Bits::U8([255, 0, 1])));
        assert_eq!((array.len(), array.bits().width(), array.is_empty()), (3, 1, false));
        let mut keys = [0.0f64; 2];
        if let BitsMut::U64(words) = BitsMut::of(&mut keys) {
            words[1] = 1.5f64.to_bits();
        }
        assert_eq!(keys, [0.0, 1.5]);
    }
}
