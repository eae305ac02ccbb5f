//! `thalweg-bench geometry raster`: lower envelopes at every whole number of a range.

use std::hint::black_box;

use rayon::prelude::*;
use thalweg::Device;
pub use thalweg::geometry::envelope::Engine;
use thalweg::geometry::envelope::{Builder, Grid, RasterOutputs};
use thalweg_cli::failure::Outcome;
use thalweg_cli::memory;

use crate::bench::{Bench, Case, Common, Selection, drive, on_gpu};
use crate::cases::raster::{Kind, expected};
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

/// Steps up to which an engine that looks at everything takes part unless it is named.
const PATIENCE: usize = 1 << 31;

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
