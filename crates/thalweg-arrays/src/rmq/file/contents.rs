//! What an engine keeps of an index: options and sections, written in an order and taken back in the same.

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::sync::Arc;

use memmap2::Mmap;
use rayon::prelude::*;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::header::{Header, SAVED, Section};
use thalweg_core::storage::{AnyBits, Plain, Storage, bytes_of};
use thalweg_core::{Error, Result};

/// Bytes of a section that are hashed at once; the section's checksum is the hash of these hashes. So all threads can
/// take part, and a chunk stays in the cache. Storage of the format.
pub(super) const CHUNK: usize = 1 << 20;

/// The section that holds the array.
pub(super) const ARRAY: &str = "array";

/// The section that tells which file does.
pub(super) const ARRAY_FILE: &str = "array_file";

/// Chunks that are hashed before who lends them is told so.
const RUN: usize = 64;

/// What an engine wants to have saved: numbers about the index, and its sections. The engines of this library make it.
#[derive(Debug, Default)]
pub struct Contents<'c> {
    pub(super) options: Vec<(&'static str, u64)>,
    pub(super) parts: Vec<Saved<'c>>,
}

/// A section to be.
#[derive(Debug)]
pub(super) struct Saved<'c> {
    pub(super) name: &'static str,
    pub(super) element_bytes: u32,
    pub(super) lead: u32,
    /// The section's bytes, one piece after the other.
    pub(super) pieces: Vec<Cow<'c, [u8]>>,
}

impl<'c> Contents<'c> {
    /// Everything but the array.
    pub(super) fn without_array(mut self) -> Self {
        self.parts.retain(|part| part.name != ARRAY);
        self
    }

    pub(in crate::rmq) fn new() -> Self {
        Self::default()
    }

    /// A number about the index.
    pub(in crate::rmq) fn option(mut self, name: &'static str, value: usize) -> Self {
        self.options.push((name, value as u64));
        self
    }

    /// A section of plain numbers.
    pub(in crate::rmq) fn part<T: Plain>(self, name: &'static str, part: &'c [T]) -> Self {
        self.pieces(name, [part])
    }

    /// A section of several pieces.
    pub(in crate::rmq) fn pieces<T: Plain>(
        mut self,
        name: &'static str,
        pieces: impl IntoIterator<Item = &'c [T]>,
    ) -> Self {
        let pieces = pieces.into_iter().map(|piece| Cow::Borrowed(bytes_of(piece))).collect();
        self.parts.push(Saved { name, element_bytes: size_of::<T>() as u32, lead: 0, pieces });
        self
    }

    /// A section of elements that have been turned into bytes.
    pub(in crate::rmq) fn converted(mut self, name: &'static str, element_bytes: usize, bytes: Vec<u8>) -> Self {
        self.parts.push(Saved { name, element_bytes: element_bytes as u32, lead: 0, pieces: vec![Cow::Owned(bytes)] });
        self
    }

    /// The array, whose first element has this place in its cache line; below 16.
    pub(in crate::rmq) fn array<T: Plain>(mut self, array: &'c [T], shift: usize) -> Self {
        self = self.part(ARRAY, array);
        if let Some(part) = self.parts.last_mut() {
            part.lead = (shift * size_of::<T>()) as u32;
        }
        self
    }
}

impl Saved<'_> {
    pub(super) fn bytes(&self) -> usize {
        self.pieces.iter().map(|piece| piece.len()).sum()
    }

    pub(super) fn checksum(&self, done: &dyn Fn(&[u8])) -> u64 {
        checksum(&self.pieces.iter().map(|piece| &piece[..]).collect::<Vec<_>>(), done)
    }
}

