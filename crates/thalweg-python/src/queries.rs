//! Queries in: pairs of numbers, given one by one, as two arrays that broadcast, or as an array of pairs.

use bytemuck::Pod;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyTuple};
use rayon::prelude::*;
use thalweg::{Position, Result};

use crate::array::{Copy, Kind, Lent, to_numpy};
use crate::errors::{bad_input, bad_type};
use crate::work::Stop;

/// Queries that are turned into pairs at a time, on one thread: they stay in the first-level cache.
const PIECE: usize = 1 << 10;

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
fn integers<'py>(what: &str, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
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
        if let (Some(first), Some(second)) = (number(first), number(second)) {
            return Ok(Self::One(first?, second?));
        }
        let py = first.py();
        let numpy = py.import(intern!(py, "numpy"))?;
        let side = |name, object: &Bound<'_, PyAny>| match number(object) {
            Some(number) => Ok((Column::One(number?), vec![], None)),
            None => {
                let (array, shape) = Lent::of_any_shape(name, &integers(name, object)?, Copy::IfNeeded)?;
                let column = if shape.is_empty() { Column::One(at(&array, 0)) } else { Column::Each(array.clone()) };
                Ok::<_, PyErr>((column, shape, Some(array)))
            }
        };
        let (mut sides, shapes): (Vec<_>, Vec<_>) = [(names[0], first), (names[1], second)]
            .into_iter()
            .map(|(name, object)| side(name, object).map(|(column, shape, array)| ((column, array), shape)))
            .collect::<PyResult<Vec<_>>>()?
            .into_iter()
            .unzip();
        let tuple = |shape: &Vec<usize>| PyTuple::new(py, shape);
        let broadcast = numpy.call_method1(intern!(py, "broadcast_shapes"), (tuple(&shapes[0])?, tuple(&shapes[1])?));
        let shape: Vec<usize> = match broadcast {
            Ok(shape) => shape.extract()?,
            Err(_) => {
                let [a, b] = names;
                return Err(bad_input(format!(
                    "{a} of shape {:?} and {b} of {:?} do not go together",
                    shapes[0], shapes[1]
                )));
            }
        };
        for ((column, array), own) in sides.iter_mut().zip(&shapes) {
            if let (Column::Each(_), Some(array)) = (&*column, array)
                && *own != shape
            {
                let spread = numpy.call_method1("broadcast_to", (array.owner(py), tuple(&shape)?))?;
                *column = Column::Each(Lent::of_any_shape("queries", &spread, Copy::IfNeeded)?.0);
            }
        }
        let second = sides.pop().map(|(column, _)| column);
        let first = sides.pop().map(|(column, _)| column);
        match (first, second) {
            (Some(Column::One(first)), Some(Column::One(second))) if shape.is_empty() => Ok(Self::One(first, second)),
            (Some(first), Some(second)) => Ok(Self::Many(Columns { first, second, shape })),
            _ => unreachable!("there are two"),
        }
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
    fn is_wide(&self) -> bool {
        matches!(self, Self::Each(array) if array.dtype.bytes == 8)
    }

    /// Writes the numbers of a piece, less `less`, into one side of pairs. Tells the first that is not in `least..=most`.
    fn fill<P: Position>(
        &self,
        from: usize,
        pairs: &mut [[P; 2]],
        side: usize,
        less: i64,
        limits: [i64; 2],
    ) -> Option<usize> {
        fn each<T: Number, P: Position>(
            numbers: &[T],
            pairs: &mut [[P; 2]],
            side: usize,
            less: i64,
            [least, most]: [i64; 2],
        ) -> Option<usize> {
            let mut bad = false;
            for (pair, number) in pairs.iter_mut().zip(numbers) {
                let number = number.wide();
                bad |= number < least || number > most;
                pair[side] = P::new(number.wrapping_sub(less) as usize);
            }
            bad.then(|| numbers.iter().position(|x| x.wide() < least || x.wide() > most)).flatten()
        }
        let range = from..from + pairs.len();
        match self {
            Self::One(number) => each(&vec![*number; pairs.len()], pairs, side, less, limits),
            Self::Each(array) => match (array.dtype.kind, array.dtype.bytes) {
                (Kind::Signed, 4) => each(&array.slice::<i32>()[range], pairs, side, less, limits),
                (Kind::Signed, _) => each(&array.slice::<i64>()[range], pairs, side, less, limits),
                (_, 4) => each(&array.slice::<u32>()[range], pairs, side, less, limits),
                (_, _) => each(&array.slice::<u64>()[range], pairs, side, less, limits),
            },
        }
    }

    fn at(&self, row: usize) -> i64 {
        match self {
            Self::One(number) => *number,
            Self::Each(array) => at(array, row),
        }
    }
}

