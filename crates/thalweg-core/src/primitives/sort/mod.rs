//! Stable parallel sorting by [keys](Key).
//!
//! [`sort()`](fn@sort), [`sort_idx`] and [`sort_by_key`] serve the common case, [`Builder`] chooses order and engine:
//!
//! | engine | idea | work | source |
//! |---|---|---|---|
//! | `radix` (default) | parallel partition by the top digit, then least significant digit first in the cache | O(n · digits) | folklore |
//! | `merge` | every element finds its place by a search in the neighbouring sorted segment | O(n log n) rounds · search | BSGP, Hou et al. 2008 |
//! | `comparison` | rayon's parallel merge sort | O(n log n) | rayon |
//!
//! All are stable, so all give the same result. The order is that of [`Key::rank`]: NaN comes last in either
//! [`Order`], -0.0 equals 0.0.

#![allow(unsafe_code)]

mod comparison;
mod item;
mod merge;
mod radix;

use self::item::{Item, Made, Packed, Source, Wide};
use super::split::copy;
use crate::disjoint::Disjoint;
use crate::engine_names;
use crate::error::expect_len;
use crate::memory::try_with_large_capacity;
use crate::parallel::for_each_chunk;
use crate::{Error, Key, Order, Position, Positions, PositionsMut, Rank, Result};

engine_names! {
    /// The sorting engines. See the [module's table](self).
    "sort": Engine {
        /// Partition by the top digit, then least significant digit first in the cache.
        Radix = "radix",
        /// Merging by binary search.
        Merge = "merge",
        /// Rayon's parallel merge sort.
        Comparison = "comparison",
    }
}

/// Sorts keys, ascending and stable, with the default engine.
///
/// Work O(n · digits), on all threads of the current rayon pool. Extra memory: two to three times the keys.
///
/// ```
/// # use thalweg_core as thalweg;
/// let mut keys = [2.5, -1.0, f32::NAN, 0.0];
/// thalweg::primitives::sort(&mut keys)?;
/// assert_eq!(keys[..3], [-1.0, 0.0, 2.5]);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn sort<K: Key>(keys: &mut [K]) -> Result<()> {
    Builder::new().sort(keys)
}

/// The positions of the keys in ascending order, equal keys from left to right: a stable argsort. BSGP's `sort_idx`.
///
/// Work O(n · digits), on all threads of the current rayon pool. Extra memory: 4 bytes per key for keys of up to 32
/// bits, else 8; up to three times that if the keys are spread very unevenly.
///
/// ```
/// # use thalweg_core as thalweg;
/// let order = thalweg::primitives::sort_idx(&[30, 10, 20, 10])?;
/// assert_eq!(order.as_u32(), Some(&[1, 3, 2, 0][..]));
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn sort_idx<K: Key>(keys: &[K]) -> Result<Positions> {
    Builder::new().sort_idx(keys)
}

/// [`sort_idx`] into a buffer of as many positions, `u32` or `u64`.
///
/// Half of the memory that [`sort_idx`] needs is its result: a buffer that is used again saves the time to get it.
///
/// ```
/// # use thalweg_core as thalweg;
/// let mut order = [0u32; 4];
/// thalweg::primitives::sort_idx_into(&[30, 10, 20, 10], &mut order)?;
/// assert_eq!(order, [1, 3, 2, 0]);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn sort_idx_into<K: Key, P: Position>(keys: &[K], out: &mut [P]) -> Result<()> {
    Builder::new().sort_idx_into(keys, out)
}

/// The values in ascending order of their keys, stable.
///
/// As [`sort_idx`], and one random read per value.
///
/// ```
/// # use thalweg_core as thalweg;
/// let names = thalweg::primitives::sort_by_key(&["Ann", "Bob", "Cleo"], &[31u8, 104, 8])?;
/// assert_eq!(names, ["Cleo", "Ann", "Bob"]);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn sort_by_key<T: Copy + Send + Sync, K: Key>(values: &[T], keys: &[K]) -> Result<Vec<T>> {
    Builder::new().sort_by_key(values, keys)
}

