//! Kernels: a WGSL file, the constants and arrays it works with, compiled once per device and combination.
//!
//! The text that is compiled is put together by [`Source`]: constants, then `Key` and its functions where the kernel
//! compares keys, then the declarations of its arrays, then the file. An array that spans several buffers is read and
//! written through functions that pick the buffer, and so is one that does not: a kernel is written once for both. Loops
//! that ask for it are written out.
//!
//! Kernels are compiled on threads of their own, from when they are asked for to when commands with them are handed to the device:
//! beside each other, and while memory is taken.

mod arrays;
mod compiled;
mod source;
mod unroll;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use thalweg_core::{DeviceErrorKind, Error, Result};

pub(crate) use self::compiled::Compiled;
use self::source::Assembled;
pub(crate) use self::source::Source;
use super::context::Context;

/// A kernel, and what is being made of its text.
#[derive(Debug)]
pub(crate) struct Kernel {
    pub(crate) name: &'static str,
    pub(crate) compiled: Compiled,
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

/// The kernels that a device has compiled.
#[derive(Debug, Default)]
pub(crate) struct Kernels(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// By what they were asked for with: to put a text together takes longer than to find it.
    by_source: HashMap<Source, Arc<Kernel>>,
    /// By entry and text: different sources may come to the same.
    by_text: HashMap<String, Arc<Kernel>>,
}

impl Kernels {
    /// All of them, by name and entry.
    pub(crate) fn texts(&self) -> Vec<KernelText> {
        let mut texts: Vec<_> = self
            .lock()
            .by_text
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

    /// The kernel, from the cache where it was asked for before. Whether it compiles shows when it is used.
    pub(crate) fn get(&self, device: &Arc<Context>, source: &Source) -> Result<Arc<Kernel>> {
        let kernel = self.found_or_begun(device, source);
        if kernel.is_err() {
            // The caller may give up, and the program end: not while a driver is at work.
            let begun: Vec<_> = self.lock().by_text.values().cloned().collect();
            begun.iter().for_each(|kernel| kernel.compiled.settle());
        }
        kernel
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn found_or_begun(&self, device: &Arc<Context>, source: &Source) -> Result<Arc<Kernel>> {
        device.alive()?;
        // One that failed may do better another time.
        let usable = |kernel: Option<&Arc<Kernel>>| kernel.filter(|kernel| !kernel.compiled.has_failed()).cloned();
        if let Some(kernel) = usable(self.lock().by_source.get(source)) {
            return Ok(kernel);
        }
        let (name, entry) = (source.name, source.entry);
        let wrong = move |e: String| Error::device(DeviceErrorKind::Other, format!("kernel {name}.{entry}: {e}"));
        let assembled = source.assemble().map_err(wrong)?;
        let key = format!("{entry}\n{}", assembled.text);
        let mut known = self.lock();
        if let Some(kernel) = usable(known.by_text.get(&key)) {
            known.by_source.insert(source.clone(), Arc::clone(&kernel));
            return Ok(kernel);
        }
        let (need, most) = (assembled.read_only.len(), device.limits.bindings as usize);
        if need > most {
            return Err(Error::device_limit(format!(
                "{name}: the arrays take {need} buffers, and a kernel on {} sees {most}",
                device.name
            )));
        }
        let kernel = Arc::new(device.validated(|| begin(device, source, assembled, wrong))?);
        known.by_text.insert(key, Arc::clone(&kernel));
        known.by_source.insert(source.clone(), Arc::clone(&kernel));
        Ok(kernel)
    }
}

/// The layout of a kernel's arrays, and the beginning of its compilation.
fn begin(
    device: &Arc<Context>,
    source: &Source,
    assembled: Assembled,
    wrong: impl Fn(String) -> Error + Send + 'static,
) -> Kernel {
    let Assembled { text, read_only, traces } = assembled;
    let raw = &device.raw;
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
    let (name, entry) = (source.name, source.entry);
    let compiled = Compiled::begin(device, move |device| {
        compiled::compile(device, name, entry, text, &pipeline_layout).map_err(wrong)
    });
    Kernel { name, compiled, layout, scene, read_only, device: Arc::downgrade(device) }
}
