//! Shortest paths on the device against the CPU's, with and without landmarks, by searches and by wavefronts.

use std::sync::atomic::{AtomicUsize, Ordering};

use thalweg_core::Error;
use thalweg_data::{GridKind, grid_queries};
use thalweg_gpu::graph::path::{GridPaths, Tuning};
use thalweg_gpu::{Device, testing};
use thalweg_graph::path::{Grid, Index, Moves, Query};
use thalweg_suites::graph::path::{check, suite_of};

/// Little memory, so that a workgroup has several searches, and rounds that searches do not end in.
const SMALL: Tuning = {
    let mut tuning = Tuning::DEFAULT;
    tuning.searches = 4;
    tuning.rounds = 23;
    tuning
};

fn questions(grid: &Grid, count: usize, seed: u64) -> Vec<Query> {
    let (rows, cols) = (grid.rows(), grid.cols());
    let is_free = |cell| grid.is_free(cell / cols, cell % cols);
    grid_queries(rows, cols, is_free, count, seed).into_iter().map(|[a, b, c, d]| Query::new([a, b], [c, d])).collect()
}

/// Holds the device to the oracle, lengths alone, too.
#[track_caller]
fn hold(device: &Device, what: &str, grid: &Grid, moves: Moves, queries: &[Query], tuning: Tuning) {
    check(what, grid, moves, queries, &|grid, moves, queries| {
        let map = GridPaths::with(device, grid.clone(), moves, tuning)?;
        let lengths = map.lengths(queries)?;
        let paths = map.paths(queries)?;
        assert_eq!(paths.lengths(), lengths, "{what}: lengths alone are others");
        Ok(paths)
    });
}

#[test]
fn the_suite_of_paths() {
    let Some(device) = testing::device() else { return };
    // A device takes all but most of the hundreds of tiny grids; a software renderer some.
    let (tiny, others, rounds) = if device.is_software() { (63, 15, 200) } else { (15, 1, 23) };
    let turns = AtomicUsize::new(0);
    suite_of("buckets", true, &|grid, moves, queries| {
        let turn = turns.fetch_add(1, Ordering::Relaxed);
        let every = if grid.len() > 50 { others } else { tiny };
        if turn.is_multiple_of(every) {
            let landmarks_from = if (turn / every).is_multiple_of(3) { 1 } else { u64::MAX };
            let tuning = Tuning { landmarks_from, rounds, ..SMALL };
            match GridPaths::with(&device, grid.clone(), moves, tuning) {
                // Costs that are too large for it.
                Err(Error::NotOnDevice { .. }) if grid.has_costs() => {}
                map => return map?.paths(queries),
            }
        }
        Index::new(grid.clone(), moves)?.paths(queries)
    });
}

#[test]
fn maps_with_and_without_landmarks() {
    let Some(device) = testing::device() else { return };
    for (kind, percent) in [(GridKind::Random, 35), (GridKind::Rooms, 0), (GridKind::Cups, 0)] {
        let (rows, cols) = (90, 130);
        let grid = Grid::from_walls(rows, cols, &kind.make(rows, cols, percent, 7)).unwrap();
        let hills = Grid::from_costs(rows, cols, kind.make_costs(rows, cols, percent, 9, 7)).unwrap();
        for grid in [grid, hills] {
            let queries = questions(&grid, 12, 3);
            for moves in [Moves::Four, Moves::Eight] {
                for landmarks_from in [1, u64::MAX] {
                    let what = format!("{}, landmarks from {landmarks_from}", kind.name());
                    hold(&device, &what, &grid, moves, &queries, Tuning { landmarks_from, ..SMALL });
                }
                let what = format!("{}, wavefront", kind.name());
                hold(&device, &what, &grid, moves, &queries[..3], Tuning { wavefront_from: 1, ..SMALL });
            }
        }
    }
}

#[test]
fn what_is_too_much_goes_elsewhere() {
    let Some(device) = testing::device() else { return };
    // Longer than 32 bits can tell with diagonals.
    let mut costs = GridKind::Random.make_costs(40, 50, 20, 3, 1);
    costs.iter_mut().for_each(|cost| *cost *= 1500);
    // A cheap cell, so that the bounds are small.
    *costs.iter_mut().find(|cost| **cost > 0).unwrap() = 1;
    let dear = Grid::from_costs(40, 50, costs).unwrap();
    let queries = questions(&dear, 6, 1);
    assert!(
        Index::new(dear.clone(), Moves::Eight)
            .unwrap()
            .lengths(&queries)
            .unwrap()
            .iter()
            .flatten()
            .any(|length| { length.to_f64() > 67_000.0 })
    );
    for wavefront_from in [1, u64::MAX] {
        for landmarks_from in [1, u64::MAX] {
            let tuning = Tuning { wavefront_from, landmarks_from, ..SMALL };
            hold(&device, "large costs", &dear, Moves::Eight, &queries[..3], tuning);
            hold(&device, "large costs", &dear, Moves::Eight, &queries, tuning);
        }
    }
    // Queues that are too small.
    let wide = Grid::from_walls(80, 80, &GridKind::Random.make(80, 80, 20, 5)).unwrap();
    let queries = questions(&wide, 6, 2);
    hold(&device, "small queues", &wide, Moves::Eight, &queries, Tuning { chunks: 4, chunk_log: 8, ..SMALL });
    // No room for all paths at once, nor for the longest.
    let grid = Grid::from_walls(30, 30, &GridKind::Random.make(30, 30, 30, 5)).unwrap();
    let queries = questions(&grid, 10, 2);
    for path_cells in [1, 40, 70] {
        hold(&device, "little room", &grid, Moves::Eight, &queries, Tuning { path_cells, ..SMALL });
    }
    let huge = Grid::from_costs(1, 2, vec![1, u32::MAX]).unwrap();
    let refused = GridPaths::new(&device, huge, Moves::Eight);
    assert!(matches!(refused, Err(Error::NotOnDevice { problem: "path", .. })), "{refused:?}");
    let map = GridPaths::new(&device, grid, Moves::Four).unwrap();
    let outside = [Query::new([0, 0], [0, 0]), Query::new([0, 30], [0, 0])];
    assert!(matches!(map.lengths(&outside), Err(Error::OffGrid { row: 1, .. })));
    assert!(map.lengths(&[]).unwrap().is_empty() && map.paths(&[]).unwrap().is_empty());
}
