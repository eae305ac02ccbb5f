//! Prefix or suffix minima of a part, or some of them, as a ladder from the best rank to the worst; and how they travel.

use std::ops::Range;

use bytemuck::Pod;
use thalweg_core::coding::Ranking;
use thalweg_core::memory::large_zeroed;
use thalweg_core::parallel::for_each_chunk_mut;
use thalweg_core::{Error, Position, Rank, Result};

use crate::ranks::garbled;

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

/// Some of a part's minima with their positions in the array, in the words of a message: nothing is copied on its way.
///
/// The words are the number of minima, what follows, where a run begins, the part's position; then the ranks, from left to right, in
/// their width, and their places in the part, of 32 or 64 bits, unless they lie in a row. Both are filled up to whole words.
#[derive(Clone, Debug)]
pub struct Rungs {
    words: Vec<u64>,
    /// Bytes of a rank.
    width: usize,
    len: usize,
    places: Places,
    /// Position of the part.
    first: usize,
}

/// How places are told, as the second word has it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Places {
    /// One after the other from here.
    Run {
        start: usize,
    },
    Near,
    Far,
}

/// Words in front of the ranks.
const HEAD: usize = 4;

/// Words for so many bytes.
fn words_for(bytes: usize) -> usize {
    bytes.div_ceil(size_of::<u64>())
}

impl Rungs {
    /// The rungs of a range, of equal ones the nearest, which is the worst in order: the others serve nobody.
    pub(super) fn of<R: Rank + Pod, L: Position>(
        ladder: &Ladder<'_, R, L>,
        range: Range<usize>,
        first: usize,
    ) -> Result<Self> {
        let range = if range.is_empty() { 0..0 } else { range };
        let count = ladder.list.len();
        // As they lie, from left to right.
        let list = match ladder.reversed {
            true => &ladder.list[count - range.end..count - range.start],
            false => &ladder.list[range],
        };
        let mut rungs = Self::empty::<R>(first);
        let (&[start, ..], &[.., end]) = (list, list) else { return Ok(rungs) };
        if end.get() - start.get() + 1 == list.len() && rungs.fill_run(ladder, start.get()..end.get() + 1)? {
            return Ok(rungs);
        }
        rungs.fill(ladder, list)?;
        Ok(rungs)
    }

    fn empty<R>(first: usize) -> Self {
        Self { words: Vec::new(), width: size_of::<R>(), len: 0, places: Places::Near, first }
    }

    /// Elements in a row, unless some are equal.
    fn fill_run<R: Rank + Pod, L: Position>(&mut self, ladder: &Ladder<'_, R, L>, run: Range<usize>) -> Result<bool> {
        let keys = &ladder.keys[run.clone()];
        let equal = |at: usize, keys: &[R]| {
            let before = keys.iter().map(|key| key.ranked(ladder.order));
            let behind = ladder.keys[run.start + at + 1..run.end].iter().map(|key| key.ranked(ladder.order));
            before.zip(behind).fold(false, |equal, (a, b)| equal | (a == b))
        };
        let distinct =
            thalweg_core::parallel::try_for_each_chunk(keys.len(), CHUNK, &|range| !equal(range.start, &keys[range]));
        if !distinct {
            return Ok(false);
        }
        self.make_room(keys.len(), Places::Run { start: run.start })?;
        for_each_chunk_mut(self.ranks_mut::<R>(), CHUNK, &|at, ranks| {
            R::rank_all(&keys[at..at + ranks.len()], ladder.order, ranks);
        });
        Ok(true)
    }

    /// Any elements.
    fn fill<R: Rank + Pod, L: Position>(&mut self, ladder: &Ladder<'_, R, L>, list: &[L]) -> Result<()> {
        let rank = |i: usize| ladder.keys[list[i].get()].ranked(ladder.order);
        let is_nearest = |&i: &usize| match ladder.reversed {
            true => i == 0 || rank(i - 1) != rank(i),
            false => i + 1 == list.len() || rank(i + 1) != rank(i),
        };
        let kept: Vec<usize> = (0..list.len()).filter(is_nearest).collect();
        let near = u32::fits(ladder.keys.len());
        self.make_room(kept.len(), if near { Places::Near } else { Places::Far })?;
        for (rank_out, &i) in self.ranks_mut::<R>().iter_mut().zip(&kept) {
            *rank_out = rank(i);
        }
        let places = &mut self.words[HEAD + words_for(kept.len() * size_of::<R>())..];
        match near {
            true => {
                let places: &mut [u32] = bytemuck::cast_slice_mut(places);
                places.iter_mut().zip(&kept).for_each(|(out, &i)| *out = list[i].get() as u32);
            }
            false => places.iter_mut().zip(&kept).for_each(|(out, &i)| *out = list[i].get() as u64),
        }
        Ok(())
    }

