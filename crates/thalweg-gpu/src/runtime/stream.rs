//! Batches that stream: inputs go up in tiles while earlier tiles run and their outputs come back.

use std::sync::mpsc;

use bytemuck::Pod;
use thalweg_core::{Position, Result};

use super::device::Device;
use super::mapping::{read_mapped, write_mapped};
use super::memory::{Binding, Buffer, Use};
use super::phases::Phase;
use super::recorder::Recorder;
use super::transfer::{copy_parallel, written_by_device};
use super::widths::{narrow, widen};

/// Tiles under way at a time: one being filled, two on the device, one being read.
const DEPTH: usize = 4;

/// How often the kernels of a batch look at an item. Once is no more than a copy would, so they may look at the host's own
/// memory, over the bus, and what they write goes there at the same time; a copy up, kernels and a copy down would wait for
/// each other, as a device has one queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Looks {
    Once,
    Often,
}

/// One side of a batch: how its items get between the host's memory and the kernels.
struct Side {
    /// The memory that holds all of them, if the device can reach it, and where they begin there.
    whole: Option<(Buffer, u64)>,
    /// Bytes of a tile.
    bytes: u64,
    /// What staging is for.
    staging: Use,
    looks: Looks,
}

/// A tile's buffers on one side. What the device reaches by itself needs none, and what kernels may look at from afar needs no
/// copy.
struct Place {
    staging: Option<Buffer>,
    copy: Option<Buffer>,
}

impl Side {
    /// Kernels see memory from such places on only.
    fn is_aligned(&self, device: &Device) -> bool {
        let step = u64::from(device.context().raw.limits().min_storage_buffer_offset_alignment);
        self.whole.as_ref().is_none_or(|(_, start)| start.is_multiple_of(step) && self.bytes.is_multiple_of(step))
    }

    fn place(&self, device: &Device) -> Result<Place> {
        let staging = match &self.whole {
            Some(_) => None,
            None => Some(device.buffer(self.staging, self.bytes, "batch")?),
        };
        let reached = staging.as_ref().is_none_or(|staging| staging.host().is_some());
        let copy = match self.looks == Looks::Once && reached && self.is_aligned(device) {
            true => None,
            false => Some(device.buffer(Use::Storage, self.bytes, "batch")?),
        };
        Ok(Place { staging, copy })
    }

    /// Where the items from byte `first` on lie on the host.
    fn on_host<'b>(&'b self, place: &'b Place, first: u64) -> (&'b Buffer, u64) {
        match (&place.staging, &self.whole) {
            (Some(staging), _) => (staging, 0),
            (None, Some((buffer, start))) => (buffer, start + first),
            (None, None) => unreachable!("a tile without staging is of memory that the device reaches"),
        }
    }

    /// What kernels see of them.
    fn seen<'b>(&'b self, place: &'b Place, first: u64, bytes: u64) -> Binding<'b> {
        let (buffer, offset) = place.copy.as_ref().map_or_else(|| self.on_host(place, first), |copy| (copy, 0));
        buffer.part(offset, bytes)
    }
}

/// The buffers of one tile.
struct Tile {
    input: Place,
    output: Place,
}

/// A tile on the device, and where its outputs go.
struct UnderWay<'o, O> {
    tile: Tile,
    submission: wgpu::SubmissionIndex,
    output: &'o mut [O],
}

/// How the items of a batch look on the device, and how they get there and back.
struct Way<F, E> {
    /// Outputs of an input.
    each: usize,
    /// Bytes of an input and of its outputs on the device.
    sizes: (usize, usize),
    /// Fills a piece of staging memory with inputs.
    fill: F,
    /// Takes outputs from a piece of it.
    empty: E,
    /// Memory that the device reaches, and that holds all inputs or outputs as they are there.
    whole: [Option<(Buffer, u64)>; 2],
}

