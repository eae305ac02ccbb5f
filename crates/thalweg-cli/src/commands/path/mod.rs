//! `thalweg path`: shortest paths on a map.

mod plot;

use std::path::PathBuf;

use serde_json::{Value, json};
use thalweg::graph::path::{Builder, Engine, Length, Map, Moves, Paths, Query, verify};
use thalweg_cli::choice::{engine_of, one_of};
use thalweg_cli::device::{DeviceArgs, say_chosen};
use thalweg_cli::dtype::DType;
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::maps::MapArgs;
use thalweg_cli::input::routes::{RouteArgs, Routes};
use thalweg_cli::numbers::{counted, parse_count, show_count, show_seconds, there_are_only};
use thalweg_cli::output::{self, Output};

use super::report::{Table, timed};
use super::summary::Summary;
use super::{Run, RunArgs};

/// Cells that the proof of an answer looks at, for one of the map.
const PROOF: usize = 16;

/// Find shortest paths on a map, for many starts and goals
///
/// Paths have exact lengths, and are proved to be shortest. Without files, makes a map and queries, and shows what the engine
/// does with them.
#[derive(clap::Args)]
#[command(
    after_help = "A step costs 1, or what --costs says of the cell entered; a diagonal step costs the square root of 2 \
    times that, and needs both cells beside it free: corners are not cut. With --moves 4 lengths are int64, with --moves 8 \
    float64, the nearest to a + b * sqrt(2); --parts has a and b. -1 stands for no path, which is also the answer from and \
    to walls. Of equally short paths the one is told that, walked back from the goal, goes up before down, left and right, \
    and those before up left, up right, down left and down right. Lengths in a .scen are compared; if one differs, the exit \
    code is 1. Files are .npy if their name ends so or their content says so, otherwise .map, .scen or raw little-endian \
    binary; - is standard input or output. The report goes to stdout, or to stderr if a result does."
)]
pub struct Args {
    /// Where the lengths go: float64, or int64 with --moves 4; -1 for no path
    #[arg(short, long, alias = "lengths", value_name = "FILE", group = "results")]
    out: Option<PathBuf>,

    /// Where the lengths' exact parts go: int64 of shape (q, 2), straight and diagonal; -1 for no path
    #[arg(long, value_name = "FILE", group = "results")]
    parts: Option<PathBuf>,

    /// Where the paths go, one after the other: int64 of shape (p, 2), rows and columns from starts to goals
    #[arg(long, value_name = "FILE", group = "results")]
    paths: Option<PathBuf>,

    /// Where the paths begin in --paths, and the last ends: int64, one more than queries
    #[arg(long, value_name = "FILE", group = "results")]
    offsets: Option<PathBuf>,

    /// Draw the map and the path of a query (--plotted)
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,

    /// The query whose path is drawn, from 0
    #[arg(long, value_name = "QUERY", value_parser = parse_count, default_value = "0", requires = "plot")]
    plotted: usize,

    /// Steps lead to 4 or 8 neighbours
    #[arg(long, value_parser = one_of(&[Moves::Four, Moves::Eight], name_of_moves), default_value = "8")]
    moves: Moves,

    /// The engine (default: the library's choice; see `thalweg info`)
    #[arg(long, value_parser = engine_of(Engine::ALL, Engine::name))]
    engine: Option<Engine>,

    #[command(flatten)]
    map: MapArgs,

    #[command(flatten)]
    queries: RouteArgs,

    #[command(flatten)]
    device: DeviceArgs,

    #[command(flatten)]
    run: RunArgs,
}

fn name_of_moves(moves: Moves) -> &'static str {
    match moves {
        Moves::Four => "4",
        Moves::Eight => "8",
    }
}

/// What is to be written.
struct Outputs {
    lengths: Option<Output>,
    parts: Option<Output>,
    paths: Option<Output>,
    offsets: Option<Output>,
    plot: Option<Output>,
}

/// Lengths, and paths where somebody wants them.
enum Answers {
    Lengths(Vec<Option<Length>>),
    Paths(Paths),
}

impl Answers {
    fn lengths(&self) -> &[Option<Length>] {
        match self {
            Self::Lengths(lengths) => lengths,
            Self::Paths(paths) => paths.lengths(),
        }
    }

    fn paths(&self) -> Option<&Paths> {
        match self {
            Self::Lengths(_) => None,
            Self::Paths(paths) => Some(paths),
        }
    }
}

