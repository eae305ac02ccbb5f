//! The bytes of a file: mapped, read, or unpacked.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use memmap2::Mmap;

use super::read_all::read_all;
use super::unpack;
use crate::failure::{Failure, Outcome};
use crate::format::{self, Packing};

/// The bytes of a file, or a range of them.
pub struct Bytes {
    store: Store,
    range: Range<usize>,
}

enum Store {
    /// Where they lie, and the file.
    Mapped(Mmap, File),
    /// In memory.
    Read(Vec<u8>),
    /// Numbers that were made of a text, at addresses that suit every type.
    Words(Vec<u64>),
}

/// Standard input has been read. A second reader would find nothing there.
static STDIN_IS_READ: AtomicBool = AtomicBool::new(false);

impl Bytes {
    /// Maps a regular file; reads anything else, and unpacks what the name says is packed. `-` is standard input.
    pub fn open(path: &Path, name: &str) -> Outcome<Self> {
        Self::open_as(path, format::unpacked(path).0, name)
    }

    /// The same for a file that is known to be packed so.
    pub(super) fn open_as(path: &Path, packing: Packing, name: &str) -> Outcome<Self> {
        let bytes = Self::open_packed(path, name)?;
        match packing {
            Packing::None => Ok(bytes),
            packing => Ok(unpack::unpack(packing, bytes.get(), name)?.into()),
        }
    }

    fn open_packed(path: &Path, name: &str) -> Outcome<Self> {
        if format::is_standard(path) {
            if STDIN_IS_READ.swap(true, Ordering::Relaxed) {
                return Err(Failure::at(name, "is read already: only one input can come from there"));
            }
            return Ok(read_all(&mut io::stdin().lock(), name)?.into());
        }
        let failed = |e| Failure::io(name, &e);
        let mut file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if metadata.is_dir() {
            return Err(Failure::at(name, "is a directory"));
        }
        // An empty file cannot be mapped.
        if !metadata.is_file() || metadata.len() == 0 {
            return Ok(read_all(&mut file, name)?.into());
        }
        // SAFETY: the mapping is private to us and read-only. That nobody else cuts the file short meanwhile cannot be
        // checked; the module's documentation says so. Its bytes are only ever read as integers and floats, for which
        // every pattern is valid.
        let map = unsafe { Mmap::map(&file) }.map_err(failed)?;
        Ok(Self { range: 0..map.len(), store: Store::Mapped(map, file) })
    }

    /// All of them.
    pub fn get(&self) -> &[u8] {
        let all = match &self.store {
            Store::Mapped(map, _) => map,
            Store::Read(bytes) => &bytes[..],
            Store::Words(words) => bytemuck::cast_slice(words),
        };
        &all[self.range.clone()]
    }

    /// The first `len` bytes of these numbers.
    pub(super) fn of_words(words: Vec<u64>, len: usize) -> Self {
        Self { store: Store::Words(words), range: 0..len }
    }

    /// A range of these bytes.
    pub(super) fn part(self, range: Range<usize>) -> Self {
        let start = self.range.start;
        debug_assert!(start + range.end <= self.range.end);
        Self { range: start + range.start..start + range.end, store: self.store }
    }

    /// Copies bytes from here on. Those of a file are read: a mapping costs more than such a copy, which stays in the cache, because its
    /// pages are entered and struck out one by one.
    pub(super) fn copy(&self, from: usize, out: &mut [u8]) {
        #[cfg(unix)]
        if let Store::Mapped(_, file) = &self.store
            && std::os::unix::fs::FileExt::read_exact_at(file, out, (self.range.start + from) as u64).is_ok()
        {
            return;
        }
        // Also of a file that is shorter by now, or could not be read: that ends as it does everywhere.
        out.copy_from_slice(&self.get()[from..from + out.len()]);
    }

    /// Asks the system for the pages of a range that is about to be read. Where it cannot do that, they come as they are touched.
    pub(super) fn fetch(&self, range: Range<usize>) {
        #[cfg(target_os = "linux")]
        if let Store::Mapped(map, _) = &self.store {
            let _ = map.advise_range(memmap2::Advice::PopulateRead, self.range.start + range.start, range.len());
        }
        #[cfg(not(target_os = "linux"))]
        let _ = range;
    }

    /// Tells the system that a range will be needed soon: it may read it ahead, into memory that is its own.
    pub(super) fn expect(&self, range: Range<usize>) {
        #[cfg(unix)]
        if let Store::Mapped(map, _) = &self.store {
            let _ = map.advise_range(memmap2::Advice::WillNeed, self.range.start + range.start, range.len());
        }
        #[cfg(not(unix))]
        let _ = range;
    }

    /// Gives back the pages of a range that is not needed for the time being: they are read again when they are touched. Pages that
    /// hold more than the range go, too.
    pub(super) fn release(&self, range: Range<usize>) {
        #[cfg(unix)]
        if let Store::Mapped(map, _) = &self.store {
            let advice = memmap2::UncheckedAdvice::DontNeed;
            // SAFETY: a mapping of a file that is only read: its pages come back with what is in the file.
            let _ = unsafe { map.unchecked_advise_range(advice, self.range.start + range.start, range.len()) };
        }
        #[cfg(not(unix))]
        let _ = range;
    }

    /// Tells the system that bytes will be read here and there: what lies around them is not read with them.
    pub(super) fn expect_random(&self) {
        #[cfg(unix)]
        if let Store::Mapped(map, _) = &self.store {
            let _ = map.advise(memmap2::Advice::Random);
        }
    }

    /// The file and all of its bytes, if it is mapped.
    pub(super) fn mapped(&self) -> Option<(&File, &[u8])> {
        if let Store::Mapped(map, file) = &self.store { Some((file, map)) } else { None }
    }

    /// Whether they are used where they lie in the file.
    pub(super) fn is_mapped(&self) -> bool {
        matches!(self.store, Store::Mapped(..))
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        self.get()
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self { range: 0..bytes.len(), store: Store::Read(bytes) }
    }
}
