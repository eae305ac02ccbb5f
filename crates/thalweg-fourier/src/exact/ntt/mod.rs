//! The engine `ntt`: number-theoretic transforms modulo as many primes as the answer needs.
//!
//! Residues modulo every prime are convolved by transforms over the integers modulo the prime (Pollard 1971), in which
//! nothing is rounded; the Chinese remainder theorem makes the answer of them. Work O(N log N) for every prime, extra memory
//! 4 bytes times the transforms' length for every prime, and once more for the kernel.
//!
//! Forward passes go from the whole to parts, passes back from parts to the whole, so nothing is put into the order of
//! reversed bits. Where the kernel is short the array is cut into blocks, and every thread takes blocks; where one
//! transform is all there is, threads share its rows and columns.
#![allow(unsafe_code)]

mod passes;
mod tables;
mod transform;

use std::sync::Mutex;

use rayon::current_num_threads;
use thalweg_core::disjoint::Disjoint;
use thalweg_core::dispatch;
use thalweg_core::memory::large_zeroed;
use thalweg_core::parallel::{chunk_range, for_each_chunk, try_for_each_chunk};
use thalweg_core::simd::{Level, level};

use self::passes::{multiply_add, scaled};
use self::tables::Tables;
use self::transform::{Other, Run};
use super::bits::I192;
use super::bound::Bound;
use super::garner::Garner;
use super::plan::{Block, Plan};
use super::residues::{CHUNK, Staged};
use super::sink::Sink;
use super::window::{Problem, Window};
use crate::Result;

/// What all blocks need.
struct Work<'a> {
    problem: &'a Problem<'a>,
    plan: Plan,
    garner: Garner,
    /// Whether every answer fits `i64`.
    is_short: bool,
    tables: Vec<Tables>,
    level: Level,
    sink: &'a dyn Sink,
}

/// Puts the convolution into the sink; transforms have at most 2^`max_log` elements.
pub(super) fn convolve(problem: &Problem<'_>, bound: &Bound, max_log: u32, sink: &dyn Sink) -> Result<()> {
    let plan = Plan::new(problem, max_log)?;
    let (garner, level) = (Garner::new(bound), level());
    let tables =
        garner.primes().iter().map(|prime| Tables::new(level, prime, plan.log)).collect::<Result<Vec<Tables>>>()?;
    let work = Work { problem, plan, garner, is_short: bound.fits_i64(), tables, level, sink };
    if plan.is_at_once() { work.at_once() } else { work.in_blocks() }
}

