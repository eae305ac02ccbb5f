//! Search trees against insertion one by one and against scans.

use proptest::prelude::*;
use thalweg_core::{Key, Order, Position};
use thalweg_data::ArrayKind;
use thalweg_suites::{SIZES, with_threads};
use thalweg_trees::tree::{Forest, SearchTree};

/// A tree made by inserting: left child, right child, key, count.
fn inserted<K: Key>(keys: &[K]) -> Vec<(usize, usize, K, usize)> {
    const NONE: usize = usize::MAX;
    let mut nodes: Vec<(usize, usize, K, usize)> = Vec::new();
    for &key in keys {
        let mut at = if nodes.is_empty() { NONE } else { 0 };
        let fresh = nodes.len();
        while at != NONE {
            let (left, right, there, count) = &mut nodes[at];
            let side = match key.rank(Order::Min).cmp(&there.rank(Order::Min)) {
                std::cmp::Ordering::Less => left,
                std::cmp::Ordering::Greater => right,
                std::cmp::Ordering::Equal => {
                    *count += 1;
                    break;
                }
            };
            at = *side;
            if at == NONE {
                *side = fresh;
            }
        }
        if at == NONE {
            nodes.push((NONE, NONE, key, 1));
        }
    }
    nodes
}

/// Compares a tree with one that was made by inserting, from the root down.
fn same_tree<K: Key>(tree: &SearchTree<u32, K>, want: &[(usize, usize, K, usize)], case: &str) {
    assert_eq!(tree.len(), want.len(), "{case}: nodes");
    let [left, right] = tree.children().unwrap();
    let mut stack: Vec<(Option<usize>, usize)> = vec![(tree.root(), if want.is_empty() { usize::MAX } else { 0 })];
    while let Some((node, other)) = stack.pop() {
        let Some(node) = node else {
            assert_eq!(other, usize::MAX, "{case}: a node is missing");
            continue;
        };
        assert_ne!(other, usize::MAX, "{case}: node {node} is too many");
        let (l, r, key, count) = want[other];
        assert_eq!(tree.keys()[node].to_low_bits(), key.to_low_bits(), "{case}: key of {node}");
        assert_eq!(tree.counts()[node] as usize, count, "{case}: count of {node}");
        stack.extend([(left[node].checked(), l), (right[node].checked(), r)]);
    }
}

/// Everything that may be asked of a tree, against scans of the keys.
fn answers<K: Key>(tree: &SearchTree<u32, K>, keys: &[K], case: &str) {
    let rank = |key: K| key.rank(Order::Min);
    let mut sorted = keys.to_vec();
    sorted.sort_by_key(|&key| rank(key));
    let in_order = tree.in_order().unwrap();
    assert!(in_order.iter().zip(&sorted).all(|(&a, &b)| rank(a) == rank(b)), "{case}: in order");
    assert_eq!(in_order.len(), keys.len(), "{case}");
    assert!(tree.keys().windows(2).all(|pair| rank(pair[0]) < rank(pair[1])), "{case}: keys");
    // Keys that are there, and their neighbours, which may not be.
    let wanted: Vec<K> =
        keys.iter().take(500).flat_map(|&key| [key, K::from_low_bits(key.to_low_bits().wrapping_add(1))]).collect();
    let mut nodes = vec![7; wanted.len()];
    tree.find_batch(&wanted, &mut nodes).unwrap();
    for (&key, &node) in wanted.iter().zip(&nodes) {
        let want = tree.keys().iter().position(|&k| rank(k) == rank(key));
        assert_eq!(node.checked(), want, "{case}: find {key:?}");
        assert_eq!(tree.find(key), want, "{case}: find {key:?}");
    }
    let ranges: Vec<[K; 2]> = wanted.iter().zip(wanted.iter().rev()).take(60).map(|(&a, &b)| [a, b]).collect();
    let mut found = vec![[0; 2]; ranges.len()];
    tree.range_batch(&ranges, &mut found).unwrap();
    let reports = tree.report(&ranges).unwrap();
    let mut nodes = reports.nodes.iter();
    for (row, &[low, high]) in ranges.iter().enumerate() {
        let inside: Vec<usize> =
            (0..tree.len()).filter(|&v| (rank(low)..=rank(high)).contains(&rank(tree.keys()[v]))).collect();
        let range = tree.range(low, high);
        assert!(range.clone().eq(inside.iter().copied()), "{case}: {low:?} to {high:?}");
        assert_eq!(found[row], [range.start as u32, range.end as u32], "{case}: {low:?} to {high:?}");
        let (from, to) = (reports.offsets.at(row).unwrap(), reports.offsets.at(row + 1).unwrap());
        assert_eq!(to - from, inside.len(), "{case}: report {row}");
        assert!(nodes.by_ref().take(to - from).eq(inside.into_iter().map(Some)), "{case}: report {row}");
    }
    assert_eq!(nodes.next(), None, "{case}");
}

