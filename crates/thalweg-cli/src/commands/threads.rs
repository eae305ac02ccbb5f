//! The thread pool.

use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::numbers::parse_count;

/// More threads than this, and than eight a core, are taken for a slip of the keyboard: thousands take minutes to start.
const MOST: usize = 256;

/// Parses `--threads`.
pub fn parse_threads(text: &str) -> Result<usize, String> {
    let most = MOST.max(8 * std::thread::available_parallelism().map_or(1, usize::from));
    match parse_count(text)? {
        n if (1..=most).contains(&n) => Ok(n),
        n => Err(format!("{n} threads: expected 1 to {most}")),
    }
}

/// What the environment asks for, in the variable that rayon reads.
fn from_environment() -> Outcome<Option<usize>> {
    const VARIABLE: &str = "RAYON_NUM_THREADS";
    match std::env::var(VARIABLE) {
        // 0 is rayon's word for the default.
        Ok(text) if !text.is_empty() && text != "0" => {
            parse_threads(&text).map(Some).map_err(|e| Failure::at(VARIABLE, e))
        }
        _ => Ok(None),
    }
}

/// Starts the pool that all parallel work runs on, with one thread per logical core unless told otherwise, and returns
/// its size. Done explicitly because a pool that starts itself panics when the system refuses a thread.
pub fn start(threads: Option<usize>) -> Outcome<usize> {
    let threads = match threads {
        None => from_environment()?,
        some => some,
    };
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .build_global()
        .map_err(|e| Failure::at("cannot start the threads", e))?;
    Ok(rayon::current_num_threads())
}
