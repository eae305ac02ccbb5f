//! Writing past the caches.
//!
//! An ordinary store to a line that is not in the cache reads the line first: a third of the traffic of a copy is
//! reading what will be overwritten. Streaming stores of whole lines do without. They pay off only for outputs that
//! would not stay in the caches anyway.
//!
//! The copying is done in assembly because elements may have padding, which Rust forbids to read as integers.
#![allow(unsafe_code)]

/// Bytes of a cache line.
pub(super) const LINE: usize = 64;

/// Outputs of at least this many bytes are written past the caches.
const LARGE: usize = 16 << 20;

/// Whether an output of that many bytes should be written past the caches.
pub(super) fn should_stream(bytes: usize) -> bool {
    cfg!(target_arch = "x86_64") && bytes >= LARGE
}

/// Copies one line to an aligned place.
///
/// # Safety
/// The line may be read, its place written; `to` is a multiple of [`LINE`]. Before other threads may read the place,
/// [`fence`] must be called.
#[inline(always)]
pub(super) unsafe fn stream_line(from: *const u8, to: *mut u8) {
    debug_assert!(to.addr().is_multiple_of(LINE));
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the caller's promise; SSE2 is part of every x86-64.
    unsafe {
        std::arch::asm!(
            "movdqu {a}, [{from}]",
            "movdqu {b}, [{from} + 16]",
            "movdqu {c}, [{from} + 32]",
            "movdqu {d}, [{from} + 48]",
            "movntdq [{to}], {a}",
            "movntdq [{to} + 16], {b}",
            "movntdq [{to} + 32], {c}",
            "movntdq [{to} + 48], {d}",
            from = in(reg) from,
            to = in(reg) to,
            a = out(xmm_reg) _,
            b = out(xmm_reg) _,
            c = out(xmm_reg) _,
            d = out(xmm_reg) _,
            options(nostack, preserves_flags)
        );
    }
    #[cfg(not(target_arch = "x86_64"))]
    // SAFETY: the caller's promise.
    unsafe {
        to.copy_from_nonoverlapping(from, LINE);
    }
}

/// Copies elements, whole lines past the caches.
///
/// # Safety
/// As for a copy of slices that do not overlap; and [`fence`] as for [`stream_line`].
pub(super) unsafe fn stream_copy<T: Copy>(from: *const T, to: *mut T, count: usize) {
    let (from, to, bytes) = (from.cast::<u8>(), to.cast::<u8>(), count * size_of::<T>());
    let head = (to.addr().next_multiple_of(LINE) - to.addr()).min(bytes);
    let end = head + (bytes - head) / LINE * LINE;
    // SAFETY: all inside the `bytes`; `head` makes the lines aligned.
    unsafe {
        to.copy_from_nonoverlapping(from, head);
        for at in (head..end).step_by(LINE) {
            stream_line(from.add(at), to.add(at));
        }
        to.add(end).copy_from_nonoverlapping(from.add(end), bytes - end);
    }
}

/// Makes this thread's streaming stores visible before everything that it does afterwards.
#[inline(always)]
pub(super) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE is part of every x86-64.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}
