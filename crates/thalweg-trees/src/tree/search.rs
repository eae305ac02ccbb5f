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

use std::any::Any;
use std::hint::select_unpredictable;
use std::ops::Range;

use crate::widths::{Slices, by_width as by_position, typed};
use thalweg_arrays::Cartesian;
use thalweg_core::bits::{self, Bits};
use thalweg_core::coding::Ranking;
use thalweg_core::error::expect_len;
use thalweg_core::memory::{computed, large_zeroed};
use thalweg_core::parallel::for_each_chunk_mut;
use thalweg_core::primitives::{fork, positions_where, sort_idx_into};
use thalweg_core::simd::prefetch;
use thalweg_core::{Coding, Error, Key, Order, Pairs, Position, Positions, PositionsMut, Rank, Result, by_width};

/// Searches that go step by step together. Not measured.
const PORTION: usize = 32;

/// Searches that a task does.
const CHUNK: usize = 1 << 12;

/// Elements that a task takes at once in the passes over arrays.
const GRAIN: usize = 1 << 14;

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
pub struct SearchTree<P: Position, K: Key> {
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
        let root = (!keys.is_empty()).then(|| (1 << keys.len().ilog2()) - 1);
        let [parents] = typed([balanced_parents(Slices::of([&counts]))?]);
        Ok(Self { keys, counts, shape: Cartesian::from_parts(parents, root)? })
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
        Ok(keys_of(in_order(Bits::of(&self.keys), Slices::of([&self.counts]))?))
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
        find(Bits::of(&self.keys), coding::<K>(), Bits::of(keys), P::buffer(out));
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
        let (low_and_high, first_and_end) = (ranges.as_flattened(), out.as_flattened_mut());
        find_ranges(Bits::of(&self.keys), coding::<K>(), Bits::of(low_and_high), P::buffer(first_and_end));
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
        let mut found = large_zeroed::<[P; 2]>(ranges.len(), "ranges of nodes")?;
        self.range_batch(ranges, &mut found)?;
        report(P::pairs(&found))
    }
}

fn coding<K: Key>() -> Coding {
    Coding::of::<K>(Order::Min)
}

/// A list of words, whose width its user knows.
type Words = Box<dyn Any>;

fn keys_of<K: Key>(words: Words) -> Vec<K> {
    bits::keys(*words.downcast().expect("the keys' own width"))
}

/// The different keys in order, how often each occurs, and where it occurs first.
fn distinct<P: Position, K: Key>(keys: &[K]) -> Result<(Vec<K>, Vec<P>, Vec<P>)> {
    let len = keys.len();
    if !P::fits(len) {
        return Err(Error::Width { len, got: P::NAME });
    }
    let mut order = large_zeroed::<P>(len, "positions of keys")?;
    sort_idx_into(keys, &mut order)?;
    let (keys, counts_and_times) = distinct_words(Bits::of(keys), coding::<K>(), Slices::of([&order]))?;
    let [counts, times] = typed(counts_and_times);
    Ok((keys_of(keys), counts, times))
}

fn distinct_words(keys: Bits<'_>, coding: Coding, order: Slices<'_>) -> Result<(Words, [Positions; 2])> {
    by_width!(Bits, keys, keys => by_position!(order, [order] => {
        let (distinct, counts_and_times) = distinct_sorted(keys, coding.ranking(), order)?;
        Ok((Box::new(distinct), counts_and_times.map(Position::list)))
    }))
}

