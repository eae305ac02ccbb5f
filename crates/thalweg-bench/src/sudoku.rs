//! `thalweg-bench sudoku`: batches of puzzles.

use std::hint::black_box;

use rayon::prelude::*;
use thalweg::Device;
use thalweg::puzzle::sudoku::{Builder, Engine, Grid, Solved, is_solution};
use thalweg_cli::failure::Outcome;
use thalweg_data::SudokuKind;

use crate::bench::{Bench, Case, Common, Selection, drive, on_gpu};
use crate::cases::sudoku::{What, check};
use crate::columns::{self, table};
use crate::report::Row;
use crate::table::short;
use crate::timing::time;

/// Sudokus: how many solutions, up to a limit, and the smallest
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    what: What,
    /// Engines to time, or all
    #[arg(long, num_args = 1.., value_delimiter = ',', default_value = "all")]
    engine: Vec<String>,
}

/// Dancing links take part up to this number of puzzles, unless they are named.
const SLOW: usize = 1 << 12;
/// The peer writes as many solutions as it counts; up to this limit it takes part.
const PEERS_LIMIT: u32 = 1 << 12;
/// Puzzles that a thread gives to the peer at a time.
const PEERS_TASK: usize = 256;

/// Runs the benchmark.
pub fn run(args: Args) -> Outcome {
    on_gpu!(args.common, crate::gpu::sudoku::run(&args.common, &args.engine, args.what));
    let selection = Selection::parse(&args.engine, Engine::ALL)?;
    drive(&SudokuBench { selection, what: args.what }, &args.common)
}

struct SudokuBench {
    selection: Selection<Engine>,
    what: What,
}

/// Who takes part.
#[derive(Clone, Copy, PartialEq)]
enum Entrant {
    Ours(Engine),
    /// The crate `sudoku`, a puzzle at a time, on all threads.
    Sudoku,
}

impl Entrant {
    fn name(self) -> &'static str {
        match self {
            Self::Ours(engine) => engine.name(),
            Self::Sudoku => "sudoku",
        }
    }
}

impl SudokuBench {
    fn entrants(&self, case: &mut Case<'_>) -> Vec<Entrant> {
        let mut entrants = Vec::new();
        for &engine in &self.selection.engines {
            if engine == Engine::ExactCover && case.n > SLOW && !self.selection.named {
                case.skip(engine.name(), "takes long (name it to wait for it)");
            } else {
                entrants.push(Entrant::Ours(engine));
            }
        }
        match case.common.peers {
            true if self.what.limit > PEERS_LIMIT => {
                case.skip(Entrant::Sudoku.name(), format_args!("has to write all solutions, more than {PEERS_LIMIT}"));
            }
            true => entrants.push(Entrant::Sudoku),
            false => {}
        }
        entrants
    }

    /// What the peer makes of puzzles: counts, and one of the solutions.
    fn peer(&self, puzzles: &[Grid], solved: &mut Solved) {
        let answers = solved.counts.par_chunks_mut(PEERS_TASK).zip(solved.solutions.par_chunks_mut(PEERS_TASK));
        puzzles.par_chunks(PEERS_TASK).zip(answers).for_each(|(puzzles, (counts, solutions))| {
            let mut found = vec![[0; 81]; self.what.limit as usize];
            for ((puzzle, count), solution) in puzzles.iter().zip(counts).zip(solutions) {
                let Ok(puzzle) = sudoku::Sudoku::from_bytes(*puzzle) else { continue };
                *count = puzzle.solutions_up_to_buffer(&mut found, self.what.limit as usize) as u32;
                *solution = if *count > 0 { found[0] } else { [0; 81] };
            }
        });
    }
}

impl Bench for SudokuBench {
    const NAME: &'static str = "sudoku";
    const SIZES: &'static [usize] = &[100_000];
    const UNIT: &'static str = "ns per puzzle";
    const DTYPES: &'static [&'static str] = &["u8"];
    const DEFAULT_DTYPE: &'static str = "u8";
    const DEFAULT_KIND: &'static str = "seventeen";

    fn kinds() -> Vec<&'static str> {
        SudokuKind::ALL.iter().map(|kind| kind.name()).collect()
    }

    fn run(&self, _dtype: &str, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        let puzzles = self.what.puzzles(case)?;
        let expected = self.what.expected(case, &puzzles)?;
        let entrants = self.entrants(case);
        let mut solved = expected.clone();
        let mut rows = Vec::new();
        for pool in case.pools {
            let timings = case.race(pool, "solve", entrants.len(), |i| {
                let who = format!("{} on {}", entrants[i].name(), case.title());
                match entrants[i] {
                    Entrant::Ours(engine) => {
                        let builder = Builder::new().device(Device::Cpu).engine(engine).limit(self.what.limit);
                        let Solved { counts, solutions } = &mut solved;
                        let (took, answer) = time(|| builder.solve_into(black_box(&puzzles), counts, Some(solutions)));
                        answer?;
                        check(&who, &expected, &solved)?;
                        Ok(took)
                    }
                    Entrant::Sudoku => {
                        let (took, ()) = time(|| self.peer(black_box(&puzzles), &mut solved));
                        crate::check::equal(&who, "count", &expected.counts, &solved.counts, |&count| count)?;
                        // Any solution will do.
                        let is_right =
                            |i: usize| solved.counts[i] == 0 || is_solution(&puzzles[i], &solved.solutions[i]);
                        match (0..puzzles.len()).into_par_iter().find_first(|&i| !is_right(i)) {
                            Some(i) => crate::check::wrong(&who, format_args!("no solution of puzzle {i}")),
                            None => Ok(took),
                        }
                    }
                }
            })?;
            for (&entrant, timing) in entrants.iter().zip(timings) {
                let mut row = case.row(pool, "solve", entrant.name()).timed(timing, case.n);
                row.peer = entrant == Entrant::Sudoku;
                row.default = entrant == Entrant::Ours(Engine::default());
                rows.push(row);
            }
        }
        Ok(rows)
    }

    fn tables(&self, rows: &[Row]) -> String {
        let columns = [
            columns::engine("engine"),
            columns::threads(),
            columns::ms(),
            columns::number("µs/puzzle", |row| short(row.ns_per_item / 1e3)),
            columns::number("fastest", |row| short(row.min_ns / row.items.max(1) as f64 / 1e3)),
            columns::versus("vs sudoku"),
        ];
        table(rows, columns).to_string()
    }

    fn panel(_row: &Row) -> Option<String> {
        Some("Sudokus".into())
    }

    fn how_to_read(&self) -> String {
        format!(
            "Solutions were counted up to {}. All counts were compared, ours and the peer's, and every solution was\n\
             checked. fastest: µs a puzzle of the fastest run. Above 1x is faster than the crate sudoku, which solves one\n\
             puzzle after the other, here on all threads, and tells any solution; ours is the smallest.",
            self.what.limit
        )
    }
}
