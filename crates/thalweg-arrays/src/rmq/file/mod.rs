//! Indexes in files: the format `.thw`.
//!
//! [`Rmq::save`] writes an index, [`open`] maps it back into memory. Nothing is read but what queries touch, and nothing
//! is copied: the file's sections are the index's arrays as they lie in memory. Engines that have a form on disk:
//! [`SAVED`].
//!
//! ```
//! # use thalweg_arrays as thalweg;
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("heights.thw");
//! thalweg::Rmq::new(&[5, 3, 8, 1, 9, 1, 7])?.save(&path)?;
//! let rmq = thalweg::rmq::file::open::<i32>(&path)?;
//! assert_eq!(rmq.position(2..=6), Some(3));
//! assert_eq!(rmq.value(4..5), Some(9));
//! # Ok::<(), thalweg::Error>(())
//! ```
//!
//! # The format
//!
//! All integers are little-endian. Names are of `a`-`z`, `0`-`9` and `_`, filled with zeros.
//!
//! | bytes | what |
//! |---|---|
//! | 0..8 | magic: 0x89 `THW` 0x0d 0x0a 0x1a 0x0a |
//! | 8..12 | version: 1 |
//! | 12..16 | length of the header: 72 + 24 o + 48 s + 8 |
//! | 16..24 | length of the file |
//! | 24..32 | length of the array |
//! | 32..56 | name of the engine |
//! | 56..64 | type of the elements: `u8` to `u64`, `i8` to `i64`, `f32`, `f64` |
//! | 64 | order: 0 for minima, 1 for maxima |
//! | 65 | bytes of a position: 4 if the array's length fits 32 bits, otherwise 8 |
//! | 66..68 | o, the number of options |
//! | 68..70 | s, the number of sections |
//! | 70..72 | zero |
//! | 24 each | options: name in 16 bytes, value |
//! | 48 each | sections: name in 16 bytes, bytes of an element (4), lead (4), offset, length in bytes, checksum |
//! | 8 | XXH3 (64 bits, no seed) of the header up to here |
//!
//! The sections follow in the order of the table. A section of a page (4,096 bytes) or more begins at a multiple of a page,
//! a shorter one at a multiple of 128 bytes, and either `lead` bytes (fewer than 128) later: so an array keeps its place
//! relative to cache lines. What lies between is zero. The file ends where the last section does.
//!
//! A section's checksum is the XXH3 of the XXH3s, of 8 bytes each, of its chunks of 1 MiB, so that all threads can take
//! part in it.
//!
//! Options and sections of the engines, in this order, with the type of a section's elements: K the bits of a key, R its
//! rank (unsigned, of the same width: the smaller, the better), P a position. What is in them, the engines' own texts tell.
//! They may change with the version only.
//!
//! | engine | options | sections |
//! |---|---|---|
//! | `lines` | `shift`, `ask_shapes` | `line` R, `line_offset` u8, `block` R, `block_offset` u8, `group` R, `group_offset` u16, `shape` u8, `table` (R, u32), `array` K unless the index is to be used beside the array, or `array_file` u8 |
//! | `padded_tree` | `block`, `superblock`, `dictionary` | `codes` u32, `blocks` u32, `minima` R, `superblocks` u32, `table` (R, u32), `array` K |
//! | `balanced_parens` | `blocks` | `bits` u64, `ranks` u16, `minima` i16, `hints` u32, `heights` u64, `lowest` u64, `table` u32, and `array` K if the index has it |
//! | `sparse_table` | | `levels` P, `array` K |
//! | `hierarchy` | `chunk`, `threshold` | `minima` R, `positions` P, `array` K |
//!
//! (R, u32) is aligned to the larger of the two and filled with zeros: 8 bytes, or 16 for keys of 64 bits.
//!
//! Indexes of `lines` need not hold their array: [`Image::referring`] saves the name of its file instead, and how to know it again
//! ([`ArrayFile`]). Opening such an index opens both.
//!
//! # What is checked
//!
//! The header always, all of it: checksum, version, names, the length of the file, and the place and length of every section
//! against the array's length and the options. [`open`] also compares the checksums and the filling between sections
//! ([`Stored::verify`]), which reads the whole file at the speed of memory. Without that ([`Stored::open`], then
//! [`Stored::index`]) opening touches nothing but the header. A file that is damaged then gives wrong answers, but no panic
//! and no undefined behaviour: engines keep whatever positions they read inside the array.
//!
//! A file must not be changed or cut while it is mapped: that would end the process with SIGBUS, or change answers.
//! Replacing it, as [`Rmq::save`] does, is no harm: who has the old file open keeps it. Big-endian machines can neither
//! save nor open.
#![allow(unsafe_code)]

