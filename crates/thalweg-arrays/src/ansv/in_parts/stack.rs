//! The elements of other parts that can still be somebody's neighbours: their ranks rise to the top.

use std::ops::Range;

use super::Walk;
use super::chain::{Border, Chain, Minima};
use thalweg_core::coding::Ranking;
use thalweg_core::{Rank, Result};

/// Shares of the stack up to this length always stay in memory.
const SHORT: usize = 64;

pub(super) struct Stack<'s, R> {
    array: &'s [R],
    order: Ranking<R>,
    walk: Walk<'s>,
    /// The border that parts show to those that ask.
    border: Border,
    stretches: Vec<Stretch<R>>,
}

/// The share of one part.
struct Stretch<R> {
    /// The part, up to the element that is on top.
    range: Range<usize>,
    lowest: R,
    /// Top first, places as of the range's start; `None` if it is to be made again.
    chain: Option<Chain<R>>,
    /// How many of the chain are gone.
    gone: usize,
}

impl<'s, R: Rank> Stack<'s, R> {
    pub(super) fn new(array: &'s [R], order: Ranking<R>, walk: Walk<'s>, border: Border) -> Self {
        Self { array, order, walk, border, stretches: Vec::new() }
    }

    /// The nearest element of a smaller rank (not larger, unless `strict`). Whatever is above it is dropped: later calls must be
    /// for ranks that are not larger, up to the next [`Stack::push`].
    pub(super) fn nearest(&mut self, rank: R, strict: bool) -> Result<Option<usize>> {
        let is_one = |other: R| other < rank || !strict && other == rank;
        while let Some(top) = self.stretches.last_mut() {
            if is_one(top.lowest) {
                if top.chain.is_none() {
                    let minima = Minima::of(&self.array[top.range.clone()], self.order)?;
                    top.chain = Some(minima.chain(self.border)?);
                    (self.walk.done)(top.range.clone());
                }
                let chain = top.chain.as_deref().unwrap_or_default();
                let passed = chain[top.gone..].iter().position(|&(other, _)| is_one(other));
                top.gone += passed.expect("the lowest one is one");
                return Ok(Some(top.range.start + chain[top.gone].1 as usize));
            }
            self.stretches.pop();
        }
        Ok(None)
    }

    /// Puts a part on top, which shows this chain.
    pub(super) fn push(&mut self, range: Range<usize>, chain: Chain<R>) {
        let lowest = chain.last().map_or(R::WORST, |&(rank, _)| rank);
        // Whoever gets past this part is smaller than all that is hidden by it, so that need not be dropped; but whole parts can.
        while self.stretches.pop_if(|top| top.lowest >= lowest).is_some() {}
        self.stretches.push(Stretch { range, lowest, chain: Some(chain), gone: 0 });
        let len = |stretch: &Stretch<R>| stretch.chain.as_ref().map_or(0, Vec::len);
        let mut kept: usize = self.stretches.iter().map(len).sum();
        // The deepest ones are needed last.
        for stretch in &mut self.stretches {
            if kept <= self.walk.kept {
                break;
            }
            if len(stretch) > SHORT {
                kept -= len(stretch);
                stretch.drop_chain(self.border);
            }
        }
    }
}

impl<R> Stretch<R> {
    fn drop_chain(&mut self, border: Border) {
        let Some(chain) = self.chain.take() else { return };
        let top = self.range.start + chain[self.gone].1 as usize;
        match border {
            Border::Left => self.range.start = top,
            Border::Right => self.range.end = top + 1,
        }
        self.gone = 0;
    }
}
