//! Maximum matchings.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rayon::prelude::*;
use thalweg::graph::Graph;
use thalweg::graph::matching::{Builder, Engine, Label, TutteOptions, verify_pairs};
use thalweg::{Error, Pairs, Positions};

use crate::array::{Copy, Kind, Lent};
use crate::device::{device, engine};
use crate::errors::{bad_element, bad_input, to_python};
use crate::out;
use crate::queries::{integers, pairs};
use crate::work::{Threads, call};

/// Edges: an array of pairs, or a sparse matrix, which also tells the number of vertices.
fn edges(object: &Bound<'_, PyAny>) -> PyResult<(Lent, Option<usize>)> {
    let py = object.py();
    if !object.hasattr("tocoo")? {
        return Ok((pairs("edges", object)?, None));
    }
    let (rows, columns): (usize, usize) = object.getattr("shape")?.extract()?;
    if rows != columns {
        return Err(bad_input(format!("edges: a matrix of {rows} x {columns}, where neighbours need a square one")));
    }
    let coo = object.call_method0("tocoo")?;
    let sides = PyTuple::new(py, [coo.getattr("row")?, coo.getattr("col")?])?;
    let stacked = py.import("numpy")?.call_method1("stack", (sides, 1))?;
    Ok((pairs("edges", &stacked)?, Some(rows)))
}

/// Refuses numbers below 0, which would be large ones without their signs.
fn expect_no_sign(edges: &Lent) -> Result<(), usize> {
    let negative = match (edges.dtype.kind, edges.dtype.bytes) {
        (Kind::Signed, 4) => edges.slice::<i32>().par_iter().position_first(|&v| v < 0),
        (Kind::Signed, _) => edges.slice::<i64>().par_iter().position_first(|&v| v < 0),
        _ => None,
    };
    negative.map_or(Ok(()), |at| Err(at / 2))
}

fn view(edges: &Lent) -> Pairs<'_> {
    if edges.dtype.bytes == 4 { Pairs::U32(edges.slice()) } else { Pairs::U64(edges.slice()) }
}

/// What went wrong with the edges.
enum Wrong {
    Negative(usize),
    Other(Error),
}

fn raise(wrong: Wrong) -> PyErr {
    match wrong {
        Wrong::Negative(row) => bad_element(row, format!("edge {row}: a vertex below 0")),
        Wrong::Other(error) => to_python(error),
    }
}

/// A maximum matching of an undirected graph, bipartite or not: as many edges as possible of which no two share a vertex; and the
/// proof that there are no more.
///
/// Args:
///     edges: Pairs of vertices, integers of shape (m, 2), read as they lie where they have 32 or 64 bits; or a square sparse
///         matrix of SciPy, whose entries are edges. Loops and repeated edges change nothing.
///     nodes: How many vertices there are; None for one more than the largest in `edges`.
///     engine: How: "forest" (the default), "tutte" (components of up to 8,192 vertices; the one of GPUs) or "naive".
///     seed: Of the random numbers that "tutte" draws.
///     device: "auto", "cpu", "gpu", or a name of `thalweg.devices()`.
///
/// Returns:
///     Everybody's partner (int32, or int64 from 2^31 vertices on; -1 for none), and everybody's label (uint8): 2, D, if some
///     maximum matching leaves it alone; 1, A, for the others beside a vertex of D; 0, C, for the rest. Without A the components
///     of D are odd, and only |A| of them find a partner outside: so there is no larger matching (Tutte, Berge, Gallai,
///     Edmonds). `verify_matching` counts that.
///
/// Raises:
///     InputError: An edge names a vertex that does not exist; its `element` says which edge.
///
/// >>> import numpy as np
/// >>> from thalweg.matching import maximum_matching
/// >>> star = np.array([[0, 1], [0, 2], [0, 3]])
/// >>> partners, labels = maximum_matching(star)
/// >>> int((partners >= 0).sum()) // 2, labels.tolist()
/// (1, [1, 2, 2, 2])
#[pyfunction]
#[pyo3(signature = (edges, nodes=None, *, engine=None, seed=0, device="auto"))]
pub fn maximum_matching<'py>(
    py: Python<'py>,
    edges: &Bound<'py, PyAny>,
    nodes: Option<usize>,
    engine: Option<&str>,
    seed: u64,
    device: &str,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let (edges, told) = self::edges(edges)?;
    let engine = match self::engine(engine)? {
        Some(Engine::Tutte(_)) => Some(Engine::Tutte(TutteOptions { seed })),
        other => other,
    };
    let builder = Builder::new().engine(engine).device(self::device(py, device)?);
    let found = call(py, Threads::All, move |_| {
        if let Err(row) = expect_no_sign(&edges) {
            return Ok(Err(Wrong::Negative(row)));
        }
        let graph = Graph::from_pairs(view(&edges), nodes.or(told));
        let found = graph.and_then(|graph| builder.matching(&graph)).map_err(Wrong::Other);
        Ok(found.map(|matching| {
            let (partners, labels) = matching.into_inner().into_parts();
            (partners, labels.into_iter().map(|label| label as u8).collect::<Vec<_>>())
        }))
    })?;
    let (partners, labels) = found.map_err(raise)?;
    let len = partners.len();
    Ok((out::positions_below(py, Positions::U32(partners), len)?, out::array(py, labels)))
}

/// Checks a matching and its labels against the edges alone, and counts the pairs.
///
/// What is proved: the partners are a matching along edges, and there is no larger one. How they were found does not matter.
///
/// Args:
///     edges: As for `maximum_matching`.
///     partners: Everybody's partner, -1 for none.
///     labels: Everybody's label.
///
/// Returns:
///     How many pairs there are.
///
/// Raises:
///     InputError: What does not fit.
///
/// >>> import numpy as np
/// >>> from thalweg.matching import maximum_matching, verify_matching
/// >>> cycle = np.array([[0, 1], [1, 2], [2, 3], [3, 4], [4, 0]])
/// >>> verify_matching(cycle, *maximum_matching(cycle))
/// 2
#[pyfunction]
pub fn verify_matching(
    py: Python<'_>,
    edges: &Bound<'_, PyAny>,
    partners: &Bound<'_, PyAny>,
    labels: &Bound<'_, PyAny>,
) -> PyResult<usize> {
    let (edges, _) = self::edges(edges)?;
    let int64 = |what: &str, object| {
        Lent::new(what, &integers(what, object)?.call_method1("astype", ("int64",))?, Copy::IfNeeded)
    };
    let (partners, labels) = (int64("partners", partners)?, int64("labels", labels)?);
    let proved = call(py, Threads::All, move |_| {
        if let Err(row) = expect_no_sign(&edges) {
            return Ok(Err(format!("edge {row}: a vertex below 0")));
        }
        // What is beyond 32 bits is nobody's number either.
        let partner = |&v: &i64| if v == -1 { u32::MAX } else { u32::try_from(v).unwrap_or(u32::MAX - 1) };
        let partners: Vec<u32> = partners.slice::<i64>().iter().map(partner).collect();
        let label = |&number: &i64| u8::try_from(number).ok().and_then(Label::from_number);
        let labels: Option<Vec<Label>> = labels.slice::<i64>().iter().map(label).collect();
        Ok(match labels {
            None => Err("labels: numbers other than 0, 1 and 2".to_owned()),
            Some(labels) => verify_pairs(view(&edges), &partners, &labels).map_err(|complaint| complaint.to_string()),
        })
    })?;
    proved.map_err(bad_input)
}
