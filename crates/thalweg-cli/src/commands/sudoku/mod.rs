//! `thalweg sudoku`: the solutions of Sudokus.

mod make;
mod show;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde_json::json;
use thalweg::puzzle::sudoku::examples::EXAMPLES;
use thalweg::puzzle::sudoku::{Builder, Engine, Grid, Options, solve_with};
use thalweg::{Error, Result};
use thalweg_cli::choice::engine_of;
use thalweg_cli::device::{DeviceArgs, let_go, say_chosen};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::puzzles::{self, Puzzles, is_text};
use thalweg_cli::numbers::{parse_count, show_count};
use thalweg_cli::output::{self, Output};
use thalweg_data::sudokus::complaint;

use super::report::timed;
use super::summary::Summary;
use super::{Run, RunArgs};

/// Solve Sudokus: how many solutions each has, up to a limit, and the smallest of them
///
/// Clues that contradict each other are a puzzle with no solutions. Without a file, solves puzzles that are known and shows
/// one. With --gen, makes puzzles.
#[derive(clap::Args)]
#[command(
    after_help = "Puzzles are lines of 81 characters, with ., 0 or _ for a blank; what follows after a space, a comma \
    or a semicolon is ignored, and so are lines that begin with #. A file is .npy if its name ends so or its content says \
    so: bytes of shape (n, 81), 0 for a blank. - is standard input or output. Grids are written as lines, unless the name \
    ends in .npy, .bin or .raw; a puzzle without a solution gets blanks. The report goes to stdout, or to stderr if a \
    result does."
)]
pub struct Args {
    /// The puzzles
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// Where the solutions go, or the puzzles that are made
    #[arg(short, long, value_name = "FILE", group = "results")]
    out: Option<PathBuf>,

    /// Where the numbers of solutions go: uint32
    #[arg(long, value_name = "FILE", group = "results")]
    counts: Option<PathBuf>,

    /// Count solutions up to here: with 2 it is told whether there is exactly one
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,

    /// Make N puzzles with one solution instead, of which no clue can be spared (to standard output without --out)
    #[arg(long = "gen", value_name = "N", value_parser = parse_count,
        conflicts_with_all = ["file", "counts", "limit", "engine", "device", "verify", "no_verify"], group = "results")]
    make: Option<usize>,

    /// Seed of the puzzles that are made
    #[arg(long, default_value_t = 7, requires = "make")]
    seed: u64,

    /// The engine (default: the library's choice; see `thalweg info`)
    #[arg(long, value_parser = engine_of(Engine::ALL, Engine::name))]
    engine: Option<Engine>,

    #[command(flatten)]
    device: DeviceArgs,

    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command.
pub fn run(args: Args) -> Outcome {
    let mut run = Run::start(&args.run, Some(&args.device))?;
    let path = args.out.as_deref().or(args.make.map(|_| Path::new("-")));
    let text = path.is_some_and(|path| is_text(path, args.run.raw));
    if let Some(count) = args.make {
        let out = if text { run.bytes_output(path)? } else { run.output(path)? };
        return make::run(&args, run, count, out, text);
    }
    run.progress.stage("reading");
    let file = args.file.as_deref().map(Puzzles::open).transpose()?;
    let out = if text { run.bytes_output(args.out.as_deref())? } else { run.output(args.out.as_deref())? };
    let counts = run.output(args.counts.as_deref())?;
    solve(&args, run, file.as_ref(), out, counts, text)
}

/// What came out.
struct Answers {
    counts: Vec<u32>,
    /// Unless only counts were asked for.
    solutions: Option<Vec<Grid>>,
}

