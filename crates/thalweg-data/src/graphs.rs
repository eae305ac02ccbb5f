//! Undirected graphs as lists of edges: random, with the shapes that searches for matchings find hard, and deficient ones.

use thalweg_core::Position;

use crate::lists::permutation;
use crate::{Random, made};

/// A kind of graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GraphKind {
    /// Any two vertices, loops and repetitions among them.
    Random,
    /// Any two vertices of different halves.
    Bipartite,
    /// Between sides of 9 to 11: a tenth of the vertices stays alone.
    Uneven,
    /// Vertices whose numbers differ by at most 16.
    Near,
    /// The R-MAT graph of the Graph500 benchmark: a few vertices with very many neighbours, many with none.
    Kronecker,
    /// A path.
    Path,
    /// Triangles in a row, each joined to the next by an edge.
    Triangles,
    /// Triangles in a row, each joined to the next by three edges.
    Prism,
    /// A vertex and ears of two vertices, each joined to both vertices of the ear before: blossoms inside blossoms.
    Nested,
    /// A vertex and ears of two vertices, each joined to any two vertices before: blossoms of all shapes.
    Ears,
    /// Cycles of 3, 5, 7, 3, 5, 7, ... vertices, one beside the other.
    Islands,
    /// Cliques of five vertices, all of them joined to one of a few hubs: most stay without a partner for one vertex.
    Hubs,
    /// A square of squares.
    Grid,
    /// All edges there can be.
    Complete,
}

