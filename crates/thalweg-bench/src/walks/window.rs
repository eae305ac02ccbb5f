//! Windows by the textbook's queue of candidates, on one thread.

use std::collections::VecDeque;

use rayon::prelude::*;
use thalweg::{Key, Order};

/// Tells the leftmost minimum of every trailing window of `width` elements, shrunk at the start: `found(i, position)`.
///
/// The queue holds elements that may still be a minimum, each better than those behind it. Every element comes and goes once.
pub fn minima<K: Key>(array: &[K], width: usize, mut found: impl FnMut(usize, usize)) {
    let mut queue: VecDeque<(K::Rank, usize)> = VecDeque::new();
    for (i, key) in array.iter().enumerate() {
        let rank = key.rank(Order::Min);
        while queue.back().is_some_and(|last| last.0 > rank) {
            queue.pop_back();
        }
        queue.push_back((rank, i));
        if queue[0].1 + width <= i {
            queue.pop_front();
        }
        found(i, queue[0].1);
    }
}

/// A copy, by all threads, in pieces that tasks of windows have.
pub fn copy<A: Sync, B: Send>(from: &[A], to: &mut [B], of: impl Fn(&A) -> B + Sync) {
    const PIECE: usize = 1 << 16;
    to.par_chunks_mut(PIECE).zip(from.par_chunks(PIECE)).for_each(|(to, from)| {
        for (to, from) in to.iter_mut().zip(from) {
            *to = of(from);
        }
    });
}

#[cfg(test)]
mod tests {
    use thalweg_data::ArrayKind;
    use thalweg_data::oracles::argmin_by_scan;

    use super::*;

    #[test]
    fn the_queue_agrees_with_a_scan() {
        for &kind in ArrayKind::ALL {
            let array = kind.make::<f32>(500, 1);
            for width in [1, 2, 3, 50, 499, 500, 1000] {
                minima(&array, width, |i, at| {
                    assert_eq!(at, argmin_by_scan(&array, Order::Min, (i + 1).saturating_sub(width), i));
                });
            }
        }
    }
}
