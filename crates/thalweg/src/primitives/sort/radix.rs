//! Radix sort: one trip through memory by the top digit, the rest in the cache.
//!
//! A plain sort by least significant digit first (LSD) moves all items through main memory once per digit. Here the
//! first move is a stable parallel *partition* by the highest bits in which the items differ. Its buckets fit in a
//! core's cache, so they are sorted there, one per thread at a time, least significant digit first; the last of these
//! passes writes the output. Items cross main memory twice, whatever the number of digits.
//!
//! - The partition starts at the highest bit in which items differ, and passes over digits that are the same
//!   everywhere are left out.
//! - Partition: every thread counts the digits of its chunks, the counts are scanned, every chunk is scattered to
//!   places of its own, in order: stable. Items are collected in a cache line per bucket and written line by line, past
//!   the caches if the output is large: a scatter of single items would read every line before writing it, and would
//!   need more address translations than the processor can keep.
//! - A bucket that is too large for the cache (skewed keys) is partitioned again by its own highest differing bits,
//!   with all threads. In the worst case every level uses up a digit: no worse than LSD.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use super::item::{Item, Made, Source};
use super::merge::insertion_sort;
use super::{GRAIN, load_all, write_payloads};
use crate::Result;
use crate::error::{try_filled, try_with_capacity};
use crate::memory::try_with_large_capacity;
use crate::primitives::chained::{block_range, claimed, each_block, workers};
use crate::primitives::disjoint::{Disjoint, filled};
use crate::primitives::stream::{LINE, fence, should_stream, stream_line};
use crate::simd::prefetch;

/// Bytes of a bucket that is sorted in the cache. With as much scratch it fills half of a 2 MiB second level.
const CACHE_BYTES: usize = 512 << 10;

/// Bits of a partition: at most so many that the lines of all buckets stay in the second-level cache. (8, 10, 11 and 12
/// were tried on 2^25 random `u32`: 11 was the fastest, as it was for the digits below, against 6, 7, 8 and 10.)
const PARTITION_BITS: u32 = 11;

/// A partition makes buckets of about this many items, if its bits allow it.
const BUCKET_ITEMS: usize = 1 << 13;

/// Bits of a digit of the passes in the cache, and of those for few items, where clearing the counters would dominate.
const DIGIT_BITS: u32 = 11;
const SHORT_DIGIT_BITS: u32 = 8;
const SHORT: usize = 1 << 11;

/// Digits that an item can have at most.
const DIGITS: usize = u64::BITS.div_ceil(SHORT_DIGIT_BITS) as usize;

/// So few items are sorted by insertion.
const TINY: usize = 24;

const fn cache_items<I>() -> usize {
    CACHE_BYTES / size_of::<I>()
}

/// Work O(n · digits); extra memory one item per key, two if a bucket is too large for the cache.
pub(super) fn sort<I: Item>(source: &dyn Source<I>, out: Disjoint<'_, I::Payload>) -> Result<()> {
    let len = source.len();
    assert_eq!(out.len(), len);
    if len <= GRAIN {
        // SAFETY: the whole output, and it is ours.
        let out = unsafe { out.slice(0..len) };
        sort_in_cache(&mut load_all(source)?, source.bits(), &mut Scratch::new(len)?, out, &[]);
        return Ok(());
    }
    let mut items = try_with_large_capacity::<I>(len, "items to sort")?;
    let items = Disjoint::uninit(&mut items.spare_capacity_mut()[..len]);
    let Some(buckets) = partition(source, items)? else {
        write_payloads(&load_all(source)?, out);
        return Ok(());
    };
    let mut other = Vec::<I>::new();
    if buckets.ranges(0).any(|range| range.len() > cache_items::<I>()) {
        other = try_with_large_capacity(len, "second buffer of items")?;
    }
    let room = other.capacity().min(len);
    let other = Disjoint::uninit(&mut other.spare_capacity_mut()[..room]);
    let threads = workers(buckets.bounds.len());
    let mut scratch = try_with_capacity(threads, "scratch of the threads")?;
    for _ in 0..threads {
        scratch.push(Scratch::new(cache_items::<I>().min(len))?);
    }
    // SAFETY: the partition has filled `items`, and `other` is there if a bucket needs it.
    unsafe { sort_buckets(items, other, 0, &buckets, out, &mut scratch) }
}

