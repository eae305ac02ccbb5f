//! The oracle: compares everywhere.

/// O(n m) work.
pub(super) fn find(text: &[u8], pattern: &[u8], found: &mut impl FnMut(usize)) {
    for (place, window) in text.windows(pattern.len()).enumerate() {
        if window == pattern {
            found(place);
        }
    }
}
