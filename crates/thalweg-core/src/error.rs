//! Errors are values that name the place.

use std::path::PathBuf;

/// What can go wrong. Bad input never panics.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A query's bounds are the wrong way round or outside the array.
    #[error("query {row}: range {left}..={right} is not inside an array of {len} elements")]
    Query {
        /// Which query of the batch, from 0.
        row: usize,
        /// Its left bound.
        left: u64,
        /// Its right bound, inclusive.
        right: u64,
        /// Length of the array.
        len: usize,
    },
    /// A window's bounds are the wrong way round, outside the array, or do not ascend.
    #[error("window {row}: {start}..{end} of an array of {len} elements: {reason}")]
    Window {
        /// Which window, from 0.
        row: usize,
        /// Where it starts.
        start: u64,
        /// Where it ends, exclusive.
        end: u64,
        /// Length of the array.
        len: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// An element that does not exist was to be changed.
    #[error("change {row}: there is no element {position}, only {len}")]
    Change {
        /// Which change of the batch, from 0.
        row: usize,
        /// Where.
        position: u64,
        /// Length of the array.
        len: usize,
    },
    /// Values were asked of an index that has no access to its array.
    #[error("engine {engine} was built or saved without the array, so it tells positions and no values")]
    NoValues {
        /// Name of the engine.
        engine: &'static str,
    },
    /// A query names a node that does not exist.
    #[error("query {row}: there is no node {node}, only {len}")]
    Node {
        /// Which query of the batch, from 0.
        row: usize,
        /// What it names.
        node: u64,
        /// How many nodes there are.
        len: usize,
    },
    /// A query names a cell that is not on the grid.
    #[error("query {row}: row {} and column {} are not on a grid of {} x {}", cell[0], cell[1], size[0], size[1])]
    OffGrid {
        /// Which query of the batch, from 0.
        row: usize,
        /// Row and column that it names.
        cell: [u64; 2],
        /// How many rows and columns there are.
        size: [usize; 2],
    },
    /// An edge names a node that does not exist.
    #[error("edge {row}: there is no node {node}, only {len}")]
    Edge {
        /// Which edge, from 0.
        row: usize,
        /// What it names.
        node: u64,
        /// How many nodes there are, or can be.
        len: usize,
    },
    /// A pair of positions, one of which is beyond the text.
    #[error("pair {row}: positions {first} and {second} are not both inside a text of {len} symbols")]
    Pair {
        /// Which pair of the batch, from 0.
        row: usize,
        /// Its first position.
        first: u64,
        /// Its second position.
        second: u64,
        /// Length of the text.
        len: usize,
    },
    /// A coordinate is no number, or not finite.
    #[error("{what} {row}: a coordinate is {number}")]
    NotFinite {
        /// What has coordinates: `point` or `segment`.
        what: &'static str,
        /// Which one, from 0.
        row: usize,
        /// `NaN`, `infinity` or `-infinity`.
        number: &'static str,
    },
    /// A row is no segment, ray or line.
    #[error("segment {row}: {reason}")]
    Segment {
        /// Which one, from 0.
        row: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A line of a text is not what its format demands.
    #[error("line {line}: {reason}")]
    Line {
        /// Which line, from 1.
        line: usize,
        /// What is wrong there.
        reason: String,
    },
    /// A cell of a puzzle holds a number that is no digit.
    #[error("puzzle {row}: cell {cell} is {value}, not a digit from 1 to 9, or 0")]
    Cell {
        /// Which puzzle, from 0.
        row: usize,
        /// Which cell, from 0, row by row.
        cell: usize,
        /// What it holds.
        value: u8,
    },
    /// There is nothing, where an answer needs at least one element.
    #[error("{what} is empty")]
    Empty {
        /// What is empty: `the array`, `the kernel`.
        what: &'static str,
    },
    /// Sizes of dimensions, or axes, that do not go together.
    #[error("{what}: {reason}")]
    Shape {
        /// What has the shape: `the array`, `the kernel`.
        what: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// A result does not fit its type.
    #[error("element {element} of the result does not fit {what}")]
    Overflow {
        /// Which element, the first, from 0, row by row.
        element: usize,
        /// Name of the type, `i64`.
        what: &'static str,
    },
    /// Two buffers that belong together have different lengths.
    #[error("{what}: expected {expected} elements, got {got}")]
    Length {
        /// Which buffer.
        what: &'static str,
        /// The length it must have.
        expected: usize,
        /// The length it has.
        got: usize,
    },
    /// The positions of the array do not fit the width of the buffer.
    #[error("an array of {len} elements needs 64-bit positions, but the buffer holds {got}")]
    Width {
        /// Length of the array.
        len: usize,
        /// Name of the type the buffer holds.
        got: &'static str,
    },
    /// A buffer holds numbers of another width than what it belongs to.
    #[error("{what}: expected {expected} bits each, got {got}")]
    Bits {
        /// Which buffer.
        what: &'static str,
        /// The width its elements must have.
        expected: u32,
        /// The width they have.
        got: u32,
    },
    /// A link leads out of the array.
    #[error("{what} {element} points to {to}, but there are only {len}")]
    Link {
        /// What is linked: `element` of a list or `node` of a forest.
        what: &'static str,
        /// Whose link it is.
        element: usize,
        /// Where it leads.
        to: u64,
        /// How many there are.
        len: usize,
    },
    /// Following the links from here leads back to here, and never to an end or a root.
    #[error("{what} {element} is on a cycle")]
    Cycle {
        /// What is linked: `element` of a list or `node` of a forest.
        what: &'static str,
        /// One on the cycle, the smallest.
        element: usize,
    },
    /// Two lists join: that is no list.
    #[error("element {element} follows two others of the list: {} and {}", before[0], before[1])]
    Join {
        /// Where they join.
        element: usize,
        /// Two elements that it follows.
        before: [usize; 2],
    },
    /// The system refused the memory.
    #[error("out of memory: {bytes} bytes for {what}")]
    OutOfMemory {
        /// How much was asked for.
        bytes: usize,
        /// What it was for.
        what: &'static str,
    },
    /// No engine has this name.
    #[error("unknown {problem} engine '{name}' (known: {known})")]
    UnknownEngine {
        /// Which problem's engines were searched.
        problem: &'static str,
        /// The name that was given.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A device does not have this engine, or not all of its options.
    #[error("{problem} engine '{engine}': {reason}")]
    NotOnDevice {
        /// Which problem's engine it is.
        problem: &'static str,
        /// Name of the engine.
        engine: &'static str,
        /// What the device cannot do, and what can.
        reason: String,
    },
    /// An option has a value that the engine cannot use.
    #[error("{option}: {reason}")]
    BadOption {
        /// The option's name.
        option: &'static str,
        /// Why the value does not work.
        reason: String,
    },
    /// A file or buffer does not hold what its format demands.
    #[error("byte {at}: {reason}")]
    Format {
        /// Where, in bytes from its beginning.
        at: usize,
        /// What is wrong there.
        reason: String,
    },
    /// The system could not read or write.
    #[error("{message}")]
    Io {
        /// What kind of failure it is.
        kind: std::io::ErrorKind,
        /// What the system says.
        message: String,
    },
    /// Something is wrong with a file.
    #[error("{}: {error}", path.display())]
    InFile {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        #[source]
        error: Box<Self>,
    },
    /// A library that does part of the work failed.
    #[error("{library}: {reason}")]
    Library {
        /// Its name.
        library: &'static str,
        /// What it said.
        reason: String,
    },
    /// A device failed or cannot do what was asked.
    #[error("device: {0}")]
    Device(DeviceError),
}

/// What is wrong with a device, or with what was asked of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct DeviceError {
    kind: DeviceErrorKind,
    message: String,
}

/// Kinds of [`DeviceError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeviceErrorKind {
    /// No adapter is what was asked for.
    NoAdapter,
    /// The device does not answer any more. It has to be opened anew.
    Lost,
    /// The device has no memory left.
    OutOfMemory,
    /// More than the device, or the engine on it, can hold, see or number.
    Limit,
    /// The device lacks an operation that the engines need.
    Unsupported,
    /// Arrays that do not go together: of another device, or one array twice where it is written. Nothing was done, and
    /// the device goes on.
    Misuse,
    /// Anything else, in the driver's words.
    Other,
}

impl DeviceError {
    /// An error of this kind.
    pub fn new(kind: DeviceErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// What kind of error it is.
    pub fn kind(&self) -> DeviceErrorKind {
        self.kind
    }

    /// What happened, for people.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl Error {
    /// An error of a device.
    pub fn device(kind: DeviceErrorKind, message: impl Into<String>) -> Self {
        Self::Device(DeviceError::new(kind, message))
    }

    /// An error of a device: more than it can hold, see or number.
    pub fn device_limit(message: impl Into<String>) -> Self {
        Self::device(DeviceErrorKind::Limit, message)
    }

    /// What kind of error of a device it is, if it is one.
    ///
    /// ```
    /// # use thalweg_core as thalweg;
    /// use thalweg::{DeviceErrorKind, Error};
    /// let error = Error::device(DeviceErrorKind::NoAdapter, "no GPU");
    /// assert_eq!(error.to_string(), "device: no GPU");
    /// assert_eq!(error.device_kind(), Some(DeviceErrorKind::NoAdapter));
    /// assert_eq!(Error::OutOfMemory { bytes: 1, what: "a byte" }.device_kind(), None);
    /// ```
    pub fn device_kind(&self) -> Option<DeviceErrorKind> {
        match self {
            Self::Device(error) => Some(error.kind),
            _ => None,
        }
    }
}

/// Shorthand for results of this library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

#[cfg(feature = "file")]
impl Error {
    /// What the system says, without Rust's "(os error 2)".
    pub fn io(error: std::io::Error) -> Self {
        let text = error.to_string();
        let end = text.find(" (os error").unwrap_or(text.len());
        Self::Io { kind: error.kind(), message: text[..end].to_owned() }
    }

    /// The same, with the file's name.
    pub fn in_file(self, path: &std::path::Path) -> Self {
        Self::InFile { path: path.to_owned(), error: Box::new(self) }
    }
}

/// An empty vector with room for `len` elements, or an error instead of an abort.
pub fn try_with_capacity<T>(len: usize, what: &'static str) -> Result<Vec<T>> {
    let mut v = Vec::new();
    v.try_reserve_exact(len).map_err(|_| Error::OutOfMemory { bytes: len.saturating_mul(size_of::<T>()), what })?;
    Ok(v)
}

/// A vector of `len` copies of `value`, or an error instead of an abort.
pub fn try_filled<T: Clone>(len: usize, value: T, what: &'static str) -> Result<Vec<T>> {
    let mut v = try_with_capacity(len, what)?;
    v.resize(len, value);
    Ok(v)
}

/// Checks that a buffer has the length that another one dictates.
pub fn expect_len(what: &'static str, got: usize, expected: usize) -> Result<()> {
    if got == expected { Ok(()) } else { Err(Error::Length { what, expected, got }) }
}
