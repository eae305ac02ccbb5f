//! Sudokus.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};
use thalweg::Error;
use thalweg::puzzle::sudoku::{self, Builder, Engine, Grid, text};

use crate::array::{Copy, Kind, Lent};
use crate::device::{device, engine};
use crate::errors::{bad_element, bad_input, bad_type, to_python};
use crate::out::{self, Buffer, dtype};
use crate::work::{Threads, call};

/// Puzzles as they were given.
enum Puzzles {
    /// An array of bytes, whose shape answers have.
    Array { cells: Lent, shape: Vec<usize> },
    /// A text each.
    Texts { grids: Vec<Grid>, is_one: bool },
}

/// The bytes of a text, if it is one.
fn bytes_of(object: &Bound<'_, PyAny>) -> Option<Vec<u8>> {
    if let Ok(bytes) = object.cast::<PyBytes>() {
        return Some(bytes.as_bytes().to_vec());
    }
    object.cast::<PyString>().ok().map(|text| text.to_string_lossy().into_owned().into_bytes())
}

/// The puzzles of texts that have one each.
fn parsed(py: Python<'_>, texts: Vec<Vec<u8>>) -> PyResult<Vec<Grid>> {
    let wrong = |row: usize, reason: String| bad_element(row, format!("puzzle {row}: {reason}"));
    let parsed = call(py, Threads::All, move |_| {
        Ok(texts.iter().map(|line| text::parse(line)).collect::<Vec<thalweg::Result<Vec<Grid>>>>())
    })?;
    let one = |(row, parsed): (usize, thalweg::Result<Vec<Grid>>)| match parsed {
        Ok(grids) => match <[Grid; 1]>::try_from(grids) {
            Ok([grid]) => Ok(grid),
            Err(grids) => {
                Err(wrong(row, format!("{} puzzles, where a text has one; parse takes several", grids.len())))
            }
        },
        Err(Error::Line { reason, .. }) => Err(wrong(row, reason)),
        Err(error) => Err(to_python(error)),
    };
    parsed.into_iter().enumerate().map(one).collect()
}

/// Cells of other types as bytes, if they are digits.
fn digits(array: &Bound<'_, PyAny>) -> PyResult<Lent> {
    let wide = Lent::of_any_shape("puzzles", &array.call_method1("astype", ("int64",))?, Copy::IfNeeded)?.0;
    if let Some(at) = wide.slice::<i64>().iter().position(|digit| !(0..=9).contains(digit)) {
        let (row, cell, value) = (at / 81, at % 81, wide.slice::<i64>()[at]);
        return Err(bad_element(row, format!("puzzle {row}: cell {cell} is {value}, not a digit from 1 to 9, or 0")));
    }
    Ok(Lent::of_any_shape("puzzles", &array.call_method1("astype", ("uint8",))?, Copy::IfNeeded)?.0)
}

impl Puzzles {
    fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = object.py();
        if let Some(text) = bytes_of(object) {
            return Ok(Self::Texts { grids: parsed(py, vec![text])?, is_one: true });
        }
        let is_list = object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>();
        if is_list && object.len()? > 0 && bytes_of(&object.get_item(0)?).is_some() {
            let text = |(row, text): (usize, PyResult<Bound<'_, PyAny>>)| {
                bytes_of(&text?).ok_or_else(|| bad_element(row, format!("puzzle {row}: not a text like the first one")))
            };
            let texts = object.try_iter()?.enumerate().map(text).collect::<PyResult<_>>()?;
            return Ok(Self::Texts { grids: parsed(py, texts)?, is_one: false });
        }
        let (mut cells, shape) = Lent::of_any_shape("puzzles", object, Copy::IfNeeded)?;
        match *shape {
            [.., 9, 9] | [.., 81] | [0] => {}
            _ => return Err(bad_input(format!("puzzles: shape {shape:?}, where (n, 81) or (n, 9, 9) is needed"))),
        }
        match (cells.dtype.kind, cells.dtype.bytes) {
            (Kind::Unsigned, 1) => {}
            (Kind::Unsigned | Kind::Signed, _) => cells = digits(cells.owner(py))?,
            // What `np.asarray([])` is.
            (Kind::Float, _) if cells.len == 0 => cells = digits(cells.owner(py))?,
            _ => {
                let name = cells.owner(py).getattr("dtype")?;
                return Err(bad_type(format!("puzzles: dtype {name}, where digits are integers")));
            }
        }
        Ok(Self::Array { cells, shape })
    }

    /// The shape of one number a puzzle; `None` for one puzzle alone.
    fn batch(&self) -> Option<Vec<usize>> {
        let of = |outer: &[usize]| (!outer.is_empty()).then(|| outer.to_vec());
        match self {
            Self::Texts { is_one, grids } => (!is_one).then(|| vec![grids.len()]),
            Self::Array { shape, .. } => match &shape[..] {
                [0] => Some(vec![0]),
                [outer @ .., 9, 9] => of(outer),
                [outer @ .., _] => of(outer),
                [] => None,
            },
        }
    }

    fn grids(&self) -> &[Grid] {
        match self {
            Self::Array { cells, .. } => cells.slice::<u8>().as_chunks().0,
            Self::Texts { grids, .. } => grids,
        }
    }
}

