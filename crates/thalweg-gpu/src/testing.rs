//! The device that tests run on. Not part of the API.

use std::sync::OnceLock;

use thalweg::Result;

use crate::adapter::{self, Choice, Kind};
use crate::array::DeviceArray;
use crate::device::{Device, Options};
use crate::kernel::Source;
use crate::recorder::Timing;
use crate::transfer;

/// The device of `THALWEG_TEST_DEVICE` (a name or an index), else a GPU, else a software renderer, with all checks on.
/// `None` only if `THALWEG_SKIP_GPU=1` asks for it, which is printed.
///
/// # Panics
/// If there is none: a test that silently does nothing would pass for one that ran.
pub fn device() -> Option<Device> {
    static DEVICE: OnceLock<Option<Device>> = OnceLock::new();
    DEVICE.get_or_init(|| open(Options { checked: true, binding_bytes: None })).clone()
}

/// The same device, opened anew with these options.
pub fn open(options: Options) -> Option<Device> {
    if std::env::var_os("THALWEG_SKIP_GPU").is_some_and(|v| v == "1") {
        eprintln!("THALWEG_SKIP_GPU=1: tests on the GPU are skipped");
        return None;
    }
    let adapters = adapter::adapters();
    let choice = match std::env::var("THALWEG_TEST_DEVICE") {
        Ok(name) => name.parse().expect("every text is a choice"),
        Err(_) => match adapters.iter().find(|a| a.kind == Kind::Software) {
            Some(software) if adapter::automatic(&adapters).is_none() => Choice::Index(software.index),
            _ => Choice::Auto,
        },
    };
    match Device::open_with(&choice, options) {
        Ok(device) => Some(device),
        Err(e) => panic!(
            "{e}\nTests need a GPU or Mesa's software renderer (Debian: apt install mesa-vulkan-drivers libvulkan1). \
             THALWEG_SKIP_GPU=1 leaves them out."
        ),
    }
}

/// Copies an array to another of the same length and type, and returns the time: the device's memory speed.
pub fn copy_timed(from: &DeviceArray<u32>, to: &DeviceArray<u32>) -> Result<Timing> {
    let device = from.device();
    let mut commands = device.record();
    commands.start_clock();
    for ((start, end, from), (_, _, to)) in from.pieces().zip(to.pieces()) {
        commands.copy((from, 0), (to, 0), 4 * (end - start));
    }
    commands.submit_timed()
}

/// An array whose nearest smaller values a formula tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClosedForm {
    /// Increasing.
    Sorted,
    /// The thesis's worst case; of an even length, at most 2^31.
    Worst,
    /// Increasing again and again, by this period.
    Periodic(u32),
}

impl ClosedForm {
    fn source(self, body: &str) -> Source {
        let (form, period) = match self {
            Self::Sorted => (0, 1),
            Self::Worst => (1, 1),
            Self::Periodic(period) => (2, period),
        };
        let source = Source::new("closed_form", include_str!("closed_form.wgsl"), "closed_form");
        source.constant("FORM", form).constant("PERIOD", period).replace("BODY", body)
    }

    /// Makes the array on the device.
    pub fn fill(self, array: &DeviceArray<u32>) -> Result<()> {
        let device = array.device();
        let source = self.source("filled_put(i, element(i));").writes_sharded("filled", "u32", array.sharding());
        let mut commands = device.record();
        let bindings: Vec<_> = array.bindings().collect();
        commands.dispatch(&*device.kernel(&source)?, array.len().div_ceil(4096), &bindings, &[array.len() as u32])?;
        commands.submit().map(|_| ())
    }

    /// How many answers are wrong, on the left side or on the right.
    pub fn wrong(self, answers: &DeviceArray<u32>, left: bool) -> Result<u32> {
        let device = answers.device();
        let component = if left { "x" } else { "y" };
        let body = format!("if answers_at(i) != expected(i).{component} {{ atomicAdd(&wrong[0], 1u); }}");
        let source = self.source(&body).reads_sharded("answers", "u32", answers.sharding()).atomics("wrong");
        let wrong = device.words(1, "wrong answers")?;
        let mut commands = device.record();
        commands.clear(&wrong, 4);
        let bindings: Vec<_> = answers.bindings().chain([wrong.all()]).collect();
        commands.dispatch(&*device.kernel(&source)?, answers.len().div_ceil(4096), &bindings, &[answers.len() as u32])?;
        commands.submit()?;
        let mut count = 0;
        transfer::download(device, &wrong, 0, 4, |_, bytes| count = u32::from_ne_bytes(bytes.try_into().expect("four bytes")))?;
        Ok(count)
    }
}
