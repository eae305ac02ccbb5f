//! What can be chosen: direction, engine, seed.

use thalweg_core::{Position, engine_names};

engine_names! {
    /// The list ranking engines. See the [module's table](super).
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

impl Engine {
    /// Whether GPUs have it, too.
    pub const fn is_on_gpu(self) -> bool {
        matches!(self, Self::HelmanJaja | Self::PointerJumping | Self::IndependentSet)
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

/// How lists are ranked, on whatever device.
///
/// ```
/// # use thalweg_trees as thalweg;
/// use thalweg::list::{self, Direction, Engine, Options};
/// let from_head = Options { direction: Direction::FromHead, engine: Some(Engine::PointerJumping), ..Options::default() };
/// assert_eq!(list::rank(&[3u32, 1, 0, 3], &from_head)?, [1, 0, 0, 2]);
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// Which part of its list an element's rank covers: from the element to the end, unless said otherwise.
    pub direction: Direction,
    /// The engine; `None` leaves the choice to the library.
    pub engine: Option<Engine>,
    /// Seed of the engines that choose at random. Results do not depend on it, only the time they take.
    pub seed: u64,
}

/// Lists shorter than this are walked one after the other: their links fit the first caches. Not measured.
const SHORT: usize = 1 << 14;

/// Numbers that are summed in one walk at most.
pub(super) const WALK: usize = 3;

impl Options {
    /// The engine that runs on `len` elements, on the CPU.
    pub fn chosen(&self, len: usize) -> Engine {
        self.engine.unwrap_or(if len < SHORT { Engine::Sequential } else { Engine::HelmanJaja })
    }

    /// Bytes of scratch memory that ranking `len` elements takes on the CPU, ranks or sums not counted. `numbers` is 0
    /// for ranks, and for sums [`Weight::COUNT`](super::Weight::COUNT).
    pub fn extra_bytes<P: Position>(&self, len: usize, numbers: usize) -> usize {
        let turned = if self.direction == Direction::FromHead { size_of::<P>() } else { 0 };
        let words = numbers.min(WALK);
        let cell = size_of::<P>().next_multiple_of(8) + 8 * words.max(1);
        len.saturating_mul(match self.chosen(len) {
            Engine::HelmanJaja => 8 * (1 + words).next_power_of_two(),
            Engine::Sequential => size_of::<P>(),
            Engine::PointerJumping => 2 * cell + turned,
            Engine::IndependentSet => cell + 3 * size_of::<P>() + turned,
        })
    }
}
