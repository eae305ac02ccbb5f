//! `thalweg-bench geometry`: points and segments.

pub mod hull;

use thalweg_cli::failure::Outcome;

/// Points and segments: convex hulls
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    Hull(hull::Args),
}

/// Runs the benchmark.
pub fn run(args: Args) -> Outcome {
    match args.what {
        What::Hull(args) => hull::run(args),
    }
}
