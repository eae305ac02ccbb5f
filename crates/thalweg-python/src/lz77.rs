//! The LZ77 factorisation of a text, and its files.
#![allow(unsafe_code)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::exceptions::PyIndexError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple, PyType};
use thalweg::text::container::{self, Reader};
use thalweg::text::lz77::{Builder, Engine, Source};
use thalweg::text::{Factors, Phrase, WIDE};
use thalweg::{Error, Position, Positions};
use thalweg_core::error::try_with_capacity;

use crate::array::{Copy, Lent};
use crate::device::{device, engine, named};
use crate::lazy::Lazy;
use crate::out;
use crate::work::{Threads, call};

/// The phrases, column by column.
struct Columns {
    starts: Positions,
    lengths: Positions,
    sources: Positions,
    literals: Vec<u8>,
}

impl Columns {
    fn of(factors: &Factors) -> thalweg::Result<Self> {
        if factors.text_len() < WIDE { Self::filled::<u32>(factors) } else { Self::filled::<u64>(factors) }
    }

    fn filled<P: Position>(factors: &Factors) -> thalweg::Result<Self> {
        let column = || try_with_capacity::<P>(factors.len(), "phrases");
        let (mut starts, mut lengths, mut sources) = (column()?, column()?, column()?);
        let (mut literals, mut start) = (Vec::new(), 0);
        for phrase in factors {
            starts.push(P::new(start));
            lengths.push(P::new(phrase.extent()));
            start += phrase.extent();
            match phrase {
                Phrase::Literal(byte) => {
                    literals.push(byte);
                    sources.push(P::NONE);
                }
                Phrase::Copy { source, .. } => sources.push(P::new(source)),
            }
        }
        let [starts, lengths, sources] = [starts, lengths, sources].map(P::list);
        Ok(Self { starts, lengths, sources, literals })
    }
}

/// A text as a list of phrases, each of which is a byte that has not occurred before, or occurred before as a whole.
///
/// `lz77` makes it of a text, `open` reads it from a file. It has the length of its phrases, which are tuples (start,
/// length, source): where the phrase begins, how many bytes of the text it stands for, and where those are to be found,
/// before the phrase (they may reach into it); -1 for a byte by itself.
///
/// >>> import thalweg
/// >>> list(thalweg.lz77(b"abababbb"))
/// [(0, 1, -1), (1, 1, -1), (2, 4, 0), (6, 2, 5)]
#[pyclass(frozen, module = "thalweg", name = "Lz77")]
pub struct Lz77 {
    factors: Arc<Factors>,
    columns: Lazy<Columns>,
    chosen: Option<String>,
}

impl Lz77 {
    fn new(factors: Factors, chosen: Option<String>) -> Self {
        Self { factors: Arc::new(factors), columns: Lazy::default(), chosen }
    }

    fn columns(&self, py: Python<'_>) -> PyResult<&Columns> {
        self.columns.get(py, || {
            let factors = self.factors.clone();
            call(py, Threads::All, move |_| Columns::of(&factors))
        })
    }

    /// A column, as an array that belongs to this.
    fn column<'py>(slf: &Bound<'py, Self>, column: fn(&Columns) -> &Positions) -> PyResult<Bound<'py, PyAny>> {
        let columns = slf.get().columns(slf.py())?;
        // SAFETY: columns belong to the object, and nothing changes them.
        unsafe { out::view_positions(slf.clone().into_any(), column(columns)) }
    }

    fn phrase(&self, py: Python<'_>, index: usize) -> PyResult<Option<(usize, usize, i64)>> {
        let Some(phrase) = self.factors.get(index) else { return Ok(None) };
        let start = self.columns(py)?.starts.at(index).expect("every phrase begins somewhere");
        Ok(Some(match phrase {
            Phrase::Literal(_) => (start, 1, -1),
            Phrase::Copy { source, length } => (start, length, source as i64),
        }))
    }
}

/// The file of a factorisation. The text, which its checksum is of, is decoded for that.
fn file_of(factors: &Factors) -> thalweg::Result<Vec<u8>> {
    container::write(factors, &factors.decode()?)
}

