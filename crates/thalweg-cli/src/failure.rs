//! How the programs fail: one line on stderr and an exit code, 2 for everything that is the input's or the system's
//! fault and 1 for a wrong answer, or for "no" to a question that was asked.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

/// One line that says what went wrong and where.
#[derive(Debug)]
pub struct Failure {
    /// `None` when nobody is left to read it: the reader of our pipe has gone.
    line: Option<String>,
    code: u8,
}

/// Shorthand for results of the programs.
pub type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    /// A failure with this text.
    pub fn new(text: impl fmt::Display) -> Self {
        Self { line: Some(text.to_string()), code: 2 }
    }

    /// A failure at a place, such as a file: `place: text`.
    pub fn at(place: impl fmt::Display, text: impl fmt::Display) -> Self {
        Self::new(format_args!("{place}: {text}"))
    }

    /// A failed read or write of a file. A broken pipe is quiet: whoever closed it knows.
    pub fn io(place: impl fmt::Display, error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self { line: None, code: 2 };
        }
        Self::at(place, plain(error))
    }

    /// An engine's answer differs from the plain scan's.
    pub fn wrong_answer(text: impl fmt::Display) -> Self {
        Self { code: 1, ..Self::new(format_args!("verification failed: {text}")) }
    }

    /// The answer to a question that somebody asked for is no.
    pub fn negative(text: impl fmt::Display) -> Self {
        Self { code: 1, ..Self::new(text) }
    }

    /// Prints the line, after the program's name, and returns the exit code.
    pub fn report(&self, program: &str) -> ExitCode {
        if let Some(line) = &self.line {
            // Not `eprintln`, which panics when stderr is closed or full.
            let _ = writeln!(io::stderr(), "{program}: {}", line.replace(['\n', '\r'], " "));
        }
        ExitCode::from(self.code)
    }
}

/// The system's words for an error, without Rust's "(os error 2)".
pub fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    let end = text.find(" (os error").unwrap_or(text.len());
    text[..end].to_owned()
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.line.as_deref().unwrap_or("broken pipe"))
    }
}

impl From<thalweg::Error> for Failure {
    fn from(error: thalweg::Error) -> Self {
        Self::new(error)
    }
}
