//! List ranking.
//!
//! Linked lists are given by the successor of every element. For every element: how far is it to the end of its list,
//! or what is the sum of the weights from it to the end? Euler tours of trees, and with them nearly everything about
//! trees, are list ranking; and it is the model of a problem that is bound by random access.
//!
//! [`rank`] and [`sums`] serve the common case, [`Builder`] chooses direction and engine:
//!
//! | engine | idea | work | span | source |
//! |---|---|---|---|---|
//! | `helman_jaja` (default) | sublists from random splitters, several walked at once by every thread | O(n) | O(n/s + log n) | Helman, JáJá 1999 |
//! | `sequential` | one walk per list | O(n) | O(n) | folklore; the default for short lists |
//! | `pointer_jumping` | everybody's link jumps over its successor, again and again | O(n log n) | O(log n) | Wyllie 1979 |
//! | `independent_set` | elements chosen by coins are taken out until few are left, then put back | O(n) | O(log² n) | Anderson, Miller 1988; JáJá 1992 |
//!
//! The last element of a list points to nobody ([`Position::NONE`]) or to itself. Any number of lists may lie in one
//! array. What is no list is an error that names an element: a link out of the array, two elements with the same
//! successor, a cycle.

mod helman_jaja;
mod independent_set;
pub(crate) mod links;
mod pointer_jumping;
mod sequential;

use thalweg_core::engine_names;
use thalweg_core::error::expect_len;
use thalweg_core::{Error, Position, Result};

engine_names! {
    /// The list ranking engines of this crate. See the [module's table](self).
    "list": Engine {
        /// Sublists from random splitters, several walked at once. The default.
        HelmanJaja = "helman_jaja",
        /// One walk per list.
        Sequential = "sequential",
        /// Links that jump over their successors.
        PointerJumping = "pointer_jumping",
        /// Contraction by coins.
        IndependentSet = "independent_set",
    }
}

/// Which part of its list an element's rank covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the element to the end.
    #[default]
    ToEnd,
    /// From the head to the element.
    FromHead,
}

/// A weight: `i32`, `i64`, `u32`, or an array of such, whose entries are summed separately in the same walk.
///
/// Sums of 32-bit weights are exact in 64 bits. Sums of `i64` wrap around, so a sum that fits is right even where the
/// sums on the way to it do not.
///
/// Sealed: engines sum plain 64-bit words.
pub trait Weight: Copy + Send + Sync + sealed::Sealed + 'static {
    /// The type of the sums: `i64` for `i32` and `i64`, `u64` for `u32`, arrays of those for arrays.
    type Sum: Copy + Default + Send + Sync + PartialEq + std::fmt::Debug + 'static;
    /// The weight as the engines see it.
    #[doc(hidden)]
    type Words: Words;
    /// To it.
    #[doc(hidden)]
    fn to_words(self) -> Self::Words;
    /// From a sum of such.
    #[doc(hidden)]
    fn from_words(words: Self::Words) -> Self::Sum;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for i32 {}
    impl Sealed for i64 {}
    impl Sealed for u32 {}
    impl<W: Sealed, const C: usize> Sealed for [W; C] {}
    impl<const C: usize> Sealed for super::Entry<C> {}
}

macro_rules! weight {
    ($($t:ty => $sum:ty;)*) => {$(
        impl Weight for $t {
            type Sum = $sum;
            type Words = Entry<1>;
            #[inline(always)]
            fn to_words(self) -> Entry<1> {
                Entry([self as u64])
            }
            #[inline(always)]
            fn from_words(words: Entry<1>) -> $sum {
                words.0[0] as $sum
            }
        }

        impl<const C: usize> Weight for [$t; C] where [$sum; C]: Default {
            type Sum = [$sum; C];
            type Words = Entry<C>;
            #[inline(always)]
            fn to_words(self) -> Entry<C> {
                Entry(self.map(|weight| weight as u64))
            }
            #[inline(always)]
            fn from_words(words: Entry<C>) -> [$sum; C] {
                words.0.map(|word| word as $sum)
            }
        }
    )*};
}
weight! {
    i32 => i64;
    i64 => i64;
    u32 => u64;
}

