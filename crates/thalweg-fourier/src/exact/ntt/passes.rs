//! Passes over a block that lies in a cache.
//!
//! Forward, values between passes are below `2 p`; back, below `p`. Blocks of 16 elements are left to the last pass, which
//! turns them so that every lane has one of its own, and does not turn them back: between the ways there are only products,
//! for which the order is all the same.
#![allow(unsafe_code)]

use super::tables::Roots;
use crate::exact::lanes::{Lanes, Modulus, for_lanes};
use crate::exact::prime::Prime;

/// The length of blocks in the last pass.
pub(super) const LAST: usize = 16;

for_lanes! {
    /// Halves a block, the `block`-th of its length, until its parts have `stop` elements, a multiple of 16. With 16, the last
    /// pass follows, and all is done.
    pub(super) fn forward(values: &mut [u32], stop: usize, block: usize, roots: &Roots, prime: &Prime) = forward_body;
}

for_lanes! {
    /// The way back; the result is multiplied by the number of parts.
    pub(super) fn inverse(values: &mut [u32], stop: usize, block: usize, roots: &Roots, prime: &Prime) = inverse_body;
}

for_lanes! {
    /// `values * others * factor`, element by element, all of them below `2 p`.
    pub(super) fn multiply(values: &mut [u32], others: &[u32], factor: u32, prime: &Prime) = multiply_body;
}

for_lanes! {
    /// `sums += values * others`, the products divided by 2^32.
    pub(super) fn multiply_add(sums: &mut [u32], values: &[u32], others: &[u32], prime: &Prime) = multiply_add_body;
}

/// The factors of a pass that quarters a block.
#[derive(Clone, Copy)]
struct Factors<L> {
    first: L,
    second: L,
    third: L,
}

/// The four values modulo `x - w`, `x + w`, `x - i w`, `x + i w`, `w` being the first factor.
#[inline(always)]
unsafe fn quarter<L: Lanes>(a: [L; 4], factors: Option<&Factors<L>>, i: L, m: &Modulus<L>) -> [L; 4] {
    // SAFETY: the caller has the instruction set, here and below.
    unsafe {
        let a0 = m.reduce(a[0]);
        let (t1, t2, t3) = match factors {
            Some(w) => (m.product(a[1], w.first), m.product(a[2], w.second), m.product(a[3], w.third)),
            None => (m.reduce(a[1]), m.reduce(a[2]), m.reduce(a[3])),
        };
        let (even_sum, even_difference) = (m.sum(a0, t2), m.difference(a0, t2));
        let (odd_sum, odd_difference) = (m.sum(t1, t3), m.product(m.loose_difference(t1, t3), i));
        [
            even_sum.add(odd_sum),
            m.loose_difference(even_sum, odd_sum),
            even_difference.add(odd_difference),
            m.loose_difference(even_difference, odd_difference),
        ]
    }
}

/// The opposite, times 4; the factors and `i` are the inverse ones.
#[inline(always)]
unsafe fn join<L: Lanes>(y: [L; 4], factors: Option<&Factors<L>>, i: L, m: &Modulus<L>) -> [L; 4] {
    // SAFETY: as above.
    unsafe {
        let (even_sum, odd_sum) = (m.sum(y[0], y[1]), m.difference(y[0], y[1]));
        let (even_difference, odd_difference) = (m.sum(y[2], y[3]), m.product(m.loose_difference(y[2], y[3]), i));
        let a0 = m.sum(even_sum, even_difference);
        match factors {
            Some(w) => [
                a0,
                m.product(odd_sum.add(odd_difference), w.first),
                m.product(m.loose_difference(even_sum, even_difference), w.second),
                m.product(m.loose_difference(odd_sum, odd_difference), w.third),
            ],
            None => [
                a0,
                m.sum(odd_sum, odd_difference),
                m.difference(even_sum, even_difference),
                m.difference(odd_sum, odd_difference),
            ],
        }
    }
}

/// Where the four quarters of a block are.
#[inline(always)]
unsafe fn load_quarters<L: Lanes>(at: *const u32, quarter: usize) -> [L; 4] {
    // SAFETY: the caller's promise.
    std::array::from_fn(|q| unsafe { L::load(at.add(q * quarter)) })
}

#[inline(always)]
unsafe fn store_quarters<L: Lanes>(values: [L; 4], at: *mut u32, quarter: usize) {
    for (q, value) in values.into_iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe { value.store(at.add(q * quarter)) }
    }
}

