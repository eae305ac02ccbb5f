//! All nearest smaller values (ANSV), on any device.
//!
//! For every element: the nearest element to its left, and to its right, that is smaller. Suffix trees, Lempel-Ziv
//! factorisations, Cartesian trees and histograms' largest rectangles are built from it.
//!
//! [`ansv()`](fn@ansv), [`left`] and [`right`] serve the common case on the CPU, [`Builder`] chooses relation, engine and
//! device:
//!
//! | engine | idea | work | where |
//! |---|---|---|---|
//! | `tiles` (default) | vector windows, a stack per tile, tile pairs | O(n) | CPU, GPU |
//! | `stack` | one pass with a stack, sequential | O(n) | CPU |
//! | `berkman` | merging of subsets' prefix and suffix minima | O(n) | CPU |
//! | `merging` | the same, duplicates in one run | O(n) | CPU |
//! | `bsz` | a search tree of minima, started at the last match | O(n) | CPU |
//! | `thesis` | minima of subsets, recursion, merging of subsets, one run a side | O(n) | GPU |
//! | `naive` | looks left and right until it finds one | O(n²) | CPU |

use std::cell::RefCell;

pub use thalweg_arrays::ansv::in_parts;
use thalweg_arrays::ansv::solve_bits;
pub use thalweg_arrays::ansv::{
    Ansv, AnsvEngine, Engine, Outputs, Relation, Sides, ThesisOptions, ansv, engine, left, right,
};
use thalweg_core::bits::Bits;
use thalweg_core::memory::filled;
use thalweg_core::{Answer, Coding, Key, Position, Positions, Result};

use crate::Device;
use crate::costs::Costs;
use crate::device::{Question, on_device, threads};
use crate::setters::setters;

/// What both sides of `len` keys of `width` bytes cost: on the CPU 7 ns an element, over the threads.
pub fn costs(len: usize, width: usize, threads: usize) -> Costs {
    let len = len as f64;
    Costs { cpu: 7e-9 * len / threads as f64, bytes_up: len * width.max(4) as f64, bytes_down: 8.0 * len, device: 0.0 }
}

/// ANSV with a choice of relation, engine and device.
///
/// ```
/// use thalweg::ansv::{Builder, Engine, Relation};
/// let taller = Builder::new().relation(Relation::Greater).engine(Engine::Stack).run(&[1.5, 0.5, 2.5])?;
/// assert_eq!(taller.right.at(0), Some(2));
/// assert_eq!(taller.chosen().engine(), "stack");
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Builder {
    relation: Relation,
    engine: Option<Engine>,
    device: Device,
}

impl Builder {
    /// Strictly smaller, default engine, [`Device::Auto`].
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Chooses the relation.
        relation: Relation,
        /// Chooses the engine; `None` leaves the choice to the library.
        engine: Option<Engine>,
        /// Chooses the device.
        device: Device,
    }

    /// The engine that would run.
    pub fn chosen_engine(&self) -> Engine {
        self.engine.unwrap_or(Engine::Tiles)
    }

    /// Both sides.
    pub fn run<K: Key>(&self, array: &[K]) -> Result<Answer<Ansv>> {
        Ok(self.allocate(array, true, true)?.map(|(left, right)| Ansv { left, right }))
    }

    /// The left side only.
    pub fn left<K: Key>(&self, array: &[K]) -> Result<Answer<Positions>> {
        Ok(self.allocate(array, true, false)?.map(|(left, _)| left))
    }

    /// The right side only.
    pub fn right<K: Key>(&self, array: &[K]) -> Result<Answer<Positions>> {
        Ok(self.allocate(array, false, true)?.map(|(_, right)| right))
    }

    /// Into the caller's buffers, of the array's length. A side that is `None` is not computed.
    ///
    /// ```
    /// use thalweg::ansv::{Builder, Sides};
    /// let mut left = [0u32; 3];
    /// Builder::new().run_into(&[1, 3, 2], Sides { left: Some(&mut left), right: None })?;
    /// assert_eq!(left, [u32::MAX, 0, 0]);
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn run_into<K: Key, P: Position>(&self, array: &[K], sides: Sides<'_, P>) -> Result<Answer<()>> {
        self.run_bits(Bits::of(array), Coding::of::<K>(self.relation.order()), sides)
    }

    /// [`run_into`](Self::run_into) without a type: of the bits of an array, of keys that the coding tells the order of. For
    /// those who learn the type at run time.
    pub fn run_bits<P: Position>(&self, array: Bits<'_>, coding: Coding, sides: Sides<'_, P>) -> Result<Answer<()>> {
        let chosen = self.chosen_engine();
        let question = Question {
            engine: chosen.name(),
            gpu_engine: chosen.name(),
            asked: self.engine.is_some(),
            on_cpu: !matches!(chosen, Engine::Thesis(_)),
            on_gpu: matches!(chosen, Engine::Tiles | Engine::Thesis(_)),
            costs: costs(array.len(), coding.bytes(), threads()),
        };
        // A device that fails leaves the buffers to the CPU.
        let sides = RefCell::new(sides);
        let solve = |engine: &dyn AnsvEngine| {
            let Sides { left, right } = &mut *sides.borrow_mut();
            let sides = Sides { left: left.as_deref_mut(), right: right.as_deref_mut() };
            solve_bits(array, coding, self.relation.is_strict(), engine, Outputs::of(sides))
        };
        on_device!(self.device, question, |gpu| solve(&*thalweg_gpu::ansv::engine(gpu, chosen)?), || solve(&*engine(
            chosen
        )?))
    }

    /// Of an array on a GPU: the answers stay there.
    #[cfg(feature = "gpu")]
    pub fn run_on_device<K: Key>(&self, array: &thalweg_gpu::DeviceArray<K>) -> Result<thalweg_gpu::ansv::DeviceAnsv> {
        thalweg_gpu::ansv::solve(array, self.relation, self.chosen_engine())
    }

    fn allocate<K: Key>(&self, array: &[K], left: bool, right: bool) -> Result<Answer<(Positions, Positions)>> {
        if u32::fits(array.len()) {
            self.allocate_as::<K, u32>(array, left, right)
        } else {
            self.allocate_as::<K, u64>(array, left, right)
        }
    }

    fn allocate_as<K: Key, P: Position>(
        &self,
        array: &[K],
        left: bool,
        right: bool,
    ) -> Result<Answer<(Positions, Positions)>> {
        let side = |wanted, what| filled(if wanted { array.len() } else { 0 }, P::default(), what);
        let (mut l, mut r) = (side(left, "left neighbours")?, side(right, "right neighbours")?);
        let done = self.run_into(array, Sides { left: left.then_some(&mut l), right: right.then_some(&mut r) })?;
        Ok(done.map(|()| (P::list(l), P::list(r))))
    }
}
