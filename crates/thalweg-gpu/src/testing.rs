//! The device that tests run on. Not part of the API.

use std::sync::OnceLock;

use thalweg::Result;

use crate::adapter::{self, Choice, Kind};
use crate::array::DeviceArray;
use crate::device::{Device, Options};
use crate::recorder::Timing;

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
