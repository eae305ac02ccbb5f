//! Words of blocks and superblocks.

/// What is known of a block or superblock besides its minimum. In bits 0 to 9 where that is: for a block the offset, and
/// from bit 4 on the minimum's place in the superblock. From bit 10 on, in k bits each, in which of the 2^k from it on the
/// best one is, for k from 1 to 5.
#[derive(Clone, Copy)]
pub(super) struct Word(pub(super) u32);

impl Word {
    /// Where the bits for the best of 2^k begin.
    #[inline(always)]
    pub(super) fn shift(k: u32) -> u32 {
        10 + k * k.wrapping_sub(1) / 2
    }

    #[inline(always)]
    pub(super) fn best_of(self, k: u32) -> usize {
        (self.0 >> Self::shift(k)) as usize & ((1 << k) - 1)
    }

    /// A superblock's.
    #[inline(always)]
    pub(super) fn offset(self) -> usize {
        self.0 as usize & 1023
    }

    /// A block's.
    #[inline(always)]
    pub(super) fn offset_in_block(self) -> usize {
        self.0 as usize & 15
    }

    #[inline(always)]
    pub(super) fn place(self) -> u32 {
        self.0 >> 4 & 63
    }
}
