//! The conformance suite of Sudoku.

use thalweg_core::{Error, Result};
use thalweg_data::SudokuKind;
use thalweg_data::sudokus::{complaint, count_solutions, smallest_solution};
use thalweg_puzzle::sudoku::{Engine, Grid, Options, examples, solve_into, solve_with};

/// Something that solves puzzles up to a limit: counts, and solutions if there is a buffer for them.
pub type Solver<'a> = &'a dyn Fn(&[Grid], u32, &mut [u32], Option<&mut [Grid]>) -> Result<()>;

/// Holds an engine of the library to its contract; see [`suite_of`].
///
/// # Panics
/// If an answer is wrong.
pub fn suite(engine: Engine) {
    let solver: Solver<'_> = &|puzzles, limit, counts, solutions| {
        solve_into(puzzles, Options { limit, engine: Some(engine) }, counts, solutions)
    };
    // One that takes a millisecond a puzzle gets fewer of them.
    let most = if engine == Engine::ExactCover || crate::is_quick() { 80 } else { 1500 };
    suite_of(engine.name(), most, solver);
}

/// Holds a solver to its contract: batches of every kind and of boundary sizes, up to `most` puzzles; limits; puzzles with known
/// solutions and numbers of solutions; the smallest solution, wherever a puzzle stands in the batch; buffers that hold
/// something else; bad cells, limits and lengths.
///
/// # Panics
/// If an answer is wrong.
pub fn suite_of(name: &str, most: usize, solve: Solver<'_>) {
    kinds(name, most, solve);
    sizes(name, most, solve);
    limits(name, solve);
    neighbours(name, solve);
    known(name, solve);
    bad(name, solve);
}

/// What the oracle of the library says.
fn expected(puzzles: &[Grid], limit: u32) -> (Vec<u32>, Vec<Grid>) {
    let solved = solve_with(puzzles, Options { limit, engine: Some(Engine::ExactCover) });
    let solved = solved.unwrap_or_else(|e| panic!("{e}"));
    (solved.counts, solved.solutions)
}

/// Solves into buffers that hold something else, with and without solutions, and checks the answers by themselves.
fn solved(name: &str, what: &str, puzzles: &[Grid], limit: u32, solve: Solver<'_>) -> (Vec<u32>, Vec<Grid>) {
    let mut counts = vec![u32::MAX - 3; puzzles.len()];
    let mut solutions = vec![[77; 81]; puzzles.len()];
    solve(puzzles, limit, &mut counts, Some(&mut solutions)).unwrap_or_else(|e| panic!("{name}, {what}: {e}"));
    for (row, puzzle) in puzzles.iter().enumerate() {
        if let Some(complaint) = complaint(puzzle, limit, counts[row], &solutions[row]) {
            panic!("{name}, {what}, puzzle {row} {puzzle:?}: {complaint}");
        }
    }
    let mut alone = vec![u32::MAX - 3; puzzles.len()];
    solve(puzzles, limit, &mut alone, None).unwrap_or_else(|e| panic!("{name}, {what}: {e}"));
    assert_eq!(alone, counts, "{name}, {what}: counts without solutions");
    (counts, solutions)
}

fn check(name: &str, what: &str, puzzles: &[Grid], limit: u32, solve: Solver<'_>) {
    let (counts, solutions) = solved(name, what, puzzles, limit, solve);
    let (want_counts, want_solutions) = expected(puzzles, limit);
    for row in 0..puzzles.len() {
        let (got, want) = ((counts[row], solutions[row]), (want_counts[row], want_solutions[row]));
        assert_eq!(got, want, "{name}, {what}, limit {limit}, puzzle {row} {:?}", puzzles[row]);
    }
}

/// Every kind, and what is known of it.
fn kinds(name: &str, most: usize, solve: Solver<'_>) {
    for &kind in SudokuKind::ALL {
        let puzzles = kind.make(most, 11);
        let (counts, _) = solved(name, kind.name(), &puzzles, 2, solve);
        let want = match kind {
            SudokuKind::Seventeen | SudokuKind::Hard | SudokuKind::Hardest | SudokuKind::Full => Some(1),
            SudokuKind::Several | SudokuKind::Sparse => Some(2),
            _ => None,
        };
        if let Some(want) = want {
            let wrong = counts.iter().position(|&count| count != want);
            assert_eq!(wrong, None, "{name}: {} puzzles have {want} solutions", kind.name());
        }
        // Milliseconds each, by the oracle.
        check(name, kind.name(), &puzzles[..most.min(25)], 2, solve);
    }
}

/// Sizes around those of lanes and tasks.
fn sizes(name: &str, most: usize, solve: Solver<'_>) {
    let all = SudokuKind::Mixed.make(most, 5);
    let (counts, solutions) = solved(name, "mixed", &all, 2, solve);
    for len in [0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 129, 1023, 1024, 1025, most] {
        if len <= most {
            let some = solved(name, "mixed", &all[..len], 2, solve);
            assert_eq!(some, (counts[..len].to_vec(), solutions[..len].to_vec()), "{name}: {len} puzzles");
        }
    }
}

