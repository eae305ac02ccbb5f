//! `thalweg-mpi rmq`: minima of many ranges of an array.

use std::path::PathBuf;

use thalweg::Order;
use thalweg_cli::choice::one_of;
use thalweg_cli::dtype::{Element, with_dtype};
use thalweg_cli::failure::Failure;
use thalweg_cli::input::Loaded;
use thalweg_cli::input::array::{Array, ArrayArgs};
use thalweg_cli::input::queries::{self, Batch, QueryArgs};
use thalweg_cli::memory;
use thalweg_cli::verify::VerifyArgs;
use thalweg_core::bits::{Array as Words, BitsMut};
use thalweg_core::{Coding, Pairs, PositionsMut, PositionsRef};
use thalweg_parts::Ranks;
use thalweg_parts::rmq::Index;

use crate::files::expect_file;
use crate::report::{Job, Report, RunArgs};
use crate::world::{Run, World};

/// What is asked for.
#[derive(Clone, Copy, PartialEq)]
enum What {
    Value,
    Index,
}

fn what_name(what: What) -> &'static str {
    match what {
        What::Value => "value",
        What::Index => "index",
    }
}

/// Find the smallest element of each of many ranges
#[derive(clap::Args)]
#[command(mut_arg("seed", |arg| arg.conflicts_with("queries")))]
pub struct Args {
    /// Where the results go: the array's type for values, int64 for indices
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// What to find in each range: the smallest value, or the leftmost position of it
    #[arg(long, value_parser = one_of(&[What::Value, What::Index], what_name), default_value = "value")]
    what: What,

    /// Find the largest element instead
    #[arg(long)]
    max: bool,

    #[command(flatten)]
    array: ArrayArgs,

    #[command(flatten)]
    queries: QueryArgs,

    #[command(flatten)]
    verify: VerifyArgs,

    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command.
pub fn run(world: &World, args: &Args) -> Run {
    let job = Job::start(world, &args.run)?;
    if args.queries.queries.is_some() && args.array.array.is_none() {
        let text = "--queries needs --array: ranges are asked of a certain array";
        return world.agree(Err(Failure::new(text)));
    }
    let array = job.open_array(&args.array)?;
    let open = || {
        expect_file(args.queries.queries.as_deref(), "--queries")?;
        args.queries.open()
    };
    let file = world.agree(open())?;
    let count = file.as_ref().map_or(args.queries.count, Loaded::rows);
    let origin = file.as_ref().map_or_else(|| "the queries".to_owned(), |file| file.name.clone());
    job.same_everywhere(&origin, count, 2)?;
    let rows = world.part(count);
    let batch = match &file {
        Some(file) => queries::batch_of(file, rows.clone()),
        // Made whole, as `thalweg` makes them.
        None => args.queries.generate(array.len, args.array.seed).map(|batch| match batch {
            Batch::U32(all) => Batch::U32(all[rows.clone()].to_vec().into()),
            Batch::U64(all) => Batch::U64(all[rows.clone()].to_vec().into()),
        }),
    };
    let batch = world.agree(batch)?;
    let pairs = match &batch {
        Batch::U32(pairs) => Pairs::U32(pairs),
        Batch::U64(pairs) => Pairs::U64(pairs),
    };
    let asked = Asked { file: file.as_ref(), origin, pairs, first_row: rows.start, count };
    with_dtype!(array.dtype, T => solve::<T>(job, args, &array, &asked))
}

struct Asked<'q> {
    file: Option<&'q Loaded>,
    origin: String,
    pairs: Pairs<'q>,
    first_row: usize,
    count: usize,
}

fn solve<T: Element>(mut job: Job<'_>, args: &Args, array: &Array, asked: &Asked<'_>) -> Run {
    let world = job.world;
    let mut out = job.result(args.out.as_deref())?;
    let range = world.part(array.len);
    let part = world.agree(array.part::<T>(range))?;
    let coding = Coding::of::<T>(if args.max { Order::Max } else { Order::Min });
    let (index, built) =
        job.timed(Failure::from, || Index::new(world, Words::of::<T>(&part[..]), array.len, coding))?;

    let rows = asked.pairs.len();
    let with_values = args.what == What::Value;
    let mut values = world.agree(memory::filled(if with_values { rows } else { 0 }, T::default(), "the answers"))?;
    let mut positions = world.agree(memory::filled(if with_values { 0 } else { rows }, 0u64, "the answers"))?;
    let words = |error| queries::bad_query(asked.file, &asked.origin, error);
    let ((), time) = job.timed(words, || {
        let out = (!with_values).then_some(PositionsMut::U64(&mut positions));
        let values = with_values.then_some(BitsMut::of(&mut values));
        index.answer(asked.pairs, asked.first_row, out, values)
    })?;
    if with_values {
        world.spoil(&mut values)
    } else {
        world.spoil(&mut positions)
    }
    let check = || {
        if args.verify.is_off() {
            return Ok(0);
        }
        // All ranks see the file; what they do not touch of it is not read.
        let all = array.elements_unread::<T>()?;
        let order = if args.max { Order::Max } else { Order::Min };
        let bounds = |row: usize| match asked.pairs {
            Pairs::U32(pairs) => pairs[row].map(|bound| bound as usize),
            Pairs::U64(pairs) => pairs[row].map(|bound| bound as usize),
        };
        let cost = |row: usize| {
            let [left, right] = bounds(row);
            right - left + 1
        };
        let wrong = |row: usize| {
            let [left, right] = bounds(row);
            let best = (left..=right).min_by_key(|&at| all[at].rank(order))?;
            let is_right = match with_values {
                true => values[row].rank(order) == all[best].rank(order),
                false => positions[row] == best as u64,
            };
            let row = asked.first_row + row;
            (!is_right).then(|| format!("row {row}: a plain scan of {left}..={right} finds position {best}"))
        };
        args.verify.check(rows, &cost, &wrong)
    };
    let verified = job.checked(check())?;
    if let Some(out) = &mut out {
        match with_values {
            true => {
                out.write(world, asked.count, None, &|range, place: &mut [T]| place.copy_from_slice(&values[range]))?
            }
            false => out.write_positions(world, asked.count, &[PositionsRef::U64(&positions)])?,
        }
    }
    let report = Report {
        problem: "rmq",
        origin: array.origin(),
        dtype: T::NAME,
        count: asked.count,
        thing: "query",
        time,
        more: vec![
            ("verified", verified.into()),
            ("elements", array.len.into()),
            ("build_seconds", built.as_secs_f64().into()),
            ("extra_bytes_of_a_rank", index.extra_bytes().into()),
        ],
    };
    job.finish([out], report)
}
