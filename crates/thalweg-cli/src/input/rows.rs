//! Rows of coordinates: points of shape (n, 2), segments of shape (n, 4).

use std::borrow::Cow;

use thalweg_core::parallel;

use super::npy::Shape;
use super::{GRAIN, Loaded};
use crate::dtype::Element;
use crate::failure::Outcome;
use crate::memory;

/// How many rows of `columns` coordinates a file has; `what` they are is for the complaint if it has another shape.
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
