//! Forests as arrays of parents, and what is asked of them, by walking.

use thalweg_core::Position;

use crate::lists::permutation;
use crate::{Random, made};

/// A kind of forest. A root is its own parent or has none ([`Position::NONE`]): both occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ForestKind {
    /// A tree in which every node's parent is any of the nodes before it: depth about e ln n.
    Random,
    /// A path: as deep as can be.
    Path,
    /// Every node but the root is a child of the root.
    Star,
    /// A path with a leaf at every node.
    Comb,
    /// Preferential attachment: a node's parent is an end of a random edge, so a few nodes have very many children.
    ScaleFree,
    /// A complete binary tree.
    Balanced,
    /// A tree in which every node's parent is one of the eight nodes before it: deep and thin.
    Deep,
    /// Many random trees, of some 64 nodes each.
    Many,
    /// Every node is a root.
    Isolated,
}

impl ForestKind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[
        Self::Random,
        Self::Path,
        Self::Star,
        Self::Comb,
        Self::ScaleFree,
        Self::Balanced,
        Self::Deep,
        Self::Many,
        Self::Isolated,
    ];

    /// The kind's name, as the command line takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Path => "path",
            Self::Star => "star",
            Self::Comb => "comb",
            Self::ScaleFree => "scale_free",
            Self::Balanced => "balanced",
            Self::Deep => "deep",
            Self::Many => "many",
            Self::Isolated => "isolated",
        }
    }

    /// The parent of node `i`, which is a smaller number, or `i` itself for a root.
    fn parent(self, i: u64, random: Random) -> u64 {
        if i == 0 {
            return 0;
        }
        match self {
            Self::Random => random.below(i, i),
            Self::Path => i - 1,
            Self::Star => 0,
            Self::Comb => i + i % 2 - 2,
            Self::ScaleFree => {
                // An end of the edge above a random node: the node or, again, its parent.
                let mut node = i;
                while node > 0 {
                    let below = random.below(2 * node, node);
                    if random.bits(2 * node + 1).is_multiple_of(2) {
                        return below;
                    }
                    node = below;
                }
                0
            }
            Self::Balanced => (i - 1) / 2,
            Self::Deep => i - 1 - random.below(i, i.min(8)),
            Self::Many if random.below(2 * i, 64) == 0 => i,
            Self::Many => random.below(2 * i + 1, i),
            Self::Isolated => i,
        }
    }

    /// The parent of every one of `n` nodes. Parents have smaller numbers than their children.
    pub fn make<P: Position>(self, n: usize, seed: u64) -> Vec<P> {
        let (random, ends) = (Random::new(seed, 6), Random::new(seed, 7));
        let parent = |i: u64| match self.parent(i, random) {
            parent if parent == i && ends.bits(i).is_multiple_of(2) => P::NONE,
            parent => P::new(parent as usize),
        };
        made(n, |i| parent(i as u64))
    }

    /// The same forest with its nodes numbered at random.
    pub fn shuffled<P: Position>(self, n: usize, seed: u64) -> Vec<P> {
        relabel(&self.make(n, seed), &permutation(n, seed))
    }
}

/// The forest in which node `i` is called `labels[i]`. The labels are a permutation.
pub fn relabel<P: Position>(parents: &[P], labels: &[P]) -> Vec<P> {
    let mut out = vec![P::NONE; parents.len()];
    for (&label, &parent) in labels.iter().zip(parents) {
        out[label.get()] = parent.checked().map_or(P::NONE, |parent| labels[parent]);
    }
    out
}

/// The parent of node `i`, unless it is a root.
pub fn parent<P: Position>(parents: &[P], i: usize) -> Option<usize> {
    parents[i].checked().filter(|&parent| parent != i)
}

/// What there is to know about a forest, by walking it: children in increasing order, roots in increasing order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walked<P> {
    /// The root of every node's tree.
    pub roots: Vec<P>,
    /// How many edges every node is away from its root.
    pub depths: Vec<P>,
    /// The nodes in preorder.
    pub order: Vec<P>,
    /// Every node's place in `order`.
    pub preorder: Vec<P>,
    /// Every node's place in postorder.
    pub postorder: Vec<P>,
    /// How many nodes every subtree has, its root included.
    pub sizes: Vec<P>,
    /// Where every node is entered: a place among 2n entries and exits.
    pub enter: Vec<P>,
    /// Where every node is left.
    pub exit: Vec<P>,
}

/// The children of every node, in increasing order; those of nobody, the roots, come last.
pub fn children<P: Position>(parents: &[P]) -> Vec<Vec<usize>> {
    let mut children = vec![Vec::new(); parents.len() + 1];
    for i in 0..parents.len() {
        children[parent(parents, i).unwrap_or(parents.len())].push(i);
    }
    children
}

