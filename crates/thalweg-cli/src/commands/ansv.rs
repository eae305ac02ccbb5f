//! `thalweg ansv`: the nearest smaller values of every element.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use thalweg::ansv::{self, Builder, Engine, Relation, Sides};
use thalweg::{Chosen, Key, Position, Positions};
use thalweg_cli::budget::MemoryArgs;
use thalweg_cli::choice::{engine_of, one_of};
use thalweg_cli::device::{DeviceArgs, let_go, say_chosen};
use thalweg_cli::dtype::{DType, Element, with_dtype};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::array::{Array, ArrayArgs};
use thalweg_cli::memory;
use thalweg_cli::output::{self, Output};

use super::nearest::{BY_MINIMA, Nearest};
use super::report::{Data, Memory, Report, SHOWN, Speed, Table, Written, timed};
use super::verify::{Oracle, Verified};
use super::{Run, RunArgs, in_parts, write_columns};

/// Find every element's nearest smaller element to the left and to the right
///
/// Without files, makes an array and shows what the engine does with it.
#[derive(clap::Args)]
#[command(mut_arg("seed", |arg| arg.conflicts_with("array")), after_help = "Files are .npy if their name ends so or their content says so, otherwise raw little-endian \
    binary; - is standard input or output. With one of --left and --right, and without --out, only that side is computed. The report goes \
    to stdout, or to stderr if a result does.")]
pub struct Args {
    /// Where both neighbours' positions go: int64 of shape (n, 2), left and right, -1 for none
    #[arg(short, long, value_name = "FILE", group = "results")]
    out: Option<PathBuf>,

    /// Where the left neighbours' positions go: int64, -1 for none
    #[arg(long, value_name = "FILE", group = "results")]
    left: Option<PathBuf>,

    /// Where the right neighbours' positions go: int64, -1 for none
    #[arg(long, value_name = "FILE", group = "results")]
    right: Option<PathBuf>,

    /// What the neighbour is, compared with the element
    #[arg(long, value_parser = one_of(&Relation::ALL, Relation::name), default_value = "smaller")]
    relation: Relation,

    /// Find greater elements: --relation greater
    #[arg(long, conflicts_with = "relation")]
    max: bool,

    /// The engine (default: the library's choice; see `thalweg info`); thesis needs a GPU
    #[arg(long, value_parser = engine_of(Engine::ALL, Engine::name))]
    engine: Option<Engine>,

    #[command(flatten)]
    array: ArrayArgs,

    #[command(flatten)]
    device: DeviceArgs,

    #[command(flatten)]
    memory: MemoryArgs,

    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command.
pub fn run(args: Args) -> Outcome {
    if args.memory.is_limited() {
        return run_in_parts(&args);
    }
    let mut run = Run::start(&args.run, Some(&args.device))?;
    let array = run.open_array(&args.array)?;
    if args.engine.is_none() {
        args.device.expect(ansv::costs(array.len, array.dtype.size(), run.threads));
    }
    let mut out = run.output(args.out.as_deref())?;
    let mut outputs = [run.output(args.left.as_deref())?, run.output(args.right.as_deref())?];
    out.iter_mut().for_each(|out| out.expect(array.len, 2 * size_of::<i64>()));
    outputs.iter_mut().flatten().for_each(|out| out.expect(array.len, size_of::<i64>()));
    // Without files both sides are computed, for the report.
    let both = out.is_some() || outputs.iter().all(Option::is_none);
    let relation = if args.max { Relation::Greater } else { args.relation };
    let job = Job {
        args: &args,
        run: &run,
        array: &array,
        relation,
        wanted: outputs.each_ref().map(|o| both || o.is_some()),
    };
    let solved = with_dtype!(array.dtype, T => job.solve::<T>()?);

    let sides: Vec<_> = solved.sides.iter().flatten().map(Positions::view).collect();
    let whole = out.into_iter().map(|mut out| {
        out.name_columns("left,right");
        (out, sides.clone())
    });
    let mut columns: Vec<_> = whole.collect();
    let ones = outputs.iter_mut().zip(&solved.sides).filter_map(|(out, side)| Some((out.take()?, side.as_ref()?)));
    columns.extend(ones.map(|(out, side)| (out, vec![side.view()])));
    let written = write_columns(columns, &run.progress)?;
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
        outputs: written,
        answers: table(solved.shown, &solved.sides, array.len),
    };
    let stdout_taken = run.stdout_taken;
    drop(run);
    report.print(args.run.json, stdout_taken)
}

