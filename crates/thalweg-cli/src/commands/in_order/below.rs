//! `thalweg below`: all elements of ranges that are not above a threshold.

use std::path::PathBuf;

use thalweg::rmq::Listed;
use thalweg::{Error, Order, Position, Rmq};
use thalweg_cli::dtype::{DType, Element, with_dtype};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::is_overflown;
use thalweg_cli::input::queries::Batch;
use thalweg_cli::memory;
use thalweg_cli::output::{self, Output};
use thalweg_data::oracles::positions_not_above;

use super::{Asked, IndexArgs, Told, shown, signed};
use crate::commands::report::{Speed, Table, Written, timed};
use crate::commands::verify::Verified;
use crate::commands::{Run, RunArgs};

/// Find all elements of each of many ranges that are not above a threshold
///
/// In time proportional to what is found, however long the ranges are. With --max: not below it. Without files, makes an
/// array and queries.
#[derive(clap::Args)]
#[command(mut_arg("count", |arg| arg.default_value("2^10")), mut_arg("verify", |arg| arg.help("Check N rows against a plain scan (default: up to 1000, as far as time allows)")))]
pub struct Args {
    /// Where the positions go: int64, those of the first range in ascending order, those of the second and so on
    #[arg(short, long, value_name = "FILE", group = "results")]
    out: Option<PathBuf>,

    /// Where the numbers of positions go: int64, one for each range
    #[arg(long, value_name = "FILE", group = "results")]
    lengths: Option<PathBuf>,

    /// The threshold: a number of the array's type, to which it is rounded
    #[arg(long, value_name = "VALUE", default_value = "0", allow_hyphen_values = true)]
    threshold: String,

