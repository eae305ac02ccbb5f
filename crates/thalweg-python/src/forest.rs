//! Forests: roots, depths, orders, lowest common ancestors, subtrees.
#![allow(unsafe_code)]

use std::sync::Arc;

use numpy::Element;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use thalweg::tree::lca::{self, Lca};
use thalweg::tree::{self, Children, EulerTour, subtree};
use thalweg::{Chosen, Error, Order, Pairs, Position, Result};
use thalweg_core::by_width;

use crate::array::{Copy, Kind, Lent};
use crate::batch::Batch;
use crate::device::{device, engine, expect_usable, named};
use crate::errors::{OrRaise, bad_input, bad_query, to_python};
use crate::lazy::Lazy;
use crate::links::{Links, nodes};
use crate::lists::{Weights, by_weight};
use crate::out::{self, Made};
use crate::queries::{Asked, Columns, Meaning, Question, integers, pairs};
use crate::work::{Stop, Threads, call};

/// What is known of a forest whose nodes have numbers of one width. Fields are dropped in order: those that read the
/// parents before these.
struct Trees<P: Position> {
    lca: Lazy<Lca<'static, P>>,
    tour: Lazy<EulerTour<'static, P>>,
    roots: Lazy<Vec<P>>,
    /// Those of the tour, unless another engine has found them.
    depths: Lazy<Vec<P>>,
    postorder: Lazy<Vec<P>>,
    trees: Lazy<Vec<P>>,
    children: Lazy<Children<P>>,
    parents: Links,
}

/// A forest in the width that its parents have.
enum Index {
    Narrow(Arc<Trees<u32>>),
    Wide(Arc<Trees<u64>>),
}

/// Runs an expression for the width of an [`Index`]: `by_index!(index, trees => f(trees))`.
macro_rules! by_index {
    ($index:expr, $trees:ident => $body:expr) => {
        match $index {
            Index::Narrow($trees) => $body,
            Index::Wide($trees) => $body,
        }
    };
}

/// A forest of rooted trees, given by the parent of every node: roots, depths, sizes, orders, lowest common ancestors,
/// and minima, maxima and sums of subtrees.
///
/// Everything is computed when it is first asked for, and kept. Children are taken in increasing order and so are the roots,
/// so all orders are unique. Arrays that are attributes are read-only, and int32, or int64 from 2^31 nodes on.
///
/// Args:
///     parents: The parent of every node, integers; a root has -1 (or the largest number of an unsigned dtype) or itself.
///         The array is not copied unless it must be, and held: do not change it as long as the forest lives, or answers
///         are wrong. Integers of 64 bits take 4 more bytes a node.
///     engine: How roots and depths are found: "pointer_jumping" (the default), or "euler_tour", which takes longer, but is what
///         everything else is made of when it is asked for.
///     lca_engine: How `lca` answers: "inlabel" (the default), "euler_rmq" or "naive".
///     device: "auto" (wherever it is faster), "cpu", "gpu", or a name of `thalweg.devices()`.
///     copy: Whether the parents are copied, as for `Rmq`.
///
/// Raises:
///     InputError: A parent does not exist, or there is a cycle; `element` says which node has it or is on it.
///
/// >>> import numpy as np, thalweg
/// >>> f = thalweg.Forest(np.array([2, 0, -1, 2, -1]))  # 2 is the root of 0 and 3, 0 that of 1; 4 is alone
/// >>> f.depths, f.sizes
/// (array([1, 2, 0, 1, 0], dtype=int32), array([2, 1, 4, 1, 1], dtype=int32))
/// >>> f.lca(1, 3)
/// 2
/// >>> f.lca([1, 1, 1], [0, 3, 4])
/// array([ 0,  2, -1])
/// >>> f.subtree([7, 3, 9, 5, 1], "min")
/// array([3, 3, 3, 5, 1])
#[pyclass(frozen, module = "thalweg", name = "Forest")]
pub struct Forest {
    index: Index,
    /// How roots and depths were found.
    chosen: Chosen,
    lca_engine: Option<lca::Engine>,
    /// The options as they were given, for pickling.
    given: Given,
}