/// How pairs of numbers become pairs of positions.
#[derive(Clone, Copy)]
pub struct Meaning {
    /// The numbers that work, on either side.
    pub limits: [[i64; 2]; 2],
    /// What is taken off the second: 1 where ranges are half open.
    pub less: i64,
    /// Whether the first position must not be behind the second.
    pub in_order: bool,
    /// The exception for a query that does not work: its row, its numbers.
    pub refuse: fn(usize, [i64; 2], usize) -> thalweg::Error,
    /// Length of the array, for that.
    pub len: usize,
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

    fn pairs<P: Position>(&self, from: usize, pairs: &mut [[P; 2]], meaning: Meaning) -> Result<()> {
        let first = self.first.fill(from, pairs, 0, 0, meaning.limits[0]);
        let second = self.second.fill(from, pairs, 1, meaning.less, meaning.limits[1]);
        let mut wrong = first.into_iter().chain(second).min();
        if meaning.in_order {
            // Up to that row, which has no positions.
            let good = &pairs[..wrong.unwrap_or(pairs.len())];
            wrong = good.iter().position(|pair| pair[0] > pair[1]).or(wrong);
        }
        match wrong {
            None => Ok(()),
            Some(row) => {
                let row = from + row;
                Err((meaning.refuse)(row, [self.first.at(row), self.second.at(row)], meaning.len))
            }
        }
    }

    /// Answers all queries, pieces on all threads: `answer(pairs, where)`, which may not look at rows of its own accord.
    /// The first query that does not work is told.
    pub fn for_each_piece<P: Position, T: Send>(
        &self,
        meaning: Meaning,
        out: &mut [T],
        stop: &Stop,
        answer: impl Fn(&[[P; 2]], &mut [T]) -> Result<()> + Sync,
    ) -> Result<()> {
        let piece = |(i, out): (usize, &mut [T])| {
            if stop.is_asked() {
                return Ok(());
            }
            let from = i * PIECE;
            let mut pairs = [[P::default(); 2]; PIECE];
            let pairs = &mut pairs[..out.len()];
            self.pairs(from, pairs, meaning)?;
            answer(pairs, out).map_err(|error| shifted(error, from))
        };
        out.par_chunks_mut(PIECE).enumerate().map(piece).find_first(Result::is_err).unwrap_or(Ok(()))
    }

    /// All pairs at once, for devices.
    pub fn all_pairs<P: Position>(&self, meaning: Meaning) -> Result<Vec<[P; 2]>> {
        let mut pairs = thalweg_core::error::try_filled(self.len(), [P::default(); 2], "queries")?;
        let piece = |(i, pairs): (usize, &mut [[P; 2]])| self.pairs(i * PIECE, pairs, meaning);
        pairs.par_chunks_mut(PIECE).enumerate().map(piece).find_first(Result::is_err).unwrap_or(Ok(()))?;
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

/// An array of pairs, of shape (queries, 2), as it lies if it can be.
pub fn pairs(what: &str, object: &Bound<'_, PyAny>) -> PyResult<Lent> {
    let (array, shape) = Lent::of_any_shape(what, &integers(what, object)?, Copy::IfNeeded)?;
    match *shape {
        [_, 2] => Ok(array),
        [0] => Ok(array),
        _ => Err(bad_input(format!("{what}: shape {shape:?}, where pairs have (queries, 2)"))),
    }
}
