//! Sixteen lanes.

use std::arch::asm;
use std::arch::x86_64::*;

use super::{Lanes, Modulus};

/// `_mm512_mul_epu32`. Of this product only the low halves are needed, and the compiler, who sees that, would take the much
/// slower product of 64 bits.
#[inline]
#[target_feature(enable = "avx512f")]
fn short_product(a: __m512i, b: __m512i) -> __m512i {
    let product;
    // SAFETY: one instruction between registers, which the function is compiled for.
    unsafe {
        asm!("vpmuludq {}, {}, {}", lateout(zmm_reg) product, in(zmm_reg) a, in(zmm_reg) b,
            options(pure, nomem, nostack, preserves_flags));
    }
    product
}

#[derive(Clone, Copy)]
pub(in crate::exact) struct Sixteen(__m512i);

/// Sixteen rows of sixteen, turned into columns: pairs of 32, 64, 128 and 256 bits change places.
#[inline(always)]
unsafe fn transpose(rows: [__m512i; 16]) -> [__m512i; 16] {
    // SAFETY: the caller has the instruction set.
    unsafe {
        let mut a = rows;
        for i in 0..8 {
            a[2 * i] = _mm512_unpacklo_epi32(rows[2 * i], rows[2 * i + 1]);
            a[2 * i + 1] = _mm512_unpackhi_epi32(rows[2 * i], rows[2 * i + 1]);
        }
        let mut b = a;
        for i in 0..4 {
            let at = 4 * i;
            b[at] = _mm512_unpacklo_epi64(a[at], a[at + 2]);
            b[at + 1] = _mm512_unpackhi_epi64(a[at], a[at + 2]);
            b[at + 2] = _mm512_unpacklo_epi64(a[at + 1], a[at + 3]);
            b[at + 3] = _mm512_unpackhi_epi64(a[at + 1], a[at + 3]);
        }
        // Quarter q of b[4 i + j] holds rows 4 i .. 4 i + 4 of column 4 q + j.
        let mut out = b;
        for j in 0..4 {
            let low = _mm512_shuffle_i32x4::<0x88>(b[j], b[j + 4]);
            let high = _mm512_shuffle_i32x4::<0x88>(b[j + 8], b[j + 12]);
            out[j] = _mm512_shuffle_i32x4::<0x88>(low, high);
            out[j + 8] = _mm512_shuffle_i32x4::<0xdd>(low, high);
            let low = _mm512_shuffle_i32x4::<0xdd>(b[j], b[j + 4]);
            let high = _mm512_shuffle_i32x4::<0xdd>(b[j + 8], b[j + 12]);
            out[j + 4] = _mm512_shuffle_i32x4::<0x88>(low, high);
            out[j + 12] = _mm512_shuffle_i32x4::<0xdd>(low, high);
        }
        out
    }
}

impl Lanes for Sixteen {
    const WIDTH: usize = 16;

    #[inline(always)]
    unsafe fn load(from: *const u32) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self(_mm512_loadu_si512(from.cast())) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u32) {
        // SAFETY: as above.
        unsafe { _mm512_storeu_si512(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn splat(value: u32) -> Self {
        // SAFETY: the caller has the instruction set, here and below.
        unsafe { Self(_mm512_set1_epi32(value as i32)) }
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm512_add_epi32(self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm512_sub_epi32(self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm512_min_epu32(self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn reduced_product(self, other: Self, modulus: &Modulus<Self>) -> Self {
        // SAFETY: as above.
        unsafe {
            let (inverse, p) = (modulus.inverse.0, modulus.p.0);
            let even = _mm512_mul_epu32(self.0, other.0);
            let odd = _mm512_mul_epu32(_mm512_srli_epi64::<32>(self.0), _mm512_srli_epi64::<32>(other.0));
            let even_multiple = _mm512_mul_epu32(short_product(even, inverse), p);
            let odd_multiple = _mm512_mul_epu32(short_product(odd, inverse), p);
            // The low halves are equal: of the differences only the high halves are left.
            let even = _mm512_sub_epi64(even, even_multiple);
            let odd = _mm512_sub_epi64(odd, odd_multiple);
            Self(_mm512_mask_shuffle_epi32::<0b11_11_01_01>(odd, 0x5555, even))
        }
    }

    #[inline(always)]
    unsafe fn load_sixteens(from: *const u32) -> [Self; 16] {
        // SAFETY: the caller's promise.
        unsafe {
            let rows = std::array::from_fn(|i| Self::load(from.add(16 * i)).0);
            transpose(rows).map(Self)
        }
    }

    #[inline(always)]
    unsafe fn store_sixteens(vectors: [Self; 16], to: *mut u32) {
        // SAFETY: the caller's promise.
        unsafe {
            for (i, row) in transpose(vectors.map(|vector| vector.0)).into_iter().enumerate() {
                Self(row).store(to.add(16 * i));
            }
        }
    }
}
