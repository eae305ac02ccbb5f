//! Naive answers: what every engine is compared with.

use std::collections::BinaryHeap;
use std::ops::Range;

use thalweg_core::bits::Bits;
use thalweg_core::coding::Ranking;
use thalweg_core::{Coding, Key, Order, Rank, by_width};

/// The leftmost best position of `left..=right`, by scanning.
pub fn argmin_by_scan<K: Key>(array: &[K], order: Order, left: usize, right: usize) -> usize {
    let (mut best, mut least) = (left, array[left].rank(order));
    for (i, key) in (left + 1..).zip(&array[left + 1..=right]) {
        let rank = key.rank(order);
        if rank < least {
            (best, least) = (i, rank);
        }
    }
    best
}

/// The first of the best of some keys, at least one, by scanning them without their type: for long ranges. It is compiled here, a
/// portion at a time in vectors; what is made for a key type is compiled where that is known, which may be where code shall be
/// small.
pub fn argmin_of_bits(bits: Bits<'_>, coding: Coding) -> usize {
    fn scan<R: Rank>(bits: &[R], ranking: Ranking<R>) -> usize {
        const PORTION: usize = 1024;
        let mut ranks = [R::WORST; PORTION];
        let (mut best, mut least) = (0, bits[0].ranked(ranking));
        for (start, bits) in (0..).step_by(PORTION).zip(bits.chunks(PORTION)) {
            let ranks = &mut ranks[..bits.len()];
            R::rank_all(bits, ranking, ranks);
            let here = ranks.iter().fold(least, |least, &rank| if rank < least { rank } else { least });
            if here < least {
                let first = ranks.iter().position(|&rank| rank == here).expect("it is one of them");
                (best, least) = (start + first, here);
            }
        }
        best
    }
    by_width!(Bits, bits, bits => scan(bits, coding.ranking()))
}

/// The same of a range of keys, by their positions in the array.
pub fn argmin_in<K: Key>(array: &[K], order: Order, range: Range<usize>) -> usize {
    range.start + argmin_of_bits(Bits::of(&array[range]), Coding::of::<K>(order))
}

/// The same for many ranges in one pass, as scanning long ranges would take most of the suite's time: a stack holds the
/// best positions of all ranges that end at `right`, leftmost first on ties, in order.
pub fn argmins_by_stack<K: Key>(array: &[K], order: Order, ranges: &[[u64; 2]]) -> Vec<usize> {
    let mut by_right: Vec<usize> = (0..ranges.len()).collect();
    by_right.sort_by_key(|&row| ranges[row][1]);
    let (mut answers, mut stack, mut next) = (vec![0; ranges.len()], Vec::<usize>::new(), 0);
    for row in by_right {
        let [left, right] = ranges[row].map(|bound| bound as usize);
        while next <= right {
            while stack.pop_if(|top| array[*top].rank(order) > array[next].rank(order)).is_some() {}
            stack.push(next);
            next += 1;
        }
        answers[row] = stack[stack.partition_point(|&position| position < left)];
    }
    answers
}

/// The positions of `left..=right` by their elements, the best first, the leftmost first on ties.
pub fn positions_by_sorting<K: Key>(array: &[K], order: Order, left: usize, right: usize) -> Vec<usize> {
    let mut positions: Vec<usize> = (left..=right).collect();
    positions.sort_by_key(|&position| array[position].rank(order));
    positions
}

/// The first `count` of these, by scanning, with the best so far on a heap.
pub fn first_by_scanning<K: Key>(array: &[K], order: Order, left: usize, right: usize, count: usize) -> Vec<usize> {
    let mut heap = BinaryHeap::new();
    for (position, key) in (left..).zip(&array[left..=right]) {
        let rank = key.rank(order);
        if heap.len() < count {
            heap.push((rank, position));
        } else if let Some(mut worst) = heap.peek_mut().filter(|worst| rank < worst.0) {
            *worst = (rank, position);
        }
    }
    heap.into_sorted_vec().into_iter().map(|(_, position)| position).collect()
}