/// Walks the forest, without recursion.
///
/// # Panics
/// If it is none: there is a cycle.
pub fn walk<P: Position>(parents: &[P]) -> Walked<P> {
    let n = parents.len();
    let children = children(parents);
    let none = || vec![P::NONE; n];
    let mut walked = Walked {
        roots: none(),
        depths: none(),
        order: Vec::with_capacity(n),
        preorder: none(),
        postorder: none(),
        sizes: none(),
        enter: none(),
        exit: none(),
    };
    let (mut steps, mut left) = (0, 0);
    // The nodes on the way down, and which child comes next. The roots are the children of a node that is not there.
    let mut stack = vec![(n, 0)];
    while let Some((node, next)) = stack.pop() {
        if let Some(&child) = children[node].get(next) {
            stack.push((node, next + 1));
            walked.roots[child] = if node == n { P::new(child) } else { walked.roots[node] };
            walked.depths[child] = P::new(stack.len() - 1);
            walked.preorder[child] = P::new(walked.order.len());
            walked.order.push(P::new(child));
            walked.enter[child] = P::new(steps);
            steps += 1;
            stack.push((child, 0));
        } else if node < n {
            walked.sizes[node] = P::new(walked.order.len() - walked.preorder[node].get());
            walked.postorder[node] = P::new(left);
            walked.exit[node] = P::new(steps);
            (steps, left) = (steps + 1, left + 1);
        }
    }
    assert_eq!(walked.order.len(), n, "a cycle");
    walked
}

/// The lowest common ancestor of two nodes, or [`Position::NONE`] if they are in different trees. By walking up.
pub fn lca<P: Position>(parents: &[P], depths: &[P], x: usize, y: usize) -> P {
    let (mut x, mut y) = (x, y);
    while x != y {
        // The deeper one moves, so neither passes the common ancestor.
        let lower = if depths[x] >= depths[y] { &mut x } else { &mut y };
        match parent(parents, *lower) {
            Some(up) => *lower = up,
            None => return P::NONE,
        }
    }
    P::new(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_a_forest_and_shuffling_changes_the_names_only() {
        for &kind in ForestKind::ALL {
            for n in [0, 1, 2, 3, 10, 1000] {
                let parents = kind.make::<u32>(n, 9);
                assert!((0..n).all(|i| parent(&parents, i).is_none_or(|up| up < i)), "{kind:?}");
                let shuffled = kind.shuffled::<u32>(n, 9);
                let sorted = |mut depths: Vec<u32>| {
                    depths.sort_unstable();
                    depths
                };
                assert_eq!(sorted(walk(&parents).depths), sorted(walk(&shuffled).depths), "{kind:?}");
            }
        }
    }

    #[test]
    fn kinds_have_their_shapes() {
        let depth = |kind: ForestKind| walk(&kind.make::<u32>(10_000, 1)).depths.into_iter().max().unwrap();
        assert_eq!(depth(ForestKind::Path), 9_999);
        assert_eq!(depth(ForestKind::Star), 1);
        assert_eq!(depth(ForestKind::Comb), 5_000);
        assert_eq!(depth(ForestKind::Balanced), 13);
        assert_eq!(depth(ForestKind::Isolated), 0);
        assert!((15..50).contains(&depth(ForestKind::Random)));
        assert!((2_000..3_000).contains(&depth(ForestKind::Deep)));
        let most = |kind: ForestKind| children(&kind.make::<u32>(10_000, 1)).iter().map(Vec::len).max().unwrap();
        assert!(most(ForestKind::ScaleFree) > 3 * most(ForestKind::Random));
        assert!((100..220).contains(&children(&ForestKind::Many.make::<u32>(10_000, 1))[10_000].len()));
    }

    #[test]
    fn a_walk_by_hand() {
        // 2 is the root of 0, 3 and 4, 0 that of 1; 5 is alone.
        let parents = [2u32, 0, 2, 2, 2, u32::MAX];
        let walked = walk(&parents);
        assert_eq!(walked.roots, [2, 2, 2, 2, 2, 5]);
        assert_eq!(walked.depths, [1, 2, 0, 1, 1, 0]);
        assert_eq!(walked.order, [2, 0, 1, 3, 4, 5]);
        assert_eq!(walked.preorder, [1, 2, 0, 3, 4, 5]);
        assert_eq!(walked.postorder, [1, 0, 4, 2, 3, 5]);
        assert_eq!(walked.sizes, [2, 1, 5, 1, 1, 1]);
        assert_eq!(walked.enter, [1, 2, 0, 5, 7, 10]);
        assert_eq!(walked.exit, [4, 3, 9, 6, 8, 11]);
        assert_eq!(lca(&parents, &walked.depths, 1, 3), 2);
        assert_eq!(lca(&parents, &walked.depths, 1, 0), 0);
        assert_eq!(lca(&parents, &walked.depths, 4, 5), u32::MAX);
    }
}
