//! `thalweg forest`: roots, depths, subtree sizes, preorder and postorder numbers of a forest.

use std::path::PathBuf;

use thalweg::Position;
use thalweg::tree::{Builder, Engine};
use thalweg_cli::choice::engine_of;
use thalweg_cli::device::{DeviceArgs, say_chosen};
use thalweg_cli::failure::Outcome;
use thalweg_cli::input::links::{ForestArgs, Links};
use thalweg_cli::output::Output;
use thalweg_data::forests::parent;

use super::needs;
use super::report::{Data, Memory, Report, Speed, Table, timed};
use super::verify::Verified;
use super::{Run, RunArgs, write_columns};

/// Find roots, depths, subtree sizes, preorder and postorder numbers of a forest
///
/// Without files, makes a forest and shows what the engine does with it.
#[derive(clap::Args)]
#[command(mut_arg("seed", |arg| arg.conflicts_with("parents")), mut_arg("dtype", |arg| arg.requires("parents").conflicts_with("n")), after_help = "Files are .npy if their name ends so or their content says so, otherwise raw little-endian \
    binary; - is standard input or output. Children are taken in increasing order, and so are the roots. Without \
    outputs, everything is computed for the report. The report goes to stdout, or to stderr if a result does.")]
pub struct Args {
    /// Where root, depth, size and place in preorder of every node go: int64 of shape (n, 4)
    #[arg(short, long, value_name = "FILE", group = "results")]
    out: Option<PathBuf>,

    /// Where the root of every node goes: int64
    #[arg(long, value_name = "FILE", group = "results")]
    roots: Option<PathBuf>,

    /// Where the depth of every node goes, 0 for roots: int64
    #[arg(long, value_name = "FILE", group = "results")]
    depths: Option<PathBuf>,

    /// Where the number of nodes in every subtree goes: int64
    #[arg(long, value_name = "FILE", group = "results")]
    sizes: Option<PathBuf>,

    /// Where every node's place in preorder goes: int64
    #[arg(long, value_name = "FILE", group = "results")]
    preorder: Option<PathBuf>,

    /// Where every node's place in postorder goes, in which children come before their parents: int64
    #[arg(long, value_name = "FILE", group = "results")]
    postorder: Option<PathBuf>,

    /// The engine for roots and depths (default: the library's choice; see `thalweg info`)
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
    let mut run = Run::start(&args.run)?;
    let links = args.forest.open(&run.progress)?;
    let mut outputs = vec![run.output(args.out.as_deref())?];
    for path in [&args.roots, &args.depths, &args.sizes, &args.preorder, &args.postorder] {
        outputs.push(run.output(path.as_deref())?);
    }
    // A tour has two places a node.
    if u32::fits(links.len.saturating_mul(2)) {
        solve::<u32>(&args, run, &links, outputs)
    } else {
        solve::<u64>(&args, run, &links, outputs)
    }
}

