//! Buffers with memory of their own, where the interface is Vulkan.
//!
//! wgpu asks a driver for memory that may serve whatever it likes, and parts it among buffers. An H200's driver takes 18 to 25 ms to find a
//! GiB of that, and 15 to 25 to take it back; of memory that is one buffer's from the start (Vulkan calls it dedicated), 1 to 2.5, and 1 to
//! 2.5. It comes in larger pages besides: 16 GiB are filled in 4.1 instead of 6.7 ms. And nobody clears it first.
#![allow(unsafe_code)]

use ash::vk;
use vk::MemoryPropertyFlags as Flags;
use wgpu::hal::api::Vulkan;
use wgpu::hal::vulkan::Device;

/// Buffers with fewer bytes share memory: a driver has not much smaller pages, nor any number of pieces.
const SMALLEST: u64 = 2 << 20;

/// A buffer of so many bytes on the device, of undefined content. `None` where the interface is not Vulkan, where it is small, or where
/// there is no such memory.
pub(crate) fn allocate(device: &wgpu::Device, bytes: u64, label: &str) -> Option<wgpu::Buffer> {
    if bytes < SMALLEST {
        return None;
    }
    // SAFETY: the device is asked for handles that stay its own.
    let hal = unsafe { device.as_hal::<Vulkan>() }?;
    // What else a kind of memory can do, it does at a price.
    let plain = Flags::DEVICE_LOCAL | Flags::HOST_VISIBLE | Flags::HOST_COHERENT | Flags::HOST_CACHED;
    let on_device = |flags: Flags| flags.contains(Flags::DEVICE_LOCAL) && plain.contains(flags);
    let bound = Bound::new(&hal, bytes, |allowed| {
        kinds_of_memory(&hal, allowed).find(|&(_, flags)| on_device(flags)).map(|(kind, _)| kind)
    })?;
    drop(hal);
    Some(bound.into_buffer(device, bytes, label))
}

/// A buffer and its memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    buffer: vk::Buffer,
    pub(super) memory: vk::DeviceMemory,
    size: u64,
}

impl Bound {
    /// A buffer of at least `bytes` bytes, with memory of the kind that is chosen of those that will do, as bits.
    pub(super) fn new(hal: &Device, bytes: u64, choose: impl FnOnce(u32) -> Option<u32>) -> Option<Self> {
        let raw = hal.raw_device();
        // SAFETY: plain descriptions; all is of this device, and destroyed where something fails.
        unsafe {
            let buffer = raw.create_buffer(&for_copies(bytes), None).ok()?;
            let needs = raw.get_buffer_memory_requirements(buffer);
            let allocated = choose(needs.memory_type_bits).and_then(|kind| {
                let mut owner = vk::MemoryDedicatedAllocateInfo::default().buffer(buffer);
                let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind);
                let info = if knows_owners(hal) { info.push_next(&mut owner) } else { info };
                raw.allocate_memory(&info, None).ok()
            });
            let Some(memory) = allocated else {
                raw.destroy_buffer(buffer, None);
                return None;
            };
            let bound = Self { buffer, memory, size: needs.size };
            if raw.bind_buffer_memory(buffer, memory, 0).is_err() {
                bound.destroy(hal);
                return None;
            }
            Some(bound)
        }
    }

    /// Gives up a buffer that nobody knows of.
    ///
    /// # Safety
    /// It is of this device, and not used any more.
    pub(super) unsafe fn destroy(self, hal: &Device) {
        let raw = hal.raw_device();
        // SAFETY: as the caller says.
        unsafe {
            raw.destroy_buffer(self.buffer, None);
            raw.free_memory(self.memory, None);
        }
    }

    /// The same buffer as wgpu's, of which it will have `bytes` bytes.
    pub(super) fn into_buffer(self, device: &wgpu::Device, bytes: u64, label: &str) -> wgpu::Buffer {
        // SAFETY: buffer and memory are of this device, bound to each other, and from here on wgpu's alone, which destroys both (and
        // a mapping with the memory) when the last owner has dropped it and no command uses it any more. The content is whatever is
        // there: nobody relies on what was not written.
        unsafe {
            let buffer = wgpu::hal::vulkan::Buffer::from_raw_managed(self.buffer, self.memory, 0, self.size);
            device.create_buffer_from_hal::<Vulkan>(buffer, &described(label, bytes))
        }
    }
}

/// Whether the driver can be told whose memory is.
fn knows_owners(hal: &Device) -> bool {
    let instance = hal.shared_instance();
    // SAFETY: the adapter of this device.
    let adapter = unsafe { instance.raw_instance().get_physical_device_properties(hal.raw_physical_device()) };
    adapter.api_version.min(instance.instance_api_version()) >= vk::API_VERSION_1_1
}

/// A buffer for copies in both directions, and for kernels, as Vulkan has it.
pub(super) fn for_copies(bytes: u64) -> vk::BufferCreateInfo<'static> {
    use vk::BufferUsageFlags as Usage;
    vk::BufferCreateInfo::default().size(bytes).usage(Usage::TRANSFER_SRC | Usage::TRANSFER_DST | Usage::STORAGE_BUFFER)
}

/// The same buffer, as wgpu is told of it.
pub(super) fn described(label: &str, bytes: u64) -> wgpu::BufferDescriptor<'_> {
    use wgpu::BufferUsages as Usages;
    let usage = Usages::COPY_SRC | Usages::COPY_DST | Usages::STORAGE;
    wgpu::BufferDescriptor { label: Some(label), size: bytes, usage, mapped_at_creation: false }
}

/// The kinds of memory among those allowed, as bits, and what they can do.
fn kinds_of_memory(hal: &Device, allowed: u32) -> impl Iterator<Item = (u32, Flags)> {
    let instance = hal.shared_instance().raw_instance();
    // SAFETY: the adapter of this device.
    let kinds = unsafe { instance.get_physical_device_memory_properties(hal.raw_physical_device()) };
    let flags = kinds.memory_types.into_iter().take(kinds.memory_type_count as usize).map(|kind| kind.property_flags);
    (0..).zip(flags).filter(move |(kind, _)| allowed >> kind & 1 == 1)
}

/// Memory that both see without flushing and that the host reads through its caches: the system's where there is a
/// choice.
pub(super) fn kind_for_host(hal: &Device, allowed: u32) -> Option<u32> {
    let wanted = Flags::HOST_VISIBLE | Flags::HOST_COHERENT | Flags::HOST_CACHED;
    let fitting = kinds_of_memory(hal, allowed).filter(|(_, flags)| flags.contains(wanted));
    fitting.min_by_key(|(_, flags)| flags.contains(Flags::DEVICE_LOCAL)).map(|(kind, _)| kind)
}