struct Given {
    engine: Option<String>,
    lca_engine: Option<String>,
    device: String,
}

/// A pair that names a node that does not exist, as the engines tell it.
fn refuse(row: usize, [x, y]: [i64; 2], len: usize) -> Error {
    let node = if x < 0 || x as u64 >= len as u64 { x } else { y };
    Error::Node { row, node: node as u64, len }
}

/// The exception for a node that does not exist.
fn bad_node(row: Option<usize>, node: i128, len: usize) -> PyErr {
    let query = row.map_or(String::new(), |row| format!("query {row}: "));
    bad_query(row, format!("{query}there is no node {node}, only {len}"))
}

/// The exception for an error of a batch of nodes that were given as integers with signs.
fn signed(error: Error) -> PyErr {
    match error {
        Error::Node { row, node, len } => bad_node(Some(row), (node as i64).into(), len),
        other => to_python(other),
    }
}

/// The same, of 32 bits.
fn signed32(error: Error) -> PyErr {
    match error {
        Error::Node { row, node, len } => bad_node(Some(row), (node as u32 as i32).into(), len),
        other => to_python(other),
    }
}

impl<P: Position> Trees<P> {
    fn new(parents: Links) -> Self {
        Self {
            lca: Lazy::default(),
            tour: Lazy::default(),
            roots: Lazy::default(),
            depths: Lazy::default(),
            postorder: Lazy::default(),
            trees: Lazy::default(),
            children: Lazy::default(),
            parents,
        }
    }

