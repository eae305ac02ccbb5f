//! `thalweg-bench sudoku --device gpu`.

use thalweg::gpu::puzzle::sudoku::{DeviceSolved, solve, solve_into, upload};
use thalweg::puzzle::sudoku::{Engine, Options, Solved};
use thalweg_cli::failure::Outcome;
use thalweg_data::SudokuKind;

use super::{Gpu, race_on_host, row};
use crate::bench::{Bench, Case, Common, Selection, drive};
use crate::cases::sudoku::{What, check};
use crate::columns::{self, table};
use crate::report::{Adapter, Row};
use crate::table::short;
use crate::timing::time;

/// Runs the benchmark.
pub fn run(common: &Common, engines: &[String], what: What) -> Outcome {
    let gpu = Gpu::open(&common.device)?;
    let attempt =
        |engine| solve_into(&gpu.device, &[[0; 81]], Options { limit: 1, engine: Some(engine) }, &mut [0], None);
    Selection::parse(engines, Engine::ALL)?.on_device(attempt)?;
    drive(&GpuSudoku { gpu, what }, common)
}

struct GpuSudoku {
    gpu: Gpu,
    what: What,
}

impl Bench for GpuSudoku {
    const NAME: &'static str = "sudoku";
    const SIZES: &'static [usize] = &[1 << 20];
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
        let (device, limit, engine) = (&self.gpu.device, self.what.limit, Engine::Bands.name());
        let who = format!("{engine} on {}, {}", device.name(), case.title());
        let mut rows = Vec::new();

        let there = upload(device, &puzzles)?;
        for (what, solutions) in [("solve", true), ("count", false)] {
            let check = |solved: &DeviceSolved| {
                let mut found = expected.clone();
                solved.download(&mut found.counts, solutions.then_some(&mut found.solutions[..]))?;
                check(&who, &expected, &found)
            };
            let row = self.gpu.time(case, (what, engine), case.n, || solve(&there, limit, solutions), check)?;
            rows.push(Row { default: true, ..row });
        }
        drop(there);

        let options = Options { limit, engine: None };
        let mut solved = expected.clone();
        let timings = race_on_host(case, "host to host", 1, |_| {
            let Solved { counts, solutions } = &mut solved;
            let (took, done) = time(|| solve_into(device, &puzzles, options, counts, Some(solutions)));
            done?;
            check(&who, &expected, &solved)?;
            Ok(took)
        })?;
        rows.push(Row { default: true, ..row(case, "host_to_host", engine).timed(timings[0], case.n) });
        Ok(rows)
    }

    fn adapter(&self) -> Option<Adapter> {
        Some(self.gpu.describe())
    }

    fn tables(&self, rows: &[Row]) -> String {
        let columns = [
            columns::what("Sudokus").together(),
            columns::engine("engine"),
            columns::ms(),
            columns::ns("ns/puzzle"),
            columns::number("million/s", |row| short(1e3 / row.ns_per_item)),
        ];
        table(rows, columns).to_string()
    }

    fn panel(row: &Row) -> Option<String> {
        Some(row.what.into())
    }

    fn how_to_read(&self) -> String {
        format!(
            "Solutions were counted up to {}. All counts and solutions were compared with the CPU's, whose solutions were\n\
             checked. solve: counts and smallest solutions, by the device's clock, the puzzles being there; count: counts\n\
             alone; host to host: solve with the way of puzzles and answers, by the host's clock.",
            self.what.limit
        )
    }
}
