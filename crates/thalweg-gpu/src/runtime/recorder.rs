//! A list of commands for the device, recorded and then submitted in one go.

use std::time::{Duration, Instant};

use thalweg::{Error, Result};

use crate::device::{Device, Watched};
use crate::kernel::Kernel;
use crate::memory::{Buffer, Use};

/// How long the device worked, by its own clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timing {
    /// From the first command's start to the last one's end.
    pub device: Duration,
}

/// Bytes between the parameters of two dispatches: the alignment of uniform bindings on every device.
const SLOT: usize = 256;
/// Dispatches whose parameters share one buffer.
const SLOTS: usize = 64;

pub(crate) struct Recorder<'d> {
    device: &'d Device,
    encoder: wgpu::CommandEncoder,
    /// Blocks of parameters and the buffers that they go into on submission.
    params: Vec<(Buffer, Vec<u8>)>,
    clock: Option<wgpu::QuerySet>,
    /// Buffers that the commands use and nobody else holds.
    kept: Vec<Buffer>,
    _open: Open<'d>,
}

/// Marks the list as open for the pool of buffers, until it is submitted or dropped.
struct Open<'d> {
    device: &'d Device,
    number: u64,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.device.inner().pool.close_list(self.number);
    }
}

impl<'d> Recorder<'d> {
    pub(crate) fn new(device: &'d Device) -> Self {
        let encoder = device.inner().raw.create_command_encoder(&Default::default());
        let open = Open { device, number: device.inner().pool.open_list() };
        let mut recorder = Self { device, encoder, params: Vec::new(), clock: None, kept: Vec::new(), _open: open };
        if device.inner().is_watched() {
            recorder.start_clock();
        }
        recorder
    }

    /// Starts the device's clock, if it has one; see [`Recorder::submit_timed`].
    pub(crate) fn start_clock(&mut self) {
        if self.clock.is_none() && self.device.limits().timestamps {
            let set = self.device.inner().raw.create_query_set(&wgpu::QuerySetDescriptor {
                label: None,
                ty: wgpu::QueryType::Timestamp,
                count: 2,
            });
            self.encoder.write_timestamp(&set, 0);
            self.clock = Some(set);
        }
    }

