//! Forests on the device against walks: kinds of forests, sizes around every boundary, names in order and shuffled,
//! in one buffer and in many.

use thalweg_core::{Error, Key, Order, Pairs, PositionsMut};
use thalweg_data::{ArrayKind, ForestKind, Random, forests};
use thalweg_gpu::list::{Tuning, Weight};
use thalweg_gpu::tree::lca::{self, EulerRmqOptions};
use thalweg_gpu::tree::{self, Cartesian, Children, Engine, EulerTour, Forest, Lca, Nodes};
use thalweg_gpu::{Device, Options, rmq, testing};
use thalweg_suites::tree::{LcaUnderTest, bad_forests, lca_suite};

const SIZES: &[usize] = &[0, 1, 2, 3, 31, 255, 257, 1025, 9_001];
/// Small blocks, so that tours of some thousand nodes have several levels.
const SMALL: Tuning = Tuning { block: 8, base: 64, walkers: 512 };

/// Every kind and size, in order and shuffled by turns.
fn for_each_forest(sizes: &[usize], mut check: impl FnMut(&[u32], &str)) {
    for (k, &kind) in ForestKind::ALL.iter().enumerate() {
        for (i, &n) in sizes.iter().enumerate() {
            let shuffled = (i + k) % 2 == 1;
            let parents = if shuffled { kind.shuffled::<u32>(n, 3) } else { kind.make::<u32>(n, 3) };
            check(&parents, &format!("{} n={n} shuffled={shuffled}", kind.name()));
        }
    }
}

fn tour(device: &Device, parents: &[u32]) -> EulerTour {
    EulerTour::tuned(&device.upload(parents).unwrap(), SMALL).unwrap()
}

/// The engines for lowest common ancestors.
const ANCESTORS: [lca::Engine; 2] = [lca::Engine::Inlabel, lca::Engine::EulerRmq(EulerRmqOptions::DEFAULT)];

fn check_forest(device: &Device, parents: &[u32], case: &str) {
    let want = forests::walk(parents);
    let on_device = device.upload(parents).unwrap();
    for engine in [None, Some(Engine::PointerJumping), Some(Engine::EulerTour)] {
        let got = Forest::with_engine(on_device.clone(), engine).unwrap();
        assert!(engine.is_none_or(|engine| engine.name() == got.engine() || parents.is_empty()), "{case}: {engine:?}");
        assert!(got.roots().to_vec().unwrap() == want.roots, "{case}: roots by {engine:?}");
        assert!(got.depths().to_vec().unwrap() == want.depths, "{case}: depths by {engine:?}");
        let (roots, depths, name) = tree::roots_and_depths(&on_device, engine).unwrap();
        assert!((roots, depths) == (want.roots.clone(), want.depths.clone()), "{case}: to the host by {engine:?}");
        // Left to itself, it depends on who walks first.
        assert!(engine.is_none() || name == got.engine(), "{case}: {engine:?}");
    }
    let children = Children::new(&on_device).unwrap();
    let (mut offsets, nodes) = (children.offsets().to_vec().unwrap(), children.nodes().to_vec().unwrap());
    assert_eq!(offsets.len(), parents.len() + 1, "{case}: offsets");
    // The roots' row ends with the nodes.
    offsets.push(parents.len() as u32);
    let rows: Vec<Vec<usize>> = offsets
        .windows(2)
        .map(|w| nodes[w[0] as usize..w[1] as usize].iter().map(|&node| node as usize).collect())
        .collect();
    assert!(rows == forests::children(parents), "{case}: children");
    let tour = tour(device, parents);
    assert!(tour.preorder().to_vec().unwrap() == want.preorder, "{case}: preorder");
    assert!(tour.sizes().to_vec().unwrap() == want.sizes, "{case}: sizes");
    assert!(tour.levels().to_vec().unwrap() == want.depths, "{case}: levels");
    assert!(tour.postorder().unwrap().to_vec().unwrap() == want.postorder, "{case}: postorder");
    assert!(tour.roots().unwrap().to_vec().unwrap() == want.roots, "{case}: roots of the tour");
    assert!(tour.firsts().unwrap().to_vec().unwrap() == want.enter, "{case}: firsts");
    assert!(tour.lasts().unwrap().to_vec().unwrap().iter().map(|last| last + 1).eq(want.exit), "{case}: lasts");
    assert!(tour.order().unwrap().to_vec().unwrap() == want.order, "{case}: order");
}

