//! The kernels: residues, passes of transforms, sums of products.

use thalweg_core::Result;
use thalweg_fourier::exact::Prime;

use super::tables::Roots;
use crate::device::Device;
use crate::kernel::Source;
use crate::memory::Buffer;
use crate::recorder::Recorder;

/// A tile has 2^12 elements: 16 KiB, which every device has.
pub(super) const TILE_LOG: u32 = 12;
/// Most levels of a pass between rows: with 9, tiles have runs of 32 bytes.
const MOST_LEVELS: u32 = 9;
/// Threads of an elementwise workgroup.
const THREADS: u64 = 256;

/// What a pass over tiles of neighbours does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Last {
    /// The last levels on the way there.
    Forward,
    /// These, products with a spectrum, and the first levels of the way back.
    Multiply,
    /// The first levels of the way back, of products that are there.
    Inverse,
}

/// Transforms modulo one prime, of one length.
#[derive(Debug)]
pub(super) struct Transform<'d> {
    device: &'d Device,
    pub(super) prime: Prime,
    log: u32,
    roots: Buffer,
    high: u32,
    /// Whether products are those of integers of 64 bits.
    int64: bool,
}

/// The calls that take a tile through so many levels, the first from the whole tile.
fn stages(levels: u32, is_inverse: bool) -> String {
    let mut calls = Vec::new();
    let mut log = TILE_LOG;
    let mut left = levels;
    while left > 0 {
        let step = if left % 2 == 1 {
            1
        } else if left % 4 == 2 {
            2
        } else {
            4
        };
        (log, left) = (log - step, left - step);
        calls.push(match step {
            1 => format!("two_pass(thread, {log}u, block, {is_inverse});"),
            2 => format!("four_pass(thread, {log}u, block, {is_inverse});"),
            _ if is_inverse => format!("sixteen_inverse(thread, {log}u, block);"),
            _ => format!("sixteen_forward(thread, {log}u, block);"),
        });
    }
    if is_inverse {
        calls.reverse();
    }
    calls.iter().map(|call| format!("    {call}\n    workgroupBarrier();\n")).collect()
}

/// The levels of the passes between rows, the first pass first.
fn splits(log: u32) -> Vec<u32> {
    let levels = log - TILE_LOG;
    let count = levels.div_ceil(MOST_LEVELS);
    (0..count).map(|i| (levels + i) / count.max(1)).collect()
}

impl<'d> Transform<'d> {
    pub(super) fn new(device: &'d Device, prime: &Prime, log: u32, int64: bool) -> Result<Self> {
        let Roots { words, high } = Roots::new(prime, log);
        let roots = device.words(words.len() as u64, "roots of unity")?;
        crate::transfer::upload_bytes(device, &roots, 0, bytemuck::cast_slice(&words))?;
        Ok(Self { device, prime: *prime, log, roots, high, int64 })
    }

    /// What every kernel of residues computes with.
    fn with_arithmetic(&self, source: Source) -> Source {
        let high = if self.int64 { include_str!("high64.wgsl") } else { include_str!("high32.wgsl") };
        source.include(high).include(include_str!("arithmetic.wgsl"))
    }

    /// The residues of numbers whose bits are given, low halves first; `known` of `count`, the rest is zero.
    pub(super) fn residues(
        &self,
        commands: &mut Recorder<'_>,
        (bits, known, is_long): (&Buffer, u64, bool),
        bias: u64,
        (values, count): (&Buffer, u64),
    ) -> Result<()> {
        let source = Source::new("residues", include_str!("residues.wgsl"), "residues_of")
            .reads("bits", "u32")
            .writes("values", "u32");
        let source = self.with_arithmetic(source);
        let Prime { p, inverse, one, square, .. } = self.prime;
        let bias = (bias % u64::from(p)) as u32;
        let high = if is_long { known as u32 } else { 0 };
        let params = [p, inverse, one, square, bias, count as u32, known as u32, high];
        let kernel = self.device.kernel(&source)?;
        commands.dispatch(&kernel, count.div_ceil(THREADS), &[bits.all(), values.all()], &params)
    }

    /// `sums = values * spectrum`, or `sums += ...`.
    pub(super) fn accumulate(
        &self,
        commands: &mut Recorder<'_>,
        sums: &Buffer,
        values: &Buffer,
        spectrum: &Buffer,
        is_first: bool,
    ) -> Result<()> {
        let source = Source::new("sums of products", include_str!("accumulate.wgsl"), "accumulate")
            .writes("sums", "u32")
            .reads("values", "u32")
            .reads("spectrum", "u32");
        let source = self.with_arithmetic(source);
        let count = 1u64 << self.log;
        let params = [self.prime.p, self.prime.inverse, count as u32, is_first.into()];
        let kernel = self.device.kernel(&source)?;
        commands.dispatch(&kernel, count.div_ceil(THREADS), &[sums.all(), values.all(), spectrum.all()], &params)
    }