/// A partitioned range: buckets lie between neighbouring bounds, and agree in all bits from `shift` up.
struct Buckets {
    bounds: Vec<usize>,
    shift: u32,
}

impl Buckets {
    /// The buckets' places in an array where the range starts at `start`.
    fn ranges(&self, start: usize) -> impl Iterator<Item = Range<usize>> {
        self.bounds.windows(2).map(move |pair| start + pair[0]..start + pair[1])
    }
}

/// Sorts the buckets of the range of `items` that begins at `start`, and writes them to the same places of `out`.
///
/// # Safety
/// The buckets are initialised and nobody else touches them, in all three arrays. `other` is as long as `items` if
/// there is a bucket that does not fit in the cache.
unsafe fn sort_buckets<I: Item>(
    items: Disjoint<'_, I>,
    other: Disjoint<'_, I>,
    start: usize,
    buckets: &Buckets,
    out: Disjoint<'_, I::Payload>,
    scratch: &mut [Scratch<I>],
) -> Result<()> {
    let is_large = |range: &Range<usize>| range.len() > cache_items::<I>();
    for range in buckets.ranges(start).filter(is_large) {
        // SAFETY: initialised; read only until the parts are elsewhere.
        let bucket = Made { array: unsafe { items.read(range.clone()) }, bits: buckets.shift, make: |_, item| item };
        // SAFETY: inside, for a large bucket means that `other` is as long as `items`; and `out` is as long anyway.
        let (parts_place, out_place) = unsafe { (other.part(range.clone()), out.part(range.clone())) };
        match partition(&bucket, parts_place)? {
            // SAFETY: the parts are in `other` now, and their former places are free.
            Some(parts) => unsafe { sort_buckets(other, items, range.start, &parts, out, scratch)? },
            None => write_payloads(bucket.array, out_place),
        }
    }
    let threads = scratch.len();
    let last = buckets.bounds.len() - 1;
    claimed(scratch, last, |scratch, bucket| {
        let range = start + buckets.bounds[bucket]..start + buckets.bounds[bucket + 1];
        if !is_large(&range) {
            // What this thread will probably claim next. Only its address is used: others may be at work on it.
            let next = start + buckets.bounds[(bucket + threads).min(last)];
            // SAFETY: initialised, and every bucket is claimed once; an empty slice is nobody's.
            unsafe {
                let (bucket, next) = (items.slice_mut(range.clone()), items.slice(next..next));
                sort_in_cache(bucket, buckets.shift, scratch, out.slice(range), next);
            }
        }
    });
    Ok(())
}

/// Stable partition by the highest bits in which items differ. `None`, and nothing is written, if they do not.
fn partition<I: Item>(source: &dyn Source<I>, out: Disjoint<'_, I>) -> Result<Option<Buckets>> {
    let len = source.len();
    assert_eq!(out.len(), len);
    let bits = (len / BUCKET_ITEMS).max(2).ilog2().clamp(4, PARTITION_BITS);
    let buckets = 1usize << bits;
    // A few chunks per thread even out their speeds.
    let chunk = len.div_ceil(4 * rayon::current_num_threads()).max(GRAIN);
    let chunks = len.div_ceil(chunk);
    let threads = workers(chunks);
    let mut lines = try_with_capacity(threads, "lines of the threads")?;
    for _ in 0..threads {
        lines.push(try_filled(buckets, Line([MaybeUninit::uninit(); LINE]), "lines of a thread")?);
    }
    let mut places = try_filled(chunks * buckets, Place { next: 0, unwritten: 0 }, "digit counts")?;

    // Count, assuming that the highest bit differs; if it turns out that it does not, count once more.
    let mut top = source.bits();
    let shift = loop {
        let shift = top.saturating_sub(bits);
        let differing = AtomicU64::new(0);
        let counts = Disjoint::new(&mut places);
        each_block(len, chunk, &|range| {
            let row = range.start / chunk * buckets;
            // SAFETY: the row of this chunk.
            let counts = unsafe { counts.slice_mut(row..row + buckets) };
            differing.fetch_or(source.count(range, shift, counts), Ordering::Relaxed);
        });
        let highest = u64::BITS - differing.into_inner().leading_zeros();
        if highest == 0 {
            return Ok(None);
        }
        if highest == top || shift == 0 {
            break shift;
        }
        top = highest;
    };

    // Scan the counts: buckets in order, and inside a bucket the chunks in order.
    let mut bounds = try_with_capacity(buckets + 1, "bucket bounds")?;
    let mut sum = 0;
    for bucket in 0..buckets {
        bounds.push(sum);
        for place in places[bucket..].iter_mut().step_by(buckets) {
            let count = place.next;
            *place = Place { next: sum, unwritten: sum };
            sum += count;
        }
    }
    bounds.push(sum);

    let stream = should_stream(size_of::<I>() * len);
    let places = Disjoint::new(&mut places);
    claimed(&mut lines, chunks, |lines, index| {
        // SAFETY: the row of this chunk, which is claimed once.
        let places = unsafe { places.slice_mut(index * buckets..(index + 1) * buckets) };
        // SAFETY: the counts of this chunk's digits have set its places apart from all others.
        unsafe { source.scatter(block_range(index, chunk, len), shift, places, lines, out, stream) };
    });
    Ok(Some(Buckets { bounds, shift }))
}

