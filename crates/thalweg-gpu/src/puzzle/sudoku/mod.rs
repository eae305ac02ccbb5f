//! Sudoku on the device: many puzzles at once.
//!
//! [`solve_into`] takes puzzles of the host; [`upload`] and [`solve`] keep them, and the answers, on the device. Answers are those of the
//! CPU, to the last cell: the count up to the limit, and the smallest solution, row by row. The engine is `bands`, with the
//! CPU's layout of candidates and its rules, a puzzle a thread:
//!
//! - `parse.wgsl` makes candidates of cells, `grids.wgsl` cells of a solution.
//! - `search` counts solutions and finds one: every thread goes through rounds of conclusions (`cells.wgsl`) and tries what
//!   seems best (`choose.wgsl`) with a stack in the device's memory, 81 levels deep at most.
//! - `smallest` makes the smallest of it where there are several.
//!
//! Memory: 8.9 KB a slot, of which there are up to 2^17, fewer where the device has less memory or sees less of it at a time;
//! and 390 bytes a puzzle, 740 where there are several solutions, up to 2^21 puzzles at a time.

mod search;
mod smallest;

use thalweg_core::error::expect_len;
use thalweg_core::{Error, Result};
pub use thalweg_puzzle::sudoku::{Engine, Grid, Options};

use self::search::{Found, Slots, WORDS};
use crate::device::Device;
use crate::memory::Buffer;
use crate::primitives::elementwise::Elementwise;
use crate::transfer;

/// Puzzles that are solved together: a gigabyte. On an H200, 2^22 at a time take 40 % less than 2^20, as fewer threads wait for the
/// last ones.
const PIECE: usize = 1 << 21;

/// Solves puzzles of the host; without a buffer for solutions, counts only.
///
/// ```no_run
/// use thalweg_gpu::puzzle::sudoku::{Options, solve_into};
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let (mut counts, mut solutions) = ([0], [[0; 81]]);
/// solve_into(&device, &[[0; 81]], Options::default(), &mut counts, Some(&mut solutions))?;
/// assert_eq!((counts, &solutions[0][..10]), ([2], &[1, 2, 3, 4, 5, 6, 7, 8, 9, 4][..]));
/// # Ok::<(), thalweg_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotOnDevice`] for other engines than `bands`, [`Error::Cell`] for the first number in a puzzle that is above 9,
/// [`Error::BadOption`] for the limit 0, [`Error::Length`] if a buffer is not as long as the puzzles; those of the device.
pub fn solve_into(
    device: &Device,
    puzzles: &[Grid],
    options: Options,
    counts: &mut [u32],
    mut solutions: Option<&mut [Grid]>,
) -> Result<()> {
    let engine = options.engine.unwrap_or_default();
    if engine != Engine::Bands {
        return Err(crate::not_on_gpu("sudoku", engine.name(), "bands"));
    }
    expect_len("counts of solutions", counts.len(), puzzles.len())?;
    if let Some(solutions) = &solutions {
        expect_len("solutions", solutions.len(), puzzles.len())?;
    }
    thalweg_puzzle::sudoku::check(puzzles, options.limit)?;
    let piece = piece(device)?;
    let mut start = 0;
    for puzzles in puzzles.chunks(piece) {
        let range = start..start + puzzles.len();
        let solved = Piece::upload(device, puzzles)?.solve(options.limit, solutions.is_some())?;
        solved.download(&mut counts[range.clone()], solutions.as_deref_mut().map(|all| &mut all[range]))?;
        start += puzzles.len();
    }
    Ok(())
}

/// Puzzles in the memory of a device.
#[derive(Debug)]
pub struct DevicePuzzles {
    pieces: Vec<Piece>,
    len: usize,
}

/// Answers in the memory of a device.
#[derive(Debug)]
pub struct DeviceSolved {
    pieces: Vec<SolvedPiece>,
    len: usize,
}

/// Copies puzzles to a device.
///
/// # Errors
/// [`Error::Cell`] for the first number in a puzzle that is above 9; those of the device.
pub fn upload(device: &Device, puzzles: &[Grid]) -> Result<DevicePuzzles> {
    thalweg_puzzle::sudoku::check(puzzles, 1)?;
    let pieces = puzzles.chunks(piece(device)?).map(|puzzles| Piece::upload(device, puzzles)).collect::<Result<_>>()?;
    Ok(DevicePuzzles { pieces, len: puzzles.len() })
}

/// Solves puzzles that are on a device; the answers stay there. With `solutions` the smallest solutions are told, otherwise
/// counts only.
///
/// ```no_run
/// use thalweg_gpu::puzzle::sudoku::{solve, upload};
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let solved = solve(&upload(&device, &[[0; 81]])?, 100, false)?;
/// let mut counts = [0];
/// solved.download(&mut counts, None)?;
/// assert_eq!(counts, [100]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::BadOption`] for the limit 0; those of the device.
pub fn solve(puzzles: &DevicePuzzles, limit: u32, solutions: bool) -> Result<DeviceSolved> {
    thalweg_puzzle::sudoku::check(&[], limit)?;
    let pieces = puzzles.pieces.iter().map(|piece| piece.solve(limit, solutions)).collect::<Result<_>>()?;
    Ok(DeviceSolved { pieces, len: puzzles.len })
}

