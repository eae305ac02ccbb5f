//! Shortest paths.

use std::sync::Arc;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use rayon::prelude::*;
use thalweg::Positions;
use thalweg::graph::path::graph::{Routes, WeightedGraph};
use thalweg::graph::path::{self, Builder, Engine, Grid, Length, Moves, Query};

use crate::array::{Copy, Lent, by_key, to_numpy};
use crate::device::{device, engine, expect_usable};
use crate::errors::{bad_element, bad_input, bad_query};
use crate::out;
use crate::queries::integers;
use crate::work::{Threads, call};

/// Lengths, what paths are made of, offsets.
type Three<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);

/// Whole numbers of one array, as `int64`.
fn wide<'py>(what: &str, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let array = integers(what, object)?;
    array.call_method1(intern!(object.py(), "astype"), ("int64",))
}

/// Whole numbers of 32 bits without a sign; another is told with its place.
fn narrow(numbers: &Lent) -> Result<Vec<u32>, (usize, i64)> {
    let numbers: &[i64] = numbers.slice();
    let narrow: Option<Vec<u32>> = numbers.par_iter().map(|&x| u32::try_from(x).ok()).collect();
    narrow.ok_or_else(|| {
        let at = numbers.iter().position(|&x| u32::try_from(x).is_err()).unwrap_or(0);
        (at, numbers[at])
    })
}

/// Where queries begin and end: arrays that broadcast, of places of `width` numbers (or of single ones, for 0).
struct Ends {
    from: Lent,
    to: Lent,
    /// Of the answers.
    shape: Vec<usize>,
}

impl Ends {
    fn new(names: [&str; 2], from: &Bound<'_, PyAny>, to: &Bound<'_, PyAny>, width: Option<usize>) -> PyResult<Self> {
        let py = from.py();
        let numpy = py.import(intern!(py, "numpy"))?;
        let arrays = [wide(names[0], from)?, wide(names[1], to)?];
        let shapes: [Vec<usize>; 2] = [arrays[0].getattr("shape")?.extract()?, arrays[1].getattr("shape")?.extract()?];
        if let Some(width) = width {
            for (name, shape) in names.iter().zip(&shapes) {
                if shape.last() != Some(&width) {
                    return Err(bad_input(format!(
                        "{name}: shape {shape:?}, where a row and a column are needed: (.., {width})"
                    )));
                }
            }
        }
        let tuple = |shape: &Vec<usize>| PyTuple::new(py, shape);
        let shape: Vec<usize> = match numpy.call_method1("broadcast_shapes", (tuple(&shapes[0])?, tuple(&shapes[1])?)) {
            Ok(shape) => shape.extract()?,
            Err(_) => {
                let ([a, b], [of_a, of_b]) = (names, &shapes);
                return Err(bad_input(format!("{a} of shape {of_a:?} and {b} of {of_b:?} do not go together")));
            }
        };
        let spread = |array: &Bound<'_, PyAny>| {
            let spread = numpy.call_method1("broadcast_to", (array, tuple(&shape)?))?;
            Ok::<_, PyErr>(Lent::of_any_shape("queries", &spread, Copy::IfNeeded)?.0)
        };
        let (from, to) = (spread(&arrays[0])?, spread(&arrays[1])?);
        let outer = shape.len() - usize::from(width.is_some());
        Ok(Self { from, to, shape: shape[..outer].to_vec() })
    }
}

/// Whether one query was asked, and no array of them.
fn is_one(shape: &[usize]) -> bool {
    shape.is_empty()
}

