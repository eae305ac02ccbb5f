//! A factorisation as a file: the format `.tlz`.
//!
//! All integers are little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 0..4 | magic: 0x89 `TLZ` |
//! | 4 | version: 1 |
//! | 5 | how sources are written: 0 as positions, 1 as distances |
//! | 6..8 | zero |
//! | 8..16 | length of the text |
//! | 16..24 | number of phrases |
//! | 24..32 | checksum of the text: XXH3, 64 bits |
//! | 32..40 | bytes of the lengths |
//! | 40.. | the lengths, then the sources: two streams of bits, each filled with zeros to a whole byte |
//!
//! Lengths are Elias gamma codes of the length plus one; a literal has length 0. Sources are, in the order of the phrases:
//! the byte of a literal in 8 bits; the position in as few bits as hold every earlier position (⌈log2⌉ of where the phrase
//! begins), or the Elias delta code of the distance. The writer takes the smaller of the two: nearest sources
//! ([`Source::Nearest`](crate::lz77::Source::Nearest)) are smaller as distances. Bits fill bytes from the lowest up.
//!
//! **Reading** trusts nothing. Everything is checked before memory is taken for it: the number of phrases against the bits
//! that there are, the lengths against the length of the text, every source against its phrase. A text may be very much
//! longer than its file (a million times is nothing for a text of one letter), so a reader says how long a text it is
//! ready to take: [`Reader::max_len`]. What is decoded is compared with the checksum. There is one file for every
//! factorisation: other bits, even of the filling, are errors, and so is the longer way to write sources.

use xxhash_rust::xxh3::xxh3_64;

use crate::lz77::{Factors, Phrase};
use thalweg_core::error::try_with_capacity;
use thalweg_core::{Error, Result};

/// The first bytes of a file.
pub const MAGIC: [u8; 4] = [0x89, b'T', b'L', b'Z'];
const VERSION: u8 = 1;
const HEADER: usize = 40;

/// Writes a factorisation of `text`.
///
/// Work O(z) for z phrases, and one pass over the text for its checksum. The text is not compared with the factorisation.
///
/// ```
/// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
/// use thalweg::text::{container, lz77};
/// let text = b"to be or not to be, that is the question; to be or not to be, that is the question";
/// let file = container::write(&lz77(text)?, text)?;
/// assert!(file.len() < text.len() + 40);
/// assert_eq!(container::read(&file)?, text);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn write(factors: &Factors, text: &[u8]) -> Result<Vec<u8>> {
    thalweg_core::error::expect_len("text of a factorisation", text.len(), factors.text_len())?;
    let sizes = Sizes::of(factors);
    let distances = sizes.takes_distances();
    let source_bits = sizes.positions.min(sizes.distances);
    let length_bytes = sizes.lengths.div_ceil(8);
    let total = HEADER + length_bytes + source_bits.div_ceil(8);
    let mut file = try_with_capacity::<u8>(total, "the container")?;
    file.extend_from_slice(&MAGIC);
    file.extend_from_slice(&[VERSION, u8::from(distances), 0, 0]);
    for word in [factors.text_len() as u64, factors.len() as u64, xxh3_64(text), length_bytes as u64] {
        file.extend_from_slice(&word.to_le_bytes());
    }
    let mut bits = BitWriter::new(&mut file);
    for phrase in factors {
        bits.gamma(length_of(phrase) as u64 + 1);
    }
    bits.finish();
    let mut bits = BitWriter::new(&mut file);
    let mut start = 0;
    for phrase in factors {
        match phrase {
            Phrase::Literal(byte) => bits.put(u64::from(byte), 8),
            Phrase::Copy { source, .. } if distances => bits.delta((start - source) as u64),
            Phrase::Copy { source, .. } => bits.put(source as u64, position_bits(start)),
        }
        start += phrase.extent();
    }
    bits.finish();
    debug_assert_eq!(file.len(), total);
    Ok(file)
}

/// Reads a file back to the text, however long that is.
///
/// For files from elsewhere, [`Reader`] limits the length.
pub fn read(file: &[u8]) -> Result<Vec<u8>> {
    Reader::open(file)?.text()
}

