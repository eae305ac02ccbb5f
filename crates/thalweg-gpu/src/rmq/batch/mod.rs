//! Batches of queries on the device, and what all kernels that answer them share.

use thalweg_core::Result;

use crate::array::Keys;
use crate::coding::KeyCode;
use crate::kernel::Source;
use crate::memory::Buffer;
use crate::recorder::Recorder;

/// What a kernel answers with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The position.
    Position,
    /// The key, made from its rank.
    Rank,
    /// The key, fetched by its position.
    Fetched,
}

/// A batch, or a part of one, on the device.
#[derive(Clone, Debug)]
pub(super) struct Batch<'b> {
    pub(super) form: Form,
    /// Bounds and positions have 64 bits.
    pub(super) wide: bool,
    pub(super) queries: crate::memory::Binding<'b>,
    pub(super) out: crate::memory::Binding<'b>,
    /// One word, 0 at first: the complement of the first bad row.
    pub(super) bad_row: &'b Buffer,
    pub(super) count: u32,
    /// Row of the first query.
    pub(super) row: u32,
    /// The kernel reads the array key by key, not in packs.
    pub(super) single_reads: bool,
    /// The kernel takes queries two at a time, for [`Form::Rank`]; an even number, not wide.
    pub(super) pairs: bool,
}

impl Batch<'_> {
    /// Completes a query kernel with what all of them share, and records it. `own` are the buffers that it declares.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn dispatch(
        &self,
        values: &Keys,
        coding: KeyCode,
        source: Source,
        own: Vec<crate::memory::Binding<'_>>,
        workgroups: u64,
        params: &[u32],
        commands: &mut Recorder<'_>,
    ) -> Result<()> {
        let device = values.device();
        let (query, query_of) = match self.wide {
            false => ("vec2<u32>", include_str!("query_narrow.wgsl")),
            true => ("vec4<u32>", include_str!("query_wide.wgsl")),
        };
        let (out, answer) = match (self.form, self.wide) {
            (Form::Position, false) => ("u32", include_str!("answer_position.wgsl")),
            (Form::Position, true) => ("vec2<u32>", include_str!("answer_wide_position.wgsl")),
            (Form::Rank, _) => ("Key", include_str!("answer_rank.wgsl")),
            (Form::Fetched, _) if self.single_reads => ("Key", include_str!("answer_fetched.wgsl")),
            (Form::Fetched, _) => ("Key", include_str!("answer_fetched_in_pack.wgsl")),
        };
        let (query, out, both) = match (self.pairs, coding.words) {
            (false, _) => (query, out, [include_str!("query_single.wgsl"), answer]),
            (true, 1) => {
                let two = "fn two_keys(a: Key, b: Key) -> vec2<u32> { return vec2(a, b); }\n";
                ("vec4<u32>", "vec2<u32>", [include_str!("query_pairs.wgsl"), two])
            }
            (true, _) => {
                let two = "fn two_keys(a: Key, b: Key) -> vec4<u32> { return vec4(a, b); }\n";
                ("vec4<u32>", "vec4<u32>", [include_str!("query_pairs.wgsl"), two])
            }
        };
        let source = source
            .flag("TOLD", self.form == Form::Rank)
            .keys(coding)
            .include(PACKS)
            .include(include_str!("batch.wgsl"))
            .include(query_of)
            .include(both[0])
            .include(both[1])
            .reads_sharded(
                "values",
                if self.single_reads { "Key" } else { "Pack" },
                if self.single_reads { values.sharding() } else { values.packs().sharding },
            )
            .reads("queries", query)
            .writes("bad_row", "atomic<u32>")
            .writes("out", out);
        let kernel = device.kernel(&source)?;
        let mut bindings: Vec<_> = own.into_iter().chain(values.bindings()).collect();
        bindings.extend([self.queries.clone(), self.bad_row.all(), self.out.clone()]);
        let len = values.len();
        let mut all = vec![self.count, self.row, len as u32, (len >> 32) as u32];
        all.extend_from_slice(params);
        commands.dispatch(&kernel, workgroups, &bindings, &all)
    }
}

/// The functions on packs of keys.
pub(super) const PACKS: &str = include_str!("packs.wgsl");
