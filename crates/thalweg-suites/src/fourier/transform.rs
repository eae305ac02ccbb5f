//! The conformance suite of Fourier transforms.

use thalweg_core::{Error, Result};
use thalweg_data::transforms::{DoubleDouble, Wide, frequencies, noise, relative_error, spectrum, wide_spectrum};
use thalweg_data::with_threads;
use thalweg_fourier::transform::{Direction, Norm, Options, error_limit};
use thalweg_fourier::{Axes, Complex, Float, Shape};

/// Something that transforms arrays in place.
pub type Transformer<'a, T> = &'a (dyn Fn(&mut [Complex<T>], &Shape, &Options) -> Result<()> + Sync);

/// Lines of every length that the oracle transforms as a whole: all up to 300, primes, powers and their neighbours, products
/// of small primes.
fn lengths() -> Vec<usize> {
    let most = if crate::is_quick() { 100 } else { 300 };
    let powers = (9..=12).flat_map(|k| [(1 << k) - 1, 1 << k, (1 << k) + 1]);
    let products = [1000, 2187, 3125, 2401, 1331, 2197, 30_030, 2 * 1009, 1021 * 3, 13 * 17 * 19, 8192, 19_683];
    let primes = [307, 1009, 2003, 4099];
    (1..=most).chain(powers).chain(products).chain(primes).collect()
}

/// Lines that are compared at some frequencies: about the length from which several threads share one, matrices of good and
/// of odd sides, primes, and primes times little.
const LONG: [usize; 12] = [
    65_537,
    131_071,
    131_072,
    131_101,
    3 << 16,
    251 * 523,
    6 * 40_009,
    510_510,
    262_147,
    1 << 19,
    181 * 1451,
    1_000_000,
];

/// Holds a transformer to its contract: every kind of length against sums of 106 bits, every set of axes, the factors, NaN,
/// bad input.
///
/// # Panics
/// If something is not as it should be.
pub fn suite<T: Float>(name: &str, run: Transformer<'_, T>) {
    for len in lengths() {
        line(name, len, run);
    }
    for len in LONG {
        // The oracle takes its time.
        if !crate::is_quick() || len % 2 == 1 {
            long_line(name, len, run);
        }
    }
    for sizes in [&[12, 10][..], &[1, 7], &[31, 1], &[64, 256], &[257, 12], &[5, 6, 7], &[2, 32, 3], &[16, 1, 20]] {
        axes(name, sizes, run);
    }
    norms(name, run);
    not_a_number(name, run);
    bad_input(name, run);
}

/// Compares transforms on several numbers of threads with each other, bit by bit.
///
/// # Panics
/// If they differ.
pub fn threads<T: Float>(name: &str, sizes: &[&[usize]], run: Transformer<'_, T>) {
    for sizes in sizes {
        let shape = Shape::new(sizes).expect("a shape");
        let of = |threads| {
            let mut values = rounded::<T>(&noise(shape.len(), 5));
            with_threads(threads, || run(&mut values, &shape, &Options::FORWARD)).expect("a transform");
            values
        };
        let one = of(1);
        for threads in [2, 3, 7] {
            assert!(of(threads) == one, "{name}: {sizes:?} is another on {threads} threads");
        }
    }
}

fn rounded<T: Float>(values: &[[f64; 2]]) -> Vec<Complex<T>> {
    values.iter().map(|x| Complex::new(T::of(x[0]), T::of(x[1]))).collect()
}

fn widened<T: Float>(values: &[Complex<T>]) -> Vec<[f64; 2]> {
    values.iter().map(|x| [x.re.wide(), x.im.wide()]).collect()
}

/// Fails unless `got` is as near as the contract for `len` elements demands.
fn expect_near<T: Float>(what: &str, len: usize, got: &[Complex<T>], exact: &[Wide]) {
    let (error, limit) = (relative_error(&widened(got), exact), error_limit::<T>(len));
    assert!(error <= limit, "{what} in {}: error {error:e}, limit {limit:e}, {} times", T::NAME, error / limit);
}

