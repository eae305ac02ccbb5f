//! Every RMQ engine of this crate against the conformance suite, on whatever device there is.

use thalweg_arrays::Rmq;
use thalweg_core::bits::{Array, Bits};
use thalweg_core::{Chosen, Coding, Error, Key, Order, Position, Result};
use thalweg_data::{ArrayKind, QueryKind};
use thalweg_gpu::rmq::{
    Assignment, DeviceRmq, Engine, HierarchyOptions, Index, LinesOptions, Load, PaddedTreeOptions, RayOptions, Shape,
    build,
};
use thalweg_gpu::testing::Pattern;
use thalweg_gpu::{Device, DeviceArray, Options, testing};
use thalweg_suites::rmq::{Extent, part_of_suite};

/// A software renderer compiles a kernel in a tenth of a second and needs a millisecond a batch: not everything can be
/// asked of every variant.
const EXTENT: Extent = Extent {
    sizes: &[0, 1, 2, 3, 15, 16, 17, 33, 65, 127, 257, 513, 1009, 1024, 4097, 20_011, 65_537],
    step: 4,
    singles: 1,
};

/// Small lines, blocks and groups, so that arrays of some thousand elements have all levels.
const SMALL: Shape =
    Shape { line: 4, block: 4, group: 4, direct: 4, threads: 64, portions: 3, wide: false, team: 2, alone: 32 };

/// An engine, or the sizes of `lines`.
#[derive(Clone, Copy, Debug)]
enum Variant {
    Of(Engine),
    Shaped(Shape),
}

impl Variant {
    fn on_device<K: Key>(self, array: DeviceArray<K>, order: Order) -> Result<DeviceRmq<K>> {
        match self {
            Self::Of(engine) => DeviceRmq::with_engine(array, order, engine),
            Self::Shaped(shape) => DeviceRmq::with_shape(array, order, shape),
        }
    }

    fn upload<K: Key>(self, device: &Device, array: &[K]) -> Result<DeviceRmq<K>> {
        self.on_device(device.upload(array)?, Order::Min)
    }

    /// The index as an engine of the host: from bits, or from an array with its type.
    fn index<K: Key>(self, device: &Device, array: &[K], order: Order) -> Result<Index> {
        match self {
            Self::Of(engine) => build(device, Bits::of(array), Coding::of::<K>(order), engine),
            Self::Shaped(_) => Ok(self.on_device(device.upload(array)?, order)?.into_index()),
        }
    }
}

fn conform<K: Key>(device: &Device, variant: Variant, step: usize) {
    part_of_suite::<K>(Extent { step, ..EXTENT }, |array, order| {
        let index = variant.index(device, array, order).unwrap();
        let chosen = Chosen::on_device(device.name(), index.engine(), "a test");
        Rmq::from_engine(index.with_array(Array::of::<K>(array)), order, chosen)
    });
}

macro_rules! conformance {
    ($($name:ident = $variant:expr, [$($t:ident),*];)*) => {$(
        #[test]
        fn $name() {
            let Some(device) = testing::device() else { return };
            // Ten types take ten times as long.
            let step = if [$(stringify!($t)),*].len() == 10 { 8 } else { EXTENT.step };
            $(conform::<$t>(&device, $variant, step);)*
        }
    )*};
}

fn lines() -> Variant {
    Variant::Of(Engine::Lines(LinesOptions::DEFAULT))
}

fn compact() -> Variant {
    Variant::Of(Engine::Lines(LinesOptions { compact: true }))
}

fn inlabel() -> Variant {
    Variant::Of(Engine::Inlabel)
}

/// Rays where the device traces them, else the tree: both are asked all of it by the test command, where it can get a
/// renderer with rays.
fn ray(triangles: usize) -> Variant {
    Variant::Of(Engine::Ray(RayOptions { triangles: Some(triangles) }))
}

fn naive() -> Variant {
    Variant::Of(Engine::Naive)
}

fn padded_tree() -> Variant {
    Variant::Of(Engine::PaddedTree(PaddedTreeOptions::DEFAULT))
}

