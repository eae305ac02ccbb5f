//! Reports of commands that have little in common: lines and values, one after the other.

use std::fmt::{Display, Write};

use serde_json::{Map, Value, json};
use thalweg::Chosen;
use thalweg::rmq::file::Header;
use thalweg_cli::failure::Outcome;
use thalweg_cli::numbers::{show_bytes, show_seconds};
use thalweg_cli::output;

use super::Run;
use super::report::{Memory, Table, show_place};
use super::threads;

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

    /// Say on stderr what is chosen and why
    #[arg(short, long)]
    verbose: bool,
}

impl BareRunArgs {
    pub fn start(&self) -> Outcome<Run> {
        Run::with(self.threads, self.verbose, false)
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
        let each = total * 1e9 / bytes.max(1) as f64;
        self.line("time", format_args!("{}, {each:.1} ns/byte: {}", show_seconds(total), parts.join(", ")));
        self.value("seconds", total);
        let list: Vec<Value> = stages.iter().map(|(name, s)| json!({"stage": name, "seconds": s})).collect();
        self.value("stages", list);
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

    /// A file that was written.
    pub fn written(&mut self, file: &str, bytes: usize) {
        self.line("written", format_args!("{file}: {}", show_bytes(bytes as u64)));
        let list = self.json.entry("outputs").or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(list) = list {
            list.push(json!({"file": file, "bytes": bytes}));
        }
    }

    /// A table for people.
    pub fn table(&mut self, table: &Table) {
        table.to_text(&mut self.text).expect("writing to a string does not fail");
    }

    /// Prints it on stdout, or on stderr when stdout carries results.
    pub fn print(self, json: bool, to_stderr: bool) -> Outcome {
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
