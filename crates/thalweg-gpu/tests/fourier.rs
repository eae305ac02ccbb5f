//! Fourier transforms on the device against the CPU's in double precision.

use thalweg_core::Error;
use thalweg_data::Random;
use thalweg_fourier::convolution::{self, Boundary, Engine, Extent};
use thalweg_fourier::transform::{
    Direction, Norm, Options, restore_real as exact_restore, transform as exact, transform_real as exact_real,
};
use thalweg_fourier::{Axes, Complex, Shape};
use thalweg_gpu::fourier::convolution::{Cyclic, Plan as Convolution, convolve};
use thalweg_gpu::fourier::transform::{Plan, restore_real, transform, transform_real};
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

/// Half of the frequencies of real arrays, and back.
#[track_caller]
fn check_real(device: &Device, sizes: &[usize], axes: Option<&[usize]>, direction: Direction, norm: Norm) {
    let shape = Shape::new(sizes).unwrap();
    let axes = axes.map(|axes| Axes::new(axes, &shape).unwrap());
    let options = Options { direction, norm, axes };
    let together: usize = options.axes_of(&shape).as_slice().iter().map(|&axis| sizes[axis]).product();
    let most = 2f64.powi(-24) * (together.max(2) as f64).log2().sqrt();
    let case = format!("{sizes:?} along {axes:?}, {direction:?}, {norm:?}");

    let reals: Vec<f32> = values(shape.len(), 7).iter().map(|z| z.re).collect();
    let wide: Vec<f64> = reals.iter().copied().map(f64::from).collect();
    let half = transform_real(device, &reals, &shape, &options).unwrap();
    let want = exact_real(&wide, &shape, &options).unwrap();
    assert!(error(&half, &want) <= most, "{case}: {} of {most}", error(&half, &want));

    // Any frequencies at all: what no real array has is left out.
    let half = values(half.len(), 8);
    let wide: Vec<_> = half.iter().map(|z| Complex::new(f64::from(z.re), f64::from(z.im))).collect();
    let pairs = |reals: Vec<f64>| -> Vec<_> { reals.into_iter().map(|x| Complex::new(x, 0.0)).collect() };
    let reals = restore_real(device, &half, &shape, &options).unwrap();
    let reals: Vec<_> = reals.into_iter().map(|x| Complex::new(x, 0.0)).collect();
    let want = pairs(exact_restore(&wide, &shape, &options).unwrap());
    assert!(error(&reals, &want) <= most, "{case}, back: {} of {most}", error(&reals, &want));
}

