//! An index that owns its array and changes with it.
//!
//! Threads of Python may ask and change at once. Who asks takes a share of the index, who changes it takes all of it: they wait
//! for each other, with the interpreter let go, and can be interrupted while they wait.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use thalweg::Error;
use thalweg::rmq::{Builder, ChangingEngine};
use thalweg_core::bits::{Array, Bits, BitsMut};
use thalweg_core::by_width;

use super::in_order::of_dtype;
use super::{Index, Origin, Rmq};
use crate::array::{Copy, Kind, Lent};
use crate::device::{device, named};
use crate::errors::{bad_input, bad_type, internal};
use crate::out::Buffer;
use crate::queries::Places;
use crate::work::{Threads, call, call_to_the_end};
use thalweg::Order;

/// How long somebody who waits sleeps.
const NAP: Duration = Duration::from_micros(200);

/// Where the index is.
enum Slot {
    /// Here, and shared with those who ask.
    Here(Arc<Index>),
    /// With somebody who changes it.
    Away,
    /// Nowhere: a change has panicked.
    Lost,
}

/// Takes an index back to its slot, unless what was done to it has panicked.
struct Return {
    slot: Arc<Mutex<Slot>>,
    index: Option<Index>,
}

impl Drop for Return {
    fn drop(&mut self) {
        let back = match self.index.take() {
            Some(index) if !std::thread::panicking() => Slot::Here(Arc::new(index)),
            _ => Slot::Lost,
        };
        *self.slot.lock().unwrap_or_else(|e| e.into_inner()) = back;
    }
}

/// An index of range minima that owns its array and follows its changes: elements that are set, elements that are appended.
///
/// It answers all that `Rmq` does, as fast, between the changes. Setting many elements at once is faster than one by one, and
/// one element costs no more than looking at a few others.
///
/// Args:
///     array: One dimension; bool, integers, float32 or float64. It is copied.
///     order: "min" or "max": whether smallest or largest elements are asked for.
///     device: "auto", "cpu", "gpu", or an adapter's name or number. On a GPU use arrays of changes: a single one takes a trip there.
///
/// >>> import numpy as np, thalweg
/// >>> r = thalweg.ChangingRmq(np.array([31, 41, 59, 26]))
/// >>> r.argmin()
/// 3
/// >>> r.set(2, 5)
/// >>> r.append([35, 89])
/// >>> r.argmin(), int(r.min(3))
/// (2, 26)
/// >>> r.set([2, 5, 2], [97, 9, 3])
/// >>> r.array
/// array([31, 41,  3, 26, 35,  9])
#[pyclass(frozen, module = "thalweg", name = "ChangingRmq")]
pub struct ChangingRmq {
    slot: Arc<Mutex<Slot>>,
    device: String,
}

impl ChangingRmq {
    /// Waits a little. Others may use the interpreter, and Ctrl-C ends it.
    fn nap(py: Python<'_>) -> PyResult<()> {
        py.detach(|| std::thread::sleep(NAP));
        py.check_signals()
    }

    /// A share of the index, as one that does not change while it is there.
    fn rmq(&self, py: Python<'_>) -> PyResult<Rmq> {
        loop {
            // Never held for long, and never by somebody who waits for the interpreter.
            match &*self.slot.lock().unwrap_or_else(|e| e.into_inner()) {
                Slot::Here(index) => {
                    let origin = Origin::Built { engine: None, device: self.device.clone(), keep_array: true };
                    return Ok(Rmq { index: index.clone(), origin });
                }
                Slot::Away => {}
                Slot::Lost => return Err(internal("a change of this index has failed")),
            }
            Self::nap(py)?;
        }
    }

    /// Changes the index, once nobody asks it any more.
    fn change(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn ChangingEngine) -> thalweg::Result<()> + Send + 'static,
    ) -> PyResult<()> {
        let index = loop {
            {
                let mut slot = self.slot.lock().unwrap_or_else(|e| e.into_inner());
                match std::mem::replace(&mut *slot, Slot::Away) {
                    Slot::Here(shared) => match Arc::try_unwrap(shared) {
                        Ok(index) => break index,
                        Err(shared) => *slot = Slot::Here(shared),
                    },
                    Slot::Away => {}
                    Slot::Lost => {
                        *slot = Slot::Lost;
                        return Err(internal("a change of this index has failed"));
                    }
                }
            }
            Self::nap(py)?;
        };
        let mut back = Return { slot: self.slot.clone(), index: Some(index) };
        call_to_the_end(py, move |_| {
            let engine = back.index.as_mut().and_then(|index| index.engine.as_changing());
            work(engine.expect("an engine that follows changes"))
        })
    }

    /// Numbers of the array's dtype.
    fn numbers(&self, py: Python<'_>, what: &str, values: &Bound<'_, PyAny>) -> PyResult<Lent> {
        let rmq = self.rmq(py)?;
        let converted = of_dtype(what, values, &rmq.dtype(py)?, rmq.index.dtype.kind)?;
        Ok(Lent::of_any_shape(what, &converted, Copy::IfNeeded)?.0)
    }
}

