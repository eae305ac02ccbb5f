//! Suffix arrays, and what is read off them.
#![allow(unsafe_code)]

use std::ops::Range;
use std::sync::Arc;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use thalweg::rmq::Engine;
use thalweg::text::{self, Lce, SuffixBuilder, Symbol};
use thalweg::{Chosen, Error, Position, Positions};
use thalweg_core::PositionsMut;
use thalweg_core::error::try_with_capacity;

use crate::array::{Copy, Lent};
use crate::batch::Batch;
use crate::device::device;
use crate::errors::{OrRaise, bad_input, bad_query, bad_type, to_python};
use crate::lazy::Lazy;
use crate::out;
use crate::queries::{Asked, Meaning, Question, pairs};
use crate::work::{Stop, Threads, call};

/// Patterns up to this long are looked for at once: it takes less time than letting go of the interpreter and coming back.
const SHORT: usize = 1 << 12;
/// As many places are copied and sorted at once.
const FEW: usize = 1 << 12;

/// The suffixes of either type of text.
enum Suffixes {
    Bytes(text::SuffixArray<'static, u8>),
    Words(text::SuffixArray<'static, u32>),
}

/// Runs an expression for the type of a text: `by_text!(suffixes, s => f(s))`.
macro_rules! by_text {
    ($suffixes:expr, $s:ident => $body:expr) => {
        match $suffixes {
            Suffixes::Bytes($s) => $body,
            Suffixes::Words($s) => $body,
        }
    };
}

/// Everything, shared with the work that is going on. Fields are dropped in order: what reads others before those.
struct Index {
    lce: Lazy<Lce>,
    lcp: Lazy<Positions>,
    inverse: Lazy<Positions>,
    suffixes: Suffixes,
    text: Lent,
    chosen: Chosen,
}

/// Elements for as long as whoever asks wants.
///
/// # Safety
/// What is made of them must not outlive them, and they stay where they are.
unsafe fn forever<T>(list: &[T]) -> &'static [T] {
    // SAFETY: asked of the caller.
    unsafe { std::slice::from_raw_parts(list.as_ptr(), list.len()) }
}

impl Index {
    /// Sorts suffixes.
    fn build(text: Lent, builder: &SuffixBuilder<'_>) -> thalweg::Result<Self> {
        // SAFETY: the text is kept, and dropped last.
        let (suffixes, chosen) = unsafe {
            if text.dtype.bytes == 1 {
                let (suffixes, chosen) = builder.build(text.forever::<u8>())?.into_parts();
                (Suffixes::Bytes(suffixes), chosen)
            } else {
                let (suffixes, chosen) = builder.build(text.forever::<u32>())?.into_parts();
                (Suffixes::Words(suffixes), chosen)
            }
        };
        let (lce, lcp, inverse) = (Lazy::default(), Lazy::default(), Lazy::default());
        Ok(Self { lce, lcp, inverse, suffixes, text, chosen })
    }

    fn positions(&self) -> &Positions {
        by_text!(&self.suffixes, s => s.positions())
    }

    fn find(&self, pattern: &Lent) -> Range<usize> {
        match &self.suffixes {
            Suffixes::Bytes(s) => s.find(pattern.slice()),
            Suffixes::Words(s) => s.find(pattern.slice()),
        }
    }

    fn find_many(&self, patterns: &[Lent]) -> thalweg::Result<Vec<Range<usize>>> {
        fn many<T: Symbol>(s: &text::SuffixArray<'_, T>, patterns: &[Lent]) -> thalweg::Result<Vec<Range<usize>>> {
            let mut slices = try_with_capacity(patterns.len(), "patterns")?;
            slices.extend(patterns.iter().map(Lent::slice::<T>));
            s.find_many(&slices)
        }
        by_text!(&self.suffixes, s => many(s, patterns))
    }

    /// Where the suffixes of a range begin, in the order of the text.
    fn places(&self, range: Range<usize>) -> thalweg::Result<Positions> {
        fn sorted<P: Position>(places: &[P]) -> thalweg::Result<Positions> {
            let mut list = try_with_capacity(places.len(), "places")?;
            list.extend_from_slice(places);
            if list.len() <= FEW {
                list.sort_unstable();
            } else {
                thalweg_core::primitives::sort(&mut list)?;
            }
            Ok(P::list(list))
        }
        match self.positions() {
            Positions::U32(list) => sorted(&list[range]),
            Positions::U64(list) => sorted(&list[range]),
        }
    }

