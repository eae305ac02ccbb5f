//! The commands with `--memory`: arrays and results stay in their files, and the work goes part by part.

pub mod ansv;
pub mod rmq;
pub mod sa;
mod samples;

use std::ops::Range;
use std::time::Duration;

use thalweg_cli::budget::Budget;
use thalweg_cli::device::DeviceArgs;
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::memory;
use thalweg_cli::numbers::{Bytes, counted, show_bytes, show_seconds};

use super::Run;

/// No part is longer: a longer one gains nothing, and is ready later for who writes it.
const LONGEST: usize = 1 << 24;

/// What `--memory` leaves no choice of.
pub fn expect_cpu(device: &DeviceArgs) -> Outcome {
    if device.is_gpu() {
        return Err(Failure::new("--memory is for the CPU: a GPU has memory of its own (--device cpu)"));
    }
    Ok(())
}

/// The array in parts of so many elements.
fn parts(len: usize, part: usize) -> impl DoubleEndedIterator<Item = Range<usize>> {
    (0..len.div_ceil(part)).map(move |k| k * part..len.min((k + 1) * part))
}

impl Run {
    /// Says how the work is cut, for `--verbose`.
    fn say_parts(&self, budget: &Budget, part: usize, thing: &str) {
        let limit = Bytes(budget.limit as u64);
        self.progress.say(format_args!("memory: {limit} at most, so parts of {}", counted(part, thing)));
    }

    /// Says how fast so many bytes were read and written, and how much memory that took, for `--verbose`.
    fn say_moved(&self, budget: &Budget, bytes: u64, time: Duration) {
        let seconds = time.as_secs_f64();
        let each = show_bytes((bytes as f64 / seconds.max(1e-9)) as u64);
        let moved = show_bytes(bytes);
        self.progress.say(format_args!("moved: {moved} of files in {}, {each}/s", show_seconds(seconds)));
        if let Some(peak) = memory::peak() {
            self.progress.say(format_args!("memory: {} held at most, of {}", Bytes(peak), Bytes(budget.limit as u64)));
        }
    }
}
