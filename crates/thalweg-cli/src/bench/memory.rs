//! Memory that may be refused: a benchmark that does not fit ends with a line, not with an abort.

use std::fs;

use crate::failure::{Failure, Outcome};

/// A vector of `len` copies of `value`, every page of it touched, or a failure that says what did not fit.
pub fn buffer<T: Clone>(len: usize, value: T, what: &str) -> Outcome<Vec<T>> {
    let mut buffer = Vec::new();
    buffer.try_reserve_exact(len).map_err(|_| refused(len.saturating_mul(size_of::<T>()), what))?;
    buffer.resize(len, value);
    Ok(buffer)
}

/// Fails if the system has less than `bytes` left.
///
/// Asking the allocator is not enough: Linux grants what it does not have, and the peers allocate without asking.
pub fn require(bytes: usize, what: &str) -> Outcome {
    if available().is_some_and(|available| bytes > available) { Err(refused(bytes, what)) } else { Ok(()) }
}

fn refused(bytes: usize, what: &str) -> Failure {
    let room = available().map_or(String::new(), |room| format!(", {} are free", human(room)));
    Failure::at(what, format_args!("{} of memory do not fit{room}", human(bytes)))
}

/// Bytes that can be allocated without swapping, where the system tells.
pub fn available() -> Option<usize> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()?.checked_mul(1024)
}

/// Bytes as people read them: 1.5 GiB.
pub fn human(bytes: usize) -> String {
    let mut value = bytes as f64;
    for unit in ["B", "KiB", "MiB", "GiB"] {
        if value < 1024.0 {
            return if unit == "B" { format!("{bytes} B") } else { format!("{value:.1} {unit}") };
        }
        value /= 1024.0;
    }
    format!("{value:.1} TiB")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_a_failure() {
        assert_eq!(buffer(3, 7u32, "three").unwrap(), [7; 3]);
        let text = buffer(usize::MAX / 16, 0u64, "the array").unwrap_err().to_string();
        assert!(text.starts_with("the array: 8388608.0 TiB of memory do not fit"), "{text}");
        if available().is_some() {
            assert!(require(usize::MAX, "the index").is_err());
        }
        assert!(require(1, "a byte").is_ok());
    }

    #[test]
    fn sizes_read_well() {
        assert_eq!((human(17), human(1536), human(3 << 30)), ("17 B".into(), "1.5 KiB".into(), "3.0 GiB".into()));
    }
}
