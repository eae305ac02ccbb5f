//! Longest common extensions: how far two suffixes agree, for any pairs.
//!
//! Fischer and Heun (2006); Soman et al. (2012), section 7.2: in the order of the suffixes, the common prefix of two is the
//! shortest of the common prefixes of neighbours between them, a range minimum of the LCP array from the rank after the
//! smaller one up to the larger one. So a pair costs two reads of the inverse suffix array and one range minimum query,
//! however long the extension is; [`LceBuilder`] chooses the engine, on whatever device.
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

use rayon::prelude::*;

use super::{Stage, SuffixArray, Symbol, Watcher, enter, suffix_array};
use thalweg_arrays::Rmq;
use thalweg_arrays::rmq::{self};
use thalweg_core::error::{expect_len, try_filled};
use thalweg_core::simd::prefetch;
use thalweg_core::{Error, Position, Positions, Result};

/// Pairs that a thread turns into ranges and answers at a time.
const PORTION: usize = 1 << 12;

/// The same for an index of the caller's, which may be far away.
const BATCH: usize = 1 << 20;

/// How far ahead ranks are asked for.
const AHEAD: usize = 16;

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
pub struct Lce {
    len: usize,
    parts: Parts,
}

enum Parts {
    U32(Index<u32>),
    U64(Index<u64>),
}

/// Ranks, and range minima of the LCP array.
struct Index<P: Position> {
    ranks: Vec<P>,
    rmq: Rmq<'static, P>,
    /// Whether the index is of the caller's making and gets large batches.
    one_batch: bool,
}

/// Builds an [`Lce`] with a choice of RMQ engine.
///
/// ```
/// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
/// use thalweg::rmq::{self, Engine};
/// use thalweg::text::LceBuilder;
/// let lce = LceBuilder::new().rmq(rmq::Builder::new().engine(Engine::SparseTable)).build(b"abcabc")?;
/// assert_eq!((lce.get(0, 3), lce.engine()), (Some(3), "sparse_table"));
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Copy, Default)]
pub struct LceBuilder<'w> {
    rmq: rmq::Builder,
    watcher: Watcher<'w>,
}

impl<'w> LceBuilder<'w> {
    /// The default engine.
    pub fn new() -> Self {
        Self::default()
    }

    /// Chooses the engine of the range minima.
    pub fn rmq(mut self, builder: rmq::Builder) -> Self {
        self.rmq = builder;
        self
    }

    /// Calls `watcher` whenever a stage of the work begins.
    pub fn watch(mut self, watcher: &'w (dyn Fn(Stage) + Sync)) -> Self {
        self.watcher = Some(watcher);
        self
    }

    /// Sorts the suffixes of a text and builds the index.
    pub fn build<T: Symbol>(&self, text: &[T]) -> Result<Lce> {
        enter(self.watcher, Stage::SuffixArray);
        self.build_on(&suffix_array(text)?)
    }

    /// The same for a text whose suffixes are sorted already.
    pub fn build_on<T: Symbol>(&self, suffixes: &SuffixArray<'_, T>) -> Result<Lce> {
        self.build_index(suffixes, false, |lcp| self.rmq.build(lcp), |lcp| self.rmq.build(lcp))
    }

    /// The same with an index of the caller's, such as one on another device: it gets the LCP array, in the width that the
    /// length of the text asks for.
    ///
    /// ```
    /// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
    /// use thalweg::text::{LceBuilder, suffix_array};
    /// use thalweg::rmq::Builder;
    /// let suffixes = suffix_array(b"mississippi")?;
    /// let lce = LceBuilder::new().build_with(&suffixes, |lcp| Builder::new().build(lcp), |lcp| Builder::new().build(lcp))?;
    /// assert_eq!(lce.get(1, 4), Some(4)); // issi
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn build_with<T: Symbol>(
        &self,
        suffixes: &SuffixArray<'_, T>,
        index: impl FnOnce(Vec<u32>) -> Result<Rmq<'static, u32>>,
        index_wide: impl FnOnce(Vec<u64>) -> Result<Rmq<'static, u64>>,
    ) -> Result<Lce> {
        self.build_index(suffixes, true, index, index_wide)
    }

