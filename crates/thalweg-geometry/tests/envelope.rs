//! Envelopes: every engine against the oracle in fractions, where everything touches everything and where doubles do not
//! suffice.

use num_rational::BigRational;
use proptest::prelude::*;
use thalweg_core::Error;
use thalweg_data::envelopes::{ExactPiece, ExactSegment, is_nearest, lower_envelope as by_fractions, lowest_at};
use thalweg_data::{SegmentKind, with_threads};
use thalweg_geometry::Coordinate;
use thalweg_geometry::envelope::{
    Engine, Envelope, Grid, Raster, RasterOutputs, Segments, Side, envelope, raster, raster_into,
};
use thalweg_suites::geometry::envelope as suite;

macro_rules! conformance {
    ($($name:ident = $suite:path, $engine:ident;)*) => {$(
        #[test]
        fn $name() {
            $suite(Engine::$engine);
        }
    )*};
}
conformance! {
    merge = suite::suite, Merge;
    sweep = suite::suite, Sweep;
    naive = suite::suite, Naive;
    raster_by_tiles = suite::raster_suite, Raster;
    raster_by_looking = suite::raster_suite, Naive;
}

/// The same answer on any number of threads.
#[test]
fn merge_on_threads() {
    suite::threads("merge", &|segments, side| envelope(segments, side, Engine::Merge));
}

#[test]
fn raster_on_threads() {
    for &kind in SegmentKind::ALL {
        let (rows, grid) = (kind.make::<i16>(30_000, 3), Grid::new(-40_000, 80_000).unwrap());
        let [one, two, eight] = [1, 2, 8].map(|threads| {
            with_threads(threads, || raster(&Segments::new(&rows).unwrap(), Side::Lower, grid, Engine::Raster).unwrap())
        });
        let is_same = |other: &Raster| {
            other.ids == one.ids && other.values.iter().zip(&one.values).all(|(a, b)| a.to_bits() == b.to_bits())
        };
        assert!(is_same(&two) && is_same(&eight), "{kind:?}");
    }
}

#[test]
fn engines_say_what_they_are_for() {
    let rows = [[0, 0, 1, 1]];
    let segments = Segments::new(&rows).unwrap();
    let error = envelope(&segments, Side::Lower, Engine::Raster).unwrap_err();
    assert!(error.to_string().contains("merge, sweep and naive"), "{error}");
    for engine in [Engine::Merge, Engine::Sweep] {
        let error = raster(&segments, Side::Lower, Grid::new(0, 3).unwrap(), engine).unwrap_err();
        assert!(error.to_string().contains("raster and naive"), "{error}");
    }
    assert!(Grid::new(i64::MAX - 3, 4).is_err() && Grid::new(0, u32::MAX as usize).is_err());
    let short = RasterOutputs { values: Some(&mut [0.0; 2]), ids: None };
    let error = raster_into(&segments, Side::Lower, Grid::new(0, 3).unwrap(), Engine::Raster, short).unwrap_err();
    assert_eq!(error, Error::Length { what: "values", expected: 3, got: 2 });
}

const ENGINES: [Engine; 3] = [Engine::Merge, Engine::Sweep, Engine::Naive];

fn pieces(envelope: &Envelope) -> Vec<ExactPiece> {
    let ids = envelope.pieces().map(|piece| piece.segment);
    ids.enumerate().map(|(i, id)| (envelope.exact_start(i), id)).collect()
}

/// Holds all engines to the oracle, on both sides, with values at all places where something happens.
fn check<T: Coordinate + std::fmt::Debug>(rows: &[[T; 4]], exact: impl Fn([T; 4], bool) -> ExactSegment) {
    for side in [Side::Lower, Side::Upper] {
        let is_upper = side == Side::Upper;
        let oracle: Vec<ExactSegment> = rows.iter().map(|&row| exact(row, is_upper)).collect();
        let want = by_fractions(&oracle);
        let segments = Segments::new(rows).unwrap();
        for engine in ENGINES {
            let got = envelope(&segments, side, engine).unwrap();
            assert_eq!(pieces(&got), want, "{engine} {side:?} {rows:?}");
            for (start, (exact, _)) in got.starts().iter().zip(&want) {
                match exact {
                    Some(exact) => assert!(is_nearest(*start, exact), "{start} is not near {exact}"),
                    None => assert_eq!(*start, f64::NEG_INFINITY),
                }
            }
            // At the starts, as far as doubles hit them, and around.
            let mut xs: Vec<f64> = got.starts().iter().filter(|x| x.is_finite()).copied().collect();
            xs.extend(xs.clone().windows(2).map(|pair| pair[0] / 2.0 + pair[1] / 2.0));
            xs.extend(xs.clone().iter().flat_map(|x| [x.next_down(), x.next_up(), x + 0.5]));
            xs.retain(|x| x.is_finite());
            let values = got.values_at(&xs).unwrap();
            for (x, value) in xs.iter().zip(values) {
                match lowest_at(&oracle, &BigRational::from_float(*x).unwrap()) {
                    Some((lowest, _)) => {
                        let lowest = if is_upper { -lowest } else { lowest };
                        assert!(is_nearest(value, &lowest), "{engine} {side:?} {rows:?} at {x}: {value}, not {lowest}");
                    }
                    None => assert!(value.is_nan(), "{engine} {side:?} {rows:?} at {x}: {value} in a gap"),
                }
            }
        }
    }
}

