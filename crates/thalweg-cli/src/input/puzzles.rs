//! Sudokus: lines of text, or bytes of shape (n, 81).

use std::borrow::Cow;
use std::path::Path;

use thalweg::Error;
use thalweg::puzzle::sudoku::{Grid, text};

use super::{Bytes, Loaded, rows};
use crate::dtype::DType;
use crate::failure::{Failure, Outcome};
use crate::format::{Format, Named};
use crate::output::Output;
use crate::progress::Progress;

/// Puzzles of a file.
pub struct Puzzles {
    /// The file's name.
    pub name: String,
    source: Source,
}

enum Source {
    Npy(Loaded),
    Text(Vec<Grid>),
}

impl Puzzles {
    /// Opens an `.npy` file of bytes, or reads lines.
    pub fn open(path: &Path) -> Outcome<Self> {
        let name = super::name_of(path);
        let bytes = match Loaded::open_npy_or_bytes(path)? {
            Err(bytes) => bytes,
            Ok(file) => {
                rows::count(&file, 81, "puzzles")?;
                if file.layout.dtype != DType::U8 {
                    let found = file.layout.dtype;
                    return Err(file.failure(format_args!("puzzles are bytes (uint8), the file holds {found}")));
                }
                return Ok(Self { name, source: Source::Npy(file) });
            }
        };
        let puzzles = text::parse(Bytes::get(&bytes)).map_err(|error| Failure::at(&name, error))?;
        Ok(Self { name, source: Source::Text(puzzles) })
    }

    /// The puzzles: in place, or converted.
    pub fn get(&self) -> Outcome<Cow<'_, [Grid]>> {
        match &self.source {
            Source::Npy(file) => rows::rows::<u8, 81>(file),
            Source::Text(puzzles) => Ok(Cow::Borrowed(puzzles)),
        }
    }

    /// What they are and how they were taken, for `--verbose`. `in_place`: used where they lie.
    pub fn describe(&self, in_place: bool) -> String {
        match &self.source {
            Source::Npy(file) => file.describe(in_place),
            Source::Text(puzzles) => format!("{}, lines of text, {} puzzles", self.name, puzzles.len()),
        }
    }

    /// Puts the file's name in front of what the library says of the puzzles.
    pub fn failure(&self, error: Error) -> Failure {
        match error {
            Error::Cell { row, cell, value } => {
                let text = format!("row {row}: cell {cell} is {value}, not a digit from 1 to 9, or 0");
                Failure::at(&self.name, text)
            }
            error => error.into(),
        }
    }
}

/// Whether grids that go to this place are lines of text: unless the name says `.npy`, `.npz`, `.bin` or `.raw`, or `--raw` is
/// given.
pub fn is_text(path: &Path, raw: bool) -> bool {
    !raw && !matches!(Named::output(path, false).format, Format::Npy | Format::Npz | Format::Raw)
}

/// Writes grids, as lines or as bytes of shape (n, 81); what was written, in words.
pub fn write(grids: &[Grid], is_text: bool, out: &mut Output, progress: &Progress) -> Outcome<&'static str> {
    progress.steps("writing", 81 * grids.len());
    if !is_text {
        out.write(&[grids.len(), 81], grids.as_flattened(), progress)?;
        return Ok("81 x u8");
    }
    // Some at a time, for the memory.
    for some in grids.chunks(1 << 14) {
        out.write_text(&text::lines(some))?;
        progress.advance(81 * some.len());
    }
    Ok("lines")
}
