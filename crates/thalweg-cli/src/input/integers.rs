//! Integers from files of any integer type, each checked on its way.
//!
//! A thread takes a piece of the file to numbers of 64 bits with a sign, which stay in its cache, and those to what is wanted.
//! So types of files and types of results are compiled apart, not each with each. A piece that does not pass says no more than
//! that; which number it is, and why, is looked up afterwards.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Mutex;

use thalweg::Position;
use thalweg_core::memory::Zeroable;
use thalweg_core::parallel;

use super::npy::Shape;
use super::{Loaded, TASK};
use crate::dtype::{DType, Element, with_dtype};
use crate::failure::Outcome;
use crate::memory;
use crate::numbers::{counted_plainly, there_are_only};

/// Numbers that a thread converts at a time: 64 KiB.
const PIECE: usize = 1 << 13;

/// The integers of a file, of whichever type.
trait Integers: Sync {
    /// Those from `start` on, if 63 bits and a sign are enough for all. They are first copied to `scratch`.
    fn load(&self, start: usize, scratch: &mut [u8], out: &mut [i64]) -> bool;

    /// One of them.
    fn at(&self, index: usize) -> i128;
}

struct Of<'f, T> {
    file: &'f Loaded,
    dtype: PhantomData<T>,
}

impl<T: Element> Integers for Of<'_, T> {
    fn load(&self, start: usize, scratch: &mut [u8], out: &mut [i64]) -> bool {
        let size = size_of::<T>();
        let bytes = &mut scratch[..out.len() * size];
        self.file.copy(start, bytes);
        let swapped = self.file.layout.swapped;
        let is_signed = T::from_f64(-1.0) < T::default();
        let mut all_fit = true;
        for (out, bytes) in out.iter_mut().zip(bytes.chunks_exact(size)) {
            let x: T = bytemuck::pod_read_unaligned(bytes);
            let x = if swapped { x.swapped() } else { x };
            // A negative number has ones above its own bits.
            let above = 64 - 8 * size as u32;
            let bits = x.to_low_bits() << above;
            *out = if is_signed { bits as i64 >> above } else { (bits >> above) as i64 };
            all_fit &= is_signed | (*out >= 0);
        }
        all_fit
    }

    fn at(&self, index: usize) -> i128 {
        let x: T = self.file.element(index);
        let bits = i128::from(x.to_low_bits());
        if x < T::default() { bits - (1 << (8 * size_of::<T>())) } else { bits }
    }
}

/// The integers of a file; anything else is a failure.
fn integers<'f>(file: &'f Loaded, what: &str) -> Outcome<Box<dyn Integers + 'f>> {
    match file.layout.dtype {
        dtype @ (DType::F32 | DType::F64) => {
            Err(file.failure(format_args!("{what} are of type {dtype}, expected integers")))
        }
        dtype => Ok(with_dtype!(dtype, T => Box::new(Of::<T> { file, dtype: PhantomData }))),
    }
}

/// How many elements the file has; it must have one dimension.
pub fn length(file: &Loaded, what: &str) -> Outcome<usize> {
    match file.layout.shape[..] {
        [len] => Ok(len),
        _ => {
            let shape = Shape(&file.layout.shape);
            Err(file.failure(format_args!("the {what} have shape {shape}, expected one dimension")))
        }
    }
}

/// What is wanted of the integers of a file.
struct Wanted<'w, U> {
    /// Of which things: their numbers in the file.
    rows: Range<usize>,
    /// Numbers in a row of the file, for messages.
    columns: usize,
    /// Where a number lies, if not one after the other.
    place: Option<&'w (dyn Fn(usize) -> usize + Sync)>,
    /// Makes things of numbers, as many of each as one is made of; or says that not all of them are good.
    convert: &'w (dyn Fn(&[i64], &mut [U]) -> bool + Sync),
    /// What is wrong with a number.
    wrong: &'w (dyn Fn(i128) -> Option<String> + Sync),
}