/// Sums of weights as 64-bit words, which wrap around: two's complement serves both signs.
#[doc(hidden)]
pub trait Words: Copy + Send + Sync + sealed::Sealed + 'static {
    /// How many words.
    const COUNT: usize;
    /// No weight.
    const ZERO: Self;
    /// Word by word.
    fn plus(self, other: Self) -> Self;
    /// Word by word.
    fn minus(self, other: Self) -> Self;
    /// Made of words.
    fn from_fn(word: impl FnMut(usize) -> u64) -> Self;
    /// One of the words.
    fn word(self, index: usize) -> u64;
}

/// An array of words.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Entry<const C: usize>([u64; C]);

impl<const C: usize> Words for Entry<C> {
    const COUNT: usize = C;
    const ZERO: Self = Self([0; C]);
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self(std::array::from_fn(|c| self.0[c].wrapping_add(other.0[c])))
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        Self(std::array::from_fn(|c| self.0[c].wrapping_sub(other.0[c])))
    }
    #[inline(always)]
    fn from_fn(word: impl FnMut(usize) -> u64) -> Self {
        Self(std::array::from_fn(word))
    }
    #[inline(always)]
    fn word(self, index: usize) -> u64 {
        self.0[index]
    }
}

/// What is summed along the lists. Sums include the element itself.
trait Load: Sync {
    type Words: Words;
    type Out: Copy + Default + Send + Sync;
    /// Whether every element weighs 1, so that sums are small.
    const ONES: bool = false;
    fn of(&self, element: usize) -> Self::Words;
    fn out(sum: Self::Words) -> Self::Out;
}

/// One for every element; of links there is one fewer than of elements.
struct Ones<P>(std::marker::PhantomData<P>);

impl<P: Position> Load for Ones<P> {
    type Words = Entry<1>;
    type Out = P;
    const ONES: bool = true;
    #[inline(always)]
    fn of(&self, _: usize) -> Entry<1> {
        Entry([1])
    }
    #[inline(always)]
    fn out(sum: Entry<1>) -> P {
        P::new(sum.0[0] as usize - 1)
    }
}

struct Weights<'w, W>(&'w [W]);

impl<W: Weight> Load for Weights<'_, W> {
    type Words = W::Words;
    type Out = W::Sum;
    #[inline(always)]
    fn of(&self, element: usize) -> W::Words {
        self.0[element].to_words()
    }
    #[inline(always)]
    fn out(sum: W::Words) -> W::Sum {
        W::from_words(sum)
    }
}

/// For every element the number of links to the end of its list, with the default engine: 0 for the last one.
///
/// Work O(n), on all threads of the current rayon pool. Extra memory: 8 bytes an element.
///
/// ```
/// # use thalweg_trees as thalweg;
/// // 2 -> 0 -> 3 is a list, 1 is another.
/// let ranks = thalweg::list::rank(&[3u32, 1, 0, 3])?;
/// assert_eq!(ranks, [1, 0, 2, 0]);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn rank<P: Position>(next: &[P]) -> Result<Vec<P>> {
    Builder::new().rank(next)
}

/// For every element the sum of its weight and those of all elements after it in its list, with the default engine.
///
/// Work O(n), on all threads of the current rayon pool. Extra memory: 16 bytes an element, 8 more for every further
/// weight, filled up to a power of two.
///
/// ```
/// # use thalweg_trees as thalweg;
/// use thalweg::list;
/// let next = [3u32, 1, 0, 3];
/// assert_eq!(list::sums(&next, &[10i32, 20, 30, 40])?, [50, 20, 80, 40]);
/// // Two weights in one walk.
/// assert_eq!(list::sums(&next, &[[1u32, 10], [1, 20], [1, 30], [1, 40]])?, [[2, 50], [1, 20], [3, 80], [1, 40]]);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn sums<P: Position, W: Weight>(next: &[P], weights: &[W]) -> Result<Vec<W::Sum>> {
    Builder::new().sums(next, weights)
}

