//! The primitives for slices of the host: up, work, and back.
//!
//! Transfers take most of the time. Where several steps follow each other, work on [`DeviceArray`](crate::DeviceArray)s.

use thalweg_core::{Key, Result};

use super::combine::Op;
use crate::device::Device;

/// [`super::reduce`] of a slice.
pub fn reduce<K: Key>(device: &Device, values: &[K], op: Op) -> Result<K> {
    super::reduce(&device.upload(values)?, op)
}

/// [`super::inclusive_scan`] of a slice.
///
/// ```no_run
/// use thalweg_gpu::primitives::{Op, host_slices};
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// assert_eq!(host_slices::inclusive_scan(&device, &[3, 1, 4], Op::Sum)?, [3, 4, 8]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub fn inclusive_scan<K: Key>(device: &Device, values: &[K], op: Op) -> Result<Vec<K>> {
    super::inclusive_scan(&device.upload(values)?, op)?.to_vec()
}

/// [`super::exclusive_scan`] of a slice.
pub fn exclusive_scan<K: Key>(device: &Device, values: &[K], op: Op) -> Result<(Vec<K>, K)> {
    let (scanned, total) = super::exclusive_scan(&device.upload(values)?, op)?;
    Ok((scanned.to_vec()?, total))
}

/// [`super::sort()`](fn@super::sort) of a slice.
///
/// ```no_run
/// use thalweg_gpu::primitives::host_slices;
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let mut keys = [2.5, -1.0, 0.0];
/// host_slices::sort(&device, &mut keys)?;
/// assert_eq!(keys, [-1.0, 0.0, 2.5]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub fn sort<K: Key>(device: &Device, keys: &mut [K]) -> Result<()> {
    let mut array = device.upload(keys)?;
    super::sort(&mut array)?;
    array.download(keys)
}

/// [`super::sort_idx`] of a slice.
pub fn sort_idx<K: Key>(device: &Device, keys: &[K]) -> Result<Vec<u32>> {
    super::sort_idx(&device.upload(keys)?)?.to_vec()
}

/// [`super::sort_by_key`] of slices.
pub fn sort_by_key<V: Key, K: Key>(device: &Device, values: &[V], keys: &[K]) -> Result<Vec<V>> {
    super::sort_by_key(&device.upload(values)?, &device.upload(keys)?)?.to_vec()
}
