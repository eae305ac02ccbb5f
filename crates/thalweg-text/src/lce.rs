//! Longest common extensions: how far two suffixes agree, for any pairs.
//!
//! Fischer and Heun (2006); Soman et al. (2012), section 7.2: in the order of the suffixes, the common prefix of two is the
//! shortest of the common prefixes of neighbours between them, a range minimum of the LCP array from the rank after the
//! smaller one up to the larger one. So a pair costs two reads of the inverse suffix array and one range minimum query,
//! however long the extension is, with whatever RMQ engine. An engine that does all of it on another device is an
//! [`LceEngine`].
//!
//! On texts without repetitions it is cheaper to compare the symbols. 2^20 random pairs of a text of 2^24 bytes, one thread,
//! nanoseconds a pair here and by comparing 8 bytes at a time:
//!
//! | text | here | comparing |
//! |---|---|---|
//! | random bytes | 48 | 16 |
//! | 20 letters again and again, one in 100,000 changed | 68 | 499 |
//! | all equal | 79 | 1,015,199 |
//!
//! Comparing takes 0.18 ns a byte, so the two are even where extensions are some 180 bytes long on average.
//!
//! Build: O(n) work; memory held: inverse and LCP array and the index, some 8.4 bytes a symbol below 2 GiB.
#![allow(unsafe_code)]

use std::borrow::Cow;
use std::fmt;

use crate::position_width::by_position;
use crate::stage::{Stage, Watcher};
use crate::suffix_array::SuffixArray;
#[cfg(feature = "libsais")]
use crate::suffix_array::sorting::suffix_array;
use crate::symbol::Symbol;
use crate::tasks::try_tasks;
use thalweg_arrays::Rmq;
use thalweg_arrays::rmq;
use thalweg_core::disjoint::Disjoint;
use thalweg_core::error::{expect_len, try_filled};
use thalweg_core::parallel::{find_first, for_each_chunk_mut};
use thalweg_core::simd::prefetch;
use thalweg_core::storage::Storage;
use thalweg_core::{Chosen, Error, Order, Pairs, Position, Positions, PositionsMut, Result};

/// Pairs that a thread turns into ranges and answers at a time.
const PORTION: usize = 1 << 12;

/// Portions of a task.
const TASK: usize = 8 * PORTION;

/// The same for an index that was given, which may be far away.
const BATCH: usize = 1 << 20;

/// How far ahead ranks are asked for.
const AHEAD: usize = 16;

/// What answers how far two suffixes agree, on whatever device.
pub trait LceEngine: fmt::Debug + Send + Sync {
    /// Name of the engine of the range minima.
    fn name(&self) -> &'static str;
    /// Length of the text.
    fn len(&self) -> usize;
    /// Whether the text is empty. Then every pair is out of range.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Bytes of memory held, ranks and LCP array among them.
    fn bytes(&self) -> usize;
    /// How many symbols the suffixes at two positions have in common; the front door has checked that both are inside.
    fn extension(&self, i: usize, j: usize) -> Result<usize>;
    /// The same for many pairs; the front door has checked that lengths and widths of the buffers are the same. The engine
    /// checks every pair and returns [`Error::Pair`] for the first bad one; the output is unspecified then.
    fn extensions(&self, pairs: Pairs<'_>, out: PositionsMut<'_>) -> Result<()>;
}

/// Answers how far two suffixes of a text agree.
///
/// ```
/// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
/// use thalweg::text::Lce;
/// let lce = Lce::new(b"banana")?;
/// assert_eq!(lce.get(1, 3), Some(3)); // ana
/// assert_eq!(lce.get(0, 2), Some(0));
/// assert_eq!(lce.get(4, 4), Some(2));
/// assert_eq!(lce.get(0, 6), None);
///
/// let mut lengths = [0u32; 2];
/// lce.batch(&[[1, 3], [2, 4]], &mut lengths)?;
/// assert_eq!(lengths, [3, 2]);
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Debug)]
pub struct Lce {
    engine: Box<dyn LceEngine>,
    len: usize,
    chosen: Chosen,
}

