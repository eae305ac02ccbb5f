//! Queries in: pairs of numbers, given one by one, as two arrays that broadcast, or as an array of pairs.

use bytemuck::Pod;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyTuple};
use rayon::prelude::*;
use thalweg::{Position, Result};
use thalweg_core::{PositionsRef, dispatch};

use crate::array::{Copy, Kind, Lent, to_numpy};
use crate::errors::{bad_element, bad_input, bad_type};
use crate::work::Stop;

/// Queries that are turned into pairs at a time: few enough that what the engine asks of the memory for them stays in the
/// first-level cache beside them.
const PIECE: usize = 1 << 9;
/// Queries that one task answers.
const TASK: usize = 1 << 13;

/// One side of queries: a number for all, or one each.
pub enum Column {
    /// The same for all.
    One(i64),
    /// One each, in one of the four types that positions have.
    Each(Lent),
}

/// Two numbers a query.
pub struct Columns {
    first: Column,
    second: Column,
    /// Of the answers.
    pub shape: Vec<usize>,
}

/// What was asked.
pub enum Asked {
    /// One query.
    One(i64, i64),
    /// Many.
    Many(Columns),
}

/// A number given as such, not as an array.
fn number(object: &Bound<'_, PyAny>) -> Option<PyResult<i64>> {
    let plain = object.is_instance_of::<PyInt>() && !object.is_instance_of::<PyBool>();
    plain.then(|| object.extract().or(Ok(i64::MAX))) // beyond every array
}

/// An array of integers, in one of the four types that positions have.
pub fn integers<'py>(what: &str, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let array = to_numpy(what, object, Copy::IfNeeded)?;
    let dtype = array.as_any().getattr(intern!(object.py(), "dtype"))?;
    let (kind, bytes): (String, usize) = (dtype.getattr("kind")?.extract()?, dtype.getattr("itemsize")?.extract()?);
    let array = array.into_any();
    match (kind.as_str(), bytes) {
        ("i" | "u", 4 | 8) => Ok(array),
        ("i" | "u", _) => array.call_method1("astype", ("int64",)),
        // What `np.asarray([])` is.
        ("f", _) if array.getattr("size")?.extract::<usize>()? == 0 => array.call_method1("astype", ("int64",)),
        _ => Err(bad_type(format!("{what}: dtype {dtype}, where integers are needed"))),
    }
}

impl Asked {
    /// Two numbers, or two arrays of any shapes that broadcast.
    pub fn new(names: [&str; 2], first: &Bound<'_, PyAny>, second: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = first.py();
        let (first, own_first) = Column::new(names[0], first)?;
        let (second, own_second) = Column::new(names[1], second)?;
        if let (Column::One(first), Column::One(second)) = (&first, &second) {
            return Ok(Self::One(*first, *second));
        }
        let shapes = (PyTuple::new(py, &own_first)?, PyTuple::new(py, &own_second)?);
        let broadcast = py.import(intern!(py, "numpy"))?.call_method1(intern!(py, "broadcast_shapes"), shapes);
        let Ok(shape) = broadcast else {
            let [a, b] = names;
            return Err(bad_input(format!("{a} of shape {own_first:?} and {b} of {own_second:?} do not go together")));
        };
        let shape: Vec<usize> = shape.extract()?;
        let (first, second) = (first.spread(py, &own_first, &shape)?, second.spread(py, &own_second, &shape)?);
        Ok(Self::Many(Columns { first, second, shape }))
    }
}

/// An element of an array of integers. What is beyond `i64` is beyond every array.
fn at(array: &Lent, i: usize) -> i64 {
    let wide = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    match (array.dtype.kind, array.dtype.bytes) {
        (Kind::Signed, 4) => array.slice::<i32>()[i].into(),
        (Kind::Signed, _) => array.slice::<i64>()[i],
        (_, 4) => array.slice::<u32>()[i].into(),
        (_, _) => wide(array.slice::<u64>()[i]),
    }
}

/// A column of numbers of one type, as numbers with a sign.
trait Number: Pod + Send + Sync {
    fn wide(self) -> i64;
}
macro_rules! number {
    ($($t:ty, |$x:ident| $wide:expr;)*) => {$(
        impl Number for $t {
            #[inline(always)]
            fn wide(self) -> i64 {
                let $x = self;
                $wide
            }
        }
    )*};
}
number! {
    i32, |x| x.into();
    u32, |x| x.into();
    i64, |x| x;
    u64, |x| i64::try_from(x).unwrap_or(i64::MAX);
}

