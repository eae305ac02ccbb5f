//! `thalweg ansv --memory`: parts are solved, and what is open between them is matched, while the part before is written.

use std::ops::Range;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use thalweg::Coding;
use thalweg::ansv::in_parts::{Solved, Walk, solve};
use thalweg::ansv::{AnsvEngine, Engine, Relation, engine};
use thalweg_cli::budget::Budget;
use thalweg_cli::dtype::Element;
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::Loaded;
use thalweg_cli::output::Output;
use thalweg_cli::progress::Progress;
use thalweg_core::bits::Bits;

use super::Run;
use super::samples::Samples;
use crate::commands::verify::{Verified, VerifyArgs};

/// No part is longer: a longer one gains nothing, and is ready later for who writes it.
const LONGEST: usize = 1 << 22;
/// A shorter one would not be worth its trouble.
const LEAST: usize = 1 << 16;
/// Bytes of other parts that a thread holds at most.
const SEARCHED: usize = 4 << 16;

/// What is to be solved, but for the keys' type.
pub struct Job<'j> {
    pub run: &'j Run,
    pub budget: Budget,
    pub relation: Relation,
    /// Left and right.
    pub wanted: [bool; 2],
    pub verify: &'j VerifyArgs,
}

/// Where the answers go: both, the left ones, the right ones.
pub struct Outputs(pub [Option<Output>; 3]);

/// What came out.
pub struct Done {
    pub time: Duration,
    pub verified: Verified,
    pub extra_bytes: usize,
    pub outputs: Outputs,
    /// The first few answers.
    pub first: Vec<Pair>,
}

/// The neighbours of an element.
pub type Pair = [Option<usize>; 2];

impl Job<'_> {
    /// Elements of a part.
    fn cut(&self, len: usize, width: usize, engine: &dyn AnsvEngine) -> Outcome<usize> {
        let sides = self.wanted.iter().filter(|&&wanted| wanted).count();
        let kept = Walk::bytes_kept(len, width) + self.run.threads * SEARCHED;
        self.budget.require(kept + LEAST * width, "what is kept of the array")?;
        let left = self.budget.left - kept;
        // The part itself, mapped, and the answers that are being written beside the others.
        let each = width + Walk::bytes_each(sides) + 8 * sides;
        let mut part = (left / each).clamp(1, LONGEST).min(len.max(1));
        while part * each + engine.extra_bytes(part, width) > left && part > 1 {
            part -= part.div_ceil(16);
        }
        Ok(part)
    }

    /// Solves, writes and checks; the outputs are complete, but have not appeared.
    pub fn solve<T: Element>(&self, array: &[T], file: &Loaded, mut outputs: Outputs) -> Outcome<Done> {
        let engine = engine(Engine::Tiles)?;
        let part = self.cut(array.len(), size_of::<T>(), &*engine)?;
        self.run.say_parts(&self.budget, part, "element");
        let coding = Coding::of::<T>(self.relation.order());
        outputs.begin(array.len())?;
        let columns = outputs.columns();
        self.run.progress.steps("answering", array.len() * columns);
        let start = Instant::now();
        let walk = Walk { part, soon: &|range| file.expect(range), done: &|range| file.release(range) };
        let mut samples = Samples::new(self.verify, array.len());
        let mut first = Vec::new();
        let outputs = thread::scope(|scope| {
            // One part waits while another is written; buffers go round.
            let (to_write, written) = (sync_channel::<(usize, Solved)>(0), sync_channel::<Solved>(2));
            let ((send, receive), (give_back, take_back)) = (to_write, written);
            let progress = &self.run.progress;
            let writer = scope.spawn(move || outputs.write_all(&receive, &give_back, progress));
            let each = &mut |range: Range<usize>, solved: &mut Solved| {
                let at = |list: &[u64], i: usize| {
                    list.get(i - range.start).filter(|&&found| found != u64::MAX).map(|&found| found as usize)
                };
                samples.note(range.clone(), |i| [at(&solved.left, i), at(&solved.right, i)]);
                let more = crate::commands::report::SHOWN.saturating_sub(first.len());
                first.extend(range.clone().take(more).map(|i| [at(&solved.left, i), at(&solved.right, i)]));
                // A writer that has gone has failed, and says why.
                send.send((range.len(), std::mem::take(solved))).map_err(|_| Failure::new("writing has ended"))?;
                *solved = take_back.try_recv().unwrap_or_default();
                Ok::<(), Failure>(())
            };
            let bits = Bits::of(array);
            let solved = solve(bits, coding, self.relation.is_strict(), walk, self.wanted, each);
            drop(send);
            let outputs = writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            solved.map(|()| outputs)
        })?;
        let time = start.elapsed();
        let read = size_of_val(array) * if self.wanted[1] { 2 } else { 1 };
        self.run.say_moved(&self.budget, read as u64 + (8 * columns * array.len()) as u64, time);

        self.run.progress.stage("checking");
        let verified = self.check(array, file, &samples)?;
        let extra_bytes = part * Walk::bytes_each(2) + engine.extra_bytes(part, size_of::<T>());
        Ok(Done { time, verified, extra_bytes, outputs, first })
    }

    /// Compares a sample of the answers with a plain scan of the file.
    fn check<T: Element>(&self, array: &[T], file: &Loaded, samples: &Samples<Pair>) -> Outcome<Verified> {
        let found = samples.found();
        let distance = |i: usize, side: usize, found: Option<usize>| match (side, found) {
            (_, Some(p)) => p.abs_diff(i),
            (0, None) => i,
            _ => array.len() - i,
        };
        let sides = || (0..2).filter(|&side| self.wanted[side]);
        let cost = |k: usize| sides().map(|side| distance(found[k].0, side, found[k].1[side])).sum();
        let wrong = |k: usize| {
            let (i, ref found) = found[k];
            sides().find_map(|side| {
                let want = self.scan(array, file, i, side);
                let show = |p: Option<usize>| p.map_or_else(|| "none".to_owned(), |p| format!("position {p}"));
                let (name, got) = (["left", "right"][side], found[side]);
                (got != want).then(|| {
                    let (got, want) = (show(got), show(want));
                    format!("element {i}: engine tiles found {got} on the {name}, a plain scan {want}")
                })
            })
        };
        let rows = self.verify.check(found.len(), &cost, &wrong)?;
        Ok(Verified { rows, of: array.len(), with: "a plain scan".to_owned() })
    }

    /// The neighbour by a plain scan, which gives back the memory that it goes through.
    fn scan<T: Element>(&self, array: &[T], file: &Loaded, i: usize, side: usize) -> Option<usize> {
        const PIECE: usize = 1 << 18;
        let (order, strict) = (self.relation.order(), self.relation.is_strict());
        let own = array[i].rank(order);
        let is_one = |&p: &usize| {
            let rank = array[p].rank(order);
            rank < own || !strict && rank == own
        };
        let mut at = if side == 0 { i } else { i + 1 };
        loop {
            let piece = if side == 0 { at.saturating_sub(PIECE)..at } else { at..array.len().min(at + PIECE) };
            if piece.is_empty() {
                return None;
            }
            let found = if side == 0 { piece.clone().rev().find(is_one) } else { piece.clone().find(is_one) };
            file.release(piece.clone());
            if found.is_some() {
                return found;
            }
            at = if side == 0 { piece.start } else { piece.end };
        }
    }
}

