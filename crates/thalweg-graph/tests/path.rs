//! Shortest paths on grids: the conformance suite for every engine, properties, limits, what the verifier refuses.

use proptest::prelude::*;
use thalweg_data::{GridKind, grid_queries};
use thalweg_graph::Error;
use thalweg_graph::path::{Complaint, Engine, Grid, Index, Length, Moves, Query, verify, verify_all};
use thalweg_suites::graph::path::{check, suite};

#[test]
fn dijkstra() {
    suite(Engine::Dijkstra);
}

#[test]
fn buckets() {
    suite(Engine::Buckets);
}

#[test]
fn jump() {
    suite(Engine::Jump);
}

fn with(engine: Engine, grid: &Grid, moves: Moves, queries: &[Query]) {
    check(engine.name(), grid, moves, queries, &|grid, moves, queries| {
        Index::with(grid.clone(), moves, engine)?.paths(queries)
    });
}

fn moves() -> impl Strategy<Value = Moves> {
    prop_oneof![Just(Moves::Four), Just(Moves::Eight)]
}

/// Any size up to 24 x 24, any walls, and queries anywhere.
fn maps() -> impl Strategy<Value = (Grid, Vec<Query>)> {
    (1..24usize, 1..24usize, 0..60u32, any::<u64>(), 0..GridKind::ALL.len()).prop_map(
        |(rows, cols, percent, seed, kind)| {
            let grid = Grid::from_walls(rows, cols, &GridKind::ALL[kind].make(rows, cols, percent, seed)).unwrap();
            (grid, queries(rows, cols, 12, seed))
        },
    )
}

/// Anywhere, walls too.
fn queries(rows: usize, cols: usize, count: usize, seed: u64) -> Vec<Query> {
    let any = grid_queries(rows, cols, |_| true, count, seed);
    any.into_iter().map(|[a, b, c, d]| Query::new([a, b], [c, d])).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn engines_tell_the_oracles_paths((grid, queries) in maps(), moves in moves()) {
        with(Engine::Buckets, &grid, moves, &queries);
        with(Engine::Jump, &grid, moves, &queries);
    }
}

proptest! {
    #[test]
    fn costs_of_a_few_kinds_or_of_any(
        (grid, queries) in maps(),
        moves in moves(),
        costs in prop::collection::vec(prop_oneof![0..4u32, 1..100u32, Just(u32::MAX), Just(u32::MAX - 1), 1..u32::MAX], 1..40),
    ) {
        let cells = (0..grid.len()).map(|cell| costs[(cell * 31 + cell / 7) % costs.len()]).collect();
        let grid = Grid::from_costs(grid.rows(), grid.cols(), cells).unwrap();
        with(Engine::Buckets, &grid, moves, &queries);
    }

    /// Grids with all costs equal have the paths of grids without, and lengths that many times as long.
    #[test]
    fn equal_costs_change_nothing((grid, queries) in maps(), moves in moves(), cost in 1..u32::MAX) {
        let costs = (0..grid.len()).map(|cell| grid.cost(cell / grid.cols(), cell % grid.cols()) * cost).collect();
        let hills = Index::new(Grid::from_costs(grid.rows(), grid.cols(), costs).unwrap(), moves).unwrap();
        let plain = Index::new(grid, moves).unwrap();
        let (hills, plain) = (hills.paths(&queries).unwrap(), plain.paths(&queries).unwrap());
        prop_assert_eq!(hills.cells(), plain.cells());
        let times = |length: Length| Length::new(length.straight * u64::from(cost), length.diagonal * u64::from(cost));
        prop_assert!(hills.lengths().iter().copied().eq(plain.lengths().iter().map(|length| length.map(times))));
    }
}

