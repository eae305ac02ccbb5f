//! Convex hulls.

use pyo3::prelude::*;
use thalweg::geometry::hull::{Builder, Engine};

use crate::array::{Lent, by_key};
use crate::device::{device, engine};
use crate::out;
use crate::work::{Threads, call};

/// The convex hull of points in the plane, exact: positions of its corners, counter-clockwise from the smallest point (by x,
/// then y).
///
/// No tolerance anywhere: of points on a line the corners are the two ends, of equal points the first one is told, and points
/// that are apart in the last bit are different points.
///
/// Args:
///     points: Shape (n, 2): integers, float32 or float64.
///     boundary: Whether all points on the boundary are told, each place once, not only the corners.
///     engine: How: "slabs" (the default), "chains", "wagener", "graham" or "naive".
///     device: "auto", "cpu", "gpu", or a name of `thalweg.devices()`.
///
/// Returns:
///     Positions in `points`: int32, or int64 from 2^31 points on.
///
/// Raises:
///     InputError: A coordinate is NaN or infinite; its `element` says which point.
///
/// >>> import numpy as np
/// >>> from thalweg.hull import convex_hull
/// >>> convex_hull(np.array([[1.0, 1.0], [0.0, 0.0], [2.0, 0.0], [1.0, 0.5]]))
/// array([1, 2, 0], dtype=int32)
#[pyfunction]
#[pyo3(signature = (points, boundary=false, *, engine=None, device="auto"))]
pub fn convex_hull<'py>(
    py: Python<'py>,
    points: &Bound<'py, PyAny>,
    boundary: bool,
    engine: Option<&str>,
    device: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let points = Lent::rows("points", points, 2)?;
    let engine: Option<Engine> = self::engine(engine)?;
    let builder = Builder::new().boundary(boundary).engine(engine).device(self::device(py, device)?);
    let len = points.len / 2;
    let corners = call(py, Threads::All, move |_| {
        by_key!(points.dtype, K => builder.hull::<K>(points.slice())).map(|hull| hull.into_inner())
    })?;
    out::positions_below(py, corners, len)
}
