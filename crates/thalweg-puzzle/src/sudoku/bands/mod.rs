//! `bands`: sixteen puzzles a vector.
//!
//! Solvers that are known to be fast keep candidates as bit masks of bands, so that one operation concludes for many cells
//! (JCZSolve), or put the words of one puzzle into vectors (tdoku). Here a vector holds the same word of sixteen puzzles:
//! there are always more puzzles, no lane waits for another, and nothing has to be moved between lanes. What is
//! concluded is what those two conclude, but for tdoku's pairs of triads.
//!
//! - [`layout`]: the candidates of a puzzle in 27 words.
//! - [`propagate`]: conclusions, a round at a time.
//! - [`conclude`]: rounds until nothing changes, and no search.
//! - [`choose`]: what to try when there are none.
//! - [`search`]: lanes, forks and counts.
//! - [`smallest`]: which of several solutions is told.
//! - [`vector`]: 4, 8 or 16 words, the kernels' language.

mod choose;
mod conclude;
mod layout;
mod propagate;
mod search;
mod smallest;
mod vector;

use layout::candidates_of;
pub(super) use layout::{Candidates, restrict};
pub(super) use search::{Found, search};

use super::Grid;

/// The candidates of a puzzle, for [`search()`](fn@search).
pub(super) fn start(puzzle: &Grid) -> Candidates {
    candidates_of(puzzle)
}

/// Solves puzzles one task at a time. Counts and solutions begin with zeros; without a buffer for solutions, none are told.
pub(super) fn solve(puzzles: &[Grid], limit: u32, counts: &mut [u32], solutions: &mut [Grid]) {
    let starts: Vec<Candidates> = puzzles.iter().map(start).collect();
    if solutions.is_empty() {
        return search(&starts, limit, Found { counts, solutions });
    }
    // Whether a solution is the only one must be known to tell the smallest.
    let enough = limit.max(2);
    search(&starts, enough, Found { counts, solutions });
    // If the search ended before the limit, it has seen all solutions.
    let cut_off: Vec<usize> = (0..puzzles.len()).filter(|&i| counts[i] == enough).collect();
    smallest::descend(&starts, cut_off, solutions);
    for count in counts {
        *count = (*count).min(limit);
    }
}
