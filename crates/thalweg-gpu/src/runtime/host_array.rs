//! Arrays of the host that a device reads and writes by itself.
#![allow(unsafe_code)]

use std::fmt;
use std::ops::{Deref, DerefMut};

use bytemuck::Pod;
use rayon::prelude::*;
use thalweg_core::Result;

use super::device::Device;
use super::memory::{Buffer, Use};

/// An array in memory of the host that a device copies from and to by itself, for those who fill their own buffers.
///
/// It is a slice like any other. Where a call that goes to this device gets it, or a part of it (keys, queries, outputs;
/// elements of 32 or 64 bits), the data goes over the bus without being copied by the host first: a batch of range minima
/// takes half the time. Such memory is dear to allocate, 0.1 to 0.3 ms a MiB: fill it many times. On a device that is not reached
/// by Vulkan it is ordinary memory, see [`HostArray::is_pinned`].
///
/// ```no_run
/// use thalweg_gpu::{Choice, Device, rmq::DeviceRmq};
/// let device = Device::open(&Choice::Auto)?;
/// let index = DeviceRmq::new(device.upload(&[3, 1, 2])?)?;
/// let (mut queries, mut answers) = (device.host_array::<[u32; 2]>(2)?, device.host_array::<u32>(2)?);
/// queries.copy_from_slice(&[[0, 2], [2, 2]]);
/// index.positions_of_slice(&queries, &mut answers)?;
/// assert_eq!(answers[..], [1, 2]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub struct HostArray<T: Pod> {
    memory: Memory<T>,
    len: usize,
    device: Device,
}

enum Memory<T> {
    /// Always mapped, and known to the device by its address.
    Pinned {
        start: *mut T,
        _buffer: Buffer,
    },
    Ordinary(Vec<T>),
}

// SAFETY: the pointer leads to memory that this array owns, as a vector's does.
unsafe impl<T: Pod + Send> Send for HostArray<T> {}
// SAFETY: as above.
unsafe impl<T: Pod + Sync> Sync for HostArray<T> {}

impl Device {
    /// An array of zeros in memory of the host that this device copies from and to by itself: see [`HostArray`].
    ///
    /// # Errors
    /// Those of memory, the host's or the device's.
    pub fn host_array<T: Pod + Send + Sync>(&self, len: usize) -> Result<HostArray<T>> {
        let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
        let buffer = if bytes > 0 { Some(self.buffer(Use::Upload, bytes, "host array")?) } else { None };
        let host = buffer.as_ref().and_then(Buffer::host).filter(|host| host.address().cast::<T>().is_aligned());
        let memory = match (buffer, host) {
            (Some(buffer), Some(host)) => {
                // A buffer that was used before may still be in use.
                if let Some(used) = buffer.last_used() {
                    self.context().wait_for_copy(Some(used))?;
                }
                self.pinned().add(host.address().as_ptr() as usize, buffer.clone());
                Memory::Pinned { start: host.address().cast::<T>().as_ptr(), _buffer: buffer }
            }
            _ => Memory::Ordinary(thalweg_core::memory::filled(len, T::zeroed(), "host array")?),
        };
        let mut array = HostArray { memory, len, device: self.clone() };
        if array.is_pinned() {
            array.par_iter_mut().with_min_len(1 << 16).for_each(|element| *element = T::zeroed());
        }
        Ok(array)
    }
}

impl<T: Pod> HostArray<T> {
    /// Whether the device copies it by itself. Otherwise it is ordinary memory, and calls copy it as they do all other.
    pub fn is_pinned(&self) -> bool {
        matches!(self.memory, Memory::Pinned { .. })
    }
}

impl<T: Pod> Deref for HostArray<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.memory {
            // SAFETY: the buffer holds so many elements, aligned as was checked; all bits are elements. The device writes
            // it only inside calls that borrow it mutably and wait for the device.
            Memory::Pinned { start, .. } => unsafe { std::slice::from_raw_parts(*start, self.len) },
            Memory::Ordinary(elements) => elements,
        }
    }
}

impl<T: Pod> DerefMut for HostArray<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.memory {
            // SAFETY: as above; the device reads it only inside calls that borrow it and wait for the device.
            Memory::Pinned { start, .. } => unsafe { std::slice::from_raw_parts_mut(*start, self.len) },
            Memory::Ordinary(elements) => elements,
        }
    }
}

impl<T: Pod> Drop for HostArray<T> {
    fn drop(&mut self) {
        if let Memory::Pinned { start, .. } = &self.memory {
            self.device.pinned().remove(*start as usize);
        }
    }
}

impl<T: Pod> fmt::Debug for HostArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostArray")
            .field("len", &self.len)
            .field("pinned", &self.is_pinned())
            .field("device", &self.device.name())
            .finish()
    }
}
