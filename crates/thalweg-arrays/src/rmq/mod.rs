//! Range minimum queries (RMQ).
//!
//! Given an array that does not change, answer many times: where is the smallest element between two positions?
//! [`Rmq::new`] builds an index with the default engine, [`Builder`] chooses order, engine and options:
//!
//! | engine | idea | extra memory | query | source |
//! |---|---|---|---|---|
//! | `lines` (default) | minima of cache lines, opened only where they can matter, under a small table | about n/11 keys | O(1), mostly from cache | this project |
//! | `hierarchy` | minima of chunks of c, of those again, down to t chunks | n/(c-1) keys and positions | O(c log n + ct) | GPU-RMQ, Kreis et al. 2026 |
//! | `padded_tree` | codes of the Cartesian trees of blocks, packed tables over them | 4.1 bits an element | O(1), mostly from cache | Soman et al. 2012 |
//! | `sparse_table` | the answer for every power-of-two range | n log n positions | O(1), two random reads | folklore |
//! | `prefix_suffix_tree` | prefix and suffix minima in every node of a binary tree | n log n positions | O(1), two random reads | JáJá 1992 |
//! | `inlabel` | lowest common ancestors in the Cartesian tree | 24 bytes an element | O(1), two to four random reads | Schieber, Vishkin 1988; Ryssel 2025 |
//! | `balanced_parens` | pushes and pops of a stack as parentheses, under a small table; needs no array | about 2.25 bits an element | O(1) but for rare bisections, at most three cache lines of the 2n bits | Fischer, Heun 2011; Ferrada, Navarro 2017; Baumstark et al. 2017 |
//! | `naive` | scans the range | none | O(n) | the oracle |

mod balanced_parens;
#[cfg(feature = "file")]
pub mod file;
mod hierarchy;
mod inlabel;
mod lines;
mod naive;
mod padded_tree;
mod prefix_suffix_tree;
mod sparse_table;
mod stages;

use std::borrow::Cow;
use std::ops::{Bound, RangeBounds};

use rayon::prelude::*;

use self::balanced_parens::ByParens;
use self::hierarchy::Hierarchy;
use self::inlabel::ByInlabel;
use self::lines::Lines;
use self::naive::Naive;
use self::padded_tree::PaddedTree;
#[doc(hidden)]
pub use self::padded_tree::{Dictionary, Options as PaddedTreeOptions, Shape as PaddedTreeShape};
use self::prefix_suffix_tree::PrefixSuffixTree;
use self::sparse_table::SparseTable;
use self::stages::PORTION;
use thalweg_core::bits;
use thalweg_core::coding::Ranking;
use thalweg_core::engine_names;
use thalweg_core::error::expect_len;
use thalweg_core::simd::prefetch;
use thalweg_core::storage::Storage;
use thalweg_core::{Error, Key, Order, Pairs, Position, PositionsMut, Rank, Result};

engine_names! {
    /// The RMQ engines of this crate. See the [module's table](self).
    "rmq": Engine {
        /// Minima of cache lines, opened only where they can matter. The default.
        Lines = "lines",
        /// Scans the range. The oracle of the tests.
        Naive = "naive",
        /// The answer for every power-of-two range.
        SparseTable = "sparse_table",
        /// Layers of minima: GPU-RMQ's structure. Options [`Builder::chunk`] and [`Builder::threshold`].
        Hierarchy = "hierarchy",
        /// Codes of the Cartesian trees of blocks and packed tables over them: 4.1 bits an element. Options
        /// [`Builder::block`], [`Builder::superblock`] and [`Builder::dictionary`].
        PaddedTree = "padded_tree",
        /// Prefix and suffix minima in every node of a binary tree.
        PrefixSuffixTree = "prefix_suffix_tree",
        /// Lowest common ancestors in the Cartesian tree.
        Inlabel = "inlabel",
        /// Two bits an element and a directory: answers without the array. See [`Builder::build_without_array`].
        BalancedParens = "balanced_parens",
    }
}

