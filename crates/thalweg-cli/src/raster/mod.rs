//! Pictures of pixels: PNG and JPEG, read and written.
//!
//! Grey or RGB, with or without alpha, in 8 or 16 bits. Palettes become RGB, samples of 1, 2 and 4 bits become 8, CMYK becomes
//! RGB; a picture is turned as its Exif says. A colour profile is kept; what else a file says of a picture is not. Of an
//! animation the still picture is taken.
//!
//! A file is hostile input: it may promise a picture that fills the memory, so the size is looked at before anything is
//! decoded. What is cut off is refused, although decoders would fill it up.

mod whole;

use std::io::Cursor;
use std::path::Path;

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::{
    DynamicImage, ExtendedColorType, ImageDecoder, ImageEncoder, ImageError, ImageFormat, ImageReader, Limits,
};

use crate::failure::{Failure, Outcome};
use crate::input::{Bytes, name_of};
use crate::memory;
use crate::numbers::{show_bytes, show_count};

/// Largest picture that is decoded, in bytes.
const LARGEST: u64 = 4 << 30;

/// A picture.
#[derive(Clone, Debug)]
pub struct Raster {
    /// Rows.
    pub height: usize,
    /// Pixels of a row.
    pub width: usize,
    /// Grey or RGB, with or without alpha.
    pub colours: Colours,
    /// Row by row, those of a pixel next to each other.
    pub samples: Samples,
    /// What the colours mean, as an ICC profile.
    pub profile: Option<Vec<u8>>,
}

/// What the samples of a pixel are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colours {
    /// One.
    Grey,
    /// Grey, and how opaque it is.
    GreyAlpha,
    /// Red, green and blue.
    Rgb,
    /// The same, and how opaque they are.
    Rgba,
}

/// The samples of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Samples {
    /// 0 to 255.
    U8(Vec<u8>),
    /// 0 to 65,535.
    U16(Vec<u16>),
}

impl Colours {
    /// Samples of a pixel.
    pub const fn channels(self) -> usize {
        match self {
            Self::Grey => 1,
            Self::GreyAlpha => 2,
            Self::Rgb => 3,
            Self::Rgba => 4,
        }
    }

    /// Whether the last sample tells how opaque a pixel is.
    pub const fn has_alpha(self) -> bool {
        matches!(self, Self::GreyAlpha | Self::Rgba)
    }

    /// For people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Grey => "grey",
            Self::GreyAlpha => "grey with alpha",
            Self::Rgb => "RGB",
            Self::Rgba => "RGB with alpha",
        }
    }
}

impl Samples {
    /// Bits of a sample.
    pub const fn bits(&self) -> usize {
        match self {
            Self::U8(_) => 8,
            Self::U16(_) => 16,
        }
    }
}

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// PNG.
    Png,
    /// JPEG of this quality, from 1 to 100.
    Jpeg(u8),
}

impl Format {
    /// The format that a file's name asks for; standard output is PNG.
    pub fn of_name(path: &Path, quality: u8) -> Outcome<Self> {
        if crate::output::is_stdout(path) {
            return Ok(Self::Png);
        }
        let extension = path.extension().map(|e| e.to_ascii_lowercase());
        match extension.as_deref().and_then(|e| e.to_str()) {
            Some("png") => Ok(Self::Png),
            Some("jpg" | "jpeg") => Ok(Self::Jpeg(quality)),
            _ => Err(Failure::at(path.display(), "pictures are written as .png, .jpg or .jpeg, by their name")),
        }
    }
}

impl Raster {
    /// Reads a picture. The content tells its format, whatever the name.
    pub fn open(path: &Path) -> Outcome<Self> {
        let name = name_of(path);
        let bytes = Bytes::open(path, &name)?;
        Self::decode(bytes.get(), &name)
    }

