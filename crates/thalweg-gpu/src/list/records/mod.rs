//! What is summed along lists: one or two words an element, in records together with a link.

use thalweg_core::Result;

use crate::array::{DeviceArray, Keys};
use crate::device::Device;
use crate::kernel::Source;
use crate::primitives::combine::element;
use crate::recorder::Recorder;

/// No element.
pub(crate) const NONE: u32 = u32::MAX;

/// The sums of one walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// One of 32 bits.
    One,
    /// Two of 32 bits.
    Two,
    /// One of 64 bits.
    Wide,
}

impl Form {
    /// `Value`, `Record`, and the functions on them.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::One => include_str!("one.wgsl"),
            Self::Two => include_str!("two.wgsl"),
            Self::Wide => include_str!("wide.wgsl"),
        }
    }

    /// Words of the sums.
    pub(super) fn words(self) -> u32 {
        if self == Self::One { 1 } else { 2 }
    }
}

/// An array of records: a link, or another number, and a value each.
#[derive(Clone, Debug)]
pub(crate) struct Records {
    pub(crate) len: u64,
    words: DeviceArray<u64>,
    form: Form,
}

impl Records {
    /// Records of undefined content.
    pub(crate) fn new(device: &Device, form: Form, len: u64) -> Result<Self> {
        let pairs = if form == Form::One { len } else { 2 * len };
        Ok(Self { len, words: DeviceArray::new(device, pairs)?, form })
    }

    /// How a kernel must declare them, as an array of `Record`.
    pub(crate) fn sharding(&self) -> Option<(u32, u32)> {
        if self.form == Form::One { self.words.sharding() } else { self.words.packs().sharding }
    }

    pub(crate) fn bindings(&self) -> impl Iterator<Item = crate::memory::Binding<'_>> {
        self.words.bindings()
    }

    pub(crate) fn keep_in(self, commands: &mut Recorder<'_>) {
        self.words.keep_in(commands);
    }
}

/// Weights of 32 or of 64 bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weights<'a> {
    pub(crate) keys: &'a Keys,
    pub(crate) signed: bool,
}

/// `widened(number)`: numbers of one or two words as two words.
pub(crate) fn widening(words: u32, signed: bool) -> &'static str {
    match (words, signed) {
        (1, false) => "fn widened(number: u32) -> vec2<u32> { return vec2(number, 0u); }\n",
        (1, true) => "fn widened(number: u32) -> vec2<u32> { return vec2(number, u32(i32(number) >> 31u)); }\n",
        _ => "fn widened(number: vec2<u32>) -> vec2<u32> { return number; }\n",
    }
}

/// Declares `weight_of(i)`, the value of an element: its weight, or one where there are none.
pub(super) fn declare_weights(source: Source, weights: Option<Weights<'_>>) -> Source {
    let Some(Weights { keys, signed }) = weights else {
        return source.include("fn weight_of(i: u32) -> Value { return 1u; }\n");
    };
    source
        .include(widening(keys.words(), signed))
        .include("fn weight_of(i: u32) -> Value { return widened(weights_at(i)); }\n")
        .reads_sharded("weights", element(keys.words()), keys.sharding())
}

/// Declares `put_value(i, value)`, which writes a sum.
pub(super) fn declare_sums(source: Source, sums: &Keys) -> Source {
    source.include("fn put_value(i: u32, value: Value) { sums_put(i, value); }\n").writes_sharded(
        "sums",
        element(sums.words()),
        sums.sharding(),
    )
}

/// Declares `finished(i, value)`, what an element gets of its sum: one less if `links` are counted.
pub(super) fn declare_finished(source: Source, links: bool) -> Source {
    source.flag("LINKS", links).include(include_str!("finished.wgsl"))
}
