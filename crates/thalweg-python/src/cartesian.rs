//! The Cartesian tree of an array.

use pyo3::prelude::*;
use thalweg::tree::CartesianBuilder;
use thalweg::{Key, Order, Position, Positions, Result};

use crate::array::{Copy, Lent, by_key};
use crate::device::{device, named};
use crate::out;
use crate::work::{Threads, call};

/// The Cartesian tree of an array: its smallest element is the root, what lies left of that the left subtree, what lies
/// right of it the right one, and so on.
///
/// Of equal elements the leftmost is the highest.
///
/// Args:
///     array: One dimension; bool, integers, float32, float64, datetime64 or timedelta64. NaN and NaT are larger than
///         everything (smaller, with order="max").
///     order: "min" or "max": whether the smallest or the largest element is the root.
///     device: "auto", "cpu", "gpu", or a name of `thalweg.devices()`.
///     copy: As for `Rmq`.
///
/// Returns:
///     CartesianTree: A named tuple of `parents`, `left` and `right` (children), arrays of int32, or int64 from 2^31
///     elements on, with -1 for none; and `root`, an int, -1 for an empty array. `Forest(tree.parents)` takes it on.
///
/// >>> import numpy as np, thalweg
/// >>> tree = thalweg.cartesian_tree(np.array([5, 3, 8, 1, 9, 1]))
/// >>> tree.root
/// 3
/// >>> tree.parents
/// array([ 1,  3,  1, -1,  5,  3], dtype=int32)
/// >>> int(tree.left[1]), int(tree.right[1])
/// (0, 2)
#[pyfunction]
#[pyo3(signature = (array, order="min", *, device="auto", copy=None))]
pub fn cartesian_tree<'py>(
    py: Python<'py>,
    array: &Bound<'py, PyAny>,
    order: &str,
    device: &str,
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    let array = Lent::new("array", array, Copy::from(copy))?;
    let order = named("order", order, &[("min", Order::Min), ("max", Order::Max)])?;
    let builder = CartesianBuilder::new().order(order).device(self::device(py, device)?);
    let tree = call(py, Threads::All, move |_| match array.reordered(order)? {
        Some(keys) => build(&builder, &keys),
        None => by_key!(array.dtype, K => build::<K>(&builder, array.slice())),
    })?;
    let root = tree.root.map_or(-1, |root| root as i64);
    let [parents, left, right] = tree.links.map(|links| out::positions(py, links));
    py.import("thalweg._trees")?.getattr("CartesianTree")?.call1((parents?, left?, right?, root))
}

struct Tree {
    links: [Positions; 3],
    root: Option<usize>,
}

fn build<K: Key>(builder: &CartesianBuilder, keys: &[K]) -> Result<Tree> {
    if u32::fits(keys.len()) { build_as::<u32, K>(builder, keys) } else { build_as::<u64, K>(builder, keys) }
}

fn build_as<P: Position, K: Key>(builder: &CartesianBuilder, keys: &[K]) -> Result<Tree> {
    let tree = builder.build::<P, K>(keys)?.into_inner();
    let root = tree.root();
    let [left, right] = tree.children()?;
    Ok(Tree { links: [tree.into_parents(), left, right].map(P::list), root })
}
