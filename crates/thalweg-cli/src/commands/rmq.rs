//! `thalweg rmq`: minima of many ranges of an array.

use std::path::{Path, PathBuf};

use thalweg::rmq::{Engine, Position};
use thalweg::{Order, Rmq};
use thalweg_cli::choice::{engine_name, one_of};
use thalweg_cli::device::{Costs, DeviceArgs, Pays, Place, by_engine};
use thalweg_cli::dtype::{Element, with_dtype};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::array::{Array, ArrayArgs};
use thalweg_cli::input::queries::{Batch, QueryArgs};
use thalweg_cli::numbers::parse_count;
use thalweg_cli::padded_tree::PaddedTreeArgs;

use super::gpu;
use super::ranges::{self, Asked, Asking, What};
use super::report::{Data, Speed, timed};
use super::{Run, RunArgs, why_engine};

/// Find the smallest element of each of many ranges
///
/// Without files, makes an array and queries and shows what the index does with them.
#[derive(clap::Args)]
#[command(after_help = "Files are .npy if their name ends so or their content says so, otherwise raw little-endian \
    binary; - is standard input or output. The report goes to stdout, or to stderr if a result does.")]
pub struct Args {
    /// Where the results go: the array's type for values, int64 for indices
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// What to find in each range: the smallest value, or the leftmost position of it
    #[arg(long, value_parser = one_of(What::ALL, What::name), default_value = "value")]
    what: What,

    /// Find the largest element instead
    #[arg(long)]
    max: bool,

    /// The engine (default: the library's choice; see `thalweg info`)
    #[arg(long, value_parser = engine_name(Engine::ALL.iter().map(|e| e.name()), gpu::RMQ), ignore_case = true)]
    engine: Option<&'static str>,

    /// Engine hierarchy: elements of a chunk
    #[arg(long, value_name = "C", value_parser = parse_count)]
    chunk: Option<usize>,

    /// Engine hierarchy: chunks of the top layer at most
    #[arg(long, value_name = "T", value_parser = parse_count)]
    threshold: Option<usize>,

    #[command(flatten)]
    padded_tree: PaddedTreeArgs,

    #[command(flatten)]
    array: ArrayArgs,

    #[command(flatten)]
    queries: QueryArgs,

    #[command(flatten)]
    device: DeviceArgs,

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
    let mut run = Run::start(&args.run)?;
    let array = run.open_array(&args.array)?;
    let file = args.queries.open()?;
    let (batch, origin) = ranges::batch(&run, &args.queries, file.as_ref(), array.len, args.array.seed)?;
    let out = run.output(args.out.as_deref())?;
    let (what, verify, json) = (args.what, &args.run.verify, args.run.json);
    let asking = Asking { run, what, verify, json, origin, out };
    let job = Job { args: &args, array: &array, asking };
    with_dtype!(array.dtype, T => match &batch {
        Batch::U32(queries) => job.solve::<T, u32>(queries),
        Batch::U64(queries) => job.solve::<T, u64>(queries),
    })
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

        run.progress.stage("building");
        let place = args.device.open(self.gpu_pays(array.len(), size_of::<T>(), queries.len()), &run.progress)?;
        let (rmq, built) = timed(|| self.build(&place, &array, order));
        let rmq = rmq?;
        run.progress.say(format_args!("engine: {}, {}", rmq.engine(), why_engine(args.engine.is_some())));

        let asked = Asked {
            array: Data { origin: input.origin(), count: array.len(), dtype: T::NAME },
            device: place.name(),
            build: Some(Speed::new(built, array.len(), "element")),
            open: None,
        };
        self.asking.ask(&rmq, Some(&array), queries, asked)
    }

    /// Whether the GPU wins. On the CPU a batch takes some 1.2 ns an element and 45 ns a query, over the threads.
    fn gpu_pays(&self, len: usize, width: usize, queries: usize) -> Pays {
        if let Some(pays) = by_engine::<Engine>(self.args.engine) {
            return pays;
        }
        let (len, queries) = (len as f64, queries as f64);
        let cpu = (1.2e-9 * len + 45e-9 * queries) / self.asking.run.threads as f64;
        // A batch streams, in memory that is used again: 21 GB/s both ways on an H200.
        let stream = (8.0 + width.max(4) as f64) * queries / 21e9;
        Costs { cpu, bytes_up: len * width.max(4) as f64, bytes_down: 0.0, device: stream }.pays()
    }

    fn build<'a, T: Element>(&self, place: &Place, array: &'a [T], order: Order) -> Outcome<Rmq<'a, T>> {
        let Args { engine, chunk, threshold, padded_tree, .. } = *self.args;
        match place {
            Place::Cpu => {
                let engine = engine.map(str::parse::<Engine>).transpose()?;
                let builder = padded_tree.builder().order(order).engine(engine).chunk(chunk).threshold(threshold);
                Ok(builder.build(array)?)
            }
            #[cfg(feature = "gpu")]
            Place::Gpu(device) => gpu::rmq(device, array, order, engine, chunk, threshold, padded_tree),
        }
    }
}
