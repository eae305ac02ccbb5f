//! ANSV on the device, held to the answers of the CPU.

use thalweg::Key;
use thalweg::ansv::Relation;
use thalweg_gpu::ansv::{Builder, Engine, ThesisTuning};
use thalweg_gpu::{Device, testing};
use thalweg_testkit::ArrayKind;
use thalweg_testkit::ansv::by_stack;

/// Compares both sides of one array with the textbook stack.
fn check<K: Key>(device: &Device, builder: Builder, array: &[K], relation: Relation, name: &str) {
    let expected = by_stack(array, relation);
    let answer = builder.relation(relation).run(&device.upload(array).unwrap()).unwrap();
    for (side, got, expected) in [("left", &answer.left, &expected[0]), ("right", &answer.right, &expected[1])] {
        let got = got.to_vec().unwrap();
        let want = |i: usize| expected[i].map_or(u32::MAX, |j| j as u32);
        if let Some(i) = (0..array.len()).find(|&i| got[i] != want(i)) {
            panic!("{} {name} {relation:?} n={}: {side}[{i}] is {}, not {}", K::NAME, array.len(), got[i] as i32, want(i) as i32);
        }
    }
}

/// Lengths around the borders of quads, runs, tiles and subsets.
const SIZES: [usize; 14] = [0, 1, 3, 5, 17, 100, 511, 1025, 2047, 2048, 2049, 4097, 9001, 40_007];

fn engines() -> Vec<(&'static str, Builder)> {
    let small_subsets = ThesisTuning { threads: 32, subset: 64, few: 16 };
    vec![
        ("tiles", Builder::new().engine(Engine::Tiles)),
        ("thesis", Builder::new().engine(Engine::Thesis)),
        ("thesis, four levels", Builder::new().engine(Engine::Thesis).thesis_tuning(small_subsets)),
    ]
}

#[test]
fn all_datasets_and_relations() {
    let Some(device) = testing::device() else { return };
    for (name, builder) in engines() {
        for n in SIZES {
            for &kind in ArrayKind::ALL {
                for relation in Relation::ALL {
                    check(&device, builder, &kind.make::<u32>(n, 5), relation, &format!("{name} {}", kind.name()));
                }
            }
        }
        eprintln!("{name}");
    }
}
