//! Rows and fields of a text.

use std::ops::Range;

use memchr::{memchr, memchr_iter, memchr2_iter};

/// What stands between two fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    /// One such byte. Blanks around a field do not count.
    Byte(u8),
    /// As many blanks and tabs as there are.
    Blanks,
}

/// How a text is written.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    /// What stands between two fields.
    pub separator: Separator,
    /// Whether there are quotes, inside which separators and ends of lines are letters like others.
    pub quotes: bool,
}

/// Why a row is not one of fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broken {
    /// A quote stands inside of a field, or has no other half.
    Quote,
}

impl Separator {
    /// What stands between the fields of a first line: the most frequent of comma, semicolon and tab; blanks if there is none
    /// and a `table` need not have any.
    pub fn of_line(line: &[u8], is_table: bool) -> Self {
        let count = |byte: u8| memchr_iter(byte, line).count();
        let (best, byte) = [b',', b';', b'\t']
            .into_iter()
            .rev()
            .map(|byte| (count(byte), byte))
            .max_by_key(|x| x.0)
            .unwrap_or_default();
        match best {
            // Tabs that are not alone are blanks.
            0 if is_table => Self::Byte(b','),
            0 => Self::Blanks,
            _ if byte == b'\t' && !is_table => Self::Blanks,
            _ => Self::Byte(byte),
        }
    }
}

/// The rows of a text: lines, or several where a quoted field goes over their ends. Empty ones and such that begin with `#` are
/// left out. Yields where a row begins, and the row.
pub struct Rows<'t> {
    text: &'t [u8],
    at: usize,
    quotes: bool,
}

impl<'t> Rows<'t> {
    /// The rows of a text, or of a piece of it that begins with a row.
    pub const fn new(text: &'t [u8], quotes: bool) -> Self {
        Self { text, at: 0, quotes }
    }
}

impl<'t> Iterator for Rows<'t> {
    type Item = (usize, &'t [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        while self.at < self.text.len() {
            let (start, rest) = (self.at, &self.text[self.at..]);
            let length = end_of_row(rest, self.quotes).unwrap_or(rest.len());
            self.at += length + 1;
            let row = &rest[..length];
            let mut blanks = 0;
            while blanks < length && row[blanks].is_ascii_whitespace() {
                blanks += 1;
            }
            if blanks < length && row[blanks] != b'#' {
                // Tabs at the ends are empty fields, if they are separators.
                let end = if row[length - 1] == b'\r' { length - 1 } else { length };
                return Some((start, &row[..end]));
            }
        }
        None
    }
}

/// Where the newline is that ends the first row.
fn end_of_row(text: &[u8], quotes: bool) -> Option<usize> {
    if !quotes {
        return memchr(b'\n', text);
    }
    let mut inside = false;
    memchr2_iter(b'\n', b'"', text).find(|&at| {
        inside ^= text[at] == b'"';
        text[at] == b'\n' && !inside
    })
}

/// Calls `each` with the number and the text of every field, without quotes, until it fails; returns how many there are.
pub fn fields<'t, E: From<Broken>>(
    row: &'t [u8],
    dialect: Dialect,
    each: &mut dyn FnMut(usize, &'t [u8]) -> Result<(), E>,
) -> Result<usize, E> {
    let separator = match dialect.separator {
        Separator::Blanks => {
            let (mut count, mut rest) = (0, row.trim_ascii_start());
            while !rest.is_empty() {
                let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
                each(count, &rest[..length])?;
                (count, rest) = (count + 1, rest[length..].trim_ascii_start());
            }
            return Ok(count);
        }
        Separator::Byte(separator) => separator,
    };
    let (mut count, mut rest) = (0, row);
    loop {
        let quoted = if dialect.quotes { rest.trim_ascii_start().strip_prefix(b"\"") } else { None };
        let (field, behind) = match quoted {
            Some(inside) => {
                let length = end_of_quoted(inside).ok_or(Broken::Quote)?;
                let behind = &inside[length + 1..];
                let blanks = behind.iter().take_while(|&&b| b != separator && b.is_ascii_whitespace()).count();
                (&inside[..length], &behind[blanks..])
            }
            None => {
                let length = memchr(separator, rest).unwrap_or(rest.len());
                if dialect.quotes && memchr(b'"', &rest[..length]).is_some() {
                    return Err(Broken::Quote.into());
                }
                (rest[..length].trim_ascii(), &rest[length..])
            }
        };
        each(count, field)?;
        count += 1;
        if behind.is_empty() {
            return Ok(count);
        }
        if behind[0] != separator {
            return Err(Broken::Quote.into());
        }
        rest = &behind[1..];
    }
}

