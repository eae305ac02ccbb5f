//! Texts: any file, byte by byte; FASTA; or generated.

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;

use thalweg_data::TextKind;

use super::{Bytes, name_of};
use crate::choice::one_of;
use crate::failure::{Failure, Outcome};
use crate::memory;
use crate::numbers::{counted, parse_count};

/// Where the text comes from
#[derive(clap::Args)]
pub struct TextArgs {
    /// The text, byte by byte; - is standard input; generated if left out
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// How to read it
    #[command(flatten)]
    pub fasta: FastaArgs,

    /// Number of bytes to generate
    #[arg(long, value_parser = parse_count, default_value = "2^22", conflicts_with = "file", help_heading = "Generated text")]
    n: usize,

    /// Kind of text to generate
    #[arg(long, value_parser = one_of(TextKind::ALL, TextKind::name), default_value = "mixed", conflicts_with = "file", help_heading = "Generated text")]
    kind: TextKind,

    /// Seed of everything that is generated
    #[arg(long, default_value_t = 7, help_heading = "Generated text")]
    pub seed: u64,
}

/// Whether the file is FASTA
#[derive(clap::Args)]
pub struct FastaArgs {
    /// The file is FASTA (or FASTQ): the sequences of its records, with a newline between two. Places are shown as
    /// record:offset, from 0, in files of text too, which may ask by them; in others they are positions in the sequences so joined
    #[arg(long)]
    pub fasta: bool,
}

/// A text.
pub struct Text {
    /// The file's name, or what is generated.
    pub origin: String,
    bytes: Bytes,
    records: Option<Records>,
}

/// Where the records of a FASTA file lie in the joined text.
struct Records {
    ids: Vec<String>,
    starts: Vec<usize>,
}

/// What stands between two records. No sequence contains it.
const SEPARATOR: u8 = b'\n';

impl TextArgs {
    /// Opens the file, or generates a text.
    pub fn open(&self) -> Outcome<Text> {
        if let Some(path) = &self.file {
            return open(path, &self.fasta);
        }
        if self.fasta.fasta {
            return Err(Failure::at("--fasta", "needs a file"));
        }
        memory::require(self.n, "the text")?;
        let origin = format!("{}, seed {}", self.kind.name(), self.seed);
        Ok(Text { origin, bytes: self.kind.make(self.n, self.seed).into(), records: None })
    }
}

/// Opens a file.
pub fn open(path: &std::path::Path, fasta: &FastaArgs) -> Outcome<Text> {
    let origin = name_of(path);
    let bytes = Bytes::open(path, &origin)?;
    if !fasta.fasta {
        return Ok(Text { origin, bytes, records: None });
    }
    let (joined, records) = join(bytes.get(), &origin)?;
    Ok(Text { origin, bytes: joined.into(), records: Some(records) })
}

/// Joins the sequences of a FASTA file.
fn join(file: &[u8], name: &str) -> Outcome<(Vec<u8>, Records)> {
    let mut joined = memory::room::<u8>(file.len(), name)?;
    let mut records = Records { ids: Vec::new(), starts: Vec::new() };
    // The parser takes an empty file for an error; here it is a text without records.
    if file.iter().all(u8::is_ascii_whitespace) {
        return Ok((joined, records));
    }
    // Nor does it take a header for a record if nothing follows.
    let (file, empty) = without_empty_end(file);
    let failed = |e: needletail::errors::ParseError, at: usize| {
        // The parser counts lines from 1, but says 0 of the first.
        Failure::at(name, format_args!("record {at}: {}", e.to_string().replace("(line 0)", "(line 1)")))
    };
    if !file.is_empty() {
        let mut reader = needletail::parse_fastx_reader(file).map_err(|e| failed(e, 0))?;
        while let Some(record) = reader.next() {
            let record = record.map_err(|e| failed(e, records.ids.len()))?;
            records.begin(record.id(), &mut joined);
            joined.extend(record.seq().iter().filter(|byte| !byte.is_ascii_whitespace()));
        }
    }
    for header in empty {
        records.begin(header, &mut joined);
    }
    Ok((joined, records))
}

