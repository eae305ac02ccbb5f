//! Range minimum queries.
#![allow(unsafe_code)]

mod changing;
mod in_order;

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use rayon::prelude::*;
use thalweg::rmq::file::{Image, Stored};
use thalweg::rmq::{Builder, Engine, RmqEngine};
use thalweg::{Chosen, Error, Order, Pairs, Position};
use thalweg_core::bits::{Array, Bits};
use thalweg_core::{Rank, by_width};

pub use self::changing::ChangingRmq;
use crate::array::{Copy, Dtype, Lent};
use crate::batch::Batch;
use crate::device::{device, engine, expect_usable, named};
use crate::errors::{OrRaise, bad_input, bad_query, to_python};
use crate::out::{Buffer, dtype};
use crate::queries::{Asked, Columns, Meaning, Question, pairs};
use crate::work::{Stop, Threads, call};

/// The engine, and what it reads. Fields are dropped in order: the engine before the array that it reads.
struct Index {
    engine: Box<dyn RmqEngine>,
    array: Option<Lent>,
    dtype: Dtype,
    /// Whether the engine compares other numbers than the array's: see [`Lent::reordered`].
    is_reordered: bool,
    order: Order,
    chosen: Chosen,
}

/// How an index was made, for pickling.
enum Origin {
    Built { engine: Option<String>, device: String, keep_array: bool },
    Opened { path: PathBuf, verify: bool },
}

/// An index over an array that answers: where is the smallest element of a range, and what is it?
///
/// Answers are exact: the leftmost position where several elements are smallest; NaN and NaT are larger than everything
/// (and smaller than everything with order="max"), -0.0 equals 0.0.
///
/// Args:
///     array: One dimension; bool, integers, float32, float64, datetime64 or timedelta64. It is not copied unless it must
///         be, and held: do not change it as long as the index lives, or answers are wrong.
///     order: "min" or "max": whether smallest or largest elements are asked for.
///     engine: How: "lines" (the default), "hierarchy", "padded_tree", "inlabel", "balanced_parens", "sparse_table",
///         "prefix_suffix_tree", "ray" (on GPUs) or "naive".
///     device: "auto" (wherever it is faster), "cpu", "gpu", or a name of `thalweg.devices()`.
///     copy: Whether the array is copied: None for "if it must be" (not contiguous, not aligned, of another byte order, no
///         array at all), False for an error instead, True for always.
///     keep_array: False lets go of the array: the index then takes 2.25 bits an element and tells positions, no values.
///
/// >>> import numpy as np, thalweg
/// >>> r = thalweg.Rmq(np.array([5, 3, 8, 1, 9, 1, 7]))
/// >>> r.argmin(0, 3), int(r.min(0, 3))
/// (1, 3)
/// >>> r.argmin([0, 4], [7, 7])
/// array([3, 5])
#[pyclass(frozen, module = "thalweg", name = "Rmq")]
pub struct Rmq {
    index: Arc<Index>,
    origin: Origin,
}

/// A half-open range that is not inside the array, as the engines tell it: with inclusive bounds.
fn refuse(row: usize, [start, stop]: [i64; 2], len: usize) -> Error {
    Error::Query { row, left: start as u64, right: stop.wrapping_sub(1) as u64, len }
}

/// The exception for a half-open range that is empty or outside the array.
fn bad_range(row: Option<usize>, start: i64, stop: i64, len: usize) -> PyErr {
    let query = row.map_or(String::new(), |row| format!("query {row}: "));
    let why = if start >= stop { "is empty" } else { "is not inside an array" };
    let of = if start >= stop { String::new() } else { format!(" of {len} elements") };
    bad_query(row, format!("{query}range [{start}, {stop}) {why}{of}"))
}

/// The exception for an error of a batch of half-open ranges.
fn half_open(error: Error) -> PyErr {
    match error {
        Error::Query { row, left, right, len } => bad_range(Some(row), left as i64, right.wrapping_add(1) as i64, len),
        other => to_python(other),
    }
}