pub(super) mod contents;
mod header;
mod referred;

use std::fs::{self, File};
use std::io::ErrorKind;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::Mmap;

pub use self::contents::Contents;
use self::contents::{ARRAY, ARRAY_FILE};
use self::contents::{Sections, not_saved};
pub use self::header::{Header, MAGIC, SAVED, Section, VERSION};
pub use self::referred::ArrayFile;
use self::referred::Opened;
use super::balanced_parens::ByParens;
use super::batch::OnCpu;
use super::lines::Lines;
use super::padded_tree::PaddedTree;
use super::textbook::{Hierarchy, SparseTable};
use super::{Engine, Rmq, RmqEngine};
use crate::width::expect_width;
use thalweg_core::bits::Array;
use thalweg_core::error::expect_len;
use thalweg_core::storage::{AnyBits, Storage};
use thalweg_core::{Chosen, Error, Key, Order, Position, Rank, Result, by_width};

/// Opens a saved index, with every checksum compared.
///
/// The file stays mapped for as long as the index lives. Which type of keys it is for, [`Stored::header`] tells.
///
/// # Errors
/// [`Error::InFile`] with the file's name: it cannot be read, is none of ours, of a later version, damaged, or for another
/// type of keys.
pub fn open<K: Key>(path: impl AsRef<Path>) -> Result<Rmq<'static, K>> {
    let stored = Stored::open(path)?;
    stored.verify()?;
    stored.index()
}

/// A file of an index, mapped; its header has been read and checked, the rest has not been touched.
///
/// ```
/// # use thalweg_arrays as thalweg;
/// use thalweg::rmq::file::Stored;
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("heights.thw");
/// thalweg::Rmq::new(&[5.0, 3.0, 8.0])?.save(&path)?;
/// let stored = Stored::open(&path)?;
/// assert_eq!((stored.header().dtype, stored.header().len), ("f64", 3));
/// let unchecked = stored.index::<f64>()?; // no checksum has been compared
/// stored.verify()?; // now they have
/// assert_eq!(unchecked.position(..), Some(1));
/// assert!(stored.index::<f32>().is_err());
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Debug)]
pub struct Stored {
    path: PathBuf,
    map: Arc<Mmap>,
    header: Header,
    /// The array's own file, if the index refers to one.
    array_file: Option<(ArrayFile, Opened)>,
}

