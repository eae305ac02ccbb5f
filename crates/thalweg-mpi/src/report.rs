//! A command at work on all ranks: its options, its results, where the time goes; and what rank 0 tells in the end, a few lines, or one
//! of JSON.

use std::cell::RefCell;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::array::{Array, ArrayArgs};
use thalweg_cli::numbers::{Bytes, counted, counted_plainly, parse_count, show_count, show_each, show_seconds};
use thalweg_cli::output;
use thalweg_core::Error;
use thalweg_parts::Ranks;
use thalweg_parts::ranks::gather_one;

use crate::files::{Results, Shared, commit, expect_file};
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
    raw: bool,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,

    /// Say on stderr how the ranks share the machine, and where the time went
    #[arg(short, long)]
    verbose: bool,
}

fn parse_threads(text: &str) -> Result<usize, String> {
    match parse_count(text)? {
        n @ 1..=4096 => Ok(n),
        n => Err(format!("{n} threads: expected 1 to 4096")),
    }
}

/// A command at work.
pub struct Job<'j> {
    pub world: &'j World,
    args: &'j RunArgs,
    results: Results,
    /// What this rank has been doing, and for how long.
    stages: RefCell<Vec<(&'static str, Duration)>>,
    since: RefCell<Instant>,
}

impl<'j> Job<'j> {
    /// Starts this rank's threads.
    pub fn start(world: &'j World, args: &'j RunArgs) -> Run<Self> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = args.threads.unwrap_or_else(|| (cores / world.neighbours).max(1));
        let started = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
        world.agree(started.map_err(|e| Failure::at("cannot start the threads", e)))?;
        let (results, stages, since) = (Results::default(), RefCell::default(), RefCell::new(Instant::now()));
        let job = Self { world, args, results, stages, since };
        let [here, cores] = [counted_plainly(world.neighbours, "rank"), counted_plainly(cores, "core")];
        let threads = counted_plainly(threads, "thread");
        job.say(format_args!(
            "ranks: {}, of {threads} each; {here} and {cores} on the machine of rank 0",
            world.size()
        ))?;
        Ok(job)
    }

    /// Says something at rank 0, with `--verbose`.
    fn say(&self, text: std::fmt::Arguments<'_>) -> Run {
        if self.args.verbose && self.world.rank() == 0 {
            return output::print(&format!("{text}\n"), true).map_err(Ended::Alone);
        }
        Ok(())
    }

    /// What was done since the last call is called so.
    fn done(&self, name: &'static str) {
        let took = self.since.replace(Instant::now()).elapsed();
        let mut stages = self.stages.borrow_mut();
        match stages.iter_mut().find(|(other, _)| *other == name) {
            Some((_, time)) => *time += took,
            None => stages.push((name, took)),
        }
    }

    /// Opens the array, which all ranks must see alike.
    pub fn open_array(&self, args: &ArrayArgs) -> Run<Array> {
        let open = || {
            expect_file(args.array.as_deref(), "--array")?;
            args.open()
        };
        let array = self.world.agree(open())?;
        self.same_everywhere(&array.origin(), array.len, array.dtype.size())?;
        Ok(array)
    }

    /// Checks that all ranks see as many elements of the same size.
    pub fn same_everywhere(&self, origin: &str, len: usize, size: usize) -> Run {
        let seen = gather_one(self.world, [len as u64, size as u64])?;
        let alike: Outcome = match seen.iter().position(|&other| other != seen[0]) {
            None => Ok(()),
            Some(rank) => {
                let [there, here] = [seen[rank][0], seen[0][0]];
                Err(Failure::at(origin, format_args!("rank {rank} sees {there} elements, rank 0 {here}")))
            }
        };
        self.world.agree(alike)
    }

    /// Prepares a result, if it is asked for.
    pub fn result(&mut self, path: Option<&Path>) -> Run<Option<Shared>> {
        self.results.create(self.world, path, self.args.raw)
    }

    /// Runs some work on all ranks; how long the slowest took, from when all were ready.
    /// An error of the input is told in these words.
    pub fn timed<T>(
        &self,
        words: impl FnOnce(Error) -> Failure,
        work: impl FnOnce() -> thalweg_core::Result<T>,
    ) -> Run<(T, Duration)> {
        self.world.meet()?;
        self.done("preparing");
        let start = Instant::now();
        let done = work().map_err(|error| Ended::of(error, words))?;
        self.done("working");
        self.world.meet()?;
        let time = start.elapsed();
        self.done("waiting for the slowest");
        Ok((done, time))
    }

    /// How many answers were checked, on all ranks.
    pub fn checked(&self, own: Outcome<usize>) -> Run<usize> {
        let own = self.world.agree(own)?;
        let all = gather_one(self.world, own as u64)?;
        self.done("checking");
        Ok(all.into_iter().sum::<u64>() as usize)
    }

    /// Lets the results appear, and prints the report.
    pub fn finish(self, results: impl IntoIterator<Item = Option<Shared>>, report: Report) -> Run {
        commit(self.world, results.into_iter().flatten())?;
        self.done("writing");
        if self.args.verbose {
            self.say_times()?;
        }
        report.print(self.world, self.args.json)
    }

    /// Where the time went.
    fn say_times(&self) -> Run {
        let mut stages = Vec::new();
        // All ranks have had the same stages.
        for &(name, own) in self.stages.borrow().iter() {
            let all = gather_one(self.world, own.as_nanos() as u64)?;
            let [least, most] = [all.iter().min(), all.iter().max()].map(|time| seconds(time.copied().unwrap_or(0)));
            stages.push(format!("{name} {most} (the fastest rank {least})"));
        }
        self.say(format_args!("time: {}", stages.join(", ")))?;
        let all = gather_one(self.world, self.world.traffic())?;
        let most = |i: usize| all.iter().map(|rank| rank[i]).max().unwrap_or(0);
        let rounds = counted(most(0) as usize, "round");
        let (bytes, time) = (Bytes(most(1)), seconds(most(2)));
        self.say(format_args!(
            "exchanged: {bytes} sent by a rank at most, in {rounds}; sending and waiting took {time}"
        ))
    }
}

fn seconds(nanoseconds: u64) -> String {
    show_seconds(nanoseconds as f64 / 1e9)
}

/// The report.
pub struct Report {
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
}

impl Report {
    /// Prints it, at rank 0.
    fn print(self, world: &World, json: bool) -> Run {
        let threads = rayon::current_num_threads();
        let text = if json {
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
