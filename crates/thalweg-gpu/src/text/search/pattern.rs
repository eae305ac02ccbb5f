//! Patterns on the device.

use thalweg_core::Result;

use crate::array::DeviceArray;
use crate::device::Device;

/// A pattern on the device, as words.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) words: DeviceArray<u32>,
}

impl Pattern {
    pub(super) fn upload(device: &Device, pattern: &[u8]) -> Result<Self> {
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0u32, |word, &byte| word << 8 | u32::from(byte));
        let words: Vec<u32> = pattern.chunks(4).map(word).collect();
        Ok(Self { words: device.upload(&words)? })
    }
}

/// `bits_of(left)`, for the last word of a pattern.
pub(super) const LAST_BITS: &str = include_str!("last_bits.wgsl");
