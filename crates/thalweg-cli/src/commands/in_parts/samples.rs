//! Answers that are checked, noted as they come by: those of an array that is larger than memory are nowhere at the end.

use std::ops::Range;

use crate::commands::verify::{VerifyArgs, place};

/// Rows that are evenly spaced over all, and what was found for those that have come by.
pub struct Samples<A> {
    rows: usize,
    count: usize,
    found: Vec<(usize, A)>,
}

impl<A> Samples<A> {
    /// As many as are to be checked.
    pub fn new(verify: &VerifyArgs, rows: usize) -> Self {
        Self { rows, count: verify.wanted(rows), found: Vec::new() }
    }

    /// Notes those of a range of rows, which follows on those before.
    pub fn note(&mut self, rows: Range<usize>, mut answer: impl FnMut(usize) -> A) {
        while self.found.len() < self.count {
            let row = place(self.found.len(), self.count, self.rows);
            if row >= rows.end {
                break;
            }
            self.found.push((row, answer(row)));
        }
    }

    /// The rows and their answers, in order.
    pub fn found(&self) -> &[(usize, A)] {
        &self.found
    }
}