impl GraphKind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[
        Self::Random,
        Self::Bipartite,
        Self::Uneven,
        Self::Near,
        Self::Kronecker,
        Self::Path,
        Self::Triangles,
        Self::Prism,
        Self::Nested,
        Self::Ears,
        Self::Islands,
        Self::Hubs,
        Self::Grid,
        Self::Complete,
    ];

    /// The kind's name, as the command line takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Bipartite => "bipartite",
            Self::Uneven => "uneven",
            Self::Near => "near",
            Self::Kronecker => "kronecker",
            Self::Path => "path",
            Self::Triangles => "triangles",
            Self::Prism => "prism",
            Self::Nested => "nested",
            Self::Ears => "ears",
            Self::Islands => "islands",
            Self::Hubs => "hubs",
            Self::Grid => "grid",
            Self::Complete => "complete",
        }
    }

    /// How many edges a graph of this kind has, where its shape says so; others have as many as they are asked for.
    pub fn edges(self, nodes: usize) -> Option<usize> {
        let n = nodes as u64;
        let edges = match self {
            Self::Random | Self::Bipartite | Self::Uneven | Self::Near | Self::Kronecker => return None,
            Self::Path => n.saturating_sub(1),
            Self::Triangles => (n / 3 * 4).saturating_sub(1),
            Self::Prism => (n / 3 * 6).saturating_sub(3),
            Self::Nested | Self::Ears => n.saturating_sub(1) / 2 * 3,
            Self::Islands => n / 15 * 15,
            Self::Hubs => n / 16 * 45,
            Self::Grid => 2 * (n.isqrt() * n.isqrt().saturating_sub(1)),
            Self::Complete => n * n.saturating_sub(1) / 2,
        };
        Some(edges as usize)
    }

    /// A graph with so many vertices. `edges` counts where [`GraphKind::edges`] does not tell. Vertices that are not in a
    /// whole triangle, island, clique or square have no edges.
    ///
    /// # Panics
    /// If there is not so much memory, or if there are edges and no vertices.
    pub fn make<P: Position>(self, nodes: usize, edges: usize, seed: u64) -> Vec<[P; 2]> {
        let (random, n) = (Random::new(seed, 30), nodes as u64);
        let edges = self.edges(nodes).unwrap_or(edges);
        assert!(nodes > 0 || edges == 0, "edges need vertices");
        made(edges, |i| self.edge(i as u64, n, random).map(|v| P::new(v as usize)))
    }

    /// The same graph with its vertices numbered at random.
    pub fn shuffled<P: Position>(self, nodes: usize, edges: usize, seed: u64) -> Vec<[P; 2]> {
        let labels: Vec<P> = permutation(nodes, seed);
        let edges: Vec<[P; 2]> = self.make(nodes, edges, seed);
        made(edges.len(), |i| edges[i].map(|v| labels[v.get()]))
    }

    /// Edge `i` of a graph with `n` vertices.
    fn edge(self, i: u64, n: u64, random: Random) -> [u64; 2] {
        let below = |k: u64, bound: u64| random.below(2 * i + k, bound);
        let between = |left: u64| [below(0, left.max(1)), (left + below(1, n - left)).min(n - 1)];
        match self {
            Self::Random => [below(0, n), below(1, n)],
            Self::Bipartite => between(n / 2),
            Self::Uneven => between(n * 9 / 20),
            Self::Near => {
                let a = below(0, n);
                [a, (a + 1 + below(1, 16)) % n]
            }
            Self::Kronecker => kronecker(i, n, random),
            Self::Path => [i, i + 1],
            Self::Triangles => {
                let first = i / 4 * 3;
                [[0, 1], [1, 2], [2, 0], [2, 3]][(i % 4) as usize].map(|k| first + k)
            }
            Self::Prism => {
                let first = i / 6 * 3;
                [[0, 1], [1, 2], [2, 0], [0, 3], [1, 4], [2, 5]][(i % 6) as usize].map(|k| first + k)
            }
            Self::Nested | Self::Ears => {
                let (ear, k) = (i / 3, i % 3);
                let new = [2 * ear + 1, 2 * ear + 2];
                let old = |k: u64| match self {
                    Self::Ears => random.below(i, new[0]),
                    _ => (2 * ear + k).saturating_sub(1),
                };
                if k < 2 { [new[k as usize], old(k)] } else { new }
            }
            Self::Islands => {
                let (first, k) = (i / 15 * 15, i % 15);
                let (start, len) = match k {
                    0..3 => (0, 3),
                    3..8 => (3, 5),
                    _ => (8, 7),
                };
                [first + k, first + start + (k - start + 1) % len]
            }
            Self::Hubs => {
                // Three cliques and their hub, in 16 vertices.
                let (first, clique, k) = (i / 45 * 16, i % 45 / 15, i % 15);
                let base = first + 1 + 5 * clique;
                if k < 5 { [base + k, first] } else { pair(k - 5).map(|v| base + v) }
            }
            Self::Grid => {
                let side = n.isqrt();
                let (place, is_down) = (i / 2, i % 2 == 1);
                let (row, column) = (place / (side - 1), place % (side - 1));
                let at = |row: u64, column: u64| row * side + column;
                if is_down { [at(column, row), at(column + 1, row)] } else { [at(row, column), at(row, column + 1)] }
            }
            Self::Complete => pair(i),
        }
    }
}

/// Pair `i` of [1, 0], [2, 0], [2, 1], [3, 0], ...
fn pair(i: u64) -> [u64; 2] {
    let mut a = (1 + 8 * i).isqrt().div_ceil(2);
    while a * (a - 1) / 2 > i {
        a -= 1;
    }
    [a, i - a * (a - 1) / 2]
}

/// Every bit of the two ends is drawn with the probabilities 0.57, 0.19, 0.19, 0.05.
fn kronecker(i: u64, n: u64, random: Random) -> [u64; 2] {
    let bits = u64::from(n.ilog2());
    let mut ends = [0; 2];
    for bit in 0..bits {
        let drawn = random.below(i * bits + bit, 100);
        let [a, b] = match drawn {
            0..57 => [0, 0],
            57..76 => [0, 1],
            76..95 => [1, 0],
            _ => [1, 1],
        };
        ends = [2 * ends[0] + a, 2 * ends[1] + b];
    }
    ends
}

