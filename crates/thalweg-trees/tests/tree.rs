//! Forests, tours, lowest common ancestors, subtrees: every engine against walks.

use proptest::prelude::*;
use thalweg_arrays::rmq::{self, Rmq};
use thalweg_core::{Error, Key, Order, Pairs, Position, PositionsMut};
use thalweg_data::forests::{self, relabel, walk};
use thalweg_data::lists::{permutation, weights};
use thalweg_data::oracles::argmin_by_scan;
use thalweg_data::{ArrayKind, ForestKind};
use thalweg_suites::tree::{LcaUnderTest, bad_forests, each_forest, lca_suite, roots_and_depths};
use thalweg_suites::{SIZES, at_every_level, with_threads};
use thalweg_trees::list::{self, Options};
use thalweg_trees::tree::lca::{Engine, EulerRmqOptions, LcaEngine};
use thalweg_trees::tree::{
    self, Cartesian, Children, EulerTour, Forest, Lca, Reports, SearchTree, Subtrees, lca, subtree_sums,
};

macro_rules! depths {
    ($($name:ident = $engine:expr;)*) => {$(
        #[test]
        fn $name() {
            roots_and_depths(stringify!($name), &|parents| {
                Ok(Forest::with_engine(parents, $engine)?.into_roots_and_depths())
            });
        }
    )*};
}

depths! {
    depths_by_pointer_jumping = Some(tree::Engine::PointerJumping);
    depths_by_euler_tour = Some(tree::Engine::EulerTour);
    depths_by_default = None;
}

fn ancestors_by(name: &str, engine: Engine) {
    lca_suite(name, SIZES, usize::MAX, &|parents, test| {
        let lca = Lca::with_engine(parents, engine)?;
        test(&LcaUnderTest {
            ask: &|x, y| lca.ask(x, y).map_or(u32::MAX, |found| found as u32),
            batch: &|queries, out| lca.batch(queries, out),
        });
        Ok(())
    });
}

macro_rules! ancestors {
    ($($name:ident = $engine:expr;)*) => {$(
        #[test]
        fn $name() {
            ancestors_by(stringify!($name), $engine);
        }
    )*};
}

/// The engines whose batches are compiled for every instruction set.
macro_rules! ancestors_at_every_level {
    ($($name:ident = $engine:expr;)*) => {$(
        #[test]
        fn $name() {
            at_every_level(|| ancestors_by(stringify!($name), $engine));
        }
    )*};
}

const fn by_rmq(engine: rmq::Engine) -> Engine {
    Engine::EulerRmq(EulerRmqOptions { rmq: Some(engine) })
}

ancestors_at_every_level! {
    lca_by_inlabel = Engine::default();
    lca_by_euler_rmq = Engine::EulerRmq(EulerRmqOptions::DEFAULT);
    lca_by_inlabel_of_levels = by_rmq(rmq::Engine::Inlabel);
}

ancestors! {
    lca_by_sparse_table = by_rmq(rmq::Engine::SparseTable);
    lca_by_walking = Engine::Naive;
}