impl Column {
    /// A number or an array, and its shape.
    fn new(name: &str, object: &Bound<'_, PyAny>) -> PyResult<(Self, Vec<usize>)> {
        if let Some(number) = number(object) {
            return Ok((Self::One(number?), vec![]));
        }
        let (array, shape) = Lent::of_any_shape(name, &integers(name, object)?, Copy::IfNeeded)?;
        let column = if shape.is_empty() { Self::One(at(&array, 0)) } else { Self::Each(array) };
        Ok((column, shape))
    }

    /// The same in the shape of all queries.
    fn spread(self, py: Python<'_>, own: &[usize], shape: &[usize]) -> PyResult<Self> {
        match self {
            Self::Each(array) if own != shape => {
                let shape = PyTuple::new(py, shape)?;
                let spread = py.import(intern!(py, "numpy"))?.call_method1("broadcast_to", (array.owner(py), shape))?;
                Ok(Self::Each(Lent::of_any_shape("queries", &spread, Copy::IfNeeded)?.0))
            }
            column => Ok(column),
        }
    }

    fn is_wide(&self) -> bool {
        matches!(self, Self::Each(array) if array.dtype.bytes == 8)
    }

    fn at(&self, row: usize) -> i64 {
        match self {
            Self::One(number) => *number,
            Self::Each(array) => at(array, row),
        }
    }
}

/// What two numbers of a query are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// A half-open range that is not empty.
    Range,
    /// Two positions.
    Places,
}

/// Queries to something that has so many positions.
#[derive(Clone, Copy)]
pub struct Question {
    /// What the numbers are.
    pub meaning: Meaning,
    /// How many positions there are.
    pub len: usize,
    /// The error for a query that is not among them: its row and its numbers.
    pub refuse: fn(usize, [i64; 2], usize) -> thalweg::Error,
}

#[inline(always)]
fn fill_body<T: Number, P: Position>(question: Question, first: &[T], second: &[T], pairs: &mut [[P; 2]]) -> bool {
    // A loop for either meaning, so that nothing in it asks for that.
    match question.meaning {
        Meaning::Range => fill_with(first, second, pairs, 1, |a, b| (a < b) & (b <= question.len as u64)),
        Meaning::Places => fill_with(first, second, pairs, 0, |a, b| a.max(b) < question.len as u64),
    }
}

#[inline(always)]
fn fill_with<T: Number, P: Position>(
    first: &[T],
    second: &[T],
    pairs: &mut [[P; 2]],
    less: u64,
    is_good: impl Fn(u64, u64) -> bool,
) -> bool {
    let mut good = true;
    for ((pair, first), second) in pairs.iter_mut().zip(first).zip(second) {
        // Negative numbers are large ones here.
        let (first, second) = (first.wide() as u64, second.wide() as u64);
        good &= is_good(first, second);
        *pair = [P::new(first as usize), P::new(second.wrapping_sub(less) as usize)];
    }
    good
}

dispatch! {
    /// Makes pairs of positions. Tells whether all are good; if not, the pairs are of no use.
    fn fill<T: Number, P: Position>(question: Question, first: &[T], second: &[T], pairs: &mut [[P; 2]]) -> bool = fill_body;
}

impl Columns {
    /// How many queries there are.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether positions of 64 bits were given, so that answers have as many.
    pub fn is_wide(&self) -> bool {
        self.first.is_wide() || self.second.is_wide()
    }

    /// The arrays that they are in.
    pub fn arrays(&self) -> impl Iterator<Item = &Lent> {
        [&self.first, &self.second].into_iter().filter_map(|column| match column {
            Column::One(_) => None,
            Column::Each(array) => Some(array),
        })
    }

    /// The queries from row `from` on as pairs of positions.
    fn pairs<P: Position>(&self, from: usize, pairs: &mut [[P; 2]], question: Question) -> Result<()> {
        let range = from..from + pairs.len();
        let alike = match (&self.first, &self.second) {
            (Column::Each(first), Column::Each(second)) if first.dtype == second.dtype => Some((first, second)),
            _ => None,
        };
        let good = match alike.map(|(first, second)| (first, second, first.dtype.kind, first.dtype.bytes)) {
            Some((a, b, Kind::Signed, 8)) => {
                fill(question, &a.slice::<i64>()[range.clone()], &b.slice::<i64>()[range], pairs)
            }
            Some((a, b, Kind::Signed, _)) => {
                fill(question, &a.slice::<i32>()[range.clone()], &b.slice::<i32>()[range], pairs)
            }
            Some((a, b, _, 8)) => fill(question, &a.slice::<u64>()[range.clone()], &b.slice::<u64>()[range], pairs),
            Some((a, b, _, _)) => fill(question, &a.slice::<u32>()[range.clone()], &b.slice::<u32>()[range], pairs),
            None => {
                let row = |i| [self.first.at(i), self.second.at(i)];
                pairs.iter_mut().zip(range).all(|(pair, i)| {
                    let [first, second] = row(i);
                    fill_body(question, &[first], &[second], std::slice::from_mut(pair))
                })
            }
        };
        if good { Ok(()) } else { Err(self.first_bad(from, question)) }
    }