impl Stored {
    /// Maps the file and checks its header.
    ///
    /// # Errors
    /// See [`open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let open = || {
            little_endian()?;
            // Asked first: opening a pipe would wait for somebody to write to it.
            let metadata = fs::metadata(path).map_err(Error::io)?;
            if metadata.is_dir() {
                return Err(Error::Io { kind: ErrorKind::IsADirectory, message: "is a directory".to_owned() });
            }
            if !metadata.is_file() {
                let message = "is not a regular file, and only those can be mapped".to_owned();
                return Err(Error::Io { kind: ErrorKind::InvalidInput, message });
            }
            let file = File::open(path).map_err(Error::io)?;
            if metadata.len() == 0 {
                // An empty file cannot be mapped.
                return Header::decode(&[]).map(|_| unreachable!("there is nothing to decode"));
            }
            // SAFETY: the mapping is private to us and read-only. That nobody else changes the file meanwhile cannot be
            // checked; the module's text says so. Its bytes are only ever read as types of which every pattern is a value.
            let map = unsafe { Mmap::map(&file) }.map_err(Error::io)?;
            let header = Header::decode(&map)?;
            let array_file = array_file(path, &header, &map)?;
            Ok(Self { path: path.to_owned(), map: Arc::new(map), header, array_file })
        };
        open().map_err(|e| e.in_file(path))
    }

    /// What the file says about the index.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Compares everything with its checksum. Reads the whole file, on all threads.
    ///
    /// # Errors
    /// [`Error::InFile`] names the first section that differs.
    pub fn verify(&self) -> Result<()> {
        self.header.sections.iter().try_for_each(|section| self.check(section))?;
        let Some((known, opened)) = &self.array_file else { return Ok(()) };
        let place = known.place(&self.path);
        let intact = opened.is_intact(known).map_err(|e| Error::io(e).in_file(&place))?;
        if intact {
            return Ok(());
        }
        let reason = format!("its array {} was changed since the index was built", place.display());
        Err(Error::Format { at: 0, reason }.in_file(&self.path))
    }

    /// The array's own file, if the index [refers](Image::referring) to one.
    pub fn array_file(&self) -> Option<&ArrayFile> {
        self.array_file.as_ref().map(|(file, _)| file)
    }

    /// The array in its own file.
    fn referred<T: AnyBits>(&self) -> Result<Option<Storage<'static, T>>> {
        let Some((_, opened)) = &self.array_file else { return Ok(None) };
        let Some(map) = &opened.map else { return Ok(Some(Storage::from(Vec::new()))) };
        let wrong =
            || Error::Format { at: 0, reason: "its array does not lie where its elements could be used".into() };
        Storage::mapped(map, opened.range.clone()).map(Some).ok_or_else(wrong)
    }

    /// Compares one section of the [`header`](Stored::header) with its checksum, and the filling before it with zero.
    ///
    /// # Errors
    /// [`Error::InFile`] if it differs.
    pub fn check(&self, section: &Section) -> Result<()> {
        let bad = |at: usize, reason: String| Err(Error::Format { at, reason }.in_file(&self.path));
        let range = section.range();
        let earlier = self.header.sections.iter().take_while(|&other| other != section);
        let before = earlier.last().map_or(self.header.bytes(), |section| section.range().end);
        let filling = self.map.get(before..range.start).unwrap_or_default();
        if let Some(place) = filling.iter().position(|&byte| byte != 0) {
            return bad(before + place, format!("the filling before section {} is not zero", section.name));
        }
        match self.map.get(range.clone()) {
            Some(bytes) if contents::checksum(&[bytes], &|_| ()) == section.checksum => Ok(()),
            _ => bad(range.start, format!("section {} is damaged: its checksum differs", section.name)),
        }
    }

    /// The index. Nothing but the header is touched.
    ///
    /// # Errors
    /// If the keys are of another type, or the sections are not those of the engine.
    pub fn index<K: Key>(&self) -> Result<Rmq<'static, K>> {
        self.expect_type::<K>().map_err(|e| e.in_file(&self.path))?;
        let chosen = Chosen::on_cpu(self.header.engine.name(), "the file is this engine's");
        Ok(Rmq::from_engine(self.engine()?, self.header.order, chosen))
    }

    /// The index as an engine, which knows no type. Nothing but the header is touched.
    ///
    /// # Errors
    /// If the sections are not those of the engine.
    pub fn engine(&self) -> Result<Box<dyn RmqEngine>> {
        let narrow = u32::fits(self.header.len);
        let engine = match (self.header.coding().bytes(), narrow) {
            (1, true) => self.load::<u8, u32>(),
            (1, false) => self.load::<u8, u64>(),
            (2, true) => self.load::<u16, u32>(),
            (2, false) => self.load::<u16, u64>(),
            (4, true) => self.load::<u32, u32>(),
            (4, false) => self.load::<u32, u64>(),
            (_, true) => self.load::<u64, u32>(),
            (_, false) => self.load::<u64, u64>(),
        };
        engine.map_err(|e| e.in_file(&self.path))
    }

    /// The index over an array that lies elsewhere: for files of `lines` that were saved [without
    /// it](Image::without_array). Nothing but the header is touched, so that the array is the right one remains the caller's
    /// word; over another, answers are wrong, but inside the array.
    ///
    /// ```
    /// # use thalweg_arrays as thalweg;
    /// use thalweg::{Order, Rmq, rmq::file::{Image, Stored}};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("heights.thw");
    /// let heights = [5.0, 3.0, 8.0];
    /// Image::without_array(Rmq::new(&heights)?.as_engine(), "f64", Order::Min)?.save(&path)?;
    /// let stored = Stored::open(&path)?;
    /// let engine = stored.engine_over(thalweg_core::bits::Array::of(&heights[..]))?;
    /// assert_eq!(engine.position(0, 2), 1);
    /// assert!(stored.engine().is_err()); // it needs the array
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the array has another length or width, the engine is another, or the sections are not those of the engine.
    pub fn engine_over<'a>(&self, array: Array<'a>) -> Result<Box<dyn RmqEngine + 'a>> {
        let load = || {
            let (header, coding) = (&self.header, self.header.coding());
            if !matches!(header.engine, Engine::Lines(_)) {
                let reason = format!("an index of engine {}, which is saved with what it needs", header.engine);
                return Err(Error::Format { at: 32, reason });
            }
            expect_len("array of the index", array.len(), header.len)?;
            expect_width(array.bits(), coding)?;
            let mut from = Sections::new(header, &self.map);
            let engine: Box<dyn RmqEngine + 'a> = by_width!(Array, array, array => {
                Box::new(OnCpu(Lines::load(&mut from, coding.ranking(), Some(array))?))
            });
            from.finish()?;
            Ok(engine)
        };
        load().map_err(|e: Error| e.in_file(&self.path))
    }

    /// The file as it lies in memory.
    pub fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// The array, if it was saved with the index, or lies in a file to which the index refers.
    ///
    /// # Errors
    /// If the keys are of another type.
    pub fn array<K: Key>(&self) -> Result<Option<&[K]>> {
        let load = || {
            self.expect_type::<K>()?;
            if let Some((_, opened)) = &self.array_file {
                let bytes = opened.map.as_ref().map_or(&[][..], |map| &map[opened.range.clone()]);
                // SAFETY: as below.
                let (before, keys, after) = unsafe { bytes.align_to::<K>() };
                let reason = || "its array does not lie where its elements could be used".to_owned();
                return match before.is_empty() && after.is_empty() {
                    true => Ok(Some(keys)),
                    false => Err(Error::Format { at: 0, reason: reason() }),
                };
            }
            let Some(section) = self.header.section(ARRAY) else { return Ok(None) };
            let wrong = || Error::Format { at: section.offset as usize, reason: "not as long as the array".to_owned() };
            let range = section.range();
            if range.len() != self.header.len.checked_mul(size_of::<K>()).ok_or_else(wrong)? {
                return Err(wrong());
            }
            // SAFETY: keys are plain numbers, of which every byte pattern is a value.
            let (before, keys, after) = unsafe { self.map[range].align_to::<K>() };
            if before.is_empty() && after.is_empty() { Ok(Some(keys)) } else { Err(wrong()) }
        };
        load().map_err(|e: Error| e.in_file(&self.path))
    }

    fn expect_type<K: Key>(&self) -> Result<()> {
        if self.header.dtype == K::NAME {
            return Ok(());
        }
        let reason = format!("an index over {}, not over {}", self.header.dtype, K::NAME);
        Err(Error::Format { at: 56, reason })
    }

    /// Loads the engine for one width of keys; where it holds positions, in the width given.
    fn load<R: Rank, P: Position>(&self) -> Result<Box<dyn RmqEngine>> {
        let (mut from, order) = (Sections::new(&self.header, &self.map), self.header.coding().ranking::<R>());
        let engine: Box<dyn RmqEngine> = match self.header.engine {
            Engine::Lines(_) => Box::new(OnCpu(Lines::load(&mut from, order, self.referred()?)?)),
            Engine::PaddedTree(_) => Box::new(OnCpu(PaddedTree::load(&mut from, order)?)),
            Engine::BalancedParens => Box::new(OnCpu(ByParens::<R>::load(&mut from)?)),
            Engine::SparseTable => Box::new(OnCpu(SparseTable::<_, P>::load(&mut from, order)?)),
            Engine::Hierarchy(_) => Box::new(OnCpu(Hierarchy::<_, P>::load(&mut from, order)?)),
            other => return Err(not_saved(other.name())),
        };
        from.finish()?;
        Ok(engine)
    }
}