fn distinct_sorted<R: Rank, P: Position>(
    keys: &[R],
    ranking: Ranking<R>,
    order: &[P],
) -> Result<(Vec<R>, [Vec<P>; 2])> {
    let len = keys.len();
    let sorted = computed(len, GRAIN, "keys in order", |k| keys[order[k].get()])?;
    let rank = |k: usize| sorted[k].ranked(ranking);
    let starts: Vec<P> = positions_where(len, |k| k == 0 || rank(k) != rank(k - 1))?;
    let end = |node: usize| starts.get(node + 1).map_or(len, |start| start.get());
    let counts = computed(starts.len(), GRAIN, "counts of keys", |v| P::new(end(v) - starts[v].get()))?;
    // The sort is stable: the first of equal keys was inserted first.
    let times = computed(starts.len(), GRAIN, "times of keys", |v| order[starts[v].get()])?;
    let distinct = computed(starts.len(), GRAIN, "different keys", |v| sorted[starts[v].get()])?;
    Ok((distinct, [counts, times]))
}

fn in_order(keys: Bits<'_>, counts: Slices<'_>) -> Result<Words> {
    let nodes = by_position!(counts, [counts] => fork(counts)?).parents;
    by_width!(Bits, keys, keys => Ok(match nodes {
        Positions::U32(nodes) => Box::new(gathered(keys, &nodes)?),
        Positions::U64(nodes) => Box::new(gathered(keys, &nodes)?),
    }))
}

fn gathered<R: Rank, P: Position>(keys: &[R], nodes: &[P]) -> Result<Vec<R>> {
    computed(nodes.len(), GRAIN, "keys in order", |k| keys[nodes[k].get()])
}

/// The nodes with the keys that are wanted, into as many places.
fn find(keys: Bits<'_>, coding: Coding, wanted: Bits<'_>, out: PositionsMut<'_>) {
    by_width!(Bits, keys, keys => match coding.is_float() {
        true => Searched::<_, true>::new(keys, coding).find_all(wanted, out),
        false => Searched::<_, false>::new(keys, coding).find_all(wanted, out),
    });
}

/// For ranges, low and high one after the other, the first node and the one behind the last, likewise.
fn find_ranges(keys: Bits<'_>, coding: Coding, ranges: Bits<'_>, out: PositionsMut<'_>) {
    by_width!(Bits, keys, keys => match coding.is_float() {
        true => Searched::<_, true>::new(keys, coding).find_all_ranges(ranges, out),
        false => Searched::<_, false>::new(keys, coding).find_all_ranges(ranges, out),
    });
}

/// Keys in order, each once, as they are searched. Whether they are floats is known here, not asked in every step.
struct Searched<'k, R, const FLOAT: bool> {
    keys: &'k [R],
    ranking: Ranking<R>,
}

impl<'k, R: Rank, const FLOAT: bool> Searched<'k, R, FLOAT> {
    fn new(keys: &'k [R], coding: Coding) -> Self {
        Self { keys, ranking: Ranking { float: FLOAT, ..coding.ranking() } }
    }

    fn find_all(&self, wanted: Bits<'_>, out: PositionsMut<'_>) {
        let wanted = R::of_bits(wanted).expect("keys of one type");
        match out {
            PositionsMut::U32(out) => self.find(wanted, out),
            PositionsMut::U64(out) => self.find(wanted, out),
        }
    }

    fn find_all_ranges(&self, ranges: Bits<'_>, out: PositionsMut<'_>) {
        let ranges = R::of_bits(ranges).expect("keys of one type");
        match out {
            PositionsMut::U32(out) => self.find_ranges(ranges, out),
            PositionsMut::U64(out) => self.find_ranges(ranges, out),
        }
    }

    #[inline(always)]
    fn rank(&self, key: R) -> R {
        key.ranked(Ranking { float: FLOAT, ..self.ranking })
    }

    fn find<P: Position>(&self, wanted: &[R], out: &mut [P]) {
        for_each_chunk_mut(out, CHUNK, &|start, out| {
            for (wanted, out) in wanted[start..].chunks(PORTION).zip(out.chunks_mut(PORTION)) {
                let ranks = self.ranks(wanted);
                let places = self.search(&ranks[..wanted.len()], |_| false);
                for ((&rank, &at), out) in ranks.iter().zip(&places).zip(out) {
                    let found = self.keys.get(at).is_some_and(|&key| self.rank(key) == rank);
                    *out = if found { P::new(at) } else { P::NONE };
                }
            }
        });
    }

