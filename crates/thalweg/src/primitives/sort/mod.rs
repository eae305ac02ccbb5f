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

mod comparison;
mod item;
mod merge;
mod radix;

use rayon::prelude::*;

use self::item::{Item, Packed, Plain, Wide};
use super::disjoint::Disjoint;
use crate::error::{expect_len, try_with_capacity};
use crate::names::engine_names;
use crate::{Key, Order, Position, Positions, Rank, Result};

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
/// Work O(n · digits), on all threads of the current rayon pool. Extra memory: 8 bytes per key for keys of up to 32
/// bits, else 16; twice that if the keys are spread very unevenly.
///
/// ```
/// let order = thalweg::primitives::sort_idx(&[30, 10, 20, 10])?;
/// assert_eq!(order.as_u32(), Some(&[1, 3, 2, 0][..]));
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn sort_idx<K: Key>(keys: &[K]) -> Result<Positions> {
    Builder::new().sort_idx(keys)
}

/// The values in ascending order of their keys, stable.
///
/// As [`sort_idx`], and one random read per value.
///
/// ```
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
        match self.order {
            Order::Min => self.sort_plain::<K, false>(keys),
            Order::Max => self.sort_plain::<K, true>(keys),
        }
    }

    /// The positions of the keys in order. See [`sort_idx`].
    pub fn sort_idx<K: Key>(&self, keys: &[K]) -> Result<Positions> {
        let order = self.order;
        if !u32::fits(keys.len()) {
            let load = |i: usize| Wide { rank: keys[i].rank(order).to_u64(), index: i as u64 };
            self.run(keys.len(), load, |item: Wide| item.index).map(Positions::U64)
        } else if K::Rank::BITS > 32 {
            let load = |i: usize| Wide { rank: keys[i].rank(order).to_u64(), index: i as u64 };
            self.run(keys.len(), load, |item: Wide| item.index as u32).map(Positions::U32)
        } else {
            self.run(keys.len(), |i| Packed::new(keys[i].rank(order), i), Packed::index).map(Positions::U32)
        }
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

    fn sort_plain<K: Key, const MAX: bool>(&self, keys: &mut [K]) -> Result<()> {
        let sorted = self.run(keys.len(), |i| Plain::<K, MAX>(keys[i]), |item| item.0)?;
        copy(&sorted, keys);
        Ok(())
    }

    /// Sorts the items `load(0..len)` and returns what `emit` makes of them.
    #[allow(unsafe_code)]
    fn run<I: Item, O: Copy + Send>(
        &self,
        len: usize,
        load: impl Fn(usize) -> I + Sync,
        emit: impl Fn(I) -> O + Sync,
    ) -> Result<Vec<O>> {
        let mut out = try_with_capacity(len, "sorted output")?;
        let place = Disjoint::uninit(&mut out.spare_capacity_mut()[..len]);
        match self.chosen(len) {
            Engine::Radix => radix::sort(len, &load, &emit, place)?,
            Engine::Merge => merge::sort(len, &load, &emit, place)?,
            Engine::Comparison => comparison::sort(len, &load, &emit, place)?,
        }
        // SAFETY: every engine writes every element, or returns an error.
        unsafe { out.set_len(len) };
        Ok(out)
    }
}

/// Elements that a task copies at once.
const GRAIN: usize = 1 << 14;

/// `values` at the positions `order`.
fn gather<T: Copy + Send + Sync, P: Position>(values: &[T], order: &[P]) -> Result<Vec<T>> {
    let mut out = try_with_capacity(order.len(), "sorted values")?;
    // The length is known, so rayon fills the room that is there.
    order.par_iter().with_min_len(GRAIN).map(|&i| values[i.get()]).collect_into_vec(&mut out);
    Ok(out)
}

fn copy<T: Copy + Send + Sync>(from: &[T], to: &mut [T]) {
    to.par_chunks_mut(GRAIN).zip(from.par_chunks(GRAIN)).for_each(|(to, from)| to.copy_from_slice(from));
}