    /// Places of the empty pattern: everywhere, and behind the end.
    fn everywhere(&self) -> thalweg::Result<Positions> {
        fn up_to<P: Position>(len: usize) -> thalweg::Result<Positions> {
            let mut list = try_with_capacity(len + 1, "places")?;
            list.extend((0..=len).map(P::new));
            Ok(P::list(list))
        }
        match self.positions() {
            Positions::U32(list) => up_to::<u32>(list.len()),
            Positions::U64(list) => up_to::<u64>(list.len()),
        }
    }

    fn lcp(self: &Arc<Self>, py: Python<'_>) -> PyResult<&Positions> {
        self.lcp.get(py, || {
            let index = self.clone();
            call(py, Threads::All, move |_| by_text!(&index.suffixes, s => s.lcp()))
        })
    }

    fn inverse(self: &Arc<Self>, py: Python<'_>) -> PyResult<&Positions> {
        self.inverse.get(py, || {
            let index = self.clone();
            call(py, Threads::All, move |_| by_text!(&index.suffixes, s => s.inverse()))
        })
    }

    fn lce(self: &Arc<Self>, py: Python<'_>) -> PyResult<&Lce> {
        self.lcp(py)?;
        self.inverse(py)?;
        self.lce.get(py, || {
            let index = self.clone();
            let made = call(py, Threads::All, move |_| {
                let lce = match (index.inverse.made(), index.lcp.made()) {
                    // SAFETY: the two are kept and stay as they are. The answer goes with whom they belong to, before it.
                    (Some(Positions::U32(ranks)), Some(Positions::U32(lcp))) => unsafe {
                        Lce::from_arrays(forever(ranks), forever(lcp), Engine::default())
                    },
                    // SAFETY: as above.
                    (Some(Positions::U64(ranks)), Some(Positions::U64(lcp))) => unsafe {
                        Lce::from_arrays(forever(ranks), forever(lcp), Engine::default())
                    },
                    _ => unreachable!("they have been made, in the width of the suffix array"),
                };
                Ok((lce?, index))
            });
            made.map(|(lce, _)| lce)
        })
    }

