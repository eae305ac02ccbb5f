//! The conformance suite of real transforms.

use thalweg_core::{Error, Result};
use thalweg_data::transforms::{DoubleDouble, Wide, noise, relative_error, wide_spectrum};
use thalweg_fourier::transform::{Direction, Options, error_limit};
use thalweg_fourier::{Axes, Complex, Float, Shape};

use super::transform::all_axes;

/// Something that transforms real arrays to half of their frequencies.
pub type Halver<'a, T> = &'a (dyn Fn(&[T], &Shape, &Options) -> Result<Vec<Complex<T>>> + Sync);
/// Something that restores them.
pub type Restorer<'a, T> = &'a (dyn Fn(&[Complex<T>], &Shape, &Options) -> Result<Vec<T>> + Sync);

/// Shapes: lines of every parity, arrays with an odd, an even and a single element along the halved axis, long lines.
const SHAPES: [&[usize]; 22] = [
    &[1],
    &[2],
    &[3],
    &[4],
    &[9],
    &[10],
    &[13],
    &[26],
    &[97],
    &[194],
    &[1000],
    &[1001],
    &[4096],
    &[2, 1 << 14],
    &[7, 10],
    &[10, 7],
    &[1, 5],
    &[5, 1],
    &[256, 12],
    &[300, 21],
    &[4, 5, 6],
    &[5, 6, 3],
];

/// Lines that several threads share: compared with the complex transform, which has a suite of its own.
const LONG: [&[usize]; 6] = [&[1 << 18], &[262_146], &[131_101], &[2, 199_999], &[262_144, 3], &[131_103, 2]];

/// Holds real transforms to their contract: all axes against the definition in 106 bits, both directions, there and back.
///
/// # Panics
/// If something is not as it should be.
pub fn suite<T: Float>(name: &str, halve: Halver<'_, T>, restore: Restorer<'_, T>) {
    for sizes in SHAPES {
        let shape = Shape::new(sizes).expect("a shape");
        for axes in all_axes(sizes.len()) {
            let axes = Axes::new(&axes, &shape).expect("axes");
            for direction in [Direction::Forward, Direction::Inverse] {
                let options = Options { direction, axes: Some(axes), ..Options::FORWARD };
                halves(name, &shape, &options, halve);
                restores(name, &shape, &options, restore);
            }
        }
    }
    for sizes in LONG {
        let shape = Shape::new(sizes).expect("a shape");
        // The longest axis is the halved one.
        let longest = (0..sizes.len()).max_by_key(|&axis| sizes[axis]).expect("an axis");
        long(name, &shape, longest, halve, restore);
    }
    let shape = Shape::line(12).expect("a line");
    let error = halve(&[T::of(0.0); 7], &shape, &Options::FORWARD);
    assert!(matches!(error, Err(Error::Length { expected: 12, got: 7, .. })), "{name}: {error:?}");
    let error = restore(&[Complex::default(); 12], &shape, &Options::INVERSE);
    assert!(matches!(error, Err(Error::Length { expected: 7, got: 12, .. })), "{name}: {error:?}");
}

fn reals<T: Float>(len: usize) -> Vec<T> {
    noise(len, 8).into_iter().map(|x| T::of(x[0])).collect()
}

fn elements(shape: &Shape, options: &Options) -> usize {
    options.axes_of(shape).as_slice().iter().map(|&axis| shape.sizes()[axis]).product()
}

/// The places of all elements, as indices of three axes.
fn places(shape: &Shape) -> impl Iterator<Item = [usize; 3]> + use<> {
    let mut sizes = [1; 3];
    sizes[..shape.dimensions()].copy_from_slice(shape.sizes());
    (0..sizes.iter().product()).map(move |at| [at / sizes[2] / sizes[1], at / sizes[2] % sizes[1], at % sizes[2]])
}

fn position(shape: &Shape, place: [usize; 3]) -> usize {
    shape.sizes().iter().zip(place).fold(0, |at, (&size, i)| at * size + i)
}

/// The definition along all axes of the options, times their factor.
fn exact(values: &[Wide], shape: &Shape, options: &Options) -> Vec<Wide> {
    let mut values = values.to_vec();
    for &axis in options.axes_of(shape).as_slice() {
        let lines = shape.lines(axis);
        for (o, s) in (0..lines.outer).flat_map(|o| (0..lines.stride).map(move |s| (o, s))) {
            let at = |i: usize| (o * lines.len + i) * lines.stride + s;
            let line: Vec<Wide> = (0..lines.len).map(|i| values[at(i)]).collect();
            let line = wide_spectrum(&line, options.direction == Direction::Inverse);
            line.into_iter().enumerate().for_each(|(i, x)| values[at(i)] = x);
        }
    }
    values.iter_mut().flatten().for_each(|x| *x = *x * options.factor(shape).into());
    values
}

