//! Roots of unity, in the order in which passes need them.
//!
//! A block of the transform holds a polynomial modulo `x^n - r`. Its two halves are taken modulo `x^(n/2) - s` and
//! `x^(n/2) + s`, where `s^2 = r`: the factor `s` is the same for the whole block, and in the natural order of blocks the
//! factors are roots in the order of reversed bits, `e(sum b_i 2^i) = sum b_i 2^-(i + 2)` of the circle. That does not depend
//! on the length: one table serves all, from the front.

use thalweg_core::simd::Level;

use super::scale::scaled;
use crate::Result;
use crate::exact::prime::Prime;

/// The factors of one direction, stored for [`Prime`].
#[derive(Debug)]
pub(super) struct Roots {
    /// `root[b]`: the factor that halves block `b`.
    pub root: Vec<u32>,
    /// `root[b] * root[2 b]`: the third factor of a pass that quarters blocks.
    pub third: Vec<u32>,
    /// `root[8 b]`: what the factors of the last four levels are made of, for blocks of 16.
    pub last: Vec<u32>,
    /// The root of order four.
    pub quarter: u32,
    /// The first, second and third powers of `root[2]`, `root[4]`, `root[6]`.
    pub sixteenths: [[u32; 3]; 3],
}

/// The tables of a prime, both ways.
#[derive(Debug)]
pub(super) struct Tables {
    pub prime: Prime,
    pub forward: Roots,
    pub inverse: Roots,
}

impl Tables {
    /// For transforms of up to 2^`log` elements.
    pub fn new(level: Level, prime: &Prime, log: u32) -> Result<Self> {
        let forward = Roots::new(level, prime, log, |order| prime.root(order))?;
        let inverse = Roots::new(level, prime, log, |order| prime.inverse_of(prime.root(order)))?;
        Ok(Self { prime: *prime, forward, inverse })
    }
}

impl Roots {
    fn new(level: Level, prime: &Prime, log: u32, root: impl Fn(u32) -> u32) -> Result<Self> {
        let blocks = 1usize << log.saturating_sub(6);
        let mut all = doubled(level, prime, (2 * blocks).max(8), |bit| root(bit + 2))?;
        let last = doubled(level, prime, 4 * blocks, |bit| root(bit + 5))?;
        let mut third = Vec::new();
        third.try_reserve_exact(blocks).map_err(|_| out_of_memory(blocks))?;
        let inverse = prime.inverse_of(prime.one);
        third.extend((0..blocks).map(|b| prime.times(prime.times(all[b], all[2 * b]), inverse)));
        let power = |c: usize, exponent: u64| prime.factor(prime.power(prime.times(all[2 * c], inverse), exponent));
        let sixteenths = [1, 2, 3].map(|c| [power(c, 1), power(c, 2), power(c, 3)]);
        let quarter = all[1];
        all.truncate((2 * blocks).max(2));
        Ok(Self { root: all, third, last, quarter, sixteenths })
    }
}

/// The table whose element `2^bit + b` is `root(bit)` times element `b`.
fn doubled(level: Level, prime: &Prime, len: usize, root: impl Fn(u32) -> u32) -> Result<Vec<u32>> {
    let mut table = Vec::new();
    // Vectors are loaded whole, at the end too.
    let padded = len.max(16);
    table.try_reserve_exact(padded).map_err(|_| out_of_memory(padded))?;
    table.resize(padded, 0);
    table[0] = prime.one;
    let mut known = 1;
    while known < len {
        let (from, to) = table.split_at_mut(known);
        scaled(level, from, prime.factor(root(known.ilog2())), prime, &mut to[..known]);
        known *= 2;
    }
    Ok(table)
}

fn out_of_memory(len: usize) -> crate::Error {
    crate::Error::OutOfMemory { bytes: 4 * len, what: "roots of unity" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::prime::PRIMES;

    #[test]
    fn roots_are_in_the_order_of_reversed_bits() {
        for prime in &PRIMES {
            for &level in Level::available() {
                let tables = Tables::new(level, prime, 12).unwrap();
                let roots = &tables.forward;
                assert_eq!((roots.root.len(), roots.third.len(), roots.last.len()), (128, 64, 256));
                let turn = prime.root(20);
                for b in 0..128u32 {
                    let exponent: u64 = (0..7).filter(|i| b >> i & 1 == 1).map(|i| 1 << (20 - i - 2)).sum();
                    assert_eq!(roots.root[b as usize], prime.factor(prime.power(turn, exponent)), "{b}");
                    assert_eq!(roots.last[b as usize], prime.factor(prime.power(turn, exponent / 8)), "{b}");
                    let back = prime.inverse_of(prime.power(turn, exponent));
                    assert_eq!(tables.inverse.root[b as usize], prime.factor(back), "{b}");
                }
                assert_eq!(roots.quarter, prime.factor(prime.root(2)));
            }
        }
    }
}
