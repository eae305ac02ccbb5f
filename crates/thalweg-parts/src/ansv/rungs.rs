//! Prefix or suffix minima of a part, or some of them, as a ladder from the best rank to the worst; and how they travel.

use std::ops::Range;

use bytemuck::Pod;
use thalweg_arrays::ansv::PlacesRef;
use thalweg_core::coding::Ranking;
use thalweg_core::memory::large_zeroed;
use thalweg_core::{Error, Position, Rank, Result};

use crate::ranks::garbled;

/// A list of open elements, from the best to the worst.
#[derive(Clone, Copy)]
pub(super) struct Ladder<'l, R> {
    /// The part.
    pub(super) keys: &'l [R],
    pub(super) order: Ranking<R>,
    /// Places in the part, from left to right.
    pub(super) list: PlacesRef<'l>,
    /// Whether they lie from the worst to the best.
    pub(super) reversed: bool,
}

impl<'l, R: Rank> Ladder<'l, R> {
    /// Place of a rung in the part.
    #[inline(always)]
    pub(super) fn place(&self, rung: usize) -> usize {
        self.list.at(if self.reversed { self.list.len() - 1 - rung } else { rung })
    }

    #[inline(always)]
    pub(super) fn rank(&self, rung: usize) -> R {
        self.keys[self.place(rung)].ranked(self.order)
    }

    /// The places of some rungs, from left to right.
    pub(super) fn listed(&self, range: Range<usize>) -> PlacesRef<'l> {
        let (count, range) = (self.list.len(), if range.is_empty() { 0..0 } else { range });
        self.list.some(if self.reversed { count - range.end..count - range.start } else { range })
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

/// Some of a part's minima with their positions in the array. As a message they are words, and bytes that may be the array's own:
/// minima that lie in a row are not copied on their way.
///
/// The words are the number of minima, what follows, where a run begins, the part's position; then, unless they lie in a row, their
/// keys, from left to right, in their width, and their places in the part, of 32 or 64 bits, both filled up to whole words. The bytes are the
/// keys of a run.
#[derive(Clone, Debug)]
pub struct Rungs<'r> {
    words: Vec<u64>,
    /// The keys of a run.
    run: &'r [u8],
    /// Bytes of a key.
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

/// Words in front of the keys.
const HEAD: usize = 4;

/// Words for so many bytes.
fn words_for(bytes: usize) -> usize {
    bytes.div_ceil(size_of::<u64>())
}

impl<'r> Rungs<'r> {
    /// The rungs of a range. Of equal ones the nearest serves, which is the worst in order; only where they lie in a row are the others
    /// told as well.
    pub(super) fn of<R: Rank + Pod>(ladder: &Ladder<'r, R>, range: Range<usize>, first: usize) -> Result<Self> {
        let list = ladder.listed(range);
        let mut rungs = Self::empty(size_of::<R>());
        rungs.first = first;
        if list.is_empty() {
            return Ok(rungs);
        }
        if let Some(run) = list.row() {
            rungs.make_room(run.len(), Places::Run { start: run.start })?;
            rungs.run = bytemuck::cast_slice(&ladder.keys[run]);
        } else {
            rungs.fill(ladder, list)?;
        }
        Ok(rungs)
    }

    fn empty(width: usize) -> Self {
        Self { words: Vec::new(), run: &[], width, len: 0, places: Places::Near, first: 0 }
    }

