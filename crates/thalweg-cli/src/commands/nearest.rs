//! The nearest smaller element by range minima: as a scan finds it, but in logarithmic time.

use thalweg::rmq::{Engine, HierarchyOptions, LinesOptions, Rmq};
use thalweg::{Key, Order};
use thalweg_cli::failure::Outcome;

/// Another engine than the one of this name, to be asked some thousand times: chunks are long, so that building it is
/// little more than a scan.
pub fn other_engine(than: &str) -> Engine {
    let engine = Engine::Hierarchy(HierarchyOptions { chunk: Some(1024), ..HierarchyOptions::DEFAULT });
    if than == engine.name() { Engine::Lines(LinesOptions::DEFAULT) } else { engine }
}

/// What it is called beside a plain scan.
pub const BY_MINIMA: &str = "range minima of hierarchy";

/// Knows the nearest smaller elements of an array.
pub struct Nearest<'a, T: Key> {
    array: &'a [T],
    index: Rmq<'a, T>,
}

impl<'a, T: Key> Nearest<'a, T> {
    /// Prepares an array.
    pub fn new(array: &'a [T], order: Order) -> Outcome<Self> {
        // Every element asks it dozens of times.
        Ok(Self { array, index: Rmq::with_engine(array, order, Engine::Hierarchy(HierarchyOptions::DEFAULT))? })
    }

    /// The nearest element on the left of `i` that comes before it in the order, or equals it if that is enough.
    pub fn left(&self, i: usize, or_equal: bool) -> Option<usize> {
        let has_one = |from: usize, to: usize| self.has_one(from, to, i, or_equal);
        // Ranges of twice the length each, until one has such an element ...
        let (mut to, mut len) = (i, 1);
        let (mut from, mut to) = loop {
            let end = to.checked_sub(1)?;
            let from = end.saturating_sub(len - 1);
            if has_one(from, end) {
                break (from, end);
            }
            (to, len) = (from, 2 * len);
        };
        // ... and halves of it, the nearer one first.
        while from < to {
            let middle = from + (to - from) / 2;
            if has_one(middle + 1, to) { from = middle + 1 } else { to = middle }
        }
        Some(from)
    }

    /// The same on the right.
    pub fn right(&self, i: usize, or_equal: bool) -> Option<usize> {
        let has_one = |from: usize, to: usize| self.has_one(from, to, i, or_equal);
        let last = self.array.len() - 1;
        let (mut from, mut len) = (i + 1, 1);
        let (mut from, mut to) = loop {
            if from > last {
                return None;
            }
            let to = last.min(from + len - 1);
            if has_one(from, to) {
                break (from, to);
            }
            (from, len) = (to + 1, 2 * len);
        };
        while from < to {
            let middle = from + (to - from) / 2;
            if has_one(from, middle) { to = middle } else { from = middle + 1 }
        }
        Some(from)
    }

    fn has_one(&self, from: usize, to: usize, i: usize, or_equal: bool) -> bool {
        let rank = |p: usize| self.array[p].rank(self.index.order());
        self.index.position(from..=to).is_some_and(|best| rank(best) < rank(i) || or_equal && rank(best) == rank(i))
    }
}

#[cfg(test)]
mod tests {
    use thalweg_data::ArrayKind;
    use thalweg_data::oracles::neighbours_by_stack;

    use super::*;

    #[test]
    fn as_a_stack_finds_them() {
        for kind in [ArrayKind::Random, ArrayKind::Few, ArrayKind::Sorted, ArrayKind::Reverse, ArrayKind::Constant] {
            for (len, order) in [(1, Order::Min), (2, Order::Max), (777, Order::Min), (300, Order::Max)] {
                let array = kind.make::<i16>(len, 3);
                let nearest = Nearest::new(&array, order).unwrap();
                for strict in [true, false] {
                    let [left, right] = neighbours_by_stack(&array, order, strict);
                    for i in 0..len {
                        assert_eq!((nearest.left(i, !strict), nearest.right(i, !strict)), (left[i], right[i]), "{i}");
                    }
                }
            }
        }
    }
}
