//! Sudoku, for batches of puzzles, on any device: how many solutions each has, up to a limit, and one of them.
//!
//! A puzzle is a [`Grid`], 81 digits row by row with 0 for a blank. The count is the smaller of the number of solutions and
//! the limit; contradictory clues are a puzzle with no solutions. The solution is the smallest, row by row, of all there are;
//! 81 zeros if there is none. [`solve`] serves the common case on the CPU, [`Builder`] chooses limit, engine and device:
//!
//! | engine | idea | where |
//! |---|---|---|
//! | `bands` (default) | sixteen puzzles a vector; singles and locked candidates by operations on 27 words, a search over forks; on a GPU a puzzle a thread | CPU, GPU |
//! | `exact_cover` | dancing links | CPU |
//!
//! [`text`] reads puzzles from lines, [`generate()`](fn@generate) makes some with one solution, [`examples`] has a few that
//! are known.

use std::cell::RefCell;

use thalweg_core::memory::zeroed;
use thalweg_core::{Answer, Result};
use thalweg_puzzle::sudoku::solve_into;
pub use thalweg_puzzle::sudoku::{
    Engine, Grid, Options, Solved, count, draw, examples, generate, is_solution, solve, solve_with, text,
};

use crate::Device;
use crate::costs::Costs;
use crate::device::{Question, on_device, threads};
use crate::setters::setters;

/// What `len` puzzles with 17 clues cost: on the CPU 0.4 µs each, over the threads; on an H200 5 ns each beside the copies. (Hard
/// ones take four times as long on either, the hardest forty times; that is not known beforehand.)
pub fn costs(len: usize, threads: usize) -> Costs {
    let len = len as f64;
    Costs { cpu: 4e-7 * len / threads as f64, bytes_up: 81.0 * len, bytes_down: 85.0 * len, device: 5e-9 * len }
}

/// Solves puzzles with a choice of limit, engine and device.
///
/// ```
/// use thalweg::puzzle::sudoku::{Builder, Engine, examples::EXAMPLES};
/// let puzzles = EXAMPLES.map(|example| example.puzzle);
/// let solved = Builder::new().engine(Engine::Bands).solve(&puzzles)?;
/// assert_eq!(solved.counts, [1; 8]);
/// assert_eq!(solved.chosen().engine(), "bands");
/// // Without its first clue, this one has half a million solutions.
/// let mut puzzle = puzzles[1];
/// puzzle[7] = 0;
/// assert_eq!(*Builder::new().limit(u32::MAX).count(&[puzzle])?, [507_806]);
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Builder {
    options: Options,
    device: Device,
}

impl Builder {
    /// Solutions are counted up to 2, default engine, [`Device::Auto`].
    pub fn new() -> Self {
        Self::default()
    }

    /// How far solutions are counted; not 0.
    pub fn limit(mut self, limit: u32) -> Self {
        self.options.limit = limit;
        self
    }

    setters! {
        /// Chooses the engine; `None` leaves the choice to the library.
        engine in options: Option<Engine>,
        /// Chooses the device.
        device: Device,
    }

    /// The engine that would run.
    pub fn chosen_engine(&self) -> Engine {
        self.options.engine.unwrap_or_default()
    }

    /// Counts and solutions.
    ///
    /// # Errors
    /// [`Error::Cell`](thalweg_core::Error::Cell) for the first number that is no digit,
    /// [`Error::BadOption`](thalweg_core::Error::BadOption) for the limit 0.
    pub fn solve(&self, puzzles: &[Grid]) -> Result<Answer<Solved>> {
        let mut solved = Solved {
            counts: zeroed(puzzles.len(), "counts of solutions")?,
            solutions: zeroed(puzzles.len(), "solutions")?,
        };
        let answer = self.solve_into(puzzles, &mut solved.counts, Some(&mut solved.solutions))?;
        Ok(answer.map(|()| solved))
    }

    /// Counts alone. Where there are several solutions, this takes less time.
    ///
    /// # Errors
    /// As [`solve`](Self::solve).
    pub fn count(&self, puzzles: &[Grid]) -> Result<Answer<Vec<u32>>> {
        let mut counts = zeroed(puzzles.len(), "counts of solutions")?;
        Ok(self.solve_into(puzzles, &mut counts, None)?.map(|()| counts))
    }

    /// Into the caller's buffers, of the puzzles' number. Without a buffer for solutions, none are found out.
    ///
    /// # Errors
    /// As [`solve`](Self::solve), and [`Error::Length`](thalweg_core::Error::Length).
    pub fn solve_into(
        &self,
        puzzles: &[Grid],
        counts: &mut [u32],
        solutions: Option<&mut [Grid]>,
    ) -> Result<Answer<()>> {
        let engine = self.chosen_engine();
        let question = Question {
            engine: engine.name(),
            gpu_engine: engine.name(),
            asked: self.options.engine.is_some(),
            on_cpu: true,
            on_gpu: engine == Engine::Bands,
            costs: costs(puzzles.len(), threads()),
        };
        // Lent to whoever answers.
        let buffers = RefCell::new((counts, solutions));
        on_device!(
            self.device,
            question,
            |gpu| {
                let (counts, solutions) = &mut *buffers.borrow_mut();
                thalweg_gpu::puzzle::sudoku::solve_into(gpu, puzzles, self.options, counts, solutions.as_deref_mut())
            },
            || {
                let (counts, solutions) = &mut *buffers.borrow_mut();
                solve_into(puzzles, self.options, counts, solutions.as_deref_mut())
            }
        )
    }
}