fn padded_tree_of(block: usize, superblock: usize, dictionary: usize) -> Variant {
    let (block, superblock, dictionary) = (Some(block), Some(superblock), Some(dictionary));
    Variant::Of(Engine::PaddedTree(PaddedTreeOptions { block, superblock, dictionary }))
}

fn layers(options: HierarchyOptions) -> Variant {
    Variant::Of(Engine::Hierarchy(options))
}

fn hierarchy(load: Load, assignment: Assignment) -> HierarchyOptions {
    HierarchyOptions { load: Some(load), assignment: Some(assignment), ..HierarchyOptions::DEFAULT }
}

conformance! {
    lines_of_every_type = lines(), [u8, u16, u32, u64, i8, i16, i32, i64, f32, f64];
    lines_of_four = Variant::Shaped(SMALL), [f32, i64];
    lines_as_in_arrays_of_middle_length = Variant::Shaped(Shape { line: 16, block: 8, group: 64, direct: 28, team: 4, alone: 64, ..SMALL }), [f32];
    lines_without_teams = Variant::Shaped(Shape { line: 16, direct: 9, team: 1, ..SMALL }), [f32];
    lines_by_teams_also_for_values = Variant::Shaped(Shape { line: 8, alone: 0, ..SMALL }), [f32, i64];
    lines_in_large_teams = Variant::Shaped(Shape { line: 8, block: 8, direct: 28, team: 8, ..SMALL }), [f32, f64];
    lines_with_wide_positions = Variant::Shaped(Shape { wide: true, ..SMALL }), [f32];
    compact_lines = compact(), [i32];
    hierarchy_by_vectors = layers(hierarchy(Load::Vector, Assignment::MultiLoad)), [f32, i64];
    hierarchy_by_vectors_and_queue =
        layers(HierarchyOptions { group: Some(2), threshold: Some(3), ..hierarchy(Load::Vector, Assignment::Queue) }),
        [f64];
    hierarchy_by_groups = layers(HierarchyOptions {
        group: Some(4),
        chunk: Some(4),
        threshold: Some(1),
        ..hierarchy(Load::Coalesced, Assignment::MultiLoad)
    }), [f32];
    hierarchy_by_groups_and_queue = layers(hierarchy(Load::Coalesced, Assignment::Queue)), [i8, u64];
    padded_tree_of_every_type = padded_tree(), [u8, u16, u32, u64, i8, i16, i32, i64, f32, f64];
    padded_tree_of_small_blocks = padded_tree_of(4, 16, 2), [f32, i64];
    padded_tree_of_middle_blocks = padded_tree_of(8, 32, 4), [f64, u32];
    // The labels know no keys: all types are tested by nearest smaller values, which they come from.
    inlabel_of_some_types = inlabel(), [i8, f32, u64];
    ray_of_every_type = Variant::Of(ray_engine()), [u8, u16, u32, u64, i8, i16, i32, i64, f32, f64];
    ray_over_layers = ray(300), [f32, i64];
    ray_over_many_layers = ray(16), [u32];
    naive_of_some_types = naive(), [f32, i64];
}

/// The engines and variants, once each.
fn all() -> [Variant; 7] {
    [
        Variant::Shaped(SMALL),
        padded_tree(),
        padded_tree_of(4, 16, 8),
        layers(hierarchy(Load::Vector, Assignment::Queue)),
        layers(HierarchyOptions { group: Some(8), ..hierarchy(Load::Coalesced, Assignment::Queue) }),
        ray(300),
        naive(),
    ]
}