/// [`sort_by_key`] that rearranges the values. Extra memory for a copy of them.
///
/// ```
/// # use thalweg_core as thalweg;
/// let mut names = ["Ann", "Bob", "Cleo"];
/// thalweg::primitives::sort_by_key_in_place(&mut names, &[31u8, 104, 8])?;
/// assert_eq!(names, ["Cleo", "Ann", "Bob"]);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn sort_by_key_in_place<T: Copy + Send + Sync, K: Key>(values: &mut [T], keys: &[K]) -> Result<()> {
    Builder::new().sort_by_key_in_place(values, keys)
}

/// Sorting with a choice of order and engine.
///
/// ```
/// # use thalweg_core as thalweg;
/// use thalweg::Order;
/// use thalweg::primitives::sort::{Builder, Engine};
/// let order = Builder::new().order(Order::Max).engine(Engine::Merge).sort_idx(&[1.5, 0.5, 2.5])?;
/// assert_eq!(order.as_u32(), Some(&[2, 0, 1][..]));
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Builder {
    order: Order,
    engine: Option<Engine>,
}

impl Builder {
    /// Ascending, default engine.
    pub fn new() -> Self {
        Self::default()
    }

    /// Chooses the order: [`Order::Min`] puts the smallest key first, [`Order::Max`] the largest.
    pub fn order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// Chooses the engine; `None` leaves the choice to the library.
    pub fn engine(mut self, engine: impl Into<Option<Engine>>) -> Self {
        self.engine = engine.into();
        self
    }

    /// The engine that would run on `len` keys.
    pub fn chosen(&self, _len: usize) -> Engine {
        self.engine.unwrap_or(Engine::Radix)
    }

    /// Sorts keys. See [`sort()`](fn@sort).
    pub fn sort<K: Key>(&self, keys: &mut [K]) -> Result<()> {
        let (engine, order) = (self.chosen(keys.len()), self.order);
        // The payload is the key itself, for equal keys need not be the same: the two zeros, the NaNs.
        if K::Rank::BITS > 32 {
            let make = |_, key: K| Wide { number: key.rank(order).to_u64(), payload: key.to_low_bits() };
            let sorted = allocated(engine, &Made { array: &*keys, bits: K::Rank::BITS, make })?;
            write_each(keys, &|i| K::from_low_bits(sorted[i]));
        } else {
            let make = |_, key: K| Packed::new(key.rank(order).to_u64(), key.to_low_bits() as u32);
            let sorted = allocated(engine, &Made { array: &*keys, bits: K::Rank::BITS, make })?;
            write_each(keys, &|i| K::from_low_bits(sorted[i].into()));
        }
        Ok(())
    }

    /// The positions of the keys in order. See [`sort_idx`].
    pub fn sort_idx<K: Key>(&self, keys: &[K]) -> Result<Positions> {
        let len = keys.len();
        if u32::fits(len) {
            filled_by(len, |out| self.positions_u32(keys, out)).map(Positions::U32)
        } else {
            filled_by(len, |out| self.positions_u64(keys, out)).map(Positions::U64)
        }
    }

    /// The positions of the keys in order, into a buffer of as many positions. See [`sort_idx_into`].
    pub fn sort_idx_into<K: Key, P: Position>(&self, keys: &[K], out: &mut [P]) -> Result<()> {
        let len = keys.len();
        expect_len("sorted positions", out.len(), len)?;
        if !P::fits(len) {
            return Err(Error::Width { len, got: P::NAME });
        }
        match P::buffer(out) {
            PositionsMut::U32(out) => self.positions_u32(keys, Disjoint::new(out)),
            PositionsMut::U64(out) => self.positions_u64(keys, Disjoint::new(out)),
        }
    }

    fn positions_u32<K: Key>(&self, keys: &[K], out: Disjoint<'_, u32>) -> Result<()> {
        let (engine, order, bits) = (self.chosen(keys.len()), self.order, K::Rank::BITS);
        if bits > 32 {
            let make = |i: usize, key: K| Wide { number: key.rank(order).to_u64(), payload: i as u32 };
            Item::sort(engine, &Made { array: keys, bits, make }, out)
        } else {
            let make = |i: usize, key: K| Packed::new(key.rank(order).to_u64(), i as u32);
            Item::sort(engine, &Made { array: keys, bits, make }, out)
        }
    }

    fn positions_u64<K: Key>(&self, keys: &[K], out: Disjoint<'_, u64>) -> Result<()> {
        let order = self.order;
        let make = |i: usize, key: K| Wide { number: key.rank(order).to_u64(), payload: i as u64 };
        Item::sort(self.chosen(keys.len()), &Made { array: keys, bits: K::Rank::BITS, make }, out)
    }