/// Engines know no type of positions: they answer pairs of either width, and refuse a buffer of another.
#[test]
fn lca_engines_take_pairs_of_either_width() {
    let narrow = ForestKind::Many.shuffled::<u32>(20_011, 1);
    let wide: Vec<u64> = narrow.iter().map(|&up| up.checked().map_or(u64::MAX, |up| up as u64)).collect();
    let pairs: Vec<[u32; 2]> = (0..20_000).map(|i| [i, (i * 7) % 20_011]).collect();
    let long: Vec<[u64; 2]> = pairs.iter().map(|pair| pair.map(u64::from)).collect();
    for &engine in Engine::ALL {
        let (of_narrow, of_wide) =
            (Lca::with_engine(&narrow, engine).unwrap(), Lca::with_engine(&wide, engine).unwrap());
        let mut want = vec![0; pairs.len()];
        of_narrow.batch(&pairs, &mut want).unwrap();
        let want_long: Vec<u64> = want.iter().map(|&v| v.checked().map_or(u64::MAX, |v| v as u64)).collect();
        for index in [of_narrow.as_engine(), of_wide.as_engine()] {
            let (mut got, mut got_long) = (vec![7; pairs.len()], vec![7; pairs.len()]);
            index.batch(Pairs::U32(&pairs), PositionsMut::U32(&mut got)).unwrap();
            index.batch(Pairs::U64(&long), PositionsMut::U64(&mut got_long)).unwrap();
            assert!(got == want && got_long == want_long, "{engine}");
            let beyond = [[1, 2], [3, 1 << 40]];
            let error = Error::Node { row: 1, node: 1 << 40, len: 20_011 };
            assert_eq!(index.batch(Pairs::U64(&beyond), PositionsMut::U64(&mut [0; 2])), Err(error), "{engine}");
            let mixed = index.batch(Pairs::U32(&[[1, 2]]), PositionsMut::U64(&mut [0]));
            assert!(matches!(mixed, Err(Error::Bits { expected: 32, got: 64, .. })), "{engine}: {mixed:?}");
            let short = index.batch(Pairs::U32(&[[1, 2]]), PositionsMut::U32(&mut []));
            assert!(matches!(short, Err(Error::Length { expected: 1, got: 0, .. })), "{engine}: {short:?}");
            assert_eq!((index.name(), index.len(), index.is_empty()), (engine.name(), 20_011, false));
        }
        assert_eq!((of_narrow.try_ask(5, 5), of_narrow.try_ask(5, 20_011)), (Ok(Some(5)), Ok(None)), "{engine}");
        assert!(of_narrow.chosen().is_cpu() && of_narrow.chosen().engine() == engine.name());
    }
}

