//! What an index is made of: arrays that are only read, wherever they lie.
//!
//! An engine neither knows nor cares whether an array was lent by the caller, built by itself, or lies in a file that is
//! mapped into memory. It keeps a [`Storage`], which is a pointer and a length, so that reading costs the same everywhere.
#![allow(unsafe_code)]

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
#[cfg(feature = "file")]
use std::ops::Range;
use std::ptr::NonNull;
#[cfg(feature = "file")]
use std::sync::Arc;

#[cfg(feature = "file")]
use memmap2::Mmap;

use crate::Result;
use crate::memory::{Aligned, try_with_large_capacity};

/// Types of which every byte pattern is a value: they may be read from anywhere.
///
/// # Safety
/// As it says. Bytes that belong to no field may be anything.
pub unsafe trait AnyBits: Copy + Send + Sync + 'static {}

/// Such types without bytes that belong to no field: they may be written as bytes, too.
///
/// # Safety
/// As it says.
pub unsafe trait Plain: AnyBits {}

macro_rules! plain {
    ($($t:ty),*) => {$(
        // SAFETY: an integer is its bytes.
        unsafe impl AnyBits for $t {}
        // SAFETY: as above.
        unsafe impl Plain for $t {}
    )*};
}
plain!(u8, u16, u32, u64);

/// The bytes of some elements.
#[cfg(feature = "file")]
pub fn bytes_of<T: Plain>(elements: &[T]) -> &[u8] {
    // SAFETY: plain types have no bytes that may not be read.
    unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }
}

/// A read-only array, borrowed for `'a` or kept alive by itself.
pub struct Storage<'a, T> {
    start: NonNull<T>,
    len: usize,
    keeper: Keeper<T>,
    borrow: PhantomData<&'a [T]>,
}

/// Whom the memory belongs to. Nothing is ever read through it: moving it must not move what it owns.
enum Keeper<T> {
    Borrowed,
    Vec(Vec<T>),
    Aligned(Aligned<T>),
    #[cfg(feature = "file")]
    Mapped(#[allow(dead_code)] Arc<Mmap>),
}

// SAFETY: a part only ever hands out shared references to its elements, like the slice or vector that it stands for.
unsafe impl<T: Sync + Send> Send for Storage<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync + Send> Sync for Storage<'_, T> {}

impl<T: fmt::Debug> fmt::Debug for Storage<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Storage").field("len", &self.len).finish_non_exhaustive()
    }
}

impl<T> Storage<'_, T> {
    /// The slice must stay where it is for as long as the keeper lives.
    fn new(slice: *const [T], keeper: Keeper<T>) -> Self {
        let start = NonNull::new(slice.cast::<T>().cast_mut()).expect("slices are not null");
        Self { start, len: slice.len(), keeper, borrow: PhantomData }
    }

    /// Bytes that the part holds beyond what was lent to it, used or not.
    pub fn held_bytes(&self) -> usize {
        match &self.keeper {
            Keeper::Borrowed => 0,
            Keeper::Vec(vec) => vec.capacity() * size_of::<T>(),
            Keeper::Aligned(aligned) => size_of_val(&aligned[..]),
            #[cfg(feature = "file")]
            Keeper::Mapped(_) => size_of_val(&self[..]),
        }
    }
}

impl<T: Copy> Storage<'_, T> {
    /// The elements to be changed, if the part owns them in memory.
    pub fn own_mut(&mut self) -> Option<&mut [T]> {
        let own = match &mut self.keeper {
            Keeper::Vec(vec) => vec.as_mut_slice(),
            Keeper::Aligned(aligned) => &mut aligned[..],
            _ => return None,
        };
        // What is read from now on is what is written here.
        self.start = NonNull::from(&mut *own).cast();
        Some(own)
    }

    /// The elements as a vector: the part's own, if it is one, or else a copy in memory that may be refused.
    pub fn into_vec(self, what: &'static str) -> Result<Vec<T>> {
        match self.keeper {
            Keeper::Vec(vec) => Ok(vec),
            _ => {
                let mut vec = try_with_large_capacity(self.len, what)?;
                vec.extend_from_slice(&self);
                Ok(vec)
            }
        }
    }
}

#[cfg(feature = "file")]
impl<T: AnyBits> Storage<'static, T> {
    /// The elements that lie in some bytes of a mapped file, if there are such bytes and they are whole elements.
    pub fn mapped(map: &Arc<Mmap>, bytes: Range<usize>) -> Option<Self> {
        // SAFETY: every byte pattern is an element.
        let (before, elements, after) = unsafe { map.get(bytes)?.align_to::<T>() };
        // A mapping does not move, and stays for as long as somebody holds it.
        (before.is_empty() && after.is_empty()).then(|| Self::new(elements, Keeper::Mapped(map.clone())))
    }
}

impl<T> Deref for Storage<'_, T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: `start` and `len` are those of a slice that lives as long as the borrow or the keeper.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<'a, T> From<&'a [T]> for Storage<'a, T> {
    fn from(slice: &'a [T]) -> Self {
        Self::new(slice, Keeper::Borrowed)
    }
}

impl<T> From<Vec<T>> for Storage<'_, T> {
    fn from(vec: Vec<T>) -> Self {
        // A vector's elements lie on the heap: moving the vector leaves them there.
        Self::new(vec.as_slice(), Keeper::Vec(vec))
    }
}

impl<T> From<Aligned<T>> for Storage<'_, T> {
    fn from(aligned: Aligned<T>) -> Self {
        Self::new(&aligned[..], Keeper::Aligned(aligned))
    }
}

impl<'a, T: Clone> From<Cow<'a, [T]>> for Storage<'a, T> {
    fn from(cow: Cow<'a, [T]>) -> Self {
        match cow {
            Cow::Borrowed(slice) => slice.into(),
            Cow::Owned(vec) => vec.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_read_what_they_were_made_of_wherever_it_is_moved() {
        let lent = [1u32, 2, 3];
        let parts = [Storage::from(&lent[..]), Storage::from(vec![1, 2, 3]), Storage::from(Cow::Owned(vec![1, 2, 3]))];
        let moved: Vec<_> = parts.into_iter().rev().collect();
        assert!(moved.iter().all(|part| part[..] == lent));
        assert_eq!(moved[2].held_bytes(), 0);
        assert!(moved[1].held_bytes() >= 12);
        let aligned = Box::new(Storage::from(Aligned::<u64>::zeroed(100, "test").unwrap()));
        assert_eq!((aligned[..].len(), aligned.held_bytes()), (100, 800));
        assert!(Storage::<u8>::from(Vec::new()).is_empty());
    }

    #[test]
    fn what_is_owned_can_be_changed_and_taken_back() {
        let lent = [1u32, 2, 3];
        assert!(Storage::from(&lent[..]).own_mut().is_none());
        assert_eq!(Storage::from(&lent[..]).into_vec("test").unwrap(), lent);
        for mut part in [Storage::from(vec![1u32, 2, 3]), Storage::from(Aligned::zeroed(3, "test").unwrap())] {
            part.own_mut().unwrap()[1] = 7;
            assert_eq!(part[1], 7);
            assert_eq!(part.into_vec("test").unwrap()[1], 7);
        }
    }
}
