//! Every list ranking engine against the conformance suite.

use proptest::prelude::*;
use thalweg_core::{Error, Position};
use thalweg_data::ListKind;
use thalweg_data::lists::{sums_from_head, sums_to_end};
use thalweg_suites::list::{DIRECTIONS, Ranker, check, suite};
use thalweg_suites::with_threads;
use thalweg_trees::list::{self, Direction, Engine, Options, Weight};

fn by(engine: Engine) -> Options {
    Options { engine: Some(engine), ..Options::default() }
}

fn with_ranker(options: Options, test: impl FnOnce(&Ranker<'_>)) {
    test(&Ranker {
        name: options.chosen(1 << 20).name(),
        rank: &|next, direction| list::rank(next, &Options { direction, ..options }),
        sums: &|next, weights, direction| list::sums(next, weights, &Options { direction, ..options }),
    });
}

macro_rules! conformance {
    ($($name:ident = $options:expr;)*) => {$(
        #[test]
        fn $name() {
            with_ranker($options, suite);
        }
    )*};
}

conformance! {
    helman_jaja = by(Engine::HelmanJaja);
    sequential = by(Engine::Sequential);
    pointer_jumping = by(Engine::PointerJumping);
    independent_set = by(Engine::IndependentSet);
    default = Options::default();
    another_seed = Options { seed: 12345, ..by(Engine::HelmanJaja) };
}

/// All weight types, any number of weights at once, and both widths of positions.
#[test]
fn every_type_of_weight_and_position() {
    fn one<P: Position>() {
        for kind in [ListKind::Random, ListKind::Several, ListKind::Short] {
            for n in [0, 1, 2, 1000, 40_003] {
                let next = kind.make::<P>(n, 5);
                let wide: Vec<i64> = (0..n as i64).map(|i| (i * 77_777_777_777).wrapping_mul(i)).collect();
                let narrow: Vec<i32> = wide.iter().map(|&w| w as i32).collect();
                let unsigned: Vec<u32> = wide.iter().map(|&w| w as u32).collect();
                for &engine in Engine::ALL {
                    for direction in DIRECTIONS {
                        let options = Options { direction, ..by(engine) };
                        let case = format!("{engine} {} {direction:?} {} n={n}", kind.name(), P::NAME);
                        let expected = |weight: &dyn Fn(usize) -> i64| match direction {
                            Direction::ToEnd => sums_to_end(&next, weight),
                            Direction::FromHead => sums_from_head(&next, weight),
                        };
                        let sums = |weight: &dyn Fn(usize) -> i64| -> Vec<u64> {
                            expected(weight).iter().map(|&sum| sum as u64).collect()
                        };
                        assert!(list::sums(&next, &wide, &options).unwrap() == expected(&|i| wide[i]), "{case}");
                        let got = list::sums(&next, &narrow, &options).unwrap();
                        assert!(got == expected(&|i| narrow[i].into()), "{case}");
                        let got = list::sums(&next, &unsigned, &options).unwrap();
                        assert!(got == sums(&|i| unsigned[i].into()), "{case}");
                        let long: Vec<u64> = wide.iter().map(|&w| w as u64).collect();
                        assert!(list::sums(&next, &long, &options).unwrap() == sums(&|i| wide[i]), "{case}");
                        let ones = expected(&|_| 1);
                        several::<P, 1>(&next, &wide, &options, &expected(&|i| wide[i]), &ones, &case);
                        several::<P, 2>(&next, &wide, &options, &expected(&|i| wide[i]), &ones, &case);
                        several::<P, 3>(&next, &wide, &options, &expected(&|i| wide[i]), &ones, &case);
                        several::<P, 7>(&next, &wide, &options, &expected(&|i| wide[i]), &ones, &case);
                        let ranks = list::rank(&next, &options).unwrap();
                        assert!(ranks.iter().zip(&ones).all(|(r, &one)| r.get() as i64 == one - 1), "{case}");
                    }
                }
            }
        }
    }
    /// Several weights at once: the weight, its negative, and one, again and again.
    fn several<P: Position, const C: usize>(
        next: &[P],
        weights: &[i64],
        options: &Options,
        sums: &[i64],
        ones: &[i64],
        case: &str,
    ) where
        [i64; C]: Weight<Sum = [i64; C]>,
    {
        let spread = |w: i64, one: i64| -> [i64; C] { std::array::from_fn(|c| [w, w.wrapping_neg(), one][c % 3]) };
        let weights: Vec<[i64; C]> = weights.iter().map(|&w| spread(w, 1)).collect();
        let want: Vec<[i64; C]> = sums.iter().zip(ones).map(|(&sum, &one)| spread(sum, one)).collect();
        assert!(list::sums(next, &weights, options).unwrap() == want, "{case} {C} weights");
    }
    one::<u32>();
    one::<u64>();
}

/// What other crates know of a weight: how many numbers, how wide, whether they have signs, and what they are.
#[test]
fn weights_tell_what_they_are() {
    fn known<W: Weight>() -> (usize, u32, bool, usize) {
        (W::COUNT, W::BITS, W::SIGNED, size_of::<W::Sum>())
    }
    assert_eq!(known::<i32>(), (1, 32, true, 8));
    assert_eq!(known::<u32>(), (1, 32, false, 8));
    assert_eq!(known::<i64>(), (1, 64, true, 8));
    assert_eq!(known::<[u64; 5]>(), (5, 64, false, 40));
    assert!(matches!(Weight::view(&[[1i32, 2], [3, 4]]), list::Numbers::I32([1, 2, 3, 4])));
    assert_eq!(<[u32; 2]>::words(&mut [[5, 6]]), [5, 6]);
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    for kind in [ListKind::Random, ListKind::Several, ListKind::Short] {
        let next = kind.make::<u32>(300_007, 11);
        for &engine in Engine::ALL {
            for threads in [1, 2, 8] {
                with_threads(threads, || with_ranker(by(engine), |r| check(r, &next, kind.name())));
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
        with_ranker(Options::default(), |ranker| check(ranker, &next, kind.name()));
    }
}

#[test]
fn weights_must_be_as_many_as_elements() {
    let error = list::sums(&[1u32, 1], &[5i32], &Options::default());
    assert_eq!(error, Err(Error::Length { what: "weights", expected: 2, got: 1 }));
}

/// Links that join or go round on many threads: an error, the same every time, whatever the walks run into.
#[test]
fn bad_lists_on_many_threads() {
    let n = 200_000;
    let good = ListKind::Random.make::<u32>(n, 1);
    let ranks = list::rank(&good, &Options::default()).unwrap();
    let at = |rank: u32| ranks.iter().position(|&r| r == rank).unwrap();
    // The element at rank 1000 leads to one far behind: the elements between form a cycle or join.
    for (from, to) in [(1000, 150_000), (150_000, 1000), (0, n as u32 - 1)] {
        let mut bad = good.clone();
        bad[at(from)] = at(to) as u32;
        let expected = list::rank(&bad, &by(Engine::Sequential)).unwrap_err();
        for threads in [1, 2, 8] {
            for &engine in Engine::ALL {
                let got = with_threads(threads, || list::rank(&bad, &by(engine)));
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
            let expected = list::rank(&next, &Options { direction, ..by(Engine::Sequential) });
            for &engine in Engine::ALL {
                let got = list::rank(&next, &Options { direction, ..by(engine) });
                prop_assert_eq!(&got, &expected, "{}", engine);
            }
        }
    }
}
