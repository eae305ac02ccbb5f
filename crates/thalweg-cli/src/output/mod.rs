//! What goes out: results in the format that their names ask for, to files that appear whole or not at all, and text on
//! stdout.
//!
//! A file is written beside its final place and renamed at the end, so that a failure, or Ctrl-C, leaves nothing behind and
//! a result may even replace its own input. Devices and pipes are written as they are.
//!
//! Arrays are made, converted and handed over piece by piece, by all threads: into a plain file each piece at its place
//! (`spread.rs`), elsewhere in order, while the next ones are made.
//!
//! A result is `.npy` unless its name ends otherwise ([`format`](mod@crate::format)): raw little-endian binary, an archive, lines of
//! text; and packed if it ends in `.gz` or `.zst`. `--raw` is raw whatever the name.

mod archive;
#[cfg(feature = "columnar")]
mod columnar;
mod columns;
mod encode;
mod pack;
mod parts;
mod spread;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use bytemuck::Pod;
use crc32fast::Hasher;
use tempfile::NamedTempFile;
use thalweg::fourier::Complex;
use thalweg_core::parallel;

use self::encode::Encoder;
use self::pack::Packer;
use self::spread::{Room, Source};
use crate::dtype::{AnyType, Element};
use crate::failure::{Failure, Outcome};
use crate::format::Named;
pub use crate::format::is_stdout;
use crate::interrupt::RemoveOnSignal;
use crate::memory;
use crate::progress::Progress;

/// Elements that columns are made of at a time ...
const CHUNK: usize = 1 << 16;
/// ... and rows that are converted, or written as text, at a time: bounds the memory that this takes.
const BATCH: usize = 4 * CHUNK;
/// Rows that a thread converts at a time.
const GRAIN: usize = 1 << 12;
/// Bytes that are not worth the threads' trouble.
const FEW: usize = 1 << 20;

/// A result that is being written. Dropped before [`commit`], it leaves nothing behind.
pub struct Output {
    /// The file's name, for messages.
    pub name: String,
    target: Target,
    encoder: Encoder,
    packer: Option<Packer>,
    /// Whether an array was begun that the encoder has to end.
    begun: bool,
    /// Room for it that somebody is looking for.
    room: Option<Room>,
}

enum Target {
    Stdout,
    /// Something that cannot be renamed over: `/dev/null`, a named pipe.
    Device(File),
    Beside {
        temporary: NamedTempFile,
        path: PathBuf,
        on_signal: RemoveOnSignal,
    },
}

impl Output {
    /// Prepares to write. Called before the work, so that a wrong folder is noticed early.
    pub fn create(path: &Path, raw: bool) -> Outcome<Self> {
        let named = Named::output(path, raw);
        parts::keep_others(&named)?;
        let encoder = Encoder::of(&named, raw).map_err(|text| Failure::at(named.path.display(), text))?;
        let packer = Packer::new(named.packing);
        let (name, target) = if is_stdout(&named.path) {
            ("standard output".to_owned(), Target::Stdout)
        } else {
            let name = named.path.display().to_string();
            let target = target(&named.path).map_err(|e| Failure::io(&name, &e))?;
            (name, target)
        };
        Ok(Self { name, target, encoder, packer, begun: false, room: None })
    }

    /// Prepares to write text: no header, whatever the name.
    pub fn create_text(path: &Path) -> Outcome<Self> {
        Self::create(path, true)
    }

    /// Tells how many elements of so many bytes will be written, as soon as that is known: what the system needs its time for is
    /// begun.
    pub fn expect(&mut self, count: usize, size: usize) {
        /// Less is not worth a thread.
        const LEAST: usize = 16 << 20;
        let bytes = count.saturating_mul(size);
        // Memory that the work itself needs is left to it.
        let is_spare = || memory::available().is_some_and(|free| free / 4 > bytes as u64);
        if let Target::Beside { temporary, .. } = &self.target
            && bytes >= LEAST
            && self.is_spread(bytes)
            && is_spare()
        {
            // And what stands around the elements.
            self.room = Some(Room::begin(temporary.as_file(), bytes as u64 + 4096));
        }
    }

