//! Memory of the host that the device copies from and to by itself, mapped for as long as it exists.
//!
//! A mappable buffer of wgpu's lies in the device's memory behind the bus wherever the driver offers that, so filling it is
//! processor stores over the bus: 10 GB/s by one thread of an H200's host, 32 by all, and mapping is a round trip for
//! every piece. System memory that the device fetches from takes 53 GB/s up and 55 down, both at once. So, where the
//! interface is Vulkan, buffers for copies are made here; elsewhere, and where that fails, they are wgpu's.
#![allow(unsafe_code)]

use std::ptr::NonNull;

/// The bytes of a buffer as the host sees them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mapped {
    at: NonNull<u8>,
    bytes: u64,
}

// SAFETY: plain memory that does not move. Who may look at it, and when, is said at `Mapped::slice` and `Mapped::slice_mut`.
unsafe impl Send for Mapped {}
// SAFETY: as above.
unsafe impl Sync for Mapped {}

impl Mapped {
    pub(crate) fn address(self) -> NonNull<u8> {
        self.at
    }

    /// The first `bytes` bytes.
    ///
    /// # Safety
    /// The buffer lives for `'b`, and until then neither the device nor anybody else writes these bytes.
    pub(crate) unsafe fn slice<'b>(self, bytes: u64) -> &'b [u8] {
        assert!(bytes <= self.bytes, "inside the buffer");
        // SAFETY: mapped, and initialised: the driver hands out no memory that is not, and all bit patterns are bytes.
        unsafe { std::slice::from_raw_parts(self.at.as_ptr(), bytes as usize) }
    }

    /// The first `bytes` bytes, to be written.
    ///
    /// # Safety
    /// The buffer lives for `'b`, and until then nobody else, the device included, reads or writes these bytes.
    pub(crate) unsafe fn slice_mut<'b>(self, bytes: u64) -> &'b mut [u8] {
        assert!(bytes <= self.bytes, "inside the buffer");
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.at.as_ptr(), bytes as usize) }
    }
}

#[cfg(any(target_os = "linux", target_os = "android", windows))]
pub(crate) use super::imported::open;
#[cfg(any(target_os = "linux", target_os = "android", windows))]
pub(crate) use super::vulkan::allocate as allocate_on_device;
#[cfg(any(target_os = "linux", target_os = "android", windows))]
pub(crate) use vulkan::{allocate, is_there, of_device, shown_to_host};

#[cfg(any(target_os = "linux", target_os = "android", windows))]
mod vulkan {
    use std::ptr::NonNull;

    use ash::vk;
    use wgpu::hal::api::Vulkan;

    use super::Mapped;
    use crate::runtime::imported;
    use crate::runtime::vulkan::{Bound, kind_for_host};

    /// A buffer of `bytes` bytes for copies in both directions, and for kernels, and where the host sees it: memory of our own
    /// that the driver is told of, or the driver's. `None` where the interface is not Vulkan, or such memory is not to be had.
    pub(crate) fn allocate(device: &wgpu::Device, bytes: u64, label: &str) -> Option<(wgpu::Buffer, Mapped)> {
        let imported = imported::allocate(device, bytes, label).map(|(buffer, at)| (buffer, Mapped { at, bytes }));
        imported.or_else(|| of_driver(device, bytes, label))
    }

    /// The same of the driver's memory.
    fn of_driver(device: &wgpu::Device, bytes: u64, label: &str) -> Option<(wgpu::Buffer, Mapped)> {
        // SAFETY: the device is asked for handles that stay its own.
        let hal = unsafe { device.as_hal::<Vulkan>() }?;
        let bound = Bound::new(&hal, bytes, |allowed| kind_for_host(&hal, allowed))?;
        // SAFETY: the memory was made by this device, and nobody else knows of it.
        let at = unsafe {
            let mapped = hal.raw_device().map_memory(bound.memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
            let at = mapped.ok().and_then(|at| NonNull::new(at.cast::<u8>()));
            if at.is_none() {
                bound.destroy(&hal);
            }
            at?
        };
        drop(hal);
        Some((bound.into_buffer(device, bytes, label), Mapped { at, bytes }))
    }

    /// Whether there is such memory.
    pub(crate) fn is_there(device: &wgpu::Device) -> bool {
        allocate(device, 256, "trial").is_some()
    }

    /// Bytes of memory that the device has, where that can be known.
    pub(crate) fn of_device(device: &wgpu::Device) -> Option<u64> {
        // SAFETY: the device is asked for handles that stay its own, and the adapter is its own.
        let kinds = unsafe {
            let hal = device.as_hal::<Vulkan>()?;
            let instance = hal.shared_instance().raw_instance();
            instance.get_physical_device_memory_properties(hal.raw_physical_device())
        };
        let heaps = kinds.memory_heaps_as_slice().iter();
        heaps.filter(|heap| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL)).map(|heap| heap.size).max()
    }

    /// Commands after which the host sees what copies and kernels have written, once the device is done with them. (wgpu does that
    /// for buffers that it maps.)
    pub(crate) fn shown_to_host(device: &wgpu::Device) -> Option<wgpu::CommandBuffer> {
        let mut encoder = device.create_command_encoder(&Default::default());
        // SAFETY: as in `allocate`; one barrier is recorded, nothing is ended or destroyed, and the encoder is used for
        // nothing else.
        unsafe {
            let hal = device.as_hal::<Vulkan>()?;
            let barrier = vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::TRANSFER_WRITE | vk::AccessFlags::SHADER_WRITE)
                .dst_access_mask(vk::AccessFlags::HOST_READ);
            encoder.as_hal_mut::<Vulkan, _, _>(|encoder| {
                let commands = encoder?.raw_handle();
                hal.raw_device().cmd_pipeline_barrier(
                    commands,
                    vk::PipelineStageFlags::TRANSFER | vk::PipelineStageFlags::COMPUTE_SHADER,
                    vk::PipelineStageFlags::HOST,
                    vk::DependencyFlags::empty(),
                    &[barrier],
                    &[],
                    &[],
                );
                Some(())
            })?;
        }
        Some(encoder.finish())
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", windows)))]
mod elsewhere {
    use super::Mapped;

    pub(crate) fn allocate(_device: &wgpu::Device, _bytes: u64, _label: &str) -> Option<(wgpu::Buffer, Mapped)> {
        None
    }

    pub(crate) fn allocate_on_device(_device: &wgpu::Device, _bytes: u64, _label: &str) -> Option<wgpu::Buffer> {
        None
    }

    pub(crate) fn is_there(_device: &wgpu::Device) -> bool {
        false
    }

    pub(crate) fn of_device(_device: &wgpu::Device) -> Option<u64> {
        None
    }

    pub(crate) fn open(
        _adapter: &wgpu::Adapter,
        _description: &wgpu::DeviceDescriptor<'_>,
    ) -> Option<(wgpu::Device, wgpu::Queue)> {
        None
    }

    pub(crate) fn shown_to_host(_device: &wgpu::Device) -> Option<wgpu::CommandBuffer> {
        None
    }
}
#[cfg(not(any(target_os = "linux", target_os = "android", windows)))]
pub(crate) use elsewhere::{allocate, allocate_on_device, is_there, of_device, open, shown_to_host};
