//! The oracle: compares with every earlier position.

use super::Source;
use super::factors::Entry;
use crate::common_prefix::common_prefix;
use thalweg_core::Position;

/// O(n · z · longest match) work, z being the number of phrases.
pub(super) fn factorise<P: Position>(text: &[u8], source: Source) -> Vec<Entry<P>> {
    let mut phrases = Vec::new();
    let mut position = 0;
    while position < text.len() {
        let mut best = (0, 0);
        for earlier in 0..position {
            let length = common_prefix(text, earlier, position);
            if length > best.1 || length == best.1 && source == Source::Nearest {
                best = (earlier, length);
            }
        }
        match best.1 {
            0 => phrases.push([P::new(usize::from(text[position])), P::new(0)]),
            _ => phrases.push([P::new(best.0), P::new(best.1)]),
        }
        position += best.1.max(1);
    }
    phrases
}