/// A FASTA file without the records at its end that have a header and no sequence, and those headers.
fn without_empty_end(mut file: &[u8]) -> (&[u8], Vec<&[u8]>) {
    let mut headers = Vec::new();
    // In FASTQ a line of qualities may begin as a header does here.
    while file.trim_ascii_start().starts_with(b">") {
        let end = file.trim_ascii_end();
        let start = end.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        let Some(header) = end[start..].strip_prefix(b">") else { break };
        headers.push(header);
        file = &file[..start];
    }
    headers.reverse();
    (file, headers)
}

impl Records {
    /// A new record, behind those that are joined already.
    fn begin(&mut self, header: &[u8], joined: &mut Vec<u8>) {
        if !self.starts.is_empty() {
            joined.push(SEPARATOR);
        }
        let id = String::from_utf8_lossy(header);
        self.ids.push(id.split_whitespace().next().unwrap_or_default().to_owned());
        self.starts.push(joined.len());
    }
}

/// Finds places of records.
pub struct Finder<'t> {
    records: &'t Records,
    numbers: HashMap<&'t str, usize>,
    len: usize,
}

impl Finder<'_> {
    /// The position of a place inside of a record.
    pub fn position(&self, place: &[u8]) -> Option<u64> {
        let (id, offset) = std::str::from_utf8(place).ok()?.rsplit_once(':')?;
        let record = *self.numbers.get(id)?;
        let start = self.records.starts[record];
        // The next record begins behind a separator.
        let end = self.records.starts.get(record + 1).map_or(self.len, |next| next - 1);
        let position = start.checked_add(offset.parse().ok()?)?;
        (position < end).then_some(position as u64)
    }
}

impl Text {
    /// The text itself.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get()
    }

    /// Whether its bytes lie in a file, and are read as they are touched.
    pub fn is_mapped(&self) -> bool {
        self.bytes.is_mapped()
    }

    /// Gives back the memory of bytes that are not needed for the time being.
    pub fn release(&self, range: Range<usize>) {
        self.bytes.release(range);
    }

    /// The text with a symbol of its own for every place between two records, so that nothing is equal across them; `None`
    /// if there are none.
    pub fn with_separators(&self) -> Outcome<Option<Vec<u32>>> {
        let Some(records) = &self.records else { return Ok(None) };
        let mut symbols = memory::room(self.bytes().len(), "the sequences")?;
        symbols.extend(self.bytes().iter().map(|&byte| u32::from(byte)));
        for (i, &start) in records.starts.iter().enumerate().skip(1) {
            symbols[start - 1] = 256 + i as u32;
        }
        Ok(Some(symbols))
    }

    /// Whether places are told by record.
    pub fn has_records(&self) -> bool {
        self.records.is_some()
    }

    /// A position as people see it.
    pub fn place(&self, position: usize) -> String {
        match &self.records {
            None => position.to_string(),
            Some(records) => {
                let record = records.starts.partition_point(|&start| start <= position) - 1;
                format!("{}:{}", records.ids[record], position - records.starts[record])
            }
        }
    }

    /// What finds the position of a place such as `chr1:17`, if there are records.
    pub fn finder(&self) -> Outcome<Option<Finder<'_>>> {
        let Some(records) = &self.records else { return Ok(None) };
        let mut numbers = HashMap::new();
        for (record, id) in records.ids.iter().enumerate() {
            if numbers.insert(&id[..], record).is_some() {
                return Err(Failure::at(
                    &self.origin,
                    format_args!("two records are called {id}: places do not tell which"),
                ));
            }
        }
        Ok(Some(Finder { records, numbers, len: self.bytes().len() }))
    }

    /// What the text is, for the report.
    pub fn describe(&self) -> String {
        let records = self.records.as_ref().map(|records| format!(", {}", counted(records.ids.len(), "record")));
        format!("{} ({}{})", counted(self.bytes().len(), "byte"), self.origin, records.unwrap_or_default())
    }
}

/// A piece of a text for people: no more than `most` bytes, control characters and such as escapes.
pub fn excerpt(text: &[u8], most: usize) -> String {
    let shown = &text[..text.len().min(most)];
    let dots = if shown.len() < text.len() { "..." } else { "" };
    format!("\"{}{dots}\"", shown.escape_ascii())
}
