//! Memory that is asked for politely: an error instead of an abort, and pages that the threads touch themselves.
#![allow(unsafe_code)]

use std::alloc::{Layout, alloc_zeroed};
use std::ops::{Deref, DerefMut};

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

/// A vector of `len` zeros. The system hands out zero pages on first touch, so nothing is written here and the first
/// pass over the vector, which is parallel, pays for the pages.
pub(crate) fn zeroed<T: Zeroable>(len: usize, what: &'static str) -> Result<Vec<T>> {
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

/// Zeroed memory that starts at a multiple of 128 bytes, so that 16 elements of up to 64 bits never straddle more
/// cache lines than they must.
pub(crate) struct Aligned<T> {
    buffer: Vec<T>,
    start: usize,
    len: usize,
}

impl<T: Zeroable> Aligned<T> {
    const ALIGNMENT: usize = 128;

    /// `len` zeros.
    pub(crate) fn zeroed(len: usize, what: &'static str) -> Result<Self> {
        // An over-aligned layout would make the allocator clear the memory by hand: shift the start instead.
        let slack = Self::ALIGNMENT / size_of::<T>();
        let padded = len.checked_add(slack).ok_or(Error::OutOfMemory { bytes: usize::MAX, what })?;
        let buffer = zeroed::<T>(padded, what)?;
        let start = buffer.as_ptr().align_offset(Self::ALIGNMENT);
        debug_assert!(start <= slack, "integers are aligned to their own size");
        Ok(Self { buffer, start, len })
    }

    /// Bytes held, the slack included.
    pub(crate) fn bytes(&self) -> usize {
        self.buffer.capacity() * size_of::<T>()
    }
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
        for len in [0, 1, 15, 16, 1000] {
            let a = Aligned::<u32>::zeroed(len, "test").unwrap();
            assert_eq!(a.len(), len);
            assert_eq!(a.as_ptr() as usize % 128, 0);
            assert!(a.iter().all(|&x| x == 0));
        }
    }

    #[test]
    fn absurd_sizes_are_errors() {
        assert!(matches!(zeroed::<u64>(usize::MAX / 4, "test"), Err(Error::OutOfMemory { .. })));
        assert!(matches!(Aligned::<u8>::zeroed(usize::MAX, "test"), Err(Error::OutOfMemory { .. })));
    }
}
