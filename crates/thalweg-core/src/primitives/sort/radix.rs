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
//! - Numbers and payloads are stored apart, and the payloads in the output: so memory is needed for the numbers only.
//!   Fresh memory is cleared by the system page by page, which costs as much as a pass. In the cache they are joined
//!   again, because one word is moved in one go.
//! - A bucket that is too large for the cache (skewed keys) is partitioned again by its own highest differing bits,
//!   with all threads. In the worst case every level uses up a digit: no worse than LSD.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use super::item::Item;
use super::merge::insertion_sort;
use super::scatter::{Columns, Line, Place};
use super::source::{GRAIN, Items, Made, Source, Stored, load_all, write_payloads};
use crate::Result;
use crate::disjoint::{Disjoint, filled, filled_mut};
use crate::error::{try_filled, try_with_capacity};
use crate::memory::try_with_large_capacity;
use crate::parallel::{chunk_range, for_each_chunk};
use crate::primitives::chained::{claimed, workers};
use crate::primitives::stream::{LINE, should_stream};
use crate::simd::prefetch;

/// Bytes of a bucket that is sorted in the cache. With as much scratch it fills half of a 2 MiB second level.
const CACHE_BYTES: usize = 512 << 10;

/// Bits of a partition: at most so many that the lines of all buckets stay in the second-level cache, and the pages that
/// they are written to in the translation cache. (2^25 random `u32`, least ns of nine runs on one / two threads: 10 bits
/// 11.8 / 6.7, 11 bits 11.9 / 7.6, 12 bits 11.3 / 7.7, 13 bits 11.7 / 8.5.)
const PARTITION_BITS: u32 = 10;

/// A partition makes buckets of about this many items, if its bits allow it.
const BUCKET_ITEMS: usize = 1 << 13;

/// Bits of a digit of the passes in the cache, and of those for few items, where clearing the counters would dominate.
/// (11 was the fastest of 6, 7, 8, 10 and 11 on 2^25 random `u32`.)
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

/// Work O(n · digits); extra memory one number per key, and another and a payload if a bucket is too large for the cache.
pub(super) fn sort<I: Item>(source: &dyn Source<I>, out: Disjoint<'_, I::Payload>) -> Result<()> {
    let len = source.len();
    assert_eq!(out.len(), len);
    if len <= GRAIN {
        let items = Made { array: &load_all(source)?[..], bits: source.bits(), make: |_, item| item };
        let nothing = Columns { numbers: Disjoint::new(&mut []), payloads: Disjoint::new(&mut []) };
        // SAFETY: the whole output, and it is ours.
        unsafe { sort_in_cache(&items, &mut Scratch::new(len)?, out, nothing) };
        return Ok(());
    }
    let mut numbers = Vec::new();
    let columns = Columns { numbers: column(&mut numbers, len, out, "numbers to sort by")?, payloads: out };
    let Some(buckets) = partition(source, columns)? else {
        write_payloads(&load_all(source)?, out);
        return Ok(());
    };
    let (mut numbers, mut payloads) = (Vec::new(), Vec::new());
    let room = if buckets.ranges(0).any(|range| range.len() > cache_items::<I>()) { len } else { 0 };
    let payloads = column(&mut payloads, room, out, "second buffer of payloads")?;
    let other = Columns { numbers: column(&mut numbers, room, payloads, "second buffer of numbers")?, payloads };
    let threads = workers(buckets.bounds.len());
    let mut scratch = try_with_capacity(threads, "scratch of the threads")?;
    for _ in 0..threads {
        scratch.push(Scratch::new(cache_items::<I>().min(len))?);
    }
    // SAFETY: the partition has filled `columns`, and `other` is there if a bucket needs it.
    unsafe { sort_buckets(columns, other, 0, &buckets, out, &mut scratch) }
}

/// The items of a range, for reading.
///
/// # Safety
/// The range is inside and initialised, and nobody writes to it while the result is used.
unsafe fn stored<'a, I: Item>(items: Columns<'a, I>, range: Range<usize>, bits: u32) -> Stored<'a, I> {
    // SAFETY: the caller's promise.
    unsafe { Stored { numbers: items.numbers.read(range.clone()), payloads: items.payloads.read(range), bits } }
}

