//! One lane, for machines without wide vectors.

use super::{Lanes, Modulus};

#[derive(Clone, Copy)]
pub(in crate::exact) struct One(u32);

impl Lanes for One {
    const WIDTH: usize = 1;

    #[inline(always)]
    unsafe fn load(from: *const u32) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self(*from) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u32) {
        // SAFETY: as above.
        unsafe { *to = self.0 }
    }

    #[inline(always)]
    unsafe fn splat(value: u32) -> Self {
        Self(value)
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }

    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        Self(self.0.wrapping_sub(other.0))
    }

    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }

    #[inline(always)]
    unsafe fn reduced_product(self, other: Self, modulus: &Modulus<Self>) -> Self {
        let product = u64::from(self.0) * u64::from(other.0);
        let multiple = u64::from((product as u32).wrapping_mul(modulus.inverse.0)) * u64::from(modulus.p.0);
        // The low halves are equal.
        Self(((product >> 32) as u32).wrapping_sub((multiple >> 32) as u32))
    }

    #[inline(always)]
    unsafe fn load_sixteens(from: *const u32) -> [Self; 16] {
        // SAFETY: the caller's promise.
        std::array::from_fn(|j| unsafe { Self::load(from.add(j)) })
    }

    #[inline(always)]
    unsafe fn store_sixteens(vectors: [Self; 16], to: *mut u32) {
        for (j, vector) in vectors.into_iter().enumerate() {
            // SAFETY: as above.
            unsafe { vector.store(to.add(j)) }
        }
    }
}
