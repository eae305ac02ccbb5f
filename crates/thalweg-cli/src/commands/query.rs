//! `thalweg query`: ranges asked of an index that lies in a file.

use std::path::PathBuf;

use thalweg::Position;
use thalweg::rmq::file::Stored;
use thalweg_cli::choice::one_of;
use thalweg_cli::dtype::{DType, Element, with_dtype};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::queries::{Batch, QueryArgs};
use thalweg_cli::output::is_stdout;

use super::ranges::{self, Asked, Asking, What};
use super::report::{Data, Open, timed};
use super::{Run, RunArgs};

/// Ask an index that `thalweg build` has saved
///
/// The file is mapped, not read: with --no-verify only what the queries need is touched.
#[derive(clap::Args)]
#[command(
    mut_arg("query_kind", |arg| arg.visible_alias("kind")),
    mut_arg("verify", |arg| arg.help("Check N answers against a plain scan, if the file has the array (default: up to 1000)")),
    mut_arg("no_verify", |arg| arg.help("Check neither the file's checksums nor any answer")),
)]
pub struct Args {
    /// The index
    #[arg(value_name = "FILE.thw")]
    index: PathBuf,

    /// Where the results go: the array's type for values, int64 for indices
    #[arg(short, long, value_name = "FILE", group = "results")]
    out: Option<PathBuf>,

    /// What to find in each range: the smallest value (default), or the leftmost position of it (if there is no array)
    #[arg(long, value_parser = one_of(What::ALL, What::name))]
    what: Option<What>,

    #[command(flatten)]
    queries: QueryArgs,

    /// Seed of generated queries
    #[arg(long, default_value_t = 7, conflicts_with = "queries")]
    seed: u64,

    #[command(flatten)]
    run: RunArgs,
}

/// Opens an index.
pub fn open(path: &PathBuf) -> Outcome<(Stored, DType)> {
    if is_stdout(path) {
        return Err(Failure::new("an index is mapped, so it cannot come from standard input"));
    }
    let stored = Stored::open(path)?;
    let dtype = stored.header().dtype;
    let dtype = DType::ALL.iter().copied().find(|known| known.name() == dtype).expect("the library's types are ours");
    Ok((stored, dtype))
}

/// Runs the command.
pub fn run(args: Args) -> Outcome {
    let mut run = Run::start(&args.run, None)?;
    run.progress.stage("reading");
    let (opened, time) = timed(|| open(&args.index));
    let (stored, dtype) = opened?;
    let checked = !args.run.verify.is_off();
    let why = if checked { "checksums are compared" } else { "checksums are not compared, --no-verify" };
    run.progress.say(format_args!("index: {}, mapped, {why}", args.index.display()));
    let (verified, more) = timed(|| if checked { stored.verify() } else { Ok(()) });
    verified?;
    let header = stored.header();
    let open = Open { seconds: (time + more).as_secs_f64(), bytes: header.file_bytes, checked };

    let has_array = header.section("array").is_some() || stored.array_file().is_some();
    let what = args.what.unwrap_or(if has_array { What::Value } else { What::Index });
    if what == What::Value && !has_array {
        let text = "saved without the array, so it tells no values: --what index";
        return Err(Failure::at(args.index.display(), text));
    }
    if !has_array && args.run.verify.is_asked_for() {
        return Err(Failure::at("--verify", "is for indexes with the array, and this one was saved without it"));
    }
    let file = args.queries.open()?;
    let (batch, origin) = ranges::batch(&run, &args.queries, file.as_ref(), header.len, args.seed)?;
    run.keep(Some(&args.index));
    let out = run.output(args.out.as_deref())?;
    let (verify, json) = (&args.run.verify, args.run.json);
    let asking = Asking { run, what, verify, json, origin, file: file.as_ref(), out };
    with_dtype!(dtype, T => match &batch {
        Batch::U32(queries) => ask::<T, u32>(&args, asking, &stored, open, queries),
        Batch::U64(queries) => ask::<T, u64>(&args, asking, &stored, open, queries),
    })
}

fn ask<T: Element, P: Position>(
    args: &Args,
    asking: Asking<'_>,
    stored: &Stored,
    open: Open,
    queries: &[[P; 2]],
) -> Outcome {
    let rmq = stored.index::<T>()?;
    let array = Data { origin: args.index.display().to_string(), count: rmq.len(), dtype: T::NAME };
    let asked = Asked { array, build: None, open: Some(open) };
    asking.ask(rmq, stored.array::<T>()?, queries, asked)
}
