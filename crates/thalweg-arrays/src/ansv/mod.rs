//! All nearest smaller values (ANSV).
//!
//! For every element: the nearest element to its left, and to its right, that is smaller. Suffix trees, Lempel-Ziv
//! factorisations, Cartesian trees and histograms' largest rectangles are built from it.
//!
//! [`ansv()`](fn@ansv), [`left`] and [`right`] serve the common case, [`solve`] chooses relation and engine, [`solve_into`]
//! writes into the caller's buffers, on an engine of any device:
//!
//! | engine | idea | work | span | source |
//! |---|---|---|---|---|
//! | `tiles` (default) | vector windows, a stack per tile, tile pairs | O(n) | O(tile · log n) | this project |
//! | `stack` | one pass with a stack, sequential | O(n) | O(n) | folklore |
//! | `berkman` | merging of subsets' prefix and suffix minima | O(n) | O(log n) | Berkman, Schieber, Vishkin 1993 |
//! | `merging` | the same, duplicates in one run | O(n) | O(log n) | Ryssel 2025 |
//! | `bsz` | a search tree of minima, started at the last match | O(n) | O(log² n) | Shun, Zhao 2013 |
//! | `thesis` | six kernels of a GPU, after `berkman` | O(n) | O(log n) | Ryssel 2025 |
//! | `naive` | looks left and right until it finds one | O(n²) | O(n) | the oracle |

mod berkman;
mod bsz;
pub mod in_parts;
mod merging;
pub mod min_tree;
mod naive;
mod outline;
mod places;
mod shared_sides;
mod stack;
mod tiles;

use std::fmt;

pub use self::places::{Places, PlacesRef};
use crate::width::expect_width;
use thalweg_core::bits::Bits;
use thalweg_core::coding::Ranking;
use thalweg_core::engine_names;
use thalweg_core::error::{expect_len, try_filled};
use thalweg_core::{Coding, Error, Key, Order, Position, Positions, PositionsMut, Rank, Result, by_width};

/// Which neighbour is looked for: the nearest element that *is* this, compared with the element itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Relation {
    /// Strictly smaller.
    #[default]
    Smaller,
    /// Smaller or equal.
    NotLarger,
    /// Strictly greater.
    Greater,
    /// Greater or equal.
    NotSmaller,
}

impl Relation {
    /// Every relation.
    pub const ALL: [Self; 4] = [Self::Smaller, Self::NotLarger, Self::Greater, Self::NotSmaller];

    /// The order in which the neighbour is better.
    pub const fn order(self) -> Order {
        match self {
            Self::Smaller | Self::NotLarger => Order::Min,
            Self::Greater | Self::NotSmaller => Order::Max,
        }
    }

    /// Whether equal elements do not count.
    pub const fn is_strict(self) -> bool {
        matches!(self, Self::Smaller | Self::Greater)
    }

    /// The relation's name, as the command line takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Smaller => "smaller",
            Self::NotLarger => "not_larger",
            Self::Greater => "greater",
            Self::NotSmaller => "not_smaller",
        }
    }
}

/// Elements of a subset, at least one, in the engines that solve subsets by themselves first.
#[derive(Clone, Copy, Debug)]
struct Subset(usize);

impl Default for Subset {
    /// Large enough that the searches between subsets cost little, small enough that a subset with its answers stays in
    /// the second-level cache (4,096 elements of 4 bytes with two answers of 4 bytes are 48 KiB) and that 2^20 elements
    /// still feed 256 threads.
    fn default() -> Self {
        Self(1 << 12)
    }
}

/// Options of [`Engine::Thesis`], which only GPUs have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ThesisOptions {
    /// Threads of a workgroup.
    pub threads: u32,
    /// Elements of a subset, a multiple of the threads. The thesis found about 400 best.
    pub subset: u32,
    /// Elements that are few enough for brute force.
    pub few: u32,
}

impl ThesisOptions {
    /// The thesis's numbers, rounded: on an H200, 500 million `u32` of both sides take 93 ms (random) and 53 ms (the worst
    /// case). Others were not measured.
    pub const DEFAULT: Self = Self { threads: 32, subset: 512, few: 2048 };
}

impl Default for ThesisOptions {
    fn default() -> Self {
        Self::DEFAULT
    }
}

