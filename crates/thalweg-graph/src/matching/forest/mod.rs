//! `forest`: trees of alternating paths from all free vertices at once.
//!
//! A matching is maximum if no alternating path leads from one free vertex to another (Berge 1957). The search begins with a
//! matching that is nearly maximum already ([`karp_sipser`]) and grows a tree from every free vertex, in turns: what is next
//! to an *outer* vertex, at even distance from the root, becomes *inner*, and its partner outer. Where two trees meet, both
//! roots are matched. Where a tree meets itself, the odd cycle is a *blossom* (Edmonds 1965): all of its vertices are outer.
//!
//! - Blossoms are sets of a union-find structure and are never unrolled (Gabow 1976): a vertex that a blossom turns outer
//!   remembers the edge that closed the cycle, and a path is put together from such edges with a stack, not by recursion.
//! - A tree whose root was matched is *spent*: in the way of others until nobody can grow any more. Then the vertices of all
//!   spent trees are released together, and what is next to a living tree is grafted onto it, as Azad, Buluç and Pothen
//!   (2015) do in bipartite graphs. All other trees stay as they are, so that what has been searched in vain is not searched
//!   again. The last round, in which nothing is matched, leaves the labels of Gallai and Edmonds: outer vertices are D,
//!   inner ones A, the others C.
//! - Growing in turns keeps trees small while there are many. On random graphs two trees meet after some √n vertices.
//!
//! Work O(n m) at worst; in practice a few passes over the edges, and never more than seven rounds on the graphs tried, of
//! 10^6 vertices. Memory 45 bytes a vertex. Parts of the graph that are not connected run in parallel; one part is one
//! thread's work.

mod karp_sipser;
mod search;

use thalweg_core::Result;

use super::parts::Solved;
use crate::Rows;

/// A maximum matching, and the labels.
pub(super) fn solve(rows: Rows<'_>) -> Result<Solved> {
    let mut forest = search::Forest::new(rows, &karp_sipser::karp_sipser(rows)?)?;
    forest.grow_all()?;
    forest.solved()
}

#[cfg(test)]
mod tests {
    use thalweg_data::GraphKind;

    use super::*;
    use crate::Graph;
    use crate::matching::{NOBODY, verify};

    /// The search alone, from this matching.
    fn search_from(graph: &Graph, partners: &[u32]) -> Solved {
        let mut forest = search::Forest::new(graph.rows(), partners).unwrap();
        forest.grow_all().unwrap();
        forest.solved().unwrap()
    }

    /// Every vertex takes its first free neighbour, in the order of a seed.
    fn greedy(graph: &Graph, seed: u64) -> Vec<u32> {
        let mut partners = vec![NOBODY; graph.nodes()];
        for v in thalweg_data::lists::permutation::<u32>(graph.nodes(), seed) {
            let is_free = |&&u: &&u32| partners[u as usize] == NOBODY;
            if is_free(&&v)
                && let Some(&u) = graph.rows().row(v).iter().find(is_free)
            {
                (partners[v as usize], partners[u as usize]) = (u, v);
            }
        }
        partners
    }

    /// Karp-Sipser leaves the search little to do: here it has to do everything, and comes to the same labels.
    #[test]
    fn the_search_needs_no_good_start() {
        for &kind in GraphKind::ALL {
            for nodes in [15, 48, 257, 2000] {
                for edges in [nodes, 2 * nodes] {
                    for seed in 0..4 {
                        let edges = kind.shuffled::<u32>(nodes, edges, seed);
                        if edges.len() > 100_000 {
                            continue;
                        }
                        let graph = Graph::from_edges(&edges, Some(nodes)).unwrap();
                        let want = solve(graph.rows()).unwrap();
                        for start in [vec![NOBODY; nodes], greedy(&graph, seed)] {
                            let found = search_from(&graph, &start);
                            assert_eq!(found.labels, want.labels, "{kind:?}, {nodes} vertices, seed {seed}");
                            let said = verify(&edges, &found.partners, &found.labels);
                            assert!(said.is_ok(), "{kind:?}, {nodes} vertices, seed {seed}: {said:?}");
                        }
                    }
                }
            }
        }
    }
}
