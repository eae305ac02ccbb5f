//! Every ANSV engine against the conformance suite, for every key type.

use proptest::prelude::*;
use thalweg_arrays::ansv::{self, Ansv, AnsvEngine, Engine, Relation, ThesisOptions, engine};
use thalweg_core::Error;
use thalweg_data::ArrayKind;
use thalweg_suites::ansv::suite;
use thalweg_suites::{at_every_level, with_threads};

macro_rules! conformance {
    ($how:ident: $($name:ident = $engine:ident;)*) => {$(
        #[test]
        fn $name() {
            let engine = &*engine(Engine::$engine).unwrap();
            macro_rules! one {
                ($t:ident) => {
                    suite::<$t>(engine);
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
    tiles = Tiles;
}

// Compiled for the baseline only.
conformance! {
    once:
    stack = Stack;
    bsz = Bsz;
    berkman = Berkman;
    merging = Merging;
}

/// Left and right neighbours by an engine of the library.
fn solve<K: thalweg_core::Key>(engine: Engine, relation: Relation, array: &[K]) -> Ansv {
    ansv::solve(array, relation, engine).unwrap()
}

/// Every engine of the CPU.
fn engines() -> impl Iterator<Item = Engine> {
    Engine::ALL.iter().copied().filter(|engine| !matches!(engine, Engine::Thesis(_)))
}

#[test]
fn what_the_cpu_does_not_have_it_says() {
    let refused = engine(Engine::Thesis(ThesisOptions::DEFAULT)).map(|_| ());
    assert!(matches!(refused, Err(Error::NotOnDevice { engine: "thesis", .. })));
    let known: Vec<&str> = engines().map(|e| engine(e).unwrap().name()).collect();
    assert_eq!(known, ["tiles", "naive", "stack", "bsz", "berkman", "merging"]);
}

#[test]
fn buffers_that_do_not_fit_are_refused() {
    let engine = engine(Engine::Tiles).unwrap();
    let mut short = [0u32; 2];
    let sides = ansv::Sides { left: Some(&mut short[..]), right: None };
    let refused = ansv::solve_into(&[1u8, 2, 3], Relation::Smaller, &*engine, sides);
    assert_eq!(refused, Err(Error::Length { what: "left output", expected: 3, got: 2 }));
}

#[test]
fn engines_and_results_can_be_sent_and_shared() {
    fn sent_and_shared<T: Send + Sync + std::fmt::Debug>() {}
    sent_and_shared::<Box<dyn AnsvEngine>>();
    sent_and_shared::<Ansv>();
    sent_and_shared::<ansv::Outputs<'_>>();
    sent_and_shared::<ansv::Sides<'_, u32>>();
    sent_and_shared::<Engine>();
    sent_and_shared::<Relation>();
    sent_and_shared::<ansv::min_tree::MinTree<'_, u32>>();
    sent_and_shared::<thalweg_arrays::Cartesian<u32>>();
    sent_and_shared::<thalweg_arrays::inlabel::Inlabel<u32>>();
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    for kind in [ArrayKind::Random, ArrayKind::Worst, ArrayKind::Few, ArrayKind::Runs] {
        let array = kind.make::<i32>(150_001, 11);
        for engine in engines().filter(|&engine| engine != Engine::Naive) {
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
            for engine in engines() {
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
            for engine in engines().filter(|&engine| engine != Engine::Naive) {
                prop_assert!(solve(engine, relation, &array) == expected, "{} {:?}", engine, relation);
            }
        }
    }
}