/// Holds both engines of grids to the oracle.
fn check_grid<T: Coordinate + std::fmt::Debug>(
    rows: &[[T; 4]],
    exact: impl Fn([T; 4], bool) -> ExactSegment,
    grid: Grid,
) {
    for side in [Side::Lower, Side::Upper] {
        let is_upper = side == Side::Upper;
        let oracle: Vec<ExactSegment> = rows.iter().map(|&row| exact(row, is_upper)).collect();
        for engine in [Engine::Raster, Engine::Naive] {
            let got = raster(&Segments::new(rows).unwrap(), side, grid, engine).unwrap();
            assert_eq!((got.ids.len(), got.values.len()), (grid.len(), grid.len()));
            for (i, (id, value)) in got.ids.iter().zip(&got.values).enumerate() {
                let x = i128::from(grid.start()) + i as i128;
                let want = lowest_at(&oracle, &BigRational::from_integer(x.into()));
                let case = || format!("{engine} {side:?} {rows:?} at {x}");
                assert_eq!(
                    (*id != Envelope::GAP).then_some(*id as usize),
                    want.as_ref().map(|want| want.1),
                    "{}",
                    case()
                );
                match want {
                    Some((lowest, _)) => {
                        let lowest = if is_upper { -lowest } else { lowest };
                        assert!(is_nearest(*value, &lowest), "{}: {value}, not {lowest}", case());
                    }
                    None => assert!(value.is_nan(), "{}", case()),
                }
            }
        }
    }
}

fn exact_integers<T: Into<i128>>(row: [T; 4], is_upper: bool) -> ExactSegment {
    let [x1, y1, x2, y2] = row.map(Into::into);
    ExactSegment::of_integers(if is_upper { [x1, -y1, x2, -y2] } else { [x1, y1, x2, y2] })
}

fn exact_doubles(row: [f64; 4], is_upper: bool) -> ExactSegment {
    if is_upper { ExactSegment::flipped(row) } else { ExactSegment::of_doubles(row) }
}

fn check_integers<T: Coordinate + Into<i128> + std::fmt::Debug>(rows: &[[T; 4]]) {
    check(rows, exact_integers);
}

fn check_doubles(rows: &[[f64; 4]]) {
    check(rows, exact_doubles);
}

/// Rows of up to `most` coordinates from a strategy.
fn rows<T: std::fmt::Debug>(
    number: impl Strategy<Value = T> + Clone,
    most: usize,
) -> impl Strategy<Value = Vec<[T; 4]>> {
    let row = [number.clone(), number.clone(), number.clone(), number];
    prop::collection::vec(row, 0..=most)
}

/// Doubles of all sizes, few enough that some are equal.
fn extreme() -> impl Strategy<Value = f64> + Clone {
    let magnitudes = vec![0.0, f64::from_bits(1), 3e-310, 1e-300, 1e-160, 1.0, 1.5, 3.0, 1e15, 1e150, 1e300, f64::MAX];
    (prop::sample::select(magnitudes), any::<bool>()).prop_map(|(x, negative)| if negative { -x } else { x })
}

