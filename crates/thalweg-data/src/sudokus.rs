//! Sudokus: known puzzles in other clothes, puzzles without a solution and with many, and a plain search as oracle.
//!
//! A puzzle is 81 digits row by row, with 0 for a blank. It stays as hard as it is, and keeps its number of solutions, when
//! digits get other names, rows change places inside a band, bands change places, columns and stacks likewise, and the
//! grid is mirrored: that makes any number of puzzles of a few.

mod known;

use crate::{Random, made};

/// A puzzle or a solution.
pub type Grid = [u8; 81];

/// A kind of puzzles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SudokuKind {
    /// With 17 clues, the fewest that leave one solution.
    Seventeen,
    /// With one solution that is not found by conclusions alone: a search has to try.
    Hard,
    /// Some that were called the hardest when they were found. One solution.
    Hardest,
    /// With one, two or three clues too few: several solutions.
    Several,
    /// Up to ten clues: so many solutions that nobody counts them.
    Sparse,
    /// With a wrong clue: none, or few, of them have a solution, and most do not look like it.
    Wrong,
    /// Full grids: one solution.
    Full,
    /// Every digit that one can type, anywhere: contradictions.
    Noise,
    /// All other kinds in turn.
    Mixed,
}

impl SudokuKind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[
        Self::Seventeen,
        Self::Hard,
        Self::Hardest,
        Self::Several,
        Self::Sparse,
        Self::Wrong,
        Self::Full,
        Self::Noise,
        Self::Mixed,
    ];

    /// The kind's name, as the command line takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Seventeen => "seventeen",
            Self::Hard => "hard",
            Self::Hardest => "hardest",
            Self::Several => "several",
            Self::Sparse => "sparse",
            Self::Wrong => "wrong",
            Self::Full => "full",
            Self::Noise => "noise",
            Self::Mixed => "mixed",
        }
    }

    /// Makes `n` puzzles. The i-th is the same for any `n`.
    pub fn make(self, n: usize, seed: u64) -> Vec<Grid> {
        made(n, |i| self.one(i as u64, seed))
    }

    fn one(self, i: u64, seed: u64) -> Grid {
        let random = Random::new(seed, i);
        let some = |list: &[&[u8; 81]]| disguised(&cells(list[random.below(0, list.len() as u64) as usize]), random);
        match self {
            Self::Seventeen => some(known::SEVENTEEN),
            Self::Hard => some(known::HARD),
            Self::Hardest => some(known::HARDEST),
            Self::Several => {
                let mut puzzle = Self::Seventeen.one(i, seed);
                for k in 0..=random.below(200, 3) {
                    puzzle[place(&puzzle, random, 201 + k, |cell| cell != 0)] = 0;
                }
                puzzle
            }
            Self::Sparse => {
                let grid = Self::Full.one(i, seed);
                let mut puzzle = [0; 81];
                for k in 0..random.below(200, 11) {
                    let cell = random.below(201 + k, 81) as usize;
                    puzzle[cell] = grid[cell];
                }
                puzzle
            }
            Self::Wrong => {
                let mut puzzle = Self::Seventeen.one(i, seed);
                puzzle[place(&puzzle, random, 200, |cell| cell == 0)] = random.below(201, 9) as u8 + 1;
                puzzle
            }
            Self::Full => {
                // Rows that are shifted, with some rectangles of two digits turned.
                let mut grid = std::array::from_fn(|i| ((i / 9 * 3 + i / 27 + i % 9) % 9 + 1) as u8);
                for k in 0..40 {
                    turn_rectangle(&mut grid, random.bits(200 + k));
                }
                disguised(&grid, random)
            }
            Self::Noise => {
                let clues = random.below(200, 82);
                std::array::from_fn(|cell| {
                    let is_clue = random.below(300 + cell as u64, 81) < clues;
                    if is_clue { random.below(400 + cell as u64, 9) as u8 + 1 } else { 0 }
                })
            }
            Self::Mixed => Self::ALL[i as usize % (Self::ALL.len() - 1)].one(i, seed),
        }
    }
}

/// The cells of 81 characters.
fn cells(line: &[u8; 81]) -> Grid {
    line.map(|byte| if byte == b'.' { 0 } else { byte - b'0' })
}

/// A random cell of those that are wanted, of which there is one.
fn place(puzzle: &Grid, random: Random, index: u64, wanted: impl Fn(u8) -> bool) -> usize {
    let cells: Vec<usize> = (0..81).filter(|&cell| wanted(puzzle[cell])).collect();
    cells[random.below(index, cells.len() as u64) as usize]
}

