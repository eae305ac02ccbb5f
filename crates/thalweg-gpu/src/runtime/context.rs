//! An open device as the driver sees it: its queue, its spare buffers, and whether it has failed.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use thalweg_core::{DeviceError, DeviceErrorKind, Error, Result};

use super::adapter::{Adapter, Kind};
use super::host_memory;
use super::kernel_cache::Cache;
use super::limits::{self, Limits};
use super::phases::{Phase, Tally};
use super::pool::Pool;

/// How a device is opened.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Every access of a kernel to memory is checked on the device. For tests: the kernels stay inside their arrays by
    /// construction, and the checks cost time.
    pub checked: bool,
    /// Bytes of one binding at most, where that is less than the device allows: lets tests spread small arrays over
    /// several buffers. At least 256.
    pub binding_bytes: Option<u64>,
}

/// An open device. Buffers and kernels know theirs, and are refused by all others.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) raw: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) pool: Pool,
    pub(crate) name: String,
    pub(crate) driver: String,
    pub(crate) limits: Limits,
    pub(crate) kind: Kind,
    pub(crate) checked: bool,
    pub(crate) tally: Tally,
    /// Whether [memory of the host](super::host_memory) is what copies go through.
    pub(crate) has_host_memory: bool,
    /// Compiled kernels of earlier runs, where some are kept.
    pub(crate) kept_kernels: Option<Arc<Cache>>,
    /// The last commands that were handed to the device.
    last: Mutex<Option<wgpu::SubmissionIndex>>,
    failure: Arc<Failure>,
}

/// The first failure that no call could return. Everything after it fails with it.
#[derive(Debug, Default)]
struct Failure(Mutex<Option<DeviceError>>);

impl Failure {
    fn set(&self, kind: DeviceErrorKind, message: String) {
        self.0.lock().unwrap_or_else(|e| e.into_inner()).get_or_insert_with(|| DeviceError::new(kind, message));
    }

    fn get(&self) -> Option<DeviceError> {
        self.0.lock().unwrap_or_else(|e| e.into_inner()).clone()
    }
}

impl Context {
    pub(crate) fn open(adapter: Adapter, options: Options) -> Result<Arc<Self>> {
        let Adapter { name, driver, kind, mut limits, raw: adapter, .. } = adapter;
        if !limits.subgroups {
            let message = format!("{name} has no subgroup operations, which the engines need");
            return Err(Error::device(DeviceErrorKind::Unsupported, message));
        }
        let mut wanted = wgpu::Features::SUBGROUP
            | wgpu::Features::SUBGROUP_BARRIER
            | wgpu::Features::SHADER_INT64
            | wgpu::Features::PIPELINE_CACHE
            | wgpu::Features::EXPERIMENTAL_RAY_QUERY
            | limits::timestamp_features();
        if limits.int64_atomics {
            wanted |= limits::int64_atomic_features();
        }
        let description = wgpu::DeviceDescriptor {
            label: Some("thalweg"),
            required_features: wanted & adapter.features(),
            required_limits: adapter.limits(),
            experimental_features: experimental(limits.ray_queries),
            // What is shared among small buffers comes in small blocks: a driver takes time for every byte.
            memory_hints: wgpu::MemoryHints::MemoryUsage,
            ..Default::default()
        };
        let (raw, queue) = host_memory::open(&adapter, &description)
            .map_or_else(|| pollster::block_on(adapter.request_device(&description)), Ok)
            .map_err(|e| Error::device(DeviceErrorKind::Other, format!("{name}: {e}")))?;
        // A software renderer's memory is the host's.
        let device_memory = if kind == Kind::Software { None } else { host_memory::of_device(&raw) };
        let has_host_memory = host_memory::is_there(&raw);
        let kept_kernels = Cache::open(&raw, &adapter.get_info());
        let failure = Arc::new(Failure::default());
        let keep = Arc::clone(&failure);
        raw.set_device_lost_callback(move |reason, text| {
            let why = match reason {
                wgpu::DeviceLostReason::Unknown => format!("the device was lost: {text}"),
                wgpu::DeviceLostReason::Destroyed => "the device was destroyed".into(),
            };
            keep.set(DeviceErrorKind::Lost, why);
        });
        let keep = Arc::clone(&failure);
        raw.on_uncaptured_error(Arc::new(move |e: wgpu::Error| keep.set(kind_of(&e), one_line(&e))));
        if let Some(bytes) = options.binding_bytes {
            limits.binding_bytes = limits.binding_bytes.min(bytes.max(256));
        }
        let checked = options.checked;
        Ok(Arc::new(Self {
            raw,
            queue,
            pool: Pool::new(device_memory),
            name,
            driver,
            limits,
            kind,
            checked,
            tally: Tally::default(),
            has_host_memory,
            kept_kernels,
            last: Mutex::new(None),
            failure,
        }))
    }