#[test]
fn larger_maps_on_which_all_engines_agree() {
    for (kind, percent) in [
        (GridKind::Random, 20),
        (GridKind::Random, 35),
        (GridKind::Random, 40),
        (GridKind::Rooms, 0),
        (GridKind::Maze, 0),
        (GridKind::Cups, 0),
        (GridKind::Spiral, 0),
    ] {
        let (rows, cols) = (301, 420);
        let walls = kind.make(rows, cols, percent, 1);
        let grid = Grid::from_walls(rows, cols, &walls).unwrap();
        let ends = grid_queries(rows, cols, |cell| walls[cell] == 0, 20, 1);
        let queries: Vec<Query> = ends.into_iter().map(|[a, b, c, d]| Query::new([a, b], [c, d])).collect();
        for moves in [Moves::Four, Moves::Eight] {
            with(Engine::Buckets, &grid, moves, &queries);
            with(Engine::Jump, &grid, moves, &queries);
        }
    }
}

/// After many queries `jump` sets landmarks: answers stay the same, also in regions that have none.
#[test]
fn many_queries_change_no_answer() {
    for (kind, percent) in [(GridKind::Random, 20), (GridKind::Random, 40), (GridKind::Maze, 0), (GridKind::Cups, 0)] {
        let (rows, cols) = (150, 230);
        let walls = kind.make(rows, cols, percent, 2);
        let grid = Grid::from_walls(rows, cols, &walls).unwrap();
        let ends = grid_queries(rows, cols, |cell| walls[cell] == 0, 600, 2);
        let queries: Vec<Query> = ends.into_iter().map(|[a, b, c, d]| Query::new([a, b], [c, d])).collect();
        for moves in [Moves::Four, Moves::Eight] {
            let (early, late) = (Index::new(grid.clone(), moves).unwrap(), Index::new(grid.clone(), moves).unwrap());
            let many = late.paths(&queries).unwrap();
            for (row, query) in queries.iter().enumerate().take(100) {
                let few = early.paths(&[*query]).unwrap();
                assert_eq!(
                    (few.lengths()[0], few.path(0)),
                    (many.lengths()[row], many.path(row)),
                    "{kind:?} {query:?}"
                );
            }
            assert_eq!(verify_all(&grid, moves, &queries[..50], &many.lengths()[..50], None), Ok(()), "{kind:?}");
        }
    }
}

/// A search leaves nothing behind for the next one: an index answers the same again and again, in any order.
#[test]
fn batches_one_after_the_other() {
    let grid = Grid::from_walls(60, 50, &GridKind::Random.make(60, 50, 30, 5)).unwrap();
    let queries = queries(60, 50, 300, 5);
    for &engine in Engine::ALL {
        for moves in [Moves::Four, Moves::Eight] {
            let index = Index::with(grid.clone(), moves, engine).unwrap();
            let (lengths, paths) = (index.lengths(&queries).unwrap(), index.paths(&queries).unwrap());
            assert_eq!(lengths, paths.lengths(), "{engine}");
            for (row, &query) in queries.iter().enumerate().rev() {
                assert_eq!(index.paths(&[query]).unwrap().path(0), paths.path(row), "{engine} {query:?}");
            }
        }
    }
}

