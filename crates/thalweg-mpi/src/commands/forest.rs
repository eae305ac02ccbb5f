//! `thalweg-mpi forest`: roots and depths of a forest.

use std::path::PathBuf;

use thalweg_cli::input::links::ForestArgs;
use thalweg_cli::progress::Progress;
use thalweg_core::PositionsRef;
use thalweg_parts::{Ranks, forest, part_of};

use super::same_everywhere;
use crate::files::{Results, commit, expect_file};
use crate::report::{Report, RunArgs, timed};
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
    run: RunArgs,
}

/// Runs the command.
pub fn run(world: &World, args: &Args) -> Run {
    args.run.start(world)?;
    let open = || {
        expect_file(args.forest.parents.as_deref(), "--parents")?;
        args.forest.open(&Progress::new(false))
    };
    let links = world.agree(open())?;
    same_everywhere(world, &links.origin(), links.len, 1)?;
    let mut results = Results::default();
    let mut roots_out = results.create(world, args.roots.as_deref(), args.run.raw)?;
    let mut depths_out = results.create(world, args.depths.as_deref(), args.run.raw)?;
    let parents = world.agree(links.part::<u64>(part_of(links.len, world.rank(), world.size())))?;
    let ([roots, depths], time) = timed(
        world,
        |error| links.failure(error),
        || forest::roots_and_depths(world, PositionsRef::U64(&parents), links.len),
    )?;
    for (out, found) in [(&mut roots_out, &roots), (&mut depths_out, &depths)] {
        if let Some(out) = out {
            out.write_positions(world, links.len, &[PositionsRef::U64(found)])?;
        }
    }
    commit(world, [roots_out, depths_out].into_iter().flatten())?;
    Report {
        problem: "forest",
        origin: links.origin(),
        dtype: links.own_dtype("u64"),
        count: links.len,
        thing: "node",
        time,
        more: Vec::new(),
        args: &args.run,
    }
    .print(world)
}
