//! What rank 0 tells in the end: a few lines, or one of JSON.

use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use thalweg_cli::failure::Failure;
use thalweg_cli::numbers::{counted_plainly, parse_count, show_count, show_each, show_seconds};
use thalweg_cli::output;
use thalweg_core::Error;
use thalweg_parts::Ranks;

use crate::world::{Ended, Run, World};

/// How to run and what to tell
#[derive(clap::Args)]
#[command(next_help_heading = "Running")]
pub struct RunArgs {
    /// Number of threads of every rank (default: the machine's cores, divided by the ranks on it)
    #[arg(long, value_parser = parse_threads)]
    threads: Option<usize>,

    /// Write raw little-endian binary whatever the outputs' names (.bin and .raw always are)
    #[arg(long)]
    pub raw: bool,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

fn parse_threads(text: &str) -> Result<usize, String> {
    match parse_count(text)? {
        n @ 1..=4096 => Ok(n),
        n => Err(format!("{n} threads: expected 1 to 4096")),
    }
}

impl RunArgs {
    /// Starts this rank's threads.
    pub fn start(&self, world: &World) -> Run {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = self.threads.unwrap_or_else(|| (cores / world.neighbours).max(1));
        let started = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
        world.agree(started.map_err(|e| Failure::at("cannot start the threads", e)))
    }
}

/// Runs some work on all ranks; how long the slowest took, from when all were ready.
/// An error of the input is told in these words.
pub fn timed<T>(
    world: &World,
    words: impl FnOnce(Error) -> Failure,
    work: impl FnOnce() -> thalweg_core::Result<T>,
) -> Run<(T, Duration)> {
    world.meet()?;
    let start = Instant::now();
    let done = work().map_err(|error| Ended::of(error, words))?;
    world.meet()?;
    Ok((done, start.elapsed()))
}

/// The report.
pub struct Report<'r> {
    /// The command.
    pub problem: &'static str,
    /// Where the data comes from.
    pub origin: String,
    /// Of what type.
    pub dtype: &'static str,
    /// How many things were asked for, and what one is called.
    pub count: usize,
    pub thing: &'static str,
    pub time: Duration,
    /// Whatever else is worth telling.
    pub more: Vec<(&'static str, Value)>,
    pub args: &'r RunArgs,
}

impl Report<'_> {
    /// Prints it, at rank 0.
    pub fn print(self, world: &World) -> Run {
        let threads = rayon::current_num_threads();
        let text = if self.args.json {
            let mut all = Map::new();
            all.insert("version".into(), env!("CARGO_PKG_VERSION").into());
            all.insert("problem".into(), self.problem.into());
            all.insert("ranks".into(), world.size().into());
            all.insert("threads".into(), threads.into());
            all.insert("data".into(), json!({ "origin": self.origin, "dtype": self.dtype }));
            all.insert("count".into(), self.count.into());
            all.insert("seconds".into(), self.time.as_secs_f64().into());
            all.extend(self.more.into_iter().map(|(name, value)| (name.into(), value)));
            format!("{}\n", Value::Object(all))
        } else {
            let seconds = self.time.as_secs_f64();
            let more: String =
                self.more.iter().map(|(name, value)| format!("  {}: {value}\n", name.replace('_', " "))).collect();
            format!(
                "{} of {} ({}) on {} x {}: {} for {}, {}\n{more}",
                self.problem,
                self.origin,
                self.dtype,
                counted_plainly(world.size(), "rank"),
                counted_plainly(threads, "thread"),
                show_seconds(seconds),
                show_count(self.count),
                show_each(seconds, self.count, self.thing),
            )
        };
        world.agree(if world.rank() == 0 { output::print(&text, false) } else { Ok(()) })
    }
}
