//! Split: a stable partition in two.

use thalweg_core::{Key, Result};

use super::compact::{Moved, record, same_length};
use super::reduce::read_value;
use super::sizes::{self, Tile};
use crate::array::DeviceArray;
use crate::coding;

/// The elements whose flag is zero, then those whose flag is not, each in their order; and the number of the former.
///
/// Work O(n); flags are read twice, elements once. Extra memory: the result, and 8 bytes per tile of 4,096. BSGP's
/// `split` (Hou et al. 2008), as a compaction to both ends.
///
/// ```no_run
/// use thalweg_gpu::primitives::split;
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let (values, flags) = (device.upload(&[5, -2, 7, -1])?, device.upload(&[1u32, 0, 1, 0])?);
/// let (parted, falses) = split(&values, &flags)?;
/// assert_eq!((parted.to_vec()?, falses), (vec![-2, -1, 5, 7], 2));
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub fn split<K: Key>(values: &DeviceArray<K>, flags: &DeviceArray<u32>) -> Result<(DeviceArray<K>, u64)> {
    same_length(values, flags)?;
    run(Moved::Values(values, flags), sizes::compact(values.device(), coding::words::<K>()))
}

/// The positions of the flags that are zero, then of those that are not, each ascending; and the number of the former:
/// where the elements of a split come from.
///
/// As [`split`].
///
/// ```no_run
/// use thalweg_gpu::primitives::split_indices;
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let (positions, falses) = split_indices(&device.upload(&[1u32, 0, 1, 0])?)?;
/// assert_eq!((positions.to_vec()?, falses), (vec![1, 3, 0, 2], 2));
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub fn split_indices(flags: &DeviceArray<u32>) -> Result<(DeviceArray<u32>, u64)> {
    run(Moved::Indices(flags), sizes::compact(flags.device(), 1))
}

fn run<K: Key>(moved: Moved<'_, K>, tile: Tile) -> Result<(DeviceArray<K>, u64)> {
    let (device, len) = (moved.device(), moved.len());
    let out = DeviceArray::new(device, len)?;
    if out.is_empty() {
        return Ok((out, 0));
    }
    let mut commands = device.record();
    let trues = record(&mut commands, &moved, &out, true, tile)?;
    commands.submit()?;
    let trues = read_value(device, &trues, 1)?;
    Ok((out, len - trues))
}
