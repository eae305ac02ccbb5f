//! `thalweg-bench ... --device gpu`: the engines on a GPU, by the device's own clock and from host to host.

pub mod ansv;
pub mod changing;
pub mod fft;
pub mod hull;
pub mod in_order;
pub mod kernels;
pub mod list;
pub mod matching;
pub mod paper;
pub mod primitives;
pub mod raster;
pub mod rmq;
pub mod sudoku;
pub mod text;
pub mod tree;
pub mod window;

use std::cell::RefCell;
use std::time::Duration;

use thalweg::Error;
use thalweg::gpu::{Card, Device, Timing};
use thalweg_cli::failure::{Failure, Outcome};

use crate::bench::Case;
use crate::report::{Adapter, Row};
use crate::timing;

/// A device and what its memory can do.
pub struct Gpu {
    pub device: Device,
    card: Card,
}

/// Bytes that the card's speed is measured with: far more than any cache.
const CARD_BYTES: u64 = 1 << 30;

/// Opens the device of `--device`.
///
/// Which engines it has is tried on a device that is opened for that alone: what they leave in the memory of the one that
/// is timed moves its arrays, and positions of medium ranges took 9 % longer then (RMQ of 2^28 elements, H200).
pub fn open(name: &str) -> Outcome<Device> {
    Device::open(&name.parse()?).map_err(|error| match error {
        Error::Device(error) => Failure::at("--device", error),
        other => other.into(),
    })
}

impl Gpu {
    /// Opens and measures the device of `--device`.
    pub fn open(name: &str) -> Outcome<Self> {
        let device = open(name)?;
        let card = thalweg::gpu::measure(&device, CARD_BYTES)?;
        Ok(Self { device, card })
    }

    /// For the report.
    pub fn describe(&self) -> Adapter {
        Adapter {
            name: self.device.name().into(),
            driver: self.device.driver().into(),
            copy_gb_per_s: self.card.copy_gb_per_s,
            random_reads_g_per_s: self.card.random_reads_g_per_s,
        }
    }

    /// Times one task: `work` is timed, `check` looks at what its first run has made.
    fn time<T>(
        &self,
        case: &Case<'_>,
        (what, engine): (&'static str, &'static str),
        items: usize,
        work: impl Fn() -> thalweg::Result<T>,
        check: impl Fn(&T) -> Outcome,
    ) -> Outcome<Row> {
        let made = RefCell::new(None);
        let run = |_| -> Outcome<Timing> {
            // What was made before is free for the next run.
            drop(made.take());
            let (result, timing) = self.device.timed(&work)?;
            made.replace(Some(result));
            Ok(timing)
        };
        let timings = race(self, case, what, 1, run, |_| check(made.borrow().as_ref().expect("it has run")))?;
        Ok(row(case, what, engine).timed(timings[0], items))
    }
}

/// Times contestants by the device's clock. Each runs once for `check`, which looks at its answers, and then, on a device
/// that is kept busy until its clock is up, as often as asked, back to back: a device that waits for the host slows down.
fn race(
    gpu: &Gpu,
    case: &Case<'_>,
    what: &str,
    contestants: usize,
    mut run: impl FnMut(usize) -> Outcome<Timing>,
    mut check: impl FnMut(usize) -> Outcome,
) -> Outcome<Vec<timing::Timing>> {
    case.bar.set_message(format!("{}: {what}", case.title()));
    case.bar.tick();
    let mut timings = Vec::new();
    for i in 0..contestants {
        let first = run(i)?.device;
        check(i)?;
        thalweg::gpu::warm_up(&gpu.device)?;
        // A slow one is timed once.
        let repeat = if first.as_secs() >= 2 { 1 } else { case.common.repeat };
        let times: Vec<Duration> = (0..repeat).map(|_| Ok(run(i)?.device)).collect::<Outcome<_>>()?;
        timings.push(timing::Timing::of(&times));
    }
    Ok(timings)
}

/// Times contestants by the host's clock, from host memory to host memory.
fn race_on_host(
    case: &Case<'_>,
    what: &str,
    contestants: usize,
    run: impl FnMut(usize) -> Outcome<Duration>,
) -> Outcome<Vec<timing::Timing>> {
    case.bar.set_message(format!("{}: {what}", case.title()));
    case.bar.tick();
    timing::race(case.common.repeat, contestants, run)
}

/// A row of a case on the device, without its measurement. It ran on no threads of ours.
fn row(case: &Case<'_>, what: &'static str, engine: &'static str) -> Row {
    Row { what, n: case.n, dtype: case.dtype, kind: case.kind, engine, threads: 0, ..Row::default() }
}
