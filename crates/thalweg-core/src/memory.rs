//! Memory that is asked for politely: an error instead of an abort, and pages that the threads touch themselves.
#![allow(unsafe_code)]

use std::alloc::{Layout, alloc_zeroed};
use std::ops::{Deref, DerefMut};

use rayon::prelude::*;

use crate::disjoint::Disjoint;
use crate::error::try_with_capacity;
use crate::parallel::for_each_chunk;
use crate::{Error, Result};

/// Types for which a zero byte pattern is a value.
///
/// # Safety
/// All-zero bytes must be a valid value of the type.
pub unsafe trait Zeroable: Copy {}
// SAFETY: zero is an integer.
unsafe impl Zeroable for u8 {}
// SAFETY: as above.
unsafe impl Zeroable for u16 {}
// SAFETY: as above.
unsafe impl Zeroable for u32 {}
// SAFETY: as above.
unsafe impl Zeroable for u64 {}
// SAFETY: as above.
unsafe impl Zeroable for i64 {}
// SAFETY: all bits zero is 0.0.
unsafe impl Zeroable for f32 {}
// SAFETY: as above.
unsafe impl Zeroable for f64 {}
// SAFETY: an array is its elements.
unsafe impl<T: Zeroable, const N: usize> Zeroable for [T; N] {}

/// A vector of `len` zeros. The system hands out zero pages on first touch, so nothing is written here and the first
/// pass over the vector, which is parallel, pays for the pages.
pub fn zeroed<T: Zeroable>(len: usize, what: &'static str) -> Result<Vec<T>> {
    let out_of_memory = || Error::OutOfMemory { bytes: len.saturating_mul(size_of::<T>()), what };
    let layout = Layout::array::<T>(len).map_err(|_| out_of_memory())?;
    if layout.size() == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: the layout has a size.
    let start = unsafe { alloc_zeroed(layout) }.cast::<T>();
    if start.is_null() {
        return Err(out_of_memory());
    }
    // SAFETY: allocated above by the global allocator with the layout of `len` elements, all of them valid zeros.
    Ok(unsafe { Vec::from_raw_parts(start, len, len) })
}

/// Zeroed memory for random access: it starts at a multiple of 128 bytes, so that 16 elements of up to 64 bits never
/// straddle more cache lines than they must, and where it is large it lies in huge pages if the system has any, because
/// a miss in the translation cache costs as much as one in the data cache.
#[derive(Debug)]
pub struct Aligned<T> {
    buffer: Vec<T>,
    start: usize,
    len: usize,
}

/// Size of a huge page on x86-64 and most other machines.
const HUGE_PAGE: usize = 2 << 20;

impl<T: Zeroable> Aligned<T> {
    /// `len` zeros.
    pub fn zeroed(len: usize, what: &'static str) -> Result<Self> {
        let bytes = len.saturating_mul(size_of::<T>());
        let alignment = if bytes >= HUGE_PAGE / 2 { HUGE_PAGE } else { 128 };
        // An over-aligned layout would make the allocator clear the memory by hand: shift the start instead. What lies
        // before it is never touched, so it takes address space but no memory.
        let slack = alignment / size_of::<T>();
        let padded = len.checked_add(slack).ok_or(Error::OutOfMemory { bytes: usize::MAX, what })?;
        let buffer = zeroed::<T>(padded, what)?;
        let start = buffer.as_ptr().align_offset(alignment);
        debug_assert!(start <= slack, "integers are aligned to their own size");
        let aligned = Self { buffer, start, len };
        if alignment == HUGE_PAGE {
            advise_huge_pages(&aligned);
        }
        Ok(aligned)
    }
}

/// An empty vector with room for `len` elements, in huge pages if it is large; or an error instead of an abort.
///
/// Memory fresh from the system arrives page by page, at the first touch, and with pages of 4 KiB that costs more than
/// filling it: a scan of 2^26 numbers took 126 ms into new memory and 36 ms into old.
pub fn try_with_large_capacity<T>(len: usize, what: &'static str) -> Result<Vec<T>> {
    let mut vec = try_with_capacity::<T>(len, what)?;
    if len.saturating_mul(size_of::<T>()) >= 4 * HUGE_PAGE {
        advise_huge_pages(vec.spare_capacity_mut());
    }
    Ok(vec)
}

