//! `thalweg build`: an index to a file.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::json;
use thalweg::rmq::file::{ArrayFile, Image, SAVED};
use thalweg::rmq::{Builder, Engine};
use thalweg::{Device, Order, Rmq};
use thalweg_cli::budget::MemoryArgs;
use thalweg_cli::choice::engine_of;
use thalweg_cli::device::say_chosen;
use thalweg_cli::dtype::{Element, with_dtype};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::format::{Named, Packing, is_stdout, unpacked};
use thalweg_cli::input::Loaded;
use thalweg_cli::input::array::{Array, ArrayArgs};
use thalweg_cli::numbers::{show_count, show_seconds};
use thalweg_cli::output::{self, Output};
use thalweg_cli::rmq_engine::RmqEngineArgs;

use super::Run;
use super::in_parts;
use super::needs;
use super::report::timed;
use super::summary::{BareRunArgs, Summary};

/// Build an index for range minima and save it
///
/// `thalweg query` asks it, `thalweg inspect` shows what is in it.
#[derive(clap::Args)]
#[command(mut_arg("seed", |arg| arg.conflicts_with("array")), 
    after_help = "The file appears when it is complete and on the disk; until then, and if anything fails, the old one \
    stays. It holds the array, too, unless the engine is balanced_parens, or --refer says where it is."
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

    /// Engine lines: save no copy of the array, but where its file is, and how to know it again
    #[arg(long, requires = "array", conflicts_with = "with_array")]
    refer: bool,

    #[command(flatten)]
    array: ArrayArgs,

    #[command(flatten)]
    memory: MemoryArgs,

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
    if args.refer {
        run.keep(args.array.array.as_deref());
    }
    let out = run.bytes_output(Some(&args.out))?.expect("a path was given");
    with_dtype!(array.dtype, T => save::<T>(&args, run, &array, out))
}

fn save<T: Element>(args: &Args, run: Run, input: &Array, mut out: Output) -> Outcome {
    let budget = args.memory.budget()?;
    let array = match budget {
        Some(_) => Cow::Borrowed(input.in_file::<T>()?.0),
        None => run.elements::<T>(input)?,
    };
    let (rmq, built) = match &budget {
        Some(budget) => {
            if args.engine.is_some_and(|engine| engine.name() != Engine::default().name()) || args.with_array {
                return Err(Failure::new("--memory is for the engine lines"));
            }
            in_parts::rmq::index(&run, budget, input, args.order())?
        }
        None => {
            run.require(needs::rmq(args.engine, array.len()), "the index", None)?;
            run.progress.stage("building");
            let (rmq, built) = timed(|| index(args, &array));
            (rmq?, built)
        }
    };
    say_chosen(&run.progress, rmq.chosen(), args.engine.is_some());

    run.progress.stage("checksums");
    // With a limit, what has been read of the array is given back.
    let release = |bytes: &[u8]| {
        if let (Some(file), true) = (input.file(), budget.is_some()) {
            file.release_lent(bytes);
        }
    };
    let (image, hashed) = timed(|| match args.refer {
        true => refer(args, &rmq, input),
        false => Ok(Image::in_parts(rmq.as_engine(), T::NAME, rmq.order(), &release)?),
    });
    let image = image?;
    let header = image.header();
    run.progress.steps("writing", header.file_bytes as usize);
    let (done, written) = timed(|| {
        let writer = Releasing { out: out.writer(&run.progress), release: &release };
        image.write_to(writer).map_err(|e| Failure::io(args.out.display(), &e))?;
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
    if let Some(budget) = &budget {
        summary.memory(budget);
    }
    summary.written(&out.name, header.file_bytes as usize);
    output::commit([out])?;
    let stdout_taken = run.stdout_taken;
    drop(run);
    summary.print(args.run.json, stdout_taken)
}

impl Args {
    fn order(&self) -> Order {
        if self.max { Order::Max } else { Order::Min }
    }
}

/// The index that refers to its array's file: by a path relative to the index where that lies beside it, or above.
fn refer<'i, T: Element>(args: &Args, rmq: &'i Rmq<'_, T>, input: &Array) -> Outcome<Image<'i>> {
    let path = args.array.array.as_deref().expect("--refer requires it");
    if is_stdout(&args.out) {
        return Err(Failure::new("--refer needs a file for the index: its array is known by where it lies from there"));
    }
    let offset = input.file().and_then(Loaded::offset_in_file).filter(|offset| offset.is_multiple_of(size_of::<T>()));
    let Some(offset) = offset else {
        let text = "--refer is for arrays that are used where they lie: .npy or raw, in a plain file, little-endian";
        return Err(Failure::at(input.origin(), text));
    };
    let path = Named::input(path).path;
    let whole = std::fs::canonicalize(&path).map_err(|e| Failure::io(path.display(), &e))?;
    let folder = args.out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = std::fs::canonicalize(folder).map_err(|e| Failure::io(folder.display(), &e))?;
    let named = whole.strip_prefix(&folder).unwrap_or(&whole);
    let found = ArrayFile::new(&whole, named, offset as u64, (input.len * size_of::<T>()) as u64)?;
    Ok(Image::referring(rmq.as_engine(), T::NAME, rmq.order(), &found)?)
}

/// Gives back what has been written.
struct Releasing<'r, W> {
    out: W,
    release: &'r dyn Fn(&[u8]),
}

impl<W: Write> Write for Releasing<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        (self.release)(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Files hold engines of the CPU, so it builds them.
fn index<'a, T: Element>(args: &Args, array: &'a [T]) -> Outcome<Rmq<'a, T>> {
    let builder = Builder::new().order(args.order()).engine(args.options.engine(args.engine)?).device(Device::Cpu);
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
