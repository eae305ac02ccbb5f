//! ANSV on the device, held to the answers of the CPU.

use proptest::prelude::*;
use thalweg_arrays::ansv::AnsvEngine;
use thalweg_core::{Error, Key, Result};
use thalweg_data::{ArrayKind, Random};
use thalweg_gpu::ansv::{self, DeviceAnsv, DeviceSides, Engine, Relation, ThesisOptions, Tuning};
use thalweg_gpu::testing::{self, ClosedForm};
use thalweg_gpu::{Device, DeviceArray, Options};
use thalweg_suites::ansv::{by_stack, suite_of};

/// The engines of GPUs.
const ENGINES: [Engine; 2] = [Engine::Tiles, Engine::Thesis(ThesisOptions::DEFAULT)];

/// An engine, or the sizes of `tiles`.
#[derive(Clone, Copy, Debug)]
enum Variant {
    Of(Engine),
    Tuned(Tuning),
}

impl Variant {
    fn solve<K: Key>(self, array: &DeviceArray<K>, relation: Relation) -> Result<DeviceAnsv> {
        match self {
            Self::Of(engine) => ansv::solve(array, relation, engine),
            Self::Tuned(tuning) => {
                let side = || array.device().allocate::<u32>(array.len());
                let (left, right) = (side()?, side()?);
                let sides = DeviceSides { left: Some(&left), right: Some(&right) };
                ansv::solve_tuned(array, relation, tuning, sides)?;
                Ok(DeviceAnsv { left, right })
            }
        }
    }
}