    /// Names the columns of what becomes a table, with commas between them, unless the file's name does.
    pub fn name_columns(&mut self, names: &str) {
        self.encoder.name_columns(names);
    }

    /// Writes text.
    pub fn write_text(&mut self, text: &str) -> Outcome {
        self.put(text.as_bytes())
    }

    /// Writes bytes as they are.
    pub fn write_bytes(&mut self, bytes: &[u8]) -> Outcome {
        self.put(bytes)
    }

    /// Writes an array, and counts its elements for the progress bar.
    pub fn write<T: Element>(&mut self, shape: &[usize], data: &[T], progress: &Progress) -> Outcome {
        self.begin(AnyType::real(T::DTYPE), shape)?;
        self.elements(data, 1, progress)
    }

    /// The same for complex numbers.
    pub fn write_complex<T: Element>(&mut self, shape: &[usize], data: &[Complex<T>], progress: &Progress) -> Outcome
    where
        Complex<T>: Pod,
    {
        self.begin(AnyType { part: T::DTYPE, is_complex: true }, shape)?;
        self.elements::<T>(bytemuck::cast_slice(data), 2, progress)
    }

    /// The same, each element converted on the way.
    pub fn write_as<T: Copy + Sync, U: Element>(
        &mut self,
        shape: &[usize],
        data: &[T],
        convert: impl Fn(T) -> U + Sync,
        progress: &Progress,
    ) -> Outcome {
        let fill = |range: Range<usize>, out: &mut [U]| {
            for (out, &x) in out.iter_mut().zip(&data[range]) {
                *out = convert(x);
            }
        };
        self.write_made(shape, 1, &fill, progress)
    }

    /// Whether results become lines of text, which may hold more than numbers.
    pub const fn is_table(&self) -> bool {
        matches!(self.encoder, Encoder::Table(_))
    }

    /// Writes a column of words; it must become lines of text.
    pub fn write_words(&mut self, len: usize, word: &(dyn Fn(usize) -> String + Sync), progress: &Progress) -> Outcome {
        self.begin_words()?;
        self.add_words(len, word, progress)
    }

    /// Begins a column of words; it must become lines of text.
    pub fn begin_words(&mut self) -> Outcome {
        let Encoder::Table(table) = &self.encoder else { unreachable!("the caller has asked") };
        let header = table.begin_words();
        self.put(&header)
    }

    /// Adds words to a column that was begun.
    pub fn add_words(&mut self, len: usize, word: &(dyn Fn(usize) -> String + Sync), progress: &Progress) -> Outcome {
        for start in (0..len).step_by(CHUNK) {
            let end = len.min(start + CHUNK);
            self.put(&encode::words(start..end, word))?;
            progress.advance(end - start);
        }
        Ok(())
    }

    /// Begins a list of numbers that come bit by bit.
    pub fn begin_list<T: Element>(&mut self, len: usize) -> Outcome {
        self.begin(AnyType::real(T::DTYPE), &[len])
    }

    /// The same for rows of so many numbers.
    pub fn begin_rows<T: Element>(&mut self, rows: usize, columns: usize) -> Outcome {
        let shape = [rows, columns];
        self.begin(AnyType::real(T::DTYPE), if columns == 1 { &shape[..1] } else { &shape })
    }

