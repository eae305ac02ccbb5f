//! How often a symbol stands before a place.

use crate::Result;
use thalweg_core::error::try_filled;
use thalweg_core::parallel::for_each_chunk_mut;
use thalweg_core::simd::prefetch;

/// Symbols below 256, few of them or many: counts stand at the beginning of every cell, so that there is a byte of counts a symbol at most.
pub(super) struct Ranks {
    symbols: Vec<u8>,
    /// How often each symbol stands before each cell.
    counts: Vec<u32>,
    alphabet: usize,
    cell: usize,
}

impl Ranks {
    /// Of symbols below `alphabet`, which is one at least.
    pub(super) fn new(symbols: Vec<u8>, alphabet: usize) -> Result<Self> {
        let cell = (4 * alphabet).next_power_of_two().clamp(64, 1024);
        let cells = symbols.len() / cell + 1;
        let mut counts: Vec<u32> = try_filled(cells * alphabet, 0, "counts of symbols")?;
        // Of each cell by itself, put behind it ...
        for_each_chunk_mut(&mut counts[alphabet..], 64 * alphabet, &|first, counts| {
            for (i, counts) in counts.chunks_exact_mut(alphabet).enumerate() {
                let start = (first / alphabet + i) * cell;
                symbols[start..start + cell].iter().for_each(|&symbol| counts[usize::from(symbol)] += 1);
            }
        });
        // ... and added up.
        for i in alphabet..counts.len() {
            counts[i] += counts[i - alphabet];
        }
        Ok(Self { symbols, counts, alphabet, cell })
    }

    pub(super) fn symbols(&self) -> &[u8] {
        &self.symbols
    }

    /// How often the symbol stands before the place.
    #[inline]
    pub(super) fn before(&self, symbol: u8, place: usize) -> usize {
        let (cell, within) = (place / self.cell, place % self.cell);
        let count = |cell: usize| self.counts[cell * self.alphabet + usize::from(symbol)] as usize;
        let start = cell * self.cell;
        // From the nearer side; there are no counts behind a last cell that is not full.
        if 2 * within <= self.cell || start + self.cell > self.symbols.len() {
            count(cell) + occurrences(symbol, &self.symbols[start..place])
        } else {
            count(cell + 1) - occurrences(symbol, &self.symbols[place..start + self.cell])
        }
    }

    /// Looks at what [`Ranks::before`] will: it comes while others are asked.
    #[inline]
    pub(super) fn ask(&self, symbol: u8, place: usize) {
        let cell = place / self.cell;
        let near = (2 * (place % self.cell) > self.cell && (cell + 1) * self.cell <= self.symbols.len()) as usize;
        prefetch(&self.counts, (cell + near) * self.alphabet + usize::from(symbol));
        prefetch(&self.symbols, place);
        prefetch(&self.symbols, if near == 1 { place + 64 } else { place.saturating_sub(64) });
    }
}

fn occurrences(symbol: u8, symbols: &[u8]) -> usize {
    memchr::memchr_iter(symbol, symbols).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_a_scan() {
        for alphabet in [1usize, 2, 5, 17, 100, 256] {
            for len in [0usize, 1, 63, 64, 65, 1023, 1024, 1025, 5000] {
                let symbols: Vec<u8> =
                    (0..len).map(|i| ((i.wrapping_mul(2_654_435_761) >> 7) % alphabet) as u8).collect();
                let ranks = Ranks::new(symbols.clone(), alphabet).unwrap();
                for symbol in [0, alphabet / 2, alphabet - 1].map(|symbol| symbol as u8) {
                    let mut before = 0;
                    for place in 0..=len {
                        assert_eq!(ranks.before(symbol, place), before, "{symbol} before {place} of {len}");
                        before += usize::from(symbols.get(place) == Some(&symbol));
                    }
                }
            }
        }
    }
}
