//! Where some elements of a part lie: a list, or a row, which needs none.

use std::ops::Range;

use thalweg_core::{Position, Positions, PositionsRef};

/// Places in a part, from left to right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Places {
    /// One after the other: in sorted data all that is open. Listing that took a fifth of the time of a rank.
    Row(Range<usize>),
    /// Any.
    Listed(Positions),
}

/// [`Places`] that are looked at, or some of them.
#[derive(Clone, Copy, Debug)]
pub enum PlacesRef<'p> {
    /// One after the other.
    Row {
        /// The first place.
        start: usize,
        /// How many there are.
        len: usize,
    },
    /// Any.
    Listed(PositionsRef<'p>),
}

impl Default for Places {
    fn default() -> Self {
        Self::Row(0..0)
    }
}

impl Places {
    /// All of them.
    pub fn view(&self) -> PlacesRef<'_> {
        match self {
            Self::Row(row) => PlacesRef::Row { start: row.start, len: row.len() },
            Self::Listed(list) => PlacesRef::Listed(list.view()),
        }
    }
}

impl PlacesRef<'_> {
    /// How many there are.
    #[inline(always)]
    pub fn len(self) -> usize {
        match self {
            Self::Row { len, .. } => len,
            Self::Listed(PositionsRef::U32(list)) => list.len(),
            Self::Listed(PositionsRef::U64(list)) => list.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The `i`-th place.
    ///
    /// # Panics
    /// If there are not so many.
    #[inline(always)]
    pub fn at(self, i: usize) -> usize {
        match self {
            Self::Row { start, len } => {
                assert!(i < len, "place {i} of {len}");
                start + i
            }
            Self::Listed(PositionsRef::U32(list)) => list[i].get(),
            Self::Listed(PositionsRef::U64(list)) => list[i].get(),
        }
    }

    /// Those of a range.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn some(self, range: Range<usize>) -> Self {
        match self {
            Self::Row { start, len } => {
                assert!(range.start <= range.end && range.end <= len, "places {range:?} of {len}");
                Self::Row { start: start + range.start, len: range.len() }
            }
            Self::Listed(PositionsRef::U32(list)) => Self::Listed(PositionsRef::U32(&list[range])),
            Self::Listed(PositionsRef::U64(list)) => Self::Listed(PositionsRef::U64(&list[range])),
        }
    }

    /// The places from the first to the last, if all of these are there.
    pub fn row(self) -> Option<Range<usize>> {
        let last = self.len().checked_sub(1)?;
        let range = self.at(0)..self.at(last) + 1;
        (range.len() == self.len()).then_some(range)
    }

    /// For so many places at a time, what has an entry for every place of the part, from the entry behind those before on: the
    /// number of the first entry, the places, and the entries, to which nobody else has access.
    ///
    /// # Panics
    /// If there are not so many entries.
    pub fn cut<T>(self, len: usize, entries: &mut [T]) -> Vec<(usize, Self, &mut [T])> {
        let (mut pieces, mut start, mut rest) = (Vec::with_capacity(self.len().div_ceil(len)), 0, entries);
        for first in (0..self.len()).step_by(len) {
            let places = self.some(first..self.len().min(first + len));
            let end = places.at(places.len() - 1) + 1;
            let (piece, behind) = rest.split_at_mut(end - start);
            pieces.push((start, places, piece));
            (start, rest) = (end, behind);
        }
        pieces
    }
}
