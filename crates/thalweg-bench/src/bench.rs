//! What the benchmarks of all problems have in common: options, thread pools, the speed of a copy, and turning rows into
//! tables ([`table`]), a file ([`report`]) and a picture ([`plot`]).
//!
//! A problem implements [`Bench`]: it times its engines on one array, a [`Case`], and returns [`Row`]s.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use rayon::ThreadPool;
use rayon::prelude::*;
use thalweg::{Key, Position};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::memory;
use thalweg_cli::numbers::parse_count;
use thalweg_cli::output::{self, Output};
use thalweg_data::{ArrayKind, Random};

use crate::plot::{self, Figure};
use crate::report::{self, Adapter, CopySpeed, Report, Row};
use crate::timing::Timing;
use crate::{table, timing};

/// Options of every problem.
#[derive(clap::Args)]
pub struct Common {
    /// Lengths of the arrays, or numbers of vertices, such as 2^20,2^24
    #[arg(long, value_name = "N", num_args = 1.., value_delimiter = ',', value_parser = parse_count)]
    pub n: Vec<usize>,
    /// Numbers of threads [default: 1 and all cores]
    #[arg(long, num_args = 1.., value_delimiter = ',', value_parser = parse_count)]
    pub threads: Vec<usize>,
    /// Types of the elements [default: u32; f64 for points]
    #[arg(long, num_args = 1.., value_delimiter = ',')]
    pub dtype: Vec<String>,
    /// Kinds of arrays, lists, forests, points or graphs, as `thalweg gen` takes them [default: random; disk for points]
    #[arg(long, num_args = 1.., value_delimiter = ',')]
    pub kind: Vec<String>,
    /// Where the engines run: cpu, gpu, or an adapter's name or number (see `thalweg info`)
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    pub device: String,
    /// Time the peers too and compare with the best of them (on the CPU)
    #[arg(long)]
    pub peers: bool,
    /// Timed runs of each engine, after one to warm up; the median counts
    #[arg(long, value_parser = parse_count, default_value = "5")]
    pub repeat: usize,
    /// Seed of the data
    #[arg(long, default_value = "1")]
    pub seed: u64,
    /// Where all measurements go, as JSON
    #[arg(short, long, value_name = "FILE", conflicts_with = "json")]
    pub out: Option<PathBuf>,
    /// Print the report as JSON, without tables (with a FILE, as --out)
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    pub json: Option<PathBuf>,
    /// Write all measurements as a table of comma-separated values
    #[arg(long, value_name = "FILE.csv")]
    pub csv: Option<PathBuf>,
    /// Draw time against n (two sizes at least)
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
}

impl Common {
    /// Where measurements go: as JSON, as a table, and as a picture.
    fn files(&self) -> [Option<&PathBuf>; 3] {
        [self.out.as_ref().or(self.json.as_ref()), self.csv.as_ref(), self.plot.as_ref()]
    }
}

/// Implements [`Bench::DTYPES`] and [`Bench::run`] for some types.
///
/// Not for all ten: engines compare ranks, so types of the same width run the same code, and ten copies of every engine
/// and peer would take the compiler minutes.
macro_rules! timed_types {
    ($($t:ident),*) => {
        const DTYPES: &'static [&'static str] = &[$(<$t as thalweg::Key>::NAME),*];

        fn run(&self, dtype: &str, case: &mut $crate::bench::Case<'_>) -> Outcome<Vec<Row>> {
            match dtype {
                $(stringify!($t) => self.case::<$t>(case),)*
                _ => unreachable!("the names have been compared"),
            }
        }
    };
}
pub(crate) use timed_types;

/// Returns what a benchmark on the GPU returns, if `--device` says that it runs there.
macro_rules! on_gpu {
    ($common:expr, $run:expr) => {
        if $common.device != "cpu" {
            #[cfg(feature = "gpu")]
            return $run;
            #[cfg(not(feature = "gpu"))]
            return Err(thalweg_cli::failure::Failure::at(
                "--device",
                format_args!("{}: this build has no GPUs (cargo feature gpu)", $common.device),
            ));
        }
    };
}
pub(crate) use on_gpu;

