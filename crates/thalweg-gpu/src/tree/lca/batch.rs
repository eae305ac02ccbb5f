//! Batches of queries on the device, and the kernel that answers them.

use thalweg_core::Result;

use crate::device::Device;
use crate::kernel::Source;
use crate::memory::Buffer;
use crate::primitives::elementwise::THREADS;
use crate::recorder::Recorder;

/// A batch, or a part of one, on the device.
#[derive(Debug)]
pub(super) struct Batch<'b> {
    pub(super) queries: Vec<crate::memory::Binding<'b>>,
    pub(super) queries_sharding: Option<(u32, u32)>,
    pub(super) out: Vec<crate::memory::Binding<'b>>,
    pub(super) out_sharding: Option<(u32, u32)>,
    /// One word, 0 at first: the complement of the first bad row.
    pub(super) bad_row: &'b Buffer,
    pub(super) count: u32,
    /// Row of the first query.
    pub(super) row: u32,
    pub(super) nodes: u32,
}

impl Batch<'_> {
    /// A kernel with one thread a query, `q`, and `answer(i, q)`, which its text defines.
    pub(super) fn source(&self, name: &'static str, text: &str) -> Source {
        Source::new(name, include_str!("batch.wgsl"), "batch")
            .constant("THREADS", THREADS)
            .include(text)
            .reads_sharded("queries", "vec2<u32>", self.queries_sharding)
            .atomics("bad_row")
    }

    pub(super) fn dispatch(
        &self,
        commands: &mut Recorder<'_>,
        device: &Device,
        source: Source,
        own: Vec<crate::memory::Binding<'_>>,
    ) -> Result<()> {
        let bindings: Vec<_> = self.queries.iter().cloned().chain([self.bad_row.all()]).chain(own).collect();
        let groups = u64::from(self.count).div_ceil(THREADS.into());
        commands.dispatch(&*device.kernel(&source)?, groups, &bindings, &[self.count, self.row, self.nodes])
    }
}
