//! `thalweg-bench geometry raster`: lower envelopes at every whole number of a range.

use std::hint::black_box;

use rayon::prelude::*;
use thalweg::Device;
pub use thalweg::geometry::envelope::Engine;
use thalweg::geometry::envelope::{BigRational, Builder, Grid, RasterOutputs};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::memory;
use thalweg_data::Random;
use thalweg_data::envelopes::{Scan, is_nearest};

use crate::bench::{Bench, Case, Common, Selection, drive, on_gpu};
use crate::columns::{self, table};
use crate::report::Row;
use crate::timing::time;

/// Lower envelopes of segments: values at every whole number of a range
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// Engines to time, or all
    #[arg(long, num_args = 1.., value_delimiter = ',', default_value = "all")]
    engine: Vec<String>,
}

/// Runs the benchmark.
pub fn run(args: Args) -> Outcome {
    on_gpu!(args.common, crate::gpu::raster::run(&args.common, &args.engine));
    let selection = Selection::parse(&args.engine, &[Engine::Raster, Engine::Naive])?;
    drive(&RasterBench { selection, paper: false }, &args.common)
}

/// Segments of the paper's experiment: it says that they were always the same ones, and its times tell how many.
const FEW: usize = 10;
/// Elements that are compared with a plain scan.
const CHECKED: usize = 50;
/// Steps up to which an engine that looks at everything takes part unless it is named.
const PATIENCE: usize = 1 << 31;

/// Kinds of segments over a range, and how many there are for `n` numbers.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    /// Ten level ones, as long as the range allows.
    Paper,
    /// Level ones of any length, one for 64 numbers.
    Level,
    /// Ones with slopes, of any length, one for 64 numbers.
    Slopes,
    /// Ones with slopes, up to 1,000 numbers long, one for 64 numbers.
    Short,
}

impl Kind {
    pub const ALL: [Self; 4] = [Self::Paper, Self::Level, Self::Slopes, Self::Short];

    /// The kind of a case, whose range must fit the coordinates.
    pub fn of(case: &Case<'_>) -> Outcome<Self> {
        if case.n == 0 || case.n > i32::MAX as usize {
            return Err(Failure::at("--n", "a range of 1 to 2^31 - 1 numbers"));
        }
        Ok(*Self::ALL.iter().find(|kind| kind.name() == case.kind).expect("the names have been compared"))
    }

    /// Whether all segments are level.
    pub fn is_level(self) -> bool {
        matches!(self, Self::Paper | Self::Level)
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Level => "level",
            Self::Slopes => "slopes",
            Self::Short => "short",
        }
    }

    pub fn make(self, n: usize, seed: u64) -> Vec<[i32; 4]> {
        let random = Random::new(seed, 32);
        let count = if self == Self::Paper { FEW } else { n.div_ceil(64) };
        let segment = |i: u64| {
            let (x1, y1) = (random.below(4 * i, n as u64), random.below(4 * i + 1, 1 << 20));
            let x2 = match self {
                Self::Short => (x1 + random.below(4 * i + 2, 1000)).min(n as u64 - 1),
                _ => random.below(4 * i + 2, n as u64),
            };
            let y2 = if self.is_level() { y1 } else { random.below(4 * i + 3, 1 << 20) };
            [x1, y1, x2, y2].map(|x| x as i32)
        };
        (0..count as u64).map(segment).collect()
    }
}

/// Values on a grid, with the engines of the CPU.
pub struct RasterBench {
    pub selection: Selection<Engine>,
    /// Whether the paper's own loop takes part.
    pub paper: bool,
}

/// Who takes part.
#[derive(Clone, Copy, PartialEq)]
enum Entrant {
    Ours(Engine),
    /// The paper's serial program: for every x the smallest y of all segments there, on one thread.
    Serial,
    /// Writes every value once, on all threads: nothing is faster.
    Write,
}

impl Entrant {
    fn name(self) -> &'static str {
        match self {
            Self::Ours(engine) => engine.name(),
            Self::Serial => "paper's serial loop",
            Self::Write => "plain write",
        }
    }
}

impl RasterBench {
    fn entrants(&self, case: &mut Case<'_>, kind: Kind, segments: usize) -> Vec<Entrant> {
        let mut entrants = Vec::new();
        for &engine in &self.selection.engines {
            if engine == Engine::Naive && case.n.saturating_mul(segments) > PATIENCE && !self.selection.named {
                case.skip(engine.name(), "takes long (name it to wait for it)");
            } else {
                entrants.push(Entrant::Ours(engine));
            }
        }
        if self.paper && kind == Kind::Paper {
            entrants.push(Entrant::Serial);
        }
        if self.paper || case.common.peers {
            entrants.push(Entrant::Write);
        }
        entrants
    }
}

