//! An array's bytes, put into a plain file by all threads at once.
//!
//! Most systems let one thread at a time write to a file, so what can be done beside it is done beside it: every thread makes
//! a piece, in memory that stays in its cache, and hands it over. In a file system that is memory (tmpfs) even that gate
//! is spared: the file is mapped, and every thread makes its pieces where they shall lie. 512 MiB, widened from 32 to 64 bits
//! on 16 threads of an H200's host: 180 ms written, 76 mapped, of which 48 are the system's, which looks for pages. That part
//! can be begun long before ([`Room`]).
//!
//! A full disk must be an error, and written to a mapping it would be a signal; so all pages are asked for beforehand.
#![cfg_attr(target_os = "linux", allow(unsafe_code))]

use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

use thalweg_core::parallel;

/// Bytes that a thread makes at a time: they stay in its cache ...
const PIECE: usize = 256 << 10;
/// ... and those of a task, which has a buffer of its own.
const TASK: usize = 4 << 20;

/// Makes the bytes of a range, which begins and ends with a unit, to a place for them.
pub type Make<'m> = &'m (dyn Fn(Range<usize>, &mut [u8]) + Sync);

/// What is to be written.
#[derive(Clone, Copy)]
pub enum Source<'s> {
    /// Bytes that are there.
    Bytes(&'s [u8]),
    /// So many bytes, in units of so many, that are made.
    Made { len: usize, unit: usize, make: Make<'s> },
}

impl Source<'_> {
    pub fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Made { len, .. } => *len,
        }
    }

    /// The largest number of whole units that are not more than so many bytes; one at least.
    fn whole(&self, bytes: usize) -> usize {
        match self {
            Self::Bytes(_) => bytes,
            Self::Made { unit, .. } => (bytes / unit).max(1) * unit,
        }
    }
}

/// Room for a file that will be large, which is looked for on a thread of its own.
pub struct Room(Option<JoinHandle<u64>>);

impl Room {
    /// Begins to look for room for so many bytes in a file system that is memory. Elsewhere there is nothing to be gained.
    pub fn begin(file: &File, bytes: u64) -> Self {
        #[cfg(target_os = "linux")]
        if mapped::is_in_memory(file)
            && let Ok(file) = file.try_clone()
        {
            let look = move || if mapped::allocate(&file, bytes).is_ok() { bytes } else { 0 };
            return Self(crate::memory::spawn("room", look));
        }
        let _ = (file, bytes);
        Self(None)
    }

    /// How many bytes there is room for, as far as is known.
    pub fn bytes(mut self) -> u64 {
        self.0.take().and_then(|thread| thread.join().ok()).unwrap_or(0)
    }
}

/// Nobody looks for room in a file that is gone.
impl Drop for Room {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            let _ = thread.join();
        }
    }
}

/// Writes the bytes to their place in the file, which begins at `at`; there is `room` for so many in the file. `done` is told
/// how many more are there.
pub fn write(file: &File, at: u64, source: Source<'_>, room: u64, done: &(dyn Fn(usize) + Sync)) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    if let Some(map) = mapped::Map::new(file, at, source.len(), room)? {
        map.write(source, done);
        return Ok(());
    }
    let _ = room;
    by_writing(file, at, source, done)
}

/// Has the system begin to put on the disk what was written.
pub fn hand_over(file: &File) {
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd;
        // SAFETY: an open file; all of it, from its start on. Should it be refused, nothing is lost.
        let _ = unsafe { libc::sync_file_range(file.as_raw_fd(), 0, 0, libc::SYNC_FILE_RANGE_WRITE) };
    }
    let _ = file;
}

/// Writes the bytes to their place in a file that others write to as well.
pub fn write_within(file: &File, at: u64, source: Source<'_>) -> io::Result<()> {
    by_writing(file, at, source, &|_| ())
}

fn by_writing(file: &File, at: u64, source: Source<'_>, done: &(dyn Fn(usize) + Sync)) -> io::Result<()> {
    if let Source::Bytes(bytes) = source {
        // Nothing is to be made beside it, and who waits at the gate takes a thread from others.
        return pieces(0..bytes.len(), TASK)
            .try_for_each(|range| put(file, at, source, range, &mut Buffer::default(), done));
    }
    let failed = Failed::default();
    let (task, piece) = (source.whole(TASK), source.whole(PIECE));
    let _ = parallel::try_for_each_chunk(source.len(), task, &|range| {
        let mut buffer = Buffer::default();
        failed.note(pieces(range, piece).try_for_each(|range| put(file, at, source, range, &mut buffer, done)))
    });
    failed.result()
}

