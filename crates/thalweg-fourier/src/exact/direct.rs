//! The engine `direct`: sums of products, many neighbours at a time. For short kernels.
//!
//! Sums are kept in the narrowest type that holds the answer: products and sums before it may wrap around, because what
//! comes out is right modulo a power of two. Work O(n m), extra memory little.

use thalweg_core::dispatch;
use thalweg_core::parallel::{chunk_range, for_each_chunk};

use super::bits::I192;
use super::bound::Bound;
use super::integer::{Integer, Values, each_type};
use super::sink::Sink;
use super::window::{Problem, Run, Window};
use crate::Result;

/// Rows and columns of a task.
const ROWS: usize = 8;
const COLUMNS: usize = 1024;

/// Numbers in which elements are multiplied, and those in which the products are summed up.
trait Scale: Copy + 'static {
    type Factor: Copy + Default + Send + Sync;
    type Sum: Answers;

    /// The factor for an element.
    fn factor<T: Integer>(element: T) -> Self::Factor;
    /// `sum + a * b`.
    fn add(sum: Self::Sum, a: Self::Factor, b: Self::Factor) -> Self::Sum;
}

/// Sums that a sink takes as answers.
#[allow(unsafe_code)]
trait Answers: Copy + Default {
    /// Puts answers, at most [`COLUMNS`], from a place on.
    ///
    /// # Safety
    /// As for [`Sink`].
    unsafe fn put(sink: &dyn Sink, start: usize, sums: &[Self]);
}

#[allow(unsafe_code)]
impl Answers for i32 {
    unsafe fn put(sink: &dyn Sink, start: usize, sums: &[Self]) {
        let mut wide = [0; COLUMNS];
        wide.iter_mut().zip(sums).for_each(|(wide, &sum)| *wide = sum.into());
        // SAFETY: the caller's promise, here and below.
        unsafe { sink.put_i64(start, &wide[..sums.len()]) }
    }
}

#[allow(unsafe_code)]
impl Answers for i64 {
    unsafe fn put(sink: &dyn Sink, start: usize, sums: &[Self]) {
        // SAFETY: as above.
        unsafe { sink.put_i64(start, sums) }
    }
}

#[allow(unsafe_code)]
impl Answers for i128 {
    unsafe fn put(sink: &dyn Sink, start: usize, sums: &[Self]) {
        // SAFETY: as above.
        unsafe { sink.put_i128(start, sums) }
    }
}

#[allow(unsafe_code)]
impl Answers for I192 {
    unsafe fn put(sink: &dyn Sink, start: usize, sums: &[Self]) {
        // SAFETY: as above.
        unsafe { sink.put_i192(start, sums) }
    }
}

/// For answers of 32 bits.
#[derive(Clone, Copy)]
struct Short;
/// For answers of 64 bits and elements of 32.
#[derive(Clone, Copy)]
struct Middle;
/// For answers of 64 bits.
#[derive(Clone, Copy)]
struct Long;
/// For answers of 128 bits.
#[derive(Clone, Copy)]
struct Longer;
/// For all.
#[derive(Clone, Copy)]
struct Longest;

impl Scale for Short {
    type Factor = i32;
    type Sum = i32;
    #[inline(always)]
    fn factor<T: Integer>(element: T) -> i32 {
        element.wrapped() as i32
    }
    #[inline(always)]
    fn add(sum: i32, a: i32, b: i32) -> i32 {
        sum.wrapping_add(a.wrapping_mul(b))
    }
}

impl Scale for Middle {
    type Factor = i32;
    type Sum = i64;
    #[inline(always)]
    fn factor<T: Integer>(element: T) -> i32 {
        element.wrapped() as i32
    }
    #[inline(always)]
    fn add(sum: i64, a: i32, b: i32) -> i64 {
        sum.wrapping_add(i64::from(a) * i64::from(b))
    }
}

impl Scale for Long {
    type Factor = i64;
    type Sum = i64;
    #[inline(always)]
    fn factor<T: Integer>(element: T) -> i64 {
        element.wrapped()
    }
    #[inline(always)]
    fn add(sum: i64, a: i64, b: i64) -> i64 {
        sum.wrapping_add(a.wrapping_mul(b))
    }
}

impl Scale for Longer {
    type Factor = i128;
    type Sum = i128;
    #[inline(always)]
    fn factor<T: Integer>(element: T) -> i128 {
        element.whole()
    }
    #[inline(always)]
    fn add(sum: i128, a: i128, b: i128) -> i128 {
        sum.wrapping_add(a.wrapping_mul(b))
    }
}

impl Scale for Longest {
    type Factor = i128;
    type Sum = I192;
    #[inline(always)]
    fn factor<T: Integer>(element: T) -> i128 {
        element.whole()
    }
    #[inline(always)]
    fn add(sum: I192, a: i128, b: i128) -> I192 {
        let product = I192::product(a.unsigned_abs(), b.unsigned_abs() as u64);
        if (a < 0) == (b < 0) { sum.plus(product) } else { sum.minus(product) }
    }
}

/// Puts the convolution into the sink.
pub(super) fn convolve(problem: &Problem<'_>, bound: &Bound, sink: &dyn Sink) -> Result<()> {
    match width(bound, problem.array.values, problem.kernel.values) {
        Width::Short => scaled::<Short, 64>(problem, sink),
        Width::Middle => scaled::<Middle, 32>(problem, sink),
        Width::Long => scaled::<Long, 32>(problem, sink),
        Width::Longer => scaled::<Longer, 4>(problem, sink),
        Width::Longest => scaled::<Longest, 1>(problem, sink),
    }
    Ok(())
}

/// In which numbers sums are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    Short,
    Middle,
    Long,
    Longer,
    Longest,
}

