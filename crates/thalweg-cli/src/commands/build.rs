//! `thalweg build`: an index to a file.

use std::path::PathBuf;

use serde_json::json;
use thalweg::rmq::file::SAVED;
use thalweg::rmq::{Builder, Engine};
use thalweg::{Device, Order, Rmq};
use thalweg_cli::choice::engine_of;
use thalweg_cli::device::say_chosen;
use thalweg_cli::dtype::{Element, with_dtype};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::format::{Packing, unpacked};
use thalweg_cli::input::array::{Array, ArrayArgs};
use thalweg_cli::numbers::{show_count, show_seconds};
use thalweg_cli::output::{self, Output};
use thalweg_cli::rmq_engine::RmqEngineArgs;

use super::Run;
use super::needs;
use super::report::timed;
use super::summary::{BareRunArgs, Summary};

/// Build an index for range minima and save it
///
/// `thalweg query` asks it, `thalweg inspect` shows what is in it.
#[derive(clap::Args)]
#[command(mut_arg("seed", |arg| arg.conflicts_with("array")), 
    after_help = "The file appears when it is complete and on the disk; until then, and if anything fails, the old one \
    stays. It holds the array, too, unless the engine is balanced_parens."
)]
pub struct Args {
    /// Where the index goes; - is standard output
    #[arg(short, long, alias = "output", value_name = "FILE.thw")]
    out: PathBuf,

    /// Index for the largest elements instead
    #[arg(long)]
    max: bool,

    /// The engine (default: the library's choice)
    #[arg(long, value_parser = engine_of(SAVED, Engine::name))]
    engine: Option<Engine>,

    #[command(flatten)]
    options: RmqEngineArgs,

    /// Engine balanced_parens: save the array, too, for values; positions need none. Other engines always do
    #[arg(long)]
    with_array: bool,

    #[command(flatten)]
    array: ArrayArgs,

    #[command(flatten)]
    run: BareRunArgs,
}

/// Runs the command.
pub fn run(args: Args) -> Outcome {
    let mut run = args.run.start(None)?;
    let array = run.open_array(&args.array)?;
    if unpacked(&args.out).0 != Packing::None {
        return Err(Failure::at(args.out.display(), "an index is mapped, so it cannot be packed"));
    }
    let out = run.output(Some(&args.out))?.expect("a path was given");
    with_dtype!(array.dtype, T => save::<T>(&args, run, &array, out))
}

fn save<T: Element>(args: &Args, run: Run, input: &Array, mut out: Output) -> Outcome {
    let array = run.elements::<T>(input)?;
    run.require(needs::rmq(args.engine, array.len()), "the index", None)?;
    run.progress.stage("building");
    let (rmq, built) = timed(|| index(args, &array));
    let rmq = rmq?;
    say_chosen(&run.progress, rmq.chosen(), args.engine.is_some());

    run.progress.stage("checksums");
    let (image, hashed) = timed(|| rmq.image());
    let image = image?;
    let header = image.header();
    run.progress.steps("writing", header.file_bytes as usize);
    let (done, written) = timed(|| {
        image.write_to(out.writer(&run.progress)).map_err(|e| Failure::io(&out.name, &e))?;
        out.sync()
    });
    done?;

    let mut summary = Summary::new("build");
    let (count, origin, order) = (show_count(array.len()), input.origin(), if args.max { "maxima" } else { "minima" });
    summary.line("array", format_args!("{count} x {} ({origin})", T::NAME));
    summary.value("array", json!({"origin": origin, "count": array.len(), "dtype": T::NAME}));
    summary.answered(rmq.chosen(), run.threads, order);
    summary.value("order", if args.max { "max" } else { "min" });
    summary.index_size(header);
    let stages = [("build", built), ("checksums", hashed), ("write", written)].map(|(name, t)| (name, t.as_secs_f64()));
    summary.line("time", stages.map(|(name, seconds)| format!("{name} {}", show_seconds(seconds))).join(", "));
    summary.value("stages", stages.map(|(name, seconds)| json!({"stage": name, "seconds": seconds})).to_vec());
    summary.written(&out.name, header.file_bytes as usize);
    output::commit([out])?;
    let stdout_taken = run.stdout_taken;
    drop(run);
    summary.print(args.run.json, stdout_taken)
}

/// Files hold engines of the CPU, so it builds them.
fn index<'a, T: Element>(args: &Args, array: &'a [T]) -> Outcome<Rmq<'a, T>> {
    let order = if args.max { Order::Max } else { Order::Min };
    let builder = Builder::new().order(order).engine(args.options.engine(args.engine)?).device(Device::Cpu);
    if args.with_array && builder.chosen_engine() != Engine::BalancedParens {
        let text =
            "--with-array is for balanced_parens (--engine balanced_parens): other engines always save the array";
        return Err(Failure::new(text));
    }
    if builder.chosen_engine() == Engine::BalancedParens && !args.with_array {
        return Ok(builder.build_without_array(array)?);
    }
    Ok(builder.build(array)?)
}