#[test]
fn forests_of_every_kind() {
    let Some(device) = testing::device() else { return };
    for_each_forest(SIZES, |parents, case| check_forest(&device, parents, case));
}

#[test]
fn forests_in_many_buffers() {
    // 64 KiB a binding: everything takes several buffers.
    let Some(device) = testing::open(Options { checked: true, binding_bytes: Some(1 << 16) }) else { return };
    check_forest(&device, &ForestKind::Many.shuffled::<u32>(20_011, 3), "many");
    check_forest(&device, &ForestKind::Deep.make::<u32>(20_011, 3), "deep");
}

/// Pairs of words that are loaded one word after the other.
#[test]
fn forests_by_words() {
    let Some(device) = testing::with_word_atomics() else { return };
    for kind in [ForestKind::Random, ForestKind::Many, ForestKind::Deep] {
        check_forest(&device, &kind.shuffled::<u32>(9_001, 3), kind.name());
    }
}

/// Long ways, of which the nodes on them are told: chains of 60 nodes, whose ends come first in memory.
#[test]
fn forests_of_long_ways() {
    for device in [testing::device(), testing::with_word_atomics()].into_iter().flatten() {
        for (n, length) in [(60_000u32, 60), (60_001, 64), (60_002, 5)] {
            let chains = n / length;
            let parents: Vec<u32> = (0..n).map(|i| if i + chains < n { i + chains } else { u32::MAX }).collect();
            check_forest(&device, &parents, &format!("{chains} chains of {n} nodes"));
        }
    }
}

#[test]
fn what_is_no_forest_is_named() {
    let Some(device) = testing::device() else { return };
    for (parents, error) in bad_forests() {
        let on_device = device.upload(&parents).unwrap();
        for engine in [None, Some(Engine::PointerJumping), Some(Engine::EulerTour)] {
            let forest = Forest::with_engine(on_device.clone(), engine);
            assert_eq!(forest.map(drop), Err(error.clone()), "{engine:?}");
        }
        assert_eq!(EulerTour::new(&on_device).map(drop), Err(error.clone()));
        assert_eq!(EulerTour::tuned(&on_device, SMALL).map(drop), Err(error.clone()));
        if matches!(error, Error::Link { .. }) {
            assert_eq!(Children::new(&on_device).map(drop), Err(error));
        }
    }
}

#[test]
fn cartesian_trees() {
    let Some(device) = testing::device() else { return };
    for &kind in ArrayKind::ALL {
        for (i, n) in [0, 1, 2, 3, 100, 1_025, 9_001].into_iter().enumerate() {
            let array = kind.make::<f32>(n, 5);
            let order = if i % 2 == 0 { Order::Min } else { Order::Max };
            let case = format!("{} n={n} {order:?}", kind.name());
            let tree = Cartesian::with_order(&device.upload(&array).unwrap(), order).unwrap();
            // By a stack: who is popped by an element becomes its left child, and it the right child of who remains.
            let (mut parents, mut stack) = (vec![u32::MAX; n], Vec::<usize>::new());
            for i in 0..n {
                let mut last = None;
                while let Some(top) = stack.pop_if(|&mut top| array[i].rank(order) < array[top].rank(order)) {
                    last = Some(top);
                }
                last.into_iter().for_each(|last| parents[last] = i as u32);
                stack.last().into_iter().for_each(|&top| parents[i] = top as u32);
                stack.push(i);
            }
            assert!(tree.parents().unwrap().to_vec().unwrap() == parents, "{case}");
            assert_eq!(tree.root().unwrap(), stack.first().copied(), "{case}");
            let [left, right] = tree.children().unwrap().map(|side| side.to_vec().unwrap());
            let rows = forests::children(&parents);
            for i in 0..n {
                let children = [left[i], right[i]].into_iter().filter(|&c| c != u32::MAX).map(|c| c as usize);
                assert!(children.eq(rows[i].iter().copied()) && (left[i] == u32::MAX || left[i] < i as u32), "{case}");
            }
        }
    }
}

