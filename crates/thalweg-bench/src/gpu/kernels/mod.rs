//! `thalweg-bench kernels`: what a driver makes of our kernels: registers, spills, shared memory.
//!
//! Every problem is solved once, small, so that its kernels are compiled; their texts then go to the driver a second time,
//! through Vulkan itself, with the question what came of them (`VK_KHR_pipeline_executable_properties`).

mod driver;

use clap::ValueEnum;
use serde::Serialize;
use thalweg::gpu::{Device, DeviceArray, ansv, list, primitives, rmq, text, tree, window};
use thalweg::{Key, Order, Result};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::output;

use self::driver::{Driver, Statistic};
use super::open;

/// Registers, spills and shared memory of kernels on a GPU, as its driver tells
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Problems whose kernels are looked at
    #[arg(long, value_name = "PROBLEM", value_delimiter = ',', num_args = 1.., default_values_t = Problem::value_variants().to_vec())]
    problem: Vec<Problem>,

    /// The GPU: gpu, or an adapter's name or number (see `thalweg info`)
    #[arg(long, value_name = "DEVICE", default_value = "gpu")]
    device: String,

    /// Print the report as JSON, without a table
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Problem {
    Rmq,
    Ansv,
    Sort,
    Scan,
    List,
    Forest,
    Text,
    Window,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.to_possible_value().expect("none is hidden").get_name())
    }
}

/// What is known of one kernel.
#[derive(Serialize)]
struct Row {
    kernel: String,
    threads: u32,
    subgroup: u32,
    statistics: Vec<Statistic>,
}

/// Runs the command.
pub fn run(args: &Args) -> Outcome {
    let device = open(&args.device)?;
    let driver = Driver::of(device.name()).map_err(|reason| Failure::at("--device", reason))?;
    for &problem in &args.problem {
        solve(&device, problem)?;
    }
    let mut rows = Vec::new();
    for kernel in device.kernel_texts() {
        let name = format!("{}.{}", kernel.name, kernel.entry);
        if kernel.traces_rays {
            // Vulkan wants a scene in the layout, and to be opened for rays.
            continue;
        }
        let built = driver.build(&kernel).map_err(|reason| Failure::at(&name, reason))?;
        rows.push(Row { kernel: name, threads: built.threads, subgroup: built.subgroup, statistics: built.statistics });
    }
    let text = if args.json {
        serde_json::to_string_pretty(&rows).map_err(Failure::new)? + "\n"
    } else {
        table(device.name(), &rows)
    };
    output::print(&text, false)
}

/// A line a kernel, with what the driver tells of it under the driver's own names.
fn table(device: &str, rows: &[Row]) -> String {
    let mut text = format!("{device}: {} kernels\n", rows.len());
    for row in rows {
        text += &format!("{}: {} threads in subgroups of {}", row.kernel, row.threads, row.subgroup);
        for Statistic { name, value } in &row.statistics {
            text += &format!(", {name} {value}");
        }
        if let Some(resident) = row.resident() {
            text += &format!("; registers leave room for {resident} threads a multiprocessor");
        }
        text.push('\n');
    }
    text
}

impl Row {
    /// Threads that the 65,536 registers of a multiprocessor of NVIDIA's hold at a time, which hands them out by eight a thread
    /// and by whole workgroups; at most 2,048. `None` for other drivers.
    fn resident(&self) -> Option<u32> {
        let registers = self.statistics.iter().find(|s| s.name == "Register Count")?.value.parse::<u32>().ok()?;
        let of_workgroup = registers.next_multiple_of(8) * self.threads.max(1);
        Some((65_536 / of_workgroup.max(1) * self.threads).min(2048 / self.threads.max(1) * self.threads))
    }
}

/// Elements of the problems: enough for every kernel to be needed.
const LEN: usize = 1 << 18;

/// Windows of several widths: values, then positions.
fn windows<K: Key>(device: &Device, keys: &[K]) -> Result<()> {
    let array = device.upload(keys)?;
    let (values, positions) = (device.allocate(keys.len())?, device.allocate(keys.len())?);
    for width in [3, 16, 100, 300, 1000, 4000] {
        for what in [true, false] {
            let outputs =
                window::DeviceOutputs { values: what.then_some(&values), positions: (!what).then_some(&positions) };
            let shape = window::DeviceShape::Regular(window::Windows::new(width));
            window::solve_into(&array, Order::Min, shape, K::default(), outputs)?;
        }
    }
    Ok(())
}

/// Solves a problem in the ways that users do, so that its kernels are compiled.
fn solve(device: &Device, problem: Problem) -> Result<()> {
    let words: Vec<u32> = (0..LEN as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let keys = device.upload(&words)?;
    match problem {
        Problem::Rmq => {
            for &engine in rmq::Engine::ALL {
                // Those of the CPU.
                let Ok(index) = rmq::DeviceRmq::with_engine(keys.clone(), Order::Min, engine) else { continue };
                let queries = device.upload(&[0u32, 5, 100, LEN as u32 - 1])?;
                index.positions(&queries, &device.allocate(2)?)?;
                index.values(&queries, &device.allocate(2)?)?;
            }
        }
        Problem::Ansv => drop(ansv::solve(&keys, ansv::Relation::Smaller, ansv::Engine::Tiles)?),
        Problem::Sort => {
            primitives::sort(&mut keys.duplicate()?)?;
            primitives::sort_pairs(&mut keys.duplicate()?, &mut keys.duplicate()?)?;
            primitives::sort_idx(&keys)?;
            let wide: Vec<u64> = words.iter().map(|&word| u64::from(word) << 20).collect();
            primitives::sort(&mut device.upload(&wide)?)?;
        }
        Problem::Scan => {
            primitives::inclusive_scan(&keys, primitives::Op::Sum)?;
            primitives::reduce(&keys, primitives::Op::Min)?;
            primitives::compact(&keys, &keys)?;
        }
        Problem::List => drop(list::rank(&chain(device)?, &list::Options::default())?),
        Problem::Forest => {
            tree::Forest::from_parents(path(device)?)?.tour()?;
        }
        Problem::Window => {
            windows::<u32>(device, &words)?;
            windows::<f32>(device, &words.iter().map(|&word| word as f32).collect::<Vec<_>>())?;
            windows::<f64>(device, &words.iter().map(|&word| word.into()).collect::<Vec<_>>())?;
        }
        Problem::Text => {
            let bytes: Vec<u8> = words.iter().map(|word| b'a' + (word >> 28) as u8 % 4).collect();
            let suffixes = text::suffix_array_with_lcp(&text::Text::upload(device, &bytes)?)?;
            text::lpf_with_sources(&suffixes.positions, &suffixes.lcp)?;
        }
    }
    Ok(())
}

/// A list of all elements.
fn chain(device: &Device) -> Result<DeviceArray<u32>> {
    device.upload(&(0..LEN as u32).map(|i| (i + 1).min(LEN as u32 - 1)).collect::<Vec<_>>())
}

/// A path, whose root is node 0.
fn path(device: &Device) -> Result<DeviceArray<u32>> {
    device.upload(&(0..LEN as u32).map(|i| i.saturating_sub(1)).collect::<Vec<_>>())
}