fn check_on_device<K: Key, P: Position>(rmq: &DeviceRmq<K>, array: &[K], count: usize) {
    let values = rmq.array();
    let device = values.device();
    let queries = QueryKind::Mixed.make::<P>(array.len(), count, 5);
    let on_device = device.upload(queries.as_flattened()).unwrap();
    let (positions, keys) = (device.allocate::<P>(count).unwrap(), device.allocate::<K>(count).unwrap());
    rmq.positions(&on_device, &positions).unwrap();
    rmq.values(&on_device, &keys).unwrap();
    let mut want = vec![P::default(); count];
    Rmq::new(array).unwrap().positions(&queries, &mut want).unwrap();
    let (positions, keys) = (positions.to_vec().unwrap(), keys.to_vec().unwrap());
    for i in 0..count {
        assert_eq!(positions[i], want[i], "{} {} {i}", rmq.engine(), K::NAME);
        assert_eq!(keys[i].to_low_bits(), array[want[i].get()].to_low_bits(), "{} {} {i}", rmq.engine(), K::NAME);
    }
    // A bad query is named by its row.
    let mut bad = queries;
    bad[count - 1] = [P::new(3), P::new(2)];
    bad[count / 2] = [P::new(1), P::new(array.len())];
    let want = Error::Query { row: count / 2, left: 1, right: array.len() as u64, len: array.len() };
    let on_device = device.upload(bad.as_flattened()).unwrap();
    let positions = device.allocate::<P>(count).unwrap();
    assert_eq!(rmq.positions(&on_device, &positions).unwrap_err(), want);
    let short = device.allocate::<P>(count - 1).unwrap();
    assert!(matches!(rmq.positions(&on_device, &short), Err(Error::Length { .. })));
}

#[test]
fn batches_on_the_device_and_arrays_in_many_buffers() {
    // 64 KiB a binding: arrays, queries and answers take several buffers each.
    let Some(device) = testing::open(Options { checked: true, binding_bytes: Some(1 << 16) }) else { return };
    let special = ArrayKind::Special.make::<f32>(40_003, 3);
    let random = ArrayKind::Random.make::<u64>(20_011, 3);
    for variant in all() {
        check_on_device::<_, u32>(&variant.upload(&device, &special).unwrap(), &special, 17_001);
        check_on_device::<_, u64>(&variant.upload(&device, &random).unwrap(), &random, 5_003);
    }
    check_on_device::<_, u32>(&inlabel().upload(&device, &special).unwrap(), &special, 9_001);
    let opened_together = Variant::Shaped(Shape { line: 8, team: 4, ..SMALL });
    check_on_device::<_, u64>(&opened_together.upload(&device, &special).unwrap(), &special, 1_000);
}

#[test]
fn batches_longer_than_a_tile() {
    let Some(device) = testing::device() else { return };
    let array = ArrayKind::Random.make::<u16>(1_000, 3);
    let rmq = lines().upload(&device, &array).unwrap().with_tile(10_000);
    let mut queries = QueryKind::Small.make::<u32>(array.len(), 101_001, 5);
    let (mut got, mut want) = (vec![0u16; queries.len()], vec![0u16; queries.len()]);
    rmq.values_of_slice(&queries, &mut got).unwrap();
    Rmq::new(&array).unwrap().values(&queries, &mut want).unwrap();
    assert!(got == want);
    let row = queries.len() - 7;
    queries[row] = [0, 1_000];
    let want = Error::Query { row, left: 0, right: 1_000, len: 1_000 };
    assert_eq!(rmq.values_of_slice(&queries, &mut got), Err(want));
}

