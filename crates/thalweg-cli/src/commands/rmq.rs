//! `thalweg rmq`: minima of many ranges of an array.

use std::path::{Path, PathBuf};

use thalweg::rmq::{self, Builder, Engine};
use thalweg::{Order, Position};
use thalweg_cli::budget::MemoryArgs;
use thalweg_cli::choice::{engine_of, one_of};
use thalweg_cli::device::{DeviceArgs, say_chosen};
use thalweg_cli::dtype::{Element, with_dtype};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::Loaded;
use thalweg_cli::input::array::{Array, ArrayArgs};
use thalweg_cli::input::queries::{Batch, QueryArgs};
use thalweg_cli::rmq_engine::RmqEngineArgs;

use super::in_parts;
use super::needs;
use super::ranges::{self, Asked, Asking, What};
use super::report::{Data, Speed, timed};
use super::{Run, RunArgs};

/// Find the smallest element of each of many ranges
///
/// Without files, makes an array and queries and shows what the index does with them.
#[derive(clap::Args)]
#[command(mut_arg("seed", |arg| arg.conflicts_with("queries")), after_help = "Files are .npy if their name ends so or their content says so, otherwise raw little-endian \
    binary; - is standard input or output. The report goes to stdout, or to stderr if a result does.")]
pub struct Args {
    /// Where the results go: the array's type for values, int64 for indices
    #[arg(short, long, value_name = "FILE", group = "results")]
    out: Option<PathBuf>,

    /// What to find in each range: the smallest value, or the leftmost position of it
    #[arg(long, value_parser = one_of(What::ALL, What::name), default_value = "value")]
    what: What,

    /// Find the largest element instead
    #[arg(long)]
    max: bool,

    /// The engine (default: the library's choice; see `thalweg info`)
    #[arg(long, value_parser = engine_of(Engine::ALL, Engine::name))]
    engine: Option<Engine>,

    #[command(flatten)]
    options: RmqEngineArgs,

    #[command(flatten)]
    array: ArrayArgs,

    #[command(flatten)]
    queries: QueryArgs,

    #[command(flatten)]
    device: DeviceArgs,

    #[command(flatten)]
    memory: MemoryArgs,

    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command.
pub fn run(args: Args) -> Outcome {
    if args.queries.queries.is_some() && args.array.array.is_none() {
        return Err(Failure::new("--queries needs --array: ranges are asked of a certain array"));
    }
    let stdin = Some(Path::new("-"));
    if args.queries.queries.as_deref() == stdin && args.array.array.as_deref() == stdin {
        return Err(Failure::new("--array and --queries cannot both come from standard input"));
    }
    if args.memory.is_limited() {
        return run_in_parts(&args);
    }
    let mut run = Run::start(&args.run, Some(&args.device))?;
    let array = run.open_array(&args.array)?;
    let file = args.queries.open()?;
    let count = file.as_ref().map_or(args.queries.count, Loaded::rows);
    if args.engine.is_none() {
        args.device.expect(rmq::costs(array.len, array.dtype.size(), count, run.threads));
    }
    let mut out = run.output(args.out.as_deref())?;
    let size = if args.what == What::Value { array.dtype.size() } else { size_of::<i64>() };
    out.iter_mut().for_each(|out| out.expect(count, size));
    let (batch, origin) = ranges::batch(&run, &args.queries, file.as_ref(), array.len, args.array.seed)?;
    let (what, verify, json) = (args.what, &args.run.verify, args.run.json);
    let asking = Asking { run, what, verify, json, origin, file: file.as_ref(), out };
    let job = Job { args: &args, array: &array, asking };
    with_dtype!(array.dtype, T => match &batch {
        Batch::U32(queries) => job.solve::<T, u32>(queries),
        Batch::U64(queries) => job.solve::<T, u64>(queries),
    })
}

/// The same with `--memory`.
fn run_in_parts(args: &Args) -> Outcome {
    in_parts::expect_cpu(&args.device)?;
    if args.engine.is_some_and(|engine| engine.name() != Engine::default().name()) {
        return Err(Failure::new("--memory is for the engine lines"));
    }
    args.options.expect_of(&[])?;
    let mut run = Run::start(&args.run, None)?;
    let array = run.open_array(&args.array)?;
    let file = args.queries.open()?;
    let out = run.output(args.out.as_deref())?;
    let budget = args.memory.budget()?.expect("there is a limit");
    let order = if args.max { Order::Max } else { Order::Min };
    let (what, verify, json) = (args.what, &args.run.verify, args.run.json);
    let job = in_parts::rmq::Job {
        budget,
        array: &array,
        order,
        what,
        verify,
        json,
        queries: &args.queries,
        file: file.as_ref(),
        seed: args.array.seed,
    };
    with_dtype!(array.dtype, T => job.solve::<T>(run, out))
}

/// Everything about a run except its types.
struct Job<'j> {
    args: &'j Args,
    array: &'j Array,
    asking: Asking<'j>,
}

impl Job<'_> {
    fn solve<T: Element, P: Position>(self, queries: &[[P; 2]]) -> Outcome {
        let Self { args, array: input, .. } = self;
        let run = &self.asking.run;
        let array = run.elements::<T>(input)?;
        let order = if args.max { Order::Max } else { Order::Min };

        run.require(needs::rmq(args.engine, array.len()), "the index", Some(&args.device))?;
        run.progress.stage("building");
        let builder = Builder::new()
            .order(order)
            .engine(args.options.engine(args.engine)?)
            .device(args.device.open()?)
            .expected_queries(queries.len());
        let (rmq, built) = timed(|| builder.build(&array[..]));
        // The index alone holds the device then, and lets go of it when all is answered.
        drop(builder);
        let rmq = rmq?;
        say_chosen(&run.progress, rmq.chosen(), args.engine.is_some());

        let asked = Asked {
            array: Data { origin: input.origin(), count: array.len(), dtype: T::NAME },
            build: Some(Speed::new(built, array.len(), "element")),
            open: None,
        };
        self.asking.ask(rmq, Some(&array), queries, asked)
    }
}
