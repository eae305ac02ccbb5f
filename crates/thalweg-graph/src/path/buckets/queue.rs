//! A queue of buckets for numbers that only grow, but for rounding.
//!
//! R. B. Dial, "Algorithm 360: shortest-path forest with topological ordering", 1969: what comes later is thrown into one of
//! a ring of buckets, each of which spans the same width. Here the current bucket is a heap, so that a width which is too
//! large for some grid, one of costs 1 and 2^32 - 1, say, costs a logarithm and not the order.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Buckets in the ring.
const RING: usize = 1 << 12;
/// A bucket spans this part of the least cost, or more if the ring would not hold a step of the most cost. Not measured: in
/// grids with few costs, cells of a bucket have few different numbers.
const PART: f64 = 1.0 / 16.0;

#[derive(Clone, Copy, Debug)]
struct Entry {
    f: f64,
    left: f32,
    cell: u32,
}

/// The smallest f first; of equals, what is nearest to the goal.
impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        other.f.total_cmp(&self.f).then(other.left.total_cmp(&self.left)).then(other.cell.cmp(&self.cell))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Entry {}

#[derive(Debug)]
pub(super) struct Queue {
    ring: Vec<Vec<Entry>>,
    current: BinaryHeap<Entry>,
    /// Number of the current bucket, counted from that of the first f.
    at: u64,
    /// How many entries are in the ring.
    waiting: usize,
    per_width: f64,
    first: f64,
}

impl Queue {
    /// A queue for steps between these costs.
    pub(super) fn new(least: u32, most: u32) -> Self {
        // A step of cost w takes f further by at most w√2 + least √2.
        let furthest = 2.0 * std::f64::consts::SQRT_2 * f64::from(most);
        let width = (f64::from(least) * PART).max(furthest / (RING - 8) as f64);
        let ring = vec![Vec::new(); RING];
        Self { ring, current: BinaryHeap::new(), at: 0, waiting: 0, per_width: 1.0 / width, first: 0.0 }
    }

    /// Throws all away; nothing smaller than `first` will come.
    pub(super) fn clear(&mut self, first: f64) {
        self.current.clear();
        if self.waiting > 0 {
            self.ring.iter_mut().for_each(Vec::clear);
        }
        (self.at, self.waiting, self.first) = (0, 0, first);
    }

    #[inline(always)]
    fn bucket(&self, f: f64) -> u64 {
        ((f - self.first) * self.per_width) as u64
    }

    #[inline(always)]
    pub(super) fn push(&mut self, f: f64, left: f32, cell: u32) {
        let (entry, bucket) = (Entry { f, left, cell }, self.bucket(f));
        if bucket <= self.at {
            self.current.push(entry);
        } else {
            debug_assert!(bucket - self.at < RING as u64, "a step of more than the most cost");
            self.ring[bucket as usize % RING].push(entry);
            self.waiting += 1;
        }
    }

    /// The first entry, unless its f is beyond the limit.
    #[inline(always)]
    pub(super) fn pop(&mut self, limit: f64) -> Option<(f64, u32)> {
        while self.current.is_empty() {
            if self.waiting == 0 || self.bucket(limit) <= self.at {
                return None;
            }
            self.at += 1;
            let bucket = &mut self.ring[self.at as usize % RING];
            self.waiting -= bucket.len();
            // The heap's memory goes to the bucket, and the bucket's becomes the heap.
            let mut old = std::mem::take(&mut self.current).into_vec();
            old.clear();
            self.current = std::mem::replace(bucket, old).into();
        }
        let entry = self.current.peek()?;
        if entry.f > limit {
            return None;
        }
        self.current.pop().map(|entry| (entry.f, entry.cell))
    }
}
