//! Single elements of a transform by their definition, in double precision: what a sample of the results is held to.

use std::ops::Range;

use rayon::prelude::*;
use thalweg::fourier::transform::error_limit;
use thalweg::fourier::{Complex, Float, Shape, root_of_unity};

/// Roots of unity of an axis that are computed at a time; those between are products of two.
const BLOCK: usize = 32;
/// Blocks of a line that a task sums up.
const TASK: usize = 512;
/// Tasks that lines are dealt out to.
const PARTS: usize = 256;

/// A transform whose elements can be computed one by one, each in as many steps as elements are transformed together.
pub struct Direct<'a> {
    /// An element of the input.
    pub input: &'a (dyn Fn(usize) -> Complex<f64> + Sync),
    pub input_shape: Shape,
    pub output_shape: Shape,
    pub axes: &'a [usize],
    /// Forward transforms turn clockwise.
    pub is_inverse: bool,
    /// Of the transform of a half spectrum: its axis and the length of that axis in the result.
    pub restored: Option<(usize, usize)>,
    /// The factor of all sums.
    pub factor: f64,
}

impl Direct<'_> {
    /// Steps that an element takes.
    pub fn terms(&self) -> usize {
        self.axes.iter().map(|&axis| self.input_shape.sizes()[axis]).product()
    }

    /// What is wrong with an element, if anything. By the contract an element's error is at most the error of all results that
    /// are computed together, and that is a share of their norm. Twice that is allowed, and a little, for our own rounding.
    pub fn complaint<T: Float>(&self, index: usize, found: Complex<f64>) -> Option<String> {
        let (expected, norm) = self.at(index);
        let terms = self.terms() as f64;
        let largest = if size_of::<T>() == 4 { f64::from(f32::MAX) } else { f64::MAX };
        // What overflows on its way is no measure.
        if norm.is_finite() && norm * terms.sqrt() > largest / 8.0 {
            return None;
        }
        let is_right = if norm.is_finite() {
            let share = 2.0 * (error_limit::<T>(self.terms()) + T::ROUNDING);
            (found - expected).norm() <= share * norm + subnormal::<T>()
        } else {
            // NaN and infinities pass through to all that depends on them.
            !found.is_finite()
        };
        (!is_right).then(|| format!("element {index} is {found}, but the sum is {expected}"))
    }

    /// The element, and the norm of all elements that are computed together with it.
    fn at(&self, index: usize) -> (Complex<f64>, f64) {
        let coordinates = split(&self.output_shape, index);
        let (&inner, outer) = self.axes.split_last().expect("axes are never none");
        // The elements that lie where the result does along the other axes.
        let start: usize = (0..self.input_shape.dimensions())
            .filter(|axis| !self.axes.contains(axis))
            .map(|axis| coordinates[axis] * self.stride(axis))
            .sum();
        let turns = Turns::new(coordinates[inner], self.length(inner));
        let combinations: usize = outer.iter().map(|&axis| self.input_shape.sizes()[axis]).product();
        let lines = |range: Range<usize>| {
            let mut part = Part::default();
            for mut combination in range {
                let (mut place, mut root) = (start, Complex::from(1.0));
                for &axis in outer.iter().rev() {
                    let size = self.input_shape.sizes()[axis];
                    let j = combination % size;
                    combination /= size;
                    place += j * self.stride(axis);
                    root *= root_of_unity((j * coordinates[axis] % size) as u64, size as u64);
                }
                part.add(self.line(place, inner, &turns, self.conjugated(root)));
            }
            part
        };
        let part = Part::of(combinations, combinations.div_ceil(PARTS), &lines);
        let mut sum = part.sum.total();
        let norm = (part.squares * self.terms() as f64).sqrt();
        if self.restored.is_some() {
            sum.im = 0.0;
        }
        (sum * self.factor, norm * self.factor)
    }

    /// The sum along the inner axis from `place`, turned by `root`, and the sum of squares.
    fn line(&self, place: usize, inner: usize, turns: &Turns, root: Complex<f64>) -> Part {
        let (size, stride) = (self.input_shape.sizes()[inner], self.stride(inner));
        let blocks = |range: Range<usize>| {
            let mut whole = Part::default();
            for first in range.map(|block| block * BLOCK) {
                let mut part = Complex::new(0.0, 0.0);
                for j in first..(first + BLOCK).min(size) {
                    // Elements of a half spectrum stand for themselves and for their mirror images, but for those that have none.
                    let weight = match self.restored {
                        Some((_, n)) if j != 0 && 2 * j != n => 2.0,
                        _ => 1.0,
                    };
                    let value = (self.input)(place + j * stride);
                    part += self.conjugated(turns.within[j - first]) * value * weight;
                    whole.squares += value.norm_sqr() * weight;
                }
                whole.sum.add(part * self.conjugated(turns.to(first)));
            }
            whole
        };
        let mut line = Part::of(size.div_ceil(BLOCK), TASK, &blocks);
        line.sum = Sum { sum: line.sum.total() * root, ..Sum::default() };
        line
    }

    fn conjugated(&self, root: Complex<f64>) -> Complex<f64> {
        if self.is_inverse { root } else { root.conj() }
    }

    fn stride(&self, axis: usize) -> usize {
        self.input_shape.lines(axis).stride
    }

    /// The length of the transform along an axis.
    fn length(&self, axis: usize) -> usize {
        match self.restored {
            Some((half, length)) if half == axis => length,
            _ => self.input_shape.sizes()[axis],
        }
    }
}

