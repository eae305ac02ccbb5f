//! Kernels: a WGSL file, the constants and arrays it works with, compiled once per device and combination.
//!
//! The text that is compiled is put together by [`Source`]: constants, then `Key` and its functions where the kernel
//! compares keys, then the declarations of its arrays, then the file. An array that spans several buffers is read and
//! written through functions that pick the buffer, and so is one that does not: a kernel is written once for both. Loops
//! that ask for it are written out.

mod arrays;
mod source;
mod unroll;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};

use thalweg_core::{DeviceErrorKind, Error, Result};

use self::source::Assembled;
pub(crate) use self::source::Source;
use super::context::Context;
use super::kernel_cache::Cache;
use super::phases::Phase;

/// A compiled kernel.
#[derive(Debug)]
pub(crate) struct Kernel {
    pub(crate) name: &'static str,
    pub(crate) pipeline: wgpu::ComputePipeline,
    pub(crate) layout: wgpu::BindGroupLayout,
    /// Of the scene, where rays are traced.
    pub(crate) scene: Option<wgpu::BindGroupLayout>,
    /// For every buffer, in the order of the bindings, whether it is only read.
    pub(crate) read_only: Vec<bool>,
    device: Weak<Context>,
}

impl Kernel {
    /// Whether it was compiled for this device.
    pub(crate) fn is_of(&self, device: &Arc<Context>) -> bool {
        std::ptr::eq(self.device.as_ptr(), Arc::as_ptr(device))
    }
}

/// A kernel that a device has compiled, for tools that look at what a driver makes of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct KernelText {
    /// Which algorithm it belongs to.
    pub name: &'static str,
    /// Its function.
    pub entry: String,
    /// All of its WGSL.
    pub text: String,
    /// Storage buffers that it sees, bound from number 1 on; number 0 is a uniform buffer.
    pub buffers: usize,
    /// Whether it traces rays, in a scene that is bound in group 1.
    pub traces_rays: bool,
}

/// The kernels that a device has compiled, by entry and text.
#[derive(Debug, Default)]
pub(crate) struct Kernels(Mutex<HashMap<String, Arc<Kernel>>>);

impl Kernels {
    /// All of them, by name and entry.
    pub(crate) fn texts(&self) -> Vec<KernelText> {
        let kernels = self.0.lock().unwrap_or_else(|e| e.into_inner());
        let mut texts: Vec<_> = kernels
            .iter()
            .filter_map(|(key, kernel)| {
                let (entry, text) = key.split_once('\n')?;
                let (entry, text) = (entry.to_owned(), text.to_owned());
                let (buffers, traces_rays) = (kernel.read_only.len(), kernel.scene.is_some());
                Some(KernelText { name: kernel.name, entry, text, buffers, traces_rays })
            })
            .collect();
        texts.sort_by(|a, b| (a.name, &a.entry, &a.text).cmp(&(b.name, &b.entry, &b.text)));
        texts
    }

    /// The compiled kernel, from the cache where it was compiled before.
    pub(crate) fn get(&self, device: &Arc<Context>, source: &Source) -> Result<Arc<Kernel>> {
        device.alive()?;
        let (name, entry) = (source.name, source.entry);
        let wrong = |e: String| Error::device(DeviceErrorKind::Other, format!("kernel {name}.{entry}: {e}"));
        let assembled = source.assemble().map_err(wrong)?;
        let key = format!("{entry}\n{}", assembled.text);
        let lock = || self.0.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(kernel) = lock().get(&key) {
            return Ok(Arc::clone(kernel));
        }
        let (need, most) = (assembled.read_only.len(), device.limits.bindings as usize);
        if need > most {
            return Err(Error::device_limit(format!(
                "{name}: the arrays take {need} buffers, and a kernel on {} sees {most}",
                device.name
            )));
        }
        let _phase = device.tally.enter(Phase::Compiling);
        // A mistake of ours, or a kernel that the driver cannot compile: in either case the device goes on.
        let mistakes = device.raw.push_error_scope(wgpu::ErrorFilter::Validation);
        let failures = device.raw.push_error_scope(wgpu::ErrorFilter::Internal);
        let kernel = Arc::new(compile(device, source, assembled));
        let failure = pollster::block_on(failures.pop());
        if let Some(e) = pollster::block_on(mistakes.pop()).or(failure) {
            return Err(wrong(e.to_string()));
        }
        device.alive()?;
        lock().insert(key, Arc::clone(&kernel));
        Ok(kernel)
    }
}

#[allow(unsafe_code)]
fn compile(device: &Arc<Context>, source: &Source, assembled: Assembled) -> Kernel {
    let Assembled { text, read_only, traces } = assembled;
    let raw = &device.raw;
    let description =
        wgpu::ShaderModuleDescriptor { label: Some(source.name), source: wgpu::ShaderSource::Wgsl(text.into()) };
    let module = if device.checked {
        raw.create_shader_module(description)
    } else {
        // SAFETY: the kernels are this crate's own. Each keeps its indices inside the arrays and ends its loops, as it
        // says where it does so, and the tests run all of them with the checks on.
        unsafe { raw.create_shader_module_trusted(description, wgpu::ShaderRuntimeChecks::unchecked()) }
    };
    let buffer = |binding: usize, ty| wgpu::BindGroupLayoutEntry {
        binding: binding as u32,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
        count: None,
    };
    let storage = read_only
        .iter()
        .enumerate()
        .map(|(i, &read_only)| buffer(i + 1, wgpu::BufferBindingType::Storage { read_only }));
    let entries: Vec<_> = std::iter::once(buffer(0, wgpu::BufferBindingType::Uniform)).chain(storage).collect();
    let layout = raw.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries });
    let scene = traces.then(|| {
        let ty = wgpu::BindingType::AccelerationStructure { vertex_return: false };
        let entry = wgpu::BindGroupLayoutEntry { binding: 0, visibility: wgpu::ShaderStages::COMPUTE, ty, count: None };
        raw.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &[entry] })
    });
    let layouts: Vec<_> = std::iter::once(Some(&layout)).chain(scene.iter().map(Some)).collect();
    let pipeline_layout = raw
        .create_pipeline_layout(&wgpu::PipelineLayoutDescriptor { bind_group_layouts: &layouts, ..Default::default() });
    let pipeline = raw.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(source.name),
        layout: Some(&pipeline_layout),
        module: &module,
        entry_point: Some(source.entry),
        // The kernels write workgroup memory before they read it.
        compilation_options: wgpu::PipelineCompilationOptions {
            zero_initialize_workgroup_memory: device.checked,
            ..Default::default()
        },
        cache: device.kept_kernels.as_deref().map(Cache::raw),
    });
    Kernel { name: source.name, pipeline, layout, scene, read_only, device: Arc::downgrade(device) }
}
