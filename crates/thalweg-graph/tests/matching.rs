//! Maximum matchings: the conformance suite for every engine, properties, limits, what the verifier refuses.

use std::cell::RefCell;

use proptest::prelude::*;
use thalweg_data::GraphKind;
use thalweg_graph::matching::tutte::{Round, maximum_matching_by};
use thalweg_graph::matching::{
    Complaint, Engine, Label, NOBODY, TutteOptions, maximum_matching, maximum_matching_with, tutte, verify,
};
use thalweg_graph::{Error, Graph};
use thalweg_suites::at_every_level;
use thalweg_suites::graph::matching::suite;

#[test]
fn forest() {
    suite(Engine::Forest);
}

/// It has kernels of its own for every instruction set.
#[test]
fn tutte() {
    at_every_level(|| suite(Engine::Tutte(TutteOptions::DEFAULT)));
}

#[test]
fn naive() {
    suite(Engine::Naive);
}

/// All engines prove their matchings, and have the same labels.
fn agree(nodes: usize, edges: &[[u32; 2]], engines: &[Engine]) -> Result<(), TestCaseError> {
    let graph = Graph::from_edges(edges, Some(nodes)).unwrap();
    let want = maximum_matching_with(&graph, engines[0]).unwrap();
    for &engine in engines {
        let found = maximum_matching_with(&graph, engine).unwrap();
        prop_assert_eq!(verify(edges, found.partners(), found.labels()), Ok(want.pairs()), "{}", engine);
        prop_assert_eq!(found.labels(), want.labels(), "{}", engine);
    }
    Ok(())
}

fn edges(nodes: u32, most: usize) -> impl Strategy<Value = Vec<[u32; 2]>> {
    prop::collection::vec(prop::array::uniform2(0..nodes), 0..most)
}

proptest! {
    #[test]
    fn all_engines_agree_on_few_vertices(edges in edges(11, 30)) {
        agree(11, &edges, &[Engine::Naive, Engine::Forest, Engine::Tutte(TutteOptions::DEFAULT)])?;
    }

    #[test]
    fn forest_and_tutte_agree(edges in edges(60, 140), seed in any::<u64>()) {
        agree(60, &edges, &[Engine::Forest, Engine::Tutte(TutteOptions { seed })])?;
    }

    /// Blossoms on top of blossoms, and what hangs on them.
    #[test]
    fn forest_and_tutte_agree_on_ears(seed in any::<u64>(), nodes in 1..80usize, more in edges(80, 6)) {
        let mut edges = GraphKind::Ears.shuffled(nodes, 0, seed);
        edges.extend(more);
        agree(80, &edges, &[Engine::Forest, Engine::Tutte(TutteOptions::DEFAULT)])?;
    }
}

#[test]
fn too_many_vertices_are_refused_with_the_limit() {
    let graph = Graph::from_edges(&GraphKind::Path.make::<u32>(23, 0, 0), None).unwrap();
    let error = maximum_matching_with(&graph, Engine::Naive).unwrap_err();
    assert_eq!(error.to_string(), "engine: naive looks at all sets of vertices, at most 22, and there are 23");
    let nodes = tutte::MAX_VERTICES + 1;
    let graph = Graph::from_edges(&GraphKind::Path.make::<u32>(nodes, 0, 0), None).unwrap();
    let error = maximum_matching_with(&graph, Engine::Tutte(TutteOptions::DEFAULT)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "engine: tutte takes n x n matrices, at most 8192, and a component has 8193 vertices"
    );
    // Many small components are many small matrices.
    let graph = Graph::from_edges(&GraphKind::Islands.make::<u32>(nodes, 0, 0), None).unwrap();
    let matching = maximum_matching_with(&graph, Engine::Tutte(TutteOptions::DEFAULT)).unwrap();
    assert_eq!(matching.labels(), maximum_matching(&graph).unwrap().labels());
}

/// A round that lies is not believed, and another one is asked for, with another key.
#[test]
fn unlucky_rounds_are_repeated() {
    let edges = [[0u32, 1], [1, 2], [2, 3], [3, 0], [4, 5]];
    let graph = Graph::from_edges(&edges, None).unwrap();
    let truth = Round { partners: vec![1, 0, 3, 2, 5, 4], is_missed: vec![false; 6] };
    let lies = [
        // Too small; too large; labels that prove nothing.
        Round { partners: vec![1, 0, NOBODY, NOBODY, 5, 4], ..truth.clone() },
        Round { partners: vec![2, 3, 0, 1, 5, 4], ..truth.clone() },
        Round { is_missed: vec![true; 6], ..truth.clone() },
    ];
    let keys = RefCell::new(Vec::new());
    let found = maximum_matching_by(&graph, TutteOptions { seed: 5 }, &|rows, key| {
        assert_eq!(rows.len(), 6, "small components come together");
        keys.borrow_mut().push(key);
        Ok(lies.get(keys.borrow().len() - 1).unwrap_or(&truth).clone())
    });
    assert_eq!(found.unwrap().partners(), truth.partners);
    let mut keys = keys.into_inner();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), lies.len() + 1);
    let error = maximum_matching_by(&graph, TutteOptions::DEFAULT, &|_, _| Ok(lies[0].clone())).unwrap_err();
    assert!(error.to_string().contains("unlucky"), "{error}");
}

