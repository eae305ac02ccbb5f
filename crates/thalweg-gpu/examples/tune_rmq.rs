//! Times the RMQ engines on the device: many sizes and shapes, every range class, answers checked by samples.
//!
//! `tune_rmq SET...` where a set is `BITS[:WHAT]`: log2 of the array's length, and random, sorted or reverse.

use thalweg::{Key, Order, Rmq};
use thalweg_gpu::rmq::{Builder, GpuRmq, Shape};
use thalweg_gpu::testing::Copy;
use thalweg_gpu::{Choice, Device, DeviceArray, testing};
use thalweg_testkit::{ArrayKind, QueryKind};

const QUERIES: usize = 1 << 26;
const CHECKED: usize = 1 << 16;

/// The median of five, back to back.
fn median(mut run: impl FnMut() -> thalweg::Result<f64>) -> thalweg::Result<f64> {
    run()?;
    let mut times = (0..5).map(|_| run()).collect::<thalweg::Result<Vec<_>>>()?;
    times.sort_by(f64::total_cmp);
    Ok(times[2])
}

/// Shapes to try; the first is the one that the library chooses. The flag: argmin too.
fn shapes(bits: u32) -> Vec<(Shape, bool)> {
    let shape = |line, block, group, direct, team| Shape {
        line,
        block,
        group,
        direct,
        threads: 32,
        portions: 8,
        wide: false,
        team,
    };
    let main = match bits {
        ..=22 => shape(8, 16, 16, 20, 2),
        23..=26 => shape(16, 16, 32, 28, 4),
        27..=30 => shape(32, 16, 64, 28, 4),
        _ => shape(16, 16, 64, 28, 4),
    };
    vec![
        (main, true),
        (Shape { threads: 64, ..main }, false),
        (Shape { threads: 256, portions: 1, ..main }, false),
        (Shape { team: 6 - main.team, ..main }, false),
        (Shape { line: 2 * main.line, ..main }, false),
    ]
}

struct Class {
    kind: QueryKind,
    queries: DeviceArray<u32>,
    sample: Vec<[u32; 2]>,
    expected: Vec<u32>,
}

fn classes(device: &Device, array: &[f32]) -> thalweg::Result<Vec<Class>> {
    let cpu = Rmq::new(array)?;
    let mut host = vec![[0u32; 2]; QUERIES];
    let mut classes = Vec::new();
    for &kind in QueryKind::ALL {
        kind.fill(array.len(), 7, &mut host);
        let queries = device.upload::<u32>(host.as_flattened())?;
        let sample: Vec<_> = host.iter().step_by(QUERIES / CHECKED).copied().collect();
        let mut expected = vec![0u32; sample.len()];
        cpu.argmin_batch(&sample, &mut expected)?;
        classes.push(Class { kind, queries, sample, expected });
    }
    Ok(classes)
}

fn measure(
    device: &Device,
    array: &[f32],
    values: &DeviceArray<f32>,
    bits: u32,
    what: &str,
    copy: &Copy,
) -> thalweg::Result<()> {
    let n = array.len();
    let classes = classes(device, array)?;
    let positions = device.allocate::<u32>(QUERIES as u64)?;
    let keys = device.allocate::<f32>(QUERIES as u64)?;
    for (shape, argmin) in shapes(bits) {
        let built = Builder::new().order(Order::Min).shape(shape).build_on_device(values.clone()).and_then(|rmq| {
            copy.warm_up(0.1)?;
            let build = median(|| {
                Ok(Builder::new().shape(shape).build_on_device(values.clone())?.build_time().device.as_secs_f64())
            })?;
            Ok((rmq, build))
        });
        let (rmq, build) = match built {
            Ok(built) => built,
            Err(e) => {
                println!("2^{bits} {what} {shape:?}: {e}");
                continue;
            }
        };
        let extra = rmq.device_bytes() as f64 / (4 * n) as f64;
        let speed = (4 * n) as f64 * (1.0 + extra) / build / copy.speed()?;
        let Shape { line, block, group, direct, threads, portions, team, .. } = shape;
        for argmin in if argmin { &[false, true][..] } else { &[false] } {
            let mut text = format!(
                "2^{bits} {what:7} {} line {line:2} block {block:2} group {group:2} direct {direct:2} threads {threads:3}x{portions:2} team {team}:",
                if *argmin { "argmin" } else { "value " },
            );
            // Compiled and checked first, as every pause lowers the clock.
            for class in &classes {
                if let Err(e) = check(&rmq, class, *argmin, array) {
                    println!("{e}");
                }
            }
            one(&rmq, &classes[0], *argmin, &positions, &keys)?;
            copy.warm_up(0.25)?;
            for class in &classes {
                match one(&rmq, class, *argmin, &positions, &keys) {
                    Ok(t) => text += &format!(" {} {:.4}", class.kind.name(), t * 1e9 / QUERIES as f64),
                    Err(e) => text += &format!(" {} failed: {e}", class.kind.name()),
                }
            }
            let now = copy.speed()? / 1e9;
            println!(
                "{text} | build {:.3} ms {:.0}% of copy, +{:.1}% | copy {now:.0} GB/s",
                build * 1e3,
                100.0 * speed,
                100.0 * extra
            );
        }
    }
    Ok(())
}

fn one(
    rmq: &GpuRmq<'_, f32>,
    class: &Class,
    argmin: bool,
    positions: &DeviceArray<u32>,
    keys: &DeviceArray<f32>,
) -> thalweg::Result<f64> {
    median(|| {
        let timing = if argmin {
            rmq.argmin_on_device(&class.queries, positions)?
        } else {
            rmq.min_on_device(&class.queries, keys)?
        };
        Ok(timing.device.as_secs_f64())
    })
}

