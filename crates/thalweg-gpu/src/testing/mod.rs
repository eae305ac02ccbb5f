//! Devices and arrays to test with: the device that the tests of this machine run on, and arrays that are made on a
//! device and whose answers a formula tells, at lengths that no host would check.

use std::sync::OnceLock;

use thalweg_core::Result;

use crate::runtime::adapter::{self, Kind};
use crate::runtime::array::DeviceArray;
use crate::runtime::context::Options;
use crate::runtime::device::Device;
use crate::runtime::kernel::Source;
use crate::runtime::transfer;

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
    let name = name()?;
    match Device::open_with(&name.parse().expect("every text is a choice"), options) {
        Ok(device) => Some(device),
        Err(e) => panic!(
            "{e}\nTests need a GPU or Mesa's software renderer (Debian: apt install mesa-vulkan-drivers libvulkan1). \
             THALWEG_SKIP_GPU=1 leaves them out."
        ),
    }
}

/// The same device, opened anew as if it could not load and store 64 bits at once.
pub fn with_word_atomics() -> Option<Device> {
    let mut adapter = adapter::choose(adapter::adapters(), &name()?.parse().expect("every text is a choice"))
        .expect("a device that can be opened is there");
    adapter.limits.int64_atomics = false;
    Some(Device::of(adapter, Options { checked: true, binding_bytes: None }).expect("it can be opened"))
}

/// What to pass as `--device` to run on that device.
pub fn name() -> Option<String> {
    if std::env::var_os("THALWEG_SKIP_GPU").is_some_and(|v| v == "1") {
        eprintln!("THALWEG_SKIP_GPU=1: tests on the GPU are skipped");
        return None;
    }
    let adapters = adapter::adapters();
    let software = || adapters.iter().find(|a| a.kind == Kind::Software).map(|a| a.index.to_string());
    let found = || if adapter::automatic(&adapters).is_some() { None } else { software() };
    Some(std::env::var("THALWEG_TEST_DEVICE").ok().or_else(found).unwrap_or_else(|| "gpu".into()))
}

/// Content of an array that needs no host: see [`fill`].
#[derive(Clone, Copy, Debug)]
pub enum Pattern {
    /// Numbers that look random.
    Random(u32),
    /// `position / 8`.
    Sorted,
    /// The distance to a position, modulo 2^32.
    Valley(u64),
    /// The low 32 bits of the position, modulo a period.
    Periodic(u32),
}

impl Pattern {
    /// The element at a position.
    pub fn at(self, position: u64) -> u32 {
        let mixed = |x: u32| {
            let z = (x ^ (x >> 16)).wrapping_mul(0x7feb_352d);
            let z = (z ^ (z >> 15)).wrapping_mul(0x846c_a68b);
            z ^ (z >> 16)
        };
        match self {
            Self::Random(seed) => mixed(position as u32 ^ mixed((position >> 32) as u32 ^ seed)),
            Self::Sorted => (position >> 3) as u32,
            Self::Valley(middle) => position.abs_diff(middle) as u32,
            Self::Periodic(period) => position as u32 % period,
        }
    }
}

/// An array made on the device.
pub fn fill(device: &Device, len: usize, pattern: Pattern) -> Result<DeviceArray<u32>> {
    let array = device.allocate::<u32>(len)?;
    let source =
        Source::new("testing", include_str!("fill.wgsl"), "fill").include(crate::wgsl::MIX).writes("values", "u32");
    let kernel = device.kernel(&source)?;
    let (kind, number) = match pattern {
        Pattern::Random(seed) => (0, seed.into()),
        Pattern::Sorted => (1, 0),
        Pattern::Valley(middle) => (2, middle),
        Pattern::Periodic(period) => (3, period.into()),
    };
    let mut commands = device.record();
    for (start, end, buffer) in array.pieces() {
        let params =
            [(end - start) as u32, start as u32, (start >> 32) as u32, kind, number as u32, (number >> 32) as u32];
        commands.dispatch(&kernel, (end - start).div_ceil(256), &[buffer.all()], &params)?;
    }
    commands.submit()?;
    Ok(array)
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
        commands.dispatch(&*device.kernel(&source)?, array.count().div_ceil(4096), &bindings, &[array.len() as u32])?;
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
        commands.dispatch(
            &*device.kernel(&source)?,
            answers.count().div_ceil(4096),
            &bindings,
            &[answers.len() as u32],
        )?;
        commands.submit()?;
        let mut count = 0;
        transfer::download(device, &wrong, 0, 4, |_, bytes| {
            count = u32::from_ne_bytes(bytes.try_into().expect("four bytes"))
        })?;
        Ok(count)
    }
}