/// A map for shortest paths: a grid of cells that are walls or free, or that cost something to enter. It is prepared once, and
/// answers batches of queries.
///
/// A step leads to one of 8 neighbours, or of 4. It costs 1, or what the cell costs that is entered, and sqrt(2) times that if it
/// is diagonal. Corners are not cut: a diagonal step needs both cells beside it free. Lengths are exact and rounded once, and of
/// equally short paths the same is told by every engine.
///
/// Args:
///     cells: Shape (rows, columns). What is not 0 (or False) is a wall; with costs=True integers from 1 to 2^32 - 1, and 0 is a
///         wall. The array is read, and not kept.
///     costs: Whether the numbers are costs.
///     moves: 8, or 4 for no diagonals.
///     engine: How: "jump" (A* over jump points; the default without costs), "buckets" (A*; with costs, and on GPUs) or
///         "dijkstra".
///     device: "auto", "cpu", "gpu", or a name of `thalweg.devices()`.
///     expected_queries: About how many queries will be asked: device="auto" needs to know.
///
/// >>> import numpy as np
/// >>> from thalweg.path import Map
/// >>> m = Map(np.array([[0, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]]))
/// >>> m.lengths([0, 0], [[0, 3], [0, 1]])
/// array([6.41421356,        inf])
/// >>> m.path([0, 0], [0, 3]).tolist()
/// [[0, 0], [1, 0], [2, 0], [2, 1], [2, 2], [1, 3], [0, 3]]
#[pyclass(frozen, module = "thalweg.path", name = "Map")]
pub struct Map {
    map: Arc<path::Map>,
    origin: Origin,
}

/// How a map was made, for pickling.
struct Origin {
    engine: Option<String>,
    device: String,
    expected_queries: usize,
}

/// The queries, if all are on the map; the first that is not, otherwise.
fn queries(ends: &Ends, rows: usize, columns: usize) -> Result<Vec<Query>, (usize, [i64; 2])> {
    let (from, to): (&[[i64; 2]], &[[i64; 2]]) = (ends.from.slice(), ends.to.slice());
    let place = |&[row, column]: &[i64; 2]| {
        let is_inside = (0..rows as i64).contains(&row) && (0..columns as i64).contains(&column);
        if is_inside { Ok([row as u32, column as u32]) } else { Err([row, column]) }
    };
    let query = |at: usize| Ok(Query::new(place(&from[at])?, place(&to[at])?));
    let all: Option<Vec<Query>> = (0..from.len()).into_par_iter().map(|at| query(at).ok()).collect();
    all.ok_or_else(|| {
        let first = (0..from.len()).find_map(|at| query(at).err().map(|place| (at, place)));
        first.unwrap_or_default()
    })
}

/// A length as it is told; infinite where there is no path. (Rounding goes over its bits.)
fn length(length: Option<Length>) -> f64 {
    length.map_or(f64::INFINITY, Length::to_f64)
}

impl Map {
    /// Runs queries on the pool.
    fn ask<T: Send + 'static>(
        &self,
        py: Python<'_>,
        start: &Bound<'_, PyAny>,
        goal: &Bound<'_, PyAny>,
        answer: impl FnOnce(&path::Map, &[Query]) -> thalweg::Result<T> + Send + 'static,
    ) -> PyResult<(T, Vec<usize>)> {
        expect_usable(py, self.map.chosen())?;
        let ends = Ends::new(["start", "goal"], start, goal, Some(2))?;
        let shape = ends.shape.clone();
        let map = self.map.clone();
        let (rows, columns) = (map.grid().rows(), map.grid().cols());
        let answered = call(py, Threads::All, move |_| match queries(&ends, rows, columns) {
            Ok(queries) => answer(&map, &queries).map(Ok),
            Err(outside) => Ok(Err(outside)),
        })?;
        match answered {
            Ok(answer) => Ok((answer, shape)),
            Err((row, [r, c])) => {
                let query = if is_one(&shape) { String::new() } else { format!("query {row}: ") };
                let message = format!("{query}row {r} and column {c} are not on a map of {rows} x {columns}");
                Err(bad_query(Some(row).filter(|_| !is_one(&shape)), message))
            }
        }
    }

    /// Rows and columns of cells.
    fn places<'py>(py: Python<'py>, cells: Vec<u32>, rows: usize, columns: usize) -> PyResult<Bound<'py, PyAny>> {
        let len = cells.len();
        let narrow = rows.saturating_mul(columns) <= i32::MAX as usize;
        let columns = columns.max(1) as u32;
        let places = if narrow {
            let place = move |cell: u32| [(cell / columns) as i32, (cell % columns) as i32];
            let places =
                call(py, Threads::All, move |_| Ok(cells.par_iter().map(|&cell| place(cell)).collect::<Vec<_>>()))?;
            out::array(py, places.into_flattened())
        } else {
            let place = move |cell: u32| [i64::from(cell / columns), i64::from(cell % columns)];
            let places =
                call(py, Threads::All, move |_| Ok(cells.par_iter().map(|&cell| place(cell)).collect::<Vec<_>>()))?;
            out::array(py, places.into_flattened())
        };
        out::shaped(&places, &[len, 2])
    }
}