    /// Adds rows of `columns` numbers, which `fill` makes, to those that were begun; see [`Output::write_made`].
    pub fn add_made<U: Element>(
        &mut self,
        rows: usize,
        columns: usize,
        fill: &(dyn Fn(Range<usize>, &mut [U]) + Sync),
        progress: &Progress,
    ) -> Outcome {
        let unit = columns * size_of::<U>();
        if !self.is_spread(rows * unit) {
            return self.in_batches(rows, columns, fill, progress);
        }
        let make = |range: Range<usize>, place: &mut [u8]| {
            let rows = range.start / unit..range.end / unit;
            match bytemuck::try_cast_slice_mut(place) {
                Ok(place) => fill(rows, place),
                Err(_) => {
                    let mut made = vec![U::default(); rows.len() * columns];
                    fill(rows, &mut made);
                    place.copy_from_slice(bytemuck::cast_slice(&made));
                }
            }
        };
        self.spread(Source::Made { len: rows * unit, unit, make: &make }, size_of::<U>(), progress)
    }

    /// Adds numbers to a list that was begun.
    pub fn add<T: Element>(&mut self, data: &[T], progress: &Progress) -> Outcome {
        self.elements(data, 1, progress)
    }

    /// Lets the system begin to put on the disk what was written, which it may otherwise keep until all is there. Nobody waits for it.
    pub fn hand_over(&mut self) {
        if let Target::Beside { temporary, .. } = &self.target {
            spread::hand_over(temporary.as_file());
        }
    }

    /// The same for what becomes a row of several elements each.
    pub fn write_rows<T: Copy + Sync, U: Element, const N: usize>(
        &mut self,
        data: &[T],
        convert: impl Fn(T) -> [U; N] + Sync,
        progress: &Progress,
    ) -> Outcome {
        let fill = |range: Range<usize>, out: &mut [U]| {
            for (out, &x) in out.as_chunks_mut::<N>().0.iter_mut().zip(&data[range]) {
                *out = convert(x);
            }
        };
        self.write_made(&[data.len(), N], N, &fill, progress)
    }

    /// The same for rows of `columns` elements that `fill` makes, by all threads: it gets a range of rows and the place for
    /// them.
    pub fn write_made<U: Element>(
        &mut self,
        shape: &[usize],
        columns: usize,
        fill: &(dyn Fn(Range<usize>, &mut [U]) + Sync),
        progress: &Progress,
    ) -> Outcome {
        self.begin(AnyType::real(U::DTYPE), shape)?;
        self.add_made(shape.iter().product::<usize>() / columns, columns, fill, progress)
    }

    /// Makes a batch while the one before is written.
    fn in_batches<U: Element>(
        &mut self,
        rows: usize,
        columns: usize,
        fill: &(dyn Fn(Range<usize>, &mut [U]) + Sync),
        progress: &Progress,
    ) -> Outcome {
        let batch = rows.min(BATCH);
        let room = || memory::room::<U>(batch * columns, "the output");
        let (mut now, mut next) = (room()?, room()?);
        let make = |start: usize, buffer: &mut Vec<U>| {
            buffer.resize(batch.min(rows - start) * columns, U::default());
            parallel::for_each_chunk_mut(buffer, GRAIN * columns, &|first, out| {
                let first = start + first / columns;
                fill(first..first + out.len() / columns, out);
            });
        };
        make(0, &mut now);
        for after in (0..rows).step_by(BATCH).map(|start| start + batch) {
            let make_next = || {
                if after < rows {
                    make(after, &mut next)
                }
            };
            rayon::join(|| self.elements(&now, 1, progress), make_next).0?;
            std::mem::swap(&mut now, &mut next);
        }
        Ok(())
    }

