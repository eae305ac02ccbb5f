//! Ends that no `Result` tells of, below the program: memory that is refused to code which never asks whether it got any
//! ([`crate::allocator`]), a file that shrinks while it is mapped, and OpenMP, which calls `exit` when it cannot start
//! a thread.
//!
//! They end as every failure does: one line, exit code 2, and no unfinished file. Nothing here allocates or takes a
//! lock, since all of it runs in signal handlers or without memory.
#![cfg_attr(unix, allow(unsafe_code))]

use std::fmt::{self, Write as _};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::interrupt;

/// The exit code of everything that is the input's or the system's fault.
const FAILED: i32 = 2;

static PROGRAM: OnceLock<&'static str> = OnceLock::new();

/// From now on: the first line of `main`. `program` begins every line.
pub fn watch(program: &'static str) {
    let _ = PROGRAM.set(program);
    #[cfg(unix)]
    unix::watch();
}

/// Ends the program with a line.
pub fn end(line: fmt::Arguments<'_>) -> ! {
    static ENDING: AtomicBool = AtomicBool::new(false);
    if ENDING.swap(true, Ordering::SeqCst) {
        // Another thread has begun to end it; its line is enough. (Not `park`, which may allocate.)
        loop {
            #[cfg(unix)]
            unix::wait();
        }
    }
    let mut text = Line { bytes: [0; 256], len: 0 };
    let _ = writeln!(text, "{}: {line}", PROGRAM.get().unwrap_or(&"thalweg"));
    #[cfg(unix)]
    unix::write_to_stderr(&text.bytes[..text.len]);
    #[cfg(not(unix))]
    let _ = std::io::Write::write_all(&mut std::io::stderr(), &text.bytes[..text.len]);
    leave()
}

/// Removes unfinished files and ends, without handlers of anybody's.
fn leave() -> ! {
    interrupt::remove_unfinished();
    #[cfg(unix)]
    unix::leave(FAILED);
    #[cfg(not(unix))]
    std::process::exit(FAILED)
}

/// A line of bounded length; the rest of a longer one is lost.
struct Line {
    bytes: [u8; 256],
    len: usize,
}

impl fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = &mut self.bytes[self.len..];
        let taken = text.len().min(room.len());
        room[..taken].copy_from_slice(&text.as_bytes()[..taken]);
        self.len += taken;
        Ok(())
    }
}

/// While it lives, a call of `exit` is a library's that has given up, and has said why.
pub struct NobodyExits(());

static NOBODY_EXITS: AtomicBool = AtomicBool::new(false);

impl NobodyExits {
    /// From now on.
    #[expect(clippy::new_without_default, reason = "it does something")]
    pub fn new() -> Self {
        #[cfg(unix)]
        unix::watch_exit();
        NOBODY_EXITS.store(true, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for NobodyExits {
    fn drop(&mut self) {
        NOBODY_EXITS.store(false, Ordering::SeqCst);
    }
}

#[cfg(unix)]
mod unix {
    use std::ffi::c_int;
    use std::sync::Once;
    use std::sync::atomic::Ordering;

    pub fn watch() {
        let handler: extern "C" fn(c_int) = cut_short;
        // SAFETY: the handler calls nothing but what signal handlers may call. A file that grows beyond `ulimit -f` is an
        // error of the write, once the signal is ignored.
        unsafe {
            libc::signal(libc::SIGBUS, handler as libc::sighandler_t);
            libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        }
    }

    extern "C" fn cut_short(_signal: c_int) {
        super::end(format_args!("a file was cut short, or could not be read, while it was in use"));
    }

    pub fn write_to_stderr(mut bytes: &[u8]) {
        while !bytes.is_empty() {
            // SAFETY: the bytes are there.
            match unsafe { libc::write(libc::STDERR_FILENO, bytes.as_ptr().cast(), bytes.len()) } {
                written @ 1.. => bytes = &bytes[written as usize..],
                // Closed or full: there is nobody to tell.
                _ => return,
            }
        }
    }

    pub fn wait() {
        // SAFETY: sleeps until a signal comes.
        unsafe { libc::pause() };
    }

    pub fn leave(code: c_int) -> ! {
        // SAFETY: ends the process, from wherever it is called.
        unsafe { libc::_exit(code) }
    }

    pub fn watch_exit() {
        static ONCE: Once = Once::new();
        extern "C" fn at_exit() {
            if super::NOBODY_EXITS.load(Ordering::SeqCst) {
                super::leave();
            }
        }
        ONCE.call_once(|| {
            // SAFETY: a function of the type that is asked for, which lives as long as the program.
            let _ = unsafe { libc::atexit(at_exit) };
        });
    }
}
