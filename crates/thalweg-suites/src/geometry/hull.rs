//! The conformance suite of convex hulls.

use thalweg_core::{Error, Positions, Result};
use thalweg_data::PointKind;
use thalweg_data::exact::Exact;
use thalweg_data::hulls::check_hull;
use thalweg_geometry::hull::{Engine, Options, hull_of};
use thalweg_geometry::{Coordinate, Stored};

use super::hull_cases::CASES;

/// Something that finds hulls: of points of any type, their corners or the whole boundary.
pub type Finder<'a> = &'a dyn Fn(Stored<'_, 2>, bool) -> Result<Positions>;

/// Holds an engine of the library to its contract; see [`suite_of`].
///
/// # Panics
/// If a hull is wrong.
pub fn suite(engine: Engine) {
    // Quadratic where all points are corners, and every step in big integers.
    let sizes = if engine == Engine::Naive { &[0, 1, 2, 3, 17, 64, 150][..] } else { crate::sizes() };
    suite_of(engine.name(), sizes, &|points, boundary| {
        Ok(hull_of(points, Options { boundary, engine: Some(engine) })?.positions)
    });
}

/// Holds a finder of hulls to its contract: every kind of points in every type, these sizes in `i64` and `f64` and some of
/// them in the others; all sequences of a few points on a small grid; points on which others were wrong; points that are
/// not finite. Corners and the whole boundary.
///
/// # Panics
/// If a hull is wrong.
pub fn suite_of(name: &str, sizes: &[usize], find: Finder<'_>) {
    small_grids(name, find);
    for case in CASES {
        check(name, case.name, case.points, find);
        // In single precision they are other points, and as good.
        let single: Vec<[f32; 2]> = case.points.iter().map(|point| point.map(|x| x as f32)).collect();
        if single.as_flattened().iter().all(|x| x.is_finite()) {
            check(name, case.name, &single, find);
        }
    }
    kinds::<f64>(name, sizes, find);
    kinds::<i64>(name, sizes, find);
    let some: Vec<usize> = sizes.iter().copied().filter(|&n| [1, 17, 257, 4097, 65_537].contains(&n)).collect();
    macro_rules! others {
        ($($t:ident)*) => {$(kinds::<$t>(name, &some, find);)*};
    }
    others!(i8 u8 i16 u16 i32 u32 u64 f32);
    not_finite(name, sizes, find);
}

/// Every kind of points of a type.
fn kinds<K: Exact + Coordinate>(name: &str, sizes: &[usize], find: Finder<'_>) {
    for &kind in PointKind::ALL {
        // Of these nearly every turn goes through big integers when it is checked.
        let is_slow = matches!(kind, PointKind::Nearly | PointKind::Extremes);
        for &n in sizes.iter().filter(|&&n| !is_slow || n < 10_000) {
            let what = format!("{n} points of {} in {}", K::NAME, kind.name());
            check(name, &what, &kind.make::<K>(n, n as u64), find);
        }
    }
}

fn check<K: Exact + Coordinate>(name: &str, what: &str, points: &[[K; 2]], find: Finder<'_>) {
    for boundary in [false, true] {
        let stored = K::stored(points).unwrap_or_else(|e| panic!("{e}"));
        let found = find(stored, boundary).unwrap_or_else(|e| panic!("{name}, {what}: {e}"));
        assert!(found.as_u32().is_some(), "{name}, {what}: positions of 32 bits are enough");
        let found: Vec<usize> = found.iter().map(|position| position.expect("a position")).collect();
        if let Err(complaint) = check_hull(points, &found, boundary) {
            let shown = &points[..points.len().min(20)];
            panic!("{name}, {what}, boundary {boundary}: {complaint}; {found:?} of {shown:?}");
        }
    }
}

/// All sequences of up to four points, with repetitions, of a grid of 3 by 3, and some of five and six.
fn small_grids(name: &str, find: Finder<'_>) {
    for len in 0..=6u32 {
        let count = 9u32.pow(len);
        for code in (0..count).step_by((count / 6561).max(1) as usize) {
            let mut code = code;
            let points: Vec<[i32; 2]> = (0..len)
                .map(|_| {
                    let digit = (code % 9) as i32;
                    code /= 9;
                    [digit % 3, digit / 3]
                })
                .collect();
            check(name, "a small grid", &points, find);
        }
    }
    // The zeros are equal.
    check(name, "zeros", &[[0.0, -0.0], [-0.0, 0.0], [0.0, 1.0], [-0.0, 1.0], [1.0, 0.0], [1.0, -0.0]], find);
    check(name, "zeros", &[[-0.0, 0.0], [0.0, -1.0], [-0.0, -1.0], [0.0, -0.0]], find);
}

/// The first point that is not finite is named, wherever it is.
fn not_finite(name: &str, sizes: &[usize], find: Finder<'_>) {
    for &n in sizes.iter().filter(|&&n| n > 0) {
        for (at, axis, x, number) in [
            (n - 1, 0, f64::NAN, "NaN"),
            (n / 2, 1, f64::NEG_INFINITY, "-infinity"),
            (n / 3, 0, f64::INFINITY, "infinity"),
            (0, 1, -f64::NAN, "NaN"),
        ] {
            for kind in [PointKind::Disk, PointKind::Circle] {
                let mut points = kind.make::<f64>(n, 5);
                // A later one is not told.
                points[at + (n - at) / 2] = [f64::NAN; 2];
                points[at] = [1.0; 2];
                points[at][axis] = x;
                let want = Error::NotFinite { what: "point", row: at, number };
                let number_of = |found: Result<Positions>| found.map(|hull| hull.len());
                let said = |wrong| format!("{name}: {n} points in {}, {x} at {at}: {wrong:?}", kind.name());
                let found = number_of(find(Coordinate::stored(&points).expect("no copy"), false));
                assert!(found == Err(want.clone()), "{}", said(found));
                let single: Vec<[f32; 2]> = points.iter().map(|point| point.map(|x| x as f32)).collect();
                let found = number_of(find(Coordinate::stored(&single).expect("no copy"), true));
                assert!(found == Err(want), "{}", said(found));
            }
        }
    }
}
