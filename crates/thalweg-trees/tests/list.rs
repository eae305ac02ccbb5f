//! Every list ranking engine against the conformance suite.

use proptest::prelude::*;
use thalweg_core::{Error, Position};
use thalweg_data::ListKind;
use thalweg_data::lists::{sums_from_head, sums_to_end};
use thalweg_suites::list::{DIRECTIONS, Ranker, check, suite};
use thalweg_suites::with_threads;
use thalweg_trees::list::{Builder, Direction, Engine};

fn with_ranker(builder: Builder, test: impl FnOnce(&Ranker<'_>)) {
    test(&Ranker {
        name: builder.chosen(1 << 20).name(),
        rank: &|next, direction| builder.direction(direction).rank(next),
        sums: &|next, weights, direction| builder.direction(direction).sums(next, weights),
    });
}

macro_rules! conformance {
    ($($name:ident = $builder:expr;)*) => {$(
        #[test]
        fn $name() {
            with_ranker($builder, suite);
        }
    )*};
}

conformance! {
    helman_jaja = Builder::new().engine(Engine::HelmanJaja);
    sequential = Builder::new().engine(Engine::Sequential);
    pointer_jumping = Builder::new().engine(Engine::PointerJumping);
    independent_set = Builder::new().engine(Engine::IndependentSet);
    default = Builder::new();
    another_seed = Builder::new().engine(Engine::HelmanJaja).seed(12345);
}

/// All weight types, several weights at once, and both widths of positions.
#[test]
fn every_type_of_weight_and_position() {
    fn one<P: Position>() {
        for kind in [ListKind::Random, ListKind::Several, ListKind::Short] {
            for n in [0, 1, 2, 1000, 40_003] {
                let next = kind.make::<P>(n, 5);
                let wide: Vec<i64> = (0..n as i64).map(|i| (i * 77_777_777_777).wrapping_mul(i)).collect();
                let narrow: Vec<i32> = wide.iter().map(|&w| w as i32).collect();
                let unsigned: Vec<u32> = wide.iter().map(|&w| w as u32).collect();
                let several: Vec<[i64; 3]> = wide.iter().map(|&w| [w, -w, 1]).collect();
                for &engine in Engine::ALL {
                    for direction in DIRECTIONS {
                        let expected = |weight: &dyn Fn(usize) -> i64| match direction {
                            Direction::ToEnd => sums_to_end(&next, weight),
                            Direction::FromHead => sums_from_head(&next, weight),
                        };
                        let builder = Builder::new().engine(engine).direction(direction);
                        let case = format!("{engine} {} {direction:?} {} n={n}", kind.name(), P::NAME);
                        assert!(builder.sums(&next, &wide).unwrap() == expected(&|i| wide[i]), "{case}");
                        assert!(builder.sums(&next, &narrow).unwrap() == expected(&|i| narrow[i].into()), "{case}");
                        let sums = builder.sums(&next, &unsigned).unwrap();
                        let want: Vec<u64> = expected(&|i| unsigned[i].into()).iter().map(|&s| s as u64).collect();
                        assert!(sums == want, "{case}");
                        let sums = builder.sums(&next, &several).unwrap();
                        let (plus, ones) = (expected(&|i| wide[i]), expected(&|_| 1));
                        let want: Vec<[i64; 3]> =
                            plus.iter().zip(&ones).map(|(&p, &one)| [p, p.wrapping_neg(), one]).collect();
                        assert!(sums == want, "{case}");
                        let ranks = builder.rank(&next).unwrap();
                        assert!(ranks.iter().zip(&ones).all(|(r, &one)| r.get() as i64 == one - 1), "{case}");
                    }
                }
            }
        }
    }
    one::<u32>();
    one::<u64>();
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    for kind in [ListKind::Random, ListKind::Several, ListKind::Short] {
        let next = kind.make::<u32>(300_007, 11);
        for &engine in Engine::ALL {
            for threads in [1, 2, 8] {
                with_threads(threads, || with_ranker(Builder::new().engine(engine), |r| check(r, &next, kind.name())));
            }
        }
    }
}

/// Lists so long that the sublists of the default engine are ranked by sublists again would need 2^26 elements; this
/// one has enough for many tasks of many lanes. The unit tests have the levels.
#[test]
fn ten_million_elements() {
    for kind in [ListKind::Random, ListKind::Ordered, ListKind::Reverse] {
        let next = kind.make::<u32>(10_000_000, 3);
        with_ranker(Builder::new(), |ranker| check(ranker, &next, kind.name()));
    }
}

#[test]
fn weights_must_be_as_many_as_elements() {
    let error = thalweg_trees::list::sums(&[1u32, 1], &[5i32]);
    assert_eq!(error, Err(Error::Length { what: "weights", expected: 2, got: 1 }));
}

/// Links that join or go round on many threads: an error, the same every time, whatever the walks run into.
#[test]
fn bad_lists_on_many_threads() {
    let n = 200_000;
    let good = ListKind::Random.make::<u32>(n, 1);
    let ranks = thalweg_trees::list::rank(&good).unwrap();
    let at = |rank: u32| ranks.iter().position(|&r| r == rank).unwrap();
    // The element at rank 1000 leads to one far behind: the elements between form a cycle or join.
    for (from, to) in [(1000, 150_000), (150_000, 1000), (0, n as u32 - 1)] {
        let mut bad = good.clone();
        bad[at(from)] = at(to) as u32;
        let expected = Builder::new().engine(Engine::Sequential).rank(&bad).unwrap_err();
        for threads in [1, 2, 8] {
            for &engine in Engine::ALL {
                let got = with_threads(threads, || Builder::new().engine(engine).rank(&bad));
                assert_eq!(got, Err(expected.clone()), "{engine} on {threads} threads");
            }
        }
    }
}

proptest! {
    /// Any links at all: all engines agree on the ranks or on what is wrong.
    #[test]
    fn engines_agree(links in prop::collection::vec(prop::option::of(0u32..45), 0..40), join in any::<bool>()) {
        let n = links.len() as u32;
        let mut taken = [false; 50];
        let next: Vec<u32> = links
            .iter()
            .enumerate()
            .map(|(i, to)| match *to {
                // Mostly real lists: an element that is taken is not linked to again.
                Some(to) if to < n && (join || !std::mem::replace(&mut taken[to as usize], true)) => to,
                Some(to) if join && to > n => to,
                Some(_) => i as u32,
                None => u32::MAX,
            })
            .collect();
        for direction in DIRECTIONS {
            let expected = Builder::new().direction(direction).engine(Engine::Sequential).rank(&next);
            for &engine in Engine::ALL {
                prop_assert_eq!(&Builder::new().direction(direction).engine(engine).rank(&next), &expected, "{}", engine);
            }
        }
    }
}