/// A part of an element's sum, and of the sum of squares.
#[derive(Default)]
struct Part {
    sum: Sum,
    squares: f64,
}

impl Part {
    fn add(&mut self, other: Self) {
        self.sum.add(other.sum.total());
        self.squares += other.squares;
    }

    /// The parts of all of `0..len`, `task` of them at a time by all threads; the same for any number of those.
    fn of(len: usize, task: usize, part: &(dyn Fn(Range<usize>) -> Self + Sync)) -> Self {
        if len <= task {
            return part(0..len);
        }
        let starts = (0..len).into_par_iter().step_by(task);
        let parts: Vec<Self> = starts.map(|start| part(start..(start + task).min(len))).collect();
        let mut whole = Self::default();
        parts.into_iter().for_each(|part| whole.add(part));
        whole
    }
}

/// A sum of many numbers that keeps what every addition rounds off: lines may be alike, and their errors, too.
#[derive(Default)]
struct Sum {
    sum: Complex<f64>,
    lost: Complex<f64>,
}

impl Sum {
    fn add(&mut self, value: Complex<f64>) {
        let sum = self.sum + value;
        let part = sum - self.sum;
        self.lost += (self.sum - (sum - part)) + (value - part);
        self.sum = sum;
    }

    fn total(&self) -> Complex<f64> {
        // What is infinite has lost NaN.
        if self.sum.is_finite() { self.sum + self.lost } else { self.sum }
    }
}

/// Powers of a root of unity.
struct Turns {
    frequency: u128,
    length: usize,
    within: Vec<Complex<f64>>,
}

impl Turns {
    fn new(frequency: usize, length: usize) -> Self {
        let mut turns = Self { frequency: frequency as u128, length, within: Vec::new() };
        turns.within = (0..BLOCK).map(|j| turns.to(j)).collect();
        turns
    }

    fn to(&self, j: usize) -> Complex<f64> {
        root_of_unity((self.frequency * j as u128 % self.length as u128) as u64, self.length as u64)
    }
}

/// The indices of element `index`.
fn split(shape: &Shape, index: usize) -> [usize; 3] {
    let (mut rest, mut indices) = (index, [0; 3]);
    for (axis, &size) in shape.sizes().iter().enumerate().rev() {
        indices[axis] = rest % size;
        rest /= size;
    }
    indices
}

/// Numbers so small that they have lost digits.
fn subnormal<T: Float>() -> f64 {
    if size_of::<T>() == 4 { 64.0 * f64::from(f32::MIN_POSITIVE) } else { 64.0 * f64::MIN_POSITIVE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wave_has_one_frequency() {
        let (n, shape) = (100, Shape::new(&[3, 100]).unwrap());
        let wave = |i: usize| root_of_unity((7 * (i % n)) as u64, n as u64) * (1 + i / n) as f64;
        let direct = Direct {
            input: &wave,
            input_shape: shape,
            output_shape: shape,
            axes: &[1],
            is_inverse: false,
            restored: None,
            factor: 1.0,
        };
        for row in 0..3 {
            assert_eq!(direct.complaint::<f64>(row * n + 7, Complex::from(((1 + row) * n) as f64)), None);
            assert_eq!(direct.complaint::<f64>(row * n + 8, Complex::default()), None);
            assert!(direct.complaint::<f64>(row * n + 8, Complex::from(1e-12)).is_some());
            assert!(direct.complaint::<f32>(row * n + 8, Complex::from(1e-12)).is_none());
            assert!(direct.complaint::<f32>(row * n + 7, Complex::from(f64::NAN)).is_some());
        }
        let both = Direct { axes: &[0, 1], ..direct };
        assert_eq!(both.complaint::<f64>(7, Complex::from(600.0)), None);
        let broken = Direct { input: &|i| if i == 5 { Complex::from(f64::NAN) } else { wave(i) }, ..both };
        assert_eq!(broken.complaint::<f64>(200, Complex::new(f64::NAN, 0.0)), None);
        assert!(broken.complaint::<f64>(200, Complex::default()).is_some());
    }

    #[test]
    fn long_sums_are_shared_out() {
        // A line of several tasks, and more lines than there are parts.
        for (sizes, axes) in [(&[100_003][..], &[0][..]), (&[3 * PARTS + 1, 50], &[0, 1])] {
            let shape = Shape::new(sizes).unwrap();
            let n = shape.len();
            let last = sizes[sizes.len() - 1];
            let wave = |i: usize| root_of_unity((7 * (i % last)) as u64, last as u64);
            let direct = Direct {
                input: &wave,
                input_shape: shape,
                output_shape: shape,
                axes,
                is_inverse: false,
                restored: None,
                factor: 1.0,
            };
            assert_eq!(direct.complaint::<f64>(7, Complex::from(n as f64)), None);
            assert!(direct.complaint::<f64>(7, Complex::from(n as f64 - 1e-6)).is_some());
            assert_eq!(direct.complaint::<f64>(last - 1, Complex::default()), None);
        }
    }
}
