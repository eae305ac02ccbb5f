//! Parallel primitives where NumPy has no parallel one: scans, reductions, compaction, splits, sorts.
#![allow(unsafe_code)]

use bytemuck::Pod;
use numpy::Element;
use pyo3::prelude::*;
use rayon::prelude::*;
use thalweg::primitives::sort::{Builder, Engine};
use thalweg::primitives::{
    compact_indices, compact_where, fork as fork_counts, inclusive_scan_by, reduce_by, split_where,
};
use thalweg::{Error, Key, Order, Positions, Result};
use thalweg_core::by_width;
use thalweg_core::memory::computed;

use crate::array::{Copy, Kind, Lent, by_key};
use crate::device::{device, engine, named};
use crate::errors::{bad_element, bad_type};
use crate::links::Links;
use crate::out::{self, Buffer, Made, dtype};
use crate::work::{Stop, Threads, call, call_to_the_end};

/// Elements that a task copies at once.
const GRAIN: usize = 1 << 14;

/// What combines two elements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Op {
    Sum,
    /// The better one by an order.
    Best(Order),
}

impl Op {
    fn of_name(name: &str) -> PyResult<Self> {
        named("op", name, &[("sum", Self::Sum), ("min", Self::Best(Order::Min)), ("max", Self::Best(Order::Max))])
    }

    /// The dtype of what comes out.
    fn dtype<'py>(self, py: Python<'py>, array: &Lent) -> PyResult<Bound<'py, PyAny>> {
        match (self, array.dtype.kind) {
            (Self::Sum, Kind::Bool | Kind::Signed) => dtype(py, "int64"),
            (Self::Sum, Kind::Unsigned) => dtype(py, "uint64"),
            (Self::Sum, Kind::Time) => {
                let advice = "use .view(np.int64), where NaT is the smallest number";
                Err(bad_type(format!("array: sums of datetime64 and timedelta64 do not work; {advice}")))
            }
            _ => array.owner(py).getattr("dtype"),
        }
    }
}

/// How an operation runs on the elements of an array as they lie.
trait Run {
    type Out;
    /// On elements of type `S` that are converted to `T` first; `identity` changes nothing.
    fn run<S: Pod + Send + Sync, T: Pod + Send + Sync>(
        self,
        array: &[S],
        identity: T,
        map: impl Fn(S) -> T + Sync,
        op: impl Fn(T, T) -> T + Sync,
    ) -> Self::Out;
}

/// Finds the types for an operation on an array. Integers are summed in 64 bits, in which signs make no difference.
fn dispatch<R: Run>(op: Op, array: &Lent, run: R) -> R::Out {
    macro_rules! best {
        ($order:expr, $t:ty) => {
            match $order {
                Order::Min => run.run(array.slice(), <$t>::MAX, |x: $t| x, |a, b| a.min(b)),
                Order::Max => run.run(array.slice(), <$t>::MIN, |x: $t| x, |a, b| a.max(b)),
            }
        };
    }
    // Whatever is no NaN is better than one; of equal ones, such as the two zeros, the left one.
    macro_rules! best_float {
        ($order:expr, $t:ident) => {
            match $order {
                Order::Min => {
                    run.run(array.slice(), $t::NAN, |x: $t| x, |a, b| if b < a || a.is_nan() { b } else { a })
                }
                Order::Max => {
                    run.run(array.slice(), $t::NAN, |x: $t| x, |a, b| if b > a || a.is_nan() { b } else { a })
                }
            }
        };
    }
    let add = u64::wrapping_add;
    match (op, array.dtype.kind, array.dtype.bytes) {
        (Op::Sum, Kind::Float, 4) => run.run(array.slice(), 0.0, |x: f32| x, |a, b| a + b),
        (Op::Sum, Kind::Float, _) => run.run(array.slice(), 0.0, |x: f64| x, |a, b| a + b),
        (Op::Sum, Kind::Signed, 1) => run.run(array.slice(), 0, |x: i8| x as u64, add),
        (Op::Sum, Kind::Signed, 2) => run.run(array.slice(), 0, |x: i16| x as u64, add),
        (Op::Sum, Kind::Signed, 4) => run.run(array.slice(), 0, |x: i32| x as u64, add),
        (Op::Sum, _, 1) => run.run(array.slice(), 0, |x: u8| x.into(), add),
        (Op::Sum, _, 2) => run.run(array.slice(), 0, |x: u16| x.into(), add),
        (Op::Sum, _, 4) => run.run(array.slice(), 0, |x: u32| x.into(), add),
        (Op::Sum, _, _) => run.run(array.slice(), 0, |x: u64| x, add),
        (Op::Best(order), Kind::Float, 4) => best_float!(order, f32),
        (Op::Best(order), Kind::Float, _) => best_float!(order, f64),
        // NaT is the smallest integer: one less, it is the largest.
        (Op::Best(Order::Min), Kind::Time, _) => {
            let better = |a: i64, b: i64| if b.wrapping_sub(1) < a.wrapping_sub(1) { b } else { a };
            run.run(array.slice(), i64::MIN, |x: i64| x, better)
        }
        // `u8::MAX` is no bool.
        (Op::Best(Order::Min), Kind::Bool, _) => run.run(array.slice(), 1, |x: u8| x, |a, b| a.min(b)),
        (Op::Best(order), Kind::Bool | Kind::Unsigned, 1) => best!(order, u8),
        (Op::Best(order), Kind::Unsigned, 2) => best!(order, u16),
        (Op::Best(order), Kind::Unsigned, 4) => best!(order, u32),
        (Op::Best(order), Kind::Unsigned, _) => best!(order, u64),
        (Op::Best(order), Kind::Signed, 1) => best!(order, i8),
        (Op::Best(order), Kind::Signed, 2) => best!(order, i16),
        (Op::Best(order), Kind::Signed, 4) => best!(order, i32),
        (Op::Best(order), _, _) => best!(order, i64),
    }
}

