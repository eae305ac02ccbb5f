//! Windows by bounds that ascend, and windows far apart.
//!
//! Van Herk's, Gil's and Werman's rule without blocks of one width: where a window begins, the best from every position to its
//! end is noted, from right to left. The windows that follow begin among these notes, and what they have beyond them is one
//! running minimum; the first that begins behind the notes makes new ones. Every element is looked at twice at most, without
//! a branch on its value.

use std::ops::Range;

use thalweg_core::coding::Ranking;
use thalweg_core::error::try_with_capacity;
use thalweg_core::{Rank, Result};

/// The positions of the best elements of `windows`, one after the other; `None` for empty ones.
pub(super) fn solve<R: Rank>(
    array: &[R],
    order: Ranking<R>,
    windows: Range<usize>,
    window: &dyn Fn(usize) -> Range<usize>,
    found: &mut dyn FnMut(usize, Option<usize>),
) -> Result<()> {
    let rank = |position: usize| array[position].ranked(order);
    // Position of the best of `start + i .. middle`.
    let mut notes: Vec<usize> = Vec::new();
    let (mut start, mut middle, mut end) = (0, 0, 0);
    // The best of `middle..end`, if there is one.
    let mut running: Option<(R, usize)> = None;
    for j in windows {
        let range = window(j);
        if range.is_empty() {
            found(j, None);
            continue;
        }
        let first = range.start;
        if first >= middle {
            (start, middle, end, running) = (range.start, range.end, range.end, None);
            notes.clear();
            if notes.capacity() < range.len() {
                notes = try_with_capacity(range.len(), "minima of a window")?;
            }
            notes.resize(range.len(), 0);
            let (mut best, mut at) = (rank(middle - 1), middle - 1);
            for (position, note) in range.zip(&mut notes).rev() {
                let rank = rank(position);
                let takes = rank <= best;
                (best, at) = if takes { (rank, position) } else { (best, at) };
                *note = at;
            }
        } else {
            for position in end..range.end {
                let rank = rank(position);
                if running.is_none_or(|running| rank < running.0) {
                    running = Some((rank, position));
                }
            }
            end = end.max(range.end);
        }
        let noted = notes[first - start];
        let best = match running {
            Some((best, at)) if best < rank(noted) => at,
            _ => noted,
        };
        found(j, Some(best));
    }
    Ok(())
}