/// The exception for an error of a batch of inclusive ranges, whose numbers may have had signs.
fn inclusive(error: Error) -> PyErr {
    match error {
        Error::Query { row, left, right, len } => {
            let [left, right] = [left as i64, right as i64];
            let message = format!("query {row}: range [{left}, {right}] is not inside an array of {len} elements");
            bad_query(Some(row), message)
        }
        other => to_python(other),
    }
}

impl Index {
    fn question(&self) -> Question {
        Question { meaning: Meaning::Range, len: self.engine.len(), refuse }
    }

    fn is_on_cpu(&self) -> bool {
        self.chosen.is_cpu()
    }

    fn positions<P: Position>(&self, columns: &Columns, out: &mut [P], stop: &Stop) -> thalweg::Result<()> {
        if self.is_on_cpu() {
            return columns.for_each_piece(self.question(), out, stop, |pairs: &[[P; 2]], out| {
                self.engine.positions(P::pairs(pairs), P::buffer(out))
            });
        }
        let pairs = columns.all_pairs::<P>(self.question())?;
        self.engine.positions(P::pairs(&pairs), P::buffer(out))
    }

    fn values<P: Position>(&self, columns: &Columns, out: &mut Buffer, stop: &Stop) -> thalweg::Result<()> {
        if !self.is_on_cpu() {
            let pairs = columns.all_pairs::<P>(self.question())?;
            return self.values_of_pairs(P::pairs(&pairs), out);
        }
        by_width!(BitsMut, out.bits(), out => {
            columns.for_each_piece(self.question(), out, stop, |pairs: &[[P; 2]], out| {
                self.engine.values(P::pairs(pairs), Rank::erase_mut(out))
            })
        })?;
        self.restore(out);
        Ok(())
    }

    fn values_of_pairs(&self, pairs: Pairs<'_>, out: &mut Buffer) -> thalweg::Result<()> {
        self.engine.values(pairs, out.bits())?;
        self.restore(out);
        Ok(())
    }

    /// Turns what the engine compares into the array's values: see [`Lent::reordered`].
    fn restore(&self, out: &mut Buffer) {
        if self.is_reordered {
            out.slice::<i64>().par_iter_mut().for_each(|key| *key = key.wrapping_add(1));
        }
    }
}

/// What a batch asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Positions,
    Values,
}

impl Rmq {
    /// Refuses to call minima maxima.
    fn expect_maxima(&self) -> PyResult<()> {
        match self.index.order {
            Order::Max => Ok(()),
            Order::Min => Err(bad_input("this index is for minima; thalweg.Rmq(array, order=\"max\") is for maxima")),
        }
    }

