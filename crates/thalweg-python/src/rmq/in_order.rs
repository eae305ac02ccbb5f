//! Elements of ranges in order: the smallest, and those that are not above a threshold.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use thalweg::{Order, Pairs, Position, Positions};
use thalweg_core::Rank;
use thalweg_core::bits::Bits;

use super::{Rmq, bad_range, half_open};
use crate::array::{Copy, Kind, Lent};
use crate::device::expect_usable;
use crate::errors::bad_input;
use crate::out::{array, signed, signed64};
use crate::queries::Asked;
use crate::work::{Threads, call};

impl Rmq {
    /// The bounds that were asked for, with those of the array where there are none.
    fn bounds<'py>(
        &self,
        py: Python<'py>,
        start: Option<&Bound<'py, PyAny>>,
        stop: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Asked> {
        let (zero, end) = (0usize.into_pyobject(py)?.into_any(), self.index.engine.len().into_pyobject(py)?.into_any());
        Asked::new(["start", "stop"], start.unwrap_or(&zero), stop.unwrap_or(&end))
    }

    /// One range by inclusive bounds, if it is inside the array.
    fn one_range(&self, start: i64, stop: i64) -> PyResult<[u64; 2]> {
        let len = self.index.engine.len();
        if start < 0 || start >= stop || stop as u64 > len as u64 {
            return Err(bad_range(None, start, stop, len));
        }
        Ok([start as u64, stop as u64 - 1])
    }

    pub(super) fn ask_smallest<'py>(
        &self,
        py: Python<'py>,
        (start, stop): (Option<&Bound<'py, PyAny>>, Option<&Bound<'py, PyAny>>),
        k: usize,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let coding = self.index.dtype.coding(self.index.order);
        let index = self.index.clone();
        match self.bounds(py, start, stop)? {
            Asked::One(start, stop) => {
                let range = self.one_range(start, stop)?;
                let told = k.min((stop - start) as usize);
                let batch = self.batch(py, (&[told], true), super::What::Positions, out, [])?;
                batch.run(py, half_open, move |out, _| {
                    index.engine.smallest(coding, Pairs::U64(&[range]), told, u64::buffer(out.slice()))
                })
            }
            Asked::Many(columns) => {
                let mut shape = columns.shape.clone();
                shape.push(k);
                let wide = columns.is_wide();
                let batch = self.batch(py, (&shape, wide), super::What::Positions, out, columns.arrays())?;
                batch.run(py, half_open, move |out, _| {
                    let question = index.question();
                    if wide {
                        let pairs = columns.all_pairs::<u64>(question)?;
                        index.engine.smallest(coding, Pairs::U64(&pairs), k, u64::buffer(out.slice()))
                    } else {
                        let pairs = columns.all_pairs::<u32>(question)?;
                        index.engine.smallest(coding, Pairs::U32(&pairs), k, u32::buffer(out.slice()))
                    }
                })
            }
        }
    }

    pub(super) fn ask_below<'py>(
        &self,
        py: Python<'py>,
        (start, stop): (Option<&Bound<'py, PyAny>>, Option<&Bound<'py, PyAny>>),
        threshold: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        expect_usable(py, &self.index.chosen)?;
        let coding = self.index.dtype.coding(self.index.order);
        let index = self.index.clone();
        match self.bounds(py, start, stop)? {
            Asked::One(start, stop) => {
                let range = self.one_range(start, stop)?;
                let thresholds = self.thresholds(py, threshold, &[])?;
                let [_, positions] = call(py, Threads::All, move |_| {
                    Ok(index.engine.below(coding, Pairs::U64(&[range]), thresholds.bits()))
                })?
                .map_err(half_open)?;
                Ok(as_array(py, positions))
            }
            Asked::Many(columns) => {
                let shape = columns.shape.clone();
                let thresholds = self.thresholds(py, threshold, &shape)?;
                let found = call(py, Threads::All, move |_| {
                    let ask = || {
                        if columns.is_wide() {
                            let pairs = columns.all_pairs::<u64>(index.question())?;
                            index.engine.below(coding, Pairs::U64(&pairs), thresholds.bits())
                        } else {
                            let pairs = columns.all_pairs::<u32>(index.question())?;
                            index.engine.below(coding, Pairs::U32(&pairs), thresholds.bits())
                        }
                    };
                    Ok(ask())
                })?;
                let [lengths, positions] = found.map_err(half_open)?.map(|list| as_array(py, list));
                let lengths = crate::out::shaped(&lengths, &shape)?;
                Ok(PyTuple::new(py, [lengths, positions])?.into_any())
            }
        }
    }

    /// Thresholds in the array's type: one for all, or one for every query.
    fn thresholds(&self, py: Python<'_>, given: &Bound<'_, PyAny>, shape: &[usize]) -> PyResult<Thresholds> {
        let numpy = py.import(intern!(py, "numpy"))?;
        let converted = of_dtype("threshold", given, &self.dtype(py)?, self.index.dtype.kind)?;
        let own: Vec<usize> = converted.getattr("shape")?.extract()?;
        let spread = if own.iter().product::<usize>() == 1 && own.len() <= shape.len() {
            converted.call_method1("reshape", (1,))?
        } else {
            let spread = numpy.call_method1("broadcast_to", (&converted, PyTuple::new(py, shape)?));
            let spread = spread.map_err(|_| {
                bad_input(format!("threshold of shape {own:?} and ranges of {shape:?} do not go together"))
            })?;
            numpy.call_method1("ascontiguousarray", (spread,))?.call_method1("reshape", (-1,))?
        };
        let lent = Lent::new("threshold", &spread, Copy::IfNeeded)?;
        let is_plain_time = self.index.dtype.kind == Kind::Time && self.index.order == Order::Min;
        if !is_plain_time {
            return Ok(Thresholds::Lent(lent));
        }
        // NaT is the smallest integer, and above everything; an array that has some is compared by one less.
        let by = i64::from(self.index.is_reordered);
        let key = |&time: &i64| if time == i64::MIN { i64::MAX } else { time - by };
        Ok(Thresholds::Made(lent.slice::<i64>().iter().map(key).collect()))
    }
}

