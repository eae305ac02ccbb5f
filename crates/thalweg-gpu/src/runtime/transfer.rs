//! Copies between host and device, in pieces through staging buffers, so that the copying of one piece by the host runs
//! beside the transfer of another. Memory that the device [copies by itself](super::pinned) goes without.

use std::collections::VecDeque;
#[cfg(feature = "geometry")]
use std::ops::Range;

use thalweg_core::Result;

pub(crate) use super::copying::copy_parallel;
use super::device::Device;
use super::mapping::{read_mapped, write_mapped};
use super::memory::{Buffer, Use};
use super::phases::Phase;
#[cfg(feature = "geometry")]
use super::recorder::Recorder;

/// Bytes of a staging buffer. Such memory is dear: an H200's host takes 1 ms for 16 MiB of it, and copies them in 0.4.
pub(crate) const PIECE: u64 = 8 << 20;
/// Staging buffers under way at a time: one filled by the host, one transferred, one waited for.
const DEPTH: usize = 3;

/// Fills `bytes` bytes of a buffer from `offset` on; `fill(at, piece)` writes the bytes that belong `at`.
pub(crate) fn upload(
    device: &Device,
    buffer: &Buffer,
    offset: u64,
    bytes: u64,
    fill: impl Fn(u64, &mut [u8]),
) -> Result<()> {
    let _phase = device.context().tally.enter(Phase::Up);
    let mut ring: VecDeque<Buffer> = VecDeque::new();
    let mut done = 0;
    while done < bytes {
        let size = PIECE.min(bytes - done);
        let free = if ring.len() < DEPTH { None } else { ring.pop_front() };
        let staging = free.map_or_else(|| device.buffer(Use::Upload, size, "upload"), Ok)?;
        write_mapped(device.context(), &staging, size, |piece| fill(done, piece))?;
        let mut commands = device.record();
        commands.copy((&staging, 0), (buffer, offset + done), size);
        commands.submit()?;
        ring.push_back(staging);
        done += size;
    }
    Ok(())
}

/// Fills a buffer with these bytes from `offset` on.
pub(crate) fn upload_bytes(device: &Device, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<()> {
    let Some((pinned, at)) = device.pinned().find(bytes) else {
        return upload(device, buffer, offset, bytes.len() as u64, |at, piece| {
            copy_parallel(&bytes[at as usize..at as usize + piece.len()], piece);
        });
    };
    let _phase = device.context().tally.enter(Phase::Up);
    let mut commands = device.record();
    commands.copy((&pinned, at), (buffer, offset), bytes.len() as u64);
    // The bytes are the caller's own again after this.
    let submission = commands.submit()?;
    device.context().wait_for_copy(Some(submission))
}

/// Brings bytes to the device in pieces of at most `most`, through a few buffers only. `then(commands, piece, range)` records
/// what is done with a piece, which holds the bytes of a range, while the next one is on its way.
#[cfg(feature = "geometry")]
pub(crate) fn upload_pieces(
    device: &Device,
    bytes: &[u8],
    most: u64,
    mut then: impl FnMut(&mut Recorder<'_>, &Buffer, Range<u64>) -> Result<()>,
) -> Result<()> {
    let _phase = device.context().tally.enter(Phase::Up);
    let mut ring: VecDeque<(Buffer, Buffer)> = VecDeque::new();
    let mut start = 0;
    for piece in bytes.chunks(most as usize) {
        let size = piece.len() as u64;
        let new = || Ok((device.buffer(Use::Upload, size, "upload")?, device.buffer(Use::Storage, size, "piece")?));
        let free = if ring.len() < DEPTH { None } else { ring.pop_front() };
        let (staging, target) = free.map_or_else(new, Ok)?;
        write_mapped(device.context(), &staging, size, |staged| copy_parallel(piece, staged))?;
        let mut commands = device.record();
        commands.copy((&staging, 0), (&target, 0), size);
        then(&mut commands, &target, start..start + size)?;
        commands.submit()?;
        ring.push_back((staging, target));
        start += size;
    }
    Ok(())
}

/// Reads `bytes` bytes of a buffer from `offset` on; `take(at, piece)` gets the bytes that were `at`.
pub(crate) fn download(
    device: &Device,
    buffer: &Buffer,
    offset: u64,
    bytes: u64,
    mut take: impl FnMut(u64, &[u8]),
) -> Result<()> {
    let _phase = device.context().tally.enter(Phase::Down);
    // What is under way by now are kernels.
    let mut kernels = device.context().last_submission();
    let mut under_way: VecDeque<(Buffer, u64, u64, wgpu::SubmissionIndex)> = VecDeque::new();
    let (mut asked, mut done) = (0, 0);
    while done < bytes {
        while asked < bytes && under_way.len() < DEPTH {
            let size = PIECE.min(bytes - asked);
            let staging = device.buffer(Use::Download, size, "download")?;
            let mut commands = device.record();
            commands.copy((buffer, offset + asked), (&staging, 0), size);
            under_way.push_back((staging, asked, size, commands.submit()?));
            asked += size;
        }
        if let Some(kernels) = kernels.take() {
            device.context().wait(Some(kernels))?;
        }
        // At least one piece is under way: all that was asked for is done otherwise.
        let Some((staging, at, size, submission)) = under_way.pop_front() else { break };
        read_mapped(device.context(), &staging, size, submission, |piece| take(at, piece))?;
        done += size;
    }
    Ok(())
}

/// Fills `out` with the bytes of a buffer from `offset` on.
pub(crate) fn download_bytes(device: &Device, buffer: &Buffer, offset: u64, out: &mut [u8]) -> Result<()> {
    let Some((pinned, at)) = device.pinned().find(out) else {
        return download(device, buffer, offset, out.len() as u64, |at, piece| {
            copy_parallel(piece, &mut out[at as usize..at as usize + piece.len()]);
        });
    };
    let _phase = device.context().tally.enter(Phase::Down);
    let kernels = device.context().last_submission();
    let mut commands = device.record();
    commands.copy((buffer, offset), (&pinned, at), out.len() as u64);
    let submission = commands.submit()?;
    if kernels.is_some() {
        device.context().wait(kernels)?;
    }
    device.context().wait_for_copy(Some(submission))?;
    written_by_device(out);
    Ok(())
}

/// Says that the device has written these bytes, which the compiler cannot see.
pub(crate) fn written_by_device(bytes: &mut [u8]) {
    std::hint::black_box(bytes);
}

/// Word `i` of a buffer.
pub(crate) fn read_word(device: &Device, buffer: &Buffer, i: u64) -> Result<u32> {
    let mut words = [0];
    read_words(device, buffer, i, &mut words)?;
    Ok(words[0])
}

/// Words of a buffer from word `i` on.
pub(crate) fn read_words(device: &Device, buffer: &Buffer, i: u64, out: &mut [u32]) -> Result<()> {
    let bytes = 4 * out.len() as u64;
    download(device, buffer, 4 * i, bytes, |_, bytes| bytemuck::cast_slice_mut(out).copy_from_slice(bytes))
}
