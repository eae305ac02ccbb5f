//! A list of commands for the device, recorded and then submitted in one go.

use std::sync::Arc;
use std::time::Instant;

use thalweg_core::{DeviceErrorKind, Error, Result};

pub(crate) use super::clock::Timing;
use super::clock::{self, Watch, Watched};
use super::context::Context;
use super::host_memory;
use super::kernel::{Compiled, Kernel};
use super::memory::{self, Binding, Buffer, Use};
use super::scene::{Scene, Unbuilt};

/// Bytes between the parameters of two dispatches: the alignment of uniform bindings on every device.
const SLOT: usize = 256;
/// Dispatches whose parameters share one buffer.
const SLOTS: usize = 64;

#[derive(Debug)]
pub(crate) struct Recorder<'d> {
    device: &'d Arc<Context>,
    watch: &'d Watch,
    encoder: wgpu::CommandEncoder,
    /// Kernels that run next, all in one pass: every pass is a list of its own to the driver, and takes an H200 some 7 µs.
    next: Vec<Prepared>,
    /// Blocks of parameters and the buffers that they go into on submission.
    params: Vec<(Buffer, Vec<u8>)>,
    clock: Option<wgpu::QuerySet>,
    /// Buffers that the commands use and nobody else holds.
    kept: Vec<Buffer>,
    /// Buffers that the host always sees, among them some that it shall read.
    staged: Vec<Buffer>,
    host_reads: bool,
    /// Where kernels trace their rays.
    scene: Option<Scene>,
    /// The first mistake that no call has returned yet.
    mistake: Option<Error>,
    _open: Open<'d>,
}

/// A kernel with its buffers and parameters, ready to run as often as its list of commands likes.
#[derive(Debug)]
pub(crate) struct Prepared {
    compiled: Compiled,
    group: wgpu::BindGroup,
    scene: Option<wgpu::BindGroup>,
    /// Workgroups in two dimensions.
    grid: [u32; 2],
}

impl Prepared {
    fn record(&self, pass: &mut wgpu::ComputePass<'_>, pipeline: &wgpu::ComputePipeline) {
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        if let Some(scene) = &self.scene {
            pass.set_bind_group(1, scene, &[]);
        }
        pass.dispatch_workgroups(self.grid[0], self.grid[1], 1);
    }
}

impl Drop for Prepared {
    /// Who gives up before it runs may end the program: not while a driver is at work.
    fn drop(&mut self) {
        self.compiled.settle();
    }
}

/// Marks the list as open for the pool of buffers, until it is submitted or dropped.
#[derive(Debug)]
struct Open<'d> {
    device: &'d Context,
    number: u64,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.device.pool.close_list(self.number);
    }
}

impl<'d> Recorder<'d> {
    pub(crate) fn new(device: &'d Arc<Context>, watch: &'d Watch) -> Self {
        let mut recorder = Self {
            device,
            watch,
            encoder: device.raw.create_command_encoder(&Default::default()),
            next: Vec::new(),
            params: Vec::new(),
            clock: None,
            kept: Vec::new(),
            staged: Vec::new(),
            host_reads: false,
            scene: None,
            mistake: None,
            _open: Open { device, number: device.pool.open_list() },
        };
        if watch.runs() {
            recorder.start_clock();
        }
        recorder
    }

    /// Starts the device's clock, if it has one; see [`Recorder::submit_timed`].
    pub(crate) fn start_clock(&mut self) {
        if self.clock.is_none() && self.device.limits.timestamps {
            let set = self.device.raw.create_query_set(&wgpu::QuerySetDescriptor {
                label: None,
                ty: wgpu::QueryType::Timestamp,
                count: 2,
            });
            self.flush();
            self.encoder.write_timestamp(&set, 0);
            self.clock = Some(set);
        }
    }

    /// Runs `workgroups` workgroups of a kernel on these buffers, in the order in which the kernel declares them.
    ///
    /// Buffers of another device, and buffers that the kernel writes and sees a second time, are refused here: the
    /// driver's layer would find fault with some of it only when the commands are submitted, and with the rest never.
    pub(crate) fn dispatch(
        &mut self,
        kernel: &Kernel,
        workgroups: u64,
        buffers: &[Binding<'_>],
        params: &[u32],
    ) -> Result<()> {
        if workgroups == 0 {
            return self.check(kernel, buffers);
        }
        let prepared = self.prepare(kernel, workgroups, buffers, params)?;
        self.next.push(prepared);
        Ok(())
    }

    /// Makes a kernel ready for [`Recorder::run`] in this list, with the checks of [`Recorder::dispatch`]. At least one
    /// workgroup.
    pub(crate) fn prepare(
        &mut self,
        kernel: &Kernel,
        workgroups: u64,
        buffers: &[Binding<'_>],
        params: &[u32],
    ) -> Result<Prepared> {
        self.check(kernel, buffers)?;
        let most = u64::from(self.device.limits.workgroups);
        let rows = workgroups.div_ceil(most);
        let columns = workgroups.div_ceil(rows);
        if rows > most {
            return Err(Error::device_limit(format!("{}: {workgroups} workgroups are more than fit", kernel.name)));
        }
        for (binding, read_only) in buffers.iter().zip(&kernel.read_only) {
            self.note_use(binding.buffer, !read_only);
        }
        let (block, offset) = self.slot(params)?;
        let uniform = self.params[block].0.part(offset as u64, SLOT as u64);
        let entries: Vec<_> = std::iter::once(&uniform)
            .chain(buffers)
            .enumerate()
            .map(|(i, b)| wgpu::BindGroupEntry { binding: i as u32, resource: wgpu::BindingResource::Buffer(b.raw()) })
            .collect();
        let group = self.device.validated(|| {
            self.device.raw.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &kernel.layout,
                entries: &entries,
            })
        })?;
        let scene = kernel.scene.as_ref().map(|layout| self.scene_for(kernel, layout)).transpose()?;
        Ok(Prepared { compiled: kernel.compiled.clone(), group, scene, grid: [columns as u32, rows as u32] })
    }

