//! Split: a stable partition in two, the false ones first, as on the CPU.

use thalweg_core::{Key, Result};

use super::compact::{Moved, record, same_length, way};
use super::reduce::read_value;
use crate::array::{DeviceArray, Keys};

/// What [`split`] returns: the elements whose flag is zero, then those whose flag is not, both in their order.
#[derive(Clone, Debug)]
pub struct Split<K: Key> {
    /// All elements.
    pub elements: DeviceArray<K>,
    /// Where those begin whose flag is not zero; as many are those whose flag is.
    pub first_true: usize,
}

/// The elements whose flag is zero, then those whose flag is not, both in their order.
///
/// Work O(n); flags and elements are read once. Extra memory: the result, a bit a flag, and 4 bytes for some hundred elements. BSGP's
/// `split` (Hou et al. 2008), as a compaction to both ends.
///
/// ```no_run
/// use thalweg_gpu::primitives::split;
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let (values, flags) = (device.upload(&[5, -2, 7, -1])?, device.upload(&[1u32, 0, 1, 0])?);
/// let parted = split(&values, &flags)?;
/// assert_eq!((parted.elements.to_vec()?, parted.first_true), (vec![-2, -1, 5, 7], 2));
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub fn split<K: Key>(values: &DeviceArray<K>, flags: &DeviceArray<u32>) -> Result<Split<K>> {
    same_length(values.keys(), flags)?;
    let (elements, first_true) = run(Moved::Values(values.keys(), flags.keys()))?;
    Ok(Split { elements: elements.typed(), first_true })
}

/// The positions of the flags that are zero, then of those that are not, both ascending: where the elements of a split come
/// from.
///
/// As [`split`].
///
/// ```no_run
/// use thalweg_gpu::primitives::split_indices;
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let positions = split_indices(&device.upload(&[1u32, 0, 1, 0])?)?;
/// assert_eq!((positions.elements.to_vec()?, positions.first_true), (vec![1, 3, 0, 2], 2));
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub fn split_indices(flags: &DeviceArray<u32>) -> Result<Split<u32>> {
    let (elements, first_true) = run(Moved::Indices(flags.keys()))?;
    Ok(Split { elements: elements.typed(), first_true })
}

fn run(moved: Moved<'_>) -> Result<(Keys, usize)> {
    let (device, len) = (moved.device(), moved.len());
    let out = Keys::new(device, len, moved.words())?;
    if out.is_empty() {
        return Ok((out, 0));
    }
    let mut commands = device.record();
    let trues = record(&mut commands, moved, &out, true, way(moved))?;
    commands.submit()?;
    let trues = read_value(device, &trues, 1)?;
    Ok((out, (len - trues) as usize))
}