    /// Begins an array whose elements several processes write, each its own, with [`write_part`]: the file has its length then.
    /// Tells which file that is, and where the elements begin. Only plain binary files can be written so.
    pub fn begin_parts<T: Element>(&mut self, shape: &[usize]) -> Outcome<(PathBuf, u64)> {
        if !self.encoder.is_binary() || self.encoder.archive().is_some() || !self.is_plain() {
            let text = "cannot be written by several processes at once: only .npy and raw files can";
            return Err(Failure::at(&self.name, text));
        }
        self.begin(AnyType::real(T::DTYPE), shape)?;
        let Target::Beside { temporary, .. } = &mut self.target else { unreachable!("it is a plain file") };
        let bytes = shape.iter().product::<usize>() as u64 * size_of::<T>() as u64;
        let file = temporary.as_file_mut();
        let end = file.stream_position().and_then(|at| {
            file.set_len(at + bytes)?;
            file.seek(SeekFrom::Start(at + bytes))
        });
        let end = end.map_err(|e| Failure::io(&self.name, &e))?;
        Ok((temporary.path().to_owned(), end - bytes))
    }

    fn begin(&mut self, dtype: AnyType, shape: &[usize]) -> Outcome {
        let header = self.encoder.begin(dtype, shape).map_err(|text| Failure::at(&self.name, text))?;
        self.begun = true;
        self.put(&header)
    }

    /// Writes numbers, of which `parts` make an element.
    fn elements<T: Element>(&mut self, data: &[T], parts: usize, progress: &Progress) -> Outcome {
        if self.encoder.is_binary() {
            return self.binary(bytemuck::cast_slice(data), parts * size_of::<T>(), progress);
        }
        let chunk = parts * if self.is_table() { BATCH } else { CHUNK };
        let mut waiting = Vec::new();
        for chunk in data.chunks(chunk) {
            let Self { encoder, packer, target, name, .. } = self;
            let name = &name[..];
            let put = || waiting.iter().try_for_each(|bytes: &Vec<u8>| put(packer, target, bytes));
            let (written, made) = rayon::join(put, || encoder.elements(chunk));
            written.map_err(|e| Failure::io(name, &e))?;
            waiting = made.map_err(|text| Failure::at(name, text))?;
            progress.advance(chunk.len() / parts);
        }
        waiting.iter().try_for_each(|bytes| self.put(bytes))
    }

    /// Writes elements of so many bytes as they lie.
    fn binary(&mut self, bytes: &[u8], size: usize, progress: &Progress) -> Outcome {
        if self.is_spread(bytes.len()) {
            return self.spread(Source::Bytes(bytes), size, progress);
        }
        for bytes in bytes.chunks(FEW) {
            if let Some(archive) = self.encoder.archive() {
                archive.add(bytes);
            }
            self.put(bytes)?;
            progress.advance(bytes.len() / size);
        }
        Ok(())
    }

    /// Whether so many bytes of elements are put to their places in a plain file by all threads.
    fn is_spread(&self, bytes: usize) -> bool {
        bytes > FEW && self.encoder.is_binary() && self.is_plain()
    }

    /// Whether bytes lie in the file as they are handed over.
    fn is_plain(&self) -> bool {
        self.packer.is_none() && matches!(self.target, Target::Beside { .. })
    }

    /// Puts elements of so many bytes to their places, and has their checksum made where one is needed.
    fn spread(&mut self, source: Source<'_>, size: usize, progress: &Progress) -> Outcome {
        let done = |bytes: usize| progress.advance(bytes / size);
        let written = match self.encoder.archive().is_some() {
            false => self.put_spread(source, &done),
            true => self.put_summed(source, &done),
        };
        written.map_err(|e| Failure::io(&self.name, &e))
    }

    /// Every thread sums up what it makes; the sums are put together in order.
    fn put_summed(&mut self, source: Source<'_>, done: &(dyn Fn(usize) + Sync)) -> io::Result<()> {
        let sums = Mutex::new(Vec::new());
        let make = |range: Range<usize>, place: &mut [u8]| {
            match source {
                Source::Bytes(bytes) => place.copy_from_slice(&bytes[range.clone()]),
                Source::Made { make, .. } => make(range.clone(), place),
            }
            let mut sum = Hasher::new();
            sum.update(place);
            sums.lock().unwrap_or_else(PoisonError::into_inner).push((range.start, sum));
        };
        let unit = if let Source::Made { unit, .. } = source { unit } else { 1 };
        self.put_spread(Source::Made { len: source.len(), unit, make: &make }, done)?;
        let mut sums = sums.into_inner().unwrap_or_else(PoisonError::into_inner);
        sums.sort_unstable_by_key(|(start, _)| *start);
        if let Some(archive) = self.encoder.archive() {
            sums.iter().for_each(|(_, sum)| archive.add_summed(sum));
        }
        Ok(())
    }

