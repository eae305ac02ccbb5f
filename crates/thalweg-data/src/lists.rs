//! Linked lists, and their ranks by walking.

use thalweg_core::{Position, Positions, primitives};

use crate::{Random, made};

/// A kind of linked list, or of several over one array. Of every list either nobody follows the last element
/// ([`Position::NONE`]), or it follows itself: both occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ListKind {
    /// One list through all elements, in random order.
    Random,
    /// About √n lists of random lengths, in random order.
    Several,
    /// About n/3 lists, most of them of a few elements, in random order.
    Short,
    /// One list in the order of the array.
    Ordered,
    /// One list against the order of the array.
    Reverse,
    /// Every element is a list.
    Single,
}

impl ListKind {
    /// Every kind.
    pub const ALL: &'static [Self] =
        &[Self::Random, Self::Several, Self::Short, Self::Ordered, Self::Reverse, Self::Single];

    /// The kind's name, as the command line takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Several => "several",
            Self::Short => "short",
            Self::Ordered => "ordered",
            Self::Reverse => "reverse",
            Self::Single => "single",
        }
    }

    /// Whether a list ends at place `k` of `n` in the order in which the elements are chained; the last one always does.
    fn ends(self, k: usize, n: usize, random: Random) -> bool {
        let one_in = match self {
            Self::Random | Self::Ordered | Self::Reverse => return k + 1 == n,
            Self::Several => n.isqrt() as u64,
            Self::Short => 3,
            Self::Single => 1,
        };
        k + 1 == n || random.below(2 * k as u64, one_in) == 0
    }

    /// The successor of every one of `n` elements.
    pub fn make<P: Position>(self, n: usize, seed: u64) -> Vec<P> {
        let random = Random::new(seed, 3);
        let order: Vec<P> = match self {
            Self::Random | Self::Several | Self::Short => permutation(n, seed),
            Self::Ordered | Self::Single => made(n, P::new),
            Self::Reverse => made(n, |k| P::new(n - 1 - k)),
        };
        let mut next = vec![P::NONE; n];
        for (k, &element) in order.iter().enumerate() {
            next[element.get()] = match self.ends(k, n, random) {
                false => order[k + 1],
                true if random.bits(2 * k as u64 + 1).is_multiple_of(2) => element,
                true => P::NONE,
            };
        }
        next
    }
}

/// The numbers below `n` in random order.
pub fn permutation<P: Position>(n: usize, seed: u64) -> Vec<P> {
    let random = Random::new(seed, 4);
    let keys: Vec<u64> = made(n, |i| random.bits(i as u64));
    // Equal keys, should there ever be any, stay in order.
    match primitives::sort_idx(&keys).expect("memory for a permutation") {
        Positions::U32(order) => made(n, |k| P::new(order[k].get())),
        Positions::U64(order) => made(n, |k| P::new(order[k].get())),
    }
}

/// Small numbers of either sign, for weights.
pub fn weights(n: usize, seed: u64) -> Vec<i32> {
    let random = Random::new(seed, 5);
    made(n, |i| random.below(i as u64, 2001) as i32 - 1000)
}

/// The successor of element `i`, unless it is the last of its list.
pub fn successor<P: Position>(next: &[P], i: usize) -> Option<usize> {
    next[i].checked().filter(|&j| j != i)
}

/// The elements of all lists, one list after the other, each from its head to its end; and where each list begins, with
/// the number of elements behind the last. By walking.
///
/// # Panics
/// If the lists are none: two elements have the same successor, or a list has no end.
pub fn walk<P: Position>(next: &[P]) -> (Vec<usize>, Vec<usize>) {
    let mut is_head = vec![true; next.len()];
    for i in 0..next.len() {
        if let Some(j) = successor(next, i) {
            assert!(is_head[j], "element {j} follows two others");
            is_head[j] = false;
        }
    }
    let (mut order, mut starts) = (Vec::with_capacity(next.len()), Vec::new());
    for head in (0..next.len()).filter(|&i| is_head[i]) {
        starts.push(order.len());
        let mut at = Some(head);
        while let Some(i) = at {
            order.push(i);
            at = successor(next, i);
        }
    }
    starts.push(order.len());
    assert_eq!(order.len(), next.len(), "a list has no end");
    (order, starts)
}

/// The sum of the weights of every element and of all that follow it in its list.
pub fn sums_to_end<P: Position>(next: &[P], weight: impl Fn(usize) -> i64) -> Vec<i64> {
    let (order, starts) = walk(next);
    let mut sums = vec![0; next.len()];
    for list in starts.windows(2).map(|w| &order[w[0]..w[1]]) {
        let mut sum = 0i64;
        for &i in list.iter().rev() {
            sum = sum.wrapping_add(weight(i));
            sums[i] = sum;
        }
    }
    sums
}

/// The sum of the weights of every element and of all before it in its list.
pub fn sums_from_head<P: Position>(next: &[P], weight: impl Fn(usize) -> i64) -> Vec<i64> {
    let (order, starts) = walk(next);
    let mut sums = vec![0; next.len()];
    for list in starts.windows(2).map(|w| &order[w[0]..w[1]]) {
        let mut sum = 0i64;
        for &i in list {
            sum = sum.wrapping_add(weight(i));
            sums[i] = sum;
        }
    }
    sums
}

/// For every element the number of links to the end of its list.
pub fn links_to_end<P: Position>(next: &[P]) -> Vec<P> {
    sums_to_end(next, |_| 1).into_iter().map(|sum| P::new(sum as usize - 1)).collect()
}

/// For every element the number of links from the head of its list.
pub fn links_from_head<P: Position>(next: &[P]) -> Vec<P> {
    sums_from_head(next, |_| 1).into_iter().map(|sum| P::new(sum as usize - 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_lists_through_all_elements() {
        for &kind in ListKind::ALL {
            for n in [0, 1, 2, 3, 10, 1000] {
                let next = kind.make::<u32>(n, 5);
                let (order, starts) = walk(&next);
                assert_eq!((order.len(), starts[starts.len() - 1]), (n, n), "{kind:?}");
                let lists = starts.len() - 1;
                match kind {
                    ListKind::Random | ListKind::Ordered | ListKind::Reverse => assert_eq!(lists, n.min(1)),
                    ListKind::Single => assert_eq!(lists, n),
                    ListKind::Several => assert!(n < 1000 || (10..100).contains(&lists), "{lists}"),
                    ListKind::Short => assert!(n < 1000 || (250..420).contains(&lists), "{lists}"),
                }
            }
        }
    }

    #[test]
    fn a_permutation_holds_every_number() {
        let mut all = permutation::<u32>(10_000, 3);
        assert_ne!(all[..100], permutation::<u32>(10_000, 4)[..100]);
        all.sort_unstable();
        assert!(all.iter().enumerate().all(|(i, &x)| i == x as usize));
    }

    #[test]
    fn ranks_by_hand() {
        // 2 -> 0 -> 3, and 1 alone.
        let next = [3u32, u32::MAX, 0, 3];
        assert_eq!(links_to_end(&next), [1, 0, 2, 0]);
        assert_eq!(links_from_head(&next), [1, 0, 0, 2]);
        assert_eq!(sums_to_end(&next, |i| [10, 20, 30, 40][i]), [50, 20, 80, 40]);
        assert_eq!(sums_from_head(&next, |i| [10, 20, 30, 40][i]), [40, 20, 30, 80]);
    }
}