#[test]
fn edges_outside_are_named_by_their_row() {
    let edges = [[0u64, 1], [1, 2], [3, 1], [9, 9]];
    assert_eq!(Graph::from_edges(&edges, Some(3)).unwrap_err(), Error::Edge { row: 2, node: 3, len: 3 });
    assert_eq!(Graph::from_edges(&edges, None).unwrap().nodes(), 10);
    let far = [[0u64, 1], [u64::MAX, 1]];
    let error = Graph::from_edges(&far, None).unwrap_err();
    assert_eq!(error, Error::Edge { row: 1, node: u64::MAX, len: Graph::MAX_NODES });
    assert!(matches!(Graph::from_edges(&[[0u32; 2]; 0], Some(1 << 40)), Err(Error::BadOption { .. })));
    assert_eq!(Graph::from_edges(&[[0u32; 2]; 0], None).unwrap().nodes(), 0);
}

/// Paths and ladders of a million vertices, as they are and shuffled: nothing recurses.
#[test]
fn long_paths_and_deep_blossoms_do_not_overflow() {
    for kind in [GraphKind::Path, GraphKind::Nested, GraphKind::Triangles, GraphKind::Ears] {
        for nodes in [1_000_000, 1_000_001] {
            let edges = kind.shuffled::<u32>(nodes, 0, 1);
            let matching = maximum_matching(&Graph::from_edges(&edges, Some(nodes)).unwrap()).unwrap();
            let pairs = verify(&edges, matching.partners(), matching.labels());
            assert_eq!(pairs, Ok(matching.pairs()), "{kind:?}");
        }
    }
}

#[test]
fn the_verifier_refuses_what_proves_nothing() {
    // A triangle with a tail: 0 1 2 and 2 3; perfect.
    let edges = [[0u32, 1], [1, 2], [2, 0], [2, 3]];
    let labels = [Label::C; 4];
    assert_eq!(verify(&edges, &[1, 0, 3, 2], &labels), Ok(2));
    assert_eq!(verify(&edges, &[1, 0, 3, 2], &labels[1..]), Err(Complaint::Length));
    assert_eq!(verify(&[[0u32, 4]], &[1, 0, 3, 2], &labels), Err(Complaint::Length));
    assert_eq!(verify(&edges, &[1, 0, 3, 7], &labels), Err(Complaint::Partner(2)));
    assert_eq!(verify(&edges, &[1, 2, 3, 2], &labels), Err(Complaint::Partner(0)));
    assert_eq!(verify(&edges, &[0, 1, 3, 2], &labels), Err(Complaint::Partner(0)));
    assert_eq!(verify(&edges[1..], &[1, 0, 3, 2], &labels), Err(Complaint::NoEdge(0)));
    let smaller = [1, 0, NOBODY, NOBODY];
    assert_eq!(verify(&edges, &smaller, &labels), Err(Complaint::Bound { pairs: 1, bound: 2 }));
    assert_eq!(verify(&edges, &smaller, &[Label::D; 4]), Err(Complaint::Component(0)));
    let labels = [Label::C, Label::C, Label::A, Label::D];
    assert_eq!(verify(&edges, &smaller, &labels), Err(Complaint::Bound { pairs: 1, bound: 2 }));
    let labels = [Label::D, Label::D, Label::A, Label::D];
    assert_eq!(verify(&edges, &smaller, &labels), Err(Complaint::Component(0)));
}

/// Whatever is changed in a proof, it is none any more, or still a true one.
#[test]
fn changed_proofs_are_never_false() {
    for seed in 0..200 {
        let edges = GraphKind::Random.make::<u32>(12, 16, seed);
        let graph = Graph::from_edges(&edges, Some(12)).unwrap();
        let matching = maximum_matching(&graph).unwrap();
        for v in 0..12 {
            let mut partners = matching.partners().to_vec();
            let partner = std::mem::replace(&mut partners[v], NOBODY);
            if partner != NOBODY {
                assert!(matches!(verify(&edges, &partners, matching.labels()), Err(Complaint::Partner(_))));
                partners[partner as usize] = NOBODY;
                assert!(matches!(verify(&edges, &partners, matching.labels()), Err(Complaint::Bound { .. })));
            }
            for label in [Label::A, Label::C, Label::D] {
                let mut labels = matching.labels().to_vec();
                labels[v] = label;
                let said = verify(&edges, matching.partners(), &labels);
                assert!(said.is_err() || said == Ok(matching.pairs()), "{said:?}");
            }
        }
    }
}
