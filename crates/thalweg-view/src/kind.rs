//! The type of a series' elements, known at run time.

use thalweg_core::{Coding, Key, Order, Rank};

/// A type of elements: its name, its orders, and how one of them is written.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    name: &'static str,
    is_float: bool,
    codings: [Coding; 2],
    show: fn(u64) -> String,
}

impl Kind {
    /// That of a key.
    pub fn of<K: Key>() -> Self {
        Self {
            name: K::NAME,
            is_float: K::FLOAT,
            codings: [Order::Min, Order::Max].map(Coding::of::<K>),
            // As many digits as tell it from its neighbours, and an exponent where there would be many zeros.
            show: |bits| format!("{:?}", K::from_low_bits(bits)),
        }
    }

    /// Its name: `f32`.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Whether it has NaN and infinities.
    pub const fn is_float(&self) -> bool {
        self.is_float
    }

    /// Bytes of an element.
    pub const fn bytes(&self) -> usize {
        self.codings[0].bytes()
    }

    /// The codings for minima and for maxima.
    pub const fn codings(&self) -> [Coding; 2] {
        self.codings
    }

    pub(crate) const fn coding(&self, order: Order) -> Coding {
        match order {
            Order::Min => self.codings[0],
            Order::Max => self.codings[1],
        }
    }

    /// The element with these bits, exactly, as text.
    pub fn show(&self, bits: u64) -> String {
        (self.show)(bits)
    }

    /// The place of an element in an order: the smaller, the better.
    pub(crate) fn rank(&self, bits: u64, order: Order) -> u64 {
        fn ranked<R: Rank>(bits: u64, coding: Coding) -> u64 {
            R::from_u64(bits).ranked(coding.ranking()).to_u64()
        }
        let coding = self.coding(order);
        match coding.bytes() {
            1 => ranked::<u8>(bits, coding),
            2 => ranked::<u16>(bits, coding),
            4 => ranked::<u32>(bits, coding),
            _ => ranked::<u64>(bits, coding),
        }
    }
}
