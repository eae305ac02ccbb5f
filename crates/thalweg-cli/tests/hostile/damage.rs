//! Damage to files, the same for the same numbers.

/// Kinds of damage.
pub const VARIANTS: u64 = 6;

/// Numbers that look random (SplitMix64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ x >> 31
    }

    /// One of `0..bound`, which is not 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// What was done, and the file after it.
pub fn damage(variant: u64, file: &[u8], random: &mut Random) -> (String, Vec<u8>) {
    let mut bytes = file.to_vec();
    let len = bytes.len().max(1) as u64;
    // Heads are the most delicate.
    let head = len.min(160);
    match variant {
        0 => {
            bytes.truncate(random.below(len) as usize);
            (format!("cut to {} bytes", bytes.len()), bytes)
        }
        1 | 2 => {
            let place = random.below(if variant == 1 { head } else { len }) as usize;
            let value = random.next() as u8;
            bytes.get_mut(place).into_iter().for_each(|byte| *byte = value);
            (format!("byte {place} is {value}"), bytes)
        }
        3 => {
            // Lengths and counts are words, and digits.
            let place = random.below(head) as usize;
            let word = [0, u64::MAX, 1 << 32, 1 << 63, 0x3939_3939_3939_3939][random.below(5) as usize].to_le_bytes();
            bytes.iter_mut().skip(place).zip(word).for_each(|(byte, value)| *byte = value);
            (format!("bytes from {place} on are {word:?}"), bytes)
        }
        4 => {
            let more = 1 + random.below(64);
            bytes.extend((0..more).map(|_| random.next() as u8));
            (format!("{more} bytes more"), bytes)
        }
        _ => {
            let (from, to) = (random.below(len) as usize, random.below(len) as usize);
            let piece: Vec<u8> = bytes.iter().skip(from).take(16).copied().collect();
            bytes.iter_mut().skip(to).zip(piece).for_each(|(byte, value)| *byte = value);
            (format!("16 bytes of {from} are at {to}, too"), bytes)
        }
    }
}
