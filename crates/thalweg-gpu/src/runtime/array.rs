//! Arrays of keys on the device.

use std::fmt;
use std::marker::PhantomData;

use rayon::prelude::*;
use thalweg_core::{DeviceErrorKind, Error, Key, Result};

use super::coding;
use super::device::Device;
use super::memory::{self, Binding, Buffer, Use};
use super::recorder::Recorder;
use super::transfer;

/// An array in the memory of a device, spread over several buffers where one binding cannot hold it.
///
/// Keys of 8 and 16 bits take 32 bits each there. Positions are arrays of `u32` or `u64`.
/// Clones share the memory: [`DeviceArray::duplicate`] copies it. A call that writes an array must not read it, or write it
/// a second time, under another name: that, and arrays of different devices in one call, are errors of the kind
/// [`Misuse`](thalweg_core::DeviceErrorKind::Misuse), after which the devices go on as before.
#[derive(Clone)]
pub struct DeviceArray<K: Key> {
    device: Device,
    shards: Vec<Buffer>,
    /// Elements of every shard but the last, as a power of two; unused with one shard.
    shift: u32,
    len: u64,
    key: PhantomData<K>,
}

impl<K: Key> fmt::Debug for DeviceArray<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceArray")
            .field("keys", &K::NAME)
            .field("len", &self.len)
            .field("buffers", &self.shards.len())
            .field("device", &self.device.name())
            .finish()
    }
}

impl Device {
    /// Copies keys to the device.
    ///
    /// ```no_run
    /// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
    /// let array = device.upload(&[3i16, -1, 4])?;
    /// assert_eq!(array.to_vec()?, [3, -1, 4]);
    /// # Ok::<(), thalweg_core::Error>(())
    /// ```
    pub fn upload<K: Key>(&self, keys: &[K]) -> Result<DeviceArray<K>> {
        DeviceArray::upload(self, keys)
    }

    /// An array of undefined content.
    pub fn allocate<K: Key>(&self, len: u64) -> Result<DeviceArray<K>> {
        DeviceArray::new(self, len)
    }
}

impl<K: Key> DeviceArray<K> {
    /// An array of undefined content.
    pub(crate) fn new(device: &Device, len: u64) -> Result<Self> {
        let size = coding::bytes::<K>();
        let limits = device.limits();
        let most = limits.binding_bytes.min(limits.buffer_bytes);
        let too_many =
            || Error::device_limit(format!("{len} elements are more than a kernel on {} can see", device.name()));
        let bytes = len.checked_mul(size).ok_or_else(too_many)?;
        // Shards are powers of two, so that a shift finds them, and the last one may be smaller.
        let shift = (most / size).max(2).ilog2();
        let shard = size << shift;
        // A buffer is a little larger than asked for, and must still fit a binding.
        let (shard, count) = if memory::rounded(bytes) <= most { (bytes, 1) } else { (shard, bytes.div_ceil(shard)) };
        if count > u64::from(limits.bindings) {
            return Err(too_many());
        }
        let size_of_shard = |i| shard.min(bytes - i * shard).max(size);
        let shards =
            (0..count).map(|i| device.buffer(Use::Storage, size_of_shard(i), "array")).collect::<Result<_>>()?;
        Ok(Self { device: device.clone(), shards, shift, len, key: PhantomData })
    }

    pub(crate) fn upload(device: &Device, keys: &[K]) -> Result<Self> {
        let array = Self::new(device, keys.len() as u64)?;
        let size = coding::bytes::<K>() as usize;
        for (start, end, shard) in array.pieces() {
            let keys = &keys[start as usize..end as usize];
            transfer::upload(device, shard, 0, size_in_bytes::<K>(keys.len()), |at, piece| {
                let first = at as usize / size;
                let keys = &keys[first..first + piece.len() / size];
                match coding::as_bytes(keys) {
                    Some(bytes) => transfer::copy_parallel(bytes, piece),
                    None => piece.par_chunks_exact_mut(4).with_min_len(1 << 16).zip(keys).for_each(|(word, key)| {
                        word.copy_from_slice(&(key.to_low_bits() as u32).to_ne_bytes());
                    }),
                }
            })?;
        }
        Ok(array)
    }

    /// An error if the two share memory: for two outputs of a call that writes them by different kernels. Where one kernel
    /// sees both, a dispatch finds out by itself.
    pub(crate) fn expect_apart<L: Key>(&self, other: &DeviceArray<L>) -> Result<()> {
        if self.shards.iter().any(|shard| other.shards.contains(shard)) {
            return Err(self.device.context().error(DeviceErrorKind::Misuse, "one array is two outputs"));
        }
        Ok(())
    }

    /// Forgets all elements but the first `len`; their memory stays.
    pub(crate) fn truncate(&mut self, len: u64) {
        debug_assert!(len <= self.len);
        self.len = self.len.min(len);
        // The shards that remain must be the ones that an array of this length has.
        if self.shards.len() > 1 {
            self.shards.truncate((len.div_ceil(1 << self.shift)).max(1) as usize);
        }
    }

