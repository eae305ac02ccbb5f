//! Periods of a pattern.

/// For every prefix that is not empty, the length of its longest border: a prefix of the pattern, shorter than the prefix
/// itself, that it also ends with. O(m) work (Knuth, Morris, Pratt 1977).
pub(super) fn borders(pattern: &[u8]) -> Vec<usize> {
    let mut borders = vec![0; pattern.len()];
    let mut border = 0;
    for end in 1..pattern.len() {
        while border > 0 && pattern[border] != pattern[end] {
            border = borders[border - 1];
        }
        border += usize::from(pattern[border] == pattern[end]);
        borders[end] = border;
    }
    borders
}

/// The smallest distance at which the pattern can occur twice, overlapping; its length if none. The pattern must not be
/// empty.
pub(super) fn period(pattern: &[u8]) -> usize {
    pattern.len() - borders(pattern)[pattern.len() - 1]
}

/// For every position of the pattern, how far the rest agrees with the pattern itself: the Z function. O(m) work.
///
/// At a distance that is no period, it tells where the pattern and the moved pattern differ first: a witness.
///
/// ```
/// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
/// assert_eq!(thalweg::text::search::agreements(b"abaab"), [5, 0, 1, 2, 0]);
/// ```
pub fn agreements(pattern: &[u8]) -> Vec<usize> {
    let len = pattern.len();
    let mut agreements = vec![0; len];
    // The match that reaches furthest to the right: what it covers is known already.
    let (mut start, mut end) = (0, 0);
    if len > 0 {
        agreements[0] = len;
    }
    for at in 1..len {
        let mut length = if at < end { agreements[at - start].min(end - at) } else { 0 };
        while at + length < len && pattern[length] == pattern[at + length] {
            length += 1;
        }
        agreements[at] = length;
        if at + length > end {
            (start, end) = (at, at + length);
        }
    }
    agreements
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_and_agreements_of_all_short_patterns() {
        for len in 1..=10 {
            for bits in 0..1u32 << len {
                let pattern: Vec<u8> = (0..len).map(|i| (bits >> i) as u8 & 1).collect();
                let is_period = |p: usize| (p..len).all(|i| pattern[i] == pattern[i - p]);
                assert_eq!(period(&pattern), (1..=len).find(|&p| is_period(p)).unwrap(), "{pattern:?}");
                let agreements = agreements(&pattern);
                for at in 0..len {
                    let want = (0..len - at).take_while(|&i| pattern[i] == pattern[at + i]).count();
                    assert_eq!(agreements[at], want, "{pattern:?} {at}");
                }
            }
        }
    }
}
