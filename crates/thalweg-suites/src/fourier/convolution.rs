//! The conformance suite of convolutions.

use thalweg_core::Result;
use thalweg_data::Random;
use thalweg_data::convolutions::{NaiveConvolution, NaiveSum};
use thalweg_fourier::convolution::{Boundary, Engine, Extent, Options, convolve};
use thalweg_fourier::{Float, Shape};

/// Something that convolves.
pub type Convolve<'a, T> = &'a dyn Fn(&[T], &Shape, &[T], &Shape, &Options) -> Result<Vec<T>>;

/// How far from the exact sum an element may be.
#[derive(Clone, Copy, Debug)]
pub enum Bound {
    /// As any sum of m products: m roundings of the sum of absolute values.
    Sum,
    /// As transforms: so many roundings of the norm of what the kernel sees times the kernel's norm.
    Norm(f64),
}

impl Bound {
    /// What an engine of the library promises.
    pub fn of(engine: Engine) -> Self {
        match engine {
            Engine::Direct | Engine::Naive => Self::Sum,
            _ => Self::Norm(4.0),
        }
    }
}

/// Holds an engine of the library to its contract, in `f32` and `f64`; see [`suite_of`].
///
/// # Panics
/// If an element is wrong.
pub fn suite(engine: Engine) {
    fn with<T: Float>(engine: Engine) {
        suite_of::<T>(engine.name(), Bound::of(engine), &|array, shape, kernel, kernel_shape, options| {
            convolve(array, shape, kernel, kernel_shape, &Options { engine: Some(engine), ..*options })
        });
    }
    with::<f32>(engine);
    with::<f64>(engine);
}

/// Kinds of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Normal,
    Constant,
    /// Of very different magnitudes.
    Wide,
    /// Few, among zeros.
    Sparse,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Normal, Self::Constant, Self::Wide, Self::Sparse];

    fn make<T: Float>(self, len: usize, seed: u64) -> Vec<T> {
        let random = Random::new(seed, self as u64);
        (0..len as u64)
            .map(|i| match self {
                Self::Normal => random.normal(i),
                Self::Constant => 0.1,
                Self::Wide => random.normal(i) * 10f64.powi(random.below(i + 99, 12) as i32 - 6),
                Self::Sparse => f64::from(u8::from(random.below(i, 10) == 0)),
            })
            .map(T::of)
            .collect()
    }
}

const LINES: &[usize] = &[1, 2, 3, 15, 16, 17, 64, 100, 257, 1009];
const LINE_KERNELS: &[usize] = &[1, 2, 3, 8, 31, 64, 300];
const GRIDS: &[[usize; 2]] = &[[1, 1], [1, 7], [6, 1], [3, 4], [17, 16], [5, 130], [33, 65], [70, 19]];
const GRID_KERNELS: &[[usize; 2]] = &[[1, 1], [3, 3], [2, 5], [1, 9], [10, 1], [4, 4], [20, 23], [40, 3]];

/// Holds something that convolves to the contract, for one type of numbers: lines and grids, kernels that are shorter and longer,
/// even and odd, all boundaries and extents, convolutions and correlations, numbers of all kinds, NaN and infinities, and what does
/// not go together.
///
/// # Panics
/// If an element is too far from the exact sum.
pub fn suite_of<T: Float>(name: &str, bound: Bound, convolve: Convolve<'_, T>) {
    bad_input(name, convolve);
    let mut turn = 0;
    let mut all = |size: &[usize], kernel_size: &[usize]| {
        for &extent in Extent::ALL {
            for &boundary in Boundary::ALL {
                if extent != Extent::Same && boundary != Boundary::Zero {
                    continue;
                }
                for correlate in [false, true] {
                    turn += 1;
                    let kind = Kind::ALL[turn / 7 % 4];
                    let options = Options { boundary, extent, correlate, engine: None };
                    let Ok(shape) = Shape::new(size) else { unreachable!() };
                    let kernel_shape = Shape::new(kernel_size).expect("a shape");
                    if options.places(&shape, &kernel_shape).is_err() {
                        // Valid, and neither holds the other.
                        continue;
                    }
                    let array = kind.make(shape.len(), turn as u64);
                    let kernel = kind.make(kernel_shape.len(), !(turn as u64));
                    check(name, &array, &shape, &kernel, &kernel_shape, &options, bound, convolve);
                    if turn % 5 == 0 {
                        not_finite(name, array, &shape, kernel, &kernel_shape, &options, bound, convolve);
                    }
                }
            }
        }
    };
    for &len in LINES {
        for &kernel in LINE_KERNELS {
            all(&[len], &[kernel]);
        }
    }
    for size in GRIDS {
        for kernel in GRID_KERNELS {
            all(size, kernel);
        }
    }
    // More than a block, or a task.
    all(&[9001], &[65]);
    all(&[70, 1100], &[5, 4]);
}