/// The checksum of some bytes that lie in pieces; `done` is told of a single piece what has been read. Work O(bytes), span O(chunk).
pub(super) fn checksum(pieces: &[&[u8]], done: &dyn Fn(&[u8])) -> u64 {
    let mut ends = Vec::with_capacity(pieces.len());
    let total = pieces.iter().fold(0usize, |end, piece| {
        ends.push(end + piece.len());
        end + piece.len()
    });
    let hash_of = |chunk: usize| {
        let (mut from, to) = (chunk * CHUNK, total.min((chunk + 1) * CHUNK));
        let mut piece = ends.partition_point(|&end| end <= from);
        // The part of a piece that lies in the chunk.
        let mut next = || {
            let (begin, end) = (ends[piece] - pieces[piece].len(), ends[piece].min(to));
            let part = &pieces[piece][from - begin..end - begin];
            (from, piece) = (end, piece + 1);
            (part, end == to)
        };
        let (part, last) = next();
        if last {
            return xxh3_64(part);
        }
        let mut hash = Xxh3::new();
        hash.update(part);
        loop {
            let (part, last) = next();
            hash.update(part);
            if last {
                return hash.digest();
            }
        }
    };
    let (chunks, mut hashes) = (total.div_ceil(CHUNK), Vec::<u64>::new());
    for first in (0..chunks).step_by(RUN) {
        let last = chunks.min(first + RUN);
        hashes.par_extend((first..last).into_par_iter().map(hash_of));
        if let [piece] = pieces {
            done(&piece[first * CHUNK..total.min(last * CHUNK)]);
        }
    }
    let bytes: Vec<u8> = hashes.iter().flat_map(|hash| hash.to_le_bytes()).collect();
    xxh3_64(&bytes)
}

/// Takes the options and sections of a file, in their order, for an engine.
pub(in crate::rmq) struct Sections<'s> {
    header: &'s Header,
    map: &'s Arc<Mmap>,
    options: usize,
    sections: usize,
}

impl<'s> Sections<'s> {
    pub(super) fn new(header: &'s Header, map: &'s Arc<Mmap>) -> Self {
        Self { header, map, options: 0, sections: 0 }
    }

    /// Length of the array.
    pub(in crate::rmq) fn len(&self) -> usize {
        self.header.len
    }

    /// The next option, which must have this name and lie in the range.
    pub(in crate::rmq) fn option(&mut self, name: &'static str, range: RangeInclusive<usize>) -> Result<usize> {
        let Some((found, value)) = self.header.options.get(self.options) else {
            return Err(bad(0, format!("option {name} is missing")));
        };
        if found != name {
            return Err(bad(0, format!("option {found} where {name} was expected")));
        }
        self.options += 1;
        let value = usize::try_from(*value).unwrap_or(usize::MAX);
        if range.contains(&value) { Ok(value) } else { Err(bad(0, format!("{value} is no value for option {name}"))) }
    }

    /// The next section, which must have this name and so many elements.
    pub(in crate::rmq) fn part<T: AnyBits>(&mut self, name: &'static str, len: usize) -> Result<Storage<'static, T>> {
        let (at, section) = self.section(name, size_of::<T>(), len)?;
        self.mapped(name, at, section)
    }

    /// The next section, which must have this name and consist of pieces of these lengths.
    pub(in crate::rmq) fn pieces<T: AnyBits>(
        &mut self,
        name: &'static str,
        lens: &[usize],
    ) -> Result<Vec<Storage<'static, T>>> {
        // A sum that is too large is not that of any section.
        let total = lens.iter().copied().fold(0, usize::saturating_add);
        let (mut at, _) = self.section(name, size_of::<T>(), total)?;
        let piece = |&len: &usize| {
            let start = at;
            at += len * size_of::<T>();
            self.mapped(name, start, len)
        };
        lens.iter().map(piece).collect()
    }

