//! All nearest smaller values (ANSV).
//!
//! For every element: the nearest element to its left, and to its right, that is smaller. Suffix trees, Lempel-Ziv
//! factorisations, Cartesian trees and histograms' largest rectangles are built from it.
//!
//! [`ansv()`](fn@ansv), [`left`] and [`right`] serve the common case, [`Builder`] chooses relation and engine:
//!
//! | engine | idea | work | span | source |
//! |---|---|---|---|---|
//! | `tiles` (default) | vector windows, a stack per tile, tile pairs | O(n) | O(tile · log n) | this project |
//! | `stack` | one pass with a stack, sequential | O(n) | O(n) | folklore |
//! | `berkman` | merging of subsets' prefix and suffix minima | O(n) | O(log n) | Berkman, Schieber, Vishkin 1993 |
//! | `merging` | the same, duplicates in one run | O(n) | O(log n) | Ryssel 2025 |
//! | `bsz` | a search tree of minima, started at the last match | O(n) | O(log² n) | Shun, Zhao 2013 |
//! | `naive` | looks left and right until it finds one | O(n²) | O(n) | the oracle |

mod berkman;
mod bsz;
mod merging;
pub mod min_tree;
mod naive;
mod outline;
mod shared_sides;
mod stack;
mod tiles;

use thalweg_core::bits;
use thalweg_core::coding::Ranking;
use thalweg_core::engine_names;
use thalweg_core::error::{expect_len, try_filled};
use thalweg_core::{Error, Key, Order, Position, Positions, PositionsMut, Rank, Result};

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
#[derive(Clone, Copy)]
struct Subset(usize);

impl Default for Subset {
    /// Large enough that the searches between subsets cost little, small enough that a subset with its answers stays in
    /// the second-level cache (4,096 elements of 4 bytes with two answers of 4 bytes are 48 KiB) and that 2^20 elements
    /// still feed 256 threads.
    fn default() -> Self {
        Self(1 << 12)
    }
}