/// Counts as they are told: a number for one puzzle, an array otherwise.
fn counted<'py>(py: Python<'py>, counts: Vec<u32>, shape: Option<&[usize]>) -> PyResult<Bound<'py, PyAny>> {
    match shape {
        None => Ok(counts[0].into_pyobject(py)?.into_any()),
        Some(shape) => out::shaped(&out::array(py, counts), shape),
    }
}

fn builder(py: Python<'_>, limit: u32, engine: Option<&str>, device: &str) -> PyResult<Builder> {
    let engine: Option<Engine> = self::engine(engine)?;
    Ok(Builder::new().limit(limit).engine(engine).device(self::device(py, device)?))
}

/// Solves Sudokus, as many as there are, on all threads.
///
/// Args:
///     puzzles: Digits from 1 to 9, and 0 for a blank: integers of shape (n, 81) or (n, 9, 9), read as they lie if they are uint8;
///         one puzzle of shape (81,) or (9, 9); or a str of 81 characters with "." or "0" for a blank, or a list of them.
///     limit: How far solutions are counted. With 2, the default, a count of 1 says that the solution is the only one.
///     engine: How: "bands" (the default) or "exact_cover".
///     device: "auto", "cpu", "gpu", or a name of `thalweg.devices()`.
///
/// Returns:
///     Solutions in the form of the puzzles, and how many each has, up to the limit (uint32; an int for one puzzle). The solution
///     is the smallest, row by row, of all that there are; zeros (dots in texts) if there is none, as where clues contradict
///     each other.
///
/// Raises:
///     InputError: A cell holds no digit; `element` says of which puzzle.
///
/// >>> from thalweg.sudoku import solve
/// >>> solve("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79")
/// ('534678912672195348198342567859761423426853791713924856961537284287419635345286179', 1)
#[pyfunction]
#[pyo3(signature = (puzzles, limit=2, *, engine=None, device="auto"))]
pub fn solve<'py>(
    py: Python<'py>,
    puzzles: &Bound<'py, PyAny>,
    limit: u32,
    engine: Option<&str>,
    device: &str,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let puzzles = Puzzles::new(puzzles)?;
    let builder = builder(py, limit, engine, device)?;
    let batch = puzzles.batch();
    let shape = match &puzzles {
        Puzzles::Array { shape, .. } => shape.clone(),
        Puzzles::Texts { grids, .. } => vec![grids.len(), 81],
    };
    let mut solutions = Buffer::new(py, &shape, &dtype(py, "uint8")?)?;
    let (puzzles, mut solutions, counts) = call(py, Threads::All, move |_| {
        let mut counts = thalweg_core::memory::zeroed(puzzles.grids().len(), "counts of solutions")?;
        let grids: &mut [Grid] = solutions.slice::<u8>().as_chunks_mut().0;
        builder.solve_into(puzzles.grids(), &mut counts, Some(grids))?;
        Ok((puzzles, solutions, counts))
    })?;
    let solutions = match &puzzles {
        Puzzles::Array { .. } => solutions.into_array(py),
        Puzzles::Texts { is_one, .. } => {
            let lines = text::lines(solutions.slice::<u8>().as_chunks().0);
            let mut lines = lines.lines();
            match is_one {
                true => PyString::new(py, lines.next().unwrap_or_default()).into_any(),
                false => PyList::new(py, lines.collect::<Vec<_>>())?.into_any(),
            }
        }
    };
    Ok((solutions, counted(py, counts, batch.as_deref())?))
}