fn solve(
    args: &Args,
    run: Run,
    file: Option<&Puzzles>,
    out: Option<Output>,
    counts: Option<Output>,
    text: bool,
) -> Outcome {
    let puzzles: Cow<'_, [Grid]> = match file {
        Some(file) => {
            let puzzles = file.get()?;
            let in_place = matches!(puzzles, Cow::Borrowed(_));
            run.progress.say(format_args!("puzzles: {}", file.describe(in_place)));
            puzzles
        }
        None => {
            run.progress.say(format_args!("puzzles: no file, so some that are known"));
            Cow::Owned(EXAMPLES.iter().map(|example| example.puzzle).collect())
        }
    };
    let builder = Builder::new().limit(args.limit).engine(args.engine).device(args.device.open()?);
    run.progress.stage("solving");
    let counts_alone = counts.is_some() && out.is_none();
    let (answers, time) = timed(|| {
        Result::<_, Error>::Ok(if counts_alone {
            builder.count(&puzzles)?.map(|counts| Answers { counts, solutions: None })
        } else {
            builder.solve(&puzzles)?.map(|s| Answers { counts: s.counts, solutions: Some(s.solutions) })
        })
    });
    let failed = |error| file.map_or_else(|| Failure::new(&error), |file| file.failure(Error::clone(&error)));
    let (answers, chosen) = answers.map_err(failed)?.into_parts();
    say_chosen(&run.progress, &chosen, args.engine.is_some());
    let_go(builder);
    run.progress.stage("checking");
    let verified = verify(args, &puzzles, &answers, chosen.engine())?;

    let mut summary = Summary::new("sudoku");
    let origin = file.map_or("known ones", |file| &file.name);
    summary.line("puzzles", format_args!("{} ({origin})", show_count(puzzles.len())));
    summary.value("puzzles", json!({"origin": origin, "count": puzzles.len()}));
    summary.answered(&chosen, run.threads, "");
    summary.speed(time, puzzles.len(), "puzzle");
    summary.value("limit", args.limit);
    show::totals(&mut summary, &answers.counts, args.limit);
    let equal = "equal to those of exact_cover";
    let known = if counts_alone { equal.to_owned() } else { format!("{equal}; all solutions keep the rules") };
    summary.verified(verified, puzzles.len(), if counts_alone { "count" } else { "answer" }, &known);

    let mut done = Vec::new();
    if let (Some(mut out), Some(solutions)) = (out, &answers.solutions) {
        let what = puzzles::write(solutions, text, &mut out, &run.progress)?;
        summary.written_elements(&out.name, solutions.len(), what);
        done.push(out);
    }
    if let Some(mut out) = counts {
        run.progress.steps("writing", answers.counts.len());
        out.write(&[answers.counts.len()], &answers.counts, &run.progress)?;
        summary.written_elements(&out.name, answers.counts.len(), "u32");
        done.push(out);
    }
    output::commit(done)?;
    show::table(&mut summary, &answers.counts, answers.solutions.as_deref());
    if let (None, Some(solutions)) = (file, &answers.solutions) {
        show::picture(&mut summary, &puzzles, solutions);
    }
    let stdout_taken = run.stdout_taken;
    drop(run);
    summary.print(args.run.json, stdout_taken)
}

/// Checks every solution by itself, and a sample of all answers against dancing links. How many of the sample.
fn verify(args: &Args, puzzles: &[Grid], answers: &Answers, engine: &str) -> Outcome<usize> {
    if args.run.verify.is_off() {
        return Ok(0);
    }
    let wrong = |row: usize, text: String| Failure::wrong_answer(format_args!("engine {engine}: puzzle {row}: {text}"));
    if let Some(solutions) = &answers.solutions {
        let bad = |row: usize| complaint(&puzzles[row], args.limit, answers.counts[row], &solutions[row]);
        let first = thalweg_core::parallel::find_first(puzzles.len(), 1 << 12, &|mut range| {
            range.find(|&row| bad(row).is_some())
        });
        if let Some(row) = first {
            return Err(wrong(row, bad(row).unwrap_or_default()));
        }
    }
    let options = Options { limit: args.limit, engine: Some(Engine::ExactCover) };
    // Dancing links take some 100 µs a puzzle and 10 µs a solution, a scan half a nanosecond an element.
    let cost = |row: usize| (1 << 18) + ((answers.counts[row] as usize) << 14);
    args.run.verify.check(puzzles.len(), &cost, &|row| {
        let mut want = match solve_with(&puzzles[row..=row], options) {
            Ok(want) => want,
            Err(error) => return Some(error.to_string()),
        };
        let (count, solution) = (want.counts[0], want.solutions.remove(0));
        let is_equal = answers.solutions.as_ref().is_none_or(|solutions| solutions[row] == solution);
        let complaint = match answers.counts[row] {
            found if found != count => Some(format!("{found} solutions, exact_cover counts {count}")),
            _ if !is_equal => Some("exact_cover has a smaller solution".to_owned()),
            _ => None,
        };
        complaint.map(|text| format!("engine {engine}: puzzle {row}: {text}"))
    })
}
