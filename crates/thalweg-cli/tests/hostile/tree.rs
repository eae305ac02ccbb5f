//! What can be typed, from the parser itself: `thalweg commands`.

use std::process::Command;

use serde::Deserialize;

/// A command that has none below it.
#[derive(Deserialize)]
pub struct Registered {
    /// Its words: `gen`, `array`.
    pub command: Vec<String>,
    pub arguments: Vec<Argument>,
}

/// An option or a positional argument.
#[derive(Clone, Deserialize)]
pub struct Argument {
    pub name: String,
    pub long: Option<String>,
    pub is_required: bool,
    pub takes_value: bool,
    pub is_file: bool,
    pub takes_the_rest: bool,
    pub values: Vec<String>,
    pub default: Option<String>,
    pub help: Option<String>,
}

impl Argument {
    /// The option's word; empty for positional arguments.
    pub fn word(&self) -> String {
        self.long.as_ref().map(|long| format!("--{long}")).unwrap_or_default()
    }

    /// The words that give it a value, or set it.
    pub fn with(&self, value: &str) -> Vec<String> {
        let option = self.long.as_ref().map(|_| self.word());
        option.into_iter().chain(self.takes_value.then(|| value.to_owned())).collect()
    }
}

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_thalweg");

/// All commands but those that are other programs' (`bench`), which get whatever follows.
pub fn registered() -> Vec<Registered> {
    let output = Command::new(PROGRAM).arg("commands").output().expect("the command runs");
    assert!(output.status.success(), "{output:?}");
    let lines = String::from_utf8(output.stdout).expect("JSON is text");
    let all = lines.lines().map(|line| serde_json::from_str::<Registered>(line).expect("a command a line"));
    all.filter(|command| !command.arguments.iter().any(|argument| argument.takes_the_rest)).collect()
}