    fn find_ranges<P: Position>(&self, ranges: &[R], out: &mut [P]) {
        // A portion of a range's two bounds is never cut in two: portions are even.
        for_each_chunk_mut(out, CHUNK, &|start, out| {
            for (bounds, out) in ranges[start..].chunks(PORTION).zip(out.chunks_mut(PORTION)) {
                let ranks = self.ranks(bounds);
                let places = self.search(&ranks[..bounds.len()], |k| k % 2 == 1);
                for (places, out) in places.chunks(2).zip(out.chunks_mut(2)) {
                    out[0] = P::new(places[0]);
                    out[1] = P::new(places[1].max(places[0]));
                }
            }
        });
    }

    fn ranks(&self, keys: &[R]) -> [R; PORTION] {
        let mut ranks = [R::default(); PORTION];
        R::rank_all(keys, self.ranking, &mut ranks);
        ranks
    }

    /// For up to [`PORTION`] ranks: how many keys have smaller ones, or for those that are searched `through`, no larger
    /// ones. All searches halve the same number of keys in every step.
    #[inline(always)]
    fn search(&self, ranks: &[R], through: impl Fn(usize) -> bool) -> [usize; PORTION] {
        let mut places = [0; PORTION];
        let mut size = self.keys.len();
        while size > 0 {
            let half = size.div_ceil(2);
            for (k, (place, &rank)) in places.iter_mut().zip(ranks).enumerate() {
                // A step beyond the keys that are left looks at the last one again, and finds out nothing new.
                let probe = (*place + half - 1).min(self.keys.len() - 1);
                let there = self.rank(self.keys[probe]);
                let smaller = there < rank || (through(k) && there == rank);
                // As a branch, which half of the time would be guessed wrong, this takes four times as long.
                *place = select_unpredictable(smaller, probe + 1, *place);
                prefetch(self.keys, *place + (size - half).div_ceil(2).saturating_sub(1));
            }
            size -= half;
        }
        places
    }
}

/// The nodes of ranges that have been found.
fn report(found: Pairs<'_>) -> Result<Reports> {
    match found {
        Pairs::U32(found) => report_found(found),
        Pairs::U64(found) => report_found(found),
    }
}

fn report_found<P: Position>(found: &[[P; 2]]) -> Result<Reports> {
    let count = |row: usize| P::new(found[row][1].get() - found[row][0].get());
    let family = fork(&computed(found.len(), GRAIN, "counts of nodes", count)?)?;
    let node = |row: usize, k: usize| found[row][0].get() + k;
    let what = "nodes of ranges";
    let nodes = match (&family.parents, &family.ranks) {
        (Positions::U32(rows), Positions::U32(ranks)) => {
            Positions::U32(computed(rows.len(), GRAIN, what, |i| node(rows[i].get(), ranks[i].get()) as u32)?)
        }
        (Positions::U64(rows), Positions::U64(ranks)) => {
            Positions::U64(computed(rows.len(), GRAIN, what, |i| node(rows[i].get(), ranks[i].get()) as u64)?)
        }
        _ => unreachable!("the lists of a fork have one width"),
    };
    Ok(Reports { offsets: family.offsets, nodes })
}

fn balanced_parents(counts: Slices<'_>) -> Result<Positions> {
    by_position!(counts, [counts] => parents_like(counts).map(Position::list))
}

/// The parents of the balanced tree, as many and as wide as the counts.
fn parents_like<P: Position>(counts: &[P]) -> Result<Vec<P>> {
    let len = counts.len();
    let parent = |i: usize| balanced_parent(i + 1, len).map_or(P::NONE, |number| P::new(number - 1));
    computed(len, GRAIN, "parents", parent)
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
