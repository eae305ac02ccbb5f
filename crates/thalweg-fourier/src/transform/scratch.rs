//! Memory that tasks work in: asked for before the work begins, so that a refusal is an error and nothing is half done.
//!
//! What transforms worked in is kept for the next ones. Fresh from the system it arrives page by page, at the first touch: 16
//! threads that transform 2^24 numbers had 8,700 such faults, which took longer than the transform.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};

use thalweg_core::memory::Aligned;

use crate::{Complex, Float, Result};

/// What memory is counted in.
type Unit = [u64; 2];

/// Complex numbers, from a multiple of 128 bytes on, in huge pages where there are many. At first they are anything.
#[derive(Debug)]
pub(crate) struct Buffer<T> {
    /// Taken when the buffer is dropped.
    memory: Option<Aligned<Unit>>,
    len: usize,
    numbers: PhantomData<T>,
}

impl<T: Float> Buffer<T> {
    pub fn new(len: usize) -> Result<Self> {
        let units = len.saturating_mul(size_of::<Complex<T>>()).div_ceil(size_of::<Unit>());
        let memory = match Kept::lock().take(units) {
            Some(memory) => memory,
            None => Aligned::zeroed(units, "the transform's scratch")?,
        };
        Ok(Self { memory: Some(memory), len, numbers: PhantomData })
    }
}

impl<T: Float> Deref for Buffer<T> {
    type Target = [Complex<T>];
    fn deref(&self) -> &[Complex<T>] {
        &bytemuck::cast_slice(self.memory.as_deref().unwrap_or_default())[..self.len]
    }
}

impl<T: Float> DerefMut for Buffer<T> {
    fn deref_mut(&mut self) -> &mut [Complex<T>] {
        &mut bytemuck::cast_slice_mut(self.memory.as_deref_mut().unwrap_or_default())[..self.len]
    }
}

impl<T> Drop for Buffer<T> {
    fn drop(&mut self) {
        if let Some(memory) = self.memory.take() {
            Kept::lock().give(memory);
        }
    }
}

/// Real numbers, in the memory of half as many complex ones: one more if their number is odd. At first they are anything.
#[derive(Debug)]
pub(crate) struct Reals<T>(Buffer<T>);

impl<T: Float> Reals<T> {
    pub fn new(len: usize) -> Result<Self> {
        Buffer::new(len.div_ceil(2)).map(Self)
    }
}

impl<T: Float> Deref for Reals<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        bytemuck::cast_slice(&self.0)
    }
}

impl<T: Float> DerefMut for Reals<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        bytemuck::cast_slice_mut(&mut self.0)
    }
}

/// Memory that nobody works in, the oldest first.
struct Kept(Vec<Aligned<Unit>>);

static KEPT: Mutex<Kept> = Mutex::new(Kept(Vec::new()));

impl Kept {
    /// A piece is kept if it is as large as that: the allocator keeps smaller ones itself.
    const LEAST: usize = (64 << 10) / size_of::<Unit>();
    /// The largest piece that is kept, and all of them together: a copy of a long line, and what threads work in.
    const LARGEST: usize = (256 << 20) / size_of::<Unit>();
    const MOST: usize = Self::LARGEST + (128 << 20) / size_of::<Unit>();

    fn lock() -> MutexGuard<'static, Self> {
        KEPT.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The smallest piece that holds this much, unless it is much too large.
    fn take(&mut self, units: usize) -> Option<Aligned<Unit>> {
        let fitting =
            self.0.iter().enumerate().filter(|(_, piece)| (units..=units.saturating_mul(4)).contains(&piece.len()));
        let (at, _) = fitting.min_by_key(|(_, piece)| piece.len())?;
        Some(self.0.remove(at))
    }

    /// Keeps a piece, and lets go of the oldest ones that are too many then.
    fn give(&mut self, piece: Aligned<Unit>) {
        if !(Self::LEAST..=Self::LARGEST).contains(&piece.len()) {
            return;
        }
        self.0.push(piece);
        let mut total: usize = self.0.iter().map(|piece| piece.len()).sum();
        let too_many = self.0.iter().take_while(|piece| {
            let is_too_much = total > Self::MOST;
            total -= piece.len();
            is_too_much
        });
        let count = too_many.count();
        self.0.drain(..count);
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

    fn stack(&self) -> MutexGuard<'_, Vec<S>> {
        // A task that panicked holds no lock while it works.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_as_large_as_they_must_be() {
        // Others take and give memory meanwhile.
        for len in [0, 1, 3, 1000, 10, 100_000, 7, 50_000] {
            let (mut one, mut two) = (Buffer::<f32>::new(len).unwrap(), Buffer::<f64>::new(len).unwrap());
            assert_eq!((one.len(), two.len()), (len, len));
            one.fill(Complex::new(1.0, 2.0));
            two.fill(Complex::new(3.0, 4.0));
            assert!(one.iter().all(|&x| x == Complex::new(1.0, 2.0)));
        }
        assert!(Buffer::<f64>::new(usize::MAX / 2).is_err());
    }

    #[test]
    fn what_is_kept_fits_and_is_bounded() {
        let mut kept = Kept(Vec::new());
        let piece = |units| Aligned::<Unit>::zeroed(units, "test").unwrap();
        kept.give(piece(Kept::LEAST - 1));
        kept.give(piece(Kept::LARGEST + 1));
        assert!(kept.0.is_empty());
        for units in [1, 3, 2, 9] {
            kept.give(piece(units * Kept::LEAST));
        }
        let mut taken = |units: usize| kept.take(units * Kept::LEAST).map(|piece| piece.len() / Kept::LEAST);
        assert_eq!([taken(2), taken(2), taken(2), taken(3)], [Some(2), Some(3), None, Some(9)]);
        for _ in 0..3 {
            kept.give(piece(Kept::LARGEST));
        }
        assert_eq!(kept.0.len(), 1);
        assert_eq!(kept.0[0].len(), Kept::LARGEST);
        // The small ones are younger than the copy, and there is room for them beside it.
        kept.give(piece(Kept::LEAST));
        assert_eq!(kept.0.len(), 2);
    }
}
