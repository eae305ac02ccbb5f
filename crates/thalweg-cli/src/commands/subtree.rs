//! `thalweg subtree`: minimum, sum or size of the subtrees of a forest.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use thalweg::tree::EulerTour;
use thalweg::tree::subtree::Builder;
use thalweg::{Chosen, Order, Position, Rmq};
use thalweg_cli::choice::one_of;
use thalweg_cli::device::{DeviceArgs, say_chosen};
use thalweg_cli::dtype::{DType, Element, with_dtype};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::links::{ForestArgs, Links};
use thalweg_cli::input::{EmptyArgs, Loaded, array, integers, queries};
use thalweg_cli::memory;
use thalweg_cli::numbers::counted_plainly;
use thalweg_cli::output::Output;
use thalweg_data::ArrayKind;

use super::nearest::{BY_MINIMA, other_engine};
use super::needs;
use super::report::{Data, Memory, Report, SHOWN, Speed, Table, Written, timed};
use super::verify::{Oracle, Verified};
use super::{Run, RunArgs, write_positions, write_values};

/// Find the minimum, sum or size of the subtree of every node, or of some nodes
///
/// Without files, makes a forest and values and shows what comes of them.
#[derive(clap::Args)]
#[command(after_help = "Files are .npy if their name ends so or their content says so, otherwise raw little-endian \
    binary; - is standard input or output. Of equal values the first in preorder counts (children in increasing order). \
    The report goes to stdout, or to stderr if a result does.")]
pub struct Args {
    /// A value for every node: integers or floats; generated if left out
    #[arg(long, value_name = "FILE")]
    values: Option<PathBuf>,

    /// Type of raw values, in a file that is not .npy (default: as --dtype)
    #[arg(long, value_name = "TYPE", value_parser = DType::from_option, requires = "values")]
    value_dtype: Option<DType>,

    /// The nodes whose subtrees are asked for: integers; every node if left out
    #[arg(long, value_name = "FILE")]
    nodes: Option<PathBuf>,

    /// Type of raw nodes, in a file that is not .npy (default: as --dtype)
    #[arg(long, value_name = "TYPE", value_parser = DType::from_option, requires = "nodes")]
    query_dtype: Option<DType>,

    #[command(flatten)]
    empty: EmptyArgs,

    /// Where the results go: the values' type for minima, otherwise int64
    #[arg(short, long, value_name = "FILE", group = "results")]
    out: Option<PathBuf>,

    /// What to find in each subtree: the smallest value, the node that has it, the sum of the values (integers only), or
    /// the number of nodes
    #[arg(long, value_parser = one_of(What::ALL, What::name), default_value = "min")]
    what: What,

    /// Find the largest value instead
    #[arg(long)]
    max: bool,

    #[command(flatten)]
    forest: ForestArgs,

    #[command(flatten)]
    device: DeviceArgs,

    #[command(flatten)]
    run: RunArgs,
}

#[derive(Clone, Copy, PartialEq)]
enum What {
    Min,
    Argmin,
    Sum,
    Size,
}

impl What {
    const ALL: &'static [Self] = &[Self::Min, Self::Argmin, Self::Sum, Self::Size];

    const fn name(self) -> &'static str {
        match self {
            Self::Min => "min",
            Self::Argmin => "argmin",
            Self::Sum => "sum",
            Self::Size => "size",
        }
    }
}

/// Runs the command.
pub fn run(args: Args) -> Outcome {
    let stdin = Some(Path::new("-"));
    let inputs = [&args.forest.parents, &args.values, &args.nodes];
    if inputs.iter().filter(|path| path.as_deref() == stdin).count() > 1 {
        return Err(Failure::new("only one of --parents, --values and --nodes can come from standard input"));
    }
    refuse_idle_options(&args)?;
    let mut run = Run::start(&args.run, Some(&args.device))?;
    let links = args.forest.open(&run.progress)?;
    let values = match &args.values {
        Some(path) => {
            let file = Loaded::open(path, Some(args.value_dtype.unwrap_or(links.dtype)), 1)?;
            let len = integers::length(&file, "values")?;
            if len != links.len {
                return Err(file.failure(format_args!(
                    "{}, expected {}, one a node",
                    counted_plainly(len, "value"),
                    links.len
                )));
            }
            run.progress.say(format_args!("values: {}", file.describe(true)));
            Some(file)
        }
        None => None,
    };
    let out = run.output(args.out.as_deref())?;
    let job = Job { args: &args, run, links: &links, values, out };
    if u32::fits(links.len.saturating_mul(2)) { job.solve::<u32>() } else { job.solve::<u64>() }
}

