//! Every RMQ engine against the conformance suite, for every key type.

use proptest::prelude::*;
use thalweg_arrays::Rmq;
use thalweg_arrays::rmq::{
    Assignment, Engine, HierarchyOptions, LinesOptions, Load, PaddedTreeOptions, RayOptions, RmqEngine,
};
use thalweg_core::bits::BitsMut;
use thalweg_core::{Chosen, Error, Order, Pairs, PositionsMut};
use thalweg_data::{ArrayKind, QueryKind};
use thalweg_suites::rmq::suite;
use thalweg_suites::{at_every_level, with_threads};

const LINES: Engine = Engine::Lines(LinesOptions::DEFAULT);
const HIERARCHY: Engine = Engine::Hierarchy(HierarchyOptions::DEFAULT);
const PADDED_TREE: Engine = Engine::PaddedTree(PaddedTreeOptions::DEFAULT);

fn hierarchy(chunk: usize, threshold: usize) -> Engine {
    let options = HierarchyOptions { chunk: Some(chunk), threshold: Some(threshold), ..HierarchyOptions::DEFAULT };
    Engine::Hierarchy(options)
}

fn padded_tree(block: usize, superblock: usize, dictionary: usize) -> Engine {
    let (block, superblock, dictionary) = (Some(block), Some(superblock), Some(dictionary));
    Engine::PaddedTree(PaddedTreeOptions { block, superblock, dictionary })
}

macro_rules! conformance {
    ($how:ident: $($name:ident = $engine:expr;)*) => {$(
        #[test]
        fn $name() {
            macro_rules! one {
                ($t:ident) => {
                    suite::<$t>(|array, order| Rmq::with_engine(array, order, $engine).unwrap());
                };
            }
            conformance!(@run $how, one);
        }
    )*};
    (@run every_level, $one:ident) => {
        at_every_level(|| {
            thalweg_suites::for_keys_of_level!($one);
        });
    };
    (@run once, $one:ident) => {
        thalweg_core::for_each_key!($one);
    };
}

// Kernels for several instruction sets.
conformance! {
    every_level:
    lines = LINES;
    balanced_parens = Engine::BalancedParens;
    padded_tree_of_large_blocks = PADDED_TREE;
}

// Other sizes of the same, and what is compiled for the baseline only.
conformance! {
    once:
    padded_tree_of_small_blocks = padded_tree(4, 16, 2);
    padded_tree_of_middle_blocks = padded_tree(8, 32, 4);
    naive = Engine::Naive;
    sparse_table = Engine::SparseTable;
    prefix_suffix_tree = Engine::PrefixSuffixTree;
    hierarchy_of_lines = HIERARCHY;
    hierarchy_of_pairs = hierarchy(2, 1);
    hierarchy_of_odd_chunks = hierarchy(7, 3);
    hierarchy_with_a_wide_top = hierarchy(32, 64);
    inlabel = Engine::Inlabel;
}

/// All but those that need a GPU.
fn of_the_cpu() -> impl Iterator<Item = Engine> {
    Engine::ALL.iter().copied().filter(|engine| !engine.needs_gpu())
}

fn positions(engine: Engine, order: Order, array: &[i16], ranges: &[[u32; 2]]) -> Vec<u32> {
    let mut out = vec![0; ranges.len()];
    Rmq::with_engine(array, order, engine).unwrap().positions(ranges, &mut out).unwrap();
    out
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let array = ArrayKind::Few.make::<i16>(150_001, 11);
    let ranges = QueryKind::Mixed.make::<u32>(array.len(), 40_000, 12);
    for engine in of_the_cpu().filter(|&engine| engine != Engine::Naive) {
        let run = |threads| with_threads(threads, || positions(engine, Order::Min, &array, &ranges));
        let expected = run(1);
        for threads in [2, 8] {
            assert!(run(threads) == expected, "{engine} on {threads} threads");
        }
    }
}

