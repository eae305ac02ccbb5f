//! `thalweg-mpi scan`: running totals of an array.

use std::ops::Add;
use std::path::PathBuf;

use thalweg::{Key, Order};
use thalweg_cli::choice::one_of;
use thalweg_cli::dtype::{DType, Element, with_dtype};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::array::{Array, ArrayArgs};
use thalweg_cli::memory;
use thalweg_parts::ranks::{gather, gather_one};
use thalweg_parts::{Ranks, scan};

use crate::report::{Job, Report, RunArgs};
use crate::verify::CheckArgs;
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
    verify: CheckArgs,

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
    world.spoil(&mut totals);
    let verified = job.checked(check(world, args, array.len, values, &totals, identity, &op)?)?;
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
        more: vec![("verified", verified.into())],
    };
    job.finish([out], report)
}

/// Elements of a block that scans of floats sum by itself: see `thalweg_parts::scan`.
const BLOCK: usize = 1 << 14;

/// Checks that totals follow from those before them: exactly, but for sums of floats, whose order is the blocks'.
fn check<U: Element>(
    world: &World,
    args: &Args,
    len: usize,
    values: &[U],
    totals: &[U],
    identity: U,
    op: &(impl Fn(U, U) -> U + Sync),
) -> Run<Outcome<usize>> {
    if args.verify.is_off() {
        return Ok(Ok(0));
    }
    // The total up to an element and with it.
    let after = |i: usize| if args.exclusive { op(totals[i], values[i]) } else { totals[i] };
    let own = values.len().checked_sub(1).map(after);
    let ends = gather(world, own.as_ref().map_or(&[][..], bytemuck::bytes_of))?;
    let before = ends[..world.rank()].iter().rev().find(|end| !end.is_empty());
    let before = before.map_or(identity, |end| bytemuck::pod_read_unaligned(end));
    let inexact = U::FLOAT && args.op == Operation::Sum;
    let slack = match inexact {
        true => {
            let size: f64 = values.iter().map(|x| x.to_f64().abs()).filter(|x| x.is_finite()).sum();
            let size: f64 = gather_one(world, size)?.into_iter().sum();
            size * f64::EPSILON * (BLOCK + len / BLOCK + 2) as f64
        }
        false => 0.0,
    };
    let same = |a: U, b: U| {
        let [x, y] = [a, b].map(U::to_f64);
        a.to_low_bits() == b.to_low_bits()
            || U::FLOAT && x.is_nan() && y.is_nan()
            || inexact && (x == y || (x - y).abs() <= slack)
    };
    let (sample, first) = (args.verify.sample(values.len()), world.part(len).start);
    Ok(sample.check(&|k| {
        let range = sample.range(k);
        let (row, end) = (range.end - 1, if args.exclusive { range.end - 1 } else { range.end });
        let start = if range.start == 0 { before } else { after(range.start - 1) };
        let expected = values[range.start..end].iter().fold(start, |total, &x| op(total, x));
        let found = totals[row];
        (!same(expected, found))
            .then(|| format!("element {}: found {found:?}, from those before it {expected:?}", first + row))
    }))
}