    /// A batch of such answers, which reads the queries and the array.
    fn batch<'a>(
        &'a self,
        py: Python<'_>,
        (shape, wide): (&[usize], bool),
        what: What,
        out: Option<&Bound<'_, PyAny>>,
        queries: impl IntoIterator<Item = &'a Lent>,
    ) -> PyResult<Batch> {
        expect_usable(py, &self.index.chosen)?;
        let read = queries.into_iter().chain(&self.index.array);
        match what {
            What::Values => Batch::new(py, shape, &self.dtype(py)?, out, read),
            What::Positions => Batch::of_positions(py, shape, wide, out, read),
        }
    }

    /// Answers half-open ranges.
    fn ask<'py>(
        &self,
        py: Python<'py>,
        start: Option<&Bound<'py, PyAny>>,
        stop: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
        what: What,
    ) -> PyResult<Bound<'py, PyAny>> {
        if what == What::Values && !self.index.engine.has_values() {
            return Err(to_python(Error::NoValues { engine: self.index.engine.name() }));
        }
        let len = self.index.engine.len();
        let (zero, end);
        let start = match start {
            Some(start) => start,
            None => {
                zero = 0usize.into_pyobject(py)?.into_any();
                &zero
            }
        };
        let stop = match stop {
            Some(stop) => stop,
            None => {
                end = len.into_pyobject(py)?.into_any();
                &end
            }
        };
        match Asked::new(["start", "stop"], start, stop)? {
            Asked::One(start, stop) => {
                if out.is_some() {
                    return Err(bad_input("out: one query has no array of answers"));
                }
                if start < 0 || start >= stop || stop as u64 > len as u64 {
                    return Err(bad_range(None, start, stop, len));
                }
                self.one(py, start as usize, stop as usize - 1, what)
            }
            Asked::Many(columns) => {
                let (shape, wide) = (columns.shape.clone(), columns.is_wide());
                let batch = self.batch(py, (&shape, wide), what, out, columns.arrays())?;
                let index = self.index.clone();
                batch.run(py, half_open, move |out, stop| match (what, wide) {
                    (What::Positions, false) => index.positions::<u32>(&columns, out.slice(), stop),
                    (What::Positions, true) => index.positions::<u64>(&columns, out.slice(), stop),
                    (What::Values, false) => index.values::<u32>(&columns, out, stop),
                    (What::Values, true) => index.values::<u64>(&columns, out, stop),
                })
            }
        }
    }

    /// Answers one range, with inclusive bounds that are inside the array.
    fn one<'py>(&self, py: Python<'py>, left: usize, right: usize, what: What) -> PyResult<Bound<'py, PyAny>> {
        expect_usable(py, &self.index.chosen)?;
        // On the CPU an answer takes less time than letting go of the interpreter; looking at everything does not.
        let quick = self.index.is_on_cpu() && self.index.engine.name() != Engine::Naive.name();
        let index = &self.index;
        let find = || index.engine.try_position(left, right);
        let position = if quick { find() } else { py.detach(find) }.or_raise()?;
        match (what, &self.index.array) {
            (What::Positions, _) => Ok(position.into_pyobject(py)?.into_any()),
            (What::Values, Some(array)) => array.owner(py).get_item(position),
            (What::Values, None) => {
                let mut buffer = Buffer::new(py, &[1], &self.dtype(py)?)?;
                let at = [[position as u64; 2]];
                self.index.engine.values(Pairs::U64(&at), buffer.bits()).or_raise()?;
                buffer.into_array(py).get_item(0)
            }
        }
    }

    /// Answers inclusive ranges that lie in an array of pairs.
    fn ask_pairs<'py>(
        &self,
        py: Python<'py>,
        queries: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
        what: What,
    ) -> PyResult<Bound<'py, PyAny>> {
        if what == What::Values && !self.index.engine.has_values() {
            return Err(to_python(Error::NoValues { engine: self.index.engine.name() }));
        }
        let pairs = pairs("queries", queries)?;
        let (shape, wide) = ([pairs.len / 2], pairs.dtype.bytes == 8);
        let batch = self.batch(py, (&shape, wide), what, out, [&pairs])?;
        let index = self.index.clone();
        batch.run(py, inclusive, move |out, _| {
            let queries = if wide { Pairs::U64(pairs.slice()) } else { Pairs::U32(pairs.slice()) };
            match (what, wide) {
                (What::Values, _) => index.values_of_pairs(queries, out),
                (What::Positions, false) => index.engine.positions(queries, u32::buffer(out.slice())),
                (What::Positions, true) => index.engine.positions(queries, u64::buffer(out.slice())),
            }
        })
    }
}

