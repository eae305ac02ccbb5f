//! Times the primitives' kernels on the device, in many shapes, and checks every result.
//!
//! Usage: tune_prims [LOG2_N] [PART...]; parts are reduce, scan, compact, sort; all by default.

use std::time::{Duration, Instant};

use rayon::prelude::*;
use thalweg::Order;
use thalweg::Result;
use thalweg_gpu::primitives::tuning::{self, Patience, Radix, Scan, Shape, Tile};
use thalweg_gpu::primitives::{self, Op};
use thalweg_gpu::{Choice, Device, DeviceArray, Timing};

struct Bench {
    /// Nanoseconds to copy one byte (read and written).
    copy: f64,
    began: Instant,
}

/// After this, lines are left out.
const BUDGET: Duration = Duration::from_secs(52);

impl Bench {
    /// Median of 5 after a warm-up, with the speed as a part of the copy's, for so many bytes read and written.
    fn line(
        &self,
        name: &str,
        bytes: u64,
        mut run: impl FnMut() -> Result<Timing>,
        check: impl FnOnce() -> Result<bool>,
    ) {
        let started = Instant::now();
        if self.began.elapsed() > BUDGET {
            return println!("{name:<64} left out");
        }
        let mut times = || -> Result<Vec<Duration>> {
            run()?;
            let mut times = (0..5).map(|_| run().map(|t| t.device)).collect::<Result<Vec<_>>>()?;
            times.sort();
            Ok(times)
        };
        match times().and_then(|times| Ok((times, check()?))) {
            Ok((times, right)) => {
                let ms = times[2].as_secs_f64() * 1e3;
                let part = 100.0 * self.copy * bytes as f64 / (ms * 1e6);
                let low = times[0].as_secs_f64() * 1e3;
                let verdict = if right { "ok" } else { "WRONG" };
                let wall = started.elapsed().as_secs_f64();
                println!("{name:<64} {ms:8.3} ms (best {low:.3})  {part:5.1}% of copy  {verdict}  [{wall:.1} s]");
            }
            Err(e) => println!("{name:<64} failed: {e}"),
        }
    }
}