#[pymethods]
impl Map {
    #[new]
    #[pyo3(signature = (cells, costs=false, moves=8, *, engine=None, device="auto", expected_queries=0))]
    fn new(
        py: Python<'_>,
        cells: &Bound<'_, PyAny>,
        costs: bool,
        moves: u8,
        engine: Option<&str>,
        device: &str,
        expected_queries: usize,
    ) -> PyResult<Self> {
        let moves = match moves {
            4 => Moves::Four,
            8 => Moves::Eight,
            _ => return Err(bad_input(format!("moves: {moves} is neither 4 nor 8"))),
        };
        let origin = Origin { engine: engine.map(str::to_owned), device: device.to_owned(), expected_queries };
        let engine: Option<Engine> = self::engine(engine)?;
        let (cells, shape) = match costs {
            true => Lent::of_any_shape("cells", &wide("cells", cells)?, Copy::IfNeeded)?,
            false => Lent::of_any_shape("cells", cells, Copy::IfNeeded)?,
        };
        let [rows, columns] = shape[..] else {
            return Err(bad_input(format!("cells: shape {shape:?}, where (rows, columns) is needed")));
        };
        let builder = Builder::new()
            .moves(moves)
            .engine(engine)
            .device(self::device(py, device)?)
            .expected_queries(expected_queries);
        let built = call(py, Threads::All, move |_| {
            let grid = if costs {
                match narrow(&cells) {
                    Ok(costs) => Grid::from_costs(rows, columns, costs)?,
                    Err(wrong) => return Ok(Err(wrong)),
                }
            } else {
                by_key!(cells.dtype, K => {
                    let cells: &[K] = cells.slice();
                    Grid::from_fn(rows, columns, |row, column| cells[row * columns + column] != K::default())
                })?
            };
            builder.build(grid).map(Ok)
        })?;
        let map = built.map_err(|(at, cost)| {
            bad_element(
                at,
                format!("cells: {cost} at row {} and column {} is no cost of 32 bits", at / columns, at % columns),
            )
        })?;
        Ok(Self { map: Arc::new(map), origin })
    }