#[pymethods]
impl ChangingRmq {
    #[new]
    #[pyo3(signature = (array, order="min", device="auto"))]
    fn new(py: Python<'_>, array: &Bound<'_, PyAny>, order: &str, device: &str) -> PyResult<Self> {
        let array = Lent::new("array", array, Copy::IfNeeded)?;
        if array.dtype.kind == Kind::Time {
            let advice = "use .view(np.int64), in which NaT is the smallest number";
            return Err(bad_type(format!("array: times do not change here; {advice}")));
        }
        let order = named("order", order, &[("min", Order::Min), ("max", Order::Max)])?;
        let builder = Builder::new().order(order).device(self::device(py, device)?);
        let index = call(py, Threads::All, move |_| {
            let dtype = array.dtype;
            // What is lent is copied.
            let lent = by_width!(Bits, array.bits(), bits => Array::of(bits));
            let (engine, chosen) = builder.build_changing_bits(lent, dtype.coding(order))?;
            Ok(Index { engine, array: None, dtype, is_reordered: false, order, chosen })
        })?;
        Ok(Self { slot: Arc::new(Mutex::new(Slot::Here(Arc::new(index)))), device: device.to_owned() })
    }

    /// Sets elements. Where a position is there several times the last one wins.
    ///
    /// Args:
    ///     positions: An integer, or integers of any shape.
    ///     values: As many numbers of the array's dtype, or one for all positions.
    ///
    /// Raises:
    ///     InputError: A position is not inside the array (`element` says which), or a number is not of the dtype. Then nothing
    ///         has changed.
    ///
    /// >>> import numpy as np, thalweg
    /// >>> r = thalweg.ChangingRmq(np.zeros(5), order="max")
    /// >>> r.set([1, 3], [2.5, 7.0])
    /// >>> r.set(3, -1.0)
    /// >>> r.argmax()
    /// 1
    fn set(&self, py: Python<'_>, positions: &Bound<'_, PyAny>, values: &Bound<'_, PyAny>) -> PyResult<()> {
        let positions = Places::new("positions", positions)?;
        let mut values = self.numbers(py, "values", values)?;
        if values.len == 1 && positions.len() != 1 {
            let all = py.import("numpy")?.call_method1("repeat", (values.owner(py), positions.len()))?;
            values = Lent::new("values", &all, Copy::IfNeeded)?;
        }
        if values.len != positions.len() {
            return Err(bad_input(format!("values: {} for {} positions", values.len, positions.len())));
        }
        self.change(py, move |engine| engine.set_batch(positions.view(), values.bits()))
    }

    /// Appends elements.
    ///
    /// Args:
    ///     values: A number of the array's dtype, or numbers of any shape.
    ///
    /// >>> import thalweg
    /// >>> r = thalweg.ChangingRmq([4, 2])
    /// >>> r.append([1, 8])
    /// >>> len(r), r.argmin()
    /// (4, 2)
    fn append(&self, py: Python<'_>, values: &Bound<'_, PyAny>) -> PyResult<()> {
        let values = self.numbers(py, "values", values)?;
        self.change(py, move |engine| engine.append(values.bits()))
    }

    /// Makes room for so many elements in all: what is appended up to there moves nothing.
    ///
    /// >>> import thalweg
    /// >>> r = thalweg.ChangingRmq([4, 2])
    /// >>> r.reserve(1000)
    fn reserve(&self, py: Python<'_>, len: usize) -> PyResult<()> {
        self.change(py, move |engine| engine.reserve(len))
    }

