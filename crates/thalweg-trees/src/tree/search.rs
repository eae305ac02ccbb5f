//! Binary search trees over keys, built in parallel.
//!
//! Inserting keys one after the other, each as a leaf where a search for it ends, gives a tree in which every subtree's
//! root was inserted before the rest of it. That is the Cartesian tree of the insertion times, in the order of the keys.
//! So the tree that the input order defines comes from a sort and nearest smaller values, without locks and without
//! inserting anything. The balanced tree needs the sort only: numbered from 1 in order, a node's height is the number of
//! its trailing zeros.
//!
//! Nodes are numbered in the order of their keys. Hence a search need not follow the links: it is a binary search, and
//! takes log2 n steps however deep the tree is. In batches [`PORTION`] searches go step by step together, so that their
//! misses overlap.
//!
//! Equal keys share a node, which counts them. The course reports' section 12 inserts with locks; this is O(n · digits)
//! work for the sort and O(n) for the tree, span that of the two. Memory: a key, a count and a parent a node.

use std::ops::Range;

use rayon::prelude::*;

use super::Cartesian;
use thalweg_core::error::{expect_len, try_filled};
use thalweg_core::memory::collected;
use thalweg_core::primitives::{fork, positions_where, sort_idx_into};
use thalweg_core::simd::prefetch;
use thalweg_core::{Error, Key, Order, Position, Positions, Result};

/// Searches that go step by step together. Not measured.
const PORTION: usize = 32;

/// Searches that a task does.
const CHUNK: usize = 1 << 12;

/// A binary search tree. Its nodes are numbered in the order of their keys.
///
/// ```
/// # use thalweg_trees as thalweg;
/// use thalweg::tree::SearchTree;
/// let tree = SearchTree::<u32, _>::from_insertions(&[50, 20, 80, 20, 60])?;
/// assert_eq!(tree.keys(), [20, 50, 60, 80]);
/// assert_eq!(tree.counts(), [2, 1, 1, 1]);
/// assert_eq!(tree.root(), Some(1)); // 50 came first
/// assert_eq!(tree.parents(), [1, u32::MAX, 3, 1]);
/// assert_eq!((tree.find(60), tree.find(61)), (Some(2), None));
/// assert_eq!(tree.range(20, 60), 0..3);
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SearchTree<P, K> {
    keys: Vec<K>,
    counts: Vec<P>,
    shape: Cartesian<P>,
}

/// The nodes that many ranges of keys contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reports {
    /// Where each range's nodes begin in `nodes`; one entry more than there are ranges.
    pub offsets: Positions,
    /// The nodes, in the order of their keys.
    pub nodes: Positions,
}

impl<P: Position, K: Key> SearchTree<P, K> {
    /// The tree that inserting the keys in their order gives. Sorted input gives a path.
    pub fn from_insertions(keys: &[K]) -> Result<Self> {
        let (keys, counts, times) = distinct(keys)?;
        Ok(Self { keys, counts, shape: Cartesian::new(&times)? })
    }

    /// A tree of depth log2 n. Every level but the last ones is full.
    ///
    /// ```
    /// # use thalweg_trees as thalweg;
    /// let tree = thalweg::tree::SearchTree::<u32, _>::balanced(&[1.5, 0.5, 4.5, 3.5, 2.5])?;
    /// assert_eq!(tree.root(), Some(3));
    /// assert_eq!(tree.parents(), [1, 3, 1, u32::MAX, 3]);
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn balanced(keys: &[K]) -> Result<Self> {
        let (keys, counts, _) = distinct::<P, K>(keys)?;
        let len = keys.len();
        let parent = |i: usize| balanced_parent(i + 1, len).map_or(P::NONE, |number| P::new(number - 1));
        let parents = collected((0..len).into_par_iter().map(parent), "parents")?;
        let root = (len > 0).then(|| (1 << len.ilog2()) - 1);
        Ok(Self { keys, counts, shape: Cartesian::from_parts(parents, root) })
    }

    /// How many nodes there are: different keys.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The root; `None` if there are no nodes.
    pub fn root(&self) -> Option<usize> {
        self.shape.root()
    }

    /// Every node's parent, [`Position::NONE`] for the root.
    pub fn parents(&self) -> &[P] {
        self.shape.parents()
    }

    /// Every node's left child and right child, [`Position::NONE`] for none.
    pub fn children(&self) -> Result<[Vec<P>; 2]> {
        self.shape.children()
    }