    /// Any elements.
    fn fill<R: Rank + Pod>(&mut self, ladder: &Ladder<'_, R>, list: PlacesRef<'_>) -> Result<()> {
        let key = |i: usize| ladder.keys[list.at(i)];
        let rank = |i: usize| key(i).ranked(ladder.order);
        let is_nearest = |&i: &usize| match ladder.reversed {
            true => i == 0 || rank(i - 1) != rank(i),
            false => i + 1 == list.len() || rank(i + 1) != rank(i),
        };
        let kept: Vec<usize> = (0..list.len()).filter(is_nearest).collect();
        let near = u32::fits(ladder.keys.len());
        self.make_room(kept.len(), if near { Places::Near } else { Places::Far })?;
        let (keys, places) = self.words[HEAD..].split_at_mut(words_for(kept.len() * size_of::<R>()));
        let keys: &mut [R] = bytemuck::cast_slice_mut(keys);
        keys.iter_mut().zip(&kept).for_each(|(out, &i)| *out = key(i));
        match near {
            true => {
                let places: &mut [u32] = bytemuck::cast_slice_mut(places);
                places.iter_mut().zip(&kept).for_each(|(out, &i)| *out = list.at(i) as u32);
            }
            false => places.iter_mut().zip(&kept).for_each(|(out, &i)| *out = list.at(i) as u64),
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
            Places::Run { .. } => return HEAD,
            Places::Near => self.len.saturating_mul(size_of::<u32>()),
            Places::Far => self.len.saturating_mul(size_of::<u64>()),
        };
        HEAD + words_for(self.len.saturating_mul(self.width)) + words_for(places)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Keys from left to right, and the positions of the elements; their width is that of [`Rungs::expect_width`].
    pub(super) fn view<R: Pod>(&self) -> View<'_, R> {
        let within = self.words.get(HEAD..).unwrap_or_default();
        let (keys, places): (&[u8], _) = match self.places {
            Places::Run { start } => (self.run, PlacesView::Run(start)),
            places => {
                let (keys, list) = within.split_at(words_for(self.len * size_of::<R>()));
                let near = places == Places::Near;
                let list = if near { PlacesView::Near(bytemuck::cast_slice(list)) } else { PlacesView::Far(list) };
                (bytemuck::cast_slice(keys), list)
            }
        };
        View { keys: bytemuck::cast_slice(&keys[..self.len * size_of::<R>()]), places, first: self.first }
    }

    pub(super) fn expect_width(&self, bytes: usize) -> Result<()> {
        if self.width == bytes {
            return Ok(());
        }
        let [expected, got] = [bytes, self.width].map(|bytes| 8 * bytes as u32);
        Err(Error::Bits { what: "minima of another part", expected, got })
    }

    /// As a message: words, and the keys of a run.
    pub(super) fn into_message(self) -> (Vec<u64>, &'r [u8]) {
        (self.words, self.run)
    }

    /// From the words of a message, of keys of `width` bytes; the keys of a run [are to come](Rungs::bytes_to_come). No words are no rungs.
    ///
    /// # Errors
    /// [`Error::Library`] if they are not what [`Rungs::into_message`] gives.
    pub(super) fn from_words(words: Vec<u64>, width: usize) -> Result<Self> {
        let mut rungs = Self { words, ..Self::empty(width) };
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
        let fits = rungs.len.checked_mul(width).is_some() && rungs.words_needed() == rungs.words.len();
        if fits { Ok(rungs) } else { Err(garbled()) }
    }

    /// Bytes of the keys of a run that has been told of.
    pub(super) fn bytes_to_come(&self) -> usize {
        if matches!(self.places, Places::Run { .. }) { self.len * self.width - self.run.len() } else { 0 }
    }

    /// A piece of a run: these keys, from an entry on.
    pub(super) fn piece<'k>(&self, entry: usize, keys: &'k [u8]) -> Rungs<'k> {
        let start = if let Places::Run { start } = self.places { start + entry } else { entry };
        let (len, places) = (keys.len() / self.width, Places::Run { start });
        Rungs { words: Vec::new(), run: keys, width: self.width, len, places, first: self.first }
    }
}

/// What [`Rungs`] hold, for reading.
#[derive(Clone, Copy)]
pub(super) struct View<'v, R> {
    /// From left to right.
    pub(super) keys: &'v [R],
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
    /// Position of the first entry, if all lie in a row.
    pub(super) fn run(&self) -> Option<usize> {
        if let PlacesView::Run(start) = self.places { Some(self.first + start) } else { None }
    }

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
