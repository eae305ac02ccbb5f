//! The head of a `.thw` file: what the index is and where its sections lie. The table of bytes is in the module's text.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use crate::rmq::{Engine, HierarchyOptions, LinesOptions, PaddedTreeOptions};
use thalweg_core::{Coding, Error, Order, Position, Result};

/// The first bytes of a file. As PNG's, they show what became of a file that was copied as text.
pub const MAGIC: [u8; 8] = *b"\x89THW\r\n\x1a\n";
/// The version that this library writes, and the only one so far.
pub const VERSION: u32 = 1;

/// The engines whose indexes can be saved.
pub const SAVED: &[Engine] = &[
    Engine::Lines(LinesOptions::DEFAULT),
    Engine::PaddedTree(PaddedTreeOptions::DEFAULT),
    Engine::BalancedParens,
    Engine::SparseTable,
    Engine::Hierarchy(HierarchyOptions::DEFAULT),
];

/// Bytes before the options.
const FIXED: usize = 72;
/// Bytes of an option, of a section's entry, of the header's checksum.
const OPTION: usize = 24;
const ENTRY: usize = 48;
const CHECKSUM: usize = 8;
/// Bytes of the names of options and sections; of the engine; of the type.
const NAME: usize = 16;
const ENGINE: Range<usize> = 32..56;
const DTYPE: Range<usize> = 56..64;

/// Sections of at least a page begin with one, so that whatever is not asked for is not read. Others begin where a cache
/// line does, even of 16 keys of 64 bits.
const PAGE: u64 = 4096;
const LINE: u64 = 128;

/// What a file says about its index.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// The format's version.
    pub version: u32,
    /// Bytes of the whole file.
    pub file_bytes: u64,
    /// The engine. What the index was built with is among the [options](Header::options), not in here.
    pub engine: Engine,
    /// The type of the array's elements, as [`Key::NAME`](thalweg_core::Key::NAME) spells it.
    pub dtype: &'static str,
    /// Whether it answers for minima or maxima.
    pub order: Order,
    /// Length of the array.
    pub len: usize,
    /// Bytes of a position, where the index holds any: 4 or 8.
    pub position_bytes: u8,
    /// What the engine notes about the index.
    pub options: Vec<(String, u64)>,
    /// The parts of the index, in the order of the file.
    pub sections: Vec<Section>,
}

/// A part of an index in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Section {
    /// What it holds; `array` for the array itself.
    pub name: String,
    /// Bytes of one element.
    pub element_bytes: u32,
    /// Bytes that it begins behind a multiple of its alignment, so that elements lie in cache lines as they did in memory.
    pub lead: u32,
    /// Where it begins.
    pub offset: u64,
    /// Bytes.
    pub bytes: u64,
    /// XXH3 of its chunks: see the module's text.
    pub checksum: u64,
}

impl Section {
    /// The bytes of the file that it takes.
    pub(super) fn range(&self) -> Range<usize> {
        // The header has been compared with the file's length.
        self.offset as usize..(self.offset + self.bytes) as usize
    }
}

