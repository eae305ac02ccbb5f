//! Tables of text: CSV, tabs, or numbers between blanks.
//!
//! The first row holds names if none of its fields is a number, or if a column is asked for by its name. Empty lines and such
//! that begin with `#` do not count. Fields may be quoted. All rows have as many fields as the first.
//!
//! The text is cut at ends of rows into pieces; all threads count their rows, which tells where the numbers go, and then read
//! them. Columns of integers are int64, or uint64 if they are too large for that and none is negative; others float64.

mod columns;
mod lines;
mod number;

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use memchr::memchr_iter;
use thalweg_core::parallel;

use self::columns::Head;
#[cfg(feature = "columnar")]
pub use self::columns::pick;
use self::lines::{Dialect, Rows, fields, pieces};
use self::number::Why;
pub use self::number::is_overflown;
use super::bytes::Bytes;
use super::text::excerpt;
use crate::dtype::{DType, Element, with_dtype};
use crate::failure::{Failure, Outcome};
use crate::format::Format;
use crate::memory;

/// What shape the numbers should have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Columns {
    /// So many columns; of one, or of one row, a list.
    Exactly(usize),
    /// A list, or rows of as many as there are.
    Any,
    /// Rows of as many as there are, even if there is one.
    Grid,
}

/// What finds the number that stands for a name, such as a place of a text.
pub type Names<'n> = &'n (dyn Fn(&[u8]) -> Option<u64> + Sync);

/// What is wanted of a table.
#[derive(Clone, Copy)]
pub struct Wanted<'w> {
    /// Names or numbers of columns; all if left out.
    pub part: Option<&'w str>,
    /// How many there should be.
    pub columns: Columns,
    /// Type of the numbers; left out, they tell.
    pub dtype: Option<DType>,
    /// What the file's name says of the format.
    pub format: Format,
    /// Names that stand for numbers.
    pub names: Option<Names<'w>>,
}

/// The numbers of a table.
pub struct Table {
    /// Their type.
    pub dtype: DType,
    /// Their sizes.
    pub shape: Vec<usize>,
    /// Themselves, row by row.
    pub bytes: Bytes,
    /// Where the rows stand, if not all is one.
    pub lines: Option<RowLines>,
}

/// Bytes that a thread takes at a time.
const PIECE: usize = 1 << 20;

/// Reads the numbers. `name` is the file's.
pub fn read(text: &[u8], wanted: &Wanted<'_>, name: &str) -> Outcome<Table> {
    if text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff") {
        return Err(Failure::at(name, "is UTF-16, which is not read: save it as UTF-8"));
    }
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    // What looks like a place is none of the names of columns, whether there is such a place or not.
    let is_number = |field: &[u8]| number::is_number(field) || (wanted.names.is_some() && field.contains(&b':'));
    let Some(head) = Head::of(text, wanted.format, &is_number) else {
        // No row at all.
        let columns = if let Columns::Exactly(n) = wanted.columns { n } else { 1 };
        let shape = if columns == 1 { vec![0] } else { vec![0, columns] };
        let dtype = wanted.dtype.unwrap_or(DType::I64);
        return Ok(Table { dtype, shape, bytes: Vec::new().into(), lines: None });
    };
    let choice = head.choose(wanted.part).map_err(|e| Failure::at(name, e))?;
    let start = if choice.has_names { head.end } else { head.start };
    let body = Body::new(text, start, head.dialect, name);
    let one_line = body.rows == 1 && !choice.has_names && wanted.part.is_none();
    let size = [body.rows, choice.columns.len()];
    let shape =
        shape_of(size, wanted.columns, wanted.part, one_line, &|| head.list()).map_err(|e| Failure::at(name, e))?;
    let reader = Reader { body: &body, head: &head, columns: &choice.columns, names: wanted.names };
    let (dtype, words) = match wanted.dtype {
        Some(dtype) => {
            (dtype, with_dtype!(dtype, T => reader.read::<T>(None)).map_err(|bad| reader.failure(bad, dtype))?)
        }
        None => reader.infer()?,
    };
    let len = shape.iter().product::<usize>() * dtype.size();
    let lines = (shape[0] == body.rows).then_some(body.lines);
    Ok(Table { dtype, shape, bytes: Bytes::of_words(words, len), lines })
}

