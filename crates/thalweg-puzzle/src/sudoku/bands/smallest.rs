//! The smallest solution, row by row, of puzzles that have several.
//!
//! A search that tries cells in order and small digits first would come to it first, but it may take for ever: a good
//! order of cells is what makes searches short. So the cells are gone through in order, with a solution at hand: is there one
//! that agrees before this cell and has a smaller digit here? If so, it is the one at hand from now on; if not, the next
//! cell. Where no smaller candidate is left, nothing has to be asked, and every answer is put into the candidates, from
//! which more is concluded. All puzzles ask their questions at once, a puzzle a lane.

use super::conclude::conclude;
use super::layout::{Candidates, digits_of, restrict};
use super::search::{Found, search};
use crate::sudoku::Grid;

/// Replaces the solutions of some puzzles by the smallest ones.
pub fn descend(starts: &[Candidates], some: Vec<usize>, solutions: &mut [Grid]) {
    // Puzzles, and the cells that they have come to: the solution at hand is right before it, and so are the candidates.
    let mut walks: Vec<(usize, usize)> = some.into_iter().map(|puzzle| (puzzle, 0)).collect();
    let mut candidates: Vec<Candidates> = walks.iter().map(|&(puzzle, _)| starts[puzzle]).collect();
    loop {
        conclude(&mut candidates);
        let (mut questions, mut going) = (Vec::new(), Vec::new());
        for ((puzzle, cell), candidates) in walks.into_iter().zip(candidates) {
            if let Some(walk) = to_next_question(puzzle, cell, candidates, &solutions[puzzle], &mut questions) {
                going.push(walk);
            }
        }
        if going.is_empty() {
            return;
        }
        let mut counts = vec![0; questions.len()];
        let mut found = vec![[0; 81]; questions.len()];
        search(&questions, 1, Found { counts: &mut counts, solutions: &mut found });
        (walks, candidates) = (Vec::new(), Vec::new());
        for (i, (puzzle, cell, mut left)) in going.into_iter().enumerate() {
            if counts[i] > 0 {
                solutions[puzzle] = found[i];
            }
            // Nothing smaller, or nothing larger than what was found.
            let digit = solutions[puzzle][cell];
            let smaller = if counts[i] > 0 { (1u16 << digit) - 1 } else { 0 };
            restrict(&mut left, cell, 1 << digit | smaller);
            walks.push((puzzle, cell));
            candidates.push(left);
        }
    }
}

/// Goes on to the first cell with a candidate that is smaller than the solution at hand, and asks whether there is a
/// solution with such a one. Nothing if there is no such cell.
fn to_next_question(
    puzzle: usize,
    mut cell: usize,
    mut candidates: Candidates,
    solution: &Grid,
    questions: &mut Vec<Candidates>,
) -> Option<(usize, usize, Candidates)> {
    while cell < 81 {
        let digits = digits_of(&candidates, cell);
        let digit = solution[cell];
        let smaller = digits & ((1 << digit) - 1);
        if smaller != 0 {
            let mut question = candidates;
            restrict(&mut question, cell, smaller);
            questions.push(question);
            return Some((puzzle, cell, candidates));
        }
        if digits != 1 << digit {
            restrict(&mut candidates, cell, 1 << digit);
        }
        cell += 1;
    }
    None
}