struct Scan<'b> {
    out: &'b mut Buffer,
    inclusive: bool,
}

impl Run for Scan<'_> {
    type Out = Result<()>;
    fn run<S: Pod + Send + Sync, T: Pod + Send + Sync>(
        self,
        array: &[S],
        identity: T,
        map: impl Fn(S) -> T + Sync,
        op: impl Fn(T, T) -> T + Sync,
    ) -> Result<()> {
        let out: &mut [T] = self.out.slice();
        match out.split_first_mut() {
            Some((first, rest)) if !self.inclusive => {
                *first = identity;
                inclusive_scan_by(&array[..rest.len()], rest, identity, map, op)
            }
            _ => inclusive_scan_by(array, out, identity, map, op),
        }
    }
}

/// All running sums, minima or maxima of an array, on all threads.
///
/// Args:
///     array: One dimension; bool, integers, float32, float64, and for minima and maxima datetime64 and timedelta64.
///     op: "sum", "min" or "max".
///     inclusive: Whether an element counts for its own result. If not, results are those of the elements before it, and the
///         first is that of nothing: 0, or what is behind all others (NaN for floats, NaT for times).
///     out: An array for the results, of their shape and dtype.
///
/// Returns:
///     For "min" and "max" the array's dtype: NaN and NaT are behind everything, so they are passed over; of equal elements
///     (-0.0 and 0.0) the first stays. For "sum" integers are widened to int64, or uint64 where unsigned, and wrap around there;
///     floats keep their dtype, and their sums are bracketed by the length only: the same on any number of threads, but not
///     to the last bit those of `np.cumsum`.
///
/// >>> import numpy as np, thalweg
/// >>> thalweg.scan(np.array([3, 1, 4, 1]))
/// array([3, 4, 8, 9])
/// >>> thalweg.scan(np.array([3, 1, 4, 1]), inclusive=False)
/// array([0, 3, 4, 8])
/// >>> thalweg.scan(np.array([2.5, np.nan, 1.5]), "min")
/// array([2.5, 2.5, 1.5])
#[pyfunction]
#[pyo3(signature = (array, op="sum", *, inclusive=true, out=None))]
pub fn scan<'py>(
    py: Python<'py>,
    array: &Bound<'py, PyAny>,
    op: &str,
    inclusive: bool,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut lent = Lent::new("array", array, Copy::IfNeeded)?;
    let op = Op::of_name(op)?;
    let (shape, dtype) = ([lent.len], op.dtype(py, &lent)?);
    let mut buffer = match out {
        Some(out) => Buffer::given(out, &shape, &dtype)?,
        None => Buffer::new(py, &shape, &dtype)?,
    };
    if buffer.overlaps(&lent) {
        lent = Lent::new("array", array, Copy::Always)?;
    }
    let work = move |_: &Stop| {
        dispatch(op, &lent, Scan { out: &mut buffer, inclusive })?;
        Ok(buffer)
    };
    let done = if out.is_some() { call_to_the_end(py, work)? } else { call(py, Threads::All, work)? };
    Ok(done.into_array(py))
}

struct Reduce<'b> {
    out: &'b mut Buffer,
}

