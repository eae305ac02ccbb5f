//! How far two places of a text agree.

use bytemuck::cast_slice;

use crate::symbol::Symbol;

/// Bytes that are compared at a time once a match turns out to be long: the loop over them is vectorised.
const STRIDE: usize = 64;

/// Length of the common prefix of the suffixes at `i` and `j`; 0 beyond the text's end.
#[inline(always)]
pub(crate) fn common_prefix<T: Symbol>(text: &[T], i: usize, j: usize) -> usize {
    let suffix = |at: usize| cast_slice(text.get(at..).unwrap_or(&[]));
    common_bytes(suffix(i), suffix(j)) / size_of::<T>()
}

/// Length of the common prefix of two strings.
#[inline(always)]
pub(crate) fn common_bytes(a: &[u8], b: &[u8]) -> usize {
    let len = a.len().min(b.len());
    let (a, b) = (&a[..len], &b[..len]);
    // Most matches end in the first words.
    let mut at = 0;
    while at + 8 <= len && at < STRIDE {
        let differ = word(a, at) ^ word(b, at);
        if differ != 0 {
            return at + differ.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    if at == STRIDE { long(a, b, at) } else { at + rest(&a[at..], &b[at..]) }
}

/// The same, when the first `at` bytes are equal.
#[inline(never)]
fn long(a: &[u8], b: &[u8], mut at: usize) -> usize {
    for (x, y) in a[at..].chunks_exact(STRIDE).zip(b[at..].chunks_exact(STRIDE)) {
        let differ = x.iter().zip(y).fold(0, |differ, (x, y)| differ | (x ^ y));
        if differ != 0 {
            break;
        }
        at += STRIDE;
    }
    at + rest(&a[at..], &b[at..])
}

/// The same, for short strings of one length.
#[inline(always)]
fn rest(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(x, y)| x == y).count()
}

/// The eight bytes at a place, the first one lowest.
#[inline(always)]
fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_and_end() {
        for total in [0, 1, 7, 8, 9, 63, 64, 65, 127, 128, 129, 200] {
            for common in 0..=total {
                let a = vec![7u8; total];
                let mut b = a.clone();
                if let Some(byte) = b.get_mut(common) {
                    *byte = 8;
                }
                assert_eq!(common_bytes(&a, &b), common);
                assert_eq!(common_bytes(&a, &b[..common]), common);
            }
        }
        assert_eq!(common_prefix(&[1u32, 2, 3, 1, 2, 259], 0, 3), 2);
        assert_eq!(common_prefix(&[1u8, 1], 0, 3), 0);
    }
}