/// Converts the numbers, `N` for each thing, in parallel. The first one that is wrong is a failure that names its row.
fn converted<U: Zeroable + Send, const N: usize>(file: &Loaded, what: &str, wanted: &Wanted<'_, U>) -> Outcome<Vec<U>> {
    let numbers = integers(file, what)?;
    let mut out = memory::zeroed::<U>(wanted.rows.len(), &file.name)?;
    let skipped = wanted.rows.start * N;
    let place = |i: usize| wanted.place.map_or(i, |place| place(i));
    let load = |start: usize, scratch: &mut [u8], out: &mut [i64]| match wanted.place {
        None => numbers.load(start, scratch, out),
        Some(_) => (start..).zip(out).all(|(i, out)| i64::try_from(numbers.at(place(i))).map(|x| *out = x).is_ok()),
    };
    let all_good = parallel::try_for_each_chunk_mut(&mut out, TASK / N, &|first, out| {
        let (mut buffer, mut scratch) = ([0; PIECE], [0; 8 * PIECE]);
        out.chunks_mut(PIECE / N).enumerate().all(|(i, out)| {
            let start = skipped + (first + i * (PIECE / N)) * N;
            let buffer = &mut buffer[..out.len() * N];
            load(start, &mut scratch, buffer) && (wanted.convert)(buffer, out)
        })
    });
    if all_good {
        return Ok(out);
    }
    let reason = |i: usize| (wanted.wrong)(numbers.at(place(skipped + i)));
    let bad = parallel::find_first(wanted.rows.len() * N, TASK, &|mut range| range.find(|&i| reason(i).is_some()));
    match bad.and_then(|i| Some((i, reason(i)?))) {
        Some((i, reason)) => {
            Err(file.failure(format_args!("{}: {reason}", file.place((skipped + i) / wanted.columns))))
        }
        None => unreachable!("a number that was not taken is not wrong"),
    }
}

/// Makes positions of numbers that are below `count`, or -1 if that is one, too.
fn to_positions<P: Position>(numbers: &[i64], out: &mut [P], count: usize, or_none: bool) -> bool {
    let mut all_good = true;
    for (out, &x) in out.iter_mut().zip(numbers) {
        // Negative numbers are large ones; and -1 is `NONE` in either width.
        all_good &= ((x as u64) < count as u64) | (or_none & (x == -1));
        *out = P::new(x as usize);
    }
    all_good
}

/// Links of a list or parents of a forest: numbers below the file's own length, or -1 for none.
pub fn links<P: Position>(file: &Loaded, what: &str, thing: &str) -> Outcome<Vec<P>> {
    let len = length(file, what)?;
    links_of(file, what, thing, 0..len)
}

/// The same of some elements or nodes only.
pub fn links_of<P: Position>(file: &Loaded, what: &str, thing: &str, rows: Range<usize>) -> Outcome<Vec<P>> {
    let len = length(file, what)?;
    let wrong = |x: i128| match usize::try_from(x) {
        Ok(to) if to < len => None,
        Err(_) if x == -1 => None,
        Ok(_) => Some(format!("points to {thing} {x}, but {}", there_are_only(len, thing))),
        Err(_) => Some(format!("{x} is negative, and only -1 stands for no {thing}")),
    };
    let convert = |numbers: &[i64], out: &mut [P]| to_positions(numbers, out, len, true);
    converted::<P, 1>(file, what, &Wanted { rows, columns: 1, place: None, convert: &convert, wrong: &wrong })
}

/// Numbers of nodes below `count`.
pub fn nodes<P: Position>(file: &Loaded, count: usize) -> Outcome<Vec<P>> {
    let len = length(file, "nodes")?;
    let convert = |numbers: &[i64], out: &mut [P]| to_positions(numbers, out, count, false);
    let wrong = |x: i128| no_node(x, count);
    converted::<P, 1>(
        file,
        "nodes",
        &Wanted { rows: 0..len, columns: 1, place: None, convert: &convert, wrong: &wrong },
    )
}

/// Bounds of windows in an array of `len` elements: up to its end.
pub fn bounds<P: Position>(file: &Loaded, what: &str, len: usize) -> Outcome<Vec<P>> {
    let count = length(file, what)?;
    let convert = |numbers: &[i64], out: &mut [P]| to_positions(numbers, out, len.saturating_add(1), false);
    let wrong = |x: i128| match usize::try_from(x) {
        Ok(bound) if bound <= len => None,
        Ok(_) => Some(format!("{x} is behind the array, which has {}", counted_plainly(len, "element"))),
        Err(_) => Some(format!("{x} is before the array")),
    };
    converted::<P, 1>(file, what, &Wanted { rows: 0..count, columns: 1, place: None, convert: &convert, wrong: &wrong })
}

/// Pairs of nodes below `count`.
pub fn pairs<P: Position>(file: &Loaded, count: usize) -> Outcome<Vec<[P; 2]>> {
    let &[len, 2] = &file.layout.shape[..] else {
        let shape = Shape(&file.layout.shape);
        return Err(file.failure(format_args!("queries have shape {shape}, expected (q, 2)")));
    };
    let turned = |i: usize| i % 2 * len + i / 2;
    let place: Option<&(dyn Fn(usize) -> usize + Sync)> = if file.layout.fortran { Some(&turned) } else { None };
    let convert = |numbers: &[i64], out: &mut [[P; 2]]| to_positions(numbers, out.as_flattened_mut(), count, false);
    let wrong = |x: i128| no_node(x, count);
    converted::<[P; 2], 2>(
        file,
        "queries",
        &Wanted { rows: 0..len, columns: 2, place, convert: &convert, wrong: &wrong },
    )
}

