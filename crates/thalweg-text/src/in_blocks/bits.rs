//! A bit for every position of a text, which threads change in words of their own.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::Result;
use thalweg_core::error::try_with_capacity;

pub(super) struct Bits(Vec<AtomicU64>);

impl Bits {
    pub(super) fn zeroed(len: usize) -> Result<Self> {
        let words = len.div_ceil(64);
        let mut bits = try_with_capacity(words, "a bit for every suffix")?;
        bits.resize_with(words, || AtomicU64::new(0));
        Ok(Self(bits))
    }

    pub(super) fn get(&self, at: usize) -> bool {
        self.0[at / 64].load(Relaxed) >> (at % 64) & 1 == 1
    }

    /// Sets a bit that was zero.
    pub(super) fn set(&self, at: usize) {
        self.0[at / 64].fetch_or(1 << (at % 64), Relaxed);
    }

    pub(super) fn word(&self, index: usize) -> u64 {
        self.0[index].load(Relaxed)
    }

    /// Writes all bits of a word.
    pub(super) fn set_word(&self, index: usize, bits: u64) {
        self.0[index].store(bits, Relaxed);
    }
}
