//! The device that tests run on. Not part of the API.

use std::sync::OnceLock;

use crate::adapter::{self, Choice, Kind};
use crate::device::{Device, Options};

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

/// Seconds that the device takes to copy `bytes` bytes from one buffer to another, by its own clock: the best of five.
#[doc(hidden)]
pub fn copy_seconds(device: &Device, bytes: u64) -> thalweg::Result<f64> {
    let (from, to) = (device.words(bytes / 4, "copy")?, device.words(bytes / 4, "copy")?);
    let mut best = f64::INFINITY;
    for _ in 0..6 {
        let mut commands = device.record();
        commands.start_clock();
        commands.copy((&from, 0), (&to, 0), bytes);
        best = best.min(commands.submit_timed()?.device.as_secs_f64());
    }
    Ok(best)
}
