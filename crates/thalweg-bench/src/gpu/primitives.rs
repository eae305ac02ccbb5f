//! `thalweg-bench primitives --device gpu`.

use rayon::prelude::*;
use thalweg::gpu::primitives::{self, Op};
use thalweg::gpu::{DeviceArray, Timing};
use thalweg::{Key, Order};
use thalweg_cli::failure::Outcome;
use thalweg_cli::memory;

use super::{Gpu, race, row};
use crate::bench::{Bench, Case, Common, drive, timed_types};
use crate::check;
use crate::columns::{self, table};
use crate::report::{Adapter, Row};

/// Runs the benchmark.
pub fn run(common: &Common) -> Outcome {
    drive(&GpuPrimitives { gpu: Gpu::open(&common.device)? }, common)
}

struct GpuPrimitives {
    gpu: Gpu,
}

/// What is timed: the same tasks as on the CPU, as far as they are fixed operations there.
const TASKS: [&str; 6] = ["reduce", "scan", "compact", "split", "sort", "sort_idx"];

/// What a task made.
enum Made<K: Key> {
    One(K),
    Keys(DeviceArray<K>),
    Positions(DeviceArray<u32>),
}

impl GpuPrimitives {
    fn run_task<K: Key>(
        &self,
        task: &str,
        keys: &DeviceArray<K>,
        flags: &DeviceArray<u32>,
    ) -> Outcome<(Made<K>, Timing)> {
        let device = &self.gpu.device;
        Ok(match task {
            "reduce" => {
                let (one, timing) = device.timed(|| primitives::reduce(keys, Op::Min))?;
                (Made::One(one), timing)
            }
            "scan" => {
                let (sums, timing) = device.timed(|| primitives::inclusive_scan(keys, Op::Min))?;
                (Made::Keys(sums), timing)
            }
            "compact" => {
                let (kept, timing) = device.timed(|| primitives::compact(keys, flags))?;
                (Made::Keys(kept), timing)
            }
            "split" => {
                let (moved, timing) = device.timed(|| primitives::split(keys, flags))?;
                (Made::Keys(moved.elements), timing)
            }
            "sort" => {
                // Sorting is in place: on a copy, which is not timed.
                let mut copy = keys.duplicate()?;
                let ((), timing) = device.timed(|| primitives::sort(&mut copy))?;
                (Made::Keys(copy), timing)
            }
            _ => {
                let (order, timing) = device.timed(|| primitives::sort_idx(keys))?;
                (Made::Positions(order), timing)
            }
        })
    }

    /// Bytes that a task reads and writes at least. Radix sorts of 32-bit keys read and write all four times.
    fn bytes<K: Key>(task: &str, n: usize) -> usize {
        let array = n * size_of::<K>();
        match task {
            "reduce" => array,
            "scan" => 2 * array,
            "compact" => array + 4 * n + array / 2,
            "split" => 2 * array + 4 * n,
            _ => 2 * array,
        }
    }

    /// What a task must make: computed by plain code on the host.
    fn expected<K: Key>(task: &str, keys: &[K], flags: &[u32]) -> (Vec<K>, Vec<u32>) {
        let best = |a: K, b: K| if b.rank(Order::Min) < a.rank(Order::Min) { b } else { a };
        let kept =
            |wanted: bool| keys.iter().zip(flags).filter(move |&(_, &flag)| (flag != 0) == wanted).map(|(&key, _)| key);
        match task {
            "reduce" => (keys.iter().copied().reduce(best).into_iter().collect(), Vec::new()),
            "scan" => {
                let mut best_yet = keys.first().copied().unwrap_or_default();
                let step = |&key: &K| {
                    best_yet = best(best_yet, key);
                    best_yet
                };
                (keys.iter().map(step).collect(), Vec::new())
            }
            "compact" => (kept(true).collect(), Vec::new()),
            "split" => (kept(false).chain(kept(true)).collect(), Vec::new()),
            "sort" => {
                let mut sorted = keys.to_vec();
                sorted.par_sort_by_key(|key| key.rank(Order::Min));
                (sorted, Vec::new())
            }
            _ => {
                let mut order: Vec<u32> = (0..keys.len() as u32).collect();
                order.par_sort_by_key(|&i| keys[i as usize].rank(Order::Min));
                (Vec::new(), order)
            }
        }
    }

    fn case<K: Key>(&self, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        memory::require(case.n * (3 * size_of::<K>() + 12), &case.title())?;
        let (array, device) = (case.array::<K>()?, &self.gpu.device);
        // Every other element or so, without any order.
        let flags: Vec<u32> = (0..case.n as u32).into_par_iter().map(|i| i.wrapping_mul(0x9e37_79b9) >> 31).collect();
        let (keys, marks) = (device.upload(&array)?, device.upload(&flags)?);
        let mut rows = Vec::new();
        for task in TASKS {
            let mut made = None;
            let run = |_| {
                let (result, timing) = self.run_task(task, &keys, &marks)?;
                made = Some(result);
                Ok(timing)
            };
            let timings = match race(&self.gpu, case, task, 1, run, |_| Ok(())) {
                Ok(timings) => timings,
                Err(e) => {
                    case.skip(task, e);
                    continue;
                }
            };
            let (expected_keys, expected_order) = Self::expected(task, &array, &flags);
            let who = format!("{task} on {}, {}", device.name(), case.title());
            // Equal keys of different bits (the two zeros) may stand for each other in a minimum.
            let rank = |key: &K| key.rank(Order::Min);
            match made.expect("it has run") {
                Made::One(one) => check::equal(&who, "result", &expected_keys, &[one], rank)?,
                Made::Keys(made) => check::equal(&who, "keys", &expected_keys, &made.to_vec()?, rank)?,
                Made::Positions(made) => check::equal(&who, "positions", &expected_order, &made.to_vec()?, |&p| p)?,
            }
            let row = row(case, task, "thalweg").timed(timings[0], case.n);
            rows.push(row.moving(Self::bytes::<K>(task, case.n), self.gpu.card.copy_gb_per_s));
        }
        Ok(rows)
    }
}

impl Bench for GpuPrimitives {
    const NAME: &'static str = "primitives";
    const SIZES: &'static [usize] = &[1 << 20, 1 << 24, 1 << 27];
    const UNIT: &'static str = "ns per element";

    timed_types!(u32, u64, f32, f64);

    fn adapter(&self) -> Option<Adapter> {
        Some(self.gpu.describe())
    }

    fn tables(&self, rows: &[Row]) -> String {
        let columns = [
            columns::what("primitive").together(),
            columns::ms(),
            columns::ns("ns/element"),
            columns::gb_per_s(),
            columns::of_copy(),
        ];
        table(rows, columns).to_string()
    }

    fn panel(row: &Row) -> Option<String> {
        Some(row.what.into())
    }

    fn how_to_read(&self) -> String {
        "Every answer was checked. ms: by the device's clock, data on the device. GB/s: input read and output written once,\n\
         for compact and split the flags too; a sort moves more than that."
            .into()
    }
}