/// Puzzles of which the plain oracle knows everything: full grids with cells blanked, more and more.
fn limits(name: &str, solve: Solver<'_>) {
    let grids = SudokuKind::Full.make(30, 9);
    let blanked: Vec<Grid> = (0..30)
        .map(|i| {
            let keep = |cell: usize| (cell * 37 + i * 11) % 81 >= 40 + i / 2;
            std::array::from_fn(|cell| if keep(cell) { grids[i][cell] } else { 0 })
        })
        .collect();
    for limit in [1, 2, 3, 7, 100, 100_000] {
        let (counts, solutions) = solved(name, "blanked", &blanked, limit, solve);
        for (row, puzzle) in blanked.iter().enumerate() {
            assert_eq!(counts[row], count_solutions(puzzle, limit), "{name}, limit {limit}: {puzzle:?}");
            assert_eq!(Some(solutions[row]), smallest_solution(puzzle), "{name}, limit {limit}: {puzzle:?}");
        }
    }
    // A few clues too few: counted to the end. And the largest limit there is.
    let several = SudokuKind::Several.make(6, 2);
    check(name, "several", &several, 5000, solve);
    check(name, "all solutions", &blanked[..20], u32::MAX, solve);
    assert!(expected(&blanked, 100_000).0.iter().any(|&count| count > 100), "some have many solutions");
}

/// A puzzle's answer does not depend on what else is solved.
fn neighbours(name: &str, solve: Solver<'_>) {
    let mut puzzles: Vec<Grid> = SudokuKind::Several.make(8, 21);
    puzzles.extend(SudokuKind::Sparse.make(8, 22));
    puzzles.extend(SudokuKind::Hardest.make(4, 23));
    let (counts, solutions) = solved(name, "alone", &puzzles, 2, solve);
    for (row, puzzle) in puzzles.iter().enumerate() {
        let (count, solution) = solved(name, "one", &[*puzzle], 2, solve);
        assert_eq!((count[0], solution[0]), (counts[row], solutions[row]), "{name}: puzzle {row} alone");
    }
    puzzles.reverse();
    let (mut back, mut backwards) = solved(name, "backwards", &puzzles, 2, solve);
    back.reverse();
    backwards.reverse();
    assert_eq!((back, backwards), (counts, solutions), "{name}: the other way round");
}

/// Puzzles whose answer everybody knows.
fn known(name: &str, solve: Solver<'_>) {
    let puzzles: Vec<Grid> = examples::EXAMPLES.iter().map(|example| example.puzzle).collect();
    let (counts, _) = solved(name, "examples", &puzzles, 10, solve);
    assert_eq!(counts, [1; examples::EXAMPLES.len()], "{name}");
    check(name, "examples", &puzzles, 2, solve);

    let (counts, solutions) = solved(name, "no clues", &[[0; 81]], 300, solve);
    assert_eq!(counts, [300]);
    // The smallest of all grids, as in any list of them.
    let first = b"123456789456789123789123456214365897365897214897214365531642978642978531978531642";
    assert_eq!(solutions[0], first.map(|byte| byte - b'0'), "{name}: no clues");

    // Twice the same digit in a row, a column, a box; a cell without a digit; a box without a place for a digit.
    let mut none = [[0; 81]; 5];
    (none[0][9], none[0][17]) = (4, 4);
    (none[1][4], none[1][76]) = (9, 9);
    (none[2][60], none[2][80]) = (1, 1);
    for digit in 1..=8 {
        none[3][usize::from(digit)] = digit;
    }
    none[3][18] = 9;
    for (cell, digit) in [(3, 5), (15, 5), (55, 5), (29, 5), (18, 1)] {
        none[4][cell] = digit;
    }
    let (counts, _) = solved(name, "contradictions", &none, 2, solve);
    assert_eq!(counts[..4], [0; 4], "{name}: contradictions");
    check(name, "contradictions", &none, 2, solve);
}

/// Input that is refused, with its place, and buffers that are left alone.
fn bad(name: &str, solve: Solver<'_>) {
    let mut puzzles = SudokuKind::Seventeen.make(3000, 1);
    puzzles[2999][0] = 255;
    puzzles[2500][17] = 10;
    puzzles[2500][80] = 11;
    let (mut counts, mut solutions) = (vec![9; 3000], vec![[9; 81]; 3000]);
    let error = solve(&puzzles, 2, &mut counts, Some(&mut solutions)).unwrap_err();
    assert_eq!(error, Error::Cell { row: 2500, cell: 17, value: 10 }, "{name}");
    assert_eq!(error.to_string(), "puzzle 2500: cell 17 is 10, not a digit from 1 to 9, or 0");
    assert_eq!((counts, solutions), (vec![9; 3000], vec![[9; 81]; 3000]), "{name}: nothing was written");

    let puzzles = &puzzles[..3];
    let error = solve(puzzles, 0, &mut [0; 3], None).unwrap_err();
    assert!(matches!(error, Error::BadOption { option: "limit", .. }), "{name}: {error}");
    for (count_len, solution_len) in [(2, Some(3)), (4, None), (3, Some(2)), (3, Some(0))] {
        let (mut counts, mut solutions) = (vec![0; count_len], vec![[0; 81]; solution_len.unwrap_or(0)]);
        let solutions = solution_len.is_some().then_some(&mut solutions[..]);
        let error = solve(puzzles, 2, &mut counts, solutions).unwrap_err();
        assert!(matches!(error, Error::Length { expected: 3, .. }), "{name}: {error}");
    }
}