/// What every RMQ engine provides, on whatever device.
///
/// An engine is built from a slice and answers for that slice ever after. Answers are exact: the leftmost best
/// position of the range, and the value found there, bit for bit.
pub trait RmqEngine<K: Key>: Send + Sync {
    /// The engine's name.
    fn name(&self) -> &'static str;
    /// Bytes of memory held in addition to the array itself.
    fn extra_bytes(&self) -> usize;
    /// Position of the best element of `left..=right`; the front door has checked `left <= right < len`.
    fn argmin(&self, left: usize, right: usize) -> usize;
    /// The best element of `left..=right`, under the same promise; `None` without [`RmqEngine::has_values`].
    fn min(&self, left: usize, right: usize) -> Option<K>;
    /// Positions for a batch whose buffers have equal lengths. The engine checks every range and returns
    /// [`Error::Query`] for the first bad one; the output is unspecified then.
    fn argmin_batch(&self, queries: Pairs<'_>, out: PositionsMut<'_>) -> Result<()>;
    /// The same for values; [`Error::NoValues`] without [`RmqEngine::has_values`].
    fn min_batch(&self, queries: Pairs<'_>, out: &mut [K]) -> Result<()>;
    /// Whether the engine can reach the array, and so tell values and not only positions.
    fn has_values(&self) -> bool {
        true
    }
    /// What [`Rmq::save`] writes. Nothing for engines of other crates.
    #[cfg(feature = "file")]
    #[doc(hidden)]
    fn contents(&self) -> Result<file::Contents<'_>> {
        let reason = format!("'{}' is not one of this library's own, whose indexes can be saved", self.name());
        Err(Error::BadOption { option: "engine", reason })
    }
}

/// An engine written for one thread and one chunk of a batch; [`OnCpu`] spreads it over the thread pool.
/// It works on the bits of the keys: see [`thalweg_core::coding`].
trait CpuEngine<R: Rank>: Send + Sync {
    const NAME: &'static str;
    /// Length of the array.
    fn len(&self) -> usize;
    /// The array's bits, unless the index does without.
    fn array(&self) -> Option<&[R]>;
    fn extra_bytes(&self) -> usize;
    fn argmin(&self, left: usize, right: usize) -> usize;

    /// What is saved of the index, for engines that have a form on disk: see [`file::SAVED`].
    #[cfg(feature = "file")]
    fn contents(&self) -> Result<file::Contents<'_>> {
        Err(file::not_saved(Self::NAME))
    }

    /// Answers a chunk of at most [`CHUNK`] queries, or returns `None` if one of them is bad.
    #[must_use]
    fn argmin_chunk<P: Position>(&self, queries: &[[P; 2]], out: &mut [P]) -> Option<()> {
        for (&[l, r], out) in queries.iter().zip(out) {
            if l > r || r.get() >= self.len() {
                return None;
            }
            *out = P::new(self.argmin(l.get(), r.get()));
        }
        Some(())
    }

    /// The same for values, as bits: those of the array, so there must be one.
    #[must_use]
    fn min_chunk<P: Position>(&self, queries: &[[P; 2]], out: &mut [R]) -> Option<()> {
        let array = self.array()?;
        let mut positions = [P::default(); PORTION];
        for (queries, out) in queries.chunks(PORTION).zip(out.chunks_mut(PORTION)) {
            let positions = &mut positions[..queries.len()];
            self.argmin_chunk(queries, positions)?;
            for &position in &*positions {
                prefetch(array, position.get());
            }
            for (&position, out) in positions.iter().zip(out) {
                *out = array[position.get()];
            }
        }
        Some(())
    }
}