/// How many solutions Sudokus have, up to a limit. Where there are several, this takes less time than `solve`, whose arguments it
/// has.
///
/// >>> from thalweg.sudoku import count_solutions
/// >>> count_solutions("." * 81, limit=1000)
/// 1000
#[pyfunction]
#[pyo3(signature = (puzzles, limit=2, *, engine=None, device="auto"))]
pub fn count_solutions<'py>(
    py: Python<'py>,
    puzzles: &Bound<'py, PyAny>,
    limit: u32,
    engine: Option<&str>,
    device: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let puzzles = Puzzles::new(puzzles)?;
    let builder = builder(py, limit, engine, device)?;
    let batch = puzzles.batch();
    let counts = call(py, Threads::All, move |_| Ok(builder.count(puzzles.grids())?.into_inner()))?;
    counted(py, counts, batch.as_deref())
}

/// Grids as an array of shape (n, 9, 9).
fn grids<'py>(py: Python<'py>, grids: Vec<Grid>) -> PyResult<Bound<'py, PyAny>> {
    let len = grids.len();
    let cells = grids.into_flattened();
    out::shaped(&out::array(py, cells), &[len, 9, 9])
}

/// Makes puzzles with one solution and no clue to spare, about 24 clues each.
///
/// Args:
///     n: How many.
///     seed: Which ones.
///
/// Returns:
///     uint8 of shape (n, 9, 9), 0 for a blank.
///
/// >>> from thalweg.sudoku import count_solutions, generate
/// >>> count_solutions(generate(5, seed=7))
/// array([1, 1, 1, 1, 1], dtype=uint32)
#[pyfunction]
#[pyo3(signature = (n, seed=0))]
pub fn generate(py: Python<'_>, n: usize, seed: u64) -> PyResult<Bound<'_, PyAny>> {
    let made = call(py, Threads::All, move |_| sudoku::generate(n, seed))?;
    grids(py, made)
}

/// The puzzles of a text, a line each: 81 characters, digits and ".", "0" or "_" for a blank. What follows after a space, a comma,
/// a semicolon or a "#" is ignored, and so are empty lines and those that begin with "#".
///
/// Args:
///     text: str or bytes, such as a file's.
///
/// Returns:
///     uint8 of shape (n, 9, 9), 0 for a blank.
///
/// Raises:
///     InputError: A line is no puzzle; the message has its number.
///
/// >>> from thalweg.sudoku import parse
/// >>> parse("# one of them\n" + "1........" * 9 + " easy").shape
/// (1, 9, 9)
#[pyfunction]
pub fn parse<'py>(py: Python<'py>, text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let Some(bytes) = bytes_of(text) else {
        return Err(bad_type(format!("text: a {}, where str or bytes is needed", text.get_type().name()?)));
    };
    let parsed = call(py, Threads::All, move |_| text::parse(&bytes))?;
    grids(py, parsed)
}

/// A puzzle or a solution as a drawing.
///
/// >>> from thalweg.sudoku import draw
/// >>> print(draw("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79")[:51])
/// ┌───────┬───────┬───────┐
/// │ 5 3 . │ . 7 . │ . . . │
#[pyfunction]
pub fn draw(puzzle: &Bound<'_, PyAny>) -> PyResult<String> {
    let puzzles = Puzzles::new(puzzle)?;
    match puzzles.grids() {
        [grid] if grid.iter().all(|&digit| digit <= 9) => Ok(sudoku::draw(grid)),
        [_] => Err(bad_input("puzzle: a cell holds no digit")),
        grids => Err(bad_input(format!("puzzle: {} of them, where one is needed", grids.len()))),
    }
}
