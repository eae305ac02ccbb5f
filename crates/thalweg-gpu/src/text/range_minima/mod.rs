//! Range minima inside other kernels: `least_between(first, last)`, by climbing levels of minima of 16.
//!
//! For ranges that are short as a rule and known one at a time to a thread that has more to do. A range of r elements reads
//! O(log r) nodes of 64 bytes; no index but the levels, n/15 words.

use thalweg_core::Result;

use crate::ansv::hierarchy::{Hierarchy, LEVELS};
use crate::array::DeviceArray;
use crate::coding::KeyCode;
use crate::device::Device;
use crate::kernel::Source;
use crate::recorder::Recorder;

/// An array and its levels.
#[derive(Debug)]
pub(super) struct Minima<'a> {
    values: &'a DeviceArray<u32>,
    hierarchy: Hierarchy,
}

/// Threads of a workgroup. Not measured.
const THREADS: u32 = 256;
/// Elements of a thread: most have nothing to ask for in later rounds of a suffix array. Not measured.
const ITEMS: u32 = super::ITEMS;

impl<'a> Minima<'a> {
    /// Records the making of the levels of an array that is not empty.
    pub(super) fn record(commands: &mut Recorder<'_>, values: &'a DeviceArray<u32>) -> Result<Self> {
        Ok(Self { values, hierarchy: Hierarchy::record(commands, values.keys(), KeyCode::plain(1))? })
    }

    /// Records a kernel with one thread for each of `count` elements. Its text defines `each(i)`, which knows the array's
    /// `least_between` and three parameters `a`, `b` and `c`. `arrays` are its other arrays.
    pub(super) fn dispatch(
        &self,
        commands: &mut Recorder<'_>,
        (name, text): (&'static str, &str),
        count: u64,
        params: [u32; 3],
        declare: impl FnOnce(Source) -> Source,
        arrays: Vec<crate::memory::Binding<'_>>,
    ) -> Result<()> {
        let device: &Device = self.values.device();
        let (values, levels) = (self.values.packs(), self.hierarchy.ranks.packs());
        let source = Source::new(name, include_str!("each.wgsl"), "for_each")
            .constant("THREADS", THREADS)
            .constant("ELEMENTS", ITEMS)
            .constant("LEVELS", LEVELS as u32)
            .include(include_str!("least_between.wgsl"))
            .include(text)
            .reads_sharded("values", "vec4<u32>", values.sharding)
            .reads_sharded("levels", "vec4<u32>", levels.sharding);
        let bindings: Vec<_> = values.buffers.into_iter().chain(levels.buffers).chain(arrays).collect();
        let mut all = vec![count as u32];
        all.extend(params);
        all.extend(self.hierarchy.params(0).1);
        let groups = count.div_ceil((THREADS * ITEMS).into());
        commands.dispatch(&*device.kernel(&declare(source))?, groups, &bindings, &all)
    }

    /// Holds the levels until the commands are submitted.
    pub(super) fn keep_in(self, commands: &mut Recorder<'_>) {
        self.hierarchy.ranks.keep_in(commands);
    }
}
