//! The thread pool.

use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::numbers::parse_count;

/// More threads than this are taken for a slip of the keyboard.
const MOST: usize = 4096;

/// Parses `--threads`.
pub fn parse_threads(text: &str) -> Result<usize, String> {
    match parse_count(text)? {
        n @ 1..=MOST => Ok(n),
        n => Err(format!("{n} threads: expected 1 to {MOST}")),
    }
}

/// Starts the pool that all parallel work runs on, with one thread per logical core unless told otherwise, and returns
/// its size. Done explicitly because a pool that starts itself panics when the system refuses a thread.
pub fn start(threads: Option<usize>) -> Outcome<usize> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .build_global()
        .map_err(|e| Failure::at("cannot start the threads", e))?;
    Ok(rayon::current_num_threads())
}
