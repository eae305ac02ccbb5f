//! Mapped files that are cut short while somebody reads them.
//!
//! Whoever touches a page beyond the new end gets SIGBUS, between any check of the file's length and the reading. While a
//! [`Guard`] lives, such a page is replaced by one of zeros, so that the reader goes on, and the guard remembers it, so that
//! what was read is not taken for an answer.
#![cfg_attr(unix, allow(unsafe_code))]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Stands before the pages of a mapped file.
#[derive(Debug)]
pub struct Guard {
    slot: Option<&'static Slot>,
}

#[derive(Debug)]
struct Slot {
    is_taken: AtomicBool,
    start: AtomicUsize,
    end: AtomicUsize,
    is_torn: AtomicBool,
}

/// More than anybody looks at at a time: a file and two indexes for each of the series. Those beyond are not guarded, and end
/// the program as they would without.
static SLOTS: [Slot; 256] = [const {
    Slot {
        is_taken: AtomicBool::new(false),
        start: AtomicUsize::new(0),
        end: AtomicUsize::new(0),
        is_torn: AtomicBool::new(false),
    }
}; 256];

impl Guard {
    /// Guards these bytes, which are those of a mapped file that is only ever read.
    pub fn new(bytes: &[u8]) -> Self {
        #[cfg(unix)]
        unix::install();
        let range = bytes.as_ptr_range();
        let free = |slot: &&Slot| !slot.is_taken.swap(true, Ordering::SeqCst);
        let slot = SLOTS.iter().find(free);
        if let Some(slot) = slot {
            slot.is_torn.store(false, Ordering::SeqCst);
            slot.start.store(range.start as usize, Ordering::SeqCst);
            slot.end.store(range.end as usize, Ordering::SeqCst);
        }
        Self { slot }
    }

    /// Whether a page was missing.
    pub fn is_torn(&self) -> bool {
        self.slot.is_some_and(|slot| slot.is_torn.load(Ordering::SeqCst))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(slot) = self.slot {
            slot.end.store(0, Ordering::SeqCst);
            slot.start.store(0, Ordering::SeqCst);
            slot.is_taken.store(false, Ordering::SeqCst);
        }
    }
}

#[cfg(unix)]
mod unix {
    use std::ffi::{c_int, c_void};
    use std::mem::MaybeUninit;
    use std::sync::Once;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::SLOTS;

    /// Bytes of a page.
    static PAGE: AtomicUsize = AtomicUsize::new(4096);
    /// Who was asked before.
    static BEFORE: AtomicUsize = AtomicUsize::new(libc::SIG_DFL);

    pub fn install() {
        static INSTALL: Once = Once::new();
        INSTALL.call_once(|| {
            // SAFETY: asks for a number; then a handler is installed that calls nothing but what signal handlers may call
            // (`mmap` is a system call, and takes no lock), and the structures are filled in before they are read.
            unsafe {
                let page = libc::sysconf(libc::_SC_PAGESIZE);
                PAGE.store(usize::try_from(page).unwrap_or(4096), Ordering::SeqCst);
                let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
                let mut before: libc::sigaction = MaybeUninit::zeroed().assume_init();
                let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) = missing_page;
                action.sa_sigaction = handler as libc::sighandler_t;
                action.sa_flags = libc::SA_SIGINFO;
                libc::sigaction(libc::SIGBUS, &raw const action, &raw mut before);
                BEFORE.store(before.sa_sigaction, Ordering::SeqCst);
            }
        });
    }

    extern "C" fn missing_page(signal: c_int, info: *mut libc::siginfo_t, _context: *mut c_void) {
        // SAFETY: the system hands over a structure with the address.
        let address = unsafe { (*info).si_addr() } as usize;
        let inside = |slot: &&super::Slot| {
            (slot.start.load(Ordering::SeqCst)..slot.end.load(Ordering::SeqCst)).contains(&address)
        };
        if let Some(slot) = SLOTS.iter().find(inside) {
            slot.is_torn.store(true, Ordering::SeqCst);
            let page = PAGE.load(Ordering::SeqCst);
            let start = (address / page * page) as *mut c_void;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_FIXED;
            // SAFETY: the page belongs to a mapping that its owner only reads, and that has nothing there any more.
            if unsafe { libc::mmap(start, page, libc::PROT_READ, flags, -1, 0) } != libc::MAP_FAILED {
                return;
            }
        }
        // None of ours: as it would have been. The signal comes again when this returns, to who was asked before.
        // SAFETY: allowed in signal handlers; what was installed before is installed again.
        unsafe { libc::signal(signal, BEFORE.load(Ordering::SeqCst)) };
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::Write;

    #[test]
    fn a_file_that_is_cut_reads_as_zeros_and_is_told() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&vec![7; 1 << 20]).unwrap();
        // SAFETY: read only, and what happens when it is cut is what is tested.
        let (start, len) = unsafe {
            use std::os::fd::AsRawFd;
            let start =
                libc::mmap(std::ptr::null_mut(), 1 << 20, libc::PROT_READ, libc::MAP_SHARED, File::as_raw_fd(&file), 0);
            assert_ne!(start, libc::MAP_FAILED);
            (start.cast::<u8>(), 1 << 20)
        };
        // SAFETY: mapped above, and never unmapped.
        let bytes = unsafe { std::slice::from_raw_parts(start, len) };
        let guard = Guard::new(bytes);
        assert!(bytes.iter().all(|&byte| byte == 7) && !guard.is_torn());
        file.set_len(4096).unwrap();
        // SAFETY: inside; volatile, since the compiler believes that nothing has changed.
        let read = |i: usize| unsafe { std::ptr::read_volatile(start.add(i)) };
        assert_eq!((read(0), guard.is_torn()), (7, false));
        assert_eq!((read(500_000), guard.is_torn()), (0, true));
        assert_eq!(read((1 << 20) - 1), 0);
        drop(guard);
    }
}
