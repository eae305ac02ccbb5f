//! The conformance suite of shortest paths on grids.

use thalweg_core::{Error, Result};
use thalweg_data::{GridKind, grid_queries, with_threads};
use thalweg_graph::path::{Engine, Grid, Index, Length, Moves, Paths, Query, verify_all};

/// Something that finds shortest paths.
pub type Finder<'a> = &'a (dyn Fn(&Grid, Moves, &[Query]) -> Result<Paths> + Sync);

const BOTH: [Moves; 2] = [Moves::Four, Moves::Eight];

/// Holds an engine of the library to its contract; see [`suite_of`].
///
/// # Panics
/// If a length or a path is wrong.
pub fn suite(engine: Engine) {
    suite_of(engine.name(), engine != Engine::Jump, &|grid, moves, queries| {
        let index = Index::with(grid.clone(), moves, engine)?;
        let paths = index.paths(queries)?;
        assert_eq!(index.lengths(queries)?, paths.lengths(), "{engine}: lengths alone are others");
        Ok(paths)
    });
}

/// Holds a finder of paths to its contract, with four neighbours and with eight: all grids of up to 3 x 3 cells, larger ones
/// with some pairs of cells, and every kind of map. Paths are held to those of the oracle, whose lengths are proved.
///
/// # Panics
/// If a length or a path is wrong.
pub fn suite_of(name: &str, takes_costs: bool, find: Finder<'_>) {
    all_tiny_grids(name, find);
    small_grids(name, takes_costs, find);
    kinds(name, takes_costs, find);
    words(name, find);
    bad_queries(name, find);
}

/// Has queries answered, by the oracle and on one and three threads, and proved.
///
/// # Panics
/// If a length or a path is wrong.
pub fn check(what: &str, grid: &Grid, moves: Moves, queries: &[Query], find: Finder<'_>) {
    let found = find(grid, moves, queries).unwrap_or_else(|e| panic!("{what}: {e}"));
    let oracle = Index::with(grid.clone(), moves, Engine::Dijkstra).and_then(|index| index.paths(queries));
    let oracle = oracle.unwrap_or_else(|e| panic!("{what}: the oracle: {e}"));
    for (row, query) in queries.iter().enumerate() {
        let [found, want] = [&found, &oracle].map(|paths| (paths.lengths()[row], paths.path(row)));
        assert!(found == want, "{what}, {moves} moves, {query:?}: {found:?}, not {want:?}\n{}", picture(grid));
    }
    if let Err((row, complaint)) = verify_all(grid, moves, queries, found.lengths(), Some(&found)) {
        panic!("{what}, {moves} moves, {:?}: {complaint}\n{}", queries[row], picture(grid));
    }
}

fn picture(grid: &Grid) -> String {
    if grid.len() > 10_000 {
        return String::new();
    }
    let line = |row: usize| -> String {
        let cost = |column: usize| match grid.cost(row, column) {
            0 => "#".to_owned(),
            1 => ".".to_owned(),
            cost => format!(" {cost}"),
        };
        (0..grid.cols()).map(cost).chain(["\n".to_owned()]).collect()
    };
    (0..grid.rows()).map(line).collect()
}

/// Queries between all cells.
fn all_pairs(rows: usize, cols: usize) -> Vec<Query> {
    let cells = (0..rows as u32).flat_map(|row| (0..cols as u32).map(move |column| [row, column]));
    cells.clone().flat_map(|start| cells.clone().map(move |goal| Query::new(start, goal))).collect()
}

fn all_tiny_grids(name: &str, find: Finder<'_>) {
    for (rows, cols) in [(1, 1), (1, 2), (2, 1), (1, 5), (5, 1), (2, 2), (2, 3), (3, 2), (3, 3)] {
        let queries = all_pairs(rows, cols);
        let step = if crate::is_quick() { 5 } else { 1 };
        for set in (0..1usize << (rows * cols)).step_by(step) {
            let grid = Grid::from_fn(rows, cols, |row, column| set >> (row * cols + column) & 1 == 1).expect("a grid");
            BOTH.into_iter().for_each(|moves| check(name, &grid, moves, &queries, find));
        }
    }
}

fn small_grids(name: &str, takes_costs: bool, find: Finder<'_>) {
    for (seed, (rows, cols)) in (0..).zip([(4, 4), (3, 7), (7, 3), (5, 6), (6, 5), (2, 9), (7, 7)]) {
        // About 200 of them.
        let step = (rows * cols * rows * cols / 200).max(1) | 1;
        let queries: Vec<Query> = all_pairs(rows, cols).into_iter().step_by(step).collect();
        for percent in [10, 20, 30, 40, 50, 60] {
            for again in 0..if crate::is_quick() { 1 } else { 3 } {
                let what = format!("{name}, {percent} % of {rows} x {cols}");
                let walls = GridKind::Random.make(rows, cols, percent, 100 * seed + again);
                let grid = Grid::from_walls(rows, cols, &walls).expect("a grid");
                BOTH.into_iter().for_each(|moves| check(&what, &grid, moves, &queries, find));
                for most in [1, 2, 3, 10, u32::MAX].into_iter().filter(|_| takes_costs) {
                    let costs = GridKind::Random.make_costs(rows, cols, percent, most, 100 * seed + again);
                    let grid = Grid::from_costs(rows, cols, costs).expect("a grid");
                    let what = format!("{what}, costs up to {most}");
                    BOTH.into_iter().for_each(|moves| check(&what, &grid, moves, &queries, find));
                }
            }
        }
    }
}

