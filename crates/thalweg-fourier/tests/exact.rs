//! Exact convolutions: the conformance suite for every engine, properties, threads.

use proptest::prelude::*;
use thalweg_data::with_threads;
use thalweg_fourier::convolution::{Boundary, Extent};
use thalweg_fourier::exact::{Engine, Integer, Options, Wide, convolve};
use thalweg_fourier::{Error, Shape};
use thalweg_suites::at_every_level;
use thalweg_suites::fourier::exact::suite;

#[test]
fn naive() {
    suite(Engine::Naive);
}

#[test]
fn direct() {
    at_every_level(|| suite(Engine::Direct));
}

#[test]
fn ntt() {
    at_every_level(|| suite(Engine::Ntt));
}

fn told<A: Integer, K: Integer, R: Wide>(
    array: (&[A], &[usize]),
    kernel: (&[K], &[usize]),
    options: Options,
) -> Result<Vec<R>, Error> {
    convolve(array.0, &Shape::new(array.1)?, kernel.0, &Shape::new(kernel.1)?, &options)
}

/// All engines say what the naive one says, for every type of result.
fn agree<A: Integer, K: Integer>(
    array: (&[A], &[usize]),
    kernel: (&[K], &[usize]),
    options: Options,
) -> Result<(), TestCaseError> {
    fn one<A: Integer, K: Integer, R: Wide>(
        array: (&[A], &[usize]),
        kernel: (&[K], &[usize]),
        options: Options,
    ) -> Result<(), TestCaseError> {
        let with = |engine| told::<A, K, R>(array, kernel, Options { engine, ..options });
        let expected = with(Some(Engine::Naive));
        for engine in [None, Some(Engine::Direct), Some(Engine::Ntt)] {
            prop_assert_eq!(with(engine), expected.clone(), "{:?}", engine);
        }
        Ok(())
    }
    one::<A, K, i64>(array, kernel, options)?;
    one::<A, K, u64>(array, kernel, options)?;
    one::<A, K, i128>(array, kernel, options)
}

fn options() -> impl Strategy<Value = Options> {
    let (boundaries, extents) = (Boundary::ALL.len(), Extent::ALL.len());
    (0..boundaries, 0..extents, any::<bool>()).prop_map(|(boundary, extent, correlate)| {
        let extent = Extent::ALL[extent];
        let boundary = if extent == Extent::Full { Boundary::Zero } else { Boundary::ALL[boundary] };
        Options { boundary, extent, correlate, engine: None }
    })
}

proptest! {
    #[test]
    fn lines_of_small_numbers(
        array in prop::collection::vec(any::<u8>(), 1..200),
        kernel in prop::collection::vec(any::<i8>(), 1..200),
        options in options(),
    ) {
        agree((&array, &[array.len()]), (&kernel, &[kernel.len()]), options)?;
    }

    #[test]
    fn lines_of_large_numbers(
        array in prop::collection::vec(any::<i64>(), 1..100),
        kernel in prop::collection::vec(any::<u64>(), 1..100),
        shift in 0..63u32,
        options in options(),
    ) {
        let array: Vec<i64> = array.iter().map(|x| x >> shift).collect();
        agree((&array, &[array.len()]), (&kernel, &[kernel.len()]), options)?;
    }

    #[test]
    fn pictures(
        sizes in prop::array::uniform2(1..30usize),
        kernel_sizes in prop::array::uniform2(1..12usize),
        seed in any::<u64>(),
        options in options(),
    ) {
        let noise = |i: usize| seed.wrapping_mul(2 * i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        let array: Vec<u16> = (0..sizes[0] * sizes[1]).map(|i| noise(i) as u16).collect();
        let kernel: Vec<i32> = (0..kernel_sizes[0] * kernel_sizes[1]).map(|i| noise(i + 7777) as i32).collect();
        agree((&array, &sizes), (&kernel, &kernel_sizes), options)?;
    }
}

/// Long enough for several tasks of every kind: one transform, blocks, and sums; all of them tell the same.
#[test]
fn the_same_on_any_number_of_threads() {
    let array: Vec<i32> = (0..300_000u32).map(|i| i.wrapping_mul(0x9e37_79b9) as i32).collect();
    let run = |threads: usize, m: usize, engine: Engine| {
        let options = Options { boundary: Boundary::Wrap, engine: Some(engine), ..Options::default() };
        with_threads(threads, || told::<_, _, i128>((&array, &[300_000]), (&array[..m], &[m]), options).unwrap())
    };
    for m in [20, 3000, 300_000] {
        let one = run(1, m, Engine::Ntt);
        assert!(run(2, m, Engine::Ntt) == one && run(8, m, Engine::Ntt) == one, "{m}");
        if m < 300_000 {
            assert!(run(1, m, Engine::Direct) == one && run(8, m, Engine::Direct) == one, "{m}");
        }
    }
}

#[test]
fn short_kernels_are_taken_directly_and_long_ones_by_transforms() {
    use thalweg_fourier::exact::{Kind, Values, convolve_of};
    let numbers = vec![1u8; 100_000];
    let taken = |m: usize| {
        let (shape, kernel_shape) = (Shape::line(100_000).unwrap(), Shape::line(m).unwrap());
        let (array, kernel) = (Values::U8(&numbers), Values::U8(&numbers[..m]));
        convolve_of(array, &shape, kernel, &kernel_shape, &Options::default(), Kind::I64).unwrap().engine
    };
    assert_eq!((taken(1), taken(100_000)), (Engine::Direct, Engine::Ntt));
}

#[test]
fn sizes_must_be_those_of_the_slices() {
    let found = told::<_, _, i64>((&[1u8], &[1 << 40]), (&[1u8; 3], &[3]), Options::default());
    assert!(matches!(found, Err(Error::Length { .. })), "{found:?}");
    assert!(told::<u8, u8, i64>((&[], &[0]), (&[1], &[1]), Options::default()).is_err());
}
