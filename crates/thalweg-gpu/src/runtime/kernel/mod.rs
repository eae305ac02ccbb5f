//! Kernels: a WGSL file, the constants and arrays it works with, compiled once per device and combination.
//!
//! The text that is compiled is put together here: constants, then `Key` and its functions where the kernel compares
//! keys, then the declarations of its arrays, then the file. An array that spans several buffers is read and written
//! through functions that pick the buffer, and so is one that does not: a kernel is written once for both.
//!
//! A loop written `@unroll for (var k = 0u; k < ITEMS; k++) { .. }`, with a constant of the kernel as its bound, is
//! written out. Drivers do not unroll loops with subgroup operations, and an array that such a loop indexes lives in
//! memory then, not in registers: a scan took five times as long.

use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;

use thalweg::{Error, Result};

use crate::coding::Coding;
use crate::device::Device;
use crate::wgsl;

/// How a kernel uses an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    Read,
    Write,
    /// Read and written by atomic operations only.
    Atomic,
    /// Read and written by single atomic loads and stores only.
    SharedWords,
}

#[derive(Clone, Copy, Debug)]
struct Declared {
    name: &'static str,
    element: &'static str,
    access: Access,
    /// Elements per buffer as a power of two, and the number of buffers. `None`: one buffer.
    shards: Option<(u32, u32)>,
}

/// What a kernel is made of. Bindings are numbered in the order of declaration, from 1; number 0 is `params`.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    name: &'static str,
    text: Cow<'static, str>,
    entry: &'static str,
    head: String,
    /// The constants among it, for the bounds of loops that are written out.
    constants: Vec<(String, u32)>,
    unroll: bool,
    arrays: Vec<Declared>,
}

impl Source {
    /// The kernel `entry` of a WGSL file, which must define a `struct Params` of `u32` members.
    pub(crate) fn new(name: &'static str, text: &'static str, entry: &'static str) -> Self {
        let head = String::new();
        Self { name, text: text.into(), entry, head, constants: Vec::new(), unroll: true, arrays: Vec::new() }
    }

    /// A constant of the kernel.
    pub(crate) fn constant(mut self, name: &str, value: u32) -> Self {
        writeln!(self.head, "const {name} = {value}u;").expect("a string takes all");
        self.constants.push((name.to_owned(), value));
        self
    }

    /// A constant that switches a part of the kernel on.
    pub(crate) fn flag(mut self, name: &str, value: bool) -> Self {
        writeln!(self.head, "const {name} = {value};").expect("a string takes all");
        self
    }

    /// Whether loops that ask for it are written out.
    pub(crate) fn unroll(mut self, unroll: bool) -> Self {
        self.unroll = unroll;
        self
    }

    /// `Key` and its functions.
    pub(crate) fn keys(mut self, coding: Coding) -> Self {
        self.head += &coding.prelude();
        self
    }

    /// The fewest and the most threads of a subgroup: `WIDTH_MIN`, `WIDTH_MAX`, and the logarithm of the latter. And
    /// `fixed_width`, which makes a constant of the builtin where it is one.
    pub(crate) fn subgroups(self, device: &Device) -> Self {
        let limits = device.limits();
        self.constant("WIDTH_MIN", limits.subgroup_min)
            .constant("WIDTH_MAX", limits.subgroup_max)
            .constant("WIDTH_LOG", limits.subgroup_max.ilog2())
            .include(wgsl::WIDTH)
    }

    /// More text before the file's: functions that several files share.
    pub(crate) fn include(mut self, text: &str) -> Self {
        self.head += text;
        self
    }

    /// Puts text in the place of a word of the file.
    pub(crate) fn replace(mut self, word: &str, text: &str) -> Self {
        self.text = self.text.replace(word, text).into();
        self
    }

    /// An array that is only read: `name[i]`, and `name_at(i)`.
    pub(crate) fn reads(self, name: &'static str, element: &'static str) -> Self {
        self.declare(name, element, Access::Read, None)
    }

    /// An array that is read and written: `name[i]`, `name_at(i)`, `name_put(i, value)`.
    pub(crate) fn writes(self, name: &'static str, element: &'static str) -> Self {
        self.declare(name, element, Access::Write, None)
    }

