//! Memory that may be refused: an error instead of an abort.

use crate::failure::{Failure, Outcome};
use crate::numbers::show_bytes;

/// Allocations below this are not compared with the memory at hand: asking costs a system call or two.
const SMALL: usize = 64 << 20;

/// An empty vector with room for `len` elements.
pub fn room<T>(len: usize, what: &str) -> Outcome<Vec<T>> {
    let mut v = Vec::new();
    reserve(&mut v, len, what)?;
    Ok(v)
}

/// A vector of `len` copies of `value`.
pub fn filled<T: Clone>(len: usize, value: T, what: &str) -> Outcome<Vec<T>> {
    let mut v = room(len, what)?;
    v.resize(len, value);
    Ok(v)
}

/// Room for `more` further elements.
pub fn reserve<T>(v: &mut Vec<T>, more: usize, what: &str) -> Outcome {
    let bytes = more.saturating_mul(size_of::<T>());
    // Linux promises more than it has and kills who takes it at its word, so ask first.
    if bytes >= SMALL {
        require(bytes, what)?;
    }
    v.try_reserve_exact(more).map_err(|_| refused(bytes, what))
}

/// Fails if the system has less than `bytes` left, for code that allocates without asking, such as peers.
pub fn require(bytes: usize, what: &str) -> Outcome {
    if available().is_some_and(|free| bytes as u64 > free) { Err(refused(bytes, what)) } else { Ok(()) }
}

fn refused(bytes: usize, what: &str) -> Failure {
    Failure::new(format_args!("out of memory: {} for {what}", show_bytes(bytes as u64)))
}

/// Memory that could be allocated now, where the system says.
pub fn available() -> Option<u64> {
    meminfo("MemAvailable:")
}

/// Memory of the machine, where the system says.
pub fn total() -> Option<u64> {
    meminfo("MemTotal:")
}

fn meminfo(key: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}
