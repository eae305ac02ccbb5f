//! Sums of products over a window, the kernel of direct convolutions and blurs: a block of the result stays in registers while
//! the window moves over it.
//!
//! A block is of some rows and some vectors. Every vector of the input that is loaded goes to all rows of the block, and every
//! weight to all vectors, so that the loads (two a cycle, one if it crosses a cache line) do not hold up the products (two a
//! cycle).
#![allow(unsafe_code)]

use crate::vector::{Lanes, Machine, Vector};

/// Numbers that are read and written together at most: rows are as long as this divides.
pub(crate) const PADDING: usize = 16;

/// What is to be added up: `output[q][k] = sum weights[i][j] * input[rows[q + i] + k + j * step]`, over all rows `i` and columns
/// `j` of the window, for all `q` below `count` and `k` below `columns`.
#[derive(Clone, Copy)]
pub(crate) struct Window<'a, T> {
    /// Where numbers are read.
    pub(crate) input: &'a [T],
    /// Where its rows begin.
    pub(crate) rows: &'a [usize],
    /// The weights, row by row.
    pub(crate) weights: &'a [T],
    /// How many rows the window has.
    pub(crate) height: usize,
    /// How many columns it has.
    pub(crate) width: usize,
    /// From a number to the one that the next weight is for.
    pub(crate) step: usize,
    /// How many numbers of a row are wanted.
    pub(crate) columns: usize,
}

impl<T: Lanes> Window<'_, T> {
    /// Writes as many rows as there are for the window to start at, `stride` apart. Numbers are written up to the next multiple of
    /// [`PADDING`], and as many are read.
    ///
    /// # Panics
    /// If something is beyond the input or the output.
    pub(crate) fn slide(&self, output: &mut [T], stride: usize) {
        let count = self.rows.len() + 1 - self.height;
        let columns = self.columns.next_multiple_of(PADDING);
        let reach = columns + (self.width - 1) * self.step;
        assert!(self.rows.iter().all(|&row| row <= self.input.len() && self.input.len() - row >= reach));
        assert!(self.width * self.height == self.weights.len() && columns <= stride.max(output.len() / count));
        assert!((count - 1) * stride + columns <= output.len());
        match Machine::here() {
            // SAFETY: the machine is at hand, and nothing is beyond the slices.
            #[cfg(target_arch = "x86_64")]
            Machine::Avx512 => unsafe { avx512(self, output, stride, columns) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Machine::Avx2 => unsafe { avx2(self, output, stride, columns) },
            // SAFETY: as above.
            _ => unsafe { slide::<T::Plain, 2, 2, 4>(self, output, stride, columns) },
        }
    }
}

/// # Safety
/// Needs AVX-512, and a window and an output that have been checked.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn avx512<T: Lanes>(window: &Window<'_, T>, output: &mut [T], stride: usize, columns: usize) {
    // SAFETY: the caller's promise. Of 32 registers 16 are sums.
    unsafe { slide::<T::Avx512, 4, 4, 8>(window, output, stride, columns) }
}

/// # Safety
/// Needs AVX2 and FMA, and a window and an output that have been checked.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2<T: Lanes>(window: &Window<'_, T>, output: &mut [T], stride: usize, columns: usize) {
    // SAFETY: the caller's promise. Of 16 registers 8 are sums.
    unsafe { slide::<T::Avx2, 4, 2, 8>(window, output, stride, columns) }
}