#[inline(always)]
unsafe fn factors_of<L: Lanes>(roots: &Roots, block: usize) -> Factors<L> {
    // SAFETY: the caller has the instruction set.
    unsafe {
        Factors {
            first: L::splat(roots.root[2 * block]),
            second: L::splat(roots.root[block]),
            third: L::splat(roots.third[block]),
        }
    }
}

#[inline(always)]
unsafe fn forward_body<L: Lanes>(values: &mut [u32], stop: usize, block: usize, roots: &Roots, prime: &Prime) {
    let len = values.len();
    assert!(
        len.is_power_of_two()
            && stop.is_power_of_two()
            && (LAST..=len).contains(&stop)
            && stop.is_multiple_of(L::WIDTH)
    );
    let start = values.as_mut_ptr();
    // SAFETY: the caller has the instruction set; blocks, halves and quarters are inside the slice, and multiples of a vector.
    unsafe {
        let m = Modulus::<L>::new(prime);
        let i = L::splat(roots.quarter);
        let (mut part, mut parts) = (len, 1);
        if (len / stop).ilog2() % 2 == 1 {
            let half = len / 2;
            let factor = L::splat(roots.root[block]);
            for at in (0..half).step_by(L::WIDTH) {
                let (low, high) = (L::load(start.add(at)), L::load(start.add(half + at)));
                let (low, high) = (m.reduce(low), m.product(high, factor));
                low.add(high).store(start.add(at));
                m.loose_difference(low, high).store(start.add(half + at));
            }
            (part, parts) = (half, 2);
        }
        while part > stop {
            let size = part / 4;
            for b in 0..parts {
                let first = start.add(b * part);
                let index = block * parts + b;
                if index == 0 {
                    for at in (0..size).step_by(L::WIDTH) {
                        let a = load_quarters::<L>(first.add(at), size);
                        store_quarters(quarter(a, None, i, &m), first.add(at), size);
                    }
                    continue;
                }
                let factors = factors_of::<L>(roots, index);
                for at in (0..size).step_by(L::WIDTH) {
                    let a = load_quarters::<L>(first.add(at), size);
                    store_quarters(quarter(a, Some(&factors), i, &m), first.add(at), size);
                }
            }
            (part, parts) = (size, 4 * parts);
        }
        if stop == LAST {
            last_forward::<L>(values, block * (len / LAST), roots, &m);
        }
    }
}

#[inline(always)]
unsafe fn inverse_body<L: Lanes>(values: &mut [u32], stop: usize, block: usize, roots: &Roots, prime: &Prime) {
    let len = values.len();
    assert!(
        len.is_power_of_two()
            && stop.is_power_of_two()
            && (LAST..=len).contains(&stop)
            && stop.is_multiple_of(L::WIDTH)
    );
    // SAFETY: as for the way there.
    unsafe {
        let m = Modulus::<L>::new(prime);
        let i = L::splat(roots.quarter);
        if stop == LAST {
            last_inverse::<L>(values, block * (len / LAST), roots, &m);
        }
        let start = values.as_mut_ptr();
        let is_odd = (len / stop).ilog2() % 2 == 1;
        let whole = if is_odd { len / 2 } else { len };
        let mut size = stop;
        while size < whole {
            let part = 4 * size;
            for b in 0..len / part {
                let first = start.add(b * part);
                let index = block * (len / part) + b;
                if index == 0 {
                    for at in (0..size).step_by(L::WIDTH) {
                        let y = load_quarters::<L>(first.add(at), size);
                        store_quarters(join(y, None, i, &m), first.add(at), size);
                    }
                    continue;
                }
                let factors = factors_of::<L>(roots, index);
                for at in (0..size).step_by(L::WIDTH) {
                    let y = load_quarters::<L>(first.add(at), size);
                    store_quarters(join(y, Some(&factors), i, &m), first.add(at), size);
                }
            }
            size = part;
        }
        if is_odd {
            let half = len / 2;
            let factor = L::splat(roots.root[block]);
            for at in (0..half).step_by(L::WIDTH) {
                let (low, high) = (L::load(start.add(at)), L::load(start.add(half + at)));
                m.sum(low, high).store(start.add(at));
                m.product(m.loose_difference(low, high), factor).store(start.add(half + at));
            }
        }
    }
}

