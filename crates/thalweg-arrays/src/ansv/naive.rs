//! The oracle: look left, look right.

use super::{CpuEngine, Sides};
use thalweg_core::coding::Ranking;
use thalweg_core::{Position, Rank, Result};

/// Looks left and right of every element until it finds a neighbour. O(n²) work in the worst case.
#[derive(Debug)]
pub(super) struct Naive;

impl CpuEngine for Naive {
    const NAME: &'static str = "naive";

    fn extra_bytes<R: Rank>(&self, _len: usize) -> usize {
        0
    }

    fn solve<R: Rank, P: Position>(
        &self,
        array: &[R],
        order: Ranking<R>,
        strict: bool,
        sides: Sides<'_, P>,
    ) -> Result<()> {
        let rank = |i: usize| array[i].ranked(order);
        let holds = |j: usize, i: usize| if strict { rank(j) < rank(i) } else { rank(j) <= rank(i) };
        let position = |found: Option<usize>| found.map_or(P::NONE, P::new);
        if let Some(left) = sides.left {
            for (i, out) in left.iter_mut().enumerate() {
                *out = position((0..i).rev().find(|&j| holds(j, i)));
            }
        }
        if let Some(right) = sides.right {
            for (i, out) in right.iter_mut().enumerate() {
                *out = position((i + 1..array.len()).find(|&j| holds(j, i)));
            }
        }
        Ok(())
    }
}