/// New room for `len` elements, whose cache lines begin at the same elements as those of `like`.
fn column<'a, T, U>(
    memory: &'a mut Vec<T>,
    len: usize,
    like: Disjoint<'_, U>,
    what: &'static str,
) -> Result<Disjoint<'a, T>> {
    let per_line = LINE / size_of::<T>().min(size_of::<U>());
    if len == 0 {
        return Ok(Disjoint::new(&mut []));
    }
    *memory = try_with_large_capacity(len + per_line, what)?;
    let phase = |address: usize, size: usize| address / size % per_line;
    let skip = per_line + phase(like.as_ptr().addr(), size_of::<U>()) - phase(memory.as_ptr().addr(), size_of::<T>());
    let skip = skip % per_line;
    Ok(Disjoint::uninit(&mut memory.spare_capacity_mut()[skip..skip + len]))
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
/// The buckets are initialised and nobody else touches them, in all three arrays; `out` may be the payloads of `items`
/// or of `other`. `other` is as long as `items` if there is a bucket that does not fit in the cache.
unsafe fn sort_buckets<I: Item>(
    items: Columns<'_, I>,
    other: Columns<'_, I>,
    start: usize,
    buckets: &Buckets,
    out: Disjoint<'_, I::Payload>,
    scratch: &mut [Scratch<I>],
) -> Result<()> {
    let is_large = |range: &Range<usize>| range.len() > cache_items::<I>();
    for range in buckets.ranges(start).filter(is_large) {
        // SAFETY: initialised; read only until the parts are elsewhere.
        let bucket = unsafe { stored(items, range.clone(), buckets.shift) };
        // SAFETY: inside, for a large bucket means that `other` is as long as `items`.
        match partition(&bucket, unsafe { other.part(range.clone()) })? {
            // SAFETY: the parts are in `other` now, and their former places are free.
            Some(parts) => unsafe { sort_buckets(other, items, range.start, &parts, out, scratch)? },
            None if bucket.payloads.as_ptr().addr() == out.as_ptr().wrapping_add(range.start).addr() => {}
            // SAFETY: inside, and `out` is not what is read.
            None => unsafe { copy_payloads(bucket.payloads, out.part(range)) },
        }
    }
    let threads = scratch.len();
    let last = buckets.bounds.len() - 1;
    claimed(scratch, last, |scratch, bucket| {
        let range = start + buckets.bounds[bucket]..start + buckets.bounds[bucket + 1];
        if !is_large(&range) {
            // What this thread will probably claim next. Only its address is used: others may be at work on it.
            let next = start + buckets.bounds[(bucket + threads).min(last)];
            // SAFETY: initialised, and every bucket is claimed once. The bucket is read before `out` is written.
            unsafe {
                let bucket = stored(items, range.clone(), buckets.shift);
                sort_in_cache(&bucket, scratch, out.part(range), items.part(next..next));
            }
        }
    });
    Ok(())
}