/// Windows are made for batches much longer than the array, and then they answer for short ranges, as the rest does for long ones.
#[test]
fn short_ranges_by_windows() {
    let Some(device) = testing::device() else { return };
    fn check<K: Key>(device: &Device, array: &[K]) {
        let rmq = lines().upload(device, array).unwrap();
        let without = rmq.device_bytes();
        for &kind in QueryKind::ALL {
            let mut queries = kind.make::<u32>(array.len(), 4 * array.len(), 5);
            // All lengths that windows answer, and some more.
            for (i, query) in queries.iter_mut().take(1_200).enumerate() {
                let left = i * 7 % array.len();
                *query = [left as u32, (left + i % 400).min(array.len() - 1) as u32];
            }
            let mut want = vec![K::default(); queries.len()];
            Rmq::new(array).unwrap().values(&queries, &mut want).unwrap();
            let (on_device, out) =
                (device.upload(queries.as_flattened()).unwrap(), device.allocate(want.len()).unwrap());
            rmq.values(&on_device, &out).unwrap();
            let got = out.to_vec().unwrap();
            let wrong = (0..got.len()).find(|&i| got[i].to_low_bits() != want[i].to_low_bits());
            assert_eq!(wrong.map(|i| queries[i]), None, "{} {} n={}", K::NAME, kind.name(), array.len());
        }
        // Keys of one word only.
        let windows = if size_of::<K>() <= 4 { 32 * array.len() } else { 0 };
        // What lies behind the last float may look as if ranks did not tell all: then there are none.
        let none = K::NAME.starts_with('f') && rmq.device_bytes() == without;
        assert!(none || rmq.device_bytes() == without + windows, "{}", K::NAME);
    }
    for n in [1, 255, 257, 3_001] {
        check(&device, &ArrayKind::Random.make::<f32>(n, 3));
    }
    check(&device, &ArrayKind::Random.make::<i32>(3_001, 3));
    check(&device, &ArrayKind::Random.make::<i64>(1_003, 3));
    check(&device, &ArrayKind::Sorted.make::<u16>(2_003, 3));
}

#[test]
fn the_front_doors_agree() {
    let Some(device) = testing::device() else { return };
    let array = [3, 9, 9, 1];
    let rmq = DeviceRmq::with_engine(device.upload(&array).unwrap(), Order::Max, Engine::default()).unwrap();
    assert_eq!((rmq.len(), rmq.order(), rmq.engine()), (4, Order::Max, "lines"));
    assert!(rmq.device_bytes() > 0 && !rmq.is_empty());
    let mut out = [0u64; 2];
    rmq.positions_of_slice(&[[0, 3], [2, 3]], &mut out).unwrap();
    assert_eq!(out, [1, 2]);
    let engine = rmq.into_index().with_array(Array::of::<i32>(&array[..]));
    assert_eq!((engine.name(), engine.len(), engine.try_value(3, 3)), ("lines", 4, Ok(Some(1))));
    assert!(engine.extra_bytes() > 0 && engine.has_values());
    assert_eq!(DeviceRmq::new(device.upload::<u8>(&[]).unwrap()).unwrap().device_bytes(), 0);
}

#[test]
fn bad_options_are_refused() {
    let Some(device) = testing::device() else { return };
    let built = |variant: Variant| variant.upload(&device, &[3u8, 1, 2]).map(|rmq| rmq.len());
    let of = HierarchyOptions::DEFAULT;
    for chunk in [0, 1, 7, 2048] {
        let refused = built(layers(HierarchyOptions { chunk: Some(chunk), ..of }));
        assert!(matches!(refused, Err(Error::BadOption { option: "chunk", .. })));
    }
    for group in [0, 3, 256] {
        let refused = built(layers(HierarchyOptions { group: Some(group), ..of }));
        assert!(matches!(refused, Err(Error::BadOption { option: "group", .. })));
    }
    let refused = built(layers(HierarchyOptions { threshold: Some(0), ..of }));
    assert!(matches!(refused, Err(Error::BadOption { option: "threshold", .. })));
    assert!(matches!(built(padded_tree_of(32, 64, 8)), Err(Error::BadOption { option: "block", .. })));
    assert!(matches!(built(padded_tree_of(16, 8, 8)), Err(Error::BadOption { option: "superblock", .. })));
    assert!(matches!(built(padded_tree_of(16, 64, 3)), Err(Error::BadOption { option: "dictionary", .. })));
    let refused = built(Variant::Shaped(Shape { direct: 200, ..SMALL }));
    assert!(matches!(refused, Err(Error::BadOption { option: "shape", .. })));
    let (chunk, group, threshold) = (Some(1024), Some(1), Some(usize::MAX));
    assert_eq!(built(layers(HierarchyOptions { chunk, group, threshold, ..of })), Ok(3));
    // What GPUs do not have, also where there is nothing to do.
    for engine in [Engine::SparseTable, Engine::PrefixSuffixTree, Engine::BalancedParens] {
        for array in [&[][..], &[3u8, 1, 2]] {
            let refused = build(&device, Bits::of(array), Coding::of::<u8>(Order::Min), engine);
            assert!(
                matches!(refused, Err(Error::NotOnDevice { problem: "rmq", engine: name, .. }) if name == engine.name())
            );
        }
    }
    let refused = build(&device, Bits::of(&[1u8]), Coding::of::<u16>(Order::Min), Engine::Naive);
    assert!(matches!(refused, Err(Error::Bits { expected: 16, got: 8, .. })));
}

