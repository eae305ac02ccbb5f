//! `thalweg ansv`: the nearest smaller values of every element.

use std::path::PathBuf;

use serde_json::Value;
use thalweg::Position;
use thalweg::ansv::{self, Builder, Engine, Relation, Sides};
use thalweg_cli::choice::one_of;
use thalweg_cli::device::{DeviceArgs, say_chosen};
use thalweg_cli::dtype::{Element, with_dtype};
use thalweg_cli::failure::Outcome;
use thalweg_cli::input::array::{Array, ArrayArgs};
use thalweg_cli::memory;
use thalweg_cli::output::Output;

use super::report::{Data, Memory, Report, SHOWN, Speed, Table, timed};
use super::{Run, RunArgs, check_places, write_positions};

/// Find every element's nearest smaller element to the left and to the right
///
/// Without files, makes an array and shows what the engine does with it.
#[derive(clap::Args)]
#[command(after_help = "Files are .npy if their name ends so or their content says so, otherwise raw little-endian \
    binary; - is standard input or output. With one of --left and --right only that side is computed. The report goes \
    to stdout, or to stderr if a result does.")]
pub struct Args {
    /// Where the left neighbours' positions go: int64, -1 for none
    #[arg(long, value_name = "FILE")]
    left: Option<PathBuf>,

    /// Where the right neighbours' positions go: int64, -1 for none
    #[arg(long, value_name = "FILE")]
    right: Option<PathBuf>,

    /// What the neighbour is, compared with the element
    #[arg(long, value_parser = one_of(&Relation::ALL, Relation::name), default_value = "smaller")]
    relation: Relation,

    /// Find greater elements: --relation greater
    #[arg(long, conflicts_with = "relation")]
    max: bool,

    /// The engine (default: the library's choice; see `thalweg info`)
    #[arg(long, value_parser = one_of(Engine::ALL, Engine::name), ignore_case = true)]
    engine: Option<Engine>,

    #[command(flatten)]
    array: ArrayArgs,

    #[command(flatten)]
    device: DeviceArgs,

    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command.
pub fn run(args: Args) -> Outcome {
    check_places(&[("--left", args.left.as_deref()), ("--right", args.right.as_deref())])?;
    let mut run = Run::start(&args.run)?;
    let array = run.open_array(&args.array)?;
    let outputs = [run.output(args.left.as_deref())?, run.output(args.right.as_deref())?];
    let job = Job { args: &args, run, array: &array, outputs };
    with_dtype!(array.dtype, T => if u32::fits(array.len) {
        job.solve::<T, u32>()
    } else {
        job.solve::<T, u64>()
    })
}

/// Everything about a run except its types.
struct Job<'j> {
    args: &'j Args,
    run: Run,
    array: &'j Array,
    /// Left and right.
    outputs: [Option<Output>; 2],
}

