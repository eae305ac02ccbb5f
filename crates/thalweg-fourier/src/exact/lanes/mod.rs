//! Several residues at a time: kernels are written once over [`Lanes`], and compiled for every instruction set.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(super) mod avx512;
mod one;

pub(super) use one::One;

use super::prime::Prime;

/// Numbers of 32 bits, one in every lane.
///
/// # Safety
/// All functions need the instruction set for which the type is made; loads and stores need [`WIDTH`](Lanes::WIDTH) elements.
/// They are `#[inline(always)]`, and so become part of kernels that are compiled with the instruction set.
pub(super) trait Lanes: Copy {
    const WIDTH: usize;

    unsafe fn load(from: *const u32) -> Self;
    unsafe fn store(self, to: *mut u32);
    unsafe fn splat(value: u32) -> Self;
    /// Sums, differences, wrapped.
    unsafe fn add(self, other: Self) -> Self;
    unsafe fn sub(self, other: Self) -> Self;
    /// The smaller of unsigned numbers.
    unsafe fn min(self, other: Self) -> Self;
    /// `self * other / 2^32` modulo `p`, as a signed number between `-p` and `p`; `self * other` is below `p * 2^32`.
    unsafe fn reduced_product(self, other: Self, modulus: &Modulus<Self>) -> Self;
    /// Element `16 l + j` to lane `l` of vector `j`.
    unsafe fn load_sixteens(from: *const u32) -> [Self; 16];
    /// The opposite.
    unsafe fn store_sixteens(vectors: [Self; 16], to: *mut u32);
}

/// A prime in all lanes.
#[derive(Clone, Copy)]
pub(super) struct Modulus<L> {
    pub p: L,
    pub inverse: L,
}

impl<L: Lanes> Modulus<L> {
    #[inline(always)]
    pub unsafe fn new(prime: &Prime) -> Self {
        // SAFETY: the caller has the instruction set.
        unsafe { Self { p: L::splat(prime.p), inverse: L::splat(prime.inverse) } }
    }

    /// From below `2 p` to below `p`.
    #[inline(always)]
    pub unsafe fn reduce(&self, x: L) -> L {
        // SAFETY: as above. Of a number below p, the difference wraps around and is larger.
        unsafe { x.min(x.sub(self.p)) }
    }

    /// From between `-p` and `p` to not negative.
    #[inline(always)]
    pub unsafe fn lift(&self, x: L) -> L {
        // SAFETY: as above. A negative number is a large one.
        unsafe { x.min(x.add(self.p)) }
    }

    /// The sum of residues, reduced.
    #[inline(always)]
    pub unsafe fn sum(&self, a: L, b: L) -> L {
        // SAFETY: as above.
        unsafe { self.reduce(a.add(b)) }
    }

    /// The difference of residues, reduced.
    #[inline(always)]
    pub unsafe fn difference(&self, a: L, b: L) -> L {
        // SAFETY: as above.
        unsafe { self.lift(a.sub(b)) }
    }

    /// The difference of residues, below `2 p`: a factor of a product.
    #[inline(always)]
    pub unsafe fn loose_difference(&self, a: L, b: L) -> L {
        // SAFETY: as above.
        unsafe { a.sub(b).add(self.p) }
    }

    /// `a * b / 2^32`, reduced; the product is below `p * 2^32`.
    #[inline(always)]
    pub unsafe fn product(&self, a: L, b: L) -> L {
        // SAFETY: as above.
        unsafe { self.lift(a.reduced_product(b, self)) }
    }
}