#[pymethods]
impl Rmq {
    #[new]
    #[pyo3(signature = (array, order="min", engine=None, device="auto", copy=None, keep_array=true))]
    fn new(
        py: Python<'_>,
        array: &Bound<'_, PyAny>,
        order: &str,
        engine: Option<&str>,
        device: &str,
        copy: Option<bool>,
        keep_array: bool,
    ) -> PyResult<Self> {
        let array = Lent::new("array", array, Copy::from(copy))?;
        let order = named("order", order, &[("min", Order::Min), ("max", Order::Max)])?;
        let origin = Origin::Built { engine: engine.map(str::to_owned), device: device.to_owned(), keep_array };
        let engine: Option<Engine> = self::engine(engine)?;
        let builder = Builder::new().order(order).device(self::device(py, device)?).engine(engine);
        let index = call(py, Threads::All, move |_| {
            let (dtype, coding) = (array.dtype, array.dtype.coding(order));
            let reordered = array.reordered(order)?;
            let is_reordered = reordered.is_some();
            if !keep_array {
                let engine = engine.unwrap_or(Engine::BalancedParens);
                let bits = reordered.as_ref().map_or(array.bits(), |keys| Bits::of(keys));
                let engine = thalweg::rmq::build_without_array(bits, coding, engine)?;
                let chosen = Chosen::on_cpu(engine.name(), "the array is not kept");
                return Ok(Index { engine, array: None, dtype, is_reordered, order, chosen });
            }
            let keys = match reordered {
                Some(keys) => Array::of::<i64>(keys),
                // SAFETY: the index drops the engine before the array.
                None => unsafe { array.array() },
            };
            let (engine, chosen) = builder.build_bits(keys, coding)?;
            Ok(Index { engine, array: Some(array), dtype, is_reordered, order, chosen })
        })?;
        Ok(Self { index: Arc::new(index), origin })
    }

    /// Opens an index that was saved. Its file stays mapped and is read only where queries touch it.
    ///
    /// Args:
    ///     path: The file.
    ///     verify: Whether all of it is compared with its checksums first.
    ///
    /// >>> import numpy as np, thalweg, tempfile, os
    /// >>> path = os.path.join(tempfile.mkdtemp(), "a.thw")
    /// >>> thalweg.Rmq(np.array([5.0, 3.0, 8.0])).save(path)
    /// >>> thalweg.Rmq.open(path).argmin()
    /// 1
    #[classmethod]
    #[pyo3(signature = (path, verify=true))]
    fn open(_class: &Bound<'_, PyType>, py: Python<'_>, path: PathBuf, verify: bool) -> PyResult<Self> {
        let origin = Origin::Opened { path: path.clone(), verify };
        let index = call(py, Threads::All, move |_| {
            let stored = Stored::open(&path)?;
            if verify {
                stored.verify()?;
            }
            let (engine, header) = (stored.engine()?, stored.header());
            let dtype = Dtype::of_name(header.dtype).expect("a header has been checked");
            let chosen = Chosen::on_cpu(engine.name(), "the file is this engine's");
            Ok(Index { engine, array: None, dtype, is_reordered: false, order: header.order, chosen })
        })?;
        Ok(Self { index: Arc::new(index), origin })
    }

