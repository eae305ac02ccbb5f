//! String matching without an index.

use pyo3::prelude::*;
use thalweg::text::search::{Builder, Engine};

use crate::array::{Copy, Lent};
use crate::device::{device, engine};
use crate::out;
use crate::work::{Threads, call};

/// What both functions are asked.
fn asked(
    py: Python<'_>,
    text: &Bound<'_, PyAny>,
    pattern: &Bound<'_, PyAny>,
    engine: Option<&str>,
    device: &str,
) -> PyResult<(Lent, Lent, Builder)> {
    let text = Lent::bytes("text", text, Copy::IfNeeded)?;
    let pattern = Lent::bytes("pattern", pattern, Copy::IfNeeded)?;
    let engine: Option<Engine> = self::engine(engine)?;
    Ok((text, pattern, Builder::new().engine(engine).device(self::device(py, device)?)))
}

/// All places where a pattern begins in a text, from left to right; overlapping ones, too. O(n + m), on all threads.
///
/// For many patterns in one text, `SuffixArray` is faster.
///
/// Args:
///     text: bytes, any buffer (bytearray, mmap, memoryview), or an array of uint8.
///     pattern: Likewise. An empty one is everywhere, also behind the end.
///     engine: How: "blocks" (the default), "duel", "boyer_moore", "kmp" or "naive".
///     device: "auto", "cpu", "gpu", or a name of `thalweg.devices()`.
///
/// Returns:
///     An array of int32, or int64 for texts of 2^31 bytes and more.
///
/// >>> import thalweg
/// >>> thalweg.find_all(b"banana", b"ana")
/// array([1, 3], dtype=int32)
#[pyfunction]
#[pyo3(signature = (text, pattern, *, engine=None, device="auto"))]
pub fn find_all<'py>(
    py: Python<'py>,
    text: &Bound<'py, PyAny>,
    pattern: &Bound<'py, PyAny>,
    engine: Option<&str>,
    device: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let (text, pattern, builder) = asked(py, text, pattern, engine, device)?;
    let len = text.len;
    let find = move || builder.find_all(text.slice(), pattern.slice());
    out::positions_below(py, call(py, Threads::All, move |_| Ok(find()?.into_inner()))?, len)
}

/// How often a pattern occurs in a text, overlapping occurrences counted (unlike bytes.count).
///
/// Args:
///     text: As for `find_all`, and so are the others.
///
/// >>> import thalweg
/// >>> thalweg.count(b"banana", b"ana"), b"banana".count(b"ana")
/// (2, 1)
#[pyfunction]
#[pyo3(signature = (text, pattern, *, engine=None, device="auto"))]
pub fn count(
    py: Python<'_>,
    text: &Bound<'_, PyAny>,
    pattern: &Bound<'_, PyAny>,
    engine: Option<&str>,
    device: &str,
) -> PyResult<usize> {
    let (text, pattern, builder) = asked(py, text, pattern, engine, device)?;
    call(py, Threads::All, move |_| Ok(builder.count(text.slice(), pattern.slice())?.into_inner()))
}
