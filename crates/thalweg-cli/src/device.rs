//! Where the work runs: on the CPU or on a GPU.

use thalweg::{Chosen, Device, Error};

use crate::failure::{Failure, Outcome};
use crate::progress::Progress;

/// Where to run
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Running")]
pub struct DeviceArgs {
    /// Where to run: auto, cpu, gpu, or an adapter's name or number (see `thalweg info`)
    ///
    /// auto takes the GPU only where it wins with the copies to and from it counted.
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: String,
}

impl DeviceArgs {
    /// Whether a GPU was asked for, whichever.
    pub fn is_gpu(&self) -> bool {
        !["auto", "cpu"].iter().any(|word| self.device.trim().eq_ignore_ascii_case(word))
    }

    /// Opens the device, unless the library chooses.
    pub fn open(&self) -> Outcome<Device> {
        self.device.parse().map_err(|error| match error {
            Error::Device(error) => Failure::at("--device", error),
            Error::BadOption { reason, .. } => Failure::at("--device", reason),
            other => other.into(),
        })
    }
}

/// Tells where the answer is from, for `--verbose`.
pub fn say_chosen(progress: &Progress, chosen: &Chosen, engine_was_asked_for: bool) {
    progress.say(format_args!("device: {}, {}", chosen.device(), chosen.reason()));
    let why = if engine_was_asked_for { "--engine" } else { "the default for this problem" };
    progress.say(format_args!("engine: {}, {why}", chosen.engine()));
}
