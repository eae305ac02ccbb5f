//! Every list ranking engine of this crate against walks: kinds of lists, sizes around every boundary, both
//! directions, all weights, in one buffer and in many.

use thalweg::Error;
use thalweg_gpu::list::{Builder, Direction, Engine, Tuning};
use thalweg_gpu::{Device, Options, testing};
use thalweg_suites::list::{Ranker, bad_lists};
use thalweg_data::{ListKind, lists};

/// Sizes around workgroups, blocks and the base of the recursion.
const SIZES: &[usize] = &[0, 1, 2, 3, 15, 16, 17, 255, 257, 1023, 1025, 4097, 30_011];
/// Small blocks, so that lists of some thousand elements have several levels.
const SMALL: Tuning = Tuning { block: 8, base: 64, walkers: 512 };

fn ranks(next: &[u32], direction: Direction) -> Vec<u32> {
    match direction {
        Direction::ToEnd => lists::links_to_end(next),
        Direction::FromHead => lists::links_from_head(next),
    }
}

fn sums(next: &[u32], direction: Direction, weight: impl Fn(usize) -> i64) -> Vec<i64> {
    match direction {
        Direction::ToEnd => lists::sums_to_end(next, weight),
        Direction::FromHead => lists::sums_from_head(next, weight),
    }
}

const DIRECTIONS: [Direction; 2] = [Direction::ToEnd, Direction::FromHead];

fn check_ranks(device: &Device, builder: Builder) {
    for &kind in ListKind::ALL {
        for (i, &n) in SIZES.iter().enumerate() {
            let next = kind.make::<u32>(n, 7);
            let on_device = device.upload(&next).unwrap();
            let direction = DIRECTIONS[i % 2];
            let got = builder.direction(direction).seed(n as u32).rank(&on_device).unwrap().to_vec().unwrap();
            assert!(got == ranks(&next, direction), "{} {} n={n} {direction:?}", builder.chosen(), kind.name());
        }
    }
}

/// Weights of all widths and numbers, on lists of a kind.
fn check_sums(device: &Device, builder: Builder, kind: ListKind, n: usize) {
    let next = kind.make::<u32>(n, 5);
    let weights: Vec<Vec<i32>> = (0..4).map(|seed| lists::weights(n, seed)).collect();
    let on_device = device.upload(&next).unwrap();
    let arrays: Vec<_> = weights.iter().map(|weights| device.upload(weights).unwrap()).collect();
    let wide: Vec<i64> = weights[0].iter().map(|&w| i64::from(w) << 33 | i64::from(w) & 0xffff_ffff).collect();
    for direction in DIRECTIONS {
        let case = format!("{} {} n={n} {direction:?}", builder.chosen(), kind.name());
        let builder = builder.direction(direction);
        for count in [1, 2, 4] {
            let all: Vec<_> = arrays[..count].iter().collect();
            let got = builder.sums_of_all(&on_device, &all).unwrap();
            assert_eq!(got.len(), count);
            for (got, weights) in got.iter().zip(&weights) {
                let want = sums(&next, direction, |i| weights[i].into());
                assert!(got.to_vec().unwrap().iter().map(|&w| i64::from(w)).eq(want), "{case} {count}");
            }
        }
        let got = builder.sums(&on_device, &device.upload(&wide).unwrap()).unwrap().to_vec().unwrap();
        assert!(got == sums(&next, direction, |i| wide[i]), "{case} of 64 bits");
    }
}

macro_rules! conformance {
    ($($name:ident = $builder:expr;)*) => {$(
        #[test]
        fn $name() {
            let Some(device) = testing::device() else { return };
            check_ranks(&device, $builder);
            for kind in [ListKind::Random, ListKind::Several, ListKind::Short] {
                check_sums(&device, $builder, kind, 5003);
            }
        }
    )*};
}

conformance! {
    helman_jaja = Builder::new().engine(Engine::HelmanJaja);
    helman_jaja_of_small_blocks = Builder::new().tuning(SMALL);
    pointer_jumping = Builder::new().engine(Engine::PointerJumping);
    independent_set = Builder::new().engine(Engine::IndependentSet);
}

#[test]
fn lists_in_many_buffers() {
    // 64 KiB a binding: everything takes several buffers.
    let Some(device) = testing::open(Options { checked: true, binding_bytes: Some(1 << 16) }) else { return };
    for &engine in Engine::ALL {
        let builder = Builder::new().engine(engine).tuning(SMALL);
        let next = ListKind::Several.make::<u32>(40_003, 3);
        let got = builder.rank(&device.upload(&next).unwrap()).unwrap().to_vec().unwrap();
        assert!(got == lists::links_to_end(&next), "{engine}");
    }
}

#[test]
fn what_is_no_list_is_named() {
    let Some(device) = testing::device() else { return };
    for &engine in Engine::ALL {
        let builder = Builder::new().engine(engine).tuning(SMALL);
        let upload = |next: &[u32]| device.upload(next);
        bad_lists(&Ranker {
            name: engine.name(),
            rank: &|next, direction| builder.direction(direction).rank(&upload(next)?)?.to_vec(),
            sums: &|next, weights, direction| {
                let sums = builder.direction(direction).sums(&upload(next)?, &device.upload(weights)?)?.to_vec()?;
                Ok(sums.into_iter().map(i64::from).collect())
            },
        });
    }
}

#[test]
fn the_front_doors_agree() {
    let Some(device) = testing::device() else { return };
    let next = device.upload(&[3, u32::MAX, 0, 3]).unwrap();
    assert_eq!(thalweg_gpu::list::rank(&next).unwrap().to_vec().unwrap(), [1, 0, 2, 0]);
    assert_eq!(Builder::new().chosen(), Engine::HelmanJaja);
    let short = device.upload(&[1u32]).unwrap();
    assert!(matches!(Builder::new().sums(&next, &short), Err(Error::Length { what: "weights", .. })));
    assert!(Builder::new().sums_of_all::<i32>(&next, &[]).unwrap().is_empty());
    assert_eq!("pointer_jumping".parse::<Engine>(), Ok(Engine::PointerJumping));
}
