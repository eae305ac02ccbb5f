//! Patterns in a suffix array: two binary searches each.
//!
//! A step of a binary search waits for two reads, of the suffix array and of the text. So the searches of a batch go in
//! groups of [`GROUP`]: a step of all of them, then the next step, and before each the memory is asked for everything
//! that it will read. Manber and Myers (1990) give the bound O(m log n) for one pattern; the LCP array, which would save
//! the comparisons of what is known to be equal, is not needed.

use std::cmp::Ordering;
use std::ops::Range;

use crate::position_width::by_position;
use crate::symbol::{Patterns, Symbol, Symbols};
use thalweg_core::error::try_filled;
use thalweg_core::parallel::for_each_chunk_mut;
use thalweg_core::simd::prefetch;
use thalweg_core::{Position, Positions, Result};

/// Searches that go together. Not measured closely.
const GROUP: usize = 16;

/// Patterns that a task looks for.
const TASK: usize = 64 * GROUP;

/// A binary search for the first suffix that a pattern is not greater than, or for the first greater one.
#[derive(Clone, Copy)]
struct Search {
    low: usize,
    high: usize,
}

/// How a suffix compares with a pattern; equal if it begins with it.
fn compare<T: Symbol>(suffix: &[T], pattern: &[T]) -> Ordering {
    suffix[..suffix.len().min(pattern.len())].cmp(pattern)
}

/// The suffixes that begin with a pattern.
pub(super) fn find(text: Symbols<'_>, positions: &Positions, pattern: Symbols<'_>) -> Range<usize> {
    match (text, pattern) {
        (Symbols::U8(text), Symbols::U8(pattern)) => by_position!(positions, sa => find_as(text, sa, pattern)),
        (Symbols::U32(text), Symbols::U32(pattern)) => by_position!(positions, sa => find_as(text, sa, pattern)),
        _ => unreachable!("text and pattern are of one type"),
    }
}

fn find_as<T: Symbol, P: Position>(text: &[T], sa: &[P], pattern: &[T]) -> Range<usize> {
    let before = |bound: Ordering| sa.partition_point(|p| compare(&text[p.get()..], pattern) < bound);
    before(Ordering::Equal)..before(Ordering::Greater)
}

/// The same for many.
pub(super) fn find_many(text: Symbols<'_>, positions: &Positions, patterns: Patterns<'_>) -> Result<Vec<Range<usize>>> {
    match (text, patterns) {
        (Symbols::U8(text), Patterns::U8(patterns)) => by_position!(positions, sa => many_as(text, sa, patterns)),
        (Symbols::U32(text), Patterns::U32(patterns)) => by_position!(positions, sa => many_as(text, sa, patterns)),
        _ => unreachable!("text and patterns are of one type"),
    }
}

fn many_as<T: Symbol, P: Position>(text: &[T], sa: &[P], patterns: &[&[T]]) -> Result<Vec<Range<usize>>> {
    let mut out = try_filled(patterns.len(), 0..0, "ranges of suffixes")?;
    for_each_chunk_mut(&mut out, TASK, &|start, out| {
        for (out, patterns) in out.chunks_mut(GROUP).zip(patterns[start..].chunks(GROUP)) {
            let starts = group(text, sa, patterns, Ordering::Equal);
            let ends = group(text, sa, patterns, Ordering::Greater);
            for (i, out) in out.iter_mut().enumerate() {
                *out = starts[i]..ends[i];
            }
        }
    });
    Ok(out)
}

/// For every pattern of a group, how many suffixes are below the bound.
fn group<T: Symbol, P: Position>(text: &[T], sa: &[P], patterns: &[&[T]], bound: Ordering) -> [usize; GROUP] {
    let mut searches = [Search { low: 0, high: sa.len() }; GROUP];
    let searches = &mut searches[..patterns.len()];
    let mut places = [0; GROUP];
    // All of them halve the same length, so all end together, give or take a step.
    while searches.iter().any(|search| search.low < search.high) {
        for search in searches.iter() {
            prefetch(sa, search.low.midpoint(search.high));
        }
        for (place, search) in places.iter_mut().zip(&*searches) {
            *place = if search.low < search.high { sa[search.low.midpoint(search.high)].get() } else { 0 };
            prefetch(text, *place);
        }
        for ((&place, search), pattern) in places.iter().zip(&mut *searches).zip(patterns) {
            if search.low < search.high {
                let middle = search.low.midpoint(search.high);
                if compare(&text[place..], pattern) < bound {
                    search.low = middle + 1;
                } else {
                    search.high = middle;
                }
            }
        }
    }
    std::array::from_fn(|i| searches.get(i).map_or(0, |search| search.low))
}
