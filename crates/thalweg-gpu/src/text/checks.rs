//! Errors for arrays that do not fit each other or their text.

use thalweg_core::{Error, Result};
use thalweg_text::WIDE;

use crate::array::DeviceArray;
use crate::device::Device;
use crate::list::element_of;
use crate::memory::Buffer;
use crate::transfer::read_word;

/// Symbols of a text are fewer: positions are unsigned numbers of 32 bits, and so are those that the threads of all workgroups
/// count, of which a dispatch has some hundred more than it needs, with at most 256 · 8 elements each.
const MOST: u64 = (1 << 32) - (1 << 20);

/// An error for what is too long for positions on the device.
pub(super) fn check_len(len: u64, what: &str) -> Result<()> {
    less_than(len, MOST, what)
}

/// The same for what takes texts below [`WIDE`] only.
pub(super) fn check_narrow(len: u64, what: &str) -> Result<()> {
    less_than(len, WIDE as u64, what)
}

fn less_than(len: u64, end: u64, what: &str) -> Result<()> {
    if len >= end {
        let reason = format!("{what} of {len} symbols: positions on the device take fewer than {end}");
        return Err(Error::device_limit(reason));
    }
    Ok(())
}

/// A word that kernels note the first bad row in, as its complement; 0 for none.
pub(super) fn cleared_word(device: &Device, what: &'static str) -> Result<Buffer> {
    let word = device.words(1, what)?;
    let mut commands = device.record();
    commands.clear(&word, 4);
    commands.submit()?;
    Ok(word)
}

/// The error for a suffix array that leads out of its text, if a kernel has noted a rank where it does.
pub(super) fn check_suffixes(sa: &DeviceArray<u32>, bad: &Buffer) -> Result<()> {
    match read_word(sa.device(), bad, 0)? {
        0 => Ok(()),
        bad => {
            let (rank, len) = (!bad, sa.len());
            let to = element_of(sa, rank.into())?.into();
            Err(Error::Link { what: "suffix", element: rank as usize, to, len })
        }
    }
}
