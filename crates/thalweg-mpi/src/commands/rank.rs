//! `thalweg-mpi rank`: how far it is to the end of linked lists.

use std::path::PathBuf;

use thalweg::list::Direction;
use thalweg_cli::choice::one_of;
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::links::ListArgs;
use thalweg_cli::input::{Loaded, integers};
use thalweg_cli::progress::Progress;
use thalweg_core::{Position, PositionsRef};
use thalweg_parts::{Ranks, list};

use crate::files::{expect_file, total};
use crate::report::{Job, Report, RunArgs};
use crate::verify::{CheckArgs, ask};
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
    verify: CheckArgs,

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
    let (mut ranks, time) = job.timed(
        |error| links.failure(error),
        || match &weights {
            Some(weights) => list::sums(world, PositionsRef::U64(&next), links.len, weights, args.direction),
            None => {
                let ranks = list::rank(world, PositionsRef::U64(&next), links.len, args.direction)?;
                Ok(bytemuck::cast_vec(ranks))
            }
        },
    )?;
    world.spoil(&mut ranks);
    let found = Found { next: &next, weights: weights.as_deref(), ranks: &ranks, len: links.len };
    let verified = job.checked(found.check(world, args)?)?;
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
        more: vec![("verified", verified.into())],
    };
    job.finish([out], report)
}

/// This rank's part of the lists, and what was found.
struct Found<'f> {
    next: &'f [u64],
    weights: Option<&'f [i64]>,
    ranks: &'f [i64],
    len: usize,
}

impl Found<'_> {
    /// Checks that the ranks of elements that follow each other differ by a link, or a weight, and that lists begin, or end, with none.
    fn check(&self, world: &World, args: &Args) -> Run<Outcome<usize>> {
        if args.verify.is_off() {
            return Ok(Ok(0));
        }
        let (first, to_end) = (world.part(self.len).start, args.direction == Direction::ToEnd);
        // Without weights, elements are counted here, one more than links.
        let weight = |i: usize| self.weights.map_or(1, |weights| weights[i]);
        let sum = |i: usize| self.ranks[i].wrapping_add(i64::from(self.weights.is_none()));
        let next = |i: usize| self.next[i].checked().filter(|&next| next != first + i);
        // What lies behind an element, or before it.
        let rest = |i: usize| sum(i).wrapping_sub(weight(i));
        let sample = args.verify.sample(self.ranks.len());
        let mut is_head = vec![sample.is_all() && !to_end; self.ranks.len()];
        let mut answer = |i: usize| {
            is_head[i] = false;
            if to_end { sum(i) } else { rest(i) }
        };
        let check = |i: usize, told: Option<i64>| {
            let (own, other) = if to_end { (rest(i), told.unwrap_or(0)) } else { (sum(i), told.unwrap_or(sum(i))) };
            (own != other).then(|| {
                let next = next(i).map_or("the end of its list".to_owned(), |next| format!("element {next}"));
                format!("element {}: {} does not follow from that of {next}", first + i, self.ranks[i])
            })
        };
        let wrong = ask(world, self.len, sample, &next, &mut answer, &check)?;
        let head = (0..is_head.len()).find(|&i| is_head[i] && rest(i) != 0);
        let wrong = wrong.or_else(|| {
            head.map(|i| format!("element {}: {}, at the beginning of its list", first + i, self.ranks[i]))
        });
        Ok(wrong.map_or(Ok(sample.count), |text| Err(Failure::wrong_answer(text))))
    }
}