/// Bytes of memory that the levels of a table hold.
fn levels_bytes<T>(levels: &[Storage<'_, T>]) -> usize {
    levels.iter().map(Storage::held_bytes).sum()
}

/// The position of the better one of two elements; on ties the first, which is the left one.
#[inline(always)]
fn better<R: Rank, P: Position>(array: &[R], order: Ranking<R>, left: P, right: P) -> P {
    let rank = |position: P| array[position.get()].ranked(order);
    if rank(right) < rank(left) { right } else { left }
}

/// Queries that one task answers: some 100 µs of work, enough to hide the cost of a task.
const CHUNK: usize = 1 << 13;

/// Makes an [`RmqEngine`] of a [`CpuEngine`]: spreads batches over the threads and finds the culprit in a bad one.
struct OnCpu<E>(E);

impl<E> OnCpu<E> {
    fn batch<R: Rank, P: Position, T: Send>(
        &self,
        queries: &[[P; 2]],
        out: &mut [T],
        answer: impl Fn(&E, &[[P; 2]], &mut [T]) -> Option<()> + Sync,
    ) -> Result<()>
    where
        E: CpuEngine<R>,
    {
        let done = queries
            .par_chunks(CHUNK)
            .zip(out.par_chunks_mut(CHUNK))
            .try_for_each(|(queries, out)| answer(&self.0, queries, out));
        match done {
            Some(()) => Ok(()),
            None => Err(first_bad_query(queries, self.0.len())),
        }
    }

    fn argmins<R: Rank>(&self, queries: Pairs<'_>, out: PositionsMut<'_>) -> Result<()>
    where
        E: CpuEngine<R>,
    {
        match (queries, out) {
            (Pairs::U32(queries), PositionsMut::U32(out)) => self.batch(queries, out, |e, q, o| e.argmin_chunk(q, o)),
            (Pairs::U64(queries), PositionsMut::U64(out)) => self.batch(queries, out, |e, q, o| e.argmin_chunk(q, o)),
            _ => unreachable!("queries and positions have one width"),
        }
    }

    fn minima<R: Rank>(&self, queries: Pairs<'_>, out: &mut [R]) -> Result<()>
    where
        E: CpuEngine<R>,
    {
        match queries {
            Pairs::U32(queries) => self.batch(queries, out, |e, q, o| e.min_chunk(q, o)),
            Pairs::U64(queries) => self.batch(queries, out, |e, q, o| e.min_chunk(q, o)),
        }
    }
}

impl<K: Key, E: CpuEngine<K::Rank>> RmqEngine<K> for OnCpu<E> {
    fn name(&self) -> &'static str {
        E::NAME
    }

    fn extra_bytes(&self) -> usize {
        self.0.extra_bytes()
    }

    fn argmin(&self, left: usize, right: usize) -> usize {
        self.0.argmin(left, right)
    }

    fn min(&self, left: usize, right: usize) -> Option<K> {
        self.0.array().map(|array| K::from_low_bits(array[self.0.argmin(left, right)].to_u64()))
    }

    fn argmin_batch(&self, queries: Pairs<'_>, out: PositionsMut<'_>) -> Result<()> {
        self.argmins(queries, out)
    }

    fn min_batch(&self, queries: Pairs<'_>, out: &mut [K]) -> Result<()> {
        match self.0.array() {
            Some(_) => self.minima(queries, bits::words_mut(out)),
            None => Err(Error::NoValues { engine: E::NAME }),
        }
    }

    fn has_values(&self) -> bool {
        self.0.array().is_some()
    }

    #[cfg(feature = "file")]
    fn contents(&self) -> Result<file::Contents<'_>> {
        self.0.contents()
    }
}

/// The error for the first query that is not inside the array. There must be one.
fn first_bad_query<P: Position>(queries: &[[P; 2]], len: usize) -> Error {
    let row = queries
        .par_iter()
        .position_first(|&[l, r]| l > r || r.get() >= len)
        .expect("an engine refused a batch that has no bad query");
    let [l, r] = queries[row];
    Error::Query { row, left: l.get() as u64, right: r.get() as u64, len }
}