/// Which engines to time.
pub struct Selection<E> {
    pub engines: Vec<E>,
    /// Whether the user named them. Engines that are too slow to wait for are left out only if not.
    pub named: bool,
}

impl<E: Copy + PartialEq + FromStr<Err = thalweg::Error>> Selection<E> {
    /// From what `--engine` says.
    pub fn parse(names: &[String], all: &[E]) -> Outcome<Self> {
        let named = !names.iter().any(|name| name == "all");
        let mut engines = Vec::new();
        for name in names.iter().filter(|&name| name != "all") {
            let engine = name.parse::<E>()?;
            if !engines.contains(&engine) {
                engines.push(engine);
            }
        }
        Ok(Self { engines: if named { engines } else { all.to_vec() }, named })
    }

    /// Leaves out engines that are not on the device, as trying them on something small tells. To name one is a failure.
    /// What else goes wrong is left to the case.
    pub fn on_device(mut self, attempt: impl Fn(E) -> thalweg::Result<()>) -> Outcome<Self> {
        let mut engines = Vec::new();
        for engine in self.engines {
            match attempt(engine) {
                Err(error @ thalweg::Error::NotOnDevice { .. }) if self.named => return Err(error.into()),
                Err(thalweg::Error::NotOnDevice { .. }) => {}
                _ => engines.push(engine),
            }
        }
        self.engines = engines;
        Ok(self)
    }
}

/// A problem whose solvers can be timed.
pub trait Bench {
    const NAME: &'static str;
    /// Sizes to run where the user gives none.
    const SIZES: &'static [usize];
    /// What the plot's vertical axis shows.
    const UNIT: &'static str;

    /// Names of the element types that can be timed.
    const DTYPES: &'static [&'static str];
    /// The type and the kind to run where the user names none.
    const DEFAULT_DTYPE: &'static str = "u32";
    const DEFAULT_KIND: &'static str = "random";

    /// Names of the kinds of data that can be timed: of arrays, unless a problem has others.
    fn kinds() -> Vec<&'static str> {
        ArrayKind::ALL.iter().map(|kind| kind.name()).collect()
    }

    /// Times everybody on one array of a type.
    fn run(&self, dtype: &str, case: &mut Case<'_>) -> Outcome<Vec<Row>>;
    /// The rows of one array as tables.
    fn tables(&self, rows: &[Row]) -> String;
    /// The chart that a row belongs to, or `None` if it is not drawn.
    fn panel(row: &Row) -> Option<String>;
    /// How to read the tables, in a line or two.
    fn how_to_read(&self) -> String;

    /// The device that the engines run on, if that is not the CPU.
    fn adapter(&self) -> Option<Adapter> {
        None
    }
}

/// Threads to run on.
pub struct Pool {
    pub threads: usize,
    pub pool: ThreadPool,
    pub copy_gb_per_s: f64,
}

/// One array to run on, and where to tell about it.
pub struct Case<'s> {
    pub n: usize,
    pub kind: &'static str,
    pub dtype: &'static str,
    pub common: &'s Common,
    pub pools: &'s [Pool],
    pub bar: &'s ProgressBar,
    pub skipped: Vec<String>,
}

impl Case<'_> {
    /// The array itself.
    pub fn array<K: Key>(&self) -> Outcome<Vec<K>> {
        let mut array = memory::filled(self.n, K::default(), "the array")?;
        let kind = ArrayKind::ALL.iter().find(|kind| kind.name() == self.kind).expect("the names have been compared");
        kind.fill(self.common.seed, &mut array);
        Ok(array)
    }

    /// Pairs of positions in the array, or of nodes, at random.
    pub fn random_pairs(&self, count: usize) -> Outcome<Vec<[u32; 2]>> {
        let mut pairs = memory::filled(count, [0u32; 2], "the queries")?;
        let random = Random::new(self.common.seed, 8);
        pairs.par_iter_mut().enumerate().for_each(|(i, pair)| {
            *pair = [0, 1].map(|end| random.below(2 * i as u64 + end, self.n as u64) as u32);
        });
        Ok(pairs)
    }

    /// The array's description.
    pub fn title(&self) -> String {
        format!("n = {}, {}, {}", table::count(self.n), self.dtype, self.kind)
    }

    /// Says that something is left out.
    pub fn skip(&mut self, who: &str, why: impl std::fmt::Display) {
        self.skipped.push(format!("{who} on {}: {why}", self.title()));
    }

    /// Races contestants on a pool; see [`timing::race`].
    pub fn race(
        &self,
        pool: &Pool,
        what: &str,
        contestants: usize,
        run: impl FnMut(usize) -> Outcome<Duration> + Send,
    ) -> Outcome<Vec<Timing>> {
        self.bar.set_message(format!("{}: {what}, threads: {}", self.title(), pool.threads));
        self.bar.tick();
        pool.pool.install(|| timing::race(self.common.repeat, contestants, run))
    }

    /// A row of this case, without its measurement.
    pub fn row(&self, pool: &Pool, what: &'static str, engine: &'static str) -> Row {
        Row { what, n: self.n, dtype: self.dtype, kind: self.kind, engine, threads: pool.threads, ..Row::default() }
    }
}

