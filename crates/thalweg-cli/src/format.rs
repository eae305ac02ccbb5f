//! What the name of a file says: how it is packed, what is inside, and which part of it is meant.
//!
//! `A.csv.gz:price` is the column `price` of a table that is compressed. A file whose real name has a colon in it is that
//! file: parts are looked for only where nothing of the whole name exists. `-.csv` is standard input or output in that format.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// How the bytes of a file are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// As they are.
    None,
    /// `.gz`.
    Gzip,
    /// `.zst`.
    Zstd,
}

/// What a file holds, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// NumPy's arrays.
    Npy,
    /// Several of them in an archive.
    Npz,
    /// Fields between commas, or what the first line has instead.
    Csv,
    /// Fields between tabs.
    Tsv,
    /// Numbers between blanks, or whatever the first line has.
    Text,
    /// Columns, by Apache Parquet.
    Parquet,
    /// Columns, by Arrow's inter-process communication: a file or a stream.
    Arrow,
    /// Elements one after the other.
    Raw,
    /// The name does not say.
    Unknown,
}

impl Format {
    /// Whether it is a table by columns, not lines of text.
    pub const fn is_columnar(self) -> bool {
        matches!(self, Self::Parquet | Self::Arrow)
    }

    /// Whether it is a table: rows and columns.
    pub const fn is_table(self) -> bool {
        self.is_columnar() || matches!(self, Self::Csv | Self::Tsv | Self::Text)
    }

    /// Whether a part of such a file may be named.
    pub const fn has_parts(self) -> bool {
        self.is_table() || matches!(self, Self::Npz)
    }
}

/// What is said of tables by columns if they cannot be read and written.
#[cfg(not(feature = "columnar"))]
pub const NOT_COLUMNAR: &str = "Parquet and Arrow need the feature columnar, without which this command was built (cargo install --features columnar)";

/// What a name says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The file.
    pub path: PathBuf,
    /// The part that is meant: columns of a table, a member of an archive.
    pub part: Option<String>,
    /// How it is packed.
    pub packing: Packing,
    /// What is in it.
    pub format: Format,
}

impl Named {
    /// What the name of an input says.
    pub fn input(given: &Path) -> Self {
        Self::split(given, |path, _| is_standard(path) || path.exists())
    }

    /// What it is called in messages.
    pub fn name(&self) -> String {
        let file = name_of(&self.path);
        self.part.as_ref().map_or_else(|| file.clone(), |part| format!("{file}:{part}"))
    }

    /// What the name of an output says. There need not be such a file yet: what is before a colon must end as a table or an
    /// archive does. What is `raw` (binary numbers, a text, an index) has no parts, and its name is one as a whole: it must not come to replace
    /// the archive that it is called after.
    pub fn output(given: &Path, raw: bool) -> Self {
        if raw { Self::whole(given.to_owned(), None) } else { Self::split(given, |_, format| format.has_parts()) }
    }

    fn split(given: &Path, is_file: impl Fn(&Path, Format) -> bool) -> Self {
        let whole = Self::whole(given.to_owned(), None);
        if is_stdout(given) || given.exists() {
            return whole;
        }
        let Some(text) = given.to_str() else { return whole };
        // The last colon before which there is a file; what follows may have colons of its own.
        for (colon, _) in text.rmatch_indices(':') {
            let (path, part) = (Path::new(&text[..colon]), &text[colon + 1..]);
            if is_file(path, Self::whole(path.to_owned(), None).format) {
                return Self::whole(path.to_owned(), Some(part.to_owned()));
            }
        }
        whole
    }

    fn whole(path: PathBuf, part: Option<String>) -> Self {
        let (packing, inside) = unpacked(&path);
        let path = if is_standard(&path) { "-".into() } else { path };
        let is = |endings: &[&str]| endings.iter().any(|ending| is_named(&inside, ending));
        let format = match () {
            () if is(&["npy"]) => Format::Npy,
            () if is(&["npz"]) => Format::Npz,
            () if is(&["csv"]) => Format::Csv,
            () if is(&["tsv", "tab"]) => Format::Tsv,
            () if is(&["txt", "text"]) => Format::Text,
            () if is(&["parquet", "pq"]) => Format::Parquet,
            () if is(&["arrow", "arrows", "feather", "ipc"]) => Format::Arrow,
            () if is(&["bin", "raw"]) => Format::Raw,
            () => Format::Unknown,
        };
        Self { path, part, packing, format }
    }
}

