//! Which memory of the host a device copies from and to by itself, by address: slices of a
//! [`HostArray`](super::host_array::HostArray) are recognised wherever a call takes a slice.

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

use super::memory::Buffer;

/// The host arrays of a device, by the address at which they begin.
#[derive(Debug, Default)]
pub(crate) struct Pinned(RwLock<BTreeMap<usize, Buffer>>);

impl Pinned {
    pub(super) fn add(&self, start: usize, buffer: Buffer) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(start, buffer);
    }

    pub(super) fn remove(&self, start: usize) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).remove(&start);
    }

    /// The buffer that holds these bytes, and where in it, if the device can copy them as they lie.
    pub(crate) fn find(&self, bytes: &[u8]) -> Option<(Buffer, u64)> {
        let arrays = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let at = bytes.as_ptr() as usize;
        let (start, buffer) = arrays.range(..=at).next_back()?;
        let offset = (at - start) as u64;
        let inside = offset + bytes.len() as u64 <= buffer.bytes();
        // Devices copy words.
        let words = offset.is_multiple_of(4) && bytes.len().is_multiple_of(4);
        (inside && words && !bytes.is_empty()).then(|| (buffer.clone(), offset))
    }
}
