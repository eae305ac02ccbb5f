//! Boyer and Moore (1977): compares from the pattern's end backwards and, on a mismatch, moves the pattern by the larger of
//! two distances: until the text's symbol meets the same one in the pattern (bad character), or until what has matched
//! meets an equal part of the pattern (good suffix). Long patterns skip most of the text.
//!
//! After an occurrence the pattern moves by its period, and what it then covers of the occurrence need not be compared
//! again (Galil 1979): that makes all occurrences, overlapping ones too, O(n + m) work. Memory: m words and 256.

use super::period::{agreements, borders};

pub(super) fn find(text: &[u8], pattern: &[u8], found: &mut impl FnMut(usize)) {
    let m = pattern.len();
    // Where a symbol occurs last, counted from 1.
    let mut last = [0; 256];
    for (at, &symbol) in pattern.iter().enumerate() {
        last[usize::from(symbol)] = at + 1;
    }
    let shifts = good_suffix_shifts(pattern);
    let period = m - borders(pattern)[m - 1];
    // The first `known` symbols under the pattern are equal to it: nobody has to look.
    let (mut place, mut known) = (0, 0);
    while place + m <= text.len() {
        let window = &text[place..place + m];
        let mut rest = m;
        while rest > known && pattern[rest - 1] == window[rest - 1] {
            rest -= 1;
        }
        if rest == known {
            found(place);
            (place, known) = (place + period, m - period);
        } else {
            let bad_character = rest.saturating_sub(last[usize::from(window[rest - 1])]);
            (place, known) = (place + shifts[rest - 1].max(bad_character), 0);
        }
    }
}

/// How far to move the pattern when everything behind position `at` has matched and `at` has not.
fn good_suffix_shifts(pattern: &[u8]) -> Vec<usize> {
    let m = pattern.len();
    let reversed: Vec<u8> = pattern.iter().rev().copied().collect();
    // What every prefix of the pattern, from the shortest, has in common with its end.
    let mut suffixes = agreements(&reversed);
    suffixes.reverse();
    let mut shifts = vec![m; m];
    // A prefix that is also a suffix, below the part that has matched: the longest one that fits.
    let mut from = 0;
    for end in (1..m).rev() {
        if suffixes[end - 1] == end {
            shifts[from..m - end].fill(m - end);
            from = m - end;
        }
    }
    // The matched part again, with another symbol before it: the last such place.
    for end in 1..m {
        let length = suffixes[end - 1];
        if length < end || end == m {
            shifts[m - 1 - length] = m - end;
        }
    }
    shifts
}
