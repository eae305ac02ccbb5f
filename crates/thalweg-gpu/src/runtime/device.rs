//! An open device: what it can do, its buffers and its kernels.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use thalweg::{Error, Key, Result};

use crate::adapter::{self, Choice, Kind};
use crate::array::DeviceArray;
use crate::kernel::Kernel;
use crate::memory::{self, Buffer, Pool, Use};
use crate::recorder::Recorder;

/// What an adapter can hold and do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Whether threads of a subgroup can exchange values. The engines need it.
    pub subgroups: bool,
    /// Fewest threads of a subgroup.
    pub subgroup_min: u32,
    /// Most threads of a subgroup.
    pub subgroup_max: u32,
    /// Bytes of one binding at most; larger arrays are spread over several.
    pub binding_bytes: u64,
    /// Bytes of one buffer at most.
    pub buffer_bytes: u64,
    /// Buffers that one kernel can see.
    pub bindings: u32,
    /// Bytes of memory that the threads of a workgroup share.
    pub workgroup_bytes: u32,
    /// Threads of a workgroup at most.
    pub workgroup_threads: u32,
    /// Workgroups of one dispatch and dimension at most.
    pub workgroups: u32,
    /// Whether the device computes with 64-bit integers.
    pub int64: bool,
    /// Whether the device measures its own time.
    pub timestamps: bool,
}

impl Limits {
    pub(crate) fn of(adapter: &wgpu::Adapter) -> Self {
        let (limits, features, info) = (adapter.limits(), adapter.features(), adapter.get_info());
        Self {
            subgroups: features.contains(wgpu::Features::SUBGROUP),
            subgroup_min: info.subgroup_min_size,
            subgroup_max: info.subgroup_max_size,
            binding_bytes: limits.max_storage_buffer_binding_size,
            buffer_bytes: limits.max_buffer_size,
            bindings: limits.max_storage_buffers_per_shader_stage,
            workgroup_bytes: limits.max_compute_workgroup_storage_size,
            workgroup_threads: limits.max_compute_invocations_per_workgroup,
            workgroups: limits.max_compute_workgroups_per_dimension,
            int64: features.contains(wgpu::Features::SHADER_INT64),
            timestamps: features.contains(timestamp_features()),
        }
    }
}

fn timestamp_features() -> wgpu::Features {
    wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS
}

/// How a device is opened.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Every access of a kernel to memory is checked on the device. For tests: the kernels stay inside their arrays by
    /// construction, and the checks cost time.
    pub checked: bool,
    /// Bytes of one binding at most, where that is less than the device allows: lets tests spread small arrays over
    /// several buffers.
    pub binding_bytes: Option<u64>,
}

/// A GPU, ready to work. Cheap to clone: clones share buffers and kernels.
///
/// ```no_run
/// use thalweg_gpu::{Choice, Device};
/// let device = Device::open(&Choice::Auto)?;
/// println!("{}: {:?}", device.name(), device.limits());
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone)]
pub struct Device(Arc<Inner>);

/// How long a list of commands took.
#[derive(Debug)]
pub(crate) enum Watched {
    /// By two readings of the device's clock, once the commands are done.
    Ticks(Buffer),
    /// As somebody has found out already.
    Time(Duration),
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) raw: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) pool: Pool,
    pub(crate) kernels: Mutex<HashMap<String, Arc<Kernel>>>,
    name: String,
    driver: String,
    limits: Limits,
    kind: Kind,
    pub(crate) checked: bool,
    /// How long every list of commands took, while somebody wants to know: see [`Device::timed`].
    watched: Mutex<Option<Vec<Watched>>>,
    /// The first failure that no call could return. Everything after it fails with it.
    failure: Arc<Mutex<Option<String>>>,
}

impl Inner {
    /// An error if the device has failed.
    pub(crate) fn alive(&self) -> Result<()> {
        match &*self.failure.lock().unwrap_or_else(|e| e.into_inner()) {
            None => Ok(()),
            Some(why) => Err(Error::Device(format!("{}: {why}", self.name))),
        }
    }
}

impl Inner {
    fn watching(&self) -> MutexGuard<'_, Option<Vec<Watched>>> {
        self.watched.lock().unwrap_or_else(|e| e.into_inner())
    }

    pub(crate) fn is_watched(&self) -> bool {
        self.watching().is_some()
    }

    /// Starts a list of readings, or goes back to an earlier one. Returns the list until now.
    pub(crate) fn swap_watch(&self, list: Option<Vec<Watched>>) -> Option<Vec<Watched>> {
        std::mem::replace(&mut *self.watching(), list)
    }

    /// Keeps a time, if somebody still wants it.
    pub(crate) fn watch(&self, time: Watched) {
        if let Some(list) = &mut *self.watching() {
            list.push(time);
        }
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device").field("name", &self.0.name).finish_non_exhaustive()
    }
}

