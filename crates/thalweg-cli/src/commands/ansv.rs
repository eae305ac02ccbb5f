//! `thalweg ansv`: the nearest smaller values of every element.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use thalweg::ansv::{self, Builder, Engine, Relation, Sides};
use thalweg::{Chosen, Key, Position, Positions};
use thalweg_cli::choice::one_of;
use thalweg_cli::device::{DeviceArgs, say_chosen};
use thalweg_cli::dtype::{Element, with_dtype};
use thalweg_cli::failure::Outcome;
use thalweg_cli::input::array::{Array, ArrayArgs};
use thalweg_cli::memory;

use super::report::{Data, Memory, Report, SHOWN, Speed, Table, timed};
use super::{Run, RunArgs, write_positions};

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
    #[arg(long, value_parser = one_of(Engine::ALL, Engine::name))]
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
    let mut run = Run::start(&args.run)?;
    let array = run.open_array(&args.array)?;
    let mut outputs = [run.output(args.left.as_deref())?, run.output(args.right.as_deref())?];
    // Without files both sides are computed, for the report.
    let neither = outputs.iter().all(Option::is_none);
    let relation = if args.max { Relation::Greater } else { args.relation };
    let job = Job {
        args: &args,
        run: &run,
        array: &array,
        relation,
        wanted: outputs.each_ref().map(|o| neither || o.is_some()),
    };
    let solved = with_dtype!(array.dtype, T => job.solve::<T>()?);

    let columns = outputs.iter_mut().zip(&solved.sides).filter_map(|(out, side)| Some((out.take()?, side.as_ref()?)));
    let written = write_positions(columns.map(|(out, side)| (out, side.view())).collect(), &run.progress)?;
    let report = Report {
        version: env!("CARGO_PKG_VERSION"),
        problem: "ansv",
        data: "array",
        array: Data { origin: array.origin(), count: array.len, dtype: array.dtype.name() },
        queries: None,
        asked: format!("nearest {}", relation.name().replace('_', "-")),
        engine: solved.chosen.engine(),
        device: solved.chosen.device().to_owned(),
        threads: run.threads,
        open: None,
        build: None,
        answer: Speed::new(solved.time, array.len, "element"),
        memory: Memory::new(solved.extra_bytes, array.len),
        verified: solved.verified,
        oracle: "a plain scan",
        outputs: written,
        answers: table(solved.shown, &solved.sides),
    };
    let stdout_taken = run.stdout_taken;
    drop(run);
    report.print(args.run.json, stdout_taken)
}

/// What is to be solved, but for the keys' type.
struct Job<'j> {
    args: &'j Args,
    run: &'j Run,
    array: &'j Array,
    relation: Relation,
    /// Left and right.
    wanted: [bool; 2],
}

/// What came out.
struct Solved {
    chosen: Chosen,
    time: Duration,
    verified: usize,
    extra_bytes: usize,
    sides: [Option<Positions>; 2],
    /// The first few elements.
    shown: Vec<Value>,
}

impl Job<'_> {
    /// Answers and checks: all that depends on the type.
    fn solve<T: Element>(&self) -> Outcome<Solved> {
        let Self { args, run, relation, .. } = *self;
        let array = run.elements::<T>(self.array)?;
        let builder = Builder::new().relation(relation).engine(args.engine).device(args.device.open()?);
        let (chosen, time, sides) = if u32::fits(array.len()) {
            self.answer::<T, u32>(&builder, &array)?
        } else {
            self.answer::<T, u64>(&builder, &array)?
        };
        say_chosen(&run.progress, &chosen, args.engine.is_some());

        run.progress.stage("verifying");
        let computed = || sides.iter().zip(SIDES).filter_map(|(found, side)| Some((found.as_ref()?, side)));
        let verified = args.run.verify.check(
            array.len(),
            &|i| computed().map(|(found, side)| side.distance(found, i)).sum(),
            &|i| {
                let wrong = computed().find_map(|(found, side)| side.wrong(&array, relation, found.at(i), i))?;
                Some(format!("element {i}: engine {} {wrong}", chosen.engine()))
            },
        )?;
        let extra_bytes = extra_bytes::<T>(builder.chosen_engine(), array.len(), chosen.is_cpu())?;
        let shown = array.iter().take(SHOWN).map(|value| value.to_json()).collect();
        Ok(Solved { chosen, time, verified, extra_bytes, sides, shown })
    }

    /// The sides that are wanted. Buffers are allocated before the clock starts.
    fn answer<T: Key, P: Position>(
        &self,
        builder: &Builder,
        array: &[T],
    ) -> Outcome<(Chosen, Duration, [Option<Positions>; 2])> {
        let side = |wanted: bool| wanted.then(|| memory::filled(array.len(), P::default(), "the answers")).transpose();
        let [mut left, mut right] = [side(self.wanted[0])?, side(self.wanted[1])?];
        self.run.progress.stage("answering");
        let sides = Sides { left: left.as_deref_mut(), right: right.as_deref_mut() };
        let (done, time) = timed(|| builder.run_into(array, sides));
        Ok((done?.into_parts().1, time, [left.map(P::list), right.map(P::list)]))
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
    fn distance(self, found: &Positions, i: usize) -> usize {
        match (self, found.at(i)) {
            (_, Some(p)) => p.abs_diff(i),
            (Self::Left, None) => i,
            (Self::Right, None) => found.len() - i,
        }
    }

    /// Compares one answer with a plain scan's.
    fn wrong<T: Key>(self, array: &[T], relation: Relation, got: Option<usize>, i: usize) -> Option<String> {
        let own = array[i].rank(relation.order());
        let is_one = |&p: &usize| {
            let rank = array[p].rank(relation.order());
            rank < own || !relation.is_strict() && rank == own
        };
        let want = match self {
            Self::Left => (0..i).rev().find(is_one),
            Self::Right => (i + 1..array.len()).find(is_one),
        };
        (got != want).then(|| self.complaint(got, want))
    }

    fn complaint(self, got: Option<usize>, want: Option<usize>) -> String {
        let show = |p: Option<usize>| p.map_or_else(|| "none".to_owned(), |p| format!("position {p}"));
        format!("found {} on the {}, a plain scan {}", show(got), self.name(), show(want))
    }
}

/// The first few answers.
fn table(shown: Vec<Value>, sides: &[Option<Positions>; 2]) -> Table {
    let computed = || sides.iter().zip(SIDES).filter_map(|(found, side)| Some((found.as_ref()?, side)));
    let mut columns = vec!["position", "value"];
    columns.extend(computed().map(|(_, side)| side.name()));
    let rows = shown.into_iter().enumerate().map(|(i, value)| {
        let mut row = vec![i.into(), value];
        row.extend(computed().map(|(found, _)| found.at(i).map_or(Value::Null, Value::from)));
        row
    });
    Table { columns, rows: rows.collect() }
}