    /// The parents, for what this keeps.
    fn links(&self) -> &'static [P] {
        // SAFETY: what reads them is dropped before them, here and in `make`.
        unsafe { self.parents.slice_to_keep() }
    }

    /// Makes something on the pool, of this, and puts it into its place.
    fn make<'t, T: Send + 'static>(
        self: &'t Arc<Self>,
        py: Python<'_>,
        place: impl Fn(&Self) -> &Lazy<T>,
        make: impl FnOnce(&Self) -> Result<T> + Send + 'static,
    ) -> PyResult<&'t T> {
        place(self).get(py, || {
            let this = self.clone();
            // Together with this, so that a call that nobody waits for drops it first.
            let (made, this) = call(py, Threads::All, move |_| Ok((make(&this), this)))?;
            made.map_err(|error| this.parents.to_python(error))
        })
    }

    /// The tour, of which roots and depths follow.
    fn walk(self: &Arc<Self>, py: Python<'_>, builder: tree::Builder) -> PyResult<Chosen> {
        let this = self.clone();
        let (found, this) = call(py, Threads::All, move |_| Ok((builder.tour(this.links()), this)))?;
        let (tour, chosen) = found.map_err(|error| this.parents.to_python(error))?.into_parts();
        this.tour.put(tour);
        Ok(chosen)
    }

    /// Roots and depths by an engine of their own.
    fn jump(self: &Arc<Self>, py: Python<'_>, builder: tree::Builder) -> PyResult<Chosen> {
        let this = self.clone();
        let (found, this) = call(py, Threads::All, move |_| Ok((builder.build(this.links()), this)))?;
        let (forest, chosen) = found.map_err(|error| this.parents.to_python(error))?.into_parts();
        let (roots, depths) = forest.into_roots_and_depths();
        this.roots.put(roots);
        this.depths.put(depths);
        Ok(chosen)
    }

    /// The tour. It is made now, if it was not asked for when the forest was.
    fn tour(self: &Arc<Self>, py: Python<'_>, device: &str) -> PyResult<&EulerTour<'static, P>> {
        if let Some(tour) = self.tour.made() {
            return Ok(tour);
        }
        let builder = tree::Builder::new().device(self::device(py, device)?);
        self.make(py, |this| &this.tour, move |this| Ok(builder.tour(this.links())?.into_inner()))
    }

    fn lca(self: &Arc<Self>, py: Python<'_>, forest: &Forest) -> PyResult<&Lca<'static, P>> {
        if let Some(lca) = self.lca.made() {
            return Ok(lca);
        }
        self.tour(py, &forest.given.device)?;
        let device = device(py, &forest.given.device)?;
        let builder = lca::Builder::new().engine(forest.lca_engine).device(device);
        self.make(py, |this| &this.lca, move |this| builder.of_tour(known(&this.tour)))
    }

    /// Lowest common ancestors, in the width that the caller wants.
    fn batch<Q: Position>(&self, columns: &Columns, out: &mut [Q], stop: &Stop) -> Result<()> {
        let (lca, len) = (known(&self.lca), self.parents.len());
        let question = Question { meaning: Meaning::Places, len, refuse };
        if !lca.chosen().is_cpu() {
            let pairs = columns.all_pairs::<Q>(question)?;
            return lca.as_engine().batch(Q::pairs(&pairs), Q::buffer(out));
        }
        columns.for_each_piece(question, out, stop, |pairs: &[[P; 2]], out| {
            if let Ok(out) = bytemuck::try_cast_slice_mut(out)
                && size_of::<P>() == size_of::<Q>()
            {
                return lca.batch(pairs, out);
            }
            let mut found = vec![P::NONE; pairs.len()];
            lca.batch(pairs, &mut found)?;
            for (out, found) in out.iter_mut().zip(found) {
                *out = found.checked().map_or(Q::NONE, Q::new);
            }
            Ok(())
        })
    }

    /// The best values in subtrees, or where they are.
    fn best(&self, builder: &subtree::Builder, values: &Lent, asked: &Subtrees) -> Result<Made> {
        let Subtrees { order, of_nodes, .. } = *asked;
        let (tour, coding) = (known(&self.tour), values.dtype.coding(order));
        let nodes = asked.nodes(tour.len())?;
        let nodes = nodes.as_deref();
        if let Some(keys) = values.reordered(order)? {
            let keys = thalweg_core::bits::words(&keys);
            let found = builder.positions_of_bits(tour, keys, coding, nodes)?.into_inner();
            let times: &[i64] = values.slice();
            return Ok(if of_nodes {
                positions(found)
            } else {
                out::made(found.iter().map(|v| times[v.get()]).collect())
            });
        }
        by_width!(Bits, values.bits(), bits => Ok(match of_nodes {
            true => positions(builder.positions_of_bits(tour, bits, coding, nodes)?.into_inner()),
            false => out::made(builder.values_of_bits(tour, bits, coding, nodes)?.into_inner()),
        }))
    }

    /// The sums of subtrees.
    fn sums(&self, builder: &subtree::Builder, weights: &Weights, asked: &Subtrees) -> Result<Made> {
        let tour = known(&self.tour);
        let nodes = asked.nodes(tour.len())?;
        by_weight!(weights, weights => Ok(out::made(builder.sums(tour, weights, nodes.as_deref())?.into_inner())))
    }
}

/// What has been made before.
fn known<T>(lazy: &Lazy<T>) -> &T {
    lazy.made().expect("it is made before it is used")
}

/// Positions of a width, as numbers with a sign.
fn positions<P: Position>(list: Vec<P>) -> Made {
    match P::list(list) {
        thalweg::Positions::U32(list) => out::made(out::signed(list)),
        thalweg::Positions::U64(list) => out::made(out::signed64(list)),
    }
}

/// What is asked of subtrees.
struct Subtrees {
    order: Order,
    /// Whether nodes are asked for, or values.
    of_nodes: bool,
    /// Whose subtrees; all, if none.
    nodes: Option<Lent>,
}

impl Subtrees {
    fn nodes<P: Position>(&self, len: usize) -> Result<Option<Vec<P>>> {
        self.nodes.as_ref().map(|array| nodes(array, len)).transpose()
    }
}

impl Forest {
    /// A read-only array of something that is kept.
    fn shown<'py, P: Position>(slf: &Bound<'py, Self>, values: &[P]) -> PyResult<Bound<'py, PyAny>> {
        fn lent<'py, T: Element + bytemuck::Pod, P: Position>(
            owner: &Bound<'py, PyAny>,
            values: &[P],
        ) -> PyResult<Bound<'py, PyAny>> {
            // SAFETY: they are in a `Lazy` of the forest, which keeps what it has.
            unsafe { out::view::<T>(owner.clone(), bytemuck::cast_slice(values)) }
        }
        let owner = slf.as_any();
        if size_of::<P>() == 4 { lent::<i32, P>(owner, values) } else { lent::<i64, P>(owner, values) }
    }

    fn len(&self) -> usize {
        by_index!(&self.index, trees => trees.parents.len())
    }

    /// The index for lowest common ancestors is made, and can be used in this process.
    fn expect_lca(&self, py: Python<'_>) -> PyResult<()> {
        by_index!(&self.index, trees => expect_usable(py, trees.lca(py, self)?.chosen()))
    }

    /// Whether answers for queries of so many bits have 64: they do if the nodes need them.
    fn is_wide(&self, queries: bool) -> bool {
        queries || self.len() > i32::MAX as usize
    }
}

