//! What the kernels note about lists: bad links, ends, visits, cycles.

use thalweg_core::Result;

use crate::device::Device;
use crate::kernel::Source;
use crate::memory::Buffer;
use crate::transfer::read_words;

/// Words of the status: complements of the first element with a bad link and of one that two others link to, ends,
/// heads that are listed, elements visited, whether there is a cycle, whether a sublist is too long for narrow marks.
pub(crate) const STATUS: u64 = 7;

/// The names of the words of the status.
pub(super) fn status_constants(source: Source) -> Source {
    ["BAD", "TWICE", "ENDS", "HEADS", "VISITED", "LOOP", "LONG"]
        .into_iter()
        .zip(0..)
        .fold(source, |source, (name, i)| source.constant(name, i))
}

/// What kernels have noted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Status {
    pub(super) bad: u32,
    pub(super) twice: u32,
    pub(super) ends: u32,
    pub(crate) visited: u32,
    pub(crate) cycle: bool,
    /// Marks are of no use, and those of two words are needed.
    pub(crate) long: bool,
}

impl Status {
    pub(crate) fn read(device: &Device, buffer: &Buffer) -> Result<Self> {
        let mut words = [0; STATUS as usize];
        read_words(device, buffer, 0, &mut words)?;
        let [bad, twice, ends, _, visited, cycle, long] = words;
        Ok(Self { bad, twice, ends, visited, cycle: cycle != 0, long: long != 0 })
    }
}
