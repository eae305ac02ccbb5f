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
mod scale;
mod tables;
mod transform;

use std::sync::Mutex;

use rayon::current_num_threads;
use thalweg_core::disjoint::Disjoint;
use thalweg_core::memory::large_zeroed;
use thalweg_core::parallel::{chunk_range, try_for_each_chunk};
use thalweg_core::simd::{Level, level};

use self::passes::multiply_add;
use self::scale::scaled;
use self::tables::Tables;
use self::transform::{Other, Run};
use super::answers::{Answers, in_chunks};
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
    answers: Answers<'a>,
    tables: Vec<Tables>,
    level: Level,
}

/// Puts the convolution into the sink; transforms have at most 2^`max_log` elements.
pub(super) fn convolve(problem: &Problem<'_>, bound: &Bound, max_log: u32, sink: &dyn Sink) -> Result<()> {
    let plan = Plan::new(problem, max_log)?;
    let (garner, level) = (Garner::new(bound), level());
    let answers = Answers::new(plan, problem, &garner, bound, sink);
    let tables =
        garner.primes().iter().map(|prime| Tables::new(level, prime, plan.log)).collect::<Result<Vec<Tables>>>()?;
    let work = Work { problem, plan, answers, tables, level };
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
        self.put(&block, &mut values, true);
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
                self.put(&block, &mut values, on_all_threads);
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
            self.put(&block, &mut sums, on_all_threads);
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
    fn put(&self, block: &Block, residues: &mut [Vec<u32>], on_all_threads: bool) {
        let place = block.offset..block.offset + block.count;
        let mut residues: Vec<&mut [u32]> = residues.iter_mut().map(|values| &mut values[place.clone()]).collect();
        // SAFETY: every block has places of its own.
        unsafe { self.answers.put(block, &mut residues, on_all_threads) };
    }
}
