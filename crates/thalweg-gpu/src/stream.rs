//! Batches that stream: inputs go up in tiles while earlier tiles run and their outputs come back.

use std::collections::VecDeque;

use bytemuck::Pod;
use thalweg::Result;

use crate::device::Device;
use crate::memory::{Buffer, Use};
use crate::recorder::Recorder;
use crate::transfer::{copy_parallel, read_mapped, write_mapped};

/// Tiles under way at a time: one being filled, one on the device, one being read.
const DEPTH: usize = 3;

/// The buffers of one tile.
struct Tile {
    up: Buffer,
    input: Buffer,
    output: Buffer,
    down: Buffer,
}

/// Turns `input` into `output`, item by item, in tiles of `tile` items. `record(commands, input, output, count)` records
/// the kernels that turn a tile's `count` inputs into its outputs.
///
/// Device memory is needed for a few tiles only, so a batch may be larger than that.
pub(crate) fn stream<I: Pod, O: Pod>(
    device: &Device,
    input: &[I],
    output: &mut [O],
    tile: usize,
    mut record: impl FnMut(&mut Recorder<'_>, &Buffer, &Buffer, usize) -> Result<()>,
) -> Result<()> {
    assert_eq!(input.len(), output.len(), "one output an input");
    let tile = tile.min(input.len());
    let bytes = |items: usize, size: usize| (items * size) as u64;
    let mut free: Vec<Tile> = Vec::new();
    let mut under_way: VecDeque<(Tile, usize, wgpu::SubmissionIndex)> = VecDeque::new();
    let mut outputs = output.chunks_mut(tile.max(1));
    let mut finish = |(tile, count, submission): (Tile, usize, wgpu::SubmissionIndex)| -> Result<Tile> {
        let out = outputs.next().expect("as many outputs as inputs");
        let out: &mut [u8] = bytemuck::cast_slice_mut(out);
        read_mapped(device, &tile.down, bytes(count, size_of::<O>()), submission, |piece| copy_parallel(piece, out))?;
        Ok(tile)
    };
    for chunk in input.chunks(tile.max(1)) {
        if under_way.len() == DEPTH {
            free.push(finish(under_way.pop_front().expect("the queue is full"))?);
        }
        let buffers = match free.pop() {
            Some(buffers) => buffers,
            None => Tile {
                up: device.buffer(Use::Upload, bytes(tile, size_of::<I>()), "batch")?,
                input: device.buffer(Use::Storage, bytes(tile, size_of::<I>()), "batch")?,
                output: device.buffer(Use::Storage, bytes(tile, size_of::<O>()), "batch")?,
                down: device.buffer(Use::Download, bytes(tile, size_of::<O>()), "batch")?,
            },
        };
        let (up, down) = (bytes(chunk.len(), size_of::<I>()), bytes(chunk.len(), size_of::<O>()));
        write_mapped(device, &buffers.up, up, |piece| copy_parallel(bytemuck::cast_slice(chunk), piece))?;
        let mut commands = device.record();
        commands.copy((&buffers.up, 0), (&buffers.input, 0), up);
        record(&mut commands, &buffers.input, &buffers.output, chunk.len())?;
        commands.copy((&buffers.output, 0), (&buffers.down, 0), down);
        under_way.push_back((buffers, chunk.len(), commands.submit()?));
    }
    while let Some(last) = under_way.pop_front() {
        finish(last)?;
    }
    Ok(())
}
