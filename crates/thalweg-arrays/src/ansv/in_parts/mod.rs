//! Nearest smaller values of an array that is larger than memory.
//!
//! *Problem.* The array lies in a mapped file, and so will the answers. How are they found with a few parts of either in
//! memory, reading and writing both from one end to the other?
//!
//! *Idea.* Solve a part by itself. What is left are its *open* elements, which have no neighbour in it: its prefix minima look
//! to the left, its suffix minima to the right. Of everything to the left only the suffix minima can be their neighbours,
//! a stack whose ranks rise to its top. Open elements fall from the border inwards, so each continues on the stack where the
//! one before has ended; what was passed is not smaller than an element that is nearer to all that follow, and is dropped.
//! Equal elements of the stack hide each other, too, so all its ranks differ. The right side is the mirror image, from the last part
//! to the first.
//!
//! *Both sides in one order.* Results are written once, from first to last, where two columns of a file lie side by
//! side. So the right side's walk comes first, finds the neighbours of open elements only, one for each rank of a part, and
//! puts them onto a pile ([`Spill`]) from which the second walk takes them, part by part, in the opposite order.
//!
//! *Memory.* In a sorted array all elements stay open. Nothing is written for that: a part's share of the stack is made
//! again from the part, up to the element at which it was left, when it comes to the top and was dropped for want of memory. Before that as
//! many elements as are kept have been passed, so parts are read a constant number of times.
//!
//! *Bounds.* Work O(n); O(n / part) + `kept` + the memory of one part.

mod chain;
mod stack;

use std::ops::Range;

use self::chain::{Border, Minima};
use self::stack::Stack;
use super::{Outputs, Sides, solve_part};
use crate::width::expect_width;
use thalweg_core::bits::Bits;
use thalweg_core::coding::Ranking;
use thalweg_core::error::try_filled;
use thalweg_core::parallel::chunk_range;
use thalweg_core::{Coding, Error, Position, Positions, Rank, Result, by_width};

/// How an array is walked through.
#[derive(Clone, Copy)]
pub struct Walk<'w> {
    /// Elements of a part, one at least and fewer than 2^32.
    pub part: usize,
    /// Open elements of other parts that stay in memory.
    pub kept: usize,
    /// Is told which elements are not looked at for the time being: their pages may go.
    pub done: &'w dyn Fn(Range<usize>),
}

impl std::fmt::Debug for Walk<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Walk").field("part", &self.part).field("kept", &self.kept).finish_non_exhaustive()
    }
}

impl Walk<'_> {
    /// Bytes of memory that an element of a part takes at most, with its answers on so many sides, beside the array.
    pub const fn bytes_each(width: usize, sides: usize) -> usize {
        // The answers, the part's open elements as the engine lists them, and a chain with its ranks.
        sides * 8 + 16 + Self::bytes_kept(width)
    }

    /// Bytes that an open element takes that is [kept](Self::kept).
    pub const fn bytes_kept(width: usize) -> usize {
        if width == 8 { 16 } else { 8 }
    }
}

/// A pile of numbers that may be long: in memory, or in a file.
pub trait Spill<E> {
    /// Puts numbers on top.
    ///
    /// # Errors
    /// Those of the file.
    fn put(&mut self, numbers: &[u64]) -> std::result::Result<(), E>;

    /// Takes so many from the top, in the order in which they were put. Never more than there are.
    ///
    /// # Errors
    /// Those of the file.
    fn take(&mut self, count: usize, numbers: &mut Vec<u64>) -> std::result::Result<(), E>;
}

impl<E> Spill<E> for Vec<u64> {
    fn put(&mut self, numbers: &[u64]) -> std::result::Result<(), E> {
        self.extend_from_slice(numbers);
        Ok(())
    }

    fn take(&mut self, count: usize, numbers: &mut Vec<u64>) -> std::result::Result<(), E> {
        numbers.clear();
        numbers.extend(self.drain(self.len() - count..));
        Ok(())
    }
}

/// The answers of a part: positions in the array, [`Position::NONE`] for none; a side that was not asked for is empty. Whoever takes
/// the buffers away leaves others, of any length.
#[derive(Debug, Default)]
pub struct Solved {
    /// Nearest to the left.
    pub left: Vec<u64>,
    /// Nearest to the right.
    pub right: Vec<u64>,
}

/// Takes the answers of a part: its range, and where they are.
pub type Each<'e, E> = dyn FnMut(Range<usize>, &mut Solved) -> std::result::Result<(), E> + 'e;

