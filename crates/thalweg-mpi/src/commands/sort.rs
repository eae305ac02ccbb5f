//! `thalweg-mpi sort`: a stable sort.

use std::path::PathBuf;

use rayon::prelude::*;
use thalweg::Order;
use thalweg_cli::dtype::{Element, with_dtype};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::array::{Array, ArrayArgs};
use thalweg_cli::memory;
use thalweg_core::bits::BitsMut;
use thalweg_core::{Coding, PositionsMut, PositionsRef, Rank};
use thalweg_parts::ranks::{gather, gather_one};
use thalweg_parts::{Ranks, sort};

use crate::report::{Job, Report, RunArgs};
use crate::verify::CheckArgs;
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
    verify: CheckArgs,

    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command.
pub fn run(world: &World, args: &Args) -> Run {
    let job = Job::start(world, &args.run)?;
    let array = job.open_array(&args.array)?;
    with_dtype!(array.dtype, T => solve::<T>(job, args, &array))
}

fn solve<T: Element>(mut job: Job<'_>, args: &Args, array: &Array) -> Run {
    let world = job.world;
    let mut out = job.result(args.out.as_deref())?;
    let mut positions_out = job.result(args.positions.as_deref())?;
    let range = world.part(array.len);
    let part = world.agree(array.part::<T>(range.clone()))?;
    let mut keys = world.agree(memory::computed(part.len(), "the elements", |i| part[i]))?;
    let count = if positions_out.is_some() { range.len() } else { 0 };
    let mut positions = world.agree(memory::filled(count, 0u64, "the positions"))?;
    let coding = Coding::of::<T>(if args.max { Order::Max } else { Order::Min });
    let ((), time) = job.timed(Failure::from, || {
        let positions = positions_out.is_some().then_some(PositionsMut::U64(&mut positions));
        sort::sort(world, BitsMut::of(&mut keys), array.len, coding, positions)
    })?;
    if out.is_some() || positions_out.is_none() {
        world.spoil(&mut keys)
    } else {
        world.spoil(&mut positions)
    }
    let sorted = Sorted { keys: &keys, positions: positions_out.is_some().then_some(&positions[..]) };
    let verified = job.checked(sorted.check(world, args, array, &part)?)?;
    if let Some(out) = &mut out {
        out.write(world, array.len, None, &|range, place: &mut [T]| place.copy_from_slice(&keys[range]))?;
    }
    if let Some(out) = &mut positions_out {
        out.write_positions(world, array.len, &[PositionsRef::U64(&positions)])?;
    }
    let report = Report {
        problem: "sort",
        origin: array.origin(),
        dtype: T::NAME,
        count: array.len,
        thing: "element",
        time,
        more: vec![("verified", verified.into())],
    };
    job.finish([out, positions_out], report)
}

/// This rank's part of the result.
struct Sorted<'s, T> {
    keys: &'s [T],
    positions: Option<&'s [u64]>,
}

impl<T: Element> Sorted<'_, T> {
    /// Checks that elements do not come before better ones, that they are those of the array, and that they lie where they are said to.
    fn check(&self, world: &World, args: &Args, array: &Array, part: &[T]) -> Run<Outcome<usize>> {
        if args.verify.is_off() {
            return Ok(Ok(0));
        }
        let order = if args.max { Order::Max } else { Order::Min };
        let range = world.part(array.len);
        let fingerprints = gather_one(
            world,
            [
                fingerprint(part.len(), |i| part[i].to_low_bits()),
                fingerprint(self.keys.len(), |i| self.keys[i].to_low_bits()),
                fingerprint(part.len(), |i| (range.start + i) as u64),
                self.positions.map_or(0, |positions| fingerprint(positions.len(), |i| positions[i])),
            ],
        )?;
        let [part, keys, places, positions] =
            [0, 1, 2, 3].map(|i| fingerprints.iter().fold(0u64, |sum, all| sum.wrapping_add(all[i])));
        if part != keys {
            return Ok(Err(Failure::wrong_answer("the sorted elements are not those of the array")));
        }
        if self.positions.is_some() && places != positions {
            return Ok(Err(Failure::wrong_answer("the positions are not all positions of the array")));
        }
        // Rank and position of the last element of the ranks before this one.
        let entry = |i: usize| [self.keys[i].rank(order).to_u64(), self.positions.map_or(0, |positions| positions[i])];
        let last = self.keys.len().checked_sub(1).map(entry);
        let lasts = gather(world, last.as_ref().map_or(&[][..], bytemuck::bytes_of))?;
        let before = lasts[..world.rank()].iter().rev().find(|last| !last.is_empty());
        let before: Option<[u64; 2]> = before.map(|last| bytemuck::pod_read_unaligned(last));
        // All ranks see the file; what they do not touch of it is not read.
        let all = match self.positions {
            Some(_) => Some(world.agree(array.elements_unread::<T>())?),
            None => None,
        };
        let sample = args.verify.sample(self.keys.len());
        let wrong = |i: usize| {
            let ([rank, position], before) = (entry(i), if i == 0 { before } else { Some(entry(i - 1)) });
            before
                .is_some_and(|[better, earlier]| rank < better || rank == better && all.is_some() && position < earlier)
        };
        Ok(sample.check(&|k| {
            if let Some(i) = sample.range(k).find(|&i| wrong(i)) {
                return Some(format!("element {} of the result belongs before the one before it", range.start + i));
            }
            let (all, positions, row) = (all.as_ref()?, self.positions?, sample.row(k));
            let there = all.get(positions[row] as usize).map(|x| x.to_low_bits());
            (there != Some(self.keys[row].to_low_bits())).then(|| {
                format!("element {} of the result does not lie at position {}", range.start + row, positions[row])
            })
        }))
    }
}

/// A number that numbers in another order have, too, and others hardly ever: the sum of their hashes (SplitMix64's mixing).
fn fingerprint(count: usize, number: impl Fn(usize) -> u64 + Sync) -> u64 {
    let hash = |i: usize| {
        let mut x = number(i).wrapping_add(0x9e37_79b9_7f4a_7c15);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    };
    (0..count).into_par_iter().with_min_len(1 << 14).map(hash).reduce(|| 0, u64::wrapping_add)
}
