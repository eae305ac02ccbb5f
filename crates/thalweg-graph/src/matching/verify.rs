//! A proof, checked: whether a matching is one, and maximum.
//!
//! Tutte 1947, Berge 1958: take any set U of vertices out of a graph. A component with an odd number of vertices cannot be
//! matched in itself, and at most |U| components have a vertex that is matched to U. So a matching of n vertices has at most
//! (n + |U| - odd(G - U)) / 2 pairs; a matching that has so many is maximum. The set is [`Label::A`].
//!
//! Nothing here knows how a matching was found, nor compressed rows: one pass over the edges as they were given, and
//! union-find. Work O((n + m) α(n)), memory 9 bytes a vertex.

use std::fmt;

use thalweg_core::error::try_filled;
use thalweg_core::{Error, Pairs, Position};

use super::{Label, NOBODY};

/// Why a matching with its labels proves nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Complaint {
    /// There are not as many partners as labels, or an edge leads further.
    Length,
    /// Somebody's partner is no vertex, is the vertex itself, or has another partner.
    Partner(u32),
    /// There is no edge between a vertex and its partner.
    NoEdge(u32),
    /// A component without the vertices of A has both labels C and D, or is odd and has C, or is even and has D.
    Component(u32),
    /// There was no memory for the check.
    Unchecked(Error),
    /// The matching has fewer pairs than the bound of Tutte and Berge.
    Bound {
        /// How many pairs it has.
        pairs: usize,
        /// How many there are at most.
        bound: usize,
    },
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length => write!(f, "partners, labels and edges are not of the same graph"),
            Self::Partner(v) => write!(f, "vertex {v} has a partner whose partner it is not"),
            Self::NoEdge(v) => write!(f, "there is no edge between vertex {v} and its partner"),
            Self::Component(v) => write!(f, "the labels of the component of vertex {v} do not fit its size"),
            Self::Unchecked(error) => write!(f, "{error}"),
            Self::Bound { pairs, bound } => {
                write!(f, "{pairs} pairs, but the labels only prove that there are at most {bound}")
            }
        }
    }
}

impl std::error::Error for Complaint {}

impl From<Error> for Complaint {
    fn from(error: Error) -> Self {
        Self::Unchecked(error)
    }
}

/// Checks a matching and its labels against the edges as they were given, and counts the pairs.
/// Loops and repeated edges change nothing.
///
/// What is proved: the partners are a matching, there is no larger one, the vertices labelled D are those in odd components
/// without A, and those labelled C in even ones. (That no smaller D would do is not checked: that would take a search.)
///
/// ```
/// # mod thalweg { pub use thalweg_graph as graph; pub use thalweg_graph::*; }
/// use thalweg::graph::matching::{Complaint, Label, NOBODY, verify};
/// // A star: one of three leaves is matched, and the centre alone is A.
/// let edges = [[0u32, 1], [0, 2], [0, 3]];
/// let labels = [Label::A, Label::D, Label::D, Label::D];
/// assert_eq!(verify(&edges, &[2, NOBODY, 0, NOBODY], &labels), Ok(1));
/// assert_eq!(verify(&edges, &[NOBODY; 4], &labels), Err(Complaint::Bound { pairs: 0, bound: 1 }));
/// ```
///
/// # Errors
/// What is wrong.
pub fn verify<P: Position>(edges: &[[P; 2]], partners: &[u32], labels: &[Label]) -> Result<usize, Complaint> {
    verify_pairs(P::pairs(edges), partners, labels)
}

/// [`verify`] for edges whose width is known at run time only.
pub fn verify_pairs(edges: Pairs<'_>, partners: &[u32], labels: &[Label]) -> Result<usize, Complaint> {
    match edges {
        Pairs::U32(edges) => check(edges.iter().map(|edge| edge.map(Position::get)), partners, labels),
        Pairs::U64(edges) => check(edges.iter().map(|edge| edge.map(Position::get)), partners, labels),
    }
}

pub(super) fn check(
    edges: impl Iterator<Item = [usize; 2]>,
    partners: &[u32],
    labels: &[Label],
) -> Result<usize, Complaint> {
    let n = partners.len();
    if labels.len() != n {
        return Err(Complaint::Length);
    }
    let has_partner = |v: usize| partners[v] != NOBODY;
    let fits = |v: usize| partners.get(partners[v] as usize).is_some_and(|&u| u as usize == v && u != partners[v]);
    if let Some(v) = (0..n).find(|&v| has_partner(v) && !fits(v)) {
        return Err(Complaint::Partner(v as u32));
    }
    let mut is_joined: Vec<bool> = try_filled(n, false, "check of edges")?;
    let mut sets =
        Sets { up: try_filled(n, NOBODY, "check of components")?, sizes: try_filled(n, 1, "check of components")? };
    for [a, b] in edges {
        if a >= n || b >= n {
            return Err(Complaint::Length);
        }
        if partners[a] as usize == b {
            (is_joined[a], is_joined[b]) = (true, true);
        }
        if labels[a] != Label::A && labels[b] != Label::A {
            sets.join(a as u32, b as u32);
        }
    }
    if let Some(v) = (0..n).find(|&v| has_partner(v) && !is_joined[v]) {
        return Err(Complaint::NoEdge(v as u32));
    }
    let (mut removed, mut odd) = (0, 0);
    for (v, &label) in labels.iter().enumerate() {
        if label == Label::A {
            removed += 1;
            continue;
        }
        let top = sets.top(v as u32) as usize;
        let is_odd = sets.sizes[top] % 2 == 1;
        if (label == Label::D) != is_odd {
            return Err(Complaint::Component(v as u32));
        }
        odd += usize::from(top == v && is_odd);
    }
    let pairs = (0..n).filter(|&v| has_partner(v)).count() / 2;
    // Even, and not negative: there are no more odd components than vertices.
    let bound = (n + removed - odd) / 2;
    if pairs == bound { Ok(pairs) } else { Err(Complaint::Bound { pairs, bound }) }
}

/// Disjoint sets, the smaller below the larger.
struct Sets {
    up: Vec<u32>,
    sizes: Vec<u32>,
}

impl Sets {
    fn top(&mut self, mut v: u32) -> u32 {
        while self.up[v as usize] != NOBODY {
            let up = self.up[v as usize];
            if self.up[up as usize] != NOBODY {
                self.up[v as usize] = self.up[up as usize];
            }
            v = up;
        }
        v
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.top(a), self.top(b));
        if a != b {
            let (below, above) = if self.sizes[a as usize] < self.sizes[b as usize] { (a, b) } else { (b, a) };
            self.up[below as usize] = above;
            self.sizes[above as usize] += self.sizes[below as usize];
        }
    }
}
