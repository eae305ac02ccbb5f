//! Nearest smaller values of an array that is larger than memory.
//!
//! *Problem.* The array lies in a mapped file, and so will the answers. How are they found with a few parts of either in
//! memory, reading and writing both from one end to the other?
//!
//! *Idea.* Solve a part by itself. What is left are its *open* elements, which have no neighbour in it: its prefix minima look
//! to the left, its suffix minima to the right. Their ranks fall from the border inwards, so each goes on searching where the one
//! before has ended. Of other parts the minima of their tiles stay in memory, some 64 KiB a number: a search goes into a tile only if its
//! answer is there. So nothing that is open is kept, in memory or on the disk, however much of it there is; and the open elements of
//! a part can be searched for by all threads, for where a search begins is found by the minima, too.
//!
//! *How much is read.* Matches never cross, so pairs of a part and a tile of another form an outerplanar graph, with fewer than two edges
//! a node. What is read once more, all of it together, is the array at worst, for one that rises and falls through all of it.
//!
//! *Both sides in one order.* Results are written once, from first to last, where two columns of a file lie side by
//! side. The right side needs the minima of what is still to come, so the array is read for them first; the left side alone finds them
//! on its way.
//!
//! *Bounds.* Work O(n + (n / part)²), the latter a comparison each; the memory of one part and a number for every tile.

mod minima;
mod search;

use std::ops::Range;

use self::minima::{Minima, Seen, Side, seen};
use self::search::Search;
use super::{Outputs, PlacesRef, Sides, solve_part};
use crate::width::expect_width;
use thalweg_core::bits::Bits;
use thalweg_core::coding::Ranking;
use thalweg_core::error::{try_filled, try_with_capacity};
use thalweg_core::parallel::{chunk_range, for_each_chunk_mut};
use thalweg_core::{Coding, Error, Position, Rank, Result, by_width};

/// Bytes of a tile, of which only the minimum is kept: as many as Linux maps at once around a byte that is touched.
const TILE: usize = 1 << 16;

/// Open elements that are searched for one after the other: so many that finding where to begin takes no time.
const CHUNK: usize = 1 << 15;

/// How an array is walked through.
#[derive(Clone, Copy)]
pub struct Walk<'w> {
    /// Elements of a part, one at least and fewer than 2^32.
    pub part: usize,
    /// Is told which elements are looked at next: they may be read ahead.
    pub soon: &'w (dyn Fn(Range<usize>) + Sync),
    /// Is told which elements are not looked at for the time being: their pages may go.
    pub done: &'w (dyn Fn(Range<usize>) + Sync),
}

impl std::fmt::Debug for Walk<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Walk").field("part", &self.part).finish_non_exhaustive()
    }
}

impl Walk<'_> {
    /// A walk in parts of so many elements through an array that is in memory.
    pub fn of(part: usize) -> Self {
        Self { part, soon: &|_| (), done: &|_| () }
    }

    /// Bytes of memory that an element of a part takes at most, with its answers on so many sides, beside the array and what the
    /// engine [takes](super::AnsvEngine::extra_bytes).
    pub const fn bytes_each(sides: usize) -> usize {
        // The answers, and the open elements, of both sides whichever is asked for.
        sides * size_of::<u64>() + 2 * size_of::<u32>()
    }

    /// Bytes of what is kept of all parts of an array, of elements of so many bytes.
    pub const fn bytes_kept(len: usize, width: usize) -> usize {
        len / (TILE / width) * width
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
/// let (bits, coding) = (Bits::of(&array), Coding::of::<u8>(Order::Min));
/// solve::<Error>(bits, coding, true, Walk::of(2), [false, true], &mut |_, part| {
///     right.extend_from_slice(&part.right);
///     Ok(())
/// })?;
/// assert_eq!(right, [1, 3, 3, u64::MAX, u64::MAX]);
/// # Ok::<(), thalweg::Error>(())
/// ```
///
/// # Errors
/// [`Error::OutOfMemory`], [`Error::Bits`] if the coding is for another width, and those of `each`.
pub fn solve<E: From<Error>>(
    bits: Bits<'_>,
    coding: Coding,
    strict: bool,
    walk: Walk<'_>,
    wanted: [bool; 2],
    each: &mut Each<'_, E>,
) -> std::result::Result<(), E> {
    solve_in_tiles(bits, coding, strict, walk, wanted, each, TILE, CHUNK)
}

/// The same with tiles of so many bytes, and so many open elements searched for at a time.
#[allow(clippy::too_many_arguments)]
fn solve_in_tiles<E: From<Error>>(
    bits: Bits<'_>,
    coding: Coding,
    strict: bool,
    walk: Walk<'_>,
    wanted: [bool; 2],
    each: &mut Each<'_, E>,
    tile: usize,
    chunk: usize,
) -> std::result::Result<(), E> {
    expect_width(bits, coding)?;
    by_width!(Bits, bits, array => {
        let tile = tile.div_ceil(bits.width());
        let job = Job { array, coding, order: coding.ranking(), strict, walk, tile, chunk };
        job.solve(wanted, each)
    })
}

struct Job<'j, R> {
    array: &'j [R],
    coding: Coding,
    order: Ranking<R>,
    strict: bool,
    walk: Walk<'j>,
    tile: usize,
    chunk: usize,
}

