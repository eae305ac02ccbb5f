//! Groups of suffixes that nothing tells apart yet: a bit for every place of the suffix array where one begins.
//!
//! Places are cut into blocks. The last head of every block and before, and the first head of every block and behind, are
//! what a suffix needs to know of a group that reaches beyond its block.

use thalweg_core::Result;

use crate::array::DeviceArray;
use crate::device::Device;
use crate::memory::Buffer;
use crate::primitives::elementwise::Elementwise;
use crate::primitives::{Op, inclusive_scan};
use crate::recorder::Recorder;
use crate::text::ITEMS;

/// Sizes of the kernel that sorts small groups.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Threads of a workgroup.
    pub(super) threads: u32,
    /// Suffixes of a thread at most: half of a workgroup's are where its groups begin, the other half where they may end.
    pub(super) items: u32,
}

impl Sizes {
    /// A software renderer compiles longer than it runs. H200, 64 MiB of source code, all kernels, ms: threads x items 128x4
    /// 46.4, 256x4 46.9, 512x4 47.7; with three steps 128x2 49.8, 128x4 48.7, 256x2 50.7, 256x4 49.8, 256x8 53.8, 512x2 52.8.
    pub(super) fn of(device: &Device) -> Self {
        if device.limits().subgroup_min < 16 { Self { threads: 64, items: 2 } } else { Self { threads: 256, items: 4 } }
    }

    /// Places of a block, and the most suffixes of a small group: a multiple of 32.
    pub(super) fn block(self) -> u64 {
        u64::from(self.threads * self.items / 2)
    }
}

#[derive(Debug)]
pub(super) struct Groups {
    pub(super) sizes: Sizes,
    len: u64,
    /// Bit i: whether a group begins at place i. Those behind the last place are set.
    pub(super) heads: DeviceArray<u32>,
    /// Heads that this round has found.
    pub(super) fresh: DeviceArray<u32>,
    /// For every block, the last head in it or before.
    pub(super) last: DeviceArray<u32>,
    /// For every block, from the last to the first one, the first head in it or behind, or the length.
    pub(super) first: DeviceArray<u32>,
}

impl Groups {
    /// For so many places; the heads are yet to be written.
    pub(super) fn new(device: &Device, len: u64) -> Result<Self> {
        let (sizes, words) = (Sizes::of(device), len.div_ceil(32));
        let blocks = len.div_ceil(sizes.block());
        let array = |len| DeviceArray::<u32>::new(device, len);
        let groups = Self {
            sizes,
            len,
            heads: array(words)?,
            fresh: array(words)?,
            last: array(blocks)?,
            first: array(blocks)?,
        };
        let mut commands = device.record();
        Elementwise::statement(device, words, "no fresh heads", "fresh_put(i, 0u);")
            .writes("fresh", "u32", &groups.fresh)
            .dispatch(&mut commands, &[])?;
        commands.submit()?;
        Ok(groups)
    }

    fn device(&self) -> &Device {
        self.heads.device()
    }

    pub(super) fn blocks(&self) -> u64 {
        self.last.count()
    }

    /// Looks at the blocks, fresh heads among the others. How many groups there are is added to the first word of `found`.
    pub(super) fn survey(&mut self, found: &Buffer) -> Result<()> {
        let device = self.device().clone();
        let mut commands = device.record();
        Elementwise::new(&device, self.blocks(), "blocks of groups", include_str!("survey.wgsl"))
            .constant("BLOCK", self.sizes.block() as u32)
            .reads("heads", "u32", &self.heads)
            .reads("fresh", "u32", &self.fresh)
            .writes("last", "u32", &self.last)
            .writes("first", "u32", &self.first)
            .declare(|source| source.atomics("found"), [found.all()].into_iter())
            .dispatch(&mut commands, &[self.heads.count() as u32, self.len as u32])?;
        commands.submit()?;
        self.last = inclusive_scan(&self.last, Op::Max)?;
        self.first = inclusive_scan(&self.first, Op::Min)?;
        Ok(())
    }

    /// Records that everybody whose group broke, or everybody, gets as its rank where its group begins. After
    /// [`Groups::survey`].
    pub(super) fn rank(
        &self,
        commands: &mut Recorder<'_>,
        sa: &DeviceArray<u32>,
        ranks: &DeviceArray<u32>,
        all: bool,
    ) -> Result<()> {
        ranks.windows().try_for_each(|window| {
            Elementwise::new(self.device(), self.len, "ranks", include_str!("rank.wgsl"))
                .items(ITEMS)
                .constant("BLOCK", self.sizes.block() as u32)
                .flag("ALL", all)
                .reads("heads", "u32", &self.heads)
                .reads("fresh", "u32", &self.fresh)
                .reads("last", "u32", &self.last)
                .reads("sa", "u32", sa)
                .writes("ranks", "u32", ranks)
                .dispatch(commands, &window)
        })
    }

    /// Records that fresh heads become heads.
    pub(super) fn settle(&self, commands: &mut Recorder<'_>) -> Result<()> {
        let settle = "let bits = fresh_at(i); if bits != 0u { heads_put(i, heads_at(i) | bits); fresh_put(i, 0u); }";
        Elementwise::statement(self.device(), self.heads.count(), "fresh heads", settle)
            .writes("heads", "u32", &self.heads)
            .writes("fresh", "u32", &self.fresh)
            .dispatch(commands, &[])
    }
}
