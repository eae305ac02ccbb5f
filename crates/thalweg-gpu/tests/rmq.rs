//! Every RMQ engine of this crate against the conformance suite, on whatever device there is.

use thalweg::rmq::{Position, RmqEngine};
use thalweg::{Error, Key, Order, Rmq};
use thalweg_gpu::rmq::{Assignment, Builder, Engine, GpuRmq, Load, Shape};
use thalweg_gpu::testing::Pattern;
use thalweg_gpu::{Device, Options, testing};
use thalweg_suites::rmq::{Extent, part_of_suite};
use thalweg_data::{ArrayKind, QueryKind};

/// A software renderer compiles a kernel in a tenth of a second and needs a millisecond a batch: not everything can be
/// asked of every variant.
const EXTENT: Extent = Extent {
    sizes: &[0, 1, 2, 3, 15, 16, 17, 33, 65, 127, 257, 513, 1009, 1024, 4097, 20_011, 65_537],
    step: 4,
    singles: 1,
};

/// Small lines, blocks and groups, so that arrays of some thousand elements have all levels.
const SMALL: Shape = Shape { line: 4, block: 4, group: 4, direct: 4, threads: 64, portions: 3, wide: false, team: 2 };

fn conform<K: Key>(device: &Device, builder: Builder, step: usize) {
    part_of_suite::<K>(Extent { step, ..EXTENT }, |array, order| {
        builder.order(order).build(device, array).unwrap().into_rmq()
    });
}

macro_rules! conformance {
    ($($name:ident = $builder:expr, [$($t:ident),*];)*) => {$(
        #[test]
        fn $name() {
            let Some(device) = testing::device() else { return };
            // Ten types take ten times as long.
            let step = if [$(stringify!($t)),*].len() == 10 { 8 } else { EXTENT.step };
            $(conform::<$t>(&device, $builder, step);)*
        }
    )*};
}

fn lines() -> Builder {
    Builder::new().engine(Engine::Lines)
}

fn inlabel() -> Builder {
    Builder::new().engine(Engine::Inlabel)
}

fn padded_tree() -> Builder {
    Builder::new().engine(Engine::PaddedTree)
}

fn hierarchy(load: Load, assignment: Assignment) -> Builder {
    Builder::new().engine(Engine::Hierarchy).load(load).assignment(assignment)
}

conformance! {
    lines_of_every_type = lines(), [u8, u16, u32, u64, i8, i16, i32, i64, f32, f64];
    lines_of_four = lines().shape(SMALL), [f32, i64];
    lines_without_teams = lines().shape(Shape { line: 16, direct: 9, team: 1, ..SMALL }), [f32];
    lines_in_large_teams = lines().shape(Shape { line: 8, block: 8, direct: 28, team: 8, ..SMALL }), [f32, f64];
    lines_with_wide_positions = lines().shape(Shape { wide: true, ..SMALL }), [f32];
    compact_lines = lines().compact(true), [i32];
    hierarchy_by_vectors = hierarchy(Load::Vector, Assignment::MultiLoad), [f32, i64];
    hierarchy_by_vectors_and_queue = hierarchy(Load::Vector, Assignment::Queue).group(2).threshold(3), [f64];
    hierarchy_by_groups = hierarchy(Load::Coalesced, Assignment::MultiLoad).group(4).chunk(4).threshold(1), [f32];
    hierarchy_by_groups_and_queue = hierarchy(Load::Coalesced, Assignment::Queue), [i8, u64];
    padded_tree_of_every_type = padded_tree(), [u8, u16, u32, u64, i8, i16, i32, i64, f32, f64];
    padded_tree_of_small_blocks = padded_tree().block(4).superblock(16).dictionary(2), [f32, i64];
    padded_tree_of_middle_blocks = padded_tree().block(8).superblock(32).dictionary(4), [f64, u32];
    // The labels know no keys: all types are tested by nearest smaller values, which they come from.
    inlabel_of_some_types = inlabel(), [i8, f32, u64];
    scan = Builder::new().engine(Engine::Scan), [f32, i64];
}

/// The engines and variants, once each.
fn all() -> [Builder; 6] {
    [
        lines().shape(SMALL),
        padded_tree(),
        padded_tree().block(4).superblock(16),
        hierarchy(Load::Vector, Assignment::Queue),
        hierarchy(Load::Coalesced, Assignment::Queue).group(8),
        Builder::new().engine(Engine::Scan),
    ]
}