engine_names! {
    /// The ANSV engines, with their options. See the [module's table](self).
    #[derive(Default)]
    "ansv": Engine {
        /// Vector windows, a stack per tile, tile pairs. The default.
        #[default]
        Tiles = "tiles",
        /// Looks left and right until it finds one. The oracle of the tests.
        Naive = "naive",
        /// One sequential pass with a stack.
        Stack = "stack",
        /// A stack per subset, then searches in a tree of minima, each started at the last one's match.
        Bsz = "bsz",
        /// A stack per subset, then merging of subsets as if values were distinct, one run per side.
        Berkman = "berkman",
        /// A stack per subset, then merging of subsets, duplicates included, in one run.
        Merging = "merging",
        /// The six kernels of Ryssel's thesis, on GPUs only.
        Thesis(ThesisOptions) = "thesis",
    }
}

/// The answer: for every element the position of its neighbour on either side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ansv {
    /// Nearest to the left.
    pub left: Positions,
    /// Nearest to the right.
    pub right: Positions,
}

/// Where the answers go: one entry per element and side, [`Position::NONE`] for none. A side left out is not computed.
#[derive(Debug, Default)]
pub struct Sides<'o, P> {
    /// Nearest to the left.
    pub left: Option<&'o mut [P]>,
    /// Nearest to the right.
    pub right: Option<&'o mut [P]>,
}

/// [`Sides`] in one of the two widths.
#[derive(Debug)]
pub enum Outputs<'o> {
    /// 32-bit positions.
    U32(Sides<'o, u32>),
    /// 64-bit positions.
    U64(Sides<'o, u64>),
}

impl<P> Sides<'_, P> {
    /// The lengths of the buffers.
    fn lens(&self) -> (Option<usize>, Option<usize>) {
        (self.left.as_ref().map(|side| side.len()), self.right.as_ref().map(|side| side.len()))
    }
}

impl<'o> Outputs<'o> {
    /// Buffers of one width for the engine.
    pub fn of<P: Position>(sides: Sides<'o, P>) -> Self {
        match (sides.left.map(P::buffer), sides.right.map(P::buffer)) {
            (Some(PositionsMut::U32(left)), Some(PositionsMut::U32(right))) => {
                Self::U32(Sides { left: Some(left), right: Some(right) })
            }
            (Some(PositionsMut::U32(left)), None) => Self::U32(Sides { left: Some(left), right: None }),
            (None, Some(PositionsMut::U32(right))) => Self::U32(Sides { left: None, right: Some(right) }),
            (None, None) => Self::U32(Sides { left: None, right: None }),
            (Some(PositionsMut::U64(left)), Some(PositionsMut::U64(right))) => {
                Self::U64(Sides { left: Some(left), right: Some(right) })
            }
            (Some(PositionsMut::U64(left)), None) => Self::U64(Sides { left: Some(left), right: None }),
            (None, Some(PositionsMut::U64(right))) => Self::U64(Sides { left: None, right: Some(right) }),
            _ => unreachable!("both sides have one width"),
        }
    }
}

/// What every ANSV engine provides, on whatever device. It sees the bits of keys and knows no key type.
///
/// [`solve_into`] has checked before calling: buffers have the array's length and their width fits its positions.
/// An engine must fill every entry of the sides asked for, exactly, for duplicates too, or return an error.
pub trait AnsvEngine: fmt::Debug + Send + Sync {
    /// The engine's name.
    fn name(&self) -> &'static str;
    /// Bytes of scratch memory needed for an array of `len` elements of `width` bytes, in the worst case, outputs not
    /// counted.
    fn extra_bytes(&self, len: usize, width: usize) -> usize;
    /// Finds the nearest neighbours whose rank, by the coding, is smaller; not larger, unless `strict`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::Bits`] if the coding is for another width, and those of the device.
    fn solve(&self, bits: Bits<'_>, coding: Coding, strict: bool, outputs: Outputs<'_>) -> Result<()>;
}

/// An engine written in terms of slices of bits (see [`thalweg_core::coding`]), generic over both types.
trait CpuEngine: fmt::Debug + Send + Sync {
    const NAME: &'static str;
    fn extra_bytes<R: Rank>(&self, len: usize) -> usize;
    /// Neighbours whose rank by `order` is smaller; not larger, unless `strict`.
    fn solve<R: Rank, P: Position>(
        &self,
        array: &[R],
        order: Ranking<R>,
        strict: bool,
        sides: Sides<'_, P>,
    ) -> Result<()>;
}