    fn question(&self) -> Question {
        Question { meaning: Meaning::Places, len: self.text.len, refuse }
    }
}

fn refuse(row: usize, [i, j]: [i64; 2], len: usize) -> Error {
    Error::Pair { row, first: i as u64, second: j as u64, len }
}

/// The exception for a pair that is not inside the text.
fn bad_pair(row: Option<usize>, i: i64, j: i64, len: usize) -> PyErr {
    let pair = row.map_or(String::new(), |row| format!("pair {row}: "));
    bad_query(row, format!("{pair}positions {i} and {j} are not both inside a text of {len} symbols"))
}

/// The exception for an error of a batch of pairs, whose numbers may have had signs.
fn raise(error: Error) -> PyErr {
    match error {
        Error::Pair { row, first, second, len } => bad_pair(Some(row), first as i64, second as i64, len),
        other => to_python(other),
    }
}

/// An instance of a named tuple of `python/thalweg/_text.py`.
fn named_tuple<'py>(py: Python<'py>, class: &str, fields: (Bound<'py, PyAny>, usize)) -> PyResult<Bound<'py, PyAny>> {
    py.import(intern!(py, "thalweg._text"))?.getattr(class)?.call1(fields)
}

fn repeat(py: Python<'_>, found: text::Repeat, len: usize) -> PyResult<Bound<'_, PyAny>> {
    let places = if len < text::WIDE {
        out::array(py, found.places.iter().map(|&place| place as i32).collect())
    } else {
        out::array(py, found.places.iter().map(|&place| place as i64).collect())
    };
    named_tuple(py, "Repeat", (places, found.length))
}

/// What was asked for: a pattern, or several.
enum Wanted {
    One(Lent),
    Many(Vec<Lent>),
}

/// All suffixes of a text, sorted: where they begin, what neighbours have in common, where patterns occur.
///
/// A suffix that is a prefix of another comes before it.
///
/// Args:
///     text: bytes, any buffer (bytearray, mmap, memoryview), or an array of one dimension: uint8, or uint16 and uint32 for
///         larger alphabets. It is not copied unless it must be, and held: do not change it as long as this lives. A str
///         must be encoded.
///     device: "auto" (wherever sorting is faster), "cpu", "gpu", or a name of `thalweg.devices()`. GPUs sort bytes.
///     copy: Whether the text is copied: None for "if it must be", False for an error instead, True for always. bytes,
///         which nobody can change, never are.
///
/// >>> import thalweg
/// >>> s = thalweg.SuffixArray(b"banana")
/// >>> s.positions
/// array([5, 3, 1, 0, 4, 2], dtype=int32)
/// >>> s.lcp
/// array([0, 1, 3, 0, 0, 2], dtype=int32)
/// >>> s.find(b"an")
/// array([1, 3], dtype=int32)
#[pyclass(frozen, module = "thalweg", name = "SuffixArray")]
pub struct SuffixArray {
    index: Arc<Index>,
    device: String,
}

impl SuffixArray {
    /// A pattern of the type of the text.
    fn pattern(&self, what: &str, object: &Bound<'_, PyAny>) -> PyResult<Lent> {
        match &self.index.suffixes {
            Suffixes::Bytes(_) => Lent::bytes(what, object, Copy::IfNeeded),
            Suffixes::Words(_) => words(what, object),
        }
    }

    fn wanted(&self, object: &Bound<'_, PyAny>) -> PyResult<Wanted> {
        if !object.is_instance_of::<PyList>() && !object.is_instance_of::<PyTuple>() {
            return Ok(Wanted::One(self.pattern("pattern", object)?));
        }
        let pattern =
            |(i, object): (usize, PyResult<Bound<'_, PyAny>>)| self.pattern(&format!("pattern {i}"), &object?);
        Ok(Wanted::Many(object.try_iter()?.enumerate().map(pattern).collect::<PyResult<_>>()?))
    }

    fn range_of(&self, py: Python<'_>, pattern: Lent) -> Range<usize> {
        if pattern.len <= SHORT { self.index.find(&pattern) } else { py.detach(|| self.index.find(&pattern)) }
    }

    fn ranges_of(&self, py: Python<'_>, patterns: Vec<Lent>) -> PyResult<Vec<Range<usize>>> {
        let index = self.index.clone();
        call(py, Threads::All, move |_| index.find_many(&patterns))
    }

    /// Runs a batch of pairs, with the index for extensions.
    fn extend<'py>(
        &self,
        py: Python<'py>,
        (batch, wide): (Batch, bool),
        work: impl FnOnce(&Index, &Lce, PositionsMut<'_>, &Stop) -> thalweg::Result<()> + Send + 'static,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.index.lce(py)?;
        let index = self.index.clone();
        batch.run(py, raise, move |out, stop| {
            let lce = index.lce.made().expect("it has been made");
            let answers = if wide { u64::buffer(out.slice()) } else { u32::buffer(out.slice()) };
            work(&index, lce, answers, stop)
        })
    }
}

/// A pattern of numbers.
fn words(what: &str, object: &Bound<'_, PyAny>) -> PyResult<Lent> {
    let py = object.py();
    let array = crate::array::to_numpy(what, object, Copy::IfNeeded)?.into_any();
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    let is_empty = array.getattr("size")?.extract::<usize>()? == 0;
    match kind.as_str() {
        "u" | "i" => {}
        // What `np.asarray([])` is.
        "f" if is_empty => {}
        _ => {
            let dtype = array.getattr("dtype")?;
            return Err(bad_type(format!("{what}: dtype {dtype}, where the text's symbols are integers")));
        }
    }
    let extreme = |name| array.call_method0(name)?.call_method0("__int__")?.extract::<i128>();
    if !is_empty && (extreme("min")? < 0 || extreme("max")? > i128::from(u32::MAX)) {
        return Err(bad_input(format!("{what}: a symbol that is not between 0 and 2**32 - 1 cannot be in the text")));
    }
    Lent::new(what, &array.call_method1(intern!(py, "astype"), ("u4",))?, Copy::IfNeeded)
}

#[pymethods]
impl SuffixArray {
    #[new]
    #[pyo3(signature = (text, *, device="auto", copy=None))]
    fn new(py: Python<'_>, text: &Bound<'_, PyAny>, device: &str, copy: Option<bool>) -> PyResult<Self> {
        let text = Lent::text("text", text, Copy::from(copy))?;
        let builder = SuffixBuilder::new().device(self::device(py, device)?);
        let index = call(py, Threads::OneAfterFork, move |_| Index::build(text, &builder))?;
        Ok(Self { index: Arc::new(index), device: device.to_owned() })
    }

    /// Where the suffixes begin, from the smallest to the largest: the suffix array. int32, or int64 from 2^31 symbols on;
    /// read-only.
    #[getter]
    fn positions<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: they belong to the object, which nothing changes.
        unsafe { out::view_positions(slf.clone().into_any(), slf.get().index.positions()) }
    }

    /// How many symbols each suffix and the one before it, in their order, have in common; 0 for the first. Made when it is
    /// first asked for; read-only.
    ///
    /// >>> import thalweg
    /// >>> thalweg.SuffixArray(b"abab").lcp
    /// array([0, 2, 0, 1], dtype=int32)
    #[getter]
    fn lcp<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: as above.
        unsafe { out::view_positions(slf.clone().into_any(), slf.get().index.lcp(slf.py())?) }
    }

    /// The rank of every suffix, by its position: the inverse of `positions`. Made when it is first asked for; read-only.
    ///
    /// >>> import thalweg
    /// >>> thalweg.SuffixArray(b"abab").inverse
    /// array([1, 3, 0, 2], dtype=int32)
    #[getter]
    fn inverse<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: as above.
        unsafe { out::view_positions(slf.clone().into_any(), slf.get().index.inverse(slf.py())?) }
    }

    /// The Burrows-Wheeler transform: the symbol before every suffix, in the order of the suffixes.
    ///
    /// Returns:
    ///     Bwt(symbols, primary). As in `thalweg.bwt`.
    ///
    /// >>> import thalweg
    /// >>> symbols, primary = thalweg.SuffixArray(b"banana").bwt()
    /// >>> symbols.tobytes(), primary
    /// (b'annbaa', 4)
    fn bwt<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let index = self.index.clone();
        match &self.index.suffixes {
            Suffixes::Bytes(_) => transformed(py, Threads::All, move || match &index.suffixes {
                Suffixes::Bytes(s) => s.bwt(),
                Suffixes::Words(_) => unreachable!("a text of bytes"),
            }),
            Suffixes::Words(_) => transformed(py, Threads::All, move || match &index.suffixes {
                Suffixes::Words(s) => s.bwt(),
                Suffixes::Bytes(_) => unreachable!("a text of numbers"),
            }),
        }
    }