    fn put_spread(&mut self, source: Source<'_>, done: &(dyn Fn(usize) + Sync)) -> io::Result<()> {
        let Target::Beside { temporary, .. } = &mut self.target else { unreachable!("it is a plain file") };
        let file = temporary.as_file_mut();
        let at = file.stream_position()?;
        let room = self.room.take().map_or(0, Room::bytes);
        spread::write(file, at, source, room, done)?;
        file.seek(SeekFrom::Start(at + source.len() as u64)).map(drop)
    }

    /// Writes what stands behind everything else.
    fn finish(&mut self) -> Outcome {
        if std::mem::take(&mut self.begun) {
            let end = self.encoder.end().map_err(|text| Failure::at(&self.name, text))?;
            self.put(&end)?;
        }
        let Self { packer, target, name, .. } = self;
        match packer.take() {
            Some(mut packer) => packer.finish(&mut |bytes| target.put(bytes)).map_err(|e| Failure::io(name, &e)),
            None => Ok(()),
        }
    }

    /// For what writes itself: hands bytes on as they come, and counts them for the progress bar.
    pub fn writer<'o>(&'o mut self, progress: &'o Progress) -> impl Write + 'o {
        Writer { out: self, progress }
    }

    /// Waits until the bytes are on the disk, so that not even a power failure leaves half a file.
    pub fn sync(&mut self) -> Outcome {
        self.finish()?;
        match &self.target {
            Target::Beside { temporary, .. } => temporary.as_file().sync_all().map_err(|e| Failure::io(&self.name, &e)),
            Target::Stdout | Target::Device(_) => Ok(()),
        }
    }

    /// Hands bytes to the system, or to who packs them.
    fn put(&mut self, bytes: &[u8]) -> Outcome {
        self.put_bytes(bytes).map_err(|e| Failure::io(&self.name, &e))
    }

    fn put_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.len() > FEW && self.is_plain() {
            return self.put_spread(Source::Bytes(bytes), &|_| ());
        }
        let Self { packer, target, .. } = self;
        put(packer, target, bytes)
    }
}

/// Hands bytes to the system, or to who packs them.
fn put(packer: &mut Option<Packer>, target: &mut Target, bytes: &[u8]) -> io::Result<()> {
    match packer {
        Some(packer) => packer.push(bytes, &mut |packed| target.put(packed)),
        None => target.put(bytes),
    }
}

impl Target {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            // Flushed, or an error would show only when the process ends, and to nobody.
            Self::Stdout => {
                let mut stdout = io::stdout().lock();
                stdout.write_all(bytes).and_then(|()| stdout.flush())
            }
            Self::Device(file) => file.write_all(bytes),
            Self::Beside { temporary, .. } => temporary.as_file_mut().write_all(bytes),
        }
    }
}

/// See [`Output::writer`].
struct Writer<'o> {
    out: &'o mut Output,
    progress: &'o Progress,
}