/// What a parallel iterator gives, in order, in memory that may be refused.
pub fn collected<T: Send>(items: impl IndexedParallelIterator<Item = T>, what: &'static str) -> Result<Vec<T>> {
    let mut vec = try_with_large_capacity(items.len(), what)?;
    vec.par_extend(items);
    Ok(vec)
}

/// What `element` says of every position below `len`, in order, in memory that may be refused; a task makes `chunk` of
/// them. Like [`collected`], but only the loop is compiled for the caller's types, see [`crate::parallel`].
///
/// ```
/// let squares = thalweg_core::memory::computed(1000, 256, "squares", |i| i * i)?;
/// assert_eq!(squares[999], 999 * 999);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub fn computed<T: Send>(
    len: usize,
    chunk: usize,
    what: &'static str,
    element: impl Fn(usize) -> T + Sync,
) -> Result<Vec<T>> {
    let mut out = try_with_large_capacity(len, what)?;
    let place = Disjoint::uninit(&mut out.spare_capacity_mut()[..len]);
    for_each_chunk(len, chunk, &|range| {
        // SAFETY: inside, and ranges do not overlap.
        let out = unsafe { place.slice(range.clone()) };
        for (i, out) in range.zip(out) {
            out.write(element(i));
        }
    });
    // SAFETY: every element has been written. (After a panic none counts as written, and none is dropped.)
    unsafe { out.set_len(len) };
    Ok(out)
}

/// A vector of `len` zeros, in huge pages if it is large. As with [`zeroed`], nothing is written here.
pub fn large_zeroed<T: Zeroable>(len: usize, what: &'static str) -> Result<Vec<T>> {
    let vec = zeroed::<T>(len, what)?;
    if size_of_val(&vec[..]) >= 4 * HUGE_PAGE {
        advise_huge_pages(&vec);
    }
    Ok(vec)
}

/// A vector of `len` copies of `value` for random access: filled by all threads, in huge pages if it is large.
pub fn filled<T: Clone + Send + Sync>(len: usize, value: T, what: &'static str) -> Result<Vec<T>> {
    computed(len, 1 << 14, what, |_| value.clone())
}

/// Asks for huge pages, for the whole pages inside the slice. A refusal changes nothing.
fn advise_huge_pages<T>(memory: &[T]) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 4096;
        let start: *const u8 = memory.as_ptr().cast();
        let skip = start.addr().next_multiple_of(PAGE) - start.addr();
        let bytes = size_of_val(memory).saturating_sub(skip) / PAGE * PAGE;
        // SAFETY: the range is part of one live allocation, and the advice does not change its contents.
        unsafe { libc::madvise(start.wrapping_add(skip).cast_mut().cast(), bytes, libc::MADV_HUGEPAGE) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

impl<T> Deref for Aligned<T> {
    type Target = [T];
    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.buffer[self.start..self.start + self.len]
    }
}

impl<T> DerefMut for Aligned<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.buffer[self.start..self.start + self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aligned_and_zero() {
        for len in [0, 1, 15, 16, 1000, 1 << 19, 3_000_001] {
            let a = Aligned::<u32>::zeroed(len, "test").unwrap();
            assert_eq!(a.len(), len);
            assert_eq!(a.as_ptr() as usize % 128, 0);
            assert!(a.iter().all(|&x| x == 0));
        }
    }

    #[test]
    fn computed_in_order() {
        for len in [0, 1, 9, 10, 11, 12_345] {
            let made = computed(len, 10, "test", |i| i.to_string()).unwrap();
            assert!(made.iter().enumerate().all(|(i, text)| *text == i.to_string()));
            assert_eq!(filled(len, 'x', "test").unwrap(), vec!['x'; len]);
        }
        assert!(matches!(computed(usize::MAX / 4, 1, "test", |i| i), Err(Error::OutOfMemory { .. })));
    }

    #[test]
    fn absurd_sizes_are_errors() {
        assert!(matches!(zeroed::<u64>(usize::MAX / 4, "test"), Err(Error::OutOfMemory { .. })));
        assert!(matches!(Aligned::<u8>::zeroed(usize::MAX, "test"), Err(Error::OutOfMemory { .. })));
    }
}
