//! Windows of tiles: what covers whole tiles, noted twice and handed down.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use thalweg_core::Result;
use thalweg_core::memory::computed;
use thalweg_core::parallel::chunk_range;

use super::super::place::GAP;
use super::jobs::Job;
use super::{Axis, Cover, GRAIN, TILE};

/// Windows that a task hands down.
const HANDED: usize = 1 << 9;

/// For every tile the line that is lowest at its middle of those that cover it wholly, and the lines that were lower in a
/// part of it.
pub(super) fn noted(axis: &Axis<'_>, covers: &[Cover], tiles: usize) -> Result<(Vec<u32>, Vec<Job>)> {
    let table = Table::new(axis, tiles)?;
    let mut lost = table.tasks(covers.len(), GRAIN, &|line, lost| {
        let Some((first, last)) = covers[line].and_then(|cover| whole_tiles(cover, axis.len())) else { return };
        let level = (last - first + 1).ilog2();
        table.note(line as u32, level, first, lost);
        table.note(line as u32, level, last + 1 - (1 << level), lost);
    })?;
    for level in (1..table.levels.len() as u32).rev() {
        let windows = &table.levels[level as usize];
        lost.extend(table.tasks(windows.len(), HANDED, &|i, lost| {
            let line = windows[i].load(Relaxed);
            if line != GAP {
                table.note(line, level - 1, i as u32, lost);
                table.note(line, level - 1, i as u32 + (1 << (level - 1)), lost);
            }
        })?);
    }
    let lowest = table.levels.into_iter().next().unwrap_or_default();
    Ok((lowest.into_iter().map(AtomicU32::into_inner).collect(), lost))
}

/// The tiles that a range covers wholly, from the first to the last, if any.
fn whole_tiles([first, last]: [u32; 2], len: u32) -> Option<(u32, u32)> {
    let tile = TILE as u64;
    let start = u64::from(first).div_ceil(tile);
    // The last tile may be shorter.
    let end = if last == len - 1 { u64::from(len).div_ceil(tile) } else { (u64::from(last) + 1) / tile };
    (start < end).then(|| (start as u32, end as u32 - 1))
}

/// Level k at i: a line, or none, that covers the 2^k tiles from i on.
struct Table<'a> {
    axis: &'a Axis<'a>,
    levels: Vec<Vec<AtomicU32>>,
}

impl<'a> Table<'a> {
    fn new(axis: &'a Axis<'a>, tiles: usize) -> Result<Self> {
        let count = tiles.checked_ilog2().map_or(0, |log| log as usize + 1);
        let level = |k: usize| computed(tiles + 1 - (1 << k), GRAIN, "windows", |_| AtomicU32::new(GAP));
        Ok(Self { axis, levels: (0..count).map(level).collect::<Result<_>>()? })
    }

    /// Runs `work` for all numbers below `len` and gathers what it leaves over.
    fn tasks(&self, len: usize, chunk: usize, work: &(dyn Fn(usize, &mut Vec<Job>) + Sync)) -> Result<Vec<Job>> {
        let parts = computed(len.div_ceil(chunk), 1, "lines that lost", |index| {
            let mut lost = Vec::new();
            chunk_range(index, chunk, len).for_each(|i| work(i, &mut lost));
            lost
        })?;
        Ok(parts.into_iter().flatten().collect())
    }

    /// The first position of a tile, or the end of the grid.
    fn start(&self, tile: u32) -> u32 {
        (u64::from(tile) * TILE as u64).min(self.axis.len().into()) as u32
    }

    /// Notes a line at a window that it covers. What does not stay goes on to one half, and from a tile to `lost`.
    ///
    /// A line is dropped only where another one, which has been noted at the same window, is lower everywhere; that one may
    /// be dropped in its turn for one that is lower still. So the lowest line of an x is never dropped there, in whatever
    /// order threads come, and relaxed exchanges of single numbers are enough.
    fn note(&self, mut line: u32, mut level: u32, mut tile: u32, lost: &mut Vec<Job>) {
        loop {
            let half = 1u32 << level >> 1;
            let (first, last) = (self.start(tile), self.start(tile + (1 << level)) - 1);
            // Where the halves meet, so that what is lower on one side of it lies in one half.
            let middle = if level == 0 { first + (last - first) / 2 } else { self.start(tile + half) };
            let window = &self.levels[level as usize][tile as usize];
            let mut there = window.load(Relaxed);
            let winner = loop {
                if there == line {
                    return;
                }
                if there != GAP && !self.axis.is_lower(line, there, middle) {
                    break there;
                }
                match window.compare_exchange_weak(there, line, Relaxed, Relaxed) {
                    Ok(GAP) => return,
                    Ok(replaced) => break std::mem::replace(&mut line, replaced),
                    Err(now) => there = now,
                }
            };
            let at_first = self.axis.is_lower(line, winner, first);
            if !at_first && !self.axis.is_lower(line, winner, last) {
                return;
            }
            if level == 0 {
                lost.push(Job { tile, line });
                return;
            }
            level -= 1;
            tile = if at_first { tile } else { tile + half };
        }
    }
}
