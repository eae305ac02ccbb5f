//! `thalweg rmq --memory`: the index is built part by part and stays in memory, the array in its file; queries come in batches.

use std::cell::Cell;
use std::ops::Range;
use std::time::{Duration, Instant};

use serde_json::Value;
use thalweg::rmq::{build_in_parts, bytes_in_parts};
use thalweg::{Chosen, Coding, Error, Order, Position, Rmq};
use thalweg_cli::budget::Budget;
use thalweg_cli::dtype::{DType, Element};
use thalweg_cli::failure::Outcome;
use thalweg_cli::input::Loaded;
use thalweg_cli::input::array::Array;
use thalweg_cli::input::queries::{self, Batch, QueryArgs};
use thalweg_cli::memory;
use thalweg_cli::output::{self, Output};
use thalweg_core::bits;
use thalweg_data::oracles::argmin_in;

use super::samples::Samples;
use super::{LONGEST, Run, parts};
use crate::commands::ranges::What;
use crate::commands::report::{Data, Memory, Report, SHOWN, Speed, Table, Written};
use crate::commands::verify::{Verified, VerifyArgs};

/// What a query may bring into memory: two ends, and what the system maps around each. That may be more, where its own pages are
/// larger: so what batches bring is measured.
const QUERY_PAGES: usize = 2 * (64 << 10);
/// Queries of a batch, at most ...
const MOST: usize = 1 << 16;
/// ... of the first, of which nothing is known yet ...
const FIRST: usize = 4;
/// ... and those that there must be memory for.
const LEAST: usize = 64;

/// Builds the index of the default engine, part by part.
pub fn index<'a, T: Element>(
    run: &Run,
    budget: &Budget,
    input: &'a Array,
    order: Order,
) -> Outcome<(Rmq<'a, T>, Duration)> {
    let (array, file) = input.in_file::<T>()?;
    run.progress.say(format_args!("array: {}", file.describe(true)));
    let bytes = bytes_in_parts(array.len(), size_of::<T>());
    budget.require(bytes + (LEAST * QUERY_PAGES), "the index")?;
    let part = ((budget.left - bytes) / 2 / size_of::<T>()).clamp(1, LONGEST);
    run.say_parts(budget, part, "element");
    run.progress.stage("building");
    let start = Instant::now();
    let coding = Coding::of::<T>(order);
    let done = |range: Range<usize>| file.release(range);
    let engine = build_in_parts(bits::Array::of(array), coding, part, &done)?;
    let chosen = Chosen::on_cpu(engine.name(), "--memory is for it");
    Ok((Rmq::from_engine(engine, order, chosen), start.elapsed()))
}

/// What is asked, but for the types.
pub struct Job<'j> {
    pub budget: Budget,
    pub array: &'j Array,
    pub order: Order,
    pub what: What,
    pub verify: &'j VerifyArgs,
    pub json: bool,
    pub queries: &'j QueryArgs,
    pub file: Option<&'j Loaded>,
    pub seed: u64,
}

/// A query and its answer.
#[derive(Clone, Copy)]
struct Row<T> {
    bounds: [usize; 2],
    /// The position, if that was asked for.
    position: Option<usize>,
    value: Option<T>,
}

/// What has come out so far.
struct Told<T> {
    samples: Samples<Row<T>>,
    first: Vec<Row<T>>,
    out: Option<Output>,
    time: Duration,
}

