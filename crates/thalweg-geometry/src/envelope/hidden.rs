//! Which segments a sample's envelope hides: of many long ones nearly all, in a pass at the speed of memory.
//!
//! The envelope of a random sample is a bound of the whole one from above. Its x-range is cut into bins, and for every bin a
//! number is kept that the sample's envelope does not exceed there; infinity where it has a gap. A segment whose lowest end
//! is above the largest of these numbers, over the bins that it touches, lies above the envelope everywhere and takes no part.
//! The largest number of a range of bins is a range maximum: two lookups in a sparse table.
//!
//! All of it in doubles, rounded so that nothing is dropped that counts: bins grow with x however it is rounded, numbers of
//! bins are rounded up, and ties stay.
//!
//! With n^(2/3) segments in the sample both its envelope and that of what it leaves are small beside the pass, where
//! segments are random. Where they are short or parallel to the envelope, nothing can be dropped; a second sample tells so
//! before the pass.

use thalweg_core::Result;
use thalweg_core::memory::try_with_large_capacity;
use thalweg_core::parallel::chunk_range;

use super::lines::Lines;
use super::loader::{Loader, Scan};
use super::place::GAP;

/// Fewer segments are merged as they are.
const FEW: usize = 4096;
/// Bins of a sample's envelope: the table of their maxima stays in the second cache.
const BINS: usize = 1024;
/// Segments of the second sample.
const TRIAL: usize = 1024;
/// Segments that a task looks at.
const GRAIN: usize = 1 << 14;

/// The numbers of those among `len` segments that may count, in order.
pub(super) fn visible(loader: &Loader<'_>, len: usize) -> Result<Vec<u32>> {
    let all = || thalweg_core::memory::computed(len, GRAIN, "numbers of segments", |i| i as u32);
    if len < FEW {
        return all();
    }
    let count = ((len as f64).powf(2.0 / 3.0) as usize).clamp(TRIAL, len / 2);
    let lines = Lines::new(loader, sample(len, count, 1))?;
    let Some(bounds) = Bounds::new(&lines)? else { return all() };
    let left = loader.scan(Left { bounds: &bounds, ids: sample(len, TRIAL, 2) });
    if left > TRIAL * 2 / 3 {
        return all();
    }
    loader.scan(Keep { bounds: &bounds, len })
}

