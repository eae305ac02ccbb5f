//! Questions for paths: from `.npy`, from Moving AI's `.scen` files, or generated.

use std::path::PathBuf;

use thalweg::Error;
use thalweg::graph::path::moving_ai::{Scenario, read_scenarios};
use thalweg::graph::path::{Grid, Query};
use thalweg_data::grid_queries;

use super::{Bytes, EmptyArgs, Loaded, integers, name_of, queries};
use crate::dtype::DType;
use crate::failure::{Failure, Outcome};
use crate::format::{is_named, unpacked};
use crate::memory;
use crate::numbers::{parse_count, show_count};

/// Where the queries come from
#[derive(clap::Args)]
#[command(next_help_heading = "Queries")]
pub struct RouteArgs {
    /// Row and column of the start, row and column of the goal: integers of shape (q, 4); or .scen of Moving AI's
    /// benchmark, whose lengths are compared; generated if left out
    #[arg(long, value_name = "FILE")]
    pub queries: Option<PathBuf>,

    /// Type of raw queries: rows of four of this in a file that is not .npy [default: i64]
    #[arg(long, value_name = "TYPE", value_parser = DType::from_option, requires = "queries",
        conflicts_with = "count")]
    pub query_dtype: Option<DType>,

    #[command(flatten)]
    empty: EmptyArgs,

    /// Number of queries to generate
    #[arg(long, value_parser = parse_count, default_value = "1000", conflicts_with = "queries")]
    pub count: usize,
}

/// Where questions stand.
enum Source {
    /// In a file of rows or of lines.
    File(Loaded),
    /// In a file of scenarios, each of which knows its line.
    Scenarios,
    /// Nowhere.
    Made,
}

/// Questions, and where they come from.
pub struct Routes {
    /// The questions.
    pub queries: Vec<Query>,
    /// What a scenario tells of each.
    pub scenarios: Option<Vec<Scenario>>,
    /// The file's name, or that they are generated.
    pub origin: String,
    /// What they are and how they were taken, for `--verbose`.
    pub description: String,
    source: Source,
}

impl RouteArgs {
    /// Reads the file, or makes questions on the grid.
    pub fn open(&self, grid: &Grid, seed: u64) -> Outcome<Routes> {
        let Some(path) = &self.queries else { return self.generated(grid, seed) };
        let name = name_of(path);
        if is_named(&unpacked(path).1, "scen") {
            let bytes = Bytes::open(path, &name)?;
            let scenarios = read_scenarios(bytes.get()).map_err(|error| Failure::at(&name, error))?;
            if let Some(Scenario { line, size: [rows, cols], .. }) =
                scenarios.iter().find(|scenario| scenario.size != [grid.rows(), grid.cols()])
            {
                let [found, wanted] = [[*rows, *cols], [grid.rows(), grid.cols()]].map(|[h, w]| format!("{w} x {h}"));
                let text = format_args!("line {line}: for a map of {found} cells, but the map has {wanted}");
                return Err(Failure::at(&name, text));
            }
            let queries = scenarios.iter().map(|scenario| scenario.query).collect();
            let description = format!("{name}, {} scenarios of Moving AI", show_count(scenarios.len()));
            return Ok(Routes {
                queries,
                scenarios: Some(scenarios),
                origin: name,
                description,
                source: Source::Scenarios,
            });
        }
        let file = queries::open(path, self.query_dtype, DType::I64, 4, self.empty)?;
        let rows = integers::cells(&file)?;
        let queries = rows.into_iter().map(|[a, b, c, d]| Query::new([a, b], [c, d])).collect();
        let description = file.describe(false);
        Ok(Routes { queries, scenarios: None, origin: name, description, source: Source::File(file) })
    }

    fn generated(&self, grid: &Grid, seed: u64) -> Outcome<Routes> {
        let queries = make(grid, self.count, seed)?;
        let queries = queries.into_iter().map(|[a, b, c, d]| Query::new([a, b], [c, d])).collect();
        let description = format!("no --queries, so {} are generated", show_count(self.count));
        let origin = format!("anywhere, seed {seed}");
        Ok(Routes { queries, scenarios: None, origin, description, source: Source::Made })
    }
}

/// Questions between free cells of a grid.
pub fn make(grid: &Grid, count: usize, seed: u64) -> Outcome<Vec<[u32; 4]>> {
    if grid.is_empty() && count > 0 {
        return Err(Failure::new("an empty map has no cells to ask for (--count 0 asks for none)"));
    }
    memory::require(count.saturating_mul(16), "the queries")?;
    let is_free = |cell: usize| grid.is_free(cell / grid.cols(), cell % grid.cols());
    Ok(grid_queries(grid.rows(), grid.cols(), is_free, count, seed))
}

impl Routes {
    /// Puts the file's name and the place in front of what the library says of a query.
    pub fn failure(&self, error: Error) -> Failure {
        match error {
            Error::OffGrid { row, cell: [r, c], size: [rows, cols] } if !matches!(self.source, Source::Made) => {
                let place = self.place(row);
                let text = format_args!("{place}: there is no row {r}, column {c} on a map of {rows} x {cols} cells");
                Failure::at(&self.origin, text)
            }
            error => error.into(),
        }
    }

    /// Where a query stands in its file.
    pub fn place(&self, query: usize) -> String {
        match (&self.source, &self.scenarios) {
            (Source::File(file), _) => file.place(query),
            (_, Some(scenarios)) => format!("line {}", scenarios[query].line),
            _ => format!("row {query}"),
        }
    }
}
