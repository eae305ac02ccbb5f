//! Every RMQ engine against the conformance suite, for every key type.

use proptest::prelude::*;
use thalweg_arrays::rmq::{Builder, Engine};
use thalweg_core::{Error, Order};
use thalweg_data::{ArrayKind, QueryKind};
use thalweg_suites::rmq::suite;
use thalweg_suites::with_threads;

macro_rules! conformance {
    ($($name:ident = $builder:expr;)*) => {$(
        #[test]
        fn $name() {
            macro_rules! one {
                ($t:ident) => {
                    suite::<$t>(|array, order| $builder.order(order).build(array).unwrap());
                };
            }
            thalweg_core::for_each_key!(one);
        }
    )*};
}

conformance! {
    lines = Builder::new().engine(Engine::Lines);
    naive = Builder::new().engine(Engine::Naive);
    sparse_table = Builder::new().engine(Engine::SparseTable);
    prefix_suffix_tree = Builder::new().engine(Engine::PrefixSuffixTree);
    hierarchy = Builder::new().engine(Engine::Hierarchy);
    hierarchy_of_pairs = Builder::new().engine(Engine::Hierarchy).chunk(2).threshold(1);
    hierarchy_of_odd_chunks = Builder::new().engine(Engine::Hierarchy).chunk(7).threshold(3);
    hierarchy_with_a_wide_top = Builder::new().engine(Engine::Hierarchy).chunk(32).threshold(64);
    balanced_parens = Builder::new().engine(Engine::BalancedParens);
    padded_tree = Builder::new().engine(Engine::PaddedTree);
    padded_tree_of_small_blocks = Builder::new().engine(Engine::PaddedTree).block(4).superblock(16).dictionary(2);
    padded_tree_of_middle_blocks = Builder::new().engine(Engine::PaddedTree).block(8).superblock(32).dictionary(4);
    inlabel = Builder::new().engine(Engine::Inlabel);
}

fn argmins(builder: Builder, array: &[i16], ranges: &[[u32; 2]]) -> Vec<u32> {
    let mut out = vec![0; ranges.len()];
    builder.build(array).unwrap().argmin_batch(ranges, &mut out).unwrap();
    out
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let array = ArrayKind::Few.make::<i16>(150_001, 11);
    let ranges = QueryKind::Mixed.make::<u32>(array.len(), 40_000, 12);
    for &engine in Engine::ALL.iter().filter(|&&engine| engine != Engine::Naive) {
        let run = |threads| with_threads(threads, || argmins(Builder::new().engine(engine), &array, &ranges));
        let expected = run(1);
        for threads in [2, 8] {
            assert!(run(threads) == expected, "{engine} on {threads} threads");
        }
    }
}

#[test]
fn extra_memory_is_what_the_engines_promise() {
    let array = ArrayKind::Random.make::<u32>(1 << 16, 1);
    let bytes = |builder: Builder| builder.build(&array).unwrap().extra_bytes();
    assert_eq!(bytes(Builder::new().engine(Engine::Naive)), 0);
    // Levels of 2^16 - 2^k + 1 positions, for k from 1 to 16.
    let positions = 16 * ((1 << 16) + 1) - ((1 << 17) - 2);
    assert_eq!(bytes(Builder::new().engine(Engine::SparseTable)), 4 * positions);
    // Levels 1 to 15 of 2^16 positions.
    assert_eq!(bytes(Builder::new().engine(Engine::PrefixSuffixTree)), 4 * (15 << 16));
    // Layers of 2^12 and 2^8 minima and positions, and where they start.
    let hierarchy = bytes(Builder::new().engine(Engine::Hierarchy).chunk(16).threshold(16));
    let entries = 8 * ((1 << 12) + (1 << 8));
    assert!((entries..entries + 64).contains(&hierarchy), "{hierarchy}");
}

