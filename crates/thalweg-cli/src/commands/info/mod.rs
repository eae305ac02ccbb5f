//! `thalweg info`: the machine, the threads and the engines.

mod engines;

use std::fmt::Write;

use serde::Serialize;
use thalweg_cli::failure::Outcome;
use thalweg_cli::memory;
use thalweg_cli::numbers::{counted, show_bytes};
use thalweg_cli::output;

use super::threads;

/// Show devices, threads and engines
#[derive(clap::Args)]
pub struct Args {
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Info {
    version: &'static str,
    devices: Vec<Device>,
    /// The adapters, and what `--device gpu` takes or why there is nothing to take.
    gpus: Vec<Gpu>,
    gpu: String,
    threads: usize,
    engines: Vec<engines::Engines>,
}

#[derive(Serialize)]
struct Device {
    kind: &'static str,
    name: String,
    cores: usize,
    memory_bytes: Option<u64>,
    simd: &'static str,
}

#[derive(Serialize)]
struct Gpu {
    index: usize,
    name: String,
    kind: String,
    backend: String,
    driver: String,
    automatic: bool,
    subgroup_threads: [u32; 2],
    binding_bytes: u64,
    buffer_bytes: u64,
    workgroup_bytes: u32,
    workgroup_threads: u32,
    int64: bool,
    timestamps: bool,
    ray_queries: bool,
}

/// Runs the command.
pub fn run(args: Args) -> Outcome {
    let threads = threads::start(None)?;
    let (gpus, gpu) = gpus();
    let info =
        Info { version: env!("CARGO_PKG_VERSION"), devices: vec![cpu()], gpus, gpu, threads, engines: engines::all() };
    let text = if args.json {
        serde_json::to_string(&info).expect("plain data") + "\n"
    } else {
        info.to_text().expect("writing to a string does not fail")
    };
    output::print(&text, false)
}

impl Info {
    fn to_text(&self) -> Result<String, std::fmt::Error> {
        let mut text = String::new();
        writeln!(text, "thalweg  {}", self.version)?;
        for Device { kind, name, cores, memory_bytes, simd } in &self.devices {
            let memory = memory_bytes.map_or_else(|| "unknown memory".to_owned(), show_bytes);
            let cores = counted(*cores, "logical core");
            writeln!(text, "{kind:<9}{name}, {cores}, {memory}, {simd}")?;
        }
        writeln!(text, "threads  {}", self.threads)?;
        writeln!(text, "gpu      {}", self.gpu)?;
        for gpu in &self.gpus {
            let Gpu { index, name, kind, backend, driver, .. } = gpu;
            let mark = if gpu.automatic { ", taken by auto" } else { "" };
            writeln!(text, "         {index}: {name} ({kind}, {backend}, {driver}){mark}")?;
            let [fewest, most] = gpu.subgroup_threads;
            let subgroup = if fewest == most { fewest.to_string() } else { format!("{fewest} to {most}") };
            let (binding, buffer) = (show_bytes(gpu.binding_bytes), show_bytes(gpu.buffer_bytes));
            let (shared, threads) = (show_bytes(gpu.workgroup_bytes.into()), gpu.workgroup_threads);
            let yes = |has: bool| if has { "yes" } else { "no" };
            writeln!(
                text,
                "            subgroups of {subgroup}, {binding} a binding, {buffer} a buffer, workgroups of {threads} \
                 threads and {shared}, 64-bit integers: {}, timestamps: {}, rays: {}",
                yes(gpu.int64),
                yes(gpu.timestamps),
                yes(gpu.ray_queries)
            )?;
        }
        writeln!(text, "\n{:<13}{:<8}engines", "problem", "device")?;
        for engines in &self.engines {
            writeln!(text, "{:<13}{:<8}{}", engines.problem, "cpu", engines.on_cpu())?;
            writeln!(text, "{:<13}{:<8}{}", "", "gpu", engines.on_gpu())?;
        }
        Ok(text)
    }
}

fn cpu() -> Device {
    let model = || {
        let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("model name"))?;
        Some(line.trim_start_matches([' ', '\t', ':']).trim().to_owned())
    };
    Device {
        kind: "cpu",
        name: model().unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
        cores: std::thread::available_parallelism().map_or(1, |n| n.get()),
        memory_bytes: memory::total(),
        simd: thalweg::simd_level(),
    }
}

#[cfg(feature = "gpu")]
fn gpus() -> (Vec<Gpu>, String) {
    let adapters = thalweg::gpu::adapters();
    let automatic = thalweg::gpu::automatic(&adapters);
    let text = thalweg::gpu::diagnosis(&adapters);
    let gpus = adapters.into_iter().map(|adapter| {
        let limits = adapter.limits;
        Gpu {
            automatic: automatic == Some(adapter.index),
            index: adapter.index,
            name: adapter.name,
            kind: adapter.kind.to_string(),
            backend: adapter.backend,
            driver: adapter.driver,
            subgroup_threads: [limits.subgroup_min, limits.subgroup_max],
            binding_bytes: limits.binding_bytes,
            buffer_bytes: limits.buffer_bytes,
            workgroup_bytes: limits.workgroup_bytes,
            workgroup_threads: limits.workgroup_threads,
            int64: limits.int64,
            timestamps: limits.timestamps,
            ray_queries: limits.ray_queries,
        }
    });
    (gpus.collect(), text)
}

#[cfg(not(feature = "gpu"))]
fn gpus() -> (Vec<Gpu>, String) {
    (Vec::new(), "none: this build has no GPUs (cargo feature gpu)".into())
}
