//! `thalweg forest`: roots, depths, subtree sizes and preorder numbers of a forest.

use std::path::PathBuf;

use thalweg::Position;
use thalweg::tree::{Builder, Engine, EulerTour, Node};
use thalweg_cli::choice::engine_name;
use thalweg_cli::device::{Costs, DeviceArgs, Place};
use thalweg_cli::failure::Outcome;
use thalweg_cli::input::links::{ForestArgs, Links};
use thalweg_cli::output::Output;
use thalweg_data::forests::parent;

use super::gpu::{self, Numbers};
use super::report::{Data, Memory, Report, SHOWN, Speed, Table, timed};
use super::{Run, RunArgs, check_places, why_engine, write_positions};

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
    #[arg(long, value_parser = engine_name(Engine::ALL.iter().map(|e| e.name()), gpu::FOREST), ignore_case = true)]
    engine: Option<&'static str>,

    #[command(flatten)]
    forest: ForestArgs,

    #[command(flatten)]
    device: DeviceArgs,

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
    let links = args.forest.open(&run.progress)?;
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

fn solve<P: Numbers>(args: &Args, run: Run, links: &Links, mut outputs: Vec<Option<Output>>) -> Outcome {
    let parents: Vec<P> = links.get()?;
    let all = outputs.iter().all(Option::is_none);
    let with_tour = all || outputs[2].is_some() || outputs[3].is_some();
    // Both devices have both engines. A tour takes some 200 ns a node, over the threads, roots and depths alone 20.
    let (len, ns) = (parents.len() as f64, if with_tour { 200e-9 } else { 20e-9 });
    let costs = Costs { cpu: ns * len / run.threads as f64, bytes_up: 4.0 * len, bytes_down: 8.0 * len, device: 0.0 };
    let place = args.device.open(costs.pays(), &run.progress)?;

    run.progress.stage("answering");
    let (found, time) = match &place {
        Place::Cpu => {
            let engine = args.engine.map(str::parse::<Engine>).transpose()?;
            let (found, time) = timed(|| on_cpu(&parents, engine, with_tour));
            let (roots, depths, tour, engine) = found.map_err(|e| links.failure(e))?;
            let orders = tour.map(|tour| [tour.sizes().to_vec(), tour.preorder().to_vec()]);
            (Found { roots, depths, orders, engine: engine.name() }, time)
        }
        #[cfg(feature = "gpu")]
        Place::Gpu(device) => {
            let (found, time) = timed(|| gpu::forest(device, &parents, args.engine, with_tour));
            (found?.map_err(|e| links.failure(e))?, time)
        }
    };
    let Found { roots, depths, orders, engine } = found;
    run.progress.say(format_args!("engine: {engine}, {}", why_engine(args.engine.is_some())));

    run.progress.stage("verifying");
    let verified = args.run.verify.check(parents.len(), &|v| depths[v].get(), &|v| {
        wrong(&parents, &roots, &depths, orders.as_ref(), v).map(|text| format!("node {v}: engine {engine}: {text}"))
    })?;

    let columns: Vec<(&'static str, &[P])> = [("root", &roots[..]), ("depth", &depths[..])]
        .into_iter()
        .chain(orders.iter().flat_map(|[sizes, preorder]| [("size", &sizes[..]), ("preorder", &preorder[..])]))
        .collect();
    let wanted = outputs.iter_mut().zip(&columns).filter_map(|(out, &(_, found))| Some((out.take()?, found)));
    let outputs = write_positions(wanted.collect(), &run.progress)?;
    let report = Report {
        version: env!("CARGO_PKG_VERSION"),
        problem: "forest",
        data: "forest",
        array: Data { origin: links.origin(), count: parents.len(), dtype: P::NAME },
        queries: None,
        asked: columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", "),
        engine,
        device: place.name(),
        threads: run.threads,
        open: None,
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

/// Roots, depths and, with a tour, sizes and preorder numbers.
pub struct Found<P> {
    pub roots: Vec<P>,
    pub depths: Vec<P>,
    pub orders: Option<[Vec<P>; 2]>,
    pub engine: &'static str,
}

/// Roots, depths, the tour if it is wanted, and the engine that found the depths.
type OnCpu<'p, P> = (Vec<P>, Vec<P>, Option<EulerTour<'p, P>>, Engine);

fn on_cpu<P: Node>(parents: &[P], engine: Option<Engine>, with_tour: bool) -> thalweg::Result<OnCpu<'_, P>> {
    let builder = Builder::new().engine(engine);
    let tour = if with_tour { Some(EulerTour::new(parents)?) } else { None };
    // The tour's levels are there if the tour is, unless somebody asks for another engine.
    Ok(match tour {
        Some(tour) if engine != Some(Engine::PointerJumping) => {
            (tour.roots()?, tour.levels().to_vec(), Some(tour), Engine::EulerTour)
        }
        tour => {
            let (roots, depths) = builder.build(parents)?.into_roots_and_depths();
            (roots, depths, tour, builder.chosen(parents.len()))
        }
    })
}

/// What is wrong with a node's answers, by a walk to its root. Of sizes and preorder numbers, that every subtree's are
/// inside its parent's.
fn wrong<P: Node>(
    parents: &[P],
    roots: &[P],
    depths: &[P],
    orders: Option<&[Vec<P>; 2]>,
    node: usize,
) -> Option<String> {
    let (mut at, mut depth) = (node, 0);
    while let Some(up) = parent(parents, at) {
        if let Some([sizes, preorder]) = orders {
            let range = |v: usize| preorder[v].get()..preorder[v].get() + sizes[v].get();
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
