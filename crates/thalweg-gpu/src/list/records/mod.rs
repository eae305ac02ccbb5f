//! What is summed along lists: one to three words an element, in records together with a link.

use thalweg_core::Result;

use crate::array::DeviceArray;
use crate::device::Device;
use crate::kernel::Source;
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
    /// Three of 32 bits.
    Three,
    /// One of 64 bits.
    Wide,
}

impl Form {
    /// `Value`, `Record`, and the functions on them.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::One => include_str!("one.wgsl"),
            Self::Two => include_str!("two.wgsl"),
            Self::Three => include_str!("three.wgsl"),
            Self::Wide => include_str!("wide.wgsl"),
        }
    }

    /// `put_value(i, value)` writes the sums that a value is made of to an array each.
    fn put_text(self) -> &'static str {
        match self {
            Self::One | Self::Wide => "fn put_value(i: u32, value: Value) { out0_put(i, value); }\n",
            Self::Two => "fn put_value(i: u32, value: Value) { out0_put(i, value.x); out1_put(i, value.y); }\n",
            Self::Three => {
                "fn put_value(i: u32, value: Value) { out0_put(i, value.x); out1_put(i, value.y); out2_put(i, value.z); }\n"
            }
        }
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

/// Weights of 32 or of 64 bits, or sums of such.
#[derive(Clone, Debug)]
pub(crate) enum Column {
    Narrow(DeviceArray<u32>),
    Wide(DeviceArray<u64>),
}

impl Column {
    fn element(&self) -> &'static str {
        if matches!(self, Self::Narrow(_)) { "u32" } else { "vec2<u32>" }
    }

    fn sharding(&self) -> Option<(u32, u32)> {
        match self {
            Self::Narrow(array) => array.sharding(),
            Self::Wide(array) => array.sharding(),
        }
    }

    pub(crate) fn bindings(&self) -> Vec<crate::memory::Binding<'_>> {
        match self {
            Self::Narrow(array) => array.bindings().collect(),
            Self::Wide(array) => array.bindings().collect(),
        }
    }
}

/// Sums of one walk, one array each.
#[derive(Clone, Debug)]
pub(crate) struct Sums {
    pub(crate) form: Form,
    pub(crate) columns: Vec<Column>,
}

const OUT: [&str; 3] = ["out0", "out1", "out2"];
const WEIGHTS: [&str; 3] = ["weights0", "weights1", "weights2"];

impl Sums {
    /// Arrays of undefined content.
    pub(crate) fn new(device: &Device, form: Form, len: u64) -> Result<Self> {
        let narrow = |count: usize| (0..count).map(|_| DeviceArray::new(device, len).map(Column::Narrow)).collect();
        let columns: Result<Vec<_>> = match form {
            Form::One => narrow(1),
            Form::Two => narrow(2),
            Form::Three => narrow(3),
            Form::Wide => DeviceArray::new(device, len).map(|array| vec![Column::Wide(array)]),
        };
        Ok(Self { form, columns: columns? })
    }

    /// Declares `put_value(i, value)`.
    pub(crate) fn declare(&self, source: Source) -> Source {
        let source = source.include(self.form.put_text());
        self.columns
            .iter()
            .zip(OUT)
            .fold(source, |source, (column, name)| source.writes_sharded(name, column.element(), column.sharding()))
    }

    pub(crate) fn bindings(&self) -> impl Iterator<Item = crate::memory::Binding<'_>> {
        self.columns.iter().flat_map(Column::bindings)
    }
}

/// Declares `weight_of(i)`, the value of an element, of weights in `columns`, or of ones where there are none.
pub(crate) fn declare_weights(source: Source, form: Form, columns: &[Column]) -> Source {
    let text = match (columns.len(), form) {
        (0, _) => "fn weight_of(i: u32) -> Value { return 1u; }\n",
        (_, Form::One | Form::Wide) => "fn weight_of(i: u32) -> Value { return weights0_at(i); }\n",
        (_, Form::Two) => "fn weight_of(i: u32) -> Value { return vec2(weights0_at(i), weights1_at(i)); }\n",
        (_, Form::Three) => {
            "fn weight_of(i: u32) -> Value { return vec3(weights0_at(i), weights1_at(i), weights2_at(i)); }\n"
        }
    };
    columns.iter().zip(WEIGHTS).fold(source.include(text), |source, (column, name)| {
        source.reads_sharded(name, column.element(), column.sharding())
    })
}

/// Declares `finished(i, value)`, what an element gets of its sum: one less if `links` are counted.
pub(super) fn declare_finished(source: Source, links: bool) -> Source {
    source.flag("LINKS", links).include(include_str!("finished.wgsl"))
}