impl Job<'_> {
    fn solve<T: Element, P: Position>(mut self) -> Outcome {
        let Self { args, array: input, .. } = self;
        let array = self.run.elements::<T>(input)?;
        let relation = if args.max { Relation::Greater } else { args.relation };
        let builder = Builder::new().relation(relation).engine(args.engine).device(args.device.open()?);

        // Without files both sides are computed, for the report. Buffers are allocated before the clock starts.
        let neither = self.outputs.iter().all(Option::is_none);
        let side = |wanted: bool| {
            (wanted || neither).then(|| memory::filled(array.len(), P::default(), "the answers")).transpose()
        };
        let [mut left, mut right] = [side(self.outputs[0].is_some())?, side(self.outputs[1].is_some())?];
        self.run.progress.stage("answering");
        let sides = Sides { left: left.as_deref_mut(), right: right.as_deref_mut() };
        let (done, time) = timed(|| builder.run_into(&array, sides));
        let (_, chosen) = done?.into_parts();
        say_chosen(&self.run.progress, &chosen, args.engine.is_some());
        let sides = [left, right];

        self.run.progress.stage("verifying");
        let verified = args.run.verify.check(
            array.len(),
            &|i| sides.iter().zip(SIDES).filter_map(|(found, side)| Some(side.distance(found.as_ref()?, i))).sum(),
            &|i| {
                let wrong = sides
                    .iter()
                    .zip(SIDES)
                    .find_map(|(found, side)| side.wrong(&array, relation, found.as_ref()?, i))?;
                Some(format!("element {i}: engine {} {wrong}", chosen.engine()))
            },
        )?;

        let columns =
            self.outputs.iter_mut().zip(&sides).filter_map(|(out, found)| Some((out.take()?, found.as_deref()?)));
        let outputs = write_positions(columns.collect(), &self.run.progress)?;
        let report = Report {
            version: env!("CARGO_PKG_VERSION"),
            problem: "ansv",
            data: "array",
            array: Data { origin: input.origin(), count: array.len(), dtype: T::NAME },
            queries: None,
            asked: format!("nearest {}", relation.name().replace('_', "-")),
            engine: chosen.engine(),
            device: chosen.device().to_owned(),
            threads: self.run.threads,
            open: None,
            build: None,
            answer: Speed::new(time, array.len(), "element"),
            memory: Memory::new(extra_bytes::<T>(builder.chosen_engine(), array.len(), chosen.is_cpu())?, array.len()),
            verified,
            oracle: "a plain scan",
            outputs,
            answers: table(&array, &sides),
        };
        let stdout_taken = self.run.stdout_taken;
        drop(self.run);
        report.print(args.run.json, stdout_taken)
    }
}

/// Bytes beside the array and the answers; on a GPU these are there, too, and the engine takes a fifteenth of the keys.
fn extra_bytes<T: Element>(engine: Engine, len: usize, on_cpu: bool) -> Outcome<usize> {
    let (width, word) = (size_of::<T>(), size_of::<T>().max(4));
    Ok(if on_cpu { ansv::engine(engine)?.extra_bytes(len, width) } else { len * (word + 8) + len * word / 15 })
}

/// One of the two directions to look in.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Left,
    Right,
}

const SIDES: [Side; 2] = [Side::Left, Side::Right];

impl Side {
    const fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
        }
    }

    /// How far a scan from element `i` goes if the answer is right.
    fn distance<P: Position>(self, found: &[P], i: usize) -> usize {
        match (self, found[i].checked()) {
            (_, Some(p)) => p.abs_diff(i),
            (Self::Left, None) => i,
            (Self::Right, None) => found.len() - i,
        }
    }

    /// Compares one answer with a plain scan's.
    fn wrong<T: Element, P: Position>(self, array: &[T], relation: Relation, found: &[P], i: usize) -> Option<String> {
        let own = array[i].rank(relation.order());
        let is_one = |&p: &usize| {
            let rank = array[p].rank(relation.order());
            rank < own || !relation.is_strict() && rank == own
        };
        let want = match self {
            Self::Left => (0..i).rev().find(is_one),
            Self::Right => (i + 1..array.len()).find(is_one),
        };
        let got = found[i].checked();
        let show = |p: Option<usize>| p.map_or_else(|| "none".to_owned(), |p| format!("position {p}"));
        (got != want).then(|| format!("found {} on the {}, a plain scan {}", show(got), self.name(), show(want)))
    }
}

/// The first few answers.
fn table<T: Element, P: Position>(array: &[T], sides: &[Option<Vec<P>>; 2]) -> Table {
    let computed = || sides.iter().zip(SIDES).filter_map(|(found, side)| Some((found.as_ref()?, side)));
    let mut columns = vec!["position", "value"];
    columns.extend(computed().map(|(_, side)| side.name()));
    let rows = array.iter().take(SHOWN).enumerate().map(|(i, value)| {
        let mut row = vec![i.into(), value.to_json()];
        row.extend(computed().map(|(found, _)| found[i].checked().map_or(Value::Null, Value::from)));
        row
    });
    Table { columns, rows: rows.collect() }
}