    fn build_index<T: Symbol>(
        &self,
        suffixes: &SuffixArray<'_, T>,
        one_batch: bool,
        index: impl FnOnce(Vec<u32>) -> Result<Rmq<'static, u32>>,
        index_wide: impl FnOnce(Vec<u64>) -> Result<Rmq<'static, u64>>,
    ) -> Result<Lce> {
        enter(self.watcher, Stage::Lcp);
        let lcp = suffixes.lcp()?;
        enter(self.watcher, Stage::Inverse);
        let ranks = suffixes.inverse()?;
        enter(self.watcher, Stage::Index);
        let parts = match (ranks, lcp) {
            (Positions::U32(ranks), Positions::U32(lcp)) => Parts::U32(Index { ranks, rmq: index(lcp)?, one_batch }),
            (Positions::U64(ranks), Positions::U64(lcp)) => {
                Parts::U64(Index { ranks, rmq: index_wide(lcp)?, one_batch })
            }
            _ => unreachable!("both have the width of the suffix array"),
        };
        Ok(Lce { len: suffixes.len(), parts })
    }
}

/// Runs an expression for either width of the index.
macro_rules! by_parts {
    ($lce:expr, $index:ident => $body:expr) => {
        match &$lce.parts {
            Parts::U32($index) => $body,
            Parts::U64($index) => $body,
        }
    };
}

impl Lce {
    /// Sorts the suffixes of a text and builds the index, with the default engine.
    pub fn new<T: Symbol>(text: &[T]) -> Result<Self> {
        LceBuilder::new().build(text)
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
        by_parts!(self, index => index.rmq.engine())
    }

    /// Bytes of memory held: ranks, LCP array, and what the engine needs besides.
    pub fn bytes(&self) -> usize {
        by_parts!(self, index => 2 * size_of_val(&index.ranks[..]) + index.rmq.extra_bytes())
    }

    /// How many symbols the suffixes at two positions have in common; `None` if a position is beyond the text.
    #[inline]
    pub fn get(&self, i: usize, j: usize) -> Option<usize> {
        if i.max(j) >= self.len {
            return None;
        }
        if i == j {
            return Some(self.len - i);
        }
        by_parts!(self, index => {
            let (a, b) = (index.ranks[i].get(), index.ranks[j].get());
            index.rmq.min(a.min(b) + 1..=a.max(b)).map(Position::get)
        })
    }

    /// The same for many pairs, on all threads of the current rayon pool. A position beyond the text is an error that names
    /// the pair.
    pub fn batch<P: Position>(&self, pairs: &[[P; 2]], out: &mut [P]) -> Result<()> {
        expect_len("lengths of extensions", out.len(), pairs.len())?;
        let outside = |pair: &[P; 2]| pair.iter().any(|position| position.get() >= self.len);
        if let Some(row) = pairs.par_iter().position_first(outside) {
            let [i, j] = pairs[row].map(|position| position.get() as u64);
            return Err(Error::Pair { row, first: i, second: j, len: self.len });
        }
        by_parts!(self, index => index.batch(pairs, out))
    }
}

impl<W: Position> Index<W> {
    /// Pairs that are inside the text.
    fn batch<P: Position>(&self, pairs: &[[P; 2]], out: &mut [P]) -> Result<()> {
        if self.one_batch {
            return Scratch::new(pairs.len().min(BATCH))?.answer(self, pairs, out);
        }
        // A portion with its ranges stays in the cache of the thread that takes it.
        let portions = pairs.par_chunks(PORTION).zip(out.par_chunks_mut(PORTION));
        portions.try_for_each_init(
            || Scratch::new(pairs.len().min(PORTION)),
            |scratch, (pairs, out)| scratch.as_mut().map_err(|e| e.clone())?.answer(self, pairs, out),
        )
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

    fn answer<P: Position>(&mut self, index: &Index<W>, pairs: &[[P; 2]], out: &mut [P]) -> Result<()> {
        for (pairs, out) in pairs.chunks(self.ranges.len().max(1)).zip(out.chunks_mut(self.ranges.len().max(1))) {
            let (ranges, minima) = (&mut self.ranges[..pairs.len()], &mut self.minima[..pairs.len()]);
            ranges.par_chunks_mut(PORTION).zip(pairs.par_chunks(PORTION)).for_each(|(ranges, pairs)| {
                for (row, range) in ranges.iter_mut().enumerate() {
                    if let Some(later) = pairs.get(row + AHEAD) {
                        prefetch(&index.ranks, later[0].get());
                        prefetch(&index.ranks, later[1].get());
                    }
                    let [a, b] = pairs[row].map(|position| index.ranks[position.get()]);
                    // The same suffix twice: the range is of no use, but it must be one.
                    let low = if a == b { a } else { W::new(a.min(b).get() + 1) };
                    *range = [low, a.max(b)];
                }
            });
            index.rmq.min_batch(ranges, minima)?;
            let rows = (out.par_iter_mut(), pairs, minima).into_par_iter().with_min_len(PORTION);
            rows.for_each(|(out, &[i, j], &mut minimum)| {
                *out = if i == j { P::new(index.ranks.len() - i.get()) } else { P::new(minimum.get()) };
            });
        }
        Ok(())
    }
}