/// Both directions, and there and back.
fn line<T: Float>(name: &str, len: usize, run: Transformer<'_, T>) {
    let shape = Shape::line(len).expect("not empty");
    let signal = noise(len, len as u64);
    for (options, inverse) in [(Options::FORWARD, false), (Options::INVERSE, true)] {
        let what = format!("{name}: {:?} of {len}", options.direction);
        let mut exact = spectrum(&signal, inverse);
        if inverse {
            scale(&mut exact, options.factor(&shape));
        }
        let mut values = rounded::<T>(&signal);
        run(&mut values, &shape, &options).unwrap_or_else(|e| panic!("{what}: {e}"));
        expect_near(&what, len, &values, &exact);
        let direction = if inverse { Direction::Forward } else { Direction::Inverse };
        run(&mut values, &shape, &Options { direction, ..options }).unwrap_or_else(|e| panic!("{what}: {e}"));
        let error = relative_error(&widened(&values), &wide(&signal));
        assert!(error <= 2.0 * error_limit::<T>(len), "{what}, and back: error {error:e}");
    }
}

/// Some frequencies of a long line.
fn long_line<T: Float>(name: &str, len: usize, run: Transformer<'_, T>) {
    let shape = Shape::line(len).expect("not empty");
    let signal = noise(len, len as u64);
    let at: Vec<usize> = (0..12).map(|i| (i * len / 12 + i * i) % len).chain([1, len - 1]).collect();
    for (options, inverse) in [(Options::FORWARD, false), (Options::INVERSE, true)] {
        let what = format!("{name}: {:?} of {len}", options.direction);
        let mut exact = frequencies(&signal, inverse, &at);
        if inverse {
            scale(&mut exact, options.factor(&shape));
        }
        let mut values = rounded::<T>(&signal);
        run(&mut values, &shape, &options).unwrap_or_else(|e| panic!("{what}: {e}"));
        let some: Vec<Complex<T>> = at.iter().map(|&k| values[k]).collect();
        expect_near(&what, len, &some, &exact);
        // What is at other frequencies cannot be larger than the whole allows.
        let sum = |values: &[[f64; 2]]| values.iter().flatten().map(|x| x * x).sum::<f64>();
        let ratio = sum(&widened(&values)) / (sum(&signal) * if inverse { 1.0 / len as f64 } else { len as f64 });
        // (The sums themselves are rounded, n times.)
        assert!((ratio - 1.0).abs() < 4.0 * error_limit::<T>(len) + 1e-11, "{what}: {ratio} of the energy");
    }
}

fn wide(values: &[[f64; 2]]) -> Vec<Wide> {
    values.iter().map(|x| x.map(DoubleDouble::from)).collect()
}

fn scale(values: &mut [Wide], factor: f64) {
    values.iter_mut().flatten().for_each(|x| *x = *x * factor.into());
}

/// The definition along some axes.
fn along(values: &mut [Wide], shape: &Shape, axes: &Axes, inverse: bool) {
    for &axis in axes.as_slice() {
        let lines = shape.lines(axis);
        for (o, s) in (0..lines.outer).flat_map(|o| (0..lines.stride).map(move |s| (o, s))) {
            let at = |i: usize| (o * lines.len + i) * lines.stride + s;
            let line: Vec<Wide> = (0..lines.len).map(|i| values[at(i)]).collect();
            wide_spectrum(&line, inverse).into_iter().enumerate().for_each(|(i, x)| values[at(i)] = x);
        }
    }
}