fn hash(i: u64) -> u32 {
    let mut x = i as u32 ^ (i >> 32) as u32;
    x = (x ^ (x >> 16)).wrapping_mul(0x7feb_352d);
    x = (x ^ (x >> 15)).wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

fn scan_of<T: Copy + Send + Sync>(values: &[T], zero: T, op: impl Fn(T, T) -> T + Sync) -> Vec<T> {
    thalweg::primitives::inclusive_scan(values, zero, op).expect("memory for the expected result")
}

fn same<K: thalweg::Key + Eq>(out: &DeviceArray<K>, want: &[K]) -> Result<bool> {
    let got = out.to_vec()?;
    Ok(got.len() == want.len() && got.par_chunks(1 << 20).zip(want.par_chunks(1 << 20)).all(|(a, b)| a == b))
}

fn main() -> Result<()> {
    let began = Instant::now();
    let mut arguments = std::env::args().skip(1);
    let log = arguments.next().map_or(28, |a| a.parse().expect("LOG2_N is a number"));
    let parts: Vec<String> = arguments.collect();
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|p| p == part);
    let choice = std::env::var("THALWEG_TEST_DEVICE").map_or(Choice::Auto, |name| name.parse().expect("a choice"));
    let device = Device::open(&choice)?;
    println!("{} ({}), {:?}", device.name(), device.driver(), device.limits());
    let n = 1u64 << log;
    let keys: Vec<u32> = (0..n).into_par_iter().map(hash).collect();
    let array = device.upload(&keys)?;
    let out = device.allocate::<u32>(n)?;
    let mut bench = Bench { copy: 0.0, began };
    for (threads, packs) in [(256, 1), (256, 4), (256, 8), (512, 2), (512, 4), (1024, 1)] {
        let tile = Tile { threads, packs };
        let mut times =
            (0..6).map(|_| Ok(tuning::time_copy_kernel(&array, &out, tile)?.device)).collect::<Result<Vec<_>>>()?;
        times.sort();
        let nanoseconds = times[2].as_secs_f64() * 1e9;
        println!("copy of 2^{log} u32, {threads}x{packs}: {:.3} ms", nanoseconds / 1e6);
        bench.copy =
            if bench.copy > 0.0 { bench.copy.min(nanoseconds / (8 * n) as f64) } else { nanoseconds / (8 * n) as f64 };
    }

    let tiles = |list: &[(u32, u32)]| list.iter().map(|&(threads, packs)| Tile { threads, packs }).collect::<Vec<_>>();
    if wanted("reduce") {
        for tile in tiles(&[(256, 8), (256, 16), (512, 8), (1024, 4)]) {
            bench.line(
                &format!("reduce u32 min {tile:?}"),
                4 * n,
                || tuning::time_reduce(&array, Op::Min, tile),
                || Ok(true),
            );
        }
        let tile = Tile { threads: 256, packs: 16 };
        bench.line(
            "reduce u32 sum 256x16",
            4 * n,
            || tuning::time_reduce(&array, Op::Sum, tile),
            || {
                let want = keys.par_iter().copied().reduce(|| 0, u32::wrapping_add);
                Ok(primitives::reduce(&array, Op::Sum)? == Some(want))
            },
        );
    }
    if wanted("sort") {
        sorts(&device, &bench, &keys[..keys.len() / 2])?;
    }
    if wanted("scan") {
        let want = scan_of(&keys, 0, u32::wrapping_add);
        let patience = Patience::default();
        for one_pass in [Some(patience), None] {
            let shapes = [
                (256, 3),
                (256, 4),
                (512, 4),
                (128, 4),
                (128, 6),
                (256, 2),
                (256, 6),
                (256, 8),
                (512, 2),
                (512, 6),
                (1024, 2),
            ];
            for tile in tiles(if one_pass.is_some() { &shapes } else { &shapes[..3] }) {
                let scan = Scan { tile, one_pass };
                let way = if one_pass.is_some() { "look-back" } else { "two passes" };
                bench.line(
                    &format!("scan u32 sum {way} {}x{}", tile.threads, tile.packs),
                    8 * n,
                    || tuning::time_scan(&array, &out, Op::Sum, false, scan),
                    || same(&out, &want),
                );
            }
        }
        let tile = Tile { threads: 256, packs: 4 };
        for spins in [0, 16, 1 << 14] {
            let scan = Scan { tile, one_pass: Some(Patience { spins, silent: false }) };
            bench.line(
                &format!("scan u32 sum look-back 256x4 spins {spins}"),
                8 * n,
                || tuning::time_scan(&array, &out, Op::Sum, false, scan),
                || same(&out, &want),
            );
        }
        let scan = Scan { tile, one_pass: Some(Patience { spins: 16, silent: true }) };
        bench.line(
            "scan u32 sum look-back 256x4, every other tile silent",
            8 * n,
            || tuning::time_scan(&array, &out, Op::Sum, false, scan),
            || same(&out, &want),
        );
        let want = scan_of(&keys, u32::MAX, u32::min);
        bench.line(
            "scan u32 min look-back 256x4",
            8 * n,
            || tuning::time_scan(&array, &out, Op::Min, false, Scan { tile, one_pass: Some(patience) }),
            || same(&out, &want),
        );
        let wide: Vec<u64> = keys[..keys.len() / 2].par_iter().map(|&k| u64::from(k) << 20 | 7).collect();
        let (wide_array, wide_out) = (device.upload(&wide)?, device.allocate::<u64>(n / 2)?);
        let want = scan_of(&wide, 0, u64::wrapping_add);
        for tile in tiles(&[(256, 2), (256, 4), (256, 6)]) {
            bench.line(
                &format!("scan u64 sum (half as many) look-back {}x{}", tile.threads, tile.packs),
                8 * n,
                || tuning::time_scan(&wide_array, &wide_out, Op::Sum, false, Scan { tile, one_pass: Some(patience) }),
                || same(&wide_out, &want),
            );
        }
    }
    if wanted("compact") {
        for (name, test) in [("half", 1u32), ("1 in 64", 63), ("all", 0)] {
            let flags: Vec<u32> = (0..n).into_par_iter().map(|i| u32::from(hash(i + (1 << 33)) & test == 0)).collect();
            let flag_array = device.upload(&flags)?;
            let kept: Vec<u32> = keys.iter().zip(&flags).filter(|p| *p.1 != 0).map(|p| *p.0).collect();
            let shapes = [(256, 4), (256, 2), (256, 3), (256, 6), (512, 2), (512, 3), (512, 4)];
            for tile in tiles(if test == 1 { &shapes } else { &shapes[..1] }) {
                let shape = Shape { tile, patience: Patience::default() };
                bench.line(
                    &format!("compact u32 {name} {}x{}", tile.threads, tile.packs),
                    8 * n + 4 * kept.len() as u64,
                    || tuning::time_compact(&array, &flag_array, &out, shape),
                    || {
                        let got = out.to_vec()?;
                        Ok(got[..kept.len()] == kept)
                    },
                );
            }
        }
    }
    Ok(())
}

