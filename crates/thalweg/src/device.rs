//! Where work runs: on the CPU, on a GPU, or wherever it is faster.

#[cfg(not(feature = "gpu"))]
use thalweg_core::Answer;
use thalweg_core::{Chosen, Result};

use crate::costs::Costs;

/// Where work runs. Builders take one; results are the same everywhere, bit for bit.
///
/// ```
/// use thalweg::{Device, rmq};
/// let rmq = rmq::Builder::new().device(Device::Cpu).build(&[3, 1, 2])?;
/// assert_eq!(rmq.position(..), Some(1));
/// assert!(rmq.chosen().is_cpu());
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Device {
    /// Where it is faster by the problem's costs, with the start of a GPU and all copies counted. A GPU is opened only if
    /// it pays, is then kept for the next time, and where it fails the CPU does the work. Without the feature `gpu`, the
    /// CPU.
    #[default]
    Auto,
    /// The threads of the current rayon pool.
    Cpu,
    /// A GPU that was opened. What it cannot do is an error.
    #[cfg(feature = "gpu")]
    Gpu(thalweg_gpu::Device),
}

#[cfg(feature = "gpu")]
impl From<thalweg_gpu::Device> for Device {
    fn from(device: thalweg_gpu::Device) -> Self {
        Self::Gpu(device)
    }
}

#[cfg(feature = "gpu")]
impl From<&thalweg_gpu::Device> for Device {
    fn from(device: &thalweg_gpu::Device) -> Self {
        Self::Gpu(device.clone())
    }
}

impl std::str::FromStr for Device {
    type Err = thalweg_core::Error;

    /// `auto`, `cpu`, `gpu` for the best GPU, or an adapter's name or number, in whatever case. A GPU is opened.
    fn from_str(name: &str) -> Result<Self> {
        match name.trim().to_ascii_lowercase().as_str() {
            "auto" => Ok(Self::Auto),
            "cpu" => Ok(Self::Cpu),
            #[cfg(feature = "gpu")]
            _ => Ok(Self::Gpu(thalweg_gpu::Device::open(&name.parse()?)?)),
            #[cfg(not(feature = "gpu"))]
            _ => {
                let reason = format!("'{name}': this build has no GPUs (cargo feature gpu)");
                Err(thalweg_core::Error::BadOption { option: "device", reason })
            }
        }
    }
}

/// A question to be answered somewhere: what `Auto` must know.
pub(crate) struct Question {
    /// The engine asked for, or the default.
    pub(crate) engine: &'static str,
    /// The engine that a GPU would take, which may have another default.
    #[cfg_attr(not(feature = "gpu"), allow(dead_code))]
    pub(crate) gpu_engine: &'static str,
    /// Whether somebody asked for it.
    pub(crate) asked: bool,
    /// Whether the CPU and a GPU have it.
    #[cfg_attr(not(feature = "gpu"), allow(dead_code))]
    pub(crate) on_cpu: bool,
    #[cfg_attr(not(feature = "gpu"), allow(dead_code))]
    pub(crate) on_gpu: bool,
    /// What it costs.
    #[cfg_attr(not(feature = "gpu"), allow(dead_code))]
    pub(crate) costs: Costs,
}

impl Question {
    fn chosen_on_cpu(&self, reason: String) -> Chosen {
        let engine = if self.asked { "the engine that was asked for" } else { "the default engine" };
        Chosen::on_cpu(self.engine, format!("{reason}; {engine}"))
    }
}

impl Device {
    /// Lets go of the GPU behind it, which is closed, and gives its memory back, as soon as nothing else holds it: not only
    /// builders do, but also what was built there. [`Device::Auto`] opens one again when it pays.
    ///
    /// ```
    /// use thalweg::{Device, list::Builder};
    /// assert_eq!(*Builder::new().device(Device::Auto).rank(&[1u32, 1])?, [1, 0]);
    /// Device::Auto.close();
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn close(self) {
        #[cfg(feature = "gpu")]
        if matches!(self, Self::Auto) {
            gpu::close();
        }
    }

    /// Answers on the CPU, whatever the costs.
    #[cfg(not(feature = "gpu"))]
    pub(crate) fn run_on_cpu<T>(&self, question: &Question, on_cpu: impl FnOnce() -> Result<T>) -> Result<Answer<T>> {
        let reason = match self {
            Self::Auto => "built without GPUs",
            Self::Cpu => "the device that was asked for",
        };
        Ok(Answer::new(on_cpu()?, question.chosen_on_cpu(reason.into())))
    }
}

#[cfg(feature = "gpu")]
mod gpu {
    use std::sync::{Mutex, MutexGuard};

    use thalweg_core::{Answer, Chosen, Error, Result};
    use thalweg_gpu::Choice;

    use super::{Device, Question};

    /// The GPU that `Auto` has opened, or why there is none.
    static OPENED: Mutex<Option<std::result::Result<thalweg_gpu::Device, Error>>> = Mutex::new(None);

