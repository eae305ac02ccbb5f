//! Conclusions alone.

use super::layout::Candidates;
use super::propagate::{LANES, Lanes};
use super::vector::{self, Kernel, Vector};

/// Drops the candidates that rounds drop, until a round drops nothing. If there is no solution, that may come out, or not.
pub fn conclude(all: &mut [Candidates]) {
    vector::run(Conclude { all });
}

struct Conclude<'a> {
    all: &'a mut [Candidates],
}

impl Kernel for Conclude<'_> {
    #[inline(always)]
    fn run<V: Vector>(self) {
        for some in self.all.chunks_mut(LANES) {
            let mut lanes = Lanes::EMPTY;
            for (lane, candidates) in some.iter().enumerate() {
                lanes.put(lane, candidates);
            }
            let mut going = u32::MAX >> (32 - some.len());
            while going != 0 {
                let outcome = lanes.round::<V>();
                going &= !(outcome.still | outcome.dead);
            }
            for (lane, candidates) in some.iter_mut().enumerate() {
                for (word, lanes) in candidates.iter_mut().zip(&lanes.words) {
                    *word = lanes[lane];
                }
            }
        }
    }
}
