//! Sudoku, for batches of puzzles: how many solutions each has, up to a limit, and one of them.
//!
//! A puzzle is a [`Grid`], 81 digits row by row with 0 for a blank. [`solve`] serves the common case, [`solve_with`] and
//! [`solve_into`] take [`Options`]:
//!
//! | engine | idea | threads | source |
//! |---|---|---|---|
//! | `bands` (default) | sixteen puzzles a vector; singles and locked candidates by operations on 27 words of 27 bits, a search over forks | all | bands of bit masks as in JCZSolve (Wirth 2011), triads as in tdoku (Dillon 2019); the layout is our own |
//! | `exact_cover` | dancing links, one puzzle after the other | all | Knuth 2000; the oracle |
//!
//! The answer is the same for every engine, and for any number of threads:
//!
//! - the *count* is the smaller of the number of solutions and the limit. Clues that contradict each other are a puzzle with
//!   no solutions, and no error.
//! - the *solution* is the smallest, row by row, of all solutions (not only of those that were counted); 81 zeros if there is
//!   none.
//!
//! Puzzles are spread over the threads of the current rayon pool. The search of one puzzle is not.
//!
//! [`text`] reads puzzles from lines, [`generate()`](fn@generate) makes some, [`examples`] has a few that are known.

mod bands;
mod exact_cover;
pub mod examples;
mod generate;
mod grid;
pub mod text;

use thalweg_core::disjoint::Disjoint;
use thalweg_core::error::expect_len;
use thalweg_core::memory::zeroed;
use thalweg_core::parallel::{find_first, for_each_chunk};
use thalweg_core::{Error, Result, engine_names};

pub use generate::generate;
pub use grid::{Grid, draw, is_solution};

engine_names! {
    /// The engines of Sudoku. See the [module's table](self).
    #[derive(Default)]
    "sudoku": Engine {
        /// Sixteen puzzles a vector. The default.
        #[default]
        Bands = "bands",
        /// Dancing links. The oracle of the tests.
        ExactCover = "exact_cover",
    }
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// Solutions are counted up to here; not 0. With 2, the default, it is told whether there is exactly one.
    pub limit: u32,
    /// The engine; `None` leaves the choice to the library.
    pub engine: Option<Engine>,
}

impl Default for Options {
    fn default() -> Self {
        Self { limit: 2, engine: None }
    }
}

/// Counts and solutions of puzzles, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Solved {
    /// How many solutions there are, at most the limit.
    pub counts: Vec<u32>,
    /// The smallest solution, row by row; 81 zeros if there is none.
    pub solutions: Vec<Grid>,
}

/// Solves puzzles, and tells of each whether it has no, one or several solutions (0, 1 or 2), with the default engine.
///
/// A search takes exponential time in the worst case, but the known worst are far from it: 0.3 µs a puzzle of 17 clues, 20 µs
/// one of the hardest, measured on one thread with AVX-512. Several solutions take longer than one, because the smallest is
/// told. Extra memory: 100 KB a thread.
///
/// ```
/// # mod thalweg { pub use thalweg_puzzle as puzzle; pub use thalweg_puzzle::*; }
/// use thalweg::puzzle::sudoku::{solve, text};
/// let puzzles = text::parse(
///     b"53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79\n\
///       11.......#........................................................................",
/// );
/// assert_eq!(puzzles.unwrap_err().to_string(), "line 2: character 10 is '#', no cell");
/// let puzzles =
///     text::parse(b"53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79")?;
/// let solved = solve(&puzzles)?;
/// assert_eq!(solved.counts, [1]);
/// assert_eq!(solved.solutions[0][..9], [5, 3, 4, 6, 7, 8, 9, 1, 2]);
/// # Ok::<(), thalweg::Error>(())
/// ```
///
/// # Errors
/// [`Error::Cell`] for the first number in a puzzle that is above 9; [`Error::OutOfMemory`].
pub fn solve(puzzles: &[Grid]) -> Result<Solved> {
    solve_with(puzzles, Options::default())
}

