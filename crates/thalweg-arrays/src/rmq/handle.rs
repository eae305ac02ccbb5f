//! The index as users see it: an engine, and what the bits mean.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};

use super::engine::RmqEngine;
use super::explain::Explanation;
use super::in_order::{Below, Listed, Ranks, Smallest};
use super::{Engine, LinesOptions, build, build_both, build_without_array};
use thalweg_core::bits::{Array, Bits, BitsMut};
use thalweg_core::error::expect_len;
use thalweg_core::{Chosen, Coding, Error, Key, Order, Position, Rank, Result};

/// A range-minimum index over an array of keys, with whatever engine was chosen.
///
/// With [`Order::Max`] read "largest" for "smallest" everywhere. Ties go to the leftmost position.
#[derive(Debug)]
pub struct Rmq<'a, K: Key> {
    pub(super) engine: Box<dyn RmqEngine + 'a>,
    pub(super) len: usize,
    order: Order,
    chosen: Chosen,
    keys: PhantomData<&'a [K]>,
}

impl<'a, K: Key> Rmq<'a, K> {
    /// An index for minima with the CPU's default engine. The array is borrowed, not copied.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn new(array: &'a [K]) -> Result<Self> {
        let engine = build(Array::of(array), Coding::of::<K>(Order::Min), Engine::Lines(LinesOptions::DEFAULT))?;
        let chosen = Chosen::on_cpu(engine.name(), "the default");
        Ok(Self::from_engine(engine, Order::Min, chosen))
    }

    /// Indexes for minima and for maxima, built in one pass over the array.
    ///
    /// ```
    /// # use thalweg_arrays as thalweg;
    /// let [low, high] = thalweg::Rmq::both(&[3, 1, 2])?;
    /// assert_eq!((low.value(1..), high.value(1..)), (Some(1), Some(2)));
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](thalweg_core::Error::OutOfMemory).
    pub fn both(array: &'a [K]) -> Result<[Self; 2]> {
        const ORDERS: [Order; 2] = [Order::Min, Order::Max];
        let [low, high] = build_both(Bits::of(array), ORDERS.map(Coding::of::<K>), &|_| ())?;
        let chosen = || Chosen::on_cpu(low.name(), "the default");
        let (one, two) = (chosen(), chosen());
        Ok([Self::from_engine(low, Order::Min, one), Self::from_engine(high, Order::Max, two)])
    }

    /// An index with a certain engine of the CPU, over a borrowed slice, or over an owned vector (`Rmq<'static, K>`).
    ///
    /// ```
    /// # use thalweg_arrays as thalweg;
    /// use thalweg::{Order, Rmq, rmq::{Engine, HierarchyOptions}};
    /// let highest = Rmq::with_engine(&[2.0, 9.0, 9.0, 4.0][..], Order::Max, Engine::Naive)?;
    /// assert_eq!(highest.position(..), Some(1));
    /// let pairs = HierarchyOptions { chunk: Some(2), threshold: Some(1), ..HierarchyOptions::DEFAULT };
    /// let layers = Rmq::with_engine(vec![4, 2, 8, 6], Order::Min, Engine::Hierarchy(pairs))?;
    /// assert_eq!(layers.position(..), Some(1));
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`build`].
    pub fn with_engine(array: impl Into<Cow<'a, [K]>>, order: Order, engine: Engine) -> Result<Self> {
        let engine = build(Array::of(array), Coding::of::<K>(order), engine)?;
        let chosen = Chosen::on_cpu(engine.name(), "asked for");
        Ok(Self::from_engine(engine, order, chosen))
    }

    /// An index of an engine of the caller's, such as one that runs on another device. It must be over keys of this type,
    /// by this order.
    pub fn from_engine(engine: Box<dyn RmqEngine + 'a>, order: Order, chosen: Chosen) -> Self {
        Self { len: engine.len(), engine, order, chosen, keys: PhantomData }
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

    /// Which device and engine answer, and why these.
    pub fn chosen(&self) -> &Chosen {
        &self.chosen
    }

    /// The engine, which knows no key type.
    pub fn as_engine(&self) -> &(dyn RmqEngine + 'a) {
        &*self.engine
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
    /// Where the engine is on a device that fails, the answer comes from the host's array.
    ///
    /// ```
    /// # use thalweg_arrays as thalweg;
    /// let rmq = thalweg::Rmq::new(&[3, 1, 1, 2])?;
    /// assert_eq!(rmq.position(..), Some(1));
    /// assert_eq!(rmq.position(2..=3), Some(2));
    /// assert_eq!(rmq.position(2..2), None);
    /// assert_eq!(rmq.position(2..5), None);
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    #[inline]
    pub fn position(&self, range: impl RangeBounds<usize>) -> Option<usize> {
        let (left, right) = self.inclusive(range)?;
        Some(self.engine.position(left, right))
    }

    /// The same, with a device's failure as an error.
    ///
    /// # Errors
    /// Those of the device; none on the CPU.
    #[inline]
    pub fn try_position(&self, range: impl RangeBounds<usize>) -> Result<Option<usize>> {
        self.inclusive(range).map(|(left, right)| self.engine.try_position(left, right)).transpose()
    }

    /// The smallest element in the range; `None` as for [`Rmq::position`], and without [`Rmq::has_values`].
    ///
    /// ```
    /// # use thalweg_arrays as thalweg;
    /// let rmq = thalweg::Rmq::new(&[3u8, 1, 2])?;
    /// assert_eq!(rmq.value(1..), Some(1));
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    #[inline]
    pub fn value(&self, range: impl RangeBounds<usize>) -> Option<K> {
        let (left, right) = self.inclusive(range)?;
        self.engine.value(left, right).map(K::from_low_bits)
    }

    /// The same, with a device's failure as an error.
    ///
    /// # Errors
    /// Those of the device; none on the CPU.
    #[inline]
    pub fn try_value(&self, range: impl RangeBounds<usize>) -> Result<Option<K>> {
        let Some((left, right)) = self.inclusive(range) else { return Ok(None) };
        Ok(self.engine.try_value(left, right)?.map(K::from_low_bits))
    }

    /// Positions of the smallest elements of many ranges `[left, right]`, both inclusive, on all threads of the
    /// current rayon pool.
    ///
    /// # Errors
    /// [`Error::Query`] names the first range that is not inside the array; then the output
    /// is unspecified.
    ///
    /// ```
    /// # use thalweg_arrays as thalweg;
    /// let rmq = thalweg::Rmq::new(&[3, 1, 1, 2])?;
    /// let mut out = [0u32; 2];
    /// rmq.positions(&[[0, 3], [2, 3]], &mut out)?;
    /// assert_eq!(out, [1, 2]);
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn positions<P: Position>(&self, queries: &[[P; 2]], out: &mut [P]) -> Result<()> {
        expect_len("output of the batch", out.len(), queries.len())?;
        self.engine.positions(P::pairs(queries), P::buffer(out))
    }

    /// Smallest elements of many ranges, as [`Rmq::positions`].
    ///
    /// ```
    /// # use thalweg_arrays as thalweg;
    /// let rmq = thalweg::Rmq::new(&[0.5, -1.0, 4.0])?;
    /// let mut out = [0.0; 2];
    /// rmq.values(&[[0u64, 2], [2, 2]], &mut out)?;
    /// assert_eq!(out, [-1.0, 4.0]);
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoValues`] without [`Rmq::has_values`].
    pub fn values<P: Position>(&self, queries: &[[P; 2]], out: &mut [K]) -> Result<()> {
        expect_len("output of the batch", out.len(), queries.len())?;
        self.engine.values(P::pairs(queries), BitsMut::of(out))
    }

    /// Positions of the elements in the range, in ascending order of their values, the leftmost first on ties: a lazy
    /// iterator, of which as many are taken as are wanted. (In descending order where the index is for maxima.) It is
    /// empty where [`Rmq::position`] is `None`.
    ///
    /// k positions take at most 2k queries, O(k log k) comparisons and memory for k parts of the range, however long it
    /// is.
    ///
    /// ```
    /// # use thalweg_arrays as thalweg;
    /// let rmq = thalweg::Rmq::new(&[3, 1, 4, 1, 5, 9, 2, 6])?;
    /// assert_eq!(rmq.smallest(2..)?.take(3).collect::<Vec<_>>(), [3, 6, 2]);
    /// assert_eq!(rmq.smallest(..)?.next(), rmq.position(..));
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoValues`] without [`Rmq::has_values`].
    pub fn smallest(&self, range: impl RangeBounds<usize>) -> Result<Smallest<'_>> {
        Ok(Smallest::new(&*self.engine, self.ranks()?, self.inclusive(range)))
    }

    /// Positions of the elements in the range that are not above the threshold, in ascending order: a lazy iterator. (Not
    /// below it, where the index is for maxima.) It is empty where [`Rmq::position`] is `None`.
    ///
    /// Elements are compared as everywhere in the library: zeros are equal, NaN is above everything, and nothing is above
    /// NaN. m positions take at most 2m + 1 queries, and no more than O(m) other work, however long the range is.
    ///
    /// ```
    /// # use thalweg_arrays as thalweg;
    /// let rmq = thalweg::Rmq::new(&[3, 1, 4, 1, 5, 9, 2, 6])?;
    /// assert_eq!(rmq.below(2.., 3)?.collect::<Vec<_>>(), [3, 6]);
    /// assert_eq!(rmq.below(.., 0)?.next(), None);
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoValues`] without [`Rmq::has_values`].
    pub fn below(&self, range: impl RangeBounds<usize>, threshold: K) -> Result<Below<'_>> {
        let most = threshold.rank(self.order).to_u64();
        Ok(Below::new(&*self.engine, self.ranks()?, self.inclusive(range), most))
    }

    /// The `each` smallest elements of many ranges `[left, right]`, both inclusive, as [`Rmq::smallest`] tells them: row by
    /// row, on all threads of the current rayon pool. Where a range has fewer, [`Position::NONE`] stands for the rest.
    ///
    /// A range that is not much longer than what is asked of it is sorted instead.
    ///
    /// ```
    /// # use thalweg_arrays as thalweg;
    /// let rmq = thalweg::Rmq::new(&[3, 1, 4, 1, 5])?;
    /// let mut out = [0u32; 6];
    /// rmq.smallest_each(&[[0, 4], [2, 3]], 3, &mut out)?;
    /// assert_eq!(out, [1, 3, 0, 3, 2, u32::MAX]);
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoValues`] without [`Rmq::has_values`]; [`Error::Query`] names the first range that is not inside the array;
    /// [`Error::Length`] if the output has not `each` places for every range; [`Error::Width`] if 32 bits do not hold all
    /// positions and "none".
    pub fn smallest_each<P: Position>(&self, queries: &[[P; 2]], each: usize, out: &mut [P]) -> Result<()> {
        self.engine.smallest(Coding::of::<K>(self.order), P::pairs(queries), each, P::buffer(out))
    }

    /// What [`Rmq::below`] tells, for many ranges `[left, right]`, both inclusive, with one threshold for all or one each; on
    /// all threads of the current rayon pool.
    ///
    /// ```
    /// # use thalweg_arrays as thalweg;
    /// let rmq = thalweg::Rmq::new(&[3, 1, 4, 1, 5])?;
    /// let found = rmq.below_each(&[[0u32, 4], [4, 4], [2, 4]], &[3])?;
    /// assert_eq!((found.lengths, found.positions), (vec![3, 0, 1], vec![0, 1, 3, 3]));
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Rmq::smallest_each`]; [`Error::Length`] for another number of thresholds; [`Error::OutOfMemory`].
    pub fn below_each<P: Position>(&self, queries: &[[P; 2]], thresholds: &[K]) -> Result<Listed<P>> {
        let found = self.engine.below(Coding::of::<K>(self.order), P::pairs(queries), Bits::of(thresholds))?;
        let [lengths, positions] = found.map(|list| P::from_list(list).expect("positions have the queries' width"));
        Ok(Listed { lengths, positions })
    }

    /// The array by its ranks.
    fn ranks(&self) -> Result<Ranks<'_>> {
        let array = self.engine.array().ok_or(Error::NoValues { engine: self.engine() })?;
        Ranks::new(array, Coding::of::<K>(self.order))
    }

    /// How [`Rmq::position`] finds its answer: what it looks at in the index, and why. `None` as for that, and for engines
    /// that cannot tell (all but `lines` on the CPU).
    ///
    /// ```
    /// # use thalweg_arrays as thalweg;
    /// let told = thalweg::Rmq::new(&[3, 1, 1, 2])?.explain(2..).expect("lines can tell");
    /// assert_eq!(told.position, 2);
    /// assert_eq!(told.looks.last().map(|look| look.level), Some(thalweg::rmq::Level::Elements));
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn explain(&self, range: impl RangeBounds<usize>) -> Option<Explanation> {
        let (left, right) = self.inclusive(range)?;
        self.engine.explain(left, right)
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

impl<K: Key> Rmq<'static, K> {
    /// An index that does not need the array afterwards and does not borrow it: it tells positions, no values. That takes
    /// an engine whose answers come from the index alone.
    ///
    /// ```
    /// # use thalweg_arrays as thalweg;
    /// use thalweg::{Order, Rmq, rmq::Engine};
    /// let rmq = Rmq::without_array(&[3, 1, 2], Order::Min, Engine::BalancedParens)?;
    /// assert_eq!((rmq.position(..), rmq.value(..)), (Some(1), None));
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`build_without_array`].
    pub fn without_array(array: &[K], order: Order, engine: Engine) -> Result<Self> {
        let engine = build_without_array(Bits::of(array), Coding::of::<K>(order), engine)?;
        let chosen = Chosen::on_cpu(engine.name(), "asked for");
        Ok(Self::from_engine(engine, order, chosen))
    }
}