/// Stable partition by the highest bits in which items differ. `None`, and nothing is written, if they do not.
fn partition<I: Item>(source: &dyn Source<I>, out: Columns<'_, I>) -> Result<Option<Buckets>> {
    let len = source.len();
    assert!(out.numbers.len() == len && out.payloads.len() == len);
    let bits = (len / BUCKET_ITEMS).max(2).ilog2().clamp(4, PARTITION_BITS);
    let buckets = 1usize << bits;
    // A few chunks per thread even out their speeds.
    let chunk = len.div_ceil(4 * rayon::current_num_threads()).max(GRAIN);
    let chunks = len.div_ceil(chunk);
    let threads = workers(chunks);
    let mut lines = try_with_capacity(threads, "lines of the threads")?;
    for _ in 0..threads {
        lines.push(try_filled(buckets, Line::EMPTY, "lines of a thread")?);
    }
    let mut places = try_filled(chunks * buckets, Place { next: 0, unwritten: 0 }, "digit counts")?;

    // Count, assuming that the highest bit differs; if it turns out that it does not, count once more.
    let mut top = source.bits();
    let shift = loop {
        let shift = top.saturating_sub(bits);
        let differing = AtomicU64::new(0);
        let counts = Disjoint::new(&mut places);
        for_each_chunk(len, chunk, &|range| {
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
        unsafe { source.scatter(chunk_range(index, chunk, len), shift, places, lines, out, stream) };
    });
    Ok(Some(Buckets { bounds, shift }))
}

/// Copies payloads that are in order already.
///
/// # Safety
/// `out` is as long, elsewhere, and the caller's.
unsafe fn copy_payloads<P: Copy + Send + Sync>(from: &[P], out: Disjoint<'_, P>) {
    // SAFETY: the caller's promise, and a range's own.
    for_each_chunk(from.len(), GRAIN, &|range| unsafe { out.copy_from(range.start, &from[range]) });
}

/// What a thread needs to sort a bucket.
struct Scratch<I> {
    items: [Vec<I>; 2],
    counts: Vec<u32>,
}

impl<I> Scratch<I> {
    fn new(len: usize) -> Result<Self> {
        let counts = try_filled(DIGITS << DIGIT_BITS, 0, "digit counts")?;
        Ok(Self { items: [try_with_capacity(len, "scratch items")?, try_with_capacity(len, "scratch items")?], counts })
    }
}

/// Sorts a bucket, least significant digit first, and writes it to `out`, which is as long. Its numbers agree in all
/// but the lowest [`Items::bits`] bits. The bucket after it begins where `next` does.
///
/// The last pass jumps about in what it writes, and then comes a bucket elsewhere: it asks for the lines of the next one.
///
/// # Safety
/// `out` is the caller's. It may be where the payloads of the bucket are: nothing is written before all is read.
#[inline(always)]
unsafe fn sort_in_cache<I: Item>(
    bucket: &impl Items<I>,
    scratch: &mut Scratch<I>,
    out: Disjoint<'_, I::Payload>,
    next: Columns<'_, I>,
) {
    let (len, bits) = (bucket.len(), bucket.bits());
    assert_eq!(out.len(), len);
    let [here, there] = scratch.items.each_mut().map(|items| &mut items.spare_capacity_mut()[..len]);
    if len <= TINY {
        Source::load(bucket, 0..len, here);
        // SAFETY: loaded; the output is the caller's.
        let (items, out) = unsafe { (filled_mut(here), out.slice(0..len)) };
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
        1 => count_all::<I, 1>(bucket, digit_bits, counts),
        2 => count_all::<I, 2>(bucket, digit_bits, counts),
        3 => count_all::<I, 3>(bucket, digit_bits, counts),
        4 => count_all::<I, 4>(bucket, digit_bits, counts),
        5 => count_all::<I, 5>(bucket, digit_bits, counts),
        6 => count_all::<I, 6>(bucket, digit_bits, counts),
        7 => count_all::<I, 7>(bucket, digit_bits, counts),
        _ => count_all::<I, DIGITS>(bucket, digit_bits, counts),
    }
    // A digit that is the same everywhere needs no pass.
    let mut shifts = [0; DIGITS];
    let mut passes = 0;
    let first = bucket.items(0..1).next().map_or(0, I::number);
    for digit in 0..digits {
        let shift = digit as u32 * digit_bits;
        if counts[(digit << digit_bits) + ((first >> shift) as usize & (size - 1))] as usize != len {
            shifts[passes] = shift;
            passes += 1;
        }
    }

    let (mut from, mut to) = (here, there);
    if passes < 2 {
        // What is read must be out of the way before the output is written.
        Source::load(bucket, 0..len, from);
    }
    for (pass, &shift) in shifts[..passes.max(1)].iter().enumerate() {
        let counts = &mut counts[(shift / digit_bits) as usize * size..][..size];
        // SAFETY: the counts are those of this digit; both buffers have room for a bucket, and every pass reads what the
        // one before it has written.
        unsafe {
            let items = Made { array: filled(from), bits, make: |_, item| item };
            if pass + 1 >= passes {
                pass_over(&items, shift, counts, &I::payload, out.slice(0..len), &|i| {
                    prefetch(next.numbers.read(0..0), i);
                    prefetch(next.payloads.read(0..0), i);
                });
            } else if pass == 0 {
                pass_over(bucket, shift, counts, &|item| item, from, &|_| ());
            } else {
                pass_over(&items, shift, counts, &|item| item, to, &|_| ());
                std::mem::swap(&mut from, &mut to);
            }
        }
    }
}

/// Counts the digits of all `DIGITS` places, `bits` wide each.
#[inline(always)]
fn count_all<I: Item, const DIGITS: usize>(items: &impl Items<I>, bits: u32, counts: &mut [u32]) {
    assert_eq!(counts.len(), DIGITS << bits);
    counts.fill(0);
    let mask = (1usize << bits) - 1;
    for item in items.items(0..items.len()) {
        let number = item.number();
        for digit in 0..DIGITS {
            let value = (number >> (digit as u32 * bits)) as usize & mask;
            // SAFETY: `value` is less than `1 << bits`, `digit` less than `DIGITS`.
            unsafe { *counts.get_unchecked_mut((digit << bits) + value) += 1 };
        }
    }
}

/// One pass: items to the places that the counts of their digits give them. `meanwhile` is called every few items.
///
/// # Safety
/// `counts` are those of the items' digits at `shift`; `out` is as long as `items`.
#[inline(always)]
unsafe fn pass_over<I: Item, O: Copy>(
    items: &impl Items<I>,
    shift: u32,
    counts: &mut [u32],
    emit: &impl Fn(I) -> O,
    out: &mut [MaybeUninit<O>],
    meanwhile: &impl Fn(usize),
) {
    let mut sum = 0;
    for count in counts.iter_mut() {
        sum += std::mem::replace(count, sum);
    }
    let mask = counts.len() - 1;
    let few = Columns::<I>::GROUP;
    for at in (0..items.len()).step_by(few) {
        meanwhile(at);
        for item in items.items(at..(at + few).min(items.len())) {
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