/// Chooses order, engine and options of a range-minimum index.
///
/// ```
/// # use thalweg_arrays as thalweg;
/// use thalweg::{Order, rmq::{Builder, Engine}};
/// let a = [2.0, 9.0, 9.0, 4.0];
/// let highest = Builder::new().order(Order::Max).engine(Engine::Naive).build(&a)?;
/// assert_eq!(highest.argmin(..), Some(1));
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Builder {
    order: Order,
    engine: Option<Engine>,
    chunk: Option<usize>,
    threshold: Option<usize>,
    padded_tree: padded_tree::Options,
}

impl Builder {
    /// Minimum, default engine.
    pub fn new() -> Self {
        Self::default()
    }

    /// Minimum or maximum.
    pub fn order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// Chooses the engine; `None` leaves the choice to the library.
    pub fn engine(mut self, engine: impl Into<Option<Engine>>) -> Self {
        self.engine = engine.into();
        self
    }

    /// Elements of a chunk in the layers of [`Engine::Hierarchy`], at least 2; `None` leaves the choice to the library.
    /// Other engines ignore it.
    ///
    /// ```
    /// # use thalweg_arrays as thalweg;
    /// use thalweg::rmq::{Builder, Engine};
    /// let layers = Builder::new().engine(Engine::Hierarchy).chunk(2).threshold(1).build(&[4, 2, 8, 6])?;
    /// assert_eq!(layers.argmin(..), Some(1));
    /// assert!(Builder::new().engine(Engine::Hierarchy).chunk(1).build(&[4, 2, 8, 6]).is_err());
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn chunk(mut self, chunk: impl Into<Option<usize>>) -> Self {
        self.chunk = chunk.into();
        self
    }

    /// Chunks of the top layer of [`Engine::Hierarchy`] at most, at least 1; `None` leaves the choice to the library.
    /// Other engines ignore it.
    pub fn threshold(mut self, threshold: impl Into<Option<usize>>) -> Self {
        self.threshold = threshold.into();
        self
    }

    /// Elements of a block of [`Engine::PaddedTree`]: 4, 8 or 16; `None` leaves the choice to the library, which is 16.
    /// Other engines ignore it. Smaller blocks take more memory: 32 bits each besides the 2 bits an element.
    ///
    /// ```
    /// # use thalweg_arrays as thalweg;
    /// use thalweg::rmq::{Builder, Engine};
    /// let builder = Builder::new().engine(Engine::PaddedTree).block(8).superblock(32).dictionary(4);
    /// assert_eq!(builder.build(&[4, 2, 8, 2])?.argmin(..), Some(1));
    /// assert!(builder.block(5).build(&[4, 2, 8, 2]).is_err());
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn block(mut self, elements: impl Into<Option<usize>>) -> Self {
        self.padded_tree.block = elements.into();
        self
    }

    /// Blocks of a superblock of [`Engine::PaddedTree`]: 16, 32 or 64; `None` leaves the choice to the library, which is
    /// 64. Other engines ignore it.
    pub fn superblock(mut self, blocks: impl Into<Option<usize>>) -> Self {
        self.padded_tree.superblock = blocks.into();
        self
    }

    /// Bits of the strings that the dictionary of [`Engine::PaddedTree`] knows: 2, 4 or 8; `None` leaves the choice to the
    /// library, which is 8. Other engines ignore it. The dictionary has 8 bytes for every string of so many bits, once
    /// for the whole program.
    pub fn dictionary(mut self, bits: impl Into<Option<usize>>) -> Self {
        self.padded_tree.dictionary = bits.into();
        self
    }

    /// The engine that would be built.
    pub fn chosen(&self) -> Engine {
        self.engine.unwrap_or(Engine::Lines)
    }

