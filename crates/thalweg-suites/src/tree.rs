//! The conformance suites of forests: roots and depths, tours, lowest common ancestors.

use thalweg_core::{Error, Result};

use crate::list::equal;
use thalweg_data::forests::{Walked, lca, walk};
use thalweg_data::{ForestKind, Random};

use crate::sizes;

/// A test of a forest: its parents, what is known of it, and a name for messages.
pub type ForestTest<'t> = &'t mut dyn FnMut(&[u32], &Walked<u32>, &str);

/// Finds roots and depths.
pub type FindRoots<'t> = &'t dyn Fn(&[u32]) -> Result<(Vec<u32>, Vec<u32>)>;

/// Answers a batch of pairs.
pub type LcaBatch<'t> = &'t dyn Fn(&[[u32; 2]], &mut [u32]) -> Result<()>;

/// Builds an index of a forest and hands it to a test.
pub type WithLca<'t> = &'t dyn Fn(&[u32], &dyn Fn(&LcaUnderTest<'_>)) -> Result<()>;

/// Calls `test` for every kind of forest, with parents first and with shuffled numbers, and every boundary size.
pub fn each_forest(sizes: &[usize], test: ForestTest<'_>) {
    for &kind in ForestKind::ALL {
        for &n in sizes {
            for (parents, how) in [(kind.make(n, n as u64), ""), (kind.shuffled(n, n as u64), " shuffled")] {
                test(&parents, &walk(&parents), &format!("{}{how} n={n}", kind.name()));
            }
        }
    }
}

/// What is no forest, with the error that it must be.
pub fn bad_forests() -> Vec<(Vec<u32>, Error)> {
    let cycle = |element| Error::Cycle { what: "node", element };
    let mut bad = vec![
        (vec![1, 0], cycle(0)),
        (vec![0, 2, 3, 2], cycle(2)),
        (vec![3, 3, 0, 1], cycle(1)),
        (vec![0, 0, 9], Error::Link { what: "node", element: 2, to: 9, len: 3 }),
    ];
    for n in [1000, 30_011] {
        for kind in [ForestKind::Random, ForestKind::Path, ForestKind::Many] {
            // A forest, and beside it a cycle on which a path hangs.
            let mut parents = kind.shuffled::<u32>(n, 2);
            let next = n as u32;
            parents.extend([next + 1, next + 2, next + 3, next + 1]);
            bad.push((parents, cycle(n + 1)));
        }
        let mut whole: Vec<u32> = ForestKind::Path.make(n, 1);
        whole[0] = n as u32 - 1;
        bad.push((whole, cycle(0)));
        let mut out = ForestKind::Random.make::<u32>(n, 1);
        out[n - 7] = n as u32;
        bad.push((out, Error::Link { what: "node", element: n - 7, to: n as u64, len: n }));
    }
    bad
}

/// Holds an engine for roots and depths to the contract.
///
/// # Panics
/// With the case in the message, at the first wrong answer.
pub fn roots_and_depths(name: &str, find: FindRoots<'_>) {
    each_forest(sizes(), &mut |parents, walked, case| {
        let (roots, depths) = find(parents).unwrap_or_else(|e| panic!("{name} {case}: {e}"));
        equal(&roots, &walked.roots, &format!("{name} {case}: root"));
        equal(&depths, &walked.depths, &format!("{name} {case}: depth"));
    });
    for (parents, error) in bad_forests() {
        assert_eq!(find(&parents), Err(error), "{name}");
    }
}

/// Pairs of nodes to ask for: all of a small forest; of a large one random pairs, and pairs of nodes near each other in
/// the numbering and in the tree.
pub fn pairs(parents: &[u32], walked: &Walked<u32>, count: usize) -> Vec<[u32; 2]> {
    let n = parents.len() as u32;
    if n <= 33 {
        return (0..n).flat_map(|x| (0..n).map(move |y| [x, y])).collect();
    }
    let random = Random::new(n.into(), 11);
    (0..count as u64)
        .map(|i| {
            let any = |place| random.below(4 * i + place, n.into()) as u32;
            let x = any(0);
            match i % 4 {
                0 | 1 => [x, any(1)],
                2 => [x, (x + any(1) % 8).min(n - 1)],
                _ => {
                    // A node and another that follows it closely in preorder.
                    let place = walked.preorder[x as usize] + any(1) % 16;
                    [x, walked.order[place.min(n - 1) as usize]]
                }
            }
        })
        .collect()
}

/// An LCA index under test.
pub struct LcaUnderTest<'t> {
    /// One query: a node or [`u32::MAX`].
    pub ask: &'t dyn Fn(usize, usize) -> u32,
    /// A batch.
    pub batch: LcaBatch<'t>,
}

/// Holds an LCA engine to the contract.
///
/// # Panics
/// With the case in the message, at the first wrong answer.
pub fn lca_suite(name: &str, sizes: &[usize], singles: usize, with: WithLca<'_>) {
    each_forest(sizes, &mut |parents, walked, case| {
        let deep = walked.depths.iter().max().is_some_and(|&depth| depth > 5000);
        let pairs = pairs(parents, walked, if deep { 300 } else { 3000 });
        let expected: Vec<u32> =
            pairs.iter().map(|&[x, y]| lca(parents, &walked.depths, x as usize, y as usize)).collect();
        let done = with(parents, &|index| {
            for (&[x, y], &want) in pairs.iter().zip(&expected).take(singles) {
                assert_eq!((index.ask)(x as usize, y as usize), want, "{name} {case}: lca of {x} and {y}");
            }
            let mut got = vec![77_777; pairs.len()];
            (index.batch)(&pairs, &mut got).unwrap_or_else(|e| panic!("{name} {case}: {e}"));
            if let Some(row) = (0..pairs.len()).find(|&row| got[row] != expected[row]) {
                panic!("{name} {case}: lca of {:?} is {}, not {}", pairs[row], got[row], expected[row]);
            }
        });
        done.unwrap_or_else(|e| panic!("{name} {case}: {e}"));
    });
    for (parents, error) in bad_forests() {
        assert_eq!(with(&parents, &|_| panic!("{name}: an index of no forest")), Err(error), "{name}");
    }
    let parents = ForestKind::Many.shuffled::<u32>(20_000, 1);
    let done = with(&parents, &|index| {
        for (bad, row, node) in
            [([20_000, 5], 0, 20_000), ([1, u32::MAX], 9_999, u32::MAX), ([3, 99_999], 8_192, 99_999)]
        {
            let mut queries = vec![[1, 2]; 10_000];
            queries[row] = bad;
            let want = Error::Node { row, node: node.into(), len: 20_000 };
            assert_eq!((index.batch)(&queries, &mut vec![0; 10_000]), Err(want), "{name}");
        }
        assert_eq!((index.batch)(&[], &mut []), Ok(()), "{name}");
    });
    done.unwrap_or_else(|e| panic!("{name}: {e}"));
}
