//! Shortest paths on grids, on the device: batches of queries.
//!
//! [`GridPaths`] answers as [`thalweg_graph::path::Index`] does, with the same paths: engine `buckets`, by a workgroup a
//! query (`search`), and a few queries on a large map by a wavefront (`field`). What takes no search, because there is no path
//! at all or nothing in its way, the host answers beforehand; what the device cannot, because a length does not fit its 32
//! bits (`units`), the host answers behind it.

mod field;
mod landmarks;
mod map;
mod search;
mod successors;
mod units;

use std::sync::{Mutex, PoisonError};

use thalweg_core::Result;
use thalweg_core::memory::filled;
use thalweg_graph::path::{Engine, Grid, Index, Length, Moves, Paths, Query};

use self::landmarks::Landmarks;
use self::map::Map;
pub use self::search::Tuning;
use self::search::{Found, Searches};
use crate::device::Device;
use crate::transfer;

/// A grid on a device, for batches of queries.
///
/// The device's memory for searches is taken with the first batch, by its [`Tuning`], and kept: 4 bytes a cell for every search
/// under way, and a megabyte.
///
/// ```no_run
/// use thalweg_gpu::graph::path::GridPaths;
/// use thalweg_graph::path::{Grid, Length, Moves, Query};
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let grid = Grid::from_walls(3, 4, &[0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0])?;
/// let paths = GridPaths::new(&device, grid, Moves::Eight)?;
/// assert_eq!(paths.lengths(&[Query::new([0, 0], [0, 3])])?, [Some(Length::new(5, 1))]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
#[derive(Debug)]
pub struct GridPaths {
    index: Index,
    map: Map,
    tuning: Tuning,
    state: Mutex<State>,
}

/// What batches leave for the next one.
#[derive(Debug, Default)]
struct State {
    memory: Option<Searches>,
    /// Queries until now that took searches; and landmarks, once they were many.
    searched: u64,
    landmarks: Option<Option<Landmarks>>,
}

/// Whether a device takes a grid: not if it has more than 2^28 cells, or costs that are too large for the kernels' 32 bits.
pub fn takes(grid: &Grid, moves: Moves) -> bool {
    map::checked_costs(grid, moves).is_ok()
}

/// Queries of a large map that a wavefront answers, one after the other.
const FEW: usize = 4;

/// Answers by query, with the cells of its path.
type Answers = Vec<(Option<Length>, Vec<u32>)>;

impl GridPaths {
    /// Brings a grid to the device.
    ///
    /// # Errors
    /// [`Error::NotOnDevice`](thalweg_core::Error::NotOnDevice) for more than 2^28 cells, and for costs that are too large
    /// for the kernels' 32 bits; those of the device.
    pub fn new(device: &Device, grid: Grid, moves: Moves) -> Result<Self> {
        Self::with(device, grid, moves, Tuning::default())
    }

    /// The same, with a choice of what batches may use.
    ///
    /// # Errors
    /// As [`GridPaths::new`].
    pub fn with(device: &Device, grid: Grid, moves: Moves, tuning: Tuning) -> Result<Self> {
        let map = Map::new(device, &grid, moves)?;
        let index = Index::with(grid, moves, Engine::Buckets)?;
        Ok(Self { index, map, tuning, state: Mutex::default() })
    }

    /// The same grid on the host.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The lengths of shortest paths, `None` where there is no path.
    ///
    /// # Errors
    /// [`Error::OffGrid`](thalweg_core::Error::OffGrid) of the first query that leaves the grid; those of the device.
    pub fn lengths(&self, queries: &[Query]) -> Result<Vec<Option<Length>>> {
        Ok(self.answer(queries, false)?.into_iter().map(|(length, _)| length).collect())
    }

    /// Shortest paths and their lengths, the same as the CPU's.
    ///
    /// # Errors
    /// As [`GridPaths::lengths`].
    pub fn paths(&self, queries: &[Query]) -> Result<Paths> {
        let answers = self.answer(queries, true)?;
        let mut cells = Vec::with_capacity(answers.iter().map(|(_, path)| path.len()).sum());
        let (mut lengths, mut offsets) = (Vec::with_capacity(answers.len()), vec![0]);
        for (length, path) in answers {
            lengths.push(length);
            cells.extend_from_slice(&path);
            offsets.push(cells.len());
        }
        Paths::from_parts(lengths, offsets, cells)
    }

