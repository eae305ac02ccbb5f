//! `thalweg-bench geometry envelope`: lower envelopes of segments, as pieces.

use std::hint::black_box;

use thalweg::geometry::Coordinate;
use thalweg::geometry::envelope::{BigRational, Builder, Engine, Envelope};
use thalweg::{Answer, Device};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::memory;
use thalweg_data::SegmentKind;
use thalweg_data::envelopes::Scan;
use thalweg_data::exact::Exact;

use crate::bench::{Bench, Case, Common, Selection, drive, timed_types};
use crate::columns::{self, table};
use crate::report::Row;
use crate::timing::time;

/// Lower envelopes of segments: the pieces
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// Engines to time, or all
    #[arg(long, num_args = 1.., value_delimiter = ',', default_value = "all")]
    engine: Vec<String>,
}

/// The engine that computes in fractions takes part up to this length unless it is named.
const SLOWEST: usize = 1 << 8;
/// Pieces that are compared with a plain scan.
const CHECKED: usize = 20;

/// Runs the benchmark.
pub fn run(args: Args) -> Outcome {
    if args.common.device != "cpu" {
        return Err(Failure::at("--device", "pieces of envelopes are timed on the CPU"));
    }
    let pieces = [Engine::Merge, Engine::Sweep, Engine::Naive];
    let selection = Selection::parse(&args.engine, &pieces)?;
    if selection.engines.contains(&Engine::Raster) {
        return Err(Failure::at("--engine", "raster has no pieces; see thalweg-bench geometry raster"));
    }
    drive(&EnvelopeBench { selection }, &args.common)
}

struct EnvelopeBench {
    selection: Selection<Engine>,
}

impl EnvelopeBench {
    fn engines(&self, case: &mut Case<'_>) -> Vec<Engine> {
        let mut engines = Vec::new();
        for &engine in &self.selection.engines {
            if engine == Engine::Naive && case.n > SLOWEST && !self.selection.named {
                case.skip(engine.name(), "takes long (name it to wait for it)");
            } else {
                engines.push(engine);
            }
        }
        // The peer, whether or not it was asked for.
        if case.common.peers && !engines.contains(&Engine::Sweep) {
            engines.push(Engine::Sweep);
        }
        engines
    }

    fn case<T: Exact + Coordinate>(&self, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        let kind = SegmentKind::ALL.iter().find(|kind| kind.name() == case.kind).expect("the names have been compared");
        memory::require(case.n.saturating_mul(4 * size_of::<T>() + 200), &case.title())?;
        let segments = kind.make::<T>(case.n, case.common.seed);
        let expected = expected(case, &segments)?;
        let engines = self.engines(case);
        let mut rows = Vec::new();
        for pool in case.pools {
            let timings = case.race(pool, "envelope", engines.len(), |i| {
                let builder = Builder::new().device(Device::Cpu).engine(engines[i]);
                let (took, found) = time(|| builder.pieces(black_box(&segments)).map(Answer::into_inner));
                let (who, found) = (format!("{} on {}", engines[i], case.title()), found?);
                crate::check::equal(&who, "segment", expected.ids(), found.ids(), |&id| id)?;
                crate::check::equal(&who, "start", expected.starts(), found.starts(), |start| start.to_bits())?;
                Ok(took)
            })?;
            for (&engine, timing) in engines.iter().zip(timings) {
                let row = case.row(pool, "envelope", engine.name()).timed(timing, case.n);
                let mut row = row.moving(size_of_val(&segments[..]), pool.copy_gb_per_s);
                row.peer = engine == Engine::Sweep;
                row.default = engine == Engine::default();
                rows.push(row);
            }
        }
        Ok(rows)
    }
}

/// The right answer: the default engine's, of which some pieces are compared with a plain scan in exact arithmetic.
fn expected<T: Exact + Coordinate>(case: &Case<'_>, segments: &[[T; 4]]) -> Outcome<Envelope> {
    let found = Builder::new().device(Device::Cpu).pieces(segments)?.into_inner();
    let scan = Scan { rows: segments, upper: false };
    for i in (0..found.len().saturating_sub(1)).step_by(found.len() / CHECKED + 1) {
        let (start, next) = (found.starts()[i], found.starts()[i + 1]);
        let x = start / 2.0 + next / 2.0;
        if x <= start || x >= next {
            continue;
        }
        let exact = BigRational::from_float(x).expect("a finite number");
        let lowest = scan.lowest(&exact, x);
        let own = (found.ids()[i] != Envelope::GAP).then(|| scan.value(found.ids()[i] as usize, &exact)).flatten();
        if own != lowest.map(|(value, _)| value) {
            crate::check::wrong(
                &format!("the default on {}", case.title()),
                format_args!("piece {i} is not the lowest"),
            )?;
        }
    }
    Ok(found)
}

impl Bench for EnvelopeBench {
    const NAME: &'static str = "geometry envelope";
    const SIZES: &'static [usize] = &[100_000, 1_000_000];
    const UNIT: &'static str = "ns per segment";
    const DEFAULT_DTYPE: &'static str = "i32";
    const DEFAULT_KIND: &'static str = "crossing";

    timed_types!(i32, i64, f64, f32);

    fn kinds() -> Vec<&'static str> {
        SegmentKind::ALL.iter().map(|kind| kind.name()).collect()
    }

    fn tables(&self, rows: &[Row]) -> String {
        let columns = [
            columns::engine("engine"),
            columns::threads(),
            columns::ms(),
            columns::ns("ns/segment"),
            columns::gb_per_s(),
            columns::versus("vs sweep"),
        ];
        table(rows, columns).to_string()
    }

    fn panel(_row: &Row) -> Option<String> {
        Some("envelope".into())
    }

    fn how_to_read(&self) -> String {
        "Every envelope was compared with the default's, of which some pieces were checked in exact arithmetic. GB/s: over the\n\
         bytes of the segments. There are no peers in Rust; sweep is sequential. Above 1x is faster than sweep."
            .into()
    }
}