fn halves<T: Float>(name: &str, shape: &Shape, options: &Options, halve: Halver<'_, T>) {
    let what = format!("{name}: {shape:?}, {options:?}");
    let values = reals::<T>(shape.len());
    let wide: Vec<Wide> = values.iter().map(|x| [x.wide(), 0.0].map(DoubleDouble::from)).collect();
    let all = exact(&wide, shape, options);
    let got = halve(&values, shape, options).unwrap_or_else(|e| panic!("{what}: {e}"));
    let last = *options.axes_of(shape).as_slice().last().expect("an axis");
    let half = shape.with_size(last, shape.sizes()[last] / 2 + 1).expect("a shape");
    assert_eq!(got.len(), half.len(), "{what}");
    let wanted: Vec<Wide> = places(&half).map(|place| all[position(shape, place)]).collect();
    let got: Vec<[f64; 2]> = got.iter().map(|x| [x.re.wide(), x.im.wide()]).collect();
    let (error, limit) = (relative_error(&got, &wanted), error_limit::<T>(elements(shape, options)));
    assert!(error <= limit, "{what}: error {error:e}, limit {limit:e}, {} times", error / limit);
}

/// Frequencies with the symmetry of real values, each exactly a float, to values.
fn restores<T: Float>(name: &str, shape: &Shape, options: &Options, restore: Restorer<'_, T>) {
    let what = format!("{name}: back, {shape:?}, {options:?}");
    let axes = options.axes_of(shape);
    let noise = noise(shape.len(), 9);
    let mirrored = |place: [usize; 3]| {
        let mut mirror = place;
        for &axis in axes.as_slice() {
            mirror[axis] = (shape.sizes()[axis] - place[axis]) % shape.sizes()[axis];
        }
        position(shape, mirror)
    };
    // Of two that mirror each other, the first one's number counts.
    let symmetric: Vec<[f64; 2]> = places(shape)
        .map(|place| {
            let (here, there) = (position(shape, place), mirrored(place));
            let [re, im] = noise[here.min(there)];
            [
                re,
                if here == there {
                    0.0
                } else if here < there {
                    im
                } else {
                    -im
                },
            ]
        })
        .collect();
    let wide: Vec<Wide> = symmetric.iter().map(|x| x.map(DoubleDouble::from)).collect();
    let wanted = exact(&wide, shape, options);
    let last = *axes.as_slice().last().expect("an axis");
    let half = shape.with_size(last, shape.sizes()[last] / 2 + 1).expect("a shape");
    let given: Vec<Complex<T>> = places(&half)
        .map(|place| symmetric[position(shape, place)])
        .map(|x| Complex::new(T::of(x[0]), T::of(x[1])))
        .collect();
    let got = restore(&given, shape, options).unwrap_or_else(|e| panic!("{what}: {e}"));
    let got: Vec<[f64; 2]> = got.iter().map(|x| [x.wide(), 0.0]).collect();
    let (error, limit) = (relative_error(&got, &wanted), error_limit::<T>(elements(shape, options)));
    assert!(error <= limit, "{what}: error {error:e}, limit {limit:e}, {} times", error / limit);
}

fn long<T: Float>(name: &str, shape: &Shape, axis: usize, halve: Halver<'_, T>, restore: Restorer<'_, T>) {
    let what = format!("{name}: {shape:?} along {axis}");
    let values = reals::<T>(shape.len());
    let axes = Some(Axes::new(&[axis], shape).expect("an axis"));
    let options = Options { axes, ..Options::FORWARD };
    let half = shape.with_size(axis, shape.sizes()[axis] / 2 + 1).expect("a shape");
    let got = halve(&values, shape, &options).unwrap_or_else(|e| panic!("{what}: {e}"));
    let mut all: Vec<Complex<f64>> = values.iter().map(|x| Complex::new(x.wide(), 0.0)).collect();
    thalweg_fourier::transform::transform(&mut all, shape, &options).expect("a transform");
    let wanted: Vec<Wide> =
        places(&half).map(|place| all[position(shape, place)]).map(|x| [x.re, x.im].map(DoubleDouble::from)).collect();
    let wide: Vec<[f64; 2]> = got.iter().map(|x| [x.re.wide(), x.im.wide()]).collect();
    let (error, limit) = (relative_error(&wide, &wanted), error_limit::<T>(elements(shape, &options)));
    assert!(error <= 2.0 * limit, "{what}: error {error:e}, limit {limit:e}");
    let back = restore(&got, shape, &Options { axes, ..Options::INVERSE }).unwrap_or_else(|e| panic!("{what}: {e}"));
    let wide: Vec<[f64; 2]> = back.iter().map(|x| [x.wide(), 0.0]).collect();
    let wanted: Vec<Wide> = values.iter().map(|x| [x.wide(), 0.0].map(DoubleDouble::from)).collect();
    let error = relative_error(&wide, &wanted);
    assert!(error <= 2.0 * limit, "{what}, and back: error {error:e}, limit {limit:e}");
}
