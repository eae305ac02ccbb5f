//! What the sorting engines move around: a number to sort by, and 32 or 64 bits that go with it.
//!
//! What goes with it is the position of the key for `sort_idx`, and the bits of the key itself for `sort`. So three
//! types of items serve ten types of keys, both orders and both problems, and the engines are compiled three times
//! in all. What depends on the key type, reading a key and computing its rank, hides behind [`Source`].
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ops::Range;

use super::Engine;
use super::radix::{Columns, Line, Place, count_digits, scatter_lines};
use crate::Result;
use crate::disjoint::Disjoint;

/// A thing with a number to sort by, and a payload.
pub(super) trait Item: Copy + Send + Sync + 'static {
    /// The number, in as many bits as it needs.
    type Number: Copy + Send + Sync + 'static;
    /// What goes with the number.
    type Payload: Copy + Send + Sync + 'static;
    /// The number: the smaller, the earlier.
    fn number(self) -> u64;
    /// The number, as it is stored.
    fn stored_number(self) -> Self::Number;
    /// What goes with it.
    fn payload(self) -> Self::Payload;
    /// The item of a stored number and a payload.
    fn join(number: Self::Number, payload: Self::Payload) -> Self;
    /// Sorts all items and writes their payloads to `out`, which is as long. (Here, because a method of a concrete type
    /// is compiled once, in this crate; a generic function would be compiled in every crate that sorts.)
    fn sort(engine: Engine, source: &dyn Source<Self>, out: Disjoint<'_, Self::Payload>) -> Result<()>;
}

/// A number and a payload of at most 32 bits each in one machine word: half the traffic of a pair.
#[derive(Clone, Copy)]
pub(super) struct Packed(u64);

impl Packed {
    #[inline(always)]
    pub(super) fn new(number: u64, payload: u32) -> Self {
        debug_assert!(number <= u32::MAX.into());
        Self(number << 32 | u64::from(payload))
    }
}

/// A number and a payload. Aligned to its size, so that cache lines hold whole items.
#[derive(Clone, Copy)]
#[repr(align(16))]
pub(super) struct Wide<P> {
    pub(super) number: u64,
    pub(super) payload: P,
}

macro_rules! item {
    ($($item:ty, $stored:ty, $payload:ty, |$self:ident| $number:expr, $value:expr, $join:expr;)*) => {$(
        impl Item for $item {
            type Number = $stored;
            type Payload = $payload;
            #[inline(always)]
            fn number($self) -> u64 {
                $number
            }
            #[inline(always)]
            fn stored_number($self) -> $stored {
                $number as $stored
            }
            #[inline(always)]
            fn payload($self) -> $payload {
                $value
            }
            #[inline(always)]
            fn join(number: $stored, payload: $payload) -> Self {
                $join(number.into(), payload)
            }
            fn sort(engine: Engine, source: &dyn Source<Self>, out: Disjoint<'_, $payload>) -> Result<()> {
                super::run(engine, source, out)
            }
        }
    )*};
}
item! {
    Packed, u32, u32, |self| self.0 >> 32, self.0 as u32, Packed::new;
    Wide<u32>, u64, u32, |self| self.number, self.payload, |number, payload| Wide { number, payload };
    Wide<u64>, u64, u64, |self| self.number, self.payload, |number, payload| Wide { number, payload };
}

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
