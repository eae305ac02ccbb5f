//! Vectors of numbers, one type a machine: kernels are written once over [`Vector`], and compiled for every one.
//!
//! The compiler's own vectors ([`thalweg_core::dispatch!`]) would do for simple loops. Here sums stay in registers over two
//! nested loops, for which it spills; and products are added without being rounded before, which it must not do unasked. So
//! sums may differ between machines in their last bits, as the transforms' do.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m256, __m256d, __m512, __m512d, _mm256_fmadd_pd, _mm256_fmadd_ps, _mm256_loadu_pd, _mm256_loadu_ps,
    _mm256_set1_pd, _mm256_set1_ps, _mm256_storeu_pd, _mm256_storeu_ps, _mm512_fmadd_pd, _mm512_fmadd_ps,
    _mm512_loadu_pd, _mm512_loadu_ps, _mm512_set1_pd, _mm512_set1_ps, _mm512_storeu_pd, _mm512_storeu_ps,
};

use thalweg_core::simd::{Level, level};

/// A vector of numbers.
///
/// # Safety
/// All functions need the machine that the type is for; `load` and `store` touch `LANES` numbers.
pub trait Vector: Copy {
    type Item: Lanes;
    const LANES: usize;
    unsafe fn splat(value: Self::Item) -> Self;
    unsafe fn load(from: *const Self::Item) -> Self;
    unsafe fn store(self, to: *mut Self::Item);
    /// `self + a * b`.
    unsafe fn add_product(self, a: Self, b: Self) -> Self;
}

/// A type with vectors on every machine.
pub trait Lanes: Copy + Send + Sync + Default + 'static {
    #[cfg(target_arch = "x86_64")]
    type Avx512: Vector<Item = Self>;
    #[cfg(target_arch = "x86_64")]
    type Avx2: Vector<Item = Self>;
    type Plain: Vector<Item = Self>;
}

/// A vector of any machine: the compiler makes of it what it can.
#[derive(Clone, Copy, Debug)]
pub struct Plain<T>([T; 4]);

macro_rules! vectors {
    ($item:ident, $($lanes:literal $vector:ident $splat:ident $load:ident $store:ident $fused:ident),*) => {
        $(#[cfg(target_arch = "x86_64")]
        impl Vector for $vector {
            type Item = $item;
            const LANES: usize = $lanes;
            #[inline(always)]
            unsafe fn splat(value: $item) -> Self {
                // SAFETY: the caller's promise, as below.
                unsafe { $splat(value) }
            }
            #[inline(always)]
            unsafe fn load(from: *const $item) -> Self {
                // SAFETY: as above.
                unsafe { $load(from) }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $item) {
                // SAFETY: as above.
                unsafe { $store(to, self) }
            }
            #[inline(always)]
            unsafe fn add_product(self, a: Self, b: Self) -> Self {
                // SAFETY: as above.
                unsafe { $fused(a, b, self) }
            }
        })*

        impl Vector for Plain<$item> {
            type Item = $item;
            const LANES: usize = 4;
            #[inline(always)]
            unsafe fn splat(value: $item) -> Self {
                Self([value; 4])
            }
            #[inline(always)]
            unsafe fn load(from: *const $item) -> Self {
                // SAFETY: the caller's promise.
                Self(unsafe { from.cast::<[$item; 4]>().read_unaligned() })
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $item) {
                // SAFETY: the caller's promise.
                unsafe { to.cast::<[$item; 4]>().write_unaligned(self.0) }
            }
            #[inline(always)]
            unsafe fn add_product(mut self, a: Self, b: Self) -> Self {
                for i in 0..4 {
                    // Where there is no instruction for it, a fused product is a call and hundreds of cycles.
                    self.0[i] = if cfg!(any(target_feature = "fma", target_arch = "aarch64")) {
                        a.0[i].mul_add(b.0[i], self.0[i])
                    } else {
                        self.0[i] + a.0[i] * b.0[i]
                    };
                }
                self
            }
        }
    };
}

vectors! { f32,
    16 __m512 _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_fmadd_ps,
    8 __m256 _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_fmadd_ps
}
vectors! { f64,
    8 __m512d _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_fmadd_pd,
    4 __m256d _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_fmadd_pd
}

impl Lanes for f32 {
    #[cfg(target_arch = "x86_64")]
    type Avx512 = __m512;
    #[cfg(target_arch = "x86_64")]
    type Avx2 = __m256;
    type Plain = Plain<Self>;
}

impl Lanes for f64 {
    #[cfg(target_arch = "x86_64")]
    type Avx512 = __m512d;
    #[cfg(target_arch = "x86_64")]
    type Avx2 = __m256d;
    type Plain = Plain<Self>;
}

/// The machines that kernels over [`Vector`] are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Machine {
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    Avx512,
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    Avx2,
    Plain,
}

impl Machine {
    /// This one, as far as [`level`] allows.
    pub(crate) fn here() -> Self {
        match level() {
            Level::Avx512 => Self::Avx512,
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 if is_x86_feature_detected!("fma") => Self::Avx2,
            _ => Self::Plain,
        }
    }
}