    /// All places where a pattern begins, from left to right; overlapping ones, too.
    ///
    /// Two binary searches: O(m log n) for a pattern of m symbols, and the places. An empty pattern is everywhere, also behind
    /// the end, as for `thalweg.find_all`.
    ///
    /// Args:
    ///     pattern: As the text: bytes or a buffer; an array of integers for a text of those. Or a list or tuple of patterns,
    ///         which are looked for together.
    ///
    /// Returns:
    ///     An array of positions; a list of arrays for a list of patterns.
    ///
    /// >>> import thalweg
    /// >>> s = thalweg.SuffixArray(b"mississippi")
    /// >>> s.find(b"issi")
    /// array([1, 4], dtype=int32)
    /// >>> [places.tolist() for places in s.find([b"p", b"q"])]
    /// [[8, 9], []]
    fn find<'py>(&self, py: Python<'py>, pattern: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let len = self.index.text.len;
        match self.wanted(pattern)? {
            Wanted::One(pattern) if pattern.len == 0 => {
                let index = self.index.clone();
                out::positions_below(py, call(py, Threads::All, move |_| index.everywhere())?, len)
            }
            Wanted::One(pattern) => {
                let range = self.range_of(py, pattern);
                let places = if range.len() <= FEW {
                    self.index.places(range).or_raise()?
                } else {
                    let index = self.index.clone();
                    call(py, Threads::All, move |_| index.places(range))?
                };
                out::positions_below(py, places, len)
            }
            Wanted::Many(patterns) => {
                let index = self.index.clone();
                let found = call(py, Threads::All, move |stop| {
                    let ranges = index.find_many(&patterns)?;
                    let mut found = try_with_capacity(ranges.len(), "places")?;
                    for (range, pattern) in ranges.into_iter().zip(&patterns) {
                        if stop.is_asked() {
                            break;
                        }
                        found.push(if pattern.len == 0 { index.everywhere()? } else { index.places(range)? });
                    }
                    Ok(found)
                })?;
                let list = PyList::empty(py);
                for places in found {
                    list.append(out::positions_below(py, places, len)?)?;
                }
                Ok(list.into_any())
            }
        }
    }

    /// How often a pattern occurs, without a list of the places: O(m log n).
    ///
    /// Args:
    ///     pattern: As for `find`.
    ///
    /// Returns:
    ///     An int; an array of int64 for a list of patterns.
    ///
    /// >>> import thalweg
    /// >>> s = thalweg.SuffixArray(b"mississippi")
    /// >>> s.count(b"ss"), s.count([b"i", b"x"])
    /// (2, array([4, 0]))
    fn count<'py>(&self, py: Python<'py>, pattern: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        // The empty pattern is behind the end, too.
        let count = |pattern_len: usize, range: Range<usize>| range.len() + usize::from(pattern_len == 0);
        match self.wanted(pattern)? {
            Wanted::One(pattern) => {
                let len = pattern.len;
                Ok(count(len, self.range_of(py, pattern)).into_pyobject(py)?.into_any())
            }
            Wanted::Many(patterns) => {
                let lens: Vec<usize> = patterns.iter().map(|pattern| pattern.len).collect();
                let ranges = self.ranges_of(py, patterns)?;
                let counts = lens.into_iter().zip(ranges).map(|(len, range)| count(len, range) as i64).collect();
                Ok(out::array::<i64>(py, counts))
            }
        }
    }

    /// The suffixes that begin with a pattern, as a range of `positions`: they are neighbours. O(m log n).
    ///
    /// Args:
    ///     pattern: As for `find`. An empty one begins them all.
    ///
    /// Returns:
    ///     (start, stop); an array of int64 of shape (patterns, 2) for a list of patterns.
    ///
    /// >>> import thalweg
    /// >>> s = thalweg.SuffixArray(b"banana")
    /// >>> start, stop = s.range(b"an")
    /// >>> s.positions[start:stop]
    /// array([3, 1], dtype=int32)
    fn range<'py>(&self, py: Python<'py>, pattern: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match self.wanted(pattern)? {
            Wanted::One(pattern) => {
                let range = self.range_of(py, pattern);
                Ok((range.start, range.end).into_pyobject(py)?.into_any())
            }
            Wanted::Many(patterns) => {
                let ranges = self.ranges_of(py, patterns)?;
                let flat: Vec<i64> = ranges.iter().flat_map(|range| [range.start as i64, range.end as i64]).collect();
                out::array(py, flat).call_method1(intern!(py, "reshape"), ((ranges.len(), 2),))
            }
        }
    }

    /// How many symbols the suffixes at two positions have in common: longest common extensions, O(1) a pair however long
    /// they are.
    ///
    /// The first call makes an index (of `lcp` and `inverse`, which it keeps).
    ///
    /// Args:
    ///     i: A position of the text, or positions of any shape.
    ///     j: Likewise. The two broadcast.
    ///     out: An array for the answers, of their shape and dtype.
    ///
    /// Returns:
    ///     An int for two ints. Otherwise int64, or int32 if both have at most 32 bits.
    ///
    /// Raises:
    ///     QueryError: A position is outside the text; its `row` says of which pair.
    ///
    /// >>> import thalweg
    /// >>> s = thalweg.SuffixArray(b"banana")
    /// >>> s.lce(1, 3), s.lce([0, 2], 4)
    /// (3, array([0, 2]))
    #[pyo3(signature = (i, j, out=None))]
    fn lce<'py>(
        &self,
        py: Python<'py>,
        i: &Bound<'py, PyAny>,
        j: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match Asked::new(["i", "j"], i, j)? {
            Asked::One(i, j) => {
                if out.is_some() {
                    return Err(bad_input("out: one pair has no array of answers"));
                }
                let inside = |i| usize::try_from(i).ok().filter(|&i| i < self.index.text.len);
                let (Some(at), Some(to)) = (inside(i), inside(j)) else {
                    return Err(bad_pair(None, i, j, self.index.text.len));
                };
                let length = self.index.lce(py)?.try_get(at, to).or_raise()?;
                Ok(length.expect("both are inside").into_pyobject(py)?.into_any())
            }
            Asked::Many(columns) => {
                let (shape, wide) = (columns.shape.clone(), columns.is_wide());
                let batch = Batch::of_positions(py, &shape, wide, out, columns.arrays())?;
                self.extend(py, (batch, wide), move |index, lce, answers, stop| {
                    let question = index.question();
                    match answers {
                        PositionsMut::U32(out) => {
                            columns.for_each_piece(question, out, stop, |pairs: &[[u32; 2]], out| lce.batch(pairs, out))
                        }
                        PositionsMut::U64(out) => {
                            columns.for_each_piece(question, out, stop, |pairs: &[[u64; 2]], out| lce.batch(pairs, out))
                        }
                    }
                })
            }
        }
    }

    /// The same for an array of pairs of positions, of shape (pairs, 2), read as they lie where they have 32 or 64 bits. The
    /// answers have the same width.
    ///
    /// >>> import numpy as np, thalweg
    /// >>> thalweg.SuffixArray(b"banana").lce_pairs(np.array([[1, 3], [5, 5]]))
    /// array([3, 1])
    #[pyo3(signature = (pairs, out=None))]
    fn lce_pairs<'py>(
        &self,
        py: Python<'py>,
        pairs: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let pairs = self::pairs("pairs", pairs)?;
        let (shape, wide) = ([pairs.len / 2], pairs.dtype.bytes == 8);
        let batch = Batch::of_positions(py, &shape, wide, out, [&pairs])?;
        self.extend(py, (batch, wide), move |_, lce, answers, _| match answers {
            PositionsMut::U32(out) => lce.batch(pairs.slice::<[u32; 2]>(), out),
            PositionsMut::U64(out) => lce.batch(pairs.slice::<[u64; 2]>(), out),
        })
    }

    /// The longest part of the text that occurs more than once. Of several, that whose first place comes first.
    ///
    /// Returns:
    ///     Repeat(positions, length): all its places, from left to right, which may overlap. None, and length 0, if nothing
    ///     occurs twice.
    ///
    /// >>> import thalweg
    /// >>> thalweg.SuffixArray(b"banana").longest_repeat()
    /// Repeat(positions=array([1, 3], dtype=int32), length=3)
    fn longest_repeat<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.index.lcp(py)?;
        let index = self.index.clone();
        let found = call(py, Threads::All, move |_| {
            let lcp = index.lcp.made().expect("it has been made");
            text::longest_repeat_from_lcp(index.positions(), lcp)
        })?;
        repeat(py, found, self.index.text.len)
    }

    /// The text: the bytes that were given, or an array of what was.
    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.index.text.owner(py).clone()
    }

    /// Name of the device that has sorted: "cpu", or the GPU's.
    #[getter]
    fn device(&self) -> &str {
        self.index.chosen.device()
    }

    /// Which device has sorted, and why this one.
    #[getter]
    fn chosen(&self) -> String {
        self.index.chosen.to_string()
    }

    /// Bytes of memory held in addition to the text: the suffix array, and what has been made of it.
    #[getter]
    fn nbytes(&self) -> usize {
        let index = &self.index;
        let width = bytes_of(index.positions());
        let lists = 1 + usize::from(index.lcp.made().is_some()) + usize::from(index.inverse.made().is_some());
        // The index of extensions counts inverse and LCP array, too.
        let lce = index.lce.made().map_or(0, |lce| lce.bytes().saturating_sub(2 * width));
        lists * width + lce
    }

    fn __len__(&self) -> usize {
        self.index.text.len
    }

    fn __repr__(&self) -> String {
        let symbols = by_text!(&self.index.suffixes, s => symbols_of(s));
        format!("<thalweg.SuffixArray of {} {symbols}>", self.index.text.len)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, this) = (slf.py(), slf.get());
        let make = py.import(intern!(py, "thalweg._text"))?.getattr("_sorted")?;
        Ok((make, (slf.get_type(), this.text(py), &this.device).into_pyobject(py)?))
    }
}

