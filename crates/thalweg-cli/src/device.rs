//! Where the work runs: on the CPU or on a GPU.

#[cfg(feature = "gpu")]
use crate::failure::Failure;
use crate::failure::Outcome;
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

/// Why `auto` takes the GPU, or why it does not.
pub type Pays = Result<String, String>;

/// What a run costs, roughly: seconds on all threads of the CPU, and seconds on a GPU with all copies.
///
/// `auto` compares the two. What a GPU costs is not known before it is opened, and opening it is most of what it costs
/// for all but the largest inputs. So the rule is made of round numbers: whole runs on an H200 with 16 cores, and
/// `thalweg bench` on one and two (`bench/auto-rule.py`; `bench/results/auto-h200.csv`). Most inputs stay on the CPU: what
/// wins on a GPU is a large batch of queries, and trees of some 2^24 nodes on.
pub struct Costs {
    /// Seconds on all threads of the CPU.
    pub cpu: f64,
    /// Bytes copied to the device.
    pub bytes_up: f64,
    /// Bytes copied back.
    pub bytes_down: f64,
    /// Seconds on the device beside the copies, where they count.
    pub device: f64,
}

/// Seconds to find and open a GPU and to compile kernels: 0.23 to 0.31 measured.
const OPEN: f64 = 0.25;
/// Bytes a second over the bus, with the host's copies and the memory that the host and the device touch for the first
/// time: 7 to 8 GB/s measured for arrays of 2^28 and 2^30 elements.
const BUS: f64 = 8e9;

impl Costs {
    /// Whether the GPU wins.
    pub fn pays(&self) -> Pays {
        let gpu = OPEN + (self.bytes_up + self.bytes_down) / BUS + self.device;
        let text = format!("about {:.1} s on the CPU, {gpu:.1} s on a GPU with its start and the copies", self.cpu);
        if gpu < self.cpu { Ok(text) } else { Err(text) }
    }
}

/// What `--engine` says about the device, if it is given: engines of the CPU stay there.
pub fn by_engine<E: std::str::FromStr>(engine: Option<&str>) -> Option<Pays> {
    let name = engine?;
    Some(if name.parse::<E>().is_ok() { Err(format!("--engine {name}")) } else { Ok(format!("--engine {name}")) })
}

/// Where the work runs.
pub enum Place {
    /// On the CPU.
    Cpu,
    /// On a GPU that was opened.
    #[cfg(feature = "gpu")]
    Gpu(thalweg_gpu::Device),
}

impl Place {
    /// The device's name, for the report.
    pub fn name(&self) -> String {
        match self {
            Self::Cpu => "cpu".into(),
            #[cfg(feature = "gpu")]
            Self::Gpu(device) => device.name().into(),
        }
    }
}

impl DeviceArgs {
    /// Whether the choice is ours, so that a device that fails may be left for the CPU.
    #[cfg(feature = "gpu")]
    pub fn is_auto(&self) -> bool {
        self.device == "auto"
    }

    /// Opens the device. `pays` is the problem's own rule for `auto`: why the GPU wins, or why it does not.
    pub fn open(&self, pays: Pays, progress: &Progress) -> Outcome<Place> {
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

/// Opens the device of `--device`.
#[cfg(feature = "gpu")]
pub fn open(name: &str) -> Outcome<thalweg_gpu::Device> {
    thalweg_gpu::Device::open(&name.parse()?).map_err(|e| match e {
        thalweg::Error::Device(error) => Failure::at("--device", error),
        other => other.into(),
    })
}

#[cfg(feature = "gpu")]
fn named(name: &str, progress: &Progress) -> Outcome<Place> {
    let device = open(name)?;
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
