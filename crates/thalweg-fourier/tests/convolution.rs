//! Convolutions: the conformance suite for every engine, threads, agreement.

use thalweg_data::{Random, with_threads};
use thalweg_fourier::Shape;
use thalweg_fourier::convolution::{Boundary, Engine, Options, convolve};
use thalweg_suites::at_every_level;
use thalweg_suites::fourier::convolution::suite;

#[test]
fn naive() {
    suite(Engine::Naive);
}

#[test]
fn direct() {
    at_every_level(|| suite(Engine::Direct));
}

/// The same on any number of threads, bit for bit.
#[test]
fn threads_change_nothing() {
    let random = Random::new(1, 2);
    let array: Vec<f32> = (0..300_000).map(|i| random.normal(i) as f32).collect();
    let kernel: Vec<f32> = (0..35).map(|i| random.normal(i) as f32).collect();
    for &engine in Engine::ALL.iter().filter(|&&engine| engine != Engine::Naive) {
        for (sizes, kernel_sizes) in [(&[300_000][..], &[35][..]), (&[500, 600], &[5, 7])] {
            let (shape, kernel_shape) = (Shape::new(sizes).unwrap(), Shape::new(kernel_sizes).unwrap());
            let options = Options { boundary: Boundary::Reflect, engine: Some(engine), ..Options::default() };
            let on = |threads| {
                with_threads(threads, || {
                    let result = convolve(&array, &shape, &kernel, &kernel_shape, &options).unwrap();
                    result.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
                })
            };
            let one = on(1);
            assert!(on(2) == one && on(8) == one, "{engine}, {sizes:?}");
        }
    }
}

#[test]
fn spectral() {
    suite(Engine::Spectral);
}

/// Short arrays and small kernels by sums, large ones by transforms; and numbers whose sums are not finite by sums, whatever was
/// asked for.
#[test]
fn the_rule() {
    use thalweg_fourier::convolution::{choose, convolution};
    let chosen = |sizes: &[usize], kernel: &[usize]| {
        choose::<f32>(&Shape::new(sizes).unwrap(), &Shape::new(kernel).unwrap(), &Options::default()).unwrap()
    };
    assert_eq!(chosen(&[4], &[3]), Engine::Direct);
    assert_eq!(chosen(&[1 << 20], &[3]), Engine::Direct);
    assert_eq!(chosen(&[1 << 20], &[1 << 16]), Engine::Spectral);
    assert_eq!(chosen(&[1024, 1024], &[3, 3]), Engine::Direct);
    assert_eq!(chosen(&[1024, 1024], &[100, 100]), Engine::Spectral);
    let options = Options { engine: Some(Engine::Spectral), ..Options::default() };
    let line = Shape::line(64).unwrap();
    for (number, engine) in [(1.0, Engine::Spectral), (f32::NAN, Engine::Direct), (1e38, Engine::Direct)] {
        assert_eq!(convolution(&[number; 64], &line, &[1.0; 64], &line, &options).unwrap().engine, engine, "{number}");
    }
}
