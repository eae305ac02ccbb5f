//! All nearest smaller values.

use pyo3::prelude::*;
use thalweg::ansv::{Builder, Engine, Relation, Sides};
use thalweg::{Position, Positions};
use thalweg_core::bits::Bits;
use thalweg_core::memory::filled;

use crate::array::{Copy, Lent};
use crate::device::{device, engine, named};
use crate::out;
use crate::work::{Threads, call};

/// For every element, the position of the nearest smaller element to its left, and to its right; -1 for none.
///
/// Args:
///     array: One dimension; bool, integers, float32, float64, datetime64 or timedelta64. NaN and NaT are larger than
///         everything (smaller, where greater ones are looked for).
///     side: "left", "right" or "both".
///     relation: "smaller", "not_larger" (equal ones count), "greater" or "not_smaller".
///     engine: How: "tiles" (the default), "stack", "berkman", "merging", "bsz", "thesis" (on GPUs) or "naive".
///     device: "auto", "cpu", "gpu", or a name of `thalweg.devices()`.
///     copy: As for `Rmq`.
///
/// Returns:
///     An array of int32, or int64 from 2^31 elements on; two of them, left and right, for "both".
///
/// >>> import numpy as np, thalweg
/// >>> left, right = thalweg.ansv(np.array([4, 2, 6, 2, 8]))
/// >>> left, right
/// (array([-1, -1,  1, -1,  3], dtype=int32), array([ 1, -1,  3, -1, -1], dtype=int32))
#[pyfunction]
#[pyo3(signature = (array, side="both", relation="smaller", *, engine=None, device="auto", copy=None))]
pub fn ansv<'py>(
    py: Python<'py>,
    array: &Bound<'py, PyAny>,
    side: &str,
    relation: &str,
    engine: Option<&str>,
    device: &str,
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    let array = Lent::new("array", array, Copy::from(copy))?;
    let (left, right) =
        named("side", side, &[("both", (true, true)), ("left", (true, false)), ("right", (false, true))])?;
    let relation = named("relation", relation, &Relation::ALL.map(|relation| (relation.name(), relation)))?;
    let engine: Option<Engine> = self::engine(engine)?;
    let builder = Builder::new().relation(relation).engine(engine).device(self::device(py, device)?);
    let (l, r) = call(py, Threads::All, move |_| {
        let order = relation.order();
        let (coding, reordered) = (array.dtype.coding(order), array.reordered(order)?);
        let bits = reordered.as_ref().map_or(array.bits(), |keys| Bits::of(keys));
        if u32::fits(bits.len()) {
            solve::<u32>(&builder, bits, coding, left, right)
        } else {
            solve::<u64>(&builder, bits, coding, left, right)
        }
    })?;
    match (left, right) {
        (true, true) => Ok((out::positions(py, l)?, out::positions(py, r)?).into_pyobject(py)?.into_any()),
        (true, false) => out::positions(py, l),
        _ => out::positions(py, r),
    }
}

fn solve<P: Position>(
    builder: &Builder,
    bits: Bits<'_>,
    coding: thalweg_core::Coding,
    left: bool,
    right: bool,
) -> thalweg::Result<(Positions, Positions)> {
    let side = |wanted, what| filled(if wanted { bits.len() } else { 0 }, P::default(), what);
    let (mut l, mut r) = (side(left, "left neighbours")?, side(right, "right neighbours")?);
    let sides = Sides { left: left.then_some(&mut l[..]), right: right.then_some(&mut r[..]) };
    builder.run_bits(bits, coding, sides)?;
    Ok((P::list(l), P::list(r)))
}