    /// Runs `workgroups` workgroups of a kernel on these buffers, in the order in which the kernel declares them.
    pub(crate) fn dispatch(
        &mut self,
        kernel: &Kernel,
        workgroups: u64,
        buffers: &[wgpu::BufferBinding<'_>],
        params: &[u32],
    ) -> Result<()> {
        if workgroups == 0 {
            return Ok(());
        }
        assert_eq!(kernel.bindings, buffers.len(), "kernel {} takes other buffers", kernel.name);
        let most = u64::from(self.device.limits().workgroups);
        let rows = workgroups.div_ceil(most);
        let columns = workgroups.div_ceil(rows);
        if rows > most {
            return Err(Error::Device(format!("{}: {workgroups} workgroups are more than fit", kernel.name)));
        }
        let (block, offset) = self.slot(params)?;
        let uniform = wgpu::BufferBinding {
            buffer: self.params[block].0.raw(),
            offset: offset as u64,
            size: std::num::NonZeroU64::new(SLOT as u64),
        };
        let entries: Vec<_> = std::iter::once(uniform)
            .chain(buffers.iter().cloned())
            .enumerate()
            .map(|(i, b)| wgpu::BindGroupEntry { binding: i as u32, resource: wgpu::BindingResource::Buffer(b) })
            .collect();
        let group = self.device.inner().raw.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &kernel.layout,
            entries: &entries,
        });
        let mut pass = self.encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&kernel.pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(columns as u32, rows as u32, 1);
        Ok(())
    }

    /// Puts parameters into the next free slot: which block, and where in it.
    fn slot(&mut self, params: &[u32]) -> Result<(usize, usize)> {
        let bytes: &[u8] = bytemuck::cast_slice(params);
        assert!(bytes.len() <= SLOT, "too many parameters");
        if self.params.last().is_none_or(|(_, block)| block.len() == SLOT * SLOTS) {
            let buffer = self.device.buffer(Use::Uniform, (SLOT * SLOTS) as u64, "kernel parameters")?;
            self.params.push((buffer, Vec::with_capacity(SLOT * SLOTS)));
        }
        let index = self.params.len() - 1;
        let block = &mut self.params[index].1;
        let offset = block.len();
        block.extend_from_slice(bytes);
        block.resize(offset + SLOT, 0);
        Ok((index, offset))
    }

    /// Holds a buffer until the commands are submitted: large ones are destroyed when their last owner drops them.
    pub(crate) fn keep(&mut self, buffer: Buffer) {
        self.kept.push(buffer);
    }

    /// Copies bytes between buffers.
    pub(crate) fn copy(&mut self, from: (&Buffer, u64), to: (&Buffer, u64), bytes: u64) {
        if bytes > 0 {
            self.encoder.copy_buffer_to_buffer(from.0.raw(), from.1, to.0.raw(), to.1, bytes);
        }
    }

    /// Fills bytes of a buffer with zeros.
    pub(crate) fn clear(&mut self, buffer: &Buffer, bytes: u64) {
        self.encoder.clear_buffer(buffer.raw(), 0, Some(bytes));
    }

    /// Hands the commands to the device, which starts on them at once.
    pub(crate) fn submit(mut self) -> Result<wgpu::SubmissionIndex> {
        let ticks = if self.device.inner().is_watched() { self.stop_clock()? } else { None };
        let queue = &self.device.inner().queue;
        for (buffer, block) in &self.params {
            queue.write_buffer(buffer.raw(), 0, block);
        }
        let submission = queue.submit([self.encoder.finish()]);
        if let Some(ticks) = ticks {
            self.device.inner().watch(Watched::Ticks(ticks));
        }
        self.device.inner().alive()?;
        Ok(submission)
    }

    /// Hands the commands to the device, waits for their end, and returns the time that the device took by its own
    /// clock, or by the host's where the device has none.
    pub(crate) fn submit_timed(mut self) -> Result<Timing> {
        let device = self.device;
        let ticks = self.stop_clock()?;
        let start = Instant::now();
        let submission = self.submit()?;
        device.poll(Some(submission))?;
        let time = ticks.map_or_else(|| Ok(start.elapsed()), |ticks| read_clock(device, &ticks))?;
        // Whoever watches the device times this, too.
        device.inner().watch(Watched::Time(time));
        Ok(Timing { device: time })
    }

    /// Stops the clock, if it runs: the buffer that its two readings go to.
    fn stop_clock(&mut self) -> Result<Option<Buffer>> {
        let Some(set) = self.clock.take() else { return Ok(None) };
        self.encoder.write_timestamp(&set, 1);
        let resolved = self.device.inner().raw.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 16,
            usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        self.encoder.resolve_query_set(&set, 0..2, &resolved, 0);
        let ticks = self.device.buffer(Use::Download, 16, "timestamps")?;
        self.encoder.copy_buffer_to_buffer(&resolved, 0, ticks.raw(), 0, 16);
        Ok(Some(ticks))
    }
}

/// The time between two readings of the clock. The commands that wrote them must be done.
fn read_clock(device: &Device, ticks: &Buffer) -> Result<Duration> {
    let mut read = [0u64; 2];
    crate::transfer::read_mapped(device, ticks, 16, None, |bytes| read.copy_from_slice(bytemuck::cast_slice(bytes)))?;
    let period = f64::from(device.inner().queue.get_timestamp_period());
    Ok(Duration::from_nanos((read[1].wrapping_sub(read[0]) as f64 * period) as u64))
}

impl Device {
    /// Runs `work` and returns how long the device was at it, by its own clock: the sum over all lists of commands that
    /// were submitted meanwhile, whatever the host did in between. By the host's clock where the device has none.
    ///
    /// ```no_run
    /// # use thalweg_gpu::{Choice, Device, primitives};
    /// let device = Device::open(&Choice::Auto)?;
    /// let keys = device.upload(&[3, 1, 2])?;
    /// let (order, timing) = device.timed(|| primitives::sort_idx(&keys))?;
    /// println!("sorted in {:?}: {:?}", timing.device, order.to_vec()?);
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn timed<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<(T, Timing)> {
        let start = Instant::now();
        let outer = self.inner().swap_watch(Some(Vec::new()));
        let result = work();
        let watched = self.inner().swap_watch(outer).unwrap_or_default();
        let result = result?;
        self.wait()?;
        let device = if self.limits().timestamps {
            let time = |watched: &Watched| match watched {
                Watched::Ticks(ticks) => read_clock(self, ticks),
                Watched::Time(time) => Ok(*time),
            };
            watched.iter().map(time).sum::<Result<Duration>>()?
        } else {
            start.elapsed()
        };
        // Whoever times this from outside times all of it.
        self.inner().watch(Watched::Time(device));
        Ok((result, Timing { device }))
    }
}
