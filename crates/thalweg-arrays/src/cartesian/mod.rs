//! The Cartesian tree of an array, from its nearest smaller values.
//!
//! The root is the leftmost minimum; what lies left of it is its left subtree, what lies right of it its right one, and
//! so on. The subtree of element i is what lies between its nearest element to the left that is *not larger* and its
//! nearest to the right that is *strictly smaller*, and its parent is the greater of these two, the right one on ties.
//! So equal elements descend to the right, and the tree is binary.
//!
//! Two runs of ANSV and one pass. Work O(n), span that of ANSV. Extra memory: two positions an element while it is made.
#![allow(unsafe_code)]

use crate::ansv::{Sides, solve_by_tiles};
use crate::inlabel::Inlabel;
use thalweg_core::atomic_set::AtomicSet;
use thalweg_core::bits::Bits;
use thalweg_core::coding::Ranking;
use thalweg_core::disjoint::Disjoint;
use thalweg_core::memory::{computed, filled};
use thalweg_core::parallel::{find_first, for_each_chunk};
use thalweg_core::{Coding, Error, Key, Order, Position, Positions, Rank, Result, by_width};

/// Elements that a task takes at once.
const GRAIN: usize = 1 << 14;

/// The Cartesian tree of an array. Its nodes are the positions, and its in-order traversal is the array.
///
/// ```
/// # mod thalweg { pub use thalweg_arrays as tree; pub use thalweg_arrays::*; }
/// use thalweg::tree::Cartesian;
/// let tree = Cartesian::<u32>::new(&[5, 3, 8, 1, 9, 1])?;
/// assert_eq!(tree.root(), Some(3));
/// assert_eq!(tree.parents(), [1, 3, 1, u32::MAX, 5, 3]);
/// let [left, right] = tree.children()?;
/// assert_eq!((left[1], right[1]), (0, 2));
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cartesian<P> {
    parents: Vec<P>,
    root: Option<usize>,
}

impl<P: Position> Cartesian<P> {
    /// The tree with the leftmost minimum at the root.
    ///
    /// # Errors
    /// [`Error::Width`] if positions need more bits, [`Error::OutOfMemory`].
    pub fn new<K: Key>(array: &[K]) -> Result<Self> {
        Self::with_order(array, Order::Min)
    }

    /// The tree with the leftmost best element by an order at the root.
    ///
    /// # Errors
    /// As [`Cartesian::new`].
    pub fn with_order<K: Key>(array: &[K], order: Order) -> Result<Self> {
        let (parents, root) = parents(Bits::of(array), Coding::of::<K>(order), size_of::<P>() == 4)?;
        Ok(Self { parents: P::from_list(parents).expect("the width asked for"), root })
    }

