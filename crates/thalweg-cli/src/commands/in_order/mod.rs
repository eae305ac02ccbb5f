//! `smallest` and `below`: the elements of ranges in order, from an array or from an index that lies in a file.

pub mod below;
pub mod smallest;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use thalweg::rmq::file::Stored;
use thalweg::rmq::{self, Builder, Engine};
use thalweg::{Error, Order, Position, Rmq};
use thalweg_cli::choice::engine_of;
use thalweg_cli::device::{DeviceArgs, say_chosen};
use thalweg_cli::dtype::{DType, Element};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::Loaded;
use thalweg_cli::input::array::{Array, ArrayArgs};
use thalweg_cli::input::queries::{self, Batch, QueryArgs};

use super::report::{Data, Memory, Open, Report, Speed, Table, Written, timed};
use super::verify::Verified;
use super::{Run, needs, query, ranges};

/// What is asked, and how
#[derive(clap::Args)]
#[command(mut_arg("seed", |arg| arg.conflicts_with("queries")))]
pub struct IndexArgs {
    /// An index that `thalweg build` has saved, instead of an array
    #[arg(long, value_name = "FILE.thw", conflicts_with_all = ["array", "dtype", "n", "kind", "max", "engine", "device"])]
    index: Option<PathBuf>,

    /// The largest elements instead
    #[arg(long)]
    max: bool,

    /// The engine (default: the library's choice; see `thalweg info`)
    #[arg(long, value_parser = engine_of(Engine::ALL, Engine::name))]
    engine: Option<Engine>,

    #[command(flatten)]
    array: ArrayArgs,

    #[command(flatten)]
    queries: QueryArgs,

    #[command(flatten)]
    device: DeviceArgs,
}

/// What the queries are asked of, opened.
enum Source {
    Array(Array),
    Stored(Stored, DType, Open),
}

impl Source {
    fn dtype(&self) -> DType {
        match self {
            Self::Array(array) => array.dtype,
            Self::Stored(_, dtype, _) => *dtype,
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Array(array) => array.len,
            Self::Stored(stored, ..) => stored.header().len,
        }
    }
}

impl IndexArgs {
    /// Opens the array or the index, and the file of queries, if there is one. `minima`: how many are asked for to answer one.
    fn open(&self, run: &mut Run, checked: bool, minima: usize) -> Outcome<(Source, Option<Loaded>)> {
        if self.queries.queries.is_some() && self.array.array.is_none() && self.index.is_none() {
            return Err(Failure::new("--queries needs --array or --index: ranges are asked of a certain array"));
        }
        let stdin = Some(Path::new("-"));
        if self.queries.queries.as_deref() == stdin && self.array.array.as_deref() == stdin {
            return Err(Failure::new("--array and --queries cannot both come from standard input"));
        }
        let source = match &self.index {
            Some(path) => {
                run.progress.stage("reading");
                let (opened, time) = timed(|| query::open(path));
                let (stored, dtype) = opened?;
                let why = if checked { "checksums are compared" } else { "checksums are not compared, --no-verify" };
                run.progress.say(format_args!("index: {}, mapped, {why}", path.display()));
                let (verified, more) = timed(|| if checked { stored.verify() } else { Ok(()) });
                verified?;
                if stored.header().section("array").is_none() {
                    let text =
                        "saved without the array, and elements are told in order only where they can be compared";
                    return Err(Failure::at(path.display(), text));
                }
                run.keep(Some(path));
                let bytes = stored.header().file_bytes;
                Source::Stored(stored, dtype, Open { seconds: (time + more).as_secs_f64(), bytes, checked })
            }
            None => Source::Array(run.open_array(&self.array)?),
        };
        let file = self.queries.open()?;
        let count = file.as_ref().map_or(self.queries.count, Loaded::rows).saturating_mul(minima);
        if let (Source::Array(array), None) = (&source, self.engine) {
            self.device.expect(rmq::costs(array.len, array.dtype.size(), count, run.threads));
        }
        Ok((source, file))
    }

