//! Where the items of a sort come from.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ops::Range;

use super::item::Item;
use super::scatter::{Columns, Line, Place, count_digits, scatter_lines};
use crate::Result;
use crate::disjoint::Disjoint;
use crate::memory::try_with_large_capacity;
use crate::parallel::for_each_chunk;

/// Where items come from: the loops that read them, a chunk per call.
pub(super) trait Source<I: Item>: Sync {
    /// How many items there are.
    fn len(&self) -> usize;
    /// How many bits the numbers can have.
    fn bits(&self) -> u32;
    /// Writes the items of `range` to `out`, which is as long.
    fn load(&self, range: Range<usize>, out: &mut [MaybeUninit<I>]);
    /// [`count_digits`] of the items of `range`.
    fn count(&self, range: Range<usize>, shift: u32, counts: &mut [Place]) -> u64;
    /// [`scatter_lines`] of the items of `range`.
    ///
    /// # Safety
    /// That of [`scatter_lines`].
    unsafe fn scatter(
        &self,
        range: Range<usize>,
        shift: u32,
        places: &mut [Place],
        lines: &mut [Line<I>],
        out: Columns<'_, I>,
        stream: bool,
    );
}

/// A [`Source`] that can say its items one after the other.
pub(super) trait Items<I: Item>: Sync {
    /// How many items there are.
    fn len(&self) -> usize;
    /// How many bits the numbers can have.
    fn bits(&self) -> u32;
    /// The items of `range`.
    fn items(&self, range: Range<usize>) -> impl Iterator<Item = I>;
}

impl<I: Item, S: Items<I>> Source<I> for S {
    fn len(&self) -> usize {
        Items::len(self)
    }

    fn bits(&self) -> u32 {
        Items::bits(self)
    }

    fn load(&self, range: Range<usize>, out: &mut [MaybeUninit<I>]) {
        assert_eq!(out.len(), range.len());
        for (item, out) in self.items(range).zip(out) {
            out.write(item);
        }
    }

    fn count(&self, range: Range<usize>, shift: u32, counts: &mut [Place]) -> u64 {
        let first = self.items(0..1).next().map_or(0, I::number);
        count_digits(self.items(range), first, shift, counts)
    }

    unsafe fn scatter(
        &self,
        range: Range<usize>,
        shift: u32,
        places: &mut [Place],
        lines: &mut [Line<I>],
        out: Columns<'_, I>,
        stream: bool,
    ) {
        // SAFETY: the caller's promise.
        unsafe { scatter_lines(self.items(range), shift, places, lines, out, stream) };
    }
}

/// Items made of the elements of an array, by a function of their position and value.
pub(super) struct Made<'a, T, F> {
    pub(super) array: &'a [T],
    pub(super) bits: u32,
    pub(super) make: F,
}

impl<T: Copy + Sync, I: Item, F: Fn(usize, T) -> I + Sync> Items<I> for Made<'_, T, F> {
    fn len(&self) -> usize {
        self.array.len()
    }

    fn bits(&self) -> u32 {
        self.bits
    }

    #[inline(always)]
    fn items(&self, range: Range<usize>) -> impl Iterator<Item = I> {
        range.clone().zip(&self.array[range]).map(|(i, &x)| (self.make)(i, x))
    }
}

/// Items of which numbers and payloads are stored apart.
pub(super) struct Stored<'a, I: Item> {
    pub(super) numbers: &'a [I::Number],
    pub(super) payloads: &'a [I::Payload],
    pub(super) bits: u32,
}

impl<I: Item> Items<I> for Stored<'_, I> {
    fn len(&self) -> usize {
        self.numbers.len()
    }

    fn bits(&self) -> u32 {
        self.bits
    }

    #[inline(always)]
    fn items(&self, range: Range<usize>) -> impl Iterator<Item = I> {
        self.numbers[range.clone()]
            .iter()
            .zip(&self.payloads[range])
            .map(|(&number, &payload)| I::join(number, payload))
    }
}

/// Elements that a task copies at once.
pub(super) const GRAIN: usize = 1 << 14;

/// All items of a source, in a vector.
pub(super) fn load_all<I: Item>(source: &dyn Source<I>) -> Result<Vec<I>> {
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
pub(super) fn write_payloads<I: Item>(items: &[I], out: Disjoint<'_, I::Payload>) {
    assert_eq!(out.len(), items.len());
    for_each_chunk(items.len(), GRAIN, &|range| {
        // SAFETY: inside, and a range's own.
        let out = unsafe { out.slice(range.clone()) };
        for (out, item) in out.iter_mut().zip(&items[range]) {
            out.write(item.payload());
        }
    });
}