    /// The keys in order, each once: the tree's in-order traversal. Of equal keys the first inserted.
    pub fn keys(&self) -> &[K] {
        &self.keys
    }

    /// How often each key was inserted.
    pub fn counts(&self) -> &[P] {
        &self.counts
    }

    /// The keys in order, each as often as it was inserted.
    ///
    /// ```
    /// # use thalweg_trees as thalweg;
    /// let tree = thalweg::tree::SearchTree::<u32, _>::balanced(&[3, 1, 3])?;
    /// assert_eq!(tree.in_order()?, [1, 3, 3]);
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn in_order(&self) -> Result<Vec<K>> {
        match fork(&self.counts)?.parents {
            Positions::U32(nodes) => collected(nodes.par_iter().map(|v| self.keys[v.get()]), "keys in order"),
            Positions::U64(nodes) => collected(nodes.par_iter().map(|v| self.keys[v.get()]), "keys in order"),
        }
    }

    /// How many keys are before this one, or not after it if `through`.
    fn before(&self, key: K, through: bool) -> usize {
        let rank = key.rank(Order::Min);
        self.keys.partition_point(|k| k.rank(Order::Min) < rank || (through && k.rank(Order::Min) == rank))
    }

    /// The node with a key; `None` if there is none.
    pub fn find(&self, key: K) -> Option<usize> {
        let at = self.before(key, false);
        self.keys.get(at).filter(|k| k.rank(Order::Min) == key.rank(Order::Min)).map(|_| at)
    }

    /// The nodes with keys from `low` to `high`, both inclusive. Empty if they are the wrong way round.
    pub fn range(&self, low: K, high: K) -> Range<usize> {
        let first = self.before(low, false);
        first..self.before(high, true).max(first)
    }

    /// The nodes with many keys, [`Position::NONE`] for those that are not there.
    ///
    /// ```
    /// # use thalweg_trees as thalweg;
    /// let tree = thalweg::tree::SearchTree::<u32, _>::balanced(&[30, 10, 20])?;
    /// let mut nodes = [0; 3];
    /// tree.find_batch(&[20, 25, 30], &mut nodes)?;
    /// assert_eq!(nodes, [1, u32::MAX, 2]);
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn find_batch(&self, keys: &[K], out: &mut [P]) -> Result<()> {
        expect_len("output of the batch", out.len(), keys.len())?;
        keys.par_chunks(CHUNK).zip(out.par_chunks_mut(CHUNK)).for_each(|(keys, out)| {
            for (keys, out) in keys.chunks(PORTION).zip(out.chunks_mut(PORTION)) {
                let mut places = [0; PORTION];
                self.search(keys.iter().map(|&key| (key, false)), &mut places);
                for ((key, &at), out) in keys.iter().zip(&places).zip(out) {
                    let found = self.keys.get(at).is_some_and(|k| k.rank(Order::Min) == key.rank(Order::Min));
                    *out = if found { P::new(at) } else { P::NONE };
                }
            }
        });
        Ok(())
    }

    /// The nodes of many ranges of keys, `[low, high]`, both inclusive: first node, and the one behind the last.
    ///
    /// ```
    /// # use thalweg_trees as thalweg;
    /// let tree = thalweg::tree::SearchTree::<u32, _>::balanced(&[30, 10, 20])?;
    /// let mut ranges = [[0; 2]; 2];
    /// tree.range_batch(&[[10, 20], [25, 26]], &mut ranges)?;
    /// assert_eq!(ranges, [[0, 2], [2, 2]]);
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn range_batch(&self, ranges: &[[K; 2]], out: &mut [[P; 2]]) -> Result<()> {
        expect_len("output of the batch", out.len(), ranges.len())?;
        ranges.par_chunks(CHUNK).zip(out.par_chunks_mut(CHUNK)).for_each(|(ranges, out)| {
            for (ranges, out) in ranges.chunks(PORTION / 2).zip(out.chunks_mut(PORTION / 2)) {
                let mut places = [0; PORTION];
                self.search(ranges.iter().flat_map(|&[low, high]| [(low, false), (high, true)]), &mut places);
                for (places, out) in places.chunks(2).zip(out) {
                    *out = [P::new(places[0]), P::new(places[1].max(places[0]))];
                }
            }
        });
        Ok(())
    }