impl<E: CpuEngine> AnsvEngine for E {
    fn name(&self) -> &'static str {
        E::NAME
    }

    fn extra_bytes(&self, len: usize, width: usize) -> usize {
        match width {
            1 => CpuEngine::extra_bytes::<u8>(self, len),
            2 => CpuEngine::extra_bytes::<u16>(self, len),
            4 => CpuEngine::extra_bytes::<u32>(self, len),
            _ => CpuEngine::extra_bytes::<u64>(self, len),
        }
    }

    fn solve(&self, bits: Bits<'_>, coding: Coding, strict: bool, outputs: Outputs<'_>) -> Result<()> {
        expect_width(bits, coding)?;
        by_width!(Bits, bits, array => match outputs {
            Outputs::U32(sides) => CpuEngine::solve(self, array, coding.ranking(), strict, sides),
            Outputs::U64(sides) => CpuEngine::solve(self, array, coding.ranking(), strict, sides),
        })
    }
}

/// All nearest smaller values of `array`, on both sides, strictly smaller, with the default engine.
///
/// Work O(n), on all threads of the current rayon pool.
///
/// ```
/// # use thalweg_arrays as thalweg;
/// let ansv = thalweg::ansv::ansv(&[4, 2, 6, 2, 8])?;
/// assert_eq!(ansv.left.iter().collect::<Vec<_>>(), [None, None, Some(1), None, Some(3)]);
/// assert_eq!(ansv.right.iter().collect::<Vec<_>>(), [Some(1), None, Some(3), None, None]);
/// # Ok::<(), thalweg::Error>(())
/// ```
///
/// # Errors
/// [`Error::OutOfMemory`].
pub fn ansv<K: Key>(array: &[K]) -> Result<Ansv> {
    solve(array, Relation::Smaller, Engine::Tiles)
}

/// Only the nearest smaller values to the left. See [`ansv()`](fn@ansv).
///
/// ```
/// # use thalweg_arrays as thalweg;
/// let left = thalweg::ansv::left(&[4, 2, 6])?;
/// assert_eq!(left.at(2), Some(1));
/// # Ok::<(), thalweg::Error>(())
/// ```
///
/// # Errors
/// [`Error::OutOfMemory`].
pub fn left<K: Key>(array: &[K]) -> Result<Positions> {
    Ok(allocate(Bits::of(array), Coding::of::<K>(Order::Min), true, &tiles::Tiles, true, false)?.left)
}

/// Only the nearest smaller values to the right. See [`ansv()`](fn@ansv).
///
/// ```
/// # use thalweg_arrays as thalweg;
/// let right = thalweg::ansv::right(&[4, 2, 6])?;
/// assert_eq!(right.at(0), Some(1));
/// # Ok::<(), thalweg::Error>(())
/// ```
///
/// # Errors
/// [`Error::OutOfMemory`].
pub fn right<K: Key>(array: &[K]) -> Result<Positions> {
    Ok(allocate(Bits::of(array), Coding::of::<K>(Order::Min), true, &tiles::Tiles, false, true)?.right)
}

/// Both sides, for a relation, with a certain engine of the CPU.
///
/// ```
/// # use thalweg_arrays as thalweg;
/// use thalweg::ansv::{Engine, Relation, solve};
/// let taller = solve(&[1.5, 0.5, 2.5], Relation::Greater, Engine::Stack)?;
/// assert_eq!(taller.right.at(0), Some(2));
/// # Ok::<(), thalweg::Error>(())
/// ```
///
/// # Errors
/// Those of [`engine()`](fn@engine); [`Error::OutOfMemory`].
pub fn solve<K: Key>(array: &[K], relation: Relation, engine: Engine) -> Result<Ansv> {
    let (coding, strict) = (Coding::of::<K>(relation.order()), relation.is_strict());
    allocate(Bits::of(array), coding, strict, &*self::engine(engine)?, true, true)
}