/// Runs a benchmark from options to picture.
pub fn drive<B: Bench>(bench: &B, common: &Common) -> Outcome {
    check_options::<B>(common)?;
    // Opened before the work, so that a mistyped path fails at once.
    let open = |path: Option<&PathBuf>| path.map(|path| Output::create_text(path)).transpose();
    let [mut json, mut csv, mut plot] = [open(common.files()[0])?, open(common.files()[1])?, open(common.files()[2])?];
    let report = measure(bench, common)?;
    if let Some(output) = &mut json {
        let text = serde_json::to_string_pretty(&report).map_err(Failure::new)?;
        output.write_text(&(text + "\n"))?;
    }
    if let Some(output) = &mut csv {
        output.write_text(&report.to_csv())?;
    }
    if let Some(output) = &mut plot {
        let figure = Figure {
            title: format!("thalweg bench {}: {} against n", B::NAME, B::UNIT),
            unit: B::UNIT,
            machine: report.machine(),
            panel: B::panel,
        };
        output.write_text(&plot::draw(&report.rows, &figure)?)?;
    }
    output::commit([json, csv, plot].into_iter().flatten())
}

/// Times everybody on every array, and shows the tables.
pub fn measure<B: Bench>(bench: &B, common: &Common) -> Outcome<Report> {
    let (sizes, dtypes, kinds) = (sizes::<B>(common), dtypes::<B>(common)?, kinds::<B>(common)?);
    // With JSON on stdout the tables would be in its way.
    let quiet = common.files().into_iter().flatten().any(|path| path.as_os_str() == "-");
    // Drawn on stderr if that is a terminal, and only between measurements: a ticking thread would take part in them.
    let bar =
        ProgressBar::new_spinner().with_style(ProgressStyle::with_template("{spinner} {msg}").expect("a template"));
    // Not `print`, which panics when stdout is closed or full.
    let say = |text: &str| if quiet { Ok(()) } else { bar.suspend(|| output::print(text, false)) };

    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    bar.set_message("copy speed");
    bar.tick();
    let adapter = bench.adapter();
    // What runs on a GPU is compared with the GPU's memory.
    let pools = if adapter.is_some() { Vec::new() } else { pools(&common.threads, cores)? };
    let cpu = report::cpu_model();
    say(&format!("thalweg {} bench {}, {cpu}, cores: {cores}\n", env!("CARGO_PKG_VERSION"), B::NAME))?;
    let speeds: Vec<String> = pools
        .iter()
        .map(|pool| format!("{:.1} GB/s on {}", pool.copy_gb_per_s, table::threads(pool.threads)))
        .collect();
    match &adapter {
        None => say(&format!("copy, read + written: {}\n", speeds.join(", ")))?,
        Some(adapter) => say(&format!("{adapter}\n"))?,
    }

    let mut report = Report {
        date: report::today(),
        problem: B::NAME,
        adapter,
        version: env!("CARGO_PKG_VERSION"),
        cpu,
        cores,
        compiled_for: report::compiled_for(),
        seed: common.seed,
        repeat: common.repeat,
        copy: pools.iter().map(|pool| CopySpeed { threads: pool.threads, gb_per_s: pool.copy_gb_per_s }).collect(),
        skipped: Vec::new(),
        rows: Vec::new(),
    };
    for &n in &sizes {
        for &dtype in &dtypes {
            for &kind in &kinds {
                let mut case = Case { n, kind, dtype, common, pools: &pools, bar: &bar, skipped: Vec::new() };
                let mut rows = bench.run(dtype, &mut case)?;
                report::compare(&mut rows);
                let mut text = format!("\n{}\n{}", case.title(), bench.tables(&rows));
                for line in &case.skipped {
                    text += &format!("skipped: {line}\n");
                }
                say(&text)?;
                report.skipped.append(&mut case.skipped);
                report.rows.append(&mut rows);
            }
        }
    }
    bar.finish_and_clear();
    say(&format!("\n{}\n", bench.how_to_read()))?;
    Ok(report)
}

