//! `thalweg-mpi sort`: a stable sort.

use std::path::PathBuf;

use thalweg::Order;
use thalweg_cli::dtype::{Element, with_dtype};
use thalweg_cli::failure::Failure;
use thalweg_cli::input::array::{Array, ArrayArgs};
use thalweg_cli::memory;
use thalweg_core::bits::BitsMut;
use thalweg_core::{Coding, PositionsMut, PositionsRef};
use thalweg_parts::{Ranks, part_of, sort};

use super::open_array;
use crate::files::{Results, commit};
use crate::report::{Report, RunArgs, timed};
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
    args.run.start(world)?;
    let array = open_array(world, &args.array)?;
    with_dtype!(array.dtype, T => solve::<T>(world, args, &array))
}

fn solve<T: Element>(world: &World, args: &Args, array: &Array) -> Run {
    let mut results = Results::default();
    let mut out = results.create(world, args.out.as_deref(), args.run.raw)?;
    let mut positions_out = results.create(world, args.positions.as_deref(), args.run.raw)?;
    let range = part_of(array.len, world.rank(), world.size());
    let part = world.agree(array.part::<T>(range.clone()))?;
    let mut keys = world.agree(memory::computed(part.len(), "the elements", |i| part[i]))?;
    let count = if positions_out.is_some() { range.len() } else { 0 };
    let mut positions = world.agree(memory::filled(count, 0u64, "the positions"))?;
    let coding = Coding::of::<T>(if args.max { Order::Max } else { Order::Min });
    let ((), time) = timed(world, Failure::from, || {
        let positions = positions_out.is_some().then_some(PositionsMut::U64(&mut positions));
        sort::sort(world, BitsMut::of(&mut keys), array.len, coding, positions)
    })?;
    if let Some(out) = &mut out {
        out.write(world, array.len, None, &|range, place: &mut [T]| place.copy_from_slice(&keys[range]))?;
    }
    if let Some(out) = &mut positions_out {
        out.write_positions(world, array.len, &[PositionsRef::U64(&positions)])?;
    }
    commit(world, [out, positions_out].into_iter().flatten())?;
    Report {
        problem: "sort",
        origin: array.origin(),
        dtype: T::NAME,
        count: array.len,
        thing: "element",
        time,
        more: Vec::new(),
        args: &args.run,
    }
    .print(world)
}
