//! Kill: the dead leave, the living close ranks.
//!
//! BSGP's `thread.kill` (Hou et al. 2008) compacts the ranks of the threads. Here a set of live flags is turned into
//! the survivors' old positions ([`survivors`]), into everybody's new rank ([`survivor_ranks`]), or straight into a shorter array; several arrays that
//! belong together are compacted with the same flags.
#![allow(unsafe_code)]

use super::compact::{compact_in_place_by, compact_indices};
use super::pack::pack;
use super::split::{count_true, write_ranks};
use crate::disjoint::Disjoint;
use crate::error::expect_len;
use crate::memory::try_with_large_capacity;
use crate::{Position, Positions, Result};

/// The positions of the living, ascending: entry `r` is where the survivor of new rank `r` was before.
///
/// Work O(n), span O(block + n / block). [`kill_in_place`] moves the living themselves.
///
/// ```
/// # use thalweg_core as thalweg;
/// use thalweg::primitives::survivors;
/// let survivors = survivors(&[true, false, false, true])?;
/// assert_eq!(survivors.as_u32(), Some(&[0, 3][..]));
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn survivors(live: &[bool]) -> Result<Positions> {
    compact_indices(live, |&live| live)
}

/// The new rank of everybody, [`Position::NONE`] for the dead, and the number of the living. For links between
/// elements: a link to `i` becomes a link to `ranks[i]`.
///
/// Work O(n), span O(block + n / block), no extra memory but the result.
///
/// ```
/// # use thalweg_core as thalweg;
/// use thalweg::primitives::survivor_ranks;
/// let (ranks, living) = survivor_ranks(&[true, false, false, true])?;
/// assert_eq!(ranks.iter().collect::<Vec<_>>(), [Some(0), None, None, Some(1)]);
/// assert_eq!(living, 2);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn survivor_ranks(live: &[bool]) -> Result<(Positions, usize)> {
    let living = count_true(live);
    if u32::fits(live.len()) {
        Ok((Positions::U32(ranks_to_vec(live)?), living))
    } else {
        Ok((Positions::U64(ranks_to_vec(live)?), living))
    }
}

/// Removes the dead from an array in place. Call it for every array that belongs to the same set.
///
/// Work O(n), span O(block + n / block). Extra memory: one block per thread.
///
/// ```
/// # use thalweg_core as thalweg;
/// use thalweg::primitives::kill_in_place;
/// let live = [true, false, true];
/// let (mut names, mut ages) = (vec!["Ann", "Bob", "Cleo"], vec![31, 104, 8]);
/// kill_in_place(&mut names, &live)?;
/// kill_in_place(&mut ages, &live)?;
/// assert_eq!((names, ages), (vec!["Ann", "Cleo"], vec![31, 8]));
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn kill_in_place<T: Copy + Send + Sync>(values: &mut Vec<T>, live: &[bool]) -> Result<()> {
    expect_len("live flags", live.len(), values.len())?;
    compact_in_place_by(values, |range, values, out| {
        let live = &live[range];
        assert_eq!(live.len(), values.len());
        // SAFETY: `pack` asks for positions of `values` only, and there are as many flags.
        pack(values, out, |i| unsafe { *live.get_unchecked(i) })
    })
}

/// The same, where `live` tells who lives by the position.
pub fn kill_in_place_by<T: Copy + Send + Sync>(values: &mut Vec<T>, live: impl Fn(usize) -> bool + Sync) -> Result<()> {
    compact_in_place_by(values, |range, values, out| pack(values, out, |i| live(range.start + i)))
}

fn ranks_to_vec<P: Position>(live: &[bool]) -> Result<Vec<P>> {
    let mut out = try_with_large_capacity(live.len(), "new ranks")?;
    let place = Disjoint::uninit(&mut out.spare_capacity_mut()[..live.len()]);
    write_ranks(live, place, |live, _, living_before| if live { P::new(living_before) } else { P::NONE });
    // SAFETY: every element has been written.
    unsafe { out.set_len(live.len()) };
    Ok(out)
}
