//! Batches that stream: inputs go up in tiles while earlier tiles run and their outputs come back.

use std::sync::mpsc;

use bytemuck::Pod;
use thalweg_core::Result;

use super::device::Device;
use super::mapping::{read_mapped, write_mapped};
use super::memory::{Buffer, Use};
use super::phases::Phase;
use super::recorder::Recorder;
use super::transfer::{copy_parallel, written_by_device};

/// Tiles under way at a time: one being filled, two on the device, one being read.
const DEPTH: usize = 4;

/// The buffers of one tile. What the device copies from and to by itself needs none for that.
struct Tile {
    up: Option<Buffer>,
    input: Buffer,
    output: Buffer,
    down: Option<Buffer>,
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
/// One thread fills tiles and another one empties them, as the bus carries both ways at once; where either is memory that
/// the device [copies by itself](super::pinned), the thread only waits. Device memory is needed for a few tiles only, so a
/// batch may be larger than that.
pub(crate) fn stream<I: Pod + Sync, O: Pod + Send>(
    device: &Device,
    input: &[I],
    output: &mut [O],
    tile: usize,
    mut record: impl FnMut(&mut Recorder<'_>, &Buffer, &Buffer, usize) -> Result<()>,
) -> Result<()> {
    assert_eq!(input.len(), output.len(), "one output an input");
    let _phase = device.context().tally.enter(Phase::Streaming);
    let tile = tile.min(input.len()).max(1);
    let bytes = |items: usize, size: usize| (items * size) as u64;
    let source = device.pinned().find(bytemuck::cast_slice(input));
    let target = device.pinned().find(bytemuck::cast_slice(output));
    let mut send = |first: usize, chunk: &[I], tile: Tile| -> Result<(Tile, wgpu::SubmissionIndex)> {
        let (up, down) = (bytes(chunk.len(), size_of::<I>()), bytes(chunk.len(), size_of::<O>()));
        if let Some(staging) = &tile.up {
            write_mapped(device.context(), staging, up, |piece| copy_parallel(bytemuck::cast_slice(chunk), piece))?;
        }
        let mut commands = device.record();
        let from = place(&tile.up, &source, bytes(first, size_of::<I>()));
        commands.copy(from, (&tile.input, 0), up);
        record(&mut commands, &tile.input, &tile.output, chunk.len())?;
        let to = place(&tile.down, &target, bytes(first, size_of::<O>()));
        commands.copy((&tile.output, 0), to, down);
        let submission = commands.submit()?;
        Ok((tile, submission))
    };
    let receive = |UnderWay { tile, submission, output }: UnderWay<'_, O>| -> Result<Tile> {
        let size = bytes(output.len(), size_of::<O>());
        let output: &mut [u8] = bytemuck::cast_slice_mut(output);
        match &tile.down {
            Some(down) => read_mapped(device.context(), down, size, submission, |piece| copy_parallel(piece, output))?,
            None => {
                device.context().wait_for_copy(Some(submission))?;
                written_by_device(output);
            }
        }
        Ok(tile)
    };
    let new = || -> Result<Tile> {
        let staging = |known: bool, purpose, size| {
            if known { Ok(None) } else { device.buffer(purpose, bytes(tile, size), "batch").map(Some) }
        };
        Ok(Tile {
            up: staging(source.is_some(), Use::Upload, size_of::<I>())?,
            input: device.buffer(Use::Storage, bytes(tile, size_of::<I>()), "batch")?,
            output: device.buffer(Use::Storage, bytes(tile, size_of::<O>()), "batch")?,
            down: staging(target.is_some(), Use::Download, size_of::<O>())?,
        })
    };
    if input.len() <= tile {
        // One tile needs no second thread.
        if !input.is_empty() {
            let (tile, submission) = send(0, input, new()?)?;
            receive(UnderWay { tile, submission, output })?;
        }
        return Ok(());
    }
    let done = std::thread::scope(|scope| {
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
            match buffers.and_then(|buffers| send(k * tile, chunk, buffers)) {
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
    });
    if done.is_err() && (source.is_some() || target.is_some()) {
        // Tiles that nobody waits for any more may still be copied, and the memory is the caller's own after this.
        let _ = device.wait();
    }
    done
}

/// Where a tile's items lie on the host: in its own staging buffer, or in the memory that holds all of them.
fn place<'b>(staging: &'b Option<Buffer>, whole: &'b Option<(Buffer, u64)>, offset: u64) -> (&'b Buffer, u64) {
    match (staging, whole) {
        (Some(staging), _) => (staging, 0),
        (None, Some((buffer, start))) => (buffer, start + offset),
        (None, None) => unreachable!("a tile without staging is of memory that the device copies"),
    }
}