    /// Builds the index over a borrowed slice, or over an owned vector (`Rmq<'static, K>`).
    pub fn build<'a, K: Key>(&self, array: impl Into<Cow<'a, [K]>>) -> Result<Rmq<'a, K>> {
        let array = array.into();
        let len = array.len();
        Ok(Rmq { engine: self.build_engine(array)?, len, order: self.order })
    }

    /// Builds an index that does not need the array afterwards and does not borrow it: it tells positions, no values.
    /// That takes an engine whose answers come from the index alone.
    ///
    /// # Errors
    /// [`Error::BadOption`] for an engine that compares elements of the array when it is asked.
    pub fn build_without_array<K: Key>(&self, array: &[K]) -> Result<Rmq<'static, K>> {
        let engine = self.build_engine_without_array(array)?;
        Ok(Rmq { engine, len: array.len(), order: self.order })
    }

    pub(crate) fn build_engine_without_array<K: Key>(&self, array: &[K]) -> Result<Box<dyn RmqEngine<K>>> {
        let (bits, order) = (bits::words(array), Ranking::of::<K>(self.order));
        match self.chosen() {
            Engine::BalancedParens => Ok(Box::new(OnCpu(ByParens::without_array(bits, order)?))),
            engine => {
                let reason = format!("'{engine}' looks at the array when it is asked, so the array must stay");
                Err(Error::BadOption { option: "engine", reason })
            }
        }
    }

    pub(crate) fn build_engine<'a, K: Key>(&self, array: Cow<'a, [K]>) -> Result<Box<dyn RmqEngine<K> + 'a>> {
        if u32::fits(array.len()) { self.build_with::<K, u32>(array) } else { self.build_with::<K, u64>(array) }
    }

    /// Builds the engine; where it holds positions, in the width given.
    fn build_with<'a, K: Key, P: Position>(&self, array: Cow<'a, [K]>) -> Result<Box<dyn RmqEngine<K> + 'a>> {
        let (bits, order) = (Storage::from(bits::words_cow(array)), Ranking::of::<K>(self.order));
        Ok(match self.chosen() {
            Engine::Lines => Box::new(OnCpu(Lines::new(bits, order)?)),
            Engine::Naive => Box::new(OnCpu(Naive::new(bits, order))),
            Engine::SparseTable => Box::new(OnCpu(SparseTable::<_, P>::new(bits, order)?)),
            Engine::Hierarchy => Box::new(OnCpu(Hierarchy::<_, P>::new(bits, order, self.chunk, self.threshold)?)),
            Engine::PaddedTree => Box::new(OnCpu(PaddedTree::new(bits, order, self.padded_tree)?)),
            Engine::Inlabel => Box::new(OnCpu(ByInlabel::<_, P>::new(bits, order)?)),
            Engine::BalancedParens => Box::new(OnCpu(ByParens::new(bits, order)?)),
            Engine::PrefixSuffixTree => Box::new(OnCpu(PrefixSuffixTree::<_, P>::new(bits, order)?)),
        })
    }
}

/// A range-minimum index over an array of keys, with whatever engine was chosen.
///
/// With [`Order::Max`] read "largest" for "smallest" everywhere. Ties go to the leftmost position.
pub struct Rmq<'a, K: Key> {
    engine: Box<dyn RmqEngine<K> + 'a>,
    len: usize,
    order: Order,
}

impl<'a, K: Key> Rmq<'a, K> {
    /// An index for minima with the default engine. The array is borrowed, not copied.
    pub fn new(array: &'a [K]) -> Result<Self> {
        Builder::new().build(array)
    }

    /// Wraps an engine of the caller's, such as one that runs on another device. `len` is the array's length.
    pub fn from_engine(engine: Box<dyn RmqEngine<K> + 'a>, len: usize, order: Order) -> Self {
        Self { engine, len, order }
    }

