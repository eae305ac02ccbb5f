//! What `rmq` and `query` have in common: a batch of ranges is asked of an index, and the answers are checked, written
//! and reported.

use std::ops::Range;

use thalweg::{Chosen, Order, Position, Rmq};
use thalweg_cli::device::let_go;
use thalweg_cli::dtype::{DType, Element};
use thalweg_cli::failure::Outcome;
use thalweg_cli::input::Loaded;
use thalweg_cli::input::queries::{self, Batch, QueryArgs};
use thalweg_cli::memory;
use thalweg_cli::numbers::show_count;
use thalweg_cli::output::{self, Output};
use thalweg_core::parallel;
use thalweg_data::oracles::argmin_in;

use super::Run;
use super::nearest::other_engine;
use super::report::{Data, Memory, Open, Report, Speed, Table, Written, timed};
use super::verify::{Oracle, Verified, VerifyArgs};

/// What is asked for in each range.
#[derive(Clone, Copy, PartialEq)]
pub enum What {
    Value,
    Index,
}

impl What {
    pub const ALL: &'static [Self] = &[Self::Value, Self::Index];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::Index => "index",
        }
    }
}

/// The queries of a file, or generated ones for an array of `len` elements, and where they come from.
pub fn batch<'q>(
    run: &Run,
    args: &QueryArgs,
    file: Option<&'q Loaded>,
    len: usize,
    seed: u64,
) -> Outcome<(Batch<'q>, String)> {
    if let Some(file) = file {
        let batch = queries::batch(file)?;
        run.progress.say(format_args!("queries: {}", file.describe(batch.is_in_place())));
        return Ok((batch, file.name.clone()));
    }
    run.progress.say(format_args!("queries: no --queries, so {} are generated", show_count(args.count)));
    Ok((args.generate(len, seed)?, format!("{}, seed {seed}", args.query_kind.name())))
}

/// A batch to be asked, but for its types.
pub struct Asking<'j> {
    pub run: Run,
    pub what: What,
    pub verify: &'j VerifyArgs,
    pub json: bool,
    /// Where the queries come from.
    pub origin: String,
    /// Their file, if they come from one.
    pub file: Option<&'j Loaded>,
    pub out: Option<Output>,
}

/// The index that is asked, as far as it does not know itself.
pub struct Asked {
    pub array: Data,
    pub build: Option<Speed>,
    pub open: Option<Open>,
}

/// What came out, without its types.
struct Told {
    order: Order,
    chosen: Chosen,
    memory: Memory,
    queries: Data,
    answer: Speed,
    verified: Verified,
    outputs: Vec<Written>,
    answers: Table,
}

impl Asking<'_> {
    /// Asks the index, checks a sample of the answers if there is an array to check them with, writes and reports.
    pub fn ask<T: Element, P: Position>(
        mut self,
        rmq: Rmq<'_, T>,
        array: Option<&[T]>,
        queries: &[[P; 2]],
        asked: Asked,
    ) -> Outcome {
        self.run.progress.stage("answering");
        let answers = self.answer(&rmq, queries)?;
        let (order, chosen, memory) = (rmq.order(), rmq.chosen().clone(), Memory::new(rmq.extra_bytes(), rmq.len()));
        let (own, table) = (chosen.engine(), table(&rmq, queries, &answers.found));
        let_go(rmq);

        let verified = match array {
            Some(array) => {
                self.run.progress.stage("checking");
                let cost = |row: usize| queries[row][1].get() - queries[row][0].get();
                let scan = "a plain scan";
                let by_scan = Oracle::new(scan, |row| {
                    let best = scanned(array, order, queries[row].map(Position::get));
                    wrong(own, array, queries[row], row, &answers.found, (scan, best))
                });
                let found = &answers.found;
                let other = || {
                    let engine = other_engine(own);
                    let index = Rmq::with_engine(array, order, engine)?;
                    Ok(Oracle::new(engine.name(), move |row| {
                        let [l, r] = queries[row].map(Position::get);
                        let best = index.position(l..=r)?;
                        wrong(own, array, queries[row], row, found, (index.engine(), best))
                    }))
                };
                self.verify.compare(queries.len(), &cost, by_scan, &other)?
            }
            None => Verified { rows: 0, of: queries.len(), with: String::new() },
        };

        let outputs = self.write(&answers.found)?;
        let told = Told {
            order,
            chosen,
            memory,
            queries: Data {
                origin: std::mem::take(&mut self.origin),
                count: queries.len(),
                dtype: self.file.map_or(P::NAME, |file| file.layout.dtype.name()),
            },
            answer: answers.speed,
            verified,
            outputs,
            answers: table,
        };
        self.tell(asked, told)
    }

    fn tell(self, asked: Asked, told: Told) -> Outcome {
        let best = if told.order == Order::Max { "the maximum" } else { "the minimum" };
        let report = Report {
            version: env!("CARGO_PKG_VERSION"),
            problem: "rmq",
            data: "array",
            array: asked.array,
            queries: Some(told.queries),
            asked: format!("{} of {best}", self.what.name()),
            engine: told.chosen.engine(),
            device: told.chosen.device().to_owned(),
            threads: self.run.threads,
            open: asked.open,
            build: asked.build,
            answer: told.answer,
            memory: told.memory,
            verified: told.verified,
            outputs: told.outputs,
            answers: told.answers,
        };
        let stdout_taken = self.run.stdout_taken;
        drop(self.run);
        report.print(self.json, stdout_taken)
    }

    /// Answers the batch. The buffer is allocated, and its pages touched, before the clock starts.
    fn answer<T: Element, P: Position>(&self, rmq: &Rmq<'_, T>, queries: &[[P; 2]]) -> Outcome<Answers<T, P>> {
        let (found, time) = match self.what {
            What::Value => {
                let mut out = memory::filled(queries.len(), T::default(), "the answers")?;
                let (done, time) = timed(|| rmq.values(queries, &mut out));
                (done.map(|()| Found::Values(out)), time)
            }
            What::Index => {
                let mut out = memory::filled(queries.len(), P::default(), "the answers")?;
                let (done, time) = timed(|| rmq.positions(queries, &mut out));
                (done.map(|()| Found::Positions(out)), time)
            }
        };
        let found = found.map_err(|e| queries::bad_query(self.file, &self.origin, e))?;
        Ok(Answers { found, speed: Speed::new(time, queries.len(), "query") })
    }

    fn write<T: Element, P: Position>(&mut self, found: &Found<T, P>) -> Outcome<Vec<Written>> {
        let Some(mut out) = self.out.take() else { return Ok(Vec::new()) };
        let (count, dtype) = match found {
            Found::Values(values) => (values.len(), T::DTYPE),
            Found::Positions(positions) => (positions.len(), DType::I64),
        };
        let progress = &self.run.progress;
        progress.steps("writing", count);
        match found {
            Found::Values(values) => out.write(&[count], values, progress)?,
            Found::Positions(positions) => out.write_as(&[count], positions, |p| p.get() as i64, progress)?,
        }
        let written = Written { file: out.name.clone(), count, dtype: dtype.name() };
        output::commit([out])?;
        Ok(vec![written])
    }
}

