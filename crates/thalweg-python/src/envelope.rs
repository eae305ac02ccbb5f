//! Envelopes of segments.

use std::sync::Arc;

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use thalweg::Positions;
use thalweg::geometry::envelope::{Builder, Engine, Grid, Side};

use crate::array::{Copy, Kind, Lent, by_key};
use crate::device::{device, engine, named};
use crate::errors::{OrRaise, bad_input, bad_type};
use crate::out;
use crate::work::{Threads, call};

/// What is seen of segments from below or from above: pieces from left to right. `lower_envelope` and `upper_envelope` make it.
///
/// Piece i is a part of the segment `segments[i]` and goes from `starts[i]` to the start of the next piece, both included; a
/// segment of -1 is a gap. Calling the envelope tells its values.
///
/// >>> import numpy as np
/// >>> from thalweg.envelope import lower_envelope
/// >>> e = lower_envelope(np.array([[0, 0, 3, 3], [0, 2, 5, 0]]))
/// >>> e.starts, e.segments
/// (array([0.        , 1.42857143, 5.        ]), array([ 0,  1, -1], dtype=int32))
/// >>> e([1, 2, 9])
/// array([1. , 1.2, nan])
#[pyclass(frozen, module = "thalweg.envelope", name = "Envelope")]
pub struct Envelope {
    envelope: Arc<thalweg::geometry::envelope::Envelope>,
    starts: Py<PyAny>,
    segments: Py<PyAny>,
    /// For pickling.
    array: Lent,
    engine: Option<String>,
}

const SIDES: [(&str, Side); 2] = [("lower", Side::Lower), ("upper", Side::Upper)];

fn name_of(side: Side) -> &'static str {
    SIDES.iter().find(|(_, known)| *known == side).map_or("", |(name, _)| name)
}

impl Envelope {
    fn build(
        py: Python<'_>,
        segments: &Bound<'_, PyAny>,
        side: Side,
        engine: Option<&str>,
        device: &str,
    ) -> PyResult<Self> {
        let array = Lent::rows("segments", segments, 4)?;
        let asked: Option<Engine> = self::engine(engine)?;
        let builder = Builder::new().side(side).engine(asked).device(self::device(py, device)?);
        let rows = array.clone();
        let (envelope, starts, ids) = call(py, Threads::All, move |_| {
            let envelope = by_key!(rows.dtype, K => builder.pieces::<K>(rows.slice()))?.into_inner();
            let (starts, ids) = (envelope.starts().to_vec(), envelope.ids().to_vec());
            Ok((envelope, starts, ids))
        })?;
        let starts = out::array(py, starts);
        let segments = out::positions_below(py, Positions::U32(ids), array.len / 4)?;
        for kept in [&starts, &segments] {
            kept.call_method1("setflags", (false,))?;
        }
        let (starts, segments) = (starts.unbind(), segments.unbind());
        Ok(Self { envelope: Arc::new(envelope), starts, segments, array, engine: engine.map(str::to_owned) })
    }
}

/// The lower envelope of segments: which one is the lowest, from where to where. Exact, for any input.
///
/// Args:
///     segments: Shape (n, 4), rows x1, y1, x2, y2 with the ends in any order: integers, float32 or float64. Segments are
///         closed, and may cross, overlap, be vertical or points. Floats may go on for ever, with the slope in place of y beside
///         an infinite x: (x, y, inf, m) and (-inf, m, x, y) are rays, (-inf, m, inf, b) is the line y = m x + b.
///     engine: How: "merge" (the default), "sweep" or "naive".
///     device: "auto", "cpu", or a GPU, which has no pieces: `raster` has.
///
/// Returns:
///     An `Envelope`.
///
/// Raises:
///     InputError: A row is no segment; its `element` says which.
///
/// >>> import numpy as np
/// >>> from thalweg.envelope import lower_envelope
/// >>> inf = np.inf
/// >>> lower_envelope(np.array([[-inf, 1, inf, 0], [-inf, -1, inf, 4]])).starts
/// array([-inf,   2.])
#[pyfunction]
#[pyo3(signature = (segments, *, engine=None, device="auto"))]
pub fn lower_envelope(
    py: Python<'_>,
    segments: &Bound<'_, PyAny>,
    engine: Option<&str>,
    device: &str,
) -> PyResult<Envelope> {
    Envelope::build(py, segments, Side::Lower, engine, device)
}

/// The upper envelope of segments: as `lower_envelope`, but which one is the highest.
///
/// >>> import numpy as np
/// >>> from thalweg.envelope import upper_envelope
/// >>> upper_envelope(np.array([[0, 0, 3, 3], [0, 2, 5, 0]])).segments
/// array([ 1,  0,  1, -1], dtype=int32)
#[pyfunction]
#[pyo3(signature = (segments, *, engine=None, device="auto"))]
pub fn upper_envelope(
    py: Python<'_>,
    segments: &Bound<'_, PyAny>,
    engine: Option<&str>,
    device: &str,
) -> PyResult<Envelope> {
    Envelope::build(py, segments, Side::Upper, engine, device)
}

