//! Batches of ranges: from a file of any integer type, or generated.

use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};

use bytemuck::Pod;
use thalweg::{Error, Position};
use thalweg_core::parallel;
use thalweg_data::QueryKind;

use super::npy::Shape;
use super::{EmptyArgs, Loaded, Names};
use super::{GRAIN, TASK};
use crate::choice::one_of;
use crate::dtype::{DType, Element};
use crate::failure::{Failure, Outcome};
use crate::memory;
use crate::numbers::{counted_plainly, parse_count};

/// Where the queries come from
#[derive(clap::Args)]
#[command(next_help_heading = "Queries")]
pub struct QueryArgs {
    /// Ranges [l, r], both inclusive, from 0: integers of shape (q, 2); generated if left out
    #[arg(long, value_name = "FILE")]
    pub queries: Option<PathBuf>,

    /// Type of raw queries: pairs of this in a file that is not .npy [default: i64]
    #[arg(long, value_name = "TYPE", value_parser = DType::from_option, requires = "queries",
        conflicts_with_all = ["count", "query_kind"])]
    pub query_dtype: Option<DType>,

    #[command(flatten)]
    empty: EmptyArgs,

    /// Number of queries to generate
    #[arg(long, value_parser = parse_count, default_value = "2^20", conflicts_with = "queries")]
    pub count: usize,

    /// Lengths of generated ranges
    #[arg(long, value_parser = one_of(QueryKind::ALL, QueryKind::name), default_value = "mixed", conflicts_with = "queries")]
    pub query_kind: QueryKind,
}

/// Opens a file of queries, in rows of `columns` numbers; raw ones are of the type that `--query-dtype` says, or of the
/// default. A type that the file itself contradicts is a failure.
pub fn open(path: &Path, dtype: Option<DType>, default: DType, columns: usize, empty: EmptyArgs) -> Outcome<Loaded> {
    open_named(path, dtype, default, columns, empty, None)
}

/// The same where, in a text, names may stand for numbers.
pub fn open_named(
    path: &Path,
    dtype: Option<DType>,
    default: DType,
    columns: usize,
    empty: EmptyArgs,
    names: Option<Names<'_>>,
) -> Outcome<Loaded> {
    let file = Loaded::open_queries(path, dtype.unwrap_or(default), columns, empty, names)?;
    let found = file.layout.dtype;
    match dtype {
        Some(wanted) if wanted != found => {
            Err(file.failure(format_args!("the file holds {found}, but --query-dtype says {wanted}")))
        }
        _ => Ok(file),
    }
}

/// A batch in one of the two widths that the library takes.
pub enum Batch<'q> {
    /// Bounds of 32 bits.
    U32(Cow<'q, [[u32; 2]]>),
    /// Bounds of 64 bits.
    U64(Cow<'q, [[u64; 2]]>),
}

impl Batch<'_> {
    /// Whether the queries lie in their file as they are needed.
    pub fn is_in_place(&self) -> bool {
        matches!(self, Self::U32(Cow::Borrowed(_)) | Self::U64(Cow::Borrowed(_)))
    }
}

impl QueryArgs {
    /// Opens the file, if there is one.
    pub fn open(&self) -> Outcome<Option<Loaded>> {
        self.queries.as_deref().map(|path| open(path, self.query_dtype, DType::I64, 2, self.empty)).transpose()
    }

    /// Generates queries for an array of `n` elements, of the width that its positions need.
    pub fn generate(&self, n: usize, seed: u64) -> Outcome<Batch<'static>> {
        Ok(if u32::fits(n) {
            Batch::U32(generate(self.query_kind, n, self.count, seed)?.into())
        } else {
            Batch::U64(generate(self.query_kind, n, self.count, seed)?.into())
        })
    }
}

/// Ranges of a kind, inside an array of `n` elements.
pub fn generate<P: Position>(kind: QueryKind, n: usize, count: usize, seed: u64) -> Outcome<Vec<[P; 2]>> {
    if n == 0 && count > 0 {
        return Err(Failure::new("an empty array has no ranges to ask for (--count 0 asks for none)"));
    }
    let mut queries = memory::filled(count, [P::default(); 2], "queries")?;
    kind.fill(n, seed, &mut queries);
    Ok(queries)
}

/// The batch that a file holds: in place where its type and order allow it, otherwise converted in parallel.
pub fn batch(file: &Loaded) -> Outcome<Batch<'_>> {
    all_pairs(file, &QUERIES)
}

/// How many there are.
pub fn count(file: &Loaded) -> Outcome<usize> {
    match file.layout.shape[..] {
        [rows, 2] => Ok(rows),
        // The complaint is the batch's.
        _ => batch(file).map(|_| 0),
    }
}

/// The same of some rows only.
pub fn batch_of(file: &Loaded, rows: Range<usize>) -> Outcome<Batch<'_>> {
    some_pairs(file, &QUERIES, Some(rows))
}

const QUERIES: Words = Words { what: "queries", shape: "(q, 2)", ends: ["left bound", "right bound"] };