/// A range in pieces.
fn pieces(range: Range<usize>, piece: usize) -> impl Iterator<Item = Range<usize>> {
    range.clone().step_by(piece).map(move |start| start..range.end.min(start + piece))
}

/// Writes one piece.
fn put(
    file: &File,
    at: u64,
    source: Source<'_>,
    range: Range<usize>,
    buffer: &mut Buffer,
    done: &(dyn Fn(usize) + Sync),
) -> io::Result<()> {
    let place = at + range.start as u64;
    let count = range.len();
    match source {
        Source::Bytes(bytes) => write_at(file, &bytes[range], place)?,
        Source::Made { make, .. } => {
            let bytes = buffer.bytes(count);
            make(range, bytes);
            write_at(file, bytes, place)?;
        }
    }
    done(count);
    Ok(())
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(windows)]
fn write_at(file: &File, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_write(file, bytes, at)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            written => (bytes, at) = (&bytes[written..], at + written as u64),
        }
    }
    Ok(())
}

/// Memory for a piece, at an address that suits every type of elements.
#[derive(Default)]
struct Buffer(Vec<u64>);

impl Buffer {
    fn bytes(&mut self, len: usize) -> &mut [u8] {
        if 8 * self.0.len() < len {
            self.0.resize(len.div_ceil(8), 0);
        }
        &mut bytemuck::cast_slice_mut(&mut self.0)[..len]
    }
}

/// The first error that a thread has met.
#[derive(Default)]
struct Failed(Mutex<Option<io::Error>>);

impl Failed {
    /// Whether all is well.
    fn note(&self, result: io::Result<()>) -> bool {
        let Err(error) = result else { return true };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        false
    }

    fn result(self) -> io::Result<()> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
}

#[cfg(target_os = "linux")]
mod mapped {
    use std::os::fd::AsRawFd;

    use memmap2::MmapMut;
    use thalweg_core::disjoint::Disjoint;

    use super::*;

    /// A file in memory, mapped up to the end of what is to be written, all pages of which are there.
    pub struct Map(MmapMut);

    impl Map {
        /// Maps a file of tmpfs, and makes it long enough. Elsewhere, and where it cannot be mapped, `None`.
        pub fn new(file: &File, at: u64, len: usize, room: u64) -> io::Result<Option<Self>> {
            let Some(total) = usize::try_from(at).ok().and_then(|at| at.checked_add(len)) else { return Ok(None) };
            if !is_in_memory(file) {
                return Ok(None);
            }
            file.set_len(total as u64)?;
            if room < total as u64 {
                match allocate(file, total as u64) {
                    Err(error) if error.kind() == io::ErrorKind::Unsupported => return Ok(None),
                    allocated => allocated?,
                }
            }
            // SAFETY: a file of ours, under a name that nobody knows, is changed by nobody else.
            let map = unsafe { MmapMut::map_mut(file) };
            // Without address space for it (ulimit -v) it is written.
            Ok(map.ok().filter(|map| map.len() == total).map(Self))
        }

        pub fn write(mut self, source: Source<'_>, done: &(dyn Fn(usize) + Sync)) {
            let start = self.0.len() - source.len();
            let place = Disjoint::new(&mut self.0[start..]);
            let piece = source.whole(PIECE);
            parallel::for_each_chunk(source.len(), source.whole(TASK), &|task| {
                for range in pieces(task.clone(), piece) {
                    // SAFETY: inside, and ranges do not overlap.
                    let place = unsafe { place.slice_mut(range.clone()) };
                    match source {
                        Source::Bytes(bytes) => place.copy_from_slice(&bytes[range.clone()]),
                        Source::Made { make, .. } => make(range.clone(), place),
                    }
                    done(range.len());
                }
                // SAFETY: as above.
                forget(unsafe { place.slice_mut(task) });
            });
        }
    }