    /// Lengths of shortest paths.
    ///
    /// Args:
    ///     start: Rows and columns, integers of shape (.., 2).
    ///     goal: Likewise; the two broadcast.
    ///
    /// Returns:
    ///     float64, the nearest to the exact length; inf where there is no path. A float for a single query.
    ///
    /// Raises:
    ///     QueryError: A place is not on the map; `row` says of which query.
    ///
    /// >>> import numpy as np
    /// >>> from thalweg.path import Map
    /// >>> Map(np.zeros((3, 3))).lengths([0, 0], [2, 2])
    /// 2.8284271247461903
    fn lengths<'py>(
        &self,
        py: Python<'py>,
        start: &Bound<'py, PyAny>,
        goal: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (lengths, shape) = self.ask(py, start, goal, |map, queries| {
            Ok(map.lengths(queries)?.into_par_iter().map(length).collect::<Vec<_>>())
        })?;
        if is_one(&shape) {
            return Ok(lengths[0].into_pyobject(py)?.into_any());
        }
        out::shaped(&out::array(py, lengths), &shape)
    }

    /// Lengths of shortest paths, exactly: a and b of a + b sqrt(2).
    ///
    /// Args:
    ///     start: As for `lengths`.
    ///     goal: As for `lengths`.
    ///
    /// Returns:
    ///     int64 of shape (.., 2); -1 twice where there is no path.
    ///
    /// >>> import numpy as np
    /// >>> from thalweg.path import Map
    /// >>> Map(np.zeros((3, 4))).exact_lengths([0, 0], [2, 3])
    /// array([1, 2])
    fn exact_lengths<'py>(
        &self,
        py: Python<'py>,
        start: &Bound<'py, PyAny>,
        goal: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let parts = |length: Option<Length>| length.map_or([-1; 2], |l| [l.straight as i64, l.diagonal as i64]);
        let (lengths, mut shape) = self.ask(py, start, goal, move |map, queries| {
            Ok(map.lengths(queries)?.into_iter().map(parts).collect::<Vec<_>>())
        })?;
        shape.push(2);
        out::shaped(&out::array(py, lengths.into_flattened()), &shape)
    }

    /// A shortest path.
    ///
    /// Args:
    ///     start: Row and column.
    ///     goal: Row and column.
    ///
    /// Returns:
    ///     Rows and columns of its cells, of shape (cells, 2), from the start to the goal; None if there is no path.
    fn path<'py>(
        &self,
        py: Python<'py>,
        start: &Bound<'py, PyAny>,
        goal: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (found, shape) = self.ask(py, start, goal, |map, queries| Ok(map.paths(queries)?.into_parts()))?;
        if !is_one(&shape) {
            return Err(bad_input(format!("path: queries of shape {shape:?}, where one is needed; paths takes many")));
        }
        let (lengths, _, cells) = found;
        if lengths[0].is_none() {
            return Ok(None);
        }
        Self::places(py, cells, self.map.grid().rows(), self.map.grid().cols()).map(Some)
    }

    /// Shortest paths, one after the other.
    ///
    /// Args:
    ///     start: As for `lengths`.
    ///     goal: As for `lengths`.
    ///
    /// Returns:
    ///     The lengths, float64 and inf where there is no path; the rows and columns of the cells of all paths, of shape (cells, 2);
    ///     and offsets, int64: path i is `cells[offsets[i]:offsets[i + 1]]`, empty if there is none. Queries of several dimensions
    ///     are numbered row by row.
    ///
    /// >>> import numpy as np
    /// >>> from thalweg.path import Map
    /// >>> lengths, cells, offsets = Map(np.zeros((1, 4))).paths([[0, 0], [0, 3]], [0, 1])
    /// >>> cells[offsets[1]:offsets[2], 1].tolist()
    /// [3, 2, 1]
    fn paths<'py>(&self, py: Python<'py>, start: &Bound<'py, PyAny>, goal: &Bound<'py, PyAny>) -> PyResult<Three<'py>> {
        let (found, shape) = self.ask(py, start, goal, |map, queries| {
            let (lengths, offsets, cells) = map.paths(queries)?.into_parts();
            let lengths: Vec<f64> = lengths.into_par_iter().map(length).collect();
            let offsets: Vec<i64> = offsets.into_iter().map(|offset| offset as i64).collect();
            Ok((lengths, offsets, cells))
        })?;
        let (lengths, offsets, cells) = found;
        let cells = Self::places(py, cells, self.map.grid().rows(), self.map.grid().cols())?;
        Ok((out::shaped(&out::array(py, lengths), &shape)?, cells, out::array(py, offsets)))
    }

    /// Rows and columns.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.map.grid().rows(), self.map.grid().cols())
    }

    /// 4 or 8.
    #[getter]
    fn moves(&self) -> usize {
        self.map.moves().count()
    }

    /// Whether cells have costs.
    #[getter]
    fn has_costs(&self) -> bool {
        self.map.grid().has_costs()
    }

    /// Name of the engine.
    #[getter]
    fn engine(&self) -> &'static str {
        self.map.chosen().engine()
    }

    /// Name of the device: "cpu", or the GPU's.
    #[getter]
    fn device(&self) -> &str {
        self.map.chosen().device()
    }

    /// Which engine answers on which device, and why these.
    #[getter]
    fn chosen(&self) -> String {
        self.map.chosen().to_string()
    }

    /// The cells: bool, True for walls; or uint32, the costs.
    #[getter]
    fn cells<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (rows, columns) = self.shape();
        if let Some(costs) = self.map.grid().costs() {
            return out::shaped(&out::array(py, costs.to_vec()), &[rows, columns]);
        }
        let grid = self.map.grid();
        let walls = (0..rows).flat_map(|row| (0..columns).map(move |column| !grid.is_free(row, column)));
        out::shaped(&out::array(py, walls.collect::<Vec<bool>>()), &[rows, columns])
    }

    fn __repr__(&self) -> String {
        let (rows, columns) = self.shape();
        let costs = if self.has_costs() { " with costs" } else { "" };
        let device = if self.map.chosen().is_cpu() { "the CPU" } else { self.device() };
        format!("<thalweg.path.Map: {rows} x {columns}{costs}, {} moves, {} on {device}>", self.moves(), self.engine())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, this) = (slf.py(), slf.get());
        let make = py.import("thalweg.path")?.getattr("_restore")?;
        let Origin { engine, device, expected_queries } = &this.origin;
        Ok((
            make,
            (this.cells(py)?, this.has_costs(), this.moves(), engine, device, expected_queries).into_pyobject(py)?,
        ))
    }
}

