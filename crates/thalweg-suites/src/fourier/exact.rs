//! The conformance suite of exact convolutions.

use thalweg_core::{Error, Result};
use thalweg_data::integer_convolutions::{BigInt, Convolution};
use thalweg_fourier::Shape;
use thalweg_fourier::convolution::{Boundary, Extent};
use thalweg_fourier::exact::{Engine, Integer, Kind, Numbers, Options, Values, convolve_of};

/// What is to be convolved.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The array.
    pub array: Values<'a>,
    /// Its shape.
    pub shape: Shape,
    /// The kernel.
    pub kernel: Values<'a>,
    /// Its shape.
    pub kernel_shape: Shape,
    /// Boundary, extent, correlation; no engine.
    pub options: Options,
    /// The result's type.
    pub kind: Kind,
}

/// Something that convolves exactly.
pub type Convolver<'a> = &'a dyn Fn(&Case<'_>) -> Result<Numbers>;

/// Holds an engine of the library to its contract; see [`suite_of`].
///
/// # Panics
/// If an answer is wrong.
pub fn suite(engine: Engine) {
    let most = match engine {
        Engine::Naive => 2000,
        Engine::Direct => 6000,
        _ => 200_000,
    };
    suite_of(engine.name(), most, &|case| {
        let options = Options { engine: Some(engine), ..case.options };
        Ok(convolve_of(case.array, &case.shape, case.kernel, &case.kernel_shape, &options, case.kind)?.numbers)
    });
}

/// Holds a convolver to its contract, on arrays of up to `most` elements: every boundary, extent and pair of types against big
/// integers, with values at the ends of their types; sums at the ends of the result's types and just beyond; sums that
/// leave the type on the way and come back; the first of several overflows; long arrays of closed form; what is refused.
///
/// # Panics
/// If an answer is wrong.
pub fn suite_of(name: &str, most: usize, convolve: Convolver<'_>) {
    definitions(name, convolve);
    limits(name, most, convolve);
    first_overflows(name, most, convolve);
    closed_forms(name, most, convolve);
    refusals(name, convolve);
}

fn shape(sizes: &[usize]) -> Shape {
    Shape::new(sizes).unwrap_or_else(|error| panic!("{error}"))
}

const KINDS: [Kind; 3] = [Kind::I64, Kind::U64, Kind::I128];

/// What a kind of result says of sums.
fn fitted(sums: &[BigInt], kind: Kind) -> Result<Numbers> {
    fn all<R: for<'a> TryFrom<&'a BigInt>>(sums: &[BigInt], what: &'static str) -> Result<Vec<R>> {
        let fit = |(element, sum)| R::try_from(sum).map_err(|_| Error::Overflow { element, what });
        sums.iter().enumerate().map(fit).collect()
    }
    match kind {
        Kind::I64 => all(sums, "i64").map(Numbers::I64),
        Kind::U64 => all(sums, "u64").map(Numbers::U64),
        Kind::I128 => all(sums, "i128").map(Numbers::I128),
        other => panic!("{other:?}"),
    }
}

/// Sizes of array and kernel.
const LINES: &[(usize, usize)] = &[
    (1, 1),
    (1, 2),
    (2, 1),
    (1, 7),
    (7, 1),
    (2, 3),
    (3, 2),
    (5, 5),
    (8, 3),
    (17, 4),
    (4, 17),
    (33, 16),
    (16, 70),
    (130, 129),
];
const RECTANGLES: &[([usize; 2], [usize; 2])] = &[
    ([1, 1], [1, 1]),
    ([1, 9], [3, 1]),
    ([9, 1], [1, 4]),
    ([3, 4], [2, 2]),
    ([4, 3], [3, 5]),
    ([2, 5], [5, 6]),
    ([7, 11], [4, 3]),
    ([12, 20], [9, 7]),
];

/// A type with its ends.
trait Edges: Integer + Into<i128> {
    const EDGES: [Self; 6];
    fn random(bits: u64) -> Self;
}

macro_rules! edges {
    ($($t:ident)*) => {$(
        impl Edges for $t {
            const EDGES: [Self; 6] = [Self::MIN, Self::MAX, 0, 1, Self::MIN / 2 + 1, Self::MAX - 1];
            fn random(bits: u64) -> Self {
                (bits >> 13) as Self
            }
        }
    )*};
}
edges!(u8 i8 u16 i16 u32 i32 u64 i64);

/// Numbers of three kinds: all bits random, the ends of the type at random, only the lower end.
fn numbers<T: Edges>(len: usize, how: u64, seed: u64) -> Vec<T> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678;
    (0..len)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            match how {
                0 => T::random(state),
                1 => T::EDGES[(state >> 33) as usize % 6],
                _ => T::EDGES[if T::EDGES[0].into() == 0 { 1 } else { 0 }],
            }
        })
        .collect()
}

