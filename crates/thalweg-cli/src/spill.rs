//! Numbers for which there is no memory, in a file without a name.
//!
//! The file lies beside a result, on whose disk there is room, and belongs to this process alone: the system clears
//! it when the process ends, whichever way.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use thalweg::text::in_blocks::Store;

use crate::failure::{Failure, Outcome};
use crate::format::{Named, is_stdout};

/// Where files without a name go: beside the first of these results that is a file, or where the system has its own.
pub fn folder(results: &[Option<&Path>]) -> PathBuf {
    let files = results.iter().copied().flatten().map(|path| Named::output(path, false).path);
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