/// Every set of axes, in every order.
fn axes<T: Float>(name: &str, sizes: &[usize], run: Transformer<'_, T>) {
    let shape = Shape::new(sizes).expect("a shape");
    let signal = noise(shape.len(), 3);
    for axes in all_axes(sizes.len()) {
        let axes = Axes::new(&axes, &shape).expect("axes");
        for direction in [Direction::Forward, Direction::Inverse] {
            let options = Options { direction, axes: Some(axes), ..Options::FORWARD };
            let what = format!("{name}: {direction:?} of {sizes:?} along {axes:?}");
            let mut exact = wide(&signal);
            along(&mut exact, &shape, &axes, direction == Direction::Inverse);
            scale(&mut exact, options.factor(&shape));
            let mut values = rounded::<T>(&signal);
            run(&mut values, &shape, &options).unwrap_or_else(|e| panic!("{what}: {e}"));
            let len: usize = axes.as_slice().iter().map(|&axis| sizes[axis]).product();
            expect_near(&what, len, &values, &exact);
        }
    }
}

/// All sequences of different axes.
pub(super) fn all_axes(dimensions: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = (0..dimensions).map(|axis| vec![axis]).collect();
    let mut done = 0;
    while done < all.len() {
        let longer: Vec<Vec<usize>> = (0..dimensions)
            .filter(|axis| !all[done].contains(axis))
            .map(|axis| all[done].iter().copied().chain([axis]).collect())
            .collect();
        all.extend(longer);
        done += 1;
    }
    all
}

/// The three places of the factor.
fn norms<T: Float>(name: &str, run: Transformer<'_, T>) {
    for sizes in [&[100][..], &[9, 14], &[1 << 17]] {
        let shape = Shape::new(sizes).expect("a shape");
        let signal = noise(shape.len(), 4);
        for direction in [Direction::Forward, Direction::Inverse] {
            let of = |norm| {
                let mut values = rounded::<T>(&signal);
                run(&mut values, &shape, &Options { norm, direction, axes: None }).expect("a transform");
                widened(&values)
            };
            let n = shape.len() as f64;
            let (backward, ortho, forward) = (of(Norm::Backward), of(Norm::Ortho), of(Norm::Forward));
            let (plain, divided) =
                if direction == Direction::Forward { (&backward, &forward) } else { (&forward, &backward) };
            let limit = 4.0 * error_limit::<T>(shape.len());
            for (got, times) in [(&ortho, n.sqrt()), (divided, n)] {
                let scaled: Vec<[f64; 2]> = got.iter().map(|x| x.map(|x| x * times)).collect();
                assert!(relative_error(&scaled, &wide(plain)) < limit, "{name}: {direction:?} of {sizes:?}");
            }
        }
    }
}

/// A number that is none makes its line so, and no other.
fn not_a_number<T: Float>(name: &str, run: Transformer<'_, T>) {
    for len in [2, 7, 64, 97, 1000, 131_072, 131_101] {
        let shape = Shape::new(&[3, len]).expect("a shape");
        let mut values = rounded::<T>(&noise(3 * len, 6));
        values[len + len / 2].im = T::of(f64::NAN);
        let options = Options { axes: Some(Axes::last(&shape)), ..Options::FORWARD };
        run(&mut values, &shape, &options).expect("a transform");
        for (row, values) in values.chunks(len).enumerate() {
            // One part at least: a frequency that does not mix them keeps the other.
            let none = values.iter().filter(|x| x.re.wide().is_nan() || x.im.wide().is_nan()).count();
            assert!(none == if row == 1 { len } else { 0 }, "{name}: {none} of {len} in row {row}");
        }
    }
}

fn bad_input<T: Float>(name: &str, run: Transformer<'_, T>) {
    let shape = Shape::new(&[3, 4]).expect("a shape");
    let mut values = rounded::<T>(&noise(11, 6));
    let before = values.clone();
    let error = run(&mut values, &shape, &Options::FORWARD);
    assert!(matches!(error, Err(Error::Length { expected: 12, got: 11, .. })), "{name}: {error:?}");
    assert!(values == before, "{name}: nothing is done to what is refused");
}
