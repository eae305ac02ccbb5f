//! A folder of its own for every test.

use std::path::PathBuf;
use std::process::Output;

use tempfile::TempDir;

/// A temporary folder in which the program runs.
pub struct Sandbox {
    folder: TempDir,
}

impl Sandbox {
    pub fn new() -> Self {
        Self { folder: TempDir::new().expect("a temporary folder") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// Names of all files, hidden ones too.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).expect("the sandbox is readable");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn output(&self, arguments: &str) -> Output {
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        crate::bench(&arguments).current_dir(self.folder.path()).output().expect("the program runs")
    }

    /// Runs the program, which must succeed and leave no temporary file.
    pub fn run(&self, arguments: &str) {
        let output = self.output(arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments}: {stderr}");
        assert!(self.files().iter().all(|name| !name.contains(".tmp")), "{arguments}: {:?}", self.files());
    }

    /// Runs the program, which must fail with exit code 2 and one line on stderr that contains all of `parts`, print
    /// nothing on stdout and leave the folder's files alone.
    pub fn fail_saying(&self, arguments: &str, parts: &[&str]) {
        let before = self.files();
        let output = self.output(arguments);
        let line = String::from_utf8(output.stderr).expect("messages are text");
        assert_eq!(output.status.code(), Some(2), "{arguments}: {line}");
        assert!(line.lines().count() == 1 && line.starts_with("thalweg-bench: "), "{arguments}: {line}");
        assert!(parts.iter().all(|part| line.contains(part)), "{arguments}: {line:?} lacks one of {parts:?}");
        assert!(output.stdout.is_empty(), "{arguments}: printed on stdout");
        assert_eq!(self.files(), before, "{arguments}");
    }
}
