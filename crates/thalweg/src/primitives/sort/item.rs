//! What the sorting engines move around.

use crate::{Key, Order, Rank};

/// A thing with a number to sort by.
pub(super) trait Item: Copy + Send + Sync {
    /// Bits that the number can have.
    const BITS: u32;
    /// The number: the smaller, the earlier.
    fn number(self) -> u64;
}

/// A rank of at most 32 bits and a position of 32 bits in one machine word: half the traffic of a pair.
#[derive(Clone, Copy)]
pub(super) struct Packed(u64);

impl Packed {
    #[inline(always)]
    pub(super) fn new<R: Rank>(rank: R, index: usize) -> Self {
        debug_assert!(R::BITS <= 32 && index <= u32::MAX as usize);
        Self(rank.to_u64() << 32 | index as u64)
    }

    #[inline(always)]
    pub(super) fn index(self) -> u32 {
        self.0 as u32
    }
}

impl Item for Packed {
    const BITS: u32 = 32;
    #[inline(always)]
    fn number(self) -> u64 {
        self.0 >> 32
    }
}

/// A rank and a position of any width. Aligned to its size, so that cache lines hold whole items.
#[derive(Clone, Copy)]
#[repr(align(16))]
pub(super) struct Wide {
    pub(super) rank: u64,
    pub(super) index: u64,
}

impl Item for Wide {
    const BITS: u32 = 64;
    #[inline(always)]
    fn number(self) -> u64 {
        self.rank
    }
}

/// A key alone. It is kept instead of its rank because ties may differ: the two zeros, the NaNs.
#[derive(Clone, Copy)]
pub(super) struct Plain<K, const MAX: bool>(pub(super) K);

impl<K: Key, const MAX: bool> Item for Plain<K, MAX> {
    const BITS: u32 = K::Rank::BITS;
    #[inline(always)]
    fn number(self) -> u64 {
        self.0.rank(if MAX { Order::Max } else { Order::Min }).to_u64()
    }
}
