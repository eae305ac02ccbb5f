//! `.npz`: arrays in a ZIP archive, as `numpy.savez` and `numpy.savez_compressed` write them.
//!
//! Members that are stored as they are, as `savez` does it, are used where they lie, like an `.npy` file. Read by hand: what
//! is needed of the format is its directory (of 32 and 64 bits), and every number in it is hostile input.

use std::ops::Range;

use super::bytes::Bytes;
use super::read_all::read_all;
use crate::failure::{Failure, Outcome};
use thalweg_core::parallel;

/// The first bytes of an archive with something in it.
pub const MAGIC: &[u8; 4] = b"PK\x03\x04";

/// Stored as it is.
const STORED: u16 = 0;
/// Deflated.
const DEFLATED: u16 = 8;

/// A file in the archive.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Member {
    name: String,
    method: u16,
    encrypted: bool,
    crc: u32,
    packed: u64,
    size: u64,
    /// Where its own header begins.
    offset: u64,
}

/// The member of this name, with or without `.npy`; without a name the only one. `file` names the archive.
pub fn member(bytes: Bytes, name: Option<&str>, file: &str) -> Outcome<Bytes> {
    let failed = |text: String| Failure::at(file, text);
    let members = directory(bytes.get()).map_err(failed)?;
    let member = choose(&members, name).map_err(failed)?;
    let range = place(bytes.get(), member).map_err(failed)?;
    if member.encrypted {
        return Err(failed(format!("the member {} is encrypted", member.name)));
    }
    let array = match member.method {
        STORED => bytes.part(range),
        DEFLATED => read_all(&mut flate2::read::DeflateDecoder::new(&bytes.get()[range]), file)?.into(),
        method => return Err(failed(format!("the member {} is packed by method {method}, unknown here", member.name))),
    };
    if array.get().len() as u64 != member.size || checksum(array.get()) != member.crc {
        return Err(failed(format!("the member {} is damaged: its length or checksum is another", member.name)));
    }
    Ok(array)
}

/// The names of all members, without `.npy`; none of what is no archive.
pub fn names(bytes: &[u8]) -> Vec<String> {
    let members = directory(bytes).unwrap_or_default();
    members.into_iter().map(|member| member.name.trim_end_matches(".npy").to_owned()).collect()
}

/// The checksum, by all threads.
fn checksum(bytes: &[u8]) -> u32 {
    const CHUNK: usize = 1 << 22;
    let mut sums = vec![crc32fast::Hasher::new(); bytes.len().div_ceil(CHUNK)];
    parallel::for_each_chunk_mut(&mut sums, 1, &|i, sum| {
        sum[0].update(&bytes[parallel::chunk_range(i, CHUNK, bytes.len())])
    });
    let mut all = crc32fast::Hasher::new();
    sums.iter().for_each(|sum| all.combine(sum));
    all.finalize()
}

fn choose<'m>(members: &'m [Member], name: Option<&str>) -> Result<&'m Member, String> {
    let found = match name {
        Some(name) => members
            .iter()
            .find(|member| member.name == name)
            .or_else(|| members.iter().find(|member| member.name.strip_suffix(".npy") == Some(name))),
        None if members.len() == 1 => members.first(),
        None => None,
    };
    found.ok_or_else(|| {
        let names: Vec<&str> = members.iter().take(8).map(|m| m.name.strip_suffix(".npy").unwrap_or(&m.name)).collect();
        let dots = if members.len() > names.len() { ", ..." } else { "" };
        let names = names.join(", ");
        match (name, members.len()) {
            (_, 0) => "the archive is empty".to_owned(),
            (Some(name), _) => format!("there is no member {name}, only {names}{dots}"),
            (None, n) => format!("{n} members, so name one behind a colon: {names}{dots}"),
        }
    })
}

/// Little-endian numbers at a place, if the bytes go so far.
fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..)?.first_chunk().copied()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..)?.first_chunk().copied()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..)?.first_chunk().copied()?))
}

/// All members, by the directory at the end.
fn directory(bytes: &[u8]) -> Result<Vec<Member>, String> {
    let (count, start) = end(bytes).ok_or("not a .npz file: it does not end as a ZIP archive does")?;
    let mut rest = usize::try_from(start).ok().and_then(|start| bytes.get(start..)).ok_or_else(broken)?;
    let mut members = Vec::new();
    for _ in 0..count {
        let (member, length) = entry(rest).ok_or_else(broken)?;
        members.push(member);
        rest = &rest[length..];
    }
    // Folders have entries of their own.
    members.retain(|member| !member.name.ends_with('/'));
    Ok(members)
}

fn broken() -> String {
    "the archive's directory is damaged".to_owned()
}

