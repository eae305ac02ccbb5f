//! Transforms of any length, and cyclic convolutions by them.
//!
//! What fits a cache is transformed pass by pass. Longer ones are a matrix of rows of [`BLOCK`] elements: first all levels
//! between rows, for some columns at a time, which are copied to a buffer because a power of two between rows would put
//! them into the same few places of every cache; then every row on its own. On the way back the rows come first.
#![allow(unsafe_code)]

use thalweg_core::disjoint::Disjoint;
use thalweg_core::parallel::for_each_chunk;
use thalweg_core::simd::Level;

use super::passes::{LAST, forward, inverse, multiply};
use super::tables::{Roots, Tables};
use crate::exact::prime::Prime;

/// Elements of a row. 64 KiB: with the other factor's row, it stays in a second-level cache.
const BLOCK: usize = 1 << 14;

/// The longest transform that is not cut in rows.
const WHOLE: usize = 1 << 15;

/// Elements of the buffer of columns (twice as many for the longest transforms), and most columns in it.
const STRIP: usize = 1 << 15;
const MOST_COLUMNS: usize = 64;

/// How transforms are carried out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run<'t> {
    pub tables: &'t Tables,
    pub level: Level,
    /// On all threads, or on the caller's alone.
    pub on_all_threads: bool,
}

/// The other factor of a cyclic convolution.
pub(super) enum Other<'v> {
    /// Its transform is known.
    Transformed(&'v [u32]),
    /// It is still to be transformed, in its place.
    Plain(&'v mut [u32]),
}

impl Run<'_> {
    fn each(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        if self.on_all_threads {
            for_each_chunk(count, 1, &|range| range.for_each(work));
        } else {
            (0..count).for_each(work);
        }
    }

    fn prime(&self) -> &Prime {
        &self.tables.prime
    }

    /// The levels between rows.
    fn columns(&self, values: &mut [u32], roots: &Roots, pass: fn(Level, &mut [u32], usize, usize, &Roots, &Prime)) {
        let rows = values.len() / BLOCK;
        // Not so few that the last pass would follow.
        let columns = (STRIP / rows).clamp(2 * LAST, MOST_COLUMNS);
        let values = Disjoint::new(values);
        self.each(BLOCK / columns, &|strip| {
            let mut buffer = vec![0; rows * columns];
            // SAFETY: inside; strips do not overlap.
            let row = |r: usize| unsafe {
                let start = r * BLOCK + strip * columns;
                values.slice_mut(start..start + columns)
            };
            for (r, part) in buffer.chunks_exact_mut(columns).enumerate() {
                part.copy_from_slice(row(r));
            }
            pass(self.level, &mut buffer, columns, 0, roots, self.prime());
            for (r, part) in buffer.chunks_exact(columns).enumerate() {
                row(r).copy_from_slice(part);
            }
        });
    }

    /// The transform, in an order of its own; of numbers below `2 p`, as the result is.
    pub fn forward(&self, values: &mut [u32]) {
        let row = row_len(values.len());
        if row < values.len() {
            self.columns(values, &self.tables.forward, forward);
        }
        let rows = Disjoint::new(values);
        self.each(rows.len() / row, &|r| {
            // SAFETY: inside; rows do not overlap.
            let values = unsafe { rows.slice_mut(r * row..(r + 1) * row) };
            forward(self.level, values, LAST, r, &self.tables.forward, self.prime());
        });
    }

    /// The way back, of residues; divided by the length if they have been multiplied by [`Run::scale`].
    pub fn inverse(&self, values: &mut [u32]) {
        let row = row_len(values.len());
        let rows = Disjoint::new(values);
        self.each(rows.len() / row, &|r| {
            // SAFETY: as above.
            let values = unsafe { rows.slice_mut(r * row..(r + 1) * row) };
            inverse(self.level, values, LAST, r, &self.tables.inverse, self.prime());
        });
        if row < values.len() {
            self.columns(values, &self.tables.inverse, inverse);
        }
    }

    /// The stored factor by which products of transforms, divided by 2^32 as they are, become those of which the way back makes
    /// the convolution.
    pub fn scale(&self, len: usize) -> u32 {
        let prime = self.prime();
        prime.factor(prime.factor(prime.inverse_of((len as u64 % u64::from(prime.p)) as u32)))
    }

    /// The cyclic convolution of residues with others as many.
    pub fn convolve(&self, values: &mut [u32], mut other: Other<'_>) {
        let len = values.len();
        let (row, scale) = (row_len(len), self.scale(len));
        if row < len {
            self.columns(values, &self.tables.forward, forward);
            if let Other::Plain(other) = &mut other {
                self.columns(other, &self.tables.forward, forward);
            }
        }
        let rows = Disjoint::new(values);
        let (known, unknown) = match other {
            Other::Transformed(other) => (Some(other), None),
            Other::Plain(other) => (None, Some(Disjoint::new(other))),
        };
        let (prime, tables, level) = (self.prime(), self.tables, self.level);
        self.each(len / row, &|r| {
            let place = r * row..(r + 1) * row;
            // SAFETY: as above.
            let values = unsafe { rows.slice_mut(place.clone()) };
            forward(level, values, LAST, r, &tables.forward, prime);
            let other = match (known, unknown) {
                (Some(other), _) => &other[place],
                (None, Some(other)) => {
                    // SAFETY: as above.
                    let other = unsafe { other.slice_mut(place) };
                    forward(level, other, LAST, r, &tables.forward, prime);
                    other
                }
                _ => unreachable!("one of them is there"),
            };
            multiply(level, values, other, scale, prime);
            inverse(level, values, LAST, r, &tables.inverse, prime);
        });
        if row < len {
            self.columns(values, &self.tables.inverse, inverse);
        }
    }
}