#[test]
fn insertion_trees_of_every_key_type() {
    macro_rules! one {
        ($t:ident) => {
            for &kind in ArrayKind::ALL {
                for &n in SIZES.iter().filter(|&&n| n < 2000) {
                    let keys = kind.make::<$t>(n, 3);
                    let case = format!("{} {} n={n}", stringify!($t), kind.name());
                    let tree = SearchTree::<u32, $t>::from_insertions(&keys).unwrap();
                    same_tree(&tree, &inserted(&keys), &case);
                    if n < 600 {
                        answers(&tree, &keys, &case);
                    }
                }
            }
        };
    }
    thalweg_core::for_each_key!(one);
}

#[test]
fn balanced_trees_are_balanced() {
    for &n in SIZES {
        let keys = ArrayKind::Random.make::<i64>(n, 5);
        let tree = SearchTree::<u32, _>::balanced(&keys).unwrap();
        let forest = Forest::from_parents(tree.parents()).unwrap();
        let depth = forest.depths().iter().copied().max().unwrap_or(0);
        assert_eq!(depth, tree.len().max(1).ilog2(), "n={n}");
        let [left, right] = tree.children().unwrap();
        let edges = left.iter().chain(&right).filter(|child| child.checked().is_some()).count();
        assert_eq!(edges, tree.len().saturating_sub(1), "n={n}");
        // In order: everything in the left subtree has a smaller number. Checked by an in-order walk.
        let (mut stack, mut at, mut next) = (Vec::new(), tree.root(), 0);
        while at.is_some() || !stack.is_empty() {
            while let Some(v) = at {
                stack.push(v);
                at = left[v].checked();
            }
            let v = stack.pop().unwrap();
            assert_eq!(v, next, "n={n}");
            (next, at) = (next + 1, right[v].checked());
        }
        assert_eq!(next, tree.len(), "n={n}");
        if n < 1100 {
            answers(&tree, &keys, &format!("balanced n={n}"));
        }
    }
}

#[test]
fn a_million_keys_on_any_number_of_threads() {
    let keys = ArrayKind::Random.make::<f64>(1_000_000, 9);
    let run = |threads| with_threads(threads, || SearchTree::<u32, _>::from_insertions(&keys).unwrap());
    let expected = run(1);
    same_tree(&expected, &inserted(&keys), "random");
    for threads in [2, 8] {
        let tree = run(threads);
        assert!(tree.parents() == expected.parents() && tree.counts() == expected.counts(), "{threads} threads");
    }
    // Sorted input is a path, which nothing recurses on.
    let sorted = ArrayKind::Sorted.make::<u32>(1_000_000, 9);
    let path = SearchTree::<u32, _>::from_insertions(&sorted).unwrap();
    assert_eq!(path.root(), Some(0));
    assert_eq!(path.find(999_999), Some(999_999));
}

proptest! {
    #[test]
    fn any_keys(keys in prop::collection::vec(-20i8..20, 0..60)) {
        let tree = SearchTree::<u32, _>::from_insertions(&keys).unwrap();
        same_tree(&tree, &inserted(&keys), "proptest");
        answers(&tree, &keys, "proptest");
        answers(&SearchTree::balanced(&keys).unwrap(), &keys, "proptest, balanced");
    }
}
