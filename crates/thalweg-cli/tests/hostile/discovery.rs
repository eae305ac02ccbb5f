//! How every command is started with small data: found out, not written down.
//!
//! A command is tried with few elements (counts whose default is large are given) and a new name for every file. A name
//! that it wants to read is an input; then files are tried that other commands wrote, `gen` first. A file that was not there
//! before is an output, and a file for later. Where the command says that an option needs another, or cannot stand beside it,
//! it is believed. So a new command is tried as soon as it is registered; where nothing that is known suits one of its
//! arguments, the test fails and names it.

use std::collections::BTreeMap;
use std::fs;
use std::sync::LazyLock;
use std::time::Instant;

use crate::pool::Pool;
use crate::runs::{Case, Folder};
use crate::tree::{Argument, Registered, registered};

/// Invocations that work, several for each command: as it is, and with every file that it can read or write.
pub static CASES: LazyLock<Vec<Case>> = LazyLock::new(discover);

/// Elements where a command would take hundreds or millions.
const FEW: &str = "60";

/// Values for what must have one and is no file.
const VALUES: [&str; 4] = ["a", "5", "8,8", "0..50"];

/// How names of results may have to end.
const ENDINGS: [&str; 3] = ["npy", "svg", "png"];

/// How often an option that was asked for may ask for another.
const DEPTH: usize = 3;

fn discover() -> Vec<Case> {
    let mut commands = registered();
    // What makes data first, and then what needs none.
    commands.sort_by_key(|command| (command.command[0] != "gen", command.arguments.iter().any(|a| a.is_required)));
    let mut pool = Pool::new();
    let mut found: Vec<Option<Found>> = commands.iter().map(|_| None).collect();
    // What one command writes may be what another waits for, so until nothing new is written.
    loop {
        let before = pool.len();
        for (command, found) in commands.iter().zip(&mut found) {
            if found.as_ref().is_none_or(|found| !found.missing.is_empty()) {
                *found = Some(Search { command, pool: &mut pool }.all());
            }
        }
        if pool.len() == before {
            break;
        }
    }
    let found: Vec<Found> = found.into_iter().flatten().collect();
    let missing: Vec<&str> = found.iter().flat_map(|found| &found.missing).map(String::as_str).collect();
    assert!(
        missing.is_empty(),
        "no way was found to start these with small data. Nothing that `thalweg gen` or another command writes suits \
        them: add a file in tests/hostile/pool.rs, or a value to VALUES in tests/hostile/discovery.rs.\n{}",
        missing.join("\n")
    );
    found.into_iter().flat_map(|found| found.cases).collect()
}

/// What is known of a command: cases that work, and arguments that nothing suits, with what was said of them last.
struct Found {
    cases: Vec<Case>,
    missing: Vec<String>,
}

struct Search<'s> {
    command: &'s Registered,
    pool: &'s mut Pool,
}

