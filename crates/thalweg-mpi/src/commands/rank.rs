//! `thalweg-mpi rank`: how far it is to the end of linked lists.

use std::path::PathBuf;

use thalweg::list::Direction;
use thalweg_cli::choice::one_of;
use thalweg_cli::input::links::ListArgs;
use thalweg_cli::input::{Loaded, integers};
use thalweg_cli::progress::Progress;
use thalweg_core::PositionsRef;
use thalweg_parts::{Ranks, list};

use crate::files::{expect_file, total};
use crate::report::{Job, Report, RunArgs};
use crate::world::{Run, World};

/// Rank linked lists: the number of links, or the sum of weights, to the end of every element's list
#[derive(clap::Args)]
#[command(mut_arg("seed", |arg| arg.conflicts_with("next")), mut_arg("dtype", |arg| arg.requires("next").conflicts_with("n")),
    after_help = "Without weights, the last of a list has rank 0; with weights, an element's rank includes its own.")]
pub struct Args {
    /// Where the ranks go: int64
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// A weight for every element: integers; without it links are counted
    #[arg(long, value_name = "FILE", requires = "next")]
    weights: Option<PathBuf>,

    /// What is summed: from the element to the end of its list, or from the head to the element
    #[arg(long, value_parser = one_of(&[Direction::ToEnd, Direction::FromHead], direction_name), default_value = "to-end")]
    direction: Direction,

    #[command(flatten)]
    list: ListArgs,

    #[command(flatten)]
    run: RunArgs,
}

fn direction_name(direction: Direction) -> &'static str {
    match direction {
        Direction::ToEnd => "to_end",
        Direction::FromHead => "from_head",
    }
}

/// Runs the command.
pub fn run(world: &World, args: &Args) -> Run {
    let mut job = Job::start(world, &args.run)?;
    let open = || {
        expect_file(args.list.next.as_deref(), "--next")?;
        expect_file(args.weights.as_deref(), "--weights")?;
        args.list.open(&Progress::new(false))
    };
    let links = world.agree(open())?;
    job.same_everywhere(&links.origin(), links.len, 1)?;
    let range = world.part(links.len);
    let weights = match &args.weights {
        Some(path) => {
            let file = world.agree(Loaded::open(path, Some(links.dtype), 1))?;
            let (weights, sum) = world.agree(integers::weights_of(&file, links.len, range.clone()))?;
            let sum = total(world, sum)?;
            world.agree(integers::expect_sums(&file, sum))?;
            Some(weights)
        }
        None => None,
    };
    let mut out = job.result(args.out.as_deref())?;
    let next = world.agree(links.part::<u64>(range))?;
    let next = PositionsRef::U64(&next);
    let (ranks, time) = job.timed(
        |error| links.failure(error),
        || match &weights {
            Some(weights) => list::sums(world, next, links.len, weights, args.direction),
            None => {
                let ranks = list::rank(world, next, links.len, args.direction)?;
                Ok(bytemuck::cast_vec(ranks))
            }
        },
    )?;
    if let Some(out) = &mut out {
        out.write(world, links.len, None, &|range, place: &mut [i64]| place.copy_from_slice(&ranks[range]))?;
    }
    let report = Report {
        problem: "rank",
        origin: links.origin(),
        dtype: links.own_dtype("u64"),
        count: links.len,
        thing: "element",
        time,
        more: Vec::new(),
    };
    job.finish([out], report)
}
