//! `thalweg-bench graph`: graphs.

pub mod matching;
mod path;

use thalweg_cli::failure::Outcome;

/// Graphs: shortest paths, maximum matchings
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    Path(path::Args),
    Matching(matching::Args),
}

/// Runs the benchmark.
pub fn run(args: Args) -> Outcome {
    match args.what {
        What::Path(args) => path::run(args),
        What::Matching(args) => matching::run(args),
    }
}