    /// Length of the array.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the array is empty. Then every query is out of range.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Name of the engine in use.
    pub fn engine(&self) -> &'static str {
        self.engine.name()
    }

    /// Whether minima or maxima are answered.
    pub fn order(&self) -> Order {
        self.order
    }

    /// Bytes of memory held in addition to the array.
    pub fn extra_bytes(&self) -> usize {
        self.engine.extra_bytes()
    }

    /// Whether values can be asked for: not if the index lives without its array.
    pub fn has_values(&self) -> bool {
        self.engine.has_values()
    }

    /// Position of the smallest element in the range, the leftmost on ties; `None` if the range is empty or reaches
    /// beyond the array.
    ///
    /// ```
    /// # use thalweg_arrays as thalweg;
    /// let rmq = thalweg::Rmq::new(&[3, 1, 1, 2])?;
    /// assert_eq!(rmq.argmin(..), Some(1));
    /// assert_eq!(rmq.argmin(2..=3), Some(2));
    /// assert_eq!(rmq.argmin(2..2), None);
    /// assert_eq!(rmq.argmin(2..5), None);
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    #[inline]
    pub fn argmin(&self, range: impl RangeBounds<usize>) -> Option<usize> {
        let (left, right) = self.inclusive(range)?;
        Some(self.engine.argmin(left, right))
    }

    /// The smallest element in the range; `None` as for [`Rmq::argmin`], and without [`Rmq::has_values`].
    ///
    /// ```
    /// # use thalweg_arrays as thalweg;
    /// let rmq = thalweg::Rmq::new(&[3u8, 1, 2])?;
    /// assert_eq!(rmq.min(1..), Some(1));
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    #[inline]
    pub fn min(&self, range: impl RangeBounds<usize>) -> Option<K> {
        let (left, right) = self.inclusive(range)?;
        self.engine.min(left, right)
    }

    /// Positions of the smallest elements of many ranges `[left, right]`, both inclusive, on all threads of the
    /// current rayon pool.
    ///
    /// # Errors
    /// [`Error::Query`] names the first range that is not inside the array; then the output is unspecified.
    ///
    /// ```
    /// # use thalweg_arrays as thalweg;
    /// let rmq = thalweg::Rmq::new(&[3, 1, 1, 2])?;
    /// let mut out = [0u32; 2];
    /// rmq.argmin_batch(&[[0, 3], [2, 3]], &mut out)?;
    /// assert_eq!(out, [1, 2]);
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn argmin_batch<P: Position>(&self, queries: &[[P; 2]], out: &mut [P]) -> Result<()> {
        expect_len("output of the batch", out.len(), queries.len())?;
        self.engine.argmin_batch(P::pairs(queries), P::buffer(out))
    }

    /// Smallest elements of many ranges, as [`Rmq::argmin_batch`].
    ///
    /// ```
    /// # use thalweg_arrays as thalweg;
    /// let rmq = thalweg::Rmq::new(&[0.5, -1.0, 4.0])?;
    /// let mut out = [0.0; 2];
    /// rmq.min_batch(&[[0u64, 2], [2, 2]], &mut out)?;
    /// assert_eq!(out, [-1.0, 4.0]);
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn min_batch<P: Position>(&self, queries: &[[P; 2]], out: &mut [K]) -> Result<()> {
        expect_len("output of the batch", out.len(), queries.len())?;
        self.engine.min_batch(P::pairs(queries), out)
    }

    /// Turns any kind of range into inclusive bounds inside the array.
    #[inline]
    fn inclusive(&self, range: impl RangeBounds<usize>) -> Option<(usize, usize)> {
        let left = match range.start_bound() {
            Bound::Included(&l) => l,
            Bound::Excluded(&l) => l.checked_add(1)?,
            Bound::Unbounded => 0,
        };
        let right = match range.end_bound() {
            Bound::Included(&r) => r,
            Bound::Excluded(&r) => r.checked_sub(1)?,
            Bound::Unbounded => self.len.checked_sub(1)?,
        };
        (left <= right && right < self.len).then_some((left, right))
    }
}
