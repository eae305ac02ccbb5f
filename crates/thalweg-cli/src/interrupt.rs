//! Ctrl-C: files that are not finished are removed before the process ends.
//!
//! A result is written beside its place under a hidden name (see `output.rs`). A signal ends the process without
//! running destructors, so the names are noted here, where a signal handler finds them.
#![cfg_attr(unix, allow(unsafe_code))]

use std::path::Path;

/// Removes a file if a signal ends the process. Dropped when the file has been renamed or removed.
pub struct RemoveOnSignal {
    #[cfg(unix)]
    slot: Option<&'static unix::Slot>,
}

#[cfg(not(unix))]
impl RemoveOnSignal {
    /// Nothing is known about other systems' signals: the file stays.
    pub fn new(_path: &Path) -> Self {
        Self {}
    }

    /// Nor is it removed.
    pub fn file_is_there(&self) {}
}

#[cfg(unix)]
impl RemoveOnSignal {
    /// From now on. Where there are more files than anybody writes at a time, some are not removed.
    pub fn new(path: &Path) -> Self {
        Self { slot: unix::note(path) }
    }

    /// To be called when the file has been made: a signal that came before found none to remove.
    pub fn file_is_there(&self) {
        if unix::ENDING.load(std::sync::atomic::Ordering::SeqCst) {
            unix::remove_unfinished();
        }
    }
}

/// Removes them now: the process ends, and no destructor will run. May be called in signal handlers.
pub fn remove_unfinished() {
    #[cfg(unix)]
    unix::remove_unfinished();
}

#[cfg(unix)]
impl Drop for RemoveOnSignal {
    fn drop(&mut self) {
        if let Some(slot) = self.slot {
            // The name itself is never freed: a handler on another thread may be reading it.
            slot.store(std::ptr::null_mut(), std::sync::atomic::Ordering::SeqCst);
        }
    }
}

#[cfg(unix)]
mod unix {
    use std::ffi::{CString, c_char, c_int};
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;
    use std::ptr::null_mut;
    use std::sync::Once;
    use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

    /// The name of a file to remove, or null.
    pub type Slot = AtomicPtr<c_char>;

    /// Whether a signal has come that ends the process.
    pub static ENDING: AtomicBool = AtomicBool::new(false);

    /// More than a command writes at a time.
    static SLOTS: [Slot; 8] = [const { AtomicPtr::new(null_mut()) }; 8];

    /// The signals that people and systems end programs with, and that of a library which gives up.
    const SIGNALS: [c_int; 6] =
        [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGXCPU, libc::SIGABRT];

    pub fn note(path: &Path) -> Option<&'static Slot> {
        static INSTALL: Once = Once::new();
        INSTALL.call_once(install);
        let name = CString::new(path.as_os_str().as_bytes()).ok()?.into_raw();
        let free = |slot: &&Slot| slot.compare_exchange(null_mut(), name, Ordering::SeqCst, Ordering::SeqCst).is_ok();
        SLOTS.iter().find(free)
    }

    fn install() {
        for signal in SIGNALS {
            let handler: extern "C" fn(c_int) = remove_files;
            // SAFETY: the handler calls nothing but what signal handlers may call.
            unsafe {
                // Who ignores a signal (nohup) goes on ignoring it.
                if libc::signal(signal, handler as libc::sighandler_t) == libc::SIG_IGN {
                    libc::signal(signal, libc::SIG_IGN);
                }
            }
        }
    }

    pub fn remove_unfinished() {
        for slot in &SLOTS {
            let name = slot.load(Ordering::SeqCst);
            if !name.is_null() {
                // SAFETY: a name that is never freed; `unlink` is allowed in signal handlers.
                unsafe { libc::unlink(name) };
            }
        }
    }

    /// Removes the files, and lets the signal do what it would have done.
    extern "C" fn remove_files(signal: c_int) {
        ENDING.store(true, Ordering::SeqCst);
        remove_unfinished();
        // SAFETY: both are allowed in signal handlers; the signal arrives when this one returns.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
}