impl Header {
    /// The section of this name.
    pub fn section(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.name == name)
    }

    /// What the bits of the array's elements mean.
    pub fn coding(&self) -> Coding {
        known_key(self.dtype, self.order).expect("the type has been looked up before").1
    }

    /// Bytes of everything but the array.
    pub fn index_bytes(&self) -> u64 {
        self.file_bytes - self.section("array").map_or(0, |array| array.bytes)
    }

    /// Bytes of the header.
    pub(super) fn bytes(&self) -> usize {
        FIXED + OPTION * self.options.len() + ENTRY * self.sections.len() + CHECKSUM
    }

    /// Puts the sections in their places, one behind the other, and notes the file's length. `None` if that is absurd.
    pub(super) fn place(&mut self) -> Option<()> {
        let mut end = self.bytes() as u64;
        for section in &mut self.sections {
            let alignment = if section.bytes >= PAGE { PAGE } else { LINE };
            section.offset = end.checked_next_multiple_of(alignment)?.checked_add(section.lead.into())?;
            end = section.offset.checked_add(section.bytes)?;
        }
        self.file_bytes = end;
        usize::try_from(end).ok().map(|_| ())
    }

    /// The header as it lies in the file.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.bytes());
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&self.version.to_le_bytes());
        out.extend_from_slice(&(self.bytes() as u32).to_le_bytes());
        out.extend_from_slice(&self.file_bytes.to_le_bytes());
        out.extend_from_slice(&(self.len as u64).to_le_bytes());
        put_name(&mut out, self.engine.name(), ENGINE.len());
        put_name(&mut out, self.dtype, DTYPE.len());
        out.extend_from_slice(&[u8::from(self.order == Order::Max), self.position_bytes]);
        for count in [self.options.len(), self.sections.len(), 0] {
            out.extend_from_slice(&(count as u16).to_le_bytes());
        }
        for (name, value) in &self.options {
            put_name(&mut out, name, NAME);
            out.extend_from_slice(&value.to_le_bytes());
        }
        for section in &self.sections {
            put_name(&mut out, &section.name, NAME);
            out.extend_from_slice(&section.element_bytes.to_le_bytes());
            out.extend_from_slice(&section.lead.to_le_bytes());
            for word in [section.offset, section.bytes, section.checksum] {
                out.extend_from_slice(&word.to_le_bytes());
            }
        }
        out.extend_from_slice(&xxh3_64(&out).to_le_bytes());
        debug_assert_eq!(out.len(), self.bytes());
        out
    }

    /// Reads the header of a file and compares all of it with the file's length. Nothing else of the file is touched.
    pub(super) fn decode(file: &[u8]) -> Result<Self> {
        let bad = |at: usize, reason: String| Err(Error::Format { at, reason });
        if file.is_empty() {
            return bad(0, "the file is empty".to_owned());
        }
        if !file.starts_with(&MAGIC[..file.len().min(MAGIC.len())]) {
            return bad(0, "not a .thw file: it does not begin as one".to_owned());
        }
        let cut = |at: usize| Error::Format { at, reason: "cut off: the file ends within its header".to_owned() };
        let version = u32::from_le_bytes(*array_at(file, 8).ok_or_else(|| cut(file.len()))?);
        if version != VERSION {
            return bad(8, format!("version {version} of the format; this library reads version {VERSION}"));
        }
        let length = u32::from_le_bytes(*array_at(file, 12).ok_or_else(|| cut(file.len()))?) as usize;
        if length < FIXED + CHECKSUM {
            return bad(12, format!("a header of {length} bytes is too short"));
        }
        let bytes = file.get(..length).ok_or_else(|| cut(file.len()))?;
        let (content, checksum) = bytes.split_at(length - CHECKSUM);
        if checksum != xxh3_64(content).to_le_bytes() {
            return bad(length - CHECKSUM, "the header's checksum differs: the header is damaged".to_owned());
        }
        // From here on the header is as somebody wrote it; that it makes sense is still to be seen.
        let header = Self::fields(content)?;
        if header.bytes() != length {
            return bad(12, format!("the header says it has {length} bytes, its tables make {}", header.bytes()));
        }
        let (said, found) = (header.file_bytes, file.len() as u64);
        if said > found {
            return bad(file.len(), format!("cut off: the file has {found} of its {said} bytes"));
        }
        if said < found {
            return bad(said as usize, format!("{} bytes too many at the end", found - said));
        }
        let mut placed = header.clone();
        if placed.place().is_none() || placed != header {
            return bad(FIXED, "the sections do not lie where they should".to_owned());
        }
        Ok(header)
    }

    /// The fields of a header of at least [`FIXED`] bytes, without its checksum.
    fn fields(content: &[u8]) -> Result<Self> {
        let mut reader = Reader { content, at: MAGIC.len() };
        let version = reader.u32()?;
        let _length = reader.u32()?;
        let file_bytes = reader.u64()?;
        let len = reader.u64()?;
        let engine = reader.name(ENGINE.len())?;
        let engine = SAVED.iter().copied().find(|known| known.name() == engine).ok_or_else(|| {
            let known: Vec<&str> = SAVED.iter().map(|engine| engine.name()).collect();
            let reason = format!("unknown engine '{engine}' (known: {})", known.join(", "));
            Error::Format { at: ENGINE.start, reason }
        })?;
        let dtype = reader.name(DTYPE.len())?;
        let dtype = known_type(&dtype)
            .ok_or_else(|| Error::Format { at: DTYPE.start, reason: format!("unknown type of elements '{dtype}'") })?;
        let order = match reader.u8()? {
            0 => Order::Min,
            1 => Order::Max,
            other => return Err(reader.bad(format!("order {other}, neither 0 nor 1"))),
        };
        let position_bytes = reader.u8()?;
        let len = usize::try_from(len).map_err(|_| reader.bad(format!("an array of {len} elements")))?;
        if position_bytes != position_bytes_for(len) {
            return Err(reader.bad(format!("positions of {position_bytes} bytes in an array of {len} elements")));
        }
        let (options, sections) = (reader.u16()?, reader.u16()?);
        if reader.u16()? != 0 {
            return Err(reader.bad("a reserved field is not zero".to_owned()));
        }
        let options = (0..options).map(|_| Ok((reader.name(NAME)?, reader.u64()?))).collect::<Result<_>>()?;
        let sections = (0..sections)
            .map(|_| {
                Ok(Section {
                    name: reader.name(NAME)?,
                    element_bytes: reader.u32()?,
                    lead: reader.lead()?,
                    offset: reader.u64()?,
                    bytes: reader.u64()?,
                    checksum: reader.u64()?,
                })
            })
            .collect::<Result<_>>()?;
        Ok(Self { version, file_bytes, engine, dtype, order, len, position_bytes, options, sections })
    }
}