/// The rank of every suffix by position, and an index for range minima of the LCP array, in one of the two widths: what an
/// [`Lce`] is made of.
#[derive(Debug)]
pub enum LceParts {
    /// For texts shorter than [`WIDE`](crate::WIDE).
    U32(Vec<u32>, Rmq<'static, u32>),
    /// For longer ones.
    U64(Vec<u64>, Rmq<'static, u64>),
}

impl Lce {
    /// Sorts the suffixes of a text and builds the index, with the default engine.
    #[cfg(feature = "libsais")]
    pub fn new<T: Symbol>(text: &[T]) -> Result<Self> {
        build(&suffix_array(text)?, rmq::Engine::default(), "the default", Watcher::default())
    }

    /// The same with a choice of RMQ engine.
    ///
    /// ```
    /// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
    /// use thalweg::rmq::Engine;
    /// use thalweg::text::Lce;
    /// let lce = Lce::with_engine(b"abcabc", Engine::SparseTable)?;
    /// assert_eq!((lce.get(0, 3), lce.engine()), (Some(3), "sparse_table"));
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    #[cfg(feature = "libsais")]
    pub fn with_engine<T: Symbol>(text: &[T], engine: rmq::Engine) -> Result<Self> {
        Self::of(&suffix_array(text)?, engine, Watcher::default())
    }

    /// The same for a text whose suffixes are sorted already.
    ///
    /// ```
    /// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
    /// use thalweg::rmq::Engine;
    /// use thalweg::text::{Lce, Watcher, suffix_array};
    /// let lce = Lce::of(&suffix_array(b"mississippi")?, Engine::default(), Watcher::default())?;
    /// assert_eq!(lce.get(1, 4), Some(4)); // issi
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn of<T: Symbol>(suffixes: &SuffixArray<'_, T>, engine: rmq::Engine, watcher: Watcher<'_>) -> Result<Self> {
        build(suffixes, engine, "asked for", watcher)
    }

    /// The same from ranks ([`SuffixArray::inverse`]) and an index for minima over the LCP array ([`SuffixArray::lcp`]) that
    /// may be on another device: it gets large batches.
    ///
    /// Trusted is what the ranks and the indexed array say: if they are not a text's, lengths are wrong. Errors are two
    /// lengths, ranks beyond the text, and an index of maxima or without values.
    ///
    /// ```
    /// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
    /// use thalweg::rmq::{Engine, Rmq};
    /// use thalweg::text::{Lce, LceParts, suffix_array};
    /// use thalweg::{Order, Positions};
    /// let suffixes = suffix_array(b"banana")?;
    /// let (Positions::U32(ranks), Positions::U32(lcp)) = (suffixes.inverse()?, suffixes.lcp()?) else { panic!() };
    /// let minima = Rmq::with_engine(lcp, Order::Min, Engine::SparseTable)?;
    /// let lce = Lce::from_parts(LceParts::U32(ranks, minima))?;
    /// assert_eq!(lce.get(1, 3), Some(3));
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn from_parts(parts: LceParts) -> Result<Self> {
        match parts {
            LceParts::U32(ranks, rmq) => Ranked::given(ranks, rmq),
            LceParts::U64(ranks, rmq) => Ranked::given(ranks, rmq),
        }
    }

    /// The same from ranks ([`SuffixArray::inverse`]) and LCP array ([`SuffixArray::lcp`]) that are there already, and an
    /// engine of the CPU. Both may be lent.
    ///
    /// Trusted is what they say, as by [`Lce::from_parts`]; two lengths and ranks beyond the text are errors.
    ///
    /// ```
    /// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
    /// use thalweg::rmq::Engine;
    /// use thalweg::text::Lce;
    /// // banana
    /// let lce = Lce::from_arrays(&[3u32, 2, 5, 1, 4, 0][..], &[0, 1, 3, 0, 0, 2][..], Engine::default())?;
    /// assert_eq!(lce.get(1, 3), Some(3)); // ana
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn from_arrays<W: Position>(
        ranks: impl Into<Cow<'static, [W]>>,
        lcp: impl Into<Cow<'static, [W]>>,
        engine: rmq::Engine,
    ) -> Result<Self> {
        let (ranks, rmq) = (Storage::from(ranks.into()), Rmq::with_engine(lcp, Order::Min, engine)?);
        let chosen = Chosen::on_cpu(engine.name(), "asked for");
        Ok(Self::from_engine(Box::new(Ranked::checked(ranks, rmq, false)?), chosen))
    }

    /// Wraps an engine of the caller's, such as one that runs on another device.
    pub fn from_engine(engine: Box<dyn LceEngine>, chosen: Chosen) -> Self {
        Self { len: engine.len(), engine, chosen }
    }

    /// The same index, with another account of how it was chosen.
    pub fn with_chosen(self, chosen: Chosen) -> Self {
        Self { chosen, ..self }
    }

    /// Length of the text.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the text is empty. Then every pair is out of range.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Name of the RMQ engine in use.
    pub fn engine(&self) -> &'static str {
        self.engine.name()
    }

    /// Which device and engine answer, and why.
    pub fn chosen(&self) -> &Chosen {
        &self.chosen
    }

    /// Bytes of memory held: ranks, LCP array, and what the engine needs besides.
    pub fn bytes(&self) -> usize {
        self.engine.bytes()
    }

    /// How many symbols the suffixes at two positions have in common; `None` if a position is beyond the text. And if a
    /// device fails: [`Lce::try_get`] tells that.
    #[inline]
    pub fn get(&self, i: usize, j: usize) -> Option<usize> {
        self.try_get(i, j).ok().flatten()
    }

    /// The same, and an error if a device fails. An engine on the CPU does not.
    #[inline]
    pub fn try_get(&self, i: usize, j: usize) -> Result<Option<usize>> {
        if i.max(j) >= self.len {
            return Ok(None);
        }
        if i == j {
            return Ok(Some(self.len - i));
        }
        self.engine.extension(i, j).map(Some)
    }

    /// The same for many pairs, on all threads of the current rayon pool or on the device. A position beyond the text is an
    /// error that names the pair.
    pub fn batch<P: Position>(&self, pairs: &[[P; 2]], out: &mut [P]) -> Result<()> {
        expect_len("lengths of extensions", out.len(), pairs.len())?;
        self.engine.extensions(P::pairs(pairs), P::buffer(out))
    }
}

/// Builds the index of a text whose suffixes are sorted, with an engine that was chosen for a reason.
fn build<T: Symbol>(
    suffixes: &SuffixArray<'_, T>,
    engine: rmq::Engine,
    reason: &str,
    watcher: Watcher<'_>,
) -> Result<Lce> {
    watcher.enter(Stage::Lcp);
    let lcp = suffixes.lcp()?;
    watcher.enter(Stage::Inverse);
    let ranks = suffixes.inverse()?;
    watcher.enter(Stage::Index);
    Ok(Lce::from_engine(ranked(ranks, lcp, engine)?, Chosen::on_cpu(engine.name(), reason)))
}

fn ranked(ranks: Positions, lcp: Positions, engine: rmq::Engine) -> Result<Box<dyn LceEngine>> {
    fn of<P: Position>(ranks: Vec<P>, lcp: Positions, engine: rmq::Engine) -> Result<Box<dyn LceEngine>> {
        let lcp = P::from_list(lcp).expect("both have the width of the suffix array");
        let rmq = Rmq::with_engine(lcp, Order::Min, engine)?;
        Ok(Box::new(Ranked { ranks: ranks.into(), rmq, far: false }))
    }
    by_position!(ranks, ranks => of(ranks, lcp, engine))
}

/// Ranks, and range minima of the LCP array.
#[derive(Debug)]
struct Ranked<W: Position> {
    ranks: Storage<'static, W>,
    rmq: Rmq<'static, W>,
    /// Whether the index was given and may be far away: then it gets large batches, and not the portions of a thread.
    far: bool,
}

impl<W: Position> Ranked<W> {
    fn given(ranks: Vec<W>, rmq: Rmq<'static, W>) -> Result<Lce> {
        let chosen = rmq.chosen().clone();
        Ok(Lce::from_engine(Box::new(Self::checked(ranks.into(), rmq, true)?), chosen))
    }

