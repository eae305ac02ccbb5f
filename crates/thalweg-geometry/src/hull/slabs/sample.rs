//! Points picked at random, and their hull.

use thalweg_core::Result;
use thalweg_core::memory::computed;

use crate::hull::chains::lower_and_upper;
use crate::number::{Load, Number};

/// What points are picked for: others each time.
#[derive(Clone, Copy, Debug)]
pub(super) enum Purpose {
    Hull,
    Trial,
}

/// Points of a sample. A point more costs its sorting, and of points in a disk, a fraction of 3.4 · m^(-2/3) is outside of
/// the hull of m of them: n^(3/5) is where the two are about equal.
fn size(len: usize) -> usize {
    (2.0 * (len as f64).powf(0.6)) as usize
}

/// So many points, each a random one of as many equal parts of the input.
pub(super) fn picked<T: Load>(points: &[[T; 2]], count: usize, purpose: Purpose) -> Result<Vec<[T::Number; 2]>> {
    let len = points.len();
    let count = count.min(len);
    let start = |i: usize| (i as u128 * len as u128 / count as u128) as usize;
    computed(count, 1 << 10, "sample", |i| {
        let (from, to) = (start(i), start(i + 1));
        let random = mixed((i as u64) << 1 | purpose as u64);
        let at = from + ((u128::from(random) * (to - from) as u128) >> 64) as usize;
        points[at].map(T::load)
    })
}

/// SplitMix64's scrambling of a counter: random enough to be independent of any order of the input.
fn mixed(i: u64) -> u64 {
    let z = i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The exact hull of some of the points: its lower and upper chain from left to right, in both of which x increases strictly.
#[derive(Clone, Debug)]
pub(super) struct SampleHull<N> {
    lower: Vec<[N; 2]>,
    upper: Vec<[N; 2]>,
}

impl<N: Number> SampleHull<N> {
    /// Picks points; `None` if one of them is not finite.
    pub(super) fn of<T: Load<Number = N>>(points: &[[T; 2]]) -> Result<Option<Self>> {
        let sample = picked(points, size(points.len()), Purpose::Hull)?;
        if sample.is_empty() || !sample.as_flattened().iter().all(|x| x.is_finite()) {
            return Ok(None);
        }
        let [lower, upper] = lower_and_upper(&sample)?;
        Ok(Some(Self { lower, upper }))
    }

    /// The least and the largest x.
    pub(super) fn range(&self) -> [N; 2] {
        [self.lower[0][0], self.lower[self.lower.len() - 1][0]]
    }

    /// The lower chain, from left to right.
    pub(super) fn lower(&self) -> &[[N; 2]] {
        &self.lower
    }

    /// The upper chain, from left to right.
    pub(super) fn upper(&self) -> &[[N; 2]] {
        &self.upper
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picks_come_from_everywhere_and_are_the_same_each_time() {
        let points: Vec<[i64; 2]> = (0..100_000).map(|i| [i, -i]).collect();
        let picks = picked(&points, 1000, Purpose::Hull).unwrap();
        assert!(picks.iter().enumerate().all(|(i, pick)| pick[0] / 100 == i as i64));
        assert!((300..700).contains(&picks.iter().filter(|pick| pick[0] % 100 < 50).count()));
        assert_eq!(picks, picked(&points, 1000, Purpose::Hull).unwrap());
        assert_ne!(picks, picked(&points, 1000, Purpose::Trial).unwrap());
        assert_eq!(picked(&points[..3], 1000, Purpose::Hull).unwrap(), points[..3]);
        assert!(picked(&points[..0], 1000, Purpose::Hull).unwrap().is_empty());
    }
}
