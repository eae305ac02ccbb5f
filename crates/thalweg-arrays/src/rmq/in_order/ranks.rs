//! The array by its ranks, whatever the keys' width: one element, or a block at once.

use crate::width::expect_width;
use thalweg_core::bits::Bits;
use thalweg_core::coding::Ranking;
use thalweg_core::simd::prefetch;
use thalweg_core::{Coding, Rank, Result, by_width, dispatch};

/// Elements of a block of [`Ranks::least`]: a cache line of 32-bit keys.
pub(super) const LINE: usize = 16;
/// Elements of a block of [`Ranks::not_above`]: a bit each.
pub(super) const WORD: usize = 64;

/// An array whose elements are seen as ranks in 64 bits: the smaller, the better, in either order.
#[derive(Clone, Copy, Debug)]
pub(in crate::rmq) struct Ranks<'a> {
    bits: Bits<'a>,
    coding: Coding,
}

impl<'a> Ranks<'a> {
    pub(in crate::rmq) fn new(bits: Bits<'a>, coding: Coding) -> Result<Self> {
        expect_width(bits, coding)?;
        Ok(Self { bits, coding })
    }

    /// Asks the memory for an element before it is needed.
    pub(super) fn prefetch(&self, position: usize) {
        by_width!(Bits, self.bits, keys => prefetch(keys, position));
    }

    /// The rank of a key of the array's type.
    pub(super) fn of(&self, keys: Bits<'_>, i: usize) -> u64 {
        by_width!(Bits, keys, keys => keys[i].ranked(self.coding.ranking()).to_u64())
    }

    /// The ranks of a range, each with its position.
    pub(super) fn each(&self, left: usize, right: usize, mut put: impl FnMut(u64, usize)) {
        by_width!(Bits, self.bits, keys => {
            for (position, key) in (left..).zip(&keys[left..=right]) {
                put(key.ranked(self.coding.ranking()).to_u64(), position);
            }
        });
    }

    /// Whether ranks have at most 32 bits.
    pub(super) fn is_narrow(&self) -> bool {
        self.coding.bytes() <= 4
    }

    pub(super) fn at(&self, position: usize) -> u64 {
        by_width!(Bits, self.bits, keys => keys[position].ranked(self.coding.ranking()).to_u64())
    }

    /// The least of the elements from `start` on that the mask names, and its position, the leftmost on ties. It names one.
    pub(super) fn least(&self, start: usize, mask: u16) -> (u64, usize) {
        by_width!(Bits, self.bits, keys => {
            let keys = &keys[start..keys.len().min(start + LINE)];
            let (rank, lane) = least(keys, self.coding.ranking(), mask);
            (rank.to_u64(), start + lane)
        })
    }

    /// Which of the `count` elements from `start` on, at most [`WORD`], have a rank of at most `most`: a bit each.
    pub(super) fn not_above(&self, start: usize, count: usize, most: u64) -> u64 {
        by_width!(Bits, self.bits, keys => {
            not_above(&keys[start..start + count], self.coding.ranking(), Rank::from_u64(most))
        })
    }
}

/// The least of at most [`LINE`] keys that the mask names, and which one it is.
fn least<R: Rank>(keys: &[R], order: Ranking<R>, mask: u16) -> (R, usize) {
    let mut ranks = [R::WORST; LINE];
    R::rank_all(keys, order, &mut ranks);
    for (lane, rank) in ranks.iter_mut().enumerate() {
        if mask >> lane & 1 == 0 {
            *rank = R::WORST;
        }
    }
    let rank = ranks.iter().copied().fold(R::WORST, R::min);
    // One that is named may have the worst rank, as those have that are not.
    let named = |lane: usize| mask >> lane & 1 == 1 && ranks[lane] == rank;
    (rank, (0..LINE).find(|&lane| named(lane)).unwrap_or(0))
}

#[inline(always)]
fn not_above_body<R: Rank>(keys: &[R], order: Ranking<R>, most: R) -> u64 {
    let mut ranks = [R::WORST; WORD];
    R::rank_all(keys, order, &mut ranks);
    let mut found = 0;
    for (lane, &rank) in ranks.iter().enumerate() {
        found |= u64::from(rank <= most) << lane;
    }
    // Lanes without a key have the worst rank, which may be asked for.
    if keys.len() < WORD { found & ((1 << keys.len()) - 1) } else { found }
}

dispatch! {
    /// Which of at most [`WORD`] keys have a rank of at most `most`.
    fn not_above<R: Rank>(keys: &[R], order: Ranking<R>, most: R) -> u64 = not_above_body;
}
