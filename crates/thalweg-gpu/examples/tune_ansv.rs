//! Times and checks variants of ANSV on the first GPU.
//!
//! Arguments: the number of elements (500,000,000), then `default` for the default tuning only.

use std::time::Instant;

use rayon::prelude::*;
use thalweg::ansv::Relation;
use thalweg_gpu::ansv::{Builder, Engine, Tuning};
use thalweg_gpu::testing::{self, ClosedForm};
use thalweg_gpu::{Choice, Device, DeviceArray};
use thalweg_testkit::ArrayKind;

/// Milliseconds of work before a measurement.
const WARM_UP: u128 = 50;

type Data = (&'static str, Box<dyn Fn(usize) -> Vec<u32>>);

fn by_index(f: impl Fn(u64, u64) -> u32 + Send + Sync + 'static) -> Box<dyn Fn(usize) -> Vec<u32>> {
    Box::new(move |n| (0..n as u64).into_par_iter().map(|i| f(i, n as u64)).collect())
}

fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 31)).wrapping_mul(0x7fb5_d329_728e_a185);
    (x ^ (x >> 27)).wrapping_mul(0x81da_def4_bc2d_d44d) >> 20
}

fn datasets() -> Vec<Data> {
    let kind = |kind: ArrayKind| -> Data { (kind.name(), Box::new(move |n| kind.make::<u32>(n, 1))) };
    let mut all: Vec<Data> = [
        ArrayKind::Random,
        ArrayKind::Worst,
        ArrayKind::Few,
        ArrayKind::Runs,
        ArrayKind::Sorted,
        ArrayKind::Constant,
        ArrayKind::Reverse,
    ]
    .map(kind)
    .into();
    // A step of every 1,024, with falling slopes between: all elements of a slope are open to the left.
    all.push((
        "staircase",
        by_index(|i, _| {
            if i % 1024 == 0 {
                (i / 1024) as u32
            } else {
                0x7fff_ffff - (i % 1024) as u32 * 1000 - (mix(i) & 255) as u32
            }
        }),
    ));
    all.push(("alternating", by_index(|i, n| if i % 2 == 0 { i as u32 } else { (2 * n - i) as u32 })));
    all.push(("two_values", by_index(|i, _| (mix(i) & 1) as u32)));
    all.push((
        "zigzag",
        by_index(|i, _| {
            let k = (i % 700) as u32;
            1000 + if k < 350 { k } else { 700 - k }
        }),
    ));
    // Rising by 1 every 4,096; then a slope of which every element has its neighbour in another tile.
    all.push((
        "comb",
        by_index(|i, n| {
            if i < n / 2 {
                2 + 2 * (i / 4096) as u32
            } else {
                (1 + 2 * (n / 8192)).saturating_sub(2 * (i - n / 2)) as u32
            }
        }),
    ));
    all
}

fn median(mut run: impl FnMut() -> thalweg::Result<f64>) -> thalweg::Result<f64> {
    // The card's clock rises under load only.
    let begin = Instant::now();
    while begin.elapsed().as_millis() < WARM_UP {
        run()?;
    }
    let mut times = (0..7).map(|_| run()).collect::<thalweg::Result<Vec<_>>>()?;
    times.sort_by(f64::total_cmp);
    Ok(times[3])
}

fn ms(
    builder: &Builder,
    array: &DeviceArray<u32>,
    left: &DeviceArray<u32>,
    right: &DeviceArray<u32>,
) -> thalweg::Result<f64> {
    median(|| Ok(builder.run_timed(array, Some(left), Some(right))?.device.as_secs_f64() * 1e3))
}

fn wrong(got: &DeviceArray<u32>, want: &[u32]) -> String {
    let got = got.to_vec().unwrap();
    let bad = got.par_iter().zip(want).filter(|(g, w)| g != w).count();
    if bad == 0 { "ok".into() } else { format!("WRONG {bad} of {}", want.len()) }
}

fn expected(array: &[u32], relation: Relation) -> (Vec<u32>, Vec<u32>) {
    let (mut left, mut right) = (vec![0; array.len()], vec![0; array.len()]);
    thalweg::ansv::Builder::new()
        .relation(relation)
        .run_into(array, thalweg::ansv::Sides { left: Some(&mut left[..]), right: Some(&mut right[..]) })
        .unwrap();
    (left, right)
}

/// Arrays in several buffers, checked by formulas.
fn large(device: &Device, n: u64) -> thalweg::Result<()> {
    let array = device.allocate::<u32>(n)?;
    let (left, right) = (device.allocate::<u32>(n)?, device.allocate::<u32>(n)?);
    for form in [ClosedForm::Sorted, ClosedForm::Worst, ClosedForm::Periodic(1_000_003), ClosedForm::Periodic(700)] {
        form.fill(&array)?;
        for engine in [Engine::Tiles, Engine::Thesis] {
            let builder = Builder::new().engine(engine);
            let time = (0..3)
                .map(|_| builder.run_timed(&array, Some(&left), Some(&right)))
                .collect::<thalweg::Result<Vec<_>>>()?;
            let time = time[2].device.as_secs_f64() * 1e3;
            println!(
                "n={n} {form:?} {engine}: {time:.2} ms, wrong {} {}",
                form.wrong(&left, true)?,
                form.wrong(&right, false)?
            );
        }
    }
    Ok(())
}

