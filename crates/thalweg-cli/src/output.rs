//! What goes out: results as `.npy` or raw binary, to files that appear whole or not at all, and text on stdout.
//!
//! A file is written beside its final place and renamed at the end, so that a failure leaves nothing behind and a
//! result may even replace its own input. Devices and pipes are written as they are.
//!
//! A result is raw little-endian binary if the name ends in `.bin` or `.raw` or with `--raw`, otherwise `.npy`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use tempfile::NamedTempFile;

use crate::dtype::{Element, NATIVE};
use crate::failure::{Failure, Outcome};
use crate::input::npy;
use crate::memory;

/// Elements that are converted at a time: bounds the memory, and is enough for all threads to share.
const CHUNK: usize = 1 << 20;

/// A result that is being written. Dropped before [`commit`], it leaves nothing behind.
pub struct Output {
    /// The file's name, for messages.
    pub name: String,
    target: Target,
    raw: bool,
}

enum Target {
    Stdout,
    /// Something that cannot be renamed over: `/dev/null`, a named pipe.
    Device(File),
    Beside {
        temporary: NamedTempFile,
        path: PathBuf,
    },
}

/// Whether the name stands for standard output.
pub fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

impl Output {
    /// Prepares to write. Called before the work, so that a wrong folder is noticed early.
    pub fn create(path: &Path, raw: bool) -> Outcome<Self> {
        let raw = raw || path.extension().is_some_and(|e| e == "bin" || e == "raw");
        if is_stdout(path) {
            return Ok(Self { name: "standard output".to_owned(), target: Target::Stdout, raw });
        }
        let name = path.display().to_string();
        let target = target(path).map_err(|e| Failure::io(&name, &e))?;
        Ok(Self { name, target, raw })
    }

    /// Writes the array's header (unless raw) and its elements.
    pub fn write<T: Element>(&mut self, shape: &[usize], data: &[T], wrote: impl FnMut(usize)) -> Outcome {
        self.write_as(shape, data, |x| x, wrote)
    }

    /// The same, each element converted on the way. `wrote` is told how many are done, for progress.
    pub fn write_as<T: Copy + Sync, U: Element>(
        &mut self,
        shape: &[usize],
        data: &[T],
        convert: impl Fn(T) -> U + Sync,
        mut wrote: impl FnMut(usize),
    ) -> Outcome {
        let mut buffer = memory::filled(data.len().min(CHUNK), U::default(), "the output")?;
        let swap = self.raw && NATIVE == '>';
        let header = if self.raw { Vec::new() } else { npy::header(U::DTYPE, shape) };
        let mut write = || {
            let writer: &mut dyn Write = match &mut self.target {
                Target::Stdout => &mut io::stdout().lock(),
                Target::Device(file) => file,
                Target::Beside { temporary, .. } => temporary.as_file_mut(),
            };
            // Whole chunks go through the buffer untouched; it joins the header to the first small write.
            let mut writer = BufWriter::new(writer);
            writer.write_all(&header)?;
            for chunk in data.chunks(CHUNK) {
                let buffer = &mut buffer[..chunk.len()];
                buffer.par_iter_mut().zip(chunk).for_each(|(out, &x)| {
                    let x = convert(x);
                    *out = if swap { x.swapped() } else { x };
                });
                writer.write_all(bytemuck::cast_slice(buffer))?;
                wrote(chunk.len());
            }
            writer.flush()
        };
        write().map_err(|e| Failure::io(&self.name, &e))
    }
}

/// Lets all results appear. They are complete by now; only a rename can fail.
pub fn commit(outputs: impl IntoIterator<Item = Output>) -> Outcome {
    for Output { name, target, .. } in outputs {
        if let Target::Beside { temporary, path } = target {
            temporary.persist(path).map_err(|e| Failure::io(&name, &e.error))?;
        }
    }
    Ok(())
}

fn target(path: &Path) -> io::Result<Target> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => Some(metadata),
        Err(e) if e.kind() == io::ErrorKind::NotFound => None,
        Err(e) => return Err(e),
    };
    let mut path = path.to_owned();
    if let Some(metadata) = &metadata {
        if metadata.is_dir() {
            return Err(io::Error::other("is a directory"));
        }
        // A rename would replace even a file that we may not write, so ask; and keep what a link points to in place.
        let file = OpenOptions::new().write(true).open(&path)?;
        if !metadata.is_file() {
            return Ok(Target::Device(file));
        }
        path = fs::canonicalize(&path)?;
    }
    let Some(file_name) = path.file_name() else { return Err(io::Error::other("is not the name of a file")) };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut prefix = std::ffi::OsString::from(".");
    prefix.push(file_name);
    prefix.push(".tmp");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // What any new file gets, or what the file had.
        builder.permissions(metadata.map_or_else(|| fs::Permissions::from_mode(0o666), |m| m.permissions()));
    }
    Ok(Target::Beside { temporary: builder.tempfile_in(folder)?, path })
}

/// Whether two names stand for the same place. Files that do not exist yet are compared within their folders.
pub fn same_place(one: &Path, two: &Path) -> bool {
    let resolve = |path: &Path| {
        fs::canonicalize(path).ok().or_else(|| {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Some(fs::canonicalize(folder).ok()?.join(path.file_name()?))
        })
    };
    one == two || resolve(one).is_some_and(|one| Some(one) == resolve(two))
}

/// Prints text on stdout, or on stderr when stdout carries results.
pub fn print(text: &str, to_stderr: bool) -> Outcome {
    if to_stderr {
        io::stderr().write_all(text.as_bytes()).map_err(|e| Failure::io("standard error", &e))
    } else {
        let mut stdout = io::stdout().lock();
        stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(|e| Failure::io("standard output", &e))
    }
}
