//! Rows of coordinates: points of shape (n, 2), segments of shape (n, 4), from a file or generated.

use std::borrow::Cow;
use std::path::Path;

use thalweg::Key;
use thalweg_core::parallel;

use super::npy::Shape;
use super::{GRAIN, Loaded};
use crate::dtype::{DType, Element};
use crate::failure::{Failure, Outcome};
use crate::memory;
use crate::numbers::show_count;

/// A kind of rows that can be made.
pub trait Kind<const N: usize>: Copy {
    /// What the rows are, and the option for their file.
    const WHAT: &'static str;

    /// Its name.
    fn name(self) -> &'static str;

    /// So many rows.
    fn make<T: Key>(self, n: usize, seed: u64) -> Vec<[T; N]>;
}

/// What to make where there is no file.
#[derive(Clone, Copy, Debug)]
pub struct Recipe<K> {
    /// The kind.
    pub kind: K,
    /// How many rows.
    pub n: usize,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Type of the coordinates.
    pub dtype: DType,
}

/// Rows that are ready to be looked at with their type.
pub struct Rows<K, const N: usize> {
    /// Type of a coordinate.
    pub dtype: DType,
    /// How many rows.
    pub len: usize,
    source: Source<K>,
}

enum Source<K> {
    File(Loaded),
    Generated(Recipe<K>),
}

impl<K: Kind<N>, const N: usize> Rows<K, N> {
    /// Opens the file and checks that it holds such rows, or notes what to make. `dtype` is what the option says.
    pub fn open(path: Option<&Path>, dtype: Option<DType>, recipe: Recipe<K>) -> Outcome<Self> {
        let Some(path) = path else {
            let dtype = dtype.unwrap_or(recipe.dtype);
            return Ok(Self { dtype, len: recipe.n, source: Source::Generated(recipe) });
        };
        let file = Loaded::open(path, dtype, N)?;
        let len = count(&file, N, K::WHAT)?;
        let found = file.layout.dtype;
        match dtype {
            Some(wanted) if wanted != found => {
                Err(file.failure(format_args!("the file holds {found}, but --dtype says {wanted}")))
            }
            _ => Ok(Self { dtype: found, len, source: Source::File(file) }),
        }
    }

    /// The rows: in place, converted, or made now. `T` must be their type.
    pub fn get<T: Element>(&self) -> Outcome<Cow<'_, [[T; N]]>> {
        match &self.source {
            Source::File(file) => rows(file),
            Source::Generated(recipe) => generate(recipe.kind, recipe.n, recipe.seed).map(Cow::Owned),
        }
    }

    /// The file's name, or the kind that is made.
    pub fn origin(&self) -> String {
        match &self.source {
            Source::File(file) => file.name.clone(),
            Source::Generated(recipe) => format!("{}, seed {}", recipe.kind.name(), recipe.seed),
        }
    }

    /// What they are and how they were taken, for `--verbose`. `in_place`: used where they lie.
    pub fn describe(&self, in_place: bool) -> String {
        match &self.source {
            Source::File(file) => file.describe(in_place),
            Source::Generated(_) => {
                format!("no --{}, so {} of {} are generated", K::WHAT, show_count(self.len), self.dtype)
            }
        }
    }

    /// Puts the file's name in front of what the library says of the rows.
    pub fn failure(&self, error: thalweg::Error) -> Failure {
        match (&self.source, error) {
            (Source::File(file), thalweg::Error::NotFinite { row, number, .. }) => {
                file.failure(format_args!("{}: a coordinate is {number}", file.place(row)))
            }
            (Source::File(file), thalweg::Error::Segment { row, reason }) => {
                file.failure(format_args!("{}: {reason}", file.place(row)))
            }
            (_, error) => error.into(),
        }
    }
}

/// Rows of a kind.
pub fn generate<T: Element, K: Kind<N>, const N: usize>(kind: K, n: usize, seed: u64) -> Outcome<Vec<[T; N]>> {
    memory::require(n.saturating_mul(N * size_of::<T>()), &format!("the {}", K::WHAT))?;
    Ok(kind.make(n, seed))
}

/// How many rows of `columns` elements a file has; `what` they are is for the complaint if it has another shape.
pub fn count(file: &Loaded, columns: usize, what: &str) -> Outcome<usize> {
    match file.layout.shape[..] {
        [rows, found] if found == columns => Ok(rows),
        ref shape => Err(file.failure(format_args!("{what} have shape {}, expected (n, {columns})", Shape(shape)))),
    }
}

/// The rows that a file holds: in place, or converted in parallel. `T` must be the file's type, and `N` its columns.
pub fn rows<T: Element, const N: usize>(file: &Loaded) -> Outcome<Cow<'_, [[T; N]]>> {
    assert_eq!((T::DTYPE, Some(&N)), (file.layout.dtype, file.layout.shape.get(1)), "the caller has asked");
    if !file.layout.fortran
        && let Some(numbers) = file.in_place::<T>()
    {
        file.fetch_all();
        return Ok(Cow::Borrowed(numbers.as_chunks().0));
    }
    let len = file.layout.shape[0];
    let mut out = memory::filled(len, [T::default(); N], &file.name)?;
    parallel::for_each_chunk_mut(&mut out, GRAIN, &|start, out| {
        for (i, out) in (start..).zip(out) {
            let place = |column| if file.layout.fortran { column * len + i } else { N * i + column };
            *out = std::array::from_fn(|column| file.element(place(column)));
        }
    });
    Ok(Cow::Owned(out))
}