    fn opened() -> MutexGuard<'static, Option<std::result::Result<thalweg_gpu::Device, Error>>> {
        OPENED.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Opens the best GPU, or takes the one that is open.
    fn open() -> Result<thalweg_gpu::Device> {
        let mut opened = opened();
        // A device that was lost is opened again.
        if let Some(Ok(device)) = &*opened
            && device.is_alive()
        {
            return Ok(device.clone());
        }
        if let Some(Err(error)) = &*opened {
            return Err(error.clone());
        }
        opened.insert(thalweg_gpu::Device::open(&Choice::Auto)).clone()
    }

    /// Lets go of the GPU that is kept. That there is none need not be found out again.
    pub(super) fn close() {
        let kept = opened().take_if(|kept| kept.is_ok());
        // Closing takes its time, and whoever wants to open another one need not wait for it.
        drop(kept);
    }

    /// Whether an error is the device's fault, so that the CPU may do better.
    fn is_devices_fault(error: &Error) -> bool {
        matches!(error, Error::Device(_) | Error::NotOnDevice { .. } | Error::OutOfMemory { .. } | Error::Width { .. })
    }

    /// Where a question goes.
    enum Way {
        /// To the CPU, and why.
        Cpu(String),
        /// To a GPU, what is told then, and whether the CPU takes over where it fails.
        Gpu { device: thalweg_gpu::Device, chosen: Chosen, or_cpu: bool },
    }

    impl Device {
        /// Opens the GPU that [`Device::Auto`] takes where that pays, so that it is open when a question comes: for a thread
        /// of its own, while data is still being read. It is kept, and found again, by `Auto`.
        ///
        /// # Errors
        /// Where there is no such GPU, or it does not open.
        pub fn open_automatic() -> Result<thalweg_gpu::Device> {
            open()
        }

        /// The GPU behind it, if it is open: the one that was given, or that which [`Device::Auto`] has taken so far.
        pub fn gpu(&self) -> Option<thalweg_gpu::Device> {
            match self {
                Self::Cpu => None,
                Self::Gpu(device) => Some(device.clone()),
                Self::Auto => opened().as_ref().and_then(|opened| opened.as_ref().ok().cloned()),
            }
        }

        /// Answers on the device that is asked for, or on the one that is faster.
        ///
        /// Compiled for every kind of question, so all that is the same for them is elsewhere.
        pub(crate) fn run_on_either<T>(
            &self,
            question: &Question,
            on_gpu: impl FnOnce(&thalweg_gpu::Device) -> Result<T>,
            on_cpu: impl FnOnce() -> Result<T>,
        ) -> Result<Answer<T>> {
            let why_cpu = match self.way(question)? {
                Way::Cpu(why) => why,
                Way::Gpu { device, chosen, or_cpu } => match on_gpu(&device) {
                    Ok(value) => return Ok(Answer::new(value, chosen)),
                    Err(error) => why_not(error, or_cpu)?,
                },
            };
            Ok(Answer::new(on_cpu()?, question.chosen_on_cpu(why_cpu)))
        }

        fn way(&self, question: &Question) -> Result<Way> {
            let to = |device: thalweg_gpu::Device, why: &str, or_cpu| {
                let chosen = Chosen::on_device(device.name(), question.gpu_engine, why);
                Way::Gpu { device, chosen, or_cpu }
            };
            Ok(match self {
                Self::Cpu => Way::Cpu("the device that was asked for".into()),
                Self::Gpu(device) => to(device.clone(), "the device that was asked for", false),
                Self::Auto => match question.why_not_gpu() {
                    Err(why_cpu) => Way::Cpu(why_cpu),
                    Ok(why_gpu) => match open() {
                        Ok(device) => to(device, &why_gpu, question.on_cpu),
                        Err(error) => Way::Cpu(why_not(error, question.on_cpu)?),
                    },
                },
            })
        }
    }

    /// Why the CPU takes over after an error, if it may and can do better.
    fn why_not(error: Error, or_cpu: bool) -> Result<String> {
        if or_cpu && is_devices_fault(&error) { Ok(error.to_string()) } else { Err(error) }
    }

    impl Question {
        /// Why a GPU should answer, or why not.
        fn why_not_gpu(&self) -> std::result::Result<String, String> {
            if !self.on_gpu {
                return Err(format!("{} is an engine of the CPU", self.engine));
            }
            if !self.on_cpu {
                return Ok(format!("{} is an engine of GPUs", self.gpu_engine));
            }
            let is_open = matches!(&*opened(), Some(Ok(_)));
            let text = self.costs.in_words(is_open);
            if self.costs.gpu_wins(is_open) { Ok(text) } else { Err(text) }
        }
    }
}

/// Answers a [`Question`] on a device: `on_device!(device, question, |gpu| .., || ..)`. Without the feature `gpu`, what is
/// to be done on one is not compiled.
macro_rules! on_device {
    ($device:expr, $question:expr, |$gpu:ident| $on_gpu:expr, || $on_cpu:expr) => {{
        #[cfg(feature = "gpu")]
        let answer = $device.run_on_either(&$question, |$gpu| $on_gpu, || $on_cpu);
        #[cfg(not(feature = "gpu"))]
        let answer = $device.run_on_cpu(&$question, || $on_cpu);
        answer
    }};
}
pub(crate) use on_device;

/// Threads that the CPU would use.
pub(crate) fn threads() -> usize {
    rayon::current_num_threads()
}