    /// Where the next section begins, and its length: it must have this name and so many elements of so many bytes.
    fn section(&mut self, name: &'static str, element_bytes: usize, len: usize) -> Result<(usize, usize)> {
        let Some(section) = self.header.sections.get(self.sections) else {
            return Err(bad(0, format!("section {name} is missing")));
        };
        let at = section.offset as usize;
        if section.name != name {
            return Err(bad(at, format!("section {} where {name} was expected", section.name)));
        }
        if section.element_bytes as usize != element_bytes {
            let found = section.element_bytes;
            return Err(bad(at, format!("section {name}: elements of {found} bytes, expected {element_bytes}")));
        }
        if len.checked_mul(element_bytes).map(|bytes| bytes as u64) != Some(section.bytes) {
            let found = section.bytes / element_bytes as u64;
            return Err(bad(at, format!("section {name}: {found} elements, expected {len}")));
        }
        self.sections += 1;
        Ok((at, len))
    }

    fn mapped<T: AnyBits>(&self, name: &str, at: usize, len: usize) -> Result<Storage<'static, T>> {
        Storage::mapped(self.map, at..at + len * size_of::<T>())
            .ok_or_else(|| bad(at, format!("section {name} does not lie where its elements could be used")))
    }

    /// The array.
    pub(in crate::rmq) fn array<T: AnyBits>(&mut self) -> Result<Storage<'static, T>> {
        if self.header.section(ARRAY).is_none() && self.sections == self.header.sections.len() {
            return Err(bad(0, "saved without its array, so it answers only beside the array".to_owned()));
        }
        self.part(ARRAY, self.len())
    }

    /// The array, if it is there.
    pub(in crate::rmq) fn array_if_any<T: AnyBits>(&mut self) -> Result<Option<Storage<'static, T>>> {
        match self.header.sections.get(self.sections) {
            Some(next) if next.name != ARRAY_FILE => self.array().map(Some),
            _ => Ok(None),
        }
    }

    /// Nothing may be left over, but the name of the array's file.
    pub(super) fn finish(mut self) -> Result<()> {
        let is_name = |section: &Section| section.name == ARRAY_FILE;
        self.sections += usize::from(self.header.sections.get(self.sections).is_some_and(is_name));
        let header = self.header;
        if let Some((name, _)) = header.options.get(self.options) {
            return Err(bad(0, format!("option {name} is none of engine {}", header.engine)));
        }
        match header.sections.get(self.sections) {
            Some(section) => {
                let at = section.offset as usize;
                Err(bad(at, format!("section {} is none of engine {}", section.name, header.engine)))
            }
            None => Ok(()),
        }
    }
}

/// The error for an engine that has no form on disk.
pub(in crate::rmq) fn not_saved(engine: &str) -> Error {
    let known: Vec<&str> = SAVED.iter().map(|engine| engine.name()).collect();
    let reason = format!("'{engine}' has no form on disk (engines that have: {})", known.join(", "));
    Error::BadOption { option: "engine", reason }
}

fn bad(at: usize, reason: String) -> Error {
    Error::Format { at, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_does_not_depend_on_the_pieces() {
        let bytes: Vec<u8> = (0..3 * CHUNK as u32 + 777).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let whole = checksum(&[&bytes], &|_| ());
        for step in [1000, 4096, 99_999, CHUNK, CHUNK + 1, 3 * CHUNK] {
            let mut pieces: Vec<&[u8]> = bytes.chunks(step).collect();
            assert_eq!(checksum(&pieces, &|_| ()), whole, "{step}");
            pieces.insert(1, &[]);
            pieces.push(&[]);
            assert_eq!(checksum(&pieces, &|_| ()), whole, "{step} and empty pieces");
        }
        assert_eq!(checksum(&[], &|_| ()), checksum(&[&[]], &|_| ()));
        let mut other = bytes.clone();
        other.swap(CHUNK / 2, 2 * CHUNK + 1);
        assert_ne!(checksum(&[&other], &|_| ()), whole);
        assert_ne!(checksum(&[&bytes[..3 * CHUNK]], &|_| ()), whole);
    }
}
