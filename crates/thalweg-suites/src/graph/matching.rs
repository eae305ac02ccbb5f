//! The conformance suite of maximum matchings.

use thalweg_core::Result;
use thalweg_data::graphs::try_all_matchings;
use thalweg_data::lists::permutation;
use thalweg_data::{GraphKind, with_threads};
use thalweg_graph::Graph;
use thalweg_graph::matching::{Engine, Label, Matching, maximum_matching_with, verify};

/// Something that finds maximum matchings.
pub type Finder<'a> = &'a (dyn Fn(&Graph) -> Result<Matching> + Sync);

/// Holds an engine of the library to its contract; see [`suite_of`].
///
/// # Panics
/// If a matching or a label is wrong.
pub fn suite(engine: Engine) {
    let sizes = match engine {
        Engine::Naive => &[0, 1, 2, 3, 8, 15, 17][..],
        Engine::Tutte(_) => &[0, 1, 2, 17, 31, 32, 33, 64, 65, 127, 300][..],
        _ => crate::sizes(),
    };
    suite_of(engine.name(), sizes, &|graph| maximum_matching_with(graph, engine));
}

/// Holds a finder of matchings to its contract: all graphs of up to five vertices and some of six against all of their
/// matchings; every kind of graph in these sizes, with the numbers in order and shuffled, which must not change the labels;
/// one and several threads.
///
/// # Panics
/// If a matching or a label is wrong.
pub fn suite_of(name: &str, sizes: &[usize], find: Finder<'_>) {
    small_graphs(name, find);
    odd_edges(name, find);
    for &kind in GraphKind::ALL {
        for &nodes in sizes {
            // All edges of many vertices are very many.
            if nodes == 0 || kind == GraphKind::Complete && nodes > 600 {
                continue;
            }
            for edges in [nodes / 2, nodes + nodes / 4, 5 * nodes] {
                either_numbering(&format!("{name}, {} of {nodes} vertices", kind.name()), kind, nodes, edges, find);
                if kind.edges(nodes).is_some() {
                    break;
                }
            }
        }
    }
}

/// Numbered in order and shuffled: a proof each, and the same labels.
fn either_numbering(what: &str, kind: GraphKind, nodes: usize, edges: usize, find: Finder<'_>) {
    let seed = edges as u64;
    let ordered = check(what, nodes, &kind.make(nodes, edges, seed), find);
    let shuffled = check(what, nodes, &kind.shuffled(nodes, edges, seed), find);
    assert_eq!(ordered.pairs(), shuffled.pairs(), "{what}, {edges} edges");
    for (v, name) in permutation::<u32>(nodes, seed).into_iter().enumerate() {
        let labels = [ordered.labels()[v], shuffled.labels()[name as usize]];
        assert!(labels[0] == labels[1], "{what}, {edges} edges: vertex {v} is {labels:?} by another number");
    }
}

/// Finds a matching, on one thread and on three, and has it verified.
fn check(what: &str, nodes: usize, edges: &[[u32; 2]], find: Finder<'_>) -> Matching {
    let graph = Graph::from_edges(edges, Some(nodes)).unwrap_or_else(|e| panic!("{what}: {e}"));
    let found = find(&graph).unwrap_or_else(|e| panic!("{what}: {e}"));
    match verify(edges, found.partners(), found.labels()) {
        Ok(pairs) => assert_eq!(pairs, found.pairs(), "{what}"),
        Err(complaint) => panic!("{what}: {complaint}"),
    }
    if nodes > 10_000 {
        for threads in [1, 3] {
            assert!(
                with_threads(threads, || find(&graph)).as_ref() == Ok(&found),
                "{what}: other threads, other result"
            );
        }
    }
    found
}

/// All graphs of up to five vertices and every seventh of six.
fn small_graphs(name: &str, find: Finder<'_>) {
    for nodes in 0..=6usize {
        let pairs: Vec<[u32; 2]> = (0..nodes as u32).flat_map(|a| (0..a).map(move |b| [b, a])).collect();
        for set in (0u32..1 << pairs.len()).step_by(if nodes == 6 { 7 } else { 1 }) {
            let edges: Vec<[u32; 2]> = (0..pairs.len()).filter(|k| set >> k & 1 == 1).map(|k| pairs[k]).collect();
            let found = check(name, nodes, &edges, find);
            let (most, is_missed) = try_all_matchings(nodes, &edges);
            assert_eq!(found.pairs(), most, "{name}: {edges:?}");
            let is_beside = |v: u32| {
                let others = edges.iter().filter(|edge| edge.contains(&v)).map(|edge| edge[0] ^ edge[1] ^ v);
                others.into_iter().any(|u| is_missed[u as usize])
            };
            for (v, label) in (0..).zip(found.labels()) {
                let want = match is_missed[v as usize] {
                    true => Label::D,
                    false if is_beside(v) => Label::A,
                    false => Label::C,
                };
                assert!(*label == want, "{name}: vertex {v} of {edges:?} is {want:?}, not {label:?}");
            }
        }
    }
}

/// Loops, repetitions in both directions, and vertices without edges change nothing.
fn odd_edges(name: &str, find: Finder<'_>) {
    let plain = check(name, 7, &[[1, 2], [2, 3], [3, 1], [3, 5]], find);
    let odd = [[5, 3], [1, 1], [1, 2], [2, 1], [2, 3], [3, 1], [1, 3], [3, 5], [6, 6], [2, 1]];
    assert_eq!(check(name, 7, &odd, find), plain, "{name}");
    let graph = Graph::from_edges(&odd, Some(7)).expect("a graph");
    assert_eq!((graph.self_loops(), graph.repeated_edges(), graph.edges()), (2, 4, 4));
}
