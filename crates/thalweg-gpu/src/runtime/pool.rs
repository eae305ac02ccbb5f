//! Buffers that nobody uses at the moment, kept to be used again.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard};

use super::host_memory::Mapped;

/// What a buffer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Use {
    /// Read and written by kernels and copies.
    Storage,
    /// Parameters of kernels.
    Uniform,
    /// Corners of triangles, written by kernels.
    Corners,
    /// Written by the host, copied to the device.
    Upload,
    /// Copied from the device, read by the host.
    Download,
}

impl Use {
    /// Whether it is for copies between host and device.
    pub(crate) fn is_staging(self) -> bool {
        matches!(self, Self::Upload | Self::Download)
    }

    /// What the driver has to know of it.
    pub(crate) fn usages(self) -> wgpu::BufferUsages {
        use wgpu::BufferUsages as B;
        match self {
            Self::Storage => B::STORAGE | B::COPY_SRC | B::COPY_DST,
            Self::Corners => B::STORAGE | B::BLAS_INPUT,
            Self::Uniform => B::UNIFORM | B::COPY_DST,
            Self::Upload => B::MAP_WRITE | B::COPY_SRC,
            Self::Download => B::MAP_READ | B::COPY_DST,
        }
    }
}

/// A buffer's purpose and its bytes.
pub(crate) type Class = (Use, u64);

/// A buffer as the driver's layer knows it.
#[derive(Debug)]
pub(crate) struct Raw {
    pub(crate) buffer: wgpu::Buffer,
    /// Where the host sees it, if it always does.
    pub(crate) host: Option<Mapped>,
    /// The last commands that use it, if the host always sees it: others need not be known.
    pub(crate) used: Mutex<Option<wgpu::SubmissionIndex>>,
}

/// Buffers that nobody uses at the moment, the longest unused first.
///
/// A buffer may be dropped after commands that use it were recorded and before they are submitted. Another thread that took
/// it then could submit first. So it waits until all lists of commands that were open at that time are submitted.
#[derive(Debug)]
pub(crate) struct Pool {
    state: Mutex<State>,
    /// Bytes that are kept at most.
    kept: u64,
}

#[derive(Debug, Default)]
struct State {
    free: VecDeque<Free>,
    /// Computations under way that want everything kept.
    holds: usize,
    /// Lists of commands that are open, by number, and the next number.
    open: BTreeSet<u64>,
    next: u64,
}

#[derive(Debug)]
struct Free {
    class: Class,
    raw: Raw,
    /// Lists of commands with smaller numbers may use it.
    until: u64,
}

/// Bytes that are kept at least. Large buffers too: a driver clears memory that is given back, in the background, at the
/// cost of whatever runs then (a copy of 2 GiB on an H200: 1.3 instead of 0.5 ms), and where it is wgpu's (see `vulkan`), that clears what
/// is taken anew, and taking 1 GiB takes 25 ms there.
const KEPT_BYTES: u64 = 4 << 30;
/// The part of the device's memory that is kept where that is more. What is kept is given back when memory runs out.
const KEPT_PART: u64 = 4;
/// Buffers that are kept.
const KEPT: usize = 256;
/// Bytes that a buffer may always have too many.
const LITTLE: u64 = 4096;

impl State {
    /// Gives back what is more than so many bytes.
    fn evict(&mut self, kept: u64) {
        // Dropped, not destroyed: wgpu keeps what recorded commands use.
        let too_many =
            |free: &VecDeque<Free>| free.len() > KEPT || free.iter().map(|free| free.class.1).sum::<u64>() > kept;
        while self.holds == 0 && too_many(&self.free) {
            self.free.pop_front();
        }
    }
}

impl Pool {
    /// A pool for a device with so much memory, where that is known.
    pub(crate) fn new(memory: Option<u64>) -> Self {
        Self { state: Mutex::default(), kept: memory.map_or(0, |bytes| bytes / KEPT_PART).max(KEPT_BYTES) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
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

    /// A buffer for this purpose with so many bytes, or up to a sixteenth more.
    pub(crate) fn take(&self, (purpose, bytes): Class) -> Option<(Class, Raw)> {
        let mut state = self.lock();
        let oldest = state.open.first().copied().unwrap_or(u64::MAX);
        let serves = |(of, size): Class| of == purpose && (bytes..=bytes + (bytes / 16).max(LITTLE)).contains(&size);
        // The last one used is the likeliest to be in a cache.
        let place = state.free.iter().rposition(|free| serves(free.class) && free.until <= oldest)?;
        state.free.remove(place).map(|free| (free.class, free.raw))
    }

    pub(crate) fn put(&self, class: Class, raw: Raw) {
        let mut state = self.lock();
        let until = state.next;
        state.free.push_back(Free { class, raw, until });
        state.evict(self.kept);
    }

    /// Keeps everything until [`Pool::release`].
    pub(crate) fn hold(&self) {
        self.lock().holds += 1;
    }

    pub(crate) fn release(&self) {
        let mut state = self.lock();
        state.holds -= 1;
        state.evict(self.kept);
    }

    /// Buffers that are kept.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.lock().free.len()
    }

    /// Gives back all that is kept.
    pub(crate) fn clear(&self) {
        self.lock().free.clear();
    }

    /// Gives back the device's own memory. What is for copies is little, and dear to take anew.
    pub(crate) fn trim(&self) {
        self.lock().free.retain(|free| free.class.0.is_staging());
    }
}