/// Numbers in the dtype of an array. One that the type does not have is refused, but for floats, which are rounded.
pub(super) fn of_dtype<'py>(
    what: &str,
    given: &Bound<'py, PyAny>,
    dtype: &Bound<'py, PyAny>,
    kind: Kind,
) -> PyResult<Bound<'py, PyAny>> {
    let py = given.py();
    let numpy = py.import(intern!(py, "numpy"))?;
    let bad = || bad_input(format!("{what}: not of the array's dtype {dtype}"));
    let plain = numpy.call_method1("asarray", (given,)).map_err(|_| bad())?;
    let options = PyDict::new(py);
    options.set_item("dtype", dtype)?;
    let converted = numpy.call_method("asarray", (given,), Some(&options)).map_err(|_| bad())?;
    if kind != Kind::Float && !plain.getattr("dtype")?.eq(dtype)? {
        let options = PyDict::new(py);
        options.set_item("equal_nan", kind == Kind::Time)?;
        // A date in words is no array of dates, and means itself.
        let words = plain.getattr("dtype")?.getattr("kind")?.extract::<String>()?;
        let is_text = words == "U" || words == "O";
        let same = numpy.call_method("array_equal", (&plain, &converted), Some(&options));
        if !is_text && !same.and_then(|same| same.extract::<bool>()).unwrap_or(false) {
            return Err(bad());
        }
    }
    Ok(converted)
}

enum Thresholds {
    Lent(Lent),
    Made(Vec<i64>),
}

impl Thresholds {
    fn bits(&self) -> Bits<'_> {
        match self {
            Self::Lent(lent) => lent.bits(),
            Self::Made(keys) => u64::erase(bytemuck::cast_slice(keys)),
        }
    }
}

/// Numbers in the width that the queries have.
fn as_array(py: Python<'_>, list: Positions) -> Bound<'_, PyAny> {
    match list {
        Positions::U32(list) => array(py, signed(list)),
        Positions::U64(list) => array(py, signed64(list)),
    }
}
