//! Values and their transforms.

use rayon::prelude::*;
use thalweg::Device;
use thalweg::fourier::transform::{Builder, Direction, error_limit};
use thalweg::fourier::{Axes, Complex, Float, Shape, root_of_unity};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_data::transforms::noise;

use crate::bench::Case;

/// What is transformed: n elements as one line, as a matrix or a cube with sides as equal as n's factors allow, or as rows of
/// 1024.
pub const KINDS: [&str; 4] = ["line", "matrix", "cube", "rows"];
const ROW: usize = 1024;

/// How the elements are laid out: as asked, or by the kind.
#[derive(Clone, Copy)]
pub struct Layout {
    pub shape: Option<Shape>,
    /// Whether the rows of the shape are transformed alone.
    pub rows: bool,
}

impl Layout {
    /// Shape and axes of a case.
    pub fn of(&self, case: &Case<'_>) -> Outcome<(Shape, Axes)> {
        let n = case.n;
        // The divisor below the k-th root that is nearest to it.
        let side = |n: usize, k: u32| (1..=n).take_while(|d| d.pow(k) <= n).filter(|d| n.is_multiple_of(*d)).last();
        let shape = match (self.shape, case.kind) {
            (Some(shape), _) => shape,
            (None, "matrix") => {
                let rows = side(n, 2).unwrap_or(1);
                Shape::new(&[n / rows, rows])?
            }
            (None, "cube") => {
                let layers = side(n, 3).unwrap_or(1);
                let rows = side(n / layers, 2).unwrap_or(1);
                Shape::new(&[layers, rows, n / layers / rows])?
            }
            (None, "rows") if n.is_multiple_of(ROW) => Shape::new(&[n / ROW, ROW])?,
            (None, "rows") => return Err(Failure::at("--n", format_args!("{n}: rows have {ROW} elements"))),
            (None, _) => Shape::line(n)?,
        };
        let by_rows = self.rows || self.shape.is_none() && case.kind == "rows";
        Ok((shape, if by_rows { Axes::last(&shape) } else { Axes::all(&shape) }))
    }
}

/// Random values.
pub fn signal<T: Float>(case: &Case<'_>) -> Vec<Complex<T>> {
    noise(case.n, case.common.seed).into_iter().map(|x| Complex::new(T::of(x[0]), T::of(x[1]))).collect()
}

/// The size of a difference by the size of what it should be.
pub fn relative<T: Float>(got: &[Complex<T>], want: &[Complex<T>]) -> f64 {
    let square = |x: Complex<T>| x.re.wide() * x.re.wide() + x.im.wide() * x.im.wide();
    let [error, size] = got
        .par_iter()
        .zip(want)
        .map(|(&got, &want)| [square(got - want), square(want)])
        .reduce(|| [0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
    if error == 0.0 { 0.0 } else { (error / size).sqrt() }
}

/// Fails unless `got` is the transform of `signal`: some frequencies by their sums in double precision, and everything by the
/// way back.
pub fn check<T: Float>(who: &str, signal: &[Complex<T>], got: &[Complex<T>], shape: &Shape, axes: Axes) -> Outcome {
    const SAMPLES: usize = 8;
    let len: usize = axes.as_slice().iter().map(|&axis| shape.sizes()[axis]).product();
    let limit = error_limit::<T>(len);
    let samples = (0..SAMPLES).map(|i| (i * (got.len() / SAMPLES) + i * i + i) % got.len());
    let [mut error, mut size] = [0.0; 2];
    for at in samples {
        let want = frequency(signal, shape, axes, at);
        let difference = Complex::new(got[at].re.wide(), got[at].im.wide()) - want;
        error += difference.norm_sqr();
        size += want.norm_sqr();
    }
    // The sums are rounded too.
    let error = (error / size).sqrt();
    if error.is_nan() || error > 2.0 * limit + 1e-14 {
        return crate::check::wrong(who, format!("frequencies are off by {error:e}, the limit is {limit:e}"));
    }
    let mut back = got.to_vec();
    let builder = Builder::new().device(Device::Cpu).direction(Direction::Inverse).axes(axes);
    builder.transform(&mut back, shape)?;
    let error = relative(&back, signal);
    if error.is_nan() || error > 2.0 * limit {
        return crate::check::wrong(who, format!("there and back is off by {error:e}, the limit is {limit:e}"));
    }
    Ok(())
}

/// A sum whose rounding errors are summed too: plain ones of 2^24 terms would be off by more than the transforms.
#[derive(Clone, Copy, Default)]
struct Sum {
    high: f64,
    low: f64,
}

impl Sum {
    fn add(&mut self, term: f64) {
        let sum = self.high + term;
        let part = sum - self.high;
        self.low += (self.high - (sum - part)) + (term - part);
        self.high = sum;
    }

    fn value(self) -> f64 {
        self.high + self.low
    }
}

/// Elements of a line that a task sums up.
const PART: usize = 1 << 16;

/// One frequency, by its sum.
fn frequency<T: Float>(signal: &[Complex<T>], shape: &Shape, axes: Axes, at: usize) -> Complex<f64> {
    let place = |at: usize, axis: usize| {
        let lines = shape.lines(axis);
        at / lines.stride % lines.len
    };
    let run = *shape.sizes().last().expect("a dimension");
    let sums: Vec<Complex<f64>> = signal
        .par_chunks(run)
        .enumerate()
        .map(|(row, values)| {
            // What is the same for the whole row; other rows of the same frequency do not count.
            let mut factor = Complex::new(1.0, 0.0);
            for axis in 0..shape.dimensions() - 1 {
                let (j, k) = (place(row * run, axis), place(at, axis));
                if axes.as_slice().contains(&axis) {
                    let size = shape.sizes()[axis];
                    factor *= root_of_unity((j as u128 * k as u128 % size as u128) as u64, size as u64).conj();
                } else if j != k {
                    return Complex::default();
                }
            }
            let k = at % run;
            if !axes.as_slice().contains(&(shape.dimensions() - 1)) {
                let x = values[k];
                return Complex::new(x.re.wide(), x.im.wide()) * factor;
            }
            let parts: Vec<[Sum; 2]> = values
                .par_chunks(PART)
                .enumerate()
                .map(|(part, values)| {
                    let [mut re, mut im] = [Sum::default(); 2];
                    for (j, x) in (part * PART..).zip(values) {
                        let root = root_of_unity((j as u128 * k as u128 % run as u128) as u64, run as u64).conj();
                        let term = Complex::new(x.re.wide(), x.im.wide()) * root;
                        re.add(term.re);
                        im.add(term.im);
                    }
                    [re, im]
                })
                .collect();
            let [mut re, mut im] = [Sum::default(); 2];
            for part in parts {
                re.add(part[0].value());
                im.add(part[1].value());
            }
            Complex::new(re.value(), im.value()) * factor
        })
        .collect();
    sums.into_iter().sum()
}