fn solve<P: Position>(args: &Args, run: Run, links: &Links, mut outputs: Vec<Option<Output>>) -> Outcome {
    let parents: Vec<P> = links.get()?;
    let all = outputs.iter().all(Option::is_none);
    let with_tour = all || [0, 3, 4, 5].iter().any(|&output| outputs[output].is_some());
    run.require(needs::forest::<P>(parents.len(), with_tour), &links.origin(), Some(&args.device))?;
    let builder = Builder::new().engine(args.engine).device(args.device.open()?);

    run.progress.stage("answering");
    let (found, time) = timed(|| -> thalweg::Result<_> {
        if with_tour {
            let (found, chosen) = builder.build_with_tour(&parents)?.into_parts();
            let tour = &found.tour;
            let orders = [tour.sizes().to_vec(), tour.preorder().to_vec(), tour.postorder()?];
            return Ok((found.forest.into_roots_and_depths(), Some(orders), chosen));
        }
        let (forest, chosen) = builder.build(&parents)?.into_parts();
        Ok((forest.into_roots_and_depths(), None, chosen))
    });
    let ((roots, depths), orders, chosen) = found.map_err(|e| links.failure(e))?;
    let engine = chosen.engine();
    say_chosen(&run.progress, &chosen, args.engine.is_some());

    run.progress.stage("verifying");
    let rows = args.run.verify.check(parents.len(), &|v| depths[v].get().min(STEPS), &|v| {
        wrong(&parents, &roots, &depths, orders.as_ref(), v).map(|text| format!("node {v}: engine {engine}: {text}"))
    })?;
    let verified = Verified { rows, of: parents.len(), with: "a walk to the root, of up to 1,000 links".into() };

    let orders = orders.iter().flat_map(|orders| ["size", "preorder", "postorder"].into_iter().zip(orders));
    let columns: Vec<(&'static str, &[P])> = [("root", &roots[..]), ("depth", &depths[..])]
        .into_iter()
        .chain(orders.map(|(name, order)| (name, &order[..])))
        .collect();
    let lists: Vec<_> = columns.iter().map(|(_, found)| P::view(found)).collect();
    // All of them but the postorder, which the others tell: preorder + size - 1 - depth.
    let whole = outputs.remove(0).map(|mut out| {
        out.name_columns("root,depth,size,preorder");
        (out, lists[..4].to_vec())
    });
    let single = outputs.into_iter().zip(&lists).filter_map(|(out, &list)| Some((out?, vec![list])));
    let outputs = write_columns(whole.into_iter().chain(single).collect(), &run.progress)?;
    let report = Report {
        version: env!("CARGO_PKG_VERSION"),
        problem: "forest",
        data: "forest",
        array: Data { origin: links.origin(), count: parents.len(), dtype: links.own_dtype(P::NAME) },
        queries: None,
        asked: columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", "),
        engine,
        device: chosen.device().to_owned(),
        threads: run.threads,
        open: None,
        build: None,
        answer: Speed::new(time, parents.len(), "node"),
        memory: Memory::new(parents.len() * size_of::<P>() * if with_tour { 11 } else { 3 }, parents.len()),
        verified,
        outputs,
        answers: table(&parents, &columns),
    };
    let stdout_taken = run.stdout_taken;
    drop(run);
    report.print(args.run.json, stdout_taken)
}

/// Links that a check follows at most: to the root, or to a node whose depth must be less by as many.
const STEPS: usize = 1000;

/// What is wrong with a node's answers, by a walk to its root, or far towards it. Of sizes and numbers in preorder and postorder,
/// that every subtree's are inside its parent's.
fn wrong<P: Position>(
    parents: &[P],
    roots: &[P],
    depths: &[P],
    orders: Option<&[Vec<P>; 3]>,
    node: usize,
) -> Option<String> {
    let (mut at, mut depth) = (node, 0);
    while depth < STEPS
        && let Some(up) = parent(parents, at)
    {
        if let Some([sizes, preorder, postorder]) = orders {
            let range = |v: usize| preorder[v].get()..preorder[v].get() + sizes[v].get();
            let (inner, outer) = (range(at), range(up));
            if inner.start <= outer.start || inner.end > outer.end {
                return Some(format!("subtree of {at} is {inner:?} in preorder, that of its parent {outer:?}"));
            }
            let range = |v: usize| (postorder[v].get() + 1).saturating_sub(sizes[v].get())..postorder[v].get() + 1;
            let (inner, outer) = (range(at), range(up));
            if inner.start < outer.start || inner.end >= outer.end {
                return Some(format!("subtree of {at} is {inner:?} in postorder, that of its parent {outer:?}"));
            }
        }
        (at, depth) = (up, depth + 1);
    }
    let (root, found) = (roots[node].get(), depths[node].get());
    // Where the walk has ended the root is known; elsewhere its answers must go with this node's.
    let (top, above) = if parent(parents, at).is_none() { (at, 0) } else { (roots[at].get(), depths[at].get()) };
    let depth = depth + above;
    (root != top || found != depth)
        .then(|| format!("found root {root} and depth {found}, a walk root {top} and depth {depth}"))
}

/// The first few answers.
fn table<P: Position>(parents: &[P], found: &[(&'static str, &[P])]) -> Table {
    let mut columns = vec!["node", "parent"];
    columns.extend(found.iter().map(|(name, _)| *name));
    let rows = (0..parents.len()).map(|v| {
        let mut row = vec![v.into(), parent(parents, v).into()];
        row.extend(found.iter().map(|(_, values)| values[v].get().into()));
        row
    });
    Table::first(columns, rows, parents.len())
}