/// Exchanges the two digits of four cells in two rows and two columns, if they are two digits in two boxes: a grid stays
/// one.
fn turn_rectangle(grid: &mut Grid, bits: u64) {
    let pick = |shift: u32, bound: u64| (((bits >> shift & 0xffff) * bound) >> 16) as usize;
    let (row, other_row) = (pick(0, 9), pick(16, 9));
    let (column, other_column) = (pick(32, 9), pick(48, 9));
    let boxes = (row / 3 == other_row / 3) ^ (column / 3 == other_column / 3);
    let [a, b] = [row * 9 + column, row * 9 + other_column];
    let [c, d] = [other_row * 9 + column, other_row * 9 + other_column];
    if boxes && row != other_row && column != other_column && grid[a] == grid[d] && grid[b] == grid[c] {
        grid.swap(a, b);
        grid.swap(c, d);
    }
}

/// The same puzzle with other names of digits, rows and columns in other places, and maybe mirrored.
fn disguised(puzzle: &Grid, random: Random) -> Grid {
    let mut next = 1;
    let mut permuted = |len: usize| -> Vec<usize> {
        let mut items: Vec<usize> = (0..len).collect();
        for i in (1..len).rev() {
            items.swap(i, random.below(next, i as u64 + 1) as usize);
            next += 1;
        }
        items
    };
    let digits = permuted(9);
    let mut lines = || -> Vec<usize> {
        let bands = permuted(3);
        bands.into_iter().flat_map(|band| permuted(3).into_iter().map(move |line| 3 * band + line)).collect()
    };
    let (rows, columns) = (lines(), lines());
    let is_mirrored = random.bits(0) & 1 == 1;
    std::array::from_fn(|i| {
        let (row, column) = (rows[i / 9], columns[i % 9]);
        let cell = puzzle[if is_mirrored { column * 9 + row } else { row * 9 + column }];
        if cell == 0 { 0 } else { digits[usize::from(cell) - 1] as u8 + 1 }
    })
}

/// The number of solutions, up to a limit, by a plain search: the blank cell with the fewest digits is tried. For
/// puzzles with many clues; those with few take it seconds.
pub fn count_solutions(puzzle: &Grid, limit: u32) -> u32 {
    let mut search = Search { grid: [0; 81], free: [0b11_1111_1110; 27], limit, count: 0 };
    for (cell, &digit) in puzzle.iter().enumerate() {
        if digit != 0 && !search.place(cell, digit) {
            return 0;
        }
    }
    search.go();
    search.count
}

/// The smallest solution, row by row, if there is one: cell by cell the smallest digit that leaves a solution.
pub fn smallest_solution(puzzle: &Grid) -> Option<Grid> {
    if count_solutions(puzzle, 1) == 0 {
        return None;
    }
    let mut grid = *puzzle;
    for cell in 0..81 {
        if grid[cell] == 0 {
            grid[cell] = 1;
            while count_solutions(&grid, 1) == 0 {
                grid[cell] += 1;
            }
        }
    }
    Some(grid)
}

/// What is wrong with a count and a solution, by themselves and beside the puzzle: no solution where there are some, cells that
/// break a rule or a clue, more than the limit.
pub fn complaint(puzzle: &Grid, limit: u32, count: u32, solution: &Grid) -> Option<String> {
    if count > limit {
        return Some(format!("{count} solutions, but the limit is {limit}"));
    }
    if count == 0 {
        return (*solution != [0; 81]).then(|| "no solutions, but one is told".into());
    }
    let mut seen = [0u16; 27];
    for (cell, &digit) in solution.iter().enumerate() {
        if !(1..=9).contains(&digit) {
            return Some(format!("cell {cell} of the solution is {digit}"));
        }
        if puzzle[cell] != 0 && puzzle[cell] != digit {
            return Some(format!("cell {cell} of the solution is {digit}, where the clue is {}", puzzle[cell]));
        }
        for unit in units(cell) {
            if seen[unit] >> digit & 1 == 1 {
                let unit = [format!("row {}", unit % 9), format!("column {}", unit % 9), format!("box {}", unit % 9)]
                    [unit / 9]
                    .clone();
                return Some(format!("{digit} is twice in {unit} of the solution"));
            }
            seen[unit] |= 1 << digit;
        }
    }
    None
}

/// The row, the column and the box of a cell.
const fn units(cell: usize) -> [usize; 3] {
    let (row, column) = (cell / 9, cell % 9);
    [row, 9 + column, 18 + row / 3 * 3 + column / 3]
}

struct Search {
    grid: Grid,
    /// Digits that a row, a column or a box does not have.
    free: [u16; 27],
    limit: u32,
    count: u32,
}

impl Search {
    /// Puts a digit into a cell, unless it is in sight.
    fn place(&mut self, cell: usize, digit: u8) -> bool {
        let is_free = self.digits(cell) >> digit & 1 == 1;
        if is_free {
            self.grid[cell] = digit;
            units(cell).into_iter().for_each(|unit| self.free[unit] &= !(1 << digit));
        }
        is_free
    }

