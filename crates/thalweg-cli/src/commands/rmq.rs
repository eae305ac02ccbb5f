//! `thalweg rmq`: minima of many ranges of an array.

use std::path::{Path, PathBuf};

use thalweg::rmq::{Builder, Engine, QueryPosition};
use thalweg::{Order, Rmq};
use thalweg_testkit::rmq::argmin_by_scan;

use super::{Run, RunArgs, why_engine};
use crate::choice::{engine_name, one_of};
use crate::device::{Costs, DeviceArgs, Pays, Place, by_engine};
use crate::dtype::{DType, Element, with_dtype};
use crate::failure::{Failure, Outcome};
use crate::gpu;
use crate::input::array::{Array, ArrayArgs};
use crate::input::queries::{self, Batch, QueryArgs};
use crate::memory;
use crate::numbers::{parse_count, show_count};
use crate::output::{self, Output};
use crate::report::{Data, Memory, Report, SHOWN, Speed, Table, Written, timed};

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

/// Sizes of the engine `padded_tree`.
#[derive(Clone, Copy, clap::Args)]
pub struct PaddedTreeArgs {
    /// Engine padded_tree: elements of a block, 4, 8 or 16
    #[arg(long, value_name = "B1", value_parser = parse_count)]
    pub block: Option<usize>,

    /// Engine padded_tree: blocks of a superblock, 16, 32 or 64
    #[arg(long, value_name = "B2", value_parser = parse_count)]
    pub superblock: Option<usize>,

    /// Engine padded_tree: bits of the strings in the dictionary, 2, 4 or 8
    #[arg(long, value_name = "BITS", value_parser = parse_count)]
    pub dictionary: Option<usize>,
}

impl PaddedTreeArgs {
    /// A builder with these sizes.
    pub fn builder(self) -> Builder {
        Builder::new().block(self.block).superblock(self.superblock).dictionary(self.dictionary)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum What {
    Value,
    Index,
}

impl What {
    const ALL: &'static [Self] = &[Self::Value, Self::Index];

    const fn name(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::Index => "index",
        }
    }
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
    let (batch, origin) = match &file {
        Some(file) => {
            let batch = queries::batch(file)?;
            run.say_file("queries", file, batch.is_in_place());
            (batch, file.name.clone())
        }
        None => {
            let (kind, count, seed) = (args.queries.query_kind.name(), args.queries.count, args.array.seed);
            run.progress.say(format_args!("queries: no --queries, so {} are generated", show_count(count)));
            (args.queries.generate(array.len, seed)?, format!("{kind}, seed {seed}"))
        }
    };
    let out = run.output(args.out.as_deref())?;
    let job = Job { args: &args, run, array: &array, origin, out };
    with_dtype!(array.dtype, T => match &batch {
        Batch::U32(queries) => job.solve::<T, u32>(queries),
        Batch::U64(queries) => job.solve::<T, u64>(queries),
    })
}

/// Everything about a run except its types.
struct Job<'j> {
    args: &'j Args,
    run: Run,
    array: &'j Array,
    /// Where the queries come from.
    origin: String,
    out: Option<Output>,
}

