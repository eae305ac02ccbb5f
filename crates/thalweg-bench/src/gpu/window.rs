//! `thalweg-bench window --device gpu`.

use thalweg::gpu::window::{Align, DeviceOutputs, DeviceShape, Engine, Windows, engine, solve_timed};
use thalweg::window::{Builder, Outputs};
use thalweg::{Device, Key, Order, Position, Positions};
use thalweg_cli::failure::Outcome;
use thalweg_cli::memory;
use thalweg_core::bits::BitsMut;

use super::{Gpu, race, race_on_host, row};
use crate::bench::{Bench, Case, Common, Selection, drive, timed_types};
use crate::cases::window::widths;
use crate::check;
use crate::columns::{self, table};
use crate::report::{Adapter, Row};
use crate::table::maybe;
use crate::timing::time;

/// Widths that are timed where none is named, up to half of the array; and that half.
const WIDTHS: [usize; 11] = [2, 4, 16, 32, 100, 1024, 2048, 4000, 1 << 13, 1 << 16, 1 << 20];

/// Runs the benchmark.
pub fn run(common: &Common, engines: &[String], widths: &[usize]) -> Outcome {
    let selection = Selection::parse(engines, Engine::ALL)?;
    let gpu = Gpu::open(&common.device)?;
    // GPUs have one: the others are refused if they were named.
    selection.on_device(|which| engine(&gpu.device, which).map(drop))?;
    drive(&GpuWindow { gpu, widths: widths.to_vec() }, common)
}

struct GpuWindow {
    gpu: Gpu,
    widths: Vec<usize>,
}

/// What is asked of a window.
const WHAT: [&str; 2] = ["values", "positions"];
/// The same with both copies.
const ON_HOST: [&str; 2] = ["values, host to host", "positions, host to host"];

impl GpuWindow {
    fn case<K: Key>(&self, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        memory::require(case.n * (2 * size_of::<K>() + 12), &case.title())?;
        let (array, device) = (case.array::<K>()?, &self.gpu.device);
        let on_device = device.upload(&array)?;
        let (values, positions) = (device.allocate::<K>(case.n)?, device.allocate::<u32>(case.n)?);
        let mut got_values = memory::filled(case.n, K::default(), "values of windows")?;
        let mut got = memory::filled(case.n, 0u32, "positions of windows")?;
        let mut rows = Vec::new();
        for width in widths(&self.widths, &WIDTHS, case.n) {
            let name: &'static str = format!("w = {}", crate::table::count(width)).leak();
            let windows = Windows { align: Align::Trailing, ..Windows::new(width) };
            let expected = Builder::new(windows).device(Device::Cpu).positions(&array)?.into_inner();
            let Positions::U32(expected) = expected else { continue };
            let right = |value: K, at: u32| value.to_low_bits() == array[at as usize].to_low_bits();
            let outputs = [
                DeviceOutputs { values: Some(&values), positions: None },
                DeviceOutputs { values: None, positions: Some(&positions) },
            ];
            let run = |i: usize| {
                Ok(solve_timed(&on_device, Order::Min, DeviceShape::Regular(windows), K::default(), outputs[i])?)
            };
            let timings = race(&self.gpu, case, name, WHAT.len(), run, |i| {
                let who = format!("{name} on {}, {}", device.name(), case.title());
                if i == 1 {
                    positions.download(&mut got)?;
                    return check::equal(&who, "positions", &expected, &got, |&x| x);
                }
                values.download(&mut got_values)?;
                match (0..case.n).find(|&i| !right(got_values[i], expected[i])) {
                    Some(i) => check::wrong(&who, format_args!("values[{i}] is {:?}", got_values[i])),
                    None => Ok(()),
                }
            })?;
            let on_host = race_on_host(case, name, WHAT.len(), |i| {
                let outputs = match i {
                    0 => Outputs { values: Some(BitsMut::of(&mut got_values)), positions: None },
                    _ => Outputs { values: None, positions: Some(u32::buffer(&mut got)) },
                };
                let (took, done) = time(|| Builder::new(windows).device(device).run_into(&array, outputs));
                done?;
                Ok(took)
            })?;
            check::equal("host to host", "positions", &expected, &got, |&x| x)?;
            for (i, (timing, host)) in timings.into_iter().zip(on_host).enumerate() {
                let bytes = case.n * (size_of::<K>() + if i == 0 { size_of::<K>() } else { 4 });
                let row = |what, timing| {
                    let row = row(case, what, Engine::Blocks.name()).timed(timing, case.n);
                    Row { queries: Some(name), default: true, ..row }
                };
                rows.push(row(WHAT[i], timing).moving(bytes, self.gpu.card.copy_gb_per_s));
                rows.push(row(ON_HOST[i], host));
            }
        }
        Ok(rows)
    }
}

impl Bench for GpuWindow {
    const NAME: &'static str = "window";
    const SIZES: &'static [usize] = &[1 << 26];
    const UNIT: &'static str = "ns per element";
    const DEFAULT_DTYPE: &'static str = "f32";

    timed_types!(u8, u32, f32, f64);

    fn adapter(&self) -> Option<Adapter> {
        Some(self.gpu.describe())
    }

    fn tables(&self, rows: &[Row]) -> String {
        let on_host = |row: &Row| WHAT.iter().position(|&what| what == row.what).map(|i| ON_HOST[i]);
        let host = |row: &Row| {
            let host = rows.iter().find(|other| Some(other.what) == on_host(row) && other.queries == row.queries);
            maybe(host.map(|row| row.median_ns / 1e6))
        };
        let columns = [
            columns::asked("windows"),
            columns::words("what", |row| row.what.into()),
            columns::ms(),
            columns::ns("ns/element"),
            columns::gb_per_s(),
            columns::of_copy(),
            columns::number("host to host ms", host),
        ];
        table(rows.iter().filter(|row| WHAT.contains(&row.what)), columns).to_string()
    }

    fn panel(row: &Row) -> Option<String> {
        WHAT.contains(&row.what).then_some(row.queries)?.map(|windows| format!("{}, {windows}", row.what))
    }

    fn how_to_read(&self) -> String {
        "Every answer was checked. ms: by the device's clock, array and answers on the device. GB/s: the array read and\n\
         the answers written, once. Host to host: with both copies."
            .into()
    }
}
