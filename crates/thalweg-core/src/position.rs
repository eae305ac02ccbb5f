//! Positions in arrays: 32 bits where the array allows it, 64 bits otherwise.

use bytemuck::Pod;

use crate::Key;
use crate::memory::Zeroable;
use crate::storage::Plain;

/// An unsigned integer that holds array positions: `u32` or `u64`.
///
/// Sealed: buffers of positions are handed to devices as they are.
pub trait Position: Key + Ord + Pod + Zeroable + Plain + sealed::Sealed {
    /// Stands for "no position". Never a valid one: see [`Position::fits`].
    const NONE: Self;
    /// Whether every position of an array of `len` elements can be held.
    fn fits(len: usize) -> bool;
    /// Converts from `usize`; the caller has made sure that it fits.
    fn new(position: usize) -> Self;
    /// Converts to `usize`, saturating: a number too large for `usize` is out of every array's range anyway.
    fn get(self) -> usize;
    /// A slice in its width.
    fn view(positions: &[Self]) -> PositionsRef<'_>;
    /// A buffer in its width.
    fn buffer(buffer: &mut [Self]) -> PositionsMut<'_>;
    /// Pairs of positions, such as the bounds of ranges, in their width.
    fn pairs(pairs: &[[Self; 2]]) -> Pairs<'_>;
    /// A list in its width.
    fn list(list: Vec<Self>) -> Positions;
    /// The list, if it has this width.
    fn from_list(list: Positions) -> Option<Vec<Self>>;
    /// `Some` position, or `None` for [`Position::NONE`].
    #[inline]
    fn checked(self) -> Option<usize> {
        if self == Self::NONE { None } else { Some(self.get()) }
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for u32 {}
    impl Sealed for u64 {}
}

macro_rules! position {
    ($($t:ident, $width:ident;)*) => {$(
        impl Position for $t {
            const NONE: Self = <$t>::MAX;
            #[inline]
            fn fits(len: usize) -> bool {
                len as u64 <= <$t>::MAX as u64
            }
            #[inline(always)]
            fn new(position: usize) -> Self {
                position as $t
            }
            #[inline(always)]
            fn get(self) -> usize {
                usize::try_from(self).unwrap_or(usize::MAX)
            }
            fn view(positions: &[Self]) -> PositionsRef<'_> {
                PositionsRef::$width(positions)
            }
            fn buffer(buffer: &mut [Self]) -> PositionsMut<'_> {
                PositionsMut::$width(buffer)
            }
            fn pairs(pairs: &[[Self; 2]]) -> Pairs<'_> {
                Pairs::$width(pairs)
            }
            fn list(list: Vec<Self>) -> Positions {
                Positions::$width(list)
            }
            fn from_list(list: Positions) -> Option<Vec<Self>> {
                match list {
                    Positions::$width(list) => Some(list),
                    _ => None,
                }
            }
        }
    )*};
}
position! {
    u32, U32;
    u64, U64;
}

/// Pairs of positions, such as the bounds of ranges, in one of the two widths.
#[derive(Clone, Copy, Debug)]
pub enum Pairs<'a> {
    /// 32-bit positions.
    U32(&'a [[u32; 2]]),
    /// 64-bit positions.
    U64(&'a [[u64; 2]]),
}

impl Pairs<'_> {
    /// How many pairs there are.
    pub fn len(&self) -> usize {
        match self {
            Self::U32(pairs) => pairs.len(),
            Self::U64(pairs) => pairs.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Positions, in one of the two widths.
#[derive(Clone, Copy, Debug)]
pub enum PositionsRef<'a> {
    /// 32-bit positions.
    U32(&'a [u32]),
    /// 64-bit positions.
    U64(&'a [u64]),
}

impl PositionsRef<'_> {
    /// How many positions there are.
    pub fn len(&self) -> usize {
        match self {
            Self::U32(positions) => positions.len(),
            Self::U64(positions) => positions.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A buffer for positions, in one of the two widths.
#[derive(Debug)]
pub enum PositionsMut<'a> {
    /// 32-bit positions.
    U32(&'a mut [u32]),
    /// 64-bit positions.
    U64(&'a mut [u64]),
}

impl PositionsMut<'_> {
    /// How many positions there is room for.
    pub fn len(&self) -> usize {
        match self {
            Self::U32(buffer) => buffer.len(),
            Self::U64(buffer) => buffer.len(),
        }
    }

    /// Whether there is no room.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A list of positions, any of which may be missing, in the narrowest width that the array allows.
///
/// ```
/// # use thalweg_core as thalweg;
/// use thalweg::Positions;
/// let left = Positions::U32(vec![u32::MAX, u32::MAX, 1]);
/// assert_eq!((left.at(0), left.at(2)), (None, Some(1)));
/// assert_eq!((left.get(0), left.get(2), left.get(3)), (Some(None), Some(Some(1)), None));
/// assert_eq!(left.iter().collect::<Vec<_>>(), [None, None, Some(1)]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Positions {
    /// 32-bit positions; `u32::MAX` means none.
    U32(Vec<u32>),
    /// 64-bit positions; `u64::MAX` means none.
    U64(Vec<u64>),
}

impl Positions {
    /// How many entries there are.
    pub fn len(&self) -> usize {
        match self {
            Self::U32(v) => v.len(),
            Self::U64(v) => v.len(),
        }
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entry at `index`: a position, or `None` where there is none.
    ///
    /// # Panics
    /// If there is no such entry, as indexing a slice does. [`Positions::get`] does not.
    pub fn at(&self, index: usize) -> Option<usize> {
        match self {
            Self::U32(v) => v[index].checked(),
            Self::U64(v) => v[index].checked(),
        }
    }

    /// The entry at `index`, if there are so many: `Some(None)` is an entry without a position.
    pub fn get(&self, index: usize) -> Option<Option<usize>> {
        (index < self.len()).then(|| self.at(index))
    }

    /// All entries in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<usize>> + '_ {
        (0..self.len()).map(|i| self.at(i))
    }

    /// All entries, in their width.
    pub fn view(&self) -> PositionsRef<'_> {
        match self {
            Self::U32(v) => PositionsRef::U32(v),
            Self::U64(v) => PositionsRef::U64(v),
        }
    }

    /// The 32-bit buffer, if that is the width in use.
    pub fn as_u32(&self) -> Option<&[u32]> {
        match self {
            Self::U32(v) => Some(v),
            Self::U64(_) => None,
        }
    }

    /// The 64-bit buffer, if that is the width in use.
    pub fn as_u64(&self) -> Option<&[u64]> {
        match self {
            Self::U32(_) => None,
            Self::U64(v) => Some(v),
        }
    }
}
