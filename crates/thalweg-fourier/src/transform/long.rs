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

use thalweg_core::disjoint::Disjoint;
use thalweg_core::parallel::for_each_chunk;

use super::chirp::Chirp;
use super::factors::middle_divisor;
use super::options::Direction;
use super::plan::{LinePlan, LineScratch};
use super::roots::{Roots, Row};
use super::scratch::{Buffer, Spares};
use super::tiles::{Block, pitch};
use crate::{Complex, Float, Result};

/// Lines from this length on are transformed by all threads.
pub(super) const LONG: usize = 1 << 16;

/// Shortest and longest side of the matrix: with shorter ones there would be too few blocks for the threads, and longer ones
/// leave the cache.
const SIDES: [usize; 2] = [128, 1 << 18];

/// How a long line is transformed.
pub(super) enum LongPlan<T: Float> {
    Split(Box<Split<T>>),
    Chirp(Box<Chirp>),
}

impl<T: Float> LongPlan<T> {
    pub fn new(len: usize, direction: Direction) -> Result<Self> {
        let short = middle_divisor(len);
        if short < SIDES[0] || len / short > SIDES[1] {
            return Ok(Self::Chirp(Box::new(Chirp::new(len, direction)?)));
        }
        Ok(Self::Split(Box::new(Split::new([len / short, short], direction)?)))
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Split(split) => split.sides[0] * split.sides[1],
            Self::Chirp(chirp) => chirp.len(),
        }
    }

    /// Transforms lines that lie one after another, in place, times `factor`.
    pub fn process(&self, lines: &mut [Complex<T>], factor: f64) -> Result<()> {
        match self {
            Self::Split(split) => split.process(lines, factor),
            Self::Chirp(chirp) => chirp.process(lines, factor),
        }
    }
}

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
    row: Row,
}

impl<T: Float> Split<T> {
    fn new(sides: [usize; 2], direction: Direction) -> Result<Self> {
        let plans = sides.map(|len| LinePlan::new(len, direction));
        Ok(Self { sides, plans, roots: Roots::new(sides[0] * sides[1], direction)? })
    }

    pub fn process(&self, lines: &mut [Complex<T>], factor: f64) -> Result<()> {
        let [n1, n2] = self.sides;
        let widths = self.sides.map(width::<T>);
        let blocks = [n2.div_ceil(widths[0]), n1.div_ceil(widths[1])];
        let columns = (widths[0] * pitch::<Complex<T>>(n1)).max(widths[1] * pitch::<Complex<T>>(n2));
        let desks = Spares::new(blocks[0].max(blocks[1]), || {
            Ok(Desk {
                columns: Buffer::zeroed(columns)?,
                lines: [self.plans[0].scratch()?, self.plans[1].scratch()?],
                row: Row::new(n1)?,
            })
        })?;
        let mut copy = Buffer::<T>::zeroed(n1 * n2)?;
        for line in lines.chunks_exact_mut(n1 * n2) {
            let (from, to) = (Disjoint::new(line), Disjoint::new(&mut copy));
            for_each_chunk(n2, widths[0], &|columns| {
                desks.with(|desk| {
                    let block = Block { start: columns.start, stride: n2, len: n1, width: columns.len() };
                    // SAFETY: nobody writes to the line now.
                    unsafe { block.gather(from, &mut desk.columns) };
                    for (column, line) in columns.zip(desk.columns.chunks_mut(pitch::<Complex<T>>(n1))) {
                        self.plans[0].process(&mut line[..n1], &mut desk.lines[0]);
                        desk.row.fill(&self.roots, column, n1, factor);
                        // SAFETY: inside, and every column is one task's.
                        let out = unsafe { to.slice_mut(column * n1..(column + 1) * n1) };
                        desk.row.apply(&line[..n1], out);
                    }
                });
            });
            for_each_chunk(n1, widths[1], &|columns| {
                desks.with(|desk| {
                    let block = Block { start: columns.start, stride: n1, len: n2, width: columns.len() };
                    // SAFETY: nobody writes to the copy now.
                    unsafe { block.gather(to, &mut desk.columns) };
                    for line in desk.columns.chunks_mut(pitch::<Complex<T>>(n2)).take(columns.len()) {
                        self.plans[1].process(&mut line[..n2], &mut desk.lines[1]);
                    }
                    // SAFETY: these columns are this task's.
                    unsafe { block.scatter(&desk.columns, from) };
                });
            });
        }
        Ok(())
    }
}

/// Columns of a block, of this length: runs of 128 bytes, or of 64 where the block would leave the cache otherwise.
pub(super) fn width<T>(len: usize) -> usize {
    let run = if len * 128 <= 1 << 20 { 128 } else { 64 };
    run / size_of::<Complex<T>>()
}
