//! The state of kernels that go over the data once: see `lookback.wgsl`.

use thalweg_core::Result;

use crate::device::Device;
use crate::kernel::Source;
use crate::memory::Buffer;

/// The state of so many tiles, whose values have so many words, and its bytes. It must be all zeros before the kernel runs.
pub(super) fn state(device: &Device, words: u32, tiles: u64) -> Result<(Buffer, u64)> {
    // As many bytes, whether two words are stored at once or not.
    let words = u64::from(2 * words) * (tiles + 1);
    Ok((device.words(words, "state of tiles")?, 4 * words))
}

/// How patient a workgroup is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// How often a workgroup asks for the total of another before it computes it itself.
    pub spins: u32,
    /// Tiles take their numbers from a counter, in the order in which they start.
    pub counter: bool,
    /// Every other tile keeps silent: a test of the fallback.
    pub silent: bool,
}

impl Default for Patience {
    fn default() -> Self {
        Self { spins: SPINS, counter: false, silent: false }
    }
}

/// H200: between 64 and 16,384 the times are the same, at 0 a scan takes 2% longer.
const SPINS: u32 = 1024;

/// Declares the state of values of so many words and includes the look-back. If 64 bits are stored `at_once`, a word and its
/// status are.
pub(super) fn declare(source: Source, words: u32, patience: Patience, at_once: bool) -> Source {
    let source = match at_once {
        true => source.constant("HALVES", words).include(include_str!("published_at_once.wgsl")).wide_atomics("state"),
        false => source.constant("HALVES", 2 * words).include(include_str!("published.wgsl")).atomics("state"),
    };
    source
        .include(include_str!("publish.wgsl"))
        .constant("SPINS", patience.spins)
        .flag("COUNTER", patience.counter)
        .flag("SILENT", patience.silent)
        .include(include_str!("lookback.wgsl"))
}
