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

/// The `FAN` entries of a level from `start` on, whatever nodes they lie in; there are as many.
#[inline(always)]
pub(super) fn window<R>(level: &[R], start: usize) -> &[R; FAN] {
    debug_assert!(start + FAN <= level.len());
    // SAFETY: as for `children`; whoever asks has made sure that `start` is that far from the end.
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

/// What a query asks of sixteen lanes, on some machine.
pub(super) trait Machine {
    /// Minimum of lanes `first..end`, the worst rank if there are none.
    fn least<R: Rank>(lanes: &[R; FAN], first: usize, end: usize) -> R;
    /// First lane from `first` on that holds `rank`; some lane if none does.
    fn first_with<R: Rank>(lanes: &[R; FAN], first: usize, rank: R) -> usize;
    /// The minimum and the first lane that holds it.
    fn leftmost_min<R: Rank>(lanes: &[R; FAN]) -> (R, usize);
}

/// Whatever the compiler makes of plain loops.
pub(super) struct AnyMachine;

impl Machine for AnyMachine {
    #[inline(always)]
    fn least<R: Rank>(lanes: &[R; FAN], first: usize, end: usize) -> R {
        min_of_lanes(lanes, first, end)
    }

    #[inline(always)]
    fn first_with<R: Rank>(lanes: &[R; FAN], first: usize, rank: R) -> usize {
        first_lane_with(lanes, first, rank) % FAN
    }

    #[inline(always)]
    fn leftmost_min<R: Rank>(lanes: &[R; FAN]) -> (R, usize) {
        let rank = horizontal_min(*lanes);
        (rank, first_lane_with(lanes, 0, rank))
    }
}

/// Masked loads and comparisons, for keys that fill a register or two. Compilers do not find them: short ranges of 2^24 `u32`
/// take 50 ns with plain loops and 35 with these. Of plain loops over many nodes they make gathers, sixteen nodes side by side; with
/// these an index of 2^26 `u32` is built in 43 ms instead of 120, on a processor whose gathers are slow (as most of Intel's are since
/// they were mended).
///
/// Whoever uses it is compiled for AVX-512 and runs on such a machine.
#[cfg(target_arch = "x86_64")]
pub(super) struct Avx512;

#[cfg(target_arch = "x86_64")]
impl Machine for Avx512 {
    #[inline(always)]
    fn least<R: Rank>(lanes: &[R; FAN], first: usize, end: usize) -> R {
        use std::arch::x86_64::*;
        debug_assert!(end <= FAN);
        // Nothing if `end` is not behind `first`.
        let keep = (1u32 << end).saturating_sub(1u32 << first);
        // SAFETY: the machine has AVX-512, see the type; the lanes are sixteen integers of 32 or of 64 bits.
        unsafe {
            match R::BITS {
                32 => {
                    let kept = _mm512_mask_loadu_epi32(_mm512_set1_epi32(-1), keep as u16, lanes.as_ptr().cast());
                    R::from_u64(_mm512_reduce_min_epu32(kept).into())
                }
                64 => {
                    let (worst, start) = (_mm512_set1_epi64(-1), lanes.as_ptr().cast::<i64>());
                    let low = _mm512_mask_loadu_epi64(worst, keep as u8, start);
                    let high = _mm512_mask_loadu_epi64(worst, (keep >> 8) as u8, start.add(FAN / 2));
                    R::from_u64(_mm512_reduce_min_epu64(_mm512_min_epu64(low, high)))
                }
                _ => min_of_lanes(lanes, first, end),
            }
        }
    }

    #[inline(always)]
    fn first_with<R: Rank>(lanes: &[R; FAN], first: usize, rank: R) -> usize {
        use std::arch::x86_64::*;
        // SAFETY: as above.
        let found = unsafe {
            match R::BITS {
                32 => {
                    let lanes = _mm512_loadu_epi32(lanes.as_ptr().cast());
                    u32::from(_mm512_cmpeq_epi32_mask(lanes, _mm512_set1_epi32(rank.to_u64() as i32)))
                }
                64 => {
                    let (rank, start) = (_mm512_set1_epi64(rank.to_u64() as i64), lanes.as_ptr().cast::<i64>());
                    let low = _mm512_cmpeq_epi64_mask(_mm512_loadu_epi64(start), rank);
                    let high = _mm512_cmpeq_epi64_mask(_mm512_loadu_epi64(start.add(FAN / 2)), rank);
                    u32::from(low) | u32::from(high) << 8
                }
                _ => return first_lane_with(lanes, first, rank) % FAN,
            }
        };
        (found >> first << first).trailing_zeros() as usize % FAN
    }

    #[inline(always)]
    fn leftmost_min<R: Rank>(lanes: &[R; FAN]) -> (R, usize) {
        let rank = Self::least(lanes, 0, FAN);
        (rank, Self::first_with(lanes, 0, rank))
    }
}

/// Minimum of lanes `first..end`, the worst rank if there are none.
#[inline(always)]
fn min_of_lanes<R: Rank>(lanes: &[R; FAN], first: usize, end: usize) -> R {
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
pub(super) fn first_entry_with<M: Machine, R: Rank>(lanes: &[R; FAN], index: usize, rank: R) -> usize {
    index / FAN * FAN + M::first_with(lanes, index % FAN, rank)
}

/// One after the other: compilers know this form of a reduction, and make vector instructions of it.
#[inline(always)]
fn horizontal_min<R: Rank>(lanes: [R; FAN]) -> R {
    lanes.into_iter().fold(R::WORST, R::min)
}

/// Defines a function over some [`Machine`] `M`: [`dispatch!`](thalweg_core::dispatch) with lanes for [`AnyMachine`], but [`Avx512`] where the
/// machine has it and `most` allows it.
macro_rules! kernel {
    ($(#[$meta:meta])* $vis:vis $name:ident, $plain:ident, $body:ident<$($g:ident: $bound:path),*>($($arg:ident: $t:ty),* $(,)?) -> $ret:ty = $answer:expr, up to $most:expr) => {
        #[inline(always)]
        fn $body<M: $crate::rmq::lines::lanes::Machine, $($g: $bound),*>($($arg: $t),*) -> $ret {
            $answer
        }
        thalweg_core::dispatch! {
            fn $plain<$($g: $bound),*>($($arg: $t),*) -> $ret =
                $body::<$crate::rmq::lines::lanes::AnyMachine, $($g),*>, up to thalweg_core::simd::Level::Avx2;
        }
        $(#[$meta])*
        $vis fn $name<$($g: $bound),*>($($arg: $t),*) -> $ret {
            #[cfg(target_arch = "x86_64")]
            if thalweg_core::simd::level().min($most) == thalweg_core::simd::Level::Avx512 {
                #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
                fn avx512<$($g: $bound),*>($($arg: $t),*) -> $ret {
                    $body::<$crate::rmq::lines::lanes::Avx512, $($g),*>($($arg),*)
                }
                // SAFETY: `level` has seen every feature that the function is compiled with.
                return unsafe { avx512::<$($g),*>($($arg),*) };
            }
            $plain::<$($g),*>($($arg),*)
        }
    };
}
pub(super) use kernel;
