//! Arrays as bytes: what a result looks like in its file.

use std::fmt::Write;
use std::ops::Range;

use thalweg_core::parallel;

use super::archive::Archive;
use super::columns::{names, width};
use crate::dtype::{AnyType, Element};
use crate::format::{Format, Named};
use crate::input::npy;

/// Numbers that a thread writes as text at a time.
const GRAIN: usize = 1 << 12;

/// Turns one array into bytes, in runs of elements as they come.
pub enum Encoder {
    /// Little-endian numbers and nothing else.
    Raw,
    /// NumPy's format.
    Npy,
    /// The same in an archive.
    Npz(Archive),
    /// Lines of text.
    Table(Table),
    /// Columns.
    #[cfg(feature = "columnar")]
    Columnar(super::columnar::Columnar),
}

/// How lines of text are written.
pub struct Table {
    separator: char,
    /// The names of the columns; `None` if there is no first line of names.
    names: Option<String>,
    /// How many columns there are.
    width: usize,
    /// How many numbers are written.
    done: usize,
}

impl Encoder {
    /// What the name asks for: `.npy` unless it says something else.
    pub fn of(named: &Named, raw: bool) -> Result<Self, String> {
        let part = named.part.clone();
        let table = |separator, names| Self::Table(Table { separator, names, width: 1, done: 0 });
        Ok(match named.format {
            _ if raw => Self::Raw,
            Format::Raw => Self::Raw,
            Format::Npz => Self::Npz(Archive::new(part.as_deref())),
            Format::Csv => table(',', Some(part.unwrap_or_default())),
            Format::Tsv => table('\t', Some(part.unwrap_or_default())),
            Format::Text => table(' ', None),
            #[cfg(feature = "columnar")]
            format @ (Format::Parquet | Format::Arrow) => {
                Self::Columnar(super::columnar::Columnar::new(format, part.unwrap_or_default()))
            }
            #[cfg(not(feature = "columnar"))]
            Format::Parquet | Format::Arrow => return Err(crate::format::NOT_COLUMNAR.to_owned()),
            Format::Npy | Format::Unknown => Self::Npy,
        })
    }

    /// Names the columns, with commas between them, unless the file's name does.
    pub fn name_columns(&mut self, names: &str) {
        let given = match self {
            Self::Table(Table { names: Some(given), .. }) => given,
            #[cfg(feature = "columnar")]
            Self::Columnar(columns) => &mut columns.given,
            _ => return,
        };
        if given.is_empty() {
            names.clone_into(given);
        }
    }

    /// What stands before the elements of an array.
    pub fn begin(&mut self, dtype: AnyType, shape: &[usize]) -> Result<Vec<u8>, String> {
        match self {
            Self::Raw => Ok(Vec::new()),
            Self::Npy => Ok(npy::header_of(dtype, shape)),
            Self::Npz(archive) => {
                let length = shape.iter().product::<usize>() * dtype.size();
                Ok(archive.begin(npy::header_of(dtype, shape), length as u64))
            }
            Self::Table(table) => table.begin(dtype, shape),
            #[cfg(feature = "columnar")]
            Self::Columnar(columns) => columns.begin(dtype, shape),
        }
    }

    /// Elements of the array that was begun, which are not written as they lie; complex numbers are two each.
    pub fn elements<T: Element>(&mut self, data: &[T]) -> Result<Vec<Vec<u8>>, String> {
        match self {
            Self::Raw | Self::Npy | Self::Npz(_) => unreachable!("they are written as they lie"),
            Self::Table(table) => Ok(table.lines(data)),
            #[cfg(feature = "columnar")]
            Self::Columnar(columns) => columns.rows(bytemuck::cast_slice(data)).map(|bytes| vec![bytes]),
        }
    }

    /// Whether elements are written as they lie in memory, ...
    pub const fn is_binary(&self) -> bool {
        matches!(self, Self::Raw | Self::Npy | Self::Npz(_))
    }

    /// ... and the archive that has to know of them.
    pub const fn archive(&mut self) -> Option<&mut Archive> {
        match self {
            Self::Npz(archive) => Some(archive),
            _ => None,
        }
    }

    /// What stands behind all of them.
    pub fn end(&mut self) -> Result<Vec<u8>, String> {
        match self {
            Self::Npz(archive) => Ok(archive.end()),
            #[cfg(feature = "columnar")]
            Self::Columnar(columns) => columns.end(),
            _ => Ok(Vec::new()),
        }
    }
}

impl Table {
    /// What stands before a column of words.
    pub fn begin_words(&self) -> Vec<u8> {
        let name = match self.names.as_deref() {
            None => return Vec::new(),
            Some("") => "place",
            Some(name) => name,
        };
        (quoted(name, self.separator) + "\n").into_bytes()
    }

    fn begin(&mut self, dtype: AnyType, shape: &[usize]) -> Result<Vec<u8>, String> {
        self.width = width(dtype, shape)?;
        let Some(given) = &self.names else { return Ok(Vec::new()) };
        let names = names(given, self.width, dtype)?;
        let names: Vec<String> = names.iter().map(|name| quoted(name, self.separator)).collect();
        Ok((names.join(&self.separator.to_string()) + "\n").into_bytes())
    }

    /// The lines, or parts of lines, one after the other.
    fn lines<T: Element>(&mut self, data: &[T]) -> Vec<Vec<u8>> {
        let mut parts = vec![Vec::new(); data.len().div_ceil(GRAIN)];
        parallel::for_each_chunk_mut(&mut parts, 1, &|part, out| {
            let range = parallel::chunk_range(part, GRAIN, data.len());
            let mut text = String::new();
            for (i, x) in (self.done + range.start..).zip(&data[range]) {
                // Floats with a point or an exponent, so that they are read as such again.
                let written = if T::FLOAT { write!(text, "{x:?}") } else { write!(text, "{x}") };
                debug_assert!(written.is_ok(), "writing to a string does not fail");
                text.push(if (i + 1).is_multiple_of(self.width) { '\n' } else { self.separator });
            }
            out[0] = text.into_bytes();
        });
        self.done += data.len();
        parts
    }
}

/// Words, one a line.
pub fn words(range: Range<usize>, word: &(dyn Fn(usize) -> String + Sync)) -> Vec<u8> {
    let mut parts = vec![String::new(); range.len().div_ceil(GRAIN)];
    parallel::for_each_chunk_mut(&mut parts, 1, &|part, text| {
        for i in parallel::chunk_range(part, GRAIN, range.len()) {
            text[0] += &word(range.start + i);
            text[0].push('\n');
        }
    });
    parts.concat().into_bytes()
}

/// A name as it stands in a table.
fn quoted(name: &str, separator: char) -> String {
    if name.contains([separator, '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}