/// `count` numbers below `len`, one at random from every part of the same size, in order: the same for the same `seed`.
fn sample(len: usize, count: usize, seed: u64) -> Vec<u32> {
    let mix = |i: u64| {
        let mut z = (i ^ seed << 60).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let start = |i: usize| (len as u128 * i as u128 / count as u128) as u64;
    let one = |i: usize| start(i) + ((u128::from(mix(i as u64)) * u128::from(start(i + 1) - start(i))) >> 64) as u64;
    (0..count).map(|i| one(i) as u32).collect()
}

/// Numbers that an envelope does not exceed, bin by bin.
struct Bounds {
    /// The bin of x is `(x - start) * per_unit + 1`, rounded down; the first and the last one are everything outside.
    start: f64,
    per_unit: f64,
    /// Level k at bin i: the largest number of the 2^k bins from i on.
    levels: Vec<[f64; BINS + 2]>,
}

impl Bounds {
    /// Of the envelope of some lines, unless that has no end, or none at all.
    fn new(lines: &Lines) -> Result<Option<Self>> {
        let pieces = super::merge::of_lines(lines)?;
        let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { return Ok(None) };
        let (start, end) = (first.at.lo, last.at.hi);
        let per_unit = BINS as f64 / (end - start);
        let width = (end - start) / BINS as f64;
        if !(per_unit > 0.0 && per_unit.is_finite() && width > 0.0 && width.is_finite()) {
            return Ok(None);
        }
        let mut bounds = Self { start, per_unit, levels: vec![[f64::NEG_INFINITY; BINS + 2]] };
        // An x may fall into a bin from outside by as much as it is rounded.
        let slack = 1e-6 * width + 4.0 * f64::EPSILON * (start.abs() + end.abs());
        for (piece, next) in pieces.iter().zip(&pieces[1..]) {
            for bin in bounds.bin(piece.at.lo)..=bounds.bin(next.at.hi) {
                let left = start + (bin as f64 - 1.0) * width - slack;
                let (from, to) = (left.max(piece.at.lo), (left + width + 2.0 * slack).min(next.at.hi));
                let highest = if piece.line == GAP {
                    f64::INFINITY
                } else {
                    [from, to]
                        .map(|x| lines.view(piece.line).value(x))
                        .map(|(y, error)| y + error)
                        .into_iter()
                        .fold(f64::NEG_INFINITY, f64::max)
                };
                let number = &mut bounds.levels[0][bin];
                // Up, for the sum above and for rounded ends of segments.
                *number = number.max(highest + 4.0 * f64::EPSILON * highest.abs());
                // Not a number: an infinite slope or error.
                if number.is_nan() || highest.is_nan() {
                    *number = f64::INFINITY;
                }
            }
        }
        [bounds.levels[0][0], bounds.levels[0][BINS + 1]] = [f64::INFINITY; 2];
        for level in 0..BINS.ilog2() as usize + 1 {
            let below = bounds.levels[level];
            let mut next = below;
            for i in 0..BINS + 2 - (1 << level) {
                next[i] = below[i].max(below[i + (1 << level)]);
            }
            bounds.levels.push(next);
        }
        Ok(Some(bounds))
    }

    /// Grows with x: every step does, however it is rounded.
    #[inline(always)]
    fn bin(&self, x: f64) -> usize {
        // Negative numbers become 0. What is larger than the bins is the last one.
        (((x - self.start) * self.per_unit + 1.0) as usize).min(BINS + 1)
    }

    /// Whether a segment lies above the envelope everywhere. Infinite ends are outside of all bins.
    #[inline(always)]
    fn hides(&self, [x1, y1, x2, y2]: [f64; 4]) -> bool {
        let (one, two) = (self.bin(x1), self.bin(x2));
        let (left, right) = (one.min(two), one.max(two));
        let level = (right - left + 1).ilog2() as usize;
        let row = &self.levels[level];
        let highest = row[left].max(row[right + 1 - (1 << level)]);
        y1.min(y2) > highest
    }
}

/// How many of some segments are not hidden.
struct Left<'b> {
    bounds: &'b Bounds,
    ids: Vec<u32>,
}

impl Scan for Left<'_> {
    type Output = usize;
    fn run(self, row: impl Fn(usize) -> [f64; 4] + Sync) -> usize {
        self.ids.iter().filter(|&&id| !self.bounds.hides(row(id as usize))).count()
    }
}

/// Which segments are not hidden.
struct Keep<'b> {
    bounds: &'b Bounds,
    len: usize,
}

impl Scan for Keep<'_> {
    type Output = Result<Vec<u32>>;
    fn run(self, row: impl Fn(usize) -> [f64; 4] + Sync) -> Self::Output {
        let kept = thalweg_core::memory::computed(self.len.div_ceil(GRAIN), 1, "numbers of segments", |chunk| {
            let mut kept = vec![0; GRAIN];
            let mut count = 0;
            for i in chunk_range(chunk, GRAIN, self.len) {
                // Written anyway, counted if it stays: no branch to mispredict.
                kept[count] = i as u32;
                count += usize::from(!self.bounds.hides(row(i)));
            }
            kept.truncate(count);
            kept.shrink_to_fit();
            kept
        })?;
        let mut all = try_with_large_capacity(kept.iter().map(Vec::len).sum(), "numbers of segments")?;
        kept.iter().for_each(|kept| all.extend_from_slice(kept));
        Ok(all)
    }
}
