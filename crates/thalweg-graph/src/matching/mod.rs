//! Maximum matchings in general graphs.
//!
//! A matching is a set of edges of which no two share a vertex; a maximum one has as many as possible. [`maximum_matching`]
//! serves the common case, [`maximum_matching_with`] takes an [`Engine`]:
//!
//! | engine | idea | work | threads | source |
//! |---|---|---|---|---|
//! | `forest` (default) | Karp-Sipser, then trees of alternating paths from all free vertices, with blossoms | O(n m), in practice a few passes | a part each | Edmonds 1965; Gabow 1976 |
//! | `tutte` | the rank of a random skew-symmetric matrix, and its inverse | O(n³) a component | all | Tutte 1947; Lovász 1979; Rabin, Vazirani 1989 |
//! | `naive` | all subsets of vertices | O(2^n d) | one | the oracle |
//!
//! # The contract
//! - Every answer has its proof: [labels](Label) that depend on the graph alone, and so are the same from all engines.
//!   [`verify`] checks them against the edges. Which of the maximum matchings is told depends on the engine, but not on the
//!   number of threads.
//! - Loops and repeated edges are ignored; the [`Graph`] counts them.
//!
//! ```
//! # mod thalweg { pub use thalweg_graph as graph; pub use thalweg_graph::*; }
//! use thalweg::graph::Graph;
//! use thalweg::graph::matching::{maximum_matching, verify};
//! // Two triangles, joined by an edge.
//! let edges = [[0u32, 1], [1, 2], [2, 0], [2, 3], [3, 4], [4, 5], [5, 3]];
//! let matching = maximum_matching(&Graph::from_edges(&edges, None)?)?;
//! assert!(matching.is_perfect());
//! assert_eq!((matching.pairs(), matching.partner(2)), (3, Some(3)));
//! assert_eq!(verify(&edges, matching.partners(), matching.labels()), Ok(3));
//! # Ok::<(), thalweg::Error>(())
//! ```

mod forest;
mod label;
mod naive;
mod parts;
pub mod tutte;
mod verify;

use thalweg_core::{Result, engine_names};

pub use self::label::Label;
pub use self::tutte::TutteOptions;
pub use self::verify::{Complaint, verify, verify_pairs};
use crate::Graph;

/// Stands for no partner.
pub const NOBODY: u32 = u32::MAX;

engine_names! {
    /// The engines of maximum matchings. See the [module's table](self).
    #[derive(Default)]
    "matching": Engine {
        /// Karp-Sipser, then alternating trees with blossoms. The default.
        #[default]
        Forest = "forest",
        /// The rank of a random matrix: cubic, for components of up to [`tutte::MAX_VERTICES`] vertices.
        Tutte(TutteOptions) = "tutte",
        /// All subsets of up to 22 vertices. The oracle of the tests.
        Naive = "naive",
    }
}

/// A maximum matching, and the proof that it is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matching {
    partners: Vec<u32>,
    labels: Vec<Label>,
    pairs: usize,
}

impl Matching {
    /// How many pairs there are.
    pub fn pairs(&self) -> usize {
        self.pairs
    }

    /// How many vertices have no partner.
    pub fn unmatched(&self) -> usize {
        self.partners.len() - 2 * self.pairs
    }

    /// Whether everybody has a partner.
    pub fn is_perfect(&self) -> bool {
        self.unmatched() == 0
    }

    /// The partner of a vertex; `None` if it has none or does not exist.
    pub fn partner(&self, v: usize) -> Option<usize> {
        self.partners.get(v).filter(|&&u| u != NOBODY).map(|&u| u as usize)
    }

    /// Everybody's partner, or [`NOBODY`].
    pub fn partners(&self) -> &[u32] {
        &self.partners
    }

    /// Everybody's label: the proof.
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// The set of Tutte and Berge: if it is taken away, so many odd components are left that no matching is larger.
    pub fn barrier(&self) -> impl Iterator<Item = usize> + '_ {
        self.labels.iter().enumerate().filter(|&(_, &label)| label == Label::A).map(|(v, _)| v)
    }

    /// Partners and labels.
    pub fn into_parts(self) -> (Vec<u32>, Vec<Label>) {
        (self.partners, self.labels)
    }
}

/// A maximum matching, with the default engine.
///
/// Work: a few passes over the edges in practice, O(n m) at worst. Parts that are not connected run on all threads of the
/// current rayon pool. Extra memory: 45 bytes a vertex, and a copy of the graph if it has large parts that are not connected.
///
/// # Errors
/// [`Error::OutOfMemory`](thalweg_core::Error::OutOfMemory).
pub fn maximum_matching(graph: &Graph) -> Result<Matching> {
    maximum_matching_with(graph, Engine::default())
}

/// [`maximum_matching`] with a choice of the engine.
///
/// ```
/// # mod thalweg { pub use thalweg_graph as graph; pub use thalweg_graph::*; }
/// use thalweg::graph::Graph;
/// use thalweg::graph::matching::{Engine, Label, TutteOptions, maximum_matching_with};
/// let path = Graph::from_edges(&[[0u32, 1], [1, 2]], None)?;
/// let matching = maximum_matching_with(&path, Engine::Tutte(TutteOptions { seed: 7 }))?;
/// assert_eq!(matching.unmatched(), 1);
/// // Either end can be left alone; the middle cannot.
/// assert_eq!(matching.labels(), [Label::D, Label::A, Label::D]);
/// # Ok::<(), thalweg::Error>(())
/// ```
///
/// # Errors
/// [`Error::BadOption`](thalweg_core::Error::BadOption) for a graph that is too large for the engine;
/// [`Error::OutOfMemory`](thalweg_core::Error::OutOfMemory).
pub fn maximum_matching_with(graph: &Graph, engine: Engine) -> Result<Matching> {
    let rows = graph.rows();
    let solved = match engine {
        Engine::Forest => parts::in_parts(rows, &forest::solve)?,
        Engine::Tutte(options) => parts::by_components(rows, &|rows| tutte::solve(rows, options))?,
        Engine::Naive => naive::solve(rows)?,
    };
    Ok(solved.into())
}

impl From<parts::Solved> for Matching {
    fn from(solved: parts::Solved) -> Self {
        let pairs = solved.partners.iter().filter(|&&u| u != NOBODY).count() / 2;
        Self { partners: solved.partners, labels: solved.labels, pairs }
    }
}