    /// The values in order of their keys. See [`sort_by_key`].
    pub fn sort_by_key<T: Copy + Send + Sync, K: Key>(&self, values: &[T], keys: &[K]) -> Result<Vec<T>> {
        expect_len("sort keys", keys.len(), values.len())?;
        match self.sort_idx(keys)? {
            Positions::U32(order) => gather(values, &order),
            Positions::U64(order) => gather(values, &order),
        }
    }

    /// Rearranges the values in order of their keys. See [`sort_by_key_in_place`].
    pub fn sort_by_key_in_place<T: Copy + Send + Sync, K: Key>(&self, values: &mut [T], keys: &[K]) -> Result<()> {
        copy(&self.sort_by_key(values, keys)?, values);
        Ok(())
    }
}

/// Runs an engine, which writes all of `out`.
fn run<I: Item>(engine: Engine, source: &dyn Source<I>, out: Disjoint<'_, I::Payload>) -> Result<()> {
    match engine {
        Engine::Radix => radix::sort(source, out),
        Engine::Merge => merge::sort(source, out),
        Engine::Comparison => comparison::sort(source, out),
    }
}

/// The payloads in order.
fn allocated<I: Item>(engine: Engine, source: &dyn Source<I>) -> Result<Vec<I::Payload>> {
    filled_by(source.len(), |out| I::sort(engine, source, out))
}

/// A vector of `len` elements, all of which an engine writes.
fn filled_by<T>(len: usize, write: impl FnOnce(Disjoint<'_, T>) -> Result<()>) -> Result<Vec<T>> {
    let mut out = try_with_large_capacity(len, "sorted output")?;
    write(Disjoint::uninit(&mut out.spare_capacity_mut()[..len]))?;
    // SAFETY: every engine writes every element, or returns an error.
    unsafe { out.set_len(len) };
    Ok(out)
}

/// Elements that a task copies at once.
const GRAIN: usize = 1 << 14;

/// All items of a source, in a vector.
fn load_all<I: Item>(source: &dyn Source<I>) -> Result<Vec<I>> {
    let len = source.len();
    let mut items = try_with_large_capacity(len, "items to sort")?;
    let place = Disjoint::uninit(&mut items.spare_capacity_mut()[..len]);
    // SAFETY: inside, and a range's own.
    for_each_chunk(len, GRAIN, &|range| unsafe { source.load(range.clone(), place.slice(range)) });
    // SAFETY: every element has been written.
    unsafe { items.set_len(len) };
    Ok(items)
}

/// Writes the payloads of items that are in order.
fn write_payloads<I: Item>(items: &[I], out: Disjoint<'_, I::Payload>) {
    assert_eq!(out.len(), items.len());
    for_each_chunk(items.len(), GRAIN, &|range| {
        // SAFETY: inside, and a range's own.
        let out = unsafe { out.slice(range.clone()) };
        for (out, item) in out.iter_mut().zip(&items[range]) {
            out.write(item.payload());
        }
    });
}

/// `values` at the positions `order`.
fn gather<T: Copy + Send + Sync, P: Position>(values: &[T], order: &[P]) -> Result<Vec<T>> {
    let mut out = try_with_large_capacity(order.len(), "sorted values")?;
    let place = Disjoint::uninit(&mut out.spare_capacity_mut()[..order.len()]);
    for_each_chunk(order.len(), GRAIN, &|range| {
        // SAFETY: inside, and a range's own.
        let out = unsafe { place.slice(range.clone()) };
        for (out, i) in out.iter_mut().zip(&order[range]) {
            out.write(values[i.get()]);
        }
    });
    // SAFETY: every element has been written.
    unsafe { out.set_len(order.len()) };
    Ok(out)
}

/// Replaces every element by what `value` says for its position.
fn write_each<T: Copy + Send>(values: &mut [T], value: &(impl Fn(usize) -> T + Sync)) {
    let place = Disjoint::new(values);
    for_each_chunk(place.len(), GRAIN, &|range| {
        // SAFETY: inside, and a range's own.
        let out = unsafe { place.slice(range.clone()) };
        for (i, out) in range.zip(out) {
            out.write(value(i));
        }
    });
}
