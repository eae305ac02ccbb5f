//! Points and segments on the device against the CPU's answers: every kind, all small ones, in one buffer and in many.

use thalweg_core::{Error, Key};
use thalweg_data::{PointKind, Random};
use thalweg_geometry::hull::{self as cpu, Engine, Options, hull_with};
use thalweg_geometry::{Coordinate, Stored};
use thalweg_gpu::geometry::hull::{hull, hull_of, time_filter};
use thalweg_gpu::{Device, testing};
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

#[test]
fn arrays_in_many_buffers() {
    let options = thalweg_gpu::Options { checked: true, binding_bytes: Some(4096) };
    let Some(device) = testing::open(options) else { return };
    for engine in ENGINES {
        check_types(&device, engine, 1500);
        check::<i32>(&device, engine, &PointKind::Circle.make(1500, 1), "circle");
    }
}
