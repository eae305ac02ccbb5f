//! Fourier transforms: the conformance suites, threads, properties.

use proptest::prelude::*;
use thalweg_data::transforms::noise;
use thalweg_data::with_threads;
use thalweg_fourier::transform::{Options, error_limit, fft, ifft, restore_real, transform, transform_real};
use thalweg_fourier::{Complex, Error, Float, Shape};
use thalweg_suites::fourier::{real, transform as complex};

#[test]
fn complex_f32() {
    complex::suite::<f32>("transform", &transform);
}

#[test]
fn complex_f64() {
    complex::suite::<f64>("transform", &transform);
}

#[test]
fn real_f32() {
    real::suite::<f32>("real", &transform_real, &restore_real);
}

#[test]
fn real_f64() {
    real::suite::<f64>("real", &transform_real, &restore_real);
}

/// Rows, columns, one long line as a matrix and as a chirp, long columns.
const SHAPES: [&[usize]; 6] = [&[1000, 100], &[100, 1 << 10], &[1 << 18], &[131_101], &[1 << 17, 3], &[30, 40, 50]];

#[test]
fn any_number_of_threads_gives_the_same() {
    complex::threads::<f32>("transform", &SHAPES, &transform);
    complex::threads::<f64>("transform", &SHAPES, &transform);
    for sizes in SHAPES {
        let shape = Shape::new(sizes).unwrap();
        let values: Vec<f32> = noise(shape.len(), 1).iter().map(|x| x[0] as f32).collect();
        let there = |threads| with_threads(threads, || transform_real(&values, &shape, &Options::FORWARD)).unwrap();
        let half = there(1);
        let back = |threads| with_threads(threads, || restore_real(&half, &shape, &Options::INVERSE)).unwrap();
        let whole = back(1);
        for threads in [2, 3, 7] {
            assert!(there(threads) == half && back(threads) == whole, "{sizes:?} on {threads} threads");
        }
    }
}

#[test]
fn nothing_is_refused() {
    let mut none: [Complex<f32>; 0] = [];
    assert!(matches!(fft(&mut none), Err(Error::Empty { .. })));
    assert!(matches!(ifft(&mut none), Err(Error::Empty { .. })));
}

fn difference<T: Float>(a: &[Complex<T>], b: &[Complex<T>]) -> f64 {
    let square = |x: Complex<T>| x.re.wide().powi(2) + x.im.wide().powi(2);
    let error: f64 = a.iter().zip(b).map(|(&a, &b)| square(a - b)).sum();
    (error / b.iter().map(|&b| square(b)).sum::<f64>().max(f64::MIN_POSITIVE)).sqrt()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The transform of a sum is the sum of the transforms.
    #[test]
    fn linear(len in 1..3000usize, factor in -2.0..2.0f64) {
        let complex = |seed| -> Vec<Complex<f64>> {
            noise(len, seed).into_iter().map(|x| Complex::new(x[0], x[1])).collect()
        };
        let (mut a, mut b) = (complex(1), complex(2));
        let mut sum: Vec<Complex<f64>> = a.iter().zip(&b).map(|(a, b)| a + b * factor).collect();
        fft(&mut sum).unwrap();
        fft(&mut a).unwrap();
        fft(&mut b).unwrap();
        let other: Vec<Complex<f64>> = a.iter().zip(&b).map(|(a, b)| a + b * factor).collect();
        prop_assert!(difference(&sum, &other) <= 4.0 * error_limit::<f64>(len) + 4.0 * f64::ROUNDING);
    }

    /// A shift in place is a turn in frequency.
    #[test]
    fn shifted(len in 2..3000usize, by in 0..3000usize) {
        let by = by % len;
        let mut values: Vec<Complex<f64>> = noise(len, 3).into_iter().map(|x| Complex::new(x[0], x[1])).collect();
        let mut moved = values.clone();
        moved.rotate_left(by);
        fft(&mut values).unwrap();
        fft(&mut moved).unwrap();
        let turned: Vec<Complex<f64>> = (0..len)
            .map(|k| values[k] * thalweg_fourier::root_of_unity((k * by % len) as u64, len as u64))
            .collect();
        prop_assert!(difference(&moved, &turned) <= 4.0 * error_limit::<f64>(len));
    }
}