/// What pairs are called in complaints.
pub(super) struct Words {
    /// All of them.
    pub what: &'static str,
    /// Their shape.
    pub shape: &'static str,
    /// The two numbers of a pair.
    pub ends: [&'static str; 2],
}

/// The pairs of numbers, none of them negative, that a file of any integer type holds: in place where its type and order
/// allow it, otherwise converted in parallel.
pub(super) fn all_pairs<'f>(file: &'f Loaded, words: &Words) -> Outcome<Batch<'f>> {
    some_pairs(file, words, None)
}

/// The same of some rows only, if that is said.
fn some_pairs<'f>(file: &'f Loaded, words: &Words, range: Option<Range<usize>>) -> Outcome<Batch<'f>> {
    let Words { what, shape: expected, .. } = words;
    let shape = &file.layout.shape;
    let &[rows, 2] = &shape[..] else {
        return Err(file.failure(format_args!("{what} have shape {}, expected {expected}", Shape(shape))));
    };
    let range = range.unwrap_or(0..rows);
    match file.layout.dtype {
        DType::U8 => pairs::<u8, u32>(file, rows, range, words).map(Batch::U32),
        DType::U16 => pairs::<u16, u32>(file, rows, range, words).map(Batch::U32),
        DType::U32 => pairs::<u32, u32>(file, rows, range, words).map(Batch::U32),
        DType::U64 => pairs::<u64, u64>(file, rows, range, words).map(Batch::U64),
        DType::I8 => pairs::<i8, u32>(file, rows, range, words).map(Batch::U32),
        DType::I16 => pairs::<i16, u32>(file, rows, range, words).map(Batch::U32),
        DType::I32 => pairs::<i32, u32>(file, rows, range, words).map(Batch::U32),
        DType::I64 => pairs::<i64, u64>(file, rows, range, words).map(Batch::U64),
        float @ (DType::F32 | DType::F64) => {
            Err(file.failure(format_args!("{what} are of type {float}, expected integers")))
        }
    }
}

/// Pairs of `T` as pairs of `P`, which holds every `T` that is not negative.
fn pairs<'f, T: Element, P: Position + Pod>(
    file: &'f Loaded,
    rows: usize,
    range: Range<usize>,
    words: &Words,
) -> Outcome<Cow<'f, [[P; 2]]>> {
    let (first, count) = (range.start, range.len());
    let row = |i: usize| {
        let places = if file.layout.fortran { [i, rows + i] } else { [2 * i, 2 * i + 1] };
        places.map(|place| file.element::<T>(place))
    };
    let signed = T::from_f64(-1.0) < T::default();
    let negative = |i: &usize| row(first + *i).iter().any(|&x| x < T::default());
    let in_place = if file.layout.fortran { None } else { file.in_place::<[T; 2]>() };
    let bad = match in_place {
        // In loops that become vector code.
        Some(all) if signed => parallel::find_first(count, TASK, &|range| {
            let range = first + range.start..first + range.end;
            file.fetch(2 * range.start..2 * range.end);
            let bad = all[range.clone()].iter().position(|row| (row[0] < T::default()) | (row[1] < T::default()))?;
            Some(range.start - first + bad)
        }),
        None if signed => parallel::find_first(count, GRAIN, &|mut rows| rows.find(negative)),
        _ if count == rows => {
            file.fetch_all();
            None
        }
        _ => None,
    };
    if let Some(bad) = bad.map(|bad| first + bad) {
        let row = row(bad);
        let end = usize::from(row[0] >= T::default());
        return Err(file.failure(format_args!("{}: {} {} is negative", file.place(bad), words.ends[end], row[end])));
    }
    // Numbers that are not negative look the same with and without a sign.
    if size_of::<T>() == size_of::<P>()
        && !file.layout.fortran
        && let Some(slice) = file.in_place()
    {
        return Ok(Cow::Borrowed(&slice[range]));
    }
    let mut out = memory::filled(count, [P::default(); 2], &file.name)?;
    parallel::for_each_chunk_mut(&mut out, GRAIN, &|start, out| {
        for (i, out) in (start..).zip(out) {
            // The cast keeps the value: it is not negative, and `P` is at least as wide.
            *out = row(first + i).map(|x| P::new(x.to_low_bits() as usize));
        }
    });
    Ok(Cow::Owned(out))
}

/// Puts the place in front of the library's complaint about a query of a file, or of one that was generated.
pub fn bad_query(file: Option<&Loaded>, origin: &str, error: Error) -> Failure {
    let Error::Query { row, left, right, len } = error else { return Failure::at(origin, error) };
    let text = if left > right {
        "the left bound is greater than the right one".to_owned()
    } else {
        format!("not inside an array of {}", counted_plainly(len, "element"))
    };
    let place = file.map_or_else(|| format!("row {row}"), |file| file.place(row));
    Failure::at(origin, format_args!("{place}: range {left}..={right}: {text}"))
}