/// Compares both sides of one array with the textbook stack.
fn check<K: Key>(device: &Device, variant: Variant, array: &[K], relation: Relation, name: &str) {
    let expected = by_stack(array, relation);
    let answer = variant.solve(&device.upload(array).unwrap(), relation).unwrap();
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
fn variants() -> Vec<(&'static str, Variant)> {
    let tiles = Tuning::of::<u32>();
    let small_subsets = ThesisOptions { threads: 32, subset: 64, few: 16 };
    let tuned = Variant::Tuned;
    vec![
        ("tiles", Variant::Of(Engine::Tiles)),
        ("tiles of 512, one round", tuned(Tuning { threads: 128, items: 4, light: 8, rounds: 0, ..tiles })),
        ("tiles of 256, always merged", tuned(Tuning { threads: 64, items: 4, light: 1, ..tiles })),
        ("thesis in four levels", Variant::Of(Engine::Thesis(small_subsets))),
        ("thesis", Variant::Of(Engine::Thesis(ThesisOptions::DEFAULT))),
        ("tiles of 1,024, never merged", tuned(Tuning { threads: 64, items: 16, light: 1024, ..tiles })),
    ]
}

#[test]
fn all_datasets_and_relations() {
    let Some(device) = testing::device() else { return };
    for (name, variant) in variants() {
        for n in SIZES {
            for &kind in ArrayKind::ALL {
                // The other two are the same kernels with other codings; the types' tests have them.
                for relation in [Relation::Smaller, Relation::NotLarger] {
                    check(&device, variant, &kind.make::<u32>(n, 5), relation, &format!("{name} {}", kind.name()));
                }
            }
        }
    }
}

/// Kernels as users run them: a device may treat unchecked ones differently.
#[test]
fn unchecked() {
    let Some(device) = testing::open(Options::default()) else { return };
    for (name, variant) in variants().into_iter().step_by(2) {
        for &kind in ArrayKind::ALL {
            check(
                &device,
                variant,
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
            for engine in ENGINES {
                for kind in [ArrayKind::Special, ArrayKind::Worst] {
                    let (array, name) = (kind.make::<$t>(3001, 2), format!("{engine} {}", kind.name()));
                    // Both orders, strict and not.
                    check(&device, Variant::Of(engine), &array, Relation::Smaller, &name);
                    check(&device, Variant::Of(engine), &array, Relation::NotSmaller, &name);
                }
            }
        };
    }
    thalweg_core::for_each_key!(one);
}

/// Through the front door of the library: sides alone and together, both widths of positions, all relations.
#[test]
fn conformance() {
    let Some(device) = testing::device() else { return };
    for engine in ENGINES {
        let on_device: Box<dyn AnsvEngine> = ansv::engine(&device, engine).unwrap();
        assert_eq!(on_device.name(), engine.name());
        suite_of::<i32>(&*on_device, &[1, 2500], 4);
    }
}

#[test]
fn several_buffers() {
    // 64 KiB a binding: 16,384 keys of 32 bits.
    let Some(device) = testing::open(Options { checked: true, binding_bytes: Some(1 << 16) }) else { return };
    for (name, variant) in variants().into_iter().step_by(3) {
        for kind in [ArrayKind::Random, ArrayKind::Worst, ArrayKind::Few, ArrayKind::Runs] {
            check(
                &device,
                variant,
                &kind.make::<u32>(70_001, 3),
                Relation::Smaller,
                &format!("{name} {}", kind.name()),
            );
        }
    }
    for engine in ENGINES {
        let array = ArrayKind::Worst.make::<f64>(20_001, 3);
        check(&device, Variant::Of(engine), &array, Relation::NotLarger, "f64");
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
    for (name, variant) in variants() {
        for (shape, element) in &shapes {
            let array: Vec<u32> = (0..n).map(|i| element(i) as u32).collect();
            for relation in [Relation::Smaller, Relation::NotLarger] {
                check(&device, variant, &array, relation, &format!("{name}, {shape}"));
            }
        }
    }
}

/// Solves arrays of `n` elements whose answers formulas tell.
fn closed_forms(device: &Device, n: usize) {
    let array = device.allocate::<u32>(n).unwrap();
    for form in [ClosedForm::Sorted, ClosedForm::Worst, ClosedForm::Periodic(1_000_003), ClosedForm::Periodic(700)] {
        form.fill(&array).unwrap();
        for engine in ENGINES {
            let answer = ansv::solve(&array, Relation::Smaller, engine).unwrap();
            let wrong = [form.wrong(&answer.left, true).unwrap(), form.wrong(&answer.right, false).unwrap()];
            assert_eq!(wrong, [0, 0], "{engine} {form:?} n={n}");
        }
    }
}

#[test]
fn answers_that_formulas_tell() {
    let Some(device) = testing::device() else { return };
    closed_forms(&device, 200_002);
}

#[test]
#[ignore = "for GPUs with 5 GB"]
fn large() {
    let Some(device) = testing::open(Options::default()) else { return };
    closed_forms(&device, 1 << 28);
}

#[test]
#[ignore = "for GPUs with 30 GB"]
fn several_bindings_at_their_real_size() {
    let Some(device) = testing::open(Options::default()) else { return };
    closed_forms(&device, 1 << 31);
}

#[test]
fn what_is_refused() {
    let Some(device) = testing::device() else { return };
    let (array, short) = (device.upload(&[1u32, 2, 3]).unwrap(), device.allocate::<u32>(2).unwrap());
    let into = |engine, left, right| ansv::solve_into(&array, Relation::Smaller, engine, DeviceSides { left, right });
    assert!(into(Engine::Tiles, Some(&short), None).unwrap_err().to_string().contains("left output"));
    assert_eq!(into(Engine::Tiles, None, None), Ok(()));
    assert_eq!(ansv::left(&array, Relation::Smaller, Engine::Tiles).unwrap().to_vec().unwrap(), [u32::MAX, 0, 1]);
    assert_eq!(ansv::right(&array, Relation::Greater, Engine::Tiles).unwrap().to_vec().unwrap(), [1, 2, u32::MAX]);
    // What GPUs do not have.
    for engine in [Engine::Naive, Engine::Stack, Engine::Bsz, Engine::Berkman, Engine::Merging] {
        let not_here =
            |error| matches!(error, Error::NotOnDevice { problem: "ansv", engine: name, .. } if name == engine.name());
        assert!(not_here(into(engine, None, None).unwrap_err()));
        assert!(not_here(ansv::engine(&device, engine).unwrap_err()));
    }
    // Sizes that do not work.
    let good = ThesisOptions::DEFAULT;
    for (options, bad) in [
        (ThesisOptions { threads: 0, ..good }, "threads"),
        (ThesisOptions { threads: 48, ..good }, "threads"),
        (ThesisOptions { subset: 0, ..good }, "subset"),
        (ThesisOptions { subset: 100, ..good }, "subset"),
        (ThesisOptions { subset: 1 << 20, ..good }, "subset"),
        (ThesisOptions { few: 0, ..good }, "few"),
    ] {
        let refused = ansv::solve(&array, Relation::Smaller, Engine::Thesis(options));
        assert!(matches!(refused, Err(Error::BadOption { option, .. }) if option == bad), "{options:?}");
    }
    let tiles = Tuning::of::<u32>();
    for tuning in [Tuning { threads: 100, ..tiles }, Tuning { items: 5, ..tiles }, Tuning { mergers: 0, ..tiles }] {
        let sides = DeviceSides { left: Some(&array.duplicate().unwrap()), right: None };
        let refused = ansv::solve_tuned(&array, Relation::Smaller, tuning, sides);
        assert!(matches!(refused, Err(Error::BadOption { option: "tuning", .. })), "{tuning:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// Plateaus longer than a run or a tile, and few values: every shape of ties.
    #[test]
    fn plateaus(plateaus in prop::collection::vec((0u32..4, 1usize..1500), 1..12), strict: bool) {
        let Some(device) = testing::device() else { return Ok(()) };
        let array: Vec<u32> = plateaus.iter().flat_map(|&(value, length)| std::iter::repeat_n(value, length)).collect();
        for (name, variant) in variants() {
            let relation = if strict { Relation::Smaller } else { Relation::NotLarger };
            check(&device, variant, &array, relation, name);
        }
    }

    #[test]
    fn few_values(array in prop::collection::vec(0u32..6, 0..3000), strict: bool) {
        let Some(device) = testing::device() else { return Ok(()) };
        for (name, variant) in variants() {
            let relation = if strict { Relation::Smaller } else { Relation::NotLarger };
            check(&device, variant, &array, relation, name);
        }
    }
}
