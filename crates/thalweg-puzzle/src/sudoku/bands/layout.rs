//! Where a candidate stands: 729 of them in 27 words of 27 bits.
//!
//! A candidate is a digit in a cell. Its six coordinates have three values each: band and stack tell the box, row and
//! column the place inside the box, and a digit is one of three thirds and one of three in its third. Three coordinates
//! choose the word, three the bit:
//!
//! ```text
//! word = third * 9 + row * 3 + column        bit = rest * 9 + band * 3 + stack        digit - 1 = third * 3 + rest
//! ```
//!
//! So a word holds one place of all nine boxes, for three digits. Every rule joins two coordinates (a cell third and rest,
//! a box row and column, a row of the grid stack and column, a column of the grid band and row): one of them at least is
//! in the word's number, where joining is an operation on whole words, and at most one is in the bit, where it takes
//! [rotations](rotate_rest).

use super::vector::Vector;
use crate::sudoku::Grid;

/// Words of one puzzle's candidates.
pub const WORDS: usize = 27;
/// Places in a box, and words of a third of the digits.
pub const PLACES: usize = 9;
/// The 27 bits of a word.
pub const FULL: u32 = (1 << 27) - 1;

/// The candidates that are left.
pub type Candidates = [u32; WORDS];

/// Bits with `stack` 0, and with `band` 0.
const STACK_0: u32 = 0o111_111_111;
const BAND_0: u32 = 0o007_007_007;

/// The next rest's bit at every place. What comes out above the 27 bits is garbage.
#[inline(always)]
pub fn rotate_rest<V: Vector>(x: V) -> V {
    x.right::<9>() | x.left::<18>()
}

/// The next but one.
#[inline(always)]
pub fn rotate_rest_twice<V: Vector>(x: V) -> V {
    x.right::<18>() | x.left::<9>()
}

/// The next stack's bit at every place.
#[inline(always)]
pub fn rotate_stack<V: Vector>(x: V) -> V {
    (x.right::<1>() & V::splat(STACK_0 | STACK_0 << 1)) | (x.left::<2>() & V::splat(STACK_0 << 2))
}

/// The next band's bit at every place.
#[inline(always)]
pub fn rotate_band<V: Vector>(x: V) -> V {
    (x.right::<3>() & V::splat(BAND_0 | BAND_0 << 3)) | (x.left::<6>() & V::splat(BAND_0 << 6))
}

/// The bits of all three rests at the places of nine bits.
#[inline(always)]
fn all_rests(boxes: u32) -> u32 {
    boxes | boxes << 9 | boxes << 18
}

/// The bits of a candidate's cell: its own and those of the two other rests.
#[inline(always)]
pub fn cell_of(bit: u32) -> u32 {
    let boxes = (bit | bit >> 9 | bit >> 18) & 511;
    all_rests(boxes)
}

/// The place in the box, and the box, of every cell.
const CELL: [(u8, u8); 81] = {
    let mut cells = [(0, 0); 81];
    let mut i = 0;
    while i < 81 {
        let (row, column) = (i / 9, i % 9);
        cells[i] = ((row % 3 * 3 + column % 3) as u8, (row / 3 * 3 + column / 3) as u8);
        i += 1;
    }
    cells
};

/// The first word, and the shift, of every digit; of numbers that are none, those of 1.
const DIGIT: [(u8, u8); 16] = {
    let mut digits = [(0, 0); 16];
    let mut digit = 1;
    while digit < 10 {
        digits[digit] = (((digit - 1) / 3 * PLACES) as u8, ((digit - 1) % 3 * 9) as u8);
        digit += 1;
    }
    digits
};

/// A puzzle's candidates before anything is concluded: in a cell with a clue that digit, elsewhere all nine.
pub fn candidates_of(puzzle: &Grid) -> Candidates {
    // Larger than needed, with masked indices: no bounds are checked.
    let mut clued = [0u32; 16];
    let mut clues = [0u32; 64];
    // Which cells have clues, first: a loop over them alone has one end that is hard to foresee.
    let mut cells = 0u128;
    for chunk in 0..11 {
        // Eight at a time; the last eight overlap the ones before.
        let at = (chunk * 8).min(73);
        let eight = u64::from_le_bytes(puzzle[at..at + 8].try_into().expect("eight cells"));
        let marks = (eight + 0x7f7f_7f7f_7f7f_7f7f) >> 7 & 0x0101_0101_0101_0101;
        // The eight lowest bits of bytes, side by side in the highest byte.
        cells |= u128::from(marks.wrapping_mul(0x0102_0408_1020_4080) >> 56) << at;
    }
    for (mut half, start) in [(cells as u64, 0), ((cells >> 64) as u64, 64)] {
        while half != 0 {
            let cell = start + half.trailing_zeros() as usize;
            half &= half - 1;
            let (place, in_box) = CELL[cell];
            let (first, shift) = DIGIT[(puzzle[cell] & 15) as usize];
            clued[(place & 15) as usize] |= 1 << in_box;
            clues[((place + first) & 63) as usize] |= 1 << ((in_box + shift) & 31);
        }
    }
    let mut candidates = [0; WORDS];
    for (place, &clued) in clued[..PLACES].iter().enumerate() {
        let open = FULL & !all_rests(clued);
        for word in [place, PLACES + place, 2 * PLACES + place] {
            candidates[word] = clues[word] | open;
        }
    }
    candidates
}

