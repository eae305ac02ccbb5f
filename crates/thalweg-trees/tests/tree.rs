//! Forests, tours, lowest common ancestors, subtrees: every engine against walks.

use proptest::prelude::*;
use thalweg_arrays::rmq;
use thalweg_core::{Error, Key, Order, Position};
use thalweg_data::forests::{self, relabel, walk};
use thalweg_data::lists::{permutation, weights};
use thalweg_data::oracles::argmin_by_scan;
use thalweg_data::{ArrayKind, ForestKind};
use thalweg_suites::tree::{LcaUnderTest, bad_forests, each_forest, lca_suite, roots_and_depths};
use thalweg_suites::{SIZES, with_threads};
use thalweg_trees::list;
use thalweg_trees::tree::{self, Cartesian, Children, EulerTour, Forest, Lca, Subtrees, lca, subtree_sums};

macro_rules! depths {
    ($($name:ident = $builder:expr;)*) => {$(
        #[test]
        fn $name() {
            roots_and_depths(stringify!($name), &|parents| Ok($builder.build(parents)?.into_roots_and_depths()));
        }
    )*};
}

depths! {
    depths_by_pointer_jumping = tree::Builder::new().engine(tree::Engine::PointerJumping);
    depths_by_euler_tour = tree::Builder::new().engine(tree::Engine::EulerTour);
    depths_by_default = tree::Builder::new();
}

macro_rules! ancestors {
    ($($name:ident = $builder:expr;)*) => {$(
        #[test]
        fn $name() {
            lca_suite(stringify!($name), SIZES, usize::MAX, &|parents, test| {
                let lca = $builder.build(parents)?;
                test(&LcaUnderTest {
                    ask: &|x, y| lca.ask(x, y).map_or(u32::MAX, |found| found as u32),
                    batch: &|queries, out| lca.batch(queries, out),
                });
                Ok(())
            });
        }
    )*};
}

ancestors! {
    lca_by_inlabel = lca::Builder::new();
    lca_by_euler_rmq = lca::Builder::new().engine(lca::Engine::EulerRmq);
    lca_by_sparse_table = lca::Builder::new().engine(lca::Engine::EulerRmq).rmq(rmq::Engine::SparseTable);
    lca_by_inlabel_of_levels = lca::Builder::new().engine(lca::Engine::EulerRmq).rmq(rmq::Engine::Inlabel);
    lca_by_walking = lca::Builder::new().engine(lca::Engine::Naive);
}

fn check_tour<P: Position + PartialEq>(
    parents: &[P],
    tour: &EulerTour<'_, P>,
    walked: &forests::Walked<P>,
    case: &str,
) {
    assert!(tour.order() == walked.order, "{case}: order");
    assert!(tour.preorder() == walked.preorder, "{case}: preorder");
    assert!(tour.levels() == walked.depths, "{case}: levels");
    assert!(tour.sizes() == walked.sizes, "{case}: sizes");
    assert!(tour.postorder().unwrap() == walked.postorder, "{case}: postorder");
    assert!(tour.roots().unwrap() == walked.roots, "{case}: roots");
    for v in 0..parents.len() {
        assert_eq!(tour.first(v), walked.enter[v].get(), "{case}: first place of {v}");
        assert_eq!(tour.last(v), walked.exit[v].get() - 1, "{case}: last place of {v}");
    }
}

#[test]
fn tours_are_those_of_a_walk() {
    each_forest(SIZES, &mut |parents, walked, case| {
        check_tour(parents, &EulerTour::new(parents).unwrap(), walked, case);
    });
    for (parents, error) in bad_forests() {
        assert_eq!(EulerTour::new(&parents).unwrap_err(), error);
    }
}

#[test]
fn tours_by_every_list_ranking_and_in_64_bits() {
    for &kind in ForestKind::ALL {
        let parents = kind.shuffled::<u64>(40_009, 3);
        let walked = walk(&parents);
        for &engine in list::Engine::ALL {
            let tour = EulerTour::with(&parents, list::Builder::new().engine(engine)).unwrap();
            check_tour(&parents, &tour, &walked, &format!("{engine} {}", kind.name()));
        }
        let forest = Forest::from_parents(&parents).unwrap();
        assert!(forest.roots() == walked.roots && forest.depths() == walked.depths, "{}", kind.name());
        let index = Lca::new(&parents).unwrap();
        let naive = lca::Builder::new().engine(lca::Engine::Naive).build(&parents).unwrap();
        for x in (0..40_009).step_by(997) {
            assert_eq!(index.ask(x, 40_008 - x), naive.ask(x, 40_008 - x), "{} {x}", kind.name());
        }
        assert_eq!((index.ask(0, 40_009), index.ask(usize::MAX, 0)), (None, None));
    }
}

