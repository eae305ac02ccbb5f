//! Eight lanes.

use std::arch::asm;
use std::arch::x86_64::*;

use super::{Lanes, Modulus};

/// `_mm256_mul_epu32`. Of this product only the low halves are needed, and the compiler, who sees that, would take the much
/// slower product of 64 bits.
#[inline]
#[target_feature(enable = "avx2")]
fn short_product(a: __m256i, b: __m256i) -> __m256i {
    let product;
    // SAFETY: one instruction between registers, which the function is compiled for.
    unsafe {
        asm!("vpmuludq {}, {}, {}", lateout(ymm_reg) product, in(ymm_reg) a, in(ymm_reg) b,
            options(pure, nomem, nostack, preserves_flags));
    }
    product
}

#[derive(Clone, Copy)]
pub(in crate::exact) struct Eight(__m256i);

/// Eight rows of eight, turned into columns.
#[inline(always)]
unsafe fn transpose(rows: [__m256i; 8]) -> [__m256i; 8] {
    // SAFETY: the caller has the instruction set.
    unsafe {
        let mut a = rows;
        for i in 0..4 {
            a[2 * i] = _mm256_unpacklo_epi32(rows[2 * i], rows[2 * i + 1]);
            a[2 * i + 1] = _mm256_unpackhi_epi32(rows[2 * i], rows[2 * i + 1]);
        }
        let mut b = a;
        for i in 0..2 {
            let at = 4 * i;
            b[at] = _mm256_unpacklo_epi64(a[at], a[at + 2]);
            b[at + 1] = _mm256_unpackhi_epi64(a[at], a[at + 2]);
            b[at + 2] = _mm256_unpacklo_epi64(a[at + 1], a[at + 3]);
            b[at + 3] = _mm256_unpackhi_epi64(a[at + 1], a[at + 3]);
        }
        let mut out = b;
        for j in 0..4 {
            out[j] = _mm256_permute2x128_si256::<0x20>(b[j], b[j + 4]);
            out[j + 4] = _mm256_permute2x128_si256::<0x31>(b[j], b[j + 4]);
        }
        out
    }
}

impl Lanes for Eight {
    const WIDTH: usize = 8;

    #[inline(always)]
    unsafe fn load(from: *const u32) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self(_mm256_loadu_si256(from.cast())) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u32) {
        // SAFETY: as above.
        unsafe { _mm256_storeu_si256(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn splat(value: u32) -> Self {
        // SAFETY: the caller has the instruction set, here and below.
        unsafe { Self(_mm256_set1_epi32(value as i32)) }
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_add_epi32(self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_sub_epi32(self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_min_epu32(self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn reduced_product(self, other: Self, modulus: &Modulus<Self>) -> Self {
        // SAFETY: as above.
        unsafe {
            let (inverse, p) = (modulus.inverse.0, modulus.p.0);
            let even = _mm256_mul_epu32(self.0, other.0);
            let odd = _mm256_mul_epu32(_mm256_srli_epi64::<32>(self.0), _mm256_srli_epi64::<32>(other.0));
            let even_multiple = _mm256_mul_epu32(short_product(even, inverse), p);
            let odd_multiple = _mm256_mul_epu32(short_product(odd, inverse), p);
            // The low halves are equal: of the differences only the high halves are left.
            let even = _mm256_sub_epi64(even, even_multiple);
            let odd = _mm256_sub_epi64(odd, odd_multiple);
            Self(_mm256_blend_epi32::<0xaa>(_mm256_srli_epi64::<32>(even), odd))
        }
    }

    #[inline(always)]
    unsafe fn load_sixteens(from: *const u32) -> [Self; 16] {
        // SAFETY: the caller's promise.
        unsafe {
            let low = transpose(std::array::from_fn(|l| Self::load(from.add(16 * l)).0));
            let high = transpose(std::array::from_fn(|l| Self::load(from.add(16 * l + 8)).0));
            std::array::from_fn(|j| Self(if j < 8 { low[j] } else { high[j - 8] }))
        }
    }

    #[inline(always)]
    unsafe fn store_sixteens(vectors: [Self; 16], to: *mut u32) {
        // SAFETY: the caller's promise.
        unsafe {
            let low = transpose(std::array::from_fn(|j| vectors[j].0));
            let high = transpose(std::array::from_fn(|j| vectors[j + 8].0));
            for l in 0..8 {
                Self(low[l]).store(to.add(16 * l));
                Self(high[l]).store(to.add(16 * l + 8));
            }
        }
    }
}