struct Answers<T, P> {
    found: Found<T, P>,
    speed: Speed,
}

enum Found<T, P> {
    Values(Vec<T>),
    Positions(Vec<P>),
}

/// The leftmost best position of a range, by scanning: a long one in pieces, by all threads.
fn scanned<T: Element>(array: &[T], order: Order, [left, right]: [usize; 2]) -> usize {
    const PIECE: usize = 1 << 20;
    let len = right + 1 - left;
    let scan = |range: Range<usize>| argmin_in(array, order, range);
    let piece = |i: usize| {
        let range = parallel::chunk_range(i, PIECE, len);
        scan(left + range.start..left + range.end)
    };
    let bests = memory::computed_in(len.div_ceil(PIECE), 1, "pieces", piece).unwrap_or_default();
    // Of equal ones the first, which is the leftmost.
    let best = bests.into_iter().min_by_key(|&best| array[best].rank(order));
    best.unwrap_or_else(|| scan(left..right + 1))
}

/// Compares one answer with what `who` says is best: positions exactly, values bit by bit.
fn wrong<T: Element, P: Position>(
    engine: &str,
    array: &[T],
    [l, r]: [P; 2],
    row: usize,
    found: &Found<T, P>,
    (who, best): (&str, usize),
) -> Option<String> {
    let (equal, got, want) = match found {
        Found::Values(values) => {
            let (got, want) = (values[row], array[best]);
            (got.to_low_bits() == want.to_low_bits(), got.to_string(), want.to_string())
        }
        Found::Positions(positions) => {
            let got = positions[row].get();
            (got == best, format!("position {got}"), format!("position {best}"))
        }
    };
    let (l, r) = (l.get(), r.get());
    (!equal).then(|| format!("row {row}: range {l}..={r}: engine {engine} found {got}, {who} {want}"))
}

/// The first few answers, with values if the index has any.
fn table<T: Element, P: Position>(rmq: &Rmq<'_, T>, queries: &[[P; 2]], found: &Found<T, P>) -> Table {
    let mut columns =
        if rmq.order() == Order::Max { vec!["l", "r", "argmax", "max"] } else { vec!["l", "r", "argmin", "min"] };
    columns.truncate(if rmq.has_values() { 4 } else { 3 });
    let rows = queries.iter().enumerate().filter_map(|(row, &[l, r])| {
        let (l, r) = (l.get(), r.get());
        let (position, value) = match found {
            Found::Values(values) => (rmq.position(l..=r)?, Some(values[row])),
            Found::Positions(positions) => {
                (positions[row].get(), rmq.value(positions[row].get()..=positions[row].get()))
            }
        };
        let cells = [Some(l.into()), Some(r.into()), Some(position.into()), value.map(Element::to_json)];
        Some(cells.into_iter().flatten().collect())
    });
    Table::first(columns, rows, queries.len())
}
