//! Arrays of keys on the device.
//!
//! [`Keys`] is what engines see: memory, a length and a width. [`DeviceArray`] adds the type, for the outside.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use rayon::prelude::*;
use thalweg_core::bits::{Bits, BitsMut};
use thalweg_core::error::expect_len;
use thalweg_core::{DeviceErrorKind, Error, Key, Position, Rank, Result, by_width};

use super::coding;
use super::device::Device;
use super::memory::{Binding, Buffer, Use};
use super::recorder::Recorder;
use super::transfer;
use super::widths::widen;

/// Keys in the memory of a device, spread over several buffers where one binding cannot hold them. Their type is not
/// known, only how many words they take.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    device: Device,
    shards: Vec<Buffer>,
    /// Elements of every shard but the last, as a power of two; unused with one shard.
    shift: u32,
    len: u64,
    /// 32-bit words of a key.
    words: u32,
}

impl Keys {
    /// Keys of so many words and of undefined content.
    pub(crate) fn new(device: &Device, len: u64, words: u32) -> Result<Self> {
        let size = 4 * u64::from(words);
        let (shift, shard, count) = Self::spread(device, len, words)?;
        let size_of_shard = |i| shard.min(len * size - i * shard).max(size);
        let shards =
            (0..count).map(|i| device.buffer(Use::Storage, size_of_shard(i), "array")).collect::<Result<_>>()?;
        Ok(Self { device: device.clone(), shards, shift, len, words })
    }

    /// How an array would be spread over buffers: the elements of a shard as a power of two, the bytes of all shards but the
    /// last, and how many there are.
    fn spread(device: &Device, len: u64, words: u32) -> Result<(u32, u64, u64)> {
        let size = 4 * u64::from(words);
        let limits = device.limits();
        let most = limits.binding_bytes.min(limits.buffer_bytes);
        let too_many =
            || Error::device_limit(format!("{len} elements are more than a kernel on {} can see", device.name()));
        let bytes = len.checked_mul(size).ok_or_else(too_many)?;
        // Shards are powers of two, so that a shift finds them, and the last one may be smaller.
        let shift = (most / size).max(2).ilog2();
        let shard = size << shift;
        let (shard, count) = if bytes <= most / 16 * 16 { (bytes, 1) } else { (shard, bytes.div_ceil(shard)) };
        if count > u64::from(limits.bindings) {
            return Err(too_many());
        }
        Ok((shift, shard, count))
    }

    /// The [`Keys::sharding`] of an array of this length.
    #[cfg(feature = "fourier")]
    pub(crate) fn sharding_of(device: &Device, len: u64, words: u32) -> Result<Option<(u32, u32)>> {
        let (shift, _, count) = Self::spread(device, len, words)?;
        Ok((count > 1).then_some((shift, count as u32)))
    }

    /// Copies the bits of keys to the device.
    pub(crate) fn upload(device: &Device, bits: Bits<'_>) -> Result<Self> {
        let keys = Self::new(device, bits.len() as u64, coding::words_of(bits.width()))?;
        keys.write(0, bits)?;
        Ok(keys)
    }

    /// Writes the bits of keys from element `first` on; they have this width, and are inside.
    pub(crate) fn write(&self, first: u64, bits: Bits<'_>) -> Result<()> {
        by_width!(Bits, bits, bits => self.fill(first, bits))
    }

    fn fill<R: Rank>(&self, first: u64, bits: &[R]) -> Result<()> {
        let size = self.bytes() as usize;
        let last = first + bits.len() as u64;
        for (start, end, shard) in self.pieces() {
            let (from, to) = (start.max(first), end.min(last));
            if from >= to {
                continue;
            }
            let bits = &bits[(from - first) as usize..(to - first) as usize];
            let offset = (from - start) * size as u64;
            if let Some(bytes) = coding::as_bytes(bits) {
                transfer::upload_bytes(&self.device, shard, offset, bytes)?;
                continue;
            }
            transfer::upload(&self.device, shard, offset, (bits.len() * size) as u64, |at, piece| {
                let first = at as usize / size;
                let bits = &bits[first..first + piece.len() / size];
                piece.par_chunks_exact_mut(4).with_min_len(1 << 16).zip(bits).for_each(|(word, bits)| {
                    word.copy_from_slice(&(bits.to_u64() as u32).to_ne_bytes());
                });
            })?;
        }
        Ok(())
    }