/// Into the caller's buffers, of the array's length, on an engine of any device. A side that is `None` is not computed.
///
/// ```
/// # use thalweg_arrays as thalweg;
/// use thalweg::ansv::{Engine, Relation, Sides, engine, solve_into};
/// let mut left = [0u32; 3];
/// let sides = Sides { left: Some(&mut left[..]), right: None };
/// solve_into(&[1, 3, 2], Relation::Smaller, &*engine(Engine::Tiles)?, sides)?;
/// assert_eq!(left, [u32::MAX, 0, 0]);
/// # Ok::<(), thalweg::Error>(())
/// ```
///
/// # Errors
/// [`Error::Width`] if positions of the array do not fit the buffers, [`Error::Length`] if a buffer has another length,
/// and those of the engine.
pub fn solve_into<K: Key, P: Position>(
    array: &[K],
    relation: Relation,
    engine: &dyn AnsvEngine,
    sides: Sides<'_, P>,
) -> Result<()> {
    let (coding, strict) = (Coding::of::<K>(relation.order()), relation.is_strict());
    solve_bits(Bits::of(array), coding, strict, engine, Outputs::of(sides))
}

/// [`solve_into`] for what has no key type: the neighbours whose rank by the coding is smaller; not larger, unless
/// `strict`.
///
/// # Errors
/// As [`solve_into`].
pub fn solve_bits(
    bits: Bits<'_>,
    coding: Coding,
    strict: bool,
    engine: &dyn AnsvEngine,
    outputs: Outputs<'_>,
) -> Result<()> {
    expect_outputs(&outputs, bits.len(), bits.len())?;
    engine.solve(bits, coding, strict, outputs)
}

/// What of a part of an array looks for its neighbours in other parts, and is looked for: places in the part, from left to
/// right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Open {
    /// The elements without a left neighbour in the part, its prefix minima: ranks never rise.
    pub left: Places,
    /// The elements without a right neighbour in the part, its suffix minima: ranks never fall.
    pub right: Places,
}

/// [`solve_bits`] for a part of an array that begins at position `first`, with the default engine: neighbours in the part are
/// told by their positions in the array. Others lie in other parts; [`Open`], which holds both sides whatever was asked for, is
/// all that these have to know.
///
/// ```
/// # use thalweg_arrays as thalweg;
/// use thalweg::{Coding, Order};
/// use thalweg::ansv::{Outputs, Places, Sides, solve_part};
/// // Three elements from the middle of an array.
/// let (part, mut left) = ([30u8, 10, 20], [0u32; 3]);
/// let outputs = Outputs::of(Sides { left: Some(&mut left[..]), right: None });
/// let open = solve_part(thalweg::bits::Bits::of(&part), Coding::of::<u8>(Order::Min), true, 100, outputs)?;
/// assert_eq!(left, [u32::MAX, u32::MAX, 101]);
/// assert_eq!((open.left, open.right), (Places::Row(0..2), Places::Row(1..3)));
/// # Ok::<(), thalweg::Error>(())
/// ```
///
/// # Errors
/// As [`solve_bits`].
pub fn solve_part(bits: Bits<'_>, coding: Coding, strict: bool, first: usize, outputs: Outputs<'_>) -> Result<Open> {
    let len = bits.len();
    expect_outputs(&outputs, len, first.saturating_add(len))?;
    expect_width(bits, coding)?;
    by_width!(Bits, bits, array => {
        let part = tiles::Part { array, order: coding.ranking(), first, wants_open: true };
        match outputs {
            Outputs::U32(sides) => part.solve(strict, sides),
            Outputs::U64(sides) => part.solve(strict, sides),
        }
    })
}

/// Checks that outputs have so many entries, and can hold positions below `end`.
fn expect_outputs(outputs: &Outputs<'_>, len: usize, end: usize) -> Result<()> {
    let (left, right) = match outputs {
        Outputs::U32(sides) => sides.lens(),
        Outputs::U64(sides) => sides.lens(),
    };
    if matches!(outputs, Outputs::U32(_)) && !u32::fits(end) {
        return Err(Error::Width { len: end, got: u32::NAME });
    }
    expect_len("left output", left.unwrap_or(len), len)?;
    expect_len("right output", right.unwrap_or(len), len)
}

