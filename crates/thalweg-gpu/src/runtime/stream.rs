//! Batches that stream: inputs go up in tiles while earlier tiles run and their outputs come back.

use std::sync::mpsc;

use bytemuck::Pod;
use thalweg_core::Result;

use super::device::Device;
use super::mapping::{read_mapped, write_mapped};
use super::memory::{Buffer, Use};
use super::recorder::Recorder;
use super::transfer::copy_parallel;

/// Tiles under way at a time: one being filled, two on the device, one being read.
const DEPTH: usize = 4;

/// The buffers of one tile.
struct Tile {
    up: Buffer,
    input: Buffer,
    output: Buffer,
    down: Buffer,
}

/// A tile on the device, and where its outputs go.
struct UnderWay<'o, O> {
    tile: Tile,
    submission: wgpu::SubmissionIndex,
    output: &'o mut [O],
}

/// Turns `input` into `output`, item by item, in tiles of `tile` items. `record(commands, input, output, count)` records
/// the kernels that turn a tile's `count` inputs into its outputs.
///
/// One thread fills tiles and another one empties them, as the bus carries both ways at once. Device memory is needed for
/// a few tiles only, so a batch may be larger than that.
pub(crate) fn stream<I: Pod + Sync, O: Pod + Send>(
    device: &Device,
    input: &[I],
    output: &mut [O],
    tile: usize,
    mut record: impl FnMut(&mut Recorder<'_>, &Buffer, &Buffer, usize) -> Result<()>,
) -> Result<()> {
    assert_eq!(input.len(), output.len(), "one output an input");
    let tile = tile.min(input.len()).max(1);
    let bytes = |items: usize, size: usize| (items * size) as u64;
    let mut send = |output: &'_ mut [O], chunk: &[I], tile: Tile| -> Result<(Tile, wgpu::SubmissionIndex)> {
        let (up, down) = (bytes(chunk.len(), size_of::<I>()), bytes(output.len(), size_of::<O>()));
        write_mapped(device.context(), &tile.up, up, |piece| copy_parallel(bytemuck::cast_slice(chunk), piece))?;
        let mut commands = device.record();
        commands.copy((&tile.up, 0), (&tile.input, 0), up);
        record(&mut commands, &tile.input, &tile.output, chunk.len())?;
        commands.copy((&tile.output, 0), (&tile.down, 0), down);
        let submission = commands.submit()?;
        Ok((tile, submission))
    };
    let receive = |UnderWay { tile, submission, output }: UnderWay<'_, O>| -> Result<Tile> {
        let size = bytes(output.len(), size_of::<O>());
        let output: &mut [u8] = bytemuck::cast_slice_mut(output);
        read_mapped(device.context(), &tile.down, size, submission, |piece| copy_parallel(piece, output))?;
        Ok(tile)
    };
    let new = || -> Result<Tile> {
        Ok(Tile {
            up: device.buffer(Use::Upload, bytes(tile, size_of::<I>()), "batch")?,
            input: device.buffer(Use::Storage, bytes(tile, size_of::<I>()), "batch")?,
            output: device.buffer(Use::Storage, bytes(tile, size_of::<O>()), "batch")?,
            down: device.buffer(Use::Download, bytes(tile, size_of::<O>()), "batch")?,
        })
    };
    if input.len() <= tile {
        // One tile needs no second thread.
        if !input.is_empty() {
            let (tile, submission) = send(&mut *output, input, new()?)?;
            receive(UnderWay { tile, submission, output })?;
        }
        return Ok(());
    }
    std::thread::scope(|scope| {
        let (give, take) = mpsc::channel::<UnderWay<'_, O>>();
        let (give_back, take_back) = mpsc::channel::<Tile>();
        let reader = scope.spawn(move || -> Result<()> {
            for under_way in take {
                // The other side hangs up only when it has failed, and then nobody waits for tiles.
                let _ = give_back.send(receive(under_way)?);
            }
            Ok(())
        });
        let mut filled = Ok(());
        for (k, (chunk, output)) in input.chunks(tile).zip(output.chunks_mut(tile)).enumerate() {
            let buffers = if k < DEPTH { new() } else { take_back.recv().map_or_else(|_| new(), Ok) };
            match buffers.and_then(|buffers| send(&mut *output, chunk, buffers)) {
                // The reader hangs up only when it has failed: its error is returned below.
                Ok((tile, submission)) => {
                    if give.send(UnderWay { tile, submission, output }).is_err() {
                        break;
                    }
                }
                Err(e) => {
                    filled = Err(e);
                    break;
                }
            }
        }
        drop(give);
        let emptied = reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        filled.and(emptied)
    })
}
