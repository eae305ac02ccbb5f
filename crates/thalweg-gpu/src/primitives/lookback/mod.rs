//! The state of kernels that go over the data once: see `lookback.wgsl`.

use thalweg_core::Result;

use crate::device::Device;
use crate::kernel::Source;
use crate::memory::Buffer;

/// The state of so many tiles, whose values have so many words, and its bytes. It must be all zeros before the kernel runs.
pub(super) fn state(device: &Device, words: u32, tiles: u64) -> Result<(Buffer, u64)> {
    let words = u64::from(halves(words)) * (tiles + 1);
    Ok((device.words(words, "state of tiles")?, 4 * words))
}

/// Words of the state for a value: see `published.wgsl`.
fn halves(words: u32) -> u32 {
    2 * words
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

/// Declares the state of values of so many words and includes the look-back.
pub(super) fn declare(source: Source, words: u32, patience: Patience) -> Source {
    source
        .constant("HALVES", halves(words))
        .constant("SPINS", patience.spins)
        .flag("COUNTER", patience.counter)
        .flag("SILENT", patience.silent)
        .include(include_str!("published.wgsl"))
        .include(include_str!("lookback.wgsl"))
        .atomics("state")
}