/// The length of rows.
fn row_len(len: usize) -> usize {
    if len <= WHOLE { len } else { BLOCK }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::prime::PRIMES;

    fn cyclic(a: &[u32], b: &[u32], p: u32) -> Vec<u32> {
        let (n, p) = (a.len(), u64::from(p));
        let mut sums = vec![0; n];
        for (i, &x) in a.iter().enumerate().filter(|(_, x)| **x != 0) {
            for (j, &y) in b.iter().enumerate().filter(|(_, y)| **y != 0) {
                let sum = &mut sums[(i + j) % n];
                *sum = (*sum + u64::from(x) * u64::from(y)) % p;
            }
        }
        sums.into_iter().map(|sum| sum as u32).collect()
    }

    fn noise(len: usize, p: u32, seed: u64, every: usize) -> Vec<u32> {
        let mut state = seed;
        (0..len)
            .map(|i| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let value = ((state >> 32) as u32) % p;
                if i % every == 0 { value } else { 0 }
            })
            .collect()
    }

    #[test]
    fn convolutions_at_every_level_and_length() {
        for prime in &PRIMES {
            for &level in Level::available() {
                for log in 8..19 {
                    let len = 1 << log;
                    let tables = Tables::new(level, prime, log).unwrap();
                    let run = Run { tables: &tables, level, on_all_threads: log % 2 == 0 };
                    let mut a = noise(len, prime.p, 1, len / 256);
                    let mut b = noise(len, prime.p, 2, (len / 128) | 1);
                    a[len - 1] = prime.p - 1;
                    b[len - 1] = prime.p - 1;
                    let expected = cyclic(&a, &b, prime.p);
                    let mut spectrum = b.clone();
                    run.forward(&mut spectrum);
                    let mut found = a.clone();
                    run.convolve(&mut found, Other::Transformed(&spectrum));
                    assert!(found == expected, "{} {level:?} 2^{log}", prime.p);
                    run.convolve(&mut a, Other::Plain(&mut b));
                    assert!(a == expected, "{} {level:?} 2^{log}", prime.p);
                }
            }
        }
    }

    /// The longest ones, in which columns are the narrowest.
    #[test]
    fn long_convolutions() {
        let (prime, level) = (&PRIMES[0], Level::best());
        for log in [19, 22, 25] {
            let len = 1 << log;
            let tables = Tables::new(level, prime, log).unwrap();
            let run = Run { tables: &tables, level, on_all_threads: true };
            let mut a = noise(len, prime.p, 1, len / 64 + 1);
            let mut b = noise(len, prime.p, 2, len / 61 + 7);
            let expected = cyclic(&a, &b, prime.p);
            run.convolve(&mut a, Other::Plain(&mut b));
            assert!(a == expected, "2^{log}");
        }
    }

    #[test]
    fn a_wrong_factor_is_seen() {
        let (prime, level, log) = (&PRIMES[0], Level::best(), 12);
        let (a, b) = (noise(1 << log, prime.p, 1, 1), noise(1 << log, prime.p, 2, 1));
        let convolved = |tables: &Tables| {
            let mut a = a.clone();
            Run { tables, level, on_all_threads: false }.convolve(&mut a, Other::Plain(&mut b.clone()));
            a
        };
        let mut tables = Tables::new(level, prime, log).unwrap();
        let right = convolved(&tables);
        // The last entry of every table that is used, and one in the middle.
        let changes: [fn(&mut Roots) -> &mut u32; 6] = [
            |roots| &mut roots.root[126],
            |roots| &mut roots.root[5],
            |roots| roots.third.last_mut().unwrap(),
            |roots| roots.last.last_mut().unwrap(),
            |roots| &mut roots.quarter,
            |roots| &mut roots.sixteenths[2][2],
        ];
        for change in changes {
            for is_forward in [true, false] {
                let roots = if is_forward { &mut tables.forward } else { &mut tables.inverse };
                let kept = std::mem::replace(change(roots), 1);
                assert!(convolved(&tables) != right);
                let roots = if is_forward { &mut tables.forward } else { &mut tables.inverse };
                *change(roots) = kept;
            }
        }
        assert!(convolved(&tables) == right);
    }
}
