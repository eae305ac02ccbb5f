//! Convex hulls: the conformance suite for every engine, properties, threads.

use proptest::prelude::*;
use thalweg_data::hulls::check_hull;
use thalweg_data::{PointKind, with_threads};
use thalweg_geometry::Coordinate;
use thalweg_geometry::hull::{Engine, Options, hull, hull_of, hull_with};
use thalweg_suites::at_every_level;
use thalweg_suites::geometry::hull::suite;

macro_rules! conformance {
    ($($name:ident, $engine:ident;)*) => {$(
        #[test]
        fn $name() {
            suite(Engine::$engine);
        }
    )*};
}
conformance! {
    chains, Chains;
    wagener, Wagener;
    graham, Graham;
    naive, Naive;
}

/// The only one with kernels of its own for every instruction set.
#[test]
fn slabs() {
    at_every_level(|| suite(Engine::Slabs));
}

fn positions<T: Coordinate>(points: &[[T; 2]], engine: Engine, boundary: bool) -> Vec<usize> {
    let found = hull_with(points, Options { boundary, engine: Some(engine) }).unwrap();
    found.iter().map(|position| position.unwrap()).collect()
}

/// All engines agree, and the certificate holds.
fn agree<T: Coordinate + thalweg_data::exact::Exact>(points: &[[T; 2]]) -> Result<(), TestCaseError> {
    for boundary in [false, true] {
        let want = positions(points, Engine::Naive, boundary);
        prop_assert_eq!(check_hull(points, &want, boundary), Ok(()));
        for &engine in Engine::ALL {
            prop_assert_eq!(positions(points, engine, boundary), want.clone(), "{} {}", engine, boundary);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn on_a_small_grid(points in prop::collection::vec(prop::array::uniform2(0..5i8), 0..40)) {
        agree(&points)?;
    }

    #[test]
    fn integers_of_any_size(points in prop::collection::vec(any::<[i64; 2]>(), 0..40), shift in 0..62u32) {
        agree(&points)?;
        let small: Vec<[i64; 2]> = points.iter().map(|point| point.map(|x| x >> shift)).collect();
        agree(&small)?;
        let shifted: Vec<[u64; 2]> = points.iter().map(|point| point.map(|x| x as u64)).collect();
        agree(&shifted)?;
    }

    #[test]
    fn doubles_of_any_size(points in prop::collection::vec(any::<[f64; 2]>(), 0..40)) {
        let finite: Vec<[f64; 2]> =
            points.into_iter().filter(|point| point.iter().all(|x| x.is_finite())).collect();
        agree(&finite)?;
    }

    #[test]
    fn doubles_near_a_line(
        steps in prop::collection::vec((0..64u64, 0..8u64), 0..40),
        exponent in -1070..1000i32,
    ) {
        // A few units in the last place beside y = x, at any scale.
        let scale = 2f64.powi(exponent.max(-500)) * 2f64.powi(exponent.min(-500) + 500);
        let near = |steps: u64| f64::from_bits(0.75f64.to_bits() + steps) * scale;
        let points: Vec<[f64; 2]> = steps.iter().map(|&(x, off)| [near(x), near(x + off)]).collect();
        agree(&points)?;
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for kind in [PointKind::Disk, PointKind::Circle, PointKind::Grid, PointKind::Nearly, PointKind::Line] {
        let points = kind.make::<f64>(150_000, 3);
        for boundary in [false, true] {
            let want = with_threads(1, || positions(&points, Engine::Chains, boundary));
            check_hull(&points, &want, boundary).unwrap();
            for engine in [Engine::Slabs, Engine::Chains, Engine::Wagener] {
                for threads in [1, 2, 8] {
                    let got = with_threads(threads, || positions(&points, engine, boundary));
                    assert_eq!(got, want, "{engine} on {threads} threads, {}", kind.name());
                }
            }
        }
    }
}

/// Both threads of two do a good part of the work of all engines that say so.
#[cfg(target_os = "linux")]
#[test]
fn several_threads_take_part() {
    for (engine, kind, n) in [
        (Engine::Slabs, PointKind::Disk, 8_000_000),
        (Engine::Chains, PointKind::Circle, 1_000_000),
        (Engine::Wagener, PointKind::Circle, 300_000),
    ] {
        let points = kind.make::<f64>(n, 3);
        thalweg_suites::both_threads_take_part(engine.name(), || _ = positions(&points, engine, false));
    }
}

/// Where few points are near the boundary, most are dropped; where all are, all are sorted. Sorted input changes nothing.
#[test]
fn a_sample_decides() {
    let used = |points: &[[f64; 2]]| hull_of(Coordinate::stored(points).unwrap(), Options::default()).unwrap().engine;
    for (kind, want) in [
        (PointKind::Square, Engine::Slabs),
        (PointKind::Disk, Engine::Slabs),
        (PointKind::Normal, Engine::Slabs),
        (PointKind::Grid, Engine::Slabs),
        (PointKind::Sorted, Engine::Slabs),
        (PointKind::Circle, Engine::Chains),
        (PointKind::Line, Engine::Chains),
        (PointKind::Same, Engine::Chains),
    ] {
        let mut points = kind.make::<f64>(100_000, 1);
        assert_eq!(used(&points), want, "{}", kind.name());
        points.sort_by(|a, b| a.partial_cmp(b).unwrap());
        assert_eq!(used(&points), want, "{} sorted", kind.name());
    }
}

#[test]
fn few_points() {
    assert_eq!(hull::<f64>(&[]).unwrap().len(), 0);
    assert_eq!(hull(&[[7u8, 7]]).unwrap().as_u32(), Some(&[0][..]));
    assert_eq!(hull(&[[1, 0], [0, 5]]).unwrap().as_u32(), Some(&[1, 0][..]));
    assert_eq!(hull(&[[1, 0], [1, 0]]).unwrap().as_u32(), Some(&[0][..]));
}