    fn make_room(&mut self, len: usize, places: Places) -> Result<()> {
        (self.len, self.places) = (len, places);
        self.words = large_zeroed(self.words_needed(), "minima for other parts")?;
        let (kind, start) = match places {
            Places::Run { start } => (0, start),
            Places::Near => (1, 0),
            Places::Far => (2, 0),
        };
        self.words[..HEAD].copy_from_slice(&[len as u64, kind, start as u64, self.first as u64]);
        Ok(())
    }

    fn words_needed(&self) -> usize {
        let places = match self.places {
            Places::Run { .. } => 0,
            Places::Near => self.len.saturating_mul(size_of::<u32>()),
            Places::Far => self.len.saturating_mul(size_of::<u64>()),
        };
        HEAD + words_for(self.len.saturating_mul(self.width)) + words_for(places)
    }

    fn ranks_mut<R: Pod>(&mut self) -> &mut [R] {
        &mut bytemuck::cast_slice_mut(&mut self.words[HEAD..])[..self.len]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Ranks from left to right, and the positions of the elements; their width is that of [`Rungs::expect_width`].
    pub(super) fn view<R: Pod>(&self) -> View<'_, R> {
        let (ranks, places) = match self.len {
            0 => (&[][..], &[][..]),
            len => self.words[HEAD..].split_at(words_for(len * size_of::<R>())),
        };
        let places = match self.places {
            Places::Run { start } => PlacesView::Run(start),
            Places::Near => PlacesView::Near(bytemuck::cast_slice(places)),
            Places::Far => PlacesView::Far(places),
        };
        View { ranks: &bytemuck::cast_slice(ranks)[..self.len], places, first: self.first }
    }

    pub(super) fn expect_width(&self, bytes: usize) -> Result<()> {
        if self.width == bytes {
            return Ok(());
        }
        let [expected, got] = [bytes, self.width].map(|bytes| 8 * bytes as u32);
        Err(Error::Bits { what: "minima of another part", expected, got })
    }

    /// As a message.
    pub fn into_words(self) -> Vec<u64> {
        self.words
    }

    /// From a message, of ranks of `width` bytes. No words are no rungs.
    ///
    /// # Errors
    /// [`Error::Library`] if the words are not what [`Rungs::into_words`] gives.
    pub fn from_words(words: Vec<u64>, width: usize) -> Result<Self> {
        let mut rungs = Self { words, width, len: 0, places: Places::Near, first: 0 };
        let Some(&[len, kind, start, first]) = rungs.words.first_chunk::<HEAD>() else {
            return if rungs.words.is_empty() { Ok(rungs) } else { Err(garbled()) };
        };
        let number = |word: u64| usize::try_from(word).map_err(|_| garbled());
        rungs.places = match kind {
            0 => Places::Run { start: number(start)? },
            1 => Places::Near,
            2 => Places::Far,
            _ => return Err(garbled()),
        };
        (rungs.len, rungs.first) = (number(len)?, number(first)?);
        if rungs.words_needed() == rungs.words.len() { Ok(rungs) } else { Err(garbled()) }
    }
}

/// What [`Rungs`] hold, for reading.
#[derive(Clone, Copy)]
pub(super) struct View<'v, R> {
    /// From left to right.
    pub(super) ranks: &'v [R],
    places: PlacesView<'v>,
    first: usize,
}

#[derive(Clone, Copy)]
enum PlacesView<'v> {
    Run(usize),
    Near(&'v [u32]),
    Far(&'v [u64]),
}

impl<R> View<'_, R> {
    /// Position in the array of an entry, from left to right.
    #[inline(always)]
    pub(super) fn position(&self, entry: usize) -> usize {
        self.first
            + match self.places {
                PlacesView::Run(start) => start + entry,
                PlacesView::Near(places) => places[entry] as usize,
                PlacesView::Far(places) => places[entry] as usize,
            }
    }
}
