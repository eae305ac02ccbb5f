//! Memory that may be refused: an error instead of an abort.

mod limits;

use thalweg_core::memory::Zeroable;

use crate::allocator::asking;
use crate::failure::{Failure, Outcome};
use crate::numbers::show_bytes;

pub use limits::{address_space, has_room_for_thread, save_address_space, spawn};

/// Allocations below this are not compared with the memory at hand: asking costs a system call or two.
const SMALL: usize = 64 << 20;

/// An empty vector with room for `len` elements.
pub fn room<T>(len: usize, what: &str) -> Outcome<Vec<T>> {
    let mut v = Vec::new();
    reserve(&mut v, len, what)?;
    Ok(v)
}

/// A vector of `len` copies of `value`, filled by all threads.
pub fn filled<T: Clone + Send + Sync>(len: usize, value: T, what: &str) -> Outcome<Vec<T>> {
    computed(len, what, |_| value.clone())
}

/// A vector of `len` zeros. Nothing is written: the system hands out such pages at the first touch, which is the threads'.
pub fn zeroed<T: Zeroable>(len: usize, what: &str) -> Outcome<Vec<T>> {
    let bytes = len.saturating_mul(size_of::<T>());
    if bytes >= SMALL {
        require(bytes, what)?;
    }
    asking(|| thalweg_core::memory::large_zeroed(len, "an array")).map_err(|_| refused(bytes, what))
}

/// What `element` says of every position below `len`, by all threads.
pub fn computed<T: Send>(len: usize, what: &str, element: impl Fn(usize) -> T + Sync) -> Outcome<Vec<T>> {
    computed_in(len, 1 << 14, what, element)
}

/// The same in tasks of so many.
pub fn computed_in<T: Send>(
    len: usize,
    task: usize,
    what: &str,
    element: impl Fn(usize) -> T + Sync,
) -> Outcome<Vec<T>> {
    let bytes = len.saturating_mul(size_of::<T>());
    if bytes >= SMALL {
        require(bytes, what)?;
    }
    thalweg_core::memory::computed(len, task, "an array", element).map_err(|_| refused(bytes, what))
}

/// Room for `more` further elements.
pub fn reserve<T>(v: &mut Vec<T>, more: usize, what: &str) -> Outcome {
    let bytes = more.saturating_mul(size_of::<T>());
    // Linux promises more than it has and kills who takes it at its word, so ask first.
    if bytes >= SMALL {
        require(bytes, what)?;
    }
    asking(|| v.try_reserve_exact(more)).map_err(|_| refused(bytes, what))
}

/// Fails if the system has less than `bytes` left, for code that allocates without asking, such as peers.
pub fn require(bytes: usize, what: &str) -> Outcome {
    if available().is_some_and(|free| bytes as u64 > free) { Err(refused(bytes, what)) } else { Ok(()) }
}

/// The same where `space` bytes more of address space will be taken, and hardly used: a matter of `ulimit -v` only.
pub fn require_beside(bytes: usize, space: usize, what: &str) -> Outcome {
    let all = bytes.saturating_add(space);
    if address_space().is_some_and(|free| all as u64 > free) { Err(refused(all, what)) } else { require(bytes, what) }
}

fn refused(bytes: usize, what: &str) -> Failure {
    Failure::new(format_args!("out of memory: {} for {what}", show_bytes(bytes as u64)))
}

/// Memory that could be allocated now, where the system says: what the machine has left, and what the process's limits do.
pub fn available() -> Option<u64> {
    [meminfo("MemAvailable:"), address_space(), limits::group()].into_iter().flatten().min()
}

/// The most memory that this process has held, where the system says.
pub fn peak() -> Option<u64> {
    limits::status("VmHWM:")
}

/// The memory that this process holds now, where the system says.
pub fn held() -> Option<u64> {
    limits::status("VmRSS:")
}

/// Memory of the machine, where the system says.
pub fn total() -> Option<u64> {
    meminfo("MemTotal:")
}

fn meminfo(key: &str) -> Option<u64> {
    limits::kilobytes("/proc/meminfo", key)
}