/// An index as its file will be, from [`Rmq::image`]: the header is made, the checksums are known.
#[derive(Debug)]
pub struct Image<'i> {
    header: Header,
    contents: Contents<'i>,
}

impl<K: Key> Rmq<'_, K> {
    /// Saves the index to a file, from which [`open`] takes it. The array is saved with it if the index has it.
    ///
    /// The file is written beside its place and renamed when everything is on the disk: whatever happens, there is the old
    /// file or the new one.
    ///
    /// # Errors
    /// [`Error::BadOption`] if the engine has no form on disk (see [`SAVED`]), [`Error::InFile`] if the file cannot be
    /// written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.image()?.save(path)
    }

    /// Writes the file to wherever bytes can go.
    ///
    /// ```
    /// # use thalweg_arrays as thalweg;
    /// let mut bytes = Vec::new();
    /// thalweg::Rmq::new(&[5, 3, 8])?.write_to(&mut bytes)?;
    /// assert!(bytes.starts_with(&thalweg::rmq::file::MAGIC));
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Rmq::save`]; [`Error::Io`] if writing fails.
    pub fn write_to(&self, out: impl Write) -> Result<()> {
        self.image()?.write_to(out).map_err(Error::io)
    }

    /// The file to be. Computes the checksums, on all threads.
    ///
    /// # Errors
    /// As [`Rmq::write_to`].
    pub fn image(&self) -> Result<Image<'_>> {
        Image::of(self.as_engine(), K::NAME, self.order())
    }
}

impl<'i> Image<'i> {
    /// The file of an index that knows no key type: over keys of the type with this [name](Key::NAME), by this order.
    /// Computes the checksums, on all threads.
    ///
    /// # Errors
    /// [`Error::BadOption`] if the engine has no form on disk.
    pub fn of(index: &'i dyn RmqEngine, dtype: &'static str, order: Order) -> Result<Self> {
        Self::of_contents(index, dtype, order, index.contents()?, &|_| ())
    }

    /// The same without the array, for who has it anyway: [`Stored::engine_over`].
    ///
    /// # Errors
    /// [`Error::BadOption`] for engines other than `lines`.
    pub fn without_array(index: &'i dyn RmqEngine, dtype: &'static str, order: Order) -> Result<Self> {
        Self::of_contents(index, dtype, order, Self::lines_alone(index)?, &|_| ())
    }

    /// The same with the name of the file that holds the array, which must lie there as the index has it. Whoever opens the index opens
    /// that file, too.
    ///
    /// ```
    /// # use thalweg_arrays as thalweg;
    /// use thalweg::{Order, Rmq, rmq::file::{ArrayFile, Image, open}};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let (path, data) = (folder.path().join("heights.thw"), folder.path().join("heights.raw"));
    /// let heights = [5.0f64, 3.0, 8.0];
    /// std::fs::write(&data, heights.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>()).unwrap();
    /// let file = ArrayFile::new(&data, "heights.raw", 0, 24)?; // beside the index
    /// Image::referring(Rmq::new(&heights)?.as_engine(), "f64", Order::Min, &file)?.save(&path)?;
    /// assert_eq!(open::<f64>(&path)?.value(..), Some(3.0));
    /// std::fs::remove_file(&data).unwrap();
    /// assert!(open::<f64>(&path).is_err());
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::BadOption`] for engines other than `lines`.
    pub fn referring(index: &'i dyn RmqEngine, dtype: &'static str, order: Order, file: &ArrayFile) -> Result<Self> {
        let contents = Self::lines_alone(index)?.converted(ARRAY_FILE, 1, file.encode());
        Self::of_contents(index, dtype, order, contents, &|_| ())
    }

    /// [`Image::of`] for an index over an array that is larger than memory: `done` is told which bytes have been read, for the
    /// checksums.
    ///
    /// # Errors
    /// As [`Image::of`].
    pub fn in_parts(index: &'i dyn RmqEngine, dtype: &'static str, order: Order, done: &dyn Fn(&[u8])) -> Result<Self> {
        Self::of_contents(index, dtype, order, index.contents()?, done)
    }

    fn lines_alone(index: &'i dyn RmqEngine) -> Result<Contents<'i>> {
        let contents = index.contents()?;
        if index.name() != Engine::default().name() {
            let reason = format!("'{}' is saved with what it needs; 'lines' alone can be told the array", index.name());
            return Err(Error::BadOption { option: "engine", reason });
        }
        Ok(contents.without_array())
    }

    fn of_contents(
        index: &dyn RmqEngine,
        dtype: &'static str,
        order: Order,
        contents: Contents<'i>,
        done: &dyn Fn(&[u8]),
    ) -> Result<Self> {
        little_endian()?;
        let engine = SAVED.iter().copied().find(|engine| engine.name() == index.name());
        let engine = engine.ok_or_else(|| not_saved(index.name()))?;
        let section = |part: &contents::Saved<'_>| Section {
            name: part.name.to_owned(),
            element_bytes: part.element_bytes,
            lead: part.lead,
            offset: 0,
            bytes: part.bytes() as u64,
            checksum: part.checksum(done),
        };
        let mut header = Header {
            version: VERSION,
            file_bytes: 0,
            engine,
            dtype,
            order,
            len: index.len(),
            position_bytes: header::position_bytes_for(index.len()),
            options: contents.options.iter().map(|&(name, value)| (name.to_owned(), value)).collect(),
            sections: contents.parts.iter().map(section).collect(),
        };
        header.place().expect("what lies in memory has a place in a file");
        Ok(Self { header, contents })
    }

    /// What the file will say.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Writes the file.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_to(&self, mut out: impl Write) -> io::Result<()> {
        out.write_all(&self.header.encode())?;
        let mut end = self.header.bytes();
        for (section, part) in self.header.sections.iter().zip(&self.contents.parts) {
            let range = section.range();
            // Less than a page and a cache line.
            out.write_all(&vec![0; range.start - end])?;
            for piece in &part.pieces {
                out.write_all(piece)?;
            }
            end = range.end;
        }
        out.flush()
    }

    /// Saves the file: see [`Rmq::save`].
    ///
    /// # Errors
    /// [`Error::InFile`] with what the system says.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        self.save_beside(path).map_err(|e| Error::io(e).in_file(path))
    }

    fn save_beside(&self, path: &Path) -> io::Result<()> {
        // What a link points to is replaced, not the link.
        let path = match fs::canonicalize(path) {
            Ok(path) => path,
            Err(e) if e.kind() == ErrorKind::NotFound => path.to_owned(),
            Err(e) => return Err(e),
        };
        if path.is_dir() {
            return Err(io::Error::other("is a directory"));
        }
        let Some(name) = path.file_name() else { return Err(io::Error::other("is not the name of a file")) };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut prefix = std::ffi::OsString::from(".");
        prefix.push(name);
        prefix.push(".tmp");
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // What any new file gets, or what the file had.
            let permissions = fs::metadata(&path).map(|metadata| metadata.permissions());
            builder.permissions(permissions.unwrap_or_else(|_| fs::Permissions::from_mode(0o666)));
        }
        let mut temporary = builder.tempfile_in(folder)?;
        self.write_to(temporary.as_file_mut())?;
        temporary.as_file().sync_all()?;
        temporary.persist(&path).map_err(|e| e.error)?;
        // The new name is on the disk when the folder is. Where folders cannot be opened, the system sees to it.
        #[cfg(unix)]
        File::open(folder)?.sync_all()?;
        Ok(())
    }
}

/// Opens the array's own file, if the index refers to one.
fn array_file(path: &Path, header: &Header, map: &[u8]) -> Result<Option<(ArrayFile, Opened)>> {
    let Some(section) = header.section(ARRAY_FILE) else { return Ok(None) };
    let bad = |reason: String| Error::Format { at: section.offset as usize, reason };
    let bytes = map.get(section.range()).filter(|bytes| bytes.len() < 1 << 16);
    let file = ArrayFile::decode(bytes.ok_or_else(|| bad("no name of a file".to_owned()))?).map_err(bad)?;
    let width = header.coding().bytes() as u64;
    let array = (header.len as u64).checked_mul(width).ok_or_else(|| bad("an absurd array".to_owned()))?;
    let opened = file.open(path, array).map_err(bad)?;
    Ok(Some((file, opened)))
}

fn little_endian() -> Result<()> {
    if cfg!(target_endian = "little") {
        return Ok(());
    }
    let message = "files of indexes are little-endian and used as they lie, which this machine cannot".to_owned();
    Err(Error::Io { kind: ErrorKind::Unsupported, message })
}