/// What other devices fall back to.
#[test]
fn ancestors_without_an_index() {
    each_forest(&[0, 1, 2, 33, 255, 1009], &mut |parents, walked, case| {
        for (x, y) in (0..parents.len()).map(|x| (x, (x * 31 + 7) % parents.len())) {
            let want = forests::lca(parents, &walked.depths, x, y).checked();
            assert_eq!(lca::by_walking(parents, x, y), want, "{case}: {x} {y}");
        }
    });
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
            let tour = EulerTour::with(&parents, &Options { engine: Some(engine), ..Options::default() }).unwrap();
            check_tour(&parents, &tour, &walked, &format!("{engine} {}", kind.name()));
        }
        let forest = Forest::from_parents(&parents).unwrap();
        assert!(forest.roots() == walked.roots && forest.depths() == walked.depths, "{}", kind.name());
        let index = Lca::new(&parents).unwrap();
        let naive = Lca::with_engine(&parents, Engine::Naive).unwrap();
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
            let forest = Forest::with_engine(&parents, Some(engine)).unwrap();
            assert!((0..n).all(|v| forest.depths()[name(v) as usize] == v as u32), "{engine}");
            assert!(forest.roots().iter().all(|&root| root == name(0)), "{engine}");
        }
        let tour = EulerTour::new(&parents).unwrap();
        assert!((0..n).all(|v| tour.order()[v] == name(v) && tour.sizes()[name(v) as usize] == (n - v) as u32));
        let queries: Vec<[u32; 2]> = (0..100_000).map(|i| [name(i * 97 % n), name((i * 89_123 + 7) % n)]).collect();
        let expected: Vec<u32> = (0..100_000).map(|i| name((i * 97 % n).min((i * 89_123 + 7) % n))).collect();
        for engine in [Engine::Inlabel, Engine::EulerRmq(EulerRmqOptions::DEFAULT)] {
            let mut out = vec![0; queries.len()];
            let index = Lca::of_tour(&tour, engine).unwrap();
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
                Lca::of_tour(&tour, Engine::default()).unwrap().batch(&queries, &mut out).unwrap();
                let minima = Subtrees::new(&tour, &values).unwrap().all_positions().unwrap();
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
        let best = Subtrees::with(&tour, &values, order, rmq::Engine::default()).unwrap();
        let (all, minima) = (best.all_positions().unwrap(), best.all_values().unwrap());
        let sums = subtree_sums(&tour, &narrow).unwrap();
        let pairs: Vec<[i32; 2]> = narrow.iter().map(|&w| [w, -w]).collect();
        let doubles = subtree_sums(&tour, &pairs).unwrap();
        assert!(doubles.iter().zip(&sums).all(|(&[plus, minus], &sum)| plus == sum && minus == -sum), "{case}");
        assert_eq!((best.position(n), best.value(n)), (None, None), "{case}");
        assert_eq!((best.try_position(n), best.try_value(n)), (Ok(None), Ok(None)), "{case}");
        let in_order: Vec<f32> = walked.order.iter().map(|&v| values[v as usize]).collect();
        let places: Vec<i64> = walked.order.iter().map(|&v| narrow[v as usize].into()).collect();
        // Sizes of deep trees add up to n²/2: scan some of them.
        for v in (0..n).step_by(1 + n / 150) {
            let (first, size) = (walked.preorder[v] as usize, walked.sizes[v] as usize);
            let want = walked.order[argmin_by_scan(&in_order, order, first, first + size - 1)];
            assert_eq!(all[v], want, "{case}: argmin of {v}");
            assert_eq!(best.position(v), Some(want as usize), "{case}: argmin of {v}");
            assert_eq!(best.try_position(v), Ok(Some(want as usize)), "{case}: argmin of {v}");
            assert_eq!(minima[v].to_bits(), values[want as usize].to_bits(), "{case}: min of {v}");
            assert_eq!(best.value(v).unwrap().to_bits(), minima[v].to_bits(), "{case}: min of {v}");
            assert_eq!(sums[v], places[first..first + size].iter().sum::<i64>(), "{case}: sum of {v}");
        }
        let nodes: Vec<u32> = (0..n as u32).rev().step_by(3).collect();
        let (mut some, mut values) = (vec![0; nodes.len()], vec![0.0; nodes.len()]);
        best.positions(&nodes, &mut some).unwrap();
        best.values(&nodes, &mut values).unwrap();
        for ((&v, &got), value) in nodes.iter().zip(&some).zip(&values) {
            assert_eq!(got, all[v as usize], "{case}");
            assert_eq!(value.to_bits(), minima[v as usize].to_bits(), "{case}");
        }
        let want = Err(Error::Node { row: 1, node: n as u64, len: n });
        let first = if n == 0 { return } else { 0 };
        assert_eq!(best.positions(&[first, n as u32], &mut [0, 0]), want, "{case}");
    });
    let tour = EulerTour::new(&[0u32]).unwrap();
    assert!(matches!(Subtrees::new(&tour, &[1, 2]), Err(Error::Length { expected: 1, got: 2, .. })));
    assert!(matches!(subtree_sums(&tour, &[1i64, 2]), Err(Error::Length { .. })));
    let elsewhere = Rmq::new(&[1, 2]).unwrap();
    assert!(matches!(Subtrees::from_rmq(&tour, elsewhere), Err(Error::Length { expected: 1, got: 2, .. })));
}