    fn answer(&self, queries: &[Query], wants_paths: bool) -> Result<Answers> {
        self.index.check(queries)?;
        let mut answers: Answers = vec![(None, Vec::new()); queries.len()];
        let mut open = Vec::new();
        for (row, (query, answer)) in queries.iter().zip(&mut answers).enumerate() {
            match self.index.without_search(query, wants_paths.then_some(&mut answer.1)) {
                Some(length) => answer.0 = length,
                None => open.push(row),
            }
        }
        // The longest first, so that none of them is alone at the end.
        open.sort_by_key(|&row| {
            let Query { start, goal } = queries[row];
            std::cmp::Reverse(start[0].abs_diff(goal[0]).max(start[1].abs_diff(goal[1])))
        });
        if open.len() <= FEW && u64::from(self.map.cells()) >= self.tuning.wavefront_from {
            return self.by_wavefront(queries, &open, wants_paths, answers);
        }
        let mut tuning = self.tuning;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.searched += open.len() as u64;
        if state.landmarks.is_none() && state.searched >= self.tuning.landmarks_from {
            state.landmarks = Some(self.set_landmarks(queries, &open)?);
        }
        let State { memory: kept, landmarks, .. } = &mut *state;
        let landmarks = landmarks.as_ref().and_then(Option::as_ref);
        // Twice at most with a queue that was too small, and as often as it takes for paths that found no room.
        let mut is_wider = false;
        while !open.is_empty() {
            let wanted = open.len() as u64;
            let fits = |memory: &Searches| memory.count >= wanted.min(memory.most);
            let memory = match kept.take().filter(|memory| fits(memory) && !is_wider) {
                Some(memory) => memory,
                None => Searches::new(&self.map, wanted, tuning)?,
            };
            let cell = |[row, column]: [u32; 2]| row * self.map.cols + column;
            let asked: Vec<_> = open.iter().map(|&row| [queries[row].start, queries[row].goal].map(cell)).collect();
            let batch = memory.run(&self.map, &asked, landmarks, wants_paths)?;
            let (mut again, mut for_host, mut is_full) = (Vec::new(), Vec::new(), false);
            for ((&row, found), [first, count]) in open.iter().zip(&batch.found).zip(&batch.places) {
                match found {
                    Found::NoPath => answers[row] = (None, Vec::new()),
                    Found::Length(number) => {
                        let path = if wants_paths { &batch.cells[*first as usize..][..*count as usize] } else { &[] };
                        answers[row] = (Some(self.map.units.length(*number)), path.to_vec());
                    }
                    Found::TooLong => for_host.push(row),
                    Found::Full if is_wider => for_host.push(row),
                    Found::Full => {
                        is_full = true;
                        again.push(row);
                    }
                    // A path that is longer than all of the room is the host's.
                    Found::NoRoom if again.len() + 1 == open.len() => for_host.push(row),
                    Found::NoRoom => again.push(row),
                }
            }
            self.ask_host(queries, &for_host, wants_paths, &mut answers)?;
            if !is_wider {
                *kept = Some(memory);
            }
            if is_full {
                is_wider = true;
                tuning = tuning.with_wider_queues(self.map.cells());
            }
            open = again;
        }
        Ok(answers)
    }

    /// Answers of a few queries by the distances of all cells, with the paths that the host walks back.
    fn by_wavefront(&self, queries: &[Query], rows: &[usize], paths: bool, mut answers: Answers) -> Result<Answers> {
        for &row in rows {
            let [start, goal] =
                [queries[row].start, queries[row].goal].map(|[row, column]| row * self.map.cols + column);
            let Some(distances) = field::distances(&self.map, &[start])? else {
                self.ask_host(queries, &[row], paths, &mut answers)?;
                continue;
            };
            let length = |word: u32| (word != 0).then(|| self.map.units.length(!word));
            if !paths {
                answers[row].0 = length(transfer::read_word(&self.map.device, &distances, goal.into())?);
                continue;
            }
            let mut words = filled(self.map.cells() as usize, 0, "distances")?;
            transfer::read_words(&self.map.device, &distances, 0, &mut words)?;
            let path = self.index.walk_back(&queries[row], |cell| length(words[cell as usize]));
            answers[row] = (length(words[goal as usize]), path);
        }
        Ok(answers)
    }

    /// Landmarks in the region of the query that leads furthest.
    fn set_landmarks(&self, queries: &[Query], open: &[usize]) -> Result<Option<Landmarks>> {
        let Some(&furthest) = open.first() else { return Ok(None) };
        let start = queries[furthest].start;
        Landmarks::set(&self.map, |row, column| {
            self.index.without_search(&Query::new(start, [row, column]), None) != Some(None)
        })
    }

    fn ask_host(&self, queries: &[Query], rows: &[usize], wants_paths: bool, answers: &mut Answers) -> Result<()> {
        let asked: Vec<Query> = rows.iter().map(|&row| queries[row]).collect();
        if wants_paths {
            let paths = self.index.paths(&asked)?;
            for (k, &row) in rows.iter().enumerate() {
                answers[row] = (paths.lengths()[k], paths.path(k).to_vec());
            }
        } else {
            for (&row, length) in rows.iter().zip(self.index.lengths(&asked)?) {
                answers[row].0 = length;
            }
        }
        Ok(())
    }
}