    /// A tree that was made elsewhere, such as on another device: any binary tree whose in-order numbers are the positions.
    /// Checked is that parents exist, and that none has two children on one side; the rest is trusted.
    ///
    /// ```
    /// # mod thalweg { pub use thalweg_arrays as tree; pub use thalweg_arrays::*; }
    /// use thalweg::tree::Cartesian;
    /// assert_eq!(Cartesian::from_parts(vec![1u32, u32::MAX, 1], Some(1))?, Cartesian::new(&[5, 1, 2])?);
    /// assert!(Cartesian::from_parts(vec![7u32], Some(0)).is_err());
    /// assert!(Cartesian::from_parts(vec![2u32, 2, u32::MAX], Some(2)).is_err());
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Link`] for a parent that does not exist, [`Error::BadOption`] for two children on one side.
    pub fn from_parts(parents: Vec<P>, root: Option<usize>) -> Result<Self> {
        let len = parents.len();
        let taken = AtomicSet::new(2 * len, "children of a tree")?;
        // Whether a node's parent is there and has room for it.
        let fits = |i: &usize| match parents[*i].checked() {
            Some(parent) => parent < len && !taken.insert(2 * parent + usize::from(*i > parent)),
            None => true,
        };
        if let Some(element) = find_first(len, GRAIN, &|mut range| range.find(|i| !fits(i))) {
            let to = parents[element].get();
            if to >= len {
                return Err(Error::Link { what: "node", element, to: to as u64, len });
            }
            let same_side = |&i: &usize| i != element && parents[i].get() == to && (i > to) == (element > to);
            let other = (0..len).find(same_side).unwrap_or(element);
            let reason =
                format!("node {to} has two children on one side: {} and {}", element.min(other), element.max(other));
            return Err(Error::BadOption { option: "parents", reason });
        }
        Ok(Self { parents, root })
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// The position of the leftmost minimum; `None` if the array is empty.
    pub fn root(&self) -> Option<usize> {
        self.root
    }

    /// Every node's parent, [`Position::NONE`] for the root.
    pub fn parents(&self) -> &[P] {
        &self.parents
    }

    /// The parents, without the rest.
    pub fn into_parents(self) -> Vec<P> {
        self.parents
    }

    /// Every node's left child and right child, [`Position::NONE`] for none.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn children(&self) -> Result<[Vec<P>; 2]> {
        let mut left = filled(self.len(), P::NONE, "left children")?;
        let mut right = filled(self.len(), P::NONE, "right children")?;
        let (left_place, right_place) = (Disjoint::new(&mut left), Disjoint::new(&mut right));
        for_each_chunk(self.len(), GRAIN, &|range| {
            for i in range {
                if let Some(parent) = self.parents[i].checked() {
                    let place = if i < parent { left_place } else { right_place };
                    // SAFETY: the tree is binary: see the module's text.
                    unsafe { place.put(parent, P::new(i)) };
                }
            }
        });
        Ok([left, right])
    }
}

/// The parents of all elements, in 32 bits or 64, and the root. Compiled here for all key types.
fn parents(bits: Bits<'_>, coding: Coding, narrow: bool) -> Result<(Positions, Option<usize>)> {
    if narrow { parents_as::<u32>(bits, coding) } else { parents_as::<u64>(bits, coding) }
}

fn parents_as<P: Position>(bits: Bits<'_>, coding: Coding) -> Result<(Positions, Option<usize>)> {
    let spans = Spans::<P>::new(bits, coding)?;
    by_width!(Bits, bits, bits => {
        let order = coding.ranking();
        let parent = |i: usize| spans.parent(bits, order, i).map_or(P::NONE, P::new);
        let parents = computed(bits.len(), GRAIN, "parents", parent)?;
        let root = find_first(bits.len(), GRAIN, &|mut range| range.find(|&i| parents[i] == P::NONE));
        Ok((P::list(parents), root))
    })
}

/// The table for lowest common ancestors in the Cartesian tree of an array, by positions: the leftmost best element between
/// two. It is made from neighbours, without the tree.
///
/// # Errors
/// As [`Cartesian::new`].
pub fn inlabel<P: Position>(bits: Bits<'_>, coding: Coding) -> Result<Inlabel<P>> {
    Spans::new(bits, coding)?.inlabel(bits, coding)
}

/// The neighbours of every element that bound its subtree.
pub(crate) struct Spans<P> {
    left: Vec<P>,
    right: Vec<P>,
}

impl<P: Position> Spans<P> {
    /// Two runs of ANSV.
    pub(crate) fn new(bits: Bits<'_>, coding: Coding) -> Result<Self> {
        let len = bits.len();
        if !P::fits(len) {
            return Err(Error::Width { len, got: P::NAME });
        }
        let mut left = filled(len, P::default(), "left neighbours")?;
        solve_by_tiles(bits, coding, false, Sides { left: Some(&mut left[..]), right: None })?;
        let mut right = filled(len, P::default(), "right neighbours")?;
        solve_by_tiles(bits, coding, true, Sides { left: None, right: Some(&mut right[..]) })?;
        Ok(Self { left, right })
    }

    /// The parent of element `i`.
    #[inline(always)]
    fn parent<R: Rank>(&self, bits: &[R], order: Ranking<R>, i: usize) -> Option<usize> {
        match (self.left[i].checked(), self.right[i].checked()) {
            (Some(left), Some(right)) => {
                Some(if bits[left].ranked(order) > bits[right].ranked(order) { left } else { right })
            }
            (left, right) => left.or(right),
        }
    }

    /// The first and the last of the elements in the subtree of `i`.
    #[inline(always)]
    fn bounds(&self, i: usize) -> (usize, usize) {
        (self.left[i].checked().map_or(0, |left| left + 1), self.right[i].checked().unwrap_or(self.left.len()) - 1)
    }

    /// The table for lowest common ancestors, without a tour and without list ranking: a subtree's in-order numbers are
    /// an interval, which is all that it needs, and of two nodes on a path the higher one has the larger subtree.
    pub(crate) fn inlabel(&self, bits: Bits<'_>, coding: Coding) -> Result<Inlabel<P>> {
        let len = bits.len();
        let span = |i: usize| {
            let (first, last) = self.bounds(i);
            (first + 1, last + 1)
        };
        let height = |i: usize| {
            let (first, last) = self.bounds(i);
            P::new(len - (last - first + 1))
        };
        by_width!(Bits, bits, bits => {
            let order = coding.ranking();
            Inlabel::new(len, false, &span, &height, &|i| self.parent(bits, order, i))
        })
    }
}
