//! Windows of pictures: first along every row, then down the columns of what was found.
//!
//! The best of a window's rows, taken row by row, and then the best of these: with ties to the left and to the top that is the
//! first element of the window, row by row, as the definition wants. Columns go through the same lanes as everything, a
//! vector of columns side by side, and need no spans.
#![allow(unsafe_code)]

use std::ops::Range;

use super::lanes::{Columns, lanes, slide_rows};
use super::line::{Scratches, fill_with, regular};
use super::shape::{Border, Plan, Windows, rows};
use super::task::{Places, Told, Width, rank, unranked};
use crate::scratch::Pool;
use thalweg_core::coding::Ranking;
use thalweg_core::disjoint::Disjoint;
use thalweg_core::memory::large_zeroed;
use thalweg_core::parallel::{chunk_range, for_each_chunk, try_for_each_chunk};
use thalweg_core::{Error, Position, Rank, Result};

/// Rows of answers of a task, at least.
const ROWS: usize = 256;

/// Vectors of columns of a task: whole lines of the cache, several in a row, which the memory likes.
const VECTORS: usize = 4;

/// Bytes beside the outputs: what was found along the rows, values and positions.
pub(super) fn extra_bytes(len: usize, width: usize, columns: usize, windows: &[Windows; 2]) -> usize {
    let found = len.checked_div(columns).unwrap_or(0) * windows[1].count(columns);
    found * (width + if u32::fits(len) { 4 } else { 8 })
}

/// What was found along the rows.
struct Found<'f, R> {
    rows: usize,
    columns: usize,
    bits: &'f [R],
    positions: Option<Positions<'f>>,
}

