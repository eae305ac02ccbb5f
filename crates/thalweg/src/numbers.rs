//! Numbers of elements and nodes on their way to a GPU, where they have 32 bits.

use thalweg_core::{Error, Position, Positions, Result};
use thalweg_gpu::{Device, DeviceArray};

/// The numbers as a device takes them, unless they have 64 bits.
fn narrow<P: Position>(numbers: &[P]) -> Result<&[u32]> {
    bytemuck::try_cast_slice(numbers).ok().filter(|_| size_of::<P>() == 4).ok_or_else(|| Error::NotOnDevice {
        problem: "any",
        engine: "any",
        reason: format!("{} numbers of 64 bits: those on a GPU have 32; the CPU takes either", numbers.len()),
    })
}

/// Copies numbers to a device.
pub(crate) fn upload<P: Position>(device: &Device, numbers: &[P]) -> Result<DeviceArray<u32>> {
    device.upload(narrow(numbers)?)
}

/// Copies numbers back, in the width that they came in.
pub(crate) fn download<P: Position>(numbers: &DeviceArray<u32>) -> Result<Vec<P>> {
    Ok(P::from_list(Positions::U32(numbers.to_vec()?)).expect("what was uploaded has 32 bits"))
}
