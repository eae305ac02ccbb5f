//! `thalweg lce`: how far pairs of suffixes of a text agree.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use thalweg::rmq::Engine;
use thalweg::text::LceBuilder;
use thalweg::{Error, Position};
use thalweg_cli::choice::engine_of;
use thalweg_cli::device::{DeviceArgs, let_go, say_chosen};
use thalweg_cli::dtype::DType;
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::queries;
use thalweg_cli::input::text::{Text, TextArgs};
use thalweg_cli::input::{EmptyArgs, Loaded, Names};
use thalweg_cli::memory;
use thalweg_cli::numbers::{counted_plainly, parse_count, show_count, show_each, show_seconds};
use thalweg_cli::openmp;
use thalweg_cli::output;
use thalweg_data::Random;
use thalweg_data::oracles::extension_by_scan;

use super::{Stages, Summary};
use crate::commands::report::{Speed, Table, timed};
use crate::commands::{Run, RunArgs};

/// Find how far pairs of suffixes of a text agree (longest common extensions)
///
/// Without a file, makes a text; without queries, makes random pairs.
#[derive(clap::Args)]
#[command(mut_arg("seed", |arg| arg.conflicts_with("queries")))]
pub struct Args {
    #[command(flatten)]
    text: TextArgs,

    /// Pairs of positions, from 0: integers of shape (q, 2), or in a text with --fasta record:offset; generated if left out
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,

    /// Type of raw queries: pairs of this in a file that is not .npy [default: i64]
    #[arg(long, value_name = "TYPE", value_parser = DType::from_option, requires = "queries",
        conflicts_with = "count")]
    query_dtype: Option<DType>,

    #[command(flatten)]
    empty: EmptyArgs,

    /// Number of pairs to generate
    #[arg(long, value_parser = parse_count, default_value = "2^20", conflicts_with = "queries")]
    count: usize,

    /// Where the lengths go: int64
    #[arg(short, long, value_name = "FILE", group = "results")]
    out: Option<PathBuf>,

    /// The engine of the range minima (default: the library's choice)
    #[arg(long, value_parser = engine_of(Engine::ALL, Engine::name))]
    engine: Option<Engine>,

    #[command(flatten)]
    device: DeviceArgs,

    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command.
