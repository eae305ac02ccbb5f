//! The parallel primitives against their suites, and what suites cannot say: threads, panics, bad buffers.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use proptest::prelude::*;
use thalweg_core::primitives::sort::{Engine, Options, sort_idx_with};
use thalweg_core::primitives::*;
use thalweg_core::{Error, Order};
use thalweg_data::ArrayKind;
use thalweg_suites::primitives::{
    Affine, check_compact, check_fork, check_scans, check_sort, compact_suite, fork_suite, scan_suite, sort_suite,
};
use thalweg_suites::{at_every_level, with_threads};

#[test]
fn scans() {
    for threads in [1, 2, 8] {
        with_threads(threads, scan_suite);
    }
}

/// At every level: the packing inside has instructions of its own where the machine has them.
#[test]
fn compactions_splits_and_kills() {
    macro_rules! one {
        ($t:ident) => {
            with_threads(3, compact_suite::<$t>);
        };
    }
    at_every_level(|| {
        thalweg_core::for_each_key!(one);
    });
}

#[test]
fn forks() {
    for threads in [1, 3] {
        with_threads(threads, fork_suite);
    }
}

macro_rules! sorts {
    ($($name:ident = $engine:ident;)*) => {$(
        #[test]
        fn $name() {
            macro_rules! one {
                ($t:ident) => {
                    with_threads(3, || sort_suite::<$t>(Engine::$engine));
                };
            }
            thalweg_core::for_each_key!(one);
        }
    )*};
}

sorts! {
    sort_radix = Radix;
    sort_merge = Merge;
    sort_comparison = Comparison;
}

/// Large enough for output past the caches, buckets that do not fit in the cache, and several levels of them.
#[test]
fn large_and_skewed_sorts() {
    let n = 2_200_000;
    for &kind in ArrayKind::ALL {
        check_sort(Engine::Radix, &kind.make::<u32>(n, 1), Order::Min, kind.name());
    }
    check_sort(Engine::Radix, &ArrayKind::Random.make::<f32>(n, 1), Order::Max, "random");
    check_sort(Engine::Radix, &ArrayKind::Random.make::<i64>(n, 2), Order::Min, "random");
    check_sort(Engine::Radix, &ArrayKind::Special.make::<f64>(n, 3), Order::Min, "special");
    // Nine of ten numbers share their upper half, and half of these their upper three quarters.
    let skewed: Vec<u64> = ArrayKind::Random.make::<u64>(n, 4);
    let skewed: Vec<u64> =
        skewed.iter().map(|&x| if x % 10 == 0 { x } else { x >> if x % 2 == 0 { 32 } else { 48 } }).collect();
    check_sort(Engine::Radix, &skewed, Order::Min, "skewed");
    check_sort(Engine::Merge, &skewed, Order::Max, "skewed");
}

/// Every primitive on one input of several blocks; floats, so that a different bracketing would show.
fn everything() -> impl PartialEq + std::fmt::Debug + Send {
    let n = 300_007;
    let floats = ArrayKind::Random.make::<f32>(n, 1);
    let sum = |a: f32, b: f32| a + b;
    let maps = Affine::array(n, 1);
    let words = ArrayKind::Random.make::<u32>(n, 2);
    let merge = Options { engine: Some(Engine::Merge), ..Options::default() };
    let mut in_place = floats.clone();
    let last = exclusive_scan_in_place(&mut in_place, 0.0, sum);
    (
        (reduce(&floats, 0.0, sum), inclusive_scan(&floats, 0.0, sum).unwrap(), in_place, last),
        (reduce(&maps, Affine::IDENTITY, Affine::then), exclusive_scan(&maps, Affine::IDENTITY, Affine::then).unwrap()),
        (compact(&floats, |&x| x < 0.3).unwrap(), split(&floats, |&x| x < 0.3).unwrap()),
        (sort_idx(&words).unwrap(), sort_idx_with(&words, merge).unwrap()),
        fork(&words.iter().map(|x| x % 3).collect::<Vec<_>>()).unwrap(),
    )
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let alone = with_threads(1, everything);
    for threads in [2, 8] {
        assert!(with_threads(threads, everything) == alone, "{threads} threads");
    }
}

