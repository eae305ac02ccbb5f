//! A folder of its own for every test.

use std::path::{Path, PathBuf};
use std::process::Output;

use npyz::{AutoSerialize, Deserialize, WriterBuilder};
use tempfile::TempDir;

/// A temporary folder in which the command runs.
pub struct Sandbox {
    folder: TempDir,
}

impl Sandbox {
    pub fn new() -> Self {
        Self { folder: TempDir::new().expect("a temporary folder") }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes bytes to a file.
    pub fn put(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
        std::fs::write(self.path(name), bytes).expect("the sandbox is writable");
        self
    }

    /// Writes an `.npy` file.
    pub fn put_npy<T: AutoSerialize + Copy>(&self, name: &str, shape: &[u64], data: &[T]) -> &Self {
        self.put(name, npy_bytes(shape, data))
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// Reads an `.npy` file: shape and data. Panics if the type is not `T`.
    pub fn npy<T: Deserialize>(&self, name: &str) -> (Vec<u64>, Vec<T>) {
        from_npy(&self.bytes(name))
    }

    /// Names of all files, hidden ones too.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).expect("the sandbox is readable");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// The command, to be run in the folder. Words are split at spaces.
    pub fn command(&self, arguments: &str) -> assert_cmd::Command {
        let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_thalweg"));
        command.current_dir(self.folder.path()).args(arguments.split_whitespace());
        command
    }

    /// Runs the command, which must succeed and leave no temporary file, and returns its output.
    pub fn run(&self, arguments: &str) -> Output {
        let output = self.command(arguments).output().expect("the command runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments}: {stderr}");
        assert!(self.files().iter().all(|name| !name.contains(".tmp")), "{arguments}: {:?}", self.files());
        output
    }

    /// Runs the command, which must fail with exit code 2 and one line on stderr, print nothing on stdout and leave
    /// the folder's files alone. Returns the line.
    pub fn fail(&self, arguments: &str) -> String {
        self.fail_with(arguments, self.command(arguments))
    }

    /// The same with standard input.
    pub fn fail_on_input(&self, arguments: &str, input: impl Into<Vec<u8>>) -> String {
        let mut command = self.command(arguments);
        command.write_stdin(input);
        self.fail_with(arguments, command)
    }

    fn fail_with(&self, arguments: &str, mut command: assert_cmd::Command) -> String {
        let contents = || -> Vec<_> {
            self.files().into_iter().map(|name| (std::fs::read(self.path(&name)).ok(), name)).collect()
        };
        let before = contents();
        let output = command.output().expect("the command runs");
        let stderr = String::from_utf8(output.stderr).expect("messages are text");
        assert_eq!(output.status.code(), Some(2), "{arguments}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{arguments}: {stderr}");
        let line = stderr.trim_end().strip_prefix("thalweg: ");
        let line = line.unwrap_or_else(|| panic!("{arguments}: the line does not name the command: {stderr}"));
        assert!(output.stdout.is_empty(), "{arguments}: printed on stdout");
        assert!(contents() == before, "{arguments}: files changed: {:?}", self.files());
        line.to_owned()
    }

    /// [`Sandbox::fail`] with a line that contains all of `parts`.
    pub fn fail_saying(&self, arguments: &str, parts: &[&str]) {
        let line = self.fail(arguments);
        assert!(parts.iter().all(|part| line.contains(part)), "{arguments}: {line:?} lacks one of {parts:?}");
    }
}

/// The bytes of an `.npy` file.
pub fn npy_bytes<T: AutoSerialize + Copy>(shape: &[u64], data: &[T]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer =
        npyz::WriteOptions::new().default_dtype().shape(shape).writer(&mut bytes).begin_nd().expect("a header");
    writer.extend(data.iter().copied()).expect("data");
    writer.finish().expect("as many as the shape says");
    bytes
}

/// Shape and data of an `.npy` file.
pub fn from_npy<T: Deserialize>(bytes: &[u8]) -> (Vec<u64>, Vec<T>) {
    let file = npyz::NpyFile::new(bytes).expect("a header");
    (file.shape().to_vec(), file.into_vec().expect("data of this type"))
}

/// A file that NumPy wrote.
pub fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    assert!(path.exists(), "{}", path.display());
    path.display().to_string()
}

/// A name with underscores and, if it has any, with dashes.
pub fn spellings(name: &str) -> Vec<String> {
    let mut spellings = vec![name.to_owned(), name.replace('_', "-")];
    spellings.dedup();
    spellings
}