/// Finds the neighbours whose rank by the coding is smaller (not larger, unless `strict`) on the sides that are wanted, left and
/// right. `each` gets the answers, part by part, from the first to the last.
///
/// ```
/// # use thalweg_arrays as thalweg;
/// use thalweg::{Error, Order};
/// use thalweg::ansv::in_parts::{Walk, solve};
/// use thalweg_core::{Coding, bits::Bits};
/// let (array, mut right) = ([30u8, 10, 20, 5, 7], Vec::new());
/// let walk = Walk { part: 2, kept: 100, done: &|_| () };
/// let (bits, coding) = (Bits::of(&array), Coding::of::<u8>(Order::Min));
/// solve::<Error>(bits, coding, true, walk, [false, true], &mut Vec::new(), &mut |_, part| {
///     right.extend_from_slice(&part.right);
///     Ok(())
/// })?;
/// assert_eq!(right, [1, 3, 3, u64::MAX, u64::MAX]);
/// # Ok::<(), thalweg::Error>(())
/// ```
///
/// # Errors
/// [`Error::OutOfMemory`], [`Error::Bits`] if the coding is for another width, and those of `spill` and `each`.
pub fn solve<E: From<Error>>(
    bits: Bits<'_>,
    coding: Coding,
    strict: bool,
    walk: Walk<'_>,
    wanted: [bool; 2],
    spill: &mut dyn Spill<E>,
    each: &mut Each<'_, E>,
) -> std::result::Result<(), E> {
    expect_width(bits, coding)?;
    by_width!(Bits, bits, array => {
        let job = Job { array, coding, order: coding.ranking(), strict, walk };
        // How many numbers the pile has of each part.
        let mut counts = Vec::new();
        if wanted[1] {
            job.find_right(spill, &mut counts)?;
        }
        job.find_all(wanted, spill, &counts, each)
    })
}

struct Job<'j, R> {
    array: &'j [R],
    coding: Coding,
    order: Ranking<R>,
    strict: bool,
    walk: Walk<'j>,
}

impl<R: Rank> Job<'_, R> {
    fn parts(&self) -> usize {
        self.array.len().div_ceil(self.walk.part)
    }

    fn part(&self, k: usize) -> Range<usize> {
        chunk_range(k, self.walk.part, self.array.len())
    }

    fn rank(&self, position: usize) -> R {
        self.array[position].ranked(self.order)
    }

    /// The right neighbours of what is open to the right, one for each rank of a part, from its border inwards.
    fn find_right<E: From<Error>>(
        &self,
        spill: &mut dyn Spill<E>,
        counts: &mut Vec<usize>,
    ) -> std::result::Result<(), E> {
        // What lies to the right of a part shows its left border.
        let mut stack = Stack::new(self.array, self.order, self.walk, Border::Left);
        counts.resize(self.parts(), 0);
        for k in (0..self.parts()).rev() {
            let range = self.part(k);
            let minima = Minima::of(&self.array[range.clone()], self.order)?;
            let open = minima.chain(Border::Right)?;
            let found: Vec<u64> = open
                .iter()
                .map_while(|&(rank, _)| stack.nearest(rank, self.strict).transpose())
                .map(|found| found.map(|position| position as u64))
                .collect::<Result<_>>()?;
            drop(open);
            counts[k] = found.len();
            spill.put(&found)?;
            drop(found);
            stack.push(range.clone(), minima.chain(Border::Left)?);
            (self.walk.done)(range);
        }
        Ok(())
    }

    /// All that is wanted, part by part.
    fn find_all<E: From<Error>>(
        &self,
        [left, right]: [bool; 2],
        spill: &mut dyn Spill<E>,
        counts: &[usize],
        each: &mut Each<'_, E>,
    ) -> std::result::Result<(), E> {
        let mut stack = Stack::new(self.array, self.order, self.walk, Border::Right);
        let (mut solved, mut saved) = (Solved::default(), Vec::new());
        for k in 0..self.parts() {
            let range = self.part(k);
            let part = &self.array[range.clone()];
            solved.make_room(left, right, part.len())?;
            let sides =
                Sides { left: left.then_some(&mut solved.left[..]), right: right.then_some(&mut solved.right[..]) };
            let open = solve_part(R::erase(part), self.coding, self.strict, range.start, Outputs::of(sides))?;
            if left {
                let mut last = None;
                for place in places(&open.left) {
                    let rank = self.rank(range.start + place);
                    let found = match last {
                        Some((known, found)) if known == rank => found,
                        _ => stack.nearest(rank, self.strict)?,
                    };
                    last = Some((rank, found));
                    // Nor have those behind it, which are smaller, or equal.
                    let Some(position) = found else { break };
                    solved.left[place] = position as u64;
                }
            }
            if right {
                spill.take(counts.get(k).copied().unwrap_or(0), &mut saved)?;
                let (mut answers, mut last) = (saved.iter(), None);
                for place in places(&open.right).rev() {
                    let rank = self.rank(range.start + place);
                    let found = match last {
                        Some((known, found)) if known == rank => found,
                        _ => answers.next(),
                    };
                    last = Some((rank, found));
                    let Some(&position) = found else { break };
                    solved.right[place] = position;
                }
            }
            drop(open);
            if left {
                stack.push(range.clone(), Minima::of(part, self.order)?.chain(Border::Right)?);
            }
            (self.walk.done)(range.clone());
            each(range, &mut solved)?;
        }
        Ok(())
    }
}

