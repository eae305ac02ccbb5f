//! Puzzles with exactly one solution.
//!
//! The three boxes on the diagonal share no row and no column, so any digits in them can be completed: they are random. The
//! other cells are filled by a plain search, the cell with the fewest digits first, in random order of digits. Then
//! every clue, in random order, is taken away if there is no solution with another digit there. What is left is *minimal*: no
//! clue can be spared. These questions have one answer, in whatever order solutions are found, so a puzzle depends on
//! nothing but the seed and its number; many puzzles are made at once, and ask together.
//!
//! Every grid can come out, but not all are equally likely; nor are minimal puzzles: few of them have few clues.

use thalweg_core::Result;
use thalweg_core::memory::zeroed;
use thalweg_core::parallel::for_each_chunk_mut;

use super::Grid;
use super::bands::{Candidates, Found, restrict, search, start};

/// Puzzles that are made together.
const TOGETHER: usize = 64;

/// A bit for every digit.
const DIGITS: u16 = 0b11_1111_1110;

/// Random puzzles with exactly one solution and no clue that could be spared. Some 24 of 81 cells have a clue.
///
/// The i-th puzzle is the same for any `count`, on any number of threads, on every machine.
///
/// ```
/// # mod thalweg { pub use thalweg_puzzle as puzzle; pub use thalweg_puzzle::*; }
/// use thalweg::puzzle::sudoku::{generate, solve};
/// let puzzles = generate(100, 7)?;
/// assert_eq!(solve(&puzzles)?.counts, [1; 100]);
/// assert_eq!(generate(3, 7)?, puzzles[..3]);
/// # Ok::<(), thalweg::Error>(())
/// ```
///
/// # Errors
/// [`Error::OutOfMemory`](thalweg_core::Error::OutOfMemory).
pub fn generate(count: usize, seed: u64) -> Result<Vec<Grid>> {
    let mut puzzles: Vec<Grid> = zeroed(count, "puzzles")?;
    for_each_chunk_mut(&mut puzzles, TOGETHER, &|first, puzzles| {
        let mut orders = Vec::with_capacity(puzzles.len());
        for (i, puzzle) in puzzles.iter_mut().enumerate() {
            let mut random = Random::new(seed, (first + i) as u64);
            *puzzle = random_grid(&mut random);
            let mut order: [u8; 81] = std::array::from_fn(|i| i as u8);
            random.shuffle(&mut order);
            orders.push(order);
        }
        let mut starts: Vec<Candidates> = Vec::with_capacity(puzzles.len());
        let mut counts = [0; TOGETHER];
        for step in 0..81 {
            starts.clear();
            for (puzzle, order) in puzzles.iter_mut().zip(&orders) {
                let cell = usize::from(order[step]);
                let digit = std::mem::take(&mut puzzle[cell]);
                let mut candidates = start(puzzle);
                puzzle[cell] = digit;
                restrict(&mut candidates, cell, DIGITS & !(1 << digit));
                starts.push(candidates);
            }
            let counts = &mut counts[..puzzles.len()];
            counts.fill(0);
            search(&starts, 1, Found { counts, solutions: &mut [] });
            for ((puzzle, order), &count) in puzzles.iter_mut().zip(&orders).zip(&*counts) {
                if count == 0 {
                    puzzle[usize::from(order[step])] = 0;
                }
            }
        }
    });
    Ok(puzzles)
}

/// A full grid.
fn random_grid(random: &mut Random) -> Grid {
    let mut filling = Filling { grid: [0; 81], unseen: [DIGITS; 27] };
    for corner in [0, 30, 60] {
        let mut digits: [u8; 9] = std::array::from_fn(|i| i as u8 + 1);
        random.shuffle(&mut digits);
        for (i, digit) in digits.into_iter().enumerate() {
            filling.place(corner + i / 3 * 9 + i % 3, digit);
        }
    }
    let is_full = filling.fill(random);
    debug_assert!(is_full, "any three boxes on the diagonal can be completed");
    filling.grid
}

/// A grid that is being filled.
struct Filling {
    grid: Grid,
    /// Digits that a row, a column or a box does not have yet.
    unseen: [u16; 27],
}

impl Filling {
    fn place(&mut self, cell: usize, digit: u8) {
        self.grid[cell] = digit;
        units(cell).into_iter().for_each(|unit| self.unseen[unit] ^= 1 << digit);
    }

    fn digits(&self, cell: usize) -> u16 {
        let [row, column, in_box] = units(cell);
        self.unseen[row] & self.unseen[column] & self.unseen[in_box]
    }

    /// Fills the blank cells; whether that can be done. Otherwise nothing has changed.
    fn fill(&mut self, random: &mut Random) -> bool {
        let blanks = (0..81).filter(|&cell| self.grid[cell] == 0);
        let Some(cell) = blanks.min_by_key(|&cell| self.digits(cell).count_ones()) else { return true };
        let mut digits = self.digits(cell);
        while digits != 0 {
            let digit = random.bit_of(digits);
            digits &= !(1 << digit);
            self.place(cell, digit);
            if self.fill(random) {
                return true;
            }
            self.place(cell, digit);
            self.grid[cell] = 0;
        }
        false
    }
}

/// The row, the column and the box of a cell, of 27 units.
const fn units(cell: usize) -> [usize; 3] {
    let (row, column) = (cell / 9, cell % 9);
    [row, 9 + column, 18 + row / 3 * 3 + column / 3]
}

/// The generator SplitMix64.
struct Random {
    state: u64,
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Random {
    fn new(seed: u64, stream: u64) -> Self {
        Self { state: mix(seed).wrapping_add(mix(stream ^ 0x5851_f42d_4c95_7f2d)) }
    }

    /// A number below a small bound, which is not 0.
    fn below(&mut self, bound: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        ((u128::from(mix(self.state)) * bound as u128) >> 64) as usize
    }

    /// The number of one of the bits that are set.
    fn bit_of(&mut self, mut bits: u16) -> u8 {
        for _ in 0..self.below(bits.count_ones() as usize) {
            bits &= bits - 1;
        }
        bits.trailing_zeros() as u8
    }

    fn shuffle(&mut self, items: &mut [u8]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}
