//! The first row of a table, and which columns are meant.

use memchr::memchr;

use super::lines::{Dialect, Rows, Separator, fields};
use super::number::{self, Why};
use crate::format::Format;

/// Fields of the first row that are looked at for names.
const MOST_NAMES: usize = 1 << 16;

/// What the first row tells.
pub struct Head<'t> {
    /// How the text is written.
    pub dialect: Dialect,
    /// How many columns there are.
    pub width: usize,
    /// Where the first row begins.
    pub start: usize,
    /// Where what follows it begins.
    pub end: usize,
    /// Whether no field of the first row is a number.
    is_names: bool,
    /// The names: the fields of the first row, or of a comment before it; none if they are numbers.
    names: Vec<&'t str>,
    /// The fields of the first row.
    first: Vec<&'t str>,
}

/// The columns that are meant.
pub struct Choice {
    /// Columns, and where in a row of results each goes; in the order of the columns.
    pub columns: Vec<(usize, usize)>,
    /// Whether the first row is names.
    pub has_names: bool,
}

impl<'t> Head<'t> {
    /// Looks at the first row; `None` if there is no row.
    /// `is_number` says which fields are no names.
    pub fn of(text: &'t [u8], format: Format, is_number: &dyn Fn(&[u8]) -> bool) -> Option<Self> {
        let quotes = memchr(b'"', text).is_some();
        let (start, row) = Rows::new(text, quotes).next()?;
        let separator = match format {
            Format::Tsv => Separator::Byte(b'\t'),
            format => Separator::of_line(row, format == Format::Csv),
        };
        // Blanks cannot be quoted.
        let dialect = Dialect { separator, quotes: quotes && separator != Separator::Blanks };
        let (start, row) = if dialect.quotes { (start, row) } else { Rows::new(text, false).next()? };
        let first = names(row, dialect);
        let is_names =
            !first.iter().any(|name| is_number(name.as_bytes())) && first.iter().any(|name| !name.is_empty());
        let width = fields::<Why>(row, dialect, &mut |_, _| Ok(())).unwrap_or(first.len());
        let names = match is_names {
            true => first.clone(),
            false => {
                // NumPy's `savetxt` writes names behind a `#`.
                let before = text[..start].trim_ascii_end();
                let comment = before.rsplit(|&byte| byte == b'\n').next().unwrap_or_default().trim_ascii();
                let comment = comment.strip_prefix(b"#").map(|comment| names(comment.trim_ascii(), dialect));
                comment.filter(|names| names.len() == width).unwrap_or_default()
            }
        };
        let behind = start + row.len();
        let end = memchr(b'\n', &text[behind..]).map_or(text.len(), |newline| behind + newline + 1);
        Some(Self { dialect, width, start, end, is_names, names, first })
    }

    /// The columns that a part names: all together one name, or names and numbers with commas between. All without a part.
    pub fn choose(&self, part: Option<&str>) -> Result<Choice, String> {
        let Some(part) = part else {
            return Ok(Choice { columns: (0..self.width).map(|i| (i, i)).collect(), has_names: self.is_names });
        };
        // Among names a number may stand, such as a year; that they are names is known once one of them is asked for.
        let in_first =
            |name: &str| self.first.iter().position(|&found| found == name && !number::is_number(name.as_bytes()));
        let mut has_names = self.is_names;
        let mut named = |name: &str| {
            let known = self.names.iter().position(|&found| found == name);
            known.or_else(|| in_first(name).inspect(|_| has_names = true))
        };
        let columns = columns(part, self.width, &mut named, &|| self.list())?;
        let mut columns: Vec<(usize, usize)> = columns.into_iter().zip(0..).collect();
        columns.sort_unstable();
        Ok(Choice { columns, has_names })
    }

    /// The names of the first columns, or their numbers.
    pub fn list(&self) -> String {
        if self.names.is_empty() {
            return format!("1 to {}", self.width);
        }
        let dots = if self.width > 8 { ", ..." } else { "" };
        format!("{}{dots}", self.names.iter().take(8).copied().collect::<Vec<_>>().join(", "))
    }

    /// A column for people: its number, from 1, and its name.
    pub fn shown(&self, column: usize) -> String {
        match self.names.get(column) {
            Some(name) if !name.is_empty() => format!("{} ({name})", column + 1),
            _ => (column + 1).to_string(),
        }
    }
}

/// The columns that a part names, of so many. `named` finds one by its name, `list` says which there are.
fn columns(
    part: &str,
    width: usize,
    named: &mut dyn FnMut(&str) -> Option<usize>,
    list: &dyn Fn() -> String,
) -> Result<Vec<usize>, String> {
    if let Some(column) = named(part) {
        return Ok(vec![column]);
    }
    let one = |name: &str| match (named(name), name.parse::<usize>()) {
        (Some(column), _) => Ok(column),
        (None, Ok(number)) if (1..=width).contains(&number) => Ok(number - 1),
        (None, Ok(number)) => Err(format!("there is no column {number}, only 1 to {width}")),
        (None, Err(_)) => Err(format!("there is no column '{name}', only {}", list())),
    };
    part.split(',').map(str::trim).map(one).collect()
}

/// The columns that a part names, of those with these names; all without a part.
#[cfg(feature = "columnar")]
pub fn pick(names: &[String], part: Option<&str>) -> Result<Vec<usize>, String> {
    let Some(part) = part else { return Ok((0..names.len()).collect()) };
    let mut named = |name: &str| names.iter().position(|found| found == name);
    columns(part, names.len(), &mut named, &|| names.join(", "))
}

/// The first fields of a row, as far as they are UTF-8.
fn names(row: &[u8], dialect: Dialect) -> Vec<&str> {
    let mut names = Vec::new();
    let _ = fields::<Why>(row, dialect, &mut |column, field| {
        if column < MOST_NAMES {
            names.push(std::str::from_utf8(field).unwrap_or_default());
        }
        Ok(())
    });
    names
}
