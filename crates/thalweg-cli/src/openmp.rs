//! OpenMP, on whose threads libsais sorts suffixes (on Linux): how long they spin while they wait for each other, and
//! whether there can be so many.
//!
//! Suffixes are sorted in thousands of short parallel steps. GNU's OpenMP lets the threads that wait for a step
//! to end spin for some milliseconds, which is right if every thread has a core of its own. On a machine whose two cores
//! were busy with other work too, 64 MB took 47 s instead of 2.7; with `SPINS` they took 8.4 s, and still 2.5 s alone.
//! (Never spinning, 4.9 and 3.3 s.)
//!
//! The runtime reads the number from the environment when it is loaded, before the first line of `main`. So the command
//! starts itself once more with the variable set, unless the user has said something about waiting.
//!
//! Where it cannot start a thread, or gets no memory, it prints a line of its own and calls `exit(1)`. So it is asked
//! beforehand whether there can be so many threads ([`threads_besides`]) and room for their stacks ([`require`]), and
//! what happens nevertheless ends as it should ([`NobodyExits`]).
#![cfg_attr(target_os = "linux", allow(unsafe_code))]

use std::sync::atomic::{AtomicBool, Ordering};

use crate::ending::NobodyExits;
use crate::failure::Outcome;
use crate::memory;

/// Whether this program will sort suffixes.
static IS_USED: AtomicBool = AtomicBool::new(false);

/// Runs a command that sorts suffixes.
pub fn with_openmp<A>(run: fn(A) -> Outcome, args: A) -> Outcome {
    wait_patiently();
    // Elsewhere libsais is built without OpenMP.
    IS_USED.store(cfg!(target_os = "linux"), Ordering::Relaxed);
    let _watched = NobodyExits::new();
    run(args)
}

/// Threads that OpenMP will start beside a pool of `threads`: all of a team but that which calls it.
pub fn threads_besides(threads: usize) -> usize {
    if IS_USED.load(Ordering::Relaxed) { threads - 1 } else { 0 }
}

/// Fails if there is less memory than `bytes`, or less address space than they take together with what the threads do.
pub fn require(bytes: usize, threads: usize, what: &str) -> Outcome {
    // libsais sorts less than this on one thread: 2^16 bytes, and their positions.
    if bytes < 4 << 16 {
        return memory::require(bytes, what);
    }
    memory::require_beside(bytes, threads_besides(threads).saturating_mul(stack_bytes()), what)
}

/// Turns of the waiting loop.
#[cfg(target_os = "linux")]
const SPINS: &str = "1000";

/// Makes sure that the variable is set, by starting again if it is not. Where that fails, all stays as it is.
#[cfg(target_os = "linux")]
pub fn wait_patiently() {
    use std::env;
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    const SPIN_COUNT: &str = "GOMP_SPINCOUNT";
    if [SPIN_COUNT, "OMP_WAIT_POLICY"].iter().any(|key| env::var_os(key).is_some()) {
        return;
    }
    let (Ok(program), mut arguments) = (env::current_exe(), env::args_os()) else { return };
    let mut command = Command::new(program);
    if let Some(name) = arguments.next() {
        command.arg0(name);
    }
    // Same process, same files; returns only if the system refuses.
    let _ = command.args(arguments).env(SPIN_COUNT, SPINS).exec();
}

/// Elsewhere libsais is built without OpenMP.
#[cfg(not(target_os = "linux"))]
pub fn wait_patiently() {}

/// The stack of one of its threads, which is as large as the system's default.
#[cfg(target_os = "linux")]
pub fn stack_bytes() -> usize {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: writes to a place of ours.
    let told = unsafe { libc::getrlimit(libc::RLIMIT_STACK, &mut limit) } == 0;
    // Without a limit the system takes 2 MiB.
    if told && limit.rlim_cur != libc::RLIM_INFINITY { limit.rlim_cur as usize } else { 2 << 20 }
}

/// Not needed.
#[cfg(not(target_os = "linux"))]
pub fn stack_bytes() -> usize {
    2 << 20
}
