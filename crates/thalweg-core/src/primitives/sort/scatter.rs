//! The scatter of a partition: items on their way to their buckets, a cache line at a time.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ops::Range;

use super::item::Item;
use crate::disjoint::Disjoint;
use crate::primitives::stream::{LINE, fence, stream_line};

/// Items in two arrays of the same length, cut into cache lines at the same elements.
pub(super) struct Columns<'a, I: Item> {
    pub(super) numbers: Disjoint<'a, I::Number>,
    pub(super) payloads: Disjoint<'a, I::Payload>,
}

impl<I: Item> Clone for Columns<'_, I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I: Item> Copy for Columns<'_, I> {}

impl<'a, I: Item> Columns<'a, I> {
    /// Items whose numbers and payloads fill whole cache lines.
    pub(super) const GROUP: usize = LINE
        / if size_of::<I::Number>() < size_of::<I::Payload>() {
            size_of::<I::Number>()
        } else {
            size_of::<I::Payload>()
        };

    /// # Safety
    /// The range is inside.
    pub(super) unsafe fn part(self, range: Range<usize>) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self { numbers: self.numbers.part(range.clone()), payloads: self.payloads.part(range) } }
    }
}

/// Where a chunk writes the next item of a bucket, and from where on items still wait in the bucket's line.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) next: usize,
    pub(super) unwritten: usize,
}

/// Items on their way to a bucket, at most [`Columns::GROUP`] of them.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Line<I: Copy>([MaybeUninit<I>; LARGEST_GROUP]);

impl<I: Copy> Line<I> {
    pub(super) const EMPTY: Self = Self([MaybeUninit::uninit(); LARGEST_GROUP]);
}

/// As many as fit in any group.
const LARGEST_GROUP: usize = LINE / size_of::<u32>();

/// Counts the digits at `shift`, in `next`. Returns the bits in which a number differs from `first`.
#[inline(always)]
pub(super) fn count_digits<I: Item>(
    items: impl Iterator<Item = I>,
    first: u64,
    shift: u32,
    counts: &mut [Place],
) -> u64 {
    counts.fill(Place { next: 0, unwritten: 0 });
    let mask = counts.len() - 1;
    items.fold(0, |differing, item| {
        let number = item.number();
        counts[(number >> shift) as usize & mask].next += 1;
        differing | (number ^ first)
    })
}

/// Moves the items of a chunk to their buckets, a line at a time.
///
/// # Safety
/// `places` are inside `out` and, as far as the chunk has items of a bucket, nobody else's.
#[inline(always)]
pub(super) unsafe fn scatter_lines<I: Item>(
    items: impl Iterator<Item = I>,
    shift: u32,
    places: &mut [Place],
    lines: &mut [Line<I>],
    out: Columns<'_, I>,
    stream: bool,
) {
    let group = Columns::<I>::GROUP;
    const { assert!(Columns::<I>::GROUP <= LARGEST_GROUP) };
    let mask = places.len() - 1;
    assert_eq!(lines.len(), places.len());
    // Slots are counted so that a full group of slots is whole cache lines of the output.
    let skew = out.payloads.as_ptr().addr() / size_of::<I::Payload>() % group;
    debug_assert_eq!(skew, out.numbers.as_ptr().addr() / size_of::<I::Number>() % group);
    let slot = |place: usize| (place + skew) % group;
    // SAFETY: `places` says what is in a line and where it belongs.
    let write = |line: &Line<I>, place: &Place| unsafe {
        let (from, count) = (slot(place.unwritten), place.next - place.unwritten);
        let items = std::slice::from_raw_parts(line.0.as_ptr().cast::<I>().add(from), count);
        let (numbers, payloads) =
            (out.numbers.as_ptr().add(place.unwritten), out.payloads.as_ptr().add(place.unwritten));
        if stream && count == group {
            write_group(items, numbers, I::stored_number);
            write_group(items, payloads, I::payload);
        } else {
            for (i, item) in items.iter().enumerate() {
                numbers.add(i).write(item.stored_number());
                payloads.add(i).write(item.payload());
            }
        }
    };
    for item in items {
        let digit = (item.number() >> shift) as usize & mask;
        // SAFETY: the mask keeps the digit inside, and a slot is less than the items of a line.
        unsafe {
            let place = places.get_unchecked_mut(digit);
            let line = lines.get_unchecked_mut(digit);
            let at = slot(place.next);
            line.0.as_mut_ptr().cast::<I>().add(at).write(item);
            place.next += 1;
            if at == group - 1 {
                write(line, place);
                place.unwritten = place.next;
            }
        }
    }
    for (line, place) in lines.iter().zip(places.iter()) {
        write(line, place);
    }
    if stream {
        fence();
    }
}

/// Writes one part of each item of a whole group past the caches.
///
/// # Safety
/// The place is the caller's, has room for the group, and begins with a cache line.
#[inline(always)]
unsafe fn write_group<I: Item, T: Copy>(items: &[I], to: *mut T, part: impl Fn(I) -> T) {
    let per_line = const { LINE / size_of::<T>() };
    for (i, items) in items.chunks_exact(per_line).enumerate() {
        // The size is known, so this is a few shuffles.
        let mut line = Line::<T>::EMPTY;
        for (slot, &item) in line.0[..per_line].iter_mut().zip(items) {
            slot.write(part(item));
        }
        // SAFETY: the caller's promise, and the line has been filled.
        unsafe { stream_line(line.0.as_ptr().cast(), to.add(i * per_line).cast()) };
    }
}