fn check_on_device<K: Key, P: Position + Key>(rmq: &GpuRmq<'_, K>, array: &[K], count: usize) {
    let device = rmq.values().device();
    let queries = QueryKind::Mixed.make::<P>(array.len(), count, 5);
    let on_device = device.upload(queries.as_flattened()).unwrap();
    let (positions, keys) = (device.allocate::<P>(count as u64).unwrap(), device.allocate::<K>(count as u64).unwrap());
    rmq.argmin_on_device(&on_device, &positions).unwrap();
    rmq.min_on_device(&on_device, &keys).unwrap();
    let mut want = vec![P::default(); count];
    Rmq::new(array).unwrap().argmin_batch(&queries, &mut want).unwrap();
    let (positions, keys) = (positions.to_vec().unwrap(), keys.to_vec().unwrap());
    for i in 0..count {
        assert_eq!(positions[i], want[i], "{} {} {i}", rmq.engine(), <K as Key>::NAME);
        assert_eq!(
            keys[i].to_low_bits(),
            array[want[i].get()].to_low_bits(),
            "{} {} {i}",
            rmq.engine(),
            <K as Key>::NAME
        );
    }
    // A bad query is named by its row.
    let mut bad = queries;
    bad[count - 1] = [P::new(3), P::new(2)];
    bad[count / 2] = [P::new(1), P::new(array.len())];
    let want = Error::Query { row: count / 2, left: 1, right: array.len() as u64, len: array.len() };
    let on_device = device.upload(bad.as_flattened()).unwrap();
    let positions = device.allocate::<P>(count as u64).unwrap();
    assert_eq!(rmq.argmin_on_device(&on_device, &positions).unwrap_err(), want);
    let short = device.allocate::<P>(count as u64 - 1).unwrap();
    assert!(matches!(rmq.argmin_on_device(&on_device, &short), Err(Error::Length { .. })));
}

#[test]
fn batches_on_the_device_and_arrays_in_many_buffers() {
    // 64 KiB a binding: arrays, queries and answers take several buffers each.
    let Some(device) = testing::open(Options { checked: true, binding_bytes: Some(1 << 16) }) else { return };
    let special = ArrayKind::Special.make::<f32>(40_003, 3);
    let random = ArrayKind::Random.make::<u64>(20_011, 3);
    for builder in all() {
        check_on_device::<_, u32>(&builder.build(&device, &special).unwrap(), &special, 17_001);
        check_on_device::<_, u64>(&builder.build(&device, &random).unwrap(), &random, 5_003);
    }
    check_on_device::<_, u32>(&inlabel().build(&device, &special).unwrap(), &special, 9_001);
    let opened_together = Shape { line: 8, team: 4, ..SMALL };
    check_on_device::<_, u64>(&lines().shape(opened_together).build(&device, &special).unwrap(), &special, 1_000);
}

#[test]
fn batches_longer_than_a_tile() {
    let Some(device) = testing::device() else { return };
    let array = ArrayKind::Random.make::<u16>(1_000, 3);
    let mut rmq = lines().build(&device, &array).unwrap();
    rmq.set_tile(10_000);
    let mut queries = QueryKind::Small.make::<u32>(array.len(), 101_001, 5);
    let (mut got, mut want) = (vec![0u16; queries.len()], vec![0u16; queries.len()]);
    rmq.min_batch(&queries, &mut got).unwrap();
    Rmq::new(&array).unwrap().min_batch(&queries, &mut want).unwrap();
    assert!(got == want);
    let row = queries.len() - 7;
    queries[row] = [0, 1_000];
    let want = Error::Query { row, left: 0, right: 1_000, len: 1_000 };
    assert_eq!(rmq.min_batch(&queries, &mut got), Err(want));
}

#[test]
fn the_front_doors_agree() {
    let Some(device) = testing::device() else { return };
    let rmq = Builder::new().order(Order::Max).build(&device, vec![3, 9, 9, 1]).unwrap();
    assert_eq!((rmq.len(), rmq.order(), rmq.engine(), RmqEngine::name(&rmq)), (4, Order::Max, Engine::Lines, "lines"));
    assert!(rmq.device_bytes() > 0 && !rmq.is_empty());
    let mut out = [0u64; 2];
    rmq.argmin_batch(&[[0, 3], [2, 3]], &mut out).unwrap();
    assert_eq!(out, [1, 2]);
    assert_eq!(rmq.into_rmq().min(3..), Some(1));
    assert_eq!("Hierarchy".parse::<Engine>(), Ok(Engine::Hierarchy));
    assert!(matches!("none".parse::<Engine>(), Err(Error::UnknownEngine { .. })));
}

#[test]
fn bad_options_are_refused() {
    let Some(device) = testing::device() else { return };
    let layers = Builder::new().engine(Engine::Hierarchy);
    let build = |builder: Builder| builder.build(&device, &[3u8, 1, 2]).map(|rmq| rmq.len());
    for chunk in [0, 1, 7, 2048] {
        assert!(matches!(build(layers.chunk(chunk)), Err(Error::BadOption { option: "chunk", .. })));
    }
    for group in [0, 3, 256] {
        assert!(matches!(build(layers.group(group)), Err(Error::BadOption { option: "group", .. })));
    }
    assert!(matches!(build(layers.threshold(0)), Err(Error::BadOption { option: "threshold", .. })));
    assert!(matches!(build(padded_tree().block(32)), Err(Error::BadOption { option: "block", .. })));
    assert!(matches!(build(padded_tree().superblock(8)), Err(Error::BadOption { option: "superblock", .. })));
    assert!(matches!(build(padded_tree().dictionary(3)), Err(Error::BadOption { option: "dictionary", .. })));
    assert_eq!(build(layers.chunk(1024).group(1).threshold(u32::MAX)), Ok(3));
}

