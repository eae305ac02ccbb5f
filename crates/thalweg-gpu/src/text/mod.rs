//! Texts on the device: what range minima and nearest smaller values make of suffix arrays, and string matching.
//!
//! | function | what it finds | work | file |
//! |---|---|---|---|
//! | [`suffix_array`], [`suffix_array_with_lcp`] | all suffixes in order, by prefix doubling | O(n log n) | `suffix_array.rs` |
//! | [`lpf`], [`lpf_with_sources`] | the longest previous factor at every position, from suffix and LCP array | O(n log n), mostly O(n) | `lpf.rs` |
//! | [`lz77()`](fn@lz77) | the greedy Lempel-Ziv factorisation, exactly | that of `lpf` | `lz77.rs` |
//! | [`Lce`] | how far two suffixes agree, for any pairs, as range minima | O(1) a pair | `lce.rs` |
//! | [`find_all`] | all occurrences of a pattern: [engines](mod@search) | O(n + m) | `search/` |
//!
//! Positions have 32 bits: texts are shorter than [`WIDE`]. Suffix and LCP arrays are arrays of
//! `u32` on the device, whoever has made them: those of the `thalweg` crate, which sorts on the CPU, are uploaded as they
//! are.

mod lce;
mod lpf;
mod lz77;
mod minima;
pub mod search;
mod suffix_array;

use thalweg::text::WIDE;
use thalweg::{Error, Result};

pub use self::lce::Lce;
pub use self::lpf::{Lpf, lpf, lpf_with_sources};
pub use self::lz77::lz77;
#[doc(inline)]
pub use self::search::find_all;
pub use self::suffix_array::{Suffixes, suffix_array, suffix_array_with_lcp};
use crate::array::DeviceArray;
use crate::device::Device;
use crate::memory::Buffer;
use crate::transfer::{self, copy_parallel, read_word};
use crate::tree::NodeKernel;

/// A text of bytes on the device, four to a word.
///
/// ```no_run
/// use thalweg_gpu::{Choice, Device, text::Text};
/// let text = Text::upload(&Device::open(&Choice::Auto)?, b"banana")?;
/// assert_eq!(text.len(), 6);
/// # Ok::<(), thalweg::Error>(())
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

/// `text_word(byte)`: four bytes of a text from any byte on; `text_byte(byte)`.
const TEXT_WORDS: &str = "fn text_word(byte: u32) -> u32 {
    let word = byte / 4u;
    let shift = 8u * (byte & 3u);
    if shift == 0u { return text_at(word); }
    return text_at(word) >> shift | text_at(word + 1u) << (32u - shift);
}
fn text_byte(byte: u32) -> u32 { return text_at(byte / 4u) >> (8u * (byte & 3u)) & 0xffu; }
";

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
    pub fn len(&self) -> u64 {
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

    /// A kernel with one thread for each of `count` elements that reads the text.
    fn kernel(&self, count: u64, name: &'static str, body: &str) -> NodeKernel<'_> {
        NodeKernel::on(self.device(), count, name, body).include(TEXT_WORDS).reads("text", "u32", &self.words)
    }
}

/// An error for what is too long for positions on the device.
fn check_len(len: u64, what: &str) -> Result<()> {
    if len >= WIDE as u64 {
        return Err(Error::device_limit(format!(
            "{what} of {len} symbols: positions on the device take fewer than {WIDE}"
        )));
    }
    Ok(())
}

/// An error if one array is not as long as another.
fn same_len(what: &'static str, got: u64, expected: u64) -> Result<()> {
    if got == expected {
        return Ok(());
    }
    Err(Error::Length { what, expected: expected as usize, got: got as usize })
}

/// A word that kernels note the first bad row in, as its complement; 0 for none.
fn cleared_word(device: &Device, what: &'static str) -> Result<Buffer> {
    let word = device.words(1, what)?;
    let mut commands = device.record();
    commands.clear(&word, 4);
    commands.submit()?;
    Ok(word)
}

/// The error for a suffix array that leads out of its text, if a kernel has noted a rank where it does.
fn check_suffixes(sa: &DeviceArray<u32>, bad: &Buffer) -> Result<()> {
    match read_word(sa.device(), bad, 0)? {
        0 => Ok(()),
        bad => {
            let (rank, len) = (!bad, sa.len() as usize);
            let to = crate::list::element_of(sa, rank.into())?.into();
            Err(Error::Link { what: "suffix", element: rank as usize, to, len })
        }
    }
}