impl Work<'_> {
    fn run(&self, prime: usize, on_all_threads: bool) -> Run<'_> {
        Run { tables: &self.tables[prime], level: self.level, on_all_threads }
    }

    fn primes(&self) -> usize {
        self.tables.len()
    }

    /// Buffers for the residues of every prime.
    fn buffers(&self) -> Result<Vec<Vec<u32>>> {
        (0..self.primes()).map(|_| large_zeroed(self.plan.transform_len(), "residues")).collect()
    }

    /// The residues, for some primes, of as many elements of a flat window as the buffers have, from a position on; zeros from
    /// `len` on.
    fn residues(
        &self,
        window: &Window<'_>,
        from: isize,
        len: usize,
        primes: &[usize],
        out: &mut [&mut [u32]],
        on_all_threads: bool,
    ) {
        let whole = out[0].len();
        let last = window.flat_len(self.plan.pitch) as isize;
        let out: Vec<Disjoint<'_, u32>> = out.iter_mut().map(|out| Disjoint::new(out)).collect();
        in_chunks(whole, on_all_threads, &|range| {
            let start = from + range.start as isize;
            let count = range.len().min(len.saturating_sub(range.start));
            let is_zero = start >= last || start + count as isize <= 0;
            let count = if is_zero { 0 } else { count };
            let mut staged = Staged::new();
            if count > 0 {
                staged.load(window, self.plan.pitch, start, count);
            }
            for (&prime, out) in primes.iter().zip(&out) {
                // SAFETY: inside; chunks do not overlap.
                let out = unsafe { out.slice_mut(range.clone()) };
                staged.residues(self.level, &window.values, &self.tables[prime].prime, &mut out[..count]);
                out[count..].fill(0);
            }
        });
    }

    /// One transform of everything.
    fn at_once(&self) -> Result<()> {
        let Plan { kernel_len, .. } = self.plan;
        let block = self.plan.block(0);
        let all: Vec<usize> = (0..self.primes()).collect();
        let mut values = self.buffers()?;
        let mut kernel = large_zeroed(self.plan.transform_len(), "residues")?;
        let mut slices: Vec<&mut [u32]> = values.iter_mut().map(|values| &mut values[..]).collect();
        self.residues(&self.problem.array, block.array_from, usize::MAX, &all, &mut slices, true);
        for (prime, values) in slices.iter_mut().enumerate() {
            self.residues(&self.problem.kernel, 0, kernel_len, &[prime], &mut [&mut kernel], true);
            self.run(prime, true).convolve(values, Other::Plain(&mut kernel));
        }
        self.emit(&block, &mut values, true);
        Ok(())
    }

    /// Block by block; the kernel's transforms are made once.
    fn in_blocks(&self) -> Result<()> {
        let spectra = (0..self.plan.pieces()).map(|piece| self.spectra(piece)).collect::<Result<Vec<_>>>()?;
        let (blocks, threads) = (self.plan.blocks(), current_num_threads());
        let shared = blocks < 2 * threads;
        let failure = Mutex::new(None);
        let all_done = {
            let work = |range: std::ops::Range<usize>| {
                let done = self.some_blocks(range, &spectra, shared);
                let is_done = done.is_ok();
                if let Err(error) = done {
                    failure.lock().expect("nobody panics with it").get_or_insert(error);
                }
                is_done
            };
            if shared { work(0..blocks) } else { try_for_each_chunk(blocks, blocks.div_ceil(8 * threads), &work) }
        };
        match failure.into_inner().expect("as above") {
            Some(error) => Err(error),
            None => {
                debug_assert!(all_done);
                Ok(())
            }
        }
    }

    /// The transforms of a piece of the kernel.
    fn spectra(&self, piece: usize) -> Result<Vec<Vec<u32>>> {
        let Plan { piece: len, kernel_len, .. } = self.plan;
        let range = chunk_range(piece, len, kernel_len);
        let mut spectra = self.buffers()?;
        let all: Vec<usize> = (0..self.primes()).collect();
        let mut slices: Vec<&mut [u32]> = spectra.iter_mut().map(|values| &mut values[..]).collect();
        self.residues(&self.problem.kernel, range.start as isize, range.len(), &all, &mut slices, true);
        for (prime, values) in slices.iter_mut().enumerate() {
            self.run(prime, true).forward(values);
        }
        Ok(spectra)
    }

    fn some_blocks(
        &self,
        blocks: std::ops::Range<usize>,
        spectra: &[Vec<Vec<u32>>],
        on_all_threads: bool,
    ) -> Result<()> {
        let mut values = self.buffers()?;
        let mut sums = if spectra.len() > 1 { self.buffers()? } else { vec![] };
        for index in blocks {
            let block = self.plan.block(index);
            if let [spectra] = spectra {
                self.array_residues(&block, 0, &mut values, on_all_threads);
                for (prime, values) in values.iter_mut().enumerate() {
                    self.run(prime, on_all_threads).convolve(values, Other::Transformed(&spectra[prime]));
                }
                self.emit(&block, &mut values, on_all_threads);
                continue;
            }
            for sums in &mut sums {
                sums.fill(0);
            }
            for (piece, spectra) in spectra.iter().enumerate() {
                self.array_residues(&block, piece, &mut values, on_all_threads);
                for prime in 0..self.primes() {
                    self.run(prime, on_all_threads).forward(&mut values[prime]);
                    self.add_products(prime, &mut sums[prime], &values[prime], &spectra[prime], on_all_threads);
                }
            }
            for (prime, sums) in sums.iter_mut().enumerate() {
                let run = self.run(prime, on_all_threads);
                self.scale(prime, sums, run.scale(self.plan.transform_len()), on_all_threads);
                run.inverse(sums);
            }
            self.emit(&block, &mut sums, on_all_threads);
        }
        Ok(())
    }

    /// The residues with which a block and a piece of the kernel meet.
    fn array_residues(&self, block: &Block, piece: usize, values: &mut [Vec<u32>], on_all_threads: bool) {
        let all: Vec<usize> = (0..self.primes()).collect();
        let mut slices: Vec<&mut [u32]> = values.iter_mut().map(|values| &mut values[..]).collect();
        let from = block.array_from - (piece * self.plan.piece) as isize;
        self.residues(&self.problem.array, from, usize::MAX, &all, &mut slices, on_all_threads);
    }

    fn add_products(&self, prime: usize, sums: &mut [u32], values: &[u32], spectrum: &[u32], on_all_threads: bool) {
        let sums = Disjoint::new(sums);
        in_chunks(values.len(), on_all_threads, &|range| {
            // SAFETY: inside; chunks do not overlap.
            let sums = unsafe { sums.slice_mut(range.clone()) };
            multiply_add(self.level, sums, &values[range.clone()], &spectrum[range], &self.tables[prime].prime);
        });
    }

    fn scale(&self, prime: usize, values: &mut [u32], factor: u32, on_all_threads: bool) {
        let all = Disjoint::new(values);
        in_chunks(all.len(), on_all_threads, &|range| {
            // SAFETY: as above.
            let values = unsafe { all.slice_mut(range) };
            let mut copy = [0; CHUNK];
            let copy = &mut copy[..values.len()];
            copy.copy_from_slice(values);
            scaled(self.level, copy, factor, &self.tables[prime].prime, values);
        });
    }

    /// Makes the answers of a block from its residues, which are lost.
    fn emit(&self, block: &Block, residues: &mut [Vec<u32>], on_all_threads: bool) {
        let residues: Vec<Disjoint<'_, u32>> = residues.iter_mut().map(|values| Disjoint::new(values)).collect();
        in_chunks(block.count, on_all_threads, &|range| {
            let place = block.offset + range.start..block.offset + range.end;
            // SAFETY: inside; chunks do not overlap.
            let mut residues: Vec<&mut [u32]> =
                residues.iter().map(|values| unsafe { values.slice_mut(place.clone()) }).collect();
            self.garner.digits(self.level, &mut residues);
            let first = block.first + range.start;
            if self.is_short {
                let mut numbers = [0; CHUNK];
                low_bits(&self.garner, &residues, &mut numbers[..range.len()]);
                // SAFETY: places of a row, each of which is in one chunk of one block.
                self.rows(first, range.len(), |at, place| unsafe { self.sink.put_i64(at, &numbers[place]) });
            } else if self.primes() <= 4 {
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
    fn rows(&self, first: usize, count: usize, put: impl Fn(usize, std::ops::Range<usize>)) {
        let (pitch, columns) = (self.plan.pitch, self.problem.places[1].len);
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
fn in_chunks(len: usize, on_all_threads: bool, work: &(dyn Fn(std::ops::Range<usize>) + Sync)) {
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
