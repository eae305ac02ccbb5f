//! Sorting suffixes, by libsais.
//!
//! libsais (Grebnov; induced sorting after Nong, Zhang and Chan 2009) is a C library that is built with this crate and
//! runs on OpenMP's threads, as many as the current rayon pool has. Work O(n).
//!
//! OpenMP's threads spin while they wait for each other. That is a disaster where the cores have other work as well: two busy
//! cores took 47 s for what takes them 2.7 s alone. The variable `GOMP_SPINCOUNT=1000` in the program's environment avoids
//! it (8.4 and 2.5 s) at no cost; it is read when the program starts, so a library cannot set it. The command `thalweg` does.

#[cfg(target_os = "linux")]
use libsais::ThreadCount;
use libsais::{LibsaisError, SuffixArrayConstruction};

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::SuffixArray;
use crate::permutation::GRAIN;
use crate::position_width::WIDE;
use crate::symbol::{Symbol, Symbols};
use thalweg_core::error::try_with_capacity;
use thalweg_core::memory::{computed, large_zeroed, try_with_large_capacity};
use thalweg_core::parallel::for_each_chunk;
use thalweg_core::{Error, Positions, Result, primitives};

/// The suffixes of a text in order.
///
/// Work O(n), on all threads of the current rayon pool (on Linux; elsewhere libsais is built without OpenMP and sorts
/// on one). On a machine that has other work, set `GOMP_SPINCOUNT=1000` in the environment, or OpenMP's threads burn their time
/// waiting for each other. Memory: the result, 4 bytes a symbol below 2 GiB, and while it runs a copy of the text: of `u32`
/// symbols, and of 8 MiB and more.
///
/// ```
/// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
/// use thalweg::text::suffix_array;
/// assert_eq!(suffix_array(b"abab")?.positions().as_u32(), Some(&[2, 0, 3, 1][..]));
/// assert_eq!(suffix_array(&[70_000u32, 5, 70_000])?.positions().as_u32(), Some(&[1, 2, 0][..]));
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn suffix_array<T: Symbol>(text: &[T]) -> Result<SuffixArray<'_, T>> {
    Ok(SuffixArray { text, positions: sort(T::symbols(text), text.len() >= WIDE)? })
}

/// Where the suffixes begin, in order, as 64-bit positions if `wide`.
pub(crate) fn sort(text: Symbols<'_>, wide: bool) -> Result<Positions> {
    let (Symbols::U8([]) | Symbols::U32([])) = text else {
        return if wide { sort_wide(text) } else { sort_narrow(text) };
    };
    Ok(if wide { Positions::U64(Vec::new()) } else { Positions::U32(Vec::new()) })
}

/// On all threads of the pool, where libsais is built with OpenMP.
macro_rules! run {
    ($construction:expr, $bytes:expr) => {{
        let bytes = $bytes;
        #[cfg(target_os = "linux")]
        let done = {
            let threads = u16::try_from(rayon::current_num_threads()).unwrap_or(u16::MAX);
            $construction.multi_threaded(ThreadCount::fixed(threads.max(1))).run()
        };
        #[cfg(not(target_os = "linux"))]
        let done = $construction.single_threaded().run();
        done.map(drop).map_err(|e| failed(e, bytes))
    }};
}

fn sort_narrow(text: Symbols<'_>) -> Result<Positions> {
    let mut list = large_zeroed::<u32>(len_of(text), "the suffix array")?;
    let suffixes: &mut [i32] = bytemuck::cast_slice_mut(&mut list);
    let bytes = size_of_val(suffixes);
    match text {
        Symbols::U8(text) => {
            let copy = in_huge_pages(text);
            let text = copy.as_deref().unwrap_or(text);
            run!(SuffixArrayConstruction::for_text(text).in_borrowed_buffer(suffixes), bytes)?;
        }
        Symbols::U32(text) => {
            let mut dense = dense(text, |symbol| symbol as i32)?;
            run!(SuffixArrayConstruction::for_text_mut(&mut dense).in_borrowed_buffer(suffixes), bytes)?;
        }
    }
    Ok(Positions::U32(list))
}

fn sort_wide(text: Symbols<'_>) -> Result<Positions> {
    let mut list = large_zeroed::<u64>(len_of(text), "the suffix array")?;
    let suffixes: &mut [i64] = bytemuck::cast_slice_mut(&mut list);
    let bytes = size_of_val(suffixes);
    match text {
        Symbols::U8(text) => {
            let copy = in_huge_pages(text);
            let text = copy.as_deref().unwrap_or(text);
            run!(SuffixArrayConstruction::for_text(text).in_borrowed_buffer(suffixes), bytes)?;
        }
        Symbols::U32(text) => {
            let mut dense = dense(text, |symbol| symbol as i64)?;
            run!(SuffixArrayConstruction::for_text_mut(&mut dense).in_borrowed_buffer(suffixes), bytes)?;
        }
    }
    Ok(Positions::U64(list))
}

/// Texts from this on are sorted in a copy: what the pages that a core remembers (2048 of 4 KiB) do not cover.
const COPIED: usize = 8 << 20;

/// The same text in huge pages, if there is much of it and memory for it. Wherever it comes from, it lies in small ones, and
/// sorting reads it at random: 32 MiB of source code took 1.44 s there and 1.24 s in a copy, on one thread.
fn in_huge_pages(text: &[u8]) -> Option<Vec<u8>> {
    if text.len() < COPIED {
        return None;
    }
    let mut copy = try_with_large_capacity(text.len(), "the text to sort").ok()?;
    copy.extend_from_slice(text);
    Some(copy)
}

fn len_of(text: Symbols<'_>) -> usize {
    match text {
        Symbols::U8(text) => text.len(),
        Symbols::U32(text) => text.len(),
    }
}

fn failed(error: LibsaisError, bytes: usize) -> Error {
    match error {
        LibsaisError::OutOfMemory => Error::OutOfMemory { bytes, what: "sorting suffixes" },
        other => Error::Library { library: "libsais", reason: other.to_string() },
    }
}

/// The text with symbols below its length or so, in the same order: libsais has a counter for each.
fn dense<I: Send>(text: &[u32], convert: impl Fn(usize) -> I + Sync) -> Result<Vec<I>> {
    let largest = AtomicU32::new(0);
    for_each_chunk(text.len(), GRAIN, &|range| {
        largest.fetch_max(text[range].iter().copied().max().unwrap_or(0), Relaxed);
    });
    if largest.into_inner() as usize <= text.len() {
        computed(text.len(), GRAIN, "the text to sort", |i| convert(text[i] as usize))
    } else {
        let mut alphabet = try_with_capacity(text.len(), "the alphabet")?;
        alphabet.extend_from_slice(text);
        primitives::sort(&mut alphabet)?;
        alphabet.dedup();
        let rank = |symbol: u32| alphabet.partition_point(|&other| other < symbol);
        computed(text.len(), GRAIN, "the text to sort", |i| convert(rank(text[i])))
    }
}
