//! Keys as bare bits: how the engines see them.
//!
//! An engine works on the unsigned integers that have the keys' bits, and on a [`Coding`] that tells what the bits mean
//! and which order is asked for. So it is compiled for four widths instead of ten types and two orders.
#![allow(unsafe_code)]

use std::borrow::Cow;
use std::mem::ManuallyDrop;

use crate::{Key, Order, Rank};

/// How the bits of a key turn into its rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coding<R> {
    /// Integers: the bits to flip. Floats: all bits for [`Order::Max`], after they have been put in order.
    pub(crate) flip: R,
    pub(crate) float: bool,
}

/// The bits of keys.
pub(crate) fn bits<K: Key>(keys: &[K]) -> &[K::Rank] {
    const { assert!(size_of::<K>() == size_of::<K::Rank>() && align_of::<K>() == align_of::<K::Rank>()) };
    // SAFETY: same size and alignment, checked above; `Key` is sealed, and its types are plain numbers, as the ranks.
    unsafe { std::slice::from_raw_parts(keys.as_ptr().cast(), keys.len()) }
}

/// The bits of keys, to be written: every bit pattern is a key.
pub(crate) fn bits_mut<K: Key>(keys: &mut [K]) -> &mut [K::Rank] {
    // SAFETY: as in `bits`; all bit patterns of the integers and floats are valid.
    unsafe { std::slice::from_raw_parts_mut(keys.as_mut_ptr().cast(), bits(keys).len()) }
}

/// The bits of borrowed or owned keys.
pub(crate) fn bits_cow<'a, K: Key>(keys: Cow<'a, [K]>) -> Cow<'a, [K::Rank]> {
    match keys {
        Cow::Borrowed(keys) => Cow::Borrowed(bits(keys)),
        Cow::Owned(keys) => {
            let mut keys = ManuallyDrop::new(keys);
            let (len, capacity) = (bits(&keys).len(), keys.capacity());
            // SAFETY: the allocation of a vector of keys is that of as many ranks: see `bits`. The keys are not dropped.
            Cow::Owned(unsafe { Vec::from_raw_parts(keys.as_mut_ptr().cast(), len, capacity) })
        }
    }
}

/// The key with these bits.
pub(crate) fn key<K: Key>(bits: K::Rank) -> K {
    K::from_low_bits(bits.to_u64())
}

/// The coding of a key type for an order.
pub(crate) fn coding<K: Key>(order: Order) -> Coding<K::Rank> {
    // Zero is no NaN in any type, so its rank shows which bits an integer flips.
    let float = K::NAME.starts_with('f');
    let flip = match (float, order) {
        (true, Order::Min) => K::Rank::default(),
        (true, Order::Max) => K::Rank::WORST,
        (false, _) => K::default().rank(order),
    };
    Coding { flip, float }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_and_keys_have_the_same_ranks() {
        macro_rules! one {
            ($t:ident) => {
                let mut keys: Vec<$t> = (0..64).map(|i| $t::from_low_bits(1u64 << i)).collect();
                keys.extend((0..64).map(|i| $t::from_low_bits(!(1u64 << i))));
                keys.extend((0..500u64).map(|i| $t::from_low_bits(i.wrapping_mul(0x9e37_79b9_7f4a_7c15))));
                keys.extend(
                    [0.0, -0.0, f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e-40].map($t::from_f64),
                );
                for order in [Order::Min, Order::Max] {
                    let coding = coding::<$t>(order);
                    for (k, &b) in keys.iter().zip(bits(&keys)) {
                        assert_eq!(b.ranked(coding), k.rank(order), "{k:?} {order:?}");
                    }
                }
            };
        }
        crate::for_each_key!(one);
        let owned = bits_cow::<i16>(Cow::Owned(vec![-1, 2]));
        assert_eq!(owned.into_owned(), [0xffff, 2]);
    }
}
