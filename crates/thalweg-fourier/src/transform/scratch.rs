//! Memory that tasks work in: asked for before the work begins, so that a refusal is an error and nothing is half done.

use std::ops::{Deref, DerefMut};
use std::sync::Mutex;

use thalweg_core::memory::Aligned;

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
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
