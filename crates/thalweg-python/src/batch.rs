//! The way of a batch of queries: on the pool, into a new array or the caller's.

use pyo3::prelude::*;
use thalweg::{Error, Result};

use crate::array::Lent;
use crate::errors::bad_input;
use crate::out::{Buffer, dtype};
use crate::work::{Stop, Threads, call, call_to_the_end};

/// A batch whose answers have a place.
pub struct Batch {
    answers: Buffer,
    /// Whether that place is the caller's, who must not find it written to after the call.
    is_given: bool,
}

impl Batch {
    /// Answers of a dtype, into a new array or into `out`, which must not share memory with what is `read`.
    pub fn new<'a>(
        py: Python<'_>,
        shape: &[usize],
        dtype: &Bound<'_, PyAny>,
        out: Option<&Bound<'_, PyAny>>,
        read: impl IntoIterator<Item = &'a Lent>,
    ) -> PyResult<Self> {
        let Some(out) = out else { return Ok(Self { answers: Buffer::new(py, shape, dtype)?, is_given: false }) };
        let mut answers = Buffer::given(out, shape, dtype)?;
        if read.into_iter().any(|array| answers.overlaps(array)) {
            return Err(bad_input("out: the array shares memory with one that is read"));
        }
        Ok(Self { answers, is_given: true })
    }

    /// Answers that are positions, of 64 bits or 32.
    pub fn of_positions<'a>(
        py: Python<'_>,
        shape: &[usize],
        wide: bool,
        out: Option<&Bound<'_, PyAny>>,
        read: impl IntoIterator<Item = &'a Lent>,
    ) -> PyResult<Self> {
        Self::new(py, shape, &dtype(py, if wide { "int64" } else { "int32" })?, out, read)
    }

    /// Runs it. `raise` makes exceptions of the library's errors.
    pub fn run<'py>(
        self,
        py: Python<'py>,
        raise: fn(Error) -> PyErr,
        work: impl FnOnce(&mut Buffer, &Stop) -> Result<()> + Send + 'static,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Self { mut answers, is_given } = self;
        let work = move |stop: &Stop| {
            let done = work(&mut answers, stop);
            Ok(done.map(|()| answers))
        };
        let done = if is_given { call_to_the_end(py, work)? } else { call(py, Threads::All, work)? };
        Ok(done.map_err(raise)?.into_array(py))
    }
}
