//! `thalweg-bench geometry`: points and segments.

mod envelope;
pub mod hull;
pub mod raster;

use thalweg_cli::failure::Outcome;

/// Points and segments: convex hulls, envelopes
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    Hull(hull::Args),
    Envelope(envelope::Args),
    Raster(raster::Args),
}

/// Runs the benchmark.
pub fn run(args: Args) -> Outcome {
    match args.what {
        What::Hull(args) => hull::run(args),
        What::Envelope(args) => envelope::run(args),
        What::Raster(args) => raster::run(args),
    }
}