    /// An array of keys or positions that may span several buffers: `name_at(i)`.
    pub(crate) fn reads_sharded(self, name: &'static str, element: &'static str, shards: Option<(u32, u32)>) -> Self {
        self.declare(name, element, Access::Read, shards)
    }

    /// The same, read and written: `name_at(i)`, `name_put(i, value)`; for `vec4<u32>` also `name_put_word(word, value)`.
    pub(crate) fn writes_sharded(self, name: &'static str, element: &'static str, shards: Option<(u32, u32)>) -> Self {
        self.declare(name, element, Access::Write, shards)
    }

    /// An array of words for atomic operations: `atomicLoad(&name[i])` and its like.
    pub(crate) fn atomics(self, name: &'static str) -> Self {
        self.declare(name, "atomic<u32>", Access::Atomic, None)
    }

    /// Words for single atomic loads and stores that may span several buffers: `name_load(i)`, `name_store(i, value)`.
    pub(crate) fn atomics_sharded(self, name: &'static str, shards: Option<(u32, u32)>) -> Self {
        self.declare(name, "atomic<u32>", Access::SharedWords, shards)
    }

    fn declare(
        mut self,
        name: &'static str,
        element: &'static str,
        access: Access,
        shards: Option<(u32, u32)>,
    ) -> Self {
        self.arrays.push(Declared { name, element, access, shards });
        self
    }

    /// The whole text, and for every binding whether it is only read.
    fn assemble(&self) -> (String, Vec<bool>) {
        let mut text = self.head.clone();
        let mut read_only = Vec::new();
        text += "@group(0) @binding(0) var<uniform> params: Params;\n";
        for array in &self.arrays {
            let Declared { name, element, access, shards } = *array;
            let mode = if access == Access::Read { "read" } else { "read_write" };
            let mut variable = |text: &mut String, variable: &str| {
                let binding = read_only.len() + 1;
                read_only.push(access == Access::Read);
                writeln!(text, "@group(0) @binding({binding}) var<storage, {mode}> {variable}: array<{element}>;")
                    .expect("a string takes all");
            };
            if access == Access::Atomic {
                variable(&mut text, name);
                continue;
            }
            let shared = access == Access::SharedWords;
            let load = |at: String| if shared { format!("return atomicLoad(&{at});") } else { format!("return {at};") };
            let store =
                |at: String| if shared { format!("atomicStore(&{at}, value);") } else { format!("{at} = value;") };
            let (at, put) = match shards {
                None => {
                    variable(&mut text, name);
                    (load(format!("{name}[i]")), store(format!("{name}[i]")))
                }
                Some((shift, count)) => {
                    let (mut at, mut put) =
                        (format!("switch i >> {shift}u {{\n"), format!("switch i >> {shift}u {{\n"));
                    let mask = (1u64 << shift) - 1;
                    for k in 0..count {
                        variable(&mut text, &format!("{name}_{k}"));
                        let case = if k + 1 == count { "default".into() } else { format!("case {k}u") };
                        let place = format!("{name}_{k}[i & {mask}u]");
                        writeln!(at, "    {case}: {{ {} }}", load(place.clone())).expect("a string takes all");
                        writeln!(put, "    {case}: {{ {} }}", store(place)).expect("a string takes all");
                    }
                    (at + "}", put + "}")
                }
            };
            if shared {
                writeln!(text, "fn {name}_load(i: u32) -> u32 {{ {at} }}").expect("a string takes all");
                writeln!(text, "fn {name}_store(i: u32, value: u32) {{ {put} }}").expect("a string takes all");
                continue;
            }
            // Atomics are reached only through their own functions.
            if element.starts_with("atomic") {
                continue;
            }
            writeln!(text, "fn {name}_at(i: u32) -> {element} {{ {at} }}").expect("a string takes all");
            if access == Access::Write {
                writeln!(text, "fn {name}_put(i: u32, value: {element}) {{ {put} }}").expect("a string takes all");
                if element == "vec4<u32>" {
                    // The same for a single word, which the neighbours in its vector do not notice.
                    let put = put.replace(" = value;", "[word & 3u] = value;");
                    writeln!(text, "fn {name}_put_word(word: u32, value: u32) {{ let i = word >> 2u; {put} }}")
                        .expect("a string takes all");
                }
            }
        }
        text += wgsl::COMMON;
        text += &self.text;
        let text = if self.unroll { unrolled(&text, &self.constants) } else { text.replace("@unroll ", "") };
        (text, read_only)
    }
}

