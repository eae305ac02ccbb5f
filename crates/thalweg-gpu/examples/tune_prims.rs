//! Times the primitives' kernels on the device, in many shapes, and checks every result.
//!
//! Usage: tune_prims [LOG2_N] [PART...]; parts are reduce, scan, compact, sort; all by default.
//!
//! A card that has idled for some milliseconds is slow. So the variants of a part are all run and checked first, and then
//! timed in one go, after a warm-up, with a copy before and after that shows whether the clock has stayed.

use std::time::{Duration, Instant};

use rayon::prelude::*;
use thalweg::{Order, Result};
use thalweg_gpu::primitives::tuning::{self, Patience, Radix, Scan, Tile};
use thalweg_gpu::primitives::{self, Keep, Op};
use thalweg_gpu::{Choice, Device, DeviceArray, Timing};

struct Variant<'a> {
    name: String,
    /// Bytes read and written.
    bytes: u64,
    run: Box<dyn Fn() -> Result<Timing> + 'a>,
    check: Box<dyn Fn() -> Result<bool> + 'a>,
}

fn variant<'a>(
    name: impl Into<String>,
    bytes: u64,
    run: impl Fn() -> Result<Timing> + 'a,
    check: impl Fn() -> Result<bool> + 'a,
) -> Variant<'a> {
    Variant { name: name.into(), bytes, run: Box::new(run), check: Box::new(check) }
}

struct Bench {
    began: Instant,
    from: DeviceArray<u32>,
    to: DeviceArray<u32>,
}

/// After this, checks are left out.
const BUDGET: Duration = Duration::from_secs(45);

impl Bench {
    /// Milliseconds of a copy.
    fn copy(&self) -> Result<f64> {
        let tile = Tile { threads: 256, packs: 4 };
        Ok(tuning::time_copy_kernel(&self.from, &self.to, tile)?.device.as_secs_f64() * 1e3)
    }

