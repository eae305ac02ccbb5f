//! What an engine is to the index, and the memory that searches use again and again.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Mutex;

use thalweg_core::Result;

use super::{Grid, Length};

/// An engine, made for a grid.
pub(super) trait Search: fmt::Debug + Send + Sync {
    /// Told before a batch: so many queries will come, one of them from this cell. Time to prepare what pays for many.
    fn expect(&self, _grid: &Grid, _queries: usize, _cell: u32) {}

    /// Somebody who answers one query after the other. Every thread has its own.
    fn searcher<'a>(&'a self, grid: &'a Grid) -> Result<Box<dyn Searcher + 'a>>;
}

/// Somebody who answers queries.
pub(super) trait Searcher {
    /// The length of a shortest path between different cells that are connected; the path by the rule is appended.
    fn find(&mut self, start: u32, goal: u32, path: Option<&mut Vec<u32>>) -> Result<Length>;
}

/// States of searches that are used again: as many as there were threads at the same time.
pub(super) struct Pool<S> {
    idle: Mutex<Vec<S>>,
}

impl<S> Pool<S> {
    pub(super) const fn new() -> Self {
        Self { idle: Mutex::new(Vec::new()) }
    }

    /// A state that nobody else uses.
    pub(super) fn take(&self, make: impl FnOnce() -> Result<S>) -> Result<Taken<'_, S>> {
        let idle = self.idle.lock().expect("nobody panics with the lock").pop();
        let state = match idle {
            Some(state) => state,
            None => make()?,
        };
        Ok(Taken { pool: self, state: Some(state) })
    }
}

impl<S> fmt::Debug for Pool<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pool")
    }
}

/// A state that goes back to its pool.
pub(super) struct Taken<'a, S> {
    pool: &'a Pool<S>,
    state: Option<S>,
}

impl<S> Deref for Taken<'_, S> {
    type Target = S;
    fn deref(&self) -> &S {
        self.state.as_ref().expect("until it is dropped")
    }
}

impl<S> DerefMut for Taken<'_, S> {
    fn deref_mut(&mut self) -> &mut S {
        self.state.as_mut().expect("until it is dropped")
    }
}

impl<S> Drop for Taken<'_, S> {
    fn drop(&mut self) {
        // After a panic the state may be anything.
        if let (Some(state), false) = (self.state.take(), std::thread::panicking())
            && let Ok(mut idle) = self.pool.idle.lock()
        {
            idle.push(state);
        }
    }
}