/// A directed graph with weights, for shortest paths.
///
/// Args:
///     arcs: From where to where: integers of shape (m, 2). For an undirected graph give every edge both ways.
///     weights: One an arc: integers from 0 to 2^32 - 1.
///     nodes: How many vertices there are; None for one more than the largest in `arcs`.
///
/// >>> from thalweg.path import Graph
/// >>> g = Graph([[0, 1], [1, 2], [0, 2], [2, 3], [3, 0]], [2, 3, 5, 1, 7], nodes=5)
/// >>> g.lengths(0, [3, 4])
/// array([ 6, -1])
/// >>> g.path(0, 3)
/// array([0, 2, 3], dtype=int32)
#[pyclass(frozen, module = "thalweg.path", name = "Graph")]
pub struct Graph {
    graph: Arc<WeightedGraph>,
}

/// Numbers of one dimension, as `int64`.
fn line(what: &str, object: &Bound<'_, PyAny>) -> PyResult<Lent> {
    let array = to_numpy(what, object, Copy::IfNeeded)?.into_any();
    Lent::new(what, &wide(what, &array)?, Copy::IfNeeded)
}

/// The exception for a weight that is none.
fn bad_weight((at, weight): (usize, i64)) -> PyErr {
    bad_element(at, format!("weights: {weight} at {at} is no number from 0 to 2^32 - 1"))
}

/// What went wrong with a graph.
enum Wrong {
    Weight((usize, i64)),
    Vertex(usize, i64),
}

fn raise(wrong: Wrong) -> PyErr {
    match wrong {
        Wrong::Weight(wrong) => bad_weight(wrong),
        Wrong::Vertex(row, node) => bad_element(row, format!("arc {row}: there is no vertex {node}")),
    }
}

impl Graph {
    fn ask<T: Send + 'static>(
        &self,
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        target: &Bound<'_, PyAny>,
        potentials: Option<&Bound<'_, PyAny>>,
        answer: impl FnOnce(&WeightedGraph, &[[u32; 2]], Option<&[u64]>) -> thalweg::Result<T> + Send + 'static,
    ) -> PyResult<(T, Vec<usize>)> {
        let ends = Ends::new(["source", "target"], source, target, None)?;
        let shape = ends.shape.clone();
        let potentials = potentials.map(|potentials| line("potentials", potentials)).transpose()?;
        let graph = self.graph.clone();
        let nodes = graph.nodes();
        let answered = call(py, Threads::All, move |_| {
            let (from, to): (&[i64], &[i64]) = (ends.from.slice(), ends.to.slice());
            let is_vertex = |&v: &i64| (0..nodes as i64).contains(&v);
            let wrong = from.par_iter().zip(to).position_first(|(from, to)| !is_vertex(from) || !is_vertex(to));
            if let Some(row) = wrong {
                return Ok(Err((row, if is_vertex(&from[row]) { to[row] } else { from[row] })));
            }
            let queries: Vec<[u32; 2]> = from.iter().zip(to).map(|(&from, &to)| [from as u32, to as u32]).collect();
            // Those below 0 are refused as too large.
            let potentials = potentials.as_ref().map(|potentials| potentials.slice::<u64>());
            answer(&graph, &queries, potentials).map(Ok)
        })?;
        match answered {
            Ok(answer) => Ok((answer, shape)),
            Err((row, node)) => {
                let query = if is_one(&shape) { String::new() } else { format!("query {row}: ") };
                let message = format!("{query}there is no vertex {node}, only {nodes}");
                Err(bad_query(Some(row).filter(|_| !is_one(&shape)), message))
            }
        }
    }
}