/// The same with `--memory`.
fn run_in_parts(args: &Args) -> Outcome {
    in_parts::expect_cpu(&args.device)?;
    if args.engine.is_some_and(|engine| engine != Engine::Tiles) {
        return Err(Failure::new("--memory is for the engine tiles"));
    }
    let mut run = Run::start(&args.run, None)?;
    let array = run.open_array(&args.array)?;
    let places = [&args.out, &args.left, &args.right].map(Option::as_deref);
    if places.iter().all(Option::is_none) {
        return Err(Failure::new("--memory needs a result: --out, --left or --right"));
    }
    let mut outputs = [run.output(places[0])?, run.output(places[1])?, run.output(places[2])?];
    outputs[0].iter_mut().for_each(|out| out.name_columns("left,right"));
    let wanted = [outputs[0].is_some() || outputs[1].is_some(), outputs[0].is_some() || outputs[2].is_some()];
    let relation = if args.max { Relation::Greater } else { args.relation };
    let budget = args.memory.budget()?.expect("there is a limit");
    let job = in_parts::ansv::Job { run: &run, budget, relation, wanted, verify: &args.run.verify };
    let (done, shown) = with_dtype!(array.dtype, T => {
        let (elements, file) = array.in_file::<T>()?;
        run.progress.say(format_args!("array: {}", file.describe(true)));
        let done = job.solve(elements, file, in_parts::ansv::Outputs(outputs))?;
        (done, elements.iter().take(SHOWN).map(|value| value.to_json()).collect::<Vec<_>>())
    });
    let outputs: Vec<_> = done.outputs.0.into_iter().zip([2, 1, 1]).filter_map(|(out, n)| Some((out?, n))).collect();
    let written = |(out, columns): &(Output, usize)| Written {
        file: out.name.clone(),
        count: columns * array.len,
        dtype: DType::I64.name(),
    };
    let written = outputs.iter().map(written).collect();
    output::commit(outputs.into_iter().map(|(out, _)| out))?;
    let sides = [0, 1].map(|side| {
        wanted[side].then(|| {
            let found = done.first.iter().map(|pair| pair[side].map_or(u64::MAX, |p| p as u64));
            Positions::U64(found.collect())
        })
    });
    let report = Report {
        version: env!("CARGO_PKG_VERSION"),
        problem: "ansv",
        data: "array",
        array: Data { origin: array.origin(), count: array.len, dtype: array.dtype.name() },
        queries: None,
        asked: format!("nearest {}", relation.name().replace('_', "-")),
        engine: Engine::Tiles.name(),
        device: "cpu".to_owned(),
        threads: run.threads,
        open: None,
        build: None,
        answer: Speed::new(done.time, array.len, "element"),
        memory: Memory::new(done.extra_bytes, array.len).within(&budget),
        verified: done.verified,
        outputs: written,
        answers: table(shown, &sides, array.len),
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
    verified: Verified,
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
        let engine = builder.chosen_engine();
        let_go(builder);

        run.progress.stage("checking");
        let computed = || sides.iter().zip(SIDES).filter_map(|(found, side)| Some((found.as_ref()?, side)));
        let wrong = |i: usize, who: &str, nearest: &dyn Fn(Side) -> Option<usize>| {
            let wrong = computed().find_map(|(found, side)| side.wrong(found.at(i), nearest(side), who))?;
            Some(format!("element {i}: engine {} {wrong}", chosen.engine()))
        };
        let scan = "a plain scan";
        let verified = args.run.verify.compare(
            array.len(),
            &|i| computed().map(|(found, side)| side.distance(found, i)).sum(),
            Oracle::new(scan, |i| wrong(i, scan, &|side| side.scan(&array, relation, i))),
            &|| {
                let nearest = Nearest::new(&array, relation.order())?;
                let or_equal = !relation.is_strict();
                Ok(Oracle::new(BY_MINIMA, move |i| {
                    let find = |side| match side {
                        Side::Left => nearest.left(i, or_equal),
                        Side::Right => nearest.right(i, or_equal),
                    };
                    wrong(i, BY_MINIMA, &find)
                }))
            },
        )?;
        let extra_bytes = extra_bytes::<T>(engine, array.len(), chosen.is_cpu())?;
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

    /// The answer by a plain scan.
    fn scan<T: Key>(self, array: &[T], relation: Relation, i: usize) -> Option<usize> {
        let own = array[i].rank(relation.order());
        let is_one = |&p: &usize| {
            let rank = array[p].rank(relation.order());
            rank < own || !relation.is_strict() && rank == own
        };
        match self {
            Self::Left => (0..i).rev().find(is_one),
            Self::Right => (i + 1..array.len()).find(is_one),
        }
    }

    /// Compares one answer with another's.
    fn wrong(self, got: Option<usize>, want: Option<usize>, who: &str) -> Option<String> {
        let show = |p: Option<usize>| p.map_or_else(|| "none".to_owned(), |p| format!("position {p}"));
        (got != want).then(|| format!("found {} on the {}, {who} {}", show(got), self.name(), show(want)))
    }
}

/// The first few answers.
fn table(shown: Vec<Value>, sides: &[Option<Positions>; 2], len: usize) -> Table {
    let computed = || sides.iter().zip(SIDES).filter_map(|(found, side)| Some((found.as_ref()?, side)));
    let mut columns = vec!["position", "value"];
    columns.extend(computed().map(|(_, side)| side.name()));
    let rows = shown.into_iter().enumerate().map(|(i, value)| {
        let mut row = vec![i.into(), value];
        row.extend(computed().map(|(found, _)| found.at(i).map_or(Value::Null, Value::from)));
        row
    });
    Table::first(columns, rows, len)
}