/// The element types to run.
fn dtypes<B: Bench>(common: &Common) -> Outcome<Vec<&'static str>> {
    let known = |name: &String| {
        let found = B::DTYPES.iter().copied().find(|known| known == name);
        found.ok_or_else(|| Failure::at("--dtype", format_args!("{name}: {} times {}", B::NAME, B::DTYPES.join(", "))))
    };
    if common.dtype.is_empty() {
        return Ok(vec![B::DEFAULT_DTYPE]);
    }
    common.dtype.iter().map(known).collect()
}

/// The kinds of data to run.
fn kinds<B: Bench>(common: &Common) -> Outcome<Vec<&'static str>> {
    let all = B::kinds();
    let known = |name: &String| {
        let wanted = name.replace('-', "_");
        let found = all.iter().copied().find(|known| **known == wanted);
        found.ok_or_else(|| Failure::at("--kind", format_args!("{name}: {} has {}", B::NAME, all.join(", "))))
    };
    if common.kind.is_empty() {
        return Ok(vec![B::DEFAULT_KIND]);
    }
    common.kind.iter().map(known).collect()
}

/// The sizes to run.
fn sizes<B: Bench>(common: &Common) -> Vec<usize> {
    let mut sizes = if common.n.is_empty() { B::SIZES.to_vec() } else { common.n.clone() };
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// Checks the options that depend on each other.
fn check_options<B: Bench>(common: &Common) -> Outcome {
    let sizes = sizes::<B>(common);
    dtypes::<B>(common)?;
    kinds::<B>(common)?;
    for &n in &sizes {
        if n == 0 {
            return Err(Failure::at("--n", "an array of 0 elements has nothing to time"));
        }
        if !u32::fits(n) {
            return Err(Failure::at("--n", format_args!("{n}: the benchmark uses 32-bit positions, below 2^32")));
        }
    }
    if common.plot.is_some() && sizes.len() < 2 {
        return Err(Failure::at("--plot", "draws time against n: give two sizes at least, such as --n 2^18,2^20,2^22"));
    }
    let places: Vec<&PathBuf> = common.files().into_iter().flatten().collect();
    if (1..places.len()).any(|i| places[..i].contains(&places[i])) {
        return Err(Failure::new("--out or --json, --csv and --plot: two of them would write to the same place"));
    }
    if common.repeat == 0 {
        return Err(Failure::at("--repeat", "0 runs have no median"));
    }
    Ok(())
}

/// The pools to run on, with the speed of a copy on each.
fn pools(threads: &[usize], cores: usize) -> Outcome<Vec<Pool>> {
    let mut threads = if threads.is_empty() { vec![1, cores] } else { threads.to_vec() };
    threads.sort_unstable();
    threads.dedup();
    threads.into_iter().map(|threads| pool(threads, cores)).collect()
}

fn pool(threads: usize, cores: usize) -> Outcome<Pool> {
    // rayon reads 0 as "all", and starts any number that it is given.
    if threads == 0 || threads > 64 * cores {
        return Err(Failure::at("--threads", format_args!("{threads}: from 1 to 64 per core, {} here", 64 * cores)));
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|e| Failure::at("--threads", format_args!("{threads}: {e}")))?;
    let copy_gb_per_s = pool.install(timing::copy_speed)?;
    Ok(Pool { threads, pool, copy_gb_per_s })
}
