//! Fourier transforms on the device against the CPU's in double precision.

use thalweg_core::Error;
use thalweg_data::Random;
use thalweg_fourier::transform::{Direction, Norm, Options, transform as exact};
use thalweg_fourier::{Axes, Complex, Shape};
use thalweg_gpu::fourier::transform::{Plan, transform};
use thalweg_gpu::{Device, testing};

/// Values that look random, in a square around 0.
fn values(n: usize, seed: u64) -> Vec<Complex<f32>> {
    let random = Random::new(seed, 1);
    let part = |i: u64| (random.bits(i) >> 40) as f32 / (1u64 << 23) as f32 - 1.0;
    (0..n as u64).map(|i| Complex::new(part(2 * i), part(2 * i + 1))).collect()
}

/// The root of the mean square of the errors, relative to that of the values.
fn error(got: &[Complex<f32>], want: &[Complex<f64>]) -> f64 {
    let wide = |z: &Complex<f32>| Complex::new(f64::from(z.re), f64::from(z.im));
    let errors: f64 = got.iter().zip(want).map(|(got, want)| (wide(got) - want).norm_sqr()).sum();
    (errors / want.iter().map(Complex::norm_sqr).sum::<f64>()).sqrt()
}

/// The error in units of the contract's, `2^-24 sqrt(log2 n)`, n being the values that are transformed together.
fn measure(device: &Device, sizes: &[usize], axes: Option<&[usize]>, direction: Direction, norm: Norm) -> f64 {
    let shape = Shape::new(sizes).unwrap();
    let axes = axes.map(|axes| Axes::new(axes, &shape).unwrap());
    let options = Options { direction, norm, axes };
    let mut got = values(shape.len(), shape.len() as u64);
    let mut want: Vec<_> = got.iter().map(|z| Complex::new(f64::from(z.re), f64::from(z.im))).collect();
    transform(device, &mut got, &shape, &options).unwrap();
    exact(&mut want, &shape, &options).unwrap();
    let together: usize = options.axes_of(&shape).as_slice().iter().map(|&axis| sizes[axis]).product();
    error(&got, &want) / (2f64.powi(-24) * (together.max(2) as f64).log2().sqrt())
}

#[track_caller]
fn check(device: &Device, sizes: &[usize], axes: Option<&[usize]>, direction: Direction, norm: Norm) {
    let error = measure(device, sizes, axes, direction, norm);
    assert!(error <= 1.0, "{sizes:?} along {axes:?}, {direction:?}, {norm:?}: {error} of the contract");
}

fn forward(device: &Device, sizes: &[usize], axes: Option<&[usize]>) {
    check(device, sizes, axes, Direction::Forward, Norm::Backward);
}

#[test]
fn short_lines_of_every_length() {
    let Some(device) = testing::device() else { return };
    for n in 1..=130 {
        forward(&device, &[5, n], Some(&[1]));
    }
}

#[test]
fn long_lines() {
    let Some(device) = testing::device() else { return };
    for n in [
        256,
        512,
        1000,
        1009,
        2048,
        2187,
        3125,
        4096,
        4097,
        6 * 7 * 11 * 13,
        8192,
        10_007,
        7usize.pow(5),
        1 << 16,
        3 << 16,
        1 << 20,
    ] {
        forward(&device, &[n], None);
    }
}

#[test]
fn batches_and_other_axes() {
    let Some(device) = testing::device() else { return };
    forward(&device, &[1000, 12], Some(&[1]));
    forward(&device, &[33, 256], Some(&[1]));
    forward(&device, &[3, 8192], Some(&[1]));
    forward(&device, &[256, 33], Some(&[0]));
    forward(&device, &[2048, 3], Some(&[0]));
    forward(&device, &[4096, 20], Some(&[0]));
    forward(&device, &[7, 19, 10], Some(&[1]));
    forward(&device, &[2, 3000, 5], Some(&[1]));
    forward(&device, &[120, 90], None);
    forward(&device, &[64, 17], None);
    forward(&device, &[1, 30], None);
    forward(&device, &[30, 1, 1], None);
    forward(&device, &[12, 20, 18], None);
    forward(&device, &[12, 20, 18], Some(&[2, 0]));
}

#[test]
fn directions_and_norms() {
    let Some(device) = testing::device() else { return };
    for direction in [Direction::Forward, Direction::Inverse] {
        for norm in [Norm::Backward, Norm::Ortho, Norm::Forward] {
            check(&device, &[8, 12], None, direction, norm);
            check(&device, &[3, 23], None, direction, norm);
        }
        check(&device, &[5000], None, direction, Norm::Ortho);
    }
}

/// Arrays and extra memory in many buffers.
#[test]
fn small_bindings() {
    let Some(device) = testing::open(thalweg_gpu::Options { checked: true, binding_bytes: Some(1 << 16) }) else {
        return;
    };
    for n in [1 << 15, 30_000] {
        forward(&device, &[n], None);
    }
    forward(&device, &[100, 300], None);
    forward(&device, &[150, 149], Some(&[0]));
}

/// What is transformed and transformed back is the same; a plan works again and again, and every time alike.
#[test]
fn plans_run_again() {
    let Some(device) = testing::device() else { return };
    for sizes in [&[6000][..], &[17, 30]] {
        let shape = Shape::new(sizes).unwrap();
        let there = Plan::new(&device, &shape, &Options::FORWARD).unwrap();
        let back = Plan::new(&device, &shape, &Options::INVERSE).unwrap();
        let start: Vec<f32> = bytemuck::cast_slice(&values(shape.len(), 3)).to_vec();
        let mut array = device.upload(&start).unwrap();
        there.run(&mut array).unwrap();
        let once = array.to_vec().unwrap();
        back.run(&mut array).unwrap();
        let round = array.to_vec().unwrap();
        assert!(start.iter().zip(&round).all(|(a, b)| (a - b).abs() < 4e-6));
        let mut array = device.upload(&start).unwrap();
        there.run(&mut array).unwrap();
        assert!(once.iter().zip(array.to_vec().unwrap()).all(|(a, b)| a.to_bits() == b.to_bits()));
    }
}

#[test]
fn nan_passes_through() {
    let Some(device) = testing::device() else { return };
    for n in [8, 17, 5000] {
        let mut values = values(n, 1);
        values[n / 2].re = f32::NAN;
        transform(&device, &mut values, &Shape::line(n).unwrap(), &Options::FORWARD).unwrap();
        assert!(values.iter().all(|z| z.re.is_nan() || z.im.is_nan()), "{n}");
    }
}

#[test]
fn wrong_lengths_are_errors() {
    let Some(device) = testing::device() else { return };
    let shape = Shape::line(8).unwrap();
    let refused = transform(&device, &mut values(9, 1), &shape, &Options::FORWARD).unwrap_err();
    assert!(matches!(refused, Error::Length { expected: 8, got: 9, .. }), "{refused}");
    let plan = Plan::new(&device, &shape, &Options::FORWARD).unwrap();
    let refused = plan.run(&mut device.allocate::<f32>(8).unwrap()).unwrap_err();
    assert!(matches!(refused, Error::Length { expected: 16, got: 8, .. }), "{refused}");
}