engine_names! {
    /// The ANSV engines of this crate. See the [module's table](self).
    "ansv": Engine {
        /// Vector windows, a stack per tile, tile pairs. The default.
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

impl<'o> Outputs<'o> {
    /// Buffers of one width for the engine.
    fn of<P: Position>(sides: Sides<'o, P>) -> Self {
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

/// What every ANSV engine provides, on whatever device.
///
/// The front door has checked before calling: buffers have the array's length and their width fits its positions.
/// An engine must fill every entry of the sides asked for, exactly, for duplicates too, or return an error.
pub trait AnsvEngine<K: Key>: Send + Sync {
    /// The engine's name.
    fn name(&self) -> &'static str;
    /// Bytes of scratch memory needed for an array of `len` elements, in the worst case, outputs not counted.
    fn extra_bytes(&self, len: usize) -> usize;
    /// Solves the problem.
    fn solve(&self, array: &[K], relation: Relation, outputs: Outputs<'_>) -> Result<()>;
}

/// An engine written in terms of slices of bits (see [`thalweg_core::coding`]), generic over both types.
trait CpuEngine: Send + Sync {
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

impl<K: Key, E: CpuEngine> AnsvEngine<K> for E {
    fn name(&self) -> &'static str {
        E::NAME
    }

    fn extra_bytes(&self, len: usize) -> usize {
        CpuEngine::extra_bytes::<K::Rank>(self, len)
    }

    fn solve(&self, array: &[K], relation: Relation, outputs: Outputs<'_>) -> Result<()> {
        let (array, order) = (bits::words(array), Ranking::of::<K>(relation.order()));
        match outputs {
            Outputs::U32(sides) => CpuEngine::solve(self, array, order, relation.is_strict(), sides),
            Outputs::U64(sides) => CpuEngine::solve(self, array, order, relation.is_strict(), sides),
        }
    }
}

/// All nearest smaller values of `array`, on both sides, strictly smaller, with the default engine.
///
/// Work O(n), on all threads of the current rayon pool.
///
/// ```
/// # use thalweg_arrays as thalweg;
/// let ansv = thalweg::ansv(&[4, 2, 6, 2, 8])?;
/// assert_eq!(ansv.left.iter().collect::<Vec<_>>(), [None, None, Some(1), None, Some(3)]);
/// assert_eq!(ansv.right.iter().collect::<Vec<_>>(), [Some(1), None, Some(3), None, None]);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn ansv<K: Key>(array: &[K]) -> Result<Ansv> {
    Builder::new().run(array)
}

/// Only the nearest smaller values to the left. See [`ansv()`](fn@ansv).
///
/// ```
/// # use thalweg_arrays as thalweg;
/// let left = thalweg::ansv::left(&[4, 2, 6])?;
/// assert_eq!(left.at(2), Some(1));
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn left<K: Key>(array: &[K]) -> Result<Positions> {
    Builder::new().left(array)
}

/// Only the nearest smaller values to the right. See [`ansv()`](fn@ansv).
///
/// ```
/// # use thalweg_arrays as thalweg;
/// let right = thalweg::ansv::right(&[4, 2, 6])?;
/// assert_eq!(right.at(0), Some(1));
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn right<K: Key>(array: &[K]) -> Result<Positions> {
    Builder::new().right(array)
}

/// ANSV with a choice of relation and engine.
///
/// ```
/// # use thalweg_arrays as thalweg;
/// use thalweg::ansv::{Builder, Engine, Relation};
/// let taller = Builder::new().relation(Relation::Greater).engine(Engine::Stack).run(&[1.5, 0.5, 2.5])?;
/// assert_eq!(taller.right.at(0), Some(2));
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Builder {
    relation: Relation,
    engine: Option<Engine>,
}

impl Builder {
    /// Strictly smaller, default engine.
    pub fn new() -> Self {
        Self::default()
    }

    /// Chooses the relation.
    pub fn relation(mut self, relation: Relation) -> Self {
        self.relation = relation;
        self
    }

    /// Chooses the engine; `None` leaves the choice to the library.
    pub fn engine(mut self, engine: impl Into<Option<Engine>>) -> Self {
        self.engine = engine.into();
        self
    }

    /// The engine that would run on an array of `len` elements.
    pub fn chosen(&self, _len: usize) -> Engine {
        self.engine.unwrap_or(Engine::Tiles)
    }

    /// Both sides.
    pub fn run<K: Key>(&self, array: &[K]) -> Result<Ansv> {
        let (left, right) = self.allocate(array, true, true)?;
        Ok(Ansv { left, right })
    }

    /// The left side only.
    pub fn left<K: Key>(&self, array: &[K]) -> Result<Positions> {
        Ok(self.allocate(array, true, false)?.0)
    }

    /// The right side only.
    pub fn right<K: Key>(&self, array: &[K]) -> Result<Positions> {
        Ok(self.allocate(array, false, true)?.1)
    }

    /// Into the caller's buffers, of the array's length. A side that is `None` is not computed.
    ///
    /// ```
    /// # use thalweg_arrays as thalweg;
    /// use thalweg::ansv::{Builder, Sides};
    /// let mut left = [0u32; 3];
    /// Builder::new().run_into(&[1, 3, 2], Sides { left: Some(&mut left), right: None })?;
    /// assert_eq!(left, [u32::MAX, 0, 0]);
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn run_into<K: Key, P: Position>(&self, array: &[K], sides: Sides<'_, P>) -> Result<()> {
        self.run_on(&*engine::<K>(self.chosen(array.len())), array, sides)
    }

    /// Like [`Builder::run_into`], on an engine of the caller's, such as one that runs on another device.
    pub fn run_on<K: Key, P: Position>(
        &self,
        engine: &dyn AnsvEngine<K>,
        array: &[K],
        sides: Sides<'_, P>,
    ) -> Result<()> {
        let len = array.len();
        if !P::fits(len) {
            return Err(Error::Width { len, got: P::NAME });
        }
        for (what, side) in [("left output", &sides.left), ("right output", &sides.right)] {
            expect_len(what, side.as_ref().map_or(len, |s| s.len()), len)?;
        }
        engine.solve(array, self.relation, Outputs::of(sides))
    }

    fn allocate<K: Key>(&self, array: &[K], left: bool, right: bool) -> Result<(Positions, Positions)> {
        if u32::fits(array.len()) {
            let (l, r) = self.allocate_as::<K, u32>(array, left, right)?;
            Ok((Positions::U32(l), Positions::U32(r)))
        } else {
            let (l, r) = self.allocate_as::<K, u64>(array, left, right)?;
            Ok((Positions::U64(l), Positions::U64(r)))
        }
    }

    fn allocate_as<K: Key, P: Position>(&self, array: &[K], left: bool, right: bool) -> Result<(Vec<P>, Vec<P>)> {
        let side = |wanted, what| try_filled(if wanted { array.len() } else { 0 }, P::default(), what);
        let (mut l, mut r) = (side(left, "left neighbours")?, side(right, "right neighbours")?);
        self.run_into(array, Sides { left: left.then_some(&mut l), right: right.then_some(&mut r) })?;
        Ok((l, r))
    }
}

/// The engine by its name, ready to be passed to [`Builder::run_on`] or to a test suite.
pub fn engine<K: Key>(engine: Engine) -> Box<dyn AnsvEngine<K>> {
    build_engine(engine)
}

pub(crate) fn build_engine<K: Key>(engine: Engine) -> Box<dyn AnsvEngine<K>> {
    match engine {
        Engine::Tiles => Box::new(tiles::Tiles),
        Engine::Naive => Box::new(naive::Naive),
        Engine::Stack => Box::new(stack::Stack),
        Engine::Bsz => Box::new(bsz::Bsz::default()),
        Engine::Berkman => Box::new(berkman::Berkman::default()),
        Engine::Merging => Box::new(merging::Merging::default()),
    }
}

/// The nearest neighbours by bits, with the default engine: those whose rank by `order` is smaller; not larger, unless
/// `strict`. For engines of other problems, which do not see key types either.
pub fn solve_bits<R: Rank, P: Position>(
    array: &[R],
    order: Ranking<R>,
    strict: bool,
    sides: Sides<'_, P>,
) -> Result<()> {
    CpuEngine::solve(&tiles::Tiles, array, order, strict, sides)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Solves `array` for every combination of sides and compares with the oracle.
    fn agrees_with_naive<K: Key>(engine: &impl CpuEngine, array: &[K], what: &str) {
        for relation in Relation::ALL {
            let (mut left, mut right) = (vec![0u32; array.len()], vec![0u32; array.len()]);
            let sides = Sides { left: Some(&mut left[..]), right: Some(&mut right[..]) };
            AnsvEngine::solve(&naive::Naive, array, relation, Outputs::U32(sides)).unwrap();
            for (with_left, with_right) in [(true, true), (true, false), (false, true)] {
                // Poison: an entry that is not written shows.
                let (mut l, mut r) = (vec![77_777u32; array.len()], vec![77_777u32; array.len()]);
                let sides = Sides { left: with_left.then_some(&mut l[..]), right: with_right.then_some(&mut r[..]) };
                AnsvEngine::solve(engine, array, relation, Outputs::U32(sides)).unwrap();
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