    /// Positions of the smallest elements of half-open ranges; as `Rmq.argmin`.
    ///
    /// >>> import thalweg
    /// >>> thalweg.ChangingRmq([4, 2, 6, 2]).argmin([0, 2], 4)
    /// array([1, 3])
    #[pyo3(signature = (start=None, stop=None, out=None))]
    fn argmin<'py>(
        &self,
        py: Python<'py>,
        start: Option<&Bound<'py, PyAny>>,
        stop: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.rmq(py)?.argmin(py, start, stop, out)
    }

    /// The smallest elements of half-open ranges; as `Rmq.min`.
    ///
    /// >>> import thalweg
    /// >>> thalweg.ChangingRmq([4, 2, 6, 2]).min([0, 2], 3)
    /// array([2, 6])
    #[pyo3(signature = (start=None, stop=None, out=None))]
    fn min<'py>(
        &self,
        py: Python<'py>,
        start: Option<&Bound<'py, PyAny>>,
        stop: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.rmq(py)?.min(py, start, stop, out)
    }

    /// `argmin` by the name that fits order="max"; as `Rmq.argmax`.
    #[pyo3(signature = (start=None, stop=None, out=None))]
    fn argmax<'py>(
        &self,
        py: Python<'py>,
        start: Option<&Bound<'py, PyAny>>,
        stop: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.rmq(py)?.argmax(py, start, stop, out)
    }

    /// `min` by the name that fits order="max"; as `Rmq.max`.
    #[pyo3(signature = (start=None, stop=None, out=None))]
    fn max<'py>(
        &self,
        py: Python<'py>,
        start: Option<&Bound<'py, PyAny>>,
        stop: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.rmq(py)?.max(py, start, stop, out)
    }

    /// Positions for an array of pairs with *inclusive* bounds; as `Rmq.argmin_pairs`.
    #[pyo3(signature = (queries, out=None))]
    fn argmin_pairs<'py>(
        &self,
        py: Python<'py>,
        queries: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.rmq(py)?.argmin_pairs(py, queries, out)
    }

    /// The smallest elements for an array of pairs; as `Rmq.min_pairs`.
    #[pyo3(signature = (queries, out=None))]
    fn min_pairs<'py>(
        &self,
        py: Python<'py>,
        queries: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.rmq(py)?.min_pairs(py, queries, out)
    }

    /// Positions of the k smallest elements of half-open ranges, in order; as `Rmq.smallest`.
    #[pyo3(signature = (start=None, stop=None, k=10, out=None))]
    fn smallest<'py>(
        &self,
        py: Python<'py>,
        start: Option<&Bound<'py, PyAny>>,
        stop: Option<&Bound<'py, PyAny>>,
        k: usize,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.rmq(py)?.smallest(py, start, stop, k, out)
    }

    /// Positions of all elements of half-open ranges that are not above a threshold; as `Rmq.below`.
    #[pyo3(signature = (start, stop, threshold))]
    fn below<'py>(
        &self,
        py: Python<'py>,
        start: Option<&Bound<'py, PyAny>>,
        stop: Option<&Bound<'py, PyAny>>,
        threshold: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.rmq(py)?.below(py, start, stop, threshold)
    }

    /// "min" or "max".
    #[getter]
    fn order(&self, py: Python<'_>) -> PyResult<&'static str> {
        Ok(self.rmq(py)?.order())
    }

    /// Which engine answers on which device, and why these.
    #[getter]
    fn chosen(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.rmq(py)?.chosen())
    }

    /// Bytes of memory held in addition to the array.
    #[getter]
    fn nbytes(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.rmq(py)?.nbytes())
    }

    /// The array as it is now: a copy.
    #[getter]
    fn array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rmq = self.rmq(py)?;
        let mut copy = Buffer::new(py, &[rmq.index.engine.len()], &rmq.dtype(py)?)?;
        let index = rmq.index.clone();
        let copy = call(py, Threads::All, move |_| {
            let array = index.engine.array().ok_or(Error::NoValues { engine: index.engine.name() })?;
            match (array, copy.bits()) {
                (Bits::U8(from), BitsMut::U8(to)) => to.copy_from_slice(from),
                (Bits::U16(from), BitsMut::U16(to)) => to.copy_from_slice(from),
                (Bits::U32(from), BitsMut::U32(to)) => to.copy_from_slice(from),
                (Bits::U64(from), BitsMut::U64(to)) => to.copy_from_slice(from),
                _ => unreachable!("both are of the array's width"),
            }
            Ok(copy)
        })?;
        Ok(copy.into_array(py))
    }

    /// The dtype of the array and of the values.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.rmq(py)?.dtype(py)
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.rmq(py)?.index.engine.len())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let rmq = self.rmq(py)?;
        let (dtype, len) = (rmq.dtype(py)?, rmq.index.engine.len());
        Ok(format!("<thalweg.ChangingRmq: {} of {len} {dtype}, {}>", rmq.order(), rmq.engine()))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, this) = (slf.py(), slf.get());
        let state = (this.array(py)?, this.order(py)?, &this.device).into_pyobject(py)?;
        Ok((slf.get_type().into_any(), state))
    }
}