impl Search<'_> {
    fn all(&mut self) -> Found {
        let command = self.command;
        let name = command.command.join(" ");
        let mut words = command.command.clone();
        words.extend(command.arguments.iter().filter(|argument| is_large(argument)).flat_map(|a| a.with(FEW)));
        // Who serves until somebody ends it.
        if command.arguments.iter().any(|argument| argument.long.as_deref() == Some("for")) {
            words.extend(["--no-open", "--for", "0"].map(str::to_owned));
        }
        let base = match self.with_required(Case { words, inputs: BTreeMap::new(), outputs: Vec::new() }) {
            Ok(base) => base,
            Err(said) => return Found { cases: Vec::new(), missing: vec![format!("thalweg {name}: {said}")] },
        };
        let files = || command.arguments.iter().filter(|argument| argument.is_file && !argument.is_required);
        let (mut cases, mut missing) = (vec![base.clone()], Vec::new());
        for argument in files() {
            // Alone, or beside another file.
            let mut starts = vec![base.clone()];
            starts.extend(cases.iter().filter(|case| case.inputs.len() > base.inputs.len()).cloned());
            let mut said = String::new();
            let found = starts.iter().find_map(|start| self.add(start, argument, DEPTH).map_err(|e| said = e).ok());
            match found {
                Some(case) => cases.push(case),
                None => missing.push(format!("thalweg {name}, {}: {said}", argument.name)),
            }
        }
        Found { cases: self.quick(cases), missing }
    }

    /// The same results from a small file, where a command makes more by itself than is quickly done.
    fn quick(&mut self, cases: Vec<Case>) -> Vec<Case> {
        let mut seconds = |case: &Case| {
            let start = Instant::now();
            let _ = self.start(case);
            start.elapsed().as_secs_f64()
        };
        let base = seconds(&cases[0]);
        let mut from_file = cases.iter().filter(|case| case.inputs.len() > cases[0].inputs.len());
        let Some(small) = from_file.find(|case| base > 0.1 && seconds(case) < base / 4.0).cloned() else {
            return cases;
        };
        let mut quick = vec![small.clone()];
        for case in cases.into_iter().skip(1).filter(|case| case.words != small.words) {
            let own = |argument: &&Argument| case.words.contains(&argument.word());
            let added =
                self.command.arguments.iter().filter(|a| a.is_file && !small.words.contains(&a.word())).find(own);
            quick.push(added.and_then(|argument| self.add(&small, argument, DEPTH).ok()).unwrap_or(case));
        }
        quick
    }

    /// The case with all arguments that must be there: names of results at first, and then, for those that it wants to read,
    /// files that it has no objection to.
    fn with_required(&mut self, mut case: Case) -> Result<Case, String> {
        let required: Vec<&Argument> = self.command.arguments.iter().filter(|argument| argument.is_required).collect();
        for argument in &required {
            let name = self.result_name(argument, ENDINGS[0]);
            let value = argument.values.first().map_or(VALUES[0], String::as_str);
            case = with(&case, argument, if argument.is_file { &name } else { value });
            case.outputs.extend(argument.is_file.then_some(name));
        }
        let mut said = self.start(&case);
        for argument in required.iter().filter(|argument| argument.is_file) {
            let name = self.result_name(argument, ENDINGS[0]);
            if !said.as_ref().is_err_and(|said| is_missing(said, &name)) {
                continue;
            }
            for file in self.pool.for_argument(argument) {
                let mut tried = Case { words: case.with_name(&name, &file.name), ..case.clone() };
                tried.outputs.retain(|output| *output != name);
                tried.inputs.insert(file.name.clone(), file.bytes.clone());
                said = self.start(&tried);
                if said.as_ref().err().is_none_or(|said| !said.contains(&file.name)) {
                    self.pool.note_taken(argument, &file.name);
                    case = tried;
                    break;
                }
            }
        }
        said.map(|()| case)
    }

    /// The case with an argument more, or what was said of it last.
    fn add(&mut self, start: &Case, argument: &Argument, depth: usize) -> Result<Case, String> {
        if !argument.takes_value {
            return self.settle(&with(start, argument, ""), argument, depth);
        }
        let mut said = String::new();
        if !argument.is_file {
            let values = argument.values.iter().map(String::as_str);
            for value in values.take(1).chain(VALUES.into_iter().filter(|_| argument.values.is_empty())) {
                match self.settle(&with(start, argument, value), argument, depth) {
                    Ok(case) => return Ok(case),
                    Err(error) => said = error,
                }
            }
            return Err(said);
        }
        for ending in ENDINGS {
            let name = self.result_name(argument, ending);
            let mut case = with(start, argument, &name);
            case.outputs.push(name.clone());
            match self.settle(&case, argument, depth) {
                Ok(case) => return Ok(case),
                Err(error) => said = error,
            }
            if is_missing(&said, &name) {
                break;
            }
        }
        // Where a result's name does not suit, and nothing is read, no file will.
        if !said.contains("No such file") {
            return Err(said);
        }
        for file in self.pool.for_argument(argument) {
            let mut case = with(start, argument, &file.name);
            case.inputs.insert(file.name.clone(), file.bytes.clone());
            match self.settle(&case, argument, depth) {
                Ok(case) => {
                    self.pool.note_taken(argument, &file.name);
                    return Ok(case);
                }
                Err(error) => said = error,
            }
        }
        Err(said)
    }

    /// Starts a case, without options that cannot stand beside `added` and with those that it needs, until it is done.
    fn settle(&mut self, start: &Case, added: &Argument, depth: usize) -> Result<Case, String> {
        let mut case = start.clone();
        let own = start.words.last();
        for _ in 0..8 {
            let Err(said) = self.start(&case) else { return Ok(case) };
            // The file of an argument that asked for this one: its matter.
            if case.outputs.iter().any(|name| Some(name) != own && is_missing(&said, name)) {
                return Ok(case);
            }
            let command = self.command;
            let others = || command.arguments.iter().filter(|other| other.name != added.name && mentions(&said, other));
            if let Some(size) = others().find(|other| is_large(other) && case.words.contains(&other.word())) {
                let at = case.words.iter().position(|word| *word == size.word()).expect("it is there");
                case.words.drain(at..at + 2);
            } else if let Some(other) = others().find(|other| depth > 0 && !case.words.contains(&other.word())) {
                case = self.add(&case, other, depth - 1).map_err(|_| said)?;
            } else {
                return Err(said);
            }
        }
        Err("options that contradict each other".to_owned())
    }

    /// Starts a case: done, its results among the files from now on, or what it said.
    fn start(&mut self, case: &Case) -> Result<(), String> {
        let folder = Folder::of(case);
        let output = folder.run();
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        for name in &case.outputs {
            let bytes = fs::read(folder.path().join(name)).map_err(|_| format!("{name} did not appear"))?;
            self.pool.add(name, bytes);
        }
        Ok(())
    }

    fn result_name(&self, argument: &Argument, ending: &str) -> String {
        format!("{}-{}.{ending}", self.command.command.join("-"), argument.name)
    }
}

/// Whether the complaint is that there is no such file.
fn is_missing(said: &str, name: &str) -> bool {
    said.contains(name) && said.contains("No such file")
}

fn with(start: &Case, argument: &Argument, value: &str) -> Case {
    let mut case = start.clone();
    case.words.extend(argument.with(value));
    case
}

/// Whether the argument's default, which may stand in its help, is a large count.
fn is_large(argument: &Argument) -> bool {
    let told = argument.help.as_deref().and_then(|help| help.split_once("default:")).map(|(_, rest)| rest);
    let Some(default) = argument.default.as_deref().or(told).filter(|_| !argument.is_file) else { return false };
    let power = default.split_once("2^").map(|(_, rest)| rest.trim_end_matches(|c: char| !c.is_ascii_digit()));
    match power {
        Some(exponent) => exponent.split(|c: char| !c.is_ascii_digit()).next().is_some_and(|e| e.len() > 1),
        None => default.parse::<u64>().is_ok_and(|count| count > 99),
    }
}

/// Whether a message names an option, whole: `--out` is not in `--output`.
fn mentions(said: &str, argument: &Argument) -> bool {
    let word = argument.word();
    let is_end = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-');
    let starts = said.match_indices(&word).map(|(at, _)| at);
    // The last line of usage names everything that there is.
    let end = said.find("Usage:").unwrap_or(said.len());
    argument.long.is_some() && starts.filter(|&at| at < end).any(|at| is_end(&said[at + word.len()..]))
}