    /// Reads a picture from the bytes of a file.
    fn decode(bytes: &[u8], name: &str) -> Outcome<Self> {
        let mut limits = Limits::default();
        limits.max_alloc = Some(LARGEST);
        let format = match image::guess_format(bytes) {
            Ok(format @ (ImageFormat::Png | ImageFormat::Jpeg)) => format,
            _ => return Err(Failure::at(name, "not a picture: neither PNG nor JPEG")),
        };
        let failed = |error: ImageError| Failure::at(name, words(&error));
        let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
        reader.limits(limits);
        let mut decoder = reader.into_decoder().map_err(failed)?;
        let (width, height) = decoder.dimensions();
        let size = decoder.total_bytes();
        if size > LARGEST {
            let [rows, columns] = [height, width].map(|n| show_count(n as usize));
            let (size, most) = (show_bytes(size), show_bytes(LARGEST));
            let text = format!("{columns} x {rows} pixels are {size}, and more than {most} are not decoded");
            return Err(Failure::at(name, text));
        }
        memory::require(usize::try_from(size).unwrap_or(usize::MAX), name)?;
        // A profile of other colours than those that are decoded says nothing of them.
        let is_converted = matches!(decoder.original_color_type(), ExtendedColorType::Cmyk8);
        let profile = decoder.icc_profile().ok().flatten().filter(|_| !is_converted);
        let orientation = decoder.orientation().map_err(failed)?;
        let mut picture = DynamicImage::from_decoder(decoder).map_err(failed)?;
        if !whole::is_whole(bytes, format) {
            return Err(Failure::at(name, "the picture is cut off"));
        }
        picture.apply_orientation(orientation);
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        let (colours, samples) = match picture {
            DynamicImage::ImageLuma8(p) => (Colours::Grey, Samples::U8(p.into_raw())),
            DynamicImage::ImageLumaA8(p) => (Colours::GreyAlpha, Samples::U8(p.into_raw())),
            DynamicImage::ImageRgb8(p) => (Colours::Rgb, Samples::U8(p.into_raw())),
            DynamicImage::ImageRgba8(p) => (Colours::Rgba, Samples::U8(p.into_raw())),
            DynamicImage::ImageLuma16(p) => (Colours::Grey, Samples::U16(p.into_raw())),
            DynamicImage::ImageLumaA16(p) => (Colours::GreyAlpha, Samples::U16(p.into_raw())),
            DynamicImage::ImageRgb16(p) => (Colours::Rgb, Samples::U16(p.into_raw())),
            DynamicImage::ImageRgba16(p) => (Colours::Rgba, Samples::U16(p.into_raw())),
            _ => return Err(Failure::at(name, "samples of a picture must be integers")),
        };
        Ok(Self { height, width, colours, samples, profile })
    }

    /// Says why a picture like this cannot be written in a format.
    pub fn check_format(&self, format: Format, name: &str) -> Outcome {
        if let Format::Jpeg(_) = format {
            if self.colours.has_alpha() {
                return Err(Failure::at(name, "the picture has alpha, which JPEG cannot hold: write a .png"));
            }
            if self.width.max(self.height) > usize::from(u16::MAX) {
                return Err(Failure::at(name, "JPEG holds at most 65,535 rows and columns: write a .png"));
            }
        }
        Ok(())
    }

    /// The bytes of a file. JPEG holds 8 bits: samples of 16 are rounded.
    pub fn encode(&self, format: Format, name: &str) -> Outcome<Vec<u8>> {
        self.check_format(format, name)?;
        let mut bytes = Vec::new();
        match format {
            Format::Png => self.encode_with(PngEncoder::new(&mut bytes), &self.samples),
            Format::Jpeg(quality) => {
                let encoder = JpegEncoder::new_with_quality(&mut bytes, quality);
                match &self.samples {
                    Samples::U8(_) => self.encode_with(encoder, &self.samples),
                    Samples::U16(samples) => self.encode_with(encoder, &Samples::U8(in_8_bits(samples, name)?)),
                }
            }
        }
        .map_err(|error| Failure::at(name, words(&error)))?;
        Ok(bytes)
    }

    fn encode_with(&self, mut encoder: impl ImageEncoder, samples: &Samples) -> Result<(), ImageError> {
        if let Some(profile) = &self.profile {
            // Both formats hold profiles; one that did not would lose it.
            let _ = encoder.set_icc_profile(profile.clone());
        }
        let (bytes, colours): (&[u8], _) = match samples {
            Samples::U8(samples) => (
                samples,
                match self.colours {
                    Colours::Grey => ExtendedColorType::L8,
                    Colours::GreyAlpha => ExtendedColorType::La8,
                    Colours::Rgb => ExtendedColorType::Rgb8,
                    Colours::Rgba => ExtendedColorType::Rgba8,
                },
            ),
            Samples::U16(samples) => (
                bytemuck::cast_slice(samples),
                match self.colours {
                    Colours::Grey => ExtendedColorType::L16,
                    Colours::GreyAlpha => ExtendedColorType::La16,
                    Colours::Rgb => ExtendedColorType::Rgb16,
                    Colours::Rgba => ExtendedColorType::Rgba16,
                },
            ),
        };
        encoder.write_image(bytes, self.width as u32, self.height as u32, colours)
    }
}

/// The nearest samples of 8 bits.
fn in_8_bits(samples: &[u16], name: &str) -> Outcome<Vec<u8>> {
    let mut narrow = memory::room(samples.len(), name)?;
    // 65,535 is 255 times 257.
    narrow.extend(samples.iter().map(|&sample| ((u32::from(sample) + 128) / 257) as u8));
    Ok(narrow)
}