impl Width {
    /// So many products for every answer are summed up in less time than transforms take. Lines of 2^18 elements on one thread
    /// with AVX-512, directly and by transforms: of `u8` with 256 products 3.0 and 4.1 ms, with 512 5.3 and 4.5; of `i32` with
    /// 256 6.2 and 7.9, with 512 11.2 and 8.3; of `i64` in 64 bits with 256 8.6 and 12.4; in 128 bits with 32 10.7 and 15.9,
    /// with 64 19.3 and 14.4. Longer ones in 64 bits, and sums of more than 128, were not measured.
    pub(super) fn most_products(self) -> usize {
        match self {
            Self::Short | Self::Middle | Self::Long => 256,
            Self::Longer => 32,
            Self::Longest => 8,
        }
    }
}

pub(super) fn width(bound: &Bound, array: Values<'_>, kernel: Values<'_>) -> Width {
    if bound.fits(i32::MAX.into()) {
        Width::Short
    } else if bound.fits_i64() {
        if array.is_narrow() && kernel.is_narrow() { Width::Middle } else { Width::Long }
    } else if bound.fits(i128::MAX) {
        Width::Longer
    } else {
        Width::Longest
    }
}

fn scaled<S: Scale, const LEN: usize>(problem: &Problem<'_>, sink: &dyn Sink) {
    let [rows, columns] = problem.result_sizes();
    let [kernel_rows, kernel_columns] = problem.kernel.extent;
    let mut weights = vec![S::Factor::default(); kernel_rows * kernel_columns];
    for (row, weights) in weights.chunks_exact_mut(kernel_columns).enumerate() {
        load::<S>(&problem.kernel, row as isize, 0, weights);
    }
    // As the array is walked through in its own order.
    weights.reverse();
    let (across, down) = (columns.div_ceil(COLUMNS), rows.div_ceil(ROWS));
    for_each_chunk(across * down, 1, &|tasks| {
        for task in tasks {
            let (rows, columns) =
                (chunk_range(task / across, ROWS, rows), chunk_range(task % across, COLUMNS, columns));
            let pitch = columns.len().next_multiple_of(LEN) + kernel_columns - 1;
            let mut staged = vec![S::Factor::default(); (rows.len() + kernel_rows - 1) * pitch];
            let from = |axis: usize, start: usize| {
                (problem.places[axis].start + start) as isize - (problem.kernel.extent[axis] as isize - 1)
            };
            for (i, staged) in staged.chunks_exact_mut(pitch).enumerate() {
                let needed = columns.len() + kernel_columns - 1;
                load::<S>(
                    &problem.array,
                    from(0, rows.start) + i as isize,
                    from(1, columns.start),
                    &mut staged[..needed],
                );
            }
            let mut sums = vec![S::Sum::default(); columns.len()];
            for (i, row) in rows.enumerate() {
                line::<S, LEN>(&staged[i * pitch..], pitch, &weights, kernel_columns, &mut sums);
                // SAFETY: inside, and tasks do not overlap.
                #[allow(unsafe_code)]
                unsafe {
                    S::Sum::put(sink, row * problem.places[1].len + columns.start, &sums);
                }
            }
        }
    });
}

dispatch! {
    /// The sums of one row of answers, from as many staged rows as the weights have.
    fn line<S: Scale; const LEN: usize>(
        staged: &[S::Factor],
        pitch: usize,
        weights: &[S::Factor],
        kernel_columns: usize,
        out: &mut [S::Sum],
    ) = line_body::<S, LEN>;
}

#[inline(always)]
fn line_body<S: Scale, const LEN: usize>(
    staged: &[S::Factor],
    pitch: usize,
    weights: &[S::Factor],
    kernel_columns: usize,
    out: &mut [S::Sum],
) {
    for (chunk, out) in out.chunks_mut(LEN).enumerate() {
        let mut sums = [S::Sum::default(); LEN];
        for (i, weights) in weights.chunks_exact(kernel_columns).enumerate() {
            let row = &staged[i * pitch + chunk * LEN..][..kernel_columns - 1 + LEN];
            for (elements, &weight) in row.windows(LEN).zip(weights) {
                for (sum, &element) in sums.iter_mut().zip(elements) {
                    *sum = S::add(*sum, weight, element);
                }
            }
        }
        out.copy_from_slice(&sums[..out.len()]);
    }
}

/// Elements of a row of a window, from a column on; zeros outside it.
fn load<S: Scale>(window: &Window<'_>, row: isize, column: isize, out: &mut [S::Factor]) {
    out.fill(S::Factor::default());
    let [rows, columns] = window.extent;
    if !(0..rows as isize).contains(&row) {
        return;
    }
    let (from, to) = (column.max(0), (column + out.len() as isize).min(columns as isize));
    if from >= to {
        return;
    }
    let out = &mut out[(from - column) as usize..(to - column) as usize];
    window.row_runs(row as usize, from as usize, out.len(), &mut |start, count, run| {
        let out = &mut out[start..start + count];
        each_type!(window.values, values => put_run::<S, _>(values, run, out));
    });
}

fn put_run<S: Scale, T: Integer>(values: &[T], run: Run, out: &mut [S::Factor]) {
    let count = out.len();
    match run {
        Run::Zeros => {}
        Run::Constant(at) => out.fill(S::factor(values[at])),
        Run::Forward(at) => out.iter_mut().zip(&values[at..at + count]).for_each(|(out, &x)| *out = S::factor(x)),
        Run::Backward(at) => {
            out.iter_mut().zip(values[at + 1 - count..=at].iter().rev()).for_each(|(out, &x)| *out = S::factor(x));
        }
    }
}