/// Turns `input` into `output`, item by item, in tiles of `tile` items. `record(commands, input, output, count)` records
/// the kernels that turn a tile's `count` inputs into its outputs.
///
/// One thread fills tiles and another one empties them, as the bus carries both ways at once; where either is memory that
/// the device [reaches by itself](super::pinned), the thread only waits. Device memory is needed for a few tiles only, so a
/// batch may be larger than that.
pub(crate) fn stream<I: Pod + Sync, O: Pod + Send>(
    device: &Device,
    input: &[I],
    output: &mut [O],
    how: (usize, Looks),
    record: impl FnMut(&mut Recorder<'_>, Binding<'_>, Binding<'_>, usize) -> Result<()>,
) -> Result<()> {
    stream_rows(device, input, output, 1, how, record)
}

/// [`stream`] with `each` outputs an input, one behind the other.
pub(crate) fn stream_rows<I: Pod + Sync, O: Pod + Send>(
    device: &Device,
    input: &[I],
    output: &mut [O],
    each: usize,
    how: (usize, Looks),
    record: impl FnMut(&mut Recorder<'_>, Binding<'_>, Binding<'_>, usize) -> Result<()>,
) -> Result<()> {
    let find = |items: &[u8]| device.pinned().find(items);
    let way = Way {
        each,
        sizes: (size_of::<I>(), each * size_of::<O>()),
        fill: |chunk: &[I], piece: &mut [u8]| copy_parallel(bytemuck::cast_slice(chunk), piece),
        empty: |piece: &[u8], output: &mut [O]| copy_parallel(piece, bytemuck::cast_slice_mut(output)),
        whole: [find(bytemuck::cast_slice(input)), find(bytemuck::cast_slice(output))],
    };
    stream_by(device, input, output, how, way, record)
}

/// [`stream`] for kernels whose inputs are pairs of positions of 32 bits, and whose outputs are such positions, `u32::MAX`
/// for none. Wider ones are converted where they would be copied.
pub(crate) fn stream_pairs<P: Position>(
    device: &Device,
    pairs: &[[P; 2]],
    out: &mut [P],
    how: (usize, Looks),
    record: impl FnMut(&mut Recorder<'_>, Binding<'_>, Binding<'_>, usize) -> Result<()>,
) -> Result<()> {
    if size_of::<P>() == 4 {
        return stream(device, pairs, out, how, record);
    }
    let way = Way { each: 1, sizes: (8, 4), fill: narrow::<P>, empty: widen::<P>, whole: [None, None] };
    stream_by(device, pairs, out, how, way, record)
}

fn stream_by<I: Pod + Sync, O: Pod + Send>(
    device: &Device,
    input: &[I],
    output: &mut [O],
    (tile, looks): (usize, Looks),
    way: Way<impl Fn(&[I], &mut [u8]), impl Fn(&[u8], &mut [O]) + Sync>,
    mut record: impl FnMut(&mut Recorder<'_>, Binding<'_>, Binding<'_>, usize) -> Result<()>,
) -> Result<()> {
    assert_eq!(input.len() * way.each, output.len(), "outputs of all inputs");
    let _phase = device.context().tally.enter(Phase::Streaming);
    let Way { each, sizes: (size_up, size_down), fill, empty, whole: [whole_up, whole_down] } = way;
    let bytes = |items: usize, size: usize| (items * size) as u64;
    let reached = looks == Looks::Once && whole_up.is_some() && whole_down.is_some();
    let tile = if reached && tile.is_multiple_of(64) {
        // Nothing is copied, so nothing is gained by tiles: as much as a kernel sees at once.
        tile.max(device.limits().binding_bytes as usize / size_up.max(size_down) / 64 * 64)
    } else {
        tile
    };
    let tile = tile.min(input.len()).max(1);
    let source = Side { whole: whole_up, bytes: bytes(tile, size_up), staging: Use::Upload, looks };
    let mut target = Side { whole: whole_down, bytes: bytes(tile, size_down), staging: Use::Download, looks };
    if let (Some((source, _)), Some((same, _))) = (&source.whole, &target.whole)
        && source == same
    {
        // Kernels do not see a buffer that they write a second time.
        target.looks = Looks::Often;
    }
    let mut send = |first: usize, chunk: &[I], tile: Tile| -> Result<(Tile, wgpu::SubmissionIndex)> {
        let (up, down) = (bytes(chunk.len(), size_up), bytes(chunk.len(), size_down));
        let (first_up, first_down) = (bytes(first, size_up), bytes(first, size_down));
        if let Some(staging) = &tile.input.staging {
            write_mapped(device.context(), staging, up, |piece| fill(chunk, piece))?;
        }
        let mut commands = device.record();
        if let Some(copy) = &tile.input.copy {
            commands.copy(source.on_host(&tile.input, first_up), (copy, 0), up);
        }
        let (from, to) = (source.seen(&tile.input, first_up, up), target.seen(&tile.output, first_down, down));
        record(&mut commands, from, to, chunk.len())?;
        if let Some(copy) = &tile.output.copy {
            commands.copy((copy, 0), target.on_host(&tile.output, first_down), down);
        }
        let submission = commands.submit()?;
        Ok((tile, submission))
    };
    let receive = |UnderWay { tile, submission, output }: UnderWay<'_, O>| -> Result<Tile> {
        let size = bytes(output.len() / each, size_down);
        match &tile.output.staging {
            Some(down) => read_mapped(device.context(), down, size, submission, |piece| empty(piece, output))?,
            None => {
                device.context().wait_for_copy(Some(submission))?;
                written_by_device(bytemuck::cast_slice_mut(output));
            }
        }
        Ok(tile)
    };
    let new = || Ok(Tile { input: source.place(device)?, output: target.place(device)? });
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
        let (end, ended) = mpsc::channel::<Result<()>>();
        scope.spawn(move || {
            let all = take.into_iter().try_for_each(|under_way| {
                // The other side hangs up only when it has failed, and then nobody waits for tiles.
                let _ = give_back.send(receive(under_way)?);
                Ok(())
            });
            let _ = end.send(all);
        });
        let mut filled = Ok(());
        for (k, (chunk, output)) in input.chunks(tile).zip(output.chunks_mut(tile * each)).enumerate() {
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
        // Not until the thread is gone: a driver may take ten milliseconds to forget one. (If it panicked, so does the scope.)
        filled.and(ended.recv().unwrap_or(Ok(())))
    });
    if done.is_err() && (source.whole.is_some() || target.whole.is_some()) {
        // Tiles that nobody waits for any more may still be under way, and the memory is the caller's own after this.
        let _ = device.wait();
    }
    done
}
