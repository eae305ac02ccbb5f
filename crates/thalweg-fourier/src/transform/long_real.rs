//! One long real line by all threads.
//!
//! A line of even length is read as complex numbers of half the length, transformed, and taken apart: `x = even + i odd` has
//! the transform `E + i O`, and E and O are told apart by their symmetry. One of odd length becomes complex.
#![allow(unsafe_code)]

use std::sync::Arc;

use thalweg_core::disjoint::Disjoint;
use thalweg_core::parallel::{for_each_chunk, for_each_chunk_mut};

use super::lines::TASK;
use super::long::{LONG, LongPlan};
use super::options::Direction;
use super::roots::Roots;
use super::scratch::Buffer;
use crate::{Complex, Float, Result};

/// Where a line's elements lie: element i at `start + i * stride`.
#[derive(Clone, Copy)]
pub(super) struct Strided {
    pub start: usize,
    pub stride: usize,
}

impl Strided {
    fn at(self, i: usize) -> usize {
        self.start + i * self.stride
    }
}

/// Real lines that are transformed by all threads.
pub(super) enum LongReal<T: Float> {
    /// As complex numbers of half the length; roots of the whole length with the sign of the direction.
    Packed { plan: Arc<LongPlan<T>>, roots: Roots },
    /// As complex numbers without imaginary parts: odd lengths.
    Padded(Arc<LongPlan<T>>),
}

impl<T: Float> LongReal<T> {
    pub fn new(len: usize, direction: Direction) -> Result<Option<Self>> {
        Ok(match len.is_multiple_of(2) {
            true if len / 2 >= LONG => {
                Some(Self::Packed { plan: LongPlan::of(len / 2, direction)?, roots: Roots::new(len, direction)? })
            }
            false if len >= LONG => Some(Self::Padded(LongPlan::of(len, direction)?)),
            _ => None,
        })
    }

    pub fn halve(&self, line: &[T], to: Strided, out: &mut [Complex<T>], factor: f64) -> Result<()> {
        let half = line.len() / 2 + 1;
        let out = Disjoint::new(out);
        match self {
            Self::Packed { plan, roots } => {
                let mut packed = Buffer::<T>::new(half - 1)?;
                for_each_chunk_mut(&mut packed, TASK, &|start, part| {
                    part.copy_from_slice(bytemuck::cast_slice(&line[2 * start..2 * (start + part.len())]));
                });
                plan.process(&mut packed, factor)?;
                let packed = &packed;
                for_each_chunk(half, TASK, &|range| {
                    for k in range {
                        // The first one is its own mirror image, and that of the one behind the last.
                        let end = half - 1;
                        let z = packed[if k == end { 0 } else { k }];
                        let mirror = packed[if k == 0 { 0 } else { end - k }].conj();
                        let root = if k == half - 1 { Complex::new(-1.0, 0.0) } else { roots.at(k) };
                        // Twice the transform of the even elements, and twice that of the odd ones, times i.
                        let (even, odd) = (z + mirror, z - mirror);
                        let turned = Complex::new(odd.im, -odd.re) * Complex::new(T::of(root.re), T::of(root.im));
                        // SAFETY: every place is one task's, and inside.
                        unsafe { out.put(to.at(k), (even + turned) * T::of(0.5)) };
                    }
                });
            }
            Self::Padded(plan) => {
                let mut padded = Buffer::<T>::new(line.len())?;
                for_each_chunk_mut(&mut padded, TASK, &|start, part| {
                    part.iter_mut().zip(&line[start..]).for_each(|(z, x)| *z = Complex::new(*x, T::of(0.0)));
                });
                plan.process(&mut padded, factor)?;
                for_each_chunk(half, TASK, &|range| {
                    for k in range {
                        // SAFETY: as above.
                        unsafe { out.put(to.at(k), padded[k]) };
                    }
                });
            }
        }
        Ok(())
    }

    pub fn restore(&self, halves: &[Complex<T>], from: Strided, to: Strided, out: &mut [T], factor: f64) -> Result<()> {
        let out = Disjoint::new(out);
        match self {
            Self::Packed { plan, roots } => {
                let mut packed = Buffer::<T>::new(self.len() / 2)?;
                let middle = packed.len();
                // Imaginary parts at the ends have no meaning.
                let x = |k: usize| {
                    let x = halves[from.at(k)];
                    if k == 0 || k == middle { Complex::new(x.re, T::of(0.0)) } else { x }
                };
                for_each_chunk_mut(&mut packed, TASK, &|start, part| {
                    for (k, z) in (start..).zip(part) {
                        let (here, mirror) = (x(k), x(middle - k).conj());
                        let root = roots.at(k);
                        let odd = (here - mirror) * Complex::new(T::of(root.re), T::of(root.im));
                        *z = here + mirror + Complex::new(-odd.im, odd.re);
                    }
                });
                plan.process(&mut packed, factor)?;
                let packed = &packed;
                for_each_chunk(middle, TASK, &|range| {
                    for k in range {
                        // SAFETY: every place is one task's, and inside.
                        unsafe {
                            out.put(to.at(2 * k), packed[k].re);
                            out.put(to.at(2 * k + 1), packed[k].im);
                        }
                    }
                });
            }
            Self::Padded(plan) => {
                let len = self.len();
                let mut padded = Buffer::<T>::new(len)?;
                for_each_chunk_mut(&mut padded, TASK, &|start, part| {
                    for (k, z) in (start..).zip(part) {
                        *z = match k {
                            0 => Complex::new(halves[from.at(0)].re, T::of(0.0)),
                            k if k <= len / 2 => halves[from.at(k)],
                            k => halves[from.at(len - k)].conj(),
                        };
                    }
                });
                plan.process(&mut padded, factor)?;
                for_each_chunk(len, TASK, &|range| {
                    for k in range {
                        // SAFETY: as above.
                        unsafe { out.put(to.at(k), padded[k].re) };
                    }
                });
            }
        }
        Ok(())
    }

    fn len(&self) -> usize {
        match self {
            Self::Packed { plan, .. } => 2 * plan.len(),
            Self::Padded(plan) => plan.len(),
        }
    }
}
