//! The command `thalweg-mpi`: problems over arrays that several machines share.
//!
//! `mpirun -n 4 thalweg-mpi ansv --array A.npy --left L.npy`. Rank r of p owns elements n·r/p to n·(r+1)/p of every array: it
//! reads and writes these parts of the files, which all ranks must see. Results have the bytes of `thalweg`'s, on any number of
//! ranks and threads. The algorithms are in `thalweg-parts`.
//!
//! - `world`: MPI as a transport, and how a job ends. - `files`: results that all ranks write. - `report`: what rank 0 tells.
//! - `verify`: answers that follow from others. - `commands`: a file each.

mod commands;
mod files;
mod report;
mod verify;
mod world;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use thalweg_cli::failure::Failure;
use thalweg_cli::format;
use thalweg_parts::Ranks;

use commands::{ansv, forest, rank, rmq, scan, sort};
use world::{Ended, Run, World};

/// Range minima, nearest smaller values, scans, sorts, lists and forests of arrays that several processes share (MPI)
#[derive(Parser)]
#[command(
    name = "thalweg-mpi",
    version,
    max_term_width = 100,
    after_help = "Start it with mpirun. Rank r of p reads, owns and writes \
    elements n*r/p to n*(r+1)/p of every file; all ranks must see the files. Results are .npy or raw, and the same bytes on any number of \
    ranks and threads. THALWEG_MPI_LIMIT: bytes of a message at most (default 2^30)."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Ansv(ansv::Args),
    Rmq(rmq::Args),
    Scan(scan::Args),
    Sort(sort::Args),
    Rank(rank::Args),
    Forest(forest::Args),
}

fn main() -> ExitCode {
    world::run(|world| match Cli::try_parse_from(format::with_standard(std::env::args_os())) {
        Ok(cli) => run(world, cli.command),
        Err(error) => {
            // All ranks have the same options, and one tells.
            let told = if world.rank() == 0 { error.print() } else { Ok(()) };
            world.meet()?;
            match error.use_stderr() {
                false => told.map_err(|e| Ended::Alone(Failure::io("standard output", &e))),
                true => Err(Ended::Together(Failure::told())),
            }
        }
    })
}

fn run(world: &World, command: Command) -> Run {
    match command {
        Command::Ansv(args) => ansv::run(world, &args),
        Command::Rmq(args) => rmq::run(world, &args),
        Command::Scan(args) => scan::run(world, &args),
        Command::Sort(args) => sort::run(world, &args),
        Command::Rank(args) => rank::run(world, &args),
        Command::Forest(args) => forest::run(world, &args),
    }
}
