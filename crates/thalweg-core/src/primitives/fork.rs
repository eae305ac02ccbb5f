//! Fork: every parent gets its children.
//!
//! BSGP's `thread.fork` (Hou et al. 2008) scans the child counts and fills in the parents by doubling: log2(m) rounds,
//! m being the largest family, each followed by a compaction of the parents that still have children to place. Here
//! the *output* is cut into equal blocks instead, and every block finds its first parent by binary search in the
//! offsets: one round, the same work for every block however unequal the families are, and every child is written
//! once, in order.
#![allow(unsafe_code)]

use super::chained::block_len;
use super::reduce::reduce_mapped;
use super::scan::scan_to_vec;
use crate::bits::Bits;
use crate::disjoint::Disjoint;
use crate::memory::try_with_large_capacity;
use crate::parallel::for_each_chunk;
use crate::{Position, Positions, Result};

/// Children that a task places at once.
const GRAIN: usize = 1 << 14;

/// A generation: where everybody's children are, and whose child everybody is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fork {
    /// Where each parent's children begin; one entry more than there are parents, the last is the number of children.
    pub offsets: Positions,
    /// The parent of every child.
    pub parents: Positions,
    /// Which child of its parent every child is, from 0.
    pub ranks: Positions,
}

/// The children of `counts.len()` parents, of whom parent `p` has `counts[p]`.
///
/// Positions are 32 bits wide if there are fewer than 2³² - 1 parents and children.
///
/// Work O(n + m) for n parents and m children, span O(block + n / block + log n), no extra memory but the result.
///
/// ```
/// # use thalweg_core as thalweg;
/// use thalweg::primitives::fork;
/// let family = fork(&[2u32, 0, 3])?;
/// assert_eq!(family.offsets.as_u32(), Some(&[0, 2, 2, 5][..]));
/// assert_eq!(family.parents.as_u32(), Some(&[0, 0, 2, 2, 2][..]));
/// assert_eq!(family.ranks.as_u32(), Some(&[0, 1, 0, 1, 2][..]));
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn fork<C: Position>(counts: &[C]) -> Result<Fork> {
    fork_bits(Bits::of(counts))
}

/// The same, compiled here and not where it is used.
fn fork_bits(counts: Bits<'_>) -> Result<Fork> {
    match counts {
        Bits::U32(counts) => fork_counts(counts),
        Bits::U64(counts) => fork_counts(counts),
        Bits::U8(_) | Bits::U16(_) => unreachable!("positions have 32 or 64 bits"),
    }
}

fn fork_counts<C: Position>(counts: &[C]) -> Result<Fork> {
    // Saturating addition is associative, and a saturated total is refused by the allocation.
    let children = if counts.is_empty() {
        0
    } else {
        reduce_mapped(counts, block_len(size_of::<C>()), &C::get, &usize::saturating_add)
    };
    if u32::fits(counts.len()) && u32::fits(children) {
        let (offsets, parents, ranks) = fork_as::<C, u32>(counts, children)?;
        Ok(Fork { offsets: Positions::U32(offsets), parents: Positions::U32(parents), ranks: Positions::U32(ranks) })
    } else {
        let (offsets, parents, ranks) = fork_as::<C, u64>(counts, children)?;
        Ok(Fork { offsets: Positions::U64(offsets), parents: Positions::U64(parents), ranks: Positions::U64(ranks) })
    }
}

fn fork_as<C: Position, P: Position>(counts: &[C], children: usize) -> Result<(Vec<P>, Vec<P>, Vec<P>)> {
    let mut parents = try_with_large_capacity::<P>(children, "parents of a fork")?;
    let mut ranks = try_with_large_capacity::<P>(children, "ranks of a fork")?;
    let add = |a: P, b: P| P::new(a.get() + b.get());
    let (mut offsets, _) = scan_to_vec::<C, P, false>(counts, 1, P::new(0), &|count| P::new(count.get()), &add)?;
    offsets.push(P::new(children));

    let parents_place = Disjoint::uninit(&mut parents.spare_capacity_mut()[..children]);
    let ranks_place = Disjoint::uninit(&mut ranks.spare_capacity_mut()[..children]);
    for_each_chunk(children, GRAIN, &|range| {
        // SAFETY: inside, and this block's own.
        let (parents, ranks) = unsafe { (parents_place.slice(range.clone()), ranks_place.slice(range.clone())) };
        let mut parent = 0;
        let mut child = range.start;
        while child < range.end {
            parent = parent_of(&offsets, P::new(child), parent);
            let start = offsets[parent].get();
            let end = offsets[parent + 1].get().min(range.end);
            for i in child..end {
                parents[i - range.start].write(P::new(parent));
                ranks[i - range.start].write(P::new(i - start));
            }
            child = end;
        }
    });
    // SAFETY: the blocks have written every child.
    unsafe {
        parents.set_len(children);
        ranks.set_len(children);
    }
    Ok((offsets, parents, ranks))
}

/// The last parent whose children begin at `child` or before, at `from` or after it.
///
/// Searched in steps that double: the next parent is usually the right one, but a million childless parents in a row
/// must not cost a million steps.
fn parent_of<P: Position>(offsets: &[P], child: P, from: usize) -> usize {
    let mut step = 1;
    let mut low = from;
    while low + step < offsets.len() && offsets[low + step] <= child {
        low += step;
        step *= 2;
    }
    let high = offsets.len().min(low + step);
    low + offsets[low + 1..high].partition_point(|&start| start <= child)
}
