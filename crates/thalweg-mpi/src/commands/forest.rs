//! `thalweg-mpi forest`: roots and depths of a forest.

use std::path::PathBuf;

use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::links::ForestArgs;
use thalweg_cli::progress::Progress;
use thalweg_core::{Position, PositionsRef};
use thalweg_parts::{Ranks, forest};

use crate::files::expect_file;
use crate::report::{Job, Report, RunArgs};
use crate::verify::{CheckArgs, ask};
use crate::world::{Run, World};

/// Find roots and depths of a forest
#[derive(clap::Args)]
#[command(mut_arg("seed", |arg| arg.conflicts_with("parents")), mut_arg("dtype", |arg| arg.requires("parents").conflicts_with("n")),
    after_help = "Subtree sizes, preorder and postorder need one process: thalweg forest.")]
pub struct Args {
    /// Where the root of every node goes: int64
    #[arg(long, value_name = "FILE")]
    roots: Option<PathBuf>,

    /// Where the depth of every node goes, 0 for roots: int64
    #[arg(long, value_name = "FILE")]
    depths: Option<PathBuf>,

    #[command(flatten)]
    forest: ForestArgs,

    #[command(flatten)]
    verify: CheckArgs,

    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command.
pub fn run(world: &World, args: &Args) -> Run {
    let mut job = Job::start(world, &args.run)?;
    let open = || {
        expect_file(args.forest.parents.as_deref(), "--parents")?;
        args.forest.open(&Progress::new(false))
    };
    let links = world.agree(open())?;
    job.same_everywhere(&links.origin(), links.len, 1)?;
    let mut roots_out = job.result(args.roots.as_deref())?;
    let mut depths_out = job.result(args.depths.as_deref())?;
    let parents = world.agree(links.part::<u64>(world.part(links.len)))?;
    let ([mut roots, mut depths], time) = job.timed(
        |error| links.failure(error),
        || forest::roots_and_depths(world, PositionsRef::U64(&parents), links.len),
    )?;
    world.spoil(if depths_out.is_some() { &mut depths } else { &mut roots });
    let verified = job.checked(check(world, args, links.len, &parents, [&roots, &depths])?)?;
    for (out, found) in [(&mut roots_out, &roots), (&mut depths_out, &depths)] {
        if let Some(out) = out {
            out.write_positions(world, links.len, &[PositionsRef::U64(found)])?;
        }
    }
    let report = Report {
        problem: "forest",
        origin: links.origin(),
        dtype: links.own_dtype("u64"),
        count: links.len,
        thing: "node",
        time,
        more: vec![("verified", verified.into())],
    };
    job.finish([roots_out, depths_out], report)
}

/// Checks that nodes have their parents' roots, and are one deeper; roots are their own.
fn check(world: &World, args: &Args, len: usize, parents: &[u64], found: [&[u64]; 2]) -> Run<Outcome<usize>> {
    if args.verify.is_off() {
        return Ok(Ok(0));
    }
    let first = world.part(len).start;
    let parent = |v: usize| parents[v].checked().filter(|&parent| parent != first + v);
    let own = |v: usize| found.map(|list| list[v]);
    let check = |v: usize, told: Option<[u64; 2]>| {
        let expected = told.map_or([(first + v) as u64, 0], |[root, depth]| [root, depth.wrapping_add(1)]);
        (own(v) != expected).then(|| {
            let [[root, depth], [right_root, right_depth]] = [own(v), expected];
            format!("node {}: root {root} and depth {depth}, from its parent {right_root} and {right_depth}", first + v)
        })
    };
    let sample = args.verify.sample(parents.len());
    let wrong = ask(world, len, sample, &parent, &mut |v| own(v), &check)?;
    Ok(wrong.map_or(Ok(sample.count), |text| Err(Failure::wrong_answer(text))))
}