fn definitions(name: &str, convolve: Convolver<'_>) {
    macro_rules! pairs {
        ($($a:ident $k:ident,)*) => {{
            let mut seed = 0;
            $(
                seed += 1;
                pair::<$a, $k>(name, seed, convolve);
            )*
        }};
    }
    pairs!(u8 i8, u8 u8, i8 i8, u16 i16, i16 u8, i32 i32, u32 u32, i32 u8, u8 i32, u32 i16, i64 i64, u64 u64, i64 u64, u64 i8, i64 i32, u8 u64,);
}

/// Some sizes, by turns, for one pair of types; every boundary and extent.
fn pair<A: Edges, K: Edges>(name: &str, seed: usize, convolve: Convolver<'_>) {
    for (i, &(n, m)) in LINES.iter().enumerate() {
        if (i + seed).is_multiple_of(4) || n > 100 {
            one::<A, K>(name, &[n], &[m], (seed + i) as u64, convolve);
        }
    }
    for (i, (sizes, kernel_sizes)) in RECTANGLES.iter().enumerate() {
        if (i + seed).is_multiple_of(4) || sizes[0] > 10 {
            one::<A, K>(name, sizes, kernel_sizes, (seed + i) as u64, convolve);
        }
    }
}

fn one<A: Edges, K: Edges>(name: &str, sizes: &[usize], kernel_sizes: &[usize], seed: u64, convolve: Convolver<'_>) {
    let (shape, kernel_shape) = (shape(sizes), shape(kernel_sizes));
    let array = numbers::<A>(shape.len(), seed % 3, seed);
    let kernel = numbers::<K>(kernel_shape.len(), seed / 3 % 3, seed + 100);
    let whole = |sizes: &[usize]| if let [len] = *sizes { [1, len] } else { [sizes[0], sizes[1]] };
    let wide_array: Vec<i128> = array.iter().map(|&x| x.into()).collect();
    let wide_kernel: Vec<i128> = kernel.iter().map(|&x| x.into()).collect();
    for (&boundary, &extent) in Boundary::ALL.iter().flat_map(|b| Extent::ALL.iter().map(move |e| (b, e))) {
        let is_bad = extent == Extent::Full && boundary != Boundary::Zero
            || extent == Extent::Valid
                && sizes.iter().zip(kernel_sizes).any(|(n, m)| n < m)
                && sizes.iter().zip(kernel_sizes).any(|(n, m)| n > m);
        for correlate in [false, true] {
            let options = Options { boundary, extent, correlate, engine: None };
            let what = Convolution { boundary: boundary.name(), extent: extent.name(), correlate };
            let sums =
                if is_bad { vec![] } else { what.of(&wide_array, whole(sizes), &wide_kernel, whole(kernel_sizes)) };
            for kind in KINDS {
                let case =
                    Case { array: A::values(&array), shape, kernel: K::values(&kernel), kernel_shape, options, kind };
                let found = convolve(&case);
                if is_bad {
                    assert!(matches!(found, Err(Error::BadOption { .. } | Error::Shape { .. })), "{name}: {case:?}");
                } else {
                    assert_eq!(found, fitted(&sums, kind), "{name}: {case:?}");
                }
            }
        }
    }
}

/// One sum of a few products in the middle of zeros: alone, and where the other answers fit, among others.
fn in_the_middle(
    name: &str,
    most: usize,
    convolve: Convolver<'_>,
    pairs: &[(u64, i64)],
    kind: Kind,
    expected: Option<i128>,
) {
    let len = pairs.len();
    // The sum of products when the weights are moved; `None` if it does not fit.
    let moved = |by: usize, back: bool| {
        let (low, high) = (&pairs[..len - by], &pairs[by..]);
        let (elements, weights) = if back { (high, low) } else { (low, high) };
        let sum = elements.iter().zip(weights).try_fold(0i128, |sum, (element, weight)| {
            sum.checked_add(i128::from(element.0).checked_mul(weight.1.into())?)
        })?;
        fits(sum, kind).then_some(sum)
    };
    let is_clear = (1..len).all(|by| moved(by, false).is_some() && (expected.is_none() || moved(by, true).is_some()));
    for (n, m) in [(len, len), (1000, 1000), (30_000, 30_000), (1000, 40), (30_000, 300), (150_000, 40_000)] {
        let is_alone = n == m;
        if n + m > most || m < len || !is_alone && !is_clear {
            continue;
        }
        let place = (n - len) / 2;
        let last = if is_alone { n - 1 - place } else { m - 1 };
        let (mut array, mut kernel) = (vec![0u64; n], vec![0i64; m]);
        for (i, &(element, weight)) in pairs.iter().enumerate() {
            array[place + i] = element;
            kernel[last - i] = weight;
        }
        let extent = if is_alone { Extent::Valid } else { Extent::Full };
        let case = Case {
            array: Values::U64(&array),
            shape: shape(&[n]),
            kernel: Values::I64(&kernel),
            kernel_shape: shape(&[m]),
            options: Options { extent, ..Options::default() },
            kind,
        };
        let at = if is_alone { 0 } else { place + m - 1 };
        let found = convolve(&case);
        let told = found.as_ref().map(|numbers| match numbers {
            Numbers::I64(all) => all[at].into(),
            Numbers::U64(all) => all[at].into(),
            Numbers::I128(all) => all[at],
            other => panic!("{other:?}"),
        });
        match expected {
            Some(sum) => assert_eq!(told, Ok(sum), "{name}: {n} {m} {pairs:?} {kind:?}"),
            None => {
                let Err(Error::Overflow { element, .. }) = found else {
                    panic!("{name}: {n} {m} {pairs:?} {kind:?}: {told:?}")
                };
                assert_eq!(element, at, "{name}: {n} {m} {pairs:?} {kind:?}");
            }
        }
    }
}