/// The positions of `left..=right` whose elements are not worse than the threshold, by scanning.
pub fn positions_not_above<K: Key>(array: &[K], order: Order, threshold: K, left: usize, right: usize) -> Vec<usize> {
    let most = threshold.rank(order);
    (left..=right).filter(|&position| array[position].rank(order) <= most).collect()
}

/// The leftmost best position of every window, by a queue of candidates, independent of the library's engines; `None` for empty
/// windows. Bounds ascend.
pub fn windows_by_queue<K: Key>(
    array: &[K],
    order: Order,
    windows: impl IntoIterator<Item = Range<usize>>,
) -> Vec<Option<usize>> {
    let (mut queue, mut next) = (std::collections::VecDeque::<usize>::new(), 0);
    let answer = |window: Range<usize>| {
        while next < window.end {
            while queue.back().is_some_and(|&last| array[last].rank(order) > array[next].rank(order)) {
                queue.pop_back();
            }
            queue.push_back(next);
            next += 1;
        }
        while queue.front().is_some_and(|&first| first < window.start) {
            queue.pop_front();
        }
        if window.is_empty() { None } else { queue.front().copied() }
    };
    windows.into_iter().map(answer).collect()
}

/// Suffixes in order, by comparing them.
pub fn suffixes_by_sorting<T: Ord>(text: &[T]) -> Vec<usize> {
    let mut suffixes: Vec<usize> = (0..text.len()).collect();
    suffixes.sort_unstable_by(|&i, &j| text[i..].cmp(&text[j..]));
    suffixes
}

/// The common prefix of two suffixes, symbol by symbol.
pub fn extension_by_scan<T: PartialEq>(text: &[T], i: usize, j: usize) -> usize {
    text[i..].iter().zip(&text[j..]).take_while(|(x, y)| x == y).count()
}

/// Every place of a pattern, by comparing everywhere; independent of the library's engines.
pub fn places_by_scan(text: &[u8], pattern: &[u8]) -> Vec<usize> {
    let places = (text.len() + 1).saturating_sub(pattern.len());
    (0..places).filter(|&place| &text[place..place + pattern.len()] == pattern).collect()
}

/// Left and right neighbours by two passes of the textbook stack, independent of the library's engines.
pub fn neighbours_by_stack<K: Key>(array: &[K], order: Order, strict: bool) -> [Vec<Option<usize>>; 2] {
    let ranks: Vec<_> = array.iter().map(|key| key.rank(order)).collect();
    let side = |positions: &mut dyn Iterator<Item = usize>| {
        let (mut out, mut stack) = (vec![None; ranks.len()], Vec::<usize>::new());
        for i in positions {
            while let Some(&top) = stack.last() {
                if ranks[top] < ranks[i] || !strict && ranks[top] == ranks[i] {
                    break;
                }
                stack.pop();
            }
            out[i] = stack.last().copied();
            stack.push(i);
        }
        out
    };
    [side(&mut (0..array.len())), side(&mut (0..array.len()).rev())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ArrayKind;

    fn scans_agree<K: Key>() {
        for &kind in ArrayKind::ALL {
            for n in [1, 2, 1023, 1024, 1025, 5000] {
                let array: Vec<K> = kind.make(n, 7);
                for order in [Order::Min, Order::Max] {
                    let found = argmin_in(&array, order, n / 7..n);
                    assert_eq!(
                        found,
                        argmin_by_scan(&array, order, n / 7, n - 1),
                        "{} {kind:?} {n} {order:?}",
                        K::NAME
                    );
                    let (left, right) = (n / 7, n - 1);
                    let all = positions_by_sorting(&array, order, left, right);
                    for count in [0, 1, 9, all.len(), n] {
                        let first = first_by_scanning(&array, order, left, right, count);
                        assert_eq!(first, all[..count.min(all.len())], "{} {kind:?} {n} {order:?}", K::NAME);
                    }
                }
            }
        }
    }

    #[test]
    fn scans_need_no_types_and_no_sort() {
        scans_agree::<u8>();
        scans_agree::<i16>();
        scans_agree::<u32>();
        scans_agree::<i64>();
        scans_agree::<f32>();
        scans_agree::<f64>();
    }
}
