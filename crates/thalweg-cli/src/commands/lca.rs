//! `thalweg lca`: lowest common ancestors of many pairs of nodes.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use thalweg::Position;
use thalweg::tree::lca::{self, Builder, Engine, Lca, by_walking};
use thalweg_cli::choice::engine_of;
use thalweg_cli::device::{DeviceArgs, let_go, say_chosen};
use thalweg_cli::dtype::DType;
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::links::{ForestArgs, Links};
use thalweg_cli::input::{EmptyArgs, Loaded, integers, queries};
use thalweg_cli::memory;
use thalweg_cli::numbers::{parse_count, show_count};
use thalweg_cli::output::Output;
use thalweg_data::{Random, forests};

use super::needs;
use super::report::{Data, Memory, Report, Speed, Table, timed};
use super::verify::Oracle;
use super::{Run, RunArgs, write_positions};

/// Steps up that are taken at most to tell what checks cost: some tenths of a second.
const STEPS: usize = 1 << 21;
/// The deepest ancestors whose depth is shown.
const DEEP: usize = STEPS / 8;

/// Find the lowest common ancestor of each of many pairs of nodes
///
/// Without files, makes a forest and pairs and shows what the index does with them.
#[derive(clap::Args)]
#[command(mut_arg("dtype", |arg| arg.requires("parents").conflicts_with("n")), mut_arg("seed", |arg| arg.conflicts_with("queries")), after_help = "Files are .npy if their name ends so or their content says so, otherwise raw little-endian \
    binary; - is standard input or output. The report goes to stdout, or to stderr if a result does.")]
pub struct Args {
    /// Pairs of nodes [x, y], from 0: integers of shape (q, 2); generated if left out
    #[arg(long, value_name = "FILE", requires = "parents")]
    queries: Option<PathBuf>,

    /// Type of raw queries: pairs of this in a file that is not .npy (default: as --dtype)
    #[arg(long, value_name = "TYPE", value_parser = DType::from_option, requires = "queries",
        conflicts_with = "count")]
    query_dtype: Option<DType>,

    #[command(flatten)]
    empty: EmptyArgs,

    /// Number of pairs to generate
    #[arg(long, value_parser = parse_count, default_value = "2^20", conflicts_with = "queries")]
    count: usize,

    /// Where the ancestors go: int64, -1 for nodes in different trees
    #[arg(short, long, value_name = "FILE", group = "results")]
    out: Option<PathBuf>,

    /// The engine (default: the library's choice; see `thalweg info`)
    #[arg(long, value_parser = engine_of(Engine::ALL, Engine::name))]
    engine: Option<Engine>,

    #[command(flatten)]
    forest: ForestArgs,

    #[command(flatten)]
    device: DeviceArgs,

    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command.
pub fn run(args: Args) -> Outcome {
    let stdin = Some(Path::new("-"));
    if args.queries.as_deref() == stdin && args.forest.parents.as_deref() == stdin {
        return Err(Failure::new("--parents and --queries cannot both come from standard input"));
    }
    let mut run = Run::start(&args.run, Some(&args.device))?;
    let links = args.forest.open(&run.progress)?;
    let mut out = run.output(args.out.as_deref())?;
    let open = |path: &PathBuf| queries::open(path, args.query_dtype, links.dtype, 2, args.empty);
    let file = args.queries.as_ref().map(open).transpose()?;
    let count = file.as_ref().map_or(args.count, Loaded::rows);
    out.iter_mut().for_each(|out| out.expect(count, size_of::<i64>()));
    if args.engine.is_none() {
        args.device.expect(lca::costs(links.len, count, run.threads));
    }
    if u32::fits(links.len.saturating_mul(2)) {
        solve::<u32>(&args, run, &links, file.as_ref(), out)
    } else {
        solve::<u64>(&args, run, &links, file.as_ref(), out)
    }
}

/// The pairs and what they are.
fn pairs<P: Position>(args: &Args, run: &Run, links: &Links, file: Option<&Loaded>) -> Outcome<(Vec<[P; 2]>, Data)> {
    if let Some(file) = file {
        run.progress.say(format_args!("queries: {}", file.describe(false)));
        let pairs = integers::pairs(file, links.len)?;
        let about = Data { count: pairs.len(), dtype: file.layout.dtype.name(), origin: file.name.clone() };
        return Ok((pairs, about));
    }
    if links.len == 0 && args.count > 0 {
        return Err(Failure::new("an empty forest has no nodes to ask for (--count 0 asks for none)"));
    }
    run.progress.say(format_args!("queries: no --queries, so {} are generated", show_count(args.count)));
    let (random, len) = (Random::new(links.seed, 8), links.len as u64);
    let pairs = memory::computed(args.count, "queries", |i| {
        [0, 1].map(|end| P::new(random.below(2 * i as u64 + end, len) as usize))
    })?;
    let about = Data { origin: format!("random, seed {}", links.seed), count: pairs.len(), dtype: P::NAME };
    Ok((pairs, about))
}