    fn digits(&self, cell: usize) -> u16 {
        units(cell).into_iter().fold(u16::MAX, |digits, unit| digits & self.free[unit])
    }

    fn go(&mut self) {
        let blanks = (0..81).filter(|&cell| self.grid[cell] == 0);
        let Some(cell) = blanks.min_by_key(|&cell| self.digits(cell).count_ones()) else {
            self.count += 1;
            return;
        };
        for digit in 1..=9 {
            if self.count < self.limit && self.place(cell, digit) {
                self.go();
                self.grid[cell] = 0;
                units(cell).into_iter().for_each(|unit| self.free[unit] |= 1 << digit);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_what_they_say() {
        for &kind in SudokuKind::ALL {
            let puzzles = kind.make(50, 3);
            assert_eq!(puzzles[..20], kind.make(20, 3), "{}", kind.name());
            assert_ne!(puzzles, kind.make(50, 4), "{}", kind.name());
            for puzzle in &puzzles {
                let clues = puzzle.iter().filter(|&&cell| cell != 0).count();
                match kind {
                    SudokuKind::Seventeen => assert_eq!(clues, 17),
                    SudokuKind::Several => assert!((14..17).contains(&clues)),
                    SudokuKind::Sparse => assert!(clues <= 10),
                    SudokuKind::Wrong => assert_eq!(clues, 18),
                    SudokuKind::Full => {
                        assert_eq!(complaint(puzzle, 1, 1, puzzle), None);
                        assert_eq!(count_solutions(puzzle, 2), 1);
                    }
                    _ => assert!(puzzle.iter().all(|&cell| cell <= 9)),
                }
            }
        }
    }

    #[test]
    fn full_grids_differ_in_more_than_names() {
        // Turned rectangles leave the shifted rows: not all grids have the same intersections of rows.
        let grids = SudokuKind::Full.make(30, 1);
        let pattern = |grid: &Grid| {
            let mut shared: Vec<usize> = (0..9)
                .flat_map(|row| (0..9).map(move |other| (row, other)))
                .map(|(row, other)| {
                    let digits = |row: usize, stack: usize| -> u16 {
                        (0..3).map(|c| 1u16 << grid[row * 9 + stack * 3 + c]).sum()
                    };
                    (0..9).filter(|i| digits(row, i / 3) == digits(other, i % 3)).count()
                })
                .collect();
            shared.sort_unstable();
            shared
        };
        assert!(grids.iter().any(|grid| pattern(grid) != pattern(&grids[0])));
    }

    #[test]
    fn the_oracle_counts() {
        let full = SudokuKind::Full.make(1, 5)[0];
        let mut puzzle = full;
        puzzle[..9].fill(0);
        assert_eq!(count_solutions(&puzzle, 9), 1);
        assert_eq!(smallest_solution(&puzzle), Some(full));
        // Rows of one band with the digits of two rows blank: one exchange of the rows at least.
        let shifted: Grid = std::array::from_fn(|i| ((i / 9 * 3 + i / 27 + i % 9) % 9 + 1) as u8);
        let blank: Grid = std::array::from_fn(|i| if shifted[i] < 3 { 0 } else { shifted[i] });
        let count = count_solutions(&blank, 1000);
        assert!(count >= 2);
        let smallest = smallest_solution(&blank).unwrap();
        assert_eq!(complaint(&blank, 2, 2, &smallest), None);
        assert!(smallest <= shifted);
        assert_eq!(count_solutions(&[1; 81], 5), 0);
        assert_eq!(smallest_solution(&[1; 81]), None);
        assert_eq!(count_solutions(&[0; 81], 77), 77);
    }

    #[test]
    fn complaints_name_the_place() {
        let full = SudokuKind::Full.make(1, 5)[0];
        let say = |puzzle: &Grid, count, solution: &Grid| complaint(puzzle, 2, count, solution).unwrap_or_default();
        assert_eq!(say(&full, 1, &full), "");
        assert_eq!(say(&full, 3, &full), "3 solutions, but the limit is 2");
        assert_eq!(say(&full, 0, &full), "no solutions, but one is told");
        assert_eq!(say(&full, 0, &[0; 81]), "");
        assert_eq!(say(&full, 1, &[0; 81]), "cell 0 of the solution is 0");
        let mut other = full;
        other.swap(0, 1);
        assert!(say(&full, 1, &other).starts_with("cell 0 of the solution is "));
        assert!(say(&[0; 81], 1, &other).contains(" is twice in column "));
        other = full;
        other.swap(0, 80);
        other[1] = other[2];
        assert!(say(&[0; 81], 1, &other).contains(" is twice in "));
    }
}
