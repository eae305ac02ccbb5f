//! Reports of commands that have little in common: lines and values, one after the other.

use std::fmt::{Display, Write};
use std::time::Duration;

use serde_json::{Map, Value, json};
use thalweg::Chosen;
use thalweg::rmq::file::Header;
use thalweg_cli::budget::Budget;
use thalweg_cli::device::DeviceArgs;
use thalweg_cli::failure::Outcome;
use thalweg_cli::memory;
use thalweg_cli::numbers::{show_bytes, show_count, show_each, show_seconds};
use thalweg_cli::output;

use super::Run;
use super::report::{Memory, Speed, Table, show_place};
use super::threads;
use super::verify::checked;

/// How to run and what to tell
#[derive(clap::Args)]
#[command(next_help_heading = "Running")]
pub struct BareRunArgs {
    /// Number of threads (default: one per logical core)
    #[arg(long, value_parser = threads::parse_threads)]
    threads: Option<usize>,

    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,

    /// Say on stderr what is chosen and why, and where the time went
    #[arg(short, long)]
    verbose: bool,
}

impl BareRunArgs {
    /// As [`Run::start`].
    pub fn start(&self, device: Option<&DeviceArgs>) -> Outcome<Run> {
        Run::with(self.threads, self.verbose, false, device)
    }
}

/// What a command has to tell: a line for people and a value for programs each.
pub struct Summary {
    text: String,
    json: Map<String, Value>,
}

impl Summary {
    pub fn new(problem: &'static str) -> Self {
        let mut json = Map::new();
        json.insert("version".to_owned(), env!("CARGO_PKG_VERSION").into());
        json.insert("problem".to_owned(), problem.into());
        Self { text: String::new(), json }
    }

    /// What follows a list that was printed as it came, between [`Summary::print_open`] and [`Summary::print_close`].
    pub fn rest() -> Self {
        Self { text: String::new(), json: Map::new() }
    }

    /// A line for people.
    pub fn line(&mut self, name: &str, text: impl Display) {
        writeln!(self.text, "{name:<9}{text}").expect("writing to a string does not fail");
    }

    /// A line without a name.
    pub fn plain(&mut self, text: impl Display) {
        writeln!(self.text, "{text}").expect("writing to a string does not fail");
    }

    /// A value for programs.
    pub fn value(&mut self, key: &str, value: impl Into<Value>) {
        self.json.insert(key.to_owned(), value.into());
    }

    /// Who has answered, and where. `how` is more about it, in parentheses, or nothing.
    pub fn answered(&mut self, chosen: &Chosen, threads: usize, how: &str) {
        let how = if how.is_empty() { String::new() } else { format!(" ({how})") };
        self.line("engine", format_args!("{}{how}, {}", chosen.engine(), show_place(chosen.device(), threads)));
        self.value("engine", chosen.engine());
        self.value("device", chosen.device());
        self.value("threads", threads);
    }

    /// The stages' times, and their sum over the bytes of the text.
    pub fn stages(&mut self, stages: &[(&'static str, f64)], bytes: usize) {
        let total: f64 = stages.iter().map(|(_, seconds)| seconds).sum();
        let parts: Vec<String> = stages.iter().map(|(name, s)| format!("{name} {}", show_seconds(*s))).collect();
        let each = show_each(total, bytes, "byte");
        self.line("time", format_args!("{}, {each}: {}", show_seconds(total), parts.join(", ")));
        self.value("seconds", total);
        let list: Vec<Value> = stages.iter().map(|(name, s)| json!({"stage": name, "seconds": s})).collect();
        self.value("stages", list);
    }

    /// How much memory was held under a limit.
    pub fn memory(&mut self, budget: &Budget) {
        let peak = memory::peak();
        let held = peak.map_or_else(String::new, |peak| format!("{} held at most, of ", show_bytes(peak)));
        self.line("memory", format_args!("{held}{}", show_bytes(budget.limit as u64)));
        self.value("memory", json!({"limit_bytes": budget.limit, "peak_bytes": peak}));
    }

    /// What an index takes in its file.
    pub fn index_size(&mut self, header: &Header) {
        let with_array = header.section("array").is_some();
        let bits = Memory::new(header.index_bytes() as usize, header.len).bits_per_element;
        let with = if with_array { "and the array" } else { "without the array" };
        self.line("size", format_args!("{}, {bits:.2} bits/element, {with}", show_bytes(header.index_bytes())));
        self.value("index_bytes", header.index_bytes());
        self.value("bits_per_element", bits);
        self.value("with_array", with_array);
    }

    /// How long the answers took, of which each is a `thing`.
    pub fn speed(&mut self, time: Duration, count: usize, thing: &'static str) {
        let seconds = time.as_secs_f64();
        self.line("answer", format_args!("{}, {}", show_seconds(seconds), show_each(seconds, count, thing)));
        self.value("seconds", seconds);
        self.value("answer", json!(Speed::new(time, count, thing)));
    }

    /// How many things of all were checked, and what is known of them then.
    pub fn verified(&mut self, rows: usize, of: usize, thing: &str, known: &str) {
        let known = if rows == 0 { String::new() } else { format!(": {known}") };
        self.line("verify", format_args!("{}{known}", checked(rows, of, thing)));
        self.value("verified", rows);
    }

    /// A file that was written.
    pub fn written(&mut self, file: &str, bytes: usize) {
        self.line("written", format_args!("{file}: {}", show_bytes(bytes as u64)));
        self.note_output(json!({"file": file, "bytes": bytes}));
    }

    /// The same for a file of so many elements of a type.
    pub fn written_elements(&mut self, file: &str, count: usize, dtype: &str) {
        self.line("written", format_args!("{file}: {} x {dtype}", show_count(count)));
        self.note_output(json!({"file": file, "count": count, "dtype": dtype}));
    }

    /// A file that was written, for programs.
    pub fn note_output(&mut self, output: Value) {
        let list = self.json.entry("outputs").or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(list) = list {
            list.push(output);
        }
    }

    /// A table for people.
    pub fn table(&mut self, table: &Table) {
        table.to_text(&mut self.text).expect("writing to a string does not fail");
    }

    /// The first answers, for people and for programs.
    pub fn answers(&mut self, table: &Table) {
        self.table(table);
        self.value("answers", json!(table));
    }

    /// Prints it on stdout, or on stderr when stdout carries results.
    pub fn print(mut self, json: bool, to_stderr: bool) -> Outcome {
        self.json.entry("outputs").or_insert_with(|| Value::Array(Vec::new()));
        let text = if json { Value::Object(self.json).to_string() + "\n" } else { self.text };
        output::print(&text, to_stderr)
    }

    /// Prints the JSON as far as the opening bracket of a list that is too long to be kept.
    pub fn print_open(self, list: &str) -> Outcome {
        let text = Value::Object(self.json).to_string();
        output::print(&format!("{},\"{list}\":[", text.strip_suffix('}').unwrap_or(&text)), false)
    }

    /// Prints the rest of the JSON behind such a list.
    pub fn print_close(self) -> Outcome {
        let text = Value::Object(self.json).to_string();
        output::print(&format!("],{}\n", text.strip_prefix('{').unwrap_or(&text)), false)
    }
}
