//! What stands for windows that have no answer.

use thalweg_core::{Coding, Result};

use super::along::Found;
use crate::array::Keys;
use crate::coding::KeyCode;
use crate::device::Device;
use crate::kernel::Source;
use crate::memory::Binding;
use crate::recorder::Recorder;

/// Threads of a workgroup, and windows of a thread: most have an answer. Not measured.
const THREADS: u32 = 256;
const ITEMS: u32 = 8;

/// The value of windows without an answer, and where answers go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fill<'a> {
    pub(super) device: &'a Device,
    pub(super) coding: Coding,
    pub(super) value: u64,
    pub(super) found: Found<'a>,
}

impl<'a> Fill<'a> {
    /// Fills what is outside the rows and the columns of windows that have answers; `count` windows in rows of `columns`.
    pub(super) fn frame(
        &self,
        commands: &mut Recorder<'_>,
        count: u64,
        columns: u64,
        (top, bottom): (usize, usize),
        (left, right): (usize, usize),
    ) -> Result<()> {
        let frame = [columns as usize, top, bottom, left, right, 0].map(|number| number as u32);
        let none = |source: Source| source.include(include_str!("no_bounds.wgsl"));
        self.record(commands, count, frame, false, none, [].into_iter())
    }

    /// Fills windows by bounds that are none or empty, in an array of `len` elements.
    pub(super) fn empty(&self, commands: &mut Recorder<'_>, [starts, ends]: [&'a Keys; 2], len: u64) -> Result<()> {
        let declare = |source: Source| {
            let source = source.reads_sharded("starts", "u32", starts.sharding());
            source.reads_sharded("ends", "u32", ends.sharding())
        };
        let bindings = starts.bindings().chain(ends.bindings());
        self.record(commands, starts.len(), [0, 0, 0, 0, 0, len as u32], true, declare, bindings)
    }

    fn record(
        &self,
        commands: &mut Recorder<'_>,
        count: u64,
        frame: [u32; 6],
        bounds: bool,
        declare: impl FnOnce(Source) -> Source,
        bindings: impl Iterator<Item = Binding<'a>>,
    ) -> Result<()> {
        let source = Source::new("window", include_str!("fill.wgsl"), "fill")
            .constant("THREADS", THREADS)
            .constant("ITEMS", ITEMS)
            .flag("BOUNDS", bounds)
            .keys(KeyCode::plain(KeyCode::from(self.coding).words));
        let kernel = self.device.kernel(&self.found.declare(declare(source), false))?;
        let bindings: Vec<Binding<'_>> = bindings.chain(self.found.bindings()).collect();
        let mut params = vec![count as u32];
        params.extend(frame);
        params.extend([self.value as u32, (self.value >> 32) as u32]);
        commands.dispatch(&kernel, count.div_ceil((THREADS * ITEMS).into()), &bindings, &params)
    }
}
