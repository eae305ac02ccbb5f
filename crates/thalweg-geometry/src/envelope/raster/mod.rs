//! The lowest segment at every whole x of a range: a sparse table run backwards.
//!
//! A sparse table answers for a range by two windows of a power of two that cover it. Here every segment is such a range,
//! and is noted at the two windows; then the windows are handed down, each to its two halves, until every x has what was
//! noted for it. Level segments need one number a window. With slopes a window keeps one line, as in a Li Chao tree: of two
//! lines the one that is lower at the middle stays, and the other one goes on to the half where it may still be the lower
//! one; two lines cross once, so it is one half only. Lines are compared by (value, number), so that the answer is the same
//! whoever comes first, and threads need no locks: they exchange numbers.
//!
//! A whole table would be as many times as large as the answer as it has levels. So the windows are of tiles of 4,096 x
//! ([`windows`]), and what covers a tile in part, or loses in it, is left to the tile ([`tile`]), whose tree fits the first
//! cache. A tile is written as runs of one segment each, so that where segments are few, writing is most of the work.
//!
//! Work O(m log² T + (n / T) log² n + n) for m segments, n numbers and tiles of T, less where segments hide each other.
//! Source: Willis (in a collection of course reports on parallel algorithms) asks the question and compares everything with
//! everything; Li Chao's tree is folklore.
#![allow(unsafe_code)]

mod jobs;
mod tile;
mod values;
mod windows;

use std::cmp::Ordering;

use thalweg_core::disjoint::Disjoint;
use thalweg_core::error::expect_len;
use thalweg_core::memory::{computed, filled};
use thalweg_core::parallel::{chunk_range, for_each_chunk};
use thalweg_core::{Error, Result};

use self::jobs::Jobs;
pub use self::values::values_of;
use super::hidden;
use super::lines::Lines;
use super::loader::Loader;
use super::place::GAP;
use super::query::Query;
use super::segments::{Segments, Side};
use super::{Engine, Envelope};

/// Numbers of a tile: the tree above them is 8,191 nodes of 5 bytes, which fits the first cache.
const TILE: usize = 1 << 12;
/// Segments that a task takes.
const GRAIN: usize = 1 << 12;

/// The whole numbers `start`, `start + 1`, ... at which an envelope is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Grid {
    start: i64,
    len: usize,
}

impl Grid {
    /// `len` numbers from `start` on.
    ///
    /// # Errors
    /// [`Error::BadOption`] if they are more than 2^32 - 2, or go beyond 64 bits.
    pub fn new(start: i64, len: usize) -> Result<Self> {
        let most = u32::MAX as usize - 1;
        if len > most || start.checked_add(len as i64).is_none() {
            let reason = format!("{len} numbers from {start} on are more than {most}, or go beyond 64 bits");
            return Err(Error::BadOption { option: "grid", reason });
        }
        Ok(Self { start, len })
    }

    /// The first number.
    pub fn start(&self) -> i64 {
        self.start
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// What is asked for at every number of a grid. What is `None` is not computed.
#[derive(Debug, Default)]
pub struct RasterOutputs<'o> {
    /// The envelope's values: the nearest doubles, NaN in gaps.
    pub values: Option<&'o mut [f64]>,
    /// The numbers of the lowest segments, the first of those that are equally low there; [`Envelope::GAP`] in gaps.
    pub ids: Option<&'o mut [u32]>,
}

/// An envelope at every number of a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Raster {
    /// Its values: the nearest doubles, NaN in gaps.
    pub values: Vec<f64>,
    /// The numbers of the lowest segments; [`Envelope::GAP`] in gaps.
    ///
    /// At a number where several are equally low it is the first of them, even if it is not the lowest anywhere else.
    pub ids: Vec<u32>,
}

/// The lower or upper envelope at every number of a grid. Engines are `raster` and `naive`.
///
/// ```
/// # use thalweg_geometry as thalweg;
/// use thalweg::envelope::{Engine, Envelope, Grid, Segments, Side, raster};
/// let segments = [[0, 0, 3, 3], [0, 2, 5, 0]];
/// let seen = raster(&Segments::new(&segments)?, Side::Lower, Grid::new(1, 6)?, Engine::Raster)?;
/// assert_eq!(seen.ids, [0, 1, 1, 1, 1, Envelope::GAP]);
/// assert_eq!(seen.values[..5], [1.0, 1.2, 0.8, 0.4, 0.0]);
/// # Ok::<(), thalweg::Error>(())
/// ```
///
/// # Errors
/// [`Error::BadOption`] for the other engines, [`Error::OutOfMemory`].
pub fn raster(segments: &Segments<'_>, side: Side, grid: Grid, engine: Engine) -> Result<Raster> {
    let mut values = filled(grid.len, f64::NAN, "values")?;
    let mut ids = filled(grid.len, Envelope::GAP, "numbers of segments")?;
    raster_into(segments, side, grid, engine, RasterOutputs { values: Some(&mut values), ids: Some(&mut ids) })?;
    Ok(Raster { values, ids })
}

