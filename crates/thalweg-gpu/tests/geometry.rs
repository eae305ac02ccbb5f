//! Points and segments on the device against the CPU's answers: every kind, all small ones, in one buffer and in many.

use thalweg_core::{Error, Key};
use thalweg_data::{PointKind, Random};
use thalweg_geometry::envelope::Raster;
use thalweg_geometry::hull::{self as cpu, Engine, Options, hull_with};
use thalweg_geometry::{Coordinate, Stored};
use thalweg_gpu::geometry::envelope::{
    Engine as EnvelopeEngine, Envelope, Grid, RasterOutputs, Segments, Side, levels, raster, raster_into,
};
use thalweg_gpu::geometry::hull::{hull, hull_of, time_filter};
use thalweg_gpu::{Device, testing};
use thalweg_suites::geometry::envelope::raster_suite_of;
use thalweg_suites::geometry::hull::suite_of;

/// The engines of GPUs.
const ENGINES: [Engine; 2] = [Engine::Slabs, Engine::Wagener];

/// Coordinates that look random, less than `most` in size.
fn scattered<K: Key>(n: usize, seed: u64, shape: impl Fn(f64, f64) -> [f64; 2]) -> Vec<[K; 2]> {
    let random = Random::new(seed, 1);
    let unit = |i: usize| random.bits(i as u64) as f64 / u64::MAX as f64;
    (0..n).map(|i| shape(unit(2 * i), unit(2 * i + 1)).map(K::from_f64)).collect()
}

#[track_caller]
fn check<K: Key + Coordinate>(device: &Device, engine: Engine, points: &[[K; 2]], what: &str) {
    let array = device.upload(points.as_flattened()).unwrap();
    for boundary in [false, true] {
        let options = Options { boundary, engine: Some(engine) };
        let case = || format!("{engine} {what}: {} points of {}, boundary {boundary}", points.len(), K::NAME);
        let want = hull_with(points, Options { boundary, engine: Some(Engine::Graham) }).unwrap();
        let (got, of_host) = (hull(&array, options), hull_of(device, &K::stored(points).unwrap(), options));
        if engine == Engine::Wagener && (boundary || K::FLOAT || size_of::<K>() > 4) {
            assert!(matches!(got, Err(Error::NotOnDevice { .. })) && got == of_host, "{}", case());
        } else {
            assert_eq!(got.unwrap().positions, want, "{}", case());
            assert_eq!(of_host.unwrap().positions, want, "host, {}", case());
        }
    }
}

fn check_types(device: &Device, engine: Engine, n: usize) {
    let square = |x: f64, y: f64| [200.0 * x - 100.0, 200.0 * y - 100.0];
    let disk = |x: f64, y: f64| [1e9 * x.sqrt() * (7.0 * y).cos(), 1e9 * x.sqrt() * (7.0 * y).sin()];
    check::<i8>(device, engine, &scattered(n, 1, square), "square");
    check::<u8>(device, engine, &scattered(n, 1, |x, y| [255.0 * x, 255.0 * y]), "square");
    check::<u32>(device, engine, &scattered(n, 1, |x, y| [4e9 * x, 4e9 * y]), "square");
    check::<i32>(device, engine, &scattered(n, 2, disk), "disk");
    check::<i64>(device, engine, &scattered(n, 3, |x, y| disk(x, y).map(|c| 8e9 * c)), "disk");
    check::<u64>(device, engine, &scattered(n, 3, |x, y| [1.8e19 * x, 1.8e19 * y]), "square");
    check::<f32>(device, engine, &scattered(n, 4, disk), "disk");
    check::<f64>(device, engine, &scattered(n, 5, square), "square");
    check::<f64>(device, engine, &scattered(n, 6, disk), "disk");
}

#[test]
fn hulls_of_all_types() {
    let Some(device) = testing::device() else { return };
    for engine in ENGINES {
        for n in [0, 1, 2, 3, 4, 5, 17, 255, 1024, 1025, 20_011] {
            check_types(&device, engine, n);
        }
    }
}