/// Defines `fn name(args)` that calls `body::<L>(args)` for the lanes of a level.
macro_rules! for_lanes {
    ($(#[$meta:meta])* $vis:vis fn $name:ident($($arg:ident: $type:ty),* $(,)?) = $body:ident;) => {
        $(#[$meta])*
        #[allow(clippy::too_many_arguments)]
        $vis fn $name(level: thalweg_core::simd::Level, $($arg: $type),*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
                fn avx512($($arg: $type),*) {
                    // SAFETY: compiled with the instruction set.
                    unsafe { $body::<$crate::exact::lanes::avx512::Sixteen>($($arg),*) }
                }
                #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
                fn avx2($($arg: $type),*) {
                    // SAFETY: as above.
                    unsafe { $body::<$crate::exact::lanes::avx2::Eight>($($arg),*) }
                }
                // No level is asked for that the machine does not have.
                debug_assert!(level <= thalweg_core::simd::Level::best());
                match level {
                    // SAFETY: `Level::best` has seen every feature that the function is compiled with.
                    thalweg_core::simd::Level::Avx512 => return unsafe { avx512($($arg),*) },
                    // SAFETY: as above.
                    thalweg_core::simd::Level::Avx2 => return unsafe { avx2($($arg),*) },
                    _ => {}
                }
            }
            let _ = level;
            // SAFETY: every machine has one lane.
            unsafe { $body::<$crate::exact::lanes::One>($($arg),*) }
        }
    };
}
pub(super) use for_lanes;

#[cfg(test)]
mod tests {
    use thalweg_core::simd::Level;

    use super::*;
    use crate::exact::prime::PRIMES;

    #[inline(always)]
    unsafe fn all_operations<L: Lanes>(a: &[u32], b: &[u32], prime: &Prime, out: &mut [u32]) {
        // SAFETY: the instruction set is the caller's; slices have 256 elements, a multiple of every width.
        unsafe {
            let modulus = Modulus::<L>::new(prime);
            let mut vectors = L::load_sixteens(a.as_ptr());
            let other = L::load_sixteens(b.as_ptr());
            for (x, y) in vectors.iter_mut().zip(other) {
                *x = modulus.sum(modulus.product(*x, y), modulus.difference(*x, y));
            }
            L::store_sixteens(vectors, out.as_mut_ptr());
            for i in (16 * L::WIDTH..out.len()).step_by(L::WIDTH) {
                let (x, y) = (L::load(a.as_ptr().add(i)), L::load(b.as_ptr().add(i)));
                let found = modulus.sum(modulus.product(x, y), modulus.difference(x, y));
                found.store(out.as_mut_ptr().add(i));
            }
        }
    }
    for_lanes! {
        fn operations(a: &[u32], b: &[u32], prime: &Prime, out: &mut [u32]) = all_operations;
    }

    #[test]
    fn every_level_computes_the_same() {
        for prime in &PRIMES {
            let p = prime.p;
            let edges = [0, 1, 2, p - 1, p - 2, p / 2, p / 2 + 1, 12345];
            let a: Vec<u32> =
                (0..256).map(|i| if i < 64 { edges[i / 8] } else { (i as u32).wrapping_mul(p / 7) % p }).collect();
            let b: Vec<u32> =
                (0..256).map(|i| if i < 64 { edges[i % 8] } else { (i as u32).wrapping_mul(p / 3) % p }).collect();
            let scale = u64::from(prime.inverse_of(prime.one));
            let expected: Vec<u32> = a
                .iter()
                .zip(&b)
                .map(|(&a, &b)| {
                    let (p, a, b) = (u64::from(p), u64::from(a), u64::from(b));
                    ((a * b % p * scale + a + p - b) % p) as u32
                })
                .collect();
            for &level in Level::available() {
                let mut out = vec![0; 256];
                operations(level, &a, &b, prime, &mut out);
                assert_eq!(out, expected, "{level:?}");
            }
        }
    }

    #[test]
    fn sixteens_are_transposed() {
        #[inline(always)]
        unsafe fn turn<L: Lanes>(values: &mut [u32]) {
            // SAFETY: 256 elements.
            unsafe {
                let vectors = L::load_sixteens(values.as_ptr());
                for (j, vector) in vectors.into_iter().enumerate() {
                    vector.store(values.as_mut_ptr().add(j * L::WIDTH));
                }
            }
        }
        for_lanes! {
            fn turned(values: &mut [u32]) = turn;
        }
        for (&level, width) in Level::available().iter().zip([1, 8, 16]) {
            let mut values: Vec<u32> = (0..256).collect();
            turned(level, &mut values);
            for j in 0..16 {
                for l in 0..width {
                    assert_eq!(values[j * width + l] as usize, 16 * l + j, "{level:?}");
                }
            }
        }
    }
}
