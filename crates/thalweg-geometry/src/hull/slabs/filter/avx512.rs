//! Eight points at a time.
//!
//! Bounds are gathered, and the positions of those that stay are squeezed together by an instruction. The same operations
//! in the same order as `Slabs::slab_of`, on which the ends of slabs depend: no fused multiplication.

use std::arch::x86_64::*;

use crate::hull::slabs::Slabs;
use crate::number::{Layout, Load};

/// Where x and y lie in two vectors of pairs, one after the other.
#[inline]
#[target_feature(enable = "avx512f")]
fn apart(first: __m512d, second: __m512d) -> (__m512d, __m512d) {
    let x = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    let y = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    (_mm512_permutex2var_pd(first, x, second), _mm512_permutex2var_pd(first, y, second))
}

/// The nearest doubles of the x and y of eight points.
///
/// # Safety
/// Eight points can be read from there.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
unsafe fn eight<T: Load>(points: *const [T; 2]) -> (__m512d, __m512d) {
    // SAFETY: the layout is that of the type; sixteen numbers can be read, says the caller: eight and eight of them.
    unsafe {
        match T::LAYOUT {
            Layout::F64 => {
                let at = points.cast::<f64>();
                apart(_mm512_loadu_pd(at), _mm512_loadu_pd(at.add(8)))
            }
            Layout::F32 => {
                let at = points.cast::<f32>();
                apart(_mm512_cvtps_pd(_mm256_loadu_ps(at)), _mm512_cvtps_pd(_mm256_loadu_ps(at.add(8))))
            }
            Layout::I64 => {
                let at = points.cast::<i64>();
                let (first, second) = (_mm512_loadu_epi64(at), _mm512_loadu_epi64(at.add(8)));
                apart(_mm512_cvtepi64_pd(first), _mm512_cvtepi64_pd(second))
            }
            Layout::I32 => {
                let at = points.cast::<__m256i>();
                apart(_mm512_cvtepi32_pd(_mm256_loadu_si256(at)), _mm512_cvtepi32_pd(_mm256_loadu_si256(at.add(1))))
            }
        }
    }
}

/// Writes the positions of points that are to be kept to the front of `out`, for as many eights as there are; how many points
/// were looked at, and how many were kept.
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn keep<T: Load>(points: &[[T; 2]], slabs: &Slabs, out: &mut [u32]) -> (usize, usize) {
    assert!(points.len() <= out.len() && out.len() <= i32::MAX as usize);
    let (origin, scale, bounds) = slabs.parts();
    let (origin, scale, one) = (_mm512_set1_pd(origin), _mm512_set1_pd(scale), _mm512_set1_pd(1.0));
    let (zero, last) = (_mm512_setzero_pd(), _mm512_set1_pd((bounds.len() - 1) as f64));
    let mut position = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    let (eights, low_bounds) = (points.len() / 8, bounds.as_ptr().cast::<f64>());
    let mut kept = 0;
    for i in 0..eights {
        // SAFETY: inside.
        let (x, y) = unsafe { eight(points.as_ptr().add(8 * i)) };
        let slab = _mm512_add_pd(_mm512_mul_pd(_mm512_sub_pd(x, origin), scale), one);
        // Of a comparison with NaN, the second operand is the answer.
        let slab = _mm512_min_pd(_mm512_max_pd(slab, zero), last);
        let pair = _mm256_slli_epi32::<1>(_mm512_cvttpd_epi32(slab));
        // SAFETY: slabs are from 0 to the last, and each has two bounds.
        let (low, high) =
            unsafe { (_mm512_i32gather_pd::<8>(pair, low_bounds), _mm512_i32gather_pd::<8>(pair, low_bounds.add(1))) };
        let is_above = _mm512_cmp_pd_mask::<_CMP_LT_OQ>(low, y);
        let is_inside = _mm512_mask_cmp_pd_mask::<_CMP_LT_OQ>(is_above, y, high);
        let stays = !is_inside;
        // SAFETY: at most as many were kept as were looked at before, so there is room for eight.
        unsafe {
            let squeezed = _mm256_maskz_compress_epi32(stays, position);
            _mm256_storeu_si256(out.as_mut_ptr().add(kept).cast(), squeezed);
        }
        kept += stays.count_ones() as usize;
        position = _mm256_add_epi32(position, _mm256_set1_epi32(8));
    }
    (8 * eights, kept)
}