impl Device {
    /// Opens the adapter of this choice.
    pub fn open(choice: &Choice) -> Result<Self> {
        Self::open_with(choice, Options::default())
    }

    /// Opens the adapter of this choice, with options.
    pub fn open_with(choice: &Choice, options: Options) -> Result<Self> {
        let adapter = adapter::choose(adapter::adapters(), choice)?;
        if !adapter.limits.subgroups {
            return Err(Error::Device(format!("{} has no subgroup operations, which the engines need", adapter.name)));
        }
        let wanted = wgpu::Features::SUBGROUP
            | wgpu::Features::SUBGROUP_BARRIER
            | wgpu::Features::SHADER_INT64
            | timestamp_features();
        let (raw, queue) = pollster::block_on(adapter.raw.request_device(&wgpu::DeviceDescriptor {
            label: Some("thalweg"),
            required_features: wanted & adapter.raw.features(),
            required_limits: adapter.raw.limits(),
            ..Default::default()
        }))
        .map_err(|e| Error::Device(format!("{}: {e}", adapter.name)))?;
        let failure = Arc::new(Mutex::new(None));
        let keep = |failure: &Arc<Mutex<Option<String>>>| {
            let failure = Arc::clone(failure);
            move |text: String| {
                failure.lock().unwrap_or_else(|e| e.into_inner()).get_or_insert(text);
            }
        };
        let (lost, error) = (keep(&failure), keep(&failure));
        raw.set_device_lost_callback(move |reason, text| {
            if reason != wgpu::DeviceLostReason::Destroyed {
                lost(format!("the device was lost: {text}"));
            }
        });
        raw.on_uncaptured_error(Arc::new(move |e: wgpu::Error| error(e.to_string().replace('\n', " "))));
        let mut limits = adapter.limits;
        if let Some(bytes) = options.binding_bytes {
            limits.binding_bytes = limits.binding_bytes.min(bytes);
        }
        Ok(Self(Arc::new(Inner {
            raw,
            queue,
            pool: Pool::default(),
            kernels: Mutex::default(),
            name: adapter.name,
            driver: adapter.driver,
            limits,
            kind: adapter.kind,
            checked: options.checked,
            watched: Mutex::default(),
            failure,
        })))
    }

    /// The adapter's name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The driver and its version.
    pub fn driver(&self) -> &str {
        &self.0.driver
    }

    /// What the device can hold and do.
    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// Whether the device is the CPU in disguise.
    pub fn is_software(&self) -> bool {
        self.0.kind == Kind::Software
    }

    /// Copies keys to the device.
    ///
    /// ```no_run
    /// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
    /// let array = device.upload(&[3i16, -1, 4])?;
    /// assert_eq!(array.to_vec()?, [3, -1, 4]);
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn upload<K: Key>(&self, keys: &[K]) -> Result<DeviceArray<K>> {
        DeviceArray::upload(self, keys)
    }

    /// An array of undefined content.
    pub fn allocate<K: Key>(&self, len: u64) -> Result<DeviceArray<K>> {
        DeviceArray::new(self, len)
    }

    /// Waits until all work given to the device is done.
    pub fn wait(&self) -> Result<()> {
        self.poll(None)
    }

    pub(crate) fn poll(&self, submission: Option<wgpu::SubmissionIndex>) -> Result<()> {
        let waited = self.0.raw.poll(wgpu::PollType::Wait { submission_index: submission, timeout: None });
        self.0.alive()?;
        waited.map(|_| ()).map_err(|e| Error::Device(format!("{}: {e}", self.0.name)))
    }

    pub(crate) fn inner(&self) -> &Arc<Inner> {
        &self.0
    }

    /// A buffer of at least `bytes` bytes, of undefined content.
    pub(crate) fn buffer(&self, purpose: Use, bytes: u64, what: &'static str) -> Result<Buffer> {
        memory::allocate(&self.0, purpose, bytes, what)
    }

    /// A storage buffer for `words` words of 32 bits.
    pub(crate) fn words(&self, words: u64, what: &'static str) -> Result<Buffer> {
        self.buffer(Use::Storage, 4 * words.max(1), what)
    }

    /// Starts a list of commands.
    pub(crate) fn record(&self) -> Recorder<'_> {
        Recorder::new(self)
    }
}
