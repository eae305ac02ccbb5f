//! Sums of products, a block of the result at a time.
//!
//! A task copies what its part of the result needs, with what lies beyond the ends, and slides the kernel over the copy
//! (`filter.rs`). The copy is a pass over the array, and is small beside the products; it is what makes borders cost nothing.
#![allow(unsafe_code)]

use thalweg_core::Result;
use thalweg_core::disjoint::Disjoint;
use thalweg_core::memory::try_with_large_capacity;
use thalweg_core::parallel::{chunk_range, for_each_chunk};

use super::Problem;
use crate::Float;
use crate::filter::{PADDING, Window};

/// Rows and columns of a task: with a kernel of 50 x 50 the copy is of 82 x 1074 elements, which the second-level cache holds.
const TASK: [usize; 2] = [32, 1024];
/// Elements of a task where the result has one row.
const LINE_TASK: usize = 1 << 13;

pub(super) fn convolve<T: Float>(problem: &Problem<'_, T>) -> Result<Vec<T>> {
    let [height, width] = problem.size;
    let [rows, columns] = if height == 1 { [1, LINE_TASK] } else { TASK };
    let mut result = try_with_large_capacity(height * width, "the convolution")?;
    let place = Disjoint::uninit(&mut result.spare_capacity_mut()[..height * width]);
    let across = width.div_ceil(columns);
    for_each_chunk(height.div_ceil(rows) * across, 1, &|task| {
        let rows = chunk_range(task.start / across, rows, height);
        let columns = chunk_range(task.start % across, columns, width);
        let (sums, stride) = part(problem, [rows.start, columns.start], [rows.len(), columns.len()]);
        for (y, sums) in rows.zip(sums.chunks(stride)) {
            // SAFETY: inside, and every task has rows and columns of its own.
            unsafe { place.copy_from(y * width + columns.start, &sums[..columns.len()]) };
        }
    });
    // SAFETY: the tasks cover all of it.
    unsafe { result.set_len(height * width) };
    Ok(result)
}

/// A rectangle of the result, and how far its rows are apart.
fn part<T: Float>(problem: &Problem<'_, T>, start: [usize; 2], [height, width]: [usize; 2]) -> (Vec<T>, usize) {
    let window = problem.window_size;
    let (rows, stride) = (height + window[0] - 1, width.next_multiple_of(PADDING) + window[1] - 1);
    let mut copy = vec![T::default(); rows * stride];
    let from = [0, 1].map(|axis| problem.first[axis] + start[axis] as isize);
    problem.array.copy(from, [rows, width + window[1] - 1], &mut copy, stride);
    let out_stride = width.next_multiple_of(PADDING);
    let mut sums = vec![T::default(); height * out_stride];
    let starts: Vec<usize> = (0..rows).map(|row| row * stride).collect();
    let window = Window {
        input: &copy,
        rows: &starts,
        weights: &problem.window,
        height: window[0],
        width: window[1],
        step: 1,
        columns: width,
    };
    window.slide(&mut sums, out_stride);
    (sums, out_stride)
}
