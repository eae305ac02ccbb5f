//! What the sorting engines move around: a number to sort by, and 32 or 64 bits that go with it.
//!
//! What goes with it is the position of the key for `sort_idx`, and the bits of the key itself for `sort`. So three
//! types of items serve ten types of keys, both orders and both problems, and the engines are compiled three times
//! in all. What depends on the key type, reading a key and computing its rank, hides behind [`Source`].
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ops::Range;

use super::Engine;
use super::radix::{Line, Place, count_digits, scatter_lines};
use crate::Result;
use crate::primitives::disjoint::Disjoint;

/// A thing with a number to sort by, and a payload.
pub(super) trait Item: Copy + Send + Sync + 'static {
    /// What goes with the number.
    type Payload: Copy + Send + 'static;
    /// The number: the smaller, the earlier.
    fn number(self) -> u64;
    /// What goes with it.
    fn payload(self) -> Self::Payload;
    /// Sorts all items and returns their payloads. (Here, because a method of a concrete type is compiled once, in
    /// this crate; a generic function would be compiled in every crate that sorts.)
    fn sort(engine: Engine, source: &dyn Source<Self>) -> Result<Vec<Self::Payload>>;
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
    ($($item:ty, $payload:ty, |$self:ident| $number:expr, $value:expr;)*) => {$(
        impl Item for $item {
            type Payload = $payload;
            #[inline(always)]
            fn number($self) -> u64 {
                $number
            }
            #[inline(always)]
            fn payload($self) -> $payload {
                $value
            }
            fn sort(engine: Engine, source: &dyn Source<Self>) -> Result<Vec<$payload>> {
                super::run(engine, source)
            }
        }
    )*};
}
item! {
    Packed, u32, |self| self.0 >> 32, self.0 as u32;
    Wide<u32>, u32, |self| self.number, self.payload;
    Wide<u64>, u64, |self| self.number, self.payload;
}

/// Where items come from: the loops that read them, a chunk per call.
pub(super) trait Source<I>: Sync {
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
        lines: &mut [Line],
        out: Disjoint<'_, I>,
        stream: bool,
    );
}

/// Items made of the elements of an array, by a function of their position and value.
pub(super) struct Made<'a, T, F> {
    pub(super) array: &'a [T],
    pub(super) bits: u32,
    pub(super) make: F,
}

impl<T: Copy + Sync, I: Item, F: Fn(usize, T) -> I + Sync> Source<I> for Made<'_, T, F> {
    fn len(&self) -> usize {
        self.array.len()
    }

    fn bits(&self) -> u32 {
        self.bits
    }

    fn load(&self, range: Range<usize>, out: &mut [MaybeUninit<I>]) {
        assert_eq!(out.len(), range.len());
        for (i, out) in range.clone().zip(out) {
            out.write((self.make)(i, self.array[i]));
        }
    }

    fn count(&self, range: Range<usize>, shift: u32, counts: &mut [Place]) -> u64 {
        let first = (self.make)(0, self.array[0]).number();
        count_digits(range.clone().zip(&self.array[range]).map(|(i, &x)| (self.make)(i, x)), first, shift, counts)
    }

    unsafe fn scatter(
        &self,
        range: Range<usize>,
        shift: u32,
        places: &mut [Place],
        lines: &mut [Line],
        out: Disjoint<'_, I>,
        stream: bool,
    ) {
        let items = range.clone().zip(&self.array[range]).map(|(i, &x)| (self.make)(i, x));
        // SAFETY: the caller's promise.
        unsafe { scatter_lines(items, shift, places, lines, out, stream) };
    }
}
