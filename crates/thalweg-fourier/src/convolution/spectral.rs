//! Products of spectra, in tiles.
//!
//! A tile of the result needs a part of the array that is larger by the kernel, with what lies beyond the ends. It is transformed,
//! multiplied by the conjugate of the window's spectrum and transformed back; what has wrapped around is at its end, and is
//! left out (overlap-save: Stockham 1966). [`Tiling`] finds the size for which that is least work: for a short kernel and a long
//! array tiles that a cache holds, for a long kernel a single one, in which all threads work.
#![allow(unsafe_code)]

use std::sync::Mutex;

use thalweg_core::Error;
use thalweg_core::disjoint::Disjoint;
use thalweg_core::memory::{large_zeroed, try_with_large_capacity};
use thalweg_core::parallel::{chunk_range, for_each_chunk, for_each_chunk_mut};

use super::Problem;
use super::tiling::Tiling;
use crate::transform::{Buffer, Options, Reals, halve_into, halved_shape, restore_into, transform_real};
use crate::{Complex, Float, Result, Shape};

/// Products of a task.
const TASK: usize = 1 << 14;

pub(super) fn convolve<T: Float>(problem: &Problem<'_, T>) -> Result<Vec<T>> {
    let [height, width] = problem.size;
    let tiling = Tiling::new(problem.size, problem.window_size);
    let shape = Shape::new(&tiling.size)?;
    let mut window = large_zeroed::<T>(shape.len(), "the kernel's tile")?;
    for (to, from) in window.chunks_mut(tiling.size[1]).zip(problem.window.chunks(problem.window_size[1])) {
        to[..from.len()].copy_from_slice(from);
    }
    let spectrum = transform_real(&window, &shape, &Options::FORWARD)?;
    drop(window);

    let mut result = try_with_large_capacity(height * width, "the convolution")?;
    let place = Disjoint::uninit(&mut result.spare_capacity_mut()[..height * width]);
    let failure: Mutex<Option<Error>> = Mutex::new(None);
    let across = width.div_ceil(tiling.step[1]);
    for_each_chunk(height.div_ceil(tiling.step[0]) * across, 1, &|task| {
        let rows = chunk_range(task.start / across, tiling.step[0], height);
        let columns = chunk_range(task.start % across, tiling.step[1], width);
        match tile(problem, &spectrum, &shape, [rows.start, columns.start], [rows.len(), columns.len()]) {
            Ok(tile) => {
                for (y, row) in rows.zip(tile.chunks(tiling.size[1])) {
                    // SAFETY: inside, and every task has rows and columns of its own.
                    unsafe { place.copy_from(y * width + columns.start, &row[..columns.len()]) };
                }
            }
            Err(error) => *failure.lock().unwrap_or_else(|e| e.into_inner()) = Some(error),
        }
    });
    if let Some(error) = failure.into_inner().unwrap_or_else(|e| e.into_inner()) {
        return Err(error);
    }
    // SAFETY: the tasks cover all of it, and none has failed.
    unsafe { result.set_len(height * width) };
    Ok(result)
}

/// The tile of the result that starts here: what is wanted of it lies at its front.
fn tile<T: Float>(
    problem: &Problem<'_, T>,
    spectrum: &[Complex<T>],
    shape: &Shape,
    start: [usize; 2],
    size: [usize; 2],
) -> Result<Reals<T>> {
    let mut values = Reals::new(shape.len())?;
    for_each_chunk_mut(&mut values, TASK, &|_, part| part.fill(T::of(0.0)));
    let from = [0, 1].map(|axis| problem.first[axis] + start[axis] as isize);
    let reach = [0, 1].map(|axis| size[axis] + problem.window_size[axis] - 1);
    problem.array.copy(from, reach, &mut values, shape.sizes()[1]);
    let mut frequencies = Buffer::new(halved_shape(shape, &Options::FORWARD)?.len())?;
    halve_into(&values[..shape.len()], shape, &Options::FORWARD, &mut frequencies)?;
    for_each_chunk_mut(&mut frequencies, TASK, &|at, part| {
        for (x, factor) in part.iter_mut().zip(&spectrum[at..]) {
            *x = *x * factor.conj();
        }
    });
    restore_into(&mut frequencies, shape, &Options::INVERSE, &mut values[..shape.len()])?;
    Ok(values)
}
