//! Masked loads and comparisons, for keys that fill a register or two; narrower ones are [`Avx2`]'s.
//!
//! Compilers do not find them: short ranges of 2^24 `u32` take 50 ns with plain loops and 35 with these. Of plain loops over many nodes
//! they make gathers, sixteen nodes side by side; with these an index of 2^26 `u32` is built in 43 ms instead of 120, on a processor whose
//! gathers are slow (as most of Intel's are since they were mended).
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{Avx2, FAN, Machine};
use thalweg_core::Rank;

/// Whoever uses it is compiled for AVX-512 and runs on such a machine.
pub(in crate::rmq::lines) struct Avx512;

impl Machine for Avx512 {
    #[inline(always)]
    fn least<R: Rank>(lanes: &[R; FAN], first: usize, end: usize) -> R {
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
                _ => Avx2::least(lanes, first, end),
            }
        }
    }

    #[inline(always)]
    fn first_with<R: Rank>(lanes: &[R; FAN], first: usize, rank: R) -> usize {
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
                _ => return Avx2::first_with(lanes, first, rank),
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