/// [`raster`], into the caller's buffers, of the grid's length.
///
/// # Errors
/// As for [`raster`], and [`Error::Length`] for a buffer of another length.
pub fn raster_into(
    segments: &Segments<'_>,
    side: Side,
    grid: Grid,
    engine: Engine,
    outputs: RasterOutputs<'_>,
) -> Result<()> {
    outputs.values.as_ref().map_or(Ok(()), |values| expect_len("values", values.len(), grid.len))?;
    outputs.ids.as_ref().map_or(Ok(()), |ids| expect_len("ids", ids.len(), grid.len))?;
    if !matches!(engine, Engine::Raster | Engine::Naive) {
        let reason = format!("{engine} gives pieces; values on a grid are for the engines raster and naive");
        return Err(Error::BadOption { option: "engine", reason });
    }
    let loader = Loader::new(segments, side);
    // What a sample hides is the lowest nowhere.
    let numbers = if engine == Engine::Raster {
        hidden::visible(&loader, segments.len())?
    } else {
        computed(segments.len(), GRAIN, "numbers of segments", |i| i as u32)?
    };
    let count = numbers.len();
    let lines = Lines::in_order(&loader, numbers, count)?;
    let axis = Axis { lines: &lines, grid };
    let covers = computed(lines.len(), GRAIN, "ranges of segments", |line| axis.cover(line as u32))?;
    let fill = Fill::new(&axis, outputs);
    if engine == Engine::Raster {
        by_tiles(&axis, &covers, &fill)
    } else {
        by_looking(&axis, &covers, &fill);
        Ok(())
    }
}

/// The positions that a segment covers, from the first to the last.
type Cover = Option<[u32; 2]>;

/// The lines, and the numbers of the grid by their positions.
struct Axis<'l> {
    lines: &'l Lines,
    grid: Grid,
}

impl Axis<'_> {
    fn len(&self) -> u32 {
        self.grid.len as u32
    }

    fn at(&self, position: u32) -> i128 {
        i128::from(self.grid.start) + i128::from(position)
    }

    /// Which of two lines, both of which are there, is lower, and of equal ones the first.
    fn compare(&self, one: u32, two: u32, position: u32) -> Ordering {
        self.lines.compare_at(one, two, &Query::whole(self.lines.exact.frame.x0, self.at(position)))
    }

    fn is_lower(&self, one: u32, two: u32, position: u32) -> bool {
        self.compare(one, two, position).is_lt()
    }

    /// Whether the first line is lower than the second at both ends of a range, and so everywhere in it.
    fn hides(&self, one: u32, two: u32, [first, last]: [u32; 2]) -> bool {
        self.is_lower(one, two, first) && self.is_lower(one, two, last)
    }

    fn cover(&self, line: u32) -> Cover {
        let [left, right] = self.lines.exact.whole_range(line);
        let start = i128::from(self.grid.start);
        let first = left.saturating_sub(start).max(0);
        let last = right.saturating_sub(start).min(i128::from(self.len()) - 1);
        (first <= last).then_some([first as u32, last as u32])
    }
}

/// The buffers, filled run by run.
struct Fill<'f> {
    axis: &'f Axis<'f>,
    values: Option<Disjoint<'f, f64>>,
    ids: Option<Disjoint<'f, u32>>,
}

impl<'f> Fill<'f> {
    fn new(axis: &'f Axis<'f>, outputs: RasterOutputs<'f>) -> Self {
        Self { axis, values: outputs.values.map(Disjoint::new), ids: outputs.ids.map(Disjoint::new) }
    }

    /// Writes that a line, or none, is the lowest at some positions.
    ///
    /// # Safety
    /// They are on the grid, and nobody else writes there.
    unsafe fn run(&self, start: usize, end: usize, line: u32) {
        if let Some(ids) = self.ids {
            let id = if line == GAP { Envelope::GAP } else { self.axis.lines.id(line) };
            // SAFETY: the caller's promise.
            unsafe { ids.slice_mut(start..end) }.fill(id);
        }
        if let Some(values) = self.values {
            // SAFETY: the caller's promise.
            let values = unsafe { values.slice_mut(start..end) };
            if line == GAP {
                values.fill(f64::NAN);
            } else {
                self.axis.lines.exact.fill_values(line, self.axis.at(start as u32), values);
            }
        }
    }
}

fn by_tiles(axis: &Axis<'_>, covers: &[Cover], fill: &Fill<'_>) -> Result<()> {
    let tiles = axis.grid.len.div_ceil(TILE);
    let (windows, lost) = windows::noted(axis, covers, tiles)?;
    let jobs = Jobs::new(axis, covers, &windows, lost)?;
    // Some tiles a task, which share a tree.
    for_each_chunk(tiles, 4, &|range| {
        let mut tree = tile::Tree::new(axis);
        for index in range {
            let positions = chunk_range(index, TILE, axis.grid.len);
            let (first, last) = (positions.start as u32, positions.end as u32 - 1);
            tree.start(first, last);
            if windows[index] != GAP {
                tree.insert(windows[index], [first, last]);
            }
            for &line in jobs.of(index) {
                let [from, to] = covers[line as usize].expect("only what covers something has jobs");
                tree.insert(line, [from.max(first), to.min(last)]);
            }
            for &(start, end, line) in tree.runs() {
                // SAFETY: inside the tile, which is this task's.
                unsafe { fill.run(start as usize, end as usize, line) };
            }
        }
    });
    Ok(())
}

fn by_looking(axis: &Axis<'_>, covers: &[Cover], fill: &Fill<'_>) {
    for_each_chunk(axis.grid.len, 64, &|range| {
        for position in range {
            let at = position as u32;
            let there = (0..covers.len() as u32)
                .filter(|&line| covers[line as usize].is_some_and(|[first, last]| first <= at && at <= last));
            let lowest = there.min_by(|&one, &two| axis.compare(one, two, at));
            // SAFETY: its own position.
            unsafe { fill.run(position, position + 1, lowest.unwrap_or(GAP)) };
        }
    });
}