/// Writes out the loops that ask for it.
///
/// # Panics
/// If a loop does not have the form that the module's documentation shows: a mistake in a kernel.
fn unrolled(text: &str, constants: &[(String, u32)]) -> String {
    const MARK: &str = "@unroll for (var ";
    let Some(start) = text.find(MARK) else { return text.to_owned() };
    let rest = &text[start + MARK.len()..];
    let (head, _) = rest.split_once(") {").expect("a loop has a body");
    let (variable, bound) = head.split_once(" = 0u; ").expect("a loop starts at 0");
    let bound = bound.strip_prefix(variable).and_then(|b| b.strip_prefix(" < ")).expect("a loop compares its variable");
    let bound = bound.strip_suffix(&format!("; {variable}++")).expect("a loop counts up");
    let (_, count) = constants.iter().find(|(name, _)| name == bound).expect("a loop's bound is a constant");
    let body_start = head.len() + ") {".len();
    let mut depth = 1;
    let body_len = rest[body_start..]
        .find(|c| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            depth == 0
        })
        .expect("a loop's body ends");
    let body = unrolled(&rest[body_start..body_start + body_len], constants);
    let mut out = text[..start].to_owned();
    for k in 0..*count {
        write!(out, "{{ const {variable} = {k}u; {body} }} ").expect("a string takes all");
    }
    out + &unrolled(&rest[body_start + body_len + 1..], constants)
}

/// A compiled kernel.
#[derive(Debug)]
pub(crate) struct Kernel {
    pub(crate) name: &'static str,
    pub(crate) pipeline: wgpu::ComputePipeline,
    pub(crate) layout: wgpu::BindGroupLayout,
    pub(crate) bindings: usize,
}

impl Device {
    /// The compiled kernel, from the cache where it was compiled before.
    pub(crate) fn kernel(&self, source: &Source) -> Result<Arc<Kernel>> {
        let (text, read_only) = source.assemble();
        let inner = self.inner();
        inner.alive()?;
        let key = format!("{}\n{text}", source.entry);
        let lock = || inner.kernels.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(kernel) = lock().get(&key) {
            return Ok(Arc::clone(kernel));
        }
        let most = self.limits().bindings as usize;
        if read_only.len() > most {
            let need = read_only.len();
            let name = source.name;
            return Err(Error::Device(format!(
                "{name}: the arrays take {need} buffers, and a kernel on {} sees {most}",
                self.name()
            )));
        }
        let scope = inner.raw.push_error_scope(wgpu::ErrorFilter::Validation);
        let kernel = Arc::new(compile(self, source, &text, &read_only));
        if let Some(e) = pollster::block_on(scope.pop()) {
            return Err(Error::Device(format!("kernel {}.{}: {e}", source.name, source.entry)));
        }
        lock().insert(key, Arc::clone(&kernel));
        Ok(kernel)
    }
}

#[allow(unsafe_code)]
fn compile(device: &Device, source: &Source, text: &str, read_only: &[bool]) -> Kernel {
    let raw = &device.inner().raw;
    let description =
        wgpu::ShaderModuleDescriptor { label: Some(source.name), source: wgpu::ShaderSource::Wgsl(text.into()) };
    let module = if device.inner().checked {
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
    let pipeline_layout = raw.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        bind_group_layouts: &[Some(&layout)],
        ..Default::default()
    });
    let pipeline = raw.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(source.name),
        layout: Some(&pipeline_layout),
        module: &module,
        entry_point: Some(source.entry),
        // The kernels write workgroup memory before they read it.
        compilation_options: wgpu::PipelineCompilationOptions {
            zero_initialize_workgroup_memory: device.inner().checked,
            ..Default::default()
        },
        cache: None,
    });
    Kernel { name: source.name, pipeline, layout, bindings: read_only.len() }
}
