//! ANSV on the device, held to the answers of the CPU.

use proptest::prelude::*;
use thalweg::Key;
use thalweg::ansv::Relation;
use thalweg_gpu::ansv::{Builder, Engine, OnDevice, ThesisTuning, Tuning};
use thalweg_gpu::testing::{self, ClosedForm};
use thalweg_gpu::{Device, Options};
use thalweg_suites::ansv::{by_stack, suite_of};
use thalweg_data::{ArrayKind, Random};

/// Compares both sides of one array with the textbook stack.
fn check<K: Key>(device: &Device, builder: Builder, array: &[K], relation: Relation, name: &str) {
    let expected = by_stack(array, relation);
    let answer = builder.relation(relation).run(&device.upload(array).unwrap()).unwrap();
    for (side, got, expected) in [("left", &answer.left, &expected[0]), ("right", &answer.right, &expected[1])] {
        let got = got.to_vec().unwrap();
        let want = |i: usize| expected[i].map_or(u32::MAX, |j| j as u32);
        if let Some(i) = (0..array.len()).find(|&i| got[i] != want(i)) {
            let n = array.len();
            panic!("{} {name} {relation:?} n={n}: {side}[{i}] is {}, not {}", K::NAME, got[i] as i32, want(i) as i32);
        }
    }
}

/// Lengths around the borders of quads, runs, subsets, tiles and nodes.
const SIZES: [usize; 9] = [0, 1, 5, 17, 1023, 1024, 2049, 4097, 20_011];

/// Every engine, also with parts so small that a short array has many, in several levels.
fn engines(device: &Device) -> Vec<(&'static str, Builder)> {
    let tiles = Tuning::of::<u32>(device);
    let small_subsets = ThesisTuning { threads: 32, subset: 64, few: 16 };
    let tuned = |tuning| Builder::new().engine(Engine::Tiles).tuning(tuning);
    vec![
        ("tiles", Builder::new().engine(Engine::Tiles)),
        ("tiles of 512, one round", tuned(Tuning { threads: 128, items: 4, light: 8, rounds: 0, ..tiles })),
        ("tiles of 256, always merged", tuned(Tuning { threads: 64, items: 4, light: 1, ..tiles })),
        ("thesis in four levels", Builder::new().engine(Engine::Thesis).thesis_tuning(small_subsets)),
        ("thesis", Builder::new().engine(Engine::Thesis)),
        ("tiles of 1,024, never merged", tuned(Tuning { threads: 64, items: 16, light: 1024, ..tiles })),
    ]
}

#[test]
fn all_datasets_and_relations() {
    let Some(device) = testing::device() else { return };
    for (name, builder) in engines(&device) {
        for n in SIZES {
            for &kind in ArrayKind::ALL {
                // The other two are the same kernels with other codings; the types' tests have them.
                for relation in [Relation::Smaller, Relation::NotLarger] {
                    check(&device, builder, &kind.make::<u32>(n, 5), relation, &format!("{name} {}", kind.name()));
                }
            }
        }
    }
}

/// Kernels as users run them: a device may treat unchecked ones differently.
#[test]
fn unchecked() {
    let Some(device) = testing::open(Options::default()) else { return };
    for (name, builder) in engines(&device).into_iter().step_by(2) {
        for &kind in ArrayKind::ALL {
            check(
                &device,
                builder,
                &kind.make::<u32>(9001, 5),
                Relation::NotLarger,
                &format!("{name} {}", kind.name()),
            );
        }
    }
}

#[test]
fn every_type() {
    let Some(device) = testing::device() else { return };
    macro_rules! one {
        ($t:ident) => {
            for &engine in Engine::ALL {
                for kind in [ArrayKind::Special, ArrayKind::Worst] {
                    let (array, name) = (kind.make::<$t>(3001, 2), format!("{engine} {}", kind.name()));
                    // Both orders, strict and not.
                    check(&device, Builder::new().engine(engine), &array, Relation::Smaller, &name);
                    check(&device, Builder::new().engine(engine), &array, Relation::NotSmaller, &name);
                }
            }
        };
    }
    thalweg::for_each_key!(one);
}

/// Through the front door of the library: sides alone and together, both widths of positions, all relations.
#[test]
fn conformance() {
    let Some(device) = testing::device() else { return };
    for &engine in Engine::ALL {
        suite_of::<i32>(&OnDevice::new(&device, engine), &[1, 2500], 4);
    }
}

