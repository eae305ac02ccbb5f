//! Stable parallel sorting by [keys](Key).
//!
//! [`sort()`](fn@sort), [`sort_idx`] and [`sort_by_key`] serve the common case; those that end in `_with` take
//! [`Options`], that is, an order and an engine:
//!
//! | engine | idea | work | source |
//! |---|---|---|---|
//! | `radix` (default) | parallel partition by the top digit, then least significant digit first in the cache | O(n · digits) | folklore |
//! | `merge` | every element finds its place by a search in the neighbouring sorted segment | O(n log n) rounds · search | BSGP, Hou et al. 2008 |
//! | `comparison` | rayon's parallel merge sort | O(n log n) | rayon |
//!
//! All are stable, so all give the same result. The order is that of [`Key::rank`]: NaN comes last in either
//! [`Order`], -0.0 equals 0.0.
//!
//! All of it is compiled for four widths of keys, once, behind [`sort_bits`] and [`sort_bits_idx_into`], which take bits
//! and a [`Coding`]; what is generic only converts.

#![allow(unsafe_code)]

mod comparison;
mod item;
mod merge;
mod radix;
mod scatter;
mod source;

use self::item::{Item, Packed, Wide};
use self::source::{GRAIN, Made, Source};
use super::split::copy;
use crate::bits::{Bits, BitsMut};
use crate::coding::Ranking;
use crate::disjoint::Disjoint;
use crate::error::expect_len;
use crate::memory::{computed, try_with_large_capacity};
use crate::parallel::for_each_chunk_mut;
use crate::{Coding, Error, Key, Order, Position, Positions, PositionsMut, Rank, Result, by_width, engine_names};

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

/// Order and engine of a sort.
///
/// ```
/// # use thalweg_core as thalweg;
/// use thalweg::Order;
/// use thalweg::primitives::sort::{Engine, Options, sort_idx_with};
/// let options = Options { order: Order::Max, engine: Some(Engine::Merge) };
/// assert_eq!(sort_idx_with(&[1.5, 0.5, 2.5], options)?.as_u32(), Some(&[2, 0, 1][..]));
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// [`Order::Min`] puts the smallest key first, [`Order::Max`] the largest.
    pub order: Order,
    /// The engine; `None` leaves the choice to the library.
    pub engine: Option<Engine>,
}

