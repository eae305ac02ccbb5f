//! Indexes without a copy of their array: it lies in a file of its own, by which it is known again.
//!
//! The section `array_file` takes the place of `array`. All numbers have 8 bytes:
//!
//! | bytes | what |
//! |---|---|
//! | 0..8 | length of the array's file |
//! | 8..16 | where the array begins in it |
//! | 16..24 | checksum of the array, as that of a section |
//! | 24..32 | XXH3 of the sample: 64 pieces of 4,096 bytes, evenly spaced, the first and the last among them; of all, if there are no more |
//! | 32.. | the file's path; a relative one is relative to the folder of the index |
//!
//! The length and the sample are compared whenever the index is opened, the checksum by [`Stored::verify`](super::Stored::verify). The time of
//! change is not: files may be copied.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::Mmap;
use rayon::prelude::*;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::contents::CHUNK;
use thalweg_core::{Error, Result};

/// Numbers before the path.
const FIXED: usize = 32;
/// Pieces of the sample, and their bytes.
const PIECES: u64 = 64;
const PIECE: u64 = 4096;

/// The file that holds an index's array, and how to know it again.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArrayFile {
    /// Where it is; if relative, to the folder of the index.
    pub path: PathBuf,
    /// Bytes of the file.
    pub file_bytes: u64,
    /// Where the array begins.
    pub offset: u64,
    /// Its checksum, as that of a section.
    pub checksum: u64,
    sample: u64,
}

impl ArrayFile {
    /// The file at `path`, in which an array of so many bytes begins at `offset`; the index will know it by the name `named`, relative to
    /// its own folder if that is relative. Reads all of it, by all threads, with 1 MiB of memory each.
    ///
    /// # Errors
    /// [`Error::InFile`] if it cannot be read, or is shorter.
    pub fn new(path: impl AsRef<Path>, named: impl Into<PathBuf>, offset: u64, bytes: u64) -> Result<Self> {
        let path = path.as_ref();
        let read = || {
            let file = File::open(path)?;
            let file_bytes = file.metadata()?.len();
            let range = offset..offset + bytes;
            if file_bytes < range.end {
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
            }
            let (sample, checksum) = (sample(&file, range.clone())?, checksum(&file, range)?);
            Ok(Self { path: named.into(), file_bytes, offset, checksum, sample })
        };
        read().map_err(|e| Error::io(e).in_file(path))
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let numbers = [self.file_bytes, self.offset, self.checksum, self.sample];
        let mut bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        bytes.extend_from_slice(self.path.as_os_str().as_encoded_bytes());
        bytes
    }

    /// What a section says.
    pub(super) fn decode(bytes: &[u8]) -> std::result::Result<Self, String> {
        let (numbers, path) = bytes.split_at_checked(FIXED).ok_or("the name of the array's file is cut off")?;
        let number = |i: usize| u64::from_le_bytes(numbers[8 * i..8 * i + 8].try_into().expect("eight bytes"));
        let path = path_of(path).filter(|path| !path.as_os_str().is_empty()).ok_or("the array's file has no name")?;
        Ok(Self { path, file_bytes: number(0), offset: number(1), checksum: number(2), sample: number(3) })
    }

    /// Where it is, for an index that lies here.
    pub(super) fn place(&self, index: &Path) -> PathBuf {
        index.parent().map_or_else(|| self.path.clone(), |folder| folder.join(&self.path))
    }

    /// Opens it, and looks whether it is the same; or says what is wrong with it.
    pub(super) fn open(&self, index: &Path, bytes: u64) -> std::result::Result<Opened, String> {
        let place = self.place(index);
        let name = place.display();
        let unread = |e: io::Error| format!("its array {name} cannot be read: {}", Error::io(e));
        let file = File::open(&place).map_err(unread)?;
        let metadata = file.metadata().map_err(unread)?;
        if !metadata.is_file() {
            return Err(format!("its array {name} is not a plain file"));
        }
        let range = self.offset..self.offset.saturating_add(bytes);
        if metadata.len() != self.file_bytes || range.end > self.file_bytes {
            let (found, known) = (metadata.len(), self.file_bytes);
            return Err(format!("its array {name} has {found} bytes, not {known}: another file than it was built of"));
        }
        if sample(&file, range.clone()).map_err(unread)? != self.sample {
            return Err(format!("its array {name} was changed since the index was built"));
        }
        // SAFETY: as for the index itself: read-only, and only ever read as types of which every pattern is a value.
        let map = if range.is_empty() { None } else { Some(unsafe { Mmap::map(&file) }.map_err(unread)?) };
        Ok(Opened { file, map: map.map(Arc::new), range: range.start as usize..range.end as usize })
    }
}

/// The array's file, mapped, unless there is nothing in it.
#[derive(Debug)]
pub(super) struct Opened {
    file: File,
    pub(super) map: Option<Arc<Mmap>>,
    pub(super) range: Range<usize>,
}

impl Opened {
    /// Whether all of it is as it was. Reads it piece by piece, and touches none of the mapping.
    pub(super) fn is_intact(&self, known: &ArrayFile) -> io::Result<bool> {
        Ok(checksum(&self.file, self.range.start as u64..self.range.end as u64)? == known.checksum)
    }
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    Some(std::ffi::OsStr::from_bytes(bytes).into())
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    std::str::from_utf8(bytes).ok().map(PathBuf::from)
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(not(unix))]
fn read_at(_: &File, _: &mut [u8], _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The hash of some pieces of a file.
fn sample(file: &File, range: Range<u64>) -> io::Result<u64> {
    let (bytes, mut hash) = (range.end - range.start, Xxh3::new());
    let mut piece = vec![0; bytes.min(PIECE) as usize];
    let mut take = |at: u64, len: u64| {
        read_at(file, &mut piece[..len as usize], range.start + at)?;
        hash.update(&piece[..len as usize]);
        Ok::<(), io::Error>(())
    };
    if bytes <= PIECES * PIECE {
        (0..bytes).step_by(PIECE as usize).try_for_each(|at| take(at, PIECE.min(bytes - at)))?;
    } else {
        let at = |i: u64| ((bytes - PIECE) as u128 * u128::from(i) / u128::from(PIECES - 1)) as u64;
        (0..PIECES).try_for_each(|i| take(at(i), PIECE))?;
    }
    Ok(hash.digest())
}

/// The checksum of a range of a file, as that of a section.
fn checksum(file: &File, range: Range<u64>) -> io::Result<u64> {
    let chunks = (range.end - range.start).div_ceil(CHUNK as u64);
    let hash_of = |buffer: &mut Vec<u8>, chunk: u64| {
        let start = range.start + chunk * CHUNK as u64;
        buffer.resize((range.end - start).min(CHUNK as u64) as usize, 0);
        read_at(file, buffer, start)?;
        Ok(xxh3_64(buffer))
    };
    let hashes: io::Result<Vec<u64>> = (0..chunks).into_par_iter().map_init(Vec::new, hash_of).collect();
    let bytes: Vec<u8> = hashes?.iter().flat_map(|hash| hash.to_le_bytes()).collect();
    Ok(xxh3_64(&bytes))
}
