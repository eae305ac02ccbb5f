//! How the command fails: one line on stderr, exit code 2; or 1 where the run went well and found a wrong answer.

use std::fmt;
use std::process::ExitCode;

/// One line that says what went wrong and where.
#[derive(Debug)]
pub struct Failure {
    text: String,
    code: u8,
}

/// Shorthand for results of the command.
pub type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    /// A failure with this text.
    pub fn new(text: impl fmt::Display) -> Self {
        Self { text: text.to_string(), code: 2 }
    }

    /// An answer that is wrong, with exit code 1: scripts can tell it from a run that could not be made.
    pub fn wrong(text: impl fmt::Display) -> Self {
        Self { text: text.to_string(), code: 1 }
    }

    /// A failure at a place, such as a file: `place: text`.
    pub fn at(place: impl fmt::Display, text: impl fmt::Display) -> Self {
        Self::new(format_args!("{place}: {text}"))
    }

    /// Prints the line and returns the exit code.
    pub fn report(&self) -> ExitCode {
        eprintln!("thalweg: {}", self.text.replace(['\n', '\r'], " "));
        ExitCode::from(self.code)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<thalweg::Error> for Failure {
    fn from(error: thalweg::Error) -> Self {
        Self::new(error)
    }
}
