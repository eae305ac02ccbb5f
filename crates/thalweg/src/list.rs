//! List ranking, on any device.
//!
//! Linked lists are given by the successor of every element. For every element: how far is it to the end of its list,
//! or what is the sum of the weights from it to the end? Euler tours of trees, and with them nearly everything about
//! trees, are list ranking; and it is the model of a problem that is bound by random access.
//!
//! [`rank`] and [`sums`] serve the common case on the CPU, [`Builder`] chooses direction, engine and device:
//!
//! | engine | idea | work | where |
//! |---|---|---|---|
//! | `helman_jaja` (default) | sublists from random splitters, several walked at once by every thread | O(n) | CPU, GPU |
//! | `sequential` | one walk per list; the default for short lists | O(n) | CPU |
//! | `pointer_jumping` | everybody's link jumps over its successor, again and again | O(n log n) | CPU, GPU |
//! | `independent_set` | elements chosen by coins are taken out until few are left, then put back | O(n) | CPU, GPU |
//!
//! The last element of a list points to nobody ([`Position::NONE`]) or to itself. Any number of lists may lie in one
//! array. What is no list is an error that names an element, the same on every device: a link out of the array, two
//! elements with the same successor, a cycle.

use thalweg_core::{Answer, Position, Result};
pub use thalweg_trees::list::{Direction, Engine, Options, Weight};

use crate::Device;
use crate::costs::Costs;
use crate::device::{Question, on_device, threads};
use crate::setters::setters;

/// What ranking `len` elements costs, with weights or without: random lists take some 30 ns an element, over the threads;
/// on an H200 7 from start to end, 0.1 of it in kernels.
pub fn costs(len: usize, weighted: bool, threads: usize) -> Costs {
    let (len, width) = (len as f64, if weighted { 8.0 } else { 0.0 });
    Costs {
        cpu: 30e-9 * len / threads as f64,
        bytes_up: (4.0 + width) * len,
        bytes_down: (4.0 + width) * len,
        device: 5e-9 * len,
    }
}

/// For every element the number of links to the end of its list, with the default engine on the CPU: 0 for the last one.
///
/// Work O(n), on all threads of the current rayon pool. Extra memory: 8 bytes an element.
///
/// ```
/// // 2 -> 0 -> 3 is a list, 1 is another.
/// let ranks = thalweg::list::rank(&[3u32, 1, 0, 3])?;
/// assert_eq!(ranks, [1, 0, 2, 0]);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn rank<P: Position>(next: &[P]) -> Result<Vec<P>> {
    thalweg_trees::list::rank(next, &Options::default())
}

/// For every element the sum of its weight and those of all elements after it in its list, with the default engine on the
/// CPU.
///
/// Work O(n), on all threads of the current rayon pool. Extra memory: 16 bytes an element, 8 more for every further
/// weight, filled up to a power of two.
///
/// ```
/// use thalweg::list;
/// let next = [3u32, 1, 0, 3];
/// assert_eq!(list::sums(&next, &[10i32, 20, 30, 40])?, [50, 20, 80, 40]);
/// // Two weights in one walk.
/// assert_eq!(list::sums(&next, &[[1u32, 10], [1, 20], [1, 30], [1, 40]])?, [[2, 50], [1, 20], [3, 80], [1, 40]]);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn sums<P: Position, W: Weight>(next: &[P], weights: &[W]) -> Result<Vec<W::Sum>> {
    thalweg_trees::list::sums(next, weights, &Options::default())
}

/// List ranking with a choice of direction, engine and device.
///
/// ```
/// use thalweg::list::{Builder, Direction, Engine};
/// let from_head = Builder::new().direction(Direction::FromHead).engine(Engine::PointerJumping);
/// assert_eq!(*from_head.rank(&[3u32, 1, 0, 3])?, [1, 0, 0, 2]);
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Builder {
    options: Options,
    device: Device,
}

impl Builder {
    /// To the end, default engine, [`Device::Auto`].
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Chooses the direction.
        direction in options: Direction,
        /// Chooses the engine; `None` leaves the choice to the library.
        engine in options: Option<Engine>,
        /// Chooses the device.
        device: Device,
    }

    /// Seed of the engines that choose at random. Results do not depend on it, only the time they take.
    pub fn seed(mut self, seed: u64) -> Self {
        self.options.seed = seed;
        self
    }

    /// The choices but for the device.
    pub fn options(&self) -> &Options {
        &self.options
    }

    fn question(&self, len: usize, weighted: bool) -> Question {
        let engine = self.options.chosen(len);
        Question {
            engine: engine.name(),
            gpu_engine: self.options.engine.unwrap_or(Engine::HelmanJaja).name(),
            asked: self.options.engine.is_some(),
            on_cpu: true,
            // Without a wish a device takes its own default.
            on_gpu: self.options.engine != Some(Engine::Sequential),
            costs: costs(len, weighted, threads()),
        }
    }

    /// For every element the number of links to the end of its list, or from its head.
    ///
    /// ```
    /// use thalweg::{Error, list::Builder};
    /// assert_eq!(*Builder::new().rank(&[1u32, 2, 2])?, [2, 1, 0]);
    /// let cycle = Builder::new().rank(&[0u32, 2, 1]).unwrap_err();
    /// assert_eq!(cycle, Error::Cycle { what: "element", element: 1 });
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn rank<P: Position>(&self, next: &[P]) -> Result<Answer<Vec<P>>> {
        on_device!(
            self.device,
            self.question(next.len(), false),
            |gpu| {
                let next = crate::numbers::upload(gpu, next)?;
                crate::numbers::computed(next.len(), || thalweg_gpu::list::rank(&next, &self.options))
            },
            || thalweg_trees::list::rank(next, &self.options)
        )
    }

    /// For every element the sum of its weight and those after it, or before it, in its list.
    pub fn sums<P: Position, W: Weight>(&self, next: &[P], weights: &[W]) -> Result<Answer<Vec<W::Sum>>> {
        on_device!(
            self.device,
            self.question(next.len(), true),
            |gpu| {
                let next = crate::numbers::upload(gpu, next)?;
                thalweg_gpu::list::sums_of_slice(&next, weights, &self.options)
            },
            || thalweg_trees::list::sums(next, weights, &self.options)
        )
    }
}