/// Pairs of nodes.
fn pairs(n: usize, count: usize) -> Vec<[u32; 2]> {
    let random = Random::new(n as u64, 1);
    let node = |i: u64| random.below(i, n as u64) as u32;
    let near = |i: u64| (node(2 * i) + node(2 * i + 1) % 8).min(n as u32 - 1);
    let pair = |i: u64| [node(2 * i), if i.is_multiple_of(2) { near(i) } else { node(2 * i + 1) }];
    if n == 0 { Vec::new() } else { (0..count as u64).map(pair).collect() }
}

macro_rules! ancestors {
    ($($name:ident = $engine:expr;)*) => {$(
        #[test]
        fn $name() {
            let Some(device) = testing::device() else { return };
            lca_suite(stringify!($name), &[0, 1, 2, 3, 64, 257, 4_097, 9_001], 1, &|parents, test| {
                let on_device = device.upload(parents)?;
                let again = Lca::with_engine(&on_device, $engine)?;
                let index = again.with_parents(parents)?;
                let on_device = Lca::with_engine(&on_device, $engine)?;
                assert_eq!((index.name(), index.len()), ($engine.name(), parents.len()));
                // From the host, in either width, and on the device.
                let batch = |queries: &[[u32; 2]], out: &mut [u32]| {
                    let wide: Vec<[u64; 2]> = queries.iter().map(|pair| pair.map(u64::from)).collect();
                    let mut wide_out = vec![7; out.len()];
                    let narrow = index.batch(Pairs::U32(queries), PositionsMut::U32(out));
                    assert_eq!(index.batch(Pairs::U64(&wide), PositionsMut::U64(&mut wide_out)), narrow);
                    narrow?;
                    let same = |(&narrow, &wide): (&u32, &u64)| wide == if narrow == u32::MAX { u64::MAX } else { narrow.into() };
                    assert!(out.iter().zip(&wide_out).all(same));
                    let answers = device.allocate(out.len())?;
                    on_device.batch(&device.upload(queries.as_flattened())?, &answers)?;
                    assert!(answers.to_vec()? == out);
                    Ok(())
                };
                let ask = |x: usize, y: usize| index.try_ask(x, y).unwrap().map_or(u32::MAX, |node| node as u32);
                test(&LcaUnderTest { ask: &ask, batch: &batch });
                Ok(())
            });
        }
    )*};
}

ancestors! {
    lca_by_inlabel = lca::Engine::Inlabel;
    lca_by_euler_rmq = lca::Engine::EulerRmq(EulerRmqOptions::DEFAULT);
    lca_by_inlabel_of_places = lca::Engine::EulerRmq(EulerRmqOptions { rmq: Some(rmq::Engine::Inlabel) });
}

/// Labels that are made in place, also where pairs are loaded one word after the other, and labels of a tour.
#[test]
fn labels_in_place_and_of_a_tour() {
    for device in [testing::device(), testing::with_word_atomics()].into_iter().flatten() {
        for kind in [ForestKind::Random, ForestKind::Many, ForestKind::Deep] {
            for n in [1, 2, 700, 9_001] {
                let parents = device.upload(&kind.shuffled::<u32>(n, 3)).unwrap();
                let in_place = Lca::new(&parents).unwrap();
                let of_tour = Lca::of_tour(&EulerTour::new(&parents).unwrap(), lca::Engine::Inlabel).unwrap();
                let queries = pairs(n, 3_000);
                let [got, want] = [&in_place, &of_tour].map(|index| {
                    let mut out = vec![7; queries.len()];
                    index.batch_of_slice(&queries, &mut out).unwrap();
                    out
                });
                assert!(got == want, "{} n={n}", kind.name());
            }
        }
    }
}

