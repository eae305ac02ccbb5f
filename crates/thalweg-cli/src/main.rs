//! The command `thalweg`.

mod bench;
mod failure;
mod numbers;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Range minima and nearest smaller values at the speed of memory.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Bench(bench::Args),
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Bench(args) => bench::run(args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
