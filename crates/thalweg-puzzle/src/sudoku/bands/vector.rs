//! Vectors of 32-bit words, a lane a puzzle: what the kernels are written in.
//!
//! The house's way is a plain loop over lanes that the compiler makes vectors of. These kernels are some hundred
//! operations long, on 27 words at a time: the compiler unrolled the short loops over places, saw no loop any more, and
//! put words into vectors one by one (tried: five times slower). So the operations are named here, and the kernels
//! are compiled for each of these types.
#![allow(unsafe_code)]

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Not};

/// Some words side by side. Logical operations are the operators.
pub trait Vector:
    Copy
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + BitAndAssign
    + BitOrAssign
{
    /// How many.
    const WIDTH: usize;
    /// The same word in every lane.
    fn splat(word: u32) -> Self;
    /// Reads the first `WIDTH` words.
    fn load(words: &[u32]) -> Self;
    /// Writes the first `WIDTH` words.
    fn store(self, words: &mut [u32]);
    /// Shifts every word to the left.
    fn left<const N: i32>(self) -> Self;
    /// Shifts every word to the right.
    fn right<const N: i32>(self) -> Self;
    /// All bits in the lanes that are zero, none in the others.
    fn is_zero(self) -> Self;
    /// The lanes that are zero, as bits.
    fn zeros(self) -> u32;
}

/// Something written in vectors. `run` is `#[inline(always)]`, and so is all that it calls, or it is compiled for the baseline.
pub trait Kernel {
    /// Does it.
    fn run<V: Vector>(self);
}

/// The same, from memory. The compiler would keep all that it has just written in registers, has too few, and moves them to the
/// stack and back; and one version of it (LLVM 22) crashes over that.
#[inline(always)]
pub fn in_memory<T>(values: &mut T) -> &mut T {
    std::hint::black_box(values)
}

/// Runs a kernel with the widest vectors of the [level](thalweg_core::simd::level) in use.
pub fn run(kernel: impl Kernel) {
    #[cfg(target_arch = "x86_64")]
    {
        use thalweg_core::simd::{Level, level};

        #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn avx512(kernel: impl Kernel) {
            kernel.run::<Sixteen>();
        }
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn avx2(kernel: impl Kernel) {
            kernel.run::<Eight>();
        }
        match level() {
            // SAFETY: `level` has seen every feature that the function is compiled with.
            Level::Avx512 => return unsafe { avx512(kernel) },
            // SAFETY: as above.
            Level::Avx2 => return unsafe { avx2(kernel) },
            _ => {}
        }
    }
    kernel.run::<Plain>();
}

/// The operators, of a struct that holds one thing.
macro_rules! operators {
    ($vector:ident, $and:expr, $or:expr, $xor:expr, $not:expr) => {
        impl BitAnd for $vector {
            type Output = Self;
            #[inline(always)]
            fn bitand(self, other: Self) -> Self {
                $and(self, other)
            }
        }
        impl BitOr for $vector {
            type Output = Self;
            #[inline(always)]
            fn bitor(self, other: Self) -> Self {
                $or(self, other)
            }
        }
        impl BitXor for $vector {
            type Output = Self;
            #[inline(always)]
            fn bitxor(self, other: Self) -> Self {
                $xor(self, other)
            }
        }
        impl Not for $vector {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                $not(self)
            }
        }
        impl BitAndAssign for $vector {
            #[inline(always)]
            fn bitand_assign(&mut self, other: Self) {
                *self = *self & other;
            }
        }
        impl BitOrAssign for $vector {
            #[inline(always)]
            fn bitor_assign(&mut self, other: Self) {
                *self = *self | other;
            }
        }
    };
}

/// Four words, of which every compiler makes a vector of 128 bits where the machine has one.
#[derive(Clone, Copy)]
pub struct Plain([u32; 4]);

impl Plain {
    #[inline(always)]
    fn map(self, f: impl Fn(u32) -> u32) -> Self {
        let [a, b, c, d] = self.0;
        Self([f(a), f(b), f(c), f(d)])
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(u32, u32) -> u32) -> Self {
        let ([a, b, c, d], [e, g, h, i]) = (self.0, other.0);
        Self([f(a, e), f(b, g), f(c, h), f(d, i)])
    }
}

operators!(
    Plain,
    |a: Self, b| a.zip(b, |a, b| a & b),
    |a: Self, b| a.zip(b, |a, b| a | b),
    |a: Self, b| a.zip(b, |a, b| a ^ b),
    |a: Self| a.map(|a| !a)
);

impl Vector for Plain {
    const WIDTH: usize = 4;

    #[inline(always)]
    fn splat(word: u32) -> Self {
        Self([word; 4])
    }

    #[inline(always)]
    fn load(words: &[u32]) -> Self {
        Self(words[..4].try_into().expect("four words"))
    }

    #[inline(always)]
    fn store(self, words: &mut [u32]) {
        words[..4].copy_from_slice(&self.0);
    }

    #[inline(always)]
    fn left<const N: i32>(self) -> Self {
        self.map(|a| a << N)
    }

    #[inline(always)]
    fn right<const N: i32>(self) -> Self {
        self.map(|a| a >> N)
    }