/// Numbers of 32 bits without a sign.
fn to_u32(numbers: &[i64], out: &mut [u32]) -> bool {
    let mut all_good = true;
    for (out, &x) in out.iter_mut().zip(numbers) {
        all_good &= x as u64 <= u64::from(u32::MAX);
        *out = x as u32;
    }
    all_good
}

/// Costs of cells: numbers of 32 bits without a sign.
pub fn costs(file: &Loaded, rows: usize, cols: usize) -> Outcome<Vec<u32>> {
    let turned = |i: usize| i % cols * rows + i / cols;
    let place: Option<&(dyn Fn(usize) -> usize + Sync)> = if file.layout.fortran { Some(&turned) } else { None };
    let wrong = |x: i128| match u32::try_from(x) {
        Ok(_) => None,
        Err(_) if x < 0 => Some(format!("cost {x} is negative")),
        Err(_) => Some(format!("cost {x} needs more than 32 bits")),
    };
    let len = file.layout.shape.iter().product();
    converted::<u32, 1>(file, "costs", &Wanted { rows: 0..len, columns: cols, place, convert: &to_u32, wrong: &wrong })
}

/// Rows and columns of two cells each.
pub fn cells(file: &Loaded) -> Outcome<Vec<[u32; 4]>> {
    let &[len, 4] = &file.layout.shape[..] else {
        let shape = Shape(&file.layout.shape);
        return Err(file.failure(format_args!("queries have shape {shape}, expected (q, 4)")));
    };
    let turned = |i: usize| i % 4 * len + i / 4;
    let place: Option<&(dyn Fn(usize) -> usize + Sync)> = if file.layout.fortran { Some(&turned) } else { None };
    let wrong = |x: i128| match u32::try_from(x) {
        Ok(_) => None,
        Err(_) if x < 0 => Some(format!("{x} is negative")),
        Err(_) => Some(format!("there is no row or column {x}")),
    };
    let convert = |numbers: &[i64], out: &mut [[u32; 4]]| to_u32(numbers, out.as_flattened_mut());
    converted::<[u32; 4], 4>(
        file,
        "queries",
        &Wanted { rows: 0..len, columns: 4, place, convert: &convert, wrong: &wrong },
    )
}

/// What is wrong with a number that should be a node's.
fn no_node(x: i128, count: usize) -> Option<String> {
    match usize::try_from(x) {
        Ok(node) if node < count => None,
        Ok(_) => Some(format!("there is no node {x}: {}", there_are_only(count, "node"))),
        Err(_) => Some(format!("node {x} is negative")),
    }
}

/// Weights, as many as `count` things. Their sums must fit 64 bits, whichever of them are added.
pub fn weights(file: &Loaded, count: usize) -> Outcome<Vec<i64>> {
    let (weights, total) = weights_of(file, count, 0..count)?;
    expect_sums(file, total)?;
    Ok(weights)
}

/// Checks that sums of weights fit 64 bits, by the sum of what they are without their signs.
pub fn expect_sums(file: &Loaded, total: u128) -> Outcome {
    if total > i64::MAX as u128 { Err(file.failure("the weights' sums need more than 64 bits")) } else { Ok(()) }
}

/// The weights of some of `count` things only, and the sum of what they are without their signs.
pub fn weights_of(file: &Loaded, count: usize, rows: Range<usize>) -> Outcome<(Vec<i64>, u128)> {
    let len = length(file, "weights")?;
    if len != count {
        return Err(file.failure(format_args!("{}, expected {count}", counted_plainly(len, "weight"))));
    }
    // Summed up piece by piece, none of which is long enough to exceed 128 bits.
    let total = Mutex::new(0u128);
    let convert = |numbers: &[i64], out: &mut [i64]| {
        out.copy_from_slice(numbers);
        let sum: u128 = numbers.iter().map(|x| u128::from(x.unsigned_abs())).sum();
        total.lock().map(|mut total| *total += sum).is_ok()
    };
    let wrong = |x: i128| i64::try_from(x).is_err().then(|| format!("weight {x} needs more than 64 bits with a sign"));
    let wanted = Wanted { rows, columns: 1, place: None, convert: &convert, wrong: &wrong };
    let weights = converted::<i64, 1>(file, "weights", &wanted)?;
    Ok((weights, total.into_inner().unwrap_or(u128::MAX)))
}
