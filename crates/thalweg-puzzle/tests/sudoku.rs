//! Sudoku: the conformance suite for every engine, properties, threads, made puzzles.

use std::collections::HashSet;

use proptest::prelude::*;
use thalweg_data::sudokus::{count_solutions, smallest_solution};
use thalweg_data::{SudokuKind, with_threads};
use thalweg_puzzle::sudoku::{
    Engine, Grid, Options, count, draw, examples, generate, is_solution, solve, solve_with, text,
};
use thalweg_suites::at_every_level;
use thalweg_suites::puzzle::sudoku::suite;

#[test]
fn bands() {
    at_every_level(|| suite(Engine::Bands));
}

#[test]
fn exact_cover() {
    suite(Engine::ExactCover);
}

/// A full grid with some cells kept as clues.
fn blanked() -> impl Strategy<Value = Grid> {
    (any::<u64>(), prop::collection::vec(any::<bool>(), 81), 0..81usize).prop_map(|(seed, keep, also)| {
        let grid = SudokuKind::Full.make(1, seed)[0];
        // A third of the cells more than the coin says, or the plain oracle takes long.
        std::array::from_fn(|cell| if keep[cell] || (cell + also) % 3 == 0 { grid[cell] } else { 0 })
    })
}

proptest! {
    #[test]
    fn engines_agree_with_a_plain_search(puzzles in prop::collection::vec(blanked(), 1..40), limit in 1..20u32) {
        let want: Vec<u32> = puzzles.iter().map(|puzzle| count_solutions(puzzle, limit)).collect();
        for &engine in Engine::ALL {
            let options = Options { limit, engine: Some(engine) };
            let solved = solve_with(&puzzles, options).unwrap();
            prop_assert_eq!(&solved.counts, &want, "{}", engine);
            prop_assert_eq!(&count(&puzzles, options).unwrap(), &want, "{}", engine);
            for (puzzle, solution) in puzzles.iter().zip(&solved.solutions) {
                prop_assert_eq!(Some(*solution), smallest_solution(puzzle), "{}", engine);
            }
        }
    }

    /// Any digits anywhere.
    #[test]
    fn engines_agree_on_noise(cells in prop::collection::vec((0..81usize, 1..=9u8), 0..30), limit in 1..4u32) {
        let mut puzzle = [0; 81];
        cells.into_iter().for_each(|(cell, digit)| puzzle[cell] = digit);
        let solved = Engine::ALL.iter().map(|&engine| solve_with(&[puzzle], Options { limit, engine: Some(engine) }).unwrap());
        let solved: Vec<_> = solved.collect();
        prop_assert_eq!(&solved[0], &solved[1]);
    }

    /// What is written is read; what is not, never panics.
    #[test]
    fn lines_come_back(puzzles in prop::collection::vec(prop::collection::vec(0..=9u8, 81), 0..30), bytes in any::<Vec<u8>>()) {
        let grids: Vec<Grid> = puzzles.into_iter().map(|puzzle| puzzle.try_into().unwrap()).collect();
        prop_assert_eq!(text::parse(text::lines(&grids).as_bytes()).unwrap(), grids);
        if let Ok(read) = text::parse(&bytes) {
            prop_assert!(read.iter().flatten().all(|&cell| cell <= 9));
        }
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let puzzles = SudokuKind::Mixed.make(5000, 77);
    let want = with_threads(1, || solve(&puzzles).unwrap());
    for threads in [2, 3, 8] {
        assert_eq!(with_threads(threads, || solve(&puzzles).unwrap()), want, "{threads} threads");
        assert_eq!(with_threads(threads, || count(&puzzles, Options::default()).unwrap()), want.counts);
    }
    let made = with_threads(1, || generate(500, 3).unwrap());
    assert_eq!(with_threads(8, || generate(500, 3).unwrap()), made);
}

/// One clue fewer, and there is another solution.
#[test]
fn made_puzzles_are_minimal_and_differ() {
    at_every_level(|| {
        let puzzles = generate(300, 1).unwrap();
        let solved = solve(&puzzles).unwrap();
        assert_eq!(solved.counts, [1; 300]);
        assert_eq!(solved.solutions.iter().collect::<HashSet<_>>().len(), 300);
        let mut fewer = Vec::new();
        for puzzle in &puzzles {
            for cell in (0..81).filter(|&cell| puzzle[cell] != 0) {
                fewer.push(*puzzle);
                fewer.last_mut().unwrap()[cell] = 0;
            }
        }
        assert!(fewer.len() > 300 * 20 && fewer.len() < 300 * 28, "{}", fewer.len());
        assert!(count(&fewer, Options::default()).unwrap().iter().all(|&count| count == 2));
        assert_eq!(generate(20, 1).unwrap(), puzzles[..20]);
        assert_ne!(generate(20, 2).unwrap(), puzzles[..20]);
        // The same on every machine.
        let first = text::lines(&puzzles[..1]);
        assert_eq!(first.trim_end(), FIRST_OF_SEED_1);
    });
    assert_eq!(generate(0, 1).unwrap(), [[0; 81]; 0]);
}

const FIRST_OF_SEED_1: &str = ".8..9...5.7.....4.1.....27...421....6..3....2.1.....8....97......6...82..5..8...6";

#[test]
fn pictures_have_every_cell() {
    let solved = solve(&[examples::EXAMPLES[0].puzzle]).unwrap().solutions[0];
    assert!(is_solution(&examples::EXAMPLES[0].puzzle, &solved));
    let digits: Vec<u8> = draw(&solved).bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0').collect();
    assert_eq!(digits, solved);
    assert_eq!(draw(&[0; 81]).matches('.').count(), 81);
}