impl<R: Rank> Job<'_, R> {
    fn parts(&self) -> usize {
        self.array.len().div_ceil(self.walk.part)
    }

    fn part(&self, k: usize) -> Range<usize> {
        chunk_range(k, self.walk.part, self.array.len())
    }

    fn minima(&self, k: usize) -> Result<Minima<R>> {
        Minima::of(&self.array[self.part(k)], self.order, self.tile)
    }

    /// Tells that a part follows.
    fn expect(&self, k: usize) {
        if k < self.parts() {
            (self.walk.soon)(self.part(k));
        }
    }

    fn solve<E: From<Error>>(&self, [left, right]: [bool; 2], each: &mut Each<'_, E>) -> std::result::Result<(), E> {
        let mut minima = try_with_capacity(self.parts(), "the minima of parts")?;
        if right {
            for k in 0..self.parts() {
                self.expect(k + 1);
                minima.push(self.minima(k)?);
                (self.walk.done)(self.part(k));
            }
        }
        let mut solved = Solved::default();
        self.expect(0);
        for k in 0..self.parts() {
            self.expect(k + 1);
            let range = self.part(k);
            let part = &self.array[range.clone()];
            solved.make_room(left, right, part.len())?;
            let sides =
                Sides { left: left.then_some(&mut solved.left[..]), right: right.then_some(&mut solved.right[..]) };
            let open = solve_part(R::erase(part), self.coding, self.strict, range.start, Outputs::of(sides))?;
            if left {
                let seen = seen(&minima, 0..k, Side::Left);
                self.settle(Side::Left, part, open.left.view(), &minima, &seen, &mut solved.left);
            }
            if right {
                let seen = seen(&minima, k + 1..self.parts(), Side::Right);
                self.settle(Side::Right, part, open.right.view(), &minima, &seen, &mut solved.right);
            } else {
                minima.push(self.minima(k)?);
            }
            drop(open);
            (self.walk.done)(range.clone());
            each(range, &mut solved)?;
        }
        Ok(())
    }

    /// Finds the neighbours on one side of what is open there.
    fn settle(
        &self,
        side: Side,
        part: &[R],
        open: PlacesRef<'_>,
        minima: &[Minima<R>],
        seen: &[Seen<R>],
        out: &mut [u64],
    ) {
        if seen.is_empty() {
            return;
        }
        for_each_chunk_mut(&mut open.cut(self.chunk, out), 1, &|_, tasks| {
            for (start, open, piece) in tasks {
                Search::new(self, minima, side, seen).settle(part, *open, *start, piece);
            }
        });
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

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use proptest::prelude::*;

    use super::*;
    use crate::ansv::{Engine, Relation};
    use thalweg_core::Key;

    /// Every combination of sides, in parts and tiles of every length.
    fn agrees_with_naive<K: Key>(array: &[K], parts: &[usize]) {
        for relation in Relation::ALL {
            let want = crate::ansv::solve(array, relation, Engine::Naive).unwrap();
            let [left, right] = [&want.left, &want.right]
                .map(|list| list.iter().map(|p| p.map_or(u64::MAX, |p| p as u64)).collect::<Vec<_>>());
            let coding = Coding::of::<K>(relation.order());
            for (&part, tile) in parts.iter().flat_map(|part| [(part, 1), (part, 24), (part, TILE)]) {
                for wanted in [[true, true], [true, false], [false, true]] {
                    let (mut l, mut r) = (Vec::new(), Vec::new());
                    let told = Mutex::new([vec![0; array.len()], vec![0; array.len()]]);
                    let tell = |k: usize, range: Range<usize>| range.for_each(|i| told.lock().unwrap()[k][i] += 1);
                    let walk = Walk { part, soon: &|range| tell(0, range), done: &|range| tell(1, range) };
                    let mut each = |range: Range<usize>, solved: &mut Solved| {
                        assert_eq!(range.start, l.len().max(r.len()));
                        l.append(&mut solved.left);
                        r.append(&mut solved.right);
                        Ok::<(), Error>(())
                    };
                    let bits = Bits::of(array);
                    solve_in_tiles(bits, coding, relation.is_strict(), walk, wanted, &mut each, tile, 5).unwrap();
                    let what = format!("{relation:?}, parts of {part}, tiles of {tile} bytes, {wanted:?}: {array:?}");
                    assert!(if wanted[0] { l == left } else { l.is_empty() }, "{what}: left {l:?}, not {left:?}");
                    assert!(if wanted[1] { r == right } else { r.is_empty() }, "{what}: right {r:?}, not {right:?}");
                    let told = told.into_inner().unwrap();
                    assert!(told.iter().flatten().all(|&times| times > 0), "{what}: not all is told");
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

    /// What is read once more, tile by tile, is the array at worst: here, where all of it is open on one side.
    #[test]
    fn little_is_read_again() {
        let n = 1 << 16;
        // Rises, then falls through all of it.
        let array: Vec<u32> = (0..n).map(|i| if i < n / 2 { 2 * i } else { 2 * (n - i) + 1 }).collect();
        let read = Mutex::new(0);
        let done = |range: Range<usize>| *read.lock().unwrap() += range.len();
        let walk = Walk { done: &done, ..Walk::of(1 << 10) };
        let coding = Coding::of::<u32>(thalweg_core::Order::Min);
        let each = &mut |_: Range<usize>, _: &mut Solved| Ok::<(), Error>(());
        solve_in_tiles(Bits::of(&array), coding, true, walk, [true, true], each, 1 << 9, 1 << 9).unwrap();
        // Twice for the parts; once more what they find in others, of which three times as much is given back as was read, and what two tasks
        // both look at.
        assert!(*read.lock().unwrap() <= 13 * n as usize / 2, "{} elements of {n}", read.lock().unwrap());
    }
}
