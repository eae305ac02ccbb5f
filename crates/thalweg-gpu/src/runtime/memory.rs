//! Buffers on the device: allocated with an error instead of an abort, and used again.

use std::sync::{Arc, Mutex, Weak};

use thalweg_core::{DeviceErrorKind, Error, Result};

use super::context::Context;
use super::host_memory::{self, Mapped};
use super::phases::Phase;
pub(crate) use super::pool::Use;
use super::pool::{Class, Raw};

/// A buffer that goes back to its device's pool when the last owner drops it.
///
/// Commands of one device run in the order of their submission, so a buffer may be handed out again while earlier work on
/// it is still under way.
#[derive(Clone, Debug)]
pub(crate) struct Buffer(Arc<Pooled>);

#[derive(Debug)]
struct Pooled {
    /// Only the pool takes it out.
    raw: Option<Raw>,
    class: Class,
    device: Weak<Context>,
}

impl Buffer {
    fn inner(&self) -> &Raw {
        self.0.raw.as_ref().expect("the pool takes it from the last owner")
    }

    pub(crate) fn raw(&self) -> &wgpu::Buffer {
        &self.inner().buffer
    }

    /// Where the host sees it, if it always does.
    pub(crate) fn host(&self) -> Option<Mapped> {
        self.inner().host
    }

    /// The last commands that use it, if the host always sees it.
    pub(crate) fn last_used(&self) -> Option<wgpu::SubmissionIndex> {
        self.inner().used.lock().unwrap_or_else(|e| e.into_inner()).clone()
    }

    /// Notes commands that use it.
    pub(crate) fn used_by(&self, commands: &wgpu::SubmissionIndex) {
        *self.inner().used.lock().unwrap_or_else(|e| e.into_inner()) = Some(commands.clone());
    }

    /// How many there are.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.class.1
    }

    /// All of it, for a kernel.
    pub(crate) fn all(&self) -> Binding<'_> {
        self.part(0, self.0.class.1)
    }

    /// Some of it, for a kernel.
    pub(crate) fn part(&self, offset: u64, bytes: u64) -> Binding<'_> {
        Binding { buffer: self, offset, bytes }
    }

    /// Whether it is a buffer of this device.
    pub(crate) fn is_of(&self, device: &Arc<Context>) -> bool {
        std::ptr::eq(self.0.device.as_ptr(), Arc::as_ptr(device))
    }
}

impl PartialEq for Buffer {
    /// Whether it is the same memory.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        if let (Some(device), Some(raw)) = (self.device.upgrade(), self.raw.take()) {
            device.pool.put(self.class, raw);
        }
    }
}

/// What a kernel sees of a buffer.
#[derive(Clone, Debug)]
pub(crate) struct Binding<'b> {
    pub(crate) buffer: &'b Buffer,
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
}

impl<'b> Binding<'b> {
    pub(crate) fn raw(&self) -> wgpu::BufferBinding<'b> {
        let size = std::num::NonZeroU64::new(self.bytes);
        wgpu::BufferBinding { buffer: self.buffer.raw(), offset: self.offset, size }
    }

    /// Whether the two have bytes in common.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.buffer == other.buffer
            && self.offset < other.offset + other.bytes
            && other.offset < self.offset + self.bytes
    }
}

/// Room for some elements more: arrays of n and of n + 2 elements, which often come together, serve each other.
const ROOM: u64 = 256;

/// Sizes as they are asked for: rounded up a little.
fn rounded(bytes: u64) -> u64 {
    (bytes + ROOM).next_multiple_of(ROOM)
}

/// A buffer of at least `bytes` bytes, of undefined content.
pub(crate) fn allocate(device: &Arc<Context>, purpose: Use, bytes: u64, what: &'static str) -> Result<Buffer> {
    device.alive()?;
    // Memory that the host always sees is good for both ways.
    let purpose = if purpose == Use::Download && device.has_host_memory { Use::Upload } else { purpose };
    let most = device.raw.limits().max_buffer_size;
    if bytes > most {
        return Err(Error::device_limit(format!(
            "{what}: {bytes} bytes are more than a buffer holds on this device, {most}"
        )));
    }
    // Rounding up must not make a buffer larger than one binding.
    let bound = device.raw.limits().max_storage_buffer_binding_size.min(most) / 16 * 16;
    let class = (purpose, rounded(bytes).min(bound).max(bytes.next_multiple_of(4)));
    let wrap = |(class, raw)| Buffer(Arc::new(Pooled { raw: Some(raw), class, device: Arc::downgrade(device) }));
    if let Some(kept) = device.pool.take(class) {
        return Ok(wrap(kept));
    }
    let _phase = device.tally.enter(Phase::Allocating);
    let raw = |buffer, host| Raw { buffer, host, used: Mutex::new(None) };
    let create = || {
        if purpose.is_staging() && device.has_host_memory {
            return host_memory::allocate(&device.raw, class.1, what).map(|(buffer, host)| raw(buffer, Some(host)));
        }
        if purpose == Use::Storage
            && let Some(buffer) = host_memory::allocate_on_device(&device.raw, class.1, what)
        {
            return Some(raw(buffer, None));
        }
        let scope = device.raw.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let buffer = device.raw.create_buffer(&wgpu::BufferDescriptor {
            label: Some(what),
            size: class.1,
            usage: purpose.usages(),
            mapped_at_creation: false,
        });
        match pollster::block_on(scope.pop()) {
            None => Some(raw(buffer, None)),
            Some(_) => None,
        }
    };
    let again = || {
        // What the pool holds, and what was dropped but not yet given back, may be just what is missing.
        device.pool.clear();
        let _ = device.wait(None);
        create()
    };
    let created = create().or_else(again);
    device.alive()?;
    created.map(|raw| wrap((class, raw))).ok_or_else(|| {
        Error::device(DeviceErrorKind::OutOfMemory, format!("{}: out of memory: {bytes} bytes for {what}", device.name))
    })
}
