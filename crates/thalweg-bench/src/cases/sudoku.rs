//! Puzzles and their right solutions.

use std::path::PathBuf;

use rayon::prelude::*;
use thalweg::Device;
use thalweg::puzzle::sudoku::{Builder, Grid, Solved};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::puzzles::Puzzles;
use thalweg_cli::memory;
use thalweg_data::SudokuKind;
use thalweg_data::sudokus::complaint;

use crate::bench::Case;

/// What is asked of which puzzles.
#[derive(Clone, clap::Args)]
pub struct What {
    /// Puzzles of a file, again and again as far as n says, instead of made ones
    #[arg(long, value_name = "FILE", conflicts_with = "kind")]
    puzzles: Option<PathBuf>,
    /// Count solutions up to here
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
}

impl What {
    /// The puzzles of a case.
    pub fn puzzles(&self, case: &mut Case<'_>) -> Outcome<Vec<Grid>> {
        memory::require(case.n.saturating_mul(4 * 85), &case.title())?;
        let Some(path) = &self.puzzles else {
            let kind = SudokuKind::ALL.iter().find(|kind| kind.name() == case.kind);
            return Ok(kind.expect("the names have been compared").make(case.n, case.common.seed));
        };
        case.kind = "file";
        let file = Puzzles::open(path)?;
        let puzzles = file.get()?;
        if puzzles.is_empty() {
            return Err(Failure::at(&file.name, "no puzzles"));
        }
        Ok(puzzles.iter().cycle().take(case.n).copied().collect())
    }

    /// The right answers: the default engine's on the CPU, of which every solution was checked by itself.
    pub fn expected(&self, case: &Case<'_>, puzzles: &[Grid]) -> Outcome<Solved> {
        let solved = Builder::new().device(Device::Cpu).limit(self.limit).solve(puzzles)?.into_inner();
        let bad = |row: usize| complaint(&puzzles[row], self.limit, solved.counts[row], &solved.solutions[row]);
        match (0..puzzles.len()).into_par_iter().find_first(|&row| bad(row).is_some()) {
            None => Ok(solved),
            Some(row) => {
                let text = format!("puzzle {row}: {}", bad(row).unwrap_or_default());
                crate::check::wrong(&format!("the default on {}", case.title()), text)
            }
        }
    }
}

/// Compares answers with the right ones.
pub fn check(who: &str, expected: &Solved, solved: &Solved) -> Outcome {
    crate::check::equal(who, "count", &expected.counts, &solved.counts, |&count| count)?;
    crate::check::equal(who, "solution", &expected.solutions, &solved.solutions, |&grid| grid)
}