#[test]
fn elements_in_order_do_not_depend_on_the_number_of_threads() {
    let array = ArrayKind::Few.make::<i16>(150_001, 11);
    for rows in [1, 3, 1000] {
        let ranges = QueryKind::Mixed.make::<u32>(array.len(), rows, 12);
        let thresholds: Vec<i16> = (0..rows).map(|row| array[row]).collect();
        for engine in of_the_cpu().filter(|&engine| engine != Engine::Naive) {
            let rmq = Rmq::with_engine(&array, Order::Max, engine).unwrap();
            let run = |threads| {
                with_threads(threads, || {
                    let mut smallest = vec![0; 20 * rows];
                    rmq.smallest_each(&ranges, 20, &mut smallest).unwrap();
                    (smallest, rmq.below_each(&ranges, &thresholds).unwrap())
                })
            };
            let expected = run(1);
            for threads in [2, 8] {
                assert!(run(threads) == expected, "{engine} on {threads} threads, {rows} rows");
            }
        }
    }
}

#[test]
fn extra_memory_is_what_the_engines_promise() {
    let array = ArrayKind::Random.make::<u32>(1 << 16, 1);
    let bytes = |engine| Rmq::with_engine(&array, Order::Min, engine).unwrap().extra_bytes();
    assert_eq!(bytes(Engine::Naive), 0);
    // Levels of 2^16 - 2^k + 1 positions, for k from 1 to 16.
    let positions = 16 * ((1 << 16) + 1) - ((1 << 17) - 2);
    assert_eq!(bytes(Engine::SparseTable), 4 * positions);
    // Levels 1 to 15 of 2^16 positions.
    assert_eq!(bytes(Engine::PrefixSuffixTree), 4 * (15 << 16));
    // Layers of 2^12 and 2^8 minima and positions, and where they start.
    let hierarchy = bytes(hierarchy(16, 16));
    let entries = 8 * ((1 << 12) + (1 << 8));
    assert!((entries..entries + 64).contains(&hierarchy), "{hierarchy}");
}

#[test]
fn balanced_parens_takes_a_few_bits_and_needs_no_array() {
    let array = ArrayKind::Random.make::<f32>(1 << 20, 1);
    let with_array = Rmq::with_engine(&array, Order::Max, Engine::BalancedParens).unwrap();
    let ranges = QueryKind::Mixed.make::<u32>(array.len(), 10_000, 2);
    let (mut expected, mut positions) = (vec![0; ranges.len()], vec![0; ranges.len()]);
    with_array.positions(&ranges, &mut expected).unwrap();
    let alone = Rmq::without_array(&array, Order::Max, Engine::BalancedParens).unwrap();
    alone.positions(&ranges, &mut positions).unwrap();
    assert_eq!(positions, expected);
    assert_eq!((alone.len(), alone.order(), alone.has_values()), (1 << 20, Order::Max, false));
    assert_eq!((alone.value(..), with_array.value(..).is_some()), (None, true));
    assert_eq!(alone.try_value(..), Ok(None));
    let refused = alone.values(&ranges, &mut vec![0.0; ranges.len()]);
    assert_eq!(refused, Err(Error::NoValues { engine: "balanced_parens" }));
    let refused = Some(Error::NoValues { engine: "balanced_parens" });
    assert_eq!((alone.smallest(..).err(), alone.below(.., 0.0).err()), (refused.clone(), refused));
    let bits = 8.0 * alone.extra_bytes() as f64 / array.len() as f64;
    assert!((2.0..2.3).contains(&bits), "{bits} bits an element");
    // Others look at the array.
    let refused = Rmq::without_array(&array, Order::Min, LINES).map(|_| ());
    assert!(matches!(refused, Err(Error::BadOption { option: "engine", .. })));
}

#[test]
fn the_index_tells_what_was_chosen() {
    let rmq = Rmq::new(&[3, 1, 2]).unwrap();
    assert_eq!(rmq.chosen(), &Chosen::on_cpu("lines", "the default"));
    let rmq = Rmq::with_engine(vec![3, 1, 2], Order::Max, Engine::Naive).unwrap();
    assert_eq!((rmq.chosen().to_string(), rmq.engine()), ("naive on the CPU: asked for".to_owned(), "naive"));
    assert_eq!((rmq.try_position(..), rmq.try_value(..), rmq.try_position(3..)), (Ok(Some(0)), Ok(Some(3)), Ok(None)));
    assert!(!format!("{rmq:?}").is_empty());
}