/// The shape of so many rows and columns, if it is what is wanted. `one_line`: all is one line of numbers, which is a list, too;
/// `list` says which columns there are.
pub fn shape_of(
    [rows, width]: [usize; 2],
    columns: Columns,
    part: Option<&str>,
    one_line: bool,
    list: &dyn Fn() -> String,
) -> Result<Vec<usize>, String> {
    match columns {
        Columns::Grid => Ok(vec![rows, width]),
        Columns::Any | Columns::Exactly(1) if width == 1 => Ok(vec![rows]),
        Columns::Any | Columns::Exactly(1) if one_line => Ok(vec![width]),
        Columns::Any => Ok(vec![rows, width]),
        Columns::Exactly(n) if n == width => Ok(vec![rows, n]),
        Columns::Exactly(n) => {
            let how = if n == 1 { "name one behind a colon" } else { "name them behind a colon, with commas" };
            match part {
                Some(part) => Err(format!("{width} columns are named by '{part}', expected {n}")),
                None => Err(format!("{width} columns, expected {n}: {how} ({})", list())),
            }
        }
    }
}

/// The rows of numbers.
struct Body<'t> {
    text: &'t [u8],
    name: &'t str,
    dialect: Dialect,
    pieces: Vec<Range<usize>>,
    /// How many rows there are.
    rows: usize,
    lines: RowLines,
}

impl<'t> Body<'t> {
    /// Counts the rows from `start` on.
    fn new(text: &'t [u8], start: usize, dialect: Dialect, name: &'t str) -> Self {
        let mut pieces = pieces(&text[start..], dialect.quotes, PIECE);
        pieces.iter_mut().for_each(|piece| *piece = start + piece.start..start + piece.end);
        let mut counts = vec![Counted::default(); pieces.len()];
        parallel::for_each_chunk_mut(&mut counts, 1, &|i, count| {
            count[0] = Counted::of(&text[pieces[i].clone()], dialect.quotes);
        });
        let (mut row, mut line) = (0, memchr_iter(b'\n', &text[..start]).count());
        for count in &mut counts {
            (count.first_row, count.first_line) = (row, line);
            (row, line) = (row + count.rows, line + count.lines);
        }
        Self { text, name, dialect, pieces, rows: row, lines: RowLines { pieces: counts } }
    }
}

/// Where rows stand in their file.
#[derive(Default)]
pub struct RowLines {
    pieces: Vec<Counted>,
}

impl RowLines {
    /// The line, from 1, of a row, from 0.
    pub fn line(&self, row: usize) -> usize {
        let piece = self.pieces.partition_point(|piece| piece.first_row <= row);
        let Some(piece) = piece.checked_sub(1).map(|i| &self.pieces[i]) else { return row + 1 };
        let row = row - piece.first_row;
        piece.first_line + piece.places.get(row).map_or(row, |&line| line as usize) + 1
    }
}

/// Rows and lines of a piece.
#[derive(Clone, Default)]
struct Counted {
    rows: usize,
    lines: usize,
    first_row: usize,
    first_line: usize,
    /// The lines of the rows, if not every line is one.
    places: Vec<u32>,
}

impl Counted {
    fn of(text: &[u8], quotes: bool) -> Self {
        let rows = Rows::new(text, quotes).count();
        let lines = memchr_iter(b'\n', text).count();
        let mut places = Vec::new();
        // The last line may have no end.
        if rows != lines + usize::from(!text.ends_with(b"\n")) {
            let (mut at, mut line) = (0, 0);
            for (start, _) in Rows::new(text, quotes) {
                line += memchr_iter(b'\n', &text[at..start]).count() as u32;
                at = start;
                places.push(line);
            }
        }
        Self { rows, lines, first_row: 0, first_line: 0, places }
    }
}

/// Why there are no numbers.
enum Trouble {
    /// Something is not as it should be: where its row begins, which field it is, what that holds, and why.
    Bad { row: usize, column: usize, field: String, why: Why },
    /// There is no memory.
    Refused(Failure),
}

/// Reads the body with a certain type.
struct Reader<'r> {
    body: &'r Body<'r>,
    head: &'r Head<'r>,
    /// Columns, and where in a row of results each goes, in the order of the columns.
    columns: &'r [(usize, usize)],
    names: Option<Names<'r>>,
}

