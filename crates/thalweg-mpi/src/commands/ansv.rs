//! `thalweg-mpi ansv`: the nearest smaller values of every element.

use std::path::PathBuf;
use std::time::Duration;

use thalweg::ansv::{Engine, Outputs, Relation, Sides};
use thalweg_cli::choice::one_of;
use thalweg_cli::dtype::{Element, with_dtype};
use thalweg_cli::failure::Failure;
use thalweg_cli::input::array::{Array, ArrayArgs};
use thalweg_cli::memory;
use thalweg_core::bits::Bits;
use thalweg_core::{Coding, Position};
use thalweg_parts::{Ranks, ansv, part_of};

use super::open_array;
use crate::files::{Results, commit};
use crate::report::{Report, RunArgs, timed};
use crate::world::{Run, World};

/// Find every element's nearest smaller element to the left and to the right
#[derive(clap::Args)]
pub struct Args {
    /// Where both neighbours' positions go: int64 of shape (n, 2), left and right, -1 for none
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Where the left neighbours' positions go: int64, -1 for none
    #[arg(long, value_name = "FILE")]
    left: Option<PathBuf>,

    /// Where the right neighbours' positions go: int64, -1 for none
    #[arg(long, value_name = "FILE")]
    right: Option<PathBuf>,

    /// What the neighbour is, compared with the element
    #[arg(long, value_parser = one_of(&Relation::ALL, Relation::name), default_value = "smaller")]
    relation: Relation,

    /// Find greater elements: --relation greater
    #[arg(long, conflicts_with = "relation")]
    max: bool,

    /// Solve it so often, and tell the best time
    #[arg(long, value_name = "TIMES", default_value_t = 1)]
    repeat: usize,

    /// Time the engine of one process in turns with it, and compare the answers: on one rank only
    #[arg(long)]
    compare: bool,

    #[command(flatten)]
    array: ArrayArgs,

    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command.
pub fn run(world: &World, args: &Args) -> Run {
    args.run.start(world)?;
    let array = open_array(world, &args.array)?;
    with_dtype!(array.dtype, T => match u32::fits(array.len) {
        true => solve::<T, u32>(world, args, &array),
        false => solve::<T, u64>(world, args, &array),
    })
}

fn solve<T: Element, P: Position>(world: &World, args: &Args, array: &Array) -> Run {
    let mut results = Results::default();
    let mut out = results.create(world, args.out.as_deref(), args.run.raw)?;
    let mut left_out = results.create(world, args.left.as_deref(), args.run.raw)?;
    let mut right_out = results.create(world, args.right.as_deref(), args.run.raw)?;
    let relation = if args.max { Relation::Greater } else { args.relation };
    // Without files both sides are computed, for the report.
    let both = out.is_some() || (left_out.is_none() && right_out.is_none());
    let wanted = [both || left_out.is_some(), both || right_out.is_some()];

    let range = part_of(array.len, world.rank(), world.size());
    let part = world.agree(array.part::<T>(range.clone()))?;
    let room = |wanted: bool| memory::filled(if wanted { range.len() } else { 0 }, P::default(), "the answers");
    let mut left = world.agree(room(wanted[0]))?;
    let mut right = world.agree(room(wanted[1]))?;
    let (coding, strict) = (Coding::of::<T>(relation.order()), relation.is_strict());
    if args.compare && world.size() > 1 {
        return world
            .agree(Err(Failure::new("--compare is for one rank: others would wait, and waiting takes their cores")));
    }
    let (mut traffic, mut time, mut alone) = (ansv::Traffic::default(), Duration::MAX, None);
    for _ in 0..args.repeat.max(1) {
        let sides = Sides { left: wanted[0].then_some(&mut left[..]), right: wanted[1].then_some(&mut right[..]) };
        let done = timed(world, Failure::from, || {
            ansv::solve(world, Bits::of(&part), array.len, coding, strict, Outputs::of(sides))
        })?;
        (traffic, time) = (done.0, time.min(done.1));
        if args.compare {
            let [mut l, mut r] = [world.agree(room(wanted[0]))?, world.agree(room(wanted[1]))?];
            let sides = Sides { left: wanted[0].then_some(&mut l[..]), right: wanted[1].then_some(&mut r[..]) };
            let engine = thalweg::ansv::engine(Engine::Tiles)?;
            let ((), took) =
                timed(world, Failure::from, || thalweg_arrays::ansv::solve_into(&part[..], relation, &*engine, sides))?;
            alone = Some(alone.unwrap_or(Duration::MAX).min(took));
            if l != left || r != right {
                return world.agree(Err(Failure::wrong_answer("the engine of one process has other answers")));
            }
        }
    }

    let (left, right) = (P::view(&left), P::view(&right));
    for (result, lists) in [(&mut out, &[left, right][..]), (&mut left_out, &[left]), (&mut right_out, &[right])] {
        if let Some(result) = result {
            result.write_positions(world, array.len, lists)?;
        }
    }
    commit(world, [out, left_out, right_out].into_iter().flatten())?;
    let sent = thalweg_parts::ranks::gather_one(world, [traffic.sent as u64, traffic.bytes as u64])?;
    let most = |i: usize| sent.iter().map(|sent| sent[i]).max().unwrap_or(0);
    Report {
        problem: "ansv",
        origin: array.origin(),
        dtype: T::NAME,
        count: array.len,
        thing: "element",
        time,
        more: [("minima_sent_by_a_rank", most(0).into()), ("bytes_sent_by_a_rank", most(1).into())]
            .into_iter()
            .chain(alone.map(|alone| ("seconds_of_one_process", alone.as_secs_f64().into())))
            .collect(),
        args: &args.run,
    }
    .print(world)
}