#[test]
fn hulls_of_curves_and_lines() {
    let Some(device) = testing::device() else { return };
    for engine in ENGINES {
        for n in [3, 511, 512, 513, 1500, 20_011] {
            let k = n as f64;
            check::<i32>(
                &device,
                engine,
                &scattered(n, 1, |x, _| [2000.0 * x, (2000.0 * x).floor().powi(2)]),
                "parabola",
            );
            check::<i32>(
                &device,
                engine,
                &scattered(n, 1, |x, _| [2.0 * k * x, 4.0 * k * k - (2.0 * k * x).floor().powi(2)].map(|c| c.min(2e9))),
                "cap",
            );
            check::<i32>(
                &device,
                engine,
                &scattered(n, 2, |x, _| [1e9 * (7.0 * x).cos(), 1e9 * (7.0 * x).sin()]),
                "circle",
            );
            check::<i32>(&device, engine, &scattered(n, 3, |x, _| [(x * k).floor(), 3.0 * (x * k).floor()]), "line");
            check::<i32>(&device, engine, &scattered(n, 4, |x, _| [7.0, (x * k).floor()]), "vertical");
            check::<i32>(&device, engine, &scattered(n, 5, |_, _| [7.0, 8.0]), "equal");
            check::<i32>(&device, engine, &scattered(n, 6, |x, y| [(20.0 * x).floor(), (20.0 * y).floor()]), "grid");
        }
    }
}

#[test]
fn the_suite_of_hulls() {
    let Some(device) = testing::device() else { return };
    let few = std::cell::Cell::new(0);
    for engine in ENGINES {
        suite_of(engine.name(), &[64, 257, 1025, 4097], &|points, boundary| {
            few.set(few.get() + 1);
            let by_device = match engine {
                // What it does not take is tested elsewhere; and of thousands of a few points it takes some.
                Engine::Wagener => {
                    matches!(points, Stored::I32 { .. }) && !boundary && (points.len() > 6 || few.get() % 64 == 0)
                }
                _ => true,
            };
            let options = Options { boundary, engine: Some(engine) };
            let found = if by_device { hull_of(&device, &points, options) } else { cpu::hull_of(points, options) };
            Ok(found?.positions)
        });
    }
}

#[test]
fn the_filter_drops_what_it_can() {
    let Some(device) = testing::device() else { return };
    let n = 200_000;
    for scale in [1.0, 1e300, 1e-300] {
        let points = scattered::<f64>(n, 9, |x, y| [scale * x, scale * y]);
        let array = device.upload(points.as_flattened()).unwrap();
        let (_, stay) = time_filter(&array).unwrap().expect("few stay");
        assert!(stay < n / 50, "{stay} stay");
    }
}

/// The lowest segment at `x`, by looking at all of them in fractions.
fn lowest(segments: &[[i32; 4]], side: Side, x: i64) -> u32 {
    // y as a fraction, its denominator positive.
    let height = |row: &[i32; 4]| -> Option<(i128, i128)> {
        let [x1, y1, x2, y2] = row.map(i128::from);
        let ([x1, y1], [x2, y2]) = if x1 <= x2 { ([x1, y1], [x2, y2]) } else { ([x2, y2], [x1, y1]) };
        let x = i128::from(x);
        if x < x1 || x > x2 {
            return None;
        }
        let lower = side == Side::Lower;
        if x1 == x2 {
            return Some((if lower { y1.min(y2) } else { -y1.max(y2) }, 1));
        }
        let y = y1 * (x2 - x1) + (y2 - y1) * (x - x1);
        Some((if lower { y } else { -y }, x2 - x1))
    };
    let mut best: Option<(i128, i128, u32)> = None;
    for (i, row) in segments.iter().enumerate() {
        if let Some((y, run)) = height(row)
            && best.is_none_or(|(other, other_run, _)| y * other_run < other * run)
        {
            best = Some((y, run, i as u32));
        }
    }
    best.map_or(Envelope::GAP, |(_, _, i)| i)
}

#[track_caller]
fn check_raster(device: &Device, segments: &[[i32; 4]], grid: Grid, what: &str) {
    let on_device = device.upload(segments.as_flattened()).unwrap();
    for side in [Side::Lower, Side::Upper] {
        let want: Vec<u32> = (0..grid.len()).map(|i| lowest(segments, side, grid.start() + i as i64)).collect();
        let ids = raster(&on_device, side, grid).unwrap().to_vec().unwrap();
        let case = || format!("{what}: {} segments, {grid:?}, {side:?}", segments.len());
        let wrong = (0..want.len()).find(|&i| ids[i] != want[i]);
        assert!(wrong.is_none(), "{}: place {wrong:?}: {} not {}", case(), ids[wrong.unwrap()], want[wrong.unwrap()]);
        let slope = segments.iter().position(|row| row[1] != row[3]);
        match levels(&on_device, side, grid) {
            Ok(heights) => {
                let level = |&id: &u32| if id == Envelope::GAP { i32::MAX } else { segments[id as usize][1] };
                assert_eq!(heights.to_vec().unwrap(), want.iter().map(level).collect::<Vec<_>>(), "{}", case());
                assert_eq!(slope, None);
            }
            Err(e) => assert_eq!(e.to_string(), format!("levels: segment {} is not horizontal", slope.unwrap())),
        }
    }
}