#[test]
fn real_arrays() {
    let Some(device) = testing::device() else { return };
    for n in [1, 2, 3, 4, 5, 6, 10, 17, 34, 99, 1000, 6000, 10_000] {
        for direction in [Direction::Forward, Direction::Inverse] {
            check_real(&device, &[3, n], Some(&[1]), direction, Norm::Backward);
        }
    }
    for (sizes, axes) in [
        (&[10, 12][..], None),
        (&[10, 12], Some(&[1, 0][..])),
        (&[9, 7], None),
        (&[5, 6, 8], None),
        (&[5, 6, 8], Some(&[2, 1])),
        (&[5, 6, 8], Some(&[0, 2])),
    ] {
        check_real(&device, sizes, axes, Direction::Forward, Norm::Ortho);
        check_real(&device, sizes, axes, Direction::Inverse, Norm::Backward);
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
    check_real(&device, &[40_000], None, Direction::Forward, Norm::Backward);
    check_real(&device, &[160, 101], None, Direction::Inverse, Norm::Backward);
    check_convolution(&device, &[120, 140], &[9, 10], &convolution::Options::default());
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

#[track_caller]
fn check_convolution(device: &Device, sizes: &[usize], kernel_sizes: &[usize], options: &convolution::Options) {
    let [shape, kernel_shape] = [sizes, kernel_sizes].map(|sizes| Shape::new(sizes).unwrap());
    let reals = |n: usize, seed: u64| -> Vec<f32> { values(n, seed).iter().map(|z| z.re).collect() };
    let wide = |values: &[f32]| -> Vec<f64> { values.iter().copied().map(f64::from).collect() };
    let norm = |values: &[f32]| values.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
    let (array, kernel) = (reals(shape.len(), 1), reals(kernel_shape.len(), 2));
    let got = convolve(device, &array, &shape, &kernel, &kernel_shape, options).unwrap();
    let (array_wide, kernel_wide) = (wide(&array), wide(&kernel));
    let want = convolution::convolve(&array_wide, &shape, &kernel_wide, &kernel_shape, options).unwrap();
    assert_eq!(got.len(), want.len());
    // As often as the array is seen.
    let repeats: f64 = sizes.iter().zip(kernel_sizes).map(|(&n, &m)| (n + 2 * m) as f64 / n as f64).product();
    let most = 4.0 * 2f64.powi(-24) * norm(&array) * norm(&kernel) * repeats.sqrt();
    for (i, (&got, &want)) in got.iter().zip(&want).enumerate() {
        let off = (f64::from(got) - want).abs();
        assert!(off <= most, "{sizes:?} * {kernel_sizes:?}, {options:?}: {got} at {i}, not {want}: {off}, not {most}");
    }
}

#[test]
fn convolutions() {
    let Some(device) = testing::device() else { return };
    for (sizes, kernel_sizes) in [
        (&[100][..], &[7][..]),
        (&[30], &[64]),
        (&[1], &[3]),
        (&[17, 20], &[3, 4]),
        (&[12, 9], &[1, 20]),
        (&[16, 16], &[16, 16]),
        (&[15, 14], &[3, 3]),
    ] {
        for &boundary in Boundary::ALL {
            for correlate in [false, true] {
                let options = convolution::Options { boundary, correlate, ..Default::default() };
                check_convolution(&device, sizes, kernel_sizes, &options);
            }
        }
    }
    for extent in [Extent::Full, Extent::Valid] {
        let options = convolution::Options { extent, ..Default::default() };
        check_convolution(&device, &[40, 30], &[5, 6], &options);
        check_convolution(&device, &[11], &[30], &options);
    }
    // Rows that take several passes.
    check_convolution(&device, &[20_000], &[101], &Default::default());
    check_convolution(
        &device,
        &[2, 6000],
        &[1, 31],
        &convolution::Options { boundary: Boundary::Wrap, ..Default::default() },
    );
}

#[test]
fn cyclic_convolutions() {
    let Some(device) = testing::device() else { return };
    for sizes in [&[360][..], &[8192], &[24, 40], &[2048, 6]] {
        let shape = Shape::new(sizes).unwrap();
        let across = sizes[sizes.len() - 1];
        // Twice the value before, and i times the one a row or two elements before.
        let mut kernel = vec![Complex::default(); shape.len()];
        kernel[1] = Complex::new(2.0, 0.0);
        let second = if sizes.len() == 1 { 2 } else { across };
        kernel[second] = Complex::new(0.0, 1.0);
        let array = values(shape.len(), 5);
        let mut there = device.upload::<f32>(bytemuck::cast_slice(&array)).unwrap();
        Cyclic::new(&device, &shape, &kernel).unwrap().run(&mut there).unwrap();
        let got = there.to_vec().unwrap();
        let got: &[Complex<f32>] = bytemuck::cast_slice(&got);
        for (i, got) in got.iter().enumerate() {
            let row = i / across * across;
            let before = row + (i - row + across - 1) % across;
            let other =
                if sizes.len() == 1 { (i + across - 2) % across } else { (i + shape.len() - across) % shape.len() };
            let want = array[before] * 2.0 + array[other] * Complex::i();
            assert!((got - want).norm() < 2e-5, "{sizes:?}: {got} at {i}, not {want}");
        }
    }
    let prime = Shape::line(17).unwrap();
    assert!(matches!(Cyclic::new(&device, &prime, &values(17, 1)), Err(Error::Shape { .. })));
}

#[test]
fn what_convolutions_refuse() {
    let Some(device) = testing::device() else { return };
    let [line, short] = [8, 3].map(|n| Shape::line(n).unwrap());
    let direct = convolution::Options { engine: Some(Engine::Direct), ..Default::default() };
    let refused = convolve(&device, &[0.0; 8], &line, &[0.0; 3], &short, &direct).unwrap_err();
    assert!(matches!(refused, Error::NotOnDevice { engine: "direct", .. }), "{refused}");
    let options = convolution::Options::default();
    let refused = convolve(&device, &[f32::NAN; 8], &line, &[0.0; 3], &short, &options).unwrap_err();
    assert!(matches!(refused, Error::NotOnDevice { engine: "spectral", .. }), "{refused}");
    let refused = convolve(&device, &[0.0; 7], &line, &[0.0; 3], &short, &options).unwrap_err();
    assert!(matches!(refused, Error::Length { expected: 8, got: 7, .. }), "{refused}");
    let plan = Convolution::new(&device, &line, &[0.0; 3], &short, &options).unwrap();
    let (array, mut results) = (device.allocate(8).unwrap(), device.allocate(9).unwrap());
    let refused = plan.run(&array, &mut results).unwrap_err();
    assert!(matches!(refused, Error::Length { expected: 8, got: 9, .. }), "{refused}");
}

/// The fastest and the median of many runs by the device's clock, the data being there.
#[test]
#[ignore = "prints times: for a real card"]
fn times() {
    let Some(device) = testing::open(thalweg_gpu::Options { checked: false, binding_bytes: None }) else { return };
    let show = |what: &str, run: &mut dyn FnMut() -> thalweg_core::Result<()>| {
        thalweg_gpu::warm_up(&device).unwrap();
        let mut times: Vec<_> =
            (0..40).map(|_| device.timed(&mut *run).unwrap().1.device.as_secs_f64() * 1e3).collect();
        times.sort_by(f64::total_cmp);
        println!("{what}: {:.4} ms, median {:.4}", times[0], times[20]);
    };
    let numbers = |n: usize| -> Vec<f32> { bytemuck::cast_slice(&values(n.div_ceil(2), 9))[..n].to_vec() };
    for sizes in [&[1 << 20][..], &[1 << 24], &[1 << 27], &[1 << 28], &[4096, 4096], &[1_000_003]] {
        let shape = Shape::new(sizes).unwrap();
        let plan = Plan::new(&device, &shape, &Options::FORWARD).unwrap();
        let mut array = device.upload(&numbers(2 * shape.len())).unwrap();
        show(&format!("complex {sizes:?}"), &mut || plan.run(&mut array));
    }
    let shape = Shape::new(&[4096, 4096]).unwrap();
    let cyclic = Cyclic::new(&device, &shape, &values(shape.len(), 4)).unwrap();
    let mut array = device.upload(&numbers(2 * shape.len())).unwrap();
    show("cyclic convolution of 4096 x 4096 complex values", &mut || cyclic.run(&mut array));
    let (array, mut results) = (device.upload(&numbers(shape.len())).unwrap(), device.allocate(shape.len()).unwrap());
    for (m, boundary) in [(4096, Boundary::Wrap), (33, Boundary::Wrap), (33, Boundary::Reflect), (257, Boundary::Zero)]
    {
        let kernel_shape = Shape::new(&[m, m]).unwrap();
        let options = convolution::Options { boundary, ..Default::default() };
        let plan = Convolution::new(&device, &shape, &numbers(m * m), &kernel_shape, &options).unwrap();
        let what = format!("convolution of 4096 x 4096 real values with {m} x {m}, {boundary}");
        show(&what, &mut || plan.run(&array, &mut results));
    }
}
