//! How the command fails: one line on stderr, exit code 2.

use std::fmt;
use std::process::ExitCode;

/// One line that says what went wrong and where.
#[derive(Debug)]
pub struct Failure(String);

/// Shorthand for results of the command.
pub type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    /// A failure with this text.
    pub fn new(text: impl fmt::Display) -> Self {
        Self(text.to_string())
    }

    /// A failure at a place, such as a file: `place: text`.
    pub fn at(place: impl fmt::Display, text: impl fmt::Display) -> Self {
        Self(format!("{place}: {text}"))
    }

    /// Prints the line and returns the exit code.
    pub fn report(&self) -> ExitCode {
        eprintln!("thalweg: {}", self.0.replace(['\n', '\r'], " "));
        ExitCode::from(2)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<thalweg::Error> for Failure {
    fn from(error: thalweg::Error) -> Self {
        Self::new(error)
    }
}
