//! `thalweg-mpi sort`: a stable sort.

use std::path::PathBuf;

use thalweg::Order;
use thalweg_cli::dtype::{Element, with_dtype};
use thalweg_cli::failure::Failure;
use thalweg_cli::input::array::{Array, ArrayArgs};
use thalweg_cli::memory;
use thalweg_core::bits::BitsMut;
use thalweg_core::{Coding, PositionsMut, PositionsRef};
use thalweg_parts::{Ranks, sort};

use crate::report::{Job, Report, RunArgs};
use crate::world::{Run, World};

/// Sort an array, equal elements from left to right
#[derive(clap::Args)]
#[command(after_help = "NaN comes last, in either order; -0.0 equals 0.0.")]
pub struct Args {
    /// Where the sorted elements go
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Where the sorted elements' positions in the array go: int64
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,

    /// The largest first
    #[arg(long)]
    max: bool,

    #[command(flatten)]
    array: ArrayArgs,

    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command.
pub fn run(world: &World, args: &Args) -> Run {
    let job = Job::start(world, &args.run)?;
    let array = job.open_array(&args.array)?;
    with_dtype!(array.dtype, T => solve::<T>(job, args, &array))
}

fn solve<T: Element>(mut job: Job<'_>, args: &Args, array: &Array) -> Run {
    let world = job.world;
    let mut out = job.result(args.out.as_deref())?;
    let mut positions_out = job.result(args.positions.as_deref())?;
    let range = world.part(array.len);
    let part = world.agree(array.part::<T>(range.clone()))?;
    let mut keys = world.agree(memory::computed(part.len(), "the elements", |i| part[i]))?;
    let count = if positions_out.is_some() { range.len() } else { 0 };
    let mut positions = world.agree(memory::filled(count, 0u64, "the positions"))?;
    let coding = Coding::of::<T>(if args.max { Order::Max } else { Order::Min });
    let ((), time) = job.timed(Failure::from, || {
        let positions = positions_out.is_some().then_some(PositionsMut::U64(&mut positions));
        sort::sort(world, BitsMut::of(&mut keys), array.len, coding, positions)
    })?;
    if let Some(out) = &mut out {
        out.write(world, array.len, None, &|range, place: &mut [T]| place.copy_from_slice(&keys[range]))?;
    }
    if let Some(out) = &mut positions_out {
        out.write_positions(world, array.len, &[PositionsRef::U64(&positions)])?;
    }
    let report = Report {
        problem: "sort",
        origin: array.origin(),
        dtype: T::NAME,
        count: array.len,
        thing: "element",
        time,
        more: Vec::new(),
    };
    job.finish([out, positions_out], report)
}
