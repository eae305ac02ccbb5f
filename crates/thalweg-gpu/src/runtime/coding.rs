//! How keys look on the device: as 32-bit words, with a coding that turns their bits into ranks.
//!
//! Keys of 8 to 32 bits take one word, keys of 64 bits two (low word first). Kernels are written for a type `Key` and a
//! few functions on it, which `key32.wgsl` and `key64.wgsl` provide; no 64-bit integers are needed on the device.
#![allow(unsafe_code)]

use thalweg_core::{Coding, Key, Rank};

use crate::wgsl;

/// What a kernel must know of a [`Coding`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct KeyCode {
    /// 32-bit words of a key.
    pub(crate) words: u32,
    /// Integers: the bits to flip. Floats: all bits for [`Order::Max`](thalweg_core::Order::Max), after they have been put
    /// in order.
    pub(crate) flip: u64,
    pub(crate) float: bool,
}

impl From<Coding> for KeyCode {
    fn from(coding: Coding) -> Self {
        Self { words: words_of(coding.bytes()), flip: coding.flip(), float: coding.is_float() }
    }
}

impl KeyCode {
    /// No flips, no floats: unsigned words compared as they are.
    pub(crate) fn plain(words: u32) -> Self {
        Self { words, flip: 0, float: false }
    }

    /// The part of a kernel's text that defines `Key` and its functions.
    pub(crate) fn prelude(&self) -> String {
        let text = if self.words == 1 { wgsl::KEY32 } else { wgsl::KEY64 };
        let (low, high) = (self.flip as u32, (self.flip >> 32) as u32);
        format!("const FLIP_LOW = {low}u;\nconst FLIP_HIGH = {high}u;\nconst FLOAT = {};\n{text}\n", self.float)
    }
}

/// The bits of the key with this rank; where several bit patterns have it, those of 0.0 or NaN.
pub(crate) fn bits_of_rank(coding: Coding, rank: u64) -> u64 {
    fn unrank<R: Rank>(coding: Coding, rank: u64, nan: u64) -> u64 {
        let rank = R::from_u64(rank);
        // What has no bits of its own is a NaN, which is the worst of all, or a zero.
        let shared = if rank == R::WORST { nan } else { 0 };
        rank.unrank(coding.ranking::<R>()).map_or(shared, R::to_u64)
    }
    match coding.bytes() {
        1 => unrank::<u8>(coding, rank, 0),
        2 => unrank::<u16>(coding, rank, 0),
        4 => unrank::<u32>(coding, rank, f32::NAN.to_bits().into()),
        _ => unrank::<u64>(coding, rank, f64::NAN.to_bits()),
    }
}

/// 32-bit words that a key of so many bytes takes on the device.
pub(crate) const fn words_of(bytes: usize) -> u32 {
    bytes.div_ceil(4) as u32
}

/// 32-bit words that a key takes on the device.
pub(crate) fn words<K: Key>() -> u32 {
    size_of::<K>().div_ceil(4) as u32
}

/// Keys as bytes, for those whose bytes on the device are the same: 32 and 64 bits.
pub(crate) fn as_bytes<K: Rank>(keys: &[K]) -> Option<&[u8]> {
    // SAFETY: `Rank` is sealed and its types are plain numbers without padding.
    (size_of::<K>() >= 4).then(|| unsafe { std::slice::from_raw_parts(keys.as_ptr().cast(), size_of_val(keys)) })
}

/// The same, to be written.
pub(crate) fn as_bytes_mut<K: Rank>(keys: &mut [K]) -> Option<&mut [u8]> {
    let size = size_of_val(keys);
    // SAFETY: as above, and every bit pattern is a key.
    (size_of::<K>() >= 4).then(|| unsafe { std::slice::from_raw_parts_mut(keys.as_mut_ptr().cast(), size) })
}

#[cfg(test)]
mod tests {
    use thalweg_core::Order;

    use super::*;

    fn check<K: Key>(keys: &[K]) {
        for order in [Order::Min, Order::Max] {
            for &key in keys {
                let bits = bits_of_rank(Coding::of::<K>(order), key.rank(order).to_u64());
                let back = K::from_low_bits(bits);
                assert_eq!(back.rank(order), key.rank(order), "{key:?} {order:?}");
                let canonical = if key == K::default() { K::default() } else { key };
                let is_number = key.partial_cmp(&key).is_some();
                assert!(!is_number || bits == canonical.to_low_bits(), "{key:?} {order:?}");
                assert!(is_number || bits == K::from_f64(f64::NAN).to_low_bits(), "{key:?} {order:?}");
            }
        }
    }

    #[test]
    fn ranks_lead_back_to_bits() {
        macro_rules! one {
            ($t:ident) => {
                let mut keys: Vec<$t> = (0..64).map(|i| $t::from_low_bits(1u64 << i)).collect();
                keys.extend((0..64).map(|i| $t::from_low_bits(!(1u64 << i))));
                keys.extend([0.0, -0.0, f64::NAN, -f64::NAN, f64::INFINITY, 1e-40, -1.5].map($t::from_f64));
                check(&keys);
            };
        }
        thalweg_core::for_each_key!(one);
    }
}
