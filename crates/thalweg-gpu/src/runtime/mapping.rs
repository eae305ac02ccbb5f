//! Buffers seen by the host: always, where the memory is [ours](super::host_memory), or mapped for the occasion.

use std::sync::mpsc;

use thalweg_core::Result;

use super::context::Context;
use super::host_memory::Mapped;
use super::memory::Buffer;

/// Waits for a submission, or for all, and then passes the first `bytes` bytes of a download buffer to `read`.
pub(crate) fn read_mapped(
    device: &Context,
    buffer: &Buffer,
    bytes: u64,
    submission: impl Into<Option<wgpu::SubmissionIndex>>,
    read: impl FnOnce(&[u8]),
) -> Result<()> {
    if let Some(host) = buffer.host() {
        device.wait_for_copy(submission.into())?;
        read(seen(buffer, host, bytes));
        return Ok(());
    }
    let (send, receive) = mpsc::channel();
    device.validated(|| {
        buffer.raw().map_async(wgpu::MapMode::Read, ..bytes, move |done| {
            let _ = send.send(done);
        })
    })?;
    device.wait_for_copy(submission.into())?;
    mapped(device, &receive)?;
    let view = buffer.raw().get_mapped_range(..bytes).map_err(|e| device.failed(&e))?;
    read(&view);
    drop(view);
    buffer.raw().unmap();
    Ok(())
}

/// Lets the first `bytes` bytes of an upload buffer be written, once the device is done with the buffer.
pub(crate) fn write_mapped(device: &Context, buffer: &Buffer, bytes: u64, write: impl FnOnce(&mut [u8])) -> Result<()> {
    if let Some(host) = buffer.host() {
        if let Some(used) = buffer.last_used() {
            device.wait_for_copy(Some(used))?;
        }
        write_seen(buffer, host, bytes, write);
        return Ok(());
    }
    let (send, receive) = mpsc::channel();
    device.validated(|| {
        buffer.raw().map_async(wgpu::MapMode::Write, ..bytes, move |done| {
            let _ = send.send(done);
        })
    })?;
    // Mapping waits only for the last submission that uses this buffer.
    loop {
        device.poll(wgpu::PollType::Poll)?;
        match receive.try_recv() {
            Ok(done) => {
                done.map_err(|e| device.failed(&e))?;
                break;
            }
            Err(mpsc::TryRecvError::Empty) => {
                device.alive()?;
                std::thread::yield_now();
            }
            Err(mpsc::TryRecvError::Disconnected) => {
                return Err(device.failed(&"mapping failed"));
            }
        }
    }
    let mut view = buffer.raw().get_mapped_range_mut(..bytes).map_err(|e| device.failed(&e))?;
    write(as_slice(&mut view));
    drop(view);
    buffer.raw().unmap();
    Ok(())
}

#[allow(unsafe_code)]
fn seen(_buffer: &Buffer, host: Mapped, bytes: u64) -> &[u8] {
    // SAFETY: the buffer is borrowed for as long. The device is done with the commands that wrote it, no others have been
    // recorded by its owner, who reads it, and the host writes upload buffers only.
    unsafe { host.slice(bytes) }
}

#[allow(unsafe_code)]
fn write_seen(_buffer: &Buffer, host: Mapped, bytes: u64, write: impl FnOnce(&mut [u8])) {
    // SAFETY: the buffer is borrowed for as long, and was taken from the pool by one owner, who writes it here. The device
    // is done with it.
    write(unsafe { host.slice_mut(bytes) });
}

#[allow(unsafe_code)]
fn as_slice(view: &mut wgpu::BufferViewMut) -> &mut [u8] {
    let len = view.len();
    // SAFETY: the view covers `len` bytes of mapped memory for as long as it is borrowed. `write_mapped`'s callers only
    // write: reading would be slow, as the memory may be uncached, but not wrong.
    unsafe { std::slice::from_raw_parts_mut(view.slice(..).as_raw_ptr().cast::<u8>().as_ptr(), len) }
}

fn mapped(device: &Context, receive: &mpsc::Receiver<Result<(), wgpu::BufferAsyncError>>) -> Result<()> {
    // The work is done, but where another thread polls too, that one may still be about to tell.
    match receive.recv_timeout(std::time::Duration::from_secs(10)) {
        Ok(done) => done.map_err(|e| device.failed(&e)),
        Err(_) => Err(device.failed(&"mapping a buffer did not finish")),
    }
}