#[test]
fn the_euler_tour_and_the_array_lead_to_the_same_ancestors() {
    let Some(device) = testing::open(Options { checked: true, binding_bytes: Some(1 << 16) }) else { return };
    for kind in [ArrayKind::Random, ArrayKind::Few, ArrayKind::Sorted] {
        let array = kind.make::<i64>(20_011, 3);
        let tree = Cartesian::new(&device.upload(&array).unwrap()).unwrap();
        let parents = tree.parents().unwrap().to_vec().unwrap();
        let short = Lca::of_cartesian(&tree, lca::Engine::Inlabel).unwrap();
        let long = Lca::of_tour(&tree.forest().unwrap().tour().unwrap(), lca::Engine::Inlabel).unwrap();
        let (queries, n) = (pairs(array.len(), 30_000), array.len());
        let answers = [&short, &long].map(|lca| {
            let mut out = vec![0; queries.len()];
            lca.batch_of_slice(&queries, &mut out).unwrap();
            out
        });
        assert!(answers[0] == answers[1], "{}", kind.name());
        for (&[x, y], &answer) in queries.iter().zip(&answers[0]) {
            let (l, r) = (x.min(y) as usize, x.max(y) as usize);
            let want = if r - l < 100 { (l..=r).min_by_key(|&i| (array[i], i)).unwrap() } else { answer as usize };
            assert_eq!(answer as usize, want, "{} {l}..={r} of {n}", kind.name());
        }
        let euler = Lca::of_cartesian(&tree, ANCESTORS[1]).unwrap();
        let depths = forests::walk(&parents).depths;
        let mut out = vec![0; 500];
        euler.batch_of_slice(&queries[..500], &mut out).unwrap();
        for (&[x, y], &answer) in queries.iter().zip(&out) {
            assert_eq!(answer, forests::lca(&parents, &depths, x as usize, y as usize), "{}", kind.name());
        }
    }
}

#[test]
fn bad_queries_are_named() {
    let Some(device) = testing::device() else { return };
    let tour = tour(&device, &[0, 0, 1]);
    for engine in ANCESTORS {
        let lca = Lca::of_tour(&tour, engine).unwrap().with_tile(10);
        let mut queries = vec![[1, 2]; 100];
        let mut out = vec![9; 100];
        lca.batch_of_slice(&queries, &mut out).unwrap();
        assert!(out == [1; 100]);
        (queries[71], queries[57]) = ([5, 0], [0, 3]);
        let want = Error::Node { row: 57, node: 3, len: 3 };
        assert_eq!(lca.batch_of_slice(&queries, &mut out).unwrap_err(), want);
        let on_device = device.upload(queries.as_flattened()).unwrap();
        assert_eq!(lca.batch(&on_device, &device.allocate(100).unwrap()).unwrap_err(), want);
        assert!(matches!(lca.batch_of_slice(&queries, &mut out[1..]), Err(Error::Length { .. })));
        assert!(matches!(Lca::of_tour(&tour, engine).unwrap().with_parents(&[0u32]), Err(Error::Length { .. })));
        // What has more than 32 bits is named as it is.
        let index = lca.with_parents(&[0u64, 0, 1]).unwrap();
        let mut queries = vec![[1u64, 2]; 100];
        queries[33] = [1, 1 << 32];
        let bad = index.batch(Pairs::U64(&queries), PositionsMut::U64(&mut [0; 100]));
        assert_eq!(bad, Err(Error::Node { row: 33, node: 1 << 32, len: 3 }));
    }
    let refused = Lca::of_tour(&tour, lca::Engine::Naive);
    assert!(matches!(refused, Err(Error::NotOnDevice { problem: "lca", engine: "naive", .. })));
    let sparse = EulerRmqOptions { rmq: Some(rmq::Engine::SparseTable) };
    assert!(matches!(Lca::of_tour(&tour, lca::Engine::EulerRmq(sparse)), Err(Error::NotOnDevice { .. })));
}