    /// The nodes that lie in many ranges of keys, range after range.
    ///
    /// Work O(log n) a range and O(1) a node that is reported.
    ///
    /// ```
    /// # use thalweg_trees as thalweg;
    /// let tree = thalweg::tree::SearchTree::<u32, _>::balanced(&[30, 10, 20])?;
    /// let reports = tree.report(&[[10, 20], [25, 26], [15, 99]])?;
    /// assert_eq!(reports.offsets.as_u32(), Some(&[0, 2, 2, 4][..]));
    /// assert_eq!(reports.nodes.as_u32(), Some(&[0, 1, 1, 2][..]));
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn report(&self, ranges: &[[K; 2]]) -> Result<Reports> {
        let mut found = collected(ranges.par_iter().map(|_| [P::new(0); 2]), "ranges of nodes")?;
        self.range_batch(ranges, &mut found)?;
        let count = |[first, end]: &[P; 2]| P::new(end.get() - first.get());
        let family = fork(&collected(found.par_iter().map(count), "counts of nodes")?)?;
        let node = |row: usize, k: usize| found[row][0].get() + k;
        let nodes = match (&family.parents, &family.ranks) {
            (Positions::U32(rows), Positions::U32(ranks)) => Positions::U32(collected(
                rows.par_iter().zip(ranks).map(|(row, k)| node(row.get(), k.get()) as u32),
                "nodes of ranges",
            )?),
            _ => Positions::U64(collected(
                (0..family.parents.len()).into_par_iter().map(|i| {
                    let at = |positions: &Positions| positions.at(i).expect("forked children have parents");
                    node(at(&family.parents), at(&family.ranks)) as u64
                }),
                "nodes of ranges",
            )?),
        };
        Ok(Reports { offsets: family.offsets, nodes })
    }

    /// [`SearchTree::before`] for up to [`PORTION`] keys: all searches halve the same number of keys in every step.
    fn search(&self, wanted: impl Iterator<Item = (K, bool)>, places: &mut [usize; PORTION]) {
        let mut ranks = [(K::Rank::default(), false); PORTION];
        let mut count = 0;
        for (to, (key, through)) in ranks.iter_mut().zip(wanted) {
            *to = (key.rank(Order::Min), through);
            count += 1;
        }
        let mut size = self.keys.len();
        while size > 0 {
            let half = size.div_ceil(2);
            for (place, &(rank, through)) in places.iter_mut().zip(&ranks[..count]) {
                // A step beyond the keys that are left looks at the last one again, and finds out nothing new.
                let probe = (*place + half - 1).min(self.keys.len() - 1);
                let there = self.keys[probe].rank(Order::Min);
                let smaller = there < rank || (through && there == rank);
                *place = if smaller { probe + 1 } else { *place };
                prefetch(&self.keys, *place + (size - half).div_ceil(2).saturating_sub(1));
            }
            size -= half;
        }
    }
}

/// The different keys in order, how often each occurs, and where it occurs first.
fn distinct<P: Position, K: Key>(keys: &[K]) -> Result<(Vec<K>, Vec<P>, Vec<P>)> {
    let len = keys.len();
    if !P::fits(len) {
        return Err(Error::Width { len, got: P::NAME });
    }
    let mut order: Vec<P> = try_filled(len, P::default(), "positions of keys")?;
    sort_idx_into(keys, &mut order)?;
    let sorted = collected(order.par_iter().map(|i| keys[i.get()]), "keys in order")?;
    let rank = |k: usize| sorted[k].rank(Order::Min);
    let starts: Vec<P> = positions_where(len, |k| k == 0 || rank(k) != rank(k - 1))?;
    let end = |node: usize| starts.get(node + 1).map_or(len, |start| start.get());
    let counts =
        collected((0..starts.len()).into_par_iter().map(|v| P::new(end(v) - starts[v].get())), "counts of keys")?;
    // The sort is stable: the first of equal keys was inserted first.
    let times = collected(starts.par_iter().map(|start| order[start.get()]), "times of keys")?;
    let distinct = collected(starts.par_iter().map(|start| sorted[start.get()]), "different keys")?;
    Ok((distinct, counts, times))
}

/// The parent of a node of the balanced tree of `len` nodes, by numbers from 1; `None` for the root.
///
/// In an endless tree the parent of a node is the number with one trailing zero more next to it. Where that is beyond
/// the last node, its own parent takes its place, and so on.
fn balanced_parent(number: usize, len: usize) -> Option<usize> {
    let root = 1 << len.ilog2();
    let mut at = number;
    while at != root {
        let bit = at & at.wrapping_neg();
        at = (at & !bit) | bit << 1;
        if at <= len {
            return Some(at);
        }
    }
    None
}
