//! Factors of lengths.

/// The largest prime factor, 1 for 1.
pub(super) fn largest_prime(mut n: usize) -> usize {
    let (mut largest, mut p) = (1, 2);
    while p * p <= n {
        while n.is_multiple_of(p) {
            (largest, n) = (p, n / p);
        }
        p += if p == 2 { 1 } else { 2 };
    }
    largest.max(n)
}

/// The divisor nearest to the root, from below: `n` is it times something at least as large.
pub(super) fn middle_divisor(n: usize) -> usize {
    (1..=n.isqrt()).rev().find(|&d| n.is_multiple_of(d)).unwrap_or(1)
}

/// The smallest product of a power of two and at most one 3 or 9 or 5 that is not below `n`.
pub(super) fn smooth_at_least(n: usize) -> usize {
    [1, 3, 5, 9]
        .into_iter()
        .filter_map(|odd| n.div_ceil(odd).checked_next_power_of_two()?.checked_mul(odd))
        .min()
        .unwrap_or(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors() {
        let primes = [(1, 1), (2, 2), (12, 3), (49, 7), (97, 97), (1 << 20, 2), (31 * 37, 37), (65_537 * 2, 65_537)];
        assert!(primes.into_iter().all(|(n, p)| largest_prime(n) == p));
        for n in 1..2000 {
            let d = middle_divisor(n);
            assert!(n % d == 0 && d * d <= n && (d + 1..=n.isqrt()).all(|e| n % e != 0));
            let m = smooth_at_least(n);
            assert!(m >= n && m <= 2 * n && largest_prime(m) <= 5);
        }
    }
}