/// Roots and depths, or a tour, from another device: taken over, and a tour only if it is one.
#[test]
fn forests_and_tours_from_parts() {
    type Parts = [Vec<u32>; 4];
    let parts = |tour: &EulerTour<'_, u32>| -> Parts {
        [tour.order(), tour.preorder(), tour.levels(), tour.sizes()].map(<[u32]>::to_vec)
    };
    fn made(parents: &[u32], [order, preorder, levels, sizes]: Parts) -> Result<EulerTour<'_, u32>, Error> {
        EulerTour::from_parts(parents, order, preorder, levels, sizes)
    }
    each_forest(&[0, 1, 2, 33, 1009, 20_011], &mut |parents, walked, case| {
        let forest = Forest::from_parts(parents, walked.roots.clone(), walked.depths.clone(), "elsewhere").unwrap();
        assert!(forest.roots() == walked.roots && forest.engine() == "elsewhere", "{case}");
        let tour = EulerTour::new(parents).unwrap();
        let good = parts(&tour);
        check_tour(parents, &made(parents, good.clone()).unwrap(), walked, case);
        // Any single number that is another is noticed.
        for part in 0..4 {
            for v in (0..parents.len()).step_by(1 + parents.len() / 7) {
                for wrong in [good[part][v].wrapping_add(1), good[part][v].wrapping_sub(1), u32::MAX, 0, 1 << 31] {
                    let mut bad = good.clone();
                    if std::mem::replace(&mut bad[part][v], wrong) != wrong {
                        let error = made(parents, bad).unwrap_err();
                        assert!(matches!(error, Error::BadOption { option: "tour", .. }), "{case}: {error}");
                    }
                }
            }
        }
    });
    let parents = [0u32, 0, 0];
    let tour = EulerTour::new(&parents).unwrap();
    let good = parts(&tour);
    let mut short = good.clone();
    short[2].pop();
    assert!(matches!(made(&parents, short), Err(Error::Length { expected: 3, got: 2, .. })));
    // Two siblings' intervals that overlap: every one of them fits its parent's.
    let mut overlapping = good.clone();
    overlapping[3] = vec![3, 2, 1];
    assert!(made(&parents, overlapping).is_err());
    // Children in another order than increasing: a tour, though not the one that is made here.
    let swapped = [vec![0, 2, 1], vec![0, 2, 1], vec![0, 1, 1], vec![3, 1, 1]];
    assert!(made(&parents, swapped).is_ok());
    assert!(matches!(made(&[1, 0], [vec![0, 1], vec![0, 1], vec![0, 1], vec![2, 1]]), Err(Error::BadOption { .. })));
    let short = Forest::from_parts(&parents, vec![0; 3], vec![0; 2], "elsewhere");
    assert!(matches!(short, Err(Error::Length { expected: 3, got: 2, .. })));
}

#[test]
fn everything_can_be_shared_and_shown() {
    fn shared<T: Send + Sync + std::fmt::Debug>() {}
    shared::<Options>();
    shared::<list::Engine>();
    shared::<list::Direction>();
    shared::<list::Numbers<'_>>();
    shared::<Forest<'_, u32>>();
    shared::<EulerTour<'_, u64>>();
    shared::<Children<u32>>();
    shared::<Cartesian<u32>>();
    shared::<Lca<'_, u32>>();
    shared::<Box<dyn LcaEngine>>();
    shared::<Engine>();
    shared::<tree::Engine>();
    shared::<Subtrees<'_, u32, f64>>();
    shared::<SearchTree<u64, i8>>();
    shared::<Reports>();
    let parents = [0u32, 0];
    for &engine in Engine::ALL {
        assert!(format!("{:?}", Lca::with_engine(&parents, engine).unwrap()).contains("len: 2"), "{engine}");
    }
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
        let found = |engine| Forest::with_engine(&parents, Some(engine)).map(Forest::into_roots_and_depths);
        let expected = found(tree::Engine::PointerJumping);
        prop_assert_eq!(&found(tree::Engine::EulerTour), &expected);
        if expected.is_ok() {
            let (tour, walked) = (EulerTour::new(&parents).unwrap(), walk(&parents));
            check_tour(&parents, &tour, &walked, "proptest");
            for &engine in Engine::ALL {
                let index = Lca::with_engine(&parents, engine).unwrap();
                for x in 0..n as usize {
                    for y in 0..n as usize {
                        let want = forests::lca(&parents, &walked.depths, x, y);
                        prop_assert_eq!(index.ask(x, y), want.checked(), "{} {} {}", engine, x, y);
                    }
                }
            }
        } else {
            for &engine in Engine::ALL {
                let got = Lca::with_engine(&parents, engine).err();
                prop_assert_eq!(got.as_ref(), expected.as_ref().err());
            }
        }
    }
}
