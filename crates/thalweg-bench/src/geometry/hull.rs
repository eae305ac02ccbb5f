//! `thalweg-bench geometry hull`: convex hulls.

use std::hint::black_box;

use geo::ConvexHull;
use thalweg::geometry::Coordinate;
use thalweg::geometry::hull::{Builder, Engine};
use thalweg::{Answer, Device};
use thalweg_cli::failure::Outcome;
use thalweg_cli::memory;
use thalweg_data::PointKind;
use thalweg_data::exact::Exact;

use crate::bench::{Bench, Case, Common, Selection, drive, on_gpu, timed_types};
use crate::cases::hull::expected;
use crate::columns::{self, table};
use crate::report::Row;
use crate::timing::time;

/// Convex hulls: the corners
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// Engines to time, or all
    #[arg(long, num_args = 1.., value_delimiter = ',', default_value = "all")]
    engine: Vec<String>,
}

/// Engines take part up to these lengths unless they are named: sequential ones, and the one that computes in big integers for
/// every point and corner.
const SLOW: usize = 1 << 22;
const SLOWEST: usize = 1 << 8;

/// Runs the benchmark.
pub fn run(args: Args) -> Outcome {
    on_gpu!(args.common, crate::gpu::hull::run(&args.common, &args.engine));
    drive(&HullBench { selection: Selection::parse(&args.engine, Engine::ALL)? }, &args.common)
}

struct HullBench {
    selection: Selection<Engine>,
}

/// Who takes part.
#[derive(Clone, Copy, PartialEq)]
enum Entrant {
    Ours(Engine),
    /// The crate `geo`: quickhull with robust predicates, on one thread.
    Geo,
    /// Reads all coordinates and adds them up, on one thread: nothing is faster.
    Read,
}

impl Entrant {
    fn name(self) -> &'static str {
        match self {
            Self::Ours(engine) => engine.name(),
            Self::Geo => "geo",
            Self::Read => "plain read",
        }
    }
}

impl HullBench {
    fn entrants(&self, case: &mut Case<'_>) -> Vec<Entrant> {
        let mut entrants = Vec::new();
        for &engine in &self.selection.engines {
            let most = match engine {
                Engine::Naive => SLOWEST,
                Engine::Graham | Engine::Wagener => SLOW,
                _ => usize::MAX,
            };
            if case.n > most && !self.selection.named {
                case.skip(engine.name(), "takes long (name it to wait for it)");
            } else {
                entrants.push(Entrant::Ours(engine));
            }
        }
        if case.common.peers {
            entrants.extend([Entrant::Geo, Entrant::Read]);
        }
        entrants
    }

    fn case<T: Exact + Coordinate>(&self, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        let kind = PointKind::ALL.iter().find(|kind| kind.name() == case.kind).expect("the names have been compared");
        memory::require(case.n.saturating_mul(2 * size_of::<T>() + 100), &case.title())?;
        let points = kind.make::<T>(case.n, case.common.seed);
        let expected = expected(case, &points)?;
        let entrants = self.entrants(case);
        // As its users would have them. Integers of 64 bits become the nearest doubles, and so other points.
        let near: Vec<geo::Point> =
            if case.common.peers { points.iter().map(|p| p.map(Exact::double).into()).collect() } else { Vec::new() };
        let near = geo::MultiPoint::new(near);

        let mut rows = Vec::new();
        let mut corners_of_geo = None;
        for pool in case.pools {
            let timings = case.race(pool, "hull", entrants.len(), |i| match entrants[i] {
                Entrant::Ours(engine) => {
                    let builder = Builder::new().device(Device::Cpu).engine(engine);
                    let (took, found) = time(|| builder.hull(black_box(&points)).map(Answer::into_inner));
                    let who = format!("{} on {}", engine.name(), case.title());
                    let found: Vec<usize> = found?.iter().flatten().collect();
                    crate::check::equal(&who, "corner", &expected, &found, |&position| position)?;
                    Ok(took)
                }
                Entrant::Geo => {
                    let (took, hull) = time(|| black_box(&near).convex_hull());
                    corners_of_geo = Some(hull.exterior().0.len().saturating_sub(1));
                    Ok(took)
                }
                Entrant::Read => {
                    let (took, sum) = time(|| plain_read(black_box(&points)));
                    black_box(sum);
                    Ok(took)
                }
            })?;
            for (&entrant, timing) in entrants.iter().zip(timings) {
                let row = case.row(pool, "hull", entrant.name()).timed(timing, case.n);
                let mut row = row.moving(size_of_val(&points[..]), pool.copy_gb_per_s);
                row.peer = entrant == Entrant::Geo;
                row.default = entrant == Entrant::Ours(Engine::default());
                rows.push(row);
            }
        }
        if let Some(found) = corners_of_geo.filter(|&found| found != expected.len()) {
            case.skip("any further check of geo", format_args!("tells {found} corners, not {}", expected.len()));
        }
        Ok(rows)
    }
}

/// Combines the bits of all coordinates, without a chain of additions that would take longer than the memory.
fn plain_read<T: Exact>(points: &[[T; 2]]) -> u64 {
    let mut lanes = [0u64; 16];
    for part in points.as_flattened().chunks_exact(lanes.len()) {
        for (lane, x) in lanes.iter_mut().zip(part) {
            *lane ^= x.to_low_bits();
        }
    }
    lanes.iter().fold(0, |sum, lane| sum ^ lane)
}

impl Bench for HullBench {
    const NAME: &'static str = "geometry hull";
    const SIZES: &'static [usize] = &[1_000_000, 10_000_000];
    const UNIT: &'static str = "ns per point";
    const DEFAULT_DTYPE: &'static str = "f64";
    const DEFAULT_KIND: &'static str = "disk";

    timed_types!(f64, f32, i64, i32);

    fn kinds() -> Vec<&'static str> {
        PointKind::ALL.iter().map(|kind| kind.name()).collect()
    }

    fn tables(&self, rows: &[Row]) -> String {
        let columns = [
            columns::engine("engine"),
            columns::threads(),
            columns::ms(),
            columns::ns("ns/point"),
            columns::gb_per_s(),
            columns::versus("vs geo"),
        ];
        table(rows, columns).to_string()
    }

    fn panel(_row: &Row) -> Option<String> {
        Some("hull".into())
    }

    fn how_to_read(&self) -> String {
        "Every hull was compared with one that was checked in exact arithmetic. GB/s: over the bytes of the points. geo and\n\
         the plain read run on one thread. Above 1x is faster than geo."
            .into()
    }
}