    /// The queries of the file, or generated ones, and where they come from.
    fn batch<'q>(&self, run: &Run, file: Option<&'q Loaded>, len: usize) -> Outcome<(Batch<'q>, String)> {
        ranges::batch(run, &self.queries, file, len, self.array.seed)
    }

    /// Where the array comes from.
    fn origin(&self, source: &Source) -> String {
        match (source, &self.index) {
            (Source::Array(array), _) => array.origin(),
            (_, Some(path)) => path.display().to_string(),
            (_, None) => String::new(),
        }
    }

    /// The elements, from wherever they are.
    fn elements<'s, T: Element>(&self, run: &Run, source: &'s Source) -> Outcome<Cow<'s, [T]>> {
        match source {
            Source::Array(array) => run.elements(array),
            Source::Stored(stored, ..) => Ok(Cow::Borrowed(stored.array::<T>()?.unwrap_or_default())),
        }
    }

    /// The index: built over the elements, or as the file has it. And how long it took to build.
    fn index<'a, T: Element>(
        &self,
        run: &Run,
        source: &'a Source,
        array: &'a [T],
        count: usize,
    ) -> Outcome<(Rmq<'a, T>, Option<Duration>)> {
        if let Source::Stored(stored, ..) = source {
            return Ok((stored.index::<T>()?, None));
        }
        run.require(needs::rmq(self.engine, array.len()), "the index", Some(&self.device))?;
        run.progress.stage("building");
        let order = if self.max { Order::Max } else { Order::Min };
        let builder =
            Builder::new().order(order).engine(self.engine).device(self.device.open()?).expected_queries(count);
        let (rmq, built) = timed(|| builder.build(array));
        let rmq = rmq?;
        say_chosen(&run.progress, rmq.chosen(), self.engine.is_some());
        Ok((rmq, Some(built)))
    }
}

/// What came out, without its types.
struct Told {
    problem: &'static str,
    asked: String,
    answer: Speed,
    verified: Verified,
    outputs: Vec<Written>,
    answers: Table,
}

/// A batch that was asked, but for its types.
struct Asked<'a> {
    args: &'a IndexArgs,
    source: Source,
    file: Option<&'a Loaded>,
    /// Where the queries come from.
    origin: String,
}

impl Asked<'_> {
    /// Puts the place in front of the library's complaint about a query.
    fn failure(&self, error: Error) -> Failure {
        match error {
            error @ Error::Query { .. } => queries::bad_query(self.file, &self.origin, error),
            other => other.into(),
        }
    }

    fn report<T: Element, P: Position>(
        &self,
        run: &Run,
        rmq: &Rmq<'_, T>,
        built: Option<Duration>,
        count: usize,
        told: Told,
    ) -> Report {
        let dtype = self.file.map_or(P::NAME, |file| file.layout.dtype.name());
        let open = match &self.source {
            Source::Stored(_, _, open) => Some(Open { ..*open }),
            Source::Array(_) => None,
        };
        Report {
            version: env!("CARGO_PKG_VERSION"),
            problem: told.problem,
            data: "array",
            array: Data { origin: self.args.origin(&self.source), count: rmq.len(), dtype: T::NAME },
            queries: Some(Data { origin: self.origin.clone(), count, dtype }),
            asked: told.asked,
            engine: rmq.engine(),
            device: rmq.chosen().device().to_owned(),
            threads: run.threads,
            open,
            build: built.map(|time| Speed::new(time, rmq.len(), "element")),
            answer: told.answer,
            memory: Memory::new(rmq.extra_bytes(), rmq.len()),
            verified: told.verified,
            outputs: told.outputs,
            answers: told.answers,
        }
    }
}

/// Positions for a table: the first few.
fn shown<P: Position>(positions: &[P]) -> String {
    const SHOWN: usize = 5;
    let few: Vec<String> =
        positions.iter().filter_map(|position| position.checked()).take(SHOWN).map(|p| p.to_string()).collect();
    let more = positions.len() > SHOWN && positions[SHOWN] != P::NONE;
    few.join(" ") + if more { " .." } else { "" }
}

/// A position in a file: -1 for none.
fn signed<P: Position>(position: P) -> i64 {
    position.checked().map_or(-1, |position| position as i64)
}