impl Reader<'_> {
    /// The numbers, in a type that holds all of them.
    fn infer(&self) -> Outcome<(DType, Vec<u64>)> {
        let no_integers = AtomicBool::new(false);
        let mut dtype = DType::I64;
        let mut found = self.read::<i64>(Some(&no_integers));
        if let Err(Trouble::Bad { why: Why::TooLarge, .. }) = found
            && !no_integers.load(Ordering::Relaxed)
        {
            (dtype, found) = (DType::U64, self.read::<u64>(Some(&no_integers)));
        }
        if no_integers.load(Ordering::Relaxed) {
            (dtype, found) = (DType::F64, self.read::<f64>(None));
        }
        found.map(|words| (dtype, words)).map_err(|bad| self.failure(bad, dtype))
    }

    /// The numbers as `T`, or the first thing that is none. Where there is `no_integers`, a number that is no integer sets it,
    /// and then the result does not matter.
    fn read<T: Element>(&self, no_integers: Option<&AtomicBool>) -> Result<Vec<u64>, Trouble> {
        let len = self.body.rows * self.columns.len();
        let words = memory::filled((len * size_of::<T>()).div_ceil(8), 0u64, self.body.name);
        let mut words = words.map_err(Trouble::Refused)?;
        let mut rest = &mut bytemuck::cast_slice_mut::<u64, T>(&mut words)[..len];
        let mut parts = Vec::new();
        for piece in &self.body.lines.pieces {
            let (part, behind) = rest.split_at_mut(piece.rows * self.columns.len());
            parts.push(Mutex::new((part, None)));
            rest = behind;
        }
        parallel::for_each_chunk(parts.len(), 1, &|range| {
            for (piece, part) in self.body.pieces[range.clone()].iter().zip(&parts[range]) {
                if no_integers.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                    return;
                }
                let (out, bad) = &mut *part.lock().expect("nobody panics meanwhile");
                *bad = self.piece(piece.clone(), out).err();
                if let (Some(stop), Some(Trouble::Bad { why: Why::NotInteger, .. })) = (no_integers, bad) {
                    stop.store(true, Ordering::Relaxed);
                }
            }
        });
        let bad = parts.into_iter().find_map(|part| part.into_inner().expect("nobody has panicked").1);
        bad.map_or(Ok(words), Err)
    }

    fn piece<T: Element>(&self, piece: Range<usize>, out: &mut [T]) -> Result<(), Trouble> {
        let rows = Rows::new(&self.body.text[piece.clone()], self.body.dialect.quotes);
        for ((start, row), out) in rows.zip(out.chunks_mut(self.columns.len())) {
            let (mut next, mut at, mut shown) = (0, 0, String::new());
            let count = fields(row, self.body.dialect, &mut |column, field| {
                while let Some(&(wanted, place)) = self.columns.get(next)
                    && wanted == column
                {
                    out[place] = self.number(field).inspect_err(|_| (at, shown) = (column, excerpt(field, 40)))?;
                    next += 1;
                }
                Ok(())
            });
            let why = match count {
                Ok(count) if count == self.head.width => continue,
                Ok(count) => Why::Fields(count),
                Err(why) => why,
            };
            return Err(Trouble::Bad { row: piece.start + start, column: at, field: shown, why });
        }
        Ok(())
    }

    fn number<T: Element>(&self, field: &[u8]) -> Result<T, Why> {
        number::parse(field).or_else(|why| match (why, self.names.and_then(|names| names(field))) {
            (Why::NotNumber, Some(number)) => Ok(T::from_low_bits(number)),
            (Why::NotNumber, None) if self.names.is_some() => Err(Why::NoPlace),
            (why, _) => Err(why),
        })
    }

    /// One line about what is wrong.
    fn failure(&self, trouble: Trouble, dtype: DType) -> Failure {
        let (row, column, field, why) = match trouble {
            Trouble::Bad { row, column, field, why } => (row, column, field, why),
            Trouble::Refused(failure) => return failure,
        };
        let line = memchr_iter(b'\n', &self.body.text[..row]).count() + 1;
        let place = format!("line {line}, column {}", self.head.shown(column));
        let text = match why {
            Why::Empty => format!("{place}: is empty"),
            Why::NotNumber => format!("{place}: {field} is not a number"),
            Why::NoPlace => format!("{place}: {field} is neither a number nor a place in a record"),
            Why::NotInteger => format!("{place}: {field} is not an integer"),
            Why::TooLarge => format!("{place}: {field} does not fit {dtype}"),
            Why::Fields(count) => format!("line {line}: {count} fields, expected {}", self.head.width),
            Why::Quote => format!("line {line}: a quote without its other half, or inside of a field"),
        };
        Failure::at(self.body.name, text)
    }
}