    /// Nothing is read outside of an array, whatever the ranks say.
    fn checked(ranks: Storage<'static, W>, rmq: Rmq<'static, W>, far: bool) -> Result<Self> {
        let len = ranks.len();
        expect_len("index over the LCP array", rmq.len(), len)?;
        if rmq.order() != Order::Min {
            let reason = "an index of maxima: common extensions are minima".to_owned();
            return Err(Error::BadOption { option: "index over the LCP array", reason });
        }
        if !rmq.has_values() {
            return Err(Error::NoValues { engine: rmq.engine() });
        }
        if let Some(at) = find_first(len, PORTION, &|mut range| range.find(|&at| ranks[at].get() >= len)) {
            return Err(Error::Link { what: "rank of suffix", element: at, to: ranks[at].get() as u64, len });
        }
        Ok(Self { ranks, rmq, far })
    }

    /// The ranks whose LCP values are those between two suffixes, both ends inclusive.
    #[inline(always)]
    fn range(&self, a: W, b: W) -> [W; 2] {
        // The same suffix twice: the range is of no use, but it must be one.
        let low = if a == b { a } else { W::new(a.min(b).get() + 1) };
        [low, a.max(b)]
    }

    fn batch<P: Position>(&self, pairs: &[[P; 2]], out: &mut [P]) -> Result<()> {
        let len = self.ranks.len();
        let outside = |row: &usize| pairs[*row].iter().any(|position| position.get() >= len);
        if let Some(row) = find_first(pairs.len(), PORTION, &|mut rows| rows.find(outside)) {
            let [first, second] = pairs[row].map(|position| position.get() as u64);
            return Err(Error::Pair { row, first, second, len });
        }
        if self.far {
            return Scratch::new(pairs.len().min(BATCH))?.answer(self, pairs, out);
        }
        // A portion with its ranges stays in the cache of the thread that takes it.
        let out = Disjoint::new(out);
        try_tasks(pairs.len(), TASK, &|rows| {
            // SAFETY: as many answers as pairs, and ranges do not overlap.
            let out = unsafe { out.slice_mut(rows.clone()) };
            Scratch::new(rows.len().min(PORTION))?.answer(self, &pairs[rows], out)
        })
    }
}

impl<W: Position> LceEngine for Ranked<W> {
    fn name(&self) -> &'static str {
        self.rmq.engine()
    }