    /// The same memory seen as keys of another type, of as many words.
    pub(crate) fn seen_as<L: Key>(&self) -> DeviceArray<L> {
        debug_assert_eq!(coding::words::<K>(), coding::words::<L>());
        let Self { device, shards, shift, len, .. } = self.clone();
        DeviceArray { device, shards, shift, len, key: PhantomData }
    }

    /// A copy of the array on the same device.
    pub fn duplicate(&self) -> Result<Self> {
        let copy = Self::new(&self.device, self.len)?;
        let mut commands = self.device.record();
        for ((start, end, from), (_, _, to)) in self.pieces().zip(copy.pieces()) {
            commands.copy((from, 0), (to, 0), (end - start) * coding::bytes::<K>());
        }
        commands.submit()?;
        Ok(copy)
    }

    /// How many elements there are.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device that holds it.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Copies all elements to the host, into a buffer of the same length.
    pub fn download(&self, out: &mut [K]) -> Result<()> {
        if out.len() as u64 != self.len {
            return Err(Error::Length { what: "download", expected: self.len as usize, got: out.len() });
        }
        let size = coding::bytes::<K>() as usize;
        for (start, end, shard) in self.pieces() {
            let out = &mut out[start as usize..end as usize];
            transfer::download(&self.device, shard, 0, size_in_bytes::<K>(out.len()), |at, piece| {
                let first = at as usize / size;
                let out = &mut out[first..first + piece.len() / size];
                match coding::as_bytes_mut(out) {
                    Some(bytes) => transfer::copy_parallel(piece, bytes),
                    None => out.par_iter_mut().with_min_len(1 << 16).zip(piece.par_chunks_exact(4)).for_each(
                        |(key, word)| {
                            *key = K::from_low_bits(u32::from_ne_bytes(word.try_into().expect("four bytes")).into());
                        },
                    ),
                }
            })?;
        }
        Ok(())
    }

    /// Copies all elements to the host.
    pub fn to_vec(&self) -> Result<Vec<K>> {
        let mut out = Vec::new();
        let len = usize::try_from(self.len).unwrap_or(usize::MAX);
        let bytes = len.saturating_mul(size_of::<K>());
        out.try_reserve_exact(len).map_err(|_| Error::OutOfMemory { bytes, what: "download" })?;
        // By all threads: fresh pages are what takes the time, more than the way over the bus.
        out.par_extend(rayon::iter::repeat_n(K::default(), len).with_min_len(1 << 16));
        self.download(&mut out)?;
        Ok(out)
    }

    /// Holds the array until commands that use it are submitted.
    pub(crate) fn keep_in(self, commands: &mut Recorder<'_>) {
        self.shards.into_iter().for_each(|shard| commands.keep(shard));
    }

    /// The buffers, for the bindings of a kernel.
    pub(crate) fn bindings(&self) -> impl Iterator<Item = Binding<'_>> {
        self.shards.iter().map(Buffer::all)
    }

    /// How a kernel must declare the array: see [`crate::kernel::Source::reads_sharded`].
    pub(crate) fn sharding(&self) -> Option<(u32, u32)> {
        (self.shards.len() > 1).then_some((self.shift, self.shards.len() as u32))
    }

    /// The same for a kernel that sees the array as vectors of 16 bytes.
    pub(crate) fn packs(&self) -> Packs<'_> {
        let keys_of_a_pack = (16 / coding::bytes::<K>()).ilog2();
        let sharding = self.sharding().map(|(shift, count)| (shift - keys_of_a_pack, count));
        Packs { buffers: self.bindings().collect(), sharding, count: self.len }
    }

    /// Every shard with the elements it holds.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = (u64, u64, &Buffer)> {
        let shard = if self.shards.len() > 1 { 1 << self.shift } else { self.len };
        self.shards.iter().enumerate().map(move |(i, buffer)| {
            let start = i as u64 * shard;
            (start, (start + shard).min(self.len), buffer)
        })
    }
}

/// The buffers of an array that a kernel sees as vectors of 16 bytes. A buffer's size is a multiple of 16 bytes, so the
/// last vector may be read and written as a whole.
#[derive(Clone, Debug)]
pub(crate) struct Packs<'a> {
    pub(crate) buffers: Vec<Binding<'a>>,
    /// Vectors per buffer as a power of two, and the number of buffers.
    pub(crate) sharding: Option<(u32, u32)>,
    /// Elements, not vectors.
    pub(crate) count: u64,
}

impl<'a> Packs<'a> {
    /// The first `count` elements of a buffer.
    pub(crate) fn of(buffer: &'a Buffer, count: u64) -> Self {
        Self { buffers: vec![buffer.all()], sharding: None, count }
    }
}

fn size_in_bytes<K: Key>(len: usize) -> u64 {
    len as u64 * coding::bytes::<K>()
}
