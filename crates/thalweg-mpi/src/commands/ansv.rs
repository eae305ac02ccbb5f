//! `thalweg-mpi ansv`: the nearest smaller values of every element.

use std::path::PathBuf;
use std::time::Duration;

use thalweg::ansv::{Engine, Outputs, Relation, Sides};
use thalweg_cli::choice::one_of;
use thalweg_cli::dtype::{Element, with_dtype};
use thalweg_cli::failure::Failure;
use thalweg_cli::input::array::{Array, ArrayArgs};
use thalweg_cli::memory;
use thalweg_cli::verify::VerifyArgs;
use thalweg_core::bits::Bits;
use thalweg_core::{Coding, Position};
use thalweg_parts::{Ranks, ansv};

use crate::report::{Job, Report, RunArgs};
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
    verify: VerifyArgs,

    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command.
pub fn run(world: &World, args: &Args) -> Run {
    let job = Job::start(world, &args.run)?;
    let array = job.open_array(&args.array)?;
    with_dtype!(array.dtype, T => match u32::fits(array.len) {
        true => solve::<T, u32>(job, args, &array),
        false => solve::<T, u64>(job, args, &array),
    })
}

fn solve<T: Element, P: Position>(mut job: Job<'_>, args: &Args, array: &Array) -> Run {
    let world = job.world;
    let mut out = job.result(args.out.as_deref())?;
    let mut left_out = job.result(args.left.as_deref())?;
    let mut right_out = job.result(args.right.as_deref())?;
    let relation = if args.max { Relation::Greater } else { args.relation };
    // Without files both sides are computed, for the report.
    let both = out.is_some() || (left_out.is_none() && right_out.is_none());
    let wanted = [both || left_out.is_some(), both || right_out.is_some()];

    let range = world.part(array.len);
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
        let done = job.timed(Failure::from, || {
            ansv::solve(world, Bits::of(&part), array.len, coding, strict, Outputs::of(sides))
        })?;
        (traffic, time) = (done.0, time.min(done.1));
        if args.compare {
            let [mut l, mut r] = [world.agree(room(wanted[0]))?, world.agree(room(wanted[1]))?];
            let sides = Sides { left: wanted[0].then_some(&mut l[..]), right: wanted[1].then_some(&mut r[..]) };
            let engine = thalweg::ansv::engine(Engine::Tiles)?;
            let ((), took) =
                job.timed(Failure::from, || thalweg_arrays::ansv::solve_into(&part[..], relation, &*engine, sides))?;
            alone = Some(alone.unwrap_or(Duration::MAX).min(took));
            if l != left || r != right {
                return world.agree(Err(Failure::wrong_answer("the engine of one process has other answers")));
            }
        }
    }

    world.spoil(if wanted[0] { &mut left } else { &mut right });
    let check = || {
        if args.verify.is_off() {
            return Ok(0);
        }
        // All ranks see the file; what they do not touch of it is not read.
        let all = array.elements_unread::<T>()?;
        let sides = [(&left, false), (&right, true)];
        let find = |i: usize, to_right: bool| {
            let (own, order) = (all[i].rank(relation.order()), relation.order());
            let is_one = |&p: &usize| all[p].rank(order) < own || !strict && all[p].rank(order) == own;
            if to_right { (i + 1..all.len()).find(is_one) } else { (0..i).rev().find(is_one) }
        };
        let asked = || sides.iter().zip(wanted).filter(|&(_, wanted)| wanted).map(|(side, _)| *side);
        let distance = |i: usize, found: Option<usize>| found.map_or(array.len, |p| p.abs_diff(i));
        let cost = |row: usize| asked().map(|(list, _)| distance(range.start + row, list[row].checked())).sum();
        let wrong = |row: usize| {
            let i = range.start + row;
            let (list, to_right) = asked().find(|&(list, to_right)| list[row].checked() != find(i, to_right))?;
            let name = if to_right { "right" } else { "left" };
            Some(format!(
                "element {i}: found {:?} on the {name}, a plain scan {:?}",
                list[row].checked(),
                find(i, to_right)
            ))
        };
        args.verify.check(range.len(), &cost, &wrong)
    };
    let verified = job.checked(check())?;
    let (left, right) = (P::view(&left), P::view(&right));
    for (result, lists) in [(&mut out, &[left, right][..]), (&mut left_out, &[left]), (&mut right_out, &[right])] {
        if let Some(result) = result {
            result.write_positions(world, array.len, lists)?;
        }
    }
    let sent = thalweg_parts::ranks::gather_one(world, [traffic.sent as u64, traffic.bytes as u64])?;
    let most = |i: usize| sent.iter().map(|sent| sent[i]).max().unwrap_or(0);
    let report = Report {
        problem: "ansv",
        origin: array.origin(),
        dtype: T::NAME,
        count: array.len,
        thing: "element",
        time,
        more: [
            ("verified", verified.into()),
            ("minima_sent_by_a_rank", most(0).into()),
            ("bytes_sent_by_a_rank", most(1).into()),
        ]
        .into_iter()
        .chain(alone.map(|alone| ("seconds_of_one_process", alone.as_secs_f64().into())))
        .collect(),
    };
    job.finish([out, left_out, right_out], report)
}