/// Runs the command.
pub fn run(args: Args) -> Outcome {
    match (&args.paths, &args.offsets) {
        (Some(_), None) => return Err(Failure::at("--paths", "needs --offsets, which tells where each begins")),
        (None, Some(_)) => return Err(Failure::at("--offsets", "needs --paths")),
        _ => {}
    }
    args.map.seed.refuse_if(args.map.grid.is_some() && args.queries.queries.is_some(), "--grid and --queries")?;
    let mut run = Run::start(&args.run, Some(&args.device))?;
    run.progress.stage("reading");
    let map = args.map.open()?;
    run.progress.say(format_args!("map: {}", map.description));
    let routes = args.queries.open(&map.grid, args.map.seed.get())?;
    run.progress.say(format_args!("queries: {}", routes.description));
    let queries = &routes.queries;
    if args.plot.is_some() && args.plotted >= queries.len() {
        let only = there_are_only(queries.len(), "query");
        return Err(Failure::at("--plotted", format_args!("there is no query {}: {only}", args.plotted)));
    }
    let outputs = Outputs {
        lengths: run.output(args.out.as_deref())?,
        parts: run.output(args.parts.as_deref())?,
        paths: run.output(args.paths.as_deref())?,
        offsets: run.output(args.offsets.as_deref())?,
        plot: run.bytes_output(args.plot.as_deref())?,
    };

    let builder = Builder::new().moves(args.moves).engine(args.engine).device(args.device.open()?);
    run.progress.stage("building");
    let (built, build) = timed(|| builder.expected_queries(queries.len()).build(map.grid));
    let index = built?;
    say_chosen(&run.progress, index.chosen(), args.engine.is_some());
    run.progress.stage("answering");
    let with_paths = outputs.paths.is_some() || outputs.plot.is_some();
    let (found, time) = timed(|| match with_paths {
        true => index.paths(queries).map(Answers::Paths),
        false => index.lengths(queries).map(Answers::Lengths),
    });
    let found = found.map_err(|error| routes.failure(error))?;

    run.progress.stage("checking");
    let verified = check(&args, &index, queries, &found)?;

    let mut summary = Summary::new("path");
    let grid = index.grid();
    let [rows, cols, free] = [grid.rows(), grid.cols(), grid.free_cells()];
    let kind = if grid.has_costs() { "with costs" } else { "without costs" };
    let size = format!("{} x {} cells, {} free, {kind}", show_count(rows), show_count(cols), show_count(free));
    summary.line("map", format_args!("{size} ({})", map.origin));
    summary.value(
        "map",
        json!({"origin": map.origin, "rows": rows, "cols": cols, "free": free, "costs": grid.has_costs()}),
    );
    summary.line("queries", format_args!("{} ({})", show_count(queries.len()), routes.origin));
    summary.value("queries", json!({"origin": routes.origin, "count": queries.len()}));
    summary.answered(index.chosen(), run.threads, &format!("{} moves", args.moves));
    summary.value("moves", args.moves.count());
    summary.line("build", show_seconds(build.as_secs_f64()));
    summary.value("build_seconds", build.as_secs_f64());
    summary.speed(time, queries.len(), if with_paths { "path" } else { "length" });
    let reached = found.lengths().iter().flatten().count();
    let longest = found.lengths().iter().flatten().max();
    let text = longest.map_or_else(String::new, |longest| format!(", the longest {}", shown(*longest)));
    let all = counted(queries.len(), "query");
    summary.line("found", format_args!("a path for {} of {all}{text}", show_count(reached)));
    summary.value("reached", reached);
    summary.verified(verified, queries.len(), "answer", "proved shortest");
    let differing = compare(&args, &routes, found.lengths(), &mut summary);

    write(outputs, &args, &index, queries, &found, &mut summary, &run)?;
    summary.answers(&table(queries, found.lengths()));
    let stdout_taken = run.stdout_taken;
    drop(run);
    summary.print(args.run.json, stdout_taken)?;
    differing.map_or(Ok(()), Err)
}

/// Proves answers: how many. A proof walks over the map, so on large maps they are few unless somebody asks for more.
fn check(args: &Args, index: &Map, queries: &[Query], found: &Answers) -> Outcome<usize> {
    let cost = PROOF.saturating_mul(index.grid().len());
    args.run.verify.check(queries.len(), &|_| cost, &|i| {
        let path = found.paths().filter(|_| found.lengths()[i].is_some()).map(|paths| paths.path(i));
        let proved = verify(index.grid(), index.moves(), queries[i], found.lengths()[i], path);
        proved.err().map(|complaint| format!("engine {}: query {i}: {complaint}", index.chosen().engine()))
    })
}

