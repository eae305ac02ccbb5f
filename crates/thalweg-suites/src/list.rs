//! The conformance suite of list ranking.

use thalweg_core::{Error, Result};
use thalweg_trees::list::Direction;

use thalweg_data::ListKind;
use thalweg_data::lists::{links_from_head, links_to_end, sums_from_head, sums_to_end, weights};

use crate::sizes;

/// The number of links to the end, or from the head, of every element's list.
pub type Rank<'r> = &'r dyn Fn(&[u32], Direction) -> Result<Vec<u32>>;

/// The sum of the weights from every element to the end, or from the head to it.
pub type Sums<'r> = &'r dyn Fn(&[u32], &[i32], Direction) -> Result<Vec<i64>>;

/// An engine under test.
pub struct Ranker<'r> {
    /// Its name, for messages.
    pub name: &'r str,
    /// Without weights.
    pub rank: Rank<'r>,
    /// With weights.
    pub sums: Sums<'r>,
}

/// Both directions.
pub const DIRECTIONS: [Direction; 2] = [Direction::ToEnd, Direction::FromHead];

/// Holds an engine to the contract: all kinds of lists, all boundary sizes, both directions, with and without weights,
/// and everything that is no list.
///
/// # Panics
/// With the case in the message, at the first wrong answer.
pub fn suite(ranker: &Ranker<'_>) {
    for &kind in ListKind::ALL {
        for &n in sizes() {
            check(ranker, &kind.make(n, n as u64), &format!("{} {} n={n}", ranker.name, kind.name()));
        }
    }
    bad_lists(ranker);
}

/// Compares the ranks of some lists with those of a plain walk.
///
/// # Panics
/// As [`suite`] does.
pub fn check(ranker: &Ranker<'_>, next: &[u32], case: &str) {
    let weights = weights(next.len(), 1);
    let weight = |i: usize| i64::from(weights[i]);
    for direction in DIRECTIONS {
        let (ranks, sums) = match direction {
            Direction::ToEnd => (links_to_end(next), sums_to_end(next, weight)),
            Direction::FromHead => (links_from_head(next), sums_from_head(next, weight)),
        };
        let got = (ranker.rank)(next, direction).unwrap_or_else(|e| panic!("{case} {direction:?}: {e}"));
        equal(&got, &ranks, &format!("{case} {direction:?}: rank"));
        let got = (ranker.sums)(next, &weights, direction).unwrap_or_else(|e| panic!("{case} {direction:?}: {e}"));
        equal(&got, &sums, &format!("{case} {direction:?}: sum"));
    }
}

/// Compares two arrays and names the first difference.
pub(crate) fn equal<T: PartialEq + std::fmt::Debug>(got: &[T], want: &[T], what: &str) {
    assert_eq!(got.len(), want.len(), "{what}: length");
    if let Some(i) = (0..got.len()).find(|&i| got[i] != want[i]) {
        panic!("{what} of {i}: {:?}, not {:?}", got[i], want[i]);
    }
}

/// Everything that is no list must be refused, with the error that names the place.
///
/// # Panics
/// As [`suite`] does.
pub fn bad_lists(ranker: &Ranker<'_>) {
    let refused = |next: &[u32], want: Error| {
        let weights = weights(next.len(), 1);
        for direction in DIRECTIONS {
            assert_eq!((ranker.rank)(next, direction), Err(want.clone()), "{} {direction:?}", ranker.name);
            assert_eq!((ranker.sums)(next, &weights, direction), Err(want.clone()), "{} {direction:?}", ranker.name);
        }
    };
    let cycle = |element| Error::Cycle { what: "element", element };
    refused(&[1, 0], cycle(0));
    refused(&[0, u32::MAX, 4, 2, 3], cycle(2));
    refused(&[0, 5], Error::Link { what: "element", element: 1, to: 5, len: 2 });
    refused(&[2, 2, 2], Error::Join { element: 2, before: [0, 1] });
    for n in [100, 5_000, 100_003] {
        let good = ListKind::Random.make::<u32>(n, 7);
        let end = (0..n).find(|&i| good[i] as usize >= n || good[i] as usize == i).expect("a list has an end");
        let head = links_from_head(&good).iter().position(|&rank| rank == 0).expect("a list has a head");
        let with = |i: usize, to: usize| {
            let mut bad = good.clone();
            bad[i] = to as u32;
            bad
        };
        // The whole list as one cycle.
        refused(&with(end, head), cycle(0));
        // The end joins the list again: a head, a tail, and a cycle. The element in the middle follows two.
        let middle = (0..n).find(|&i| i != head && i != end).expect("a long list");
        let before = (0..n).find(|&i| good[i] as usize == middle).expect("not the head");
        let before = [before.min(end), before.max(end)];
        refused(&with(end, middle), Error::Join { element: middle, before });
        refused(&with(n / 2, n), Error::Link { what: "element", element: n / 2, to: n as u64, len: n });
        // A list and a cycle beside it.
        let mut both = ListKind::Several.make::<u32>(n, 3);
        both.extend([n as u32 + 1, n as u32 + 2, n as u32]);
        refused(&both, cycle(n));
    }
}