/// The same kernel on a sample, from the host: all of its answers.
fn check(rmq: &GpuRmq<'_, f32>, class: &Class, argmin: bool, array: &[f32]) -> thalweg::Result<()> {
    let wrong = if argmin {
        let mut out = vec![0u32; class.sample.len()];
        rmq.argmin_batch(&class.sample, &mut out)?;
        out.iter().zip(&class.expected).filter(|(a, b)| a != b).count()
    } else {
        let mut out = vec![0f32; class.sample.len()];
        rmq.min_batch(&class.sample, &mut out)?;
        out.iter().zip(&class.expected).filter(|(a, b)| a.to_low_bits() != array[**b as usize].to_low_bits()).count()
    };
    if wrong > 0 {
        println!("WRONG: {wrong} of {}", class.sample.len());
    }
    Ok(())
}

/// GPU-RMQ's structure in its variants.
fn hierarchies(device: &Device, bits: u32, copy: &Copy) -> thalweg::Result<()> {
    let array = ArrayKind::Random.make::<f32>(1 << bits, 42);
    let values = device.upload(&array)?;
    let classes = classes(device, &array)?;
    let (positions, keys) = (device.allocate::<u32>(QUERIES as u64)?, device.allocate::<f32>(QUERIES as u64)?);
    use thalweg_gpu::rmq::{Assignment, Engine, Load};
    let base = Builder::new().engine(Engine::Hierarchy);
    for (name, builder) in [
        ("vector multi c8 g1", base.load(Load::Vector).assignment(Assignment::MultiLoad).chunk(8)),
        ("vector queue c16 g4", base.load(Load::Vector).assignment(Assignment::Queue).chunk(16).group(4)),
        ("coalesced multi c32 g16", base.load(Load::Coalesced).assignment(Assignment::MultiLoad).chunk(32).group(16)),
        ("coalesced queue c32 g16", base.load(Load::Coalesced).assignment(Assignment::Queue).chunk(32).group(16)),
    ] {
        let rmq = builder.build_on_device(values.clone())?;
        let build = builder.build_on_device(values.clone())?.build_time().device.as_secs_f64();
        for argmin in [false, true] {
            let mut text = format!("2^{bits} hierarchy {name} {}:", if argmin { "argmin" } else { "value " });
            for class in &classes {
                check(&rmq, class, argmin, &array)?;
            }
            copy.warm_up(0.3)?;
            for class in &classes {
                let t = one(&rmq, class, argmin, &positions, &keys)?;
                text += &format!(" {} {:.4}", class.kind.name(), t * 1e9 / QUERIES as f64);
            }
            println!("{text} | build {:.3} ms", build * 1e3);
        }
    }
    Ok(())
}

/// Batches from host to host.
fn streams(device: &Device, bits: u32) -> thalweg::Result<()> {
    let (up, down) = testing::transfer_seconds(device, 8 * QUERIES as u64, 4 * QUERIES as u64)?;
    let (fill, empty) = testing::host_seconds(device, 8 * QUERIES as u64, 4 * QUERIES as u64)?;
    println!(
        "transfers of 2^26 queries, on their own: up {:.2} ms, down {:.2} ms by the device, {:.2} and {:.2} ms by the host",
        up * 1e3,
        down * 1e3,
        fill * 1e3,
        empty * 1e3,
    );
    let (up, down) = (up.max(fill), down.max(empty));
    let array = ArrayKind::Random.make::<f32>(1 << bits, 42);
    let queries = QueryKind::Mixed.make::<u32>(array.len(), QUERIES, 7);
    let mut rmq = Builder::new().build(device, &array)?;
    let mut out = vec![0f32; QUERIES];
    for tile in [19, 20, 21, 22, 23] {
        rmq.set_tile(1 << tile);
        let time = median(|| {
            let start = std::time::Instant::now();
            rmq.min_batch(&queries, &mut out)?;
            Ok(start.elapsed().as_secs_f64())
        })?;
        println!(
            "host to host, tile 2^{tile}: {:.2} ms, {:.0}% of both transfers in turn",
            time * 1e3,
            100.0 * (up + down) / time
        );
    }
    Ok(())
}

fn main() -> thalweg::Result<()> {
    let device = Device::open(&Choice::Auto)?;
    println!("{}, {}", device.name(), device.driver());
    let copy = Copy::new(&device, 1 << 30)?;
    copy.warm_up(0.5)?;
    println!("copy {:.0} GB/s read and written", copy.speed()? / 1e9);
    for set in std::env::args().skip(1) {
        let start = std::time::Instant::now();
        let (bits, what) = set.split_once(':').unwrap_or((&set, "random"));
        let bits: u32 = bits.parse().expect("log2 of the length");
        let done = match what {
            "hierarchy" => Some(hierarchies(&device, bits, &copy)),
            "stream" => Some(streams(&device, bits)),
            _ => None,
        };
        if let Some(done) = done {
            if let Err(e) = done {
                println!("2^{bits} {what}: {e}");
            }
            println!("-- done in {:.1} s", start.elapsed().as_secs_f64());
            continue;
        }
        let kind = *ArrayKind::ALL.iter().find(|k| k.name() == what).expect("a kind of array");
        let array = kind.make::<f32>(1 << bits, 42);
        let values = device.upload(&array)?;
        println!("-- 2^{bits} {what}, made in {:.1} s", start.elapsed().as_secs_f64());
        if let Err(e) = measure(&device, &array, &values, bits, what, &copy) {
            println!("2^{bits} {what}: {e}");
        }
        println!("-- done in {:.1} s", start.elapsed().as_secs_f64());
    }
    Ok(())
}