/// Where a chunk writes the next item of a bucket, and from where on items still wait in the bucket's line.
#[derive(Clone, Copy)]
pub(super) struct Place {
    next: usize,
    unwritten: usize,
}

/// A cache line of items on their way to a bucket.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Line([MaybeUninit<u8>; LINE]);

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
    lines: &mut [Line],
    out: Disjoint<'_, I>,
    stream: bool,
) {
    const { assert!(LINE.is_multiple_of(size_of::<I>()) && align_of::<I>() == size_of::<I>()) };
    let per_line = const { LINE / size_of::<I>() };
    let mask = places.len() - 1;
    assert_eq!(lines.len(), places.len());
    // Slots are counted so that a full line of slots is a cache line of the output.
    let skew = out.as_ptr().addr() / size_of::<I>() % per_line;
    let slot = |place: usize| (place + skew) % per_line;
    // SAFETY: `places` says what is in a line and where it belongs.
    let write = |line: &Line, place: &Place| unsafe {
        let (from, count) = (slot(place.unwritten), place.next - place.unwritten);
        let to = out.as_ptr().add(place.unwritten);
        if stream && count == per_line {
            stream_line(line.0.as_ptr().cast(), to.cast());
        } else {
            to.copy_from_nonoverlapping(line.0.as_ptr().cast::<I>().add(from), count);
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
            if at == per_line - 1 {
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

/// What a thread needs to sort a bucket.
struct Scratch<I> {
    items: Vec<I>,
    counts: Vec<u32>,
}

impl<I> Scratch<I> {
    fn new(len: usize) -> Result<Self> {
        let counts = try_filled(DIGITS << DIGIT_BITS, 0, "digit counts")?;
        Ok(Self { items: try_with_capacity(len, "scratch items")?, counts })
    }
}

/// Sorts a bucket, least significant digit first, and writes it to `out`, which is as long. Its numbers agree in all
/// but the lowest `bits` bits. The bucket after it begins where the slice `next` does.
///
/// Passes jump about in what they write, so the processor cannot foresee which lines they need. The first one asks for
/// the lines of the output, the last one for those of the next bucket. (2^25 random `u32`, one thread: sorting went
/// from 1.4 to 1.2 times the time of a peer in the same process.)
#[inline(always)]
fn sort_in_cache<I: Item>(
    items: &mut [I],
    bits: u32,
    scratch: &mut Scratch<I>,
    out: &mut [MaybeUninit<I::Payload>],
    next: &[MaybeUninit<I>],
) {
    let len = items.len();
    assert_eq!(out.len(), len);
    if len <= TINY {
        insertion_sort(items);
        for (out, &item) in out.iter_mut().zip(&*items) {
            out.write(item.payload());
        }
        return;
    }

    // Cut the bits into equal digits, and count all of them in one read.
    let longest = if len < SHORT { SHORT_DIGIT_BITS } else { DIGIT_BITS };
    let digits = bits.div_ceil(longest).max(1) as usize;
    let digit_bits = bits.div_ceil(digits as u32).max(1);
    let size = 1usize << digit_bits;
    let counts = &mut scratch.counts[..digits << digit_bits];
    match digits {
        1 => count_all::<I, 1>(items, digit_bits, counts),
        2 => count_all::<I, 2>(items, digit_bits, counts),
        3 => count_all::<I, 3>(items, digit_bits, counts),
        4 => count_all::<I, 4>(items, digit_bits, counts),
        5 => count_all::<I, 5>(items, digit_bits, counts),
        6 => count_all::<I, 6>(items, digit_bits, counts),
        7 => count_all::<I, 7>(items, digit_bits, counts),
        _ => count_all::<I, DIGITS>(items, digit_bits, counts),
    }
    // A digit that is the same everywhere needs no pass; if all are, the last one makes the copy.
    let mut shifts = [0; DIGITS];
    let mut passes = 0;
    let first = items[0].number();
    for digit in 0..digits {
        let shift = digit as u32 * digit_bits;
        let counts_of_first = counts[(digit << digit_bits) + ((first >> shift) as usize & (size - 1))];
        if counts_of_first as usize != len || passes == 0 && digit == digits - 1 {
            shifts[passes] = shift;
            passes += 1;
        }
    }

    // SAFETY: `scratch` has room for a bucket, and every pass reads what the one before it has written.
    unsafe {
        let there = &mut scratch.items.spare_capacity_mut()[..len];
        let here: &mut [MaybeUninit<I>] = std::slice::from_raw_parts_mut(items.as_mut_ptr().cast(), len);
        let (mut from, mut to) = (here, there);
        for (pass, &shift) in shifts[..passes].iter().enumerate() {
            let counts = &mut counts[(shift / digit_bits) as usize * size..][..size];
            if pass < passes - 1 {
                scatter(filled(from), shift, counts, &|item| item, to, if pass == 0 { &*out } else { &[] });
                std::mem::swap(&mut from, &mut to);
            } else {
                scatter(filled(from), shift, counts, &I::payload, out, next);
            }
        }
    }
}

/// Counts the digits of all `DIGITS` places, `bits` wide each.
#[inline(always)]
fn count_all<I: Item, const DIGITS: usize>(items: &[I], bits: u32, counts: &mut [u32]) {
    assert_eq!(counts.len(), DIGITS << bits);
    counts.fill(0);
    let mask = (1usize << bits) - 1;
    for item in items {
        let number = item.number();
        for digit in 0..DIGITS {
            let value = (number >> (digit as u32 * bits)) as usize & mask;
            // SAFETY: `value` is less than `1 << bits`, `digit` less than `DIGITS`.
            unsafe { *counts.get_unchecked_mut((digit << bits) + value) += 1 };
        }
    }
}

/// One pass: items to the places that the counts of their digits give them. Meanwhile, as many elements from the start
/// of `soon` on are brought into the cache, in or out of the slice.
///
/// # Safety
/// `counts` are those of the items' digits at `shift`; `out` is as long as `items`.
#[inline(always)]
unsafe fn scatter<I: Item, O: Copy, S>(
    items: &[I],
    shift: u32,
    counts: &mut [u32],
    emit: &impl Fn(I) -> O,
    out: &mut [MaybeUninit<O>],
    soon: &[S],
) {
    let mut sum = 0;
    for count in counts.iter_mut() {
        sum += std::mem::replace(count, sum);
    }
    let mask = counts.len() - 1;
    let per_line = const { LINE / if size_of::<S>() == 0 { 1 } else { size_of::<S>() } };
    for (line, items) in items.chunks(per_line).enumerate() {
        prefetch(soon, line * per_line);
        for &item in items {
            let digit = (item.number() >> shift) as usize & mask;
            // SAFETY: the mask keeps the digit inside, and the counts add up to the number of items.
            unsafe {
                let place = counts.get_unchecked_mut(digit);
                out.get_unchecked_mut(*place as usize).write(emit(item));
                *place += 1;
            }
        }
    }
}
