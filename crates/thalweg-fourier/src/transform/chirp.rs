//! Long lines that are no matrix: primes, and primes times little.
//!
//! `2 j k = j^2 + k^2 - (k - j)^2` makes a transform a convolution with a chirp, `exp(pi i j^2 / n)`, and a convolution is
//! made of transforms of a better length (Bluestein 1970). In double precision inside, whatever the type.
//!
//! Work O(n log n), three transforms of about twice the length; extra memory some twelve times the line in double precision.

use thalweg_core::parallel::for_each_chunk_mut;

use super::factors::smooth_at_least;
use super::options::Direction;
use super::roots::Roots;
use super::scratch::Buffer;
use super::split::Split;
use crate::{Complex, Error, Float, Result};

/// Elements of a task.
const TASK: usize = 1 << 13;

/// The chirp of a length, and its transform.
pub(super) struct Chirp {
    len: usize,
    roots: Roots,
    forward: Split<f64>,
    back: Split<f64>,
    spectrum: Buffer<f64>,
}

impl Chirp {
    pub fn new(len: usize, direction: Direction) -> Result<Self> {
        let too_long = || Error::OutOfMemory { bytes: usize::MAX, what: "the transform's scratch" };
        let padded = smooth_at_least(len.checked_mul(2).ok_or_else(too_long)?);
        let roots = Roots::new(2 * len, direction)?;
        let forward = Split::of(padded, Direction::Forward)?;
        let back = Split::of(padded, Direction::Inverse)?;
        let mut spectrum = Buffer::new(padded)?;
        for_each_chunk_mut(&mut spectrum, TASK, &|start, part| {
            for (j, x) in (start..).zip(part) {
                let distance = j.min(padded - j);
                *x = if distance < len { root(&roots, distance, len).conj() } else { Complex::default() };
            }
        });
        forward.process(&mut spectrum, 1.0 / padded as f64)?;
        Ok(Self { len, roots, forward, back, spectrum })
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn process<T: Float>(&self, lines: &mut [Complex<T>], factor: f64) -> Result<()> {
        let len = self.len;
        let mut padded = Buffer::<f64>::new(self.spectrum.len())?;
        for line in lines.chunks_exact_mut(len) {
            for_each_chunk_mut(&mut padded, TASK, &|start, part| {
                for (j, out) in (start..).zip(part) {
                    *out = match line.get(j) {
                        Some(x) => Complex::new(x.re.wide(), x.im.wide()) * root(&self.roots, j, len),
                        None => Complex::default(),
                    };
                }
            });
            self.forward.process(&mut padded, 1.0)?;
            for_each_chunk_mut(&mut padded, TASK, &|start, part| {
                part.iter_mut().zip(&self.spectrum[start..]).for_each(|(x, chirp)| *x *= chirp);
            });
            self.back.process(&mut padded, 1.0)?;
            let padded = &padded;
            for_each_chunk_mut(line, TASK, &|start, part| {
                for (k, out) in (start..).zip(part) {
                    let x = padded[k] * (root(&self.roots, k, len) * factor);
                    *out = Complex::new(T::of(x.re), T::of(x.im));
                }
            });
        }
        Ok(())
    }
}

/// `exp(pi i j^2 / len)`, with the sign of the roots.
#[inline(always)]
fn root(roots: &Roots, j: usize, len: usize) -> Complex<f64> {
    roots.at((j as u128 * j as u128 % (2 * len as u128)) as usize)
}
