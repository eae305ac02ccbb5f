//! A grid of digits: what it is, whether it is a solution, how it looks.

/// A puzzle or a solution: 81 cells row by row, with digits from 1 to 9, and 0 for a blank.
pub type Grid = [u8; 81];

/// Whether `grid` has every digit once in every row, column and box, and the puzzle's clues.
///
/// ```
/// # mod thalweg { pub use thalweg_puzzle as puzzle; }
/// use thalweg::puzzle::sudoku::is_solution;
/// let grid = std::array::from_fn(|i| ((i / 9 * 3 + i / 27 + i % 9) % 9 + 1) as u8);
/// assert!(is_solution(&[0; 81], &grid));
/// assert!(!is_solution(&[9; 81], &grid));
/// assert!(!is_solution(&[0; 81], &[1; 81]));
/// ```
pub fn is_solution(puzzle: &Grid, grid: &Grid) -> bool {
    let mut seen = [0u16; 27];
    for (i, (&clue, &digit)) in puzzle.iter().zip(grid).enumerate() {
        if !(1..=9).contains(&digit) || (clue != 0 && clue != digit) {
            return false;
        }
        let (row, column) = (i / 9, i % 9);
        for unit in [row, 9 + column, 18 + row / 3 * 3 + column / 3] {
            seen[unit] |= 1 << digit;
        }
    }
    seen.iter().all(|&seen| seen == 0b11_1111_1110)
}

/// A grid as 13 lines of text, with blanks as dots.
///
/// ```
/// # mod thalweg { pub use thalweg_puzzle as puzzle; }
/// let lines = thalweg::puzzle::sudoku::draw(&std::array::from_fn(|i| (i % 10) as u8));
/// assert!(lines.starts_with("┌───────┬───────┬───────┐\n│ . 1 2 │ 3 4 5 │ 6 7 8 │\n"));
/// assert_eq!(lines.lines().count(), 13);
/// ```
pub fn draw(grid: &Grid) -> String {
    let mut text = String::from("┌───────┬───────┬───────┐\n");
    for (i, row) in grid.chunks(9).enumerate() {
        if i == 3 || i == 6 {
            text.push_str("├───────┼───────┼───────┤\n");
        }
        for three in row.chunks(3) {
            text.push('│');
            for &cell in three {
                text.push(' ');
                text.push(if cell == 0 { '.' } else { char::from(b'0' + cell % 10) });
            }
            text.push(' ');
        }
        text.push_str("│\n");
    }
    text.push_str("└───────┴───────┴───────┘\n");
    text
}
