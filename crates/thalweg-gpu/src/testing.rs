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

/// A kernel that copies: the yardstick for others, and work that raises the device's clock, which falls at every pause.
/// (The driver's own copy command is several times slower on some devices.)
#[doc(hidden)]
#[derive(Debug)]
pub struct Copy {
    device: Device,
    kernel: std::sync::Arc<crate::kernel::Kernel>,
    buffers: [crate::memory::Buffer; 2],
    bytes: u64,
}

impl Copy {
    /// Buffers of so many bytes.
    pub fn new(device: &Device, bytes: u64) -> thalweg::Result<Self> {
        const COPY: &str = "
            struct Params { count: u32 }
            @compute @workgroup_size(256)
            fn copy(
                @builtin(workgroup_id) group: vec3<u32>,
                @builtin(num_workgroups) groups: vec3<u32>,
                @builtin(local_invocation_index) thread: u32,
            ) {
                let start = linear_workgroup(group, groups) * 1024u + thread;
                for (var k = 0u; k < 4u; k++) {
                    let i = start + k * 256u;
                    if i < params.count { copied[i] = original[i]; }
                }
            }";
        let source = crate::kernel::Source::new("testing", COPY, "copy")
            .reads("original", "vec4<u32>")
            .writes("copied", "vec4<u32>");
        let kernel = device.kernel(&source)?;
        let buffers = [device.words(bytes / 4, "copy")?, device.words(bytes / 4, "copy")?];
        Ok(Self { device: device.clone(), kernel, buffers, bytes })
    }

    fn record(&self, commands: &mut crate::recorder::Recorder<'_>) -> thalweg::Result<()> {
        let count = self.bytes / 16;
        let [from, to] = &self.buffers;
        commands.dispatch(&self.kernel, count.div_ceil(1024), &[from.all(), to.all()], &[count as u32])
    }

    /// Keeps the device at work for so long.
    pub fn warm_up(&self, seconds: f64) -> thalweg::Result<()> {
        let start = std::time::Instant::now();
        while start.elapsed().as_secs_f64() < seconds {
            let mut commands = self.device.record();
            for _ in 0..20 {
                self.record(&mut commands)?;
            }
            let submission = commands.submit()?;
            self.device.poll(Some(submission))?;
        }
        Ok(())
    }

    /// Bytes read and written a second, by the device's clock, now.
    pub fn speed(&self) -> thalweg::Result<f64> {
        let mut commands = self.device.record();
        commands.start_clock();
        self.record(&mut commands)?;
        Ok(2.0 * self.bytes as f64 / commands.submit_timed()?.device.as_secs_f64())
    }
}

/// Content of an array that needs no host: see [`fill`].
#[doc(hidden)]
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
#[doc(hidden)]
pub fn fill(device: &Device, len: u64, pattern: Pattern) -> thalweg::Result<crate::DeviceArray<u32>> {
    let array = device.allocate::<u32>(len)?;
    let source = crate::kernel::Source::new("testing", include_str!("testing.wgsl"), "fill").writes("values", "u32");
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

/// Seconds that the device takes to fetch `up` bytes from the host's memory and to send `down` bytes there, by its own
/// clock, in pieces of 16 MiB: what a batch that streams cannot beat.
#[doc(hidden)]
pub fn transfer_seconds(device: &Device, up: u64, down: u64) -> thalweg::Result<(f64, f64)> {
    use crate::memory::Use;
    const PIECE: u64 = 16 << 20;
    let storage = device.words(PIECE / 4, "transfer")?;
    let (from, to) = (device.buffer(Use::Upload, PIECE, "transfer")?, device.buffer(Use::Download, PIECE, "transfer")?);
    let mut best = (f64::INFINITY, f64::INFINITY);
    for _ in 0..4 {
        let mut commands = device.record();
        commands.start_clock();
        for _ in 0..up.div_ceil(PIECE) {
            commands.copy((&from, 0), (&storage, 0), PIECE);
        }
        best.0 = best.0.min(commands.submit_timed()?.device.as_secs_f64());
        let mut commands = device.record();
        commands.start_clock();
        for _ in 0..down.div_ceil(PIECE) {
            commands.copy((&storage, 0), (&to, 0), PIECE);
        }
        best.1 = best.1.min(commands.submit_timed()?.device.as_secs_f64());
    }
    Ok(best)
}

/// Seconds that the host takes to fill and to empty the buffers of such transfers.
#[doc(hidden)]
pub fn host_seconds(device: &Device, up: u64, down: u64) -> thalweg::Result<(f64, f64)> {
    use crate::memory::Use;
    use crate::transfer::{copy_parallel, read_mapped, write_mapped};
    const PIECE: u64 = 64 << 20;
    let (to, back) = (device.buffer(Use::Upload, PIECE, "transfer")?, device.buffer(Use::Download, PIECE, "transfer")?);
    let storage = device.words(PIECE / 4, "transfer")?;
    let mut bytes = vec![1u8; PIECE as usize];
    let mut best = (f64::INFINITY, f64::INFINITY);
    for _ in 0..3 {
        let start = std::time::Instant::now();
        for _ in 0..up.div_ceil(PIECE) {
            write_mapped(device, &to, PIECE, |piece| copy_parallel(&bytes, piece))?;
        }
        best.0 = best.0.min(start.elapsed().as_secs_f64());
        let mut seconds = 0.0;
        for _ in 0..down.div_ceil(PIECE) {
            let mut commands = device.record();
            commands.copy((&storage, 0), (&back, 0), PIECE);
            let submission = commands.submit()?;
            read_mapped(device, &back, PIECE, submission, |piece| {
                let start = std::time::Instant::now();
                copy_parallel(piece, &mut bytes);
                seconds += start.elapsed().as_secs_f64();
            })?;
        }
        best.1 = best.1.min(seconds);
    }
    Ok(best)
}