/// Lines, rays, segments and points.
fn unbounded() -> impl Strategy<Value = Vec<[f64; 4]>> {
    let row = [-3..4i8, -3..4i8, -3..4i8, -3..4i8];
    let scale = prop::sample::select(vec![1.0, 0.1, 1e160, 1e-160]);
    (prop::collection::vec((row, 0..5u8), 1..7), scale).prop_map(|(rows, scale)| {
        let inf = f64::INFINITY;
        let row = |(row, kind): ([i8; 4], u8)| {
            let [x1, y1, x2, y2] = row.map(f64::from);
            // Slopes stay what they are.
            match kind {
                0 => [-inf, y1, inf, y2 * scale],
                1 => [inf, y2 * scale, -inf, y1],
                2 => [x1 * scale, y1 * scale, inf, y2],
                3 => [-inf, y1, x2 * scale, y2 * scale],
                _ => [x1, y1, x2, y2].map(|x| x * scale),
            }
        };
        rows.into_iter().map(row).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn ties_on_tiny_grids(rows in rows(0..4i32, 7)) {
        check_integers(&rows);
    }

    #[test]
    fn small_integers(rows in rows(-10..10i8, 9)) {
        check_integers(&rows);
    }

    #[test]
    fn integers_of_32_bits(rows in rows(prop_oneof![any::<i32>(), Just(i32::MIN), Just(i32::MAX), i32::MAX - 3..i32::MAX], 8)) {
        check_integers(&rows);
    }

    #[test]
    fn integers_of_64_bits(rows in rows(prop_oneof![any::<i64>(), Just(i64::MIN), Just(i64::MAX), i64::MAX - 3..i64::MAX, -3..3i64], 6)) {
        check_integers(&rows);
    }

    #[test]
    fn unsigned_integers(rows in rows(prop_oneof![any::<u64>(), Just(0), Just(u64::MAX), (1 << 63) - 2..(1 << 63) + 2u64], 6)) {
        check_integers(&rows);
    }

    #[test]
    fn narrow_spans_far_away(rows in rows(i64::MAX - 9..i64::MAX, 8)) {
        check_integers(&rows);
    }

    #[test]
    fn doubles(rows in rows(-1.0..1.0f64, 8)) {
        check_doubles(&rows);
    }

    #[test]
    fn doubles_with_ties(rows in rows((0..4i32).prop_map(|x| f64::from(x) * 0.1), 8)) {
        check_doubles(&rows);
    }

    /// Lines that differ in the last bits: crossings anywhere, and far from where doubles see them.
    #[test]
    fn nearly_parallel(
        base in [-1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64],
        steps in prop::collection::vec([-2..3i8, -2..3i8, -2..3i8, -2..3i8], 1..7),
    ) {
        let moved = |x: f64, by: i8| (0..by.abs()).fold(x, |x, _| if by > 0 { x.next_up() } else { x.next_down() });
        let rows: Vec<[f64; 4]> = steps.iter().map(|by| std::array::from_fn(|k| moved(base[k], by[k]))).collect();
        check_doubles(&rows);
    }

    /// Lines and rays beside segments and points.
    #[test]
    fn without_end(rows in unbounded()) {
        check_doubles(&rows);
    }

    #[test]
    fn grids(rows in rows(-4..8i16, 9), start in -6..6i64, len in 0..16usize) {
        check_grid(&rows, exact_integers, Grid::new(start, len).unwrap());
    }

    #[test]
    fn grids_at_the_ends_of_64_bits(rows in rows(prop_oneof![i64::MIN..i64::MIN + 9, any::<i64>(), i64::MAX - 9..=i64::MAX], 6), at_end: bool) {
        let start = if at_end { i64::MAX - 7 } else { i64::MIN };
        check_grid(&rows, exact_integers, Grid::new(start, 7).unwrap());
    }

    #[test]
    fn grids_between_doubles(rows in rows(-4.0..8.0f64, 6), start in -6..6i64) {
        check_grid(&rows, exact_doubles, Grid::new(start, 14).unwrap());
    }

    #[test]
    fn grids_without_end(rows in unbounded(), start in -6..6i64) {
        check_grid(&rows, exact_doubles, Grid::new(start, 14).unwrap());
    }

    /// Several tiles, against the engine that looks at everything.
    #[test]
    fn grids_of_tiles(
        rows in rows(prop_oneof![0..20_000i32, (0..5i32).prop_map(|tile| tile * 4096), 3..9i32], 40),
        start in prop_oneof![Just(0), -3000..3000i64],
        len in prop_oneof![0..20_000usize, (0..5usize).prop_map(|tiles| tiles * 4096)],
        upper: bool,
    ) {
        let side = if upper { Side::Upper } else { Side::Lower };
        let (segments, grid) = (Segments::new(&rows).unwrap(), Grid::new(start, len).unwrap());
        let [got, want] = [Engine::Raster, Engine::Naive].map(|engine| raster(&segments, side, grid, engine).unwrap());
        let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        prop_assert_eq!(got.ids, want.ids);
        prop_assert_eq!(bits(&got.values), bits(&want.values));
    }
}

// Fractions of thousands of bits.
proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn doubles_of_all_sizes(rows in rows(extreme(), 5)) {
        check_doubles(&rows);
    }
}
