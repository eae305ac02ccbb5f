//! Working memory that tasks hand on to each other.

use std::sync::{Mutex, PoisonError};

/// As much working memory as there are tasks at a time. Whoever comes takes what another has left, or begins with nothing.
pub(crate) struct Pool<T>(Mutex<Vec<T>>);

impl<T: Default> Pool<T> {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    pub(crate) fn with<U>(&self, work: impl FnOnce(&mut T) -> U) -> U {
        // Released before the work begins.
        let left = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut own = left.unwrap_or_default();
        let result = work(&mut own);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(own);
        result
    }
}
