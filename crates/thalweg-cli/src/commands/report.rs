//! The report after the work: what was built, how fast, how much memory, what was checked, a few answers. For people
//! or, with `--json`, for programs.

use std::fmt::Write;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::Value;
use thalweg_cli::budget::Budget;
use thalweg_cli::failure::Outcome;
use thalweg_cli::memory;
use thalweg_cli::numbers::{counted, show_bytes, show_count, show_each, show_seconds};
use thalweg_cli::output;

use super::verify::Verified;

/// Rows of answers that are shown.
pub const SHOWN: usize = 5;

/// Everything that is worth telling about a run.
#[derive(Serialize)]
pub struct Report {
    pub version: &'static str,
    pub problem: &'static str,
    /// What the data is called: `array`, `list` or `forest`.
    #[serde(skip)]
    pub data: &'static str,
    pub array: Data,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queries: Option<Data>,
    /// `min` or `max`, or the relation of ANSV.
    pub asked: String,
    pub engine: &'static str,
    /// `cpu`, or the adapter's name.
    pub device: String,
    pub threads: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<Open>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build: Option<Speed>,
    pub answer: Speed,
    pub memory: Memory,
    #[serde(flatten)]
    pub verified: Verified,
    pub outputs: Vec<Written>,
    pub answers: Table,
}

/// An array or a batch of queries.
#[derive(Serialize)]
pub struct Data {
    pub origin: String,
    pub count: usize,
    pub dtype: &'static str,
}

/// How an index came out of its file.
#[derive(Serialize)]
pub struct Open {
    pub seconds: f64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Whether the checksums were compared. They were equal, or there would be no report.
    pub checked: bool,
}

/// How long something took.
#[derive(Serialize)]
pub struct Speed {
    pub seconds: f64,
    pub unit: &'static str,
    /// Nanoseconds per unit; 0 if there were none.
    pub ns_per_unit: f64,
    #[serde(skip)]
    count: usize,
}

/// Memory in addition to the array and the answers.
#[derive(Serialize)]
pub struct Memory {
    pub extra_bytes: usize,
    /// Per element of the array; 0 if it is empty.
    pub bits_per_element: f64,
    /// With a limit, the limit ...
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit_bytes: Option<usize>,
    /// ... and the most that the process has held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_bytes: Option<u64>,
}

/// A file that was written.
#[derive(Serialize)]
pub struct Written {
    pub file: String,
    pub count: usize,
    pub dtype: &'static str,
}

/// A small table.
#[derive(Default, Serialize)]
pub struct Table {
    columns: Vec<&'static str>,
    rows: Vec<Vec<Value>>,
    /// How many rows these are: the first ones ...
    first: usize,
    /// ... of so many.
    of: usize,
}

/// Runs `f` and returns how long it took.
pub fn timed<T>(f: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = f();
    (result, start.elapsed())
}

/// Where the work was done: on so many threads of the CPU, or on an adapter.
pub fn show_place(device: &str, threads: usize) -> String {
    match (device, threads) {
        ("cpu", threads) => counted(threads, "thread"),
        (device, _) => device.to_owned(),
    }
}

impl Speed {
    pub fn new(time: Duration, count: usize, unit: &'static str) -> Self {
        let seconds = time.as_secs_f64();
        Self { seconds, unit, ns_per_unit: if count == 0 { 0.0 } else { seconds * 1e9 / count as f64 }, count }
    }
}

impl Memory {
    pub fn new(extra_bytes: usize, elements: usize) -> Self {
        let bits_per_element = if elements == 0 { 0.0 } else { extra_bytes as f64 * 8.0 / elements as f64 };
        Self { extra_bytes, bits_per_element, limit_bytes: None, peak_bytes: None }
    }

    /// The same under a limit.
    pub fn within(self, budget: &Budget) -> Self {
        Self { limit_bytes: Some(budget.limit), peak_bytes: memory::peak(), ..self }
    }
}