    #[command(flatten)]
    index: IndexArgs,

    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command.
pub fn run(args: Args) -> Outcome {
    let mut run = Run::start(&args.run, Some(&args.index.device))?;
    let (source, file) = args.index.open(&mut run, !args.run.verify.is_off(), 1)?;
    let (batch, origin) = args.index.batch(&run, file.as_ref(), source.len())?;
    let outs = [run.output(args.out.as_deref())?, run.output(args.lengths.as_deref())?];
    let dtype = source.dtype();
    let asked = Asked { args: &args.index, source, file: file.as_ref(), origin };
    with_dtype!(dtype, T => {
        let parsed = args.threshold.trim().parse::<T>().ok();
        let Some(threshold) = parsed.filter(|number| !is_overflown(number.to_f64(), args.threshold.as_bytes())) else {
            let text = format_args!("'{}' is no number of type {}", args.threshold, dtype);
            return Err(Failure::at("--threshold", text));
        };
        match &batch {
            Batch::U32(queries) => solve::<T, u32>(&args, run, &asked, queries, threshold, outs),
            Batch::U64(queries) => solve::<T, u64>(&args, run, &asked, queries, threshold, outs),
        }
    })
}

fn solve<T: Element, P: Position>(
    args: &Args,
    run: Run,
    asked: &Asked<'_>,
    queries: &[[P; 2]],
    threshold: T,
    outs: [Option<Output>; 2],
) -> Outcome {
    let array = args.index.elements::<T>(&run, &asked.source)?;
    let (rmq, built) = args.index.index(&run, &asked.source, &array, queries.len())?;
    run.progress.stage("answering");
    let (found, time) = timed(|| list(asked, &rmq, queries, threshold));
    let found = found?;

    run.progress.stage("checking");
    let rows: Vec<&[P]> = found.rows().collect();
    let cost = |i: usize| queries[i][1].get() - queries[i][0].get() + 1;
    let with = "a plain scan";
    let checked = args.run.verify.check(queries.len(), &cost, &|i| {
        let [l, r] = queries[i].map(Position::get);
        let want = positions_not_above(&array, rmq.order(), threshold, l, r);
        let equal = rows[i].iter().map(|position| position.get()).eq(want);
        (!equal).then(|| format!("row {i}: range {l}..={r}: engine {} and {with} differ", rmq.engine()))
    })?;

    let outputs = write(&run, outs, [&found.positions, &found.lengths])?;
    let side = if rmq.order() == Order::Max { "below" } else { "above" };
    let table = queries
        .iter()
        .zip(&rows)
        .map(|(&[l, r], row)| vec![l.get().into(), r.get().into(), row.len().into(), shown(row).into()]);
    let told = Told {
        problem: "below",
        asked: format!("positions of what is not {side} {threshold}"),
        answer: Speed::new(time, queries.len(), "query"),
        verified: Verified { rows: checked, of: queries.len(), with: with.to_owned() },
        outputs,
        answers: Table::first(vec!["l", "r", "found", "positions"], table, queries.len()),
    };
    let report = asked.report::<T, P>(&run, &rmq, built, queries.len(), told);
    let stdout_taken = run.stdout_taken;
    drop(run);
    report.print(args.run.json, stdout_taken)
}

/// What is not above the threshold, if there is memory for it.
fn list<T: Element, P: Position>(
    asked: &Asked<'_>,
    rmq: &Rmq<'_, T>,
    queries: &[[P; 2]],
    threshold: T,
) -> Outcome<Listed<P>> {
    // A list that grows, and its copy among all others.
    let each = 4 * size_of::<P>() as u64;
    let most = memory::available().map_or(u64::MAX, |free| free / 2 / each).max(1 << 16);
    list_by(rmq, queries, threshold, usize::try_from(most).unwrap_or(usize::MAX), &|error| asked.failure(error))
}

/// The same by portions of ranges that have no more than `most` elements together. How many of these will be listed nobody
/// knows before; so before a portion is asked there is room for all of them, and what was found stays if there is room for it.
fn list_by<T: Element, P: Position>(
    rmq: &Rmq<'_, T>,
    queries: &[[P; 2]],
    threshold: T,
    most: usize,
    failure: &dyn Fn(Error) -> Failure,
) -> Outcome<Listed<P>> {
    const WHAT: &str = "the positions that were found";
    let ask = |ranges: &[[P; 2]]| rmq.below_each(ranges, &[threshold]).map_err(failure);
    let ends = |row: usize| queries[row].map(Position::get);
    if let Some(row) = (0..queries.len()).find(|&row| ends(row)[0] > ends(row)[1] || ends(row)[1] >= rmq.len()) {
        let [left, right] = ends(row).map(|end| end as u64);
        return Err(failure(Error::Query { row, left, right, len: rmq.len() }));
    }
    let elements = (0..queries.len()).map(|row| ends(row)[1] - ends(row)[0] + 1);
    if elements.fold(0, usize::saturating_add) <= most {
        return ask(queries);
    }
    let mut lengths: Vec<P> = memory::filled(queries.len(), P::new(0), WHAT)?;
    let mut positions: Vec<P> = Vec::new();
    let (mut ranges, mut rows, mut held) = (Vec::new(), Vec::new(), 0);
    let mut answer = |ranges: &mut Vec<[P; 2]>, rows: &mut Vec<usize>| {
        let found = ask(ranges)?;
        for (&row, &length) in rows.iter().zip(&found.lengths) {
            lengths[row] = P::new(lengths[row].get() + length.get());
        }
        if positions.capacity() - positions.len() < found.positions.len() {
            let more = found.positions.len().max(positions.len() / 2);
            memory::reserve(&mut positions, more, WHAT)?;
        }
        positions.extend_from_slice(&found.positions);
        ranges.clear();
        rows.clear();
        Ok::<(), Failure>(())
    };
    for row in 0..queries.len() {
        let [mut left, right] = ends(row);
        while left <= right {
            let taken = (right - left + 1).min(most - held);
            ranges.push([P::new(left), P::new(left + taken - 1)]);
            rows.push(row);
            (left, held) = (left + taken, held + taken);
            if held == most {
                answer(&mut ranges, &mut rows)?;
                held = 0;
            }
        }
    }
    if held > 0 {
        answer(&mut ranges, &mut rows)?;
    }
    Ok(Listed { lengths, positions })
}

/// Both lists, which appear together.
fn write<P: Position>(run: &Run, outs: [Option<Output>; 2], lists: [&[P]; 2]) -> Outcome<Vec<Written>> {
    let (mut done, mut written) = (Vec::new(), Vec::new());
    let asked = || outs.iter().zip(lists).filter(|(out, _)| out.is_some());
    run.progress.steps("writing", asked().map(|(_, list)| list.len()).sum());
    for (out, list) in outs.into_iter().zip(lists) {
        let Some(mut out) = out else { continue };
        out.write_as(&[list.len()], list, signed, &run.progress)?;
        written.push(Written { file: out.name.clone(), count: list.len(), dtype: DType::I64.name() });
        done.push(out);
    }
    output::commit(done)?;
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portions_find_what_all_ranges_find_at_once() {
        let array: Vec<u32> = (0..500u32).map(|i| i * 7919 % 101).collect();
        let rmq = Rmq::new(&array).unwrap();
        let queries: Vec<[u32; 2]> = (0..60).map(|i| [i * 3, i * 3 + i * i % 300]).collect();
        let whole = rmq.below_each(&queries, &[40]).unwrap();
        for most in [1, 2, 7, 64, 65, 1000, usize::MAX] {
            let found = list_by(&rmq, &queries, 40, most, &|error| error.into()).unwrap();
            assert!(found == whole, "{most}");
        }
        assert!(list_by(&rmq, &[[0u32, 1], [2, 500]], 40, 1, &|error| error.into()).is_err());
    }
}