/// What the head of a file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Length of the text.
    pub text_len: usize,
    /// Number of phrases.
    pub phrases: usize,
    /// XXH3 of the text.
    pub checksum: u64,
    /// Whether sources are written as distances.
    pub distances: bool,
}

/// A file whose head has been read and believed as far as the file's length allows.
///
/// ```
/// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
/// use thalweg::text::{container::{self, Reader}, lz77};
/// let text = vec![b'a'; 1_000_000];
/// let file = container::write(&lz77(&text)?, &text)?;
/// assert!(file.len() < 60);
/// let reader = Reader::open(&file)?;
/// assert_eq!((reader.head().text_len, reader.head().phrases), (1_000_000, 2));
/// assert!(reader.max_len(999_999).text().is_err());
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Reader<'f> {
    head: Head,
    lengths: &'f [u8],
    sources: &'f [u8],
    max_len: usize,
}

impl<'f> Reader<'f> {
    /// Reads the head.
    pub fn open(file: &'f [u8]) -> Result<Self> {
        let bad = |at: usize, reason: String| Err(Error::Format { at, reason });
        if !file.starts_with(&MAGIC) {
            return bad(0, "not a .tlz file".to_owned());
        }
        let Some((head, streams)) = file.split_at_checked(HEADER) else {
            return bad(file.len(), format!("cut off: the head has {HEADER} bytes"));
        };
        if head[4] != VERSION {
            return bad(4, format!("version {} of the format is not known", head[4]));
        }
        if head[5] > 1 || head[6] != 0 || head[7] != 0 {
            return bad(5, "unknown flags".to_owned());
        }
        let word = |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().expect("eight bytes"));
        let size = |at: usize, what: &str| {
            let reason = || format!("{what} is {}, more than this machine can address", word(at));
            usize::try_from(word(at)).map_err(|_| Error::Format { at, reason: reason() })
        };
        let text_len = size(8, "the length of the text")?;
        let phrases = size(16, "the number of phrases")?;
        let length_bytes = size(32, "the size of the lengths")?;
        let Some((lengths, sources)) = streams.split_at_checked(length_bytes) else {
            return bad(32, format!("cut off: {length_bytes} bytes of lengths, and {} are there", streams.len()));
        };
        // A length takes a bit at least; so the memory for phrases is bounded by the file.
        if phrases > text_len || phrases as u64 > lengths.len() as u64 * 8 {
            return bad(16, format!("{phrases} phrases cannot be in a text of {text_len} bytes and this file"));
        }
        if text_len > 0 && phrases == 0 {
            return bad(16, format!("no phrases for a text of {text_len} bytes"));
        }
        let head = Head { text_len, phrases, checksum: word(24), distances: head[5] == 1 };
        Ok(Self { head, lengths, sources, max_len: usize::MAX })
    }

    /// What the head says.
    pub fn head(&self) -> Head {
        self.head
    }

    /// Refuses texts longer than this.
    pub fn max_len(mut self, len: usize) -> Self {
        self.max_len = len;
        self
    }

    /// The phrases. Whether they are those of the text that was meant, only [`Reader::text`] knows.
    pub fn factors(&self) -> Result<Factors> {
        let Head { text_len, phrases, distances, .. } = self.head;
        if text_len > self.max_len {
            let reason = format!("a text of {text_len} bytes, more than the {} allowed", self.max_len);
            return Err(Error::Format { at: 8, reason });
        }
        let mut lengths = BitReader::new(self.lengths, HEADER);
        let mut sources = BitReader::new(self.sources, HEADER + self.lengths.len());
        let mut start = 0usize;
        let mut next = || {
            let at = lengths.place();
            let length = usize::try_from(lengths.gamma()? - 1).unwrap_or(usize::MAX);
            let end = start.checked_add(length.max(1)).filter(|&end| end <= text_len);
            let end = end.ok_or_else(|| Error::Format {
                at,
                reason: format!("a phrase at {start} ends beyond the text's {text_len} bytes"),
            })?;
            let at = sources.place();
            let phrase = if length == 0 {
                Phrase::Literal(sources.get(8)? as u8)
            } else if distances {
                let distance = sources.delta()?;
                let source = usize::try_from(distance).ok().and_then(|distance| start.checked_sub(distance));
                let reason = || format!("a phrase at {start} has its source {distance} before it");
                let source = source.ok_or_else(|| Error::Format { at, reason: reason() })?;
                Phrase::Copy { source, length }
            } else {
                let source = sources.get(position_bits(start))? as usize;
                if source >= start {
                    let reason = format!("a phrase at {start} has its source at {source}");
                    return Err(Error::Format { at, reason });
                }
                Phrase::Copy { source, length }
            };
            start = end;
            Ok(phrase)
        };
        let factors = Factors::collect(std::iter::from_fn(|| Some(next())), phrases, text_len)?;
        if factors.text_len() != text_len {
            let reason = format!("the phrases make {} bytes, not {text_len}", factors.text_len());
            return Err(Error::Format { at: 8, reason });
        }
        lengths.expect_end()?;
        sources.expect_end()?;
        // Without copies, and by chance, both readings are the same: the writer takes positions then.
        if distances != Sizes::of(&factors).takes_distances() {
            let reason = "sources are not written as the writer does, in fewer bits".to_owned();
            return Err(Error::Format { at: 5, reason });
        }
        Ok(factors)
    }

    /// The text, compared with its checksum.
    pub fn text(&self) -> Result<Vec<u8>> {
        let text = self.factors()?.decode()?;
        if xxh3_64(&text) != self.head.checksum {
            let reason = "the text is not the one that was written: its checksum differs".to_owned();
            return Err(Error::Format { at: 24, reason });
        }
        Ok(text)
    }
}