/// Blocks of `ROWS` rows and `ACROSS` vectors; rows that are left over, and windows that are no higher than a block, in blocks of
/// one row and `ALONG` vectors; columns that are left over in single vectors.
///
/// # Safety
/// Needs the machine of the vectors, and a window and an output that have been checked.
#[inline(always)]
unsafe fn slide<V: Vector, const ROWS: usize, const ACROSS: usize, const ALONG: usize>(
    window: &Window<'_, V::Item>,
    output: &mut [V::Item],
    stride: usize,
    columns: usize,
) {
    let count = window.rows.len() + 1 - window.height;
    let output = output.as_mut_ptr();
    let mut row = 0;
    while row < count {
        // SAFETY: the caller's promise; `columns` is a multiple of every vector.
        unsafe {
            let to = output.add(row * stride);
            let mut column = 0;
            if window.height >= ROWS && row + ROWS <= count {
                while column + ACROSS * V::LANES <= columns {
                    block::<V, ROWS, ACROSS>(window, row, column, to, stride);
                    column += ACROSS * V::LANES;
                }
                while column < columns {
                    block::<V, ROWS, 1>(window, row, column, to, stride);
                    column += V::LANES;
                }
                row += ROWS;
            } else {
                while column + ALONG * V::LANES <= columns {
                    block::<V, 1, ALONG>(window, row, column, to, stride);
                    column += ALONG * V::LANES;
                }
                while column < columns {
                    block::<V, 1, 1>(window, row, column, to, stride);
                    column += V::LANES;
                }
                row += 1;
            }
        }
    }
}

/// A block. Rows of the input that only some rows of the block need are for these alone: a weight of zero would do for numbers,
/// and make a NaN of an infinity.
///
/// # Safety
/// As above; the window is at least as high as the block.
#[inline(always)]
unsafe fn block<V: Vector, const ROWS: usize, const VECTORS: usize>(
    window: &Window<'_, V::Item>,
    row: usize,
    column: usize,
    to: *mut V::Item,
    stride: usize,
) {
    const { assert!(ROWS <= 4) };
    let height = window.height;
    // SAFETY: the caller's promise.
    unsafe {
        let mut sums = [[V::splat(V::Item::default()); VECTORS]; ROWS];
        // Rows as constants, or the sums would not stay in registers.
        if ROWS > 1 {
            products::<V, ROWS, VECTORS, 0, 1>(window, row, 0, column, &mut sums);
        }
        if ROWS > 2 {
            products::<V, ROWS, VECTORS, 0, 2>(window, row, 1, column, &mut sums);
        }
        if ROWS > 3 {
            products::<V, ROWS, VECTORS, 0, 3>(window, row, 2, column, &mut sums);
        }
        for i in ROWS - 1..height {
            products::<V, ROWS, VECTORS, 0, ROWS>(window, row, i, column, &mut sums);
        }
        if ROWS > 1 {
            products::<V, ROWS, VECTORS, 1, ROWS>(window, row, height, column, &mut sums);
        }
        if ROWS > 2 {
            products::<V, ROWS, VECTORS, 2, ROWS>(window, row, height + 1, column, &mut sums);
        }
        if ROWS > 3 {
            products::<V, ROWS, VECTORS, 3, ROWS>(window, row, height + 2, column, &mut sums);
        }
        for (q, sums) in sums.iter().enumerate() {
            for (v, sum) in sums.iter().enumerate() {
                sum.store(to.add(q * stride + column + v * V::LANES));
            }
        }
    }
}

/// What row `i` of the input adds to rows `FROM..TO` of the block.
///
/// # Safety
/// As above.
#[inline(always)]
unsafe fn products<V: Vector, const ROWS: usize, const VECTORS: usize, const FROM: usize, const TO: usize>(
    window: &Window<'_, V::Item>,
    row: usize,
    i: usize,
    column: usize,
    sums: &mut [[V; VECTORS]; ROWS],
) {
    let width = window.width;
    // SAFETY: the caller's promise.
    unsafe {
        let numbers = window.input.as_ptr().add(*window.rows.get_unchecked(row + i) + column);
        let weights = window.weights.as_ptr();
        for j in 0..width {
            let numbers = numbers.add(j * window.step);
            let mut loaded = [V::splat(V::Item::default()); VECTORS];
            for (v, loaded) in loaded.iter_mut().enumerate() {
                *loaded = V::load(numbers.add(v * V::LANES));
            }
            for (q, sums) in sums.iter_mut().enumerate().take(TO).skip(FROM) {
                let weight = V::splat(*weights.add((i - q) * width + j));
                for (sum, number) in sums.iter_mut().zip(loaded) {
                    *sum = sum.add_product(weight, number);
                }
            }
        }
    }
}
