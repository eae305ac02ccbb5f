//! How a length is taken apart: into passes over the array, and a pass into the butterflies of its threads.

use super::butterfly::PRIMES;

/// Whether a length has only small prime factors.
pub(super) fn is_smooth(mut n: u64) -> bool {
    for p in PRIMES.map(u64::from) {
        while n.is_multiple_of(p) {
            n /= p;
        }
    }
    n == 1
}

/// The factors of a smooth length, as few as can be, none above `most`, as even as can be and the largest last (2^28 on an H200:
/// 4.49 ms, and 4.66 with the largest in the middle).
pub(super) fn passes(n: u64, most: u64) -> Vec<u64> {
    let divisors: Vec<u64> = (1..=most.min(n)).filter(|&d| n.is_multiple_of(d)).collect();
    let mut parts =
        (1..).find_map(|count| split(n, count, most, &divisors)).expect("a smooth length has small factors");
    parts.sort_unstable();
    parts
}

/// Exactly `count` factors: the first one is the nearest to the root of that degree that leaves a rest that can be split.
fn split(n: u64, count: u32, most: u64, divisors: &[u64]) -> Option<Vec<u64>> {
    if count == 1 {
        return (n <= most).then(|| vec![n]);
    }
    if (most as f64).powi(count as i32) < 0.999 * n as f64 {
        return None;
    }
    let even = (n as f64).powf(1.0 / f64::from(count));
    let mut candidates: Vec<u64> = divisors.iter().copied().filter(|&d| n.is_multiple_of(d)).collect();
    candidates.sort_by(|a, b| (*a as f64 / even).ln().abs().total_cmp(&(*b as f64 / even).ln().abs()));
    candidates.into_iter().find_map(|d| {
        let mut parts = split(n / d, count - 1, most, divisors)?;
        parts.push(d);
        Some(parts)
    })
}

/// The butterflies of a pass, none larger than `most` or, where a prime is, than that: as few as can be, of the smallest sum,
/// the largest first.
pub(super) fn radices(len: u32, most: u32) -> Vec<u32> {
    if len == 1 {
        return vec![1];
    }
    fn best(len: u32, most: u32) -> Option<Vec<u32>> {
        if len == 1 {
            return Some(Vec::new());
        }
        (2..=most.min(len))
            .filter(|&r| len.is_multiple_of(r))
            .filter_map(|r| {
                let mut rest = best(len / r, r)?;
                rest.insert(0, r);
                Some(rest)
            })
            .min_by_key(|radices| (radices.len(), radices.iter().sum::<u32>()))
    }
    best(len, most).or_else(|| best(len, 16)).expect("a smooth length has small factors")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smooth_lengths() {
        assert!([1, 2, 6, 13, 1 << 40, 360_360].into_iter().all(is_smooth));
        assert!(![17, 34, 289, 1_000_003].into_iter().any(is_smooth));
    }

    #[test]
    fn passes_are_few_and_even() {
        assert_eq!(passes(1 << 24, 1024), [256, 256, 256]);
        assert_eq!(passes(1 << 20, 1024), [1024, 1024]);
        assert_eq!(passes(1 << 28, 1024), [512, 512, 1024]);
        assert_eq!(passes(1, 1024), [1]);
        for n in (1..200_000u64).filter(|&n| is_smooth(n)) {
            let parts = passes(n, 1024);
            assert_eq!(parts.iter().product::<u64>(), n);
            assert!(parts.iter().all(|&p| p <= 1024) && parts.len() <= 3, "{n}: {parts:?}");
        }
    }

    #[test]
    fn radices_are_few() {
        assert_eq!(radices(4096, 16), [16, 16, 16]);
        assert_eq!(radices(1024, 16), [16, 8, 8]);
        assert_eq!(radices(256, 16), [16, 16]);
        assert_eq!(radices(1, 16), [1]);
        assert_eq!(radices(4096, 8), [8, 8, 8, 8]);
        assert_eq!(radices(26, 8), [13, 2]);
        for n in (1..5000).filter(|&n| is_smooth(n.into())) {
            let radices = radices(n, 16);
            assert_eq!(radices.iter().product::<u32>(), n);
            assert!(radices.iter().all(|&r| r <= 16));
        }
    }
}
