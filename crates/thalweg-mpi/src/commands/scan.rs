//! `thalweg-mpi scan`: running totals of an array.

use std::ops::Add;
use std::path::PathBuf;

use thalweg::{Key, Order};
use thalweg_cli::choice::one_of;
use thalweg_cli::dtype::{DType, Element, with_dtype};
use thalweg_cli::failure::Failure;
use thalweg_cli::input::array::{Array, ArrayArgs};
use thalweg_cli::memory;
use thalweg_parts::{Ranks, scan};

use crate::report::{Job, Report, RunArgs};
use crate::world::{Run, World};

/// How elements are combined.
#[derive(Clone, Copy, PartialEq)]
enum Operation {
    Sum,
    Min,
    Max,
}

fn operation_name(operation: Operation) -> &'static str {
    match operation {
        Operation::Sum => "sum",
        Operation::Min => "min",
        Operation::Max => "max",
    }
}

/// Find all running totals: of every element and those before it
#[derive(clap::Args)]
#[command(
    after_help = "Sums of integers have 64 bits, with a sign if the elements have one, and wrap around; sums of floats are float64, \
    and the same bits on any number of ranks and threads. Minima and maxima have the array's type; NaN counts as worse than everything."
)]
pub struct Args {
    /// Where the totals go
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// How elements are combined
    #[arg(long, value_parser = one_of(&[Operation::Sum, Operation::Min, Operation::Max], operation_name), default_value = "sum")]
    op: Operation,

    /// Of those before every element, without itself: the first is 0, or the worst value of the type
    #[arg(long)]
    exclusive: bool,

    #[command(flatten)]
    array: ArrayArgs,

    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command.
pub fn run(world: &World, args: &Args) -> Run {
    let job = Job::start(world, &args.run)?;
    let array = job.open_array(&args.array)?;
    let order = match args.op {
        Operation::Sum => None,
        Operation::Min => Some(Order::Min),
        Operation::Max => Some(Order::Max),
    };
    with_dtype!(array.dtype, T => match (order, T::DTYPE) {
        (Some(order), _) => {
            let values = part::<T, T>(world, &array, |x| x)?;
            let better = move |a: T, b: T| if b.rank(order) < a.rank(order) { b } else { a };
            solve(job, args, &array, &values, worst::<T>(args.op), better)
        }
        (None, DType::F32 | DType::F64) => {
            solve(job, args, &array, &part::<T, f64>(world, &array, T::to_f64)?, 0.0, f64::add)
        }
        (None, DType::U8 | DType::U16 | DType::U32 | DType::U64) => {
            solve(job, args, &array, &part::<T, u64>(world, &array, T::to_low_bits)?, 0, u64::wrapping_add)
        }
        (None, _) => {
            // The sign bit moves up.
            let above = 64 - 8 * size_of::<T>() as u32;
            let wide = |x: T| (x.to_low_bits() << above) as i64 >> above;
            solve(job, args, &array, &part::<T, i64>(world, &array, wide)?, 0, i64::wrapping_add)
        }
    })
}

/// This rank's elements, converted.
fn part<T: Element, U: Element>(world: &World, array: &Array, convert: impl Fn(T) -> U + Sync) -> Run<Vec<U>> {
    let part = world.agree(array.part::<T>(world.part(array.len)))?;
    world.agree(memory::computed(part.len(), "the elements", |i| convert(part[i])))
}

/// What is not better than any element.
fn worst<T: Element>(operation: Operation) -> T {
    let is_signed = T::from_f64(-1.0) < T::default();
    let top = 1u64 << (8 * size_of::<T>() - 1);
    match (T::FLOAT, operation) {
        (true, _) => T::from_f64(f64::NAN),
        (false, Operation::Max) => T::from_low_bits(if is_signed { top } else { 0 }),
        (false, _) => T::from_low_bits(if is_signed { top - 1 } else { u64::MAX }),
    }
}

fn solve<U: Element>(
    mut job: Job<'_>,
    args: &Args,
    array: &Array,
    values: &[U],
    identity: U,
    op: impl Fn(U, U) -> U + Sync,
) -> Run {
    let world = job.world;
    let mut out = job.result(args.out.as_deref())?;
    let mut totals = world.agree(memory::filled(values.len(), identity, "the totals"))?;
    let ((), time) = job.timed(Failure::from, || match args.exclusive {
        true => scan::exclusive(world, values, array.len, &mut totals, identity, &op),
        false => scan::inclusive(world, values, array.len, &mut totals, identity, &op),
    })?;
    if let Some(out) = &mut out {
        out.write(world, array.len, None, &|range, place: &mut [U]| place.copy_from_slice(&totals[range]))?;
    }
    let report = Report {
        problem: "scan",
        origin: array.origin(),
        dtype: array.dtype.name(),
        count: array.len,
        thing: "element",
        time,
        more: Vec::new(),
    };
    job.finish([out], report)
}