/// [`solve`] with a choice of limit and engine.
///
/// ```
/// # mod thalweg { pub use thalweg_puzzle as puzzle; pub use thalweg_puzzle::*; }
/// use thalweg::puzzle::sudoku::{Engine, Options, solve_with};
/// let empty = [0; 81];
/// let mut contradictory = empty;
/// (contradictory[0], contradictory[8]) = (5, 5);
/// let solved = solve_with(&[empty, contradictory], Options { limit: 1000, engine: Some(Engine::Bands) })?;
/// assert_eq!(solved.counts, [1000, 0]);
/// assert_eq!(solved.solutions[0][..18], [1, 2, 3, 4, 5, 6, 7, 8, 9, 4, 5, 6, 7, 8, 9, 1, 2, 3]);
/// assert_eq!(solved.solutions[1], [0; 81]);
/// # Ok::<(), thalweg::Error>(())
/// ```
///
/// # Errors
/// As [`solve`], and [`Error::BadOption`] for the limit 0.
pub fn solve_with(puzzles: &[Grid], options: Options) -> Result<Solved> {
    let mut solved = Solved {
        counts: zeroed(puzzles.len(), "counts of solutions")?,
        solutions: zeroed(puzzles.len(), "solutions")?,
    };
    solve_into(puzzles, options, &mut solved.counts, Some(&mut solved.solutions))?;
    Ok(solved)
}

/// How many solutions puzzles have, up to the limit. Where there are several, this takes less time than [`solve_with`].
///
/// # Errors
/// As [`solve_with`].
pub fn count(puzzles: &[Grid], options: Options) -> Result<Vec<u32>> {
    let mut counts = zeroed(puzzles.len(), "counts of solutions")?;
    solve_into(puzzles, options, &mut counts, None)?;
    Ok(counts)
}

/// [`solve_with`] into buffers that are there, or [`count`] where no solutions are asked for. Nothing is written if there is an
/// error.
///
/// # Errors
/// As [`solve_with`], and [`Error::Length`] if a buffer is not as long as the puzzles.
pub fn solve_into(
    puzzles: &[Grid],
    options: Options,
    counts: &mut [u32],
    solutions: Option<&mut [Grid]>,
) -> Result<()> {
    expect_len("counts of solutions", counts.len(), puzzles.len())?;
    if let Some(solutions) = &solutions {
        expect_len("solutions", solutions.len(), puzzles.len())?;
    }
    check(puzzles, options.limit)?;
    run(puzzles, options, Disjoint::new(counts), solutions.map(Disjoint::new));
    Ok(())
}

/// Refuses numbers that are no digits, and the limit 0.
///
/// # Errors
/// As [`solve_with`].
pub fn check(puzzles: &[Grid], limit: u32) -> Result<()> {
    if limit == 0 {
        return Err(Error::BadOption { option: "limit", reason: "solutions are counted up to 1 at least".into() });
    }
    let is_bad = |puzzle: &Grid| puzzle.iter().fold(0, |most: u8, &cell| most.max(cell)) > 9;
    let bad = find_first(puzzles.len(), 1 << 14, &|mut range| range.find(|&row| is_bad(&puzzles[row])));
    let Some(row) = bad else { return Ok(()) };
    let (cell, &value) = puzzles[row].iter().enumerate().find(|&(_, &value)| value > 9).expect("a bad cell");
    Err(Error::Cell { row, cell, value })
}

/// Puzzles of a task: enough that lanes which run empty at its end do not count, and its candidates stay in the second-level
/// cache.
const MOST_OF_TASK: usize = 1024;
/// But not less than fills the lanes a few times.
const LEAST_OF_TASK: usize = 64;

#[allow(unsafe_code)]
fn run(puzzles: &[Grid], options: Options, counts: Disjoint<'_, u32>, solutions: Option<Disjoint<'_, Grid>>) {
    let even = puzzles.len().div_ceil(4 * rayon::current_num_threads());
    for_each_chunk(puzzles.len(), even.clamp(LEAST_OF_TASK, MOST_OF_TASK), &|range| {
        // SAFETY: inside, as the buffers are as long as the puzzles; and ranges do not overlap.
        let counts = unsafe { counts.slice_mut(range.clone()) };
        let solutions = match solutions {
            // SAFETY: as above.
            Some(solutions) => unsafe { solutions.slice_mut(range.clone()) },
            None => &mut [],
        };
        let puzzles = &puzzles[range];
        counts.fill(0);
        solutions.fill([0; 81]);
        match options.engine.unwrap_or_default() {
            Engine::Bands => bands::solve(puzzles, options.limit, counts, solutions),
            Engine::ExactCover => exact_cover::solve(puzzles, options.limit, counts, solutions),
        }
    });
}
