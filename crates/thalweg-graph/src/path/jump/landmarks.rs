//! A better idea of what is left to the goal: distances from a few landmarks.
//!
//! A. V. Goldberg, C. Harrelson, "Computing the shortest path: A* search meets graph theory", 2005. By the triangle
//! inequality a cell and the goal are at least as far apart as their distances from any landmark differ. Where walls make
//! paths much longer than they would be without, that is a much better bound, and fewer cells are visited.
//!
//! The distances are those of steps of length 29 and 41, in whole numbers, which are found by a ring of buckets: 41 is less
//! than 29√2 by 0.03 %, so they are never too long. They are kept in 16 bits, rounded down.

use thalweg_core::Result;
use thalweg_core::error::{try_filled, try_with_capacity};
use thalweg_core::memory::{computed, filled};

use super::super::Moves;
use super::super::rule::STEPS;
use super::tables::Jumps;

/// How many landmarks.
pub(super) const LANDMARKS: usize = 4;
/// A straight and a diagonal step.
const STRAIGHT: u32 = 29;
const DIAGONAL: u32 = 41;
/// Buckets of the ring, more than a step is long.
const RING: usize = 64;
const UNREACHED: u32 = u32::MAX;

/// The distances of a cell from all landmarks.
pub(super) type Marks = [u16; LANDMARKS];

#[derive(Debug)]
pub(super) struct Landmarks {
    pub(super) marks: Vec<Marks>,
    /// The length of a unit.
    pub(super) unit: f64,
}

impl Landmarks {
    /// Landmarks as far as possible from each other, in the region of a cell.
    pub(super) fn new(jumps: &[Jumps], width: usize, moves: Moves, cell: usize) -> Result<Self> {
        let mut nearest: Vec<u32> = filled(jumps.len(), UNREACHED, "landmarks")?;
        let mut all = try_with_capacity(LANDMARKS, "landmarks")?;
        let mut at = furthest(&distances(jumps, width, moves, cell)?);
        for _ in 0..LANDMARKS {
            let distances = distances(jumps, width, moves, at)?;
            for (nearest, &distance) in nearest.iter_mut().zip(&distances) {
                *nearest = distance.min(*nearest);
            }
            at = furthest(&nearest);
            all.push(distances);
        }
        let most = all.iter().flatten().filter(|&&distance| distance != UNREACHED).max().copied().unwrap_or(0);
        let divisor = most / u32::from(u16::MAX) + 1;
        let marks = computed(jumps.len(), 1 << 14, "landmarks", |cell| {
            std::array::from_fn(|mark| match all[mark][cell] {
                UNREACHED => 0,
                distance => (distance / divisor) as u16,
            })
        })?;
        Ok(Self { marks, unit: f64::from(divisor) / f64::from(STRAIGHT) })
    }

    /// How far apart two cells are, at least.
    #[inline(always)]
    pub(super) fn apart(&self, cell: usize, goal: &Marks) -> f64 {
        let marks = &self.marks[cell];
        let mut most = 0;
        for mark in 0..LANDMARKS {
            most = most.max(marks[mark].abs_diff(goal[mark]));
        }
        // Each was rounded down, by less than one.
        f64::from(most.saturating_sub(1)) * self.unit
    }
}

fn furthest(distances: &[u32]) -> usize {
    let reached = distances.iter().enumerate().filter(|&(_, &distance)| distance != UNREACHED);
    reached.max_by_key(|&(_, &distance)| distance).map_or(0, |(cell, _)| cell)
}

/// The distances of all cells from one.
fn distances(jumps: &[Jumps], width: usize, moves: Moves, from: usize) -> Result<Vec<u32>> {
    let mut distances = try_filled(jumps.len(), UNREACHED, "landmarks")?;
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
            let jumps = &jumps[cell as usize];
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