#[test]
fn rasters_of_segments() {
    let Some(device) = testing::device() else { return };
    let random = Random::new(4, 2);
    for (count, span, len) in
        [(0, 10, 5), (1, 10, 20), (3, 10, 12), (20, 30, 40), (200, 100, 130), (300, 5000, 5000), (1500, 700, 800)]
    {
        for most_run in [1, 8, span] {
            let number = |i: usize, j: u64, below: i64| random.below(8 * i as u64 + j, below as u64) as i64;
            for kind in 0..4 {
                let segments: Vec<[i32; 4]> = (0..count)
                    .map(|i| {
                        let (x, run) = (number(i, 0, span) - span / 4, number(i, 1, most_run));
                        let (y, rise) = (number(i, 2, 20), number(i, 3, 41) - 20);
                        let row = match kind {
                            0 => [x, y, x + run, y],
                            1 => [x, y, x + run, y + rise],
                            2 => [x + run, y * 90_000_000 - 900_000_000, x, rise * 90_000_000],
                            _ => [x - run * 1_000_000, -y, x + 1_500_000 * run, rise],
                        };
                        row.map(|c| c.clamp(i32::MIN.into(), i32::MAX.into()) as i32)
                    })
                    .collect();
                check_raster(&device, &segments, Grid::new(-7, len).unwrap(), &format!("kind {kind}"));
            }
        }
    }
    // The ends of all numbers, and a fan.
    let all = [[i32::MIN, i32::MIN, i32::MAX, i32::MAX], [i32::MAX, i32::MIN, i32::MIN, i32::MAX], [0, 0, 0, 5]];
    for start in [i32::MIN, -20, 0, i32::MAX - 39] {
        check_raster(&device, &all, Grid::new(start.into(), 40).unwrap(), "large");
    }
    let fan: Vec<[i32; 4]> = (0..100).map(|i| [-100, i - 50, 100, 50 - i]).collect();
    check_raster(&device, &fan, Grid::new(-110, 220).unwrap(), "fan");
    assert!(raster(&device.upload(&[1, 2, 3]).unwrap(), Side::Lower, Grid::new(0, 1).unwrap()).is_err());
    let none = device.upload::<i32>(&[]).unwrap();
    assert!(raster(&none, Side::Lower, Grid::new(1, 1 << 31).unwrap()).is_err());
    assert!(raster(&none, Side::Lower, Grid::new(1, 0).unwrap()).unwrap().is_empty());
}

#[test]
fn the_suite_of_rasters() {
    let Some(device) = testing::device() else { return };
    let solve = |segments: &Segments<'_>, side, grid: Grid| {
        let (mut values, mut ids) = (vec![0.0; grid.len()], vec![0; grid.len()]);
        let outputs = RasterOutputs { values: Some(&mut values), ids: Some(&mut ids) };
        raster_into(&device, segments, side, grid, EnvelopeEngine::Raster, outputs)?;
        Ok(Raster { values, ids })
    };
    macro_rules! types {
        ($($t:ident)*) => {$(raster_suite_of::<$t>("raster", &solve);)*};
    }
    types!(i8 u8 i16 u16 i32 u32);
    // What GPUs do not have.
    let refused = |segments: &Segments<'_>, engine| {
        let outputs = RasterOutputs { values: Some(&mut [0.0]), ids: None };
        let done = raster_into(&device, segments, Side::Lower, Grid::new(0, 1).unwrap(), engine, outputs);
        assert!(matches!(done, Err(Error::NotOnDevice { .. })), "{done:?}");
    };
    refused(&Segments::new(&[[0i64, 0, 1, 1]]).unwrap(), EnvelopeEngine::Raster);
    refused(&Segments::new(&[[0.0, 0.0, 1.0, 1.0]]).unwrap(), EnvelopeEngine::Raster);
    refused(&Segments::new(&[[0, 0, 1, 1]]).unwrap(), EnvelopeEngine::Naive);
}

#[test]
fn arrays_in_many_buffers() {
    let options = thalweg_gpu::Options { checked: true, binding_bytes: Some(4096) };
    let Some(device) = testing::open(options) else { return };
    for engine in ENGINES {
        check_types(&device, engine, 1500);
        check::<i32>(&device, engine, &PointKind::Circle.make(1500, 1), "circle");
    }
    let rows: Vec<[i32; 4]> = (0..700).map(|i| [i, i % 37, i + 300, i % 41]).collect();
    let level: Vec<[i32; 4]> = (0..700).map(|i| [i, i % 37, i + 300, i % 37]).collect();
    for segments in [rows, level] {
        check_raster(&device, &segments, Grid::new(-5, 3000).unwrap(), "many buffers");
    }
}
