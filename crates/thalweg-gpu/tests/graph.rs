//! Matchings on the device: the conformance suite, the CPU's answers, limits.

use thalweg_core::{DeviceErrorKind, Error};
use thalweg_data::GraphKind;
use thalweg_gpu::graph::matching::{Engine, TutteOptions, maximum_matching};
use thalweg_gpu::{Options, testing};
use thalweg_graph::Graph;
use thalweg_graph::matching::{Label, maximum_matching_with, verify};
use thalweg_suites::graph::matching::suite_of;

const TUTTE: Engine = Engine::Tutte(TutteOptions::DEFAULT);

#[test]
fn tutte() {
    let Some(device) = testing::device() else { return };
    suite_of("tutte on a device", &[1, 2, 17, 63, 64, 65, 130], &|graph| maximum_matching(&device, graph, TUTTE));
}

/// On a connected graph: the same numbers, the same pivots, the same matching. Sizes around tiles, flushes and lists of commands.
#[test]
fn connected_graphs_have_the_matching_of_the_cpu() {
    let Some(device) = testing::device() else { return };
    for (kind, sizes) in [
        (GraphKind::Complete, &[2, 5, 63, 64, 65, 127, 128, 129, 257, 300][..]),
        (GraphKind::Path, &[62, 63, 64, 65, 66, 301]),
        (GraphKind::Nested, &[129, 601]),
        (GraphKind::Triangles, &[63, 66, 300]),
        (GraphKind::Grid, &[256, 625]),
    ] {
        for &nodes in sizes {
            for seed in [0, 0x1234_5678_9abc_def0] {
                let graph = Graph::from_edges(&kind.shuffled::<u32>(nodes, 0, 1), Some(nodes)).unwrap();
                let engine = Engine::Tutte(TutteOptions { seed });
                let found = maximum_matching(&device, &graph, engine).unwrap();
                assert_eq!(found, maximum_matching_with(&graph, engine).unwrap(), "{kind:?} {nodes} {seed}");
            }
        }
    }
}

/// More free vertices than pairs: the sweep takes more steps than pairs would.
#[test]
fn stars() {
    let Some(device) = testing::device() else { return };
    for (centres, leaves) in [(1u32, 200u32), (3, 190), (40, 60), (0, 9)] {
        let nodes = (centres + leaves) as usize;
        let edges: Vec<[u32; 2]> =
            (0..leaves).flat_map(|leaf| (0..centres).map(move |centre| [centre, centres + leaf])).collect();
        let graph = Graph::from_edges(&edges, Some(nodes)).unwrap();
        let found = maximum_matching(&device, &graph, TUTTE).unwrap();
        assert_eq!(verify(&edges, found.partners(), found.labels()), Ok(centres as usize));
        let is_centre = |label: &Label| *label == Label::A;
        assert_eq!(found.labels().iter().filter(|label| is_centre(label)).count(), centres as usize);
    }
}

/// More vertices than share a matrix, in components of all sizes.
#[test]
fn components_are_put_together() {
    let Some(device) = testing::device() else { return };
    let mut edges = GraphKind::Islands.make::<u32>(1900, 0, 1);
    edges.extend(GraphKind::Random.make::<u32>(1200, 1500, 2).iter().map(|edge| edge.map(|v| v + 2000)));
    let graph = Graph::from_edges(&edges, Some(3300)).unwrap();
    let found = maximum_matching(&device, &graph, TUTTE).unwrap();
    let want = maximum_matching_with(&graph, Engine::Forest).unwrap();
    assert_eq!(verify(&edges, found.partners(), found.labels()), Ok(want.pairs()));
    assert_eq!(found.labels(), want.labels());
}

#[test]
fn what_devices_do_not_have_is_refused() {
    let Some(device) = testing::device() else { return };
    let pair = Graph::from_edges(&[[0u32, 1]], None).unwrap();
    for engine in [Engine::Forest, Engine::Naive] {
        let error = maximum_matching(&device, &pair, engine).unwrap_err();
        assert!(matches!(error, Error::NotOnDevice { .. }), "{error}");
    }
    let path = Graph::from_edges(&GraphKind::Path.make::<u32>(8193, 0, 0), None).unwrap();
    let error = maximum_matching(&device, &path, TUTTE).unwrap_err();
    assert!(error.to_string().contains("at most 8192"), "{error}");
    // A matrix lies in one binding.
    let Some(device) = testing::open(Options { checked: true, binding_bytes: Some(1 << 16) }) else { return };
    let graph = Graph::from_edges(&GraphKind::Path.make::<u32>(200, 0, 0), None).unwrap();
    let error = maximum_matching(&device, &graph, TUTTE).unwrap_err();
    assert_eq!(error.device_kind(), Some(DeviceErrorKind::Limit), "{error}");
    assert!(error.to_string().contains("the matrix of 200 vertices takes 262144 bytes"), "{error}");
    // And the device goes on.
    assert!(maximum_matching(&device, &pair, TUTTE).unwrap().is_perfect());
}
