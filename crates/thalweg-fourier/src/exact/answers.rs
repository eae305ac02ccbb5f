//! From residues to answers.
#![allow(unsafe_code)]

use std::ops::Range;

use thalweg_core::disjoint::Disjoint;
use thalweg_core::dispatch;
use thalweg_core::parallel::{chunk_range, for_each_chunk};
use thalweg_core::simd::{Level, level};

use super::bits::I192;
use super::bound::Bound;
use super::garner::Garner;
use super::plan::{Block, Plan};
use super::residues::CHUNK;
use super::sink::Sink;
use super::window::Problem;

/// Makes answers of residues, and puts them to their places.
pub(super) struct Answers<'a> {
    garner: Garner,
    /// Whether every answer fits `i64`.
    is_short: bool,
    /// From row to row in flat answers, and how many of a row are told.
    pitch: usize,
    columns: usize,
    level: Level,
    sink: &'a dyn Sink,
}

impl<'a> Answers<'a> {
    pub fn new(plan: Plan, problem: &Problem<'_>, garner: &Garner, bound: &Bound, sink: &'a dyn Sink) -> Self {
        let (garner, is_short) = (garner.clone(), bound.fits_i64());
        Self { garner, is_short, pitch: plan.pitch, columns: problem.places[1].len, level: level(), sink }
    }

    /// Makes the answers of a block from their residues, for every prime as many; they are lost.
    ///
    /// # Safety
    /// Nobody puts answers to the same places at the same time.
    pub unsafe fn put(&self, block: &Block, residues: &mut [&mut [u32]], on_all_threads: bool) {
        let residues: Vec<Disjoint<'_, u32>> = residues.iter_mut().map(|values| Disjoint::new(values)).collect();
        assert!(residues.iter().all(|values| values.len() == block.count));
        in_chunks(block.count, on_all_threads, &|range| {
            // SAFETY: inside; chunks do not overlap.
            let mut residues: Vec<&mut [u32]> =
                residues.iter().map(|values| unsafe { values.slice_mut(range.clone()) }).collect();
            self.garner.digits(self.level, &mut residues);
            let first = block.first + range.start;
            if self.is_short {
                let mut numbers = [0; CHUNK];
                low_bits(&self.garner, &residues, &mut numbers[..range.len()]);
                // SAFETY: places of a row, each of which is in one chunk of one block.
                self.rows(first, range.len(), |at, place| unsafe { self.sink.put_i64(at, &numbers[place]) });
            } else if residues.len() <= 4 {
                let number = |at: usize| self.garner.middle(|i| residues[i][at]);
                let numbers: Vec<i128> = (0..range.len()).map(number).collect();
                // SAFETY: as above.
                self.rows(first, range.len(), |at, place| unsafe { self.sink.put_i128(at, &numbers[place]) });
            } else {
                let number = |at: usize| self.garner.whole(|i| residues[i][at]);
                let numbers: Vec<I192> = (0..range.len()).map(number).collect();
                // SAFETY: as above.
                self.rows(first, range.len(), |at, place| unsafe { self.sink.put_i192(at, &numbers[place]) });
            }
        });
    }

    /// The parts of flat answers that are told: where each begins in the result, and where it is among them.
    fn rows(&self, first: usize, count: usize, put: impl Fn(usize, Range<usize>)) {
        let (pitch, columns) = (self.pitch, self.columns);
        let mut done = 0;
        while done < count {
            let (row, column) = ((first + done) / pitch, (first + done) % pitch);
            if column < columns {
                let part = (columns - column).min(count - done);
                put(row * columns + column, done..done + part);
            }
            done += pitch - column;
        }
    }
}

/// Runs work for ranges of at most [`CHUNK`] elements.
pub(super) fn in_chunks(len: usize, on_all_threads: bool, work: &(dyn Fn(Range<usize>) + Sync)) {
    if on_all_threads {
        // Some chunks a task: a task is to take longer than its start.
        for_each_chunk(len.div_ceil(CHUNK), 8, &|chunks| chunks.for_each(|chunk| work(chunk_range(chunk, CHUNK, len))));
    } else {
        (0..len.div_ceil(CHUNK)).for_each(|chunk| work(chunk_range(chunk, CHUNK, len)));
    }
}

dispatch! {
    /// Horner's rule modulo 2^64 for a chunk, digit by digit.
    fn low_bits<>(garner: &Garner, digits: &[&mut [u32]], out: &mut [i64]) = low_bits_body;
}

#[inline(always)]
fn low_bits_body(garner: &Garner, digits: &[&mut [u32]], out: &mut [i64]) {
    out.fill(0);
    for (prime, digits) in garner.primes().iter().zip(digits).rev() {
        for (out, &digit) in out.iter_mut().zip(digits.iter()) {
            *out = out.wrapping_mul(prime.p.into()).wrapping_add(digit.into());
        }
    }
    let offset = garner.offset().parts().0 as i64;
    out.iter_mut().for_each(|out| *out = out.wrapping_sub(offset));
}
