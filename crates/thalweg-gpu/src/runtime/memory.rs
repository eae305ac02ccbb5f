//! Buffers on the device: allocated with an error instead of an abort, and used again.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use thalweg::{Error, Result};

use crate::device::Inner;

/// What a buffer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Use {
    /// Read and written by kernels and copies.
    Storage,
    /// Parameters of kernels.
    Uniform,
    /// Written by the host, copied to the device.
    Upload,
    /// Copied from the device, read by the host.
    Download,
}

impl Use {
    fn usages(self) -> wgpu::BufferUsages {
        use wgpu::BufferUsages as B;
        match self {
            Self::Storage => B::STORAGE | B::COPY_SRC | B::COPY_DST,
            Self::Uniform => B::UNIFORM | B::COPY_DST,
            Self::Upload => B::MAP_WRITE | B::COPY_SRC,
            Self::Download => B::MAP_READ | B::COPY_DST,
        }
    }
}

/// A buffer that goes back to its device's pool when the last owner drops it.
///
/// Commands of one device run in the order of their submission, so a buffer may be handed out again while earlier work on
/// it is still under way.
#[derive(Clone, Debug)]
pub(crate) struct Buffer(Arc<Pooled>);

#[derive(Debug)]
struct Pooled {
    raw: wgpu::Buffer,
    class: (Use, u64),
    device: Weak<Inner>,
}

impl Buffer {
    pub(crate) fn raw(&self) -> &wgpu::Buffer {
        &self.0.raw
    }

    /// All of it, for a binding.
    pub(crate) fn all(&self) -> wgpu::BufferBinding<'_> {
        self.0.raw.as_entire_buffer_binding()
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        if let Some(device) = self.device.upgrade() {
            device.pool.put(self.class, self.raw.clone());
        }
    }
}

/// Buffers that nobody uses at the moment, the longest unused first.
///
/// A buffer may be dropped after commands that use it were recorded and before they are submitted. Another thread that took
/// it then could submit first. So it waits until all lists of commands that were open at that time are submitted.
#[derive(Debug, Default)]
pub(crate) struct Pool(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    free: VecDeque<Free>,
    /// Lists of commands that are open, by number, and the next number.
    open: BTreeSet<u64>,
    next: u64,
}

#[derive(Debug)]
struct Free {
    class: (Use, u64),
    raw: wgpu::Buffer,
    /// Lists of commands with smaller numbers may use it.
    until: u64,
}

/// Bytes that are kept. Large buffers too: a driver clears memory that is given back, in the background, at the cost of
/// whatever runs then (a copy of 2 GiB on an H200: 1.3 instead of 0.5 ms), and wgpu clears memory that is taken anew.
const KEPT_BYTES: u64 = 4 << 30;
/// Buffers that are kept.
const KEPT: usize = 256;

impl Pool {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Notes that a list of commands is being recorded.
    pub(crate) fn open_list(&self) -> u64 {
        let mut state = self.lock();
        let number = state.next;
        state.next += 1;
        state.open.insert(number);
        number
    }

    /// Notes that the list is submitted, or given up.
    pub(crate) fn close_list(&self, number: u64) {
        self.lock().open.remove(&number);
    }

    fn take(&self, class: (Use, u64)) -> Option<wgpu::Buffer> {
        let mut state = self.lock();
        let oldest = state.open.first().copied().unwrap_or(u64::MAX);
        // The last one used is the likeliest to be in a cache.
        let place = state.free.iter().rposition(|free| free.class == class && free.until <= oldest)?;
        state.free.remove(place).map(|free| free.raw)
    }

    fn put(&self, class: (Use, u64), raw: wgpu::Buffer) {
        let mut state = self.lock();
        let until = state.next;
        state.free.push_back(Free { class, raw, until });
        // Dropped, not destroyed: wgpu keeps what recorded commands use.
        while state.free.len() > KEPT || state.free.iter().map(|free| free.class.1).sum::<u64>() > KEPT_BYTES {
            state.free.pop_front();
        }
    }

    fn clear(&self) {
        self.lock().free.clear();
    }
}

/// Sizes are rounded up to an eighth of their power of two, so that buffers of similar sizes serve each other.
pub(crate) fn rounded(bytes: u64) -> u64 {
    let bytes = bytes.max(256);
    let step = (bytes.next_power_of_two() / 16).max(256);
    bytes.next_multiple_of(step)
}

/// A buffer of at least `bytes` bytes, of undefined content.
pub(crate) fn allocate(device: &Arc<Inner>, purpose: Use, bytes: u64, what: &'static str) -> Result<Buffer> {
    device.alive()?;
    let most = device.raw.limits().max_buffer_size;
    if bytes > most {
        return Err(Error::Device(format!(
            "{what}: {bytes} bytes are more than a buffer holds on this device, {most}"
        )));
    }
    // Rounding up must not make a buffer larger than one binding.
    let bound = device.raw.limits().max_storage_buffer_binding_size.min(most) / 16 * 16;
    let class = (purpose, rounded(bytes).min(bound).max(bytes.next_multiple_of(4)));
    let wrap = |raw| Buffer(Arc::new(Pooled { raw, class, device: Arc::downgrade(device) }));
    if let Some(raw) = device.pool.take(class) {
        return Ok(wrap(raw));
    }
    let create = || {
        let scope = device.raw.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let raw = device.raw.create_buffer(&wgpu::BufferDescriptor {
            label: Some(what),
            size: class.1,
            usage: purpose.usages(),
            mapped_at_creation: false,
        });
        match pollster::block_on(scope.pop()) {
            None => Some(raw),
            Some(_) => None,
        }
    };
    let again = || {
        // What the pool holds, and what was dropped but not yet given back, may be just what is missing.
        device.pool.clear();
        let _ = device.raw.poll(wgpu::PollType::wait_indefinitely());
        create()
    };
    create().or_else(again).map(wrap).ok_or(Error::OutOfMemory { bytes: bytes as usize, what })
}
