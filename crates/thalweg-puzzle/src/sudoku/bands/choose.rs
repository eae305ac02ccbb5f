//! Which candidate to try when no rule concludes any more, for a puzzle a lane.
//!
//! A search goes on with the candidate being right, and with it being wrong. Both should conclude much. So it is one of
//! a cell with two candidates, or of a digit with two places in its box, where "wrong" places a digit too; and among those
//! one that, if right, drops much elsewhere. With m(row, stack) as in [`propagate`](super::propagate), and b(row, stack) the
//! same for cells with two candidates only, a candidate has a point for each of these: another box of its row has b, another
//! row of its box has b, another row of its box has m; and the same for columns. Most points win, the first candidate
//! among equals.
//!
//! Measured in rounds a puzzle, on the 49,158 known puzzles with 17 clues, 1,465 hard ones and 375 of the hardest: the first
//! cell with two candidates 23, 122 and 1531; counting candidates and such cells in rows, columns and boxes, three weights
//! that did best, 17, 90 and 1080; these points 17, 84 and 1000. They take less work, too: words of rows in boxes are a
//! third as many as candidates.

use super::layout::{PLACES, WORDS, rotate_band, rotate_rest, rotate_rest_twice, rotate_stack};
use super::propagate::{LANES, Words, columns, rows};
use super::vector::Vector;

/// What to try.
#[derive(Clone)]
pub struct Choice {
    /// The candidate's word.
    pub word: [u32; LANES],
    /// Its bit, and maybe higher ones; none where every cell has one candidate.
    pub bits: [u32; LANES],
}

/// Chooses for every lane.
#[inline(always)]
pub fn choose<V: Vector>(words: &Words, choice: &mut Choice) {
    for at in (0..LANES).step_by(V::WIDTH) {
        let x: [V; WORDS] = std::array::from_fn(|word| V::load(&words[word][at..]));
        let (word, bits) = best(&x);
        word.store(&mut choice.word[at..]);
        bits.store(&mut choice.bits[at..]);
    }
}

/// Some of the candidates with the most points: their word and their bits.
#[inline(always)]
fn best<V: Vector>(x: &[V; WORDS]) -> (V, V) {
    let (mut selected, pairs) = eligible(x);
    // Points are numbers of three bits.
    let mut points = [[V::splat(0); WORDS]; 3];
    for third in 0..3 {
        let all: [V; PLACES] = std::array::from_fn(|place| x[third * PLACES + place]);
        let paired: [V; PLACES] = std::array::from_fn(|place| all[place] & pairs[place]);
        let rows = line_points(&rows(&all), &rows(&paired), rotate_stack);
        let columns = line_points(&columns(&all), &columns(&paired), rotate_band);
        for place in 0..PLACES {
            let ((low, high), (other_low, other_high)) = (rows[place / 3], columns[place % 3]);
            let carry = low & other_low;
            let word = third * PLACES + place;
            points[0][word] = low ^ other_low;
            points[1][word] = high ^ other_high ^ carry;
            points[2][word] = majority(high, other_high, carry);
        }
    }
    // The most: bit by bit, from the highest, what has it if something has.
    for bit in [2, 1, 0] {
        let mut any = V::splat(0);
        for word in 0..WORDS {
            any |= selected[word] & points[bit][word];
        }
        let none = any.is_zero();
        for word in 0..WORDS {
            selected[word] &= points[bit][word] | none;
        }
    }
    let (mut word, mut bits) = (V::splat(0), V::splat(0));
    for i in (0..WORDS).rev() {
        let is_empty = selected[i].is_zero();
        word = (word & is_empty) | (V::splat(i as u32) & !is_empty);
        bits = (bits & is_empty) | selected[i];
    }
    (word, bits)
}

/// Candidates of cells with two, and of digits with two places in their box; where there is neither, all candidates of
/// cells with more than one. And the cells with two, by place, as bits of all rests.
#[inline(always)]
fn eligible<V: Vector>(x: &[V; WORDS]) -> ([V; WORDS], [V; PLACES]) {
    let zero = V::splat(0);
    let (mut pairs, mut open) = ([zero; PLACES], [zero; PLACES]);
    for place in 0..PLACES {
        (pairs[place], open[place]) = two_or_more(x[place], x[PLACES + place], x[2 * PLACES + place]);
    }
    let mut any = zero;
    let mut selected = [zero; WORDS];
    for third in 0..3 {
        let (mut one, mut two, mut three) = (zero, zero, zero);
        for place in 0..PLACES {
            let x = x[third * PLACES + place];
            three |= two & x;
            two |= one & x;
            one |= x;
        }
        for place in 0..PLACES {
            let word = third * PLACES + place;
            selected[word] = x[word] & open[place] & (pairs[place] | (two & !three));
            any |= selected[word];
        }
    }
    let none = any.is_zero();
    for word in 0..WORDS {
        selected[word] |= x[word] & open[word % PLACES] & none;
    }
    (selected, pairs)
}

/// Of a cell's three words: whether it has two candidates, and whether two or more, as bits of all rests.
#[inline(always)]
fn two_or_more<V: Vector>(a: V, b: V, c: V) -> (V, V) {
    // The number of thirds is odd + 2 two, and of all candidates the sum of three such numbers.
    let (odd, two) = (a ^ b ^ c, majority(a, b, c));
    let (odd_1, odd_2) = (rotate_rest(odd), rotate_rest_twice(odd));
    let (two_1, two_2) = (rotate_rest(two), rotate_rest_twice(two));
    let carry = majority(odd, odd_1, odd_2);
    let is_odd = odd ^ odd_1 ^ odd_2;
    let twos = two | two_1 | two_2;
    let four = majority(two, two_1, two_2) | (twos & carry);
    ((twos | carry) & !four & !is_odd, twos | carry)
}

#[inline(always)]
fn majority<V: Vector>(a: V, b: V, c: V) -> V {
    (a & b) | (c & (a | b))
}

/// The points of rows, or columns, by all candidates and by those of cells with two: the number's low and high bit. `next`
/// brings the next box's bit.
#[inline(always)]
fn line_points<V: Vector>(all: &[V; 3], paired: &[V; 3], next: impl Fn(V) -> V) -> [(V, V); 3] {
    let mut points = [(V::splat(0), V::splat(0)); 3];
    for (i, one, other) in [(0, 1, 2), (1, 0, 2), (2, 0, 1)] {
        let once = next(paired[i]);
        let in_line = once | next(once);
        let in_box = paired[one] | paired[other];
        let spread = all[one] | all[other];
        points[i] = (in_line ^ in_box ^ spread, majority(in_line, in_box, spread));
    }
    points
}
