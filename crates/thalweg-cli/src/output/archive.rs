//! `.npz`: a ZIP archive with one array, stored as it is, so that it can be used where it lies.
//!
//! Written as it comes: the checksum, which is known at the end, stands behind the data and in the directory. All lengths have 64
//! bits.

use crc32fast::Hasher;

/// An archive that is being written.
pub struct Archive {
    name: String,
    checksum: Hasher,
    /// Bytes of the member's own header.
    head: u64,
    /// Bytes of the member.
    size: u64,
}

/// Version 4.5 of the format: lengths of 64 bits.
const VERSION: u16 = 45;
/// The checksum stands behind the data; names are UTF-8.
const FLAGS: u16 = 1 << 3 | 1 << 11;
/// The first day that the format knows: the same array makes the same file.
const DATE: u16 = 1 << 5 | 1;

impl Archive {
    /// An archive for an array of this name, NumPy's own if there is none.
    pub fn new(name: Option<&str>) -> Self {
        let name = name.filter(|name| !name.is_empty()).unwrap_or("arr_0");
        Self { name: format!("{}.npy", name.trim_end_matches(".npy")), checksum: Hasher::new(), head: 0, size: 0 }
    }

    /// What stands before `length` bytes of elements: the member's header and the array's.
    pub fn begin(&mut self, header: Vec<u8>, length: u64) -> Vec<u8> {
        self.size = header.len() as u64 + length;
        let mut bytes = b"PK\x03\x04".to_vec();
        self.describe(&mut bytes, 0);
        // A field of nothing brings the elements to a multiple of 64, where they can be used in place.
        let wide = wide(&[self.size, self.size]);
        let used = bytes.len() + 4 + self.name.len() + wide.len() + 4 + header.len();
        let padding = used.next_multiple_of(64) - used;
        let extra = wide.len() + 4 + padding;
        bytes.extend((self.name.len() as u16).to_le_bytes());
        bytes.extend((extra as u16).to_le_bytes());
        bytes.extend(self.name.as_bytes());
        bytes.extend(wide);
        bytes.extend([0x4c, 0x54]);
        bytes.extend((padding as u16).to_le_bytes());
        bytes.extend(std::iter::repeat_n(0, padding));
        self.head = bytes.len() as u64;
        self.add(&header);
        bytes.extend(header);
        bytes
    }

    /// Takes note of bytes of the array.
    pub fn add(&mut self, bytes: &[u8]) {
        self.checksum.update(bytes);
    }

    /// Takes note of bytes whose checksum others have made.
    pub fn add_summed(&mut self, checksum: &Hasher) {
        self.checksum.combine(checksum);
    }

    /// What stands behind the array: its checksum, and the directory.
    pub fn end(&mut self) -> Vec<u8> {
        let crc = self.checksum.clone().finalize();
        let mut bytes = b"PK\x07\x08".to_vec();
        bytes.extend(crc.to_le_bytes());
        bytes.extend([self.size, self.size].map(u64::to_le_bytes).concat());
        let start = self.head + self.size + bytes.len() as u64;

        let mut directory = b"PK\x01\x02".to_vec();
        directory.extend(VERSION.to_le_bytes());
        self.describe(&mut directory, crc);
        let wide = wide(&[self.size, self.size]);
        directory.extend((self.name.len() as u16).to_le_bytes());
        directory.extend((wide.len() as u16).to_le_bytes());
        // No comment, the first disk, no attributes, and the member begins where the file does.
        directory.extend([0; 14]);
        directory.extend(self.name.as_bytes());
        directory.extend(wide);
        let length = directory.len() as u64;
        bytes.extend(directory);

        let wide_end = start + length;
        bytes.extend(b"PK\x06\x06");
        bytes.extend(44u64.to_le_bytes());
        bytes.extend([VERSION, VERSION].map(u16::to_le_bytes).concat());
        bytes.extend([0; 8]);
        bytes.extend([1, 1, length, start].map(u64::to_le_bytes).concat());
        bytes.extend(b"PK\x06\x07");
        bytes.extend([0; 4]);
        bytes.extend(wide_end.to_le_bytes());
        bytes.extend(1u32.to_le_bytes());
        bytes.extend(b"PK\x05\x06");
        bytes.extend([0; 4]);
        bytes.extend([1u16, 1].map(u16::to_le_bytes).concat());
        bytes.extend([u32::MAX; 2].map(u32::to_le_bytes).concat());
        bytes.extend([0; 2]);
        bytes
    }

    /// The part of the headers that is the same in both: from the version to the lengths.
    fn describe(&self, bytes: &mut Vec<u8>, crc: u32) {
        bytes.extend([VERSION, FLAGS, 0, 0, DATE].map(u16::to_le_bytes).concat());
        bytes.extend([crc, u32::MAX, u32::MAX].map(u32::to_le_bytes).concat());
    }
}

/// The extra field for numbers of 64 bits.
fn wide(numbers: &[u64]) -> Vec<u8> {
    let mut field = [1u16, 8 * numbers.len() as u16].map(u16::to_le_bytes).concat();
    field.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    field
}
