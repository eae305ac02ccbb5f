//! A node's sixteen children, all at once.
#![allow(unsafe_code)]

use super::FAN;
use thalweg_core::Rank;

/// The children that lie in one node with entry `index` of a level.
#[inline(always)]
pub(super) fn children<R>(level: &[R], index: usize) -> &[R; FAN] {
    let start = index / FAN * FAN;
    debug_assert!(start + FAN <= level.len());
    // SAFETY: levels are filled up to whole nodes (`Lines::new`, `Lines::load`), and every index comes from a place inside
    // the array (`View::answer` and the front door check all ranges first) or from an entry of a higher level.
    unsafe { &*level.as_ptr().add(start).cast() }
}

/// Element `index` of a level, its offsets or the table.
#[inline(always)]
pub(super) fn at<T: Copy>(slice: &[T], index: usize) -> T {
    debug_assert!(index < slice.len());
    // SAFETY: as for `children`, but for groups named by the table, which `View::position` compares with their number; the
    // table has a row for every power of two up to the number of groups, and positions in the array are a range's ends.
    unsafe { *slice.get_unchecked(index) }
}

/// Minimum of lanes `first..end`, the worst rank if there are none.
#[inline(always)]
pub(super) fn min_of_lanes<R: Rank>(lanes: &[R; FAN], first: usize, end: usize) -> R {
    let before: &[R; FAN] = R::MASK[FAN - first..].first_chunk().expect("first <= FAN");
    let behind: &[R; FAN] = R::MASK[2 * FAN - end..].first_chunk().expect("end <= FAN");
    let mut kept = *lanes;
    for i in 0..FAN {
        kept[i] = kept[i] | before[i] | behind[i];
    }
    horizontal_min(kept)
}

/// First lane from `first` on that holds `rank`; `FAN` or more if none does.
#[inline(always)]
fn first_lane_with<R: Rank>(lanes: &[R; FAN], first: usize, rank: R) -> usize {
    let before: &[R; FAN] = R::MASK[FAN - first..].first_chunk().expect("first <= FAN");
    let mut found = R::LANES;
    for i in 0..FAN {
        found[i] = (if lanes[i] == rank { found[i] } else { R::WORST }) | before[i];
    }
    horizontal_min(found).to_u64() as usize
}

/// First entry from `index` on in its node that holds `rank`; there is one.
#[inline(always)]
pub(super) fn first_entry_with<R: Rank>(lanes: &[R; FAN], index: usize, rank: R) -> usize {
    index / FAN * FAN + first_lane_with(lanes, index % FAN, rank) % FAN
}

/// The minimum and the first lane that holds it.
#[inline(always)]
pub(super) fn leftmost_min<R: Rank>(lanes: &[R; FAN]) -> (R, usize) {
    let rank = horizontal_min(*lanes);
    (rank, first_lane_with(lanes, 0, rank))
}

/// One after the other: compilers know this form of a reduction, and make vector instructions of it.
#[inline(always)]
fn horizontal_min<R: Rank>(lanes: [R; FAN]) -> R {
    lanes.into_iter().fold(R::WORST, R::min)
}