#[pymethods]
impl Forest {
    #[new]
    #[pyo3(signature = (parents, *, engine=None, lca_engine=None, device="auto", copy=None))]
    fn new(
        py: Python<'_>,
        parents: &Bound<'_, PyAny>,
        engine: Option<&str>,
        lca_engine: Option<&str>,
        device: &str,
        copy: Option<bool>,
    ) -> PyResult<Self> {
        let mut parents = Links::new("parents", parents, Copy::from(copy))?;
        let lent = |name: Option<&str>| name.map(str::to_owned);
        let given = Given { engine: lent(engine), lca_engine: lent(lca_engine), device: device.to_owned() };
        let engine: Option<tree::Engine> = self::engine(engine)?;
        let lca_engine: Option<lca::Engine> = self::engine(lca_engine)?;
        let builder = tree::Builder::new().engine(engine).device(self::device(py, device)?);
        let (parents, narrowed) = call(py, Threads::All, move |_| {
            let narrowed = parents.narrowed("node");
            Ok((parents, narrowed))
        })?;
        narrowed.map_err(|error| parents.to_python(error))?;
        let index = match parents.is_wide() {
            false => Index::Narrow(Arc::new(Trees::new(parents))),
            true => Index::Wide(Arc::new(Trees::new(parents))),
        };
        let chosen = by_index!(&index, trees => match engine {
            Some(tree::Engine::EulerTour) => trees.walk(py, builder),
            _ => trees.jump(py, builder),
        })?;
        Ok(Self { index, chosen, lca_engine, given })
    }

