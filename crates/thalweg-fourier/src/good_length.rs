//! Lengths that are transformed fast.

/// The smallest product of powers of 2 and 3, and perhaps a 5, that is not below `n`. (`n` itself where that cannot be
/// numbered.)
pub(crate) fn good_length(n: usize) -> usize {
    let mut best = n.checked_next_power_of_two().unwrap_or(n);
    for five in [1, 5] {
        let mut odd = five;
        while odd < best {
            if let Some(length) = n.div_ceil(odd).checked_next_power_of_two().and_then(|even| even.checked_mul(odd)) {
                best = best.min(length);
            }
            odd = odd.saturating_mul(3);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_lengths_are_near() {
        for n in 1..5000 {
            let good = good_length(n);
            assert!(good >= n && good <= n + n / 5 + 1, "{n} {good}");
            let odd = good >> good.trailing_zeros();
            let mut rest = if odd.is_multiple_of(5) { odd / 5 } else { odd };
            while rest.is_multiple_of(3) {
                rest /= 3;
            }
            assert_eq!(rest, 1);
        }
        assert_eq!(good_length(usize::MAX), usize::MAX);
    }
}
