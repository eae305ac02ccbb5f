//! Kernels with one thread an element: what the problems do between their larger steps.
//!
//! A file, or a statement, says what is done with element `i`; parameters, arrays and the dispatch are the same for all.

use thalweg_core::Result;

use crate::array::Keys;
use crate::device::Device;
use crate::kernel::Source;
use crate::recorder::Recorder;

/// Threads of a workgroup. Not measured.
pub(crate) const THREADS: u32 = 256;

/// A kernel with one thread an element.
#[derive(Debug)]
pub(crate) struct Elementwise<'a> {
    device: &'a Device,
    count: u64,
    items: u32,
    source: Source,
    bindings: Vec<crate::memory::Binding<'a>>,
}

impl<'a> Elementwise<'a> {
    /// One thread for each of `count` elements, which are fewer than 2^32 - 2^8. `text` defines `each(i)`, which knows
    /// the parameters `params.count`, `a`, `b` and `c`, and `NO_ELEMENT`.
    pub(crate) fn new(device: &'a Device, count: u64, name: &'static str, text: &str) -> Self {
        let source = Source::new(name, include_str!("elementwise.wgsl"), "for_each").constant("THREADS", THREADS);
        Self { device, count, items: 1, source: source.include(text), bindings: Vec::new() }
    }

    /// The same for a single statement.
    pub(crate) fn statement(device: &'a Device, count: u64, name: &'static str, statement: &str) -> Self {
        Self::new(device, count, name, &format!("fn each(i: u32) {{ {statement} }}\n"))
    }

    /// Several elements a thread, one after the other: for kernels that have nothing to do for most elements, where starting
    /// workgroups is what takes the time. Elements are fewer than 2^32 - 2^8 · items.
    pub(crate) fn items(mut self, items: u32) -> Self {
        self.items = items;
        self
    }

    /// More text: functions that `each` calls.
    pub(crate) fn include(mut self, text: &str) -> Self {
        self.source = self.source.include(text);
        self
    }

    /// A constant of the kernel.
    pub(crate) fn constant(mut self, name: &str, value: u32) -> Self {
        self.source = self.source.constant(name, value);
        self
    }

    /// A constant that switches a part of the kernel on.
    pub(crate) fn flag(mut self, name: &str, value: bool) -> Self {
        self.source = self.source.flag(name, value);
        self
    }

    /// Arrays that are declared in another way.
    pub(crate) fn declare(
        mut self,
        declare: impl FnOnce(Source) -> Source,
        bindings: impl Iterator<Item = crate::memory::Binding<'a>>,
    ) -> Self {
        self.source = declare(self.source);
        self.bindings.extend(bindings);
        self
    }

    /// An array that is only read: `name_at(i)`.
    pub(crate) fn reads(self, name: &'static str, element: &'static str, array: impl Into<&'a Keys>) -> Self {
        let array = array.into();
        self.declare(|source| source.reads_sharded(name, element, array.sharding()), array.bindings())
    }

    /// An array that is read and written: `name_at(i)`, `name_put(i, value)`.
    pub(crate) fn writes(self, name: &'static str, element: &'static str, array: impl Into<&'a Keys>) -> Self {
        let array = array.into();
        self.declare(|source| source.writes_sharded(name, element, array.sharding()), array.bindings())
    }

    /// An array seen as pairs.
    pub(crate) fn reads_pairs(self, name: &'static str, array: impl Into<&'a Keys>) -> Self {
        let array = array.into();
        let sharding = array.sharding().map(|(shift, shards)| (shift - 1, shards));
        self.declare(|source| source.reads_sharded(name, "vec2<u32>", sharding), array.bindings())
    }

    /// An array seen as pairs.
    pub(crate) fn writes_pairs(self, name: &'static str, array: impl Into<&'a Keys>) -> Self {
        let array = array.into();
        let sharding = array.sharding().map(|(shift, shards)| (shift - 1, shards));
        self.declare(|source| source.writes_sharded(name, "vec2<u32>", sharding), array.bindings())
    }

    /// Records the kernel. Its parameters `a`, `b` and `c` are these.
    pub(crate) fn dispatch(self, commands: &mut Recorder<'_>, params: &[u32]) -> Result<()> {
        let mut all = vec![self.count as u32];
        all.extend_from_slice(params);
        all.resize(4, 0);
        let groups = self.count.div_ceil((THREADS * self.items).into());
        let source = self.source.constant("ELEMENTS", self.items);
        commands.dispatch(&*self.device.kernel(&source)?, groups, &self.bindings, &all)
    }
}