    /// Takes the whole pages of a part of a file that is mapped out of the page table: 14 ms for 512 MiB by one thread, which the
    /// end of the program would wait for, and a driver that is being closed beside it. So every thread does what it has written.
    fn forget(part: &mut [u8]) {
        const PAGE: usize = 4096;
        let start = part.as_ptr().align_offset(PAGE).min(part.len());
        let bytes = (part.len() - start) / PAGE * PAGE;
        if bytes > 0 {
            // SAFETY: pages inside a shared mapping. What they hold is in the file, and comes from there again if need be.
            unsafe { libc::madvise(part[start..].as_mut_ptr().cast(), bytes, libc::MADV_DONTNEED) };
        }
    }

    /// Has all pages of a file, which keeps its length, looked for.
    pub fn allocate(file: &File, bytes: u64) -> io::Result<()> {
        let Ok(bytes) = libc::off_t::try_from(bytes) else { return Err(io::ErrorKind::Unsupported.into()) };
        loop {
            // SAFETY: an open file.
            if unsafe { libc::fallocate(file.as_raw_fd(), libc::FALLOC_FL_KEEP_SIZE, 0, bytes) } == 0 {
                return Ok(());
            }
            match io::Error::last_os_error() {
                error if error.kind() == io::ErrorKind::Interrupted => {}
                error => return Err(error),
            }
        }
    }

    /// Whether the file system is memory.
    pub fn is_in_memory(file: &File) -> bool {
        // SAFETY: all bits zero are a value of it, which is written over.
        let mut told: libc::statfs = unsafe { std::mem::zeroed() };
        // SAFETY: an open file, and a place of ours.
        let known = unsafe { libc::fstatfs(file.as_raw_fd(), &mut told) } == 0;
        // Devices lie in such a file system, too.
        known && told.f_type == libc::TMPFS_MAGIC && file.metadata().is_ok_and(|metadata| metadata.is_file())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// In files on the disk and in memory, where the system has such.
    #[test]
    fn every_byte_at_its_place() {
        let folders = [std::env::temp_dir(), "/dev/shm".into()];
        for folder in folders.iter().filter(|folder| folder.is_dir()) {
            for (len, unit) in [(0, 1), (1, 1), (24, 24), (PIECE + 8, 8), (3 * TASK + 40, 40), (TASK + 3, 1)] {
                [0, 64, 128, 4096].iter().for_each(|&at| check(folder, len / unit * unit, unit, at));
            }
        }
    }

    fn check(folder: &Path, len: usize, unit: usize, at: usize) {
        let want: Vec<u8> = (0..len).map(|i| (i.wrapping_mul(0x9e37_79b9) >> 16) as u8).collect();
        let make = |range: Range<usize>, place: &mut [u8]| {
            assert!(range.start.is_multiple_of(unit) && range.end.is_multiple_of(unit) && range.len() == place.len());
            place.copy_from_slice(&want[range]);
        };
        for source in [Source::Bytes(&want), Source::Made { len, unit, make: &make }] {
            let file = tempfile::NamedTempFile::new_in(folder).unwrap();
            file.as_file().set_len(at as u64).unwrap();
            let count = AtomicUsize::new(0);
            write(file.as_file(), at as u64, source, 0, &|more| _ = count.fetch_add(more, Ordering::Relaxed)).unwrap();
            let found = std::fs::read(file.path()).unwrap();
            assert!(found.len() == at + len && found[..at].iter().all(|&byte| byte == 0) && found[at..] == want[..]);
            assert_eq!(count.into_inner(), len);
        }
    }

    /// Room that was looked for before, enough or not, does not show in the file.
    #[test]
    fn room_does_not_show() {
        for folder in [std::env::temp_dir(), "/dev/shm".into()].iter().filter(|folder| folder.is_dir()) {
            for room in [1, 2 * TASK as u64, 3 * TASK as u64] {
                let file = tempfile::NamedTempFile::new_in(folder).unwrap();
                let room = Room::begin(file.as_file(), room).bytes();
                let bytes = vec![7; 2 * TASK];
                write(file.as_file(), 0, Source::Bytes(&bytes), room, &|_| ()).unwrap();
                assert!(std::fs::read(file.path()).unwrap() == bytes);
            }
        }
    }

    /// A disk that is always full, and a file that may not be written.
    #[test]
    #[cfg(target_os = "linux")]
    fn refusals_are_errors() {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let bytes = vec![0; 3 * TASK];
        let error = write(&full, 0, Source::Bytes(&bytes), 0, &|_| ()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        let closed = File::open("/dev/null").unwrap();
        assert!(write(&closed, 0, Source::Bytes(&bytes), 0, &|_| ()).is_err());
    }
}