#[test]
fn engines_can_be_sent_and_shared() {
    fn sent_and_shared<T: Send + Sync + std::fmt::Debug>() {}
    sent_and_shared::<Rmq<'_, f32>>();
    sent_and_shared::<Box<dyn RmqEngine>>();
    sent_and_shared::<Engine>();
    sent_and_shared::<thalweg_arrays::rmq::Dictionary>();
    sent_and_shared::<thalweg_arrays::rmq::PaddedTreeShape>();
}

#[test]
fn buffers_of_other_widths_are_refused() {
    let array = ArrayKind::Random.make::<u32>(100, 1);
    for engine in of_the_cpu() {
        let rmq = Rmq::with_engine(&array, Order::Min, engine).unwrap();
        let engine = rmq.as_engine();
        let refused = engine.positions(Pairs::U32(&[[0, 1]]), PositionsMut::U64(&mut [0]));
        assert_eq!(refused, Err(Error::Bits { what: "output of the batch", expected: 32, got: 64 }));
        let refused = engine.values(Pairs::U32(&[[0, 1]]), BitsMut::U16(&mut [0]));
        assert_eq!(refused, Err(Error::Bits { what: "output of the batch", expected: 32, got: 16 }));
        let refused = engine.values(Pairs::U64(&[[0, 1]]), BitsMut::U32(&mut []));
        assert_eq!(refused, Err(Error::Length { what: "output of the batch", expected: 1, got: 0 }));
        let refused = engine.positions(Pairs::U64(&[]), PositionsMut::U64(&mut [0]));
        assert_eq!(refused, Err(Error::Length { what: "output of the batch", expected: 0, got: 1 }));
    }
}

#[test]
fn options_of_gpus_are_refused() {
    let refused = |engine| matches!(Rmq::with_engine(&[3, 1, 2], Order::Min, engine), Err(Error::NotOnDevice { .. }));
    let with = |change: &dyn Fn(&mut HierarchyOptions)| {
        let mut options = HierarchyOptions::DEFAULT;
        change(&mut options);
        Engine::Hierarchy(options)
    };
    assert!(refused(Engine::Lines(LinesOptions { compact: true })));
    assert!(refused(Engine::Ray(RayOptions::DEFAULT)));
    assert!(refused(with(&|options| options.group = Some(4))));
    assert!(refused(with(&|options| options.load = Some(Load::Vector))));
    assert!(refused(with(&|options| options.assignment = Some(Assignment::Queue))));
    assert!(!refused(with(&|options| options.chunk = Some(4))));
    assert_eq!("multi-load".parse(), Ok(Assignment::MultiLoad));
    assert_eq!(Load::Coalesced.to_string().parse(), Ok(Load::Coalesced));
    let text = "wide".parse::<Load>().unwrap_err().to_string();
    assert_eq!(text, "load: 'wide' is not one of vector, coalesced");
}

#[test]
fn bad_options_are_refused() {
    let build =
        |chunk, threshold| Rmq::with_engine(&[3u8, 1, 2], Order::Min, hierarchy(chunk, threshold)).map(|r| r.len());
    assert!(matches!(build(0, 1), Err(Error::BadOption { option: "chunk", .. })));
    assert!(matches!(build(1, 1), Err(Error::BadOption { option: "chunk", .. })));
    assert!(matches!(build(2, 0), Err(Error::BadOption { option: "threshold", .. })));
    assert_eq!(build(2, 1), Ok(3));
    assert_eq!(build(usize::MAX, usize::MAX), Ok(3));
}

#[test]
fn bad_options_of_padded_tree_are_refused() {
    let build = |block, superblock, dictionary| {
        let engine = padded_tree(block, superblock, dictionary);
        Rmq::with_engine(&[3u8, 1, 2], Order::Min, engine).map(|r| r.len())
    };
    assert_eq!(build(16, 64, 8), Ok(3));
    assert!(matches!(build(32, 64, 8), Err(Error::BadOption { option: "block", .. })));
    assert!(matches!(build(0, 64, 8), Err(Error::BadOption { option: "block", .. })));
    assert!(matches!(build(16, 48, 8), Err(Error::BadOption { option: "superblock", .. })));
    assert!(matches!(build(16, 64, 16), Err(Error::BadOption { option: "dictionary", .. })));
    let error = build(16, 64, 3).unwrap_err();
    assert_eq!(error.to_string(), "dictionary: 3 is not one of 2, 4 and 8");
}

