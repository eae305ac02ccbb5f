//! Which cells are connected, so that a question without an answer costs no search.
//!
//! Rows are cut into runs of free cells, and runs of neighbouring rows that touch are linked, always the later to the
//! earlier, so that all threads may link at once and every run ends at the first of its region. (With corners that are not
//! cut, diagonal steps connect nothing that straight ones do not.) Work O(cells / 64 + runs), memory 8 bytes a run.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use thalweg_core::Result;
use thalweg_core::memory::{computed, try_with_large_capacity};
use thalweg_core::parallel::for_each_chunk;

use super::Grid;

/// Rows of a task.
const GRAIN: usize = 64;

/// The regions of a grid.
#[derive(Debug)]
pub(super) struct Regions {
    /// Where the runs of every row begin.
    rows: Vec<usize>,
    /// The first column of every run. (Free cells only are asked for, so ends are not needed.)
    starts: Vec<u32>,
    /// The first run of the region of every run.
    regions: Vec<u32>,
}

impl Regions {
    pub(super) fn new(grid: &Grid) -> Result<Self> {
        let by_row = computed(grid.rows(), GRAIN, "regions", |row| runs(grid.free_row(row)))?;
        let mut rows = try_with_large_capacity(grid.rows() + 1, "regions")?;
        rows.push(0);
        rows.extend(by_row.iter().scan(0, |end, runs| {
            *end += runs.len();
            Some(*end)
        }));
        let links = computed(rows[grid.rows()], 1 << 14, "regions", |run| AtomicU32::new(run as u32))?;
        for_each_chunk(grid.rows(), GRAIN, &|range| {
            for row in range.start.max(1)..range.end {
                link_rows(&links, (rows[row - 1], &by_row[row - 1]), (rows[row], &by_row[row]));
            }
        });
        let regions = computed(links.len(), 1 << 14, "regions", |run| end_of(&links, run as u32))?;
        let mut starts = try_with_large_capacity(links.len(), "regions")?;
        starts.extend(by_row.iter().flatten().map(|run| run[0]));
        Ok(Self { rows, starts, regions })
    }

    /// The region of a free cell.
    pub(super) fn of(&self, [row, column]: [u32; 2]) -> u32 {
        let first = self.rows[row as usize];
        let runs = &self.starts[first..self.rows[row as usize + 1]];
        self.regions[first + runs.partition_point(|&start| start <= column) - 1]
    }
}

/// The runs of ones, first and beyond the last.
fn runs(words: &[u64]) -> Vec<[u32; 2]> {
    let mut runs: Vec<[u32; 2]> = Vec::new();
    let mut is_inside = false;
    for (at, &word) in words.iter().enumerate() {
        let mut bit = 0;
        while bit < 64 {
            let rest = if is_inside { !word } else { word } >> bit;
            bit += rest.trailing_zeros().min(64 - bit);
            if bit < 64 {
                let place = (64 * at) as u32 + bit;
                match runs.last_mut() {
                    Some(run) if is_inside => run[1] = place,
                    _ => runs.push([place, 64 * words.len() as u32]),
                }
                is_inside = !is_inside;
            }
        }
    }
    runs
}

/// Links the runs of two rows that touch.
fn link_rows(links: &[AtomicU32], (first, above): (usize, &[[u32; 2]]), (second, below): (usize, &[[u32; 2]])) {
    let (mut i, mut j) = (0, 0);
    while i < above.len() && j < below.len() {
        if above[i][0] < below[j][1] && below[j][0] < above[i][1] {
            link(links, (first + i) as u32, (second + j) as u32);
        }
        if above[i][1] < below[j][1] {
            i += 1;
        } else {
            j += 1;
        }
    }
}

fn end_of(links: &[AtomicU32], mut run: u32) -> u32 {
    loop {
        let next = links[run as usize].load(Relaxed);
        if next == run {
            return run;
        }
        // A shortcut for those who come later; whatever others write leads to the same end.
        let after = links[next as usize].load(Relaxed);
        if after != next {
            links[run as usize].fetch_min(after, Relaxed);
        }
        run = next;
    }
}

fn link(links: &[AtomicU32], a: u32, b: u32) {
    let (mut a, mut b) = (end_of(links, a), end_of(links, b));
    while a != b {
        let (high, low) = (a.max(b), a.min(b));
        // Only the end of a way may be linked anew, or those behind it would lose theirs.
        match links[high as usize].compare_exchange(high, low, Relaxed, Relaxed) {
            Ok(_) => return,
            Err(_) => (a, b) = (end_of(links, high), end_of(links, low)),
        }
    }
}
