//! What a stretch of an array shows at one of its borders: strict minima, from the border inwards.

use thalweg_core::coding::Ranking;
use thalweg_core::error::Error;
use thalweg_core::memory::computed;
use thalweg_core::parallel::chunk_range;
use thalweg_core::{Rank, Result};

/// Where one looks from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Border {
    Left,
    Right,
}

/// Ranks, falling, and the elements' places in the stretch.
pub(super) type Chain<R> = Vec<(R, u32)>;

/// Elements whose minimum is found by one thread: most of them show nothing, and are not looked at again.
const TILE: usize = 1 << 13;

/// A stretch of fewer than 2^32 elements, and the minima of its tiles.
pub(super) struct Minima<'m, R> {
    array: &'m [R],
    order: Ranking<R>,
    tiles: Vec<R>,
}

impl<'m, R: Rank> Minima<'m, R> {
    pub(super) fn of(array: &'m [R], order: Ranking<R>) -> Result<Self> {
        let minimum = |t: usize| {
            let tile = &array[chunk_range(t, TILE, array.len())];
            tile.iter().map(|key| key.ranked(order)).min().expect("a tile is not empty")
        };
        Ok(Self { array, order, tiles: computed(array.len().div_ceil(TILE), 16, "the minima of a part", minimum)? })
    }

    /// What is seen from a border.
    pub(super) fn chain(&self, border: Border) -> Result<Chain<R>> {
        let mut chain = Chain::new();
        let count = self.tiles.len();
        for i in 0..count {
            let t = if border == Border::Left { i } else { count - 1 - i };
            if chain.last().is_some_and(|&(best, _)| self.tiles[t] >= best) {
                continue;
            }
            let places = chunk_range(t, TILE, self.array.len());
            chain.try_reserve(places.len()).map_err(|_| {
                let bytes = (chain.len() + places.len()) * size_of::<(R, u32)>();
                Error::OutOfMemory { what: "the open elements of a part", bytes }
            })?;
            match border {
                Border::Left => self.extend(&mut chain, places),
                Border::Right => self.extend(&mut chain, places.rev()),
            }
        }
        chain.shrink_to_fit();
        Ok(chain)
    }

    fn extend(&self, chain: &mut Chain<R>, places: impl Iterator<Item = usize>) {
        let mut best = chain.last().map(|&(rank, _)| rank);
        for place in places {
            let rank = self.array[place].ranked(self.order);
            if best.is_none_or(|best| rank < best) {
                best = Some(rank);
                chain.push((rank, place as u32));
            }
        }
    }
}
