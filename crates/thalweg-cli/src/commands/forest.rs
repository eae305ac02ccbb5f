//! `thalweg forest`: roots, depths, subtree sizes, preorder and postorder numbers of a forest.

use std::path::PathBuf;

use thalweg::Position;
use thalweg::tree::{self, Builder, Engine, Orders};
use thalweg_cli::choice::engine_of;
use thalweg_cli::device::{DeviceArgs, let_go, say_chosen};
use thalweg_cli::failure::Outcome;
use thalweg_cli::input::links::{ForestArgs, Links};
use thalweg_cli::memory;
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
    let mut run = Run::start(&args.run, Some(&args.device))?;
    let links = args.forest.open(&run.progress)?;
    let mut outputs = vec![run.output(args.out.as_deref())?];
    for path in [&args.roots, &args.depths, &args.sizes, &args.preorder, &args.postorder] {
        outputs.push(run.output(path.as_deref())?);
    }
    let all = outputs.iter().all(Option::is_none);
    let with_tour = all || [0, 3, 4, 5].iter().any(|&output| outputs[output].is_some());
    for (number, out) in outputs.iter_mut().enumerate() {
        let columns = if number == 0 { 4 } else { 1 };
        out.iter_mut().for_each(|out| out.expect(links.len, columns * size_of::<i64>()));
    }
    args.device.expect(tree::costs(links.len, with_tour, run.threads));
    // A tour has two places a node.
    if u32::fits(links.len.saturating_mul(2)) {
        solve::<u32>(&args, run, &links, outputs, with_tour)
    } else {
        solve::<u64>(&args, run, &links, outputs, with_tour)
    }
}

fn solve<P: Position>(
    args: &Args,
    run: Run,
    links: &Links,
    mut outputs: Vec<Option<Output>>,
    with_tour: bool,
) -> Outcome {
    let parents: Vec<P> = links.get()?;
    run.require(needs::forest::<P>(parents.len(), with_tour), &links.origin(), Some(&args.device))?;
    let builder = Builder::new().engine(args.engine).device(args.device.open()?);

    run.progress.stage("answering");
    let (found, time) = timed(|| -> thalweg::Result<_> {
        if with_tour {
            let (Orders { roots, depths, sizes, preorder }, chosen) = builder.orders(&parents)?.into_parts();
            return Ok(((roots, depths), Some([sizes, preorder]), chosen));
        }
        let (forest, chosen) = builder.build(&parents)?.into_parts();
        Ok((forest.into_roots_and_depths(), None, chosen))
    });
    let ((roots, depths), orders, chosen) = found.map_err(|e| links.failure(e))?;
    let_go(builder);
    // The postorder follows from the others; -o has them, and not it.
    let is_told = outputs.iter().all(Option::is_none) || outputs[5].is_some();
    let postorder = match orders.as_ref().filter(|_| is_told) {
        Some([sizes, preorder]) => {
            let place = |v: usize| (preorder[v].get() + sizes[v].get()).wrapping_sub(1 + depths[v].get());
            Some(memory::computed(parents.len(), "the postorder", |v| P::new(place(v)))?)
        }
        None => None,
    };
    let found = Found { roots: &roots, depths: &depths, orders: orders.as_ref(), postorder: postorder.as_deref() };
    let engine = chosen.engine();
    say_chosen(&run.progress, &chosen, args.engine.is_some());

    run.progress.stage("checking");
    let rows = args.run.verify.check(parents.len(), &|v| depths[v].get().min(STEPS), &|v| {
        found.wrong(&parents, v).map(|text| format!("node {v}: engine {engine}: {text}"))
    })?;
    let verified = Verified { rows, of: parents.len(), with: "a walk to the root, of up to 1,000 links".into() };

    let orders = orders.iter().flatten().chain(&postorder);
    let columns: Vec<(&'static str, &[P])> = [&roots, &depths]
        .into_iter()
        .chain(orders)
        .zip(["root", "depth", "size", "preorder", "postorder"])
        .map(|(found, name)| (name, &found[..]))
        .collect();
    let lists: Vec<_> = columns.iter().map(|(_, found)| P::view(found)).collect();
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

/// What was found.
struct Found<'f, P> {
    roots: &'f [P],
    depths: &'f [P],
    /// Sizes, and places in preorder.
    orders: Option<&'f [Vec<P>; 2]>,
    postorder: Option<&'f [P]>,
}

impl<P: Position> Found<'_, P> {
    /// What is wrong with a node's answers, by a walk to its root, or far towards it. Of sizes and numbers in preorder and
    /// postorder, that every subtree's are inside its parent's.
    fn wrong(&self, parents: &[P], node: usize) -> Option<String> {
        let Self { roots, depths, orders, postorder } = self;
        let (mut at, mut depth) = (node, 0);
        while depth < STEPS
            && let Some(up) = parent(parents, at)
        {
            if let Some([sizes, preorder]) = orders {
                let range = |v: usize| preorder[v].get()..preorder[v].get() + sizes[v].get();
                let (inner, outer) = (range(at), range(up));
                if inner.start <= outer.start || inner.end > outer.end {
                    return Some(format!("subtree of {at} is {inner:?} in preorder, that of its parent {outer:?}"));
                }
            }
            if let (Some([sizes, _]), Some(postorder)) = (orders, postorder) {
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