    #[inline(always)]
    fn is_zero(self) -> Self {
        self.map(|a| if a == 0 { u32::MAX } else { 0 })
    }

    #[inline(always)]
    fn zeros(self) -> u32 {
        (0..4).map(|lane| u32::from(self.0[lane] == 0) << lane).sum()
    }
}

#[cfg(target_arch = "x86_64")]
use x86::{Eight, Sixteen};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::*;

    /// 256 bits, for machines with AVX2 only.
    #[derive(Clone, Copy)]
    pub struct Eight(__m256i);

    /// 512 bits, for machines with AVX-512 (F) only.
    #[derive(Clone, Copy)]
    pub struct Sixteen(__m512i);

    // SAFETY (here and below): who uses these types is compiled for AVX2 or AVX-512, and runs where the level has seen it.
    operators!(
        Eight,
        // SAFETY: as above.
        |a: Self, b: Self| Self(unsafe { _mm256_and_si256(a.0, b.0) }),
        // SAFETY: as above.
        |a: Self, b: Self| Self(unsafe { _mm256_or_si256(a.0, b.0) }),
        // SAFETY: as above.
        |a: Self, b: Self| Self(unsafe { _mm256_xor_si256(a.0, b.0) }),
        // SAFETY: as above.
        |a: Self| Self(unsafe { _mm256_xor_si256(a.0, _mm256_set1_epi32(-1)) })
    );
    operators!(
        Sixteen,
        // SAFETY: as above.
        |a: Self, b: Self| Self(unsafe { _mm512_and_si512(a.0, b.0) }),
        // SAFETY: as above.
        |a: Self, b: Self| Self(unsafe { _mm512_or_si512(a.0, b.0) }),
        // SAFETY: as above.
        |a: Self, b: Self| Self(unsafe { _mm512_xor_si512(a.0, b.0) }),
        // SAFETY: as above.
        |a: Self| Self(unsafe { _mm512_xor_si512(a.0, _mm512_set1_epi32(-1)) })
    );

    impl Vector for Eight {
        const WIDTH: usize = 8;

        #[inline(always)]
        fn splat(word: u32) -> Self {
            // SAFETY: as above.
            Self(unsafe { _mm256_set1_epi32(word as i32) })
        }

        #[inline(always)]
        fn load(words: &[u32]) -> Self {
            let words = &words[..8];
            // SAFETY: as above; there are eight words.
            Self(unsafe { _mm256_loadu_si256(words.as_ptr().cast()) })
        }

        #[inline(always)]
        fn store(self, words: &mut [u32]) {
            let words = &mut words[..8];
            // SAFETY: as above; there are eight words.
            unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.0) }
        }

        #[inline(always)]
        fn left<const N: i32>(self) -> Self {
            // SAFETY: as above.
            Self(unsafe { _mm256_slli_epi32::<N>(self.0) })
        }

        #[inline(always)]
        fn right<const N: i32>(self) -> Self {
            // SAFETY: as above.
            Self(unsafe { _mm256_srli_epi32::<N>(self.0) })
        }

        #[inline(always)]
        fn is_zero(self) -> Self {
            // SAFETY: as above.
            Self(unsafe { _mm256_cmpeq_epi32(self.0, _mm256_setzero_si256()) })
        }

        #[inline(always)]
        fn zeros(self) -> u32 {
            // SAFETY: as above.
            unsafe { _mm256_movemask_ps(_mm256_castsi256_ps(self.is_zero().0)) as u32 }
        }
    }

    impl Vector for Sixteen {
        const WIDTH: usize = 16;

        #[inline(always)]
        fn splat(word: u32) -> Self {
            // SAFETY: as above.
            Self(unsafe { _mm512_set1_epi32(word as i32) })
        }

        #[inline(always)]
        fn load(words: &[u32]) -> Self {
            let words = &words[..16];
            // SAFETY: as above; there are sixteen words.
            Self(unsafe { _mm512_loadu_si512(words.as_ptr().cast()) })
        }

        #[inline(always)]
        fn store(self, words: &mut [u32]) {
            let words = &mut words[..16];
            // SAFETY: as above; there are sixteen words.
            unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self.0) }
        }

        #[inline(always)]
        fn left<const N: i32>(self) -> Self {
            // The instruction's count is unsigned; both take an immediate.
            // SAFETY: as above.
            Self(unsafe { _mm512_sll_epi32(self.0, _mm_cvtsi32_si128(N)) })
        }

        #[inline(always)]
        fn right<const N: i32>(self) -> Self {
            // SAFETY: as above.
            Self(unsafe { _mm512_srl_epi32(self.0, _mm_cvtsi32_si128(N)) })
        }

        #[inline(always)]
        fn is_zero(self) -> Self {
            // SAFETY: as above.
            Self(unsafe { _mm512_maskz_set1_epi32(_mm512_testn_epi32_mask(self.0, self.0), -1) })
        }

        #[inline(always)]
        fn zeros(self) -> u32 {
            // SAFETY: as above.
            u32::from(unsafe { _mm512_testn_epi32_mask(self.0, self.0) })
        }
    }
}