/// How deep a node is, if not deeper than so many steps.
fn depth<P: Position>(parents: &[P], node: usize, most: usize) -> Option<usize> {
    let ways = std::iter::successors(Some(node), |&node| forests::parent(parents, node));
    Some(ways.skip(1).take(most.saturating_add(1)).count()).filter(|&depth| depth <= most)
}

fn solve<P: Position>(args: &Args, run: Run, links: &Links, file: Option<&Loaded>, out: Option<Output>) -> Outcome {
    let parents: Vec<P> = links.get()?;
    let (queries, about) = pairs::<P>(args, &run, links, file)?;

    run.require(needs::lca::<P>(parents.len()), &links.origin(), Some(&args.device))?;
    // Now, while a GPU is being opened.
    let mut found = memory::filled(queries.len(), P::new(0), "the answers")?;
    run.progress.stage("building");
    let device = args.device.open()?;
    let builder = Builder::new().engine(args.engine).device(device).expected_queries(queries.len());
    let (built, build) = timed(|| builder.build(&parents));
    let lca = built.map_err(|e| links.failure(e))?;
    say_chosen(&run.progress, lca.chosen(), args.engine.is_some());

    run.progress.stage("answering");
    let (done, answer) = timed(|| lca.batch(&queries, &mut found));
    done.map_err(|e| Failure::at(&about.origin, e))?;
    let (chosen, engine, extra_bytes) = (lca.chosen().clone(), lca.engine(), lca.extra_bytes());
    let_go((lca, builder));

    run.progress.stage("checking");
    let steps = Cell::new(STEPS);
    // Who is too deep to look costs as much as any node can.
    let cost_of = |node: usize| {
        let found = depth(&parents, node, steps.get());
        steps.set(found.map_or(0, |depth| steps.get() - depth));
        found.unwrap_or(parents.len())
    };
    let cost = |row: usize| queries[row].iter().map(|v| cost_of(v.get())).sum();
    let wrong = |row: usize, who: &str, ancestor: &dyn Fn(usize, usize) -> Option<usize>| {
        let [x, y] = queries[row].map(|v| v.get());
        let (got, want) = (found[row].checked(), ancestor(x, y));
        let show = |v: Option<usize>| v.map_or_else(|| "none".to_owned(), |v| format!("node {v}"));
        let told = || format!("engine {engine} found {}, {who} {}", show(got), show(want));
        (got != want).then(|| format!("row {row}: nodes {x} and {y}: {}", told()))
    };
    let walk = "a plain walk";
    let other = || {
        let engine: Engine = if engine == "inlabel" { "euler_rmq" } else { "inlabel" }.parse()?;
        let index = Lca::with_engine(&parents, engine)?;
        Ok(Oracle::new(engine.name(), move |row| wrong(row, engine.name(), &|x, y| index.ask(x, y))))
    };
    let walking = Oracle::new(walk, |row| wrong(row, walk, &|x, y| by_walking(&parents, x, y)));
    let verified = args.run.verify.compare(queries.len(), &cost, walking, &other)?;

    let columns = out.into_iter().map(|out| (out, P::view(&found))).collect();
    let outputs = write_positions(columns, &run.progress)?;
    let rows = queries.iter().zip(&found).map(|([x, y], found)| {
        let depth = found.checked().and_then(|v| depth(&parents, v, DEEP));
        vec![x.get().into(), y.get().into(), found.checked().into(), depth.into()]
    });
    let report = Report {
        version: env!("CARGO_PKG_VERSION"),
        problem: "lca",
        data: "forest",
        array: Data { origin: links.origin(), count: parents.len(), dtype: links.own_dtype(P::NAME) },
        queries: Some(about),
        asked: "lowest common ancestors".into(),
        engine,
        device: chosen.device().to_owned(),
        threads: run.threads,
        open: None,
        build: Some(Speed::new(build, parents.len(), "node")),
        answer: Speed::new(answer, queries.len(), "query"),
        memory: Memory::new(extra_bytes, parents.len()),
        verified,
        outputs,
        answers: Table::first(vec!["x", "y", "lca", "depth"], rows, queries.len()),
    };
    let stdout_taken = run.stdout_taken;
    drop(run);
    report.print(args.run.json, stdout_taken)
}
