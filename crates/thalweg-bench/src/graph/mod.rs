//! `thalweg-bench graph`: graphs.

mod matching;

use thalweg_cli::failure::Outcome;

/// Graphs: maximum matchings
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    Matching(matching::Args),
}

/// Runs the benchmark.
pub fn run(args: Args) -> Outcome {
    match args.what {
        What::Matching(args) => matching::run(args),
    }
}