    fn group(&self, variants: Vec<Variant<'_>>) -> Result<()> {
        let mut verdicts = Vec::new();
        for variant in &variants {
            verdicts.push(match (variant.run)() {
                Err(e) => format!("failed: {e}"),
                Ok(_) if self.began.elapsed() > BUDGET => "not checked".into(),
                Ok(_) => match (variant.check)() {
                    Ok(true) => "ok".into(),
                    Ok(false) => "WRONG".into(),
                    Err(e) => format!("failed: {e}"),
                },
            });
        }
        let warm = Instant::now();
        while warm.elapsed() < Duration::from_millis(600) {
            self.copy()?;
        }
        let mut lines = Vec::new();
        for (variant, verdict) in variants.iter().zip(verdicts) {
            if verdict.starts_with("failed") {
                lines.push(format!("{:<62} {verdict}", variant.name));
                continue;
            }
            let median = |count: usize, f: &dyn Fn() -> Result<f64>| -> Result<f64> {
                let mut times = (0..count).map(|_| f()).collect::<Result<Vec<_>>>()?;
                times.sort_by(f64::total_cmp);
                Ok(times[count / 2])
            };
            let before = median(5, &|| self.copy())?;
            let ms = median(11, &|| Ok((variant.run)()?.device.as_secs_f64() * 1e3))?;
            let after = median(3, &|| self.copy())?;
            let part = 100.0 * before * variant.bytes as f64 / (8 * self.from.len()) as f64 / ms;
            lines.push(format!(
                "{:<62} {ms:8.3} ms  {part:5.1}% of copy  (copy {before:.3} {after:.3})  {verdict}",
                variant.name
            ));
        }
        lines.iter().for_each(|line| println!("{line}"));
        println!("    [{:.1} s]", self.began.elapsed().as_secs_f64());
        Ok(())
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

fn tiles(list: &[(u32, u32)]) -> Vec<Tile> {
    list.iter().map(|&(threads, packs)| Tile { threads, packs }).collect()
}

fn main() -> Result<()> {
    let began = Instant::now();
    let mut arguments = std::env::args().skip(1);
    let log = arguments.next().map_or(28, |a| a.parse().expect("LOG2_N is a number"));
    let parts: Vec<String> = arguments.collect();
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|p| p == part);
    let choice = std::env::var("THALWEG_TEST_DEVICE").map_or(Choice::Auto, |name| name.parse().expect("a choice"));
    let device = Device::open(&choice)?;
    println!("{} ({})", device.name(), device.driver());
    let n = 1u64 << log;
    let keys: Vec<u32> = (0..n).into_par_iter().map(hash).collect();
    let bench = Bench { began, from: device.upload(&keys)?, to: device.allocate(n)? };
    if wanted("sort") {
        sorts(&device, &bench, &keys[..keys.len() / 2])?;
    }
    if wanted("scan") {
        scans(&device, &bench, &keys)?;
    }
    if wanted("compact") {
        compactions(&device, &bench, &keys)?;
    }
    if wanted("reduce") {
        let array = &bench.from;
        let shapes = tiles(&[(256, 8), (256, 16), (512, 4), (512, 8), (1024, 4)]);
        let variants = shapes.iter().map(|&tile| {
            let name = format!("reduce u32 min {}x{}", tile.threads, tile.packs);
            variant(name, 4 * n, move || tuning::time_reduce(array, Op::Min, tile), || Ok(true))
        });
        bench.group(variants.collect())?;
        let want = keys.par_iter().copied().reduce(|| 0, u32::wrapping_add);
        println!("reduce: {}", if primitives::reduce(array, Op::Sum)? == Some(want) { "ok" } else { "WRONG" });
    }
    Ok(())
}

fn scans(device: &Device, bench: &Bench, keys: &[u32]) -> Result<()> {
    let (n, array) = (keys.len() as u64, &bench.from);
    let out = &device.allocate::<u32>(n)?;
    let want = &scan_of(keys, 0, u32::wrapping_add);
    let patience = Patience::default();
    let mut variants = Vec::new();
    let mut add = |name: &str, tile: Tile, unroll, one_pass| {
        let scan = Scan { tile, unroll, one_pass };
        let loops = if unroll { "" } else { ", rolled" };
        let name = format!("scan u32 sum {name}{loops} {}x{}", tile.threads, tile.packs);
        variants.push(variant(
            name,
            8 * n,
            move || tuning::time_scan(array, out, Op::Sum, false, scan),
            move || same(out, want),
        ));
    };
    for tile in tiles(&[(256, 6), (256, 8), (512, 6), (256, 7), (384, 8)]) {
        add("look-back", tile, true, Some(patience));
    }
    for tile in tiles(&[(256, 2), (512, 8), (256, 8)]) {
        add("two passes", tile, true, None);
    }
    let tile = Tile { threads: 256, packs: 8 };
    add("look-back, every other tile silent", tile, true, Some(Patience { spins: 16, silent: true, ..patience }));
    bench.group(variants)?;

    let want = &scan_of(keys, u32::MAX, u32::min);
    let wide: Vec<u64> = keys[..keys.len() / 2].par_iter().map(|&k| u64::from(k) << 20 | 7).collect();
    let (wide_array, wide_out) = (&device.upload(&wide)?, &device.allocate::<u64>(n / 2)?);
    let wide_want = &scan_of(&wide, 0, u64::wrapping_add);
    let scan = Scan { tile, unroll: true, one_pass: Some(patience) };
    let mut variants = vec![variant(
        "scan u32 min look-back 256x8",
        8 * n,
        move || tuning::time_scan(array, out, Op::Min, false, scan),
        move || same(out, want),
    )];
    for tile in tiles(&[(256, 4), (256, 8), (512, 8)]) {
        let scan = Scan { tile, unroll: true, one_pass: Some(patience) };
        variants.push(variant(
            format!("scan u64 sum (half as many) look-back {}x{}", tile.threads, tile.packs),
            8 * n,
            move || tuning::time_scan(wide_array, wide_out, Op::Sum, false, scan),
            move || same(wide_out, wide_want),
        ));
    }
    bench.group(variants)
}

fn compactions(device: &Device, bench: &Bench, keys: &[u32]) -> Result<()> {
    let (n, array) = (keys.len() as u64, &bench.from);
    let out = &device.allocate::<u32>(n)?;
    const MIDDLE: u32 = 1 << 31;
    let below: &Vec<u32> = &keys.iter().copied().filter(|&key| key < MIDDLE).collect();
    for (name, test) in [("half", 1u32), ("1 in 64", 63), ("all", 0)] {
        let flags: Vec<u32> = (0..n).into_par_iter().map(|i| u32::from(hash(i + (1 << 33)) & test == 0)).collect();
        let flag_array = &device.upload(&flags)?;
        let kept: &Vec<u32> = &keys.iter().zip(&flags).filter(|p| *p.1 != 0).map(|p| *p.0).collect();
        let shapes = tiles(&[(256, 4), (256, 8), (256, 2), (256, 6), (512, 2), (512, 4)]);
        let shapes = if test == 1 { &shapes[..] } else { &shapes[..2] };
        let mut variants = Vec::new();
        for &tile in shapes {
            variants.push(variant(
                format!("compact u32 {name} {}x{}", tile.threads, tile.packs),
                8 * n + 4 * kept.len() as u64,
                move || tuning::time_compact(array, flag_array, out, tile),
                move || Ok(out.to_vec()?[..kept.len()] == kept[..]),
            ));
            if test == 1 {
                variants.push(variant(
                    format!("compact u32 by comparison, half {}x{}", tile.threads, tile.packs),
                    4 * n + 4 * below.len() as u64,
                    move || tuning::time_compact_by(array, Keep::Less(MIDDLE), out, tile),
                    move || Ok(out.to_vec()?[..below.len()] == below[..]),
                ));
            }
        }
        bench.group(variants)?;
    }
    Ok(())
}

/// Sorts of half as many keys.
fn sorts(device: &Device, bench: &Bench, keys: &[u32]) -> Result<()> {
    let n = keys.len() as u64;
    let array = &device.upload(keys)?;
    let mut want = keys.to_vec();
    want.par_sort_unstable();
    let want = &want;
    let ascending = &device.upload(want)?;
    let constant = &device.upload(&vec![7u32; keys.len()])?;
    let patience = Some(Patience::default());
    let shape = |threads, items, ahead, one_pass| Radix { threads, items, digit_bits: 8, ahead, one_pass };
    let default = shape(256, 16, 2, patience);
    let mut variants = vec![variant(
        "radix sort, u32 (half as many), count of digits",
        4 * n,
        move || tuning::time_radix_histogram(array, default),
        || Ok(true),
    )];
    for (threads, items, ahead, one_pass) in [
        (256, 12, 1, None),
        (256, 14, 1, None),
        (256, 15, 1, None),
        (512, 14, 1, None),
        (512, 12, 2, patience),
        (512, 14, 2, patience),
    ] {
        let shape = shape(threads, items, ahead, one_pass);
        let way = if one_pass.is_some() { format!("look-back ({ahead})") } else { "two passes".into() };
        variants.push(variant(
            format!("radix sort, u32 (half as many), {way} {threads}x{items}"),
            4 * 8 * n,
            move || Ok(tuning::time_radix(array, Order::Min, shape)?.0),
            move || same(&tuning::time_radix(array, Order::Min, shape)?.1, want),
        ));
    }
    for (name, array) in [("sorted", ascending), ("constant", constant)] {
        for one_pass in [None, patience] {
            let shape = shape(256, 12, 2, one_pass);
            let way = if one_pass.is_some() { "look-back" } else { "two passes" };
            let name = format!("radix sort, u32 {name} (half as many), {way} 256x12");
            variants.push(variant(
                name,
                4 * 8 * n,
                move || Ok(tuning::time_radix(array, Order::Min, shape)?.0),
                || Ok(true),
            ));
        }
    }
    bench.group(variants)?;

    let value_array = &device.upload(&(0..n as u32).collect::<Vec<_>>())?;
    let mut variants = Vec::new();
    for (threads, items, one_pass) in
        [(256, 12, None), (256, 13, None), (256, 14, None), (512, 12, None), (256, 12, patience)]
    {
        let shape = shape(threads, items, 2, one_pass);
        variants.push(variant(
            format!("radix sort, u32 + u32 (half as many), look-back {} {threads}x{items}", one_pass.is_some()),
            4 * 16 * n,
            move || Ok(tuning::time_radix_pairs(array, value_array, Order::Min, shape)?.0),
            move || {
                let (_, sorted, payloads) = tuning::time_radix_pairs(array, value_array, Order::Min, shape)?;
                let payloads = payloads.to_vec()?;
                Ok(same(&sorted, want)?
                    && payloads.par_iter().zip(want).all(|(&i, &key)| keys[i as usize] == key)
                    && payloads.par_windows(2).zip(want.par_windows(2)).all(|(p, k)| k[0] != k[1] || p[0] < p[1]))
            },
        ));
    }
    bench.group(variants)
}
