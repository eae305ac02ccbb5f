//! Integers from files of any integer type, each checked on its way.

use thalweg::Position;
use thalweg_core::parallel;

use super::GRAIN;
use super::Loaded;
use super::npy::Shape;
use crate::dtype::{DType, Element};
use crate::failure::Outcome;
use crate::memory;
use crate::numbers::{counted_plainly, there_are_only};

/// Calls `read::<T>` for the file's integer type; anything else is a failure.
macro_rules! with_integers {
    ($file:expr, $what:expr, $T:ident => $body:expr) => {
        match $file.layout.dtype {
            dtype @ (DType::F32 | DType::F64) => {
                Err($file.failure(format_args!("{} are of type {dtype}, expected integers", $what)))
            }
            dtype => crate::dtype::with_dtype!(dtype, $T => $body),
        }
    };
}

/// A number of any integer type.
fn number<T: Element>(x: T) -> i128 {
    let bits = i128::from(x.to_low_bits());
    if x < T::default() { bits - (1 << (8 * size_of::<T>())) } else { bits }
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

/// Converts the elements in parallel. The first that `convert` refuses, with the reason, is a failure that names its row,
/// of which each has `columns` elements.
fn converted<T: Element, U: Copy + Default + Send + Sync>(
    file: &Loaded,
    len: usize,
    columns: usize,
    place: &(dyn Fn(usize) -> usize + Sync),
    convert: &(dyn Fn(i128) -> Result<U, String> + Sync),
) -> Outcome<Vec<U>> {
    let mut out = memory::filled(len, U::default(), &file.name)?;
    let one = |i: usize| convert(number(file.element::<T>(place(i))));
    let all_good = parallel::try_for_each_chunk_mut(&mut out, GRAIN, &|start, out| {
        (start..).zip(out).all(|(i, out)| one(i).map(|value| *out = value).is_ok())
    });
    if all_good {
        return Ok(out);
    }
    match (0..len).find(|&i| one(i).is_err()) {
        None => Ok(out),
        Some(i) => {
            let reason = one(i).err().unwrap_or_default();
            Err(file.failure(format_args!("{}: {reason}", file.place(i / columns))))
        }
    }
}

/// Links of a list or parents of a forest: numbers below the file's own length, or -1 for none.
pub fn links<P: Position>(file: &Loaded, what: &str, thing: &str) -> Outcome<Vec<P>> {
    let len = length(file, what)?;
    let convert = |x: i128| match usize::try_from(x) {
        Ok(to) if to < len => Ok(P::new(to)),
        Err(_) if x == -1 => Ok(P::NONE),
        Ok(_) => Err(format!("points to {thing} {x}, but {}", there_are_only(len, thing))),
        Err(_) => Err(format!("{x} is negative, and only -1 stands for no {thing}")),
    };
    with_integers!(file, what, T => converted::<T, P>(file, len, 1, &|i| i, &convert))
}

/// Numbers of nodes below `count`.
pub fn nodes<P: Position>(file: &Loaded, count: usize) -> Outcome<Vec<P>> {
    let len = length(file, "nodes")?;
    with_integers!(file, "nodes", T => converted::<T, P>(file, len, 1, &|i| i, &|x| node(x, count)))
}

/// Pairs of nodes below `count`.
pub fn pairs<P: Position>(file: &Loaded, count: usize) -> Outcome<Vec<[P; 2]>> {
    let &[rows, 2] = &file.layout.shape[..] else {
        let shape = Shape(&file.layout.shape);
        return Err(file.failure(format_args!("queries have shape {shape}, expected (q, 2)")));
    };
    let place = |i: usize| if file.layout.fortran { i % 2 * rows + i / 2 } else { i };
    let flat = with_integers!(file, "queries", T => {
        converted::<T, P>(file, 2 * rows, 2, &place, &|x| node(x, count))
    })?;
    let mut pairs = memory::room(rows, &file.name)?;
    pairs.extend_from_slice(flat.as_chunks::<2>().0);
    Ok(pairs)
}

/// Costs of cells: numbers of 32 bits without a sign.
pub fn costs(file: &Loaded, rows: usize, cols: usize) -> Outcome<Vec<u32>> {
    let place = |i: usize| if file.layout.fortran { i % cols * rows + i / cols } else { i };
    let convert = |x: i128| match u32::try_from(x) {
        Ok(cost) => Ok(cost),
        Err(_) if x < 0 => Err(format!("cost {x} is negative")),
        Err(_) => Err(format!("cost {x} needs more than 32 bits")),
    };
    let len = file.layout.shape.iter().product();
    with_integers!(file, "costs", T => converted::<T, u32>(file, len, cols, &place, &convert))
}

/// Rows and columns of two cells each.
pub fn cells(file: &Loaded) -> Outcome<Vec<[u32; 4]>> {
    let &[rows, 4] = &file.layout.shape[..] else {
        let shape = Shape(&file.layout.shape);
        return Err(file.failure(format_args!("queries have shape {shape}, expected (q, 4)")));
    };
    let place = |i: usize| if file.layout.fortran { i % 4 * rows + i / 4 } else { i };
    let convert = |x: i128| match u32::try_from(x) {
        Ok(number) => Ok(number),
        Err(_) if x < 0 => Err(format!("{x} is negative")),
        Err(_) => Err(format!("there is no row or column {x}")),
    };
    let flat = with_integers!(file, "queries", T => converted::<T, u32>(file, 4 * rows, 4, &place, &convert))?;
    let mut cells = memory::room(rows, &file.name)?;
    cells.extend_from_slice(flat.as_chunks::<4>().0);
    Ok(cells)
}

fn node<P: Position>(x: i128, count: usize) -> Result<P, String> {
    match usize::try_from(x) {
        Ok(node) if node < count => Ok(P::new(node)),
        Ok(_) => Err(format!("there is no node {x}: {}", there_are_only(count, "node"))),
        Err(_) => Err(format!("node {x} is negative")),
    }
}

/// Weights, as many as `count` things. Their sums must fit 64 bits, whichever of them are added.
pub fn weights(file: &Loaded, count: usize) -> Outcome<Vec<i64>> {
    let len = length(file, "weights")?;
    if len != count {
        return Err(file.failure(format_args!("{}, expected {count}", counted_plainly(len, "weight"))));
    }
    let convert = |x: i128| i64::try_from(x).map_err(|_| format!("weight {x} needs more than 64 bits with a sign"));
    let weights = with_integers!(file, "weights", T => converted::<T, i64>(file, len, 1, &|i| i, &convert))?;
    let total: i128 = weights.iter().map(|&w| i128::from(w).abs()).sum();
    if total > i128::from(i64::MAX) {
        return Err(file.failure("the weights' sums need more than 64 bits"));
    }
    Ok(weights)
}
