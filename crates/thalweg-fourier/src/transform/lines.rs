//! All lines along an axis, by all threads.
#![allow(unsafe_code)]

use thalweg_core::disjoint::Disjoint;
use thalweg_core::parallel::{for_each_chunk, for_each_chunk_mut};

use super::long::{LONG, LongPlan};
use super::options::Direction;
use super::plan::{LinePlan, LineScratch};
use super::scratch::{Buffer, Spares};
use super::split::width;
use super::tiles::{Block, Blocks, pitch};
use crate::{Complex, Float, Lines, Result};

/// Elements that a task should have at least: some 20 us of work.
pub(super) const TASK: usize = 1 << 13;

/// Transforms all lines along an axis, in place, times `factor`.
pub(super) fn transform_lines<T: Float>(
    values: &mut [Complex<T>],
    lines: Lines,
    direction: Direction,
    factor: f64,
) -> Result<()> {
    if lines.len == 1 {
        scale(values, factor);
        return Ok(());
    }
    if lines.len >= LONG {
        let plan = LongPlan::of(lines.len, direction)?;
        return if lines.stride == 1 {
            plan.process(values, factor)
        } else {
            long_columns(values, lines, &plan, factor)
        };
    }
    let plan = LinePlan::new(lines.len, direction);
    if lines.stride == 1 { rows(values, &plan, factor) } else { columns(values, lines, &plan, factor) }
}

/// Multiplies everything.
fn scale<T: Float>(values: &mut [Complex<T>], factor: f64) {
    if factor != 1.0 {
        for_each_chunk_mut(values, TASK, &|_, part| scale_part(part, factor));
    }
}

fn scale_part<T: Float>(part: &mut [Complex<T>], factor: f64) {
    if factor != 1.0 {
        part.iter_mut().for_each(|x| *x = *x * T::of(factor));
    }
}

/// Lines that lie one after another.
fn rows<T: Float>(values: &mut [Complex<T>], plan: &LinePlan<T>, factor: f64) -> Result<()> {
    let task = TASK.div_ceil(plan.len()) * plan.len();
    let spares = Spares::new(values.len().div_ceil(task), || plan.scratch())?;
    for_each_chunk_mut(values, task, &|_, rows| {
        spares.with(|scratch| plan.process(rows, scratch));
        scale_part(rows, factor);
    });
    Ok(())
}

/// Lines that lie beside each other: blocks of them are brought to the cache as rows.
fn columns<T: Float>(values: &mut [Complex<T>], lines: Lines, plan: &LinePlan<T>, factor: f64) -> Result<()> {
    let Lines { outer, len, stride } = lines;
    let pitch = pitch::<Complex<T>>(len);
    let width = width::<T>(len).max((TASK / len).next_power_of_two()).min(stride);
    // A plan may take short lines two at a time, so where their blocks begin must not depend on the address.
    let one_by_one = len >= 64;
    let blocks = if one_by_one { Blocks::aligned(stride, width, values.as_ptr()) } else { Blocks::new(stride, width) };
    let tasks = outer * blocks.count();
    let spares = Spares::new(tasks, || Ok((Buffer::new(width * pitch)?, plan.scratch()?)))?;
    let values = Disjoint::new(values);
    // Where columns are few and short, a task takes several blocks.
    for_each_chunk(tasks, (TASK / (width * len)).max(1), &|range| {
        spares.with(|(buffer, scratch): &mut (Buffer<T>, LineScratch<T>)| {
            for index in range.clone() {
                let columns = blocks.range(index % blocks.count());
                let start = index / blocks.count() * len * stride + columns.start;
                let block = Block { start, stride, len, width: columns.len() };
                // SAFETY: every block is one task's, here and below.
                unsafe { block.gather(values, buffer) };
                let rows = &mut buffer[..columns.len() * pitch];
                if one_by_one {
                    rows.chunks_mut(pitch).for_each(|row| plan.process(&mut row[..len], scratch));
                } else {
                    plan.process(rows, scratch);
                }
                scale_part(rows, factor);
                // SAFETY: as above.
                unsafe { block.scatter(rows, values) };
            }
        });
    });
    Ok(())
}

/// Long lines that lie beside each other: a few at a time become rows of a copy.
fn long_columns<T: Float>(values: &mut [Complex<T>], lines: Lines, plan: &LongPlan<T>, factor: f64) -> Result<()> {
    let Lines { outer, len, stride } = lines;
    let most = width::<T>(usize::MAX >> 7).min(stride);
    let mut copy = Buffer::<T>::new(most * len)?;
    // Pieces of columns are blocks too.
    let piece = TASK / most;
    let spares = Spares::new(len.div_ceil(piece), || Buffer::<T>::new(most * pitch::<Complex<T>>(piece)))?;
    for start in (0..outer).flat_map(|o| (0..stride).step_by(most).map(move |s| (o, s))) {
        let (start, width) = (start.0 * len * stride + start.1, most.min(stride - start.1));
        let values = Disjoint::new(&mut *values);
        for_each_turned(values, start, lines, width, piece, &spares, Disjoint::new(&mut copy), true);
        plan.process(&mut copy[..width * len], factor)?;
        for_each_turned(values, start, lines, width, piece, &spares, Disjoint::new(&mut copy), false);
    }
    Ok(())
}

/// Copies `width` columns from `start` on to rows of `copy`, or back.
#[allow(clippy::too_many_arguments)]
fn for_each_turned<T: Float>(
    values: Disjoint<'_, Complex<T>>,
    start: usize,
    lines: Lines,
    width: usize,
    piece: usize,
    spares: &Spares<Buffer<T>>,
    copy: Disjoint<'_, Complex<T>>,
    to_rows: bool,
) {
    for_each_chunk(lines.len, piece, &|range| {
        spares.with(|buffer| {
            let block =
                Block { start: start + range.start * lines.stride, stride: lines.stride, len: range.len(), width };
            let pitch = pitch::<Complex<T>>(range.len());
            // SAFETY: this part of the columns and of the rows is this task's.
            unsafe {
                if to_rows {
                    block.gather(values, buffer);
                }
                for c in 0..width {
                    let row = copy.slice_mut(c * lines.len + range.start..c * lines.len + range.end);
                    let part = &mut buffer[c * pitch..c * pitch + range.len()];
                    if to_rows { row.copy_from_slice(part) } else { part.copy_from_slice(row) }
                }
                if !to_rows {
                    block.scatter(buffer, values);
                }
            }
        });
    });
}