#[test]
fn several_buffers() {
    // 64 KiB a binding: 16,384 keys of 32 bits.
    let Some(device) = testing::open(Options { checked: true, binding_bytes: Some(1 << 16) }) else { return };
    for (name, builder) in engines(&device).into_iter().step_by(3) {
        for kind in [ArrayKind::Random, ArrayKind::Worst, ArrayKind::Few, ArrayKind::Runs] {
            check(
                &device,
                builder,
                &kind.make::<u32>(70_001, 3),
                Relation::Smaller,
                &format!("{name} {}", kind.name()),
            );
        }
    }
    for &engine in Engine::ALL {
        let array = ArrayKind::Worst.make::<f64>(20_001, 3);
        check(&device, Builder::new().engine(engine), &array, Relation::NotLarger, "f64");
    }
}

/// Shapes that the datasets do not have.
#[test]
fn hostile_shapes() {
    let Some(device) = testing::device() else { return };
    let n = 14_011u64;
    let random = Random::new(4, 4);
    type Element = Box<dyn Fn(u64) -> u64>;
    let shapes: [(&str, Element); 6] = [
        ("staircase", Box::new(move |i| if i % 1024 == 0 { i / 1024 } else { (1 << 31) - 1000 * (i % 1024) })),
        ("alternating", Box::new(move |i| if i % 2 == 0 { i } else { 2 * n - i })),
        ("two values", Box::new(move |i| random.below(i, 2))),
        // Every element of a slope has its neighbour in another tile.
        (
            "comb",
            Box::new(move |i| if i < n / 2 { 2 + 2 * (i / 64) } else { (1 + n / 64).saturating_sub(2 * (i - n / 2)) }),
        ),
        ("one low element", Box::new(move |i| if i == 7_000 { 0 } else { 5 })),
        ("worst keys", Box::new(move |i| u64::from(u32::MAX) - random.below(i, 3) / 2)),
    ];
    for (name, builder) in engines(&device) {
        for (shape, element) in &shapes {
            let array: Vec<u32> = (0..n).map(|i| element(i) as u32).collect();
            for relation in [Relation::Smaller, Relation::NotLarger] {
                check(&device, builder, &array, relation, &format!("{name}, {shape}"));
            }
        }
    }
}

/// Solves arrays of `n` elements whose answers formulas tell.
fn closed_forms(device: &Device, n: u64, engines: &[Engine]) {
    let array = device.allocate::<u32>(n).unwrap();
    for form in [ClosedForm::Sorted, ClosedForm::Worst, ClosedForm::Periodic(1_000_003), ClosedForm::Periodic(700)] {
        form.fill(&array).unwrap();
        for &engine in engines {
            let answer = Builder::new().engine(engine).run(&array).unwrap();
            let wrong = [form.wrong(&answer.left, true).unwrap(), form.wrong(&answer.right, false).unwrap()];
            assert_eq!(wrong, [0, 0], "{engine} {form:?} n={n}");
        }
    }
}

#[test]
fn answers_that_formulas_tell() {
    let Some(device) = testing::device() else { return };
    closed_forms(&device, 200_002, Engine::ALL);
}

#[test]
#[ignore = "for GPUs with 5 GB"]
fn large() {
    let Some(device) = testing::open(Options::default()) else { return };
    closed_forms(&device, 1 << 28, Engine::ALL);
}

#[test]
#[ignore = "for GPUs with 30 GB"]
fn several_bindings_at_their_real_size() {
    let Some(device) = testing::open(Options::default()) else { return };
    closed_forms(&device, 1 << 31, Engine::ALL);
}

#[test]
fn what_is_refused() {
    let Some(device) = testing::device() else { return };
    let (array, short) = (device.upload(&[1u32, 2, 3]).unwrap(), device.allocate::<u32>(2).unwrap());
    assert!(Builder::new().run_into(&array, Some(&short), None).unwrap_err().to_string().contains("left answers"));
    assert!(Builder::new().run_into(&array, None, None).is_ok());
    assert!("tilse".parse::<Engine>().unwrap_err().to_string().contains("tiles, thesis"));
    for &engine in Engine::ALL {
        assert_eq!(engine.name().parse::<Engine>().unwrap(), engine);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// Plateaus longer than a run or a tile, and few values: every shape of ties.
    #[test]
    fn plateaus(plateaus in prop::collection::vec((0u32..4, 1usize..1500), 1..12), strict: bool) {
        let Some(device) = testing::device() else { return Ok(()) };
        let array: Vec<u32> = plateaus.iter().flat_map(|&(value, length)| std::iter::repeat_n(value, length)).collect();
        for (name, builder) in engines(&device) {
            let relation = if strict { Relation::Smaller } else { Relation::NotLarger };
            check(&device, builder, &array, relation, name);
        }
    }

    #[test]
    fn few_values(array in prop::collection::vec(0u32..6, 0..3000), strict: bool) {
        let Some(device) = testing::device() else { return Ok(()) };
        for (name, builder) in engines(&device) {
            let relation = if strict { Relation::Smaller } else { Relation::NotLarger };
            check(&device, builder, &array, relation, name);
        }
    }
}
