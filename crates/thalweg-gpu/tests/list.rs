//! Every list ranking engine of this crate against walks: kinds of lists, sizes around every boundary, both
//! directions, all weights, in one buffer and in many.

use thalweg_core::{Error, Result};
use thalweg_data::{ListKind, lists};
use thalweg_gpu::list::{self, Direction, Engine, Options, Tuning};
use thalweg_gpu::{Device, DeviceArray, Options as DeviceOptions, testing};
use thalweg_suites::list::{DIRECTIONS, Ranker, bad_lists};

/// Sizes around workgroups, blocks and the base of the recursion.
const SIZES: &[usize] = &[0, 1, 2, 3, 15, 16, 17, 255, 257, 1023, 1025, 4097, 30_011];
/// Small blocks, so that lists of some thousand elements have several levels.
const SMALL: Tuning = Tuning { block: 8, base: 64, walkers: 512 };
/// The engines of GPUs.
const ENGINES: [Engine; 3] = [Engine::HelmanJaja, Engine::PointerJumping, Engine::IndependentSet];

/// An engine, with sizes of its own where it has them.
#[derive(Clone, Copy, Debug)]
struct Variant {
    engine: Engine,
    tuning: Option<Tuning>,
}

impl Variant {
    fn options(self, direction: Direction, seed: u64) -> Options {
        Options { direction, engine: Some(self.engine), seed }
    }

    fn rank(self, next: &DeviceArray<u32>, direction: Direction, seed: u64) -> Result<Vec<u32>> {
        let options = self.options(direction, seed);
        match self.tuning {
            None => list::rank(next, &options)?.to_vec(),
            Some(tuning) => list::rank_tuned(next, &options, tuning)?.to_vec(),
        }
    }

    fn sums<W: list::Weight<Sum: thalweg_core::Key> + thalweg_core::Key>(
        self,
        next: &DeviceArray<u32>,
        weights: &[W],
        direction: Direction,
    ) -> Result<Vec<W::Sum>> {
        let (options, weights) = (self.options(direction, 5), next.device().upload(weights)?);
        match self.tuning {
            None => list::sums(next, &weights, &options)?.to_vec(),
            Some(tuning) => list::sums_tuned(next, &weights, &options, tuning)?.to_vec(),
        }
    }
}

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

fn check_ranks(device: &Device, variant: Variant) {
    for &kind in ListKind::ALL {
        for (i, &n) in SIZES.iter().enumerate() {
            let next = kind.make::<u32>(n, 7);
            let direction = DIRECTIONS[i % 2];
            let got = variant.rank(&device.upload(&next).unwrap(), direction, (n as u64) << 20).unwrap();
            assert!(got == ranks(&next, direction), "{variant:?} {} n={n} {direction:?}", kind.name());
        }
    }
}

/// Weights of all types and numbers, on lists of a kind. They are so large that their sums do not fit 32 bits.
fn check_sums(device: &Device, variant: Variant, kind: ListKind, n: usize) {
    let next = kind.make::<u32>(n, 5);
    let signed: Vec<i32> = lists::weights(n, 1).into_iter().map(|w: i32| w.wrapping_mul(0x0135_79bd)).collect();
    let unsigned: Vec<u32> = signed.iter().map(|&w| w as u32).collect();
    let wide: Vec<i64> = signed.iter().map(|&w| i64::from(w) << 16 | i64::from(w) & 0xffff_ffff).collect();
    let wide_unsigned: Vec<u64> = wide.iter().map(|&w| w as u64).collect();
    let on_device = device.upload(&next).unwrap();
    for direction in DIRECTIONS {
        let case = format!("{variant:?} {} n={n} {direction:?}", kind.name());
        let want = sums(&next, direction, |i| signed[i].into());
        assert!(variant.sums(&on_device, &signed, direction).unwrap() == want, "{case}: i32");
        let want_unsigned = sums(&next, direction, |i| unsigned[i].into());
        let same = |got: &[u64], want: &[i64]| got.iter().map(|&sum| sum as i64).eq(want.iter().copied());
        assert!(same(&variant.sums(&on_device, &unsigned, direction).unwrap(), &want_unsigned), "{case}: u32");
        let want_wide = sums(&next, direction, |i| wide[i]);
        assert!(variant.sums(&on_device, &wide, direction).unwrap() == want_wide, "{case}: i64");
        assert!(same(&variant.sums(&on_device, &wide_unsigned, direction).unwrap(), &want_wide), "{case}: u64");
        // From the host, one number and several.
        let options = variant.options(direction, 9);
        assert!(list::sums_of_slice(&on_device, &signed, &options).unwrap() == want, "{case}: slice of i32");
        let pairs: Vec<[u32; 2]> = unsigned.iter().map(|&w| [w, 1]).collect();
        let counts = sums(&next, direction, |_| 1);
        let got = list::sums_of_slice(&on_device, &pairs, &options).unwrap();
        assert!(
            got.iter()
                .map(|pair| pair.map(|sum| sum as i64))
                .eq(want_unsigned.into_iter().zip(counts).map(<[i64; 2]>::from)),
            "{case}: pairs"
        );
    }
}

