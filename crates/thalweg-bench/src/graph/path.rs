//! `thalweg-bench graph path`: shortest paths on square maps.

use std::hint::black_box;
use std::str::FromStr;
use std::time::Duration;

use pathfinding::prelude::astar;
use thalweg::Device;
use thalweg::graph::path::{Builder, Engine, Grid, Length, Map, Moves, Query, verify};
use thalweg_cli::choice::one_of;
use thalweg_cli::failure::Outcome;
use thalweg_cli::input::{maps, routes};
use thalweg_cli::memory;
use thalweg_cli::numbers::parse_count;
use thalweg_data::GridKind;

use crate::bench::{Bench, Case, Common, Selection, drive};
use crate::check;
use crate::columns::{self, table};
use crate::report::Row;
use crate::timing::time;

/// Shortest paths: batches of queries on a map of n x n cells
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// Engines to time, or all
    #[arg(long, num_args = 1.., value_delimiter = ',', default_value = "all")]
    engine: Vec<String>,
    /// Queries of a batch
    #[arg(long, value_parser = parse_count, default_value = "16")]
    count: usize,
    /// Steps lead to 4 or 8 neighbours
    #[arg(long, value_parser = one_of(&["4", "8"], |moves| moves), default_value = "8")]
    moves: &'static str,
}

/// Queries whose answers are proved; all are compared with the default engine's.
const PROVED: usize = 4;

/// Kinds of maps, and their walls in percent.
const KINDS: [(&str, GridKind, u32); 8] = [
    ("random", GridKind::Random, 20),
    ("dense", GridKind::Random, 35),
    ("rooms", GridKind::Rooms, 0),
    ("empty", GridKind::Empty, 0),
    ("maze", GridKind::Maze, 0),
    ("spiral", GridKind::Spiral, 0),
    ("serpentine", GridKind::Serpentine, 0),
    ("cups", GridKind::Cups, 0),
];

/// Runs the benchmark.
pub fn run(args: Args) -> Outcome {
    let selection = Selection::parse(&args.engine, Engine::ALL)?;
    let device = if args.common.device == "cpu" { None } else { Some(args.common.device.parse()?) };
    let moves = Moves::from_str(args.moves)?;
    drive(&PathBench { selection, count: args.count, moves, device }, &args.common)
}

struct PathBench {
    selection: Selection<Engine>,
    count: usize,
    moves: Moves,
    /// Somebody else who takes part.
    device: Option<Device>,
}

/// Who takes part.
#[derive(Clone, Copy, PartialEq)]
enum Entrant {
    Ours(Engine),
    /// The default engine of the device.
    Gpu,
    /// The crate `pathfinding`: A* with a heap and a hash table, on one thread.
    Pathfinding,
}

impl Entrant {
    fn name(self) -> &'static str {
        match self {
            Self::Ours(engine) => engine.name(),
            Self::Gpu => "gpu",
            Self::Pathfinding => "pathfinding",
        }
    }
}

/// What is timed: to prepare the map, and batches of queries.
const TASKS: [&str; 3] = ["build", "lengths", "paths"];

impl PathBench {
    fn entrants(&self, case: &mut Case<'_>, with_costs: bool) -> Vec<Entrant> {
        let mut entrants = Vec::new();
        for &engine in &self.selection.engines {
            if engine == Engine::Jump && with_costs {
                case.skip(engine.name(), "takes maps without costs");
            } else if engine == Engine::Dijkstra && !self.selection.named {
                case.skip(engine.name(), "is the oracle (name it to wait for it)");
            } else {
                entrants.push(Entrant::Ours(engine));
            }
        }
        entrants.extend(self.device.is_some().then_some(Entrant::Gpu));
        entrants.extend(case.common.peers.then_some(Entrant::Pathfinding));
        entrants
    }

    fn build(&self, entrant: Entrant, grid: &Grid) -> Outcome<Map> {
        let builder = Builder::new().moves(self.moves).expected_queries(self.count);
        let builder = match (entrant, &self.device) {
            (Entrant::Ours(engine), _) => builder.engine(engine).device(Device::Cpu),
            (_, Some(device)) => builder.device(device.clone()),
            (_, None) => builder.device(Device::Cpu),
        };
        Ok(builder.build(grid.clone())?)
    }