/// Fails if an option has nothing to do with what is asked for.
fn refuse_idle_options(args: &Args) -> Outcome {
    let what = args.what.name();
    if args.max && matches!(args.what, What::Sum | What::Size) {
        return Err(Failure::new(format_args!("--max is for min and argmin (--what {what})")));
    }
    if args.values.is_some() && args.what == What::Size {
        return Err(Failure::new("--values is for min, argmin and sum (--what size)"));
    }
    let (seed, has_parents) = (args.forest.seed(), args.forest.parents.is_some());
    if args.what == What::Size {
        return seed.refuse_if(has_parents, "--parents");
    }
    seed.refuse_if(has_parents && args.values.is_some(), "--parents and --values")
}

/// Everything about a run except its types.
struct Job<'j> {
    args: &'j Args,
    run: Run,
    links: &'j Links,
    values: Option<Loaded>,
    out: Option<Output>,
}

/// What came out.
struct Found {
    chosen: Chosen,
    answer: Duration,
    extra_bytes: usize,
    verified: Verified,
    outputs: Vec<Written>,
    /// The first few answers.
    shown: Vec<Value>,
}

/// What is asked, and where.
struct Asked<'a, P: Position> {
    builder: Builder,
    nodes: &'a [P],
    tour: &'a EulerTour<'a, P>,
}

