//! Checking answers that follow from another one: a total from the one before it, a rank from the next element's, a depth from the
//! parent's. That costs a step an answer, so all are checked unless a number is given; and if all follow, all are right.

use bytemuck::Pod;
use rayon::prelude::*;
use thalweg_cli::failure::Outcome;
use thalweg_cli::numbers::parse_count;
use thalweg_cli::verify::{check_rows, place};
use thalweg_core::Result;
use thalweg_core::error::expect_len;
use thalweg_parts::Ranks;
use thalweg_parts::ranks::{exchange_items, owner_of};

use crate::world::World;

/// How much to check
#[derive(clap::Args)]
pub struct CheckArgs {
    /// Check N answers of every rank, evenly spaced, against those that they follow from (default: all)
    #[arg(long, value_name = "N", value_parser = parse_count)]
    verify: Option<usize>,

    /// Check no answers
    #[arg(long, conflicts_with = "verify")]
    no_verify: bool,
}

impl CheckArgs {
    pub fn is_off(&self) -> bool {
        self.no_verify
    }

    /// Which of a rank's `rows` answers are checked.
    pub fn sample(&self, rows: usize) -> Sample {
        Sample { count: if self.no_verify { 0 } else { self.verify.unwrap_or(rows).min(rows) }, rows }
    }
}

/// Rows that are checked: the last of each of so many equal ranges of all rows.
#[derive(Clone, Copy)]
pub struct Sample {
    pub count: usize,
    rows: usize,
}

impl Sample {
    /// The rows of range `k`, of which the last is checked.
    pub fn range(self, k: usize) -> std::ops::Range<usize> {
        place(k, self.count, self.rows)..place(k + 1, self.count, self.rows)
    }

    /// The row that is checked for range `k`.
    pub fn row(self, k: usize) -> usize {
        self.range(k).end - 1
    }

    pub fn is_all(self) -> bool {
        self.count == self.rows
    }

    /// Checks all ranges, in parallel: `check` tells what is wrong with one. The first fails.
    pub fn check(self, check: &(dyn Fn(usize) -> Option<String> + Sync)) -> Outcome<usize> {
        check_rows(self.count, self.count, check)
    }
}

/// Questions that are asked at once.
const BATCH: usize = 1 << 20;

/// Checks the rows of a sample of every rank with what the owners of other rows, of `len` in all, tell of these. `question` is the row
/// that a row of this rank is checked with, if there is one; `answer` what a row of this rank has to tell; `check` says what is wrong with a row,
/// given what was told. All ranks take part.
pub fn ask<T: Pod + Sync>(
    world: &World,
    len: usize,
    sample: Sample,
    question: &dyn Fn(usize) -> Option<usize>,
    answer: &mut dyn FnMut(usize) -> T,
    check: &(dyn Fn(usize, Option<T>) -> Option<String> + Sync),
) -> Result<Option<String>> {
    let (size, first) = (world.size(), world.part(len).start);
    let mut wrong = None;
    // No rank has more.
    for batch in 0..len.div_ceil(size).div_ceil(BATCH) {
        let rows = || (batch * BATCH..sample.count.min((batch + 1) * BATCH)).map(|k| sample.row(k));
        let mut out = vec![Vec::new(); size];
        for asked in rows().filter_map(question) {
            out[owner_of(len, asked, size)].push(asked as u64);
        }
        let mut told = Vec::with_capacity(size);
        for asked in exchange_items(world, &out)? {
            told.push(asked.into_iter().map(|row| answer(row as usize - first)).collect::<Vec<T>>());
        }
        let told = exchange_items(world, &told)?;
        for (asked, told) in out.iter().zip(&told) {
            expect_len("answers of other ranks", told.len(), asked.len())?;
        }
        let mut told: Vec<_> = told.into_iter().map(Vec::into_iter).collect();
        let pairs: Vec<(usize, Option<T>)> =
            rows().map(|row| (row, question(row).and_then(|asked| told[owner_of(len, asked, size)].next()))).collect();
        // All ranks go on asking.
        wrong = wrong.or_else(|| pairs.par_iter().find_map_first(|&(row, told)| check(row, told)));
    }
    Ok(wrong)
}
