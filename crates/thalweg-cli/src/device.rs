//! Where the work runs: on the CPU or on a GPU.

use crate::failure::Outcome;
#[cfg(feature = "gpu")]
use crate::failure::Failure;
use crate::progress::Progress;

/// Where to run
#[derive(clap::Args)]
#[command(next_help_heading = "Running")]
pub struct DeviceArgs {
    /// Where to run: auto, cpu, gpu, or an adapter's name or number (see `thalweg info`)
    ///
    /// auto takes the GPU only where it wins with the copies to and from it counted.
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: String,
}

/// Where the work runs.
pub enum Place {
    Cpu,
    #[cfg(feature = "gpu")]
    Gpu(thalweg_gpu::Device),
}

impl DeviceArgs {
    /// Opens the device. `pays` is the problem's own rule for `auto`: why the GPU wins, or why it does not.
    pub fn open(&self, pays: Result<String, String>, progress: &Progress) -> Outcome<Place> {
        match (&self.device[..], pays) {
            ("cpu", _) => {
                progress.say(format_args!("device: cpu, --device"));
                Ok(Place::Cpu)
            }
            ("auto", Err(why)) => {
                progress.say(format_args!("device: cpu, {why}"));
                Ok(Place::Cpu)
            }
            ("auto", Ok(why)) => Ok(automatic(&why, progress)),
            (name, _) => named(name, progress),
        }
    }
}

#[cfg(feature = "gpu")]
fn automatic(why: &str, progress: &Progress) -> Place {
    match thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto) {
        Ok(device) => {
            progress.say(format_args!("device: {}, {why}", device.name()));
            Place::Gpu(device)
        }
        Err(e) => {
            progress.say(format_args!("device: cpu, {e}"));
            Place::Cpu
        }
    }
}

#[cfg(feature = "gpu")]
fn named(name: &str, progress: &Progress) -> Outcome<Place> {
    let device = thalweg_gpu::Device::open(&name.parse()?).map_err(|e| Failure::at("--device", e))?;
    progress.say(format_args!("device: {}, --device", device.name()));
    Ok(Place::Gpu(device))
}

#[cfg(not(feature = "gpu"))]
fn automatic(_why: &str, progress: &Progress) -> Place {
    progress.say(format_args!("device: cpu, built without GPUs"));
    Place::Cpu
}

#[cfg(not(feature = "gpu"))]
fn named(name: &str, _progress: &Progress) -> Outcome<Place> {
    Err(crate::failure::Failure::at("--device", format_args!("{name}: this build has no GPUs (cargo feature gpu)")))
}
