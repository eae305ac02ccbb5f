//! What the indexes of blocks have in common: a sparse table over groups of blocks on top, and buffers whose bytes are
//! counted.

use thalweg_core::{Error, Result};

use crate::coding::KeyCode;
use crate::device::Device;
use crate::kernel::Source;
use crate::memory::Buffer;
use crate::recorder::Recorder;

/// Threads of the kernels that make rows. Not measured.
const THREADS: u32 = 256;
/// Rows that are made in a workgroup's memory, and rows at a time of the others. Every kernel takes an H200 some 9 µs more: five took 46 for
/// the table over 2^26 elements.
const FIRST_ROWS: u32 = THREADS.ilog2();
const ROWS: u32 = 5;

/// The buffers of an index, and how much they hold.
#[derive(Debug)]
pub(super) struct Buffers<'d> {
    device: &'d Device,
    pub(super) bytes: u64,
}

impl<'d> Buffers<'d> {
    pub(super) fn new(device: &'d Device) -> Self {
        Self { device, bytes: 0 }
    }

    /// A buffer of 32-bit words, which kernels see as one binding.
    pub(super) fn words(&mut self, count: u64, what: &'static str) -> Result<Buffer> {
        let (bytes, most) = (4 * count, self.device.limits().binding_bytes.max(1 << 27));
        if bytes > most {
            let name = self.device.name();
            return Err(Error::device_limit(format!(
                "rmq: {what}: {bytes} bytes are more than a binding of {name} has, {most}"
            )));
        }
        self.bytes += bytes;
        self.device.words(count, what)
    }
}

/// The best of 2^k groups from every group on, a row for every k, and where it is.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) minima: Buffer,
    pub(super) positions: Buffer,
    pub(super) groups: u64,
    pub(super) rows: u64,
}

impl Table {
    /// Room for a table over so many groups, of keys of so many words.
    pub(super) fn new(buffers: &mut Buffers<'_>, groups: u64, words: u32) -> Result<Self> {
        let rows = u64::from(groups.max(1).ilog2()) + 1;
        Ok(Self {
            minima: buffers.words(groups * rows * u64::from(words), "table of groups")?,
            positions: buffers.words(groups * rows, "positions of the table")?,
            groups,
            rows,
        })
    }

    /// Records the kernels that make all rows from the first: some in a workgroup's memory, then a few at a time. `declared` is the parameters' WGSL,
    /// `params` gives them for a row.
    pub(super) fn fill<const N: usize>(
        &self,
        name: &'static str,
        declared: &'static str,
        coding: KeyCode,
        params: impl Fn(u64) -> [u32; N],
        device: &Device,
        commands: &mut Recorder<'_>,
    ) -> Result<()> {
        if self.rows < 2 {
            return Ok(());
        }
        let kernel = |text, entry| {
            let source = Source::new(name, text, entry)
                .include(declared)
                .constant("THREADS", THREADS)
                .constant("FIRST_ROWS", FIRST_ROWS)
                .constant("ROWS", ROWS)
                .keys(coding)
                .writes("table", "Key")
                .writes("table_positions", "u32");
            device.kernel(&source)
        };
        let (workgroups, bindings) =
            (self.groups.div_ceil(THREADS.into()), [&self.minima, &self.positions].map(Buffer::all));
        let first = kernel(include_str!("first_rows.wgsl"), "table_first_rows")?;
        commands.dispatch(&first, workgroups, &bindings, &params(0))?;
        let others = kernel(include_str!("rows.wgsl"), "table_rows")?;
        for row in (FIRST_ROWS.into()..self.rows - 1).step_by(ROWS as usize) {
            commands.dispatch(&others, workgroups, &bindings, &params(row))?;
        }
        Ok(())
    }
}
