//! Lengths a + b√2 as single 32-bit numbers that compare and add as the lengths do.
//!
//! With Q/P next to √2 (from its continued fraction), a P + b Q orders like a + b√2 as long as b < P: a fraction between Q/P
//! and √2 has a larger denominator than P. So the kernels' lengths are sums of 32 bits, atomic minima are exact, and the host
//! gets a and b back: b is the number below P that leaves a multiple of P. Lengths that are too large for that are told apart
//! by the kernels, and are for others to find.

use thalweg_graph::path::{Length, Moves};

/// P and Q: (1 + √2)^12 and so on lead to 33461 and 47321, and to 13860 and 19601; these are their sums.
const STRAIGHT: u32 = 47_321;
const DIAGONAL: u32 = 66_922;

/// How a kernel counts lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Units {
    /// A straight step.
    pub(super) straight: u32,
    /// A diagonal step.
    pub(super) diagonal: u32,
    /// The largest length that is known to be right.
    pub(super) most: u32,
}

impl Units {
    pub(super) const fn of(moves: Moves) -> Self {
        match moves {
            // Steps all count the same. The rest of the numbers is for what is no length.
            Moves::Four => Self { straight: 1, diagonal: 0, most: u32::MAX - (1 << 16) },
            // Less than P Q, so that b < P, by a margin: also the b of whatever is a little shorter is less than P.
            Moves::Eight => Self { straight: STRAIGHT, diagonal: DIAGONAL, most: 3_160_000_000 },
        }
    }

    /// The length that a kernel's number stands for.
    pub(super) fn length(self, number: u32) -> Length {
        if self.diagonal == 0 {
            return Length::new(number.into(), 0);
        }
        let (p, q, number) = (u64::from(STRAIGHT), u64::from(DIAGONAL), u64::from(number));
        let b = number * INVERSE % p;
        Length::new((number - b * q) / p, b)
    }
}

/// What times Q is 1 modulo P.
const INVERSE: u64 = {
    let mut x = 1;
    while x * DIAGONAL as u64 % STRAIGHT as u64 != 1 {
        x += 1;
    }
    x
};

#[cfg(test)]
mod tests {
    use super::*;

    fn number(length: Length) -> Option<u32> {
        let sum = length.straight * u64::from(STRAIGHT) + length.diagonal * u64::from(DIAGONAL);
        u32::try_from(sum).ok().filter(|&sum| sum <= Units::of(Moves::Eight).most)
    }

    #[test]
    fn numbers_are_lengths() {
        let units = Units::of(Moves::Eight);
        for a in [0, 1, 2, 17, 4095, 30_000, 66_776] {
            for b in [0, 1, 2, 40, 999, 20_000, 47_000] {
                let length = Length::new(a, b);
                if let Some(number) = number(length) {
                    assert_eq!(units.length(number), length);
                }
            }
        }
        assert_eq!(Units::of(Moves::Four).length(12), Length::new(12, 0));
    }

    #[test]
    fn the_order_is_that_of_lengths() {
        // The hardest pairs differ by fractions next to √2.
        let (mut p, mut q, mut checked) = (1, 1, 0);
        while p < 66_000 {
            for (x, y) in [(p, q), (p + 1, q), (p, q + 1), (p + q, q), (2 * p + q, p + q)] {
                let (a, b) = (Length::new(x, 0), Length::new(0, y));
                if let (Some(m), Some(n)) = (number(a), number(b)) {
                    assert_eq!(m.cmp(&n), a.cmp(&b), "{x} {y}");
                    checked += 1;
                }
            }
            (p, q) = (p + 2 * q, p + q);
        }
        assert!(checked > 40);
        // All pairs next to each other in order of the numbers.
        let mut all: Vec<_> = (0..300)
            .flat_map(|a| (0..300).map(move |b| Length::new(a * 97, b * 61)))
            .filter_map(|length| Some((number(length)?, length)))
            .collect();
        all.sort_unstable_by_key(|&(number, _)| number);
        assert!(all.is_sorted_by(|a, b| a.1 < b.1));
    }
}