#[test]
fn extra_memory_is_what_is_promised() {
    let Some(device) = testing::device() else { return };
    let array = ArrayKind::Random.make::<u32>(1 << 20, 1);
    let share = |builder: Builder| builder.build(&device, &array).unwrap().device_bytes() as f64 / (4 << 20) as f64;
    assert!(share(lines()) <= 0.23);
    assert!(share(lines().compact(true)) <= 0.12);
    // 4.1 bits of 32, and the dictionary.
    assert!((0.12..0.13).contains(&share(padded_tree())));
}

/// Sizes that only a real GPU has time for. Data is made on the device, answers are known by formula.
#[test]
#[ignore = "needs a GPU with 80 GB"]
fn large_arrays() {
    let Some(device) = testing::open(Options::default()) else { return };
    for len in [1u64 << 28, (1 << 31) + 5, (1 << 32) + (1 << 20) + 3, (1 << 33) - 5] {
        check_large(&device, len, Pattern::Sorted, |l, _| l);
        // In the middle, so that no distance has more than 32 bits.
        let middle = len / 2;
        check_large(&device, len, Pattern::Valley(middle), |l, r| middle.clamp(l, r));
        let period = 10_007;
        check_large(&device, len, Pattern::Periodic(period), |l, r| {
            // The period begins anew where the low word does.
            let low = l % (1 << 32);
            let next = l + (u64::from(period) - low % u64::from(period)) % u64::from(period);
            let next = if low != 0 { next.min(l - low + (1 << 32)) } else { l };
            if next <= r { next } else { l }
        });
    }
}

fn check_large(device: &Device, len: u64, pattern: Pattern, answer: impl Fn(u64, u64) -> u64) {
    let values = testing::fill(device, len, pattern).unwrap();
    check_large_with(&lines().build_on_device(values.clone()).unwrap(), len, pattern, &answer);
    let built = padded_tree().build_on_device(values);
    // Its codes, two bits an element, are one binding.
    if len / 4 < device.limits().binding_bytes {
        check_large_with(&built.unwrap(), len, pattern, &answer);
    } else {
        assert!(matches!(built, Err(Error::Device(_))), "{len}");
    }
}

fn check_large_with(rmq: &GpuRmq<'_, u32>, len: u64, pattern: Pattern, answer: impl Fn(u64, u64) -> u64) {
    for &kind in QueryKind::ALL {
        let queries = kind.make::<u64>(len as usize, 100_000, 11);
        let (mut positions, mut keys) = (vec![0u64; queries.len()], vec![0u32; queries.len()]);
        rmq.argmin_batch(&queries, &mut positions).unwrap();
        rmq.min_batch(&queries, &mut keys).unwrap();
        for (i, &[l, r]) in queries.iter().enumerate() {
            let want = answer(l, r);
            // `position / 8` ties: the leftmost is the left bound.
            assert_eq!(positions[i], want, "{pattern:?} {len} {} {l}..={r}", kind.name());
            assert_eq!(keys[i], pattern.at(want), "{pattern:?} {len} {} {l}..={r}", kind.name());
        }
    }
    // Random ranges, by scanning: the shortest class, and a scan on the device for some of every class.
    let scan = Builder::new().engine(Engine::Scan).build_on_device(rmq.values().clone()).unwrap();
    for &kind in QueryKind::ALL {
        let queries = kind.make::<u64>(len as usize, 300, 12);
        let (mut got, mut want) = (vec![0u64; queries.len()], vec![0u64; queries.len()]);
        rmq.argmin_batch(&queries, &mut got).unwrap();
        scan.argmin_batch(&queries, &mut want).unwrap();
        assert_eq!(got, want, "{pattern:?} {len} {}", kind.name());
    }
}

/// The same at a size that every device has time for, and with lines that do not fit the buffers.
#[test]
fn patterns_made_on_the_device() {
    let Some(device) = testing::open(Options { checked: true, binding_bytes: Some(1 << 18) }) else { return };
    let len = 200_003;
    for pattern in [Pattern::Sorted, Pattern::Valley(1_000), Pattern::Periodic(97), Pattern::Random(5)] {
        let values = testing::fill(&device, len, pattern).unwrap();
        let array: Vec<u32> = (0..len).map(|i| pattern.at(i)).collect();
        assert!(values.to_vec().unwrap() == array, "{pattern:?}");
        for builder in [lines(), padded_tree(), padded_tree().block(8).superblock(16)] {
            check_on_device::<_, u32>(&builder.build_on_device(values.clone()).unwrap(), &array, 3_000);
        }
    }
}