#[test]
fn extra_memory_is_what_is_promised() {
    let Some(device) = testing::device() else { return };
    let array = ArrayKind::Random.make::<u32>(1 << 20, 1);
    let share = |variant: Variant| variant.upload(&device, &array).unwrap().device_bytes() as f64 / (4 << 20) as f64;
    assert!(share(lines()) <= 0.23);
    assert!(share(compact()) <= 0.12);
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
    let values = testing::fill(device, len as usize, pattern).unwrap();
    check_large_with(&lines().on_device(values.clone(), Order::Min).unwrap(), len, pattern, &answer);
    let built = padded_tree().on_device(values, Order::Min);
    // Its codes, two bits an element, are one binding.
    if len / 4 < device.limits().binding_bytes {
        check_large_with(&built.unwrap(), len, pattern, &answer);
    } else {
        assert!(matches!(built, Err(Error::Device(_))), "{len}");
    }
}

fn check_large_with(rmq: &DeviceRmq<u32>, len: u64, pattern: Pattern, answer: impl Fn(u64, u64) -> u64) {
    for &kind in QueryKind::ALL {
        let queries = kind.make::<u64>(len as usize, 100_000, 11);
        let (mut positions, mut keys) = (vec![0u64; queries.len()], vec![0u32; queries.len()]);
        rmq.positions_of_slice(&queries, &mut positions).unwrap();
        rmq.values_of_slice(&queries, &mut keys).unwrap();
        for (i, &[l, r]) in queries.iter().enumerate() {
            let want = answer(l, r);
            // `position / 8` ties: the leftmost is the left bound.
            assert_eq!(positions[i], want, "{pattern:?} {len} {} {l}..={r}", kind.name());
            assert_eq!(keys[i], pattern.at(want), "{pattern:?} {len} {} {l}..={r}", kind.name());
        }
    }
    // Random ranges, by scanning: the shortest class, and a scan on the device for some of every class.
    let scan = naive().on_device(rmq.array(), Order::Min).unwrap();
    for &kind in QueryKind::ALL {
        let queries = kind.make::<u64>(len as usize, 300, 12);
        let (mut got, mut want) = (vec![0u64; queries.len()], vec![0u64; queries.len()]);
        rmq.positions_of_slice(&queries, &mut got).unwrap();
        scan.positions_of_slice(&queries, &mut want).unwrap();
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
        let array: Vec<u32> = (0..len as u64).map(|i| pattern.at(i)).collect();
        assert!(values.to_vec().unwrap() == array, "{pattern:?}");
        for variant in [lines(), padded_tree(), padded_tree_of(8, 16, 8)] {
            let rmq = variant.on_device(values.clone(), Order::Min).unwrap();
            check_on_device::<_, u32>(&rmq, &array, 3_000);
        }
    }
}

/// For the test command, which looks for a renderer that does.
#[test]
#[ignore = "tells whether rays are traced here, which is no fault"]
fn the_device_traces_rays() {
    let device = testing::device().expect("a device");
    assert!(device.limits().ray_queries, "{} traces no rays", device.name());
    // What is asked by rays is answered by rays.
    let index = build(&device, Bits::of(&[3u32, 1, 2]), Coding::of::<u32>(Order::Min), ray_engine()).unwrap();
    assert_eq!(index.remark(), None);
}

fn ray_engine() -> Engine {
    Engine::Ray(RayOptions::DEFAULT)
}