fn kinds(name: &str, takes_costs: bool, find: Finder<'_>) {
    for &kind in GridKind::ALL {
        for (rows, cols) in [(1, 100), (100, 1), (2, 90), (17, 33), (63, 64), (64, 65), (130, 66)] {
            for percent in [5, 20, 35, 45].into_iter().take(if kind == GridKind::Random { 4 } else { 1 }) {
                let what = format!("{name}, {} of {rows} x {cols}, {percent} %", kind.name());
                let walls = kind.make(rows, cols, percent, 7);
                let queries: Vec<Query> = grid_queries(rows, cols, |cell| walls[cell] == 0, 12, 7)
                    .into_iter()
                    .map(|[a, b, c, d]| Query::new([a, b], [c, d]))
                    .collect();
                let grid = Grid::from_walls(rows, cols, &walls).expect("a grid");
                for moves in BOTH {
                    check(&what, &grid, moves, &queries, find);
                    let [one, three] = [1, 3].map(|threads| with_threads(threads, || find(&grid, moves, &queries)));
                    assert!(one == three, "{what}: other threads, other paths");
                }
                // One of them each.
                let most = [2, 1000, u32::MAX][(rows + percent as usize / 5) % 3];
                if takes_costs {
                    let costs = kind.make_costs(rows, cols, percent, most, 7);
                    let grid = Grid::from_costs(rows, cols, costs).expect("a grid");
                    let what = format!("{what}, costs up to {most}");
                    BOTH.into_iter().for_each(|moves| check(&what, &grid, moves, &queries, find));
                }
            }
        }
    }
}

/// Long straight and diagonal ways that end or branch at every place of a word of 64 cells.
fn words(name: &str, find: Finder<'_>) {
    for len in [62, 63, 64, 65, 127, 128, 129, 200] {
        for hole in [0, 1, len / 2, len - 2, len - 1] {
            let end = len as u32 - 1;
            // Two rows or columns with a wall between them that has one hole.
            let queries = [[0, 0], [0, end], [2, 0], [2, end], [0, hole as u32], [2, hole as u32]];
            let pairs = |flip: bool| {
                let turned = queries.map(|[row, column]| if flip { [column, row] } else { [row, column] });
                turned.iter().flat_map(|&a| turned.map(|b| Query::new(a, b))).collect::<Vec<_>>()
            };
            for moves in BOTH {
                let flat = Grid::from_fn(3, len, |row, column| row == 1 && column != hole).expect("a grid");
                check(name, &flat, moves, &pairs(false), find);
                let high = Grid::from_fn(len, 3, |row, column| column == 1 && row != hole).expect("a grid");
                check(name, &high, moves, &pairs(true), find);
            }
        }
    }
}

fn bad_queries(name: &str, find: Finder<'_>) {
    let grid = Grid::from_walls(2, 3, &[0, 1, 0, 0, 1, 0]).expect("a grid");
    for moves in BOTH {
        let good = Query::new([0, 0], [1, 0]);
        let outside = |query| find(&grid, moves, &[good, query, Query::new([9, 9], [9, 9])]);
        for (query, cell) in [
            (Query::new([2, 0], [0, 0]), [2, 0]),
            (Query::new([0, 0], [0, 3]), [0, 3]),
            (Query::new([u32::MAX, 5], [0, 3]), [u64::from(u32::MAX), 5]),
        ] {
            assert_eq!(outside(query), Err(Error::OffGrid { row: 1, cell, size: [2, 3] }), "{name}");
        }
        let queries = [
            good,
            Query::new([0, 0], [0, 0]),
            Query::new([0, 1], [0, 1]),
            Query::new([0, 0], [0, 1]),
            Query::new([0, 1], [0, 0]),
            Query::new([0, 0], [0, 2]),
        ];
        let found = find(&grid, moves, &queries).unwrap_or_else(|e| panic!("{name}: {e}"));
        let want = [Some(Length::new(1, 0)), Some(Length::ZERO), None, None, None, None];
        assert_eq!(found.lengths(), want, "{name}");
        assert_eq!((found.cells(), found.offsets()), (&[0, 3, 0][..], &[0, 2, 3, 3, 3, 3, 3][..]), "{name}");
        assert!(find(&grid, moves, &[]).is_ok_and(|paths| paths.is_empty() && paths.offsets() == [0]), "{name}");
        let nothing = Grid::from_fn(0, 5, |_, _| false).expect("a grid without cells");
        assert!(find(&nothing, moves, &[]).is_ok_and(|paths| paths.is_empty()), "{name}");
        assert!(matches!(find(&nothing, moves, &[good]), Err(Error::OffGrid { row: 0, .. })), "{name}");
    }
}
