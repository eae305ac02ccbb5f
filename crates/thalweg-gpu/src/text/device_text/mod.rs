//! Texts on the device.

use thalweg_core::Result;

use super::checks::check_len;
use crate::array::DeviceArray;
use crate::device::Device;
use crate::kernel::Source;
use crate::memory::Binding;
use crate::primitives::elementwise::Elementwise;
use crate::transfer::{self, copy_parallel};

/// A text of bytes on the device, four to a word.
///
/// ```no_run
/// use thalweg_gpu::{Choice, Device, text::Text};
/// let text = Text::upload(&Device::open(&Choice::Auto)?, b"banana")?;
/// assert_eq!(text.len(), 6);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Text {
    /// The bytes, the first one lowest, and zeros up to [`PADDING`] words behind them: kernels read whole words from any
    /// byte on.
    words: DeviceArray<u32>,
    len: u64,
}

/// Words behind a text's last one.
const PADDING: u64 = 2;

impl Text {
    /// Copies a text to the device.
    pub fn upload(device: &Device, bytes: &[u8]) -> Result<Self> {
        check_len(bytes.len() as u64, "a text")?;
        let len = bytes.len() as u64;
        let words = DeviceArray::<u32>::new(device, len.div_ceil(4) + PADDING)?;
        for (start, end, shard) in words.pieces() {
            transfer::upload(device, shard, 0, 4 * (end - start), |at, piece| {
                let from = bytes.get((4 * start + at) as usize..).unwrap_or(&[]);
                let count = from.len().min(piece.len());
                copy_parallel(&from[..count], &mut piece[..count]);
                piece[count..].fill(0);
            })?;
        }
        Ok(Self { words, len })
    }

    /// How many bytes it has.
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// The same, as kernels count them.
    pub(super) fn count(&self) -> u64 {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device that holds it.
    pub fn device(&self) -> &Device {
        self.words.device()
    }

    /// A kernel with one thread for each of `count` elements that reads the text: `text_word(byte)`,
    /// `text_byte(byte)`.
    pub(super) fn kernel(&self, count: u64, name: &'static str, text: &str) -> Elementwise<'_> {
        Elementwise::new(self.device(), count, name, text).declare(|source| self.declare(source), self.bindings())
    }

    /// The same for any kernel.
    pub(super) fn declare(&self, source: Source) -> Source {
        source.include(include_str!("words.wgsl")).reads_sharded("text", "u32", self.words.sharding())
    }

    /// The buffers that belong to [`Text::declare`].
    pub(super) fn bindings(&self) -> impl Iterator<Item = Binding<'_>> {
        self.words.bindings()
    }
}