fn check_subtrees<K: Key>(device: &Device, parents: &[u32], values: &[K], case: &str) {
    let walked = forests::walk(parents);
    let tour = tour(device, parents);
    let on_device = device.upload(values).unwrap();
    let some: Vec<u32> = pairs(parents.len(), 300).into_iter().map(|[x, _]| x).collect();
    let some_on_device = device.upload(&some).unwrap();
    for order in [Order::Min, Order::Max] {
        let best = |node: usize| {
            let first = walked.preorder[node] as usize;
            let subtree = &walked.order[first..first + walked.sizes[node] as usize];
            *subtree.iter().min_by_key(|&&node| values[node as usize].rank(order)).unwrap()
        };
        let all: Vec<u32> = (0..parents.len()).map(best).collect();
        let asked: Vec<u32> = some.iter().map(|&node| all[node as usize]).collect();
        for (nodes, want) in [(Nodes::All, &all), (Nodes::Some(&some_on_device), &asked)] {
            let positions = tour.subtree_positions(&on_device, order, nodes).unwrap().to_vec().unwrap();
            assert!(positions == *want, "{case} positions");
            let values_found = tour.subtree_values(&on_device, order, nodes).unwrap().to_vec().unwrap();
            let bits = |keys: &[K]| keys.iter().map(|key| key.to_low_bits()).collect::<Vec<_>>();
            let want: Vec<K> = want.iter().map(|&node| values[node as usize]).collect();
            assert!(bits(&values_found) == bits(&want), "{case} values");
        }
    }
}

fn check_subtree_sums<W: Weight<Sum: Key> + Key>(device: &Device, parents: &[u32], weights: &[W], case: &str) {
    let walked = forests::walk(parents);
    let tour = tour(device, parents);
    let some: Vec<u32> = pairs(parents.len(), 300).into_iter().map(|[x, _]| x).collect();
    let some_on_device = device.upload(&some).unwrap();
    // The number of a weight, in 64 bits.
    let number = |weight: &W| {
        let bits = weight.to_low_bits();
        if W::SIGNED && W::BITS == 32 { i64::from(bits as i32) as u64 } else { bits }
    };
    let sum = |node: usize| {
        let first = walked.preorder[node] as usize;
        let subtree = &walked.order[first..first + walked.sizes[node] as usize];
        let sum = subtree.iter().fold(0u64, |sum, &node| sum.wrapping_add(number(&weights[node as usize])));
        W::Sum::from_low_bits(sum)
    };
    let all: Vec<W::Sum> = (0..parents.len()).map(sum).collect();
    let asked: Vec<W::Sum> = some.iter().map(|&node| all[node as usize]).collect();
    let on_device = device.upload(weights).unwrap();
    for (nodes, want) in [(Nodes::All, &all), (Nodes::Some(&some_on_device), &asked)] {
        assert!(tour.subtree_sums(&on_device, nodes).unwrap().to_vec().unwrap() == *want, "{case} sums");
        assert!(tour.subtree_sums_of_slice(weights, nodes).unwrap() == *want, "{case} sums of a slice");
    }
    let sizes: Vec<u32> = some.iter().map(|&node| walked.sizes[node as usize]).collect();
    assert!(tour.subtree_sizes(Nodes::Some(&some_on_device)).unwrap().to_vec().unwrap() == sizes, "{case} sizes");
    assert!(tour.subtree_sizes(Nodes::from(None)).unwrap().to_vec().unwrap() == walked.sizes, "{case} all sizes");
}