impl Job<'_> {
    fn solve<T: Element, P: QueryPosition>(mut self, queries: &[[P; 2]]) -> Outcome {
        let Self { args, array: input, .. } = self;
        let array = self.run.elements::<T>(input)?;
        let order = if args.max { Order::Max } else { Order::Min };

        self.run.progress.stage("building");
        let place = args.device.open(self.gpu_pays(array.len(), size_of::<T>(), queries.len()), &self.run.progress)?;
        let (rmq, built) = timed(|| self.build(&place, &array, order));
        let rmq = rmq?;
        self.run.progress.say(format_args!("engine: {}, {}", rmq.engine(), why_engine(args.engine.is_some())));

        self.run.progress.stage("answering");
        let answers = self.answer(&rmq, queries)?;

        self.run.progress.stage("verifying");
        let verified =
            args.run.verify.check(queries.len(), &|row| queries[row][1].get() - queries[row][0].get(), &|row| {
                wrong(&rmq, &array, queries[row], row, &answers.found)
            })?;

        let outputs = self.write(&answers.found)?;
        let report = Report {
            version: env!("CARGO_PKG_VERSION"),
            problem: "rmq",
            data: "array",
            array: Data { origin: input.origin(), count: array.len(), dtype: T::NAME },
            queries: Some(Data { origin: self.origin, count: queries.len(), dtype: P::NAME }),
            asked: format!("{} of {}", args.what.name(), if args.max { "the maximum" } else { "the minimum" }),
            engine: rmq.engine(),
            device: place.name(),
            threads: self.run.threads,
            build: Some(Speed::new(built, array.len(), "element")),
            answer: answers.speed,
            memory: Memory::new(rmq.extra_bytes(), array.len()),
            verified,
            oracle: "a plain scan",
            outputs,
            answers: table(&rmq, &array, queries, &answers.found, args.max),
        };
        let stdout_taken = self.run.stdout_taken;
        drop(self.run);
        report.print(args.run.json, stdout_taken)
    }

    /// Whether the GPU wins. On the CPU a batch takes some 0.8 ns an element and 40 ns a query, over the threads.
    fn gpu_pays(&self, len: usize, width: usize, queries: usize) -> Pays {
        if let Some(pays) = by_engine::<Engine>(self.args.engine) {
            return pays;
        }
        let (len, queries) = (len as f64, queries as f64);
        let cpu = (0.8e-9 * len + 40e-9 * queries) / self.run.threads as f64;
        Costs { cpu, bytes_up: len * width.max(4) as f64 + 8.0 * queries, bytes_down: queries * width.max(4) as f64 }
            .pays()
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

    /// Answers the batch. The buffer is allocated, and its pages touched, before the clock starts.
    fn answer<T: Element, P: QueryPosition>(&self, rmq: &Rmq<'_, T>, queries: &[[P; 2]]) -> Outcome<Answers<T, P>> {
        let (found, time) = match self.args.what {
            What::Value => {
                let mut out = memory::filled(queries.len(), T::default(), "the answers")?;
                let (done, time) = timed(|| rmq.min_batch(queries, &mut out));
                (done.map(|()| Found::Values(out)), time)
            }
            What::Index => {
                let mut out = memory::filled(queries.len(), P::default(), "the answers")?;
                let (done, time) = timed(|| rmq.argmin_batch(queries, &mut out));
                (done.map(|()| Found::Positions(out)), time)
            }
        };
        let found = found.map_err(|e| queries::bad_query(&self.origin, e))?;
        Ok(Answers { found, speed: Speed::new(time, queries.len(), "query") })
    }

    fn write<T: Element, P: QueryPosition>(&mut self, found: &Found<T, P>) -> Outcome<Vec<Written>> {
        let Some(mut out) = self.out.take() else { return Ok(Vec::new()) };
        let (count, dtype) = match found {
            Found::Values(values) => (values.len(), T::DTYPE),
            Found::Positions(positions) => (positions.len(), DType::I64),
        };
        let progress = &self.run.progress;
        progress.steps("writing", count);
        match found {
            Found::Values(values) => out.write(&[count], values, progress)?,
            Found::Positions(positions) => out.write_as(&[count], positions, |p| p.get() as i64, progress)?,
        }
        let written = Written { file: out.name.clone(), count, dtype: dtype.name() };
        output::commit([out])?;
        Ok(vec![written])
    }
}

struct Answers<T, P> {
    found: Found<T, P>,
    speed: Speed,
}

enum Found<T, P> {
    Values(Vec<T>),
    Positions(Vec<P>),
}

/// Compares one answer with a plain scan's: positions exactly, values bit by bit.
fn wrong<T: Element, P: QueryPosition>(
    rmq: &Rmq<'_, T>,
    array: &[T],
    [l, r]: [P; 2],
    row: usize,
    found: &Found<T, P>,
) -> Option<String> {
    let best = argmin_by_scan(array, rmq.order(), l.get(), r.get());
    let (equal, got, want) = match found {
        Found::Values(values) => {
            let (got, want) = (values[row], array[best]);
            (got.to_low_bits() == want.to_low_bits(), got.to_string(), want.to_string())
        }
        Found::Positions(positions) => {
            let got = positions[row].get();
            (got == best, format!("position {got}"), format!("position {best}"))
        }
    };
    let (l, r, engine) = (l.get(), r.get(), rmq.engine());
    (!equal).then(|| format!("row {row}: range {l}..={r}: engine {engine} found {got}, a plain scan {want}"))
}

/// The first few answers.
fn table<T: Element, P: QueryPosition>(
    rmq: &Rmq<'_, T>,
    array: &[T],
    queries: &[[P; 2]],
    found: &Found<T, P>,
    max: bool,
) -> Table {
    let columns = if max { ["l", "r", "argmax", "max"] } else { ["l", "r", "argmin", "min"] };
    let rows = queries.iter().take(SHOWN).enumerate().filter_map(|(row, &[l, r])| {
        let (l, r) = (l.get(), r.get());
        let (position, value) = match found {
            Found::Values(values) => (rmq.argmin(l..=r)?, values[row]),
            Found::Positions(positions) => (positions[row].get(), array[positions[row].get()]),
        };
        Some(vec![l.into(), r.into(), position.into(), value.to_json()])
    });
    Table { columns: columns.to_vec(), rows: rows.collect() }
}
