//! The conformance suites of envelopes: pieces, and values on a grid.

use thalweg_core::{Error, Key, Result};
use thalweg_data::envelopes::{ExactPiece, Scan, lower_envelope};
use thalweg_data::exact::Exact;
use thalweg_data::{SegmentKind, with_threads};
use thalweg_geometry::Coordinate;
use thalweg_geometry::envelope::{Engine, Envelope, Grid, Raster, Segments, Side, envelope, raster};

/// Something that finds the pieces of an envelope.
pub type Finder<'a> = &'a (dyn Fn(&Segments<'_>, Side) -> Result<Envelope> + Sync);

/// Something that finds an envelope's values on a grid.
pub type Rasteriser<'a> = &'a (dyn Fn(&Segments<'_>, Side, Grid) -> Result<Raster> + Sync);

const SIDES: [Side; 2] = [Side::Lower, Side::Upper];

/// Up to so many segments the fractions of the oracle take no time ...
const BY_FRACTIONS: usize = 17;
/// ... and up to so many those of the naive engine. Above, `merge` and `sweep` are compared with each other.
const BY_LOOKING: usize = 65;

/// Holds an engine of the library to its contract; see [`suite_of`].
///
/// # Panics
/// If an envelope is wrong.
pub fn suite(engine: Engine) {
    let most = if engine == Engine::Naive { BY_LOOKING } else { usize::MAX };
    // All small sizes, and one of each order of magnitude: blocks and parts of the engines are far from powers of two.
    let wanted = |n: usize| n <= 65 || [257, 1025, 4097, 20_011, 100_003].contains(&n);
    let sizes: Vec<usize> = crate::sizes().iter().copied().filter(|&n| n <= most && wanted(n)).collect();
    let peer = if engine == Engine::Sweep { Engine::Merge } else { Engine::Sweep };
    suite_of(engine.name(), &sizes, peer, &|segments, side| envelope(segments, side, engine));
}

/// Holds a finder of envelopes to its contract: all pairs and some triples of segments on a small grid and every kind in every
/// type, against fractions; every kind of these sizes, against the naive engine and against a `peer`; rays and lines; rows
/// that are no segments. Both sides.
///
/// # Panics
/// If an envelope is wrong.
pub fn suite_of(name: &str, sizes: &[usize], peer: Engine, find: Finder<'_>) {
    small_grids(name, find);
    without_end(name, find);
    macro_rules! types {
        ($($t:ident)*) => {$(kinds::<$t>(name, find);)*};
    }
    types!(i8 u8 i16 u16 i32 u32 i64 u64 f32 f64);
    large::<i32>(name, sizes, peer, find);
    let most: Vec<usize> = sizes.iter().copied().filter(|&n| n < 50_000).collect();
    large::<f64>(name, &most, peer, find);
    let some: Vec<usize> = sizes.iter().copied().filter(|&n| [33, 4097, 20_011].contains(&n)).collect();
    large::<i64>(name, &some, peer, find);
    large::<u32>(name, &some, peer, find);
    large::<f32>(name, &some, peer, find);
    no_segments(name, &|segments| find(segments, Side::Lower).map(|envelope| envelope.len()));
}

fn oracle<K: Exact>(rows: &[[K; 4]], side: Side) -> Vec<ExactPiece> {
    let scan = Scan { rows, upper: side == Side::Upper };
    lower_envelope(&(0..rows.len()).map(|i| scan.segment(i)).collect::<Vec<_>>())
}

fn pieces(envelope: &Envelope) -> Vec<ExactPiece> {
    envelope.pieces().enumerate().map(|(i, piece)| (envelope.exact_start(i), piece.segment)).collect()
}

fn found<K: Coordinate>(name: &str, what: &str, rows: &[[K; 4]], side: Side, find: Finder<'_>) -> Envelope {
    let segments = Segments::new(rows).unwrap_or_else(|e| panic!("{name}, {what}: {e}"));
    let envelope = find(&segments, side).unwrap_or_else(|e| panic!("{name}, {what}: {e}"));
    assert_eq!(envelope.side(), side, "{name}, {what}");
    let ascending = envelope.starts().windows(2).all(|pair| pair[0] <= pair[1]);
    let different = envelope.ids().windows(2).all(|pair| pair[0] != pair[1]);
    assert!(ascending && different, "{name}, {what}, {side:?}: not pieces");
    envelope
}

fn check<K: Exact + Coordinate>(name: &str, what: &str, rows: &[[K; 4]], find: Finder<'_>) {
    for side in SIDES {
        let got = pieces(&found(name, what, rows, side, find));
        let want = oracle(rows, side);
        assert!(got == want, "{name}, {what}, {side:?}: {got:?}, not {want:?}, of {rows:?}");
    }
}

/// Compares two arrays and names the first difference.
fn equal<T: PartialEq + std::fmt::Debug>(got: &[T], want: &[T], what: &str) {
    assert_eq!(got.len(), want.len(), "{what}: length");
    if let Some(i) = (0..got.len()).find(|&i| got[i] != want[i]) {
        panic!("{what} of {i}: {:?}, not {:?}", got[i], want[i]);
    }
}

/// All segments of a grid of 3 by 3, and all pairs and some triples of them.
fn small_grids(name: &str, find: Finder<'_>) {
    let segment = |code: u32| [0, 1, 2, 3].map(|k| (code / 3u32.pow(k) % 3) as i32);
    for one in 0..81 {
        check(name, "one segment", &[segment(one)], find);
        for two in (0..81).step_by(if crate::is_quick() { 7 } else { 1 }) {
            check(name, "a pair", &[segment(one), segment(two)], find);
        }
    }
    for code in (0..81u32.pow(3)).step_by(if crate::is_quick() { 9973 } else { 499 }) {
        let three = [code % 81, code / 81 % 81, code / 6561].map(segment);
        check(name, "a triple", &three, find);
    }
    check::<i32>(name, "nothing", &[], find);
    check(name, "zeros", &[[0.0, -0.0, 1.0, 0.0], [-0.0, 0.0, -0.0, -0.0], [1.0, -0.0, 0.0, 0.0]], find);
}

/// Every kind of a type, a few segments each.
fn kinds<K: Exact + Coordinate>(name: &str, find: Finder<'_>) {
    for &kind in SegmentKind::ALL {
        // Fractions of thousands of bits.
        let most = if kind == SegmentKind::Extremes { 5 } else { BY_FRACTIONS };
        for n in [1, 2, 5, BY_FRACTIONS] {
            let rows = kind.make::<K>(n.min(most), n as u64);
            check(name, &format!("{} of {}", kind.name(), K::NAME), &rows, find);
        }
    }
}

/// Every kind of these sizes.
fn large<K: Key + Coordinate>(name: &str, sizes: &[usize], peer: Engine, find: Finder<'_>) {
    for &kind in SegmentKind::ALL {
        // Nearly everything about them is decided in big integers.
        let most = if kind == SegmentKind::Extremes && K::FLOAT { 64 } else { usize::MAX };
        for &n in sizes.iter().filter(|&&n| n <= most) {
            let rows = kind.make::<K>(n, n as u64);
            let engine = if n <= BY_LOOKING { Engine::Naive } else { peer };
            // Odd sizes from below, even ones from above: there are enough of both.
            let side = SIDES[(n + 1) % 2];
            let what = format!("{n} {} of {}, {side:?}", kind.name(), K::NAME);
            let got = found(name, &what, &rows, side, find);
            let want = found(engine.name(), &what, &rows, side, &|segments, side| envelope(segments, side, engine));
            equal(got.ids(), want.ids(), &format!("{name}, {what}: id"));
            equal(got.starts(), want.starts(), &format!("{name}, {what}: start"));
            for i in (0..got.len()).step_by(got.len() / 100 + 1) {
                assert!(got.exact_start(i) == want.exact_start(i), "{name}, {what}: exact start of {i}");
            }
        }
    }
}

/// Lines and rays: all of small slopes and heights, by pairs.
fn without_end(name: &str, find: Finder<'_>) {
    let inf = f64::INFINITY;
    let mut all = Vec::new();
    for (m, b) in [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (-2.0, 1.0), (0.5, -0.1)] {
        all.extend([[-inf, m, inf, b], [inf, b, -inf, m], [1.0, b, inf, m], [-inf, m, 1.0, b], [1.0, b, 2.0, b + m]]);
    }
    for one in &all {
        for two in &all {
            check(name, "rays and lines", &[*one, *two], find);
            check(name, "rays and lines", &[*one, [0.0, 0.2, 3.0, 0.3], *two, [1.0, -5.0, 1.0, 9.0]], find);
        }
    }
}

/// The first row that is none is named.
fn no_segments(name: &str, find: &dyn Fn(&Segments<'_>) -> Result<usize>) {
    for n in [1, 100, 50_000] {
        for (at, column, x, number) in [(n - 1, 1, f64::NAN, "NaN"), (n / 2, 3, f64::NEG_INFINITY, "-infinity")] {
            let mut rows = SegmentKind::Crossing.make::<f64>(n, 5);
            rows[n - 1] = [f64::NAN; 4];
            rows[at] = [1.0; 4];
            rows[at][column] = x;
            let got = Segments::new(&rows).and_then(|segments| find(&segments));
            assert_eq!(got, Err(Error::NotFinite { what: "segment", row: at, number }), "{name}");
        }
    }
}

/// Holds a finder of envelopes to the same answer on any number of threads.
///
/// # Panics
/// If an answer is another one.
pub fn threads(name: &str, find: Finder<'_>) {
    for &kind in SegmentKind::ALL {
        let rows = kind.make::<i32>(60_000, 3);
        let [one, two, eight] =
            [1, 2, 8].map(|threads| with_threads(threads, || found(name, kind.name(), &rows, Side::Lower, find)));
        assert!(one == two && one == eight, "{name}, {}: depends on the number of threads", kind.name());
    }
}

/// Holds an engine of the library to its contract; see [`raster_suite_of`].
///
/// # Panics
/// If a value is wrong.
pub fn raster_suite(engine: Engine) {
    let solve: Rasteriser<'_> = &|segments, side, grid| raster(segments, side, grid, engine);
    macro_rules! types {
        ($($t:ident)*) => {$(raster_suite_of::<$t>(engine.name(), solve);)*};
    }
    types!(i8 u8 i16 u16 i32 u32 i64 u64 f32 f64);
}

/// Holds something that finds values on a grid to its contract, for coordinates of one type: every kind of segments, on grids of
/// no number up to several tiles, inside of, around and beside what the segments cover; level segments. Both sides.
///
/// # Panics
/// If a value is wrong.
pub fn raster_suite_of<K: Key + Coordinate>(name: &str, solve: Rasteriser<'_>) {
    for &kind in SegmentKind::ALL {
        let slow = kind == SegmentKind::Extremes && K::FLOAT;
        for n in if slow { &[1usize, 9][..] } else { &[0, 1, 5, 60] } {
            let rows = kind.make::<K>(*n, 11);
            for (start, len) in [(-20, 0), (-3, 1), (-40, 90), (100, 63), (-5000, 12_289), (0, 8192)] {
                // Looking at everything, in big integers, takes its time.
                let len = if slow { len.min(90) } else { len };
                check_raster(name, kind.name(), &rows, Grid::new(start, len).expect("a small grid"), solve);
            }
        }
    }
    // Level ones, as many as a tile has numbers, long and short.
    for most in [40, 20_000] {
        let grid = Grid::new(0, 20_000).expect("a small grid");
        check_raster(name, "level", &level::<K>(if crate::is_quick() { 100 } else { 700 }, most), grid, solve);
    }
}

/// Level segments up to a length, at whole numbers that every type has.
fn level<K: Key>(n: usize, most: u64) -> Vec<[K; 4]> {
    let random = thalweg_data::Random::new(most, 30);
    let span = if size_of::<K>() == 1 { 100 } else { 20_000 };
    let row = |i: u64| {
        let x = random.below(4 * i, span);
        let [x1, x2, y] = [x, (x + random.below(4 * i + 1, most)).min(span), random.below(4 * i + 2, 100)];
        [x1, y, x2, y].map(|x| K::from_f64(x as f64))
    };
    (0..n as u64).map(row).collect()
}

/// Compares values and numbers on a grid with those of the naive engine, both sides.
///
/// # Panics
/// If one is wrong.
pub fn check_raster<K: Key + Coordinate>(name: &str, what: &str, rows: &[[K; 4]], grid: Grid, solve: Rasteriser<'_>) {
    let segments = Segments::new(rows).unwrap_or_else(|e| panic!("{name}, {what}: {e}"));
    for side in SIDES {
        let what = format!("{name}, {} {what} of {}, {side:?}, {grid:?}", rows.len(), K::NAME);
        let got = solve(&segments, side, grid).unwrap_or_else(|e| panic!("{what}: {e}"));
        let want = raster(&segments, side, grid, Engine::Naive).unwrap_or_else(|e| panic!("{what}: {e}"));
        equal(&got.ids, &want.ids, &format!("{what}: id"));
        let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        equal(&bits(&got.values), &bits(&want.values), &format!("{what}: bits of the value"));
    }
}
