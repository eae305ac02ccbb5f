//! What texts are made of.

use bytemuck::Pod;
#[cfg(target_os = "linux")]
use libsais::ThreadCount;
use libsais::{LibsaisError, SuffixArrayConstruction};
use rayon::prelude::*;

use thalweg_core::error::try_with_capacity;
use thalweg_core::{Error, Key, Result, primitives};

/// A symbol of a text: `u8` or `u32`.
///
/// Sealed: suffix sorting is another library's, which knows these types.
pub trait Symbol: Key + Ord + Pod + sealed::Sort {}

impl Symbol for u8 {}
impl Symbol for u32 {}

mod sealed {
    use thalweg_core::Result;

    /// Sorts the suffixes of a text that is not empty, on the threads of the current pool.
    pub trait Sort: Sized {
        fn sort32(text: &[Self], suffixes: &mut [i32]) -> Result<()>;
        fn sort64(text: &[Self], suffixes: &mut [i64]) -> Result<()>;
    }
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

impl sealed::Sort for u8 {
    fn sort32(text: &[u8], suffixes: &mut [i32]) -> Result<()> {
        run!(SuffixArrayConstruction::for_text(text).in_borrowed_buffer(suffixes), size_of_val(suffixes))
    }

    fn sort64(text: &[u8], suffixes: &mut [i64]) -> Result<()> {
        run!(SuffixArrayConstruction::for_text(text).in_borrowed_buffer(suffixes), size_of_val(suffixes))
    }
}

impl sealed::Sort for u32 {
    fn sort32(text: &[u32], suffixes: &mut [i32]) -> Result<()> {
        let mut dense = dense(text, |symbol| symbol as i32)?;
        run!(SuffixArrayConstruction::for_text_mut(&mut dense).in_borrowed_buffer(suffixes), size_of_val(suffixes))
    }

    fn sort64(text: &[u32], suffixes: &mut [i64]) -> Result<()> {
        let mut dense = dense(text, |symbol| symbol as i64)?;
        run!(SuffixArrayConstruction::for_text_mut(&mut dense).in_borrowed_buffer(suffixes), size_of_val(suffixes))
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
    let mut out = try_with_capacity(text.len(), "the text to sort")?;
    let largest = text.par_iter().copied().max().unwrap_or(0);
    if largest as usize <= text.len() {
        text.par_iter().map(|&symbol| convert(symbol as usize)).collect_into_vec(&mut out);
    } else {
        let mut alphabet = try_with_capacity(text.len(), "the alphabet")?;
        alphabet.extend_from_slice(text);
        primitives::sort(&mut alphabet)?;
        alphabet.dedup();
        text.par_iter()
            .map(|symbol| convert(alphabet.partition_point(|other| other < symbol)))
            .collect_into_vec(&mut out);
    }
    Ok(out)
}