/// Whether this stands for standard input or output: `-`, or `-.csv` and such if there is no file of that name.
pub fn is_standard(path: &Path) -> bool {
    path == Path::new("-") || path.to_str().is_some_and(|text| text.starts_with("-.") && !path.exists())
}

/// Whether the name stands for standard output: ours, or the system's.
pub fn is_stdout(path: &Path) -> bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == Path::new(name))
}

/// What a path is called in messages.
pub fn name_of(path: &Path) -> String {
    if is_standard(path) { "standard input".to_owned() } else { path.display().to_string() }
}

/// The arguments of a command line, with names such as `-.csv` and `-:2` attached to the option before them: otherwise they
/// would be taken for options.
pub fn with_standard(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut all: Vec<OsString> = Vec::new();
    for argument in arguments {
        let is_name = argument.to_str().is_some_and(|text| text.starts_with("-.") || text.starts_with("-:"));
        let is_option = |text: &str| text.len() > 1 && text.starts_with('-') && !text.contains('=');
        match all.last_mut() {
            // What follows `--` is no option anyway.
            Some(option) if is_name && option != "--" && option.to_str().is_some_and(is_option) => {
                option.push("=");
                option.push(argument);
            }
            _ => all.push(argument),
        }
    }
    all
}

/// How a file of this name is packed, and its name without that ending.
pub fn unpacked(path: &Path) -> (Packing, PathBuf) {
    for (packing, ending) in [(Packing::Gzip, "gz"), (Packing::Zstd, "zst")] {
        if is_named(path, ending) {
            return (packing, path.with_extension(""));
        }
    }
    (Packing::None, path.to_owned())
}

/// Whether a file's name has this ending, in small letters or capitals.
pub fn is_named(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|e: &OsStr| e.eq_ignore_ascii_case(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings() {
        for (name, packing, format) in [
            ("A.npy", Packing::None, Format::Npy),
            ("A.NPY.GZ", Packing::Gzip, Format::Npy),
            ("A.csv.zst", Packing::Zstd, Format::Csv),
            ("b/A.tsv", Packing::None, Format::Tsv),
            ("A.gz", Packing::Gzip, Format::Unknown),
            ("gz", Packing::None, Format::Unknown),
            ("-", Packing::None, Format::Unknown),
            ("A.raw", Packing::None, Format::Raw),
        ] {
            let named = Named::output(Path::new(name), false);
            assert_eq!((named.packing, named.format, named.part), (packing, format, None), "{name}");
        }
    }

    #[test]
    fn names_that_look_like_options() {
        let joined = |text: &str| with_standard(text.split(' ').map(OsString::from)).join(OsStr::new(" "));
        assert_eq!(joined("rmq --array -.csv:x -o -:2 --json"), "rmq --array=-.csv:x -o=-:2 --json");
        assert_eq!(joined("sa - --array - --out=- -.5 x - -.5"), "sa - --array - --out=- -.5 x - -.5");
        assert_eq!(joined("view -- -.csv:x"), "view -- -.csv:x");
    }

    #[test]
    fn parts() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str| std::fs::write(folder.path().join(name), "1").unwrap();
        let input = |name: &str| {
            let Named { path, part, .. } = Named::input(&folder.path().join(name));
            (path.strip_prefix(folder.path()).unwrap().display().to_string(), part)
        };
        put("A.csv");
        assert_eq!(input("A.csv"), ("A.csv".into(), None));
        assert_eq!(input("A.csv:x"), ("A.csv".into(), Some("x".into())));
        assert_eq!(input("A.csv:x:y"), ("A.csv".into(), Some("x:y".into())));
        assert_eq!(input("B.csv:x"), ("B.csv:x".into(), None));
        // Names that are there win, the longest first.
        put("A.csv:x");
        assert_eq!(input("A.csv:x"), ("A.csv:x".into(), None));
        assert_eq!(input("A.csv:x:y"), ("A.csv:x".into(), Some("y".into())));
        assert_eq!(Named::input(Path::new("-:2")).part, Some("2".into()));
        let Named { path, part, packing, format } = Named::input(Path::new("-.csv.gz:x"));
        assert_eq!((path, part), (PathBuf::from("-"), Some("x".into())));
        assert_eq!((packing, format), (Packing::Gzip, Format::Csv));
        let output = |name: &str| Named::output(Path::new(name), false).part;
        assert_eq!(output("R.npz:left"), Some("left".into()));
        assert_eq!(output("R.csv.gz:l,r"), Some("l,r".into()));
        assert_eq!(output("12:30.npy"), None);
        assert_eq!(output("R.npy:x"), None);
    }
}