/// The factors of the last four levels, for a block in every lane: of the first pass, and of the four blocks of the second.
#[inline(always)]
unsafe fn last_factors<L: Lanes>(roots: &Roots, block: usize, m: &Modulus<L>) -> (Factors<L>, [Factors<L>; 4]) {
    assert!(block + L::WIDTH <= roots.last.len());
    // SAFETY: inside.
    unsafe {
        let first = L::load(roots.last.as_ptr().add(block));
        let second = m.product(first, first);
        let third = m.product(second, first);
        let above = m.product(second, second);
        let above_second = m.product(above, above);
        let pass = Factors { first: above, second: above_second, third: m.product(above_second, above) };
        let base = Factors { first, second, third };
        let turned = |c: usize| {
            let [a, b, c] = roots.sixteenths[c - 1];
            Factors {
                first: m.product(first, L::splat(a)),
                second: m.product(second, L::splat(b)),
                third: m.product(third, L::splat(c)),
            }
        };
        (pass, [base, turned(1), turned(2), turned(3)])
    }
}

#[inline(always)]
unsafe fn last_forward<L: Lanes>(values: &mut [u32], block: usize, roots: &Roots, m: &Modulus<L>) {
    let group = LAST * L::WIDTH;
    assert!(values.len().is_multiple_of(group));
    // SAFETY: the slice is cut in whole groups.
    unsafe {
        let i = L::splat(roots.quarter);
        for (g, values) in values.chunks_exact_mut(group).enumerate() {
            let (pass, blocks) = last_factors::<L>(roots, block + g * L::WIDTH, m);
            let mut e = L::load_sixteens(values.as_ptr());
            for j in 0..4 {
                let y = quarter([e[j], e[j + 4], e[j + 8], e[j + 12]], Some(&pass), i, m);
                (e[j], e[j + 4], e[j + 8], e[j + 12]) = (y[0], y[1], y[2], y[3]);
            }
            for (c, factors) in blocks.iter().enumerate() {
                let at = 4 * c;
                let y = quarter([e[at], e[at + 1], e[at + 2], e[at + 3]], Some(factors), i, m);
                store_quarters(y, values.as_mut_ptr().add(at * L::WIDTH), L::WIDTH);
            }
        }
    }
}

#[inline(always)]
unsafe fn last_inverse<L: Lanes>(values: &mut [u32], block: usize, roots: &Roots, m: &Modulus<L>) {
    let group = LAST * L::WIDTH;
    assert!(values.len().is_multiple_of(group));
    // SAFETY: as above.
    unsafe {
        let i = L::splat(roots.quarter);
        for (g, values) in values.chunks_exact_mut(group).enumerate() {
            let (pass, blocks) = last_factors::<L>(roots, block + g * L::WIDTH, m);
            let mut e = [L::splat(0); 16];
            for (c, factors) in blocks.iter().enumerate() {
                let at = 4 * c;
                let y = load_quarters::<L>(values.as_ptr().add(at * L::WIDTH), L::WIDTH);
                let y = join(y, Some(factors), i, m);
                (e[at], e[at + 1], e[at + 2], e[at + 3]) = (y[0], y[1], y[2], y[3]);
            }
            for j in 0..4 {
                let y = join([e[j], e[j + 4], e[j + 8], e[j + 12]], Some(&pass), i, m);
                (e[j], e[j + 4], e[j + 8], e[j + 12]) = (y[0], y[1], y[2], y[3]);
            }
            L::store_sixteens(e, values.as_mut_ptr());
        }
    }
}

#[inline(always)]
unsafe fn multiply_body<L: Lanes>(values: &mut [u32], others: &[u32], factor: u32, prime: &Prime) {
    assert!(values.len() == others.len() && values.len().is_multiple_of(L::WIDTH));
    // SAFETY: whole vectors.
    unsafe {
        let m = Modulus::<L>::new(prime);
        let factor = L::splat(factor);
        for at in (0..values.len()).step_by(L::WIDTH) {
            let (a, b) = (L::load(values.as_ptr().add(at)), L::load(others.as_ptr().add(at)));
            // One of them must be below p.
            let product = m.product(m.product(a, m.reduce(b)), factor);
            product.store(values.as_mut_ptr().add(at));
        }
    }
}

#[inline(always)]
unsafe fn multiply_add_body<L: Lanes>(sums: &mut [u32], values: &[u32], others: &[u32], prime: &Prime) {
    assert!(values.len() == others.len() && values.len() == sums.len() && values.len().is_multiple_of(L::WIDTH));
    // SAFETY: as above.
    unsafe {
        let m = Modulus::<L>::new(prime);
        for at in (0..values.len()).step_by(L::WIDTH) {
            let (a, b) = (L::load(values.as_ptr().add(at)), L::load(others.as_ptr().add(at)));
            let sum = m.sum(L::load(sums.as_ptr().add(at)), m.product(a, m.reduce(b)));
            sum.store(sums.as_mut_ptr().add(at));
        }
    }
}
