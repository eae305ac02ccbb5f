//! LZ77: the greedy factorisation of a text into phrases that occurred before, phrase for phrase that of the CPU.
//!
//! Longest previous factors of all positions are found on the device ([`lpf_with_sources`]); the phrases are then jumps
//! p -> p + max(1, LPF[p]), which the host follows: a chain is sequential, and one jump a phrase is little work.
//!
//! Work: that of the longest previous factors, and a copy of 8 bytes a position to the host.

use thalweg_text::{Factors, Phrase};
use thalweg_core::{Position, Result};

use super::checks::same_len;
use super::lpf::lpf_with_sources;
use crate::array::DeviceArray;

/// The LZ77 factorisation of a text, from its suffix and LCP array on the device. The text itself is on the host, where the
/// phrases are made.
///
/// ```no_run
/// use thalweg_gpu::text::{Text, lz77, suffix_array_with_lcp};
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let text = b"abababbb";
/// let suffixes = suffix_array_with_lcp(&Text::upload(&device, text)?)?;
/// assert_eq!(lz77(text, &suffixes.positions, &suffixes.lcp)?, thalweg_text::lz77(text)?);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub fn lz77(text: &[u8], sa: &DeviceArray<u32>, lcp: &DeviceArray<u32>) -> Result<Factors> {
    same_len("suffix array", sa.len(), text.len() as u64)?;
    let found = lpf_with_sources(sa, lcp)?;
    let (lengths, sources) = (found.lengths.to_vec()?, found.sources.to_vec()?);
    let mut phrases = Vec::new();
    let mut position = 0;
    while let Some(&symbol) = text.get(position) {
        // Arrays that are not the text's may say anything: `from_phrases` does not believe them, and the last phrase ends
        // with the text.
        let phrase = match (lengths[position] as usize).min(text.len() - position) {
            0 => Phrase::Literal(symbol),
            length => Phrase::Copy { source: sources[position].get(), length },
        };
        phrases.push(phrase);
        position += phrase.extent();
    }
    Factors::from_phrases(&phrases)
}