fn fits(sum: i128, kind: Kind) -> bool {
    match kind {
        Kind::I64 => i64::try_from(sum).is_ok(),
        Kind::U64 => u64::try_from(sum).is_ok(),
        _ => true,
    }
}

fn limits(name: &str, most: usize, convolve: Convolver<'_>) {
    const HALF: u64 = 1 << 63;
    let check = |pairs: &[(u64, i64)], kind, expected| in_the_middle(name, most, convolve, pairs, kind, expected);
    // The ends of i64, and one beyond.
    let largest = i64::MAX as u64;
    check(&[(largest - 5, 1), (5, 1)], Kind::I64, Some(i64::MAX.into()));
    check(&[(largest - 5, 1), (6, 1)], Kind::I64, None);
    check(&[(largest - 5, -1), (6, -1)], Kind::I64, Some(i64::MIN.into()));
    check(&[(largest - 5, -1), (7, -1)], Kind::I64, None);
    check(&[(HALF, 1)], Kind::I64, None);
    check(&[(HALF, -1)], Kind::I64, Some(i64::MIN.into()));
    // Those of u64.
    check(&[(u64::MAX - 5, 1), (5, 1)], Kind::U64, Some(u64::MAX.into()));
    check(&[(u64::MAX - 5, 1), (6, 1)], Kind::U64, None);
    check(&[(7, 1), (7, -1)], Kind::U64, Some(0));
    check(&[(7, 1), (8, -1)], Kind::U64, None);
    check(&[(u64::MAX, 1), (u64::MAX, 1), (u64::MAX, -1)], Kind::U64, Some(u64::MAX.into()));
    // Those of i128.
    check(&[(u64::MAX, i64::MIN), (HALF, -1)], Kind::I128, Some(i128::MIN));
    check(&[(u64::MAX, i64::MIN), (HALF, -1), (1, -1)], Kind::I128, None);
    check(&[(u64::MAX, i64::MAX), (u64::MAX, 1), (largest, 1)], Kind::I128, Some(i128::MAX));
    check(&[(u64::MAX, i64::MAX), (u64::MAX, 1), (HALF, 1)], Kind::I128, None);
    // There and back again.
    let far = [(u64::MAX, i64::MAX), (u64::MAX, i64::MAX), (u64::MAX, i64::MIN), (u64::MAX, i64::MIN), (u64::MAX, 2)];
    check(&far, Kind::I64, Some(0));
    check(&far, Kind::I128, Some(0));
    let far = [(largest, i64::MAX), (largest, -i64::MAX), (3, 4)];
    check(&far, Kind::I64, Some(12));
    check(&far, Kind::U64, Some(12));
}

/// Of several answers that do not fit, the first is named.
fn first_overflows(name: &str, most: usize, convolve: Convolver<'_>) {
    for (rows, columns, kernel_rows, kernel_columns) in
        [(1, 1500, 1, 20), (1, 60_000, 1, 900), (40, 37, 5, 3), (170, 180, 40, 30)]
    {
        let n = rows * columns;
        if n > most {
            continue;
        }
        for first in [0, n / 3, n - 1] {
            let mut array = vec![1i64; n];
            array[first] = i64::MAX;
            array[n - 1] = i64::MAX;
            let kernel = vec![1u8; kernel_rows * kernel_columns];
            let case = Case {
                array: Values::I64(&array),
                shape: shape(&[rows, columns]),
                kernel: Values::U8(&kernel),
                kernel_shape: shape(&[kernel_rows, kernel_columns]),
                options: Options { extent: Extent::Full, ..Options::default() },
                kind: Kind::I64,
            };
            let width = columns + kernel_columns - 1;
            // The first sum that has another element, or two large ones.
            let (row, column) = (first / columns, first % columns);
            let is_alone = |row: usize, column: usize| row == 0 && column == 0;
            let element = if is_alone(row, column) { 1 } else { row * width + column };
            let expected = Err(Error::Overflow { element, what: "i64" });
            assert_eq!(convolve(&case), expected, "{name}: {rows} x {columns}, {first}");
            let fits = convolve(&Case { kind: Kind::I128, ..case });
            assert!(fits.is_ok(), "{name}: {fits:?}");
        }
    }
}