/// A length, or -1.
fn signed(length: Option<u64>) -> i64 {
    length.map_or(-1, |length| length as i64)
}

fn routes(graph: &WeightedGraph, queries: &[[u32; 2]], potentials: Option<&[u64]>) -> thalweg::Result<Routes> {
    match potentials {
        Some(potentials) => graph.routes_with(queries, potentials),
        None => graph.routes(queries),
    }
}

#[pymethods]
impl Graph {
    #[new]
    #[pyo3(signature = (arcs, weights, nodes=None))]
    fn new(
        py: Python<'_>,
        arcs: &Bound<'_, PyAny>,
        weights: &Bound<'_, PyAny>,
        nodes: Option<usize>,
    ) -> PyResult<Self> {
        let (arcs, shape) = Lent::of_any_shape("arcs", &wide("arcs", arcs)?, Copy::IfNeeded)?;
        if !matches!(shape[..], [_, 2] | [0]) {
            return Err(bad_input(format!("arcs: shape {shape:?}, where pairs have (arcs, 2)")));
        }
        let weights = line("weights", weights)?;
        let built = call(py, Threads::All, move |_| {
            let weights = match narrow(&weights) {
                Ok(weights) => weights,
                Err(wrong) => return Ok(Err(Wrong::Weight(wrong))),
            };
            let ends = match narrow(&arcs) {
                Ok(ends) => ends,
                Err((at, node)) => return Ok(Err(Wrong::Vertex(at / 2, node))),
            };
            let arcs: &[[u32; 2]] = ends.as_chunks().0;
            let nodes = nodes.unwrap_or_else(|| ends.par_iter().max().map_or(0, |&v| v as usize + 1));
            WeightedGraph::from_arcs(nodes, arcs, &weights).map(Ok)
        })?;
        Ok(Self { graph: Arc::new(built.map_err(raise)?) })
    }

    /// The graph of compressed sparse rows: vertex v has the arcs `indptr[v]` to `indptr[v + 1]`, as the matrices of
    /// scipy.sparse have them.
    ///
    /// Args:
    ///     indptr: Where the rows begin, and the last ends.
    ///     indices: Where the arcs lead.
    ///     weights: One an arc: integers from 0 to 2^32 - 1.
    ///
    /// >>> from thalweg.path import Graph
    /// >>> Graph.from_csr([0, 2, 3, 3], [1, 2, 2], [4, 9, 4]).lengths(0, 2)
    /// 8
    #[classmethod]
    fn from_csr(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        indptr: &Bound<'_, PyAny>,
        indices: &Bound<'_, PyAny>,
        weights: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let (indptr, indices, weights) =
            (line("indptr", indptr)?, line("indices", indices)?, line("weights", weights)?);
        let built = call(py, Threads::All, move |_| {
            let weights = match narrow(&weights) {
                Ok(weights) => weights,
                Err(wrong) => return Ok(Err(Wrong::Weight(wrong))),
            };
            let indices = match narrow(&indices) {
                Ok(indices) => indices,
                Err((at, node)) => return Ok(Err(Wrong::Vertex(at, node))),
            };
            // Those below 0 become too large, and are refused.
            let indptr = indptr.slice::<i64>().iter().map(|&offset| offset as usize).collect();
            WeightedGraph::from_rows(indptr, indices, weights).map(Ok)
        })?;
        Ok(Self { graph: Arc::new(built.map_err(raise)?) })
    }