/// The right values: those of `raster`, some of them checked in exact arithmetic.
pub fn expected(case: &Case<'_>, segments: &[[i32; 4]]) -> Outcome<Vec<f64>> {
    let mut values = memory::filled(case.n, 0.0, "the values")?;
    let builder = Builder::new().device(Device::Cpu).engine(Engine::Raster);
    builder.raster_into(segments, Grid::new(0, case.n)?, RasterOutputs { values: Some(&mut values), ids: None })?;
    let scan = Scan { rows: segments, upper: false };
    for i in (0..case.n).step_by(case.n / CHECKED + 1) {
        let is_right = match scan.lowest(&BigRational::from_integer(i.into()), i as f64) {
            Some((value, _)) => is_nearest(values[i], &value),
            None => values[i].is_nan(),
        };
        if !is_right {
            crate::check::wrong(&format!("raster on {}", case.title()), format_args!("the value at {i}"))?;
        }
    }
    Ok(values)
}

/// The paper's serial program, with the smallest y as a double. Its areas are between two numbers; here they are the numbers.
fn serial(segments: &[[i32; 4]], values: &mut [f64]) {
    for (x, value) in values.iter_mut().enumerate() {
        let (x, mut lowest) = (x as i32, i32::MAX);
        for &[x1, y, x2, _] in segments {
            if ((x1 <= x && x <= x2) || (x2 <= x && x <= x1)) && y < lowest {
                lowest = y;
            }
        }
        *value = if lowest == i32::MAX { f64::NAN } else { lowest.into() };
    }
}

impl Bench for RasterBench {
    const NAME: &'static str = "geometry raster";
    const SIZES: &'static [usize] = &[1 << 20, 1 << 24];
    const UNIT: &'static str = "ns per number";
    const DEFAULT_DTYPE: &'static str = "i32";
    const DEFAULT_KIND: &'static str = "paper";
    const DTYPES: &'static [&'static str] = &["i32"];

    fn kinds() -> Vec<&'static str> {
        Kind::ALL.iter().map(|kind| kind.name()).collect()
    }

    fn run(&self, _dtype: &str, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        let kind = Kind::of(case)?;
        let segments = kind.make(case.n, case.common.seed);
        let grid = Grid::new(0, case.n)?;
        let mut values = memory::filled(case.n, 0.0, "the values")?;
        let expected = expected(case, &segments)?;
        let solve = |engine, values: &mut [f64]| {
            let builder = Builder::new().device(Device::Cpu).engine(engine);
            builder.raster_into(black_box(&segments), grid, RasterOutputs { values: Some(values), ids: None })
        };
        let entrants = self.entrants(case, kind, segments.len());
        let mut rows = Vec::new();
        for pool in case.pools {
            let timings = case.race(pool, "values", entrants.len(), |i| {
                let took = match entrants[i] {
                    Entrant::Ours(engine) => {
                        let (took, done) = time(|| solve(engine, &mut values));
                        done?;
                        took
                    }
                    Entrant::Serial => time(|| serial(black_box(&segments), &mut values)).0,
                    Entrant::Write => {
                        let work = |values: &mut [f64]| values.fill(black_box(1.0));
                        return Ok(time(|| values.par_chunks_mut(1 << 14).for_each(work)).0);
                    }
                };
                let who = format!("{} on {}", entrants[i].name(), case.title());
                crate::check::equal(&who, "value", &expected, &values, |value| value.to_bits())?;
                Ok(took)
            })?;
            for (&entrant, timing) in entrants.iter().zip(timings) {
                let row = case.row(pool, "values", entrant.name()).timed(timing, case.n);
                let bytes = size_of_val(&segments[..]) + size_of_val(&values[..]);
                let mut row = row.moving(bytes, pool.copy_gb_per_s);
                row.peer = entrant == Entrant::Write;
                row.default = entrant == Entrant::Ours(Engine::Raster);
                rows.push(row);
            }
        }
        Ok(rows)
    }

    fn tables(&self, rows: &[Row]) -> String {
        let columns = [
            columns::engine("engine"),
            columns::threads(),
            columns::ms(),
            columns::ns("ns/number"),
            columns::gb_per_s(),
            columns::versus("vs write"),
        ];
        table(rows, columns).to_string()
    }

    fn panel(row: &Row) -> Option<String> {
        Some(format!("{} segments", row.kind))
    }

    fn how_to_read(&self) -> String {
        "Every value was compared with raster's, of which some were checked in exact arithmetic. GB/s: over the bytes of the\n\
         segments and values. vs write: compared with writing every value once; below 1x is slower."
            .into()
    }
}
