//! Memory that tasks work in: asked for before the work begins, so that a refusal is an error and nothing is half done.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

use thalweg_core::memory::{Aligned, try_with_large_capacity};

use crate::{Complex, Float, Result};

/// Complex numbers, zero at first, from a multiple of 128 bytes on, in huge pages where there are many.
#[derive(Debug)]
pub(super) struct Buffer<T>(Aligned<[T; 2]>);

impl<T: Float> Buffer<T> {
    pub fn zeroed(len: usize) -> Result<Self> {
        Ok(Self(Aligned::zeroed(len, "the transform's scratch")?))
    }
}

impl<T: Float> Deref for Buffer<T> {
    type Target = [Complex<T>];
    fn deref(&self) -> &[Complex<T>] {
        bytemuck::cast_slice(&self.0)
    }
}

impl<T: Float> DerefMut for Buffer<T> {
    fn deref_mut(&mut self) -> &mut [Complex<T>] {
        bytemuck::cast_slice_mut(&mut self.0)
    }
}

/// What every task needs one of, as many as can run at a time.
pub(super) struct Spares<S>(Mutex<Vec<S>>);

impl<S> Spares<S> {
    /// Enough for `tasks` tasks on the current pool.
    pub fn new(tasks: usize, make: impl Fn() -> Result<S>) -> Result<Self> {
        let count = tasks.min(rayon::current_num_threads()).max(1);
        Ok(Self(Mutex::new((0..count).map(|_| make()).collect::<Result<_>>()?)))
    }

    /// Runs `work` with one of them.
    pub fn with<R>(&self, work: impl FnOnce(&mut S) -> R) -> R {
        let mut spare = self.stack().pop().expect("a task a thread");
        let result = work(&mut spare);
        self.stack().push(spare);
        result
    }

    fn stack(&self) -> std::sync::MutexGuard<'_, Vec<S>> {
        // A task that panicked holds no lock while it works.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Memory for a copy of a line. That of the last line is kept, if it is not too large: fresh from the system, it took 16 threads as
/// long as the transform itself (2^24 elements: 52 ms, and 26 with an allocator that keeps what it has).
pub(super) struct LineCopy(Vec<[u64; 2]>);

/// The memory that is kept, and how much at most: 256 MiB.
static KEPT_COPY: Mutex<Vec<[u64; 2]>> = Mutex::new(Vec::new());
const MOST_KEPT: usize = (256 << 20) / size_of::<[u64; 2]>();

impl LineCopy {
    /// Room for `len` complex numbers.
    pub fn new<T: Float>(len: usize) -> Result<Self> {
        let needed = len.saturating_mul(size_of::<Complex<T>>()).div_ceil(size_of::<[u64; 2]>());
        let kept = std::mem::take(&mut *KEPT_COPY.lock().unwrap_or_else(PoisonError::into_inner));
        if kept.capacity() >= needed {
            return Ok(Self(kept));
        }
        drop(kept);
        Ok(Self(try_with_large_capacity(needed, "a copy of the line")?))
    }

    /// The room, with whatever is in it.
    pub fn room<T: Float>(&mut self, len: usize) -> &mut [MaybeUninit<Complex<T>>] {
        let room = self.0.spare_capacity_mut();
        assert!(
            len * size_of::<Complex<T>>() <= size_of_val(room) && align_of::<Complex<T>>() <= align_of::<[u64; 2]>()
        );
        // SAFETY: inside the room, aligned, and nothing is said of what it holds.
        unsafe { std::slice::from_raw_parts_mut(room.as_mut_ptr().cast(), len) }
    }
}

impl Drop for LineCopy {
    fn drop(&mut self) {
        if self.0.capacity() <= MOST_KEPT {
            let mut kept = KEPT_COPY.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.capacity() < self.0.capacity() {
                *kept = std::mem::take(&mut self.0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_as_large_as_they_must_be() {
        // Others take and leave the kept one meanwhile.
        for len in [1, 3, 1000, 10, 100_000, 7] {
            let (mut one, mut two) = (LineCopy::new::<f32>(len).unwrap(), LineCopy::new::<f64>(len).unwrap());
            let (one, two) = (one.room::<f32>(len), two.room::<f64>(len));
            one.iter_mut().for_each(|x| _ = x.write(Complex::new(1.0, 2.0)));
            two.iter_mut().for_each(|x| _ = x.write(Complex::new(3.0, 4.0)));
            // SAFETY: written above.
            assert!(one.iter().all(|x| unsafe { x.assume_init() } == Complex::new(1.0, 2.0)));
        }
        assert!(LineCopy::new::<f64>(usize::MAX / 2).is_err());
    }
}