impl Outputs {
    fn begin(&mut self, len: usize) -> Outcome {
        for (out, columns) in self.0.iter_mut().zip([2, 1, 1]) {
            if let Some(out) = out {
                out.begin_rows::<i64>(len, columns)?;
            }
        }
        Ok(())
    }

    /// Columns of all results together.
    fn columns(&self) -> usize {
        self.0.iter().zip([2, 1, 1]).filter(|(out, _)| out.is_some()).map(|(_, columns)| columns).sum()
    }

    /// Writes parts as they come, until nobody sends any more.
    fn write_all(
        mut self,
        parts: &Receiver<(usize, Solved)>,
        written: &SyncSender<Solved>,
        progress: &Progress,
    ) -> Outcome<Self> {
        for (len, solved) in parts {
            self.write(len, &solved, progress)?;
            self.0.iter_mut().flatten().for_each(Output::hand_over);
            // Nobody may be left to take it.
            let _ = written.try_send(solved);
        }
        Ok(self)
    }

    fn write(&mut self, len: usize, solved: &Solved, progress: &Progress) -> Outcome {
        let [both, left, right] = &mut self.0;
        if let Some(out) = both {
            let fill = |rows: Range<usize>, out: &mut [i64]| {
                let pairs = solved.left[rows.clone()].iter().zip(&solved.right[rows]);
                for (row, (&left, &right)) in out.as_chunks_mut::<2>().0.iter_mut().zip(pairs) {
                    *row = [left as i64, right as i64];
                }
            };
            out.add_made(len, 2, &fill, progress)?;
        }
        for (out, list) in [(left, &solved.left), (right, &solved.right)] {
            if let Some(out) = out {
                // None is all ones in either.
                out.add::<i64>(bytemuck::cast_slice(list), progress)?;
            }
        }
        Ok(())
    }
}