impl Run for Reduce<'_> {
    type Out = ();
    fn run<S: Pod + Send + Sync, T: Pod + Send + Sync>(
        self,
        array: &[S],
        identity: T,
        map: impl Fn(S) -> T + Sync,
        op: impl Fn(T, T) -> T + Sync,
    ) {
        self.out.slice()[0] = reduce_by(array, identity, map, op);
    }
}

/// The sum, the minimum or the maximum of an array, on all threads.
///
/// Args:
///     array: As for `scan`.
///     op: "sum", "min" or "max".
///
/// Returns:
///     A scalar of NumPy, of the dtype that `scan` has: integers are summed in 64 bits and wrap around there; sums of floats are
///     the same on any number of threads; NaN and NaT are passed over by minima and maxima.
///
/// Raises:
///     InputError: The minimum or maximum of no elements.
///
/// >>> import numpy as np, thalweg
/// >>> int(thalweg.reduce(np.array([200, 100], np.uint8)))
/// 300
/// >>> float(thalweg.reduce(np.array([1.5, np.nan]), "max"))
/// 1.5
#[pyfunction]
#[pyo3(signature = (array, op="sum"))]
pub fn reduce<'py>(py: Python<'py>, array: &Bound<'py, PyAny>, op: &str) -> PyResult<Bound<'py, PyAny>> {
    let array = Lent::new("array", array, Copy::IfNeeded)?;
    let op = Op::of_name(op)?;
    let mut buffer = Buffer::new(py, &[1], &op.dtype(py, &array)?)?;
    let buffer = call(py, Threads::All, move |_| {
        if array.len == 0 && op != Op::Sum {
            return Err(Error::Empty { what: "the array" });
        }
        dispatch(op, &array, Reduce { out: &mut buffer });
        Ok(buffer)
    })?;
    buffer.into_array(py).get_item(0)
}

/// Flags, one an element.
struct Mask(Lent);

impl Mask {
    fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mask = Lent::new("mask", object, Copy::IfNeeded)?;
        match mask.dtype.kind {
            Kind::Bool => Ok(Self(mask)),
            Kind::Float if mask.len == 0 => Ok(Self(mask)),
            _ => {
                let advice = "where booleans are needed; mask != 0 makes them";
                Err(bad_type(format!("mask: dtype {}, {advice}", mask.dtype.name())))
            }
        }
    }

    /// The flags, as many as the elements.
    fn of(&self, len: usize) -> Result<&[u8]> {
        thalweg_core::error::expect_len("mask", self.0.len, len)?;
        Ok(self.flags())
    }

    fn flags(&self) -> &[u8] {
        if self.0.len == 0 { &[] } else { self.0.slice() }
    }
}

/// An array that has come out of work as plain numbers, as the dtype that it has.
fn typed<'py>(py: Python<'py>, made: Made, dtype: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    made(py).call_method1("view", (dtype,))
}

/// The elements that have a flag, in their order: `np.compress(mask, array)`, on all threads.
///
/// Args:
///     array: One dimension; bool, integers, float32, float64, datetime64 or timedelta64.
///     mask: One bool an element.
///
/// >>> import numpy as np, thalweg
/// >>> a = np.array([5, -2, 7, -1])
/// >>> thalweg.compact(a, a > 0)
/// array([5, 7])
#[pyfunction]
pub fn compact<'py>(
    py: Python<'py>,
    array: &Bound<'py, PyAny>,
    mask: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (array, mask) = (Lent::new("array", array, Copy::IfNeeded)?, Mask::new(mask)?);
    let dtype = array.owner(py).getattr("dtype")?;
    let kept = call(py, Threads::All, move |_| {
        let flags = mask.of(array.len)?;
        by_width!(Bits, array.bits(), words => {
            // SAFETY: positions of elements are asked for, and there are as many flags.
            Ok(out::made(compact_where(words, |i| unsafe { *flags.get_unchecked(i) } != 0)?))
        })
    })?;
    typed(py, kept, &dtype)
}

/// The positions of the flags that are set, ascending: `np.flatnonzero(mask)`, on all threads.
///
/// Returns:
///     An array of int32, or int64 from 2^31 flags on.
///
/// >>> import numpy as np, thalweg
/// >>> thalweg.compact_index(np.array([True, False, True]))
/// array([0, 2], dtype=int32)
#[pyfunction]
pub fn compact_index<'py>(py: Python<'py>, mask: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let mask = Mask::new(mask)?;
    let len = mask.0.len;
    let found = call(py, Threads::All, move |_| compact_indices(mask.flags(), |&flag| flag != 0))?;
    out::positions_below(py, found, len)
}