/// List ranking with a choice of direction and engine.
///
/// ```
/// # use thalweg_trees as thalweg;
/// use thalweg::list::{Builder, Direction, Engine};
/// let from_head = Builder::new().direction(Direction::FromHead).engine(Engine::PointerJumping);
/// assert_eq!(from_head.rank(&[3u32, 1, 0, 3])?, [1, 0, 0, 2]);
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Builder {
    direction: Direction,
    engine: Option<Engine>,
    seed: u64,
}

/// Lists shorter than this are walked one after the other: their links fit the first caches. Not measured.
const SHORT: usize = 1 << 14;

impl Builder {
    /// To the end, default engine.
    pub fn new() -> Self {
        Self::default()
    }

    /// Chooses the direction.
    pub fn direction(mut self, direction: Direction) -> Self {
        self.direction = direction;
        self
    }

    /// Chooses the engine; `None` leaves the choice to the library.
    pub fn engine(mut self, engine: impl Into<Option<Engine>>) -> Self {
        self.engine = engine.into();
        self
    }

    /// Seed of the engines that choose at random. Results do not depend on it, only the time they take.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The engine that would run on `len` elements.
    pub fn chosen(&self, len: usize) -> Engine {
        self.engine.unwrap_or(if len < SHORT { Engine::Sequential } else { Engine::HelmanJaja })
    }

    /// Bytes of scratch memory that ranking `len` elements takes, without weights or with one an element, ranks not
    /// counted.
    pub fn extra_bytes<P: Position>(&self, len: usize, weighted: bool) -> usize {
        let turned = if self.direction == Direction::FromHead { size_of::<P>() } else { 0 };
        let cell = 8 + size_of::<P>().next_multiple_of(8);
        len.saturating_mul(match self.chosen(len) {
            Engine::HelmanJaja if weighted => 16,
            Engine::HelmanJaja => 8,
            Engine::Sequential => size_of::<P>(),
            Engine::PointerJumping => 2 * cell + turned,
            Engine::IndependentSet => cell + 3 * size_of::<P>() + turned,
        })
    }

    /// For every element the number of links to the end of its list, or from its head.
    ///
    /// ```
    /// # use thalweg_trees as thalweg;
    /// use thalweg::{Error, list::Builder};
    /// assert_eq!(Builder::new().rank(&[1u32, 2, 2])?, [2, 1, 0]);
    /// let cycle = Builder::new().rank(&[0u32, 2, 1]);
    /// assert_eq!(cycle, Err(Error::Cycle { what: "element", element: 1 }));
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn rank<P: Position>(&self, next: &[P]) -> Result<Vec<P>> {
        self.run(next, &Ones(std::marker::PhantomData))
    }

    /// For every element the sum of its weight and those after it, or before it, in its list.
    pub fn sums<P: Position, W: Weight>(&self, next: &[P], weights: &[W]) -> Result<Vec<W::Sum>> {
        expect_len("weights", weights.len(), next.len())?;
        self.run(next, &Weights(weights))
    }

    fn run<P: Position, L: Load>(&self, next: &[P], load: &L) -> Result<Vec<L::Out>> {
        let len = next.len();
        if !P::fits(len) {
            return Err(Error::Width { len, got: P::NAME });
        }
        match self.chosen(len) {
            Engine::Sequential => sequential::rank(next, load, self.direction),
            Engine::HelmanJaja => helman_jaja::rank(next, load, self.direction, self.seed),
            Engine::PointerJumping => pointer_jumping::rank(next, load, self.direction),
            Engine::IndependentSet => independent_set::rank(next, load, self.direction, self.seed),
        }
    }
}

/// A random number for every place of a sequence: SplitMix64.
fn mix(seed: u64, place: u64) -> u64 {
    let mut z = seed.wrapping_add(place.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
