//! The texts of `thalweg-bench text`, for the CPU and the GPU alike.

use thalweg_cli::input::Bytes;
use thalweg_data::{Random, TextKind};

use crate::bench::Case;

/// What a text from a file is called, beside the kinds of texts that are made.
pub const FILE: &str = "file";

/// Something to time.
#[derive(Clone, Copy, PartialEq)]
pub enum Part {
    /// Suffix arrays.
    Sort,
    /// The factorisation.
    Lz77,
    /// Texts from their factors.
    Decode,
    /// String matching.
    Search,
    /// Common extensions.
    Lce,
}

impl Part {
    /// Everything.
    pub const ALL: &'static [Self] = &[Self::Sort, Self::Lz77, Self::Decode, Self::Search, Self::Lce];

    /// As the option says it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sort => "sort",
            Self::Lz77 => "lz77",
            Self::Decode => "decode",
            Self::Search => "search",
            Self::Lce => "lce",
        }
    }
}

/// The texts that are timed, and what is asked of them.
pub struct Texts {
    pub kind: TextKind,
    pub file: Option<Bytes>,
    pub pattern: Option<Vec<u8>>,
    pub count: usize,
    pub parts: Vec<Part>,
}

impl Texts {
    /// Whether something is to be timed.
    pub fn wants(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }

    /// The text of a case, from the file or made.
    pub fn text<'t>(&'t self, case: &Case<'_>, made: &'t mut Vec<u8>) -> &'t [u8] {
        match &self.file {
            Some(file) => &file.get()[..case.n],
            None => {
                *made = self.kind.make(case.n, case.common.seed);
                made
            }
        }
    }

    /// What to look for in it.
    pub fn pattern<'t>(&'t self, text: &'t [u8]) -> &'t [u8] {
        match &self.pattern {
            Some(pattern) => pattern,
            None => &text[text.len() / 2..text.len().min(text.len() / 2 + 16)],
        }
    }

    /// Random pairs of its positions.
    pub fn pairs(&self, case: &Case<'_>, text: &[u8]) -> Vec<[u32; 2]> {
        let random = Random::new(case.common.seed, 22);
        let position = |i: u64| random.below(i, text.len() as u64) as u32;
        (0..self.count as u64).map(|i| [position(2 * i), position(2 * i + 1)]).collect()
    }

    /// Names of the kinds of texts.
    pub fn kinds() -> Vec<&'static str> {
        TextKind::ALL.iter().map(|kind| kind.name()).chain([FILE]).collect()
    }
}
