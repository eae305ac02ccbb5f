//! The command under limits of the system, as both programs of tests start it.
#![allow(unsafe_code)]

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// Lets the command start under a limit.
pub fn limit(command: &mut Command, resource: libc::__rlimit_resource_t, value: u64) {
    before(command, move || {
        let limit = libc::rlimit { rlim_cur: value, rlim_max: value };
        // SAFETY: reads a place of ours.
        unsafe { libc::setrlimit(resource, &limit) }
    });
}

/// Lets the command start as somebody without privileges, if this is root, whom some limits do not bind.
pub fn without_privileges(command: &mut Command) {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    // Nobody else has this number, so that the command is its only process. One for every run, as tests run at the same time.
    let user = 0x4000_0000 | std::process::id() << 8 | (NEXT.fetch_add(1, Ordering::Relaxed) % 256);
    if is_root() {
        // SAFETY: a system call.
        before(command, move || unsafe { libc::setuid(user) });
    }
}

/// Makes a system call in the new process, which must succeed.
pub fn before(command: &mut Command, call: impl Fn() -> i32 + Send + Sync + 'static) {
    let call = move || if call() == 0 { Ok(()) } else { Err(io::Error::last_os_error()) };
    // SAFETY: nothing but a system call happens between the fork and the program.
    unsafe { command.pre_exec(call) };
}

/// Whether this is root.
pub fn is_root() -> bool {
    // SAFETY: asks for a number.
    unsafe { libc::geteuid() == 0 }
}

/// The least limit of memory, in MiB, under which the system begins the program: with less it is killed, as not even its code fits.
pub fn least_memory() -> u64 {
    let begins = |mib: &u64| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_thalweg"));
        command.arg("--version");
        limit(&mut command, libc::RLIMIT_AS, mib << 20);
        command.output().expect("the command is there").status.code().is_some()
    };
    (1..64).find(begins).expect("the program is smaller than that")
}