fn main() -> thalweg::Result<()> {
    let begin = Instant::now();
    let mut arguments = std::env::args().skip(1);
    let n: usize = arguments.next().map_or(500_000_000, |n| n.parse().expect("a number"));
    let mode = arguments.next().unwrap_or_default();
    let device = Device::open(&Choice::Auto).or_else(|_| Device::open(&Choice::Index(0)))?;
    println!("{} {} {:?}", device.name(), device.driver(), device.limits());
    let default = Tuning::of::<u32>(&device);
    let mut variants = vec![default];
    if mode != "default" {
        for (threads, items) in [(128, 8), (64, 8), (64, 16), (128, 16), (256, 4)] {
            variants.push(Tuning { threads, items, light: threads * items / 8, ..default });
        }
        variants.push(Tuning { mergers: 4096, ..default });
        variants.push(Tuning { mergers: 16_384, ..default });
    }
    let small = n.min(1 << 22) / 3;
    let (left, right) = (device.allocate::<u32>(n as u64)?, device.allocate::<u32>(n as u64)?);
    let (small_left, small_right) = (device.allocate::<u32>(small as u64)?, device.allocate::<u32>(small as u64)?);
    let mut bad: Vec<Tuning> = Vec::new();
    let smalls: Vec<_> = datasets()
        .iter()
        .map(|(name, make)| {
            let array = make(small);
            let expected = expected(&array, Relation::Smaller);
            (*name, device.upload(&array).unwrap(), expected)
        })
        .collect();
    println!("{:.1} s: small arrays made", begin.elapsed().as_secs_f64());
    for &tuning in &variants {
        let builder = Builder::new().tuning(tuning);
        let start = Instant::now();
        for (name, array, (want_left, want_right)) in &smalls {
            let result = builder.run_into(array, Some(&small_left), Some(&small_right));
            if let Err(e) = &result {
                println!("{tuning:?} {name}: {e}");
                bad.push(tuning);
                break;
            }
            let (l, r) = (wrong(&small_left, want_left), wrong(&small_right, want_right));
            if result.is_err() || l != "ok" || r != "ok" {
                println!("{tuning:?} {name} n={small}: {result:?} left {l} right {r}");
                bad.push(tuning);
                break;
            }
        }
        println!("{tuning:?}: checked with compilation in {:.2} s", start.elapsed().as_secs_f64());
    }
    variants.retain(|tuning| !bad.contains(tuning));
    if variants.is_empty() {
        return Ok(());
    }
    if device.limits().buffer_bytes > 1 << 31 {
        if let Err(e) = large(&device, 1 << 31) {
            println!("n=2^31: {e}");
        }
        println!("{:.1} s: large arrays done", begin.elapsed().as_secs_f64());
    }
    for (number, (name, make)) in datasets().iter().enumerate() {
        if begin.elapsed().as_secs_f64() > 54.0 {
            break;
        }
        let host = make(n);
        let array = device.upload(&host)?;
        if number == 0 {
            let copy = median(|| Ok(testing::copy_timed(&array, &left)?.device.as_secs_f64() * 1e3))?;
            println!(
                "copy {copy:.3} ms, {:.0} GB/s read and written; limit of ANSV {:.3} ms",
                8e-6 * n as f64 / copy,
                copy * 1.5
            );
        }
        println!("-- {name} ({:.1} s)", begin.elapsed().as_secs_f64());
        let warm = Instant::now();
        while warm.elapsed().as_millis() < 400 {
            Builder::new().run_timed(&array, Some(&left), Some(&right))?;
        }
        let late = begin.elapsed().as_secs_f64() > 48.0;
        for &tuning in variants.iter().take(if late {
            1
        } else if number < 2 {
            variants.len()
        } else {
            3
        }) {
            let label = format!("{}x{} mergers {}", tuning.threads, tuning.items, tuning.mergers);
            match ms(&Builder::new().tuning(tuning), &array, &left, &right) {
                Ok(time) => println!("{name:12} {label:24} {time:8.3} ms"),
                Err(e) => println!("{name:12} {label:24} {e}"),
            }
        }
        for tuning in variants.iter().take(if late { 0 } else { [3, 1].get(number).copied().unwrap_or(1) }) {
            let stages: Vec<_> = (0..6)
                .map(|stages| {
                    let builder = Builder::new().tuning(Tuning { stages, ..*tuning });
                    ms(&builder, &array, &left, &right).map_or("error".into(), |t| format!("{t:.3}"))
                })
                .collect();
            println!(
                "{name:12} {}x{} hierarchy, in/out, runs, links, tiles, searches: {}",
                tuning.threads,
                tuning.items,
                stages.join(" ")
            );
        }
        if number < 2 {
            let thesis = Builder::new().engine(Engine::Thesis);
            println!("{name:12} thesis {:.3} ms", ms(&thesis, &array, &left, &right).unwrap_or(0.0));
        }
        if number < 2 && begin.elapsed().as_secs_f64() < 40.0 {
            let (want_left, want_right) = expected(&host, Relation::Smaller);
            Builder::new().run_into(&array, Some(&left), Some(&right))?;
            println!("{name:12} n={n} left {} right {}", wrong(&left, &want_left), wrong(&right, &want_right));
        }
    }
    println!("{:.1} s, {} variants wrong", begin.elapsed().as_secs_f64(), bad.len());
    Ok(())
}
