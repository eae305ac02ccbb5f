//! Compressed rows and components, against what sets say.

use std::collections::BTreeSet;

use proptest::prelude::*;
use thalweg_core::Position;
use thalweg_data::{GraphKind, with_threads};
use thalweg_graph::Graph;
use thalweg_graph::components::components;

/// Rows, loops and repetitions as sets tell them.
fn check<P: Position>(nodes: usize, edges: &[[P; 2]]) {
    let graph = Graph::from_edges(edges, Some(nodes)).unwrap();
    let mut arcs = BTreeSet::new();
    let (mut loops, mut repeated) = (0, 0);
    for edge in edges {
        let [a, b] = edge.map(|v| v.get() as u32);
        if a == b {
            loops += 1;
        } else if arcs.insert((a, b)) {
            arcs.insert((b, a));
        } else {
            repeated += 1;
        }
    }
    assert_eq!((graph.nodes(), 2 * graph.edges()), (nodes, arcs.len()));
    assert_eq!((graph.self_loops(), graph.repeated_edges()), (loops, repeated));
    let rows = graph.rows();
    let found = (0..nodes as u32).flat_map(|v| rows.row(v).iter().map(move |&u| (v, u)));
    assert!(found.eq(arcs), "rows are sorted and complete");
    assert_eq!(rows.arcs(), 2 * graph.edges());
}

/// Everybody's component, by walking from the smallest vertex.
fn walked_components(nodes: usize, edges: &[[u32; 2]]) -> Vec<u32> {
    let mut neighbours = vec![Vec::new(); nodes];
    for &[a, b] in edges {
        neighbours[a as usize].push(b);
        neighbours[b as usize].push(a);
    }
    let mut first = vec![u32::MAX; nodes];
    for start in 0..nodes as u32 {
        let mut stack = vec![start];
        while let Some(v) = stack.pop() {
            if first[v as usize] == u32::MAX {
                first[v as usize] = start;
                stack.extend(&neighbours[v as usize]);
            }
        }
    }
    first
}

#[test]
fn every_kind_in_both_widths_on_any_number_of_threads() {
    for &kind in GraphKind::ALL {
        for nodes in [1, 2, 17, 300, 1023, 1024, 1025, 20_011] {
            let edges: Vec<[u32; 2]> = kind.shuffled(nodes, 3 * nodes, 7);
            if edges.len() > 200_000 {
                continue;
            }
            check(nodes, &edges);
            check(nodes, &edges.iter().map(|edge| edge.map(u64::from)).collect::<Vec<_>>());
            let graph = Graph::from_edges(&edges, Some(nodes)).unwrap();
            let found = components(graph.rows()).unwrap();
            assert_eq!(found, walked_components(nodes, &edges), "{kind:?} {nodes}");
            for threads in [1, 8].into_iter().filter(|_| nodes > 20_000) {
                let (again, parts) = with_threads(threads, || {
                    let graph = Graph::from_edges(&edges, Some(nodes)).unwrap();
                    let parts = components(graph.rows()).unwrap();
                    (graph, parts)
                });
                assert!(again == graph && parts == found, "{kind:?} {nodes}, {threads} threads");
            }
        }
    }
}

/// Rows of 15 to 18 targets, all of them twice, in ranges of their own: where short rows end.
#[test]
fn rows_around_the_length_that_is_sorted_at_once() {
    for degree in 1..40u32 {
        let edges: Vec<[u32; 2]> =
            (0..degree).flat_map(|k| [[2000, 3 * k], [3 * k, 2000], [2000, 3 * k + 1]]).collect();
        check(2001, &edges);
        // All the same.
        check(2001, &vec![[2000u32, degree]; degree as usize]);
    }
}

#[test]
fn many_vertices_and_few_edges() {
    // More than 2^12 ranges of 2^10 vertices: ranges become larger.
    let nodes = 9_000_001;
    let edges = [[0u32, 9_000_000], [4_500_000, 4_500_001], [9_000_000, 0], [1, 9_000_000]];
    let graph = Graph::from_edges(&edges, Some(nodes)).unwrap();
    assert_eq!((graph.edges(), graph.repeated_edges()), (3, 1));
    assert_eq!(graph.rows().row(9_000_000), [0, 1]);
    assert_eq!(graph.rows().row(4_500_001), [4_500_000]);
}

proptest! {
    #[test]
    fn any_edges(edges in prop::collection::vec(prop::array::uniform2(0..50u32), 0..300)) {
        check(50, &edges);
        let graph = Graph::from_edges(&edges, Some(50)).unwrap();
        prop_assert_eq!(components(graph.rows()).unwrap(), walked_components(50, &edges));
    }
}
