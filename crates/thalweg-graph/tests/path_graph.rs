//! Shortest paths in general graphs, against rounds over all arcs.

use proptest::prelude::*;
use thalweg_data::with_threads;
use thalweg_graph::Error;
use thalweg_graph::path::graph::WeightedGraph;

/// Lengths and arcs of shortest paths from a vertex, of which those with the fewest arcs: Bellman, Ford.
fn rounds(nodes: usize, arcs: &[[u32; 2]], weights: &[u32], start: u32) -> Vec<Option<(u64, u32)>> {
    let mut far = vec![None; nodes];
    far[start as usize] = Some((0, 0));
    for _ in 0..=nodes {
        for (&[a, b], &weight) in arcs.iter().zip(weights) {
            if let Some((length, hops)) = far[a as usize] {
                let next = (length + u64::from(weight), hops + 1);
                if far[b as usize].is_none_or(|old| next < old) {
                    far[b as usize] = Some(next);
                }
            }
        }
    }
    far
}

/// The path that the rule names.
fn by_rule(far: &[Option<(u64, u32)>], arcs: &[[u32; 2]], weights: &[u32], start: u32, goal: u32) -> Vec<u32> {
    let mut path = vec![goal];
    let mut v = goal;
    while v != start {
        let (length, hops) = far[v as usize].expect("it is reached");
        let leads_here = |(&[a, b], &weight): (&[u32; 2], &u32)| {
            let before = far[a as usize]?;
            (b == v && (before.0 + u64::from(weight), before.1 + 1) == (length, hops)).then_some(a)
        };
        v = arcs.iter().zip(weights).filter_map(leads_here).min().expect("a vertex before");
        path.push(v);
    }
    path.reverse();
    path
}

fn check(nodes: usize, arcs: &[[u32; 2]], weights: &[u32]) {
    let graph = WeightedGraph::from_arcs(nodes, arcs, weights).unwrap();
    let turned: Vec<[u32; 2]> = arcs.iter().map(|&[a, b]| [b, a]).collect();
    for goal in (0..nodes as u32).step_by(3) {
        let queries: Vec<[u32; 2]> = (0..nodes as u32).map(|start| [start, goal]).collect();
        let routes = graph.routes(&queries).unwrap();
        assert_eq!(graph.lengths(&queries).unwrap(), routes.lengths());
        for (row, &[start, goal]) in queries.iter().enumerate() {
            let far = rounds(nodes, arcs, weights, start);
            let want = far[goal as usize].map(|(length, _)| length);
            assert_eq!(routes.lengths()[row], want, "{start} to {goal} of {arcs:?} {weights:?}");
            let path = if want.is_some() { by_rule(&far, arcs, weights, start, goal) } else { Vec::new() };
            assert_eq!(routes.route(row), path, "{start} to {goal} of {arcs:?} {weights:?}");
        }
        // What is left, exactly; half of it; nothing; and what never reaches the goal, as high as it may be.
        let left: Vec<Option<u64>> =
            rounds(nodes, &turned, weights, goal).iter().map(|far| far.map(|far| far.0)).collect();
        let most = left.iter().flatten().max().copied().unwrap_or(0);
        for share in [1, 2] {
            let potentials: Vec<u64> = left.iter().map(|left| left.unwrap_or(most) / share).collect();
            let is_feasible = arcs
                .iter()
                .zip(weights)
                .all(|(&[a, b], &weight)| potentials[a as usize] <= potentials[b as usize] + u64::from(weight));
            match graph.routes_with(&queries, &potentials) {
                Ok(found) => assert!(is_feasible && found == routes, "to {goal} of {arcs:?} {weights:?}"),
                Err(error) => assert!(!is_feasible && error.to_string().starts_with("potentials: "), "{error}"),
            }
        }
        let high: Vec<u64> = left.iter().map(|left| left.map_or(u64::MAX, |left| u64::MAX - most + left)).collect();
        if let Ok(lengths) = graph.lengths_with(&queries, &high) {
            assert_eq!(lengths, routes.lengths());
        }
    }
}

proptest! {
    #[test]
    fn any_graph(
        arcs in prop::collection::vec((prop::array::uniform2(0..14u32), prop_oneof![0..4u32, Just(u32::MAX), 0..1000u32]), 0..60)
    ) {
        let (arcs, weights): (Vec<_>, Vec<_>) = arcs.into_iter().unzip();
        check(14, &arcs, &weights);
    }
}

#[test]
fn any_number_of_threads_and_a_long_way() {
    let nodes = 3000u32;
    let arcs: Vec<[u32; 2]> =
        (1..nodes).flat_map(|v| [[v - 1, v], [v, v - 1], [v * 7 % nodes, v * 31 % nodes]]).collect();
    let weights: Vec<u32> = (0..arcs.len() as u32).map(|k| if k % 3 == 2 { 5000 } else { u32::MAX - k % 5 }).collect();
    let graph = WeightedGraph::from_arcs(nodes as usize, &arcs, &weights).unwrap();
    let queries: Vec<[u32; 2]> = (0..300).map(|k| [k * 17 % nodes, k * 101 % nodes]).collect();
    let routes = graph.routes(&queries).unwrap();
    for threads in [1, 3] {
        assert!(with_threads(threads, || graph.routes(&queries)).unwrap() == routes);
    }
    let line: Vec<[u32; 2]> = (1..nodes).map(|v| [v - 1, v]).collect();
    let graph = WeightedGraph::from_arcs(nodes as usize, &line, &vec![u32::MAX; line.len()]).unwrap();
    assert_eq!(graph.lengths(&[[0, nodes - 1]]).unwrap(), [Some(u64::from(u32::MAX) * u64::from(nodes - 1))]);
}

#[test]
fn what_is_no_graph_is_refused() {
    let error = |offsets: &[usize], targets: &[u32], weights: &[u32]| {
        WeightedGraph::from_rows(offsets.to_vec(), targets.to_vec(), weights.to_vec()).unwrap_err()
    };
    assert_eq!(error(&[0, 1], &[0], &[]), Error::Length { what: "weights", expected: 1, got: 0 });
    assert_eq!(error(&[], &[], &[]), Error::Length { what: "first offset", expected: 0, got: 1 });
    assert_eq!(error(&[0, 2], &[0], &[1]), Error::Length { what: "last offset", expected: 1, got: 2 });
    assert_eq!(error(&[0, 1, 0, 1], &[0], &[1]), Error::Length { what: "offsets", expected: 1, got: 0 });
    assert_eq!(error(&[0, 1], &[1], &[1]), Error::Edge { row: 0, node: 1, len: 1 });
    let bad = WeightedGraph::from_arcs(2, &[[0, 1], [5, 0]], &[1, 1]).unwrap_err();
    assert_eq!(bad, Error::Edge { row: 1, node: 5, len: 2 });
    let graph = WeightedGraph::from_arcs(2, &[[0, 1]], &[3]).unwrap();
    assert_eq!(graph.lengths(&[[0, 1], [0, 2]]).unwrap_err(), Error::Node { row: 1, node: 2, len: 2 });
    assert_eq!(graph.lengths_with(&[], &[0]).unwrap_err(), Error::Length { what: "potentials", expected: 2, got: 1 });
    assert_eq!(
        graph.lengths_with(&[[0, 1]], &[9, 5]).unwrap_err().to_string(),
        "potentials: 9 at vertex 0 and 5 at vertex 1 differ by more than the weight 3 of the arc between them"
    );
}