    fn len(&self) -> usize {
        self.ranks.len()
    }

    fn bytes(&self) -> usize {
        2 * size_of_val(&self.ranks[..]) + self.rmq.extra_bytes()
    }

    fn extension(&self, i: usize, j: usize) -> Result<usize> {
        let [low, high] = self.range(self.ranks[i], self.ranks[j]);
        match self.rmq.try_value(low.get()..=high.get())? {
            Some(length) => Ok(length.get()),
            None => Err(Error::Query { row: 0, left: low.get() as u64, right: high.get() as u64, len: self.len() }),
        }
    }

    fn extensions(&self, pairs: Pairs<'_>, out: PositionsMut<'_>) -> Result<()> {
        match (pairs, out) {
            (Pairs::U32(pairs), PositionsMut::U32(out)) => self.batch(pairs, out),
            (Pairs::U64(pairs), PositionsMut::U64(out)) => self.batch(pairs, out),
            _ => {
                let reason = "pairs and lengths have two widths".to_owned();
                Err(Error::BadOption { option: "lengths of extensions", reason })
            }
        }
    }
}

/// Ranges of ranks and their minima, for some pairs.
struct Scratch<W> {
    ranges: Vec<[W; 2]>,
    minima: Vec<W>,
}

impl<W: Position> Scratch<W> {
    fn new(pairs: usize) -> Result<Self> {
        let ranges = try_filled(pairs, [W::new(0); 2], "ranges of ranks")?;
        Ok(Self { ranges, minima: try_filled(pairs, W::new(0), "lengths of extensions")? })
    }

    fn answer<P: Position>(&mut self, index: &Ranked<W>, pairs: &[[P; 2]], out: &mut [P]) -> Result<()> {
        for (pairs, out) in pairs.chunks(self.ranges.len().max(1)).zip(out.chunks_mut(self.ranges.len().max(1))) {
            let (ranges, minima) = (&mut self.ranges[..pairs.len()], &mut self.minima[..pairs.len()]);
            for_each_chunk_mut(ranges, PORTION, &|start, ranges| {
                let pairs = &pairs[start..];
                for (row, range) in ranges.iter_mut().enumerate() {
                    if let Some(later) = pairs.get(row + AHEAD) {
                        prefetch(&index.ranks, later[0].get());
                        prefetch(&index.ranks, later[1].get());
                    }
                    let [a, b] = pairs[row].map(|position| index.ranks[position.get()]);
                    *range = index.range(a, b);
                }
            });
            index.rmq.values(ranges, minima)?;
            for_each_chunk_mut(out, PORTION, &|start, out| {
                for (out, (&[i, j], &minimum)) in out.iter_mut().zip(pairs[start..].iter().zip(&minima[start..])) {
                    *out = if i == j { P::new(index.ranks.len() - i.get()) } else { P::new(minimum.get()) };
                }
            });
        }
        Ok(())
    }
}