/// How many members there are, and where the directory begins.
fn end(bytes: &[u8]) -> Option<(u64, u64)> {
    const LENGTH: usize = 22;
    // A comment of up to 2^16 bytes may follow.
    let first = bytes.len().saturating_sub(LENGTH + 0xffff);
    let is_end = |&at: &usize| {
        bytes[at..].starts_with(b"PK\x05\x06")
            && u16_at(bytes, at + 20).is_some_and(|comment| at + LENGTH + usize::from(comment) == bytes.len())
    };
    let at = (first..=bytes.len().checked_sub(LENGTH)?).rev().find(is_end)?;
    let (count, start) = (u16_at(bytes, at + 10)?, u32_at(bytes, at + 16)?);
    if count != u16::MAX && start != u32::MAX {
        return Some((count.into(), start.into()));
    }
    // Too large for these fields: the record of 64 bits, which a note of 20 bytes right before this one points to.
    let note = at.checked_sub(20)?;
    if !bytes[note..].starts_with(b"PK\x06\x07") {
        return Some((count.into(), start.into()));
    }
    let wide = usize::try_from(u64_at(bytes, note + 8)?).ok()?;
    bytes.get(wide..)?.starts_with(b"PK\x06\x06").then_some(())?;
    Some((u64_at(bytes, wide.checked_add(32)?)?, u64_at(bytes, wide.checked_add(48)?)?))
}

/// The entry at the start of `bytes`, and its length.
fn entry(bytes: &[u8]) -> Option<(Member, usize)> {
    bytes.starts_with(b"PK\x01\x02").then_some(())?;
    let [name, extra, comment] = [u16_at(bytes, 28)?, u16_at(bytes, 30)?, u16_at(bytes, 32)?].map(usize::from);
    let length = 46 + name + extra + comment;
    let all = bytes.get(..length)?;
    let mut member = Member {
        name: String::from_utf8_lossy(&all[46..46 + name]).into_owned(),
        method: u16_at(all, 10)?,
        encrypted: u16_at(all, 8)? & 1 != 0,
        crc: u32_at(all, 16)?,
        packed: u32_at(all, 20)?.into(),
        size: u32_at(all, 24)?.into(),
        offset: u32_at(all, 42)?.into(),
    };
    // What does not fit 32 bits stands in an extra field, in this order.
    let mut wide = wide_field(&all[46 + name..46 + name + extra]).unwrap_or_default();
    for number in [&mut member.size, &mut member.packed, &mut member.offset] {
        if *number == u64::from(u32::MAX) && !wide.is_empty() {
            *number = u64_at(wide, 0)?;
            wide = &wide[8..];
        }
    }
    Some((member, length))
}

/// The field of numbers of 64 bits among the extra fields.
fn wide_field(mut extra: &[u8]) -> Option<&[u8]> {
    loop {
        let (id, length) = (u16_at(extra, 0)?, usize::from(u16_at(extra, 2)?));
        let field = extra.get(4..4 + length)?;
        if id == 1 {
            return Some(field);
        }
        extra = &extra[4 + length..];
    }
}

/// Where a member's data lies: behind a header of its own.
fn place(bytes: &[u8], member: &Member) -> Result<Range<usize>, String> {
    let find = || {
        let at = usize::try_from(member.offset).ok()?;
        let head = bytes.get(at..)?;
        head.starts_with(MAGIC).then_some(())?;
        let start = at + 30 + usize::from(u16_at(head, 26)?) + usize::from(u16_at(head, 28)?);
        let end = start.checked_add(usize::try_from(member.packed).ok()?)?;
        bytes.get(start..end).map(|_| start..end)
    };
    find().ok_or_else(broken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What NumPy wrote: the arrays `a` and `b` of 8 numbers, see `fixtures/make.py`.
    const STORED_FILE: &[u8] = include_bytes!("../../tests/fixtures/archive.npz");
    const PACKED_FILE: &[u8] = include_bytes!("../../tests/fixtures/archive_compressed.npz");

    fn read(bytes: &[u8], name: Option<&str>) -> Result<Vec<u8>, String> {
        member(bytes.to_vec().into(), name, "test").map(|array| array.get().to_vec()).map_err(|e| e.to_string())
    }

    #[test]
    fn members_by_name() {
        for file in [STORED_FILE, PACKED_FILE] {
            let a = read(file, Some("a")).unwrap();
            assert!(a.starts_with(super::super::npy::MAGIC));
            assert_eq!(read(file, Some("a.npy")), Ok(a.clone()));
            assert_ne!(read(file, Some("b")), Ok(a));
            assert!(read(file, None).unwrap_err().contains("a, b"));
            assert!(read(file, Some("c")).unwrap_err().contains("no member c"));
            // With a comment behind, of which the length is the last field.
            let mut commented = file.to_vec();
            let end = commented.len() - 2;
            commented[end] = 3;
            commented.extend(b"abc");
            assert_eq!(read(&commented, Some("a")), read(file, Some("a")));
        }
    }

    #[test]
    fn damage_is_noticed() {
        for file in [STORED_FILE, PACKED_FILE] {
            for cut in 0..file.len() {
                assert!(read(&file[..cut], Some("a")).is_err(), "{cut}");
            }
            let array = file.windows(8).position(|w| w.starts_with(MAGIC)).unwrap() + 60;
            let mut damaged = file.to_vec();
            damaged[array] ^= 4;
            assert!(read(&damaged, Some("a")).is_err());
        }
    }

    proptest! {
        #[test]
        fn no_archive_makes_it_panic(changes in prop::collection::vec((0usize..2000, any::<u8>()), 1..8), packed in any::<bool>()) {
            let mut file = if packed { PACKED_FILE } else { STORED_FILE }.to_vec();
            for (place, value) in changes {
                // From the end, where the directory is.
                let at = file.len() - 1 - place % file.len();
                file[at] = value;
            }
            let _ = read(&file, Some("b"));
        }
    }
}
