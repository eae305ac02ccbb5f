//! A buffer that several tasks fill at the same time, each its own places.
#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;

/// A mutable slice, possibly uninitialised, shared by tasks that promise to touch different elements.
#[derive(Debug)]
pub struct Disjoint<'b, T> {
    start: *mut T,
    len: usize,
    buffer: PhantomData<&'b mut [T]>,
}

impl<T> Clone for Disjoint<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Disjoint<'_, T> {}

// SAFETY: this is a `&mut [T]` cut in pieces; every access is `unsafe` and promises to be to a piece of its own.
unsafe impl<T: Send> Send for Disjoint<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Disjoint<'_, T> {}

impl<'b, T> Disjoint<'b, T> {
    /// A buffer whose elements are there.
    pub fn new(buffer: &'b mut [T]) -> Self {
        Self { start: buffer.as_mut_ptr(), len: buffer.len(), buffer: PhantomData }
    }

    /// A buffer still to be filled. Nothing is dropped when an element is overwritten.
    pub fn uninit(buffer: &'b mut [MaybeUninit<T>]) -> Self {
        Self { start: buffer.as_mut_ptr().cast(), len: buffer.len(), buffer: PhantomData }
    }

    /// How many places there are.
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The first place.
    pub fn as_ptr(self) -> *mut T {
        self.start
    }

    /// The places of `range` as a buffer of their own.
    ///
    /// # Safety
    /// The range is inside the buffer.
    pub unsafe fn part(self, range: Range<usize>) -> Self {
        debug_assert!(range.start <= range.end && range.end <= self.len);
        // SAFETY: the caller's promise.
        Self { start: unsafe { self.start.add(range.start) }, len: range.end - range.start, buffer: PhantomData }
    }

    /// The elements of `range`, as if uninitialised.
    ///
    /// # Safety
    /// The range is inside the buffer, and nobody else touches it while the slice lives.
    pub unsafe fn slice(self, range: Range<usize>) -> &'b mut [MaybeUninit<T>] {
        debug_assert!(range.start <= range.end && range.end <= self.len);
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(range.start).cast(), range.end - range.start) }
    }

    /// Reads the elements of `range`.
    ///
    /// # Safety
    /// The range is inside the buffer and initialised, and nobody writes to it while the slice lives.
    pub unsafe fn read(self, range: Range<usize>) -> &'b [T] {
        debug_assert!(range.start <= range.end && range.end <= self.len);
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts(self.start.add(range.start), range.end - range.start) }
    }

    /// The initialised elements of `range`.
    ///
    /// # Safety
    /// The range is inside the buffer and initialised, and nobody else touches it while the slice lives.
    pub unsafe fn slice_mut(self, range: Range<usize>) -> &'b mut [T] {
        debug_assert!(range.start <= range.end && range.end <= self.len);
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(range.start), range.end - range.start) }
    }

    /// Writes one element.
    ///
    /// # Safety
    /// The place is inside the buffer, and nobody else touches it.
    #[inline(always)]
    pub unsafe fn put(self, at: usize, value: T) {
        debug_assert!(at < self.len);
        // SAFETY: the caller's promise.
        unsafe { self.start.add(at).write(value) }
    }

    /// Reads one element.
    ///
    /// # Safety
    /// The place is inside the buffer and initialised, and nobody writes to it.
    #[inline(always)]
    pub unsafe fn get(self, at: usize) -> T
    where
        T: Copy,
    {
        debug_assert!(at < self.len);
        // SAFETY: the caller's promise.
        unsafe { self.start.add(at).read() }
    }

    /// Copies `values` to the places from `at` on.
    ///
    /// # Safety
    /// The places are inside the buffer, nobody else touches them, and `values` lies elsewhere.
    pub unsafe fn copy_from(self, at: usize, values: &[T])
    where
        T: Copy,
    {
        debug_assert!(at + values.len() <= self.len);
        // SAFETY: the caller's promise.
        unsafe { self.start.add(at).copy_from_nonoverlapping(values.as_ptr(), values.len()) }
    }
}

/// A buffer that has been filled. (The standard library's `assume_init_ref` is younger than this crate's Rust.)
///
/// # Safety
/// Every element has been written.
pub unsafe fn filled<T>(buffer: &[MaybeUninit<T>]) -> &[T] {
    // SAFETY: the caller's promise, and `MaybeUninit` has the layout of what it holds.
    unsafe { &*(std::ptr::from_ref(buffer) as *const [T]) }
}

/// [`filled`], to be changed.
///
/// # Safety
/// Every element has been written.
pub unsafe fn filled_mut<T>(buffer: &mut [MaybeUninit<T>]) -> &mut [T] {
    // SAFETY: as above.
    unsafe { &mut *(std::ptr::from_mut(buffer) as *mut [T]) }
}