/// What a decoder or encoder says, in a few words.
fn words(error: &ImageError) -> String {
    match error {
        ImageError::Limits(_) => format!("the picture is too large: more than {} are not decoded", show_bytes(LARGEST)),
        ImageError::IoError(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            "the picture is cut off".to_owned()
        }
        error => format!("broken picture: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gradient(colours: Colours, bits: usize) -> Raster {
        let (height, width) = (9, 13);
        let count = height * width * colours.channels();
        let samples = match bits {
            8 => Samples::U8((0..count).map(|i| (i * 2 % 256) as u8).collect()),
            _ => Samples::U16((0..count).map(|i| (i * 555 % 65_536) as u16).collect()),
        };
        Raster { height, width, colours, samples, profile: None }
    }

    const ALL: [Colours; 4] = [Colours::Grey, Colours::GreyAlpha, Colours::Rgb, Colours::Rgba];

    #[test]
    fn png_keeps_everything() {
        for colours in ALL {
            for bits in [8, 16] {
                for profile in [None, Some(b"not really a profile".to_vec())] {
                    let picture = Raster { profile, ..gradient(colours, bits) };
                    let again = Raster::decode(&picture.encode(Format::Png, "out").unwrap(), "in").unwrap();
                    assert_eq!((again.height, again.width, again.colours), (9, 13, colours));
                    assert_eq!((again.samples, again.profile), (picture.samples, picture.profile));
                }
            }
        }
    }

    #[test]
    fn jpeg_keeps_nearly_everything_but_alpha() {
        for colours in [Colours::Grey, Colours::Rgb] {
            let flat = |bits| Raster {
                samples: match bits {
                    8 => Samples::U8(vec![77; 117 * colours.channels()]),
                    _ => Samples::U16(vec![77 * 257 + 100; 117 * colours.channels()]),
                },
                profile: Some(b"a profile".to_vec()),
                ..gradient(colours, 8)
            };
            for bits in [8, 16] {
                let bytes = flat(bits).encode(Format::Jpeg(95), "out").unwrap();
                let again = Raster::decode(&bytes, "in").unwrap();
                assert_eq!((again.height, again.width, again.colours), (9, 13, colours));
                assert_eq!(again.profile.as_deref(), Some(&b"a profile"[..]));
                let Samples::U8(samples) = again.samples else { panic!("8 bits") };
                assert!(samples.iter().all(|&sample| sample.abs_diff(77) <= 1), "{samples:?}");
            }
        }
        for colours in [Colours::GreyAlpha, Colours::Rgba] {
            let message = gradient(colours, 8).encode(Format::Jpeg(90), "out.jpg").unwrap_err().to_string();
            assert!(message.contains("out.jpg") && message.contains("alpha"), "{message}");
        }
        assert_eq!(in_8_bits(&[0, 128, 129, 65_535, 65_406, 65_407], "").unwrap(), [0, 0, 1, 255, 254, 255]);
    }

    #[test]
    fn files_that_are_cut_or_changed_are_errors_or_pictures() {
        let picture = gradient(Colours::Rgb, 8);
        for format in [Format::Png, Format::Jpeg(90)] {
            let bytes = picture.encode(format, "out").unwrap();
            for cut in 0..bytes.len() {
                let message = Raster::decode(&bytes[..cut], "in").unwrap_err().to_string();
                assert!(message.starts_with("in: "), "{format:?} {cut}: {message}");
            }
            for place in 0..bytes.len() {
                let mut changed = bytes.clone();
                changed[place] ^= 0x55;
                // No panic. A JPEG has no checksums, so what is changed may be another picture.
                let _ = Raster::decode(&changed, "in");
            }
        }
    }

    #[test]
    fn a_picture_that_would_fill_the_memory_is_refused() {
        let mut bytes = gradient(Colours::Rgba, 16).encode(Format::Png, "out").unwrap();
        // 200,000 x 200,000 in the header, and its checksum.
        bytes[16..24].copy_from_slice(&[0, 3, 13, 64, 0, 3, 13, 64]);
        let sum = whole::crc(&bytes[12..29]);
        bytes[29..33].copy_from_slice(&sum.to_be_bytes());
        let message = Raster::decode(&bytes, "bomb.png").unwrap_err().to_string();
        assert!(message.starts_with("bomb.png: ") && message.contains("4.0 GiB"), "{message}");
    }

    #[test]
    fn names_tell_formats() {
        for (name, format) in [
            ("a.png", Format::Png),
            ("a.PNG", Format::Png),
            ("a.jpg", Format::Jpeg(80)),
            ("x/b.Jpeg", Format::Jpeg(80)),
        ] {
            assert_eq!(Format::of_name(Path::new(name), 80).unwrap(), format, "{name}");
        }
        assert_eq!(Format::of_name(Path::new("-"), 80).unwrap(), Format::Png);
        for name in ["a", "a.gif", "png", "a.png.bak", ".png"] {
            assert!(Format::of_name(Path::new(name), 80).is_err(), "{name}");
        }
    }
}
