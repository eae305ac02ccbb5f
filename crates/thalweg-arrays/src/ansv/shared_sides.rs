//! Answers that several threads write at once.
//!
//! When two subsets are merged, elements of both get their neighbours, while other threads merge the same subsets with
//! others. Every entry has one writer only, but the entries of one writer lie scattered, so slices cannot be handed
//! out; this wrapper leaves the proof to the algorithm.
#![allow(unsafe_code)]

use std::marker::PhantomData;

use super::Sides;
use thalweg_core::Position;

/// [`Sides`] that may be written through a shared reference.
pub(super) struct SharedSides<'o, P> {
    left: Option<SharedSlice<'o, P>>,
    right: Option<SharedSlice<'o, P>>,
}

impl<'o, P: Position> SharedSides<'o, P> {
    pub(super) fn new(sides: Sides<'o, P>) -> Self {
        Self { left: sides.left.map(SharedSlice::new), right: sides.right.map(SharedSlice::new) }
    }

    /// Says who the left neighbour of `element` is. Does nothing if that side was not asked for.
    ///
    /// # Safety
    /// No other call during the life of `self`, on whatever thread, is about the left side of the same element.
    #[inline]
    pub(super) unsafe fn set_left(&self, element: usize, neighbour: usize) {
        if let Some(left) = &self.left {
            // SAFETY: the caller's promise.
            unsafe { left.write(element, P::new(neighbour)) };
        }
    }

    /// Says who the right neighbour of `element` is. Does nothing if that side was not asked for.
    ///
    /// # Safety
    /// No other call during the life of `self`, on whatever thread, is about the right side of the same element.
    #[inline]
    pub(super) unsafe fn set_right(&self, element: usize, neighbour: usize) {
        if let Some(right) = &self.right {
            // SAFETY: the caller's promise.
            unsafe { right.write(element, P::new(neighbour)) };
        }
    }
}

/// A slice whose entries have one writer each. Nobody reads it before the borrow ends.
struct SharedSlice<'o, T> {
    start: *mut T,
    len: usize,
    borrow: PhantomData<&'o mut [T]>,
}

// SAFETY: the only access is `write`, whose caller promises that no two threads write the same entry; values of `T` may
// come from any thread.
unsafe impl<T: Send> Sync for SharedSlice<'_, T> {}
// SAFETY: it stands for a `&mut [T]`, which may be sent if `T` may.
unsafe impl<T: Send> Send for SharedSlice<'_, T> {}

impl<'o, T: Copy> SharedSlice<'o, T> {
    fn new(slice: &'o mut [T]) -> Self {
        Self { start: slice.as_mut_ptr(), len: slice.len(), borrow: PhantomData }
    }

    /// # Safety
    /// No other thread writes entry `index`.
    #[inline]
    unsafe fn write(&self, index: usize, value: T) {
        assert!(index < self.len, "entry {index} of {}", self.len);
        // SAFETY: the entry is inside the slice, which is borrowed for as long as `self` lives; nobody reads it and
        // the caller promises that nobody else writes it.
        unsafe { self.start.add(index).write(value) };
    }
}
