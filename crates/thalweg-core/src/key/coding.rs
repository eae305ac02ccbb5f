//! What the bits of a key mean, known at run time.
//!
//! An engine works on the unsigned integers that have the keys' bits, and on a [`Coding`] that tells what the bits mean
//! and which order is asked for. So it is compiled for four widths instead of ten types and two orders, and an engine on
//! another device needs to know no type at all.

use super::{Key, Order, Rank};

/// How the bits of a key turn into its rank: everything that an engine knows about a key type and an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Coding {
    bytes: u8,
    flip: u64,
    float: bool,
}

impl Coding {
    /// The coding of a key type for an order.
    pub fn of<K: Key>(order: Order) -> Self {
        let flip = match (K::FLOAT, order) {
            (true, Order::Min) => 0,
            (true, Order::Max) => K::Rank::WORST.to_u64(),
            // Zero is no NaN in any type, so its rank shows which bits an integer flips.
            (false, _) => K::default().rank(order).to_u64(),
        };
        Self { bytes: size_of::<K>() as u8, flip, float: K::FLOAT }
    }

    /// Bytes of a key: 1, 2, 4 or 8.
    pub const fn bytes(self) -> usize {
        self.bytes as usize
    }

    /// Integers: the bits to flip. Floats: all bits for [`Order::Max`], after they have been put in order.
    pub const fn flip(self) -> u64 {
        self.flip
    }

    /// Whether the bits are those of floats.
    pub const fn is_float(self) -> bool {
        self.float
    }

    /// The same for kernels of one width.
    ///
    /// # Panics
    /// If it is not the coding's own.
    pub fn ranking<R: Rank>(self) -> Ranking<R> {
        assert_eq!(size_of::<R>(), self.bytes(), "a coding is for keys of one width");
        Ranking { flip: R::from_u64(self.flip), float: self.float }
    }
}

/// A [`Coding`] inside a kernel that is compiled for one width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ranking<R> {
    /// Integers: the bits to flip. Floats: all bits for [`Order::Max`], after they have been put in order.
    pub flip: R,
    /// Whether the bits are those of floats.
    pub float: bool,
}

impl<R: Rank> Ranking<R> {
    /// The ranking of a key type for an order.
    pub fn of<K: Key<Rank = R>>(order: Order) -> Self {
        Coding::of::<K>(order).ranking()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::bits::words;

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
                    let ranking = Ranking::of::<$t>(order);
                    assert_eq!(Coding::of::<$t>(order).bytes(), size_of::<$t>());
                    for (k, &b) in keys.iter().zip(words(&keys)) {
                        assert_eq!(b.ranked(ranking), k.rank(order), "{k:?} {order:?}");
                    }
                }
            };
        }
        crate::for_each_key!(one);
    }
}