/// Bytes of a position in an array of so many elements.
pub(super) fn position_bytes_for(len: usize) -> u8 {
    if u32::fits(len) { 4 } else { 8 }
}

/// The type of this name.
fn known_type(name: &str) -> Option<&'static str> {
    known_key(name, Order::Min).map(|(name, _)| name)
}

/// The type of this name, and its coding for an order.
fn known_key(name: &str, order: Order) -> Option<(&'static str, Coding)> {
    macro_rules! one {
        ($t:ident) => {
            if name == stringify!($t) {
                return Some((stringify!($t), Coding::of::<$t>(order)));
            }
        };
    }
    thalweg_core::for_each_key!(one);
    None
}

fn put_name(out: &mut Vec<u8>, name: &str, width: usize) {
    debug_assert!(name.len() <= width, "{name}");
    out.extend_from_slice(name.as_bytes());
    out.resize(out.len() + width - name.len(), 0);
}

fn array_at<const N: usize>(bytes: &[u8], at: usize) -> Option<&[u8; N]> {
    bytes.get(at..)?.first_chunk()
}

/// Reads fields one after the other.
struct Reader<'h> {
    content: &'h [u8],
    at: usize,
}

impl Reader<'_> {
    /// An error at the last field.
    fn bad(&self, reason: String) -> Error {
        Error::Format { at: self.at, reason }
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        let field =
            *array_at(self.content, self.at).ok_or_else(|| self.bad("the header's tables are cut off".into()))?;
        self.at += N;
        Ok(field)
    }

    fn u8(&mut self) -> Result<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    fn u16(&mut self) -> Result<u16> {
        self.take().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Result<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64> {
        self.take().map(u64::from_le_bytes)
    }

    fn lead(&mut self) -> Result<u32> {
        let lead = self.u32()?;
        if u64::from(lead) < LINE { Ok(lead) } else { Err(self.bad(format!("a section begins {lead} bytes late"))) }
    }

    /// A name, filled with zeros.
    fn name(&mut self, width: usize) -> Result<String> {
        let field = self.content.get(self.at..self.at + width);
        let field = field.ok_or_else(|| self.bad("the header's tables are cut off".into()))?;
        let end = field.iter().position(|&byte| byte == 0).unwrap_or(width);
        let (name, filling) = field.split_at(end);
        let good = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'_';
        if name.is_empty() || !name.iter().all(good) || filling.iter().any(|&byte| byte != 0) {
            return Err(self.bad("a name that is none".to_owned()));
        }
        self.at += width;
        Ok(name.iter().copied().map(char::from).collect())
    }
}
