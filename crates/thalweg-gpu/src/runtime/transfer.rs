//! Copies between host and device, in pieces through staging buffers, so that the copying of one piece by the host runs
//! beside the transfer of another.

use std::collections::VecDeque;
use std::sync::mpsc;

use rayon::prelude::*;
use thalweg::{Error, Result};

use crate::device::Device;
use crate::memory::{Buffer, Use};

/// Bytes of a staging buffer. Not measured against others.
pub(crate) const PIECE: u64 = 32 << 20;
/// Staging buffers under way at a time: one filled by the host, one transferred, one being mapped.
const DEPTH: usize = 3;
/// Bytes that one thread copies at a time.
const SLICE: usize = 1 << 20;

/// Waits for a submission, or for all, and then passes the first `bytes` bytes of a download buffer to `read`.
pub(crate) fn read_mapped(
    device: &Device,
    buffer: &Buffer,
    bytes: u64,
    submission: impl Into<Option<wgpu::SubmissionIndex>>,
    read: impl FnOnce(&[u8]),
) -> Result<()> {
    let (send, receive) = mpsc::channel();
    buffer.raw().map_async(wgpu::MapMode::Read, ..bytes, move |done| {
        let _ = send.send(done);
    });
    device.poll(submission.into())?;
    mapped(device, &receive)?;
    let view = buffer.raw().get_mapped_range(..bytes).map_err(|e| failed(device, &e))?;
    read(&view);
    drop(view);
    buffer.raw().unmap();
    Ok(())
}

/// A buffer mapped for writing; unmap it before the device uses it. The device must be done with the buffer.
pub(crate) fn write_mapped(device: &Device, buffer: &Buffer, bytes: u64, write: impl FnOnce(&mut [u8])) -> Result<()> {
    let (send, receive) = mpsc::channel();
    buffer.raw().map_async(wgpu::MapMode::Write, ..bytes, move |done| {
        let _ = send.send(done);
    });
    // Mapping waits only for the last submission that uses this buffer.
    loop {
        device.inner().raw.poll(wgpu::PollType::Poll).map_err(|e| failed(device, &e))?;
        match receive.try_recv() {
            Ok(done) => {
                done.map_err(|e| failed(device, &e))?;
                break;
            }
            Err(mpsc::TryRecvError::Empty) => {
                device.inner().alive()?;
                std::thread::yield_now();
            }
            Err(mpsc::TryRecvError::Disconnected) => {
                return Err(Error::Device(format!("{}: mapping failed", device.name())));
            }
        }
    }
    let mut view = buffer.raw().get_mapped_range_mut(..bytes).map_err(|e| failed(device, &e))?;
    write(as_slice(&mut view));
    drop(view);
    buffer.raw().unmap();
    Ok(())
}

#[allow(unsafe_code)]
fn as_slice(view: &mut wgpu::BufferViewMut) -> &mut [u8] {
    let len = view.len();
    // SAFETY: the view covers `len` bytes of mapped memory for as long as it is borrowed. `write_mapped`'s callers only
    // write: reading would be slow, as the memory may be uncached, but not wrong.
    unsafe { std::slice::from_raw_parts_mut(view.slice(..).as_raw_ptr().cast::<u8>().as_ptr(), len) }
}

fn mapped(device: &Device, receive: &mpsc::Receiver<Result<(), wgpu::BufferAsyncError>>) -> Result<()> {
    // The work is done, but where another thread polls too, that one may still be about to tell.
    match receive.recv_timeout(std::time::Duration::from_secs(10)) {
        Ok(done) => done.map_err(|e| failed(device, &e)),
        Err(_) => Err(Error::Device(format!("{}: mapping a buffer did not finish", device.name()))),
    }
}

fn failed(device: &Device, e: &dyn std::fmt::Display) -> Error {
    Error::Device(format!("{}: {e}", device.name()))
}

/// Copies on all threads: one core does not fill the bus.
pub(crate) fn copy_parallel(from: &[u8], to: &mut [u8]) {
    to.par_chunks_mut(SLICE).zip(from.par_chunks(SLICE)).for_each(|(to, from)| to.copy_from_slice(from));
}

/// Fills `bytes` bytes of a buffer from `offset` on; `fill(at, piece)` writes the bytes that belong `at`.
pub(crate) fn upload(
    device: &Device,
    buffer: &Buffer,
    offset: u64,
    bytes: u64,
    fill: impl Fn(u64, &mut [u8]),
) -> Result<()> {
    let mut ring: VecDeque<Buffer> = VecDeque::new();
    let mut done = 0;
    while done < bytes {
        let size = PIECE.min(bytes - done);
        let staging = if ring.len() < DEPTH {
            device.buffer(Use::Upload, size, "upload")?
        } else {
            ring.pop_front().expect("the ring is full")
        };
        write_mapped(device, &staging, size, |piece| fill(done, piece))?;
        let mut commands = device.record();
        commands.copy((&staging, 0), (buffer, offset + done), size);
        commands.submit()?;
        ring.push_back(staging);
        done += size;
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
        let (staging, at, size, submission) = under_way.pop_front().expect("asked for at least one piece");
        read_mapped(device, &staging, size, submission, |piece| take(at, piece))?;
        done += size;
    }
    Ok(())
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
