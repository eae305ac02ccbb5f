//! The oracle: scan the range.

use std::borrow::Cow;

use super::CpuEngine;
use crate::{Key, Order};

/// Scans the range. O(range) per query, no extra memory.
pub(super) struct Naive<'a, K: Key> {
    array: Cow<'a, [K]>,
    order: Order,
}

impl<'a, K: Key> Naive<'a, K> {
    pub(super) fn new(array: Cow<'a, [K]>, order: Order) -> Self {
        Self { array, order }
    }
}

impl<K: Key> CpuEngine<K> for Naive<'_, K> {
    const NAME: &'static str = "naive";

    fn array(&self) -> &[K] {
        &self.array
    }

    fn extra_bytes(&self) -> usize {
        0
    }

    fn argmin(&self, left: usize, right: usize) -> usize {
        // The best rank first, its place afterwards: either loop is one that compilers turn into vector instructions.
        let ranks = || self.array[left..=right].iter().map(|key| key.rank(self.order));
        let best = ranks().min().expect("the range is not empty");
        left + ranks().position(|rank| rank == best).expect("the best is one of them")
    }
}