/// A factorisation from a file, compared with its checksum if asked for.
fn read(file: &[u8], verify: bool, max_length: Option<usize>) -> thalweg::Result<Factors> {
    let mut reader = Reader::open(file)?;
    if let Some(most) = max_length {
        reader = reader.max_len(most);
    }
    if verify {
        reader.text()?;
    }
    reader.factors()
}

/// Writes a file beside its place and renames it: there is the old one or the new one.
fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write;
    let mut name = path.file_name().ok_or_else(|| std::io::Error::other("is not the name of a file"))?.to_owned();
    name.push(format!(".tmp{}", std::process::id()));
    let beside = path.with_file_name(name);
    let written = || {
        let mut file = std::fs::File::create(&beside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&beside, path)
    };
    written().inspect_err(|_| drop(std::fs::remove_file(&beside)))
}

#[pymethods]
impl Lz77 {
    /// Reads a file that `save` or the command `thalweg lz77` has written.
    ///
    /// Args:
    ///     path: The file.
    ///     verify: Whether the text is decoded and compared with its checksum. That the phrases are those of some text is
    ///         checked in any case.
    ///     max_length: Refuses files of longer texts. A small file may stand for a text of any length.
    ///
    /// >>> import thalweg, tempfile, os
    /// >>> path = os.path.join(tempfile.mkdtemp(), "a.tlz")
    /// >>> thalweg.lz77(b"abcabcabc").save(path)
    /// >>> thalweg.Lz77.open(path).decode()
    /// b'abcabcabc'
    #[classmethod]
    #[pyo3(signature = (path, verify=true, max_length=None))]
    fn open(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        path: PathBuf,
        verify: bool,
        max_length: Option<usize>,
    ) -> PyResult<Self> {
        let factors = call(py, Threads::All, move |_| {
            let file = std::fs::read(&path).map_err(|error| Error::io(error).in_file(&path))?;
            read(&file, verify, max_length).map_err(|error| error.in_file(&path))
        })?;
        Ok(Self::new(factors, None))
    }

    /// The same from bytes that `to_bytes` has made.
    ///
    /// >>> import thalweg
    /// >>> thalweg.Lz77.from_bytes(thalweg.lz77(b"xyxyxy").to_bytes()).decode()
    /// b'xyxyxy'
    #[classmethod]
    #[pyo3(signature = (data, verify=true, max_length=None))]
    fn from_bytes(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        verify: bool,
        max_length: Option<usize>,
    ) -> PyResult<Self> {
        let data = Lent::bytes("data", data, Copy::IfNeeded)?;
        let factors = call(py, Threads::All, move |_| read(data.slice(), verify, max_length))?;
        Ok(Self::new(factors, None))
    }

