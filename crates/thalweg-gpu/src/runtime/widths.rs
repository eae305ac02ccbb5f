//! Positions that have 64 bits on the host and 32 on the device: they change their width on the way, on all threads.

use rayon::prelude::*;
use thalweg_core::Position;

/// Items that one thread converts at a time.
const SLICE: usize = 1 << 14;

/// Pairs as the device has them, for a piece of staging memory. What has more than 32 bits becomes `u32::MAX`, which is
/// beyond every array there.
pub(crate) fn narrow<P: Position>(pairs: &[[P; 2]], staged: &mut [u8]) {
    let narrow = |position: P| u32::try_from(position.get()).unwrap_or(u32::MAX);
    staged.par_chunks_mut(8 * SLICE).zip(pairs.par_chunks(SLICE)).for_each(|(staged, pairs)| {
        for (staged, &[first, second]) in staged.chunks_exact_mut(8).zip(pairs) {
            let pair = u64::from(narrow(first)) | u64::from(narrow(second)) << 32;
            staged.copy_from_slice(&pair.to_le_bytes());
        }
    });
}

/// Positions from a piece of staging memory; `u32::MAX` is none.
pub(crate) fn widen<P: Position>(staged: &[u8], out: &mut [P]) {
    out.par_chunks_mut(SLICE).zip(staged.par_chunks(4 * SLICE)).for_each(|(out, staged)| {
        for (out, word) in out.iter_mut().zip(staged.as_chunks::<4>().0) {
            let word = u32::from_le_bytes(*word);
            *out = if word == u32::MAX { P::NONE } else { P::new(word as usize) };
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_beyond_every_array() {
        let mut pairs: Vec<[u64; 2]> = (0..40_000).map(|i| [i, u64::from(u32::MAX) - 1 - i]).collect();
        pairs[20_001] = [1 << 32, u64::MAX];
        let mut staged = vec![0; 8 * pairs.len()];
        narrow(&pairs, &mut staged);
        let mut back = vec![0u64; 2 * pairs.len()];
        widen(&staged, &mut back);
        pairs[20_001] = [u64::NONE; 2];
        assert_eq!(back, pairs.as_flattened());
    }
}
