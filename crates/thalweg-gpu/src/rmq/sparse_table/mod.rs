//! What the indexes of blocks have in common: a sparse table over groups of blocks on top, and buffers whose bytes are
//! counted.

use thalweg_core::{Error, Result};

use crate::coding::KeyCode;
use crate::device::Device;
use crate::kernel::Source;
use crate::memory::Buffer;
use crate::recorder::Recorder;

/// Threads of the kernel that makes rows. Not measured.
const THREADS: u32 = 256;

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

    /// Records the kernels that make all rows from the first, three at a time. `declared` is the parameters' WGSL,
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
        let source = Source::new(name, include_str!("rows.wgsl"), "table_rows")
            .include(declared)
            .constant("THREADS", THREADS)
            .keys(coding)
            .writes("table", "Key")
            .writes("table_positions", "u32");
        let kernel = device.kernel(&source)?;
        for row in (0..self.rows - 1).step_by(3) {
            let bindings = [&self.minima, &self.positions].map(Buffer::all);
            commands.dispatch(&kernel, self.groups.div_ceil(THREADS.into()), &bindings, &params(row))?;
        }
        Ok(())
    }
}
