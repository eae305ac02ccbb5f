//! Memory that limits leave to this process: `ulimit -v`, and the control group of a container.
#![cfg_attr(unix, allow(unsafe_code))]

use std::fs::read_to_string;
use std::path::Path;
use std::thread::{self, JoinHandle};

/// What stands behind a key in a file of lines that begin with keys.
fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix(key)).map(str::trim)
}

/// What stands there in kilobytes, in bytes.
pub fn kilobytes(file: &str, key: &str) -> Option<u64> {
    value(&read_to_string(file).ok()?, key)?.strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// What the system says of this process.
pub fn status(key: &str) -> Option<u64> {
    kilobytes("/proc/self/status", key)
}

/// `ulimit -v`, if there is one.
#[cfg(unix)]
fn address_limit() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: writes to a place of ours.
    let told = unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) } == 0;
    (told && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

/// Where address space is limited, lets all threads allocate from one arena: GNU's allocator reserves 64 MiB for each
/// thread otherwise, which are missed elsewhere. For the first line of `main`.
pub fn save_address_space() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if address_limit().is_some() {
        // SAFETY: sets a number of the allocator's.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    }
}

/// Address space that is left under `ulimit -v`; `None` without a limit.
#[cfg(unix)]
pub fn address_space() -> Option<u64> {
    Some(address_limit()?.saturating_sub(status("VmSize:")?))
}

/// Other systems have no such limit.
#[cfg(not(unix))]
pub fn address_space() -> Option<u64> {
    None
}

/// The stack of a thread that nobody has said another size for.
const STACK: usize = 2 << 20;

/// What a thread needs besides: it asks for a little as it begins, when others may have taken what was left, and the program ends if
/// it does not get it.
const BEGINNING: u64 = 4 << 20;

/// Whether there is address space for one more thread.
pub fn has_room_for_thread(stack: Option<usize>) -> bool {
    thread_fits(address_space(), stack.unwrap_or(STACK))
}

fn thread_fits(left: Option<u64>, stack: usize) -> bool {
    left.is_none_or(|left| left >= stack as u64 + BEGINNING)
}

/// Has something done on a thread of its own, if there is one to be had.
pub fn spawn<T: Send + 'static>(name: &str, work: impl FnOnce() -> T + Send + 'static) -> Option<JoinHandle<T>> {
    if has_room_for_thread(None) { thread::Builder::new().name(name.to_owned()).spawn(work).ok() } else { None }
}

/// What is left to the control group (version 2) of this process and to those around it.
pub fn group() -> Option<u64> {
    let groups = read_to_string("/proc/self/cgroup").ok()?;
    let own = value(&groups, "0::")?.trim_start_matches('/');
    let top = Path::new("/sys/fs/cgroup");
    top.join(own).ancestors().take_while(|folder| folder.starts_with(top)).filter_map(left).min()
}

fn left(folder: &Path) -> Option<u64> {
    let number = |name: &str| read_to_string(folder.join(name)).ok()?.trim().parse::<u64>().ok();
    // "max", which is no number, where there is no limit.
    let most = number("memory.max")?;
    let used = number("memory.current")?;
    // Pages of files count as used, but are given up for memory.
    let stat = read_to_string(folder.join("memory.stat")).ok()?;
    let files = value(&stat, "inactive_file ")?.parse::<u64>().ok()?;
    Some(most.saturating_sub(used.saturating_sub(files)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_needs_its_stack_and_a_little() {
        assert!(thread_fits(None, usize::MAX / 2));
        assert!(thread_fits(Some(STACK as u64 + BEGINNING), STACK));
        assert!(!thread_fits(Some(STACK as u64 + BEGINNING - 1), STACK));
        assert_eq!(spawn("test", || 7).map(|thread| thread.join().expect("it does not panic")), Some(7));
    }
}
