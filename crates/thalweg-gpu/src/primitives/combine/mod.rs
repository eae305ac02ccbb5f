//! The operations that reductions and scans combine elements with, as text that kernels are made of.
//!
//! A kernel knows a type `Value`, its `IDENTITY`, `combine`, exchange between the threads of a subgroup, and packs of
//! values as memory is read and written. Elements of one and of two words differ in nothing but `Key`.

use std::fmt::Write;

use thalweg_core::{Coding, Error, Key, Order, Result};

use crate::coding::{KeyCode, bits_of_rank, words_of};

/// How elements are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// The sum, wrapping around. Integers only: sums of floats depend on the order in which they are added.
    Sum,
    /// The smallest key. NaN counts as larger than everything.
    Min,
    /// The largest key. NaN counts as smaller than everything.
    Max,
}

impl Op {
    /// Every operation.
    pub const ALL: &'static [Self] = &[Self::Sum, Self::Min, Self::Max];

    /// The element that changes nothing: 0, or the worst key of all, which is NaN for floats.
    ///
    /// ```
    /// use thalweg_gpu::primitives::Op;
    /// assert_eq!((Op::Sum.identity::<u8>(), Op::Min.identity::<u8>(), Op::Max.identity::<i8>()), (0, 255, -128));
    /// ```
    pub fn identity<K: Key>(self) -> K {
        K::from_low_bits(self.identity_bits(self.coding::<K>()))
    }

    /// What the operation must know of a key type.
    pub(super) fn coding<K: Key>(self) -> Coding {
        Coding::of::<K>(self.order().unwrap_or_default())
    }

    /// The bits of the [identity](Op::identity).
    pub(super) fn identity_bits(self, coding: Coding) -> u64 {
        match self {
            Self::Sum => 0,
            // All bits set are the worst rank of every width.
            Self::Min | Self::Max => bits_of_rank(coding, u64::MAX),
        }
    }

    /// The bits of a key that was combined, in the form that is combined.
    pub(super) fn bits(self, coding: Coding, value: u64) -> u64 {
        match self {
            Self::Sum => value,
            Self::Min | Self::Max => bits_of_rank(coding, value),
        }
    }

    fn order(self) -> Option<Order> {
        match self {
            Self::Sum => None,
            Self::Min => Some(Order::Min),
            Self::Max => Some(Order::Max),
        }
    }
}

/// An operation as kernels need it: the text that defines `Value`, `combine` and the rest.
#[derive(Clone, Debug)]
pub(crate) struct Combining {
    /// Words of an element.
    pub(crate) words: u32,
    /// Elements in 16 bytes of input.
    pub(crate) pack: u32,
    pub(crate) text: String,
    /// The rank that keys are compared with, where those are counted that pass.
    pub(crate) bound: u64,
}

impl Combining {
    /// The operation on keys as they are in memory, of its [coding](Op::coding).
    pub(crate) fn keys(op: Op, coding: Coding) -> Result<Self> {
        let bits = 8 * coding.bytes() as u32;
        match op {
            Op::Sum if coding.is_float() => Err(Error::BadOption {
                option: "op",
                reason: format!("sums of f{bits} would depend on the order of additions"),
            }),
            Op::Sum => Ok(Self::sum(words_of(coding.bytes()), u32::MAX >> (32 - bits.min(32)))),
            Op::Min | Op::Max => Ok(Self::best(coding.into(), op.identity_bits(coding))),
        }
    }

    /// The operation on the results of an earlier round, which are in the form that is combined.
    pub(crate) fn values(op: Op, words: u32) -> Self {
        match op {
            Op::Sum => Self::sum(words, u32::MAX),
            Op::Min | Op::Max => Self::best(KeyCode::plain(words), u64::MAX),
        }
    }

    /// The number of words that are not zero. For reductions only.
    pub(crate) fn count() -> Self {
        let text = [COUNT, SUBGROUPS, include_str!("numbers.wgsl"), include_str!("count_flags.wgsl")];
        Self { words: 1, pack: 4, text: text.concat(), bound: 0 }
    }

    /// The number of keys whose rank is less than `bound`, or equal, if `and_equal`. For reductions only.
    pub(crate) fn passing(coding: KeyCode, bound: u64, and_equal: bool) -> Self {
        let head = format!("{}const AND_EQUAL = {and_equal};\n", coding.prelude());
        let counting = [COUNT, SUBGROUPS, include_str!("numbers.wgsl"), PASSES, include_str!("count_passing.wgsl")];
        Self { words: 1, pack: 4 / coding.words, text: head + &counting.concat(), bound }
    }

    /// The sum of words, in two words. For reductions only.
    pub(crate) fn widened_sum() -> Self {
        let text = [&sum_head(2, u32::MAX), include_str!("numbers.wgsl"), include_str!("widen.wgsl")].concat();
        Self { words: 2, pack: 4, text, bound: 0 }
    }

    fn sum(words: u32, mask: u32) -> Self {
        let text = sum_head(words, mask) + include_str!("packs.wgsl");
        Self { words, pack: 4 / words, text, bound: 0 }
    }

    fn best(coding: KeyCode, nothing: u64) -> Self {
        let mut text = coding.prelude();
        writeln!(text, "const NOTHING_LOW = {}u;\nconst NOTHING_HIGH = {}u;", nothing as u32, nothing >> 32)
            .expect("a string takes all");
        text += &[include_str!("best.wgsl"), SUBGROUPS, include_str!("packs.wgsl")].concat();
        Self { words: coding.words, pack: 4 / coding.words, text, bound: 0 }
    }

    /// WGSL's name for an element.
    pub(crate) fn element(&self) -> &'static str {
        element(self.words)
    }
}

/// Sums of so many words, of which only the bits of `mask` are written, if it is one.
fn sum_head(words: u32, mask: u32) -> String {
    format!("{}const MASK = {mask}u;\n{}{SUBGROUPS}", KeyCode::plain(words).prelude(), include_str!("sum.wgsl"))
}

/// `Value`, a number that is counted up, and its operations.
pub(super) const COUNT: &str = include_str!("count.wgsl");
/// `subgroup_scan` and `reduce_by_shuffles` of a `Value`.
pub(super) const SUBGROUPS: &str = include_str!("subgroups.wgsl");
/// `passes(key)`, for kernels with the bound among their parameters and a flag `AND_EQUAL`.
pub(super) const PASSES: &str = include_str!("passes.wgsl");

/// WGSL's name for elements of so many words.
pub(crate) fn element(words: u32) -> &'static str {
    if words == 1 { "u32" } else { "vec2<u32>" }
}

/// The number of elements as kernels count them.
pub(crate) fn count32(len: u64, what: &'static str) -> Result<u32> {
    u32::try_from(len)
        .map_err(|_| Error::device_limit(format!("{what}: {len} elements are more than 32-bit positions reach")))
}
