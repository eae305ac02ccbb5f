//! One long line by all threads, in two passes over memory.
//!
//! A line of `n1 * n2` elements is a matrix of n1 rows. Pass A transforms its columns, multiplies by roots of unity and writes
//! them as rows; pass B transforms the columns of what pass A wrote. (Gentleman and Sande 1966; as "four steps" Bailey 1990.)
//! Columns are taken in blocks that fit into the second-level cache, in runs of whole cache lines, and the transpositions
//! happen there. A plan of one piece goes through memory once for every few radices, and on one thread only.
//!
//! The cut depends on the length alone, so the result is the same on any number of threads. Work O(n log n), extra memory a
//! copy of the line.
#![allow(unsafe_code)]

use std::ops::Range;

use thalweg_core::disjoint::Disjoint;
use thalweg_core::parallel::for_each_chunk;

use super::factors::middle_divisor;
use super::options::Direction;
use super::plan::{LinePlan, LineScratch};
use super::roots::{Roots, Row};
use super::scratch::{Buffer, Spares};
use super::tiles::{Block, Blocks, pitch};
use crate::{Complex, Float, Result};

/// A line as a matrix.
pub(super) struct Split<T: Float> {
    /// Rows and columns.
    sides: [usize; 2],
    plans: [LinePlan<T>; 2],
    roots: Roots,
}

/// What a thread works in.
struct Desk<T: Float> {
    columns: Buffer<T>,
    lines: [LineScratch<T>; 2],
    row: Row<T>,
}

impl<T: Float> Split<T> {
    /// Of a length that has a divisor near its root.
    pub fn of(len: usize, direction: Direction) -> Result<Self> {
        let short = middle_divisor(len);
        Self::new([len / short, short], direction)
    }

    fn new(sides: [usize; 2], direction: Direction) -> Result<Self> {
        let plans = sides.map(|len| LinePlan::new(len, direction));
        Ok(Self { sides, plans, roots: Roots::new(sides[0] * sides[1], direction)? })
    }

    pub fn len(&self) -> usize {
        self.sides[0] * self.sides[1]
    }

    /// Transforms lines that lie one after another, in place, times `factor`.
    pub fn process(&self, lines: &mut [Complex<T>], factor: f64) -> Result<()> {
        let [n1, n2] = self.sides;
        let widths = self.sides.map(width::<T>);
        let columns = (widths[0] * pitch::<Complex<T>>(n1)).max(widths[1] * pitch::<Complex<T>>(n2));
        let tasks = (n2 / widths[0]).max(n1 / widths[1]) + 2;
        let desks = Spares::new(tasks, || {
            Ok(Desk {
                columns: Buffer::new(columns)?,
                lines: [self.plans[0].scratch()?, self.plans[1].scratch()?],
                row: Row::new(n1)?,
            })
        })?;
        let mut copy = Buffer::<T>::new(n1 * n2)?;
        for line in lines.chunks_exact_mut(n1 * n2) {
            let (line, copy) = (Disjoint::new(line), Disjoint::new(&mut copy));
            let blocks = Blocks::aligned(n2, widths[0], line.as_ptr());
            for_each_chunk(blocks.count(), 1, &|block| {
                desks.with(|desk| self.columns_to_rows(line, copy, blocks.range(block.start), desk, factor));
            });
            let blocks = Blocks::aligned(n1, widths[1], line.as_ptr());
            for_each_chunk(blocks.count(), 1, &|block| {
                desks.with(|desk| self.columns_to_columns(copy, line, blocks.range(block.start), desk));
            });
        }
        Ok(())
    }

    /// Pass A for some columns.
    fn columns_to_rows(
        &self,
        line: Disjoint<'_, Complex<T>>,
        copy: Disjoint<'_, Complex<T>>,
        columns: Range<usize>,
        desk: &mut Desk<T>,
        factor: f64,
    ) {
        let [n1, n2] = self.sides;
        let block = Block { start: columns.start, stride: n2, len: n1, width: columns.len() };
        // SAFETY: nobody writes to the line in this pass.
        unsafe { block.gather(line, &mut desk.columns) };
        for (column, line) in columns.zip(desk.columns.chunks_mut(pitch::<Complex<T>>(n1))) {
            // One by one: what the plan makes of a line must not depend on where blocks begin.
            self.plans[0].process(&mut line[..n1], &mut desk.lines[0]);
            desk.row.fill(&self.roots, column, n1, factor);
            // SAFETY: inside, and every column is one task's.
            let out = unsafe { copy.slice(column * n1..(column + 1) * n1) };
            desk.row.apply(&line[..n1], out);
        }
    }

    /// Pass B for some columns of what pass A wrote.
    fn columns_to_columns(
        &self,
        copy: Disjoint<'_, Complex<T>>,
        line: Disjoint<'_, Complex<T>>,
        columns: Range<usize>,
        desk: &mut Desk<T>,
    ) {
        let [n1, n2] = self.sides;
        let block = Block { start: columns.start, stride: n1, len: n2, width: columns.len() };
        // SAFETY: pass A has written all of it, and nobody writes to it in this pass.
        unsafe { block.gather(copy, &mut desk.columns) };
        for line in desk.columns.chunks_mut(pitch::<Complex<T>>(n2)).take(columns.len()) {
            self.plans[1].process(&mut line[..n2], &mut desk.lines[1]);
        }
        // SAFETY: these columns are this task's.
        unsafe { block.scatter(&desk.columns, line) };
    }
}

/// Columns of a block, of this length: runs of 256 bytes, or less where the block would leave the second-level cache.
pub(super) fn width<T>(len: usize) -> usize {
    let run = [256, 128].into_iter().find(|run| len.saturating_mul(*run) <= 1 << 20).unwrap_or(64);
    run / size_of::<Complex<T>>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the suites compare must not pass over a root that is a little wrong.
    #[test]
    fn a_wrong_root_is_seen() {
        let sides = [512, 256];
        let n = sides[0] * sides[1];
        let signal: Vec<Complex<f64>> =
            thalweg_data::transforms::noise(n, 1).into_iter().map(|x| Complex::new(x[0], x[1])).collect();
        let mut exact = signal.clone();
        let mut plan = Split::<f64>::new(sides, Direction::Forward).unwrap();
        plan.process(&mut exact, 1.0).unwrap();
        let at: Vec<usize> = (0..16).map(|i| i * 8111 % n).collect();
        let error = |got: &[Complex<f64>]| {
            let values: Vec<[f64; 2]> = signal.iter().map(|x| [x.re, x.im]).collect();
            let some: Vec<[f64; 2]> = at.iter().map(|&k| [got[k].re, got[k].im]).collect();
            thalweg_data::transforms::relative_error(&some, &thalweg_data::transforms::frequencies(&values, false, &at))
        };
        let limit = super::super::error_limit::<f64>(n);
        // A few frequencies estimate the error of all.
        assert!(error(&exact) <= 2.0 * limit);
        plan.roots.spoil(5, 1e-12);
        let mut wrong = signal.clone();
        plan.process(&mut wrong, 1.0).unwrap();
        assert!(error(&wrong) > 4.0 * limit);
    }
}