/// What all matchings together tell, by trying every one: how many pairs a maximum matching has, and which vertices some
/// maximum matching leaves alone. For a few vertices only.
pub fn try_all_matchings(nodes: usize, edges: &[[u32; 2]]) -> (usize, Vec<bool>) {
    struct Tried<'a> {
        edges: &'a [[u32; 2]],
        is_matched: Vec<bool>,
        pairs: usize,
        most: usize,
        is_missed: Vec<bool>,
    }

    /// Takes or leaves the edges from `next` on.
    fn go_on(tried: &mut Tried<'_>, next: usize) {
        let Some(&[a, b]) = tried.edges.get(next) else {
            if tried.pairs > tried.most {
                tried.most = tried.pairs;
                tried.is_missed.fill(false);
            }
            if tried.pairs == tried.most {
                tried
                    .is_missed
                    .iter_mut()
                    .zip(&tried.is_matched)
                    .for_each(|(is_missed, matched)| *is_missed |= !matched);
            }
            return;
        };
        go_on(tried, next + 1);
        let (a, b) = (a as usize, b as usize);
        if a != b && !tried.is_matched[a] && !tried.is_matched[b] {
            (tried.is_matched[a], tried.is_matched[b]) = (true, true);
            tried.pairs += 1;
            go_on(tried, next + 1);
            tried.pairs -= 1;
            (tried.is_matched[a], tried.is_matched[b]) = (false, false);
        }
    }

    let is_missed = vec![false; nodes];
    let mut tried = Tried { edges, is_matched: is_missed.clone(), pairs: 0, most: 0, is_missed };
    go_on(&mut tried, 0);
    (tried.most, tried.is_missed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_edges_between_its_vertices() {
        for &kind in GraphKind::ALL {
            for nodes in [1, 2, 3, 5, 15, 16, 17, 100, 1000] {
                for edges in [kind.make::<u32>(nodes, 3 * nodes, 1), kind.shuffled::<u32>(nodes, 3 * nodes, 1)] {
                    assert!(edges.as_flattened().iter().all(|&v| (v as usize) < nodes), "{kind:?} {nodes}");
                    assert_eq!(edges.len(), kind.edges(nodes).unwrap_or(3 * nodes));
                }
            }
            assert!(kind.make::<u64>(0, 0, 1).is_empty());
        }
    }

    #[test]
    fn shapes_have_no_loops_and_no_repetitions() {
        for &kind in GraphKind::ALL.iter().filter(|kind| kind.edges(0).is_some()) {
            let mut edges = kind.make::<u32>(240, 0, 1);
            edges.iter_mut().for_each(|edge| edge.sort_unstable());
            let all = edges.len();
            edges.sort_unstable();
            edges.dedup();
            edges.retain(|[a, b]| a != b);
            // The two ends of an ear may hang on one vertex, but an edge is there once.
            assert_eq!(edges.len(), all, "{kind:?}");
        }
    }

    #[test]
    fn kinds_have_their_shapes() {
        assert_eq!(GraphKind::Triangles.make::<u32>(6, 0, 0), [[0, 1], [1, 2], [2, 0], [2, 3], [3, 4], [4, 5], [5, 3]]);
        assert_eq!(GraphKind::Nested.make::<u32>(5, 0, 0), [[1, 0], [2, 0], [1, 2], [3, 1], [4, 2], [3, 4]]);
        assert_eq!(GraphKind::Complete.make::<u32>(4, 0, 0), [[1, 0], [2, 0], [2, 1], [3, 0], [3, 1], [3, 2]]);
        let mut grid = GraphKind::Grid.make::<u32>(9, 0, 0);
        grid.sort_unstable();
        let by_hand = [[0, 1], [0, 3], [1, 2], [1, 4], [2, 5], [3, 4], [3, 6], [4, 5], [4, 7], [5, 8], [6, 7], [7, 8]];
        assert_eq!(grid, by_hand);
    }

    #[test]
    fn all_matchings_by_hand() {
        // A path of three: one pair, and either end may be alone.
        assert_eq!(try_all_matchings(3, &[[0, 1], [1, 2]]), (1, vec![true, false, true]));
        // A triangle and a vertex alone; loops are no pairs.
        assert_eq!(try_all_matchings(4, &[[0, 1], [1, 2], [2, 0], [3, 3]]), (1, vec![true; 4]));
        assert_eq!(try_all_matchings(2, &[[0, 1]]), (1, vec![false; 2]));
    }
}
