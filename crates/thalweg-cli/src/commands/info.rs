//! `thalweg info`: the machine, the threads and the engines.

use std::fmt::Write;

use serde::Serialize;
use thalweg::primitives::sort;
use thalweg::{ansv, rmq};

use crate::failure::Outcome;
use crate::memory;
use crate::numbers::show_bytes;
use crate::output;

/// Show devices, threads and engines
#[derive(clap::Args)]
pub struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Info {
    version: &'static str,
    devices: Vec<Device>,
    threads: usize,
    engines: Vec<Engines>,
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
struct Engines {
    problem: &'static str,
    default: &'static str,
    names: Vec<&'static str>,
}

/// An array long enough that every choice by size has been made.
const LONG: usize = 1 << 24;

/// Runs the command.
pub fn run(args: Args) -> Outcome {
    let info = Info {
        version: env!("CARGO_PKG_VERSION"),
        devices: vec![cpu()],
        threads: rayon::current_num_threads(),
        engines: vec![
            Engines {
                problem: "rmq",
                default: rmq::Builder::new().chosen().name(),
                names: rmq::Engine::ALL.iter().map(|e| e.name()).collect(),
            },
            Engines {
                problem: "ansv",
                default: ansv::Builder::new().chosen(LONG).name(),
                names: ansv::Engine::ALL.iter().map(|e| e.name()).collect(),
            },
            Engines {
                problem: "sort",
                default: sort::Builder::new().chosen(LONG).name(),
                names: sort::Engine::ALL.iter().map(|e| e.name()).collect(),
            },
        ],
    };
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
            writeln!(text, "{kind:<9}{name}, {cores} logical cores, {memory}, {simd}")?;
        }
        writeln!(text, "threads  {}", self.threads)?;
        for Engines { problem, default, names } in &self.engines {
            let mark = |name: &&str| if name == default { format!("{name} (default)") } else { name.to_string() };
            writeln!(text, "{problem:<9}{}", names.iter().map(mark).collect::<Vec<_>>().join(", "))?;
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
