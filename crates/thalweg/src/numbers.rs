//! Numbers of elements and nodes on their way to a GPU, where they have 32 bits.

use thalweg_core::memory::filled;
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
    Ok(as_uploaded(numbers.to_vec()?))
}

/// Numbers that came back, in the width that they had.
pub(crate) fn as_uploaded<P: Position>(numbers: Vec<u32>) -> Vec<P> {
    P::from_list(Positions::U32(numbers)).expect("what was uploaded has 32 bits")
}

/// Copies `len` numbers back that `compute` leaves on the device, while the host touches the memory that they go to.
pub(crate) fn computed<P: Position>(
    len: usize,
    compute: impl FnOnce() -> Result<DeviceArray<u32>> + Send,
) -> Result<Vec<P>> {
    let (found, memory) = rayon::join(compute, || filled(len, 0, "download"));
    let (found, mut numbers) = (found?, memory?);
    found.download(&mut numbers)?;
    Ok(as_uploaded(numbers))
}
