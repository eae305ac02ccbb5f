//! Memory of the program's own that a device is told of, to copy from and to by itself.
//!
//! A driver that is asked for such memory has it page by page: an H200's host takes 0.33 ms a MiB, and 0.13 to give it back. Of
//! memory that is there already, in huge pages and touched by all threads, the driver learns in 0.06, and forgets it in 0.04.
//! Where it cannot (an extension of Vulkan that most drivers have), memory is the driver's: see [`super::host_memory`].
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::ptr::NonNull;

use ash::vk;
use rayon::prelude::*;
use thalweg_core::memory::Aligned;
use wgpu::hal::api::Vulkan;

use super::vulkan::{described, for_copies, kind_for_host};

const EXTENSION: &CStr = ash::ext::external_memory_host::NAME;
const HANDLE: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;
/// Memory begins at a multiple of this, a huge page, and has as many bytes: more than any driver asks for.
const PAGE: u64 = 2 << 20;
/// What has fewer bytes is not worth a page.
const SMALLEST: u64 = PAGE / 2;

/// Opens a device that can be told of memory, if it is one of Vulkan and has the extension.
pub(crate) fn open(
    adapter: &wgpu::Adapter,
    description: &wgpu::DeviceDescriptor<'_>,
) -> Option<(wgpu::Device, wgpu::Queue)> {
    // SAFETY: the adapter is asked to open a device as wgpu would, with one extension more, which it has; nothing else is
    // changed. The device is made of what was opened, with the same description.
    unsafe {
        let hal = adapter.as_hal::<Vulkan>()?;
        if !hal.physical_device_capabilities().supports_extension(EXTENSION) {
            return None;
        }
        let wgpu::DeviceDescriptor { required_features, required_limits, memory_hints, .. } = description;
        let opened = hal.open_with_callback(
            *required_features,
            required_limits,
            memory_hints,
            Some(Box::new(|args| args.extensions.push(EXTENSION))),
        );
        drop(hal);
        adapter.create_device_from_hal::<Vulkan>(opened.ok()?, description).ok()
    }
}

/// A buffer of at least `bytes` bytes for copies in both directions, and for kernels, and where the host sees it. `None` where
/// that is not possible, or not worth while.
pub(crate) fn allocate(device: &wgpu::Device, bytes: u64, label: &str) -> Option<(wgpu::Buffer, NonNull<u8>)> {
    // SAFETY: the device is asked for handles that stay its own.
    let hal = || unsafe { device.as_hal::<Vulkan>() };
    if bytes < SMALLEST || !hal()?.enabled_device_extensions().contains(&EXTENSION) {
        return None;
    }
    let size = bytes.next_multiple_of(PAGE);
    let mut host = Aligned::<u8>::zeroed(size as usize, "copies to the device").ok()?;
    // Pages are there, and huge, when the driver looks for them. Before anything of the device is held: a thread that waits for
    // others may have to do their work with it.
    host.par_chunks_mut(PAGE as usize).for_each(|page| page.fill(0));
    let at = NonNull::from(&mut host[..]).cast::<u8>();
    let hal = hal()?;
    let raw = hal.raw_device();
    let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(HANDLE);
    let description = for_copies(size).push_next(&mut external);
    // SAFETY: plain descriptions; what is made here is destroyed below or by the callback. The memory begins at a page, is as
    // long as it is said to be, and outlives what the device knows of it.
    let (buffer, memory) = unsafe {
        let instance = hal.shared_instance().raw_instance();
        let buffer = raw.create_buffer(&description, None).ok()?;
        let told = || {
            let functions = ash::ext::external_memory_host::Device::new(instance, raw);
            let mut allowed = vk::MemoryHostPointerPropertiesEXT::default();
            let properties = functions.fp().get_memory_host_pointer_properties_ext;
            properties(raw.handle(), HANDLE, at.as_ptr().cast(), &mut allowed).result().ok()?;
            let needs = raw.get_buffer_memory_requirements(buffer);
            let kind = kind_for_host(&hal, needs.memory_type_bits & allowed.memory_type_bits)?;
            if needs.size > size {
                return None;
            }
            let mut import =
                vk::ImportMemoryHostPointerInfoEXT::default().handle_type(HANDLE).host_pointer(at.as_ptr().cast());
            let info = vk::MemoryAllocateInfo::default().allocation_size(size).memory_type_index(kind);
            let memory = raw.allocate_memory(&info.push_next(&mut import), None).ok()?;
            if raw.bind_buffer_memory(buffer, memory, 0).is_err() {
                raw.free_memory(memory, None);
                return None;
            }
            Some(memory)
        };
        let memory = told();
        if memory.is_none() {
            raw.destroy_buffer(buffer, None);
        }
        (buffer, memory?)
    };
    let raw = raw.clone();
    drop(hal);
    let forget = move || {
        // SAFETY: wgpu drops a buffer when no command uses it any more, and before its device. The memory itself goes last.
        unsafe {
            raw.destroy_buffer(buffer, None);
            raw.free_memory(memory, None);
        }
        drop(host);
    };
    // SAFETY: the buffer is of this device, lives until the callback, and its bytes are initialised.
    let buffer = unsafe {
        let buffer = wgpu::hal::vulkan::Buffer::from_raw_externally_owned(buffer, Box::new(forget));
        device.create_buffer_from_hal::<Vulkan>(buffer, &described(label, bytes))
    };
    Some((buffer, at))
}
