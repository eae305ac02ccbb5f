//! The first bad row of a batch that streams, as its kernels find it: in the lists of commands that the batch has anyway.

use std::ops::Range;

use thalweg_core::Result;

use super::device::Device;
use super::mapping::read_mapped;
use super::memory::{Buffer, Use};
use super::recorder::Recorder;

/// Where kernels note bad rows, and where the host reads of them.
#[derive(Debug)]
pub(crate) struct BadRow {
    noted: Buffer,
    told: Buffer,
}

impl BadRow {
    pub(crate) fn new(device: &Device) -> Result<Self> {
        Ok(Self { noted: device.words(1, "bad rows")?, told: device.buffer(Use::Download, 4, "bad rows")? })
    }

    /// Records the kernels of some of a batch's `all` rows, one tile after the other. They are given a word that holds the complement of the
    /// first bad row, or 0.
    pub(crate) fn watch(
        &self,
        commands: &mut Recorder<'_>,
        rows: Range<u32>,
        all: usize,
        record: impl FnOnce(&mut Recorder<'_>, &Buffer) -> Result<()>,
    ) -> Result<()> {
        if rows.start == 0 {
            commands.clear(&self.noted, 4);
        }
        record(commands, &self.noted)?;
        if rows.end as usize == all {
            commands.copy((&self.noted, 0), (&self.told, 0), 4);
        }
        Ok(())
    }

    /// The first bad row, if there is one. All rows were watched.
    pub(crate) fn first(self, device: &Device) -> Result<Option<usize>> {
        let (mut word, last) = ([0; 4], device.context().last_submission());
        read_mapped(device.context(), &self.told, 4, last, |bytes| word.copy_from_slice(bytes))?;
        Ok(match u32::from_ne_bytes(word) {
            0 => None,
            bad => Some(!bad as usize),
        })
    }
}
