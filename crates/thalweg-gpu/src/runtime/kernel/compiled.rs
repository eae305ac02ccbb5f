//! What the driver makes of a kernel's text, on a thread of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::thread;

use thalweg_core::{DeviceErrorKind, Result};

use crate::runtime::context::Context;
use crate::runtime::kernel_cache::Cache;
use crate::runtime::phases::Phase;

/// A pipeline, or why there is none, or the promise of either.
#[derive(Clone, Debug)]
pub(crate) struct Compiled(Arc<OnceLock<Result<wgpu::ComputePipeline>>>);

impl Compiled {
    /// Begins to make it.
    pub(super) fn begin(
        device: &Arc<Context>,
        make: impl FnOnce(&Context) -> Result<wgpu::ComputePipeline> + Send + 'static,
    ) -> Self {
        let promise = Arc::new(OnceLock::new());
        let (keep, device) = (Arc::clone(&promise), Arc::clone(device));
        // Whoever waits is told in any case, and may then close the device.
        let work = move || {
            let made = catch_unwind(AssertUnwindSafe(|| make(&device)));
            let panicked = || Err(device.error(DeviceErrorKind::Other, "a panic while a kernel was compiled"));
            let made = made.unwrap_or_else(|_| panicked());
            drop(device);
            let _ = keep.set(made);
        };
        match threads() {
            Some(threads) => threads.spawn(work),
            // Where the system has none for it, here and now.
            None => work(),
        }
        Self(promise)
    }

    /// The pipeline, as soon as it is there.
    pub(crate) fn wait(&self, device: &Context) -> Result<wgpu::ComputePipeline> {
        let _phase = self.0.get().is_none().then(|| device.tally.enter(Phase::Compiling));
        let made = self.0.wait().clone();
        device.alive()?;
        made
    }

    /// Waits, whatever comes of it.
    pub(crate) fn settle(&self) {
        let _ = self.0.wait();
    }

    /// Whether it is known to have failed.
    pub(super) fn has_failed(&self) -> bool {
        self.0.get().is_some_and(Result::is_err)
    }
}

/// Threads that compile. Not those that everything else runs on, as these may be waiting for a kernel, and not new ones, of which
/// a driver learns, and which it forgets, at some cost.
fn threads() -> Option<&'static rayon::ThreadPool> {
    static THREADS: OnceLock<Option<rayon::ThreadPool>> = OnceLock::new();
    let most = || thread::available_parallelism().map_or(1, usize::from).min(MOST);
    let start = || rayon::ThreadPoolBuilder::new().num_threads(most()).thread_name(|_| "compiling".into()).build().ok();
    THREADS.get_or_init(start).as_ref()
}

/// Kernels that are compiled at a time, at most. Not measured.
const MOST: usize = 8;

/// Compiles a text; the error says what is wrong with it.
#[allow(unsafe_code)]
pub(super) fn compile(
    device: &Context,
    name: &'static str,
    entry: &'static str,
    text: String,
    layout: &wgpu::PipelineLayout,
) -> Result<wgpu::ComputePipeline, String> {
    let raw = &device.raw;
    // A mistake of ours, or a kernel that the driver cannot compile: in either case the device goes on.
    let mistakes = raw.push_error_scope(wgpu::ErrorFilter::Validation);
    let failures = raw.push_error_scope(wgpu::ErrorFilter::Internal);
    let description = wgpu::ShaderModuleDescriptor { label: Some(name), source: wgpu::ShaderSource::Wgsl(text.into()) };
    let module = if device.checked {
        raw.create_shader_module(description)
    } else {
        // SAFETY: the kernels are this crate's own. Each keeps its indices inside the arrays and ends its loops, as it
        // says where it does so, and the tests run all of them with the checks on.
        unsafe { raw.create_shader_module_trusted(description, wgpu::ShaderRuntimeChecks::unchecked()) }
    };
    let pipeline = raw.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(name),
        layout: Some(layout),
        module: &module,
        entry_point: Some(entry),
        // The kernels write workgroup memory before they read it.
        compilation_options: wgpu::PipelineCompilationOptions {
            zero_initialize_workgroup_memory: device.checked,
            ..Default::default()
        },
        cache: device.kept_kernels.as_deref().map(Cache::raw),
    });
    let failure = pollster::block_on(failures.pop());
    match pollster::block_on(mistakes.pop()).or(failure) {
        Some(e) => Err(e.to_string()),
        None => Ok(pipeline),
    }
}
