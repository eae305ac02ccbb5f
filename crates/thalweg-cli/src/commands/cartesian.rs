//! `thalweg cartesian`: the Cartesian tree of an array.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use thalweg::tree::CartesianBuilder;
use thalweg::{Chosen, Key, Order, Position, Positions};
use thalweg_cli::device::{DeviceArgs, let_go, say_chosen};
use thalweg_cli::dtype::{Element, with_dtype};
use thalweg_cli::failure::Outcome;
use thalweg_cli::input::array::{Array, ArrayArgs};

use super::nearest::{BY_MINIMA, Nearest};
use super::needs;
use super::report::{Data, Memory, Report, SHOWN, Speed, Table, timed};
use super::verify::{Oracle, Verified};
use super::{Run, RunArgs, write_positions};

/// Make the Cartesian tree of an array: the parent of every element
///
/// The root is the leftmost minimum, what lies left of it is its left subtree, and so on. Without files, makes an array
/// and shows its tree.
#[derive(clap::Args)]
#[command(mut_arg("seed", |arg| arg.conflicts_with("array")), after_help = "Files are .npy if their name ends so or their content says so, otherwise raw little-endian \
    binary; - is standard input or output. The report goes to stdout, or to stderr if a result does.")]
pub struct Args {
    /// Where the parents go: int64, -1 for the root
    #[arg(short, long, alias = "parents", value_name = "FILE", group = "results")]
    out: Option<PathBuf>,

    /// Put the leftmost maximum at the root instead
    #[arg(long)]
    max: bool,

    #[command(flatten)]
    array: ArrayArgs,

    #[command(flatten)]
    device: DeviceArgs,

    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command.
pub fn run(args: Args) -> Outcome {
    let mut run = Run::start(&args.run, Some(&args.device))?;
    let array = run.open_array(&args.array)?;
    let out = run.output(args.out.as_deref())?;
    let solved = with_dtype!(array.dtype, T => solve::<T>(&args, &run, &array)?);

    let columns = out.into_iter().map(|out| (out, solved.parents.view())).collect();
    let outputs = write_positions(columns, &run.progress)?;
    let rows =
        solved.shown.into_iter().enumerate().map(|(i, value)| vec![i.into(), value, solved.parents.at(i).into()]);
    let width = if solved.parents.as_u32().is_some() { 4 } else { 8 };
    let report = Report {
        version: env!("CARGO_PKG_VERSION"),
        problem: "cartesian",
        data: "array",
        array: Data { origin: array.origin(), count: array.len, dtype: array.dtype.name() },
        queries: None,
        asked: format!("parents, {} at the root", if args.max { "maximum" } else { "minimum" }),
        engine: solved.chosen.engine(),
        device: solved.chosen.device().to_owned(),
        threads: run.threads,
        open: None,
        build: None,
        answer: Speed::new(solved.time, array.len, "element"),
        memory: Memory::new(2 * array.len * width, array.len),
        verified: solved.verified,
        outputs,
        answers: Table::first(vec!["position", "value", "parent"], rows, array.len),
    };
    let stdout_taken = run.stdout_taken;
    drop(run);
    report.print(args.run.json, stdout_taken)
}

/// What came out.
struct Solved {
    chosen: Chosen,
    time: Duration,
    verified: Verified,
    parents: Positions,
    /// The first few elements.
    shown: Vec<Value>,
}

/// Answers and checks: all that depends on the type.
fn solve<T: Element>(args: &Args, run: &Run, input: &Array) -> Outcome<Solved> {
    let array = run.elements::<T>(input)?;
    let order = if args.max { Order::Max } else { Order::Min };
    let builder = CartesianBuilder::new().order(order).device(args.device.open()?);
    run.require(needs::cartesian(array.len()), "the tree", Some(&args.device))?;
    run.progress.stage("answering");
    let (solved, time) = timed(|| {
        if u32::fits(array.len()) { parents::<T, u32>(&builder, &array) } else { parents::<T, u64>(&builder, &array) }
    });
    let (parents, chosen) = solved?;
    say_chosen(&run.progress, &chosen, false);
    let_go(builder);

    run.progress.stage("checking");
    let wrong = |i: usize, who: &str, want: Option<usize>| {
        let got = parents.at(i);
        (got != want).then(|| format!("element {i}: found parent {got:?}, {who} {want:?}"))
    };
    let rank = |p: usize| array[p].rank(order);
    let scan = "a plain scan";
    let by_scan = |i: usize| {
        let left = (0..i).rev().find(|&p| rank(p) <= rank(i));
        let right = (i + 1..array.len()).find(|&p| rank(p) < rank(i));
        parent(left, right, &rank)
    };
    let verified = args.run.verify.compare(
        array.len(),
        &|_| array.len(),
        Oracle::new(scan, |i| wrong(i, scan, by_scan(i))),
        &|| {
            let nearest = Nearest::new(&array, order)?;
            Ok(Oracle::new(BY_MINIMA, move |i| {
                wrong(i, BY_MINIMA, parent(nearest.left(i, true), nearest.right(i, false), &rank))
            }))
        },
    )?;
    let shown = array.iter().take(SHOWN).map(|value| value.to_json()).collect();
    Ok(Solved { chosen, time, verified, parents, shown })
}

fn parents<T: Key, P: Position>(builder: &CartesianBuilder, array: &[T]) -> thalweg::Result<(Positions, Chosen)> {
    let (tree, chosen) = builder.build::<P, T>(array)?.into_parts();
    Ok((P::list(tree.into_parents()), chosen))
}

/// The greater of the nearest element to the left that is not larger and the nearest to the right that is smaller; the
/// right one on ties.
fn parent<R: Ord>(left: Option<usize>, right: Option<usize>, rank: &dyn Fn(usize) -> R) -> Option<usize> {
    match (left, right) {
        (Some(left), Some(right)) => Some(if rank(left) > rank(right) { left } else { right }),
        (left, right) => left.or(right),
    }
}