/// Compares lengths with those of the scenarios. The failure tells the first that differs.
fn compare(args: &Args, routes: &Routes, lengths: &[Option<Length>], summary: &mut Summary) -> Option<Failure> {
    let scenarios = routes.scenarios.as_ref()?;
    if args.moves == Moves::Four || args.map.costs {
        summary.line("compared", "no lengths: those of the scenarios are for 8 moves without costs");
        return None;
    }
    let agrees = |i: &usize| lengths[*i].is_some_and(|length| scenarios[*i].agrees(length));
    let differ = (0..lengths.len()).filter(|i| !agrees(i)).count();
    let [all, others] = [lengths.len(), differ].map(show_count);
    summary.line("compared", format_args!("{all} lengths of the scenarios, {others} differ"));
    summary.value("differing", differ);
    let first = (0..lengths.len()).find(|i| !agrees(i))?;
    let here = lengths[first]
        .map_or_else(|| "there is no path".to_owned(), |length| format!("the shortest path has {}", shown(length)));
    let text = format!("{}: length {} is told, but {here}", routes.place(first), scenarios[first].length);
    Some(Failure::negative(format_args!("{}: {text} ({others} of {all} differ)", routes.origin)))
}

/// Writes what is asked for, and lets it appear together.
fn write(
    outputs: Outputs,
    args: &Args,
    index: &Map,
    queries: &[Query],
    found: &Answers,
    summary: &mut Summary,
    run: &Run,
) -> Outcome {
    let progress = &run.progress;
    let lengths = found.lengths();
    let mut done = Vec::new();
    let mut note = |out: Output, count: usize, dtype: DType| {
        summary.written_elements(&out.name, count, dtype.name());
        done.push(out);
    };
    let too_long = |length: &&Length| length.straight.max(length.diagonal) > i64::MAX as u64;
    if (outputs.lengths.is_some() || outputs.parts.is_some())
        && lengths.iter().flatten().any(|length| too_long(&length))
    {
        return Err(Failure::new("a length needs more than 63 bits"));
    }
    if let Some(mut out) = outputs.lengths {
        progress.steps("writing", lengths.len());
        let shape = [lengths.len()];
        if args.moves == Moves::Four {
            out.write_as(&shape, lengths, |length| length.map_or(-1, |length| length.straight as i64), progress)?;
            note(out, lengths.len(), DType::I64);
        } else {
            out.write_as(&shape, lengths, |length| length.map_or(-1.0, Length::to_f64), progress)?;
            note(out, lengths.len(), DType::F64);
        }
    }
    if let Some(mut out) = outputs.parts {
        progress.steps("writing", 2 * lengths.len());
        out.name_columns("straight,diagonal");
        let parts = |length: Length| [length.straight as i64, length.diagonal as i64];
        out.write_rows(lengths, |length| length.map_or([-1; 2], parts), progress)?;
        note(out, 2 * lengths.len(), DType::I64);
    }
    if let (Some(mut out), Some(mut offsets), Some(paths)) = (outputs.paths, outputs.offsets, found.paths()) {
        let cells = paths.cells();
        out.name_columns("row,column");
        progress.steps("writing", 2 * cells.len());
        out.write_rows(cells, |cell| index.grid().place(cell).map(|number| number as i64), progress)?;
        note(out, 2 * cells.len(), DType::I64);
        offsets.write_as(&[paths.offsets().len()], paths.offsets(), |offset| offset as i64, progress)?;
        note(offsets, paths.offsets().len(), DType::I64);
    }
    if let (Some(mut picture), Some(paths)) = (outputs.plot, found.paths()) {
        let query = args.plotted;
        picture.write_text(&plot::draw(index.grid(), queries[query], paths.path(query), lengths[query]))?;
        summary.line("drawn", &picture.name);
        summary.value("plot", picture.name.clone());
        done.push(picture);
    }
    output::commit(done)
}

/// A length as people read it.
fn shown(length: Length) -> String {
    if length.diagonal == 0 { show_count(length.straight as usize) } else { format!("{:.3}", length.to_f64()) }
}

/// The first few answers.
fn table(queries: &[Query], lengths: &[Option<Length>]) -> Table {
    let place = |[row, column]: [u32; 2]| Value::from(format!("{row}, {column}"));
    let rows = queries.iter().zip(lengths).map(|(query, length)| {
        let length = match length {
            None => Value::Null,
            Some(length) if length.diagonal == 0 => json!(length.straight),
            Some(length) => json!(length.to_f64()),
        };
        vec![place(query.start), place(query.goal), length]
    });
    Table::first(vec!["start", "goal", "length"], rows, queries.len())
}
