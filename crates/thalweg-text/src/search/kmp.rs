//! Knuth, Morris and Pratt (1977): the longest prefix of the pattern that ends here is known for every symbol of the text,
//! and a mismatch falls back to that prefix's own longest border. No symbol of the text is read twice.
//!
//! O(n + m) work, m words of memory, sequential.

use super::period::borders;

pub(super) fn find(text: &[u8], pattern: &[u8], found: &mut impl FnMut(usize)) {
    let borders = borders(pattern);
    let mut matched = 0;
    for (end, &symbol) in text.iter().enumerate() {
        while matched > 0 && (matched == pattern.len() || pattern[matched] != symbol) {
            matched = borders[matched - 1];
        }
        matched += usize::from(pattern[matched] == symbol);
        if matched == pattern.len() {
            found(end + 1 - matched);
        }
    }
}