#[test]
fn subtrees() {
    let Some(device) = testing::device() else { return };
    for_each_forest(&[1, 2, 700], |parents, case| {
        check_subtrees::<f32>(&device, parents, &ArrayKind::Special.make(parents.len(), 3), case);
        check_subtree_sums::<i32>(&device, parents, &ArrayKind::Random.make(parents.len(), 3), case);
    });
    let parents = ForestKind::Many.shuffled::<u32>(3_001, 3);
    check_subtree_sums::<u32>(&device, &parents, &ArrayKind::Random.make(parents.len(), 3), "many");
    let pairs: Vec<[i32; 2]> = (0..3_001).map(|i| [i - 1_500, 1]).collect();
    let many = tour(&device, &parents);
    let sums = many.subtree_sums_of_slice(&pairs, Nodes::All).unwrap();
    let sizes = many.sizes().to_vec().unwrap();
    assert!(sums.iter().map(|&[_, count]| count).eq(sizes.into_iter().map(i64::from)));
    let firsts: Vec<i32> = pairs.iter().map(|pair| pair[0]).collect();
    let alone = many.subtree_sums_of_slice(&firsts, Nodes::All).unwrap();
    assert!(sums.iter().map(|&[sum, _]| sum).eq(alone));
    let small = testing::open(Options { checked: true, binding_bytes: Some(1 << 16) }).expect("opened before");
    let parents = ForestKind::Deep.shuffled::<u32>(20_011, 3);
    let values = ArrayKind::Random.make::<u64>(parents.len(), 3);
    let deep = tour(&small, &parents);
    let sums = deep.subtree_sums(&small.upload(&values).unwrap(), Nodes::All).unwrap().to_vec().unwrap();
    let root = parents.iter().enumerate().find(|&(i, &up)| up == u32::MAX || up as usize == i).unwrap().0;
    assert_eq!(sums[root], values.iter().fold(0, |sum: u64, &value| sum.wrapping_add(value)));
    check_subtree_sums::<i64>(&device, &parents, &ArrayKind::Random.make(parents.len(), 3), "deep");
    // What is asked about must be there.
    let tour = tour(&device, &[0, 0]);
    let (values, nodes) = (device.upload(&[1, 2]).unwrap(), device.upload(&[1, 2]).unwrap());
    let want = Error::Node { row: 1, node: 2, len: 2 };
    assert_eq!(tour.subtree_values(&values, Order::Min, Nodes::Some(&nodes)).map(|_| ()), Err(want.clone()));
    assert_eq!(tour.subtree_sizes(Nodes::Some(&nodes)).map(|_| ()), Err(want));
    let short = device.upload(&[1]).unwrap();
    assert!(matches!(tour.subtree_sums(&short, Nodes::All), Err(Error::Length { .. })));
    assert!(matches!(tour.subtree_sums_of_slice(&[1u64], Nodes::All), Err(Error::Length { .. })));
}

/// Sizes that only a real GPU has time for. Of a path everything is known.
#[test]
#[ignore = "takes long on a software renderer"]
fn deep_paths() {
    let Some(device) = testing::open(Options::default()) else { return };
    let n = 10_000_000;
    let parents: Vec<u32> = (0..n).map(|i: u32| i.saturating_sub(1)).collect();
    let on_device = device.upload(&parents).unwrap();
    let identity = |numbers: &[u32]| numbers.iter().enumerate().all(|(i, &x)| x as usize == i);
    for &engine in Engine::ALL {
        let got = Forest::with_engine(on_device.clone(), Some(engine)).unwrap();
        assert!(identity(&got.depths().to_vec().unwrap()), "{engine}");
        assert!(got.roots().to_vec().unwrap().iter().all(|&root| root == 0), "{engine}");
    }
    let tour = EulerTour::new(&on_device).unwrap();
    assert!(identity(&tour.preorder().to_vec().unwrap()));
    assert!(tour.sizes().to_vec().unwrap().iter().enumerate().all(|(i, &size)| size == n - i as u32));
    let queries = pairs(n as usize, 1_000_000);
    for engine in ANCESTORS {
        let mut out = vec![0; queries.len()];
        Lca::of_tour(&tour, engine).unwrap().batch_of_slice(&queries, &mut out).unwrap();
        assert!(queries.iter().zip(&out).all(|(&[x, y], &found)| found == x.min(y)), "{engine}");
    }
}
