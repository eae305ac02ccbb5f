//! Roots of unity in bulk: a table of a few thousand, and a product.

use std::mem::MaybeUninit;

use thalweg_core::Result;
use thalweg_core::memory::computed;

use super::options::Direction;
use crate::{Complex, Float, root_of_unity};

/// `exp(-2 pi i m / n)` for all m below n, or with the sign of the inverse: the product of two of about `2 sqrt(n)` roots
/// that are kept in double precision.
#[derive(Debug)]
pub(super) struct Roots {
    /// Number of low bits of m.
    shift: u32,
    low: Vec<Complex<f64>>,
    high: Vec<Complex<f64>>,
}

impl Roots {
    pub fn new(n: usize, direction: Direction) -> Result<Self> {
        let shift = n.ilog2().div_ceil(2);
        let root = |m: usize| {
            let root = root_of_unity(m as u64, n as u64);
            if direction == Direction::Forward { root.conj() } else { root }
        };
        let low = computed(1 << shift, 1 << 10, "roots of unity", root)?;
        let high = computed(((n - 1) >> shift) + 1, 1 << 10, "roots of unity", |m| root(m << shift))?;
        Ok(Self { shift, low, high })
    }

    /// Turns some of the roots by this angle.
    #[cfg(test)]
    pub fn spoil(&mut self, index: usize, angle: f64) {
        self.low[index] *= Complex::from_polar(1.0, angle);
    }

    /// Root `m`, which is below n.
    #[inline(always)]
    pub fn at(&self, m: usize) -> Complex<f64> {
        self.high[m >> self.shift] * self.low[m & ((1 << self.shift) - 1)]
    }
}

/// Roots of a row, see [`Row::fill`].
const STEP: usize = 64;

/// The roots that a row is multiplied with: geometric, so a product of two short tables again, that need no search.
#[derive(Debug)]
pub(super) struct Row<T> {
    low: [Complex<T>; STEP],
    high: Vec<Complex<T>>,
}

impl<T: Float> Row<T> {
    pub fn new(len: usize) -> Result<Self> {
        let high = thalweg_core::error::try_filled(len.div_ceil(STEP), Complex::default(), "roots of unity")?;
        Ok(Self { low: [Complex::default(); STEP], high })
    }

    /// `factor * root(row * k)` for all k below the length; `row` times that must stay below the roots' n.
    pub fn fill(&mut self, roots: &Roots, row: usize, len: usize, factor: f64) {
        let rounded = |root: Complex<f64>| Complex::new(T::of(root.re), T::of(root.im));
        for (k, low) in self.low.iter_mut().enumerate().take(len) {
            *low = rounded(roots.at(row * k));
        }
        for (k, high) in self.high.iter_mut().enumerate() {
            *high = rounded(roots.at(row * k * STEP) * factor);
        }
    }

    /// Writes the products of `line` and the roots to `out`.
    pub fn apply(&self, line: &[Complex<T>], out: &mut [MaybeUninit<Complex<T>>]) {
        assert_eq!(line.len(), out.len());
        apply(line, out, &self.low, &self.high);
    }
}

thalweg_core::dispatch! {
    fn apply<T: Float>(
        line: &[Complex<T>],
        out: &mut [MaybeUninit<Complex<T>>],
        low: &[Complex<T>; STEP],
        high: &[Complex<T>],
    ) = apply_body;
}

#[inline(always)]
fn apply_body<T: Float>(
    line: &[Complex<T>],
    out: &mut [MaybeUninit<Complex<T>>],
    low: &[Complex<T>; STEP],
    high: &[Complex<T>],
) {
    for ((line, out), &high) in line.chunks(STEP).zip(out.chunks_mut(STEP)).zip(high) {
        for ((x, out), low) in line.iter().zip(out).zip(low) {
            let re = high.re * low.re - high.im * low.im;
            let im = high.re * low.im + high.im * low.re;
            out.write(Complex::new(x.re * re - x.im * im, x.re * im + x.im * re));
        }
    }
}
