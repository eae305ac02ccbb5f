//! Until Ctrl-C, which is how a server is meant to end.
#![cfg_attr(unix, allow(unsafe_code))]

use std::time::Duration;

/// Waits for a signal that ends programs, or so long.
#[cfg(unix)]
pub fn for_the_end(limit: Option<Duration>) {
    unix::wait(limit);
}

/// Waits so long. Elsewhere a signal ends the program by itself.
#[cfg(not(unix))]
pub fn for_the_end(limit: Option<Duration>) {
    match limit {
        Some(limit) => std::thread::sleep(limit),
        None => loop {
            std::thread::park();
        },
    }
}

#[cfg(unix)]
mod unix {
    use std::ffi::c_int;
    use std::io::Read;
    use std::os::fd::IntoRawFd;
    use std::os::unix::net::UnixStream;
    use std::sync::atomic::{AtomicI32, Ordering};
    use std::time::Duration;

    /// Where the handler says that a signal has come.
    static BELL: AtomicI32 = AtomicI32::new(-1);

    extern "C" fn ring(_signal: c_int) {
        let byte = 1u8;
        // SAFETY: `write` is allowed in signal handlers, and the byte is there. If it fails, so be it.
        let _ = unsafe { libc::write(BELL.load(Ordering::SeqCst), (&raw const byte).cast(), 1) };
    }

    pub fn wait(limit: Option<Duration>) {
        if limit == Some(Duration::ZERO) {
            return;
        }
        let Ok((mut here, there)) = UnixStream::pair() else { return };
        BELL.store(there.into_raw_fd(), Ordering::SeqCst);
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            let handler: extern "C" fn(c_int) = ring;
            // SAFETY: the handler calls nothing but what signal handlers may call.
            unsafe {
                // Who ignores a signal (nohup) goes on ignoring it.
                if libc::signal(signal, handler as libc::sighandler_t) == libc::SIG_IGN {
                    libc::signal(signal, libc::SIG_IGN);
                }
            }
        }
        let _ = here.set_read_timeout(limit);
        let mut byte = [0];
        while here.read(&mut byte).is_err_and(|e| e.kind() == std::io::ErrorKind::Interrupted) {}
    }
}