impl Job<'_> {
    fn solve<P: Position>(mut self) -> Outcome {
        let parents: Vec<P> = self.links.get()?;
        let (nodes, (origin, dtype)): (Cow<'_, [P]>, _) = match &self.args.nodes {
            Some(path) => {
                let file = queries::open(path, self.args.query_dtype, self.links.dtype, 1, self.args.empty)?;
                self.run.progress.say(format_args!("nodes: {}", file.describe(false)));
                let dtype = file.layout.dtype.name();
                (integers::nodes(&file, parents.len())?.into(), (file.name, dtype))
            }
            None => {
                let mut nodes = memory::room(parents.len(), "the nodes")?;
                nodes.extend((0..parents.len()).map(P::new));
                (nodes.into(), ("every node".to_owned(), P::NAME))
            }
        };
        let order = if self.args.max { Order::Max } else { Order::Min };
        let builder = Builder::new().order(order).device(self.args.device.open()?);
        self.run.require(needs::subtree::<P>(parents.len()), &self.links.origin(), None)?;
        self.run.progress.stage("building");
        // Answers of a GPU are checked with it, too.
        let (tour, toured) = timed(|| EulerTour::new(&parents));
        let tour = tour.map_err(|e| self.links.failure(e))?;
        let asked = Asked { builder, nodes: &nodes, tour: &tour };
        self.run.progress.stage("answering");
        let found = match self.args.what {
            What::Size => self.sizes(&asked)?,
            What::Sum => self.sums(&asked)?,
            What::Min | What::Argmin => {
                let dtype = self.values.as_ref().map_or(DType::F32, |file| file.layout.dtype);
                with_dtype!(dtype, T => self.minima::<T, P>(&asked)?)
            }
        };
        say_chosen(&self.run.progress, &found.chosen, false);
        let what = self.args.what;
        let asked = match (what, self.args.max) {
            (What::Min | What::Argmin, true) => what.name().replace("min", "max"),
            _ => what.name().to_owned(),
        };
        let made = if what == What::Sum { DType::I64 } else { DType::F32 };
        let of_type = self.values.as_ref().map_or(made, |file| file.layout.dtype);
        let values = if what == What::Size { String::new() } else { format!(", {of_type} values") };
        let asked = format!("{asked} of subtrees{values}");
        let rows = nodes.iter().zip(found.shown).map(|(v, answer)| {
            let v = v.get();
            vec![v.into(), tour.parent(v).into(), tour.sizes()[v].get().into(), answer]
        });
        let report = Report {
            version: env!("CARGO_PKG_VERSION"),
            problem: "subtree",
            data: "forest",
            array: Data { origin: self.links.origin(), count: parents.len(), dtype: self.links.own_dtype(P::NAME) },
            queries: Some(Data { origin, count: nodes.len(), dtype }),
            asked,
            engine: found.chosen.engine(),
            device: found.chosen.device().to_owned(),
            threads: self.run.threads,
            open: None,
            build: found.chosen.is_cpu().then(|| Speed::new(toured, parents.len(), "node")),
            answer: Speed::new(found.answer, nodes.len(), "query"),
            memory: Memory::new(found.extra_bytes, parents.len()),
            verified: found.verified,
            outputs: found.outputs,
            answers: Table::first(vec!["node", "parent", "size", "answer"], rows, nodes.len()),
        };
        let stdout_taken = self.run.stdout_taken;
        drop(self.run);
        report.print(self.args.run.json, stdout_taken)
    }

    /// Compares answers with those of a scan; `wrong` gets the row and the nodes of the subtree.
    fn verify<'o, P: Position>(
        &self,
        tour: &EulerTour<'_, P>,
        nodes: &[P],
        wrong: &(dyn Fn(usize, &[P]) -> Option<String> + Sync),
        other: &dyn Fn() -> Outcome<Oracle<'o>>,
    ) -> Outcome<Verified> {
        self.run.progress.stage("checking");
        let size = |row: usize| tour.sizes()[nodes[row].get()].get();
        let scan = Oracle::new("a plain scan of the subtree", |row| {
            let first = tour.preorder()[nodes[row].get()].get();
            let subtree = &tour.order()[first..first + size(row)];
            wrong(row, subtree).map(|text| format!("row {row}: node {}: {text}", nodes[row].get()))
        });
        self.args.run.verify.compare(nodes.len(), &size, scan, other)
    }

    /// The nodes if there are some, or nothing for all.
    fn some<'n, P>(&self, nodes: &'n [P]) -> Option<&'n [P]> {
        self.args.nodes.as_ref().map(|_| nodes)
    }

    fn sizes<P: Position>(&mut self, asked: &Asked<'_, P>) -> Outcome<Found> {
        let Asked { builder, nodes, tour } = asked;
        let (sizes, answer) = timed(|| builder.sizes(tour, self.some(nodes)));
        let (sizes, chosen) = sizes?.into_parts();
        // The subtree's nodes are those that reach its root on the way up.
        let verified = self.verify(
            tour,
            nodes,
            &|row, subtree| {
                let strange = subtree[1..].iter().find(|v| {
                    let up = tour.parent(v.get()).map(|up| tour.preorder()[up]);
                    up.is_none_or(|up| up < tour.preorder()[nodes[row].get()])
                });
                match strange {
                    Some(v) => Some(format!("node {} is not in its subtree", v.get())),
                    None => {
                        let (got, want) = (sizes[row].get(), subtree.len());
                        (got != want).then(|| format!("found {got} nodes, a plain scan {want}"))
                    }
                }
            },
            &|| {
                let (sums, sizes) = (sums_from_leaves(tour, &|_| 1)?, &sizes);
                Ok(Oracle::new(FROM_LEAVES, move |row| {
                    let (got, want) = (sizes[row].get(), sums[nodes[row].get()] as usize);
                    (got != want).then(|| format!("row {row}: found {got} nodes, {FROM_LEAVES} {want}"))
                }))
            },
        )?;
        let shown = sizes.iter().take(SHOWN).map(|size| size.get().into()).collect();
        let columns = self.out.take().into_iter().map(|out| (out, P::view(&sizes))).collect();
        let outputs = write_positions(columns, &self.run.progress)?;
        let extra_bytes = 4 * tour.len() * size_of::<P>();
        Ok(Found { chosen, answer, extra_bytes, verified, outputs, shown })
    }

    fn sums<P: Position>(&mut self, asked: &Asked<'_, P>) -> Outcome<Found> {
        let Asked { builder, nodes, tour } = asked;
        let weights = match &self.values {
            Some(file) => integers::weights(file, tour.len())?,
            None => array::generate::<i32>(ArrayKind::Random, tour.len(), self.links.seed)?
                .into_iter()
                .map(|x| i64::from(x) >> 16)
                .collect(),
        };
        let (sums, answer) = timed(|| builder.sums(tour, &weights, self.some(nodes)));
        let (sums, chosen) = sums?.into_parts();
        let verified = self.verify(
            tour,
            nodes,
            &|row, subtree| {
                let want: i64 = subtree.iter().map(|v| weights[v.get()]).sum();
                (sums[row] != want).then(|| format!("found {}, a plain scan {want}", sums[row]))
            },
            &|| {
                let (others, sums) = (sums_from_leaves(tour, &|node| weights[node])?, &sums);
                Ok(Oracle::new(FROM_LEAVES, move |row| {
                    let want = others[nodes[row].get()];
                    (sums[row] != want).then(|| format!("row {row}: found {}, {FROM_LEAVES} {want}", sums[row]))
                }))
            },
        )?;
        let shown = sums.iter().take(SHOWN).map(|&sum| sum.into()).collect();
        let outputs = write_values(self.out.take(), &sums, &self.run.progress)?;
        let extra_bytes = tour.len() * (4 * size_of::<P>() + size_of::<i64>());
        Ok(Found { chosen, answer, extra_bytes, verified, outputs, shown })
    }

    fn minima<T: Element, P: Position>(&mut self, asked: &Asked<'_, P>) -> Outcome<Found> {
        let Asked { builder, nodes, tour } = asked;
        let values: Cow<'_, [T]> = match &self.values {
            Some(file) => file.elements()?,
            None => array::generate(ArrayKind::Random, tour.len(), self.links.seed)?.into(),
        };
        let order = if self.args.max { Order::Max } else { Order::Min };
        let best = |subtree: &[P]| {
            subtree.iter().copied().fold(subtree[0], |best, v| {
                let rank = |v: P| values[v.get()].rank(order);
                if rank(v) < rank(best) { v } else { best }
            })
        };
        let is_min = self.args.what == What::Min;
        let (found, answer) = timed(|| -> thalweg::Result<(Vec<T>, Vec<P>, Chosen)> {
            if is_min {
                let (minima, chosen) = builder.values(tour, &values, self.some(nodes))?.into_parts();
                return Ok((minima, Vec::new(), chosen));
            }
            let (places, chosen) = builder.positions(tour, &values, self.some(nodes))?.into_parts();
            Ok((Vec::new(), places, chosen))
        });
        let (minima, places, chosen) = found?;
        // The values in preorder with their index, beside the tour.
        let extra_bytes = tour.len() * (4 * size_of::<P>() + size_of::<T>() + size_of::<T>().div_ceil(8));
        let wrong = |row: usize, who: &str, want: usize| match is_min {
            true => (minima[row].to_low_bits() != values[want].to_low_bits())
                .then(|| format!("found {}, {who} {}", minima[row], values[want])),
            false => {
                (places[row].get() != want).then(|| format!("found node {}, {who} node {want}", places[row].get()))
            }
        };
        let scan = |row: usize, subtree: &[P]| wrong(row, "a plain scan", best(subtree).get());
        let verified = self.verify(tour, nodes, &scan, &|| {
            let engine = other_engine("");
            let mut ordered = memory::room(tour.len(), "the values in preorder")?;
            ordered.extend(tour.order().iter().map(|v| values[v.get()]));
            let index = Rmq::with_engine(ordered, order, engine)?;
            Ok(Oracle::new(BY_MINIMA, move |row| {
                let node = nodes[row].get();
                let first = tour.preorder()[node].get();
                let place = index.position(first..first + tour.sizes()[node].get())?;
                wrong(row, BY_MINIMA, tour.order()[place].get()).map(|text| format!("row {row}: node {node}: {text}"))
            }))
        })?;
        let out = self.out.take();
        let (outputs, shown) = if is_min {
            let shown = minima.iter().take(SHOWN).map(|value| value.to_json()).collect();
            (write_values(out, &minima, &self.run.progress)?, shown)
        } else {
            let shown = places.iter().take(SHOWN).map(|v| v.get().into()).collect();
            let columns = out.into_iter().map(|out| (out, P::view(&places))).collect();
            (write_positions(columns, &self.run.progress)?, shown)
        };
        Ok(Found { chosen, answer, extra_bytes, verified, outputs, shown })
    }
}

/// What sums that go from the leaves up are called beside a plain scan.
const FROM_LEAVES: &str = "sums from the leaves";

/// The sum of every subtree: each node hands its own to its parent, the last in preorder first.
fn sums_from_leaves<P: Position>(tour: &EulerTour<'_, P>, weight: &dyn Fn(usize) -> i64) -> Outcome<Vec<i64>> {
    let mut sums = memory::room(tour.len(), "the sums")?;
    sums.extend((0..tour.len()).map(weight));
    for node in tour.order().iter().rev().map(|node| node.get()) {
        if let Some(parent) = tour.parent(node) {
            sums[parent] += sums[node];
        }
    }
    Ok(sums)
}
