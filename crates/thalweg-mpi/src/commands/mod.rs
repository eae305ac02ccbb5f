//! The subcommands, one file each, and what they share.

pub mod ansv;
pub mod forest;
pub mod rank;
pub mod rmq;
pub mod scan;
pub mod sort;

use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::array::{Array, ArrayArgs};
use thalweg_parts::ranks::gather_one;

use crate::files::expect_file;
use crate::world::{Run, World};

/// Opens the array, which all ranks must see alike.
fn open_array(world: &World, args: &ArrayArgs) -> Run<Array> {
    let array = world.agree(expect_file(args.array.as_deref(), "--array").and_then(|()| args.open()))?;
    same_everywhere(world, &array.origin(), array.len, array.dtype.size())?;
    Ok(array)
}

/// Checks that all ranks see as many elements of the same size.
fn same_everywhere(world: &World, origin: &str, len: usize, size: usize) -> Run {
    let seen = gather_one(world, [len as u64, size as u64])?;
    let alike: Outcome = match seen.iter().position(|&other| other != seen[0]) {
        None => Ok(()),
        Some(rank) => {
            Err(Failure::at(origin, format_args!("rank {rank} sees {} elements, rank 0 {}", seen[rank][0], seen[0][0])))
        }
    };
    world.agree(alike)
}
