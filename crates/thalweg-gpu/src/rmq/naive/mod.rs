//! Scans the whole range, one workgroup a query. No index, and the oracle of the others on the device.

use thalweg_core::{Error, Key, Result};

use super::batch::Batch;
use crate::array::DeviceArray;
use crate::coding::{self, Coding};
use crate::kernel::Source;
use crate::recorder::Recorder;

/// Threads of a workgroup. Not measured.
const THREADS: u32 = 128;

#[derive(Debug)]
pub(super) struct Scan {
    coding: Coding,
}

impl Scan {
    pub(super) fn new<K: Key>(values: &DeviceArray<K>, coding: Coding) -> Result<Self> {
        // The numbers of packs, one step beyond the last included, fit 32 bits.
        if values.len() * u64::from(coding::words::<K>()) / 4 + 2 * u64::from(THREADS) > u64::from(u32::MAX) {
            return Err(Error::device_limit(format!(
                "rmq: {} elements are more than the kernel numbers",
                values.len()
            )));
        }
        Ok(Self { coding })
    }

    pub(super) fn dispatch<K: Key>(
        &self,
        values: &DeviceArray<K>,
        commands: &mut Recorder<'_>,
        batch: &Batch<'_>,
    ) -> Result<()> {
        let source = Source::new("rmq scan", include_str!("scan.wgsl"), "scan").constant("THREADS", THREADS);
        batch.dispatch(values, self.coding, source, Vec::new(), batch.count.into(), &[], commands)
    }
}
