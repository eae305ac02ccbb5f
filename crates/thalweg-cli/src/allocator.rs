//! The programs' allocator: the system's; but memory that is refused is one line and exit code 2, not an abort.
//!
//! Collections and libraries allocate in a thousand places without asking whether they may. Large things are asked for
//! beforehand ([`crate::memory`]), with words for what they are; this is for the rest, under `ulimit -v` above all. It
//! cannot tell who asks from who does not, so who does says so: [`asking`].
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use crate::ending;
use crate::numbers::Bytes;

/// For `#[global_allocator]`.
pub struct Allocator;

thread_local! {
    static ASKING: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work`, whose allocations on this thread may be refused: it asks.
pub fn asking<T>(work: impl FnOnce() -> T) -> T {
    let before = ASKING.replace(true);
    let done = work();
    ASKING.set(before);
    done
}

// SAFETY: what the system's allocator gives is handed on as it is.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that the system's allocator asks for; here and below.
        granted(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        granted(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        granted(unsafe { System.realloc(place, layout, size) }, size)
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(place, layout) }
    }
}

#[inline]
fn granted(place: *mut u8, size: usize) -> *mut u8 {
    if place.is_null() && !ASKING.get() {
        ending::end(format_args!("out of memory: {} more are refused", Bytes(size as u64)));
    }
    place
}