pub fn run(args: Args) -> Outcome {
    let stdin = Some(Path::new("-"));
    if args.queries.as_deref() == stdin && args.text.file.as_deref() == stdin {
        return Err(Failure::new("the text and --queries cannot both come from standard input"));
    }
    if args.queries.is_some() && args.text.file.is_none() {
        return Err(Failure::new("--queries needs a file: positions are those of a certain text"));
    }
    let mut run = Run::start(&args.run, Some(&args.device))?;
    run.progress.stage("reading");
    let text = args.text.open()?;
    run.keep(args.text.file.as_deref());
    // What finds places takes time and memory, and is for files.
    let finder = if args.queries.is_some() { text.finder()? } else { None };
    let find = |place: &[u8]| finder.as_ref().and_then(|finder| finder.position(place));
    let names = finder.is_some().then_some(&find as Names<'_>);
    let open = |path: &PathBuf| queries::open_named(path, args.query_dtype, DType::I64, 2, args.empty, names);
    let file = args.queries.as_ref().map(open).transpose()?;
    let out = run.output(args.out.as_deref())?;
    match &file {
        None => {
            let pairs = random_pairs(text.bytes().len(), args.count, args.text.seed)?;
            let origin = format!("random, seed {}", args.text.seed);
            solve(&args, run, &text, out, &pairs, origin, None)
        }
        Some(file) => match queries::batch(file)? {
            queries::Batch::U32(pairs) => solve(&args, run, &text, out, &pairs, file.name.clone(), Some(file)),
            queries::Batch::U64(pairs) => solve(&args, run, &text, out, &pairs, file.name.clone(), Some(file)),
        },
    }
}

/// Pairs of random positions.
fn random_pairs(len: usize, count: usize, seed: u64) -> Outcome<Vec<[u64; 2]>> {
    if len == 0 && count > 0 {
        return Err(Failure::new("an empty text has no positions to ask for (--count 0 asks for none)"));
    }
    let random = Random::new(seed, 21);
    let mut pairs = memory::room(count, "pairs")?;
    let position = |i: u64| random.below(i, len as u64);
    pairs.extend((0..count as u64).map(|i| [position(2 * i), position(2 * i + 1)]));
    Ok(pairs)
}

fn solve<P: Position>(
    args: &Args,
    run: Run,
    text: &Text,
    out: Option<output::Output>,
    pairs: &[[P; 2]],
    origin: String,
    file: Option<&Loaded>,
) -> Outcome {
    let bytes = text.bytes();
    let symbols = text.with_separators()?;
    openmp::require(bytes.len().saturating_mul(16), run.threads, &text.origin)?;
    let device = args.device.open()?;
    let stages = Stages::new(&run.progress);
    let watch = |stage| stages.enter(stage);
    let builder = LceBuilder::new().engine(args.engine).device(device).expected_pairs(pairs.len()).watch(&watch);
    let lce = match &symbols {
        None => builder.build(bytes)?,
        Some(symbols) => builder.build(symbols)?,
    };
    drop(builder);
    let times = stages.finish();
    say_chosen(&run.progress, lce.chosen(), args.engine.is_some());

    run.progress.stage("answering");
    let mut lengths = memory::filled(pairs.len(), P::default(), "the answers")?;
    let (done, took) = timed(|| lce.batch(pairs, &mut lengths));
    done.map_err(|e| bad_pair(file, &origin, e))?;
    let (chosen, index_bytes) = (lce.chosen().clone(), lce.bytes());
    let_go(lce);

    run.progress.stage("checking");
    let scan = |row: usize| {
        let [i, j] = pairs[row].map(Position::get);
        match &symbols {
            None => extension_by_scan(bytes, i, j),
            Some(symbols) => extension_by_scan(symbols, i, j),
        }
    };
    let verified = args.run.verify.check(pairs.len(), &|row| lengths[row].get(), &|row| {
        let (got, want) = (lengths[row].get(), scan(row));
        let [i, j] = pairs[row].map(Position::get);
        (got != want).then(|| format!("row {row}: {got} symbols of {i} and {j} agree, a plain scan finds {want}"))
    })?;

    let mut summary = Summary::new("lce");
    summary.line("text", text.describe());
    summary.value("text", json!({"origin": text.origin, "bytes": bytes.len()}));
    summary.line("pairs", format_args!("{} ({origin})", show_count(pairs.len())));
    summary.value("pairs", json!({"origin": origin, "count": pairs.len()}));
    summary.answered(&chosen, run.threads, "");
    summary.stages(&times, bytes.len());
    let (seconds, each) = (took.as_secs_f64(), show_each(took.as_secs_f64(), pairs.len(), "pair"));
    summary.line("answer", format_args!("{}, {each}", show_seconds(seconds)));
    summary.value("answer", json!(Speed::new(took, pairs.len(), "pair")));
    summary.value("index_bytes", index_bytes);
    summary.verified(verified, pairs.len(), "answer", "equal to those of a plain scan");
    if let Some(mut out) = out {
        run.progress.steps("writing", lengths.len());
        out.write_as(&[lengths.len()], &lengths, |length| length.get() as i64, &run.progress)?;
        summary.written(&out.name, 8 * lengths.len());
        output::commit([out])?;
    }
    summary.answers(&table(text, pairs, &lengths));
    let stdout_taken = run.stdout_taken;
    drop(run);
    summary.print(args.run.json, stdout_taken)
}

/// The first few answers.
fn table<P: Position>(text: &Text, pairs: &[[P; 2]], lengths: &[P]) -> Table {
    let rows = pairs.iter().zip(lengths).map(|(pair, length)| {
        let [first, second] = pair.map(|position| match text.has_records() {
            true => Value::from(text.place(position.get())),
            false => Value::from(position.get()),
        });
        vec![first, second, length.get().into()]
    });
    Table::first(vec!["first", "second", "length"], rows, pairs.len())
}

/// Puts the place in front of the library's complaint about a pair of a file, or of one that was generated.
fn bad_pair(file: Option<&Loaded>, origin: &str, error: Error) -> Failure {
    let Error::Pair { row, first, second, len } = error else { return Failure::at(origin, error) };
    let place = file.map_or_else(|| format!("row {row}"), |file| file.place(row));
    let inside = format_args!("not inside a text of {}", counted_plainly(len, "byte"));
    Failure::at(origin, format_args!("{place}: positions {first} and {second}: {inside}"))
}
