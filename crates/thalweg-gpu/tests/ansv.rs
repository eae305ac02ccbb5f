//! ANSV on the device, held to the answers of the CPU.

use thalweg::Key;
use thalweg::ansv::Relation;
use thalweg_gpu::ansv::{Builder, Engine};
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

#[test]
fn first() {
    let Some(device) = testing::device() else { return };
    let builder = Builder::new().engine(Engine::Tiles);
    for n in [1usize, 2, 5, 100, 2047, 2048, 2049, 5000, 20_000, 100_003] {
        for &kind in ArrayKind::ALL {
            for relation in Relation::ALL {
                check(&device, builder, &kind.make::<u32>(n, 5), relation, kind.name());
            }
        }
        eprintln!("{n}");
    }
}
