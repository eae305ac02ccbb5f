//! Where the work runs: on the CPU or on a GPU, which is opened while files are still being read, and closed while results are
//! already written.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

#[cfg(feature = "gpu")]
use thalweg::gpu::Phases;
use thalweg::{Chosen, Costs, Device, Error};

use crate::failure::{Failure, Outcome};
use crate::memory;
#[cfg(feature = "gpu")]
use crate::numbers::show_seconds;
use crate::progress::Progress;

/// Where to run
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Running")]
pub struct DeviceArgs {
    /// Where to run: auto, cpu, gpu, or an adapter's name or number (see `thalweg info`)
    ///
    /// auto takes the GPU only where it wins with the copies to and from it counted, and the CPU under `ulimit -v`.
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: String,
}

impl DeviceArgs {
    /// Whether a GPU was asked for, whichever.
    pub fn is_gpu(&self) -> bool {
        !["auto", "cpu"].iter().any(|word| self.is(word))
    }

    /// Whether a GPU is taken where it wins. Not where address space is limited: a driver takes hundreds of MiB of it, when it likes,
    /// which are missed by work that would fit.
    fn looks_for_gpu(&self) -> bool {
        self.is("auto") && memory::address_space().is_none()
    }

    fn is(&self, word: &str) -> bool {
        self.device.trim().eq_ignore_ascii_case(word)
    }

    /// Begins to open the device that was asked for, on a thread of its own; [`DeviceArgs::open`] waits for it.
    pub fn begin(&self) {
        if self.is_gpu() {
            let name = self.device.clone();
            begin(move || name.parse());
        }
    }

    /// The same for `auto`, if by these costs a GPU is taken: to be called as soon as the sizes are known.
    pub fn expect(&self, costs: Costs) {
        #[cfg(feature = "gpu")]
        if self.looks_for_gpu() && costs.gpu_wins(false) {
            begin(|| Device::open_automatic().map(|_| Device::Auto));
        }
        #[cfg(not(feature = "gpu"))]
        let _ = costs;
    }

    /// Opens the device, unless the library chooses.
    pub fn open(&self) -> Outcome<Device> {
        let start = Instant::now();
        let begun = opening().begun.take();
        let opened = match begun {
            Some(task) => task.wait().unwrap_or_else(|panic| resume_unwind(panic)),
            None => (self.device.parse(), start.elapsed()),
        };
        let (device, took) = opened;
        let mut opening = opening();
        (opening.took, opening.waited) = (took, start.elapsed());
        opening.limited = self.is("auto") && !self.looks_for_gpu();
        // Where the library could not open what it would have taken, it says so itself, and goes on without.
        let device = match device {
            _ if self.looks_for_gpu() => Ok(Device::Auto),
            _ if opening.limited => Ok(Device::Cpu),
            device => device,
        };
        opening.device = device.as_ref().ok().cloned();
        device.map_err(|error| match error {
            Error::Device(error) => Failure::at("--device", error),
            Error::BadOption { reason, .. } => Failure::at("--device", reason),
            other => other.into(),
        })
    }
}

/// Something that a thread of its own does with the driver. The thread stays until the program ends: a driver takes 10 ms to
/// forget one that has opened an H200, for which nobody should wait.
struct Task<T>(Receiver<thread::Result<T>>);

impl<T: Send + 'static> Task<T> {
    /// Begins it, if there is a thread to be had.
    fn begin(name: &str, work: impl FnOnce() -> T + Send + 'static) -> Option<Self> {
        let (done, waiting) = channel();
        memory::spawn(name, move || {
            // Nobody may be waiting any more.
            let _ = done.send(catch_unwind(AssertUnwindSafe(work)));
            loop {
                thread::park();
            }
        })?;
        Some(Self(waiting))
    }

    /// What came of it.
    fn wait(self) -> thread::Result<T> {
        self.0.recv().expect("the thread has sent it, or will")
    }
}

/// A GPU that is being opened, or was.
struct Opening {
    begun: Option<Task<(thalweg::Result<Device>, Duration)>>,
    device: Option<Device>,
    /// It is the CPU, as address space is limited.
    limited: bool,
    /// What it has told when it was let go, and who gives it back.
    #[cfg(feature = "gpu")]
    phases: Option<Phases>,
    closing: Option<Task<()>>,
    /// How long it took to open it, and how much of that somebody waited.
    took: Duration,
    waited: Duration,
}

/// The process opens one.
static OPENING: Mutex<Opening> = Mutex::new(Opening {
    begun: None,
    device: None,
    limited: false,
    #[cfg(feature = "gpu")]
    phases: None,
    closing: None,
    took: Duration::ZERO,
    waited: Duration::ZERO,
});

fn opening() -> MutexGuard<'static, Opening> {
    OPENING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where the system has no thread for it, it is opened when it is needed.
fn begin(open: impl FnOnce() -> thalweg::Result<Device> + Send + 'static) {
    let timed = || {
        let start = Instant::now();
        (open(), start.elapsed())
    };
    opening().begun = Task::begin("device", timed);
}

/// Lets go of the GPU, if there is one, when all answers are on the host. `last` is what the caller still holds of it. It is closed
/// on a thread of its own, while answers are checked and written: an H200's driver takes 55 ms for that and more, which the end of
/// the program would wait for.
pub fn let_go(last: impl Sized) {
    drop(last);
    #[cfg(feature = "gpu")]
    {
        let mut opening = opening();
        let Some(gpu) = opening.device.as_ref().and_then(Device::gpu) else { return };
        opening.phases = Some(gpu.phases());
        drop(gpu);
        let device = opening.device.take();
        let close = move || {
            // What it has compiled is gone with it.
            crate::kernels::save();
            device.into_iter().for_each(Device::close);
        };
        opening.closing = Task::begin("closing", close);
    }
}

/// Waits for a device that is being opened or closed: a program must not end in the middle of a driver's work.
pub fn settle() {
    let (opened, closed) = {
        let mut opening = opening();
        (opening.begun.take(), opening.closing.take())
    };
    if let Some(task) = opened {
        let _ = task.wait();
    }
    if let Some(task) = closed {
        let _ = task.wait();
    }
}

/// Where the time of the GPU went, if one was opened, in words.
#[cfg(feature = "gpu")]
pub fn times() -> Option<String> {
    let opening = opening();
    let phases = match &opening.phases {
        Some(phases) => *phases,
        None => opening.device.as_ref()?.gpu()?.phases(),
    };
    let shown = |(name, time): (&str, Duration)| {
        let beside = opening.took.saturating_sub(opening.waited);
        let note = match name {
            "opening" if !beside.is_zero() => format!(" ({} of it beside reading)", show_seconds(beside.as_secs_f64())),
            _ => String::new(),
        };
        format!("{name} {}{note}", show_seconds(time.as_secs_f64()))
    };
    let parts: Vec<String> = phases.named().into_iter().filter(|(_, time)| !time.is_zero()).map(shown).collect();
    Some(parts.join(", "))
}

/// There are none.
#[cfg(not(feature = "gpu"))]
pub fn times() -> Option<String> {
    None
}

/// Tells where the answer is from, for `--verbose`.
pub fn say_chosen(progress: &Progress, chosen: &Chosen, engine_was_asked_for: bool) {
    // The library was not left the choice, and does not know why.
    let reason = if opening().limited { "which auto takes under ulimit -v" } else { chosen.reason() };
    progress.say(format_args!("device: {}, {reason}", chosen.device()));
    let why = if engine_was_asked_for { "--engine" } else { "the default for this problem" };
    progress.say(format_args!("engine: {}, {why}", chosen.engine()));
}
