//! Lengths of paths, exact: a + b√2.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, AddAssign};

/// The length of a path on a grid: `straight + diagonal * √2`.
///
/// Without costs the two count steps; with costs they are sums of the costs of the cells entered. The order is that of the
/// numbers, exactly: √2 is irrational, so two lengths are equal only if both parts are.
///
/// ```
/// # mod thalweg { pub use thalweg_graph as graph; pub use thalweg_graph::*; }
/// use thalweg::graph::path::Length;
/// let (a, b) = (Length::new(3, 0), Length::new(0, 2));
/// assert!(b < a && a < Length::new(1, 2));
/// assert_eq!((a + b).to_f64(), 3.0 + 8f64.sqrt());
/// // Next to each other, and still told apart.
/// assert!(Length::new(9_369_319, 0) < Length::new(0, 6_625_109));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Length {
    /// What straight steps cost.
    pub straight: u64,
    /// What diagonal steps cost, before it is multiplied by √2.
    pub diagonal: u64,
}

impl Length {
    /// The length of a path that stays where it is.
    pub const ZERO: Self = Self::new(0, 0);

    /// `straight + diagonal * √2`.
    pub const fn new(straight: u64, diagonal: u64) -> Self {
        Self { straight, diagonal }
    }

    /// The nearest floating-point number.
    pub fn to_f64(self) -> f64 {
        if self.diagonal == 0 {
            return self.straight as f64;
        }
        // The sum times 2^shift, rounded down: at least 64 bits of it, and at most 2^105. It is irrational, so that what was
        // cut off is never zero, and a last bit of 1 stands for it when the conversion rounds to nearest.
        let shift = self.diagonal.leading_zeros().min(self.straight.leading_zeros() + 40);
        let b = self.diagonal << shift;
        let sum = (u128::from(self.straight) << shift) + u128::from(b) + u128::from(times_root_two_less_one(b));
        ((sum << 1) | 1) as f64 * 0.5f64.powi(shift as i32 + 1)
    }
}

/// `b (√2 - 1)`, rounded down: the largest t for which (b + t)² <= 2b², that is, t (t + 2b) <= b².
fn times_root_two_less_one(b: u64) -> u64 {
    let square = u128::from(b) * u128::from(b);
    let fits = |t: u64| {
        let product = u128::from(t).checked_mul(u128::from(t) + 2 * u128::from(b));
        product.is_some_and(|product| product <= square)
    };
    let mut t = 0;
    for bit in (0..63).rev() {
        if fits(t | 1 << bit) {
            t |= 1 << bit;
        }
    }
    t
}

impl Ord for Length {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.straight.cmp(&other.straight), self.diagonal.cmp(&other.diagonal)) {
            (Ordering::Equal, order) | (order, Ordering::Equal) => order,
            (a, b) if a == b => a,
            (order, _) => {
                // One part is more, the other less: x against y√2, by squares, of which twice one might not fit 128 bits.
                let x = u128::from(self.straight.abs_diff(other.straight));
                let y = u128::from(self.diagonal.abs_diff(other.diagonal));
                if x > y && x * x - y * y > y * y { order } else { order.reverse() }
            }
        }
    }
}

impl PartialOrd for Length {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Add for Length {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self::new(self.straight + other.straight, self.diagonal + other.diagonal)
    }
}

impl AddAssign for Length {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.straight, self.diagonal) {
            (a, 0) => write!(f, "{a}"),
            (0, b) => write!(f, "{b}√2"),
            (a, b) => write!(f, "{a} + {b}√2"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fractions next to √2, from both sides in turn: p/q with p² - 2q² = ±1.
    fn next_to_root_two() -> impl Iterator<Item = (u64, u64)> {
        std::iter::successors(Some((1u64, 1u64)), |&(p, q)| {
            Some((p.checked_add(q.checked_mul(2)?)?, p.checked_add(q)?))
        })
    }

    #[test]
    fn neighbours_of_root_two_are_told_apart() {
        let mut count = 0;
        for (k, (p, q)) in next_to_root_two().enumerate() {
            let (a, b) = (Length::new(p, 7), Length::new(0, q + 7));
            assert_eq!(a.cmp(&b), if k % 2 == 0 { Ordering::Less } else { Ordering::Greater }, "{p} {q}");
            assert_eq!(b.cmp(&a), a.cmp(&b).reverse());
            count += 1;
        }
        assert!(count > 45);
        let (most, least) = (Length::new(u64::MAX, 0), Length::new(0, u64::MAX));
        assert!(most < least && Length::new(0, u64::MAX / 2) < most && Length::new(1, 1) > Length::new(2, 0));
    }

    #[test]
    fn the_order_is_that_of_the_numbers() {
        for i in 0..20u64 {
            for j in 0..20 {
                for k in 0..20 {
                    for l in 0..20 {
                        let value = |a: u64, b: u64| a as f64 + b as f64 * std::f64::consts::SQRT_2;
                        let want = if (i, j) == (k, l) {
                            Ordering::Equal
                        } else {
                            value(i, j).partial_cmp(&value(k, l)).unwrap()
                        };
                        assert_eq!(Length::new(i, j).cmp(&Length::new(k, l)), want);
                    }
                }
            }
        }
    }

    /// Whether `number` is the nearest to `length`: both ends of its rounding interval are compared, in integers.
    fn is_nearest(length: Length, number: f64) -> bool {
        // number = m * 2^e; the interval's ends are (2m ± 1) * 2^(e - 1).
        let bits = number.to_bits();
        let (e, m) = ((bits >> 52) as i32 - 1075, (bits & ((1 << 52) - 1)) | 1 << 52);
        // Against (2m ± 1) 2^(e-1), everything times 2^s so that it is an integer: bits of small numbers only.
        let s = (1 - e).max(0);
        assert!(e <= 1 && s < 64, "small numbers only");
        let scaled = |x: u64| u64::try_from(u128::from(x) << s).ok();
        let (Some(a), Some(b)) = (scaled(length.straight), scaled(length.diagonal)) else { return true };
        let end = |m: u64| m << (e - 1 + s);
        Length::new(a, b) > Length::new(end(2 * m - 1), 0) && Length::new(a, b) < Length::new(end(2 * m + 1), 0)
    }

    #[test]
    fn floating_point_numbers_are_the_nearest() {
        let mut checked = 0;
        for a in [0, 1, 2, 3, 100, 12_345] {
            for b in 1..3000 {
                assert!(is_nearest(Length::new(a, b), Length::new(a, b).to_f64()), "{a} {b}");
                checked += 1;
            }
        }
        assert!(checked > 10_000);
        assert_eq!(Length::new(0, 1).to_f64(), std::f64::consts::SQRT_2);
        assert_eq!(Length::new(u64::MAX, 0).to_f64(), u64::MAX as f64);
        // Two halves of the largest sum; the mantissa of √2 times a power of two is that of √2.
        assert_eq!(Length::new(0, 1 << 63).to_f64(), std::f64::consts::SQRT_2 * (1u64 << 63) as f64);
        assert_eq!(Length::new(1, 1).to_f64(), 2.414_213_562_373_095);
        assert_eq!(Length::new(u64::MAX, 1).to_f64(), u64::MAX as f64);
        let both = Length::new(u64::MAX, u64::MAX).to_f64();
        assert_eq!(both, 4.453_437_972_437_511e19);
        assert_eq!(Length::new(3, 5).to_string(), "3 + 5√2");
    }
}
