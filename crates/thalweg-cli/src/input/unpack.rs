//! Files that are packed: gzip, of several members too (as `bgzip` writes them), and zstd, of several frames.

use flate2::read::MultiGzDecoder;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::read_all::read_all;
use crate::failure::{Failure, Outcome};
use crate::format::Packing;
use crate::memory;

/// Bytes of a frame that are unpacked at a time.
const STEP: usize = 1 << 20;

/// What is packed in a file. All of it must be there, with checksums that are right.
pub fn unpack(packing: Packing, packed: &[u8], name: &str) -> Outcome<Vec<u8>> {
    // Nothing is no archive: the program that should have written it has failed.
    if packed.is_empty() && packing != Packing::None {
        return Err(Failure::at(name, "is empty, which no packed file is"));
    }
    match packing {
        Packing::None => Ok(packed.to_vec()),
        Packing::Gzip => read_all(&mut MultiGzDecoder::new(packed), name),
        Packing::Zstd => zstd(packed, name),
    }
}

fn zstd(mut packed: &[u8], name: &str) -> Outcome<Vec<u8>> {
    let failed = |e: &dyn std::fmt::Display| Failure::at(name, format_args!("bad zstd data: {e}"));
    let mut bytes = Vec::new();
    let mut frame = FrameDecoder::new();
    while !packed.is_empty() {
        if let Some(rest) = after_skippable(packed) {
            packed = rest.ok_or_else(|| failed(&"cut off"))?;
            continue;
        }
        frame.init(&mut packed).map_err(|e| failed(&e))?;
        while !frame.is_finished() {
            frame.decode_blocks(&mut packed, BlockDecodingStrategy::UptoBytes(STEP)).map_err(|e| failed(&e))?;
            let more = frame.can_collect();
            if bytes.capacity() - bytes.len() < more {
                let room = more.max(bytes.len());
                memory::reserve(&mut bytes, room, name)?;
            }
            frame.collect_to_writer(&mut bytes).map_err(|e| Failure::io(name, &e))?;
        }
        if let Some(checksum) = frame.get_checksum_from_data()
            && frame.get_calculated_checksum() != Some(checksum)
        {
            return Err(failed(&"the checksum is another"));
        }
    }
    Ok(bytes)
}

/// What follows a frame that holds no data, if it is one; no rest if it is cut off.
fn after_skippable(packed: &[u8]) -> Option<Option<&[u8]>> {
    let (head, rest) = packed.split_at_checked(8)?;
    if head[1..4] != [0x2a, 0x4d, 0x18] || !(0x50..0x60).contains(&head[0]) {
        return None;
    }
    let length = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
    Some(rest.get(length..))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
    }

    #[test]
    fn all_members_are_unpacked_and_damage_is_noticed() {
        let text: Vec<u8> = (0..300_000u32).flat_map(|i| (i.wrapping_mul(i) % 1000).to_le_bytes()).collect();
        for (packing, pack) in [(Packing::Gzip, gzip as fn(&[u8]) -> Vec<u8>), (Packing::Zstd, zstd)] {
            let packed = [pack(&text[..7]), pack(&[]), pack(&text[7..])].concat();
            assert_eq!(unpack(packing, &packed, "test").unwrap(), text);
            for cut in [packed.len() - 1, packed.len() / 2, 3] {
                assert!(unpack(packing, &packed[..cut], "test").is_err(), "{packing:?} {cut}");
            }
            // A byte of the data, and one of the checksum at its end.
            for place in [packed.len() / 2, packed.len() - 5, packed.len() - 1] {
                let mut packed = packed.clone();
                packed[place] ^= 1;
                assert!(unpack(packing, &packed, "test").is_err(), "{packing:?} {place}");
            }
            assert!(unpack(packing, b"", "test").is_err());
            assert!(unpack(packing, b"1 2 3", "test").is_err());
        }
        let skipped = [&b"\x52\x2a\x4d\x18\x03\x00\x00\x00abc"[..], &zstd(&text)].concat();
        assert_eq!(unpack(Packing::Zstd, &skipped, "test").unwrap(), text);
        assert!(unpack(Packing::Zstd, &skipped[..9], "test").is_err());
    }
}