fn bytes_of(positions: &Positions) -> usize {
    match positions {
        Positions::U32(list) => size_of_val(&list[..]),
        Positions::U64(list) => size_of_val(&list[..]),
    }
}

fn symbols_of<T: Symbol>(_: &text::SuffixArray<'_, T>) -> &'static str {
    if size_of::<T>() == 1 { "bytes" } else { "symbols of 32 bits" }
}

/// A transform as a named tuple.
fn transformed<T: Symbol + numpy::Element>(
    py: Python<'_>,
    threads: Threads,
    make: impl FnOnce() -> thalweg::Result<text::Bwt<T>> + Send + 'static,
) -> PyResult<Bound<'_, PyAny>> {
    let text::Bwt { symbols, primary } = call(py, threads, move |_| make())?;
    named_tuple(py, "Bwt", (out::array(py, symbols), primary))
}

/// The Burrows-Wheeler transform of a text: the symbol before every suffix, in the order of the suffixes.
///
/// Args:
///     text: As for `SuffixArray`.
///     device: "auto", "cpu", "gpu", or a name of `thalweg.devices()`. GPUs sort bytes.
///
/// Returns:
///     Bwt(symbols, primary). The symbols are an array as long as the text: the text's last one first, as the empty suffix
///     is the smallest, then those before the others. The whole text has no symbol before it and is left out; `primary`
///     is where: its rank, the empty suffix included. 0 if there is no text.
///
/// >>> import thalweg
/// >>> symbols, primary = thalweg.bwt(b"banana")
/// >>> symbols.tobytes(), primary                       # annb$aa
/// (b'annbaa', 4)
#[pyfunction]
#[pyo3(signature = (text, *, device="auto"))]
pub fn bwt<'py>(py: Python<'py>, text: &Bound<'py, PyAny>, device: &str) -> PyResult<Bound<'py, PyAny>> {
    let text = Lent::text("text", text, Copy::IfNeeded)?;
    let builder = SuffixBuilder::new().device(self::device(py, device)?);
    if text.dtype.bytes == 1 {
        transformed(py, Threads::OneAfterFork, move || Ok(builder.bwt(text.slice())?.into_inner()))
    } else {
        transformed(py, Threads::OneAfterFork, move || builder.build(text.slice::<u32>())?.into_inner().bwt())
    }
}