/// The elements without a flag and those with one, each in their order: a stable partition, on all threads.
///
/// Args:
///     array: One dimension; bool, integers, float32, float64, datetime64 or timedelta64.
///     mask: One bool an element.
///
/// Returns:
///     `(array[~mask], array[mask])`, two parts of one new array.
///
/// >>> import numpy as np, thalweg
/// >>> a = np.array([5, 2, 7, 4, 1])
/// >>> even, odd = thalweg.split(a, a % 2 == 1)
/// >>> even, odd
/// (array([2, 4]), array([5, 7, 1]))
#[pyfunction]
pub fn split<'py>(
    py: Python<'py>,
    array: &Bound<'py, PyAny>,
    mask: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let (array, mask) = (Lent::new("array", array, Copy::IfNeeded)?, Mask::new(mask)?);
    let dtype = array.owner(py).getattr("dtype")?;
    let (parts, first_true) = call(py, Threads::All, move |_| {
        let flags = mask.of(array.len)?;
        by_width!(Bits, array.bits(), words => {
            // SAFETY: positions of elements are asked for, and there are as many flags.
            let split = split_where(words, |i| unsafe { *flags.get_unchecked(i) } != 0)?;
            Ok((out::made(split.elements), split.first_true))
        })
    })?;
    let parts = typed(py, parts, &dtype)?;
    let part = |from: Option<usize>, to: Option<usize>| {
        let slice = py.get_type::<pyo3::types::PySlice>().call1((from, to, None::<usize>))?;
        parts.get_item(slice)
    };
    Ok((part(None, Some(first_true))?, part(Some(first_true), None)?))
}

/// The order, engine and device of a sort.
fn sorting(py: Python<'_>, order: &str, engine: Option<&str>, device: &str) -> PyResult<(Builder, Order)> {
    let order = named("order", order, &[("min", Order::Min), ("max", Order::Max)])?;
    let engine: Option<Engine> = self::engine(engine)?;
    Ok((Builder::new().order(order).engine(engine).device(self::device(py, device)?), order))
}

fn sorted<K: Key + Element>(builder: &Builder, keys: &[K]) -> Result<Made> {
    let mut keys = computed(keys.len(), GRAIN, "sorted keys", |i| keys[i])?;
    builder.sort(&mut keys)?;
    Ok(out::made(keys))
}

/// A sorted copy of an array, by a stable sort on all threads.
///
/// On one thread `np.sort`, which is not stable and has vector instructions for it, is faster; `np.sort(kind="stable")` is not.
///
/// Args:
///     array: One dimension; bool, integers, float32, float64, datetime64 or timedelta64.
///     order: "min" for the smallest first, "max" for the largest first. NaN and NaT are last in either; -0.0 and 0.0 are equal,
///         and stay as they were.
///     engine: How: "radix" (the default), "merge" or "comparison".
///     device: "auto", "cpu", "gpu", or a name of `thalweg.devices()`.
///
/// >>> import numpy as np, thalweg
/// >>> thalweg.sort(np.array([2.5, np.nan, -1.0, 0.0]), order="max")
/// array([ 2.5,  0. , -1. ,  nan])
#[pyfunction]
#[pyo3(signature = (array, order="min", *, engine=None, device="auto"))]
pub fn sort<'py>(
    py: Python<'py>,
    array: &Bound<'py, PyAny>,
    order: &str,
    engine: Option<&str>,
    device: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let array = Lent::new("array", array, Copy::IfNeeded)?;
    let dtype = array.owner(py).getattr("dtype")?;
    let (builder, order) = sorting(py, order, engine, device)?;
    let made = call(py, Threads::All, move |_| {
        if let Some(mut keys) = array.reordered(order)? {
            builder.sort(&mut keys)?;
            keys.par_iter_mut().for_each(|key| *key = key.wrapping_add(1));
            return Ok(out::made(keys));
        }
        by_key!(array.dtype, K => sorted::<K>(&builder, array.slice()))
    })?;
    typed(py, made, &dtype)
}

fn order_of(builder: &Builder, order: Order, keys: &Lent) -> Result<Positions> {
    match keys.reordered(order)? {
        Some(keys) => Ok(builder.sort_idx(&keys)?.into_inner()),
        None => by_key!(keys.dtype, K => Ok(builder.sort_idx::<K>(keys.slice())?.into_inner())),
    }
}