impl Job<'_> {
    pub fn solve<T: Element>(self, run: Run, mut out: Option<Output>) -> Outcome {
        let (array, file) = self.array.in_file::<T>()?;
        let (rmq, built) = index::<T>(&run, &self.budget, self.array, self.order)?;
        if memory::available().is_some_and(|free| size_of_val(array) as u64 > free) {
            file.expect_random();
        }
        let count = self.file.map_or(Ok(self.queries.count), queries::count)?;
        let dtype = if self.what == What::Value { T::DTYPE } else { DType::I64 };
        if let Some(out) = &mut out {
            match self.what {
                What::Value => out.begin_list::<T>(count)?,
                What::Index => out.begin_list::<i64>(count)?,
            }
        }
        run.progress.steps("answering", count);
        let left = self.budget.left.saturating_sub(bytes_in_parts(array.len(), size_of::<T>()));
        let room = (left / 4).max(LEAST * QUERY_PAGES);
        let samples = Samples::new(self.verify, count);
        let mut told = Told { samples, first: Vec::new(), out, time: Duration::ZERO };
        let ask = Ask { job: &self, run: &run, rmq: &rmq, file, room, each: Cell::new(None) };
        let origin = match self.file {
            Some(queries) => {
                for rows in parts(count, MOST) {
                    match queries::batch_of(queries, rows.clone())? {
                        Batch::U32(list) => ask.rows(rows.start, &list, &mut told)?,
                        Batch::U64(list) => ask.rows(rows.start, &list, &mut told)?,
                    }
                    queries.release_rows(rows);
                }
                queries.name.clone()
            }
            None => {
                let each = if u32::fits(array.len()) { 8 } else { 16 };
                self.budget.require(count.saturating_mul(each), "generating so many queries")?;
                match self.queries.generate(array.len(), self.seed)? {
                    Batch::U32(list) => ask.rows(0, &list, &mut told)?,
                    Batch::U64(list) => ask.rows(0, &list, &mut told)?,
                }
                format!("{}, seed {}", self.queries.query_kind.name(), self.seed)
            }
        };
        file.release_all();
        run.say_moved(&self.budget, size_of_val(array) as u64 + (count * dtype.size()) as u64, built + told.time);

        run.progress.stage("checking");
        let verified = self.check(array, file, &told.samples, count)?;
        let written = told.out.iter().map(|out| Written { file: out.name.clone(), count, dtype: dtype.name() });
        let outputs = written.collect();
        output::commit(told.out)?;
        let best = if self.order == Order::Max { "the maximum" } else { "the minimum" };
        let report = Report {
            version: env!("CARGO_PKG_VERSION"),
            problem: "rmq",
            data: "array",
            array: Data { origin: self.array.origin(), count: array.len(), dtype: T::NAME },
            queries: Some(Data {
                origin,
                count,
                dtype: self
                    .file
                    .map_or(if u32::fits(array.len()) { "u32" } else { "u64" }, |file| file.layout.dtype.name()),
            }),
            asked: format!("{} of {best}", self.what.name()),
            engine: rmq.chosen().engine(),
            device: rmq.chosen().device().to_owned(),
            threads: run.threads,
            open: None,
            build: Some(Speed::new(built, array.len(), "element")),
            answer: Speed::new(told.time, count, "query"),
            memory: Memory::new(rmq.extra_bytes(), rmq.len()).within(&self.budget),
            verified,
            outputs,
            answers: table(&rmq, array, &told.first, count),
        };
        let stdout_taken = run.stdout_taken;
        drop(run);
        report.print(self.json, stdout_taken)
    }

    /// Compares a sample of the answers with a plain scan of the file.
    fn check<T: Element>(
        &self,
        array: &[T],
        file: &Loaded,
        samples: &Samples<Row<T>>,
        count: usize,
    ) -> Outcome<Verified> {
        const PIECE: usize = 1 << 18;
        let found = samples.found();
        let scan = |[left, right]: [usize; 2]| {
            let mut best = left;
            for piece in parts(right + 1 - left, PIECE) {
                let piece = left + piece.start..left + piece.end;
                let here = argmin_in(array, self.order, piece.clone());
                if array[here].rank(self.order) < array[best].rank(self.order) {
                    best = here;
                }
                file.release(piece);
            }
            best
        };
        let wrong = |k: usize| {
            let (row, Row { bounds, position, value }) = found[k];
            let best = scan(bounds);
            let equal = position.is_none_or(|position| position == best)
                && value.is_none_or(|value| value.to_low_bits() == array[best].to_low_bits());
            let [l, r] = bounds;
            (!equal).then(|| format!("row {row}: range {l}..={r}: a plain scan finds position {best}, lines does not"))
        };
        let rows = self.verify.check(found.len(), &|k| found[k].1.bounds[1] - found[k].1.bounds[0], &wrong)?;
        Ok(Verified { rows, of: count, with: "a plain scan".to_owned() })
    }
}