/// The text that has a Burrows-Wheeler transform: the inverse of `bwt`.
///
/// Args:
///     symbols: The transform's symbols: bytes, a buffer, or an array of uint8, uint16 or uint32.
///     primary: Where the whole text was left out.
///
/// Returns:
///     An array of uint8 or uint32.
///
/// Raises:
///     InputError: They are no text's transform.
///
/// >>> import thalweg
/// >>> thalweg.inverse_bwt(b"annbaa", 4).tobytes()
/// b'banana'
/// >>> thalweg.inverse_bwt(*thalweg.bwt(b"mississippi")).tobytes()
/// b'mississippi'
#[pyfunction]
pub fn inverse_bwt<'py>(py: Python<'py>, symbols: &Bound<'py, PyAny>, primary: i64) -> PyResult<Bound<'py, PyAny>> {
    let symbols = Lent::text("symbols", symbols, Copy::IfNeeded)?;
    let primary = usize::try_from(primary).unwrap_or(usize::MAX);
    if symbols.dtype.bytes == 1 {
        Ok(out::array(py, call(py, Threads::All, move |_| text::inverse_bwt(symbols.slice::<u8>(), primary))?))
    } else {
        Ok(out::array(py, call(py, Threads::All, move |_| text::inverse_bwt(symbols.slice::<u32>(), primary))?))
    }
}