macro_rules! conformance {
    ($($name:ident = $engine:expr, $tuning:expr;)*) => {$(
        #[test]
        fn $name() {
            let Some(device) = testing::device() else { return };
            let variant = Variant { engine: $engine, tuning: $tuning };
            check_ranks(&device, variant);
            for kind in [ListKind::Random, ListKind::Several, ListKind::Short] {
                check_sums(&device, variant, kind, 5003);
            }
        }
    )*};
}

conformance! {
    helman_jaja = Engine::HelmanJaja, None;
    helman_jaja_of_small_blocks = Engine::HelmanJaja, Some(SMALL);
    pointer_jumping = Engine::PointerJumping, None;
    independent_set = Engine::IndependentSet, None;
}

#[test]
fn lists_in_many_buffers() {
    // 64 KiB a binding: everything takes several buffers.
    let options = DeviceOptions { checked: true, binding_bytes: Some(1 << 16) };
    let Some(device) = testing::open(options) else { return };
    for engine in ENGINES {
        let variant = Variant { engine, tuning: Some(SMALL) };
        let next = ListKind::Several.make::<u32>(40_003, 3);
        let on_device = device.upload(&next).unwrap();
        assert!(variant.rank(&on_device, Direction::ToEnd, 1).unwrap() == lists::links_to_end(&next), "{engine}");
        let weights = lists::weights(next.len(), 2);
        let want = sums(&next, Direction::FromHead, |i| weights[i].into());
        assert!(variant.sums(&on_device, &weights, Direction::FromHead).unwrap() == want, "{engine}: sums");
    }
}

#[test]
fn what_is_no_list_is_named() {
    let Some(device) = testing::device() else { return };
    for engine in ENGINES {
        let variant = Variant { engine, tuning: Some(SMALL) };
        bad_lists(&Ranker {
            name: engine.name(),
            rank: &|next, direction| variant.rank(&device.upload(next)?, direction, 1),
            sums: &|next, weights, direction| variant.sums(&device.upload(next)?, weights, direction),
        });
    }
}

#[test]
fn the_front_doors_agree() {
    let Some(device) = testing::device() else { return };
    let (next, options) = (device.upload(&[3, u32::MAX, 0, 3]).unwrap(), Options::default());
    assert_eq!(list::rank(&next, &options).unwrap().to_vec().unwrap(), [1, 0, 2, 0]);
    let short = device.upload(&[1u32]).unwrap();
    assert!(matches!(list::sums(&next, &short, &options), Err(Error::Length { what: "weights", .. })));
    assert!(matches!(list::sums_of_slice(&next, &[1u32], &options), Err(Error::Length { what: "weights", .. })));
    let sequential = Options { engine: Some(Engine::Sequential), ..options };
    for next in [&next, &device.upload::<u32>(&[]).unwrap()] {
        let refused = list::rank(next, &sequential);
        assert!(matches!(refused, Err(Error::NotOnDevice { problem: "list", engine: "sequential", .. })));
    }
    for tuning in [Tuning { block: 3, ..SMALL }, Tuning { block: 0, ..SMALL }, Tuning { walkers: 0, ..SMALL }] {
        let refused = list::rank_tuned(&next, &options, tuning);
        assert!(matches!(refused, Err(Error::BadOption { option: "tuning", .. })), "{tuning:?}");
    }
}

#[test]
fn sublists_that_are_too_long_for_a_word() {
    let Some(device) = testing::open(DeviceOptions { checked: true, binding_bytes: None }) else { return };
    // One list that goes through 40,000 elements that are no splitters (see `walk.wgsl`) before it comes to the first one: so many
    // that their number and that of a sublist do not fit a word together. (A software renderer ends loops after 65,535 rounds.)
    let tuning = Tuning { block: 4, base: 1 << 10, walkers: 1 << 14 };
    let mixed = |x: u32| {
        let z = (x ^ (x >> 16)).wrapping_mul(0x7feb_352d);
        let z = (z ^ (z >> 15)).wrapping_mul(0x846c_a68b);
        z ^ (z >> 16)
    };
    let is_splitter = |v: u32| v % tuning.block == mixed(v / tuning.block) % tuning.block;
    let mut others = 0..40_000;
    let (first, rest): (Vec<u32>, Vec<u32>) =
        (0..1u32 << 18).partition(|&v| !is_splitter(v) && others.next().is_some());
    let order = [first, rest].concat();
    let mut next: Vec<u32> = (0..1 << 18).collect();
    order.windows(2).for_each(|pair| next[pair[0] as usize] = pair[1]);
    let on_device = device.upload(&next).unwrap();
    for direction in DIRECTIONS {
        let variant = Variant { engine: Engine::HelmanJaja, tuning: Some(tuning) };
        assert!(variant.rank(&on_device, direction, 0).unwrap() == ranks(&next, direction), "{direction:?}");
    }
    // And one with a cycle behind it, which must be noticed all the same.
    next[order[order.len() - 1] as usize] = order[order.len() - 4];
    next[order[order.len() - 5] as usize] = order[order.len() - 5];
    let variant = Variant { engine: Engine::HelmanJaja, tuning: Some(tuning) };
    let e = variant.rank(&device.upload(&next).unwrap(), Direction::ToEnd, 0).unwrap_err();
    assert!(matches!(e, Error::Cycle { .. }), "{e}");
}