impl Options {
    /// The engine that would run on `len` keys.
    pub fn chosen(&self, _len: usize) -> Engine {
        self.engine.unwrap_or(Engine::Radix)
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
    sort_with(keys, Options::default())
}

/// [`sort()`](fn@sort) with a choice of order and engine.
pub fn sort_with<K: Key>(keys: &mut [K], options: Options) -> Result<()> {
    let engine = options.chosen(keys.len());
    sort_bits(BitsMut::of(keys), Coding::of::<K>(options.order), engine)
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
    sort_idx_with(keys, Options::default())
}

/// [`sort_idx`] with a choice of order and engine.
pub fn sort_idx_with<K: Key>(keys: &[K], options: Options) -> Result<Positions> {
    sort_bits_idx(Bits::of(keys), Coding::of::<K>(options.order), options.chosen(keys.len()))
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
    sort_idx_into_with(keys, out, Options::default())
}

/// [`sort_idx_into`] with a choice of order and engine.
pub fn sort_idx_into_with<K: Key, P: Position>(keys: &[K], out: &mut [P], options: Options) -> Result<()> {
    let engine = options.chosen(keys.len());
    sort_bits_idx_into(Bits::of(keys), Coding::of::<K>(options.order), engine, P::buffer(out))
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
    sort_by_key_with(values, keys, Options::default())
}

/// [`sort_by_key`] with a choice of order and engine.
pub fn sort_by_key_with<T: Copy + Send + Sync, K: Key>(values: &[T], keys: &[K], options: Options) -> Result<Vec<T>> {
    expect_len("sort keys", keys.len(), values.len())?;
    gather(values, &sort_idx_with(keys, options)?)
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
    sort_by_key_in_place_with(values, keys, Options::default())
}

/// [`sort_by_key_in_place`] with a choice of order and engine.
pub fn sort_by_key_in_place_with<T: Copy + Send + Sync, K: Key>(
    values: &mut [T],
    keys: &[K],
    options: Options,
) -> Result<()> {
    copy(&sort_by_key_with(values, keys, options)?, values);
    Ok(())
}

/// Sorts keys of which only the bits and their meaning are known: what is behind [`sort()`](fn@sort).
///
/// # Panics
/// If the coding is one of keys of another width, as all functions on bits.
pub fn sort_bits(keys: BitsMut<'_>, coding: Coding, engine: Engine) -> Result<()> {
    by_width!(BitsMut, keys, words => sort_words(words, coding.ranking(), engine))
}

/// The positions of keys in order, of which only the bits and their meaning are known: what is behind [`sort_idx`].
pub fn sort_bits_idx(keys: Bits<'_>, coding: Coding, engine: Engine) -> Result<Positions> {
    let len = keys.len();
    if u32::fits(len) {
        filled_by(len, |out| positions(keys, coding, engine, Wanted::U32(out))).map(Positions::U32)
    } else {
        filled_by(len, |out| positions(keys, coding, engine, Wanted::U64(out))).map(Positions::U64)
    }
}

/// [`sort_bits_idx`] into a buffer: what is behind [`sort_idx_into`].
pub fn sort_bits_idx_into(keys: Bits<'_>, coding: Coding, engine: Engine, out: PositionsMut<'_>) -> Result<()> {
    let len = keys.len();
    let out = match out {
        PositionsMut::U32(out) => {
            expect_len("sorted positions", out.len(), len)?;
            if !u32::fits(len) {
                return Err(Error::Width { len, got: u32::NAME });
            }
            Wanted::U32(Disjoint::new(out))
        }
        PositionsMut::U64(out) => {
            expect_len("sorted positions", out.len(), len)?;
            Wanted::U64(Disjoint::new(out))
        }
    };
    positions(keys, coding, engine, out)
}

/// A place for positions of either width.
enum Wanted<'a> {
    U32(Disjoint<'a, u32>),
    U64(Disjoint<'a, u64>),
}

fn positions(keys: Bits<'_>, coding: Coding, engine: Engine, out: Wanted<'_>) -> Result<()> {
    by_width!(Bits, keys, words => positions_of_words(words, coding.ranking(), engine, out))
}

/// What numbers keys of one width are sorted by. Whether they are floats is settled here, so that no loop asks for it.
macro_rules! by_meaning {
    ($ranking:expr, $number:ident => $body:expr) => {{
        let ranking = $ranking;
        if R::BITS >= 32 && ranking.float {
            let $number = |bits: R| bits.ranked(Ranking { float: true, ..ranking }).to_u64();
            $body
        } else {
            let $number = |bits: R| bits.ranked(Ranking { float: false, ..ranking }).to_u64();
            $body
        }
    }};
}

/// Sorts keys of one width.
fn sort_words<R: Rank>(words: &mut [R], ranking: Ranking<R>, engine: Engine) -> Result<()> {
    // The payload is the key itself, for equal keys need not be the same: the two zeros, the NaNs.
    if R::BITS > 32 {
        let sorted = by_meaning!(ranking, number => {
            let make = |_, word: R| Wide { number: number(word), payload: word.to_u64() };
            filled_by(words.len(), |out| run(engine, &Made { array: &*words, bits: R::BITS, make }, out))?
        });
        write_each(words, &|i| R::from_u64(sorted[i]));
    } else {
        let sorted = by_meaning!(ranking, number => {
            let make = |_, word: R| Packed::new(number(word), word.to_u64() as u32);
            filled_by(words.len(), |out| run(engine, &Made { array: &*words, bits: R::BITS, make }, out))?
        });
        write_each(words, &|i| R::from_u64(sorted[i].into()));
    }
    Ok(())
}

/// The positions of keys of one width, in order.
fn positions_of_words<R: Rank>(words: &[R], ranking: Ranking<R>, engine: Engine, out: Wanted<'_>) -> Result<()> {
    let bits = R::BITS;
    by_meaning!(ranking, number => match out {
        Wanted::U32(out) if bits > 32 => {
            let make = |i: usize, word: R| Wide { number: number(word), payload: i as u32 };
            run(engine, &Made { array: words, bits, make }, out)
        }
        Wanted::U32(out) => {
            let make = |i: usize, word: R| Packed::new(number(word), i as u32);
            run(engine, &Made { array: words, bits, make }, out)
        }
        Wanted::U64(out) => {
            let make = |i: usize, word: R| Wide { number: number(word), payload: i as u64 };
            run(engine, &Made { array: words, bits, make }, out)
        }
    })
}

/// Runs an engine, which writes all of `out`. `dyn`: the engines are compiled for three types of items.
fn run<I: Item>(engine: Engine, source: &dyn Source<I>, out: Disjoint<'_, I::Payload>) -> Result<()> {
    match engine {
        Engine::Radix => radix::sort(source, out),
        Engine::Merge => merge::sort(source, out),
        Engine::Comparison => comparison::sort(source, out),
    }
}

/// A vector of `len` elements, all of which an engine writes.
fn filled_by<T>(len: usize, write: impl FnOnce(Disjoint<'_, T>) -> Result<()>) -> Result<Vec<T>> {
    let mut out = try_with_large_capacity(len, "sorted output")?;
    write(Disjoint::uninit(&mut out.spare_capacity_mut()[..len]))?;
    // SAFETY: every engine writes every element, or returns an error.
    unsafe { out.set_len(len) };
    Ok(out)
}

/// `values` at the positions `order`.
fn gather<T: Copy + Send + Sync>(values: &[T], order: &Positions) -> Result<Vec<T>> {
    match order {
        Positions::U32(order) => computed(order.len(), GRAIN, "sorted values", |i| values[order[i].get()]),
        Positions::U64(order) => computed(order.len(), GRAIN, "sorted values", |i| values[order[i].get()]),
    }
}

/// Replaces every element by what `value` says for its position.
fn write_each<T: Copy + Send>(values: &mut [T], value: &(impl Fn(usize) -> T + Sync)) {
    for_each_chunk_mut(values, GRAIN, &|start, values| {
        for (i, out) in (start..).zip(values) {
            *out = value(i);
        }
    });
}
