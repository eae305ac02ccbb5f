//! A part: its summary, its partners, and how it settles with them.

use thalweg_arrays::ansv::{Open, Outputs, PlacesRef, Sides};
use thalweg_core::bits::Bits;
use thalweg_core::error::expect_len;
use thalweg_core::{Coding, Error, Position, PositionsMut, Rank, Result, by_width};

use super::rungs::{Ladder, Rungs};
use super::settle::{serves, settle};

/// Where neighbours are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// To the left.
    Left,
    /// To the right.
    Right,
}

/// What the others have to know of a part to see whether they have to do with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Elements of the part; without any, the rest means nothing.
    pub len: u64,
    /// Rank of its best element, as the coding has it.
    pub best: u64,
    /// Rank of its first element, the worst that has no left neighbour in it.
    pub first: u64,
    /// Rank of its last element, the worst that has no right neighbour in it.
    pub last: u64,
}

impl Summary {
    /// As numbers, to be sent or kept.
    pub fn to_words(self) -> [u64; 4] {
        [self.len, self.best, self.first, self.last]
    }

    /// From [`Summary::to_words`].
    pub fn from_words([len, best, first, last]: [u64; 4]) -> Self {
        Self { len, best, first, last }
    }
}

/// Which minima of a part another one can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The best rank of the parts in between, if there are any: what these serve does not come.
    pub limit: Option<u64>,
    /// The best rank that asks.
    pub best: u64,
    /// The worst.
    pub worst: u64,
}

/// A part that another one has to do with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Number of that part.
    pub with: usize,
    /// What is asked of it.
    pub window: Window,
}

impl Window {
    /// Whether a minimum of this rank is not hidden, and serves somebody.
    fn is_below(self, rank: u64, strict: bool) -> bool {
        self.limit.is_none_or(|limit| rank < limit) && serves(rank, self.worst, strict)
    }

    /// Whether anybody is left to ask.
    fn is_open(self, strict: bool) -> bool {
        self.limit.is_none_or(|limit| !serves(limit, self.best, strict))
    }
}

/// The parts that may hold neighbours, on one side, of what is open in part `of`: the nearest first.
pub fn pairs(summaries: &[Summary], of: usize, side: Side, strict: bool) -> Vec<Pair> {
    let own = &summaries[of];
    let mut pairs = Vec::new();
    if own.len == 0 {
        return pairs;
    }
    let worst = if side == Side::Left { own.first } else { own.last };
    let mut window = Window { limit: None, best: own.best, worst };
    let mut visit = |with: usize| {
        let there = &summaries[with];
        if there.len > 0 {
            if window.is_below(there.best, strict) {
                pairs.push(Pair { with, window });
            }
            window.limit = Some(window.limit.map_or(there.best, |limit| limit.min(there.best)));
        }
        window.is_open(strict)
    };
    match side {
        Side::Left => (0..of).rev().all(&mut visit),
        Side::Right => (of + 1..summaries.len()).all(&mut visit),
    };
    pairs
}

/// A part that has been solved by itself.
#[derive(Clone, Copy, Debug)]
pub struct Part<'p> {
    bits: Bits<'p>,
    coding: Coding,
    strict: bool,
    first: usize,
    left: PlacesRef<'p>,
    right: PlacesRef<'p>,
}

impl<'p> Part<'p> {
    /// The part that begins at position `first`, and what [`solve_part`](thalweg_arrays::ansv::solve_part) told of it.
    pub fn new(bits: Bits<'p>, coding: Coding, strict: bool, first: usize, open: &'p Open) -> Self {
        Self { bits, coding, strict, first, left: open.left.view(), right: open.right.view() }
    }

    /// What the others have to know of it.
    pub fn summary(&self) -> Summary {
        let len = self.bits.len();
        if len == 0 {
            return Summary::default();
        }
        // The last prefix minimum is the best of all.
        let best = self.left.at(self.left.len() - 1);
        let [best, first, last] = by_width!(Bits, self.bits, keys => {
            let order = self.coding.ranking();
            [best, 0, len - 1].map(|at| keys[at].ranked(order).to_u64())
        });
        Summary { len: len as u64, best, first, last }
    }