    /// Lets kernels from now on trace their rays in a scene.
    pub(crate) fn enter(&mut self, scene: &Scene) {
        self.scene = Some(scene.clone());
    }

    fn scene_for(&self, kernel: &Kernel, layout: &wgpu::BindGroupLayout) -> Result<wgpu::BindGroup> {
        let scene = self.scene.as_ref().filter(|scene| scene.is_of(self.device));
        let scene = scene.ok_or_else(|| self.misuse(format!("{}: no scene of this device", kernel.name)))?;
        let entries = [wgpu::BindGroupEntry { binding: 0, resource: scene.tlas.as_binding() }];
        let description = wgpu::BindGroupDescriptor { label: None, layout, entries: &entries };
        self.device.validated(|| self.device.raw.create_bind_group(&description))
    }

    /// Builds a scene of triangles, whose corners the buffer, of the use `Corners`, holds by then.
    pub(crate) fn build_scene(&mut self, corners: &Buffer, triangles: u32) -> Result<Scene> {
        if !corners.is_of(self.device) {
            return Err(self.misuse("scene: corners of another device"));
        }
        let (scene, Unbuilt { blas, size }) = Scene::new(self.device, triangles)?;
        let triangles = wgpu::BlasTriangleGeometry {
            size: &size,
            vertex_buffer: corners.raw(),
            first_vertex: 0,
            vertex_stride: 12,
            index_buffer: None,
            first_index: None,
            transform_buffer: None,
            transform_buffer_offset: None,
        };
        self.flush();
        let geometry = wgpu::BlasGeometries::TriangleGeometries(vec![triangles]);
        self.encoder.build_acceleration_structures([&wgpu::BlasBuildEntry { blas: &blas, geometry }], [&scene.tlas]);
        Ok(scene)
    }

