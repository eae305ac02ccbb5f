//! Whether a picture's file goes on to its end. Decoders stop at the last pixel, or fill up with grey what is missing.

use image::ImageFormat;

/// Whether the file has the mark of its end. What follows it does not matter.
pub fn is_whole(bytes: &[u8], format: ImageFormat) -> bool {
    match format {
        ImageFormat::Png => is_whole_png(bytes).unwrap_or(false),
        ImageFormat::Jpeg => is_whole_jpeg(bytes).unwrap_or(false),
        _ => true,
    }
}

/// Chunks: a length, a name, the data, a checksum.
fn is_whole_png(bytes: &[u8]) -> Option<bool> {
    let mut rest = bytes.get(8..)?;
    loop {
        let (length, after) = rest.split_first_chunk::<4>()?;
        let length = u32::from_be_bytes(*length) as usize;
        let name = after.get(..4)?;
        rest = after.get(length.checked_add(8)?..)?;
        if name == b"IEND" {
            return Some(true);
        }
    }
}

/// Segments: a mark, and the length of the data with it; the pixels follow such a segment, up to the next mark.
fn is_whole_jpeg(bytes: &[u8]) -> Option<bool> {
    let mut rest = bytes.get(2..)?;
    loop {
        // A mark may have any number of fillers before it; some writers leave other bytes, too.
        let at = rest.windows(2).position(|pair| pair[0] == 0xff && !matches!(pair[1], 0 | 0xd0..=0xd7 | 0xff))?;
        let mark = rest[at + 1];
        rest = &rest[at + 2..];
        match mark {
            0xd9 => return Some(true),
            // Marks without a length.
            0x01 | 0xd8 => {}
            _ => {
                let (length, _) = rest.split_first_chunk::<2>()?;
                rest = rest.get(usize::from(u16::from_be_bytes(*length))..)?;
            }
        }
    }
}

/// The checksum of a chunk of PNG, for tests that make their own.
#[cfg(test)]
pub fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_found() {
        let jpeg =
            [0xff, 0xd8, 0xff, 0xe0, 0, 4, 0xff, 0xd9, 0xff, 0xff, 0xda, 0, 2, 7, 0xff, 0, 0xff, 0xd3, 9, 0xff, 0xd9];
        assert!(is_whole(&jpeg, ImageFormat::Jpeg));
        assert!((0..jpeg.len()).all(|cut| !is_whole(&jpeg[..cut], ImageFormat::Jpeg)));
        let png = [b"\x89PNG\r\n\x1a\n\0\0\0\x04abcd".as_slice(), b"IEND\0\0\0\0", b"\0\0\0\0IEND\0\0\0\0"].concat();
        assert!(is_whole(&png, ImageFormat::Png));
        assert!((0..png.len()).all(|cut| !is_whole(&png[..cut], ImageFormat::Png)));
        assert!(!is_whole(b"\x89PNG\r\n\x1a\n\xff\xff\xff\xffabcd", ImageFormat::Png));
        assert_eq!(crc(b"IEND"), 0xae42_6082);
    }
}
