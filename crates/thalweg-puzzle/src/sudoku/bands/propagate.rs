//! One round of conclusions, for a puzzle a lane.
//!
//! A round goes through all rules once, and finds naked singles (a cell with one candidate), hidden singles (a digit with
//! one place in a box, row or column) and locked candidates (a digit that a box has in one row only, or a row in one box
//! only; columns likewise). It is made of plain operations on words, the same for every lane, so the compiler makes
//! vectors of the loops over lanes, and a puzzle is one lane of a vector.
//!
//! Why the few rules below are enough: the digit of a row lies in one of three boxes. Let m(row, stack) tell whether it
//! can be in that row of that box. Of the three rows of a band every row takes another box, so m(row, stack) can be true in
//! a solution only if the other two rows can take the other two boxes: a permutation. [`lines`] drops everything
//! else, which is all that locked candidates say of rows and boxes, and, after it, a hidden single of a row is one of its
//! box. Columns are the same. A naked single, dropped from the rest of its box, is a hidden single of the box, and goes
//! to the row and the column as such.

use super::layout::{Candidates, FULL, PLACES, WORDS, rotate_band, rotate_rest, rotate_rest_twice, rotate_stack};
use super::vector::{Vector, in_memory};

/// Puzzles side by side: a vector of 512 bits, two of 256, four of 128.
pub const LANES: usize = 16;

/// Candidates of several puzzles.
pub type Words = [[u32; LANES]; WORDS];

/// Puzzles on their way.
#[repr(align(64))]
pub struct Lanes {
    /// The candidates that are left.
    pub words: Words,
    /// Of every third of the digits: candidates that may have another place in their box. Too many is harmless.
    pub several: [[u32; LANES]; 3],
}

/// What a round did, a bit a lane.
pub struct Outcome {
    /// Lanes that have no solution.
    pub dead: u32,
    /// Lanes in which rows, columns and boxes dropped nothing.
    pub still: u32,
}

impl Lanes {
    /// Lanes with nothing in them, which are dead.
    pub const EMPTY: Self = Self { words: [[0; LANES]; WORDS], several: [[0; LANES]; 3] };

    /// Puts candidates into a lane.
    #[inline(always)]
    pub fn put(&mut self, lane: usize, candidates: &Candidates) {
        for (word, &candidates) in self.words.iter_mut().zip(candidates) {
            word[lane] = candidates;
        }
        self.forget(lane);
    }

    /// Forgets what is known of the candidates that were in a lane.
    #[inline(always)]
    pub fn forget(&mut self, lane: usize) {
        for several in &mut self.several {
            several[lane] = u32::MAX;
        }
    }

    /// One round of all lanes.
    #[inline(always)]
    pub fn round<V: Vector>(&mut self) -> Outcome {
        let mut outcome = Outcome { dead: 0, still: 0 };
        for at in (0..LANES).step_by(V::WIDTH) {
            let (dead, changed) = round::<V>(&mut self.words, &mut self.several, at);
            let lanes = u32::MAX >> (32 - V::WIDTH);
            outcome.dead |= (!dead.zeros() & lanes) << at;
            outcome.still |= changed.zeros() << at;
        }
        outcome
    }
}

/// One round of the lanes from `at` on: what is not zero where there is no solution, and what is not zero where something was
/// dropped by boxes and [`lines`].
#[inline(always)]
fn round<V: Vector>(words: &mut Words, several: &mut [[u32; LANES]; 3], at: usize) -> (V, V) {
    let zero = V::splat(0);
    let mut dead = zero;
    // Candidates, and those that are naked singles.
    let mut cells = [[zero; 2]; WORDS];
    let mut naked_in_box = [zero; 3];
    let mut old_several = [zero; 3];
    for third in 0..3 {
        old_several[third] = V::load(&several[third][at..]);
    }
    for place in 0..PLACES {
        let mut cell = [zero; 3];
        for third in 0..3 {
            cell[third] = V::load(&words[third * PLACES + place][at..]);
        }
        let (cell, naked, is_empty) = cell_round(cell, &old_several);
        dead |= is_empty;
        for third in 0..3 {
            cells[third * PLACES + place] = [cell[third], naked[third]];
            // The same naked single twice in a box.
            dead |= naked_in_box[third] & naked[third];
            naked_in_box[third] |= naked[third];
        }
    }
    let cells = in_memory(&mut cells);
    let mut changed = zero;
    for third in 0..3 {
        let keep = !naked_in_box[third];
        let mut new = [zero; PLACES];
        for (new, &[x, naked]) in new.iter_mut().zip(&cells[third * PLACES..]) {
            *new = x & (naked | keep);
        }
        let (one, two) = lines(&mut new);
        for (word, &new) in (third * PLACES..).zip(&new) {
            changed |= new ^ cells[word][0];
            new.store(&mut words[word][at..]);
        }
        // A box without a place for a digit.
        dead |= !one & V::splat(FULL);
        two.store(&mut several[third][at..]);
    }
    (dead, changed)
}

/// What joins the digits of a cell: hidden singles become their cells' only candidates. The candidates, those that are naked
/// singles, and the cells without any.
#[inline(always)]
fn cell_round<V: Vector>(x: [V; 3], several: &[V; 3]) -> ([V; 3], [V; 3], V) {
    let hidden = [x[0] & !several[0], x[1] & !several[1], x[2] & !several[2]];
    let any = hidden[0] | hidden[1] | hidden[2];
    let keep = !(any | rotate_rest(any) | rotate_rest_twice(any));
    let [a, b, c] = [x[0] & (hidden[0] | keep), x[1] & (hidden[1] | keep), x[2] & (hidden[2] | keep)];

    let any = a | b | c;
    let others = rotate_rest(any) | rotate_rest_twice(any);
    let singles = [a & !(b | c | others), b & !(a | c | others), c & !(a | b | others)];
    ([a, b, c], singles, !(any | others) & V::splat(FULL))
}

/// What joins the places of a digit: rows and columns keep what is part of a permutation. The candidates that have a place in
/// their box, and those that have several.
#[inline(always)]
fn lines<V: Vector>(x: &mut [V; PLACES]) -> (V, V) {
    let rows = permutable(rows(x), rotate_stack);
    for place in 0..PLACES {
        x[place] &= rows[place / 3];
    }
    let columns = permutable(columns(x), rotate_band);
    let (mut one, mut two) = (V::splat(0), V::splat(0));
    for place in 0..PLACES {
        x[place] &= columns[place % 3];
        two |= one & x[place];
        one |= x[place];
    }
    (one, two)
}

/// The rows of the boxes, of nine places.
#[inline(always)]
pub fn rows<V: Vector>(x: &[V; PLACES]) -> [V; 3] {
    [x[0] | x[1] | x[2], x[3] | x[4] | x[5], x[6] | x[7] | x[8]]
}

/// The columns.
#[inline(always)]
pub fn columns<V: Vector>(x: &[V; PLACES]) -> [V; 3] {
    [x[0] | x[3] | x[6], x[1] | x[4] | x[7], x[2] | x[5] | x[8]]
}

/// For three rows (or columns): in which boxes the other two can take the other two boxes. `next` brings the next box's bit.
#[inline(always)]
fn permutable<V: Vector>(rows: [V; 3], next: impl Fn(V) -> V) -> [V; 3] {
    let [a, b, c] = rows;
    let (a_next, b_next, c_next) = (next(a), next(b), next(c));
    [next((b & c_next) | (c & b_next)), next((a & c_next) | (c & a_next)), next((a & b_next) | (b & a_next))]
}
