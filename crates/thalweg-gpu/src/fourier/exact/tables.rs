//! Roots of unity for the device: see thalweg-fourier's `exact/ntt/tables.rs` for their order.
//!
//! The root of a block's number is the product of two of a short table, because a long one would have to be read.

use thalweg_fourier::exact::Prime;

/// Entries for the low bits of a number.
const LOW: usize = 1024;

/// Words of both directions' tables, for transforms of 2^`log` elements.
#[derive(Debug)]
pub(super) struct Roots {
    pub(super) words: Vec<u32>,
    /// Entries for the high bits.
    pub(super) high: u32,
}

impl Roots {
    pub(super) fn new(prime: &Prime, log: u32) -> Self {
        let high = (1usize << (log - 1)).div_ceil(LOW);
        let mut words = Vec::with_capacity(2 * (LOW + high + 16));
        for is_inverse in [false, true] {
            let root = |order: u32| {
                let root = prime.root(order);
                if is_inverse { prime.inverse_of(root) } else { root }
            };
            let low = doubled(prime, LOW, |bit| root(bit + 2));
            let quarter = prime.factor(root(2));
            let powers: Vec<u32> = (1..4)
                .flat_map(|c| {
                    let base = [2, 4, 6][c - 1];
                    (1..4).map(move |exponent| (base, exponent))
                })
                .map(|(b, exponent)| prime.factor(prime.power(low[b], exponent)))
                .collect();
            words.extend(low.iter().map(|&x| prime.factor(x)));
            words.extend(doubled(prime, high, |bit| root(bit + 12)).iter().map(|&x| prime.factor(x)));
            words.push(quarter);
            words.extend(powers);
            words.extend([0; 6]);
        }
        Self { words, high: high as u32 }
    }
}

/// The table whose element `2^bit + b` is `root(bit)` times element `b`.
fn doubled(prime: &Prime, len: usize, root: impl Fn(u32) -> u32) -> Vec<u32> {
    let mut table = vec![1];
    while table.len() < len {
        let factor = root(table.len().ilog2());
        table.extend_from_within(..);
        let half = table.len() / 2;
        table[half..].iter_mut().for_each(|x| *x = prime.times(*x, factor));
    }
    table
}
