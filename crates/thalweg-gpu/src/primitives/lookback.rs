//! The state of kernels that go over the data once: see `lookback.wgsl`.

use thalweg::Result;

use crate::device::Device;
use crate::kernel::Source;
use crate::memory::Buffer;

/// What the published values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Published {
    /// Counts below 2^30.
    Small,
    /// One word.
    Word,
    /// Two words.
    Wide,
}

impl Published {
    pub(crate) fn of(words: u32) -> Self {
        if words == 1 { Self::Word } else { Self::Wide }
    }

    /// Words for a tile. As many at the start hold the counter that tiles take their numbers from.
    fn words(self) -> u64 {
        match self {
            Self::Small => 1,
            Self::Word => 2,
            Self::Wide => 4,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Small => include_str!("state30.wgsl"),
            Self::Word => include_str!("state32.wgsl"),
            Self::Wide => include_str!("state64.wgsl"),
        }
    }

    /// The state of so many tiles. It must be all zeros before the kernel runs.
    pub(crate) fn state(self, device: &Device, tiles: u64) -> Result<(Buffer, u64)> {
        let words = self.words() * (tiles + 1);
        Ok((device.words(words, "state of tiles")?, 4 * words))
    }
}

/// How patient a workgroup is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// How often a workgroup asks for the total of another before it computes it itself.
    pub spins: u32,
    /// Every other tile keeps silent: a test of the fallback.
    pub silent: bool,
}

impl Default for Patience {
    fn default() -> Self {
        Self { spins: SPINS, silent: false }
    }
}

/// Not measured.
const SPINS: u32 = 1024;

/// Declares the state and includes the look-back.
pub(crate) fn declare(source: Source, published: Published, patience: Patience) -> Source {
    source
        .constant("SPINS", patience.spins)
        .flag("SILENT", patience.silent)
        .include(published.text())
        .include(include_str!("lookback.wgsl"))
        .atomics("state")
}
