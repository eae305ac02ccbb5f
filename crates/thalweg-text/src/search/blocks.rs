//! The default engine: memchr's `memmem` in overlapping blocks, on all threads.
//!
//! The blocks partition the places; a block reads on into the next one by the pattern's length less one. `memmem` knows
//! nothing of overlapping occurrences and, started anew one place further after each, would take O(n m) on texts like
//! aaaa. So after an occurrence the pattern's period decides. With period p, the next occurrence is at a distance of at
//! least p. At distance p exactly, only the p symbols behind the occurrence have to be compared. If they differ, no
//! occurrence follows within a distance of m - p: together the two would have a period below p or one that makes the
//! distance p an occurrence too (Fine and Wilf). So what is read again is O(n) in all.

use std::ops::Range;

use memchr::memchr_iter;
use memchr::memmem::Finder;

use super::period::period;
use super::{Found, in_blocks, split};
use thalweg_core::Result;

pub(super) fn find<F: Found>(text: &[u8], pattern: &[u8]) -> Result<F> {
    let m = pattern.len();
    let finder = Finder::new(pattern);
    let period = period(pattern);
    in_blocks(split(text.len() - m + 1, m), |block| in_block(text, &finder, period, block))
}

/// The places in a block.
fn in_block<F: Found>(text: &[u8], finder: &Finder<'_>, period: usize, block: Range<usize>) -> F {
    let m = finder.needle().len();
    let text = &text[..block.end + m - 1];
    let mut found = F::default();
    if let &[symbol] = finder.needle() {
        memchr_iter(symbol, &text[block.start..]).for_each(|place| found.push(block.start + place));
        return found;
    }
    let mut from = block.start;
    while let Some(distance) = finder.find(&text[from..]) {
        let mut place = from + distance;
        found.push(place);
        // The pattern goes on as the text behind it.
        while text.len() >= place + period + m && text[place + m..place + m + period] == finder.needle()[m - period..] {
            place += period;
            found.push(place);
        }
        from = place + 1 + period.max(m - period);
        if from > text.len() {
            break;
        }
    }
    found
}