#[test]
fn padded_tree_takes_four_bits_an_element() {
    let (narrow, wide) = (ArrayKind::Random.make::<u32>(1 << 22, 1), ArrayKind::Random.make::<u64>(1 << 22, 1));
    let bits = |bytes: usize| bytes as f64 * 8.0 / (1 << 22) as f64;
    // A key and a word of 32 bits for 1,024 elements, and a table over groups of 65,536.
    let found = bits(Rmq::with_engine(&narrow, Order::Min, PADDED_TREE).unwrap().extra_bytes());
    assert!((4.06..4.08).contains(&found), "{found}");
    let found = bits(Rmq::with_engine(&wide, Order::Min, PADDED_TREE).unwrap().extra_bytes());
    assert!((4.09..4.12).contains(&found), "{found}");
    // Words of 32 bits for 4 elements instead of 16.
    let found = bits(Rmq::with_engine(&narrow, Order::Min, padded_tree(4, 64, 8)).unwrap().extra_bytes());
    assert!((10.2..10.4).contains(&found), "{found}");
}

proptest! {
    #[test]
    fn engines_agree_with_naive(array in prop::collection::vec(-3i16..3, 1..70), order in 0usize..2, chunk in 2usize..6) {
        let order = [Order::Min, Order::Max][order];
        let last = array.len() as u32 - 1;
        let ranges: Vec<[u32; 2]> = (0..=last).flat_map(|l| (l..=last).map(move |r| [l, r])).collect();
        let expected = positions(Engine::Naive, order, &array, &ranges);
        let layers = [1, 2, 5].map(|threshold| hierarchy(chunk, threshold));
        for engine in of_the_cpu().chain(layers) {
            prop_assert_eq!(&positions(engine, order, &array, &ranges), &expected, "{:?}", engine);
        }
    }
}

/// Elements of a run: level, rising or falling from `start`, one step for every `level` elements.
fn run((slope, start, len, level): (i16, i16, usize, usize)) -> impl Iterator<Item = i16> {
    (0..len).map(move |i| start + slope * (i / level) as i16)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Runs longer than a group of `lines`, which then answers from a range's ends, and than several blocks of
    /// `balanced_parens`, which then have nothing but closings; many superblocks and groups of `padded_tree`; between
    /// shorter ones, with ties.
    #[test]
    fn engines_agree_on_long_runs(
        runs in prop::collection::vec((-1i16..2, -9000i16..9000, 1usize..20_000, 1usize..3), 1..6),
        skip in 0usize..40,
        order in 0usize..2,
    ) {
        let all: Vec<i16> = runs.into_iter().flat_map(run).collect();
        // Where the array begins decides where its lines do.
        let array = &all[skip.min(all.len() - 1)..];
        let order = [Order::Min, Order::Max][order];
        let ranges: Vec<[u32; 2]> =
            QueryKind::ALL.iter().flat_map(|kind| kind.make::<u32>(array.len(), 500, 1)).collect();
        let expected = positions(Engine::SparseTable, order, array, &ranges);
        let engines =
            [LINES, Engine::BalancedParens, PADDED_TREE, padded_tree(4, 16, 8), padded_tree(16, 64, 4)];
        for engine in engines {
            prop_assert_eq!(&positions(engine, order, array, &ranges), &expected, "{:?}", engine);
            let rmq = Rmq::with_engine(array, order, engine).unwrap();
            let mut values = vec![0; ranges.len()];
            rmq.values(&ranges, &mut values).unwrap();
            for ((&[l, r], &best), &value) in ranges.iter().zip(&expected).zip(&values) {
                prop_assert_eq!(rmq.position(l as usize..=r as usize), Some(best as usize), "{:?}", engine);
                prop_assert_eq!(value, array[best as usize]);
            }
        }
    }
}
