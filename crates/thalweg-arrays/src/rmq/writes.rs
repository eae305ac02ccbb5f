//! Changes of an array by all threads, without an index over it: for who keeps the index elsewhere.
#![allow(unsafe_code)]

use super::lines::buckets::{Buckets, write_all};
use thalweg_core::disjoint::Disjoint;
use thalweg_core::parallel::for_each_chunk;
use thalweg_core::{Position, Rank, Result};

/// Changes that are cut into buckets for several threads: fewer take less time than waking them.
const PARALLEL: usize = 1 << 14;
/// Buckets at most. What one of them touches stays in the second-level cache, of arrays of up to 2^26 words.
const BUCKETS: usize = 1 << 8;

/// What becomes of which elements of an array of a known length: the last one of several changes of an element wins, on any
/// number of threads. All memory is there before anything is written.
///
/// ```
/// let mut array = [1u32, 2, 3];
/// thalweg_arrays::rmq::Writes::new(&[2u32, 0, 2], &[7, 8, 9], array.len())?.to(&mut array);
/// assert_eq!(array, [8, 2, 9]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub struct Writes<'c, P, R> {
    positions: &'c [P],
    values: &'c [R],
    buckets: Option<Buckets<P, R>>,
}

impl<'c, P: Position, R: Rank> Writes<'c, P, R> {
    /// Sorts out who writes what. There are as many values as positions.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](thalweg_core::Error::OutOfMemory).
    ///
    /// # Panics
    /// If a position is outside the array.
    pub fn new(positions: &'c [P], values: &'c [R], len: usize) -> Result<Self> {
        assert_eq!(positions.len(), values.len(), "a value for every position");
        let bucket = len.div_ceil(BUCKETS).max(1).next_power_of_two();
        let buckets = match positions.len() < PARALLEL {
            true => None,
            false => Some(Buckets::new(positions, values, len.div_ceil(bucket), (0, bucket.ilog2()))?),
        };
        Ok(Self { positions, values, buckets })
    }

    /// Writes them to the array.
    ///
    /// # Panics
    /// If a position is outside the array.
    pub fn to(self, array: &mut [R]) {
        let Some(buckets) = self.buckets else {
            for (position, &value) in self.positions.iter().zip(self.values) {
                array[position.get()] = value;
            }
            return;
        };
        let array = Disjoint::new(array);
        for_each_chunk(buckets.count(), 1, &|range| {
            for updates in range.map(|bucket| buckets.get(bucket)) {
                assert!(updates.iter().all(|(position, _)| position.get() < array.len()), "positions inside the array");
                // SAFETY: inside; and all changes of an element are in one bucket, which one thread has.
                unsafe { write_all(array, updates) };
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Few and many, on one element, on several, and everywhere.
    #[test]
    fn the_last_one_wins() {
        for (len, count) in [(1usize, 3), (1, PARALLEL), (300, PARALLEL - 1), (300, PARALLEL), (70_001, 50_000)] {
            let positions: Vec<u64> = (0..count as u64).map(|i| i * 0x9e37_79b9 % 12_345_677 % len as u64).collect();
            let values: Vec<u16> = (0..count).map(|i| i as u16).collect();
            let (mut expected, mut array) = (vec![9u16; len], vec![9u16; len]);
            positions.iter().zip(&values).for_each(|(&at, &value)| expected[at as usize] = value);
            Writes::new(&positions, &values, len).unwrap().to(&mut array);
            assert_eq!(array, expected, "{count} of {len}");
        }
    }
}
