//! Sets of small numbers, one bit each, that several threads fill at the same time.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::Result;
use crate::memory::computed;

/// A set of numbers below some bound.
#[derive(Debug)]
pub struct AtomicSet {
    words: Vec<AtomicU64>,
}

impl AtomicSet {
    /// The empty set, for numbers below `len`.
    pub fn new(len: usize, what: &'static str) -> Result<Self> {
        Ok(Self { words: computed(len.div_ceil(64), 1 << 14, what, |_| AtomicU64::new(0))? })
    }

    /// Adds a number. Returns whether it was there already.
    #[inline(always)]
    pub fn insert(&self, number: usize) -> bool {
        let bit = 1 << (number % 64);
        self.words[number / 64].fetch_or(bit, Ordering::Relaxed) & bit != 0
    }

    /// Whether a number is in the set.
    #[inline(always)]
    pub fn contains(&self, number: usize) -> bool {
        self.words[number / 64].load(Ordering::Relaxed) >> (number % 64) & 1 == 1
    }
}