/// The positions of the elements in order, equal ones from left to right: `np.argsort(array, stable=True)`, on all threads.
///
/// Args:
///     array: As for `sort`.
///     order: "min" for the smallest first, "max" for the largest first; equal elements stay in their order in either, and NaN
///         and NaT are last.
///     engine: How: "radix" (the default), "merge" or "comparison".
///     device: "auto", "cpu", "gpu", or a name of `thalweg.devices()`.
///
/// Returns:
///     An array of int32, or int64 from 2^31 elements on.
///
/// >>> import numpy as np, thalweg
/// >>> thalweg.sort_index(np.array([30, 10, 20, 10]))
/// array([1, 3, 2, 0], dtype=int32)
#[pyfunction]
#[pyo3(signature = (array, order="min", *, engine=None, device="auto"))]
pub fn sort_index<'py>(
    py: Python<'py>,
    array: &Bound<'py, PyAny>,
    order: &str,
    engine: Option<&str>,
    device: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let array = Lent::new("array", array, Copy::IfNeeded)?;
    let (builder, order) = sorting(py, order, engine, device)?;
    out::positions(py, call(py, Threads::All, move |_| order_of(&builder, order, &array))?)
}

/// Values in the order of their keys, stable, on all threads: `values[sort_index(keys)]`.
///
/// Args:
///     values: One dimension, any dtype that `sort` takes.
///     keys: One a value, as for `sort`.
///     order, engine, device: As for `sort`.
///
/// >>> import numpy as np, thalweg
/// >>> thalweg.sort_by_key(np.array([1.5, 2.5, 3.5]), keys=np.array([31, 104, 8]))
/// array([3.5, 1.5, 2.5])
#[pyfunction]
#[pyo3(signature = (values, keys, order="min", *, engine=None, device="auto"))]
pub fn sort_by_key<'py>(
    py: Python<'py>,
    values: &Bound<'py, PyAny>,
    keys: &Bound<'py, PyAny>,
    order: &str,
    engine: Option<&str>,
    device: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let (values, keys) = (Lent::new("values", values, Copy::IfNeeded)?, Lent::new("keys", keys, Copy::IfNeeded)?);
    let dtype = values.owner(py).getattr("dtype")?;
    let (builder, order) = sorting(py, order, engine, device)?;
    let made = call(py, Threads::All, move |_| {
        thalweg_core::error::expect_len("keys", keys.len, values.len)?;
        let order = order_of(&builder, order, &keys)?;
        by_width!(Bits, values.bits(), words => {
            let values = match &order {
                Positions::U32(order) => computed(order.len(), GRAIN, "sorted values", |i| words[order[i] as usize]),
                Positions::U64(order) => computed(order.len(), GRAIN, "sorted values", |i| words[order[i] as usize]),
            };
            Ok(out::made(values?))
        })
    })?;
    typed(py, made, &dtype)
}

/// Every parent gets its children: where they begin, whose child each is, and which of them it is.
///
/// Args:
///     counts: How many children each parent has: integers.
///
/// Returns:
///     `(offsets, parents, ranks)`: `offsets` has one entry more than there are parents, 0 first and the number of children
///     last; `parents` is `np.repeat(np.arange(len(counts)), counts)`, and `ranks` counts from 0 within each parent. int32 below
///     2^31 parents and children, int64 otherwise.
///
/// >>> import numpy as np, thalweg
/// >>> offsets, parents, ranks = thalweg.fork([2, 0, 3])
/// >>> offsets, parents, ranks
/// (array([0, 2, 2, 5], dtype=int32), array([0, 0, 2, 2, 2], dtype=int32), array([0, 1, 0, 1, 2], dtype=int32))
#[pyfunction]
pub fn fork<'py>(
    py: Python<'py>,
    counts: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let counts = Links::new("counts", counts, Copy::IfNeeded)?;
    let parents = counts.len();
    let (family, negative) = call(py, Threads::All, move |_| {
        let negative = counts.first_negative();
        let family = match (negative, counts.is_wide()) {
            (Some(_), _) => fork_counts::<u32>(&[]),
            (None, true) => fork_counts::<u64>(counts.slice()),
            (None, false) => fork_counts::<u32>(counts.slice()),
        };
        Ok((family?, negative))
    })?;
    if let Some(element) = negative {
        return Err(bad_element(element, format!("counts: element {element} is negative")));
    }
    let most = parents.max(family.parents.len()) + 1;
    let [offsets, parents, ranks] =
        [family.offsets, family.parents, family.ranks].map(|list| out::positions_below(py, list, most));
    Ok((offsets?, parents?, ranks?))
}