    /// The parents, as they were given or copied.
    #[getter]
    fn parents<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        by_index!(&self.index, trees => trees.parents.owner(py).clone())
    }

    /// The root of every node's tree.
    ///
    /// >>> import thalweg
    /// >>> thalweg.Forest([1, -1, 1, -1]).roots
    /// array([1, 1, 1, 3], dtype=int32)
    #[getter]
    fn roots<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        by_index!(&this.index, trees => {
            if trees.roots.made().is_none() {
                trees.tour(py, &this.given.device)?;
            }
            Self::shown(slf, trees.make(py, |this| &this.roots, |this| known(&this.tour).roots())?)
        })
    }

    /// How many edges every node is away from its root.
    #[getter]
    fn depths<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        by_index!(&this.index, trees => match trees.depths.made() {
            Some(depths) => Self::shown(slf, depths),
            None => Self::shown(slf, trees.tour(py, &this.given.device)?.levels()),
        })
    }

    /// How many nodes every subtree has, its root included.
    #[getter]
    fn sizes<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        by_index!(&this.index, trees => Self::shown(slf, trees.tour(py, &this.given.device)?.sizes()))
    }

    /// The nodes in preorder: every node before its children, subtree by subtree.
    ///
    /// >>> import thalweg
    /// >>> f = thalweg.Forest([2, 0, -1, 2])
    /// >>> f.order, f.preorder, f.postorder
    /// (array([2, 0, 1, 3], dtype=int32), array([1, 2, 0, 3], dtype=int32), array([1, 0, 3, 2], dtype=int32))
    #[getter]
    fn order<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        by_index!(&this.index, trees => Self::shown(slf, trees.tour(py, &this.given.device)?.order()))
    }

    /// The place of every node in preorder, in which a node comes before its children: `order[preorder[v]] == v`. The
    /// subtree of v is `order[preorder[v] : preorder[v] + sizes[v]]`.
    #[getter]
    fn preorder<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        by_index!(&this.index, trees => Self::shown(slf, trees.tour(py, &this.given.device)?.preorder()))
    }

    /// The place of every node in postorder, in which a node comes after its children.
    #[getter]
    fn postorder<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        by_index!(&this.index, trees => {
            trees.tour(py, &this.given.device)?;
            Self::shown(slf, trees.make(py, |this| &this.postorder, |this| known(&this.tour).postorder())?)
        })
    }

    /// The roots of the trees, in increasing order: one entry a tree.
    ///
    /// >>> import thalweg
    /// >>> thalweg.Forest([1, -1, 1, -1]).trees
    /// array([1, 3], dtype=int32)
    #[getter]
    fn trees<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        by_index!(&this.index, trees => Self::shown(slf, trees.make(py, |this| &this.trees, |this| {
            let parents = this.links();
            let is_root = |v: usize| parents[v].checked().is_none_or(|parent| parent == v);
            thalweg::primitives::positions_where(parents.len(), is_root)
        })?))
    }

    /// The children of every node, in increasing order, as rows that lie behind one another: `(offsets, nodes)`. The children
    /// of v are `nodes[offsets[v] : offsets[v + 1]]`; behind all of them, from `offsets[-1]` on, are the roots.
    ///
    /// >>> import thalweg
    /// >>> offsets, nodes = thalweg.Forest([2, 0, -1, 2]).children
    /// >>> nodes[offsets[2] : offsets[3]]
    /// array([0, 3], dtype=int32)
    #[getter]
    fn children<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let py = slf.py();
        by_index!(&slf.get().index, trees => {
            let children = trees.make(py, |this| &this.children, |this| Children::new(this.links()))?;
            Ok((Self::shown(slf, children.offsets())?, Self::shown(slf, children.nodes())?))
        })
    }

    /// The lowest common ancestors of nodes x and y: the deepest node that has both in its subtree.
    ///
    /// The first call builds an index, in O(n); then an answer takes constant time.
    ///
    /// Args:
    ///     x: A node, or nodes of any shape.
    ///     y: Likewise. The two broadcast.
    ///     out: An array for the answers, of their shape and dtype.
    ///
    /// Returns:
    ///     An int for two ints. Otherwise int64, or int32 if x and y have at most 32 bits. -1 for nodes of different trees.
    ///
    /// Raises:
    ///     QueryError: There is no such node; `row` says which query names it.
    ///
    /// >>> import thalweg
    /// >>> f = thalweg.Forest([2, 0, -1, 2, -1])
    /// >>> f.lca(1, 3), f.lca(1, 4)
    /// (2, -1)
    /// >>> f.lca(1, [0, 1, 2, 3])
    /// array([0, 1, 2, 2])
    #[pyo3(signature = (x, y, out=None))]
    fn lca<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let columns = match Asked::new(["x", "y"], x, y)? {
            Asked::Many(columns) => columns,
            Asked::One(..) if out.is_some() => return Err(bad_input("out: one query has no array of answers")),
            Asked::One(x, y) => return self.one(py, x, y),
        };
        self.expect_lca(py)?;
        let (shape, wide) = (columns.shape.clone(), self.is_wide(columns.is_wide()));
        let batch = Batch::of_positions(py, &shape, wide, out, columns.arrays())?;
        by_index!(&self.index, trees => {
            let trees = trees.clone();
            batch.run(py, signed, move |out, stop| match wide {
                false => trees.batch::<u32>(&columns, out.slice(), stop),
                true => trees.batch::<u64>(&columns, out.slice(), stop),
            })
        })
    }

    /// Lowest common ancestors for an array of pairs, of shape (queries, 2), read as they lie where they have 32 or 64 bits.
    /// The answers have the same width.
    ///
    /// >>> import numpy as np, thalweg
    /// >>> thalweg.Forest([2, 0, -1, 2, -1]).lca_pairs(np.array([[1, 3], [3, 4]]))
    /// array([ 2, -1])
    #[pyo3(signature = (queries, out=None))]
    fn lca_pairs<'py>(
        &self,
        py: Python<'py>,
        queries: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut pairs = pairs("queries", queries)?;
        if pairs.dtype.bytes == 4 && self.is_wide(false) {
            pairs = crate::links::converted("queries", &pairs, py, "int64")?;
        }
        self.expect_lca(py)?;
        let (shape, wide) = ([pairs.len / 2], pairs.dtype.bytes == 8);
        let raise = match (pairs.dtype.kind, wide) {
            (Kind::Unsigned, _) => to_python,
            (_, true) => signed,
            (_, false) => signed32,
        };
        let batch = Batch::of_positions(py, &shape, wide, out, [&pairs])?;
        by_index!(&self.index, trees => {
            let trees = trees.clone();
            batch.run(py, raise, move |out, _| {
                let engine = known(&trees.lca).as_engine();
                match wide {
                    false => engine.batch(Pairs::U32(pairs.slice()), u32::buffer(out.slice())),
                    true => engine.batch(Pairs::U64(pairs.slice()), u64::buffer(out.slice())),
                }
            })
        })
    }

    /// The smallest or largest value in subtrees, the node that has it, or the sum of the values.
    ///
    /// Args:
    ///     values: One a node. For "sum" integers; otherwise as in `Rmq`, with NaN and NaT behind everything.
    ///     what: "min", "max", "argmin", "argmax" or "sum". Of equal values the first in preorder counts.
    ///     nodes: Whose subtrees: a node, or nodes of any shape; None for all nodes.
    ///
    /// Returns:
    ///     One answer a node, or one for an int. Values have their dtype, nodes that of the attributes; sums are int64,
    ///     or uint64 for unsigned values: exact for values of 32 bits, those of 64 bits wrap around.
    ///
    /// Raises:
    ///     QueryError: There is no such node; `row` says where among the nodes.
    ///
    /// >>> import numpy as np, thalweg
    /// >>> f = thalweg.Forest([2, 0, -1, 2, -1])
    /// >>> f.subtree(np.array([7.5, 3.5, 9.0, np.nan, 1.0]), "max")
    /// array([7.5, 3.5, 9. , nan, 1. ])
    /// >>> f.subtree([7, 3, 9, 5, 1], "argmin")
    /// array([1, 1, 1, 3, 4], dtype=int32)
    /// >>> int(f.subtree([7, 3, 9, 5, 1], "sum", 0))
    /// 10
    #[pyo3(signature = (values, what="min", nodes=None))]
    fn subtree<'py>(
        &self,
        py: Python<'py>,
        values: &Bound<'py, PyAny>,
        what: &str,
        nodes: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let best = |order, of_nodes| Some((order, of_nodes));
        let known = [
            ("min", best(Order::Min, false)),
            ("max", best(Order::Max, false)),
            ("argmin", best(Order::Min, true)),
            ("argmax", best(Order::Max, true)),
            ("sum", None),
        ];
        let what = named("what", what, &known)?;
        let (nodes, shape) = match nodes {
            None => (None, vec![self.len()]),
            Some(nodes) => {
                let (nodes, shape) = Lent::of_any_shape("nodes", &integers("nodes", nodes)?, Copy::IfNeeded)?;
                (Some(nodes), shape)
            }
        };
        let has_signs = nodes.as_ref().is_some_and(|nodes| nodes.dtype.kind == Kind::Signed);
        let raise = if has_signs { signed } else { to_python };
        let (order, of_nodes) = what.unwrap_or_default();
        let asked = Subtrees { order, of_nodes, nodes };
        let builder = subtree::Builder::new().order(order).device(device(py, &self.given.device)?);
        enum Values {
            Any(Lent),
            Summed(Weights),
        }
        let (values, dtype) = match what {
            None => (Values::Summed(Weights::new("values", values)?), None),
            Some(_) => {
                let values = Lent::new("values", values, Copy::IfNeeded)?;
                let dtype = values.owner(py).getattr("dtype")?;
                (Values::Any(values), (!of_nodes).then_some(dtype))
            }
        };
        let made = by_index!(&self.index, trees => {
            trees.tour(py, &self.given.device)?;
            let trees = trees.clone();
            call(py, Threads::All, move |_| Ok(match values {
                Values::Any(values) => trees.best(&builder, &values, &asked),
                Values::Summed(weights) => trees.sums(&builder, &weights, &asked),
            }))?
        });
        let mut answers = made.map_err(raise)?(py);
        if let Some(dtype) = dtype {
            answers = answers.call_method1("view", (dtype,))?;
        }
        match *shape {
            [] if of_nodes => answers.call_method1("item", (0,)),
            [] => answers.get_item(0),
            [_] => Ok(answers),
            _ => answers.call_method1("reshape", (PyTuple::new(py, shape)?,)),
        }
    }

    /// Name of the engine that found roots and depths.
    #[getter]
    fn engine(&self) -> &'static str {
        self.chosen.engine()
    }

    /// Name of the device on which they were found: "cpu", or the GPU's.
    #[getter]
    fn device(&self) -> &str {
        self.chosen.device()
    }

    /// Which engine found them on which device, and why these.
    #[getter]
    fn chosen(&self) -> String {
        self.chosen.to_string()
    }

    fn __len__(&self) -> usize {
        self.len()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let dtype = self.parents(py).getattr("dtype")?;
        let device = if self.chosen.is_cpu() { "the CPU" } else { self.chosen.device() };
        Ok(format!("<thalweg.Forest: {} nodes, parents {dtype}, {} on {device}>", self.len(), self.chosen.engine()))
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let options = PyDict::new(py);
        options.set_item("engine", &self.given.engine)?;
        options.set_item("lca_engine", &self.given.lca_engine)?;
        options.set_item("device", &self.given.device)?;
        Ok(((self.parents(py),).into_pyobject(py)?, options))
    }
}

impl Forest {
    /// The lowest common ancestor of two nodes.
    fn one<'py>(&self, py: Python<'py>, x: i64, y: i64) -> PyResult<Bound<'py, PyAny>> {
        let len = self.len();
        for node in [x, y] {
            if node < 0 || node as u64 >= len as u64 {
                return Err(bad_node(None, node.into(), len));
            }
        }
        self.expect_lca(py)?;
        let found = by_index!(&self.index, trees => {
            let lca = known(&trees.lca);
            let find = || lca.try_ask(x as usize, y as usize);
            // On the CPU an answer takes less time than letting go of the interpreter; a walk to the root does not.
            let quick = lca.chosen().is_cpu() && lca.engine() != lca::Engine::Naive.name();
            if quick { find() } else { py.detach(find) }.or_raise()?
        });
        Ok(found.map_or(-1, |node| node as i64).into_pyobject(py)?.into_any())
    }
}
