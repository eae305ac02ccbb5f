//! `thalweg sa --memory`: blocks are sorted in memory, and merged from a file without a name.

use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use thalweg::text::in_blocks::{self, CommonPrefixes, Plan, Step};
use thalweg_cli::budget::Budget;
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::text::Text;
use thalweg_cli::numbers::{counted, show_bytes, show_count};
use thalweg_cli::output::Output;
use thalweg_cli::spill::{Lists, folder};
use thalweg_core::parallel::for_each_chunk;

use super::Run;
use super::samples::Samples;
use crate::commands::report::SHOWN;
use crate::commands::verify::VerifyArgs;

/// What is to be sorted.
pub struct Job<'j> {
    pub run: &'j Run,
    pub budget: Budget,
    pub text: &'j Text,
    pub verify: &'j VerifyArgs,
    /// Where results go.
    pub places: [Option<&'j Path>; 3],
}

/// What came out.
pub struct Done {
    /// How the text was cut.
    pub how: String,
    pub times: Vec<(&'static str, f64)>,
    pub verified: usize,
    /// Positions, BWT and LCP, complete, but they have not appeared.
    pub outputs: [Option<Output>; 3],
    /// The row of the whole text, if there is a BWT.
    pub primary: Option<usize>,
    /// The first few suffixes.
    pub first: Vec<usize>,
}

/// Bytes that two suffixes are compared in when they are checked.
const COMPARED: usize = 1 << 18;

impl Job<'_> {
    pub fn solve(&self, mut outputs: [Option<Output>; 3]) -> Outcome<Done> {
        let (text, progress) = (self.text, &self.run.progress);
        let bytes = text.bytes();
        let symbols = self.symbols();
        let with_lcp = outputs[2].is_some();
        // A quarter is for the lists of predecessors.
        let left = self.budget.left - if with_lcp { self.budget.left / 4 } else { 0 };
        let too_little = || {
            let limit = show_bytes(self.budget.limit as u64);
            let needed = bytes.len() / if with_lcp { 6 } else { 8 } + (64 << 20);
            let needed = show_bytes((self.budget.limit - self.budget.left + needed) as u64);
            Failure::at("--memory", format_args!("{limit} is too little for this text: some {needed} are needed"))
        };
        let plan = Plan::within(left, bytes.len(), symbols).ok_or_else(too_little)?;
        self.run.say_parts(&self.budget, plan.block, "byte");
        let blocks = bytes.len().div_ceil(plan.block);
        progress.say(format_args!("blocks: {}, of a text with {symbols} different bytes", show_count(blocks)));

        if let Some(out) = &mut outputs[0] {
            out.begin_list::<i64>(bytes.len())?;
        }
        if let (Some(out), Some(&last)) = (&mut outputs[1], bytes.last()) {
            out.write_bytes(&[last])?;
        }
        let marks = Mutex::new(Vec::<(&'static str, Instant)>::new());
        let watch = |step: Step, _share: f64| {
            let name = match step {
                Step::Sorting => "sorting",
                Step::Searching => "searching",
                Step::Merging => "merging",
            };
            progress.stage(name);
            marks.lock().expect("nobody panics meanwhile").push((name, Instant::now()));
        };
        let done = |range| text.release(range);
        let mut lists = Lists::new(folder(&self.places));
        let mut samples = Samples::new(self.verify, bytes.len());
        let (mut rank, mut before, mut first, mut primary) = (0, None, Vec::new(), 0);
        let input = in_blocks::Text { bytes, done: &done, watch: &watch };
        let mut prefixes = match with_lcp {
            true => Some(CommonPrefixes::within(self.budget.left, input).ok_or_else(too_little)?),
            false => None,
        };
        let mut predecessors = Lists::new(folder(&self.places));
        let with_bwt = outputs[1].is_some();
        let start = Instant::now();
        in_blocks::sort(input, plan, &mut lists, with_bwt, &mut |positions: &[u64], symbols: &[u8]| {
            let at = |row: usize| match row.checked_sub(rank) {
                Some(i) => Some(positions[i] as usize),
                None => before,
            };
            samples.note(rank..rank + positions.len(), |row| (row.checked_sub(1).and_then(at), at(row)));
            first.extend(positions.iter().take(SHOWN - first.len().min(SHOWN)).map(|&position| position as usize));
            if let Some(out) = &mut outputs[0] {
                out.add::<i64>(bytemuck::cast_slice(positions), progress)?;
            }
            if let Some(out) = &mut outputs[1] {
                match positions.iter().position(|&position| position == 0) {
                    Some(whole) => {
                        primary = rank + whole + 1;
                        out.write_bytes(&symbols[..whole])?;
                        out.write_bytes(&symbols[whole + 1..])?;
                    }
                    None => out.write_bytes(symbols)?,
                }
            }
            if let Some(prefixes) = &mut prefixes {
                prefixes.add(positions, &mut predecessors)?;
            }
            rank += positions.len();
            before = positions.last().map(|&position| position as usize).or(before);
            Ok(())
        })?;
        let mut common = Vec::new();
        if let (Some(prefixes), Some(out)) = (prefixes, &mut outputs[2]) {
            progress.stage("common prefixes");
            marks.lock().expect("nobody panics meanwhile").push(("common prefixes", Instant::now()));
            text.release(0..bytes.len());
            out.begin_list::<i64>(bytes.len())?;
            let mut rank = 0;
            prefixes.finish(&mut predecessors, &mut |values| {
                let asked = samples.found()[common.len()..].iter().take_while(|(row, _)| *row < rank + values.len());
                common.extend(asked.map(|(row, _)| values[row - rank] as usize));
                rank += values.len();
                out.add::<i64>(bytemuck::cast_slice(values), progress)
            })?;
            text.release(0..bytes.len());
        }
        let end = Instant::now();
        // The text is read for every block, but for those behind it.
        let read = bytes.len() as u64 * (blocks as u64 + 1) / 2;
        let written = bytes.len() as u64 * (8 + u64::from(with_bwt) + 8 * u64::from(with_lcp));
        self.run.say_moved(&self.budget, read + 2 * (lists.bytes + predecessors.bytes) + written, end - start);

        progress.stage("checking");
        let verified = self.check(&samples, &common)?;
        let times = times(marks.into_inner().expect("nobody has panicked"), end);
        let how = format!("{} of {}", counted(blocks, "block"), show_bytes(plan.block as u64));
        Ok(Done { how, times, verified, outputs, primary: with_bwt.then_some(primary), first })
    }

    /// How many different bytes there are.
    fn symbols(&self) -> usize {
        const TASK: usize = 1 << 20;
        let bytes = self.text.bytes();
        let seen = Mutex::new([false; 256]);
        for_each_chunk(bytes.len(), TASK, &|range| {
            let mut here = [false; 256];
            bytes[range.clone()].iter().for_each(|&byte| here[usize::from(byte)] = true);
            self.text.release(range);
            let mut seen = seen.lock().expect("nobody panics meanwhile");
            seen.iter_mut().zip(here).for_each(|(seen, here)| *seen |= here);
        });
        seen.into_inner().expect("nobody has panicked").iter().filter(|&&is| is).count()
    }

    /// Compares suffixes with those before them, unless they agree for too long; and the `common` prefixes that were found, if any were.
    fn check(&self, samples: &Samples<(Option<usize>, Option<usize>)>, common: &[usize]) -> Outcome<usize> {
        let bytes = self.text.bytes();
        let found = samples.found();
        let undecided = Mutex::new(0);
        let wrong = |k: usize| {
            let (rank, (before, here)) = found[k];
            let here = here?;
            let Some(before) = before else { return (rank > 0).then(|| format!("rank {rank} has none before it")) };
            let piece = |at: usize| &bytes[at..bytes.len().min(at + COMPARED)];
            let (x, y) = (piece(before), piece(here));
            let agree = x.iter().zip(y).take_while(|(x, y)| x == y).count();
            let is_other = common.get(k).is_some_and(|&found| found.min(COMPARED) != agree);
            let is_wrong = if x.len() == COMPARED && x == y {
                *undecided.lock().expect("nobody panics meanwhile") += 1;
                false
            } else {
                x >= y
            };
            [before, here].iter().for_each(|&at| self.text.release(at..bytes.len().min(at + COMPARED)));
            if is_other {
                return Some(format!("rank {rank}: {} bytes in common, a plain scan finds {agree}", common[k]));
            }
            is_wrong.then(|| format!("the suffixes of rank {} and {rank} are not in order", rank - 1))
        };
        let checked = self.verify.check(found.len(), &|_| COMPARED, &wrong)?;
        Ok(checked - undecided.into_inner().expect("nobody has panicked"))
    }
}

/// How long stages took, each of which may come up several times.
fn times(marks: Vec<(&'static str, Instant)>, end: Instant) -> Vec<(&'static str, f64)> {
    let ends: Vec<Instant> = marks.iter().skip(1).map(|&(_, time)| time).chain([end]).collect();
    let mut times: Vec<(&'static str, f64)> = Vec::new();
    for ((name, start), end) in marks.into_iter().zip(ends) {
        let seconds = (end - start).as_secs_f64();
        match times.iter_mut().find(|(other, _)| *other == name) {
            Some((_, spent)) => *spent += seconds,
            None => times.push((name, seconds)),
        }
    }
    times
}