/// What the phrase's length is written as.
fn length_of(phrase: Phrase) -> usize {
    match phrase {
        Phrase::Literal(_) => 0,
        Phrase::Copy { length, .. } => length,
    }
}

/// Bits that hold every position before `start`.
fn position_bits(start: usize) -> u32 {
    usize::BITS - start.saturating_sub(1).leading_zeros()
}

/// Bits of a number above 0.
fn bit_len(value: u64) -> u32 {
    u64::BITS - value.leading_zeros()
}

fn gamma_bits(value: u64) -> u32 {
    2 * bit_len(value) - 1
}

fn delta_bits(value: u64) -> u32 {
    gamma_bits(u64::from(bit_len(value))) + bit_len(value) - 1
}

/// Bits of the streams.
struct Sizes {
    lengths: usize,
    positions: usize,
    distances: usize,
}

impl Sizes {
    fn of(factors: &Factors) -> Self {
        let mut sizes = Self { lengths: 0, positions: 0, distances: 0 };
        let mut start = 0;
        for phrase in factors {
            sizes.lengths += gamma_bits(length_of(phrase) as u64 + 1) as usize;
            let (position, distance) = match phrase {
                Phrase::Literal(_) => (8, 8),
                Phrase::Copy { source, .. } => (position_bits(start), delta_bits((start - source) as u64)),
            };
            sizes.positions += position as usize;
            sizes.distances += distance as usize;
            start += phrase.extent();
        }
        sizes
    }

    /// Which of the two ways to write sources is taken: the smaller.
    fn takes_distances(&self) -> bool {
        self.distances < self.positions
    }
}

/// Appends bits to bytes, from the lowest bit up.
struct BitWriter<'o> {
    out: &'o mut Vec<u8>,
    /// Bits that do not fill a byte yet: fewer than 8.
    pending: u64,
    count: u32,
}

impl<'o> BitWriter<'o> {
    fn new(out: &'o mut Vec<u8>) -> Self {
        Self { out, pending: 0, count: 0 }
    }

    /// The lowest `bits` bits of `value`, which has no others; up to 64.
    #[inline]
    fn put(&mut self, value: u64, bits: u32) {
        let all = u128::from(self.pending) | u128::from(value) << self.count;
        let total = self.count + bits;
        self.out.extend_from_slice(&all.to_le_bytes()[..total as usize / 8]);
        self.count = total % 8;
        self.pending = (all >> (total - self.count)) as u64;
    }

    /// Elias gamma: as many zeros as bits follow the highest one, that one, those bits (the lowest first).
    #[inline]
    fn gamma(&mut self, value: u64) {
        let low = bit_len(value) - 1;
        self.put(0, low);
        self.put(1, 1);
        self.put(value ^ 1 << low, low);
    }

