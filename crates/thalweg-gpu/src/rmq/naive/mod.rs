//! Scans the whole range, one workgroup a query. No index, and the oracle of the others on the device.

use thalweg_core::{Error, Result};

use super::batch::Batch;
use crate::array::Keys;
use crate::coding::KeyCode;
use crate::kernel::Source;
use crate::recorder::Recorder;

/// Threads of a workgroup. Not measured.
const THREADS: u32 = 128;

#[derive(Debug)]
pub(super) struct Naive {
    coding: KeyCode,
}

impl Naive {
    pub(super) fn new(values: &Keys, coding: KeyCode) -> Result<Self> {
        // The numbers of packs, one step beyond the last included, fit 32 bits.
        if values.len() * u64::from(coding.words) / 4 + 2 * u64::from(THREADS) > u64::from(u32::MAX) {
            return Err(Error::device_limit(format!(
                "rmq: {} elements are more than the kernel numbers",
                values.len()
            )));
        }
        Ok(Self { coding })
    }

    pub(super) fn dispatch(&self, values: &Keys, commands: &mut Recorder<'_>, batch: &Batch<'_>) -> Result<()> {
        let source = Source::new("rmq naive", include_str!("naive.wgsl"), "naive").constant("THREADS", THREADS);
        batch.dispatch(values, self.coding, source, Vec::new(), batch.count.into(), &[], commands)
    }
}
