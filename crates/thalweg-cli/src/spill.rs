//! Numbers for which there is no memory, in a file without a name.
//!
//! The file lies beside a result, on whose disk there is room, and belongs to this process alone: the system clears
//! it when the process ends, whichever way.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use thalweg::ansv::in_parts::Spill;
use thalweg::text::in_blocks::Store;

use crate::failure::{Failure, Outcome};
use crate::format::{Named, is_stdout};

/// Where files without a name go: beside the first of these results that is a file, or where the system has its own.
pub fn folder(results: &[Option<&Path>]) -> PathBuf {
    let files = results.iter().copied().flatten().map(|path| Named::output(path).path);
    let beside = |path: PathBuf| match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let is_plain = |path: &PathBuf| !is_stdout(path) && !std::fs::metadata(path).is_ok_and(|it| !it.is_file());
    files.into_iter().find(is_plain).map_or_else(std::env::temp_dir, beside)
}

/// A file without a name.
pub struct Nameless {
    file: File,
    folder: PathBuf,
}

impl Nameless {
    /// Makes one.
    pub fn new(folder: &Path) -> Outcome<Self> {
        let file = tempfile::tempfile_in(folder).map_err(|e| failed(folder, &e))?;
        Ok(Self { file, folder: folder.to_owned() })
    }

    /// The file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Writes bytes to a place.
    pub fn write_at(&self, bytes: &[u8], at: u64) -> Outcome {
        write_all_at(&self.file, bytes, at).map_err(|e| failed(&self.folder, &e))
    }

    /// Reads bytes that were written.
    pub fn read_at(&self, bytes: &mut [u8], at: u64) -> Outcome {
        read_exact_at(&self.file, bytes, at).map_err(|e| failed(&self.folder, &e))
    }

    /// A failure of this file.
    pub fn failure(&self, error: &io::Error) -> Failure {
        failed(&self.folder, error)
    }
}

fn failed(folder: &Path, error: &io::Error) -> Failure {
    Failure::io(format_args!("a temporary file in {}", folder.display()), error)
}

#[cfg(unix)]
fn write_all_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(not(unix))]
fn write_all_at(mut file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    use io::{Seek, Write};
    file.seek(io::SeekFrom::Start(at))?;
    file.write_all(bytes)
}

#[cfg(not(unix))]
fn read_exact_at(mut file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    use io::{Read, Seek};
    file.seek(io::SeekFrom::Start(at))?;
    file.read_exact(bytes)
}

/// A pile of numbers: the upper ones in memory, those below in a file.
pub struct Pile {
    folder: PathBuf,
    /// Numbers that stay in memory.
    room: usize,
    top: Vec<u64>,
    file: Option<Nameless>,
    /// How many are in the file.
    below: u64,
    /// How many have been there in all.
    pub spilled: u64,
}

impl Pile {
    /// An empty one, of which so many numbers stay in memory.
    pub fn new(folder: PathBuf, room: usize) -> Self {
        Self { folder, room, top: Vec::new(), file: None, below: 0, spilled: 0 }
    }
}

impl Spill<Failure> for Pile {
    fn put(&mut self, numbers: &[u64]) -> Outcome {
        for numbers in numbers.chunks(self.room.max(1)) {
            if self.top.len() + numbers.len() > self.room {
                let file = match &mut self.file {
                    Some(file) => file,
                    none => none.insert(Nameless::new(&self.folder)?),
                };
                file.write_at(bytemuck::cast_slice(&self.top), 8 * self.below)?;
                self.below += self.top.len() as u64;
                self.spilled += self.top.len() as u64;
                self.top.clear();
            }
            self.top.extend_from_slice(numbers);
        }
        Ok(())
    }

    fn take(&mut self, count: usize, numbers: &mut Vec<u64>) -> Outcome {
        numbers.clear();
        let here = count.min(self.top.len());
        let there = count - here;
        if there > 0 {
            numbers.resize(there, 0);
            self.below -= there as u64;
            let file = self.file.as_ref().expect("what was put is somewhere");
            file.read_at(bytemuck::cast_slice_mut(numbers), 8 * self.below)?;
        }
        numbers.extend(self.top.drain(self.top.len() - here..));
        Ok(())
    }
}

/// Lists, one behind the other, in a file.
pub struct Lists {
    folder: PathBuf,
    file: Option<Nameless>,
    /// Bytes of all of them.
    pub bytes: u64,
}

impl Lists {
    /// None yet.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, file: None, bytes: 0 }
    }
}

impl Store<Failure> for Lists {
    fn append(&mut self, bytes: &[u8]) -> Outcome {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(Nameless::new(&self.folder)?),
        };
        file.write_at(bytes, self.bytes)?;
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    fn read(&self, at: u64, bytes: &mut [u8]) -> Outcome {
        match &self.file {
            Some(file) => file.read_at(bytes, at),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        for room in [0, 1, 3, 10, 1000] {
            let mut pile = Pile::new(folder.path().to_owned(), room);
            let lists: Vec<Vec<u64>> = (0..40u64).map(|i| (0..i * 7 % 13).map(|j| i * 100 + j).collect()).collect();
            for half in [&lists[..20], &lists[20..]] {
                half.iter().for_each(|list| pile.put(list).unwrap());
                let mut taken = Vec::new();
                for list in half.iter().rev().take(15) {
                    pile.take(list.len(), &mut taken).unwrap();
                    assert_eq!(&taken, list, "room for {room}");
                }
            }
            assert_eq!(pile.spilled > 0, room < 1000);
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "it has no name");
        }
    }
}