/// How long a quoted field is: two quotes inside stand for one.
fn end_of_quoted(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr(b'"', &text[at..])?;
        if text.get(at + 1) != Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

/// Cuts a text at ends of rows, into pieces of about `size` bytes.
pub fn pieces(text: &[u8], quotes: bool, size: usize) -> Vec<Range<usize>> {
    let (mut pieces, mut start) = (Vec::new(), 0);
    // How many quotes there are before a place says whether it is inside of some.
    let (mut counted, mut inside) = (0, false);
    while text.len() - start > size {
        let wanted = start + size - 1;
        if quotes {
            inside ^= memchr_iter(b'"', &text[counted..wanted]).count() % 2 == 1;
        }
        let mut end = None;
        for at in memchr2_iter(b'\n', if quotes { b'"' } else { b'\n' }, &text[wanted..]) {
            match text[wanted + at] {
                b'"' => inside = !inside,
                _ if inside => {}
                _ => {
                    end = Some(wanted + at + 1);
                    break;
                }
            }
        }
        let Some(end) = end else { break };
        pieces.push(start..end);
        (start, counted) = (end, end);
    }
    if start < text.len() {
        pieces.push(start..text.len());
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(row: &str, dialect: Dialect) -> Result<Vec<String>, Broken> {
        let mut found = Vec::new();
        let count = fields::<Broken>(row.as_bytes(), dialect, &mut |i, field| {
            assert_eq!(i, found.len());
            found.push(String::from_utf8_lossy(field).into_owned());
            Ok(())
        })?;
        assert_eq!(count, found.len());
        Ok(found)
    }

    #[test]
    fn fields_of_a_row() {
        let commas = Dialect { separator: Separator::Byte(b','), quotes: true };
        for (row, want) in [
            ("1,2,3", &["1", "2", "3"][..]),
            (" 1 , 2", &["1", "2"]),
            ("1,,", &["1", "", ""]),
            ("\"a,b\",2", &["a,b", "2"]),
            ("\"a\"\"b\" ,\"\"", &["a\"\"b", ""]),
            ("x", &["x"]),
        ] {
            assert_eq!(split(row, commas).unwrap(), want, "{row}");
        }
        for row in ["a\"b", "\"a", "\"a\"b,2"] {
            assert_eq!(split(row, commas), Err(Broken::Quote), "{row}");
        }
        let blanks = Dialect { separator: Separator::Blanks, quotes: false };
        assert_eq!(split("  1 \t 2  3 ", blanks).unwrap(), ["1", "2", "3"]);
        let tabs = Dialect { separator: Separator::Byte(b'\t'), quotes: false };
        assert_eq!(split("1\t\t3\t", tabs).unwrap(), ["1", "", "3", ""]);
    }

    #[test]
    fn separators() {
        for (line, is_table, want) in [
            ("1,2", false, Separator::Byte(b',')),
            ("1;2,5;3", true, Separator::Byte(b';')),
            ("1\t2", true, Separator::Byte(b'\t')),
            ("1\t2", false, Separator::Blanks),
            ("12", true, Separator::Byte(b',')),
            ("1 2", false, Separator::Blanks),
        ] {
            assert_eq!(Separator::of_line(line.as_bytes(), is_table), want, "{line}");
        }
    }

    #[test]
    fn pieces_are_whole_rows() {
        let text = b"1,\"a\nb\"\r\n\n# no\n22,\"\n\n\n\"\n333,c\n4,d";
        let want: Vec<_> = Rows::new(text, true).map(|(_, row)| row).collect();
        assert_eq!(want, [&b"1,\"a\nb\""[..], b"22,\"\n\n\n\"", b"333,c", b"4,d"]);
        for size in 1..text.len() + 2 {
            let pieces = pieces(text, true, size);
            let rows: Vec<_> =
                pieces.iter().flat_map(|p| Rows::new(&text[p.clone()], true)).map(|(_, row)| row).collect();
            assert_eq!(rows, want, "{size}");
            assert!(pieces.windows(2).all(|p| p[0].end == p[1].start));
        }
        assert_eq!(pieces(b"1\n2\n3\n", false, 2), [0..2, 2..4, 4..6]);
        assert!(pieces(b"", false, 2).is_empty());
        assert_eq!(pieces(&b"1 ".repeat(100), false, 2).len(), 1);
    }
}