#[derive(Clone, Copy)]
enum Positions<'f> {
    U32(&'f [u32]),
    U64(&'f [u64]),
}

pub(super) fn solve<R: Width>(
    array: &[R],
    order: Ranking<R>,
    columns: usize,
    [down, along]: &[Windows; 2],
    fill: R,
    values: Option<Disjoint<'_, R>>,
    positions: Option<Places<'_>>,
) -> Result<()> {
    let rows = rows(array.len(), columns)?;
    let out_columns = along.count(columns);
    let count = rows * out_columns;
    // Windows that are to be filled are computed like the others, and thrown away.
    let inside = |windows: &Windows| match windows.border {
        Border::Fill => Windows { border: Border::Shrink, ..*windows },
        _ => *windows,
    };
    let mut bits = large_zeroed::<R>(count, "minima along rows")?;
    let (mut narrow, mut wide) = (Vec::<u32>::new(), Vec::<u64>::new());
    match positions {
        Some(Places::U32(_)) => narrow = large_zeroed(count, "positions along rows")?,
        Some(Places::U64(_)) => wide = large_zeroed(count, "positions along rows")?,
        None => {}
    }
    along_rows(
        array,
        order,
        columns,
        &inside(along),
        &mut bits,
        match positions {
            Some(Places::U32(_)) => Some(Places::U32(Disjoint::new(&mut narrow))),
            Some(Places::U64(_)) => Some(Places::U64(Disjoint::new(&mut wide))),
            None => None,
        },
    )?;
    let found = Found {
        rows,
        columns: out_columns,
        bits: &bits,
        positions: positions.map(|places| match places {
            Places::U32(_) => Positions::U32(&narrow),
            Places::U64(_) => Positions::U64(&wide),
        }),
    };
    let plan = inside(down).plan(rows);
    down_columns(&found, order, plan, values, positions);
    let (top, bottom) = if down.border == Border::Fill { down.incomplete(rows) } else { (0, plan.count) };
    fill_with(0..top * out_columns, fill, values, positions);
    fill_with(bottom * out_columns..plan.count * out_columns, fill, values, positions);
    if along.border == Border::Fill {
        let (left, right) = along.incomplete(columns);
        for row in top..bottom {
            let start = row * out_columns;
            fill_with(start..start + left, fill, values, positions);
            fill_with(start + right..start + out_columns, fill, values, positions);
        }
    }
    Ok(())
}

/// Windows of every row.
fn along_rows<R: Width>(
    array: &[R],
    order: Ranking<R>,
    columns: usize,
    along: &Windows,
    bits: &mut [R],
    positions: Option<Places<'_>>,
) -> Result<()> {
    let scratches = Scratches::default();
    let (rows, out_columns) = (array.len().checked_div(columns).unwrap_or(0), along.count(columns));
    let bits = Disjoint::new(bits);
    let done = try_for_each_chunk(rows, ((1 << 16) / columns.max(1)).max(1), &|range| {
        range.into_iter().all(|row| {
            let places = row * out_columns..(row + 1) * out_columns;
            // SAFETY: a row's own part of what was made for all of them.
            let (values, positions) = unsafe {
                let positions = positions.map(|positions| positions.part(places.clone()));
                (bits.part(places), positions)
            };
            let keys = &array[row * columns..(row + 1) * columns];
            regular(keys, order, along, R::default(), Some(values), positions, row * columns, &scratches).is_ok()
        })
    });
    let bytes = size_of_val(array);
    if done { Ok(()) } else { Err(Error::OutOfMemory { bytes, what: "minima of chunks" }) }
}

/// Columns' working memory: a pair of columns a vector.
struct Scratch<W>(Vec<[Columns<W>; 2]>);

impl<W> Default for Scratch<W> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

fn down_columns<R: Width>(
    found: &Found<'_, R>,
    order: Ranking<R>,
    plan: Plan,
    values: Option<Disjoint<'_, R>>,
    positions: Option<Places<'_>>,
) {
    let dense = plan.dense_count();
    let (tall, broad) = (ROWS.max(4 * plan.width), VECTORS * lanes::<R>());
    let (high, bands) = (dense.div_ceil(tall), found.columns.div_ceil(broad));
    let job = Job { found, order, plan, values, positions };
    let (plain, with_positions) = (Pool::<Scratch<R>>::new(), Pool::<Scratch<R::Wide>>::new());
    for_each_chunk(high * bands, 1, &|range| {
        for task in range {
            let rows = chunk_range(task / bands, tall, dense);
            let columns = chunk_range(task % bands, broad, found.columns);
            let told = match positions {
                Some(_) => Told::No,
                // SAFETY: tasks have different rows or columns.
                None => plain.with(|scratch| unsafe { job.run::<R, false>(scratch, rows.clone(), columns.clone()) }),
            };
            if told == Told::No {
                // SAFETY: as above.
                with_positions.with(|scratch| unsafe { job.run::<R::Wide, true>(scratch, rows, columns) });
            }
        }
    });
}

struct Job<'j, 'f, R> {
    found: &'j Found<'f, R>,
    order: Ranking<R>,
    plan: Plan,
    values: Option<Disjoint<'j, R>>,
    positions: Option<Places<'j>>,
}

impl<R: Width> Job<'_, '_, R> {
    /// Dense rows of answers, for some columns.
    ///
    /// # Safety
    /// Nobody else writes them.
    unsafe fn run<W: Rank, const ARG: bool>(
        &self,
        scratch: &mut Scratch<W>,
        rows: Range<usize>,
        columns: Range<usize>,
    ) -> Told {
        let (v, found, plan) = (lanes::<W>(), self.found, self.plan);
        let vectors = columns.len().div_ceil(v);
        while scratch.0.len() < vectors {
            scratch.0.push(Default::default());
        }
        let start = plan.first + rows.start as isize;
        let used = rows.len() + plan.width - 1;
        let room = (rows.len() + plan.width + 1) * v;
        for [a, b] in &mut scratch.0[..vectors] {
            a.resize(room, ARG);
            b.resize(room, ARG);
            a.keys[used * v..].fill(W::WORST);
        }
        let lane = |vector: usize| columns.start + vector * v..(columns.start + (vector + 1) * v).min(columns.end);
        for i in 0..used {
            let row = usize::try_from(start + i as isize).ok().filter(|&row| row < found.rows);
            for (vector, [a, _]) in scratch.0[..vectors].iter_mut().enumerate() {
                let (keys, lane) = (&mut a.keys[i * v..(i + 1) * v], lane(vector));
                match row {
                    Some(row) => {
                        let bits = &found.bits[row * found.columns..][lane.clone()];
                        keys[lane.len()..].fill(W::WORST);
                        rank(bits, self.order, &mut keys[..lane.len()]);
                    }
                    None => keys.fill(W::WORST),
                }
                if ARG {
                    a.at[i * v..(i + 1) * v].fill(W::from_u64(i as u64));
                }
            }
        }
        for (vector, [a, b]) in scratch.0[..vectors].iter_mut().enumerate() {
            slide_rows::<W, ARG>(a.slices(), b.slices(), plan.width, rows.len());
            let lane = lane(vector);
            let wanted = || (rows.start.next_multiple_of(plan.stride)..rows.end).step_by(plan.stride);
            if !ARG {
                let keys: &[R] = R::of_bits(W::erase(&b.keys[..rows.len() * v])).expect("the keys' width");
                let Some(bits) = R::of_bits_mut(W::erase_mut(&mut a.keys)) else { return Told::No };
                if unranked(keys, self.order, bits) {
                    return Told::No;
                }
                let Some(values) = self.values else { continue };
                for row in wanted() {
                    let place = row / plan.stride * found.columns + lane.start;
                    // SAFETY: inside, and by the caller nobody else's.
                    unsafe { values.copy_from(place, &bits[(row - rows.start) * v..][..lane.len()]) };
                }
                continue;
            }
            for row in wanted() {
                let (i, place) = (row - rows.start, row / plan.stride * found.columns + lane.start);
                let first = (plan.first + row as isize).max(0);
                for (l, column) in lane.clone().enumerate() {
                    let (key, at) = (b.keys[i * v + l], b.at[i * v + l].to_u64() as isize);
                    // Where all are of the worst rank, the first row, whatever padding was above.
                    let row = if key == W::WORST { first } else { start + at } as usize;
                    let at = row * found.columns + column;
                    // SAFETY: as above.
                    unsafe {
                        if let Some(values) = self.values {
                            values.put(place + l, found.bits[at]);
                        }
                        match (self.positions, found.positions) {
                            (Some(Places::U32(places)), Some(Positions::U32(found))) => {
                                places.put(place + l, found[at])
                            }
                            (Some(Places::U64(places)), Some(Positions::U64(found))) => {
                                places.put(place + l, found[at])
                            }
                            _ => {}
                        }
                    }
                }
            }
        }
        Told::Yes
    }
}
