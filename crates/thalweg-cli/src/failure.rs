//! How the programs fail: one line on stderr and an exit code, the same in every command.

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

/// "No" to a question that was asked: nothing was found, as grep says it.
const NO: u8 = 1;
/// The input's fault, the options', or the system's.
const FAULT: u8 = 2;
/// An answer is wrong: the built-in check has found it.
const WRONG: u8 = 3;

/// What the codes mean, for `--help`.
pub const EXIT_CODES: &str = "Exit codes: 0 done; 1 the answer is no (search finds nothing, matching --perfect, a .scen \
    with other lengths); 2 bad input, bad options, or the system's fault; 3 the built-in check found a wrong answer.";

/// Shorthand for results of the programs.
pub type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    /// A failure with this text.
    pub fn new(text: impl fmt::Display) -> Self {
        Self { line: Some(text.to_string()), code: FAULT }
    }

    /// A failure at a place, such as a file: `place: text`.
    pub fn at(place: impl fmt::Display, text: impl fmt::Display) -> Self {
        Self::new(format_args!("{place}: {text}"))
    }

    /// A failed read or write of a file. A broken pipe is quiet: whoever closed it knows.
    pub fn io(place: impl fmt::Display, error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self { line: None, code: FAULT };
        }
        Self::at(place, plain(error))
    }

    /// An engine's answer differs from the plain scan's.
    pub fn wrong_answer(text: impl fmt::Display) -> Self {
        Self { code: WRONG, ..Self::new(format_args!("verification failed: {text}")) }
    }

    /// The answer to a question that somebody asked for is no.
    pub fn negative(text: impl fmt::Display) -> Self {
        Self { code: NO, ..Self::new(text) }
    }

    /// The same where the output has said it already.
    pub fn nothing_found() -> Self {
        Self { line: None, code: NO }
    }

    /// One that somebody else has told of.
    pub fn told() -> Self {
        Self { line: None, code: FAULT }
    }

    /// One of another process, that told its exit code and its text.
    pub fn retold(number: u8, text: impl fmt::Display) -> Self {
        Self { code: number, ..Self::new(text) }
    }

    /// The exit code as a number.
    pub fn number(&self) -> u8 {
        self.code
    }

    /// The exit code.
    pub fn code(&self) -> ExitCode {
        ExitCode::from(self.code)
    }

    /// Prints the line, after the program's name, and returns the exit code.
    pub fn report(&self, program: &str) -> ExitCode {
        if let Some(line) = &self.line {
            // Not `eprintln`, which panics when stderr is closed or full.
            let _ = writeln!(io::stderr(), "{program}: {}", line.replace(['\n', '\r'], " "));
        }
        self.code()
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
        f.write_str(self.line.as_deref().unwrap_or(if self.code == NO { "nothing was found" } else { "broken pipe" }))
    }
}

impl From<thalweg::Error> for Failure {
    fn from(error: thalweg::Error) -> Self {
        Self::new(error)
    }
}