impl Write for Writer<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // So little at a time that the bar moves, and enough for all threads.
        let bytes = &bytes[..bytes.len().min(1 << 26)];
        self.out.put_bytes(bytes)?;
        self.progress.advance(bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes elements of a file that [`Output::begin_parts`] has begun, from byte `at` on, by all threads: `fill` gets a range of
/// rows and the place for them.
pub fn write_part<U: Element>(
    path: &Path,
    at: u64,
    rows: usize,
    columns: usize,
    fill: &(dyn Fn(Range<usize>, &mut [U]) + Sync),
) -> Outcome {
    let unit = columns * size_of::<U>();
    let make = |range: Range<usize>, place: &mut [u8]| {
        // Pieces that are made lie in memory that suits every type.
        fill(range.start / unit..range.end / unit, bytemuck::cast_slice_mut(place));
    };
    let source = Source::Made { len: rows * unit, unit, make: &make };
    let write = || spread::write_within(&OpenOptions::new().write(true).open(path)?, at, source);
    write().map_err(|e| Failure::io(path.display(), &e))
}

/// Completes all results, and lets them appear: then only a rename can fail.
pub fn commit(outputs: impl IntoIterator<Item = Output>) -> Outcome {
    let mut outputs: Vec<Output> = outputs.into_iter().collect();
    outputs.iter_mut().try_for_each(Output::finish)?;
    for Output { name, target, .. } in outputs {
        if let Target::Beside { temporary, path, on_signal } = target {
            temporary.persist(path).map_err(|e| Failure::io(&name, &e.error))?;
            drop(on_signal);
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
    } else if fs::symlink_metadata(&path).is_ok() {
        // A link to what is not there yet: it stays, and the file appears where it points.
        path = place(&path).ok_or_else(|| io::Error::other("is a link that leads nowhere"))?;
    }
    let Some(file_name) = path.file_name() else { return Err(io::Error::other("is not the name of a file")) };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut prefix = std::ffi::OsString::from(".");
    prefix.push(file_name);
    prefix.push(".tmp");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).rand_bytes(RANDOM_LETTERS);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        // What any new file gets, or what the file had.
        options.mode(metadata.map_or(0o666, |metadata| metadata.permissions().mode()));
    }
    clear_litter(folder, &prefix);
    loop {
        // Noted before it is there: a signal may come at once.
        let mut on_signal = None;
        let temporary = builder.make_in(folder, |path| {
            on_signal = Some(RemoveOnSignal::new(path));
            options.open(path)
        })?;
        let on_signal = on_signal.expect("a file was made");
        on_signal.file_is_there();
        // Held as long as this run lives. Where the system has no locks, nobody clears anything either.
        let _ = temporary.as_file().try_lock();
        // Who clears litter may have come in between: then there is no such file any more.
        if fs::exists(temporary.path())? {
            return Ok(Target::Beside { temporary, path, on_signal });
        }
    }
}

/// Letters that the temporary names have behind the prefix.
const RANDOM_LETTERS: usize = 6;

/// Removes what runs have left that were killed while they wrote to the same place: files with a name of ours that no
/// process holds. What cannot be read or removed stays.
fn clear_litter(folder: &Path, prefix: &std::ffi::OsStr) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let letters = name.as_encoded_bytes().strip_prefix(prefix.as_encoded_bytes());
        if !letters.is_some_and(|rest| rest.len() == RANDOM_LETTERS && rest.iter().all(u8::is_ascii_alphanumeric)) {
            continue;
        }
        let Ok(file) = OpenOptions::new().write(true).open(entry.path()) else { continue };
        if file.try_lock().is_ok() {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether two names stand for the same place, through links too, also for files that do not exist yet.
pub fn same_place(one: &Path, two: &Path) -> bool {
    one == two || place(one).is_some_and(|one| Some(one) == place(two))
}

/// Where a name leads, through links, also if nothing is there yet; `None` if there is no such folder.
fn place(path: &Path) -> Option<PathBuf> {
    let mut path = path.to_owned();
    // As many links as systems follow.
    for _ in 0..40 {
        if let Ok(place) = fs::canonicalize(&path) {
            return Some(place);
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        match fs::read_link(&path) {
            Ok(link) => path = folder.join(link),
            Err(_) => return Some(fs::canonicalize(folder).ok()?.join(path.file_name()?)),
        }
    }
    None
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