#[test]
fn children_are_in_order() {
    each_forest(SIZES, &mut |parents, _, case| {
        let (children, expected) = (Children::new(parents).unwrap(), forests::children(parents));
        let same = |got: &[u32], want: &[usize]| got.iter().map(|&v| v as usize).eq(want.iter().copied());
        for (v, expected) in expected[..parents.len()].iter().enumerate() {
            assert!(same(children.of(v), expected), "{case}: children of {v}");
        }
        assert!(same(children.roots(), &expected[parents.len()]), "{case}: roots");
        assert!(same(&Forest::from_parents(parents).unwrap().trees().unwrap(), &expected[parents.len()]), "{case}");
    });
}

/// Paths of ten million nodes: nothing recurses.
#[test]
fn ten_million_deep() {
    let n = 10_000_000;
    let natural = ForestKind::Path.make::<u32>(n, 1);
    let labels = permutation::<u32>(n, 4);
    for (parents, names) in [(natural.clone(), None), (relabel(&natural, &labels), Some(&labels))] {
        let name = |v: usize| names.map_or(v as u32, |names| names[v]);
        for engine in [tree::Engine::PointerJumping, tree::Engine::EulerTour] {
            let forest = tree::Builder::new().engine(engine).build(&parents).unwrap();
            assert!((0..n).all(|v| forest.depths()[name(v) as usize] == v as u32), "{engine}");
            assert!(forest.roots().iter().all(|&root| root == name(0)), "{engine}");
        }
        let tour = EulerTour::new(&parents).unwrap();
        assert!((0..n).all(|v| tour.order()[v] == name(v) && tour.sizes()[name(v) as usize] == (n - v) as u32));
        let queries: Vec<[u32; 2]> = (0..100_000).map(|i| [name(i * 97 % n), name((i * 89_123 + 7) % n)]).collect();
        let expected: Vec<u32> = (0..100_000).map(|i| name((i * 97 % n).min((i * 89_123 + 7) % n))).collect();
        for engine in [lca::Engine::Inlabel, lca::Engine::EulerRmq] {
            let mut out = vec![0; queries.len()];
            let index = lca::Builder::new().engine(engine).build_from_tour(&tour).unwrap();
            index.batch(&queries, &mut out).unwrap();
            assert!(out == expected, "{engine}");
        }
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    for kind in [ForestKind::Random, ForestKind::Deep, ForestKind::Many, ForestKind::ScaleFree] {
        let parents = kind.shuffled::<u32>(200_003, 5);
        let values = ArrayKind::Few.make::<i16>(parents.len(), 2);
        let queries: Vec<[u32; 2]> = (0..50_000u32).map(|i| [i * 4, (i * 1009) % 200_003]).collect();
        let run = |threads| {
            with_threads(threads, || {
                let (roots, depths) = Forest::from_parents(&parents).unwrap().into_roots_and_depths();
                let tour = EulerTour::new(&parents).unwrap();
                let mut out = vec![0; queries.len()];
                lca::Builder::new().build_from_tour(&tour).unwrap().batch(&queries, &mut out).unwrap();
                let minima = Subtrees::new(&tour, &values).unwrap().all_argmin().unwrap();
                (roots, depths, tour.order().to_vec(), tour.sizes().to_vec(), out, minima)
            })
        };
        let expected = run(1);
        for threads in [2, 8] {
            assert!(run(threads) == expected, "{} on {threads} threads", kind.name());
        }
    }
}

/// The definition, with a stack.
fn cartesian_by_stack<K: Key>(array: &[K], order: Order) -> Vec<u32> {
    let (mut parents, mut stack) = (vec![u32::MAX; array.len()], Vec::<usize>::new());
    for i in 0..array.len() {
        let mut below = None;
        while let Some(top) = stack.pop_if(|top| array[*top].rank(order) > array[i].rank(order)) {
            below = Some(top);
        }
        if let Some(below) = below {
            parents[below] = i as u32;
        }
        if let Some(&top) = stack.last() {
            parents[i] = top as u32;
        }
        stack.push(i);
    }
    parents
}

#[test]
fn cartesian_trees_are_those_of_a_stack() {
    for &kind in ArrayKind::ALL {
        for &n in SIZES {
            for order in [Order::Min, Order::Max] {
                let array = kind.make::<f32>(n, n as u64);
                let tree = Cartesian::<u32>::with_order(&array, order).unwrap();
                let case = format!("{} n={n} {order:?}", kind.name());
                assert!(tree.parents() == cartesian_by_stack(&array, order), "{case}");
                assert_eq!(tree.root(), (n > 0).then(|| argmin_by_scan(&array, order, 0, n - 1)), "{case}");
                let [left, right] = tree.children().unwrap();
                for i in 0..n {
                    for (child, side) in [(left[i], i > left[i] as usize), (right[i], i < right[i] as usize)] {
                        assert!(child == u32::MAX || (side && tree.parents()[child as usize] == i as u32), "{case}");
                    }
                }
                let edges = left.iter().chain(&right).filter(|&&child| child != u32::MAX).count();
                assert_eq!(edges, n.saturating_sub(1), "{case}");
            }
        }
    }
}

#[test]
fn subtrees_are_those_of_a_scan_in_preorder() {
    each_forest(SIZES, &mut |parents, walked, case| {
        let n = parents.len();
        let tour = EulerTour::new(parents).unwrap();
        let values = ArrayKind::Few.make::<f32>(n, 1);
        let (narrow, order) = (weights(n, 1), Order::Max);
        let best = Subtrees::with(&tour, &values, rmq::Builder::new().order(order)).unwrap();
        let (all, minima) = (best.all_argmin().unwrap(), best.all_min().unwrap());
        let sums = subtree_sums(&tour, &narrow).unwrap();
        let in_order: Vec<f32> = walked.order.iter().map(|&v| values[v as usize]).collect();
        let places: Vec<i64> = walked.order.iter().map(|&v| narrow[v as usize].into()).collect();
        // Sizes of deep trees add up to n²/2: scan some of them.
        for v in (0..n).step_by(1 + n / 150) {
            let (first, size) = (walked.preorder[v] as usize, walked.sizes[v] as usize);
            let want = walked.order[argmin_by_scan(&in_order, order, first, first + size - 1)];
            assert_eq!(all[v], want, "{case}: argmin of {v}");
            assert_eq!(best.argmin(v), Some(want as usize), "{case}: argmin of {v}");
            assert_eq!(minima[v].to_bits(), values[want as usize].to_bits(), "{case}: min of {v}");
            assert_eq!(best.min(v).unwrap().to_bits(), minima[v].to_bits(), "{case}: min of {v}");
            assert_eq!(sums[v], places[first..first + size].iter().sum::<i64>(), "{case}: sum of {v}");
        }
        let nodes: Vec<u32> = (0..n as u32).rev().step_by(3).collect();
        let (mut some, mut values) = (vec![0; nodes.len()], vec![0.0; nodes.len()]);
        best.argmin_batch(&nodes, &mut some).unwrap();
        best.min_batch(&nodes, &mut values).unwrap();
        for ((&v, &got), value) in nodes.iter().zip(&some).zip(&values) {
            assert_eq!(got, all[v as usize], "{case}");
            assert_eq!(value.to_bits(), minima[v as usize].to_bits(), "{case}");
        }
        let want = Err(Error::Node { row: 1, node: n as u64, len: n });
        let first = if n == 0 { return } else { 0 };
        assert_eq!(best.argmin_batch(&[first, n as u32], &mut [0, 0]), want, "{case}");
    });
    let tour = EulerTour::new(&[0u32]).unwrap();
    assert!(matches!(Subtrees::new(&tour, &[1, 2]), Err(Error::Length { expected: 1, got: 2, .. })));
    assert!(matches!(subtree_sums(&tour, &[1i64, 2]), Err(Error::Length { .. })));
}

proptest! {
    /// Any parents at all: all engines agree on the answers or on what is wrong.
    #[test]
    fn engines_agree(links in prop::collection::vec(prop::option::of(0u32..42), 0..40)) {
        let n = links.len() as u32;
        // Mostly forests: larger numbers are children of smaller ones, unless the link happens to be above 36.
        let parents: Vec<u32> = links
            .iter()
            .zip(0u32..)
            .map(|(to, i)| match *to {
                Some(to) if to > 36 => to,
                Some(to) => to % (i + 1),
                None => u32::MAX,
            })
            .collect();
        let found = |engine| tree::Builder::new().engine(engine).build(&parents).map(Forest::into_roots_and_depths);
        let expected = found(tree::Engine::PointerJumping);
        prop_assert_eq!(&found(tree::Engine::EulerTour), &expected);
        if expected.is_ok() {
            let (tour, walked) = (EulerTour::new(&parents).unwrap(), walk(&parents));
            check_tour(&parents, &tour, &walked, "proptest");
            for &engine in lca::Engine::ALL {
                let index = lca::Builder::new().engine(engine).build(&parents).unwrap();
                for x in 0..n as usize {
                    for y in 0..n as usize {
                        let want = forests::lca(&parents, &walked.depths, x, y);
                        prop_assert_eq!(index.ask(x, y), want.checked(), "{} {} {}", engine, x, y);
                    }
                }
            }
        } else {
            for &engine in lca::Engine::ALL {
                let got = lca::Builder::new().engine(engine).build(&parents).err();
                prop_assert_eq!(got.as_ref(), expected.as_ref().err());
            }
        }
    }
}
