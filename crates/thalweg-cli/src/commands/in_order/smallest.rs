//! `thalweg smallest`: the k smallest elements of each of many ranges.

use std::path::PathBuf;

use thalweg::{Order, Position};
use thalweg_cli::dtype::{DType, Element, with_dtype};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::queries::Batch;
use thalweg_cli::memory;
use thalweg_cli::numbers::parse_count;
use thalweg_cli::output::{self, Output};
use thalweg_data::oracles::first_by_scanning;

use super::{Asked, IndexArgs, Told, shown, signed};
use crate::commands::report::{Speed, Table, Written, timed};
use crate::commands::verify::Verified;
use crate::commands::{Run, RunArgs};

/// Find the k smallest elements of each of many ranges, in order
///
/// Positions by ascending value, the leftmost first on ties; with --max by descending value. Without files, makes an array
/// and queries.
#[derive(clap::Args)]
#[command(mut_arg("verify", |arg| arg.help("Check N rows against a plain scan (default: up to 1000, as far as time allows)")))]
pub struct Args {
    /// Where the positions go: int64 of shape (q, k), -1 where a range has fewer elements
    #[arg(short, long, value_name = "FILE", group = "results")]
    out: Option<PathBuf>,

    /// How many elements of each range
    #[arg(short, long, value_parser = parse_count, default_value = "10")]
    k: usize,

    #[command(flatten)]
    index: IndexArgs,

    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command.
pub fn run(args: Args) -> Outcome {
    let mut run = Run::start(&args.run, Some(&args.index.device))?;
    let (source, file) = args.index.open(&mut run, !args.run.verify.is_off(), minima(args.k))?;
    let (batch, origin) = args.index.batch(&run, file.as_ref(), source.len())?;
    let out = run.output(args.out.as_deref())?;
    let dtype = source.dtype();
    let asked = Asked { args: &args.index, source, file: file.as_ref(), origin };
    with_dtype!(dtype, T => match &batch {
        Batch::U32(queries) => solve::<T, u32>(&args, run, &asked, queries, out),
        Batch::U64(queries) => solve::<T, u64>(&args, run, &asked, queries, out),
    })
}

/// Minima that are asked for, to tell k elements: every one that is told splits its range in two.
fn minima(k: usize) -> usize {
    k.saturating_mul(2).saturating_sub(1).max(1)
}

fn solve<T: Element, P: Position>(
    args: &Args,
    run: Run,
    asked: &Asked<'_>,
    queries: &[[P; 2]],
    out: Option<Output>,
) -> Outcome {
    let array = args.index.elements::<T>(&run, &asked.source)?;
    let (rmq, built) = args.index.index(&run, &asked.source, &array, queries.len().saturating_mul(minima(args.k)))?;
    run.progress.stage("answering");
    let count =
        queries.len().checked_mul(args.k).ok_or_else(|| Failure::at("--k", "more positions than memory has"))?;
    let mut positions = memory::filled(count, P::NONE, "the answers")?;
    let (done, time) = timed(|| rmq.smallest_each(queries, args.k, &mut positions));
    done.map_err(|error| asked.failure(error))?;

    run.progress.stage("checking");
    let row = |i: usize| &positions[i * args.k..(i + 1) * args.k];
    let cost = |i: usize| {
        let len = queries[i][1].get() - queries[i][0].get() + 1;
        2 * len + 16 * len.min(args.k)
    };
    let with = "a plain scan";
    let rows = args.run.verify.check(queries.len(), &cost, &|i| {
        let [l, r] = queries[i].map(Position::get);
        let want = first_by_scanning(&array, rmq.order(), l, r, args.k).into_iter().map(Some);
        let got = row(i).iter().map(|position| position.checked());
        let equal = got.eq(want.chain(std::iter::repeat(None)).take(args.k));
        (!equal).then(|| format!("row {i}: range {l}..={r}: engine {} and {with} differ", rmq.engine()))
    })?;

    let outputs = write(&run, out, &[queries.len(), args.k], &positions)?;
    let best = if rmq.order() == Order::Max { "largest" } else { "smallest" };
    let table = queries.iter().enumerate().map(|(i, &[l, r])| {
        let first = row(i).first().and_then(|position| position.checked()).map(|position| array[position].to_json());
        vec![l.get().into(), r.get().into(), shown(row(i)).into(), first.into()]
    });
    let told = Told {
        problem: "smallest",
        asked: format!("positions of the {} {best}", args.k),
        answer: Speed::new(time, queries.len(), "query"),
        verified: Verified { rows, of: queries.len(), with: with.to_owned() },
        outputs,
        answers: Table::first(vec!["l", "r", "positions", "first"], table, queries.len()),
    };
    let report = asked.report::<T, P>(&run, &rmq, built, queries.len(), told);
    let stdout_taken = run.stdout_taken;
    drop(run);
    report.print(args.run.json, stdout_taken)
}

fn write<P: Position>(run: &Run, out: Option<Output>, shape: &[usize], positions: &[P]) -> Outcome<Vec<Written>> {
    let Some(mut out) = out else { return Ok(Vec::new()) };
    run.progress.steps("writing", positions.len());
    out.write_as(shape, positions, signed, &run.progress)?;
    let written = Written { file: out.name.clone(), count: positions.len(), dtype: DType::I64.name() };
    output::commit([out])?;
    Ok(vec![written])
}
