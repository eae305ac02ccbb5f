//! What the card's memory can do: the yardstick for every engine.

use std::time::{Duration, Instant};

use thalweg_core::Result;

use super::device::Device;
use super::kernel::Source;

/// Speeds of a device's memory, measured.
#[derive(Clone, Copy, Debug)]
pub struct Card {
    /// Bytes of the arrays that were copied and read.
    pub bytes: u64,
    /// Billions of bytes a second, read and written, of a kernel that copies.
    pub copy_gb_per_s: f64,
    /// Billions of reads a second of 64 bytes each, at random places.
    pub random_reads_g_per_s: f64,
    /// Billions of reads a second of 8 bytes each, at random places: what following links costs.
    pub random_pairs_g_per_s: f64,
}

/// Threads of a workgroup, and reads that each thread has under way.
const THREADS: u32 = 256;
const ITEMS: u32 = 4;
/// Bytes of the array that is copied to keep the device busy: such as a pool keeps.
const WARM_UP_BYTES: u64 = 512 << 20;
/// How long a device is kept busy at least before it is measured.
const WARM_UP: Duration = Duration::from_millis(500);
/// Timed runs; the median counts.
const RUNS: usize = 5;

/// Keeps a device busy until its clock is up. An idle card runs at a fraction of its clock and takes a while to speed up
/// (an H200: 345 MHz against 1,980), so measurements begin with this. A software renderer needs none.
pub fn warm_up(device: &Device) -> Result<()> {
    if device.is_software() {
        return Ok(());
    }
    let groups = (device.limits().binding_bytes.min(WARM_UP_BYTES) / 16 / u64::from(THREADS * ITEMS)).max(1);
    let vectors = groups * u64::from(THREADS * ITEMS);
    let (from, to) = (device.words(4 * vectors, "warm-up")?, device.words(4 * vectors, "warm-up")?);
    let kernel = device.kernel(&source("copy"))?;
    let (start, mut best) = (Instant::now(), f64::INFINITY);
    loop {
        // Some milliseconds of work at a time, so that the device hardly waits for the host.
        let mut commands = device.record();
        commands.start_clock();
        for _ in 0..32 {
            commands.dispatch(&kernel, groups, &[from.all(), to.all()], &[vectors as u32])?;
        }
        let took = commands.submit_timed()?.device.as_secs_f64();
        best = best.min(took);
        let spent = start.elapsed();
        // As fast as it ever was, for long enough.
        if (spent >= WARM_UP && took < 1.02 * best) || spent >= 4 * WARM_UP {
            return Ok(());
        }
    }
}

/// Measures a device, on arrays of at most `bytes` bytes.
///
/// ```no_run
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let card = thalweg_gpu::measure(&device, 1 << 30)?;
/// println!("copies {:.0} GB/s", card.copy_gb_per_s);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub fn measure(device: &Device, bytes: u64) -> Result<Card> {
    // Whole workgroups' worth of 16-byte vectors.
    let group = u64::from(THREADS * ITEMS);
    let groups = (bytes.min(device.limits().binding_bytes) / 16 / group).max(1);
    let vectors = groups * group;
    let from = device.words(4 * vectors, "copy speed")?;
    let to = device.words(4 * vectors, "copy speed")?;
    warm_up(device)?;
    let time = |entry| -> Result<f64> {
        let kernel = device.kernel(&source(entry))?;
        let mut times = Vec::new();
        for _ in 0..=RUNS {
            let mut commands = device.record();
            commands.start_clock();
            commands.dispatch(&kernel, groups, &[from.all(), to.all()], &[vectors as u32])?;
            times.push(commands.submit_timed()?.device.as_nanos() as f64);
        }
        times.remove(0);
        times.sort_by(f64::total_cmp);
        Ok(times[RUNS / 2].max(1.0))
    };
    Ok(Card {
        bytes: 16 * vectors,
        copy_gb_per_s: 32.0 * vectors as f64 / time("copy")?,
        // Four neighbouring threads read one line of 64 bytes.
        random_reads_g_per_s: vectors as f64 / 4.0 / time("random_reads")?,
        random_pairs_g_per_s: vectors as f64 / time("random_pairs")?,
    })
}

fn source(entry: &'static str) -> Source {
    Source::new("bandwidth", include_str!("bandwidth.wgsl"), entry)
        .constant("THREADS", THREADS)
        .constant("ITEMS", ITEMS)
        .include(crate::wgsl::MIX)
        .reads("input", "vec4<u32>")
        .writes("output", "vec4<u32>")
}