impl Solved {
    fn make_room(&mut self, left: bool, right: bool, len: usize) -> Result<()> {
        for (wanted, side) in [(left, &mut self.left), (right, &mut self.right)] {
            if wanted && side.len() != len {
                *side = match std::mem::take(side) {
                    mut old if old.len() > len => {
                        old.truncate(len);
                        old
                    }
                    _ => try_filled(len, u64::NONE, "the answers of a part")?,
                };
            }
        }
        Ok(())
    }
}

/// The places of a list.
fn places(list: &Positions) -> impl DoubleEndedIterator<Item = usize> {
    (0..list.len()).map(|i| list.at(i).expect("a list of places has no gaps"))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use proptest::prelude::*;

    use super::*;
    use crate::ansv::{Engine, Relation};
    use thalweg_core::Key;

    /// Every combination of sides, in parts of every length, with nothing kept or everything.
    fn agrees_with_naive<K: Key>(array: &[K], parts: &[usize]) {
        for relation in Relation::ALL {
            let want = crate::ansv::solve(array, relation, Engine::Naive).unwrap();
            let [left, right] = [&want.left, &want.right]
                .map(|list| list.iter().map(|p| p.map_or(u64::MAX, |p| p as u64)).collect::<Vec<_>>());
            let coding = Coding::of::<K>(relation.order());
            for (&part, kept) in parts.iter().flat_map(|part| [(part, 0), (part, 3), (part, usize::MAX)]) {
                for wanted in [[true, true], [true, false], [false, true]] {
                    let (mut l, mut r) = (Vec::new(), Vec::new());
                    let released = RefCell::new(vec![0; array.len()]);
                    let done = |range: Range<usize>| range.for_each(|i| released.borrow_mut()[i] += 1);
                    let walk = Walk { part, kept, done: &done };
                    let mut pile = Vec::new();
                    let mut each = |range: Range<usize>, solved: &mut Solved| {
                        assert_eq!(range.start, l.len().max(r.len()));
                        l.append(&mut solved.left);
                        r.append(&mut solved.right);
                        Ok::<(), Error>(())
                    };
                    let bits = Bits::of(array);
                    solve(bits, coding, relation.is_strict(), walk, wanted, &mut pile, &mut each).unwrap();
                    let what = format!("{relation:?}, parts of {part}, {kept} kept, {wanted:?}: {array:?}");
                    assert!(if wanted[0] { l == left } else { l.is_empty() }, "{what}: left {l:?}, not {left:?}");
                    assert!(if wanted[1] { r == right } else { r.is_empty() }, "{what}: right {r:?}, not {right:?}");
                    assert!(Spill::<Error>::put(&mut pile, &[]).is_ok() && pile.is_empty(), "{what}");
                    assert!(released.borrow().iter().all(|&times| times > 0), "{what}: not all is released");
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn few_values(array in prop::collection::vec(0u8..5, 0..40)) {
            agrees_with_naive(&array, &[1, 2, 3, 7]);
        }

        #[test]
        fn many_values(array in prop::collection::vec(-30i64..30, 0..60)) {
            agrees_with_naive(&array, &[1, 4, 59]);
        }

        #[test]
        fn floats(array in prop::collection::vec(prop::sample::select(vec![0.0f32, -0.0, 1.5, f32::NAN, f32::INFINITY, -2.0]), 0..30)) {
            agrees_with_naive(&array, &[1, 5]);
        }
    }

    /// Whatever stays open, and whatever is popped late.
    #[test]
    fn sorted_and_bitonic() {
        let n = 600i32;
        let shapes: [&dyn Fn(i32) -> i32; 5] =
            [&|i| i, &|i| -i, &|_| 7, &|i| (2 * i - n).abs(), &|i| if i < n / 2 { 2 * i } else { 2 * (n - i) + 1 }];
        for shape in shapes {
            agrees_with_naive(&(0..n).map(shape).collect::<Vec<_>>(), &[64, 100]);
        }
    }

    /// Parts are read a few times at most, also where most of what is open has been dropped.
    #[test]
    fn what_is_dropped_is_seldom_made_again() {
        let n = 1 << 16;
        // Rises, then falls through all of it.
        let array: Vec<u32> = (0..n).map(|i| if i < n / 2 { 2 * i } else { 2 * (n - i) + 1 }).collect();
        let read = RefCell::new(0);
        let done = |range: Range<usize>| *read.borrow_mut() += range.len();
        let walk = Walk { part: 1 << 10, kept: 1 << 12, done: &done };
        let coding = Coding::of::<u32>(thalweg_core::Order::Min);
        let each = &mut |_: Range<usize>, _: &mut Solved| Ok::<(), Error>(());
        solve(Bits::of(&array), coding, true, walk, [true, true], &mut Vec::new(), each).unwrap();
        assert!(*read.borrow() <= 4 * n as usize, "{} elements of {n}", read.borrow());
    }
}
