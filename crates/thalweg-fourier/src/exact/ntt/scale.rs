//! Residues times one factor.
#![allow(unsafe_code)]

use crate::exact::lanes::{Lanes, Modulus, for_lanes};
use crate::exact::prime::Prime;

for_lanes! {
    /// `to = from * factor`, element by element.
    pub(super) fn scaled(from: &[u32], factor: u32, prime: &Prime, to: &mut [u32]) = scaled_body;
}

#[inline(always)]
unsafe fn scaled_body<L: Lanes>(from: &[u32], factor: u32, prime: &Prime, to: &mut [u32]) {
    assert!(from.len() == to.len());
    // SAFETY: whole vectors, then one element at a time.
    unsafe {
        let m = Modulus::<L>::new(prime);
        let whole = from.len() / L::WIDTH * L::WIDTH;
        for at in (0..whole).step_by(L::WIDTH) {
            m.product(L::load(from.as_ptr().add(at)), L::splat(factor)).store(to.as_mut_ptr().add(at));
        }
        let inverse = prime.inverse_of(prime.one);
        for at in whole..from.len() {
            to[at] = prime.times(prime.times(from[at], factor), inverse);
        }
    }
}
