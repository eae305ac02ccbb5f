//! Prefix or suffix minima of a part, or some of them, as a ladder from the best rank to the worst; and how they travel.

use std::ops::Range;

use bytemuck::Pod;
use thalweg_core::coding::Ranking;
use thalweg_core::error::try_filled;
use thalweg_core::parallel::for_each_chunk_mut;
use thalweg_core::{Error, Position, Rank, Result};

use crate::ranks::{garbled, items_of};

/// Rungs that a task looks up.
const CHUNK: usize = 1 << 14;

/// A list of open elements, from the best to the worst.
#[derive(Clone, Copy)]
pub(super) struct Ladder<'l, R, L> {
    /// The part.
    pub(super) keys: &'l [R],
    pub(super) order: Ranking<R>,
    /// Places in the part, from left to right.
    pub(super) list: &'l [L],
    /// Whether they lie from the worst to the best.
    pub(super) reversed: bool,
}

impl<R: Rank, L: Position> Ladder<'_, R, L> {
    /// Place of a rung in the part.
    #[inline(always)]
    pub(super) fn place(&self, rung: usize) -> usize {
        self.list[if self.reversed { self.list.len() - 1 - rung } else { rung }].get()
    }

    #[inline(always)]
    pub(super) fn rank(&self, rung: usize) -> R {
        self.keys[self.place(rung)].ranked(self.order)
    }

    /// The first rung for which something is not true that is true for better ones.
    pub(super) fn first_not(&self, holds: impl Fn(R) -> bool) -> usize {
        let (mut low, mut high) = (0, self.list.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if holds(self.rank(middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// Some of a part's minima, from the best rank to the worst, with their positions in the array.
#[derive(Clone, Debug)]
pub struct Rungs {
    ranks: Ranks,
    places: Places,
    /// Position of the part.
    first: usize,
}

#[derive(Clone, Debug)]
enum Ranks {
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
    U64(Vec<u64>),
}

/// Places in the part.
#[derive(Clone, Debug)]
enum Places {
    /// One after the other from here, to the left or to the right.
    Run {
        start: usize,
        to_left: bool,
    },
    Near(Vec<u32>),
    Far(Vec<u64>),
}

macro_rules! by_ranks {
    ($ranks:expr, $words:ident => $body:expr) => {
        match $ranks {
            Ranks::U8($words) => $body,
            Ranks::U16($words) => $body,
            Ranks::U32($words) => $body,
            Ranks::U64($words) => $body,
        }
    };
}

impl Ranks {
    fn of<R: Pod>(words: Vec<R>) -> Self {
        match size_of::<R>() {
            1 => Self::U8(bytemuck::cast_vec(words)),
            2 => Self::U16(bytemuck::cast_vec(words)),
            4 => Self::U32(bytemuck::cast_vec(words)),
            _ => Self::U64(bytemuck::cast_vec(words)),
        }
    }
}

impl Rungs {
    /// The rungs of a range, of equal ones the nearest, which is the last: the others serve nobody.
    pub(super) fn of<R: Rank + Pod, L: Position>(
        ladder: &Ladder<'_, R, L>,
        range: Range<usize>,
        first: usize,
    ) -> Result<Self> {
        if range.is_empty() {
            return Ok(Self { ranks: Ranks::of(Vec::<R>::new()), places: Places::Near(Vec::new()), first });
        }
        let (start, end) = (ladder.place(range.start), ladder.place(range.end - 1));
        let mut ranks = try_filled(range.len(), R::default(), "minima for other parts")?;
        for_each_chunk_mut(&mut ranks, CHUNK, &|at, ranks| {
            for (rung, rank) in (range.start + at..).zip(ranks) {
                *rank = ladder.rank(rung);
            }
        });
        let is_last = |i: usize, ranks: &[R]| ranks.get(i + 1).is_none_or(|&next| next != ranks[i]);
        let is_run = start.abs_diff(end) + 1 == range.len() && ranks.windows(2).all(|pair| pair[0] != pair[1]);
        let places = if is_run {
            Places::Run { start, to_left: end < start }
        } else {
            let kept = (0..ranks.len()).filter(|&i| is_last(i, &ranks)).map(|i| ladder.place(range.start + i));
            let places = if u32::fits(ladder.keys.len()) {
                Places::Near(kept.map(u32::new).collect())
            } else {
                Places::Far(kept.map(u64::new).collect())
            };
            ranks.dedup();
            places
        };
        Ok(Self { ranks: Ranks::of(ranks), places, first })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        by_ranks!(&self.ranks, ranks => ranks.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Position of a rung in the array.
    #[inline(always)]
    pub(super) fn position(&self, rung: usize) -> usize {
        self.first
            + match &self.places {
                &Places::Run { start, to_left: false } => start + rung,
                &Places::Run { start, to_left: true } => start - rung,
                Places::Near(places) => places[rung].get(),
                Places::Far(places) => places[rung].get(),
            }
    }

    /// The ranks, of this width: see [`Rungs::expect_width`].
    pub(super) fn ranks<R: Pod>(&self) -> &[R] {
        by_ranks!(&self.ranks, ranks => bytemuck::cast_slice(ranks))
    }

    pub(super) fn expect_width(&self, bytes: usize) -> Result<()> {
        let got = by_ranks!(&self.ranks, ranks => size_of_val(&ranks[..]) / ranks.len().max(1));
        if self.is_empty() || got == bytes {
            return Ok(());
        }
        Err(Error::Bits { what: "minima of another part", expected: 8 * bytes as u32, got: 8 * got as u32 })
    }

    /// As a message: four numbers of 64 bits, the ranks, the places unless they are a run.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn into_bytes(self) -> Result<Vec<u8>> {
        let (kind, start, places): (u64, usize, &[u8]) = match &self.places {
            &Places::Run { start, to_left } => (u64::from(to_left), start, &[]),
            Places::Near(places) => (2, 0, bytemuck::cast_slice(places)),
            Places::Far(places) => (3, 0, bytemuck::cast_slice(places)),
        };
        let head = [self.len() as u64, kind, start as u64, self.first as u64];
        let ranks: &[u8] = by_ranks!(&self.ranks, ranks => bytemuck::cast_slice(ranks));
        let mut bytes =
            thalweg_core::error::try_with_capacity(HEAD + ranks.len() + places.len(), "minima for other parts")?;
        bytes.extend_from_slice(bytemuck::bytes_of(&head));
        bytes.extend_from_slice(ranks);
        bytes.extend_from_slice(places);
        Ok(bytes)
    }

    /// From a message, of ranks of `width` bytes. No bytes are no rungs.
    ///
    /// # Errors
    /// [`Error::Library`] if the bytes are not what [`Rungs::into_bytes`] makes; [`Error::OutOfMemory`].
    pub fn from_bytes(bytes: &[u8], width: usize) -> Result<Self> {
        if bytes.is_empty() {
            return Ok(Self { ranks: Ranks::U8(Vec::new()), places: Places::Near(Vec::new()), first: 0 });
        }
        let (head, rest) = bytes.split_at_checked(HEAD).ok_or_else(garbled)?;
        let [count, kind, start, first]: [usize; 4] = items_of::<u64>(head)?
            .into_iter()
            .map(|number| usize::try_from(number).map_err(|_| garbled()))
            .collect::<Result<Vec<_>>>()?
            .try_into()
            .map_err(|_| garbled())?;
        let (ranks, places) = rest.split_at_checked(count.saturating_mul(width)).ok_or_else(garbled)?;
        let ranks = match width {
            1 => Ranks::U8(items_of(ranks)?),
            2 => Ranks::U16(items_of(ranks)?),
            4 => Ranks::U32(items_of(ranks)?),
            _ => Ranks::U64(items_of(ranks)?),
        };
        let (places, told) = match kind {
            0 | 1 if places.is_empty() && (kind == 0 || start + 1 >= count) => {
                (Places::Run { start, to_left: kind == 1 }, count)
            }
            2 => {
                let places: Vec<u32> = items_of(places)?;
                let told = places.len();
                (Places::Near(places), told)
            }
            3 => {
                let places: Vec<u64> = items_of(places)?;
                let told = places.len();
                (Places::Far(places), told)
            }
            _ => return Err(garbled()),
        };
        if told == count { Ok(Self { ranks, places, first }) } else { Err(garbled()) }
    }
}

const HEAD: usize = 4 * size_of::<u64>();