    fn case(&self, case: &mut Case<'_>, with_costs: bool) -> Outcome<Vec<Row>> {
        let (_, kind, walls) =
            KINDS.into_iter().find(|kind| kind.0 == case.kind).expect("the names have been compared");
        let (shape, seed) = ([case.n; 2], case.common.seed);
        memory::require(case.n.saturating_mul(case.n).saturating_mul(100), &case.title())?;
        let grid = match with_costs {
            true => Grid::from_costs(case.n, case.n, maps::make_costs(kind, shape, walls, seed)?),
            false => Grid::from_walls(case.n, case.n, &maps::make(kind, shape, walls, seed)?),
        }?;
        let queries = routes::make(&grid, self.count, seed)?;
        let queries: Vec<Query> = queries.into_iter().map(|[a, b, c, d]| Query::new([a, b], [c, d])).collect();
        let entrants = self.entrants(case, with_costs);
        let expected = self.proved(case, &grid, &queries)?;
        let maps: Vec<Option<Map>> = entrants
            .iter()
            .map(|&entrant| (entrant != Entrant::Pathfinding).then(|| self.build(entrant, &grid)).transpose())
            .collect::<Outcome<_>>()?;

        let mut rows = Vec::new();
        for pool in case.pools {
            for task in TASKS {
                // A peer has nothing to build.
                let racing: Vec<usize> =
                    (0..entrants.len()).filter(|&i| maps[i].is_some() || task != "build").collect();
                let timings = case.race(pool, task, racing.len(), |k| {
                    let i = racing[k];
                    let who = format!("{} on {}", entrants[i].name(), case.title());
                    match &maps[i] {
                        Some(map) => self.ours(task, entrants[i], map, &queries, &expected, &who),
                        None => peer(&grid, self.moves, &queries, &expected, &who),
                    }
                })?;
                for (&i, timing) in racing.iter().zip(timings) {
                    let items = if task == "build" { grid.len() } else { queries.len() };
                    let mut row = case.row(pool, task, entrants[i].name()).timed(timing, items);
                    row.peer = entrants[i] == Entrant::Pathfinding;
                    row.default = entrants[i] == Entrant::Ours(Engine::for_grid(&grid));
                    rows.push(row);
                }
            }
        }
        Ok(rows)
    }

    fn ours(
        &self,
        task: &str,
        entrant: Entrant,
        map: &Map,
        queries: &[Query],
        expected: &[Option<Length>],
        who: &str,
    ) -> Outcome<Duration> {
        match task {
            "build" => {
                let (took, built) = time(|| self.build(entrant, black_box(map.grid())));
                built.map(|_| took)
            }
            "lengths" => {
                let (took, lengths) = time(|| map.lengths(black_box(queries)));
                compare(who, expected, &lengths?).map(|()| took)
            }
            _ => {
                let (took, paths) = time(|| map.paths(black_box(queries)));
                let paths = paths?;
                compare(who, expected, paths.lengths())?;
                let ends = |i: usize| match (paths.path(i).first(), paths.path(i).last()) {
                    (Some(&first), Some(&last)) => {
                        Some([first, last].map(|cell| map.grid().place(cell).map(|x| x as u32)))
                    }
                    _ => None,
                };
                let wanted = |i: usize| expected[i].map(|_| [queries[i].start, queries[i].goal]);
                match (0..queries.len()).find(|&i| ends(i) != wanted(i)) {
                    Some(i) => check::wrong(who, format_args!("the path of query {i} has other ends")),
                    None => Ok(took),
                }
            }
        }
    }

    /// The right answers: the default engine's on the CPU, some of them proved.
    fn proved(&self, case: &Case<'_>, grid: &Grid, queries: &[Query]) -> Outcome<Vec<Option<Length>>> {
        let map = Builder::new().moves(self.moves).device(Device::Cpu).build(grid.clone())?;
        let paths = map.paths(queries)?;
        for (i, &query) in queries.iter().enumerate().take(PROVED) {
            let path = paths.lengths()[i].map(|_| paths.path(i));
            if let Err(complaint) = verify(grid, self.moves, query, paths.lengths()[i], path) {
                return check::wrong(
                    &format!("the default on {}", case.title()),
                    format_args!("query {i}: {complaint}"),
                );
            }
        }
        Ok(paths.lengths().to_vec())
    }
}

fn compare(who: &str, expected: &[Option<Length>], found: &[Option<Length>]) -> Outcome {
    let shown = |length: Option<Length>| length.map_or_else(|| "none".to_owned(), |length| length.to_string());
    match (0..expected.len()).find(|&i| expected[i] != found[i]) {
        Some(i) => check::wrong(who, format_args!("query {i}: {}, not {}", shown(found[i]), shown(expected[i]))),
        None => Ok(()),
    }
}