fn closed_forms(name: &str, most: usize, convolve: Convolver<'_>) {
    let full = Options { extent: Extent::Full, ..Options::default() };
    for (n, m) in [(1000, 1000), (5000, 3), (4097, 4096), (70_000, 100), (65_537, 30_011), (100_000, 100_000)] {
        if n > most {
            continue;
        }
        // The smallest numbers everywhere: triangles.
        let (array, kernel) = (vec![i32::MIN; n], vec![i32::MIN; m]);
        let case = Case {
            array: Values::I32(&array),
            shape: shape(&[n]),
            kernel: Values::I32(&kernel),
            kernel_shape: shape(&[m]),
            options: full,
            kind: Kind::I128,
        };
        let product = i128::from(i32::MIN) * i128::from(i32::MIN);
        let terms = |i: usize| (i + 1).min(n).min(m).min(n + m - 1 - i) as i128;
        let expected: Vec<i128> = (0..n + m - 1).map(|i| product * terms(i)).collect();
        assert!(convolve(&case) == Ok(Numbers::I128(expected)), "{name}: {n} {m}");
        let overflow = (0..n + m - 1).find(|&i| product * terms(i) > i64::MAX.into());
        let found = convolve(&Case { kind: Kind::I64, ..case });
        let expected = overflow.map(|element| Error::Overflow { element, what: "i64" });
        assert!(found.err() == expected, "{name}: {n} {m}");
        // A few impulses: the kernel at their places.
        let mut array = vec![0u8; n];
        let kernel: Vec<i16> = (0..m as i32).map(|j| (j * 7919) as i16).collect();
        let places = [0, n / 7, n - 1];
        places.iter().for_each(|&at| array[at] = 255);
        let case = Case { array: Values::U8(&array), kernel: Values::I16(&kernel), kind: Kind::I64, ..case };
        let mut expected = vec![0i64; n + m - 1];
        for at in places {
            kernel.iter().enumerate().for_each(|(j, &weight)| expected[at + j] += 255 * i64::from(weight));
        }
        assert!(convolve(&case) == Ok(Numbers::I64(expected)), "{name}: {n} {m}");
    }
    for (rows, columns, kernel_rows, kernel_columns) in [(30, 40, 5, 9), (300, 200, 31, 31), (250, 400, 100, 200)] {
        if rows * columns > most {
            continue;
        }
        // The same everywhere, and beyond the ends: every sum is the same.
        let (array, kernel) = (vec![-128i8; rows * columns], vec![255u8; kernel_rows * kernel_columns]);
        let case = Case {
            array: Values::I8(&array),
            shape: shape(&[rows, columns]),
            kernel: Values::U8(&kernel),
            kernel_shape: shape(&[kernel_rows, kernel_columns]),
            options: Options { boundary: Boundary::Reflect, ..Options::default() },
            kind: Kind::I64,
        };
        let expected = vec![-128 * 255 * (kernel_rows * kernel_columns) as i64; rows * columns];
        assert!(convolve(&case) == Ok(Numbers::I64(expected)), "{name}: {rows} x {columns}");
        let found = convolve(&Case { kind: Kind::U64, ..case });
        assert_eq!(found, Err(Error::Overflow { element: 0, what: "u64" }), "{name}");
    }
}

fn refusals(name: &str, convolve: Convolver<'_>) {
    let (array, kernel) = ([1u8, 2, 3], [1u8, 2]);
    let case = Case {
        array: Values::U8(&array),
        shape: shape(&[3]),
        kernel: Values::U8(&kernel),
        kernel_shape: shape(&[2]),
        options: Options::default(),
        kind: Kind::I64,
    };
    assert_eq!(convolve(&case), Ok(Numbers::I64(vec![4, 7, 6])), "{name}");
    let said = |case: Case<'_>| convolve(&case).map(|_| ()).unwrap_err();
    assert!(matches!(said(Case { shape: shape(&[4]), ..case }), Error::Length { .. }), "{name}");
    assert!(matches!(said(Case { kernel_shape: shape(&[1]), ..case }), Error::Length { .. }), "{name}");
    assert!(matches!(said(Case { kernel_shape: shape(&[1, 2]), ..case }), Error::Shape { .. }), "{name}");
    let three = Case { shape: shape(&[1, 1, 3]), kernel_shape: shape(&[1, 1, 2]), ..case };
    assert!(matches!(said(three), Error::Shape { .. }), "{name}");
}
