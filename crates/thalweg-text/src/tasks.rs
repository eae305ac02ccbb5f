//! Tasks that may fail, on all threads. See [`thalweg_core::parallel`] for why the work is behind a pointer.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use thalweg_core::Result;
use thalweg_core::parallel::try_for_each_chunk;

/// Runs `work` for the ranges of `0..len`, each of `chunk` positions but the last, until it fails. Of several errors, that
/// of the leftmost range that was tried.
pub(crate) fn try_tasks(len: usize, chunk: usize, work: &(dyn Fn(Range<usize>) -> Result<()> + Sync)) -> Result<()> {
    let failure = Mutex::new(None);
    let done = try_for_each_chunk(len, chunk, &|range| {
        let start = range.start;
        let Err(error) = work(range) else { return true };
        let mut failure = failure.lock().unwrap_or_else(PoisonError::into_inner);
        if failure.as_ref().is_none_or(|&(first, _)| start < first) {
            *failure = Some((start, error));
        }
        false
    });
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((_, error)) if !done => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_core::Error;

    #[test]
    fn the_error_comes_out() {
        let error = |len| Error::Length { what: "a test", expected: 0, got: len };
        for len in [0, 1, 10, 11, 1000] {
            assert_eq!(try_tasks(len, 10, &|_| Ok(())), Ok(()));
            for bad in (0..len).step_by(7) {
                let work = |range: Range<usize>| if range.contains(&bad) { Err(error(bad)) } else { Ok(()) };
                assert_eq!(try_tasks(len, 10, &work), Err(error(bad)));
            }
        }
    }
}