/// The longest part of a text that occurs more than once. Of several, that whose first place comes first.
///
/// Args:
///     text: As for `SuffixArray`.
///     device: "auto", "cpu", "gpu", or a name of `thalweg.devices()`. GPUs sort bytes.
///
/// Returns:
///     Repeat(positions, length): all its places, from left to right, which may overlap. None, and length 0, if nothing
///     occurs twice.
///
/// >>> import thalweg
/// >>> text = b"to be or not to be"
/// >>> (first, second), length = thalweg.longest_repeat(text)
/// >>> text[first:first + length]
/// b'to be'
#[pyfunction]
#[pyo3(signature = (text, *, device="auto"))]
pub fn longest_repeat<'py>(py: Python<'py>, text: &Bound<'py, PyAny>, device: &str) -> PyResult<Bound<'py, PyAny>> {
    let text = Lent::text("text", text, Copy::IfNeeded)?;
    let len = text.len;
    let builder = SuffixBuilder::new().device(self::device(py, device)?);
    let found = call(py, Threads::OneAfterFork, move |_| {
        Ok(match text.dtype.bytes {
            1 => builder.longest_repeat(text.slice::<u8>())?.into_inner(),
            _ => builder.longest_repeat(text.slice::<u32>())?.into_inner(),
        })
    })?;
    repeat(py, found, len)
}
