//! What the sorting engines move around: a number to sort by, and 32 or 64 bits that go with it.
//!
//! What goes with it is the position of the key for `sort_idx`, and the bits of the key itself for `sort`. So three
//! types of items serve ten types of keys, both orders and both problems, and the engines are compiled three times
//! in all. What depends on the keys, reading one and computing its rank, hides behind `Source`.

/// A thing with a number to sort by, and a payload.
pub(super) trait Item: Copy + Send + Sync + 'static {
    /// The number, in as many bits as it needs.
    type Number: Copy + Send + Sync + 'static;
    /// What goes with the number.
    type Payload: Copy + Send + Sync + 'static;
    /// The number: the smaller, the earlier.
    fn number(self) -> u64;
    /// The number, as it is stored.
    fn stored_number(self) -> Self::Number;
    /// What goes with it.
    fn payload(self) -> Self::Payload;
    /// The item of a stored number and a payload.
    fn join(number: Self::Number, payload: Self::Payload) -> Self;
}

/// A number and a payload of at most 32 bits each in one machine word: half the traffic of a pair.
#[derive(Clone, Copy)]
pub(super) struct Packed(u64);

impl Packed {
    #[inline(always)]
    pub(super) fn new(number: u64, payload: u32) -> Self {
        debug_assert!(number <= u32::MAX.into());
        Self(number << 32 | u64::from(payload))
    }
}

/// A number and a payload. Aligned to its size, so that cache lines hold whole items.
#[derive(Clone, Copy)]
#[repr(align(16))]
pub(super) struct Wide<P> {
    pub(super) number: u64,
    pub(super) payload: P,
}

macro_rules! item {
    ($($item:ty, $stored:ty, $payload:ty, |$self:ident| $number:expr, $value:expr, $join:expr;)*) => {$(
        impl Item for $item {
            type Number = $stored;
            type Payload = $payload;
            #[inline(always)]
            fn number($self) -> u64 {
                $number
            }
            #[inline(always)]
            fn stored_number($self) -> $stored {
                $number as $stored
            }
            #[inline(always)]
            fn payload($self) -> $payload {
                $value
            }
            #[inline(always)]
            fn join(number: $stored, payload: $payload) -> Self {
                $join(number.into(), payload)
            }
        }
    )*};
}
item! {
    Packed, u32, u32, |self| self.0 >> 32, self.0 as u32, Packed::new;
    Wide<u32>, u64, u32, |self| self.number, self.payload, |number, payload| Wide { number, payload };
    Wide<u64>, u64, u64, |self| self.number, self.payload, |number, payload| Wide { number, payload };
}
