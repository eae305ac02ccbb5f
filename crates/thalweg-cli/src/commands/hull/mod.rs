//! `thalweg hull`: the convex hull of points.

mod plot;

use std::path::PathBuf;

use serde_json::{Value, json};
use thalweg::geometry::Coordinate;
use thalweg::geometry::hull::{Builder, Engine};
use thalweg_cli::choice::{engine_of, one_of};
use thalweg_cli::device::{DeviceArgs, let_go, say_chosen};
use thalweg_cli::dtype::{DType, Element, with_dtype};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::points::{PointArgs, Points};
use thalweg_cli::numbers::{counted, show_count};
use thalweg_cli::output::{self, Output};
use thalweg_cli::progress::Progress;
use thalweg_data::exact::Exact;
use thalweg_data::hulls::Certificate;

use super::report::{Table, timed};
use super::summary::Summary;
use super::{Run, RunArgs};

/// Find the convex hull of points: its corners, counter-clockwise from the smallest by x, then y
///
/// The answer is exact for all integers and floats. Without files, makes points and shows what the engine does with them.
#[derive(clap::Args)]
#[command(mut_arg("seed", |arg| arg.conflicts_with("points")), after_help = "Files are .npy if their name ends so or their content says so, otherwise raw little-endian \
    binary; - is standard input or output. Of equal points the lowest index is told. The report goes to stdout, or to \
    stderr if a result does.")]
pub struct Args {
    /// Where the hull goes: int64 indices, or points of the input's type and shape (h, 2)
    #[arg(short, long, value_name = "FILE", group = "results")]
    out: Option<PathBuf>,

    /// What to write of the hull: the indices of its points, or the points
    #[arg(long, value_parser = one_of(What::ALL, What::name), default_value = "index", requires = "out")]
    what: What,

    /// All points on the boundary, each place once, not only the corners
    #[arg(long)]
    boundary: bool,

    /// Draw the points (some of them, if they are many) and the hull
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,

    /// The engine (default: the library's choice; see `thalweg info`)
    #[arg(long, value_parser = engine_of(Engine::ALL, Engine::name))]
    engine: Option<Engine>,

    #[command(flatten)]
    points: PointArgs,

    #[command(flatten)]
    device: DeviceArgs,

    #[command(flatten)]
    run: RunArgs,
}

/// What is written of the hull.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Index,
    Points,
}

impl What {
    const ALL: &'static [Self] = &[Self::Index, Self::Points];

    const fn name(self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::Points => "points",
        }
    }
}

/// Runs the command.
pub fn run(args: Args) -> Outcome {
    let mut run = Run::start(&args.run, Some(&args.device))?;
    run.progress.stage("reading");
    let points = args.points.open()?;
    let out = run.output(args.out.as_deref())?;
    let plot = run.bytes_output(args.plot.as_deref())?;
    with_dtype!(points.dtype, T => solve::<T>(&args, run, &points, out, plot))
}

fn solve<T: Element + Coordinate + Exact>(
    args: &Args,
    run: Run,
    input: &Points,
    out: Option<Output>,
    plot: Option<Output>,
) -> Outcome {
    let points = input.get::<T>()?;
    let in_place = matches!(points, std::borrow::Cow::Borrowed(_));
    run.progress.say(format_args!("points: {}", input.describe(in_place)));
    let builder = Builder::new().boundary(args.boundary).engine(args.engine).device(args.device.open()?);
    run.progress.stage("answering");
    let (found, time) = timed(|| builder.hull(&points));
    let (found, chosen) = found.map_err(|error| input.failure(error))?.into_parts();
    say_chosen(&run.progress, &chosen, args.engine.is_some());
    let_go(builder);
    let hull: Vec<usize> = found.iter().map(|position| position.expect("hulls have no gaps")).collect();

    run.progress.stage("checking");
    let mut verified = 0;
    if !args.run.verify.is_off() {
        let wrong = |text| Failure::wrong_answer(format_args!("engine {}: {text}", chosen.engine()));
        let certificate = Certificate::new(&points, &hull, args.boundary).map_err(wrong)?;
        verified = args.run.verify.check(points.len(), &|_| 64, &|i| {
            certificate.complaint(i).map(|text| format!("engine {}: {text}", chosen.engine()))
        })?;
    }

    let what = if args.boundary { "points on the boundary" } else { "corners" };
    let mut summary = Summary::new("hull");
    summary.line("points", format_args!("{} x {} ({})", show_count(points.len()), T::NAME, input.origin()));
    summary.value("points", json!({"origin": input.origin(), "count": points.len(), "dtype": T::NAME}));
    summary.answered(&chosen, run.threads, "");
    summary.speed(time, points.len(), "point");
    let thing = if args.boundary { "point" } else { "corner" };
    let place = if args.boundary { " on the boundary" } else { "" };
    summary.line("hull", format_args!("{}{place}", counted(hull.len(), thing)));
    summary.value("boundary", args.boundary);
    summary.value("count", hull.len());
    summary.verified(verified, points.len(), "point", "none is outside, and the path is convex");

    let mut done = Vec::new();
    if let Some(mut out) = out {
        let (count, dtype) = write(args.what, &points, &hull, &mut out, &run.progress)?;
        summary.written_elements(&out.name, count, dtype);
        done.push(out);
    }
    if let Some(mut plot) = plot {
        let near = |i: usize| points[i].map(Exact::double);
        plot.write_text(&plot::draw(points.len(), &near, &hull, what))?;
        summary.line("drawn", &plot.name);
        summary.value("plot", plot.name.clone());
        done.push(plot);
    }
    output::commit(done)?;
    summary.answers(&table(&points, &hull));
    let stdout_taken = run.stdout_taken;
    drop(run);
    summary.print(args.run.json, stdout_taken)
}

/// Writes the hull; how many elements of which type.
fn write<T: Element>(
    what: What,
    points: &[[T; 2]],
    hull: &[usize],
    out: &mut Output,
    progress: &Progress,
) -> Outcome<(usize, &'static str)> {
    match what {
        What::Index => {
            progress.steps("writing", hull.len());
            out.write_as(&[hull.len()], hull, |position| position as i64, progress)?;
            Ok((hull.len(), DType::I64.name()))
        }
        What::Points => {
            progress.steps("writing", 2 * hull.len());
            let corners: Vec<[T; 2]> = hull.iter().map(|&position| points[position]).collect();
            out.write(&[hull.len(), 2], corners.as_flattened(), progress)?;
            Ok((2 * hull.len(), T::NAME))
        }
    }
}

/// The first few corners.
fn table<T: Element>(points: &[[T; 2]], hull: &[usize]) -> Table {
    let row = |&position: &usize| {
        let [x, y] = points[position].map(Element::to_json);
        vec![Value::from(position), x, y]
    };
    Table::first(vec!["index", "x", "y"], hull.iter().map(row), hull.len())
}