/// An envelope at every whole number of a range: its values, and of which segments they are.
///
/// Args:
///     segments: As for `lower_envelope`.
///     start: The first number.
///     stop: The first number behind the range.
///     side: "lower" or "upper".
///     engine: How: "raster" (the default) or "naive".
///     device: "auto", "cpu", "gpu" (coordinates of int32), or a name of `thalweg.devices()`.
///
/// Returns:
///     Values, float64 and NaN in gaps; and segments, int32 and -1 in gaps. Where several are equally low it is the first.
///
/// >>> import numpy as np
/// >>> from thalweg.envelope import raster
/// >>> raster(np.array([[0, 0, 3, 3], [0, 2, 5, 0]]), 0, 7)
/// (array([0. , 1. , 1.2, 0.8, 0.4, 0. , nan]), array([ 0,  0,  1,  1,  1,  1, -1], dtype=int32))
#[pyfunction]
#[pyo3(signature = (segments, start, stop, side="lower", *, engine=None, device="auto"))]
pub fn raster<'py>(
    py: Python<'py>,
    segments: &Bound<'py, PyAny>,
    start: i64,
    stop: i64,
    side: &str,
    engine: Option<&str>,
    device: &str,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let segments = Lent::rows("segments", segments, 4)?;
    let engine: Option<Engine> = self::engine(engine)?;
    let builder = Builder::new().side(named("side", side, &SIDES)?).engine(engine).device(self::device(py, device)?);
    let len = usize::try_from(i128::from(stop) - i128::from(start))
        .map_err(|_| bad_input(format!("raster: {stop} lies before {start}")))?;
    let grid = Grid::new(start, len).or_raise()?;
    let count = segments.len / 4;
    let raster = call(py, Threads::All, move |_| {
        Ok(by_key!(segments.dtype, K => builder.raster::<K>(segments.slice(), grid))?.into_inner())
    })?;
    Ok((out::array(py, raster.values), out::positions_below(py, Positions::U32(raster.ids), count)?))
}

#[pymethods]
impl Envelope {
    /// Where the pieces begin: float64, ascending, the nearest to what `exact_start` tells.
    #[getter]
    fn starts<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.starts.bind(py).clone()
    }

    /// Of which segments the pieces are; -1 for a gap. Where segments lie on each other it is the first of them.
    #[getter]
    fn segments<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.segments.bind(py).clone()
    }

    /// "lower" or "upper".
    #[getter]
    fn side(&self) -> &'static str {
        name_of(self.envelope.side())
    }

    /// Where a piece begins, as a `fractions.Fraction`; None at minus infinity.
    ///
    /// >>> import numpy as np
    /// >>> from thalweg.envelope import lower_envelope
    /// >>> lower_envelope(np.array([[0, 0, 3, 3], [0, 2, 5, 0]])).exact_start(1)
    /// Fraction(10, 7)
    fn exact_start<'py>(&self, py: Python<'py>, piece: isize) -> PyResult<Option<Bound<'py, PyAny>>> {
        let len = self.envelope.len();
        let at = if piece < 0 { piece.wrapping_add(len as isize) } else { piece };
        if at < 0 || at as usize >= len {
            return Err(PyIndexError::new_err(format!("there is no piece {piece} of {len}")));
        }
        let Some(start) = self.envelope.exact_start(at as usize) else { return Ok(None) };
        py.import("fractions")?.getattr("Fraction")?.call1((start.to_string(),)).map(Some)
    }

    /// The envelope's values at some x, in any order and shape.
    ///
    /// Args:
    ///     x: A number or an array of integers, float32 or float64.
    ///
    /// Returns:
    ///     The nearest float64, NaN in gaps; a float for a number.
    #[pyo3(signature = (x, /))]
    fn __call__<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (xs, shape) = Lent::of_any_shape("x", x, Copy::IfNeeded)?;
        if matches!(xs.dtype.kind, Kind::Bool | Kind::Time) {
            return Err(bad_type("x: numbers are needed"));
        }
        let envelope = self.envelope.clone();
        let values = call(py, Threads::All, move |_| by_key!(xs.dtype, K => envelope.values_at::<K>(xs.slice())))?;
        if shape.is_empty() {
            return Ok(values[0].into_pyobject(py)?.into_any());
        }
        out::shaped(&out::array(py, values), &shape)
    }

    fn __len__(&self) -> usize {
        self.envelope.len()
    }

    fn __repr__(&self) -> String {
        format!(
            "<thalweg.envelope.Envelope: {}, {} pieces of {} segments>",
            self.side(),
            self.envelope.len(),
            self.array.len / 4
        )
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, this) = (slf.py(), slf.get());
        let make = py.import("thalweg.envelope")?.getattr("_restore")?;
        Ok((make, (this.array.owner(py), this.side(), &this.engine).into_pyobject(py)?))
    }
}