#[test]
fn balanced_parens_takes_a_few_bits_and_needs_no_array() {
    let array = ArrayKind::Random.make::<f32>(1 << 20, 1);
    let builder = Builder::new().engine(Engine::BalancedParens).order(Order::Max);
    let with_array = builder.build(&array).unwrap();
    let ranges = QueryKind::Mixed.make::<u32>(array.len(), 10_000, 2);
    let (mut expected, mut positions) = (vec![0; ranges.len()], vec![0; ranges.len()]);
    with_array.argmin_batch(&ranges, &mut expected).unwrap();
    let alone = builder.build_without_array(&array).unwrap();
    alone.argmin_batch(&ranges, &mut positions).unwrap();
    assert_eq!(positions, expected);
    assert_eq!((alone.len(), alone.order(), alone.has_values()), (1 << 20, Order::Max, false));
    assert_eq!((alone.min(..), with_array.min(..).is_some()), (None, true));
    let refused = alone.min_batch(&ranges, &mut vec![0.0; ranges.len()]);
    assert_eq!(refused, Err(Error::NoValues { engine: "balanced_parens" }));
    let bits = 8.0 * alone.extra_bytes() as f64 / array.len() as f64;
    assert!((2.0..2.3).contains(&bits), "{bits} bits an element");
    // Others look at the array.
    assert!(matches!(Builder::new().build_without_array(&array), Err(Error::BadOption { option: "engine", .. })));
}

#[test]
fn bad_options_are_refused() {
    let build = |chunk, threshold| {
        Builder::new().engine(Engine::Hierarchy).chunk(chunk).threshold(threshold).build(&[3u8, 1, 2]).map(|r| r.len())
    };
    assert!(matches!(build(0, 1), Err(Error::BadOption { option: "chunk", .. })));
    assert!(matches!(build(1, 1), Err(Error::BadOption { option: "chunk", .. })));
    assert!(matches!(build(2, 0), Err(Error::BadOption { option: "threshold", .. })));
    assert_eq!(build(2, 1), Ok(3));
    assert_eq!(build(usize::MAX, usize::MAX), Ok(3));
}

#[test]
fn bad_options_of_padded_tree_are_refused() {
    let build = |block, superblock, dictionary| {
        let builder = Builder::new().engine(Engine::PaddedTree).block(block).superblock(superblock);
        builder.dictionary(dictionary).build(&[3u8, 1, 2]).map(|r| r.len())
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
    let builder = Builder::new().engine(Engine::PaddedTree);
    let bits = |bytes: usize| bytes as f64 * 8.0 / (1 << 22) as f64;
    // A key and a word of 32 bits for 1,024 elements, and a table over groups of 65,536.
    let found = bits(builder.build(&narrow).unwrap().extra_bytes());
    assert!((4.06..4.08).contains(&found), "{found}");
    let found = bits(builder.build(&wide).unwrap().extra_bytes());
    assert!((4.09..4.12).contains(&found), "{found}");
    // Words of 32 bits for 4 elements instead of 16.
    let found = bits(builder.block(4).build(&narrow).unwrap().extra_bytes());
    assert!((10.2..10.4).contains(&found), "{found}");
}

proptest! {
    #[test]
    fn engines_agree_with_naive(array in prop::collection::vec(-3i16..3, 1..70), order in 0usize..2, chunk in 2usize..6) {
        let order = [Order::Min, Order::Max][order];
        let last = array.len() as u32 - 1;
        let ranges: Vec<[u32; 2]> = (0..=last).flat_map(|l| (l..=last).map(move |r| [l, r])).collect();
        let expected = argmins(Builder::new().order(order).engine(Engine::Naive), &array, &ranges);
        for &engine in Engine::ALL {
            for threshold in [1, 2, 5] {
                let builder = Builder::new().order(order).engine(engine).chunk(chunk).threshold(threshold);
                prop_assert_eq!(&argmins(builder, &array, &ranges), &expected, "{} {} {}", engine, chunk, threshold);
            }
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
        let builder = Builder::new().order([Order::Min, Order::Max][order]);
        let ranges: Vec<[u32; 2]> =
            QueryKind::ALL.iter().flat_map(|kind| kind.make::<u32>(array.len(), 500, 1)).collect();
        let expected = argmins(builder.engine(Engine::SparseTable), array, &ranges);
        let padded = builder.engine(Engine::PaddedTree);
        let builders = [
            builder.engine(Engine::Lines),
            builder.engine(Engine::BalancedParens),
            padded,
            padded.block(4).superblock(16),
            padded.dictionary(4),
        ];
        for builder in builders {
            prop_assert_eq!(&argmins(builder, array, &ranges), &expected, "{:?}", builder);
            let rmq = builder.build(array).unwrap();
            let mut values = vec![0; ranges.len()];
            rmq.min_batch(&ranges, &mut values).unwrap();
            for ((&[l, r], &best), &value) in ranges.iter().zip(&expected).zip(&values) {
                prop_assert_eq!(rmq.argmin(l as usize..=r as usize), Some(best as usize), "{:?}", builder);
                prop_assert_eq!(value, array[best as usize]);
            }
        }
    }
}