/// Leaves only some digits in a cell: digit `d` if bit `d` of `digits` is set.
pub fn restrict(candidates: &mut Candidates, cell: usize, digits: u16) {
    let (place, in_box) = CELL[cell];
    for (digit, &(first, shift)) in DIGIT.iter().enumerate().take(10).skip(1) {
        if digits >> digit & 1 == 0 {
            candidates[(first + place) as usize] &= !(1 << (shift + in_box));
        }
    }
}

/// The digits that are left in a cell, as [`restrict`] has them.
pub fn digits_of(candidates: &Candidates, cell: usize) -> u16 {
    let (place, in_box) = CELL[cell];
    (1..=9).fold(0, |digits, digit| {
        let (first, shift) = DIGIT[digit];
        digits | ((candidates[(first + place) as usize] >> (shift + in_box) & 1) as u16) << digit
    })
}

/// Nine bits as the lowest bits of nine half bytes.
const SPREAD: [u64; 512] = {
    let mut spread = [0; 512];
    let mut bits = 0;
    while bits < 512 {
        let mut i = 0;
        while i < 9 {
            spread[bits] |= ((bits as u64 >> i) & 1) << (4 * i);
            i += 1;
        }
        bits += 1;
    }
    spread
};

/// The grid of candidates of which every cell has one, in a lane of several puzzles' words.
#[inline(always)]
pub fn grid_of<const L: usize>(words: &[[u32; L]; WORDS], lane: usize) -> Grid {
    let spread = |bits: u32| SPREAD[(bits & 511) as usize];
    // For every place the digits of the nine boxes, half a byte each: 1 + rest + 3 third.
    let mut digits = [0u64; PLACES];
    for (place, digits) in digits.iter_mut().enumerate() {
        let (low, middle, high) = (words[place][lane], words[PLACES + place][lane], words[2 * PLACES + place][lane]);
        let any = low | middle | high;
        let third = |x: u32| spread(x | x >> 9 | x >> 18);
        let rests = spread(any >> 9) + 2 * spread(any >> 18);
        *digits = 0x1_1111_1111 + rests + 3 * (third(middle) + 2 * third(high));
    }
    let mut grid = [0; 81];
    for band in 0..3 {
        for row in 0..3 {
            for stack in 0..3 {
                for column in 0..3 {
                    let digit = digits[row * 3 + column] >> (4 * (band * 3 + stack)) & 15;
                    grid[(band * 3 + row) * 9 + stack * 3 + column] = digit as u8;
                }
            }
        }
    }
    grid
}

#[cfg(test)]
mod tests {
    use super::super::vector::Plain;
    use super::*;

    /// What an operation on vectors does with a word.
    fn of_word(operation: impl Fn(Plain) -> Plain, word: u32) -> u32 {
        let mut words = [0; Plain::WIDTH];
        operation(Plain::splat(word)).store(&mut words);
        assert_eq!(words, [words[0]; Plain::WIDTH]);
        words[0]
    }

    /// Where the module's opening says that a candidate is.
    fn place(cell: usize, digit: usize) -> (usize, u32) {
        let (row, column) = (cell / 9, cell % 9);
        let word = (digit - 1) / 3 * 9 + row % 3 * 3 + column % 3;
        (word, 1 << ((digit - 1) % 3 * 9 + row / 3 * 3 + column / 3))
    }

    #[test]
    fn clues_stand_where_they_should() {
        for cell in 0..81 {
            for digit in 1..=9 {
                let mut puzzle = [0; 81];
                puzzle[cell] = digit as u8;
                puzzle[80 - cell] = digit as u8;
                let candidates = candidates_of(&puzzle);
                for other_cell in 0..81 {
                    for other in 1..=9 {
                        let (word, bit) = place(other_cell, other);
                        let want = (other_cell != cell && other_cell != 80 - cell) || other == digit;
                        assert_eq!(candidates[word] & bit != 0, want);
                    }
                }
                let mut open = candidates_of(&[0; 81]);
                assert_eq!(open, [FULL; WORDS]);
                restrict(&mut open, cell, 1 << digit);
                restrict(&mut open, 80 - cell, 1 << digit);
                assert_eq!(open, candidates);
                assert_eq!(digits_of(&open, cell), 1 << digit);
                let next = (cell + 1) % 81;
                assert_eq!(digits_of(&open, next), if next == 80 - cell { 1 << digit } else { 1022 });
            }
        }
    }

    #[test]
    fn grids_come_back() {
        for shift in 0..9 {
            let grid: Grid = std::array::from_fn(|i| ((i * 7 + i / 9 + shift) % 9 + 1) as u8);
            let words = candidates_of(&grid).map(|word| [0, word]);
            assert_eq!(grid_of(&words, 1), grid);
        }
    }

    #[test]
    fn rotations_go_to_the_next() {
        let bit = |rest: u32, band: u32, stack: u32| 1 << (rest % 3 * 9 + band % 3 * 3 + stack % 3);
        for rest in 0..3 {
            for band in 0..3 {
                for stack in 0..3 {
                    let x = bit(rest, band, stack);
                    assert_eq!(of_word(rotate_rest, x) & FULL, bit(rest + 2, band, stack));
                    assert_eq!(of_word(rotate_rest_twice, x) & FULL, bit(rest + 1, band, stack));
                    assert_eq!(of_word(rotate_band, x), bit(rest, band + 2, stack));
                    assert_eq!(of_word(rotate_stack, x), bit(rest, band, stack + 2));
                    assert_eq!(cell_of(x), bit(0, band, stack) | bit(1, band, stack) | bit(2, band, stack));
                }
            }
        }
    }
}