    /// Saves the index, with the array if it has one, in a file that `Rmq.open` and the command `thalweg rmq --index` read.
    ///
    /// The file is written beside its place and renamed. datetime64 and timedelta64 are saved as the int64 that they are,
    /// bool as uint8.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        if self.index.is_reordered && self.index.engine.has_values() {
            return Err(bad_input("save: the array has NaT, for which the file has no order; keep_array=False works"));
        }
        let index = self.index.clone();
        let name = index.dtype.library_name();
        call(py, Threads::All, move |_| Image::of(&*index.engine, name, index.order)?.save(&path))
    }

    /// Positions of the smallest elements of half-open ranges [start, stop), the leftmost where several are smallest; of the
    /// largest with order="max".
    ///
    /// Args:
    ///     start: An integer, or integers of any shape; None for the beginning.
    ///     stop: Likewise, the first position behind the range; None for the end. The two broadcast.
    ///     out: An array for the answers, of their shape and dtype.
    ///
    /// Returns:
    ///     An int for two ints. Otherwise int64, or int32 if start and stop have at most 32 bits.
    ///
    /// Raises:
    ///     QueryError: A range is empty or not inside the array; its `row` says which.
    ///
    /// >>> import numpy as np, thalweg
    /// >>> r = thalweg.Rmq(np.array([4, 2, 6, 2]))
    /// >>> r.argmin(), r.argmin(2, 4)
    /// (1, 3)
    /// >>> r.argmin([0, 2], 3)
    /// array([1, 2])
    #[pyo3(signature = (start=None, stop=None, out=None))]
    fn argmin<'py>(
        &self,
        py: Python<'py>,
        start: Option<&Bound<'py, PyAny>>,
        stop: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.ask(py, start, stop, out, What::Positions)
    }

    /// The smallest elements of half-open ranges [start, stop): as `argmin`, but the elements, in the array's dtype.
    ///
    /// >>> import numpy as np, thalweg
    /// >>> thalweg.Rmq(np.array([0.5, -1.0, 4.0])).min([0, 2], [2, 3])
    /// array([-1.,  4.])
    #[pyo3(signature = (start=None, stop=None, out=None))]
    fn min<'py>(
        &self,
        py: Python<'py>,
        start: Option<&Bound<'py, PyAny>>,
        stop: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.ask(py, start, stop, out, What::Values)
    }

    /// Positions for an array of pairs, of shape (queries, 2): *inclusive* bounds, read as they lie where they have 32 or 64
    /// bits. The answers have the same width.
    ///
    /// >>> import numpy as np, thalweg
    /// >>> thalweg.Rmq(np.array([4, 2, 6, 2])).argmin_pairs(np.array([[0, 3], [2, 2]]))
    /// array([1, 2])
    #[pyo3(signature = (queries, out=None))]
    fn argmin_pairs<'py>(
        &self,
        py: Python<'py>,
        queries: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.ask_pairs(py, queries, out, What::Positions)
    }

    /// The smallest elements for an array of pairs: as `argmin_pairs`, but the elements.
    ///
    /// >>> import numpy as np, thalweg
    /// >>> thalweg.Rmq(np.array([4, 2, 6, 2])).min_pairs(np.array([[0, 3], [2, 2]]))
    /// array([2, 6])
    #[pyo3(signature = (queries, out=None))]
    fn min_pairs<'py>(
        &self,
        py: Python<'py>,
        queries: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.ask_pairs(py, queries, out, What::Values)
    }

    /// `argmin` by the name that fits an index with order="max", where it finds the largest; an error on others.
    ///
    /// >>> import numpy as np, thalweg
    /// >>> thalweg.Rmq(np.array([4, 2, 6, 2]), order="max").argmax([0, 2], 4)
    /// array([2, 2])
    #[pyo3(signature = (start=None, stop=None, out=None))]
    fn argmax<'py>(
        &self,
        py: Python<'py>,
        start: Option<&Bound<'py, PyAny>>,
        stop: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.expect_maxima()?;
        self.argmin(py, start, stop, out)
    }

    /// `min` by the name that fits an index with order="max".
    ///
    /// >>> import numpy as np, thalweg
    /// >>> int(thalweg.Rmq(np.array([4, 2, 6, 2]), order="max").max(0, 2))
    /// 4
    #[pyo3(signature = (start=None, stop=None, out=None))]
    fn max<'py>(
        &self,
        py: Python<'py>,
        start: Option<&Bound<'py, PyAny>>,
        stop: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.expect_maxima()?;
        self.min(py, start, stop, out)
    }

    /// Positions of the k smallest elements of half-open ranges [start, stop), in ascending order of their values, the
    /// leftmost first where several are equal; of the largest, in descending order, with order="max".
    ///
    /// It takes time for k elements, however long the ranges are.
    ///
    /// Args:
    ///     start: An integer, or integers of any shape; None for the beginning.
    ///     stop: Likewise, the first position behind the range; None for the end. The two broadcast.
    ///     k: How many.
    ///     out: An array for the answers, of their shape and dtype.
    ///
    /// Returns:
    ///     Of one range, an array of at most k positions, all of them if it has fewer. Of many, an array with an axis of k more,
    ///     -1 where a range has fewer elements; int64, or int32 if start and stop have at most 32 bits.
    ///
    /// Raises:
    ///     QueryError: A range is empty or not inside the array; its `row` says which.
    ///
    /// >>> import numpy as np, thalweg
    /// >>> r = thalweg.Rmq(np.array([3, 1, 4, 1, 5, 9, 2, 6]))
    /// >>> r.smallest(2, 8, 3)
    /// array([3, 6, 2])
    /// >>> r.smallest([0, 6], 8, k=3)
    /// array([[ 1,  3,  6],
    ///        [ 6,  7, -1]])
    #[pyo3(signature = (start=None, stop=None, k=10, out=None))]
    fn smallest<'py>(
        &self,
        py: Python<'py>,
        start: Option<&Bound<'py, PyAny>>,
        stop: Option<&Bound<'py, PyAny>>,
        k: usize,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.ask_smallest(py, (start, stop), k, out)
    }

    /// Positions of all elements of half-open ranges [start, stop) that are not above a threshold, in ascending order; not
    /// below it with order="max".
    ///
    /// It takes time for what is found, however long the ranges are. NaN and NaT are above everything, and nothing is above
    /// them.
    ///
    /// Args:
    ///     start: An integer, or integers of any shape; None for the beginning.
    ///     stop: Likewise, the first position behind the range; None for the end. The two broadcast.
    ///     threshold: A number of the array's dtype; or one for every range.
    ///
    /// Returns:
    ///     Of one range, an array of positions. Of many, how many each has, and all of them one after the other; int64, or int32
    ///     if start and stop have at most 32 bits.
    ///
    /// Raises:
    ///     QueryError: A range is empty or not inside the array; its `row` says which.
    ///
    /// >>> import numpy as np, thalweg
    /// >>> r = thalweg.Rmq(np.array([3, 1, 4, 1, 5, 9, 2, 6]))
    /// >>> r.below(2, 8, 3)
    /// array([3, 6])
    /// >>> lengths, positions = r.below([0, 4], 8, [1, 5])
    /// >>> np.split(positions, np.cumsum(lengths)[:-1])
    /// [array([1, 3]), array([4, 6])]
    #[pyo3(signature = (start, stop, threshold))]
    fn below<'py>(
        &self,
        py: Python<'py>,
        start: Option<&Bound<'py, PyAny>>,
        stop: Option<&Bound<'py, PyAny>>,
        threshold: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.ask_below(py, (start, stop), threshold)
    }

    /// "min" or "max".
    #[getter]
    fn order(&self) -> &'static str {
        match self.index.order {
            Order::Min => "min",
            Order::Max => "max",
        }
    }

    /// Name of the engine.
    #[getter]
    fn engine(&self) -> &'static str {
        self.index.chosen.engine()
    }

    /// Name of the device: "cpu", or the GPU's.
    #[getter]
    fn device(&self) -> &str {
        self.index.chosen.device()
    }

    /// Which engine answers on which device, and why these.
    #[getter]
    fn chosen(&self) -> String {
        self.index.chosen.to_string()
    }

    /// Bytes of memory held in addition to the array.
    #[getter]
    fn nbytes(&self) -> usize {
        self.index.engine.extra_bytes()
    }

    /// The array, or None if the index lives without it.
    #[getter]
    fn array<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.index.array.as_ref().map(|array| array.owner(py).clone())
    }

    /// The dtype of the array and of the values.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.index.array {
            Some(array) => array.owner(py).getattr("dtype"),
            None => dtype(py, self.index.dtype.name()),
        }
    }

    fn __len__(&self) -> usize {
        self.index.engine.len()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let device = if self.index.is_on_cpu() { "the CPU" } else { self.index.chosen.device() };
        let (dtype, len) = (self.dtype(py)?, self.index.engine.len());
        Ok(format!("<thalweg.Rmq: {} of {len} {dtype}, {} on {device}>", self.order(), self.engine()))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, this) = (slf.py(), slf.get());
        let class = slf.get_type().into_any();
        match (&this.origin, &this.index.array) {
            (Origin::Opened { path, verify }, _) => Ok((class.getattr("open")?, (path, verify).into_pyobject(py)?)),
            (Origin::Built { engine, device, keep_array }, Some(array)) => {
                let none = None::<bool>;
                Ok((class, (array.owner(py), this.order(), engine, device, none, keep_array).into_pyobject(py)?))
            }
            (Origin::Built { .. }, None) => Err(PyTypeError::new_err(
                "an index without its array cannot be pickled; save it, and pickle the one that is opened",
            )),
        }
    }
}
