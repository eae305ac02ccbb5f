//! `thalweg sudoku --gen`: puzzles with one solution.

use serde_json::json;
use thalweg::puzzle::sudoku::generate;
use thalweg_cli::failure::Outcome;
use thalweg_cli::input::puzzles;
use thalweg_cli::memory;
use thalweg_cli::numbers::counted;
use thalweg_cli::output::{self, Output};

use super::Args;
use crate::commands::Run;
use crate::commands::report::timed;
use crate::commands::summary::Summary;

/// Makes puzzles and writes them.
pub fn run(args: &Args, run: Run, count: usize, out: Option<Output>, text: bool) -> Outcome {
    memory::require(count.saturating_mul(81), "the puzzles")?;
    run.progress.stage("making");
    let (made, time) = timed(|| generate(count, args.seed));
    let made = made?;
    let mut summary = Summary::new("sudoku");
    let clues = made.as_flattened().iter().filter(|&&cell| cell != 0).count() as f64 / count.max(1) as f64;
    let puzzles = counted(count, "puzzle");
    summary.line("made", format_args!("{puzzles} with one solution, {clues:.1} clues on average"));
    summary.value("made", json!({"count": count, "seed": args.seed, "clues": clues}));
    summary.speed(time, count, "puzzle");
    summary.value("threads", run.threads);
    if let Some(mut out) = out {
        let what = puzzles::write(&made, text, &mut out, &run.progress)?;
        summary.written_elements(&out.name, count, what);
        output::commit([out])?;
    }
    let stdout_taken = run.stdout_taken;
    drop(run);
    summary.print(args.run.json, stdout_taken)
}
