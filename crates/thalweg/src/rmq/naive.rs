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
        // `min_by_key` keeps the first of equals.
        (left..=right).min_by_key(|&i| self.array[i].rank(self.order)).expect("the range is not empty")
    }
}