    /// Elias delta: the number of bits in gamma, then the bits but the highest.
    #[inline]
    fn delta(&mut self, value: u64) {
        let low = bit_len(value) - 1;
        self.gamma(u64::from(low) + 1);
        self.put(value ^ 1 << low, low);
    }

    fn finish(self) {
        if self.count > 0 {
            self.out.push(self.pending as u8);
        }
    }
}

/// Reads bits of bytes, from the lowest bit up.
struct BitReader<'f> {
    bytes: &'f [u8],
    /// Where the bytes lie in the file.
    base: usize,
    /// The next byte, and how many bits of it have been read: fewer than 8.
    at: usize,
    used: u32,
}

impl<'f> BitReader<'f> {
    fn new(bytes: &'f [u8], base: usize) -> Self {
        Self { bytes, base, at: 0, used: 0 }
    }

    /// The byte of the file that comes next.
    fn place(&self) -> usize {
        self.base + self.at
    }

    /// The next 64 bits at least; zeros beyond the end.
    #[inline]
    fn peek(&self) -> u128 {
        let mut window = [0; 16];
        match self.bytes.get(self.at..self.at + 16) {
            Some(bytes) => window.copy_from_slice(bytes),
            None => {
                let bytes = &self.bytes[self.at..];
                window[..bytes.len()].copy_from_slice(bytes);
            }
        }
        u128::from_le_bytes(window) >> self.used
    }

    fn skip(&mut self, bits: u32) -> Result<()> {
        let total = self.used + bits;
        let (at, used) = (self.at + total as usize / 8, total % 8);
        if at > self.bytes.len() || at == self.bytes.len() && used > 0 {
            let at = self.base + self.bytes.len();
            return Err(Error::Format { at, reason: "cut off: a stream ends in the middle of a number".to_owned() });
        }
        (self.at, self.used) = (at, used);
        Ok(())
    }

    /// The next `bits` bits, up to 64.
    #[inline]
    fn get(&mut self, bits: u32) -> Result<u64> {
        let value = (self.peek() & ((1 << bits) - 1)) as u64;
        self.skip(bits)?;
        Ok(value)
    }

    #[inline]
    fn gamma(&mut self) -> Result<u64> {
        let low = self.peek().trailing_zeros();
        if low >= 64 {
            let at = self.place();
            return Err(Error::Format { at, reason: "a number of more than 64 bits, or none".to_owned() });
        }
        self.skip(low + 1)?;
        Ok(self.get(low)? | 1 << low)
    }

    #[inline]
    fn delta(&mut self) -> Result<u64> {
        let at = self.place();
        let bits = self.gamma()?;
        if bits > 64 {
            return Err(Error::Format { at, reason: format!("a number of {bits} bits") });
        }
        let low = bits as u32 - 1;
        Ok(self.get(low)? | 1 << low)
    }

    /// Nothing but zeros up to the next byte, and no more bytes.
    fn expect_end(mut self) -> Result<()> {
        let at = self.place();
        if self.used > 0 && self.get(8 - self.used)? != 0 {
            return Err(Error::Format { at, reason: "the filling after the last number is not zero".to_owned() });
        }
        if self.at != self.bytes.len() {
            let (at, more) = (self.place(), self.bytes.len() - self.at);
            return Err(Error::Format { at, reason: format!("{more} bytes too many") });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back(numbers in prop::collection::vec((1u64.., 0u32..64, 0u8..3), 0..50)) {
            let mut bytes = Vec::new();
            let mut writer = BitWriter::new(&mut bytes);
            let mut expected = 0;
            for &(value, shift, code) in &numbers {
                let value = (value >> shift).max(1);
                match code {
                    0 => writer.gamma(value),
                    1 => writer.delta(value),
                    _ => writer.put(value, 64),
                }
                expected += [gamma_bits(value), delta_bits(value), 64][usize::from(code)];
            }
            writer.finish();
            prop_assert_eq!(bytes.len(), expected.div_ceil(8) as usize);
            let mut reader = BitReader::new(&bytes, 0);
            for &(value, shift, code) in &numbers {
                let value = (value >> shift).max(1);
                let got = match code {
                    0 => reader.gamma(),
                    1 => reader.delta(),
                    _ => reader.get(64),
                };
                prop_assert_eq!(got, Ok(value));
            }
            prop_assert_eq!(reader.expect_end(), Ok(()));
        }
    }
}
