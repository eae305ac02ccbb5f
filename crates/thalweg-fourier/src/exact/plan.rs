//! How a convolution is cut into cyclic ones, whose lengths are powers of two.
//!
//! Rows are laid one after the other, so far apart that no product of one row reaches an answer of another: what is left is
//! a convolution of lines. A line is transformed at once, or, where the kernel is much shorter than the array, in blocks
//! that overlap by the kernel's length (the first answers of each are wrong and thrown away). A kernel that is too long for the
//! longest transform is cut into pieces whose products are summed up.

use super::prime::MAX_LOG;
use super::window::Problem;
use crate::{Error, Result};

/// The smallest transform.
pub const MIN_LOG: u32 = 8;

/// One of the blocks that answers are cut into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The first answer, counted in flat rows from the first of all, and how many there are.
    pub first: usize,
    /// How many answers.
    pub count: usize,
    /// The flat position in the array with which the transform begins; of the kernel's first piece.
    pub array_from: isize,
    /// Where the first answer stands in the cyclic convolution.
    pub offset: usize,
}

/// The cyclic convolutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Elements from row to row.
    pub pitch: usize,
    /// Every transform has 2^`log` elements.
    pub log: u32,
    /// Elements of the kernel, flat.
    pub kernel_len: usize,
    /// How many of them are a piece.
    pub piece: usize,
    /// The flat position of the first answer in the full convolution.
    start: usize,
    /// Answers, flat.
    answers: usize,
    /// Answers of a block.
    hop: usize,
    /// Everything in one transform, which begins with the array's first element.
    at_once: bool,
}

/// What a transform there and back takes, in units that do not matter; longer ones leave the caches.
fn cost(log: u32) -> f64 {
    (1u64 << log) as f64 * (f64::from(log) + 6.0) * (1.0 + 0.05 * f64::from(log.saturating_sub(17)))
}

impl Plan {
    /// The cheapest plan whose transforms have at most 2^`max_log` elements.
    ///
    /// # Errors
    /// [`Error::Shape`] for more elements than can be numbered.
    pub fn new(problem: &Problem<'_>, max_log: u32) -> Result<Self> {
        Self::within(problem, MIN_LOG, max_log)
    }

    /// The same with transforms of at least 2^`min_log` elements.
    ///
    /// # Errors
    /// As for [`Plan::new`].
    ///
    /// # Panics
    /// If there are no such transforms.
    pub fn within(problem: &Problem<'_>, min_log: u32, max_log: u32) -> Result<Self> {
        assert!(MIN_LOG <= min_log && min_log <= max_log && max_log <= MAX_LOG);
        let too_many =
            || Error::Shape { what: "the array", reason: "too many elements with what is beyond its ends".into() };
        let (a, b, places) = (&problem.array, &problem.kernel, &problem.places);
        let [rows, columns] = problem.result_sizes();
        let needed = |a: usize, b: usize, start: usize, len: usize| {
            // What is told must not be reached by what is before it or after it.
            (a + b - 1 - start).max(start + len).max(a).max(b)
        };
        let pitch = needed(a.extent[1], b.extent[1], places[1].start, columns);
        let most = a.extent[0].max(b.extent[0]).max(places[0].start + rows);
        if pitch.checked_mul(most + 1).is_none_or(|len| len > isize::MAX as usize / 4) {
            return Err(too_many());
        }
        let (array_len, kernel_len) = (a.flat_len(pitch), b.flat_len(pitch));
        let start = places[0].start * pitch + places[1].start;
        let answers = (rows - 1) * pitch + columns;
        let plan =
            Self { pitch, log: max_log, kernel_len, piece: kernel_len, start, answers, hop: answers, at_once: false };

        let mut best: Option<(f64, Self)> = None;
        let mut consider = |cost: f64, plan: Self| {
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, plan));
            }
        };
        let at_once = needed(array_len, kernel_len, start, answers);
        if at_once <= 1 << max_log {
            let log = at_once.next_power_of_two().ilog2().max(min_log);
            consider(1.5 * cost(log), Self { log, at_once: true, ..plan });
        }
        for log in min_log..=max_log {
            if kernel_len < 1 << log {
                let hop = (1 << log) - kernel_len + 1;
                consider((answers.div_ceil(hop) as f64 + 0.5) * cost(log), Self { log, hop, ..plan });
            }
        }
        // With pieces of half a transform.
        let piece = 1usize << (max_log - 1);
        let hop = (1 << max_log) - piece + 1;
        let pieces = kernel_len.div_ceil(piece) as f64;
        let blocks = answers.div_ceil(hop) as f64;
        if pieces > 1.0 {
            consider((blocks * (pieces + 1.0) + pieces) * 0.5 * cost(max_log), Self { piece, hop, ..plan });
        }
        Ok(best.expect("a short kernel fits a transform, a long one is cut in pieces").1)
    }

    /// Elements of every transform.
    pub fn transform_len(&self) -> usize {
        1 << self.log
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> usize {
        self.answers.div_ceil(self.hop)
    }

    /// Into how many pieces the kernel is cut.
    pub fn pieces(&self) -> usize {
        self.kernel_len.div_ceil(self.piece)
    }

    /// Whether everything is in one transform, and none is to be kept.
    pub fn is_at_once(&self) -> bool {
        self.at_once
    }

    /// A block.
    pub fn block(&self, index: usize) -> Block {
        let first = index * self.hop;
        let count = self.hop.min(self.answers - first);
        let (array_from, offset) = if self.at_once {
            (0, self.start)
        } else {
            ((self.start + first) as isize - (self.piece as isize - 1), self.piece - 1)
        };
        Block { first, count, array_from, offset }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convolution::Place;
    use crate::exact::integer::Values;
    use crate::exact::window::Window;

    fn full<'a>(array: &'a [u8], kernel: &'a [u8]) -> Problem<'a> {
        let window = |values: &'a [u8]| Window::all(Values::U8(values), [1, values.len()]);
        let place = Place { start: 0, len: array.len() + kernel.len() - 1 };
        Problem::new(window(array), window(kernel), [Place { start: 0, len: 1 }, place])
    }

    #[test]
    fn long_with_short_is_cut_and_long_with_long_is_not() {
        let (long, short) = (vec![1; 1 << 20], vec![1; 1000]);
        let plan = Plan::new(&full(&long, &long), MAX_LOG).unwrap();
        assert_eq!((plan.log, plan.blocks(), plan.pieces()), (21, 1, 1));
        let plan = Plan::new(&full(&long, &short), MAX_LOG).unwrap();
        assert!(plan.log < 18 && plan.blocks() > 4 && plan.pieces() == 1, "{plan:?}");
        let plan = Plan::new(&full(&long, &long), 16).unwrap();
        assert_eq!((plan.log, plan.piece, plan.pieces()), (16, 1 << 15, 32));
    }

    #[test]
    fn blocks_cover_all_answers_once() {
        let (long, short) = (vec![1; 12_345], vec![1; 777]);
        for max_log in [8, 9, 10, 12, 20] {
            let plan = Plan::new(&full(&long, &short), max_log).unwrap();
            let mut next = 0;
            for block in (0..plan.blocks()).map(|index| plan.block(index)) {
                assert_eq!(block.first, next);
                assert!(block.count > 0 && block.offset + block.count <= plan.transform_len(), "{plan:?}");
                next += block.count;
            }
            assert_eq!(next, 12_345 + 776);
        }
    }
}
