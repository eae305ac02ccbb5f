//! The Burrows-Wheeler transform (1994): a gather from the text, four symbols a thread.

use thalweg_core::error::expect_len;
use thalweg_core::memory::filled;
use thalweg_core::{Error, Result};
use thalweg_text::Bwt;

use super::device_text::Text;
use crate::array::DeviceArray;
use crate::list::element_of;
use crate::primitives::elementwise::Elementwise;
use crate::transfer::{self, copy_parallel, read_words};

/// The Burrows-Wheeler transform of a text, from its suffix array, on the host: as
/// [`SuffixArray::bwt`](thalweg_text::SuffixArray::bwt) has it.
///
/// Of an array that is not the text's suffix array the transform is wrong; one that leads out of the text, or lacks the
/// position 0, is an error.
///
/// ```no_run
/// use thalweg_gpu::text::{Text, bwt, suffix_array};
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let text = Text::upload(&device, b"banana")?;
/// let transform = bwt(&text, &suffix_array(&text)?)?;
/// assert_eq!((&transform.symbols[..], transform.primary), (&b"annbaa"[..], 4));
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub fn bwt(text: &Text, sa: &DeviceArray<u32>) -> Result<Bwt<u8>> {
    expect_len("suffix array", sa.len(), text.len())?;
    let (device, len) = (text.device(), text.count());
    if len == 0 {
        return Ok(Bwt { symbols: Vec::new(), primary: 0 });
    }
    let found = device.words(2, "the whole text's rank")?;
    let mut commands = device.record();
    commands.clear(&found, 8);
    Elementwise::new(device, len, "whole text", include_str!("whole.wgsl"))
        .reads("sa", "u32", sa)
        .declare(|source| source.atomics("found"), [found.all()].into_iter())
        .dispatch(&mut commands, &[])?;
    commands.submit()?;
    let mut ranks = [0; 2];
    read_words(device, &found, 0, &mut ranks)?;
    let whole = match ranks {
        [whole, 0] if whole != 0 => !whole,
        [_, 0] => {
            let reason = "position 0 does not occur".to_owned();
            return Err(Error::BadOption { option: "suffix array", reason });
        }
        [_, bad] => {
            let to = element_of(sa, (!bad).into())?.into();
            return Err(Error::Link { what: "suffix", element: !bad as usize, to, len: sa.len() });
        }
    };
    let words = DeviceArray::<u32>::new(device, len.div_ceil(4))?;
    let mut commands = device.record();
    text.kernel(words.count(), "transform", include_str!("symbols.wgsl"))
        .reads("sa", "u32", sa)
        .writes("symbols", "u32", &words)
        .dispatch(&mut commands, &[len as u32, whole])?;
    commands.submit()?;
    // By all threads: fresh pages are what takes the time.
    let mut symbols = filled(text.len(), 0u8, "the BWT")?;
    for (start, end, shard) in words.pieces() {
        let symbols = &mut symbols[4 * start as usize..text.len().min(4 * end as usize)];
        transfer::download(device, shard, 0, 4 * (end - start), |at, piece| {
            let to = &mut symbols[at as usize..];
            let count = to.len().min(piece.len());
            copy_parallel(&piece[..count], &mut to[..count]);
        })?;
    }
    Ok(Bwt { symbols, primary: whole as usize + 1 })
}
