//! A better idea of what is left to the goal: distances from a few landmarks.
//!
//! A. V. Goldberg, C. Harrelson, "Computing the shortest path: A* search meets graph theory", 2005. By the triangle
//! inequality a cell and the goal are at least as far apart as their distances from any landmark differ. Where walls make
//! paths much longer than they would be without, that is a much better bound, and fewer cells are visited. Nothing else
//! changes, neither lengths nor paths.
//!
//! The landmarks are the cells of a region that are furthest in the four corners. The distances are those of steps of length
//! 29 and 41, in whole numbers, which are found by a ring of buckets: 41 is less than 29√2 by 0.03 %, so they are never too
//! long. They are kept in 16 bits, rounded down.

use std::sync::atomic::Ordering::Relaxed;

use thalweg_core::Result;
use thalweg_core::error::try_filled;
use thalweg_core::memory::computed;
use thalweg_core::parallel::for_each_chunk;

use super::super::Moves;
use super::super::rule::STEPS;
use super::tables::Cell;

/// How many landmarks: their distances are 8 bytes a cell.
const LANDMARKS: usize = 4;
/// A straight and a diagonal step.
const STRAIGHT: u32 = 29;
const DIAGONAL: u32 = 41;
/// Buckets of the ring, more than a step is long.
const RING: usize = 64;
const UNREACHED: u32 = u32::MAX;

/// The distances of a cell from all landmarks, 16 bits each.
pub(super) type Marks = u64;

/// Landmarks, whose distances are in the cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Landmarks {
    /// The length of a unit.
    unit: f64,
}

impl Landmarks {
    /// Sets the landmarks of the region of a cell. Cells of other regions seem to be at the same place.
    /// Work O(cells), a landmark a thread.
    pub(super) fn set(cells: &[Cell], width: usize, moves: Moves, cell: usize) -> Result<Self> {
        let reached = distances(cells, width, moves, cell)?;
        let region = || (0..reached.len()).filter(|&cell| reached[cell] != UNREACHED);
        // No two cells of the region are further apart than twice the largest distance.
        let most = region().map(|cell| reached[cell]).max().unwrap_or(0).saturating_mul(2);
        let divisor = most / u32::from(u16::MAX) + 1;
        let all = computed(LANDMARKS, 1, "landmarks", |mark| {
            let (down, right) = STEPS[4 + mark];
            let height = |cell: &usize| (cell / width) as isize * down + (cell % width) as isize * right;
            let landmark = region().max_by_key(height).unwrap_or(cell);
            distances(cells, width, moves, landmark)
        })?;
        let all = all.into_iter().collect::<Result<Vec<_>>>()?;
        for_each_chunk(cells.len(), 1 << 14, &|range| {
            for cell in range.filter(|&cell| reached[cell] != UNREACHED) {
                let marks = all.iter().fold(0, |marks, far| marks << 16 | u64::from(far[cell] / divisor));
                cells[cell].marks.store(marks, Relaxed);
            }
        });
        Ok(Self { unit: f64::from(divisor) / f64::from(STRAIGHT) })
    }

    /// How far apart two cells are, at least.
    #[inline(always)]
    pub(super) fn apart(self, a: Marks, b: Marks) -> f64 {
        let mut most = 0;
        for mark in 0..LANDMARKS {
            let [a, b] = [a, b].map(|marks| (marks >> (16 * mark)) as u16);
            most = most.max(a.abs_diff(b));
        }
        // Each was rounded down, by less than one.
        f64::from(most.saturating_sub(1)) * self.unit
    }
}

/// The distances of all cells from one.
fn distances(cells: &[Cell], width: usize, moves: Moves, from: usize) -> Result<Vec<u32>> {
    let mut distances = try_filled(cells.len(), UNREACHED, "landmarks")?;
    let mut ring: Vec<Vec<u32>> = vec![Vec::new(); RING];
    let steps: [isize; 8] = STEPS.map(|(down, right)| down * width as isize + right);
    distances[from] = 0;
    ring[0].push(from as u32);
    let (mut waiting, mut distance) = (1, 0);
    while waiting > 0 {
        let mut bucket = std::mem::take(&mut ring[distance as usize % RING]);
        waiting -= bucket.len();
        for &cell in &bucket {
            if distances[cell as usize] != distance {
                continue;
            }
            let jumps = &cells[cell as usize].jumps;
            for direction in 0..moves.count() {
                if jumps[direction] != 0 {
                    let next = (cell as usize).wrapping_add_signed(steps[direction]);
                    let far = distance + if direction < 4 { STRAIGHT } else { DIAGONAL };
                    if far < distances[next] {
                        distances[next] = far;
                        ring[far as usize % RING].push(next as u32);
                        waiting += 1;
                    }
                }
            }
        }
        bucket.clear();
        ring[distance as usize % RING] = bucket;
        distance += 1;
    }
    Ok(distances)
}