    /// The factorisation as bytes, in the format `.tlz`: some O(z log n) bits for z phrases.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let factors = self.factors.clone();
        let file = call(py, Threads::All, move |_| file_of(&factors))?;
        Ok(PyBytes::new(py, &file))
    }

    /// Saves the factorisation in a file `.tlz`, which `Lz77.open` and the command `thalweg unlz77` read.
    ///
    /// The file is written beside its place and renamed.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let factors = self.factors.clone();
        call(py, Threads::All, move |_| {
            let file = file_of(&factors)?;
            replace(&path, &file).map_err(|error| Error::io(error).in_file(&path))
        })
    }

    /// The text.
    ///
    /// >>> import thalweg
    /// >>> thalweg.lz77(b"to be or not to be").decode()
    /// b'to be or not to be'
    fn decode<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let factors = self.factors.clone();
        let text = call(py, Threads::All, move |_| factors.decode())?;
        Ok(PyBytes::new(py, &text))
    }

    /// Where the phrases begin. int32, or int64 for texts of 2^31 bytes and more; read-only, as are the others.
    #[getter]
    fn starts<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::column(slf, |columns| &columns.starts)
    }

    /// How many bytes of the text the phrases stand for; 1 for a byte by itself.
    #[getter]
    fn lengths<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::column(slf, |columns| &columns.lengths)
    }

    /// Where the phrases are copied from; -1 for a byte by itself.
    #[getter]
    fn sources<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::column(slf, |columns| &columns.sources)
    }

    /// The bytes by themselves, in their order: one for every phrase whose source is -1.
    ///
    /// >>> import thalweg
    /// >>> thalweg.lz77(b"abababc").literals.tobytes()
    /// b'abc'
    #[getter]
    fn literals<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let columns = slf.get().columns(slf.py())?;
        // SAFETY: they belong to the object, and nothing changes them.
        unsafe { out::view(slf.clone().into_any(), &columns.literals) }
    }

    /// Length of the text.
    #[getter]
    fn text_length(&self) -> usize {
        self.factors.text_len()
    }

    /// Which engine has found the phrases on which device, and why these; None if they were read.
    #[getter]
    fn chosen(&self) -> Option<&str> {
        self.chosen.as_deref()
    }

    fn __len__(&self) -> usize {
        self.factors.len()
    }

    fn __getitem__(&self, py: Python<'_>, index: isize) -> PyResult<(usize, usize, i64)> {
        let len = self.factors.len();
        let from_end = if index < 0 { len.checked_add_signed(index) } else { Some(index as usize) };
        let phrase = from_end.map(|index| self.phrase(py, index)).transpose()?.flatten();
        phrase.ok_or_else(|| PyIndexError::new_err(format!("phrase {index} of {len}")))
    }

    fn __iter__(slf: &Bound<'_, Self>) -> Phrases {
        Phrases { of: slf.clone().unbind(), next: AtomicUsize::new(0) }
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| self.factors == other.get().factors)
    }

    fn __hash__(&self) -> u64 {
        // Equal ones have equal numbers of phrases, of texts of one length.
        (self.factors.text_len() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ self.factors.len() as u64
    }

    fn __repr__(&self) -> String {
        format!("<thalweg.Lz77: {} phrases of {} bytes>", self.factors.len(), self.factors.text_len())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let make = slf.get_type().getattr(intern!(py, "from_bytes"))?;
        Ok((make, (slf.get().to_bytes(py)?,).into_pyobject(py)?))
    }
}

/// The phrases, one by one.
#[pyclass(frozen, module = "thalweg._native")]
pub struct Phrases {
    of: Py<Lz77>,
    next: AtomicUsize,
}

#[pymethods]
impl Phrases {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<(usize, usize, i64)>> {
        self.of.get().phrase(py, self.next.fetch_add(1, Ordering::Relaxed))
    }
}

/// The LZ77 factorisation of a text, exactly: from left to right, the next phrase is the longest that occurs earlier, too.
///
/// This is Lempel and Ziv's factorisation (1976) with an unlimited window, not a compressor's approximation. O(n), on all
/// threads; at most 21 bytes of memory for every byte of the text, below 2 GiB.
///
/// Args:
///     text: bytes, any buffer (bytearray, mmap, memoryview), or an array of uint8.
///     engine: How: "starts" (the default), "lpf" (on GPUs, too) or "naive". All find the same phrases.
///     source: Which earlier occurrence of a phrase is named: "any" (the cheapest to find), "leftmost" or "nearest".
///     device: "auto", "cpu", "gpu", or a name of `thalweg.devices()`.
///
/// Returns:
///     An `Lz77`.
///
/// >>> import thalweg
/// >>> z = thalweg.lz77(b"abababbb")
/// >>> z
/// <thalweg.Lz77: 4 phrases of 8 bytes>
/// >>> z.sources, z.lengths
/// (array([-1, -1,  0,  5], dtype=int32), array([1, 1, 4, 2], dtype=int32))
/// >>> z.decode()
/// b'abababbb'
#[pyfunction]
#[pyo3(signature = (text, *, engine=None, source="any", device="auto"))]
pub fn lz77(
    py: Python<'_>,
    text: &Bound<'_, PyAny>,
    engine: Option<&str>,
    source: &str,
    device: &str,
) -> PyResult<Lz77> {
    let text = Lent::bytes("text", text, Copy::IfNeeded)?;
    let engine: Option<Engine> = self::engine(engine)?;
    let known: Vec<_> = Source::ALL.iter().map(|&source| (source.name(), source)).collect();
    let source = named("source", source, &known)?;
    let builder = Builder::new().engine(engine).source(source).device(self::device(py, device)?);
    let found = call(py, Threads::OneAfterFork, move |_| builder.run(text.slice()))?;
    let (factors, chosen) = found.into_parts();
    Ok(Lz77::new(factors, Some(chosen.to_string())))
}