/// A straight step of the peer, in fixed point: it needs costs of one type. A diagonal one is rounded.
const STRAIGHT: u64 = 1 << 20;
const DIAGONAL: u64 = 1_482_910;

/// Paths by the crate `pathfinding`, as its users would ask: cells have numbers, steps come from a closure, and the heuristic
/// is the distance without walls.
fn peer(grid: &Grid, moves: Moves, queries: &[Query], expected: &[Option<Length>], who: &str) -> Outcome<Duration> {
    let cols = grid.cols();
    let cheapest = grid.costs().map_or(1, |costs| costs.iter().copied().filter(|&cost| cost > 0).min().unwrap_or(1));
    let number = |[row, column]: [u32; 2]| row * cols as u32 + column;
    let steps = |cell: u32| {
        let (row, column) = (cell as usize / cols, cell as usize % cols);
        (0..moves.count()).filter_map(move |direction| {
            const STEPS: [[isize; 2]; 8] = [[-1, 0], [1, 0], [0, -1], [0, 1], [-1, -1], [-1, 1], [1, -1], [1, 1]];
            let [down, right] = STEPS[direction];
            let (to_row, to_column) = (row.wrapping_add_signed(down), column.wrapping_add_signed(right));
            let is_open = direction < 4 || (grid.is_free(row, to_column) && grid.is_free(to_row, column));
            let unit = if direction < 4 { STRAIGHT } else { DIAGONAL };
            (is_open && grid.is_free(to_row, to_column))
                .then(|| ((to_row * cols + to_column) as u32, unit * u64::from(grid.cost(to_row, to_column))))
        })
    };
    let bound = |cell: u32, [row, column]: [u32; 2]| {
        let (down, right) = ((cell / cols as u32).abs_diff(row), (cell % cols as u32).abs_diff(column));
        let (long, short) = (u64::from(down.max(right)), u64::from(down.min(right)));
        let units = match moves {
            Moves::Four => STRAIGHT * (long + short),
            Moves::Eight => STRAIGHT * (long - short) + DIAGONAL * short,
        };
        units * u64::from(cheapest)
    };
    let is_free = |[row, column]: [u32; 2]| grid.is_free(row as usize, column as usize);
    let (took, found) = time(|| {
        let found = black_box(queries).iter().map(|query| {
            let goal = number(query.goal);
            (is_free(query.start) && is_free(query.goal)).then(|| {
                astar(&number(query.start), |&cell| steps(cell), |&cell| bound(cell, query.goal), |&cell| cell == goal)
            })?
        });
        found.collect::<Vec<_>>()
    });
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        let near = match (found, expected) {
            (Some((_, cost)), Some(length)) => {
                let length = length.to_f64();
                (*cost as f64 / STRAIGHT as f64 - length).abs() <= 1e-5 * length + 1e-9
            }
            (None, None) => true,
            _ => false,
        };
        if !near {
            return check::wrong(who, format_args!("the length of query {i}"));
        }
    }
    Ok(took)
}

impl Bench for PathBench {
    const NAME: &'static str = "graph path";
    const SIZES: &'static [usize] = &[512, 2048];
    const UNIT: &'static str = "ns per query";
    /// Walls, or costs of this type.
    const DTYPES: &'static [&'static str] = &["walls", "u32"];
    const DEFAULT_DTYPE: &'static str = "walls";

    fn kinds() -> Vec<&'static str> {
        KINDS.iter().map(|kind| kind.0).collect()
    }

    fn run(&self, dtype: &str, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        self.case(case, dtype != "walls")
    }

    fn tables(&self, rows: &[Row]) -> String {
        let columns = [
            columns::what("what"),
            columns::engine("engine"),
            columns::threads(),
            columns::ms(),
            columns::ns("ns each"),
            columns::versus("vs pathfinding"),
        ];
        table(rows, columns).to_string()
    }

    fn panel(row: &Row) -> Option<String> {
        (row.what != "build").then(|| row.what.to_owned())
    }

    fn how_to_read(&self) -> String {
        format!(
            "Build: to prepare the map, ns a cell. Lengths and paths: batches of {} queries, ns a query. Every length was\n\
             compared with the default engine's, of which {PROVED} were proved to be shortest. random: 20 % walls, dense: 35 %.\n\
             pathfinding runs on one thread and always tells the path. Above 1x is faster than pathfinding.",
            self.count
        )
    }
}
