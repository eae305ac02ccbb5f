//! `thalweg cartesian`: the Cartesian tree of an array.

use std::path::PathBuf;

use thalweg::tree::CartesianBuilder;
use thalweg::{Order, Position};
use thalweg_cli::device::{DeviceArgs, say_chosen};
use thalweg_cli::dtype::{Element, with_dtype};
use thalweg_cli::failure::Outcome;
use thalweg_cli::input::array::{Array, ArrayArgs};
use thalweg_cli::output::Output;

use super::report::{Data, Memory, Report, SHOWN, Speed, Table, timed};
use super::{Run, RunArgs, write_positions};

/// Make the Cartesian tree of an array: the parent of every element
///
/// The root is the leftmost minimum, what lies left of it is its left subtree, and so on. Without files, makes an array
/// and shows its tree.
#[derive(clap::Args)]
#[command(after_help = "Files are .npy if their name ends so or their content says so, otherwise raw little-endian \
    binary; - is standard input or output. The report goes to stdout, or to stderr if a result does.")]
pub struct Args {
    /// Where the parents go: int64, -1 for the root
    #[arg(long, value_name = "FILE")]
    parents: Option<PathBuf>,

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
    let mut run = Run::start(&args.run)?;
    let array = run.open_array(&args.array)?;
    let out = run.output(args.parents.as_deref())?;
    with_dtype!(array.dtype, T => if u32::fits(array.len) {
        solve::<T, u32>(&args, run, &array, out)
    } else {
        solve::<T, u64>(&args, run, &array, out)
    })
}

fn solve<T: Element, P: Position>(args: &Args, run: Run, input: &Array, out: Option<Output>) -> Outcome {
    let array = run.elements::<T>(input)?;
    let order = if args.max { Order::Max } else { Order::Min };

    let builder = CartesianBuilder::new().order(order).device(args.device.open()?);
    run.progress.stage("answering");
    let (tree, time) = timed(|| builder.build::<P, T>(&array));
    let (tree, chosen) = tree?.into_parts();
    let parents = tree.into_parents();
    say_chosen(&run.progress, &chosen, false);

    run.progress.stage("verifying");
    let verified = args.run.verify.check(array.len(), &|_| array.len(), &|i| {
        let (got, want) = (parents[i].checked(), parent_by_scan(&array, order, i));
        (got != want).then(|| format!("element {i}: found parent {got:?}, a plain scan {want:?}"))
    })?;

    let columns = out.into_iter().map(|out| (out, &parents[..])).collect();
    let outputs = write_positions(columns, &run.progress)?;
    let rows =
        (0..array.len().min(SHOWN)).map(|i| vec![i.into(), array[i].to_json(), parents[i].checked().into()]).collect();
    let report = Report {
        version: env!("CARGO_PKG_VERSION"),
        problem: "cartesian",
        data: "array",
        array: Data { origin: input.origin(), count: array.len(), dtype: T::NAME },
        queries: None,
        asked: format!("parents, {} at the root", if args.max { "maximum" } else { "minimum" }),
        engine: chosen.engine(),
        device: chosen.device().to_owned(),
        threads: run.threads,
        open: None,
        build: None,
        answer: Speed::new(time, array.len(), "element"),
        memory: Memory::new(2 * array.len() * size_of::<P>(), array.len()),
        verified,
        oracle: "a plain scan",
        outputs,
        answers: Table { columns: vec!["position", "value", "parent"], rows },
    };
    let stdout_taken = run.stdout_taken;
    drop(run);
    report.print(args.run.json, stdout_taken)
}

/// The greater of the nearest element to the left that is not larger and the nearest to the right that is smaller; the
/// right one on ties.
fn parent_by_scan<T: Element>(array: &[T], order: Order, i: usize) -> Option<usize> {
    let rank = |p: usize| array[p].rank(order);
    let left = (0..i).rev().find(|&p| rank(p) <= rank(i));
    let right = (i + 1..array.len()).find(|&p| rank(p) < rank(i));
    match (left, right) {
        (Some(left), Some(right)) => Some(if rank(left) > rank(right) { left } else { right }),
        (left, right) => left.or(right),
    }
}