impl DeviceSolved {
    /// Copies the answers to the host, into buffers as long as the puzzles.
    ///
    /// # Errors
    /// [`Error::Length`] for a buffer of another length; [`Error::BadOption`] for solutions that were not asked for; those of the
    /// device.
    pub fn download(&self, counts: &mut [u32], mut solutions: Option<&mut [Grid]>) -> Result<()> {
        expect_len("counts of solutions", counts.len(), self.len)?;
        if let Some(solutions) = &solutions {
            expect_len("solutions", solutions.len(), self.len)?;
        }
        let mut start = 0;
        for piece in &self.pieces {
            let range = start..start + piece.len;
            piece.download(&mut counts[range.clone()], solutions.as_deref_mut().map(|all| &mut all[range]))?;
            start += piece.len;
        }
        Ok(())
    }
}

/// Puzzles of a piece, as many as arrays of their words fit a binding.
fn piece(device: &Device) -> Result<usize> {
    let limits = device.limits();
    // The largest: a walk's 29 words a puzzle.
    let fit = (limits.binding_bytes.min(limits.buffer_bytes) / (4 * (WORDS + 2))).saturating_sub(8);
    match usize::try_from(fit).unwrap_or(usize::MAX).min(PIECE) {
        0 => Err(Error::device_limit(format!("Sudokus take more than {} shows a kernel at once", device.name()))),
        piece => Ok(piece),
    }
}

/// Puzzles that are solved together: their cells, a byte each.
#[derive(Debug)]
struct Piece {
    device: Device,
    bytes: Buffer,
    len: usize,
}

/// What came out.
#[derive(Debug)]
struct SolvedPiece {
    device: Device,
    limit: u32,
    counts: Buffer,
    /// Cells of solutions, a byte each.
    bytes: Option<Buffer>,
    len: usize,
}

impl Piece {
    fn upload(device: &Device, puzzles: &[Grid]) -> Result<Self> {
        let cells = puzzles.as_flattened();
        let bytes = device.words(cells.len().div_ceil(4) as u64, "puzzles")?;
        // Whole words, of which the last may have no cells.
        transfer::upload(device, &bytes, 0, cells.len().next_multiple_of(4) as u64, |at, piece| {
            let cells = &cells[at as usize..];
            let (whole, rest) = piece.split_at_mut(piece.len().min(cells.len()));
            transfer::copy_parallel(&cells[..whole.len()], whole);
            rest.fill(0);
        })?;
        Ok(Self { device: device.clone(), bytes, len: puzzles.len() })
    }

    fn solve(&self, limit: u32, solutions: bool) -> Result<SolvedPiece> {
        let (device, len) = (&self.device, self.len as u64);
        // Whether a solution is the only one must be known to tell the smallest.
        let enough = if solutions { limit.max(2) } else { limit };
        let slots = Slots::new(device, len, enough)?;
        let starts = device.words(WORDS * len, "candidates")?;
        let mut commands = device.record();
        Elementwise::new(device, 9 * len, "sudoku cells", include_str!("parse.wgsl"))
            .declare(
                |s| s.reads("bytes", "u32").writes("starts", "u32"),
                [&self.bytes, &starts].map(Buffer::all).into_iter(),
            )
            .dispatch(&mut commands, &[])?;
        commands.submit()?;
        let found = Found::new(device, len, solutions)?;
        slots.search(&starts, len, enough, &found)?;
        smallest::descend(device, &slots, &starts, len, &found)?;
        let bytes = found.solved.map(|solved| grids(device, &solved, len)).transpose()?;
        Ok(SolvedPiece { device: device.clone(), limit, counts: found.counts, bytes, len: self.len })
    }
}

/// Solutions as bytes.
fn grids(device: &Device, solved: &Buffer, len: u64) -> Result<Buffer> {
    let words = (81 * len).div_ceil(4);
    let bytes = device.words(words, "solutions")?;
    let mut commands = device.record();
    Elementwise::new(device, words, "sudoku grids", include_str!("grids.wgsl"))
        .declare(
            |source| source.reads("solved", "u32").writes("bytes", "u32"),
            [solved, &bytes].map(Buffer::all).into_iter(),
        )
        .dispatch(&mut commands, &[81 * len as u32])?;
    commands.submit()?;
    Ok(bytes)
}

impl SolvedPiece {
    fn download(&self, counts: &mut [u32], solutions: Option<&mut [Grid]>) -> Result<()> {
        transfer::read_words(&self.device, &self.counts, 0, counts)?;
        counts.iter_mut().for_each(|count| *count = (*count).min(self.limit));
        let Some(solutions) = solutions else { return Ok(()) };
        let Some(bytes) = &self.bytes else {
            let reason = "only counts were asked for".into();
            return Err(Error::BadOption { option: "solutions", reason });
        };
        let cells = solutions.as_flattened_mut();
        transfer::download(&self.device, bytes, 0, cells.len().next_multiple_of(4) as u64, |at, piece| {
            let cells = &mut cells[at as usize..];
            let len = piece.len().min(cells.len());
            transfer::copy_parallel(&piece[..len], &mut cells[..len]);
        })
    }
}