/// Who is asked, and how many queries at a time.
struct Ask<'q, T: Element> {
    job: &'q Job<'q>,
    run: &'q Run,
    rmq: &'q Rmq<'q, T>,
    file: &'q Loaded,
    /// Bytes that a batch may bring into memory.
    room: usize,
    /// What a query has brought at most, if any was asked yet.
    each: Cell<Option<usize>>,
}

impl<T: Element> Ask<'_, T> {
    /// Asks some queries, of which the first has this row, and writes the answers.
    fn rows<P: Position>(&self, start: usize, queries: &[[P; 2]], told: &mut Told<T>) -> Outcome {
        let values = self.job.what == What::Value;
        let mut found_values =
            memory::filled(if values { queries.len().min(MOST) } else { 0 }, T::default(), "answers")?;
        let mut found = memory::filled(if values { 0 } else { queries.len().min(MOST) }, P::default(), "answers")?;
        let mut at = 0;
        while at < queries.len() {
            let rows = at..queries.len().min(at + self.batch());
            at = rows.end;
            let (list, first) = (&queries[rows.clone()], start + rows.start);
            let before = memory::held();
            let asked = Instant::now();
            let done = match values {
                true => self.rmq.values(list, &mut found_values[..list.len()]),
                false => self.rmq.positions(list, &mut found[..list.len()]),
            };
            told.time += asked.elapsed();
            done.map_err(|e| queries::bad_query(self.job.file, &self.origin(), moved(e, first)))?;
            self.give_back(before, list.len());
            let row = |row: usize| {
                let i = row - first;
                let bounds = list[i].map(Position::get);
                match values {
                    true => Row { bounds, position: None, value: Some(found_values[i]) },
                    false => Row { bounds, position: Some(found[i].get()), value: None },
                }
            };
            told.samples.note(first..first + list.len(), row);
            let more = SHOWN.saturating_sub(told.first.len()).min(list.len());
            told.first.extend((first..first + more).map(row));
            if let Some(out) = &mut told.out {
                let progress = &self.run.progress;
                match values {
                    true => out.add(&found_values[..list.len()], progress)?,
                    false => {
                        let fill = |range: Range<usize>, out: &mut [i64]| {
                            for (out, position) in out.iter_mut().zip(&found[range]) {
                                *out = position.get() as i64;
                            }
                        };
                        out.add_made(list.len(), 1, &fill, progress)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn origin(&self) -> String {
        self.job.file.map_or_else(|| "queries".to_owned(), |file| file.name.clone())
    }

    /// Queries of the next batch.
    fn batch(&self) -> usize {
        self.each.get().map_or(FIRST, |each| (self.room / each).clamp(1, MOST))
    }

    /// Gives back the array's pages if another batch might be too much, after one of so many queries, before which so much was held.
    fn give_back(&self, before: Option<u64>, queries: usize) {
        let held = memory::held();
        let brought = held.zip(before).map_or(0, |(held, before)| held.saturating_sub(before) as usize);
        let each = (brought / queries.max(1)).max(self.each.get().unwrap_or(QUERY_PAGES));
        self.each.set(Some(each));
        let next = (self.batch() * each) as u64;
        if held.is_none_or(|held| held + next > self.job.budget.limit as u64) {
            self.file.release_all();
        }
    }
}

/// An error about a query of a batch that begins at this row.
fn moved(error: Error, first: usize) -> Error {
    match error {
        Error::Query { row, left, right, len } => Error::Query { row: first + row, left, right, len },
        other => other,
    }
}

/// The first few answers.
fn table<T: Element>(rmq: &Rmq<'_, T>, array: &[T], first: &[Row<T>], count: usize) -> Table {
    let columns =
        if rmq.order() == Order::Max { vec!["l", "r", "argmax", "max"] } else { vec!["l", "r", "argmin", "min"] };
    let rows = first.iter().filter_map(|row| {
        let [l, r] = row.bounds;
        let position = row.position.or_else(|| rmq.position(l..=r))?;
        Some(vec![l.into(), r.into(), Value::from(position), array[position].to_json()])
    });
    Table::first(columns, rows, count)
}