    /// The error for the first query from a row on that is not good.
    #[cold]
    fn first_bad(&self, from: usize, question: Question) -> thalweg::Error {
        let row = |i| [self.first.at(i), self.second.at(i)];
        let is_bad = |&i: &usize| !fill_body(question, &[row(i)[0]], &[row(i)[1]], &mut [[0u64; 2]]);
        let bad = (from..self.len()).find(is_bad);
        let bad = bad.expect("one was seen");
        (question.refuse)(bad, row(bad), question.len)
    }

    /// Answers all queries, on all threads: `answer(pairs, out)` gets a piece at a time. The first query that is not good is
    /// told.
    pub fn for_each_piece<P: Position, T: Send>(
        &self,
        question: Question,
        out: &mut [T],
        stop: &Stop,
        answer: impl Fn(&[[P; 2]], &mut [T]) -> Result<()> + Sync,
    ) -> Result<()> {
        let task = |(i, out): (usize, &mut [T])| {
            let mut pairs = [[P::default(); 2]; PIECE];
            for (j, out) in out.chunks_mut(PIECE).enumerate() {
                if stop.is_asked() {
                    return Ok(());
                }
                let from = i * TASK + j * PIECE;
                let pairs = &mut pairs[..out.len()];
                self.pairs(from, pairs, question)?;
                answer(pairs, out).map_err(|error| shifted(error, from))?;
            }
            Ok(())
        };
        out.par_chunks_mut(TASK).enumerate().map(task).find_first(Result::is_err).unwrap_or(Ok(()))
    }

    /// All pairs at once, for devices.
    pub fn all_pairs<P: Position>(&self, question: Question) -> Result<Vec<[P; 2]>> {
        let mut pairs = thalweg_core::error::try_filled(self.len(), [P::default(); 2], "queries")?;
        let task = |(i, pairs): (usize, &mut [[P; 2]])| self.pairs(i * TASK, pairs, question);
        pairs.par_chunks_mut(TASK).enumerate().map(task).find_first(Result::is_err).unwrap_or(Ok(()))?;
        Ok(pairs)
    }
}

/// An error of a piece, with the row that it has among all queries.
fn shifted(mut error: thalweg::Error, by: usize) -> thalweg::Error {
    use thalweg::Error::{Node, Pair, Query};
    if let Query { row, .. } | Node { row, .. } | Pair { row, .. } = &mut error {
        *row += by;
    }
    error
}

/// Positions in, one each: bounds of windows, elements to be set.
pub struct Places(Lent);

impl Places {
    /// Integers of any shape, row by row, none below zero; a number is one of them.
    pub fn new(what: &str, object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (array, _) = Lent::of_any_shape(what, &integers(what, object)?, Copy::IfNeeded)?;
        // On this thread: the pool is for work that has let go of the interpreter.
        let negative = match (array.dtype.kind, array.dtype.bytes) {
            (Kind::Signed, 4) => array.slice::<i32>().iter().position(|&x| x < 0),
            (Kind::Signed, _) => array.slice::<i64>().iter().position(|&x| x < 0),
            _ => None,
        };
        match negative {
            Some(i) => Err(bad_element(i, format!("{what}: {} at place {i} is no position", at(&array, i)))),
            None => Ok(Self(array)),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len
    }

    /// The positions.
    pub fn view(&self) -> PositionsRef<'_> {
        match self.0.dtype.bytes {
            4 => PositionsRef::U32(self.0.slice()),
            _ => PositionsRef::U64(self.0.slice()),
        }
    }
}

/// An array of pairs, of shape (queries, 2), as it lies if it can be.
pub fn pairs(what: &str, object: &Bound<'_, PyAny>) -> PyResult<Lent> {
    let (array, shape) = Lent::of_any_shape(what, &integers(what, object)?, Copy::IfNeeded)?;
    match *shape {
        [_, 2] => Ok(array),
        [0] => Ok(array),
        _ => Err(bad_input(format!("{what}: shape {shape:?}, where pairs have (queries, 2)"))),
    }
}
