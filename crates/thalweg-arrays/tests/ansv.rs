//! Every ANSV engine against the conformance suite, for every key type.

use proptest::prelude::*;
use thalweg_arrays::ansv::Ansv;
use thalweg_arrays::ansv::{Builder, Engine, Relation, engine};
use thalweg_data::ArrayKind;
use thalweg_suites::ansv::suite;
use thalweg_suites::with_threads;

macro_rules! conformance {
    ($($name:ident = $engine:ident;)*) => {$(
        #[test]
        fn $name() {
            macro_rules! one {
                ($t:ident) => {
                    suite::<$t>(&*engine(Engine::$engine));
                };
            }
            thalweg_core::for_each_key!(one);
        }
    )*};
}

conformance! {
    tiles = Tiles;
    stack = Stack;
    bsz = Bsz;
    berkman = Berkman;
    merging = Merging;
}

/// Left and right neighbours by an engine of the library.
fn solve<K: thalweg_core::Key>(engine: Engine, relation: Relation, array: &[K]) -> Ansv {
    Builder::new().engine(engine).relation(relation).run(array).unwrap()
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    for kind in [ArrayKind::Random, ArrayKind::Worst, ArrayKind::Few, ArrayKind::Runs] {
        let array = kind.make::<i32>(150_001, 11);
        for &engine in Engine::ALL.iter().filter(|&&engine| engine != Engine::Naive) {
            for relation in [Relation::Smaller, Relation::NotSmaller] {
                let expected = with_threads(1, || solve(engine, relation, &array));
                for threads in [2, 8] {
                    let got = with_threads(threads, || solve(engine, relation, &array));
                    assert!(got == expected, "{engine} {relation:?} {kind:?} on {threads} threads");
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn engines_agree_with_naive(array in prop::collection::vec(0u8..6, 0..50)) {
        for relation in Relation::ALL {
            let expected = solve(Engine::Naive, relation, &array);
            for &engine in Engine::ALL {
                prop_assert_eq!(&solve(engine, relation, &array), &expected, "{} {:?}", engine, relation);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Plateaus longer than a subset: the shape that random datasets do not have.
    #[test]
    fn long_plateaus(plateaus in prop::collection::vec((0i16..4, 1usize..9000), 1..12)) {
        let array: Vec<i16> = plateaus.iter().flat_map(|&(value, length)| std::iter::repeat_n(value, length)).collect();
        for relation in Relation::ALL {
            let expected = solve(Engine::Stack, relation, &array);
            for &engine in Engine::ALL.iter().filter(|&&engine| engine != Engine::Naive) {
                prop_assert!(solve(engine, relation, &array) == expected, "{} {:?}", engine, relation);
            }
        }
    }
}
