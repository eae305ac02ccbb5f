//! What the report shows of the answers.

use serde_json::{Value, json};
use thalweg::puzzle::sudoku::examples::EXAMPLES;
use thalweg::puzzle::sudoku::{Grid, draw, text};
use thalweg_cli::numbers::show_count;

use crate::commands::report::Table;
use crate::commands::summary::Summary;

/// How many puzzles have no, one and several solutions.
pub fn totals(summary: &mut Summary, counts: &[u32], limit: u32) {
    let with = |wanted: &dyn Fn(u32) -> bool| counts.iter().filter(|&&count| wanted(count)).count();
    let (none, one, several) = (with(&|count| count == 0), with(&|count| count == 1), with(&|count| count > 1));
    let text = match limit {
        1 => format!("{} with solutions, {} without", show_count(one), show_count(none)),
        _ => {
            let (one, several, none) = (show_count(one), show_count(several), show_count(none));
            format!("{one} with one solution, {several} with several, {none} with none")
        }
    };
    summary.line("found", text);
    summary.value("found", json!({"none": none, "one": one, "several": several}));
}

/// The first few answers.
pub fn table(summary: &mut Summary, counts: &[u32], solutions: Option<&[Grid]>) {
    let row = |(i, &count): (usize, &u32)| {
        let mut row = vec![Value::from(i), Value::from(count)];
        row.extend(solutions.map(|solutions| Value::from(text::lines(&solutions[i..=i]).trim_end())));
        row
    };
    let mut columns = vec!["puzzle", "count"];
    columns.extend(solutions.map(|_| "solution"));
    summary.answers(&Table::first(columns, counts.iter().enumerate().map(row), counts.len()));
}

/// The last of the known puzzles, and its solution beside it.
pub fn picture(summary: &mut Summary, puzzles: &[Grid], solutions: &[Grid]) {
    let last = EXAMPLES.len() - 1;
    summary.plain(format_args!("\n{}", EXAMPLES[last].name));
    for (left, right) in draw(&puzzles[last]).lines().zip(draw(&solutions[last]).lines()) {
        summary.plain(format_args!("{left}   {right}"));
    }
}