    /// The transforms of `batch` rows of values.
    pub(super) fn forward(&self, commands: &mut Recorder<'_>, values: &Buffer, batch: u64) -> Result<()> {
        self.between_rows(commands, values, batch, false)?;
        self.last(commands, values, None, batch, Last::Forward)
    }

    /// Rows of values become their cyclic convolutions with that whose transform is given.
    pub(super) fn convolve(
        &self,
        commands: &mut Recorder<'_>,
        values: &Buffer,
        spectrum: &Buffer,
        batch: u64,
    ) -> Result<()> {
        self.between_rows(commands, values, batch, false)?;
        self.last(commands, values, Some(spectrum), batch, Last::Multiply)?;
        self.between_rows(commands, values, batch, true)
    }

    /// The way back for sums of products.
    pub(super) fn inverse(&self, commands: &mut Recorder<'_>, values: &Buffer) -> Result<()> {
        self.last(commands, values, None, 1, Last::Inverse)?;
        self.between_rows(commands, values, 1, true)
    }

    fn between_rows(&self, commands: &mut Recorder<'_>, values: &Buffer, batch: u64, is_inverse: bool) -> Result<()> {
        let mut stride = self.log;
        let mut passes: Vec<(u32, u32)> = splits(self.log)
            .into_iter()
            .map(|levels| {
                stride -= levels;
                (levels, stride)
            })
            .collect();
        if is_inverse {
            passes.reverse();
        }
        for (levels, stride_log) in passes {
            let (forward, inverse) =
                if is_inverse { (String::new(), stages(levels, true)) } else { (stages(levels, false), String::new()) };
            self.pass(commands, values, None, batch, (levels, stride_log), [&forward, "", &inverse])?;
        }
        Ok(())
    }

    fn last(
        &self,
        commands: &mut Recorder<'_>,
        values: &Buffer,
        spectrum: Option<&Buffer>,
        batch: u64,
        last: Last,
    ) -> Result<()> {
        let (forward, inverse) = (stages(TILE_LOG, false), stages(TILE_LOG, true));
        let each = |what: &str| {
            format!(
                "    for (var i = thread; i < 4096u; i += THREADS) {{ tile[room(i)] = {what}; }}\n    workgroupBarrier();\n"
            )
        };
        let multiply = each("times(times(tile[room(i)], spectrum[inside + i]), params.scale)");
        let scale = each("times(tile[room(i)], params.scale)");
        let text = match last {
            Last::Forward => [&forward[..], "", ""],
            Last::Multiply => [&forward[..], &multiply[..], &inverse[..]],
            Last::Inverse => ["", &scale, &inverse],
        };
        self.pass(commands, values, spectrum, batch, (TILE_LOG, 0), text)
    }

    fn pass(
        &self,
        commands: &mut Recorder<'_>,
        values: &Buffer,
        spectrum: Option<&Buffer>,
        batch: u64,
        (levels, stride_log): (u32, u32),
        [forward, middle, inverse]: [&str; 3],
    ) -> Result<()> {
        let mut source = Source::new("exact transform", include_str!("pass.wgsl"), "pass_over")
            .constant("LEVELS", levels)
            .replace("FORWARD_STAGES", forward)
            .replace("MIDDLE", middle)
            .replace("INVERSE_STAGES", inverse)
            .reads("roots", "u32")
            .writes("values", "u32");
        let mut buffers = vec![self.roots.all(), values.all()];
        if let Some(spectrum) = spectrum {
            source = source.reads("spectrum", "u32");
            buffers.push(spectrum.all());
        }
        let source = self.with_arithmetic(source);
        let tiles_of_one = 1u64 << (self.log - TILE_LOG);
        let tiles = batch * tiles_of_one;
        let Prime { p, inverse, one, .. } = self.prime;
        let len = ((1u64 << self.log) % u64::from(p)) as u32;
        let scale = self.prime.factor(self.prime.factor(self.prime.inverse_of(len)));
        let params = [p, inverse, one, scale, tiles as u32, tiles_of_one as u32, stride_log, self.high];
        commands.dispatch(&*self.device.kernel(&source)?, tiles, &buffers, &params)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_cover_all_levels() {
        for log in TILE_LOG..=25 {
            let splits = splits(log);
            assert_eq!(splits.iter().sum::<u32>(), log - TILE_LOG);
            assert!(splits.iter().all(|&levels| (1..=MOST_LEVELS).contains(&levels)));
            assert_eq!(splits.len() as u32, (log - TILE_LOG).div_ceil(MOST_LEVELS));
        }
        assert_eq!(stages(7, false).matches("_pass").count(), 2);
        assert!(stages(12, true).find("0u, block").unwrap() < stages(12, true).find("8u, block").unwrap());
    }
}