    /// Copies the bits of all keys to the host, into a buffer of the same length and width.
    pub(crate) fn download(&self, out: BitsMut<'_>) -> Result<()> {
        if out.len() as u64 != self.len {
            return Err(Error::Length { what: "download", expected: self.len as usize, got: out.len() });
        }
        by_width!(BitsMut, out, out => self.empty_into(out))
    }

    fn empty_into<R: Rank>(&self, out: &mut [R]) -> Result<()> {
        let size = self.bytes() as usize;
        if coding::words_of(size_of::<R>()) != self.words {
            let (expected, got) = (32 * self.words, 8 * size_of::<R>() as u32);
            return Err(Error::Bits { what: "download", expected, got });
        }
        for (start, end, shard) in self.pieces() {
            let out = &mut out[start as usize..end as usize];
            if let Some(bytes) = coding::as_bytes_mut(out) {
                transfer::download_bytes(&self.device, shard, 0, bytes)?;
                continue;
            }
            transfer::download(&self.device, shard, 0, (out.len() * size) as u64, |at, piece| {
                let first = at as usize / size;
                let out = &mut out[first..first + piece.len() / size];
                let words = piece.par_chunks_exact(4);
                out.par_iter_mut().with_min_len(1 << 16).zip(words).for_each(|(bits, word)| {
                    *bits = R::from_u64(u32::from_ne_bytes(word.try_into().expect("four bytes")).into());
                });
            })?;
        }
        Ok(())
    }

    /// An error if the two share memory: for two outputs of a call that writes them by different kernels. Where one kernel
    /// sees both, a dispatch finds out by itself.
    pub(crate) fn expect_apart(&self, other: &Self) -> Result<()> {
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

    /// The same memory as an array of a type, which must take as many words.
    pub(crate) fn typed<K: Key>(&self) -> DeviceArray<K> {
        debug_assert_eq!(coding::words::<K>(), self.words);
        DeviceArray { keys: self.clone(), key: PhantomData }
    }

    /// A copy on the same device.
    pub(crate) fn duplicate(&self) -> Result<Self> {
        let copy = Self::new(&self.device, self.len, self.words)?;
        let mut commands = self.device.record();
        self.copy(&mut commands, 0..self.len, (&copy, 0));
        commands.submit()?;
        Ok(copy)
    }

    /// Copies elements into another array of keys of this width, from a place on.
    pub(crate) fn copy(&self, commands: &mut Recorder<'_>, elements: Range<u64>, (to, at): (&Self, u64)) {
        let (first, size) = (elements.start, self.bytes());
        for (start, end, from) in self.pieces() {
            for (to_start, to_end, to) in to.pieces() {
                // Elements that both buffers have, counted from the first one on.
                let low = start.saturating_sub(first).max(to_start.saturating_sub(at));
                let high = end.min(elements.end).saturating_sub(first).min(to_end.saturating_sub(at));
                if low < high {
                    let places = [first + low - start, at + low - to_start].map(|place| place * size);
                    commands.copy((from, places[0]), (to, places[1]), (high - low) * size);
                }
            }
        }
    }

    /// The one buffer that holds an element, as an array of its own, and the first element it holds.
    pub(crate) fn shard_of(&self, element: u64) -> (Self, u64) {
        let found = self.pieces().find(|(_, end, _)| element < *end);
        let (start, end, buffer) = found.expect("an element of the array");
        (Self { device: self.device.clone(), shards: vec![buffer.clone()], len: end - start, ..*self }, start)
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// 32-bit words of a key.
    pub(crate) fn words(&self) -> u32 {
        self.words
    }

    /// Bytes of a key.
    pub(crate) fn bytes(&self) -> u64 {
        4 * u64::from(self.words)
    }

    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    /// Holds the keys until commands that use them are submitted.
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
        let keys_of_a_pack = (16 / self.bytes()).ilog2();
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

/// An array in the memory of a device, spread over several buffers where one binding cannot hold it.
///
/// Keys of 8 and 16 bits take 32 bits each there. Positions are arrays of `u32` or `u64`.
/// Clones share the memory: [`DeviceArray::duplicate`] copies it. A call that writes an array must not read it, or write it
/// a second time, under another name: that, and arrays of different devices in one call, are errors of the kind
/// [`Misuse`](thalweg_core::DeviceErrorKind::Misuse), after which the devices go on as before.
#[derive(Clone)]
pub struct DeviceArray<K: Key> {
    keys: Keys,
    key: PhantomData<K>,
}

impl<'a, K: Key> From<&'a DeviceArray<K>> for &'a Keys {
    fn from(array: &'a DeviceArray<K>) -> Self {
        &array.keys
    }
}

impl<K: Key> fmt::Debug for DeviceArray<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceArray")
            .field("keys", &K::NAME)
            .field("len", &self.len())
            .field("buffers", &self.keys.shards.len())
            .field("device", &self.device().name())
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
        Ok(Keys::upload(self, Bits::of(keys))?.typed())
    }