/// Calls `run` with a function that notes its thread, and stalls once per thread so that others get their turn.
fn threads_seen(run: impl Fn(&(dyn Fn() + Sync)) + Send + Sync) -> usize {
    let seen = Mutex::new(HashSet::new());
    let calls = AtomicUsize::new(0);
    let note = || {
        // Noting every call would take minutes.
        if calls.fetch_add(1, Ordering::Relaxed).is_multiple_of(1000)
            && seen.lock().unwrap().insert(rayon::current_thread_index())
        {
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    with_threads(4, || run(&note));
    seen.into_inner().unwrap().len()
}

#[test]
fn several_threads_take_part() {
    let values = ArrayKind::Random.make::<u32>(2_000_000, 1);
    let add = |note: &(dyn Fn() + Sync), a: u32, b: u32| {
        note();
        a.wrapping_add(b)
    };
    let odd = |note: &(dyn Fn() + Sync), x: &u32| {
        note();
        x % 2 == 1
    };
    let cases: [(&str, usize); 6] = [
        ("reduce", threads_seen(|note| _ = reduce(&values, 0, |a, b| add(note, a, b)))),
        ("inclusive scan", threads_seen(|note| _ = inclusive_scan(&values, 0, |a, b| add(note, a, b)).unwrap())),
        (
            "scan in place",
            threads_seen(|note| _ = exclusive_scan_in_place(&mut values.clone(), 0, |a, b| add(note, a, b))),
        ),
        ("compact", threads_seen(|note| _ = compact(&values, |x| odd(note, x)).unwrap())),
        ("compact in place", threads_seen(|note| compact_in_place(&mut values.clone(), |x| odd(note, x)).unwrap())),
        ("split", threads_seen(|note| _ = split(&values, |x| odd(note, x)).unwrap())),
    ];
    for (name, threads) in cases {
        assert!(threads >= 2, "{name} ran on {threads} of 4 threads");
    }
}

#[test]
fn a_panic_reaches_the_caller_and_nobody_hangs() {
    let values: Vec<u32> = (0..1_000_000).collect();
    for threads in [1, 2, 8] {
        for bad in [0, 1, 500_000, 999_999] {
            let add = |a: u32, b: u32| {
                assert!(b != bad, "bad element");
                a.wrapping_add(b)
            };
            let test = |&x: &u32| {
                assert!(x != bad, "bad element");
                x % 2 == 0
            };
            let panics = |f: &(dyn Fn() + Sync)| {
                let caught = with_threads(threads, || catch_unwind(AssertUnwindSafe(f)));
                assert!(caught.is_err(), "{threads} threads, element {bad}");
            };
            panics(&|| _ = inclusive_scan(&values, 0, add));
            panics(&|| _ = exclusive_scan_in_place(&mut values.clone(), 0, add));
            panics(&|| _ = compact(&values, test));
            panics(&|| _ = compact_in_place(&mut values.clone(), test));
            panics(&|| _ = split(&values, test));
            panics(&|| _ = split_in_place(&mut values.clone(), test));
            if bad > 0 {
                panics(&|| _ = reduce(&values, 0, |a, b| if a == bad { panic!("bad element") } else { add(a, b) }));
            }
        }
    }
}

#[test]
fn wrong_lengths_are_errors() {
    let length = |expected, got| move |e: &Error| matches!(e, Error::Length { expected: x, got: y, .. } if (*x, *y) == (expected, got));
    let add = |a: i32, b: i32| a + b;
    assert!(inclusive_scan_into(&[1, 2], &mut [0; 3], 0, add).is_err_and(|e| length(2, 3)(&e)));
    assert!(exclusive_scan_into(&[1, 2], &mut [0], 0, add).is_err_and(|e| length(2, 1)(&e)));
    assert!(compact_into(&[1, 2, 3], &mut [0], |x| x % 2 == 1).is_err_and(|e| length(2, 1)(&e)));
    assert!(compact_indices_into(&[1, 2, 3], &mut [0u32], |x| x % 2 == 1).is_err_and(|e| length(2, 1)(&e)));
    assert!(split_into(&[1, 2], &mut [0], |_| true).is_err_and(|e| length(2, 1)(&e)));
    assert!(split_ranks_into(&[true], &mut [0u32; 2]).is_err_and(|e| length(1, 2)(&e)));
    assert!(kill_in_place(&mut vec![1, 2], &[true]).is_err_and(|e| length(2, 1)(&e)));
    assert!(sort_by_key(&[1, 2], &[1]).is_err_and(|e| length(2, 1)(&e)));
    assert!(sort_by_key_in_place(&mut [1, 2], &[1, 2, 3]).is_err_and(|e| length(2, 3)(&e)));
}

#[test]
fn impossible_allocations_are_errors() {
    assert!(matches!(fork(&[u64::MAX, 1]), Err(Error::OutOfMemory { .. })));
    assert!(matches!(fork(&[u64::MAX / 2, u64::MAX / 2 + 1, 1]), Err(Error::OutOfMemory { .. })));
}

#[test]
fn engines_have_names() {
    for &engine in Engine::ALL {
        assert_eq!(engine.name().parse(), Ok(engine));
    }
    assert_eq!(Options::default().chosen(10), Engine::Radix);
    assert!(matches!("bogo".parse::<Engine>(), Err(Error::UnknownEngine { problem: "sort", .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_scan(values in prop::collection::vec(any::<u64>(), 0..200)) {
        check_scans(&values, 0, &u64::wrapping_add, "any");
        check_scans(&values, u64::MAX, &|a, b| a & b, "any");
        // The later one wins: associative, not commutative, and nothing is lost from sight.
        let ids: Vec<Option<usize>> = values.iter().enumerate().map(|(i, x)| (x % 3 == 0).then_some(i)).collect();
        check_scans(&ids, None, &|a, b| b.or(a), "last multiple of three");
    }

    #[test]
    fn any_compaction(values in prop::collection::vec(any::<u16>(), 0..200), limit in any::<u16>()) {
        check_compact(&values, &|&x| x < limit, "any");
    }

    #[test]
    fn any_sort(keys in prop::collection::vec(any::<f64>(), 0..300), narrow in prop::collection::vec(0i32..5, 0..300)) {
        for &engine in Engine::ALL {
            check_sort(engine, &keys, Order::Min, "any");
            check_sort(engine, &narrow, Order::Max, "any");
        }
    }

    #[test]
    fn any_fork(counts in prop::collection::vec(prop_oneof![3 => Just(0u32), 2 => 0u32..9, 1 => 0u32..2000], 0..100)) {
        check_fork(&counts, "any");
    }
}