/// Radix sorts of half as many keys.
fn sorts(device: &Device, bench: &Bench, keys: &[u32]) -> Result<()> {
    let n = keys.len() as u64;
    let array = device.upload(keys)?;
    let mut want = keys.to_vec();
    want.par_sort_unstable();
    let patience = Some(Patience::default());
    let shape = |threads, items, ahead, one_pass| Radix { threads, items, digit_bits: 8, ahead, one_pass };
    let default = shape(256, 16, 2, patience);
    bench.line(
        "radix sort, u32 (half as many), count of digits",
        4 * n,
        || tuning::time_radix_histogram(&array, default),
        || Ok(true),
    );
    for (threads, items, ahead, one_pass) in [
        (256, 16, 1, patience),
        (256, 16, 2, patience),
        (256, 16, 4, patience),
        (256, 12, 2, patience),
        (256, 20, 2, patience),
        (256, 24, 2, patience),
        (384, 12, 2, patience),
        (384, 16, 2, patience),
        (512, 8, 2, patience),
        (512, 12, 2, patience),
        (256, 16, 1, None),
        (512, 12, 1, None),
    ] {
        let shape = shape(threads, items, ahead, one_pass);
        let way = if one_pass.is_some() { format!("look-back ({ahead})") } else { "two passes".into() };
        let mut out = None;
        let run = || {
            let (timing, sorted) = tuning::time_radix(&array, Order::Min, shape)?;
            out = Some(sorted);
            Ok(timing)
        };
        let name = format!("radix sort, u32 (half as many), {way} {threads}x{items}");
        // Four passes.
        bench.line(&name, 4 * 8 * n, run, || Ok(true));
        if let Some(out) = out {
            println!("    {}", if same(&out, &want)? { "sorted" } else { "WRONG" });
        }
    }
    {
        let mut out = None;
        let run = || {
            let (timing, sorted) = tuning::time_merge(&array, tuning::Merge { threads: 256, items: 4 })?;
            out = Some(sorted);
            Ok(timing)
        };
        bench.line("merge sort, u32 (half as many)", 18 * 8 * n, run, || Ok(true));
        if let Some(out) = out {
            println!("    {}", if same(&out, &want)? { "sorted" } else { "WRONG" });
        }
    }
    let values: Vec<u32> = (0..n as u32).collect();
    let value_array = device.upload(&values)?;
    for (threads, items) in [(256, 12), (256, 16), (384, 12), (512, 8)] {
        let shape = shape(threads, items, 2, patience);
        let mut out = None;
        let name = format!("radix sort, u32 + u32 (half as many), look-back {threads}x{items}");
        bench.line(
            &name,
            4 * 16 * n,
            || {
                let (timing, sorted, payloads) = tuning::time_radix_pairs(&array, &value_array, Order::Min, shape)?;
                out = Some((sorted, payloads));
                Ok(timing)
            },
            || Ok(true),
        );
        if let Some((sorted, payloads)) = out {
            let payloads = payloads.to_vec()?;
            let right = same(&sorted, &want)?
                && payloads.par_iter().zip(&want).all(|(&i, &key)| keys[i as usize] == key)
                && payloads.par_windows(2).zip(want.par_windows(2)).all(|(p, k)| k[0] != k[1] || p[0] < p[1]);
            println!("    {}", if right { "sorted, stable" } else { "WRONG" });
        }
    }
    Ok(())
}
