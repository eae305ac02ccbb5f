//! A run of the command in a folder of its own, and what must hold after every one of them.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use tempfile::TempDir;

use crate::limit::before;
use crate::tree::PROGRAM;

/// Words that work, the files they read, and those they write.
#[derive(Clone)]
pub struct Case {
    pub words: Vec<String>,
    pub inputs: BTreeMap<String, Arc<Vec<u8>>>,
    pub outputs: Vec<String>,
}

impl Case {
    /// What was typed, for messages.
    pub fn line(&self) -> String {
        format!("thalweg {}", self.words.join(" "))
    }

    /// The words with another value in place of a file's name.
    pub fn with_name(&self, file: &str, value: &str) -> Vec<String> {
        self.words.iter().map(|word| if word == file { value.to_owned() } else { word.clone() }).collect()
    }
}

/// What was in the place of a result before.
pub const OLD: &[u8] = b"an old result, which must not be lost";

/// A folder with a case's files.
pub struct Folder {
    folder: TempDir,
    case: Case,
}

impl Folder {
    /// With all inputs.
    pub fn of(case: &Case) -> Self {
        let folder = Self { folder: TempDir::new().expect("a temporary folder"), case: case.clone() };
        // For whoever has no privileges, too.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).expect("it is ours");
        case.inputs.iter().for_each(|(name, bytes)| folder.put(name, bytes));
        folder
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn put(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path().join(name), bytes).expect("the folder is writable");
    }

    /// Puts something where the results go.
    pub fn put_old(&self) {
        self.case.outputs.iter().for_each(|name| self.put(name, OLD));
    }

    /// The command in this folder, with an empty standard input.
    pub fn command<'w>(&self, words: impl IntoIterator<Item = &'w String>) -> Command {
        let mut command = Command::new(PROGRAM);
        command.current_dir(self.path()).args(words).stdin(Stdio::null());
        // What it would set itself, and start once more.
        command.env("GOMP_SPINCOUNT", "1000");
        command
    }

    pub fn run(&self) -> Output {
        self.command(&self.case.words).output().expect("the command runs")
    }

    fn files(&self) -> BTreeMap<String, PathBuf> {
        let entries = fs::read_dir(self.path()).expect("the folder is readable").map(|entry| entry.expect("an entry"));
        entries.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path())).collect()
    }

    /// Nothing is there but inputs and results: no temporary file. Old results are whole: as they were, or, `if_done`, new.
    pub fn check(&self, what: &str, if_done: bool) {
        for (name, path) in self.files() {
            if self.case.inputs.contains_key(&name) {
                continue;
            }
            assert!(self.case.outputs.contains(&name), "{what}: {}: left {name}", self.case.line());
            let is_old = || fs::read(path).is_ok_and(|bytes| bytes == OLD);
            assert!(if_done || is_old(), "{what}: {}: {name} is no longer what it was", self.case.line());
        }
    }
}

/// Checks how a run ended: done, or with a line. `what` was done to it.
pub fn judge(what: &str, line: &str, output: &Output) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    let told = || format!("{what}: {line}: {:?}\n{stderr}", output.status);
    match output.status.code() {
        Some(0) => {}
        // "No", to a question that was asked.
        Some(1) => assert!(!stderr.contains("verification failed"), "{}", told()),
        Some(2) => {
            assert!(stderr.starts_with("thalweg: ") && stderr.lines().count() == 1, "{}", told());
        }
        _ => panic!("{}", told()),
    }
    assert!(!stderr.contains("panicked"), "{}", told());
}

/// Whether there was an answer, be it "no": then results are new.
pub fn answered(output: &Output) -> bool {
    matches!(output.status.code(), Some(0 | 1))
}

/// Whether a signal ended it.
pub fn ended_by(output: &Output, signal: i32) -> bool {
    output.status.signal() == Some(signal)
}

/// Lets the command start with a standard stream closed.
pub fn close(command: &mut Command, stream: i32) {
    // SAFETY: nobody uses it between here and there.
    before(command, move || unsafe { libc::close(stream) });
}