impl Report {
    /// Prints the report on stdout, or on stderr when stdout carries results.
    pub fn print(&self, json: bool, to_stderr: bool) -> Outcome {
        let text = if json {
            serde_json::to_string(self).expect("a report is plain data") + "\n"
        } else {
            self.to_text().expect("writing to a string does not fail")
        };
        output::print(&text, to_stderr)
    }

    fn to_text(&self) -> Result<String, std::fmt::Error> {
        let mut text = String::new();
        let mut data = |name: &str, data: &Data| {
            writeln!(text, "{name:<9}{} x {} ({})", show_count(data.count), data.dtype, data.origin)
        };
        data(self.data, &self.array)?;
        if let Some(queries) = &self.queries {
            data("queries", queries)?;
        }
        let place = show_place(&self.device, self.threads);
        writeln!(text, "{:<9}{} ({}), {place}", "engine", self.engine, self.asked)?;
        if let Some(Open { seconds, bytes, checked }) = &self.open {
            let how = if *checked { "checksums as written" } else { "checksums not compared" };
            writeln!(text, "{:<9}{}, {}, {how}", "open", show_seconds(*seconds), show_bytes(*bytes))?;
        }
        let mut speed = |name: &str, speed: &Speed| {
            let Speed { seconds, unit, count, .. } = speed;
            writeln!(text, "{name:<9}{}, {}", show_seconds(*seconds), show_each(*seconds, *count, unit))
        };
        if let Some(build) = &self.build {
            speed("build", build)?;
        }
        speed("answer", &self.answer)?;
        let Memory { extra_bytes, bits_per_element, limit_bytes, peak_bytes } = self.memory;
        write!(text, "{:<9}{} extra, {bits_per_element:.2} bits/element", "memory", show_bytes(extra_bytes as u64))?;
        if let (Some(limit), Some(peak)) = (limit_bytes, peak_bytes) {
            write!(text, ", {} held at most, of {}", show_bytes(peak), show_bytes(limit as u64))?;
        }
        text.push('\n');
        writeln!(text, "{:<9}{}", "verify", self.verified)?;
        for Written { file, count, dtype } in &self.outputs {
            writeln!(text, "{:<9}{file}: {} x {dtype}", "written", show_count(*count))?;
        }
        self.answers.to_text(&mut text)?;
        Ok(text)
    }
}

impl Table {
    /// The first few of `of` rows.
    pub fn first(columns: Vec<&'static str>, rows: impl IntoIterator<Item = Vec<Value>>, of: usize) -> Self {
        let rows: Vec<_> = rows.into_iter().take(SHOWN).collect();
        Self { columns, first: rows.len(), rows, of }
    }

    /// All rows.
    pub fn whole(columns: Vec<&'static str>, rows: Vec<Vec<Value>>) -> Self {
        let of = rows.len();
        Self { columns, rows, first: of, of }
    }

    /// Appends the table, after an empty line, unless it has no rows.
    pub fn to_text(&self, text: &mut String) -> std::fmt::Result {
        if self.rows.is_empty() {
            return Ok(());
        }
        let cells: Vec<Vec<String>> = self.rows.iter().map(|row| row.iter().map(cell).collect()).collect();
        let width = |column: usize| {
            let cells = cells.iter().map(|row| row[column].chars().count());
            cells.max().unwrap_or(0).max(self.columns[column].len())
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        text.push('\n');
        if self.first < self.of {
            writeln!(text, "first {} of {}", show_count(self.first), show_count(self.of))?;
        }
        let mut line = |row: &mut dyn Iterator<Item = &str>| {
            for (cell, &width) in row.zip(&widths) {
                write!(text, "  {cell:>width$}")?;
            }
            writeln!(text)
        };
        line(&mut self.columns.iter().copied())?;
        for row in &cells {
            line(&mut row.iter().map(String::as_str))?;
        }
        Ok(())
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
