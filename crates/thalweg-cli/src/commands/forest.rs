//! `thalweg forest`: roots, depths, subtree sizes and preorder numbers of a forest.

use std::path::PathBuf;

use thalweg::Position;
use thalweg::tree::{Builder, Engine, EulerTour, Node};
use thalweg_testkit::forests::parent;

use super::{Run, RunArgs, check_places, why_engine, write_positions};
use crate::choice::one_of;
use crate::failure::Outcome;
use crate::input::links::{ForestArgs, Links};
use crate::output::Output;
use crate::report::{Data, Memory, Report, SHOWN, Speed, Table, timed};

/// Find roots, depths, subtree sizes and preorder numbers of a forest
///
/// Without files, makes a forest and shows what the engine does with it.
#[derive(clap::Args)]
#[command(after_help = "Files are .npy if their name ends so or their content says so, otherwise raw little-endian \
    binary; - is standard input or output. Children are taken in increasing order, and so are the roots. Without \
    outputs, everything is computed for the report. The report goes to stdout, or to stderr if a result does.")]
pub struct Args {
    /// Where the root of every node goes: int64
    #[arg(long, value_name = "FILE")]
    roots: Option<PathBuf>,

    /// Where the depth of every node goes, 0 for roots: int64
    #[arg(long, value_name = "FILE")]
    depths: Option<PathBuf>,

    /// Where the number of nodes in every subtree goes: int64
    #[arg(long, value_name = "FILE")]
    sizes: Option<PathBuf>,

    /// Where every node's place in preorder goes: int64
    #[arg(long, value_name = "FILE")]
    preorder: Option<PathBuf>,

    /// The engine for roots and depths (default: the library's choice; see `thalweg info`)
    #[arg(long, value_parser = one_of(Engine::ALL, Engine::name), ignore_case = true)]
    engine: Option<Engine>,

    #[command(flatten)]
    forest: ForestArgs,

    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command.
pub fn run(args: Args) -> Outcome {
    check_places(&[
        ("--roots", args.roots.as_deref()),
        ("--depths", args.depths.as_deref()),
        ("--sizes", args.sizes.as_deref()),
        ("--preorder", args.preorder.as_deref()),
    ])?;
    let mut run = Run::start(&args.run)?;
    let links = args.forest.open(&run)?;
    let mut outputs = Vec::new();
    for path in [&args.roots, &args.depths, &args.sizes, &args.preorder] {
        outputs.push(run.output(path.as_deref())?);
    }
    // A tour has two places a node.
    if u32::fits(links.len.saturating_mul(2)) {
        solve::<u32>(&args, run, &links, outputs)
    } else {
        solve::<u64>(&args, run, &links, outputs)
    }
}

fn solve<P: Node>(args: &Args, run: Run, links: &Links, mut outputs: Vec<Option<Output>>) -> Outcome {
    let parents: Vec<P> = links.get()?;
    let all = outputs.iter().all(Option::is_none);
    let with_tour = all || outputs[2].is_some() || outputs[3].is_some();
    let builder = Builder::new().engine(args.engine);
    let engine = builder.chosen(parents.len());
    run.progress.say(format_args!("engine: {engine}, {}", why_engine(args.engine.is_some())));

    run.progress.stage("answering");
    let (found, time) = timed(|| -> thalweg::Result<_> {
        let tour = if with_tour { Some(EulerTour::new(&parents)?) } else { None };
        // The tour's levels are there if the tour is, unless somebody asks for another engine.
        let (roots, depths) = match &tour {
            Some(tour) if args.engine != Some(Engine::PointerJumping) => (tour.roots()?, tour.levels().to_vec()),
            _ => builder.build(&parents)?.into_roots_and_depths(),
        };
        Ok((roots, depths, tour))
    });
    let (roots, depths, tour) = found.map_err(|e| links.failure(e))?;
    let engine = if with_tour && args.engine != Some(Engine::PointerJumping) { Engine::EulerTour } else { engine };

    run.progress.stage("verifying");
    let verified = args.run.verify.check(parents.len(), &|v| depths[v].get(), &|v| {
        wrong(&parents, &roots, &depths, tour.as_ref(), v).map(|text| format!("node {v}: engine {engine}: {text}"))
    })?;

    let columns: Vec<(&'static str, &[P])> = [("root", &roots[..]), ("depth", &depths[..])]
        .into_iter()
        .chain(tour.iter().flat_map(|tour| [("size", tour.sizes()), ("preorder", tour.preorder())]))
        .collect();
    let wanted = outputs.iter_mut().zip(&columns).filter_map(|(out, &(_, found))| Some((out.take()?, found)));
    let outputs = write_positions(wanted.collect(), &run.progress)?;
    let report = Report {
        version: env!("CARGO_PKG_VERSION"),
        problem: "forest",
        data: "forest",
        array: Data { origin: links.origin(), count: parents.len(), dtype: <P as Position>::NAME },
        queries: None,
        asked: columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", "),
        engine: engine.name(),
        device: "cpu".into(),
        threads: run.threads,
        build: None,
        answer: Speed::new(time, parents.len(), "node"),
        memory: Memory::new(parents.len() * size_of::<P>() * if with_tour { 10 } else { 3 }, parents.len()),
        verified,
        oracle: "a walk to the root",
        outputs,
        answers: table(&parents, &columns),
    };
    let stdout_taken = run.stdout_taken;
    drop(run);
    report.print(args.run.json, stdout_taken)
}

/// What is wrong with a node's answers, by a walk to its root. Of sizes and preorder numbers, that every subtree's are
/// inside its parent's.
fn wrong<P: Node>(
    parents: &[P],
    roots: &[P],
    depths: &[P],
    tour: Option<&EulerTour<'_, P>>,
    node: usize,
) -> Option<String> {
    let (mut at, mut depth) = (node, 0);
    while let Some(up) = parent(parents, at) {
        if let Some(tour) = tour {
            let range = |v: usize| tour.preorder()[v].get()..tour.preorder()[v].get() + tour.sizes()[v].get();
            let (inner, outer) = (range(at), range(up));
            if inner.start <= outer.start || inner.end > outer.end {
                return Some(format!("subtree of {at} is {inner:?} in preorder, that of its parent {outer:?}"));
            }
        }
        (at, depth) = (up, depth + 1);
    }
    let (root, found) = (roots[node].get(), depths[node].get());
    (root != at || found != depth)
        .then(|| format!("found root {root} and depth {found}, a walk root {at} and depth {depth}"))
}

/// The first few answers.
fn table<P: Node>(parents: &[P], found: &[(&'static str, &[P])]) -> Table {
    let mut columns = vec!["node", "parent"];
    columns.extend(found.iter().map(|(name, _)| *name));
    let rows = (0..parents.len().min(SHOWN)).map(|v| {
        let mut row = vec![v.into(), parent(parents, v).into()];
        row.extend(found.iter().map(|(_, values)| values[v].get().into()));
        row
    });
    Table { columns, rows: rows.collect() }
}
