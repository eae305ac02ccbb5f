//! What the windows leave to the tiles: lines that cover a part of one, or have lost in it.

use rayon::prelude::*;
use thalweg_core::Result;
use thalweg_core::memory::computed;
use thalweg_core::parallel::chunk_range;

use super::super::place::GAP;
use super::{Axis, Cover, GRAIN, TILE};

/// A line that a tile has to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Job {
    pub(super) tile: u32,
    pub(super) line: u32,
}

/// Lines in the order of tiles.
pub(super) struct Jobs {
    starts: Vec<usize>,
    lines: Vec<u32>,
}

impl Jobs {
    /// Of all lines that cover tiles in part, unless the line that covers the `whole` tile hides them there, and of those that
    /// were `lost`.
    pub(super) fn new(axis: &Axis<'_>, covers: &[Cover], whole: &[u32], lost: Vec<Job>) -> Result<Self> {
        let parts = computed(covers.len().div_ceil(GRAIN), 1, "parts of segments", |chunk| {
            let mut jobs = Vec::new();
            for line in chunk_range(chunk, GRAIN, covers.len()) {
                let Some(cover) = covers[line] else { continue };
                for (tile, part) in partial_tiles(cover, axis.len()) {
                    let whole = whole[tile as usize];
                    if whole == GAP || !axis.hides(whole, line as u32, part) {
                        jobs.push(Job { tile, line: line as u32 });
                    }
                }
            }
            jobs
        })?;
        let mut jobs: Vec<Job> = parts.into_iter().flatten().chain(lost).collect();
        // The same on any number of threads, though the order within a tile does not matter.
        jobs.par_sort_unstable();
        let before = |tile: usize| jobs.partition_point(|job| (job.tile as usize) < tile);
        let starts = computed(whole.len() + 1, GRAIN, "tiles", before)?;
        Ok(Self { starts, lines: computed(jobs.len(), GRAIN, "parts of segments", |i| jobs[i].line)? })
    }

    pub(super) fn of(&self, tile: usize) -> &[u32] {
        &self.lines[self.starts[tile]..self.starts[tile + 1]]
    }
}

/// The tiles that a range covers in part, up to two, and what of them.
fn partial_tiles([first, last]: [u32; 2], len: u32) -> impl Iterator<Item = (u32, [u32; 2])> {
    let tile = TILE as u32;
    let (left, right) = (first / tile, last / tile);
    let end = |index: u32| ((u64::from(index) + 1) * u64::from(tile)).min(len.into()) as u32 - 1;
    let is_partial = first % tile != 0 || last < end(left);
    let left_part = is_partial.then(|| (left, [first, last.min(end(left))]));
    let right_part = (right != left && last < end(right)).then(|| (right, [right * tile, last]));
    left_part.into_iter().chain(right_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_in_tiles() {
        let tile = TILE as u32;
        let parts = |first, last, len| partial_tiles([first, last], len).collect::<Vec<_>>();
        assert_eq!(parts(0, tile - 1, 9 * tile), []);
        assert_eq!(parts(tile, 3 * tile - 1, 9 * tile), []);
        assert_eq!(parts(5, 9, 9 * tile), [(0, [5, 9])]);
        assert_eq!(parts(5, tile, 9 * tile), [(0, [5, tile - 1]), (1, [tile, tile])]);
        assert_eq!(parts(tile, 3 * tile + 7, 9 * tile), [(3, [3 * tile, 3 * tile + 7])]);
        // The last tile is shorter.
        assert_eq!(parts(0, tile + 7, tile + 8), []);
        assert_eq!(parts(0, tile + 6, tile + 8), [(1, [tile, tile + 6])]);
        assert_eq!(parts(0, 0, 1), []);
        assert_eq!(parts(u32::MAX - 2, u32::MAX - 2, u32::MAX - 1), [((u32::MAX - 2) / tile, [u32::MAX - 2; 2])]);
    }
}