/// The same with a number that is none, in the array and in the kernel.
#[allow(clippy::too_many_arguments)]
fn not_finite<T: Float>(
    name: &str,
    mut array: Vec<T>,
    shape: &Shape,
    mut kernel: Vec<T>,
    kernel_shape: &Shape,
    options: &Options,
    bound: Bound,
    convolve: Convolve<'_, T>,
) {
    let middle = array.len() / 2;
    for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut array = array.clone();
        array[middle] = T::of(wrong);
        check(name, &array, shape, &kernel, kernel_shape, options, bound, convolve);
    }
    array[middle] = T::of(f64::INFINITY);
    array[0] = T::of(f64::NEG_INFINITY);
    check(name, &array, shape, &kernel, kernel_shape, options, bound, convolve);
    array.fill(T::of(1.0));
    kernel[0] = T::of(f64::NAN);
    check(name, &array, shape, &kernel, kernel_shape, options, bound, convolve);
}

#[allow(clippy::too_many_arguments)]
fn check<T: Float>(
    name: &str,
    array: &[T],
    shape: &Shape,
    kernel: &[T],
    kernel_shape: &Shape,
    options: &Options,
    bound: Bound,
    convolve: Convolve<'_, T>,
) {
    let said = || format!("{name}, {}: {shape:?} with {kernel_shape:?}, {options:?}", T::NAME);
    let wide = |values: &[T]| values.iter().map(|x| x.wide()).collect::<Vec<_>>();
    let (wide_array, wide_kernel) = (wide(array), wide(kernel));
    let in_rows =
        |shape: &Shape| [shape.len() / shape.sizes().last().expect("a size"), *shape.sizes().last().expect("one")];
    let wanted = NaiveConvolution {
        array: &wide_array,
        size: in_rows(shape),
        kernel: &wide_kernel,
        kernel_size: in_rows(kernel_shape),
        boundary: options.boundary.name(),
        extent: options.extent.name(),
        correlate: options.correlate,
    }
    .elements();
    let got = convolve(array, shape, kernel, kernel_shape, options).unwrap_or_else(|e| panic!("{}: {e}", said()));
    assert_eq!(got.len(), wanted.len(), "{}", said());
    assert_eq!(got.len(), options.result_shape(shape, kernel_shape).expect("a shape").len(), "{}", said());
    let norm = |values: &[f64]| values.iter().map(|x| x * x).sum::<f64>().sqrt();
    // What the kernel sees repeats the array where it is longer.
    let times: usize = (shape.sizes().iter().zip(kernel_shape.sizes())).map(|(n, m)| m.div_ceil(*n) + 1).product();
    let norms = norm(&wide_array) * norm(&wide_kernel) * (times as f64).sqrt();
    for (i, (&got, &NaiveSum { value, magnitude })) in got.iter().zip(&wanted).enumerate() {
        let got = got.wide();
        if !value.is_finite() {
            assert!(got == value || (got.is_nan() && value.is_nan()), "{}, element {i}: {got}, not {value}", said());
            continue;
        }
        let most = T::ROUNDING
            * match bound {
                Bound::Sum => (kernel.len() as f64 + 1.0) * magnitude,
                Bound::Norm(roundings) => roundings * norms * (array.len() + kernel.len() + 2).ilog2() as f64,
            };
        let error = (got - value).abs();
        // Not finite anywhere, and the norms say nothing: the sum's own magnitude does.
        let most = if most.is_finite() { most } else { T::ROUNDING * (kernel.len() as f64 + 1.0) * magnitude };
        assert!(error <= most, "{}, element {i}: {got}, not {value}: off by {error:e}, more than {most:e}", said());
    }
}

fn bad_input<T: Float>(name: &str, convolve: Convolve<'_, T>) {
    let shape = |sizes: &[usize]| Shape::new(sizes).expect("a shape");
    let ones = [T::of(1.0); 8];
    let fails = |array: usize, size: &[usize], kernel: usize, kernel_size: &[usize], options: Options, wanted: &str| {
        let error = convolve(&ones[..array], &shape(size), &ones[..kernel], &shape(kernel_size), &options);
        assert_eq!(error.map(|_| ()).expect_err(name).to_string(), wanted, "{name}");
    };
    let plain = Options::default();
    fails(3, &[4], 1, &[1], plain, "the array: expected 4 elements, got 3");
    fails(4, &[4], 2, &[1], plain, "the kernel: expected 1 elements, got 2");
    fails(8, &[2, 2, 2], 1, &[1, 1, 1], plain, "the array: 3 dimensions: convolutions have one or two");
    fails(8, &[2, 4], 2, &[2], plain, "the kernel: it has dimensions 1, the array has 2");
    let full = Options { extent: Extent::Full, boundary: Boundary::Reflect, ..plain };
    fails(4, &[4], 2, &[2], full, "extent: full goes with boundary zero, not with reflect");
}