    /// An array of undefined content.
    pub fn allocate<K: Key>(&self, len: usize) -> Result<DeviceArray<K>> {
        DeviceArray::new(self, len as u64)
    }
}

impl<K: Key> DeviceArray<K> {
    /// An array of undefined content.
    pub(crate) fn new(device: &Device, len: u64) -> Result<Self> {
        Ok(Self { keys: Keys::new(device, len, coding::words::<K>())?, key: PhantomData })
    }

    /// The keys without their type.
    pub(crate) fn keys(&self) -> &Keys {
        &self.keys
    }

    /// A copy of the array on the same device.
    pub fn duplicate(&self) -> Result<Self> {
        Ok(self.keys.duplicate()?.typed())
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        usize::try_from(self.keys.len).unwrap_or(usize::MAX)
    }

    /// The same, as kernels count them.
    pub(crate) fn count(&self) -> u64 {
        self.keys.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.keys.len == 0
    }

    /// The device that holds it.
    pub fn device(&self) -> &Device {
        &self.keys.device
    }

    /// Copies all elements to the host, into a buffer of the same length.
    pub fn download(&self, out: &mut [K]) -> Result<()> {
        self.keys.download(BitsMut::of(out))
    }

    /// Copies all elements to the host.
    pub fn to_vec(&self) -> Result<Vec<K>> {
        // By all threads: fresh pages are what takes the time, more than the way over the bus.
        let mut out = thalweg_core::memory::filled(self.len(), K::default(), "download")?;
        self.download(&mut out)?;
        Ok(out)
    }

    pub(crate) fn truncate(&mut self, len: u64) {
        self.keys.truncate(len);
    }

    pub(crate) fn keep_in(self, commands: &mut Recorder<'_>) {
        self.keys.keep_in(commands);
    }

    pub(crate) fn bindings(&self) -> impl Iterator<Item = Binding<'_>> {
        self.keys.bindings()
    }

    pub(crate) fn sharding(&self) -> Option<(u32, u32)> {
        self.keys.sharding()
    }

    pub(crate) fn packs(&self) -> Packs<'_> {
        self.keys.packs()
    }

    pub(crate) fn pieces(&self) -> impl Iterator<Item = (u64, u64, &Buffer)> {
        self.keys.pieces()
    }

    /// Where a kernel that reads or writes this array at random shall do so, one time after the other: first element and number.
    ///
    /// A card translates addresses of some gigabytes at a time, and beyond that every access takes many times as long: on an
    /// H200 3.2 billion words written at random took 25 s, and a billion 0.15.
    pub(crate) fn windows(&self) -> impl Iterator<Item = [u32; 2]> {
        self.pieces().map(|(start, end, _)| [start as u32, (end - start) as u32])
    }
}

impl DeviceArray<u32> {
    /// The same memory as pairs of words.
    pub(crate) fn as_pairs(&self) -> DeviceArray<u64> {
        let Keys { device, shards, shift, len, .. } = &self.keys;
        Keys { device: device.clone(), shards: shards.clone(), shift: shift - 1, len: len / 2, words: 2 }.typed()
    }

    /// Copies positions to the host, where they may have 64 bits; `u32::MAX` is none.
    pub(crate) fn download_positions<P: Position>(&self, out: &mut [P]) -> Result<()> {
        if size_of::<P>() == 4 {
            return self.keys.download(BitsMut::of(out));
        }
        expect_len("download", out.len(), self.len())?;
        for (start, end, shard) in self.pieces() {
            let out = &mut out[start as usize..end as usize];
            transfer::download(self.device(), shard, 0, 4 * (end - start), |at, piece| {
                widen(piece, &mut out[at as usize / 4..][..piece.len() / 4]);
            })?;
        }
        Ok(())
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