    /// Runs kernels that were made ready in this list, one after the other: each sees what those before it wrote. One that
    /// does not compile shows when the commands are submitted.
    pub(crate) fn run<'p>(&mut self, prepared: impl IntoIterator<Item = &'p Prepared>) {
        let next = std::mem::take(&mut self.next);
        let (device, mistake) = (self.device, &mut self.mistake);
        let mut pass = self.encoder.begin_compute_pass(&Default::default());
        let mut record = |prepared: &Prepared| match prepared.compiled.wait(device) {
            Ok(pipeline) => prepared.record(&mut pass, &pipeline),
            Err(e) => drop(mistake.get_or_insert(e)),
        };
        next.iter().for_each(&mut record);
        prepared.into_iter().for_each(record);
    }

    /// Runs the kernels that have been dispatched, before something else is recorded.
    fn flush(&mut self) {
        if !self.next.is_empty() {
            self.run([]);
        }
    }

    /// Whether a kernel can work on these buffers.
    fn check(&self, kernel: &Kernel, buffers: &[Binding<'_>]) -> Result<()> {
        let name = kernel.name;
        assert_eq!(kernel.read_only.len(), buffers.len(), "kernel {name} takes other buffers");
        if !kernel.is_of(self.device) || buffers.iter().any(|b| !b.buffer.is_of(self.device)) {
            return Err(self.misuse(format!("{name}: an array of another device")));
        }
        let most = self.device.raw.limits().max_storage_buffer_binding_size;
        if let Some(large) = buffers.iter().find(|b| b.bytes > most) {
            let bytes = large.bytes;
            return Err(Error::device_limit(format!(
                "{name}: {bytes} bytes are more than a kernel sees at once, {most}"
            )));
        }
        for (i, (a, &a_read)) in buffers.iter().zip(&kernel.read_only).enumerate() {
            for (b, &b_read) in buffers.iter().zip(&kernel.read_only).skip(i + 1) {
                // A buffer is read or written as a whole, whatever parts of it a kernel sees.
                if a_read != b_read && a.buffer == b.buffer {
                    return Err(self.misuse(format!("{name}: one array is input and output")));
                }
                if !a_read && !b_read && a.overlaps(b) {
                    return Err(self.misuse(format!("{name}: one array is two outputs")));
                }
            }
        }
        Ok(())
    }

    fn misuse(&self, what: impl std::fmt::Display) -> Error {
        self.device.error(DeviceErrorKind::Misuse, what)
    }

    /// Puts parameters into the next free slot: which block, and where in it.
    fn slot(&mut self, params: &[u32]) -> Result<(usize, usize)> {
        let bytes: &[u8] = bytemuck::cast_slice(params);
        assert!(bytes.len() <= SLOT, "too many parameters");
        if self.params.last().is_none_or(|(_, block)| block.len() == SLOT * SLOTS) {
            let buffer = memory::allocate(self.device, Use::Uniform, (SLOT * SLOTS) as u64, "kernel parameters")?;
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

    /// Copies bytes between buffers. A mistake shows when the commands are submitted.
    pub(crate) fn copy(&mut self, from: (&Buffer, u64), to: (&Buffer, u64), bytes: u64) {
        if !from.0.is_of(self.device) || !to.0.is_of(self.device) {
            self.mistaken("copy: an array of another device");
        } else if from.0 == to.0 {
            self.mistaken("copy: one array is input and output");
        } else if bytes > 0 {
            self.flush();
            self.encoder.copy_buffer_to_buffer(from.0.raw(), from.1, to.0.raw(), to.1, bytes);
            self.note_use(from.0, false);
            self.note_use(to.0, true);
        }
    }

    /// Notes that commands use a buffer: the host must know when the device is done with memory that it sees, and see what
    /// is written there.
    fn note_use(&mut self, buffer: &Buffer, written: bool) {
        if buffer.host().is_some() {
            self.staged.push(buffer.clone());
            self.host_reads |= written;
        }
    }

    /// Fills bytes of a buffer with zeros. A mistake shows when the commands are submitted.
    pub(crate) fn clear(&mut self, buffer: &Buffer, bytes: u64) {
        if buffer.is_of(self.device) {
            self.flush();
            self.encoder.clear_buffer(buffer.raw(), 0, Some(bytes));
        } else {
            self.mistaken("clear: an array of another device");
        }
    }

    fn mistaken(&mut self, what: &str) {
        let misuse = self.misuse(what);
        self.mistake.get_or_insert(misuse);
    }

    /// Hands the commands to the device, which starts on them at once.
    pub(crate) fn submit(mut self) -> Result<wgpu::SubmissionIndex> {
        let ticks = if self.watch.runs() { self.stop_clock()? } else { None };
        self.flush();
        if let Some(mistake) = self.mistake.take() {
            return Err(mistake);
        }
        // The list counts as open, and what it keeps is kept, until the end of this.
        let Self { device, watch, encoder, params, kept: _kept, staged, host_reads, _open, .. } = self;
        let submission = device.validated(|| {
            for (buffer, block) in &params {
                device.queue.write_buffer(buffer.raw(), 0, block);
            }
            let shown = if host_reads { host_memory::shown_to_host(&device.raw) } else { None };
            device.submit([encoder.finish()].into_iter().chain(shown))
        })?;
        staged.iter().for_each(|buffer| buffer.used_by(&submission));
        if let Some(ticks) = ticks {
            watch.note(Watched::Ticks(ticks));
        }
        device.alive()?;
        Ok(submission)
    }

    /// Hands the commands to the device, waits for their end, and returns the time that the device took by its own
    /// clock, or by the host's where the device has none.
    pub(crate) fn submit_timed(self) -> Result<Timing> {
        self.submit_timed_beside(|| ())
    }

    /// The same, with something for the host to do once the commands are on their way.
    pub(crate) fn submit_timed_beside(mut self, work: impl FnOnce()) -> Result<Timing> {
        let (device, watch) = (self.device, self.watch);
        let ticks = self.stop_clock()?;
        let start = Instant::now();
        let submission = self.submit()?;
        work();
        device.wait(Some(submission))?;
        let time = ticks.map_or_else(|| Ok(start.elapsed()), |ticks| clock::between(device, &ticks))?;
        // Whoever watches the device times this, too.
        watch.note(Watched::Time(time));
        Ok(Timing { device: time })
    }

    /// Stops the clock, if it runs: the buffer that its two readings go to.
    fn stop_clock(&mut self) -> Result<Option<Buffer>> {
        let Some(set) = self.clock.take() else { return Ok(None) };
        self.flush();
        self.encoder.write_timestamp(&set, 1);
        let resolved = self.device.raw.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 16,
            usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        self.encoder.resolve_query_set(&set, 0..2, &resolved, 0);
        let ticks = memory::allocate(self.device, Use::Download, 16, "timestamps")?;
        self.encoder.copy_buffer_to_buffer(&resolved, 0, ticks.raw(), 0, 16);
        self.note_use(&ticks, true);
        Ok(Some(ticks))
    }
}