/// Both sides, or one and an empty list.
fn allocate(
    bits: Bits<'_>,
    coding: Coding,
    strict: bool,
    engine: &dyn AnsvEngine,
    with_left: bool,
    with_right: bool,
) -> Result<Ansv> {
    fn sides<P: Position>(
        len: usize,
        (with_left, with_right): (bool, bool),
        solve: &dyn Fn(Outputs<'_>) -> Result<()>,
    ) -> Result<Ansv> {
        let side = |wanted, what| try_filled(if wanted { len } else { 0 }, P::default(), what);
        let (mut left, mut right) = (side(with_left, "left neighbours")?, side(with_right, "right neighbours")?);
        let sides = Sides { left: with_left.then_some(&mut left[..]), right: with_right.then_some(&mut right[..]) };
        solve(Outputs::of(sides))?;
        Ok(Ansv { left: P::list(left), right: P::list(right) })
    }
    let (len, wanted) = (bits.len(), (with_left, with_right));
    let solve = |outputs: Outputs<'_>| solve_bits(bits, coding, strict, engine, outputs);
    if u32::fits(len) { sides::<u32>(len, wanted, &solve) } else { sides::<u64>(len, wanted, &solve) }
}

/// An engine of the CPU, ready to be passed to [`solve_into`] or to a test suite.
///
/// # Errors
/// [`Error::NotOnDevice`] for [`Engine::Thesis`].
pub fn engine(engine: Engine) -> Result<Box<dyn AnsvEngine>> {
    Ok(match engine {
        Engine::Tiles => Box::new(tiles::Tiles),
        Engine::Naive => Box::new(naive::Naive),
        Engine::Stack => Box::new(stack::Stack),
        Engine::Bsz => Box::new(bsz::Bsz::default()),
        Engine::Berkman => Box::new(berkman::Berkman::default()),
        Engine::Merging => Box::new(merging::Merging::default()),
        Engine::Thesis(_) => {
            let reason = "its kernels are for GPUs; on the CPU 'berkman' is the same algorithm".to_owned();
            return Err(Error::NotOnDevice { problem: "ansv", engine: "thesis", reason });
        }
    })
}

/// The neighbours by bits, with the default engine.
pub(crate) fn solve_by_tiles<P: Position>(
    bits: Bits<'_>,
    coding: Coding,
    strict: bool,
    sides: Sides<'_, P>,
) -> Result<()> {
    solve_bits(bits, coding, strict, &tiles::Tiles, Outputs::of(sides))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Solves `array` for every combination of sides and compares with the oracle.
    fn agrees_with_naive<K: Key>(engine: &dyn AnsvEngine, array: &[K], what: &str) {
        for relation in Relation::ALL {
            let (mut left, mut right) = (vec![0u32; array.len()], vec![0u32; array.len()]);
            let sides = Sides { left: Some(&mut left[..]), right: Some(&mut right[..]) };
            solve_into(array, relation, &naive::Naive, sides).unwrap();
            for (with_left, with_right) in [(true, true), (true, false), (false, true)] {
                // Poison: an entry that is not written shows.
                let (mut l, mut r) = (vec![77_777u32; array.len()], vec![77_777u32; array.len()]);
                let sides = Sides { left: with_left.then_some(&mut l[..]), right: with_right.then_some(&mut r[..]) };
                solve_into(array, relation, engine, sides).unwrap();
                assert!(!with_left || l == left, "{what} {relation:?} {array:?}: left {l:?}, not {left:?}");
                assert!(!with_right || r == right, "{what} {relation:?} {array:?}: right {r:?}, not {right:?}");
            }
        }
    }

    /// Every engine that works on subsets, with subsets so small that a short array has many.
    fn tiny_subsets_agree_with_naive<K: Key>(array: &[K]) {
        for subset in [1, 2, 3, 4, 7].map(Subset) {
            agrees_with_naive(&bsz::Bsz { subset }, array, &format!("bsz, subsets of {}", subset.0));
            agrees_with_naive(&berkman::Berkman { subset }, array, &format!("berkman, subsets of {}", subset.0));
            agrees_with_naive(&merging::Merging { subset }, array, &format!("merging, subsets of {}", subset.0));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn few_values_in_tiny_subsets(array in prop::collection::vec(0u8..5, 0..40)) {
            tiny_subsets_agree_with_naive(&array);
        }

        #[test]
        fn many_values_in_tiny_subsets(array in prop::collection::vec(-30i64..30, 0..60)) {
            tiny_subsets_agree_with_naive(&array);
        }
    }
}