    /// An error if the device has failed.
    pub(crate) fn alive(&self) -> Result<()> {
        self.failure.get().map_or(Ok(()), |e| Err(self.error(e.kind(), e.message())))
    }

    /// An error of this device. Where the device has failed already, that failure: it explains all others.
    pub(crate) fn failed(&self, e: &dyn fmt::Display) -> Error {
        self.alive().err().unwrap_or_else(|| self.error(DeviceErrorKind::Other, e))
    }

    pub(crate) fn error(&self, kind: DeviceErrorKind, e: impl fmt::Display) -> Error {
        Error::device(kind, format!("{}: {e}", self.name))
    }

    /// Does something that the driver's layer may find fault with. What it says is this call's error, and no failure of
    /// the device.
    pub(crate) fn validated<T>(&self, work: impl FnOnce() -> T) -> Result<T> {
        let scope = self.raw.push_error_scope(wgpu::ErrorFilter::Validation);
        let done = work();
        match pollster::block_on(scope.pop()) {
            None => Ok(done),
            Some(e) => Err(self.failed(&one_line(&e))),
        }
    }

    /// Hands commands to the device.
    pub(crate) fn submit(&self, commands: impl IntoIterator<Item = wgpu::CommandBuffer>) -> wgpu::SubmissionIndex {
        let submission = self.queue.submit(commands);
        *self.last.lock().unwrap_or_else(|e| e.into_inner()) = Some(submission.clone());
        submission
    }

    /// The last commands that were handed to the device.
    pub(crate) fn last_submission(&self) -> Option<wgpu::SubmissionIndex> {
        self.last.lock().unwrap_or_else(|e| e.into_inner()).clone()
    }

    /// Waits for a submission, or for all, that is, for kernels.
    pub(crate) fn wait(&self, submission: Option<wgpu::SubmissionIndex>) -> Result<()> {
        let _phase = self.tally.enter(Phase::Kernels);
        self.wait_for_copy(submission)
    }

    /// Waits for a submission, or for all, as a part of what goes on.
    pub(crate) fn wait_for_copy(&self, submission: Option<wgpu::SubmissionIndex>) -> Result<()> {
        self.poll(wgpu::PollType::Wait { submission_index: submission, timeout: None })
    }

    /// Lets the driver's layer go on with what it has under way.
    pub(crate) fn poll(&self, how: wgpu::PollType) -> Result<()> {
        // A device that is lost while somebody waits for it is a panic there, and an error here.
        let polled = catch_unwind(AssertUnwindSafe(|| self.raw.poll(how)));
        if polled.is_err() {
            self.failure.set(DeviceErrorKind::Lost, "the device was lost while it was waited for".into());
        }
        self.alive()?;
        match polled {
            Ok(Err(e)) => Err(self.failed(&e)),
            _ => Ok(()),
        }
    }
}

/// Leave to use ray queries, which wgpu calls experimental.
#[allow(unsafe_code)]
fn experimental(wanted: bool) -> wgpu::ExperimentalFeatures {
    if !wanted {
        return wgpu::ExperimentalFeatures::disabled();
    }
    // SAFETY: wgpu warns of features whose checks are not complete. One kernel uses them, `rmq/ray`, as they are meant: one
    // scene, built before it is used and not changed after, and every query is initialised and run to its end.
    unsafe { wgpu::ExperimentalFeatures::enabled() }
}

fn kind_of(e: &wgpu::Error) -> DeviceErrorKind {
    match e {
        wgpu::Error::OutOfMemory { .. } => DeviceErrorKind::OutOfMemory,
        wgpu::Error::Validation { .. } | wgpu::Error::Internal { .. } => DeviceErrorKind::Other,
    }
}

fn one_line(e: &wgpu::Error) -> String {
    match e {
        wgpu::Error::OutOfMemory { .. } => "out of memory".into(),
        _ => e.to_string().replace('\n', " "),
    }
}