/// Both threads of two do a good part of a batch.
#[cfg(target_os = "linux")]
#[test]
fn several_threads_take_part() {
    let walls = GridKind::Random.make(600, 600, 30, 3);
    let grid = Grid::from_walls(600, 600, &walls).unwrap();
    let ends = grid_queries(600, 600, |cell| walls[cell] == 0, 200, 3);
    let queries: Vec<Query> = ends.into_iter().map(|[a, b, c, d]| Query::new([a, b], [c, d])).collect();
    for engine in [Engine::Jump, Engine::Buckets] {
        let index = Index::with(grid.clone(), Moves::Eight, engine).unwrap();
        thalweg_suites::both_threads_take_part(engine.name(), || _ = index.lengths(&queries).unwrap());
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let hills = Grid::from_costs(1, 2, vec![1, 2]).unwrap();
    let error = Index::with(hills, Moves::Eight, Engine::Jump).unwrap_err();
    assert_eq!(error.to_string(), "engine: jump takes grids without costs; buckets takes all");
    assert_eq!(Grid::from_walls(2, 3, &[0; 5]).unwrap_err(), Error::Length { what: "grid", expected: 6, got: 5 });
    assert!(matches!(Grid::from_fn(1 << 20, 1 << 20, |_, _| true), Err(Error::BadOption { .. })));
    assert!(matches!(Grid::from_fn(usize::MAX, 2, |_, _| true), Err(Error::BadOption { .. })));
    assert_eq!("8".parse::<Moves>().unwrap(), Moves::Eight);
    assert_eq!("6".parse::<Moves>().unwrap_err().to_string(), "moves: '6' is neither 4 nor 8");
    let index = Index::new(Grid::from_fn(3, 4, |_, _| false).unwrap(), Moves::Four).unwrap();
    let error = index.lengths(&[Query::new([0, 4], [0, 0])]).unwrap_err();
    assert_eq!(error.to_string(), "query 0: row 0 and column 4 are not on a grid of 3 x 4");
}

#[test]
fn the_verifier_refuses_what_is_not_so() {
    // A wall with a gap below.
    let grid = Grid::from_walls(3, 4, &[0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]).unwrap();
    let (query, length) = (Query::new([0, 0], [0, 3]), Length::new(5, 1));
    let path = [0, 4, 8, 9, 10, 7, 3];
    let told = |length: Length, path: &[u32]| verify(&grid, Moves::Eight, query, Some(length), Some(path));
    assert_eq!(told(length, &path), Ok(()));
    assert_eq!(told(length, &path[..6]), Err(Complaint::Ends));
    assert_eq!(told(length, &[]), Err(Complaint::Ends));
    assert_eq!(told(length, &[0, 4, 8, 9, 6, 3]), Err(Complaint::Step(3)), "around a corner");
    assert_eq!(told(length, &[0, 4, 5, 6, 3]), Err(Complaint::Step(1)), "through a wall");
    assert_eq!(told(length, &[0, 99, 3]), Err(Complaint::Step(0)), "far away");
    assert_eq!(told(length, &[0, 0, 4, 8, 9, 10, 7, 3]), Err(Complaint::Step(0)), "no step");
    let longer = [0, 4, 8, 9, 10, 6, 2, 3];
    assert_eq!(told(length, &longer), Err(Complaint::Length { told: length, walked: Length::new(7, 0) }));
    let seven = Length::new(7, 0);
    assert_eq!(told(seven, &longer), Err(Complaint::NotShortest { told: seven, bound: length }));
    let alone = |length| verify(&grid, Moves::Eight, query, length, None);
    assert_eq!(alone(Some(length)), Ok(()));
    assert_eq!(alone(Some(seven)), Err(Complaint::NotShortest { told: seven, bound: length }));
    assert_eq!(alone(Some(Length::new(5, 0))), Err(Complaint::TooShort(Length::new(5, 0))));
    assert_eq!(alone(None), Err(Complaint::Connected));
    // With four neighbours the longer one is right.
    assert_eq!(verify(&grid, Moves::Four, query, Some(seven), Some(&longer)), Ok(()));
    assert_eq!(verify(&grid, Moves::Four, query, Some(length), Some(&path)), Err(Complaint::Step(4)));
    let wall = Query::new([0, 0], [1, 1]);
    assert_eq!(verify(&grid, Moves::Eight, wall, None, None), Ok(()));
    assert_eq!(verify(&grid, Moves::Eight, wall, Some(length), None), Err(Complaint::OnWall));
    assert_eq!(verify(&grid, Moves::Eight, Query::new([0, 0], [3, 0]), None, None), Err(Complaint::Outside));
    assert_eq!(verify(&grid, Moves::Eight, wall, None, Some(&[0])), Err(Complaint::Ends));
    let wrong = [Some(length), Some(length), None];
    let same = [query, query, query];
    assert_eq!(verify_all(&grid, Moves::Eight, &same, &wrong, None), Err((2, Complaint::Connected)));
    assert_eq!(verify_all(&grid, Moves::Eight, &same[..2], &wrong[..2], None), Ok(()));
    let stay = Query::new([2, 2], [2, 2]);
    assert_eq!(verify(&grid, Moves::Four, stay, Some(Length::ZERO), Some(&[10])), Ok(()));
    assert!(verify(&grid, Moves::Four, stay, Some(Length::new(2, 0)), Some(&[10, 9, 10])).is_err());
}