    /// The minima that a part asks for which has this one as a [`Pair`] on that side: from the right it looks to the left.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn rungs(&self, side: Side, window: Window) -> Result<Rungs<'p>> {
        // Who looks to the left meets what is open to the right.
        let list = if side == Side::Left { self.right } else { self.left };
        by_width!(Bits, self.bits, keys => {
            let ladder = Ladder { keys, order: self.coding.ranking(), list, reversed: side == Side::Right };
            let end = ladder.first_not(|rank| window.is_below(rank.to_u64(), self.strict));
            // All worse ones than the first that serves the best are asked for, and this one.
            let start = ladder.first_not(|rank| serves(rank.to_u64(), window.best, self.strict)).saturating_sub(1);
            Rungs::of(&ladder, start..end, self.first)
        })
    }

    /// Finds the neighbours, on one side, of what has none in the part, among the minima of its [`pairs`]: of each in their order.
    /// `out` is the part's output; only those entries are written.
    ///
    /// # Errors
    /// [`Error::Length`] if the output is another's, [`Error::Bits`] if the minima have another width.
    pub fn settle(&self, side: Side, rungs: &[Rungs<'_>], mut out: PositionsMut<'_>) -> Result<()> {
        expect_len("output of the part", out.len(), self.bits.len())?;
        let mut left = self.seekers(side, None);
        for rungs in rungs {
            left = self.settle_some(side, left, rungs, &mut out)?;
        }
        Ok(())
    }

    /// How many of the elements without a neighbour on a side look for it behind parts whose best rank is `limit`.
    pub(super) fn seekers(&self, side: Side, limit: Option<u64>) -> usize {
        let list = if side == Side::Left { self.left } else { self.right };
        let Some(limit) = limit else { return list.len() };
        by_width!(Bits, self.bits, keys => {
            let seekers = Ladder { keys, order: self.coding.ranking(), list, reversed: side == Side::Left };
            seekers.first_not(|rank| !serves(limit, rank.to_u64(), self.strict))
        })
    }

    /// [`Part::settle`] for the `left` best of these elements and one list of minima, or a piece of one; how many are left.
    pub(super) fn settle_some(
        &self,
        side: Side,
        left: usize,
        rungs: &Rungs<'_>,
        out: &mut PositionsMut<'_>,
    ) -> Result<usize> {
        rungs.expect_width(self.bits.width())?;
        let list = if side == Side::Left { self.left } else { self.right };
        Ok(by_width!(Bits, self.bits, keys => {
            // From the worst to the best, that is, away from the other parts.
            let seekers = Ladder { keys, order: self.coding.ranking(), list, reversed: side == Side::Left };
            let (rungs, strict) = (rungs.view(), self.strict);
            match (side, out) {
                (Side::Left, PositionsMut::U32(out)) => settle::<_, _, false>(&seekers, left, rungs, strict, out),
                (Side::Left, PositionsMut::U64(out)) => settle::<_, _, false>(&seekers, left, rungs, strict, out),
                (Side::Right, PositionsMut::U32(out)) => settle::<_, _, true>(&seekers, left, rungs, strict, out),
                (Side::Right, PositionsMut::U64(out)) => settle::<_, _, true>(&seekers, left, rungs, strict, out),
            }
        }))
    }
}

/// Checks that outputs can hold positions of the whole array.
pub(super) fn expect_outputs(outputs: &Outputs<'_>, len: usize) -> Result<()> {
    match outputs {
        Outputs::U32(_) if !u32::fits(len) => Err(Error::Width { len, got: "u32" }),
        _ => Ok(()),
    }
}

/// The same outputs, for a while.
pub(super) fn lent<'s>(outputs: &'s mut Outputs<'_>) -> Outputs<'s> {
    match outputs {
        Outputs::U32(sides) => {
            Outputs::U32(Sides { left: sides.left.as_deref_mut(), right: sides.right.as_deref_mut() })
        }
        Outputs::U64(sides) => {
            Outputs::U64(Sides { left: sides.left.as_deref_mut(), right: sides.right.as_deref_mut() })
        }
    }
}

/// One of the outputs, if it is asked for.
pub(super) fn side_of<'s>(outputs: &'s mut Outputs<'_>, side: Side) -> Option<PositionsMut<'s>> {
    let pick = |left, right| if side == Side::Left { left } else { right };
    match lent(outputs) {
        Outputs::U32(sides) => pick(sides.left.map(PositionsMut::U32), sides.right.map(PositionsMut::U32)),
        Outputs::U64(sides) => pick(sides.left.map(PositionsMut::U64), sides.right.map(PositionsMut::U64)),
    }
}
