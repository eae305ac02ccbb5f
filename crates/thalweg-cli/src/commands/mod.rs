//! The subcommands, one file each, and what those that solve a problem share.

pub mod ansv;
pub mod generate;
pub mod info;
pub mod rmq;

use std::path::Path;

use crate::failure::{Failure, Outcome};
use crate::input::Loaded;
use crate::input::array::{Array, ArrayArgs};
use crate::input::npy::Shape;
use crate::numbers::show_count;
use crate::output::{Output, is_stdout};
use crate::progress::Progress;
use crate::threads;
use crate::verify::VerifyArgs;

/// How to run and what to tell
#[derive(clap::Args)]
#[command(next_help_heading = "Running")]
pub struct RunArgs {
    /// Number of threads (default: one per logical core)
    #[arg(long, value_parser = threads::parse_threads)]
    threads: Option<usize>,

    #[command(flatten)]
    pub verify: VerifyArgs,

    /// Write raw little-endian binary whatever the outputs' names (.bin and .raw always are)
    #[arg(long)]
    raw: bool,

    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,

    /// Say on stderr what is chosen and why
    #[arg(short, long)]
    verbose: bool,
}

/// A run of a problem, set up: threads started, outputs ready to be written.
pub struct Run {
    pub threads: usize,
    pub progress: Progress,
    /// Whether a result goes to stdout, so that the report must not.
    pub stdout_taken: bool,
    raw: bool,
}

impl Run {
    /// Starts the threads.
    pub fn start(args: &RunArgs) -> Outcome<Self> {
        let threads = threads::start(args.threads)?;
        let progress = Progress::new(args.verbose);
        let why = if args.threads.is_some() { "--threads" } else { "the default" };
        progress.say(format_args!("threads: {threads}, {why}"));
        Ok(Self { threads, progress, stdout_taken: false, raw: args.raw })
    }

    /// Opens the array.
    pub fn open_array(&self, args: &ArrayArgs) -> Outcome<Array> {
        self.progress.stage("reading");
        let array = args.open()?;
        match array.file() {
            Some(file) => self.say_file("array", file),
            None => self.progress.say(format_args!(
                "array: no --array, so {} x {} are generated: {}",
                show_count(array.len),
                array.dtype,
                array.origin()
            )),
        }
        Ok(array)
    }

    /// Tells what a file is.
    pub fn say_file(&self, what: &str, file: &Loaded) {
        let how = if file.is_mapped() { "mapped" } else { "read to memory" };
        let (name, dtype, shape) = (&file.name, file.layout.dtype, Shape(&file.layout.shape));
        self.progress.say(format_args!("{what}: {name}, {dtype} of shape {shape}, {how}"));
    }

    /// Tells whether data was used in place.
    pub fn say_copied(&self, what: &str, copied: bool) {
        self.progress.say(format_args!("{what}: {}", if copied { "converted to memory" } else { "used in place" }));
    }

    /// Prepares an output, if one is asked for.
    pub fn output(&mut self, path: Option<&Path>) -> Outcome<Option<Output>> {
        let Some(path) = path else { return Ok(None) };
        if is_stdout(path) {
            if self.stdout_taken {
                return Err(Failure::new("only one result can go to standard output"));
            }
            self.stdout_taken = true;
        }
        Output::create(path, self.raw).map(Some)
    }
}

/// Why an engine runs, for `--verbose`.
pub fn why_engine(asked: bool) -> &'static str {
    if asked { "--engine" } else { "the default for this problem" }
}