    /// Lengths of shortest paths.
    ///
    /// Args:
    ///     source: Vertices, integers of any shape.
    ///     target: Likewise; the two broadcast.
    ///     potentials: One a vertex, for A*: what is left to the target, at most. No arc may lose more than it weighs.
    ///
    /// Returns:
    ///     int64; -1 where there is no path. An int for a single query.
    ///
    /// Raises:
    ///     QueryError: A vertex does not exist; `row` says of which query.
    #[pyo3(signature = (source, target, potentials=None))]
    fn lengths<'py>(
        &self,
        py: Python<'py>,
        source: &Bound<'py, PyAny>,
        target: &Bound<'py, PyAny>,
        potentials: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (lengths, shape) = self.ask(py, source, target, potentials, |graph, queries, potentials| {
            let lengths = match potentials {
                Some(potentials) => graph.lengths_with(queries, potentials)?,
                None => graph.lengths(queries)?,
            };
            Ok(lengths.into_iter().map(signed).collect::<Vec<_>>())
        })?;
        if is_one(&shape) {
            return Ok(lengths[0].into_pyobject(py)?.into_any());
        }
        out::shaped(&out::array(py, lengths), &shape)
    }

    /// A shortest path: of equally short ones one with the fewest arcs.
    ///
    /// Args:
    ///     source: A vertex.
    ///     target: A vertex.
    ///     potentials: As for `lengths`.
    ///
    /// Returns:
    ///     Its vertices, from source to target; None if there is no path.
    #[pyo3(signature = (source, target, potentials=None))]
    fn path<'py>(
        &self,
        py: Python<'py>,
        source: &Bound<'py, PyAny>,
        target: &Bound<'py, PyAny>,
        potentials: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (found, shape) = self.ask(py, source, target, potentials, routes)?;
        if !is_one(&shape) {
            return Err(bad_input(format!("path: queries of shape {shape:?}, where one is needed; paths takes many")));
        }
        let (lengths, _, nodes) = found.into_parts();
        match lengths[0] {
            None => Ok(None),
            Some(_) => out::positions_below(py, Positions::U32(nodes), self.graph.nodes()).map(Some),
        }
    }

    /// Shortest paths, one after the other.
    ///
    /// Args:
    ///     source: As for `lengths`.
    ///     target: As for `lengths`.
    ///     potentials: As for `lengths`.
    ///
    /// Returns:
    ///     The lengths, int64 and -1 where there is no path; the vertices of all paths; and offsets, int64: path i is
    ///     `vertices[offsets[i]:offsets[i + 1]]`, empty if there is none.
    #[pyo3(signature = (source, target, potentials=None))]
    fn paths<'py>(
        &self,
        py: Python<'py>,
        source: &Bound<'py, PyAny>,
        target: &Bound<'py, PyAny>,
        potentials: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Three<'py>> {
        let (found, shape) = self.ask(py, source, target, potentials, routes)?;
        let (lengths, offsets, nodes) = found.into_parts();
        let lengths = out::array(py, lengths.into_iter().map(signed).collect::<Vec<_>>());
        let offsets = out::array(py, offsets.into_iter().map(|offset| offset as i64).collect::<Vec<_>>());
        Ok((
            out::shaped(&lengths, &shape)?,
            out::positions_below(py, Positions::U32(nodes), self.graph.nodes())?,
            offsets,
        ))
    }

    /// How many arcs there are.
    #[getter]
    fn arcs(&self) -> usize {
        self.graph.arcs()
    }

    /// How many vertices there are.
    fn __len__(&self) -> usize {
        self.graph.nodes()
    }

    fn __repr__(&self) -> String {
        format!("<thalweg.path.Graph: {} vertices, {} arcs>", self.graph.nodes(), self.graph.arcs())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, graph) = (slf.py(), &slf.get().graph);
        let rows = graph.rows();
        let indptr = out::array(py, rows.offsets().iter().map(|&offset| offset as i64).collect::<Vec<_>>());
        let (indices, weights) = (out::array(py, rows.targets().to_vec()), out::array(py, graph.weights().to_vec()));
        Ok((slf.get_type().getattr("from_csr")?, (indptr, indices, weights).into_pyobject(py)?))
    }
}
