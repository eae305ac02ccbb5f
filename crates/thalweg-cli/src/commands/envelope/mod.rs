//! `thalweg envelope`: what is seen of segments from below, or from above.

mod check;
mod grid;
mod pieces;
mod plot;

use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;
use thalweg::geometry::envelope::{Builder, Engine, Envelope, Side};
use thalweg::{Chosen, Device};
use thalweg_cli::choice::engine_of;
use thalweg_cli::device::DeviceArgs;
use thalweg_cli::dtype::{DType, with_dtype};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::EmptyArgs;
use thalweg_cli::input::segments::{SegmentArgs, Segments};
use thalweg_cli::numbers::show_count;
use thalweg_cli::output::Output;

use self::grid::GridRange;
use super::summary::Summary;
use super::{Run, RunArgs};

/// Find the lower envelope of segments: which is the lowest, from where to where
///
/// The answer is exact for all integers and floats. Without files, makes segments and shows what the engine does with them.
#[derive(clap::Args)]
#[command(mut_arg("seed", |arg| arg.conflicts_with("segments")), after_help = "Pieces go from left to right: piece i begins at --out[i] and goes to --out[i+1], both ends \
    included, and is a part of segment --ids[i]; -1 is a gap. A point or vertical segment that is lower than all others is a \
    piece that begins and ends at the same x. Files are .npy if their name ends so or their content says so, otherwise raw \
    little-endian binary; - is standard input or output. The report goes to stdout, or to stderr if a \
    result does.")]
pub struct Args {
    /// Where the pieces' starts go: float64, the nearest ones; with --grid the values, as --values
    #[arg(short, long, value_name = "FILE", group = "results")]
    out: Option<PathBuf>,

    /// Where the segments' numbers go, one for each piece (or number of --grid): int64, -1 for a gap
    #[arg(long, value_name = "FILE", group = "results")]
    ids: Option<PathBuf>,

    /// Where the pieces' exact starts go: text, a line each, such as 10/7
    #[arg(long, value_name = "FILE", conflicts_with = "grid")]
    exact: Option<PathBuf>,

    /// The upper envelope instead of the lower one
    #[arg(long)]
    upper: bool,

    /// Numbers x at which values are asked for: one dimension of integers or floats
    #[arg(long, value_name = "FILE", conflicts_with = "grid", requires = "values")]
    at: Option<PathBuf>,

    /// Type of raw numbers x, in a file that is not .npy [default: f64]
    #[arg(long, value_name = "TYPE", value_parser = DType::from_option, requires = "at", conflicts_with = "grid")]
    query_dtype: Option<DType>,

    #[command(flatten)]
    empty: EmptyArgs,

    /// Ask at every whole number of a range, such as -5..1000 or 0..=99, by the engine raster
    #[arg(long, value_name = "RANGE", value_parser = grid::parse, allow_hyphen_values = true)]
    grid: Option<GridRange>,

    /// Where the values at --at or --grid go: float64, the nearest ones, NaN in gaps
    #[arg(long, value_name = "FILE", group = "results")]
    values: Option<PathBuf>,

    /// Draw the segments (some of them, if they are many) and the envelope
    #[arg(long, value_name = "FILE.svg", conflicts_with = "grid")]
    plot: Option<PathBuf>,

    /// The engine (default: the library's choice; see `thalweg info`)
    #[arg(long, value_parser = engine_of(Engine::ALL, Engine::name))]
    engine: Option<Engine>,

    #[command(flatten)]
    segments: SegmentArgs,

    #[command(flatten)]
    device: DeviceArgs,

    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command.
pub fn run(args: Args) -> Outcome {
    if args.values.is_some() && args.at.is_none() && args.grid.is_none() {
        return Err(Failure::at("--values", "needs --at or --grid"));
    }
    // On a grid the values are what is asked for.
    let (starts, values) = match (&args.out, &args.values) {
        (Some(_), Some(_)) if args.grid.is_some() => {
            return Err(Failure::new("--out and --values are the same with --grid: give one of them"));
        }
        (out, values) if args.grid.is_some() => (None, out.as_deref().or(values.as_deref())),
        (out, values) => (out.as_deref(), values.as_deref()),
    };
    let mut run = Run::start(&args.run, Some(&args.device))?;
    run.progress.stage("reading");
    let segments = args.segments.open()?;
    let outputs = Outputs {
        starts: run.output(starts)?,
        ids: run.output(args.ids.as_deref())?,
        exact: run.bytes_output(args.exact.as_deref())?,
        values: run.output(values)?,
        plot: run.bytes_output(args.plot.as_deref())?,
    };
    let device = args.device.open()?;
    let job = Job { args: &args, run, input: &segments, outputs, device };
    with_dtype!(segments.dtype, T => match args.grid {
        Some(range) => job.on_grid::<T>(range),
        None => job.pieces::<T>(),
    })
}

/// What is to be written.
struct Outputs {
    starts: Option<Output>,
    ids: Option<Output>,
    exact: Option<Output>,
    values: Option<Output>,
    plot: Option<Output>,
}

/// Everything about a run except its type.
struct Job<'j> {
    args: &'j Args,
    run: Run,
    input: &'j Segments,
    outputs: Outputs,
    device: Device,
}

impl Job<'_> {
    fn builder(&self) -> Builder {
        let side = if self.args.upper { Side::Upper } else { Side::Lower };
        Builder::new().side(side).engine(self.args.engine).device(self.device.clone())
    }

    /// The lines of the report that all runs have.
    fn summary(&self, dtype: &'static str, chosen: &Chosen, time: Duration, items: (usize, &'static str)) -> Summary {
        let (input, count) = (self.input, self.input.len);
        let mut summary = Summary::new("envelope");
        summary.line("segments", format_args!("{} x {dtype} ({})", show_count(count), input.origin()));
        summary.value("segments", json!({"origin": input.origin(), "count": count, "dtype": dtype}));
        let side = if self.args.upper { "upper" } else { "lower" };
        summary.answered(chosen, self.run.threads, side);
        summary.value("side", side);
        summary.speed(time, items.0, items.1);
        summary
    }
}

/// The number of a segment as files have it.
fn signed(id: u32) -> i64 {
    if id == Envelope::GAP { -1 } else { id.into() }
}
