//! The steps of longer computations, and who wants to know of them.

use std::fmt;

/// A step of a longer computation, for those who show or time its progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Sorting the suffixes.
    SuffixArray,
    /// The inverse of the suffix array.
    Inverse,
    /// Common prefixes of neighbouring suffixes.
    Lcp,
    /// The Burrows-Wheeler transform.
    Bwt,
    /// Nearest smaller values of the suffix array.
    Neighbours,
    /// Bringing them into the order of the text.
    TextOrder,
    /// Longest previous factors of all positions.
    LongestPrevious,
    /// The phrases.
    Factors,
    /// The phrases' sources, where certain ones are asked for.
    Sources,
    /// An index for range minima.
    Index,
}

impl Stage {
    /// What is going on, in a word or three.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SuffixArray => "suffix array",
            Self::Inverse => "inverse suffix array",
            Self::Lcp => "LCP",
            Self::Bwt => "BWT",
            Self::Neighbours => "nearest smaller values",
            Self::TextOrder => "text order",
            Self::LongestPrevious => "longest previous factors",
            Self::Factors => "factors",
            Self::Sources => "sources",
            Self::Index => "index",
        }
    }
}

/// Who wants to know when a [`Stage`] begins; by default nobody.
///
/// ```
/// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
/// use thalweg::text::{Stage, Watcher};
/// let print = |stage: Stage| println!("{}", stage.name());
/// Watcher::new(&print).enter(Stage::Lcp);
/// Watcher::default().enter(Stage::Lcp);
/// ```
#[derive(Clone, Copy, Default)]
pub struct Watcher<'w>(Option<&'w (dyn Fn(Stage) + Sync)>);

impl<'w> Watcher<'w> {
    /// Calls a function whenever a stage begins.
    pub fn new(watcher: &'w (dyn Fn(Stage) + Sync)) -> Self {
        Self(Some(watcher))
    }

    /// Tells that a stage begins.
    pub fn enter(self, stage: Stage) {
        if let Some(watcher) = self.0 {
            watcher(stage);
        }
    }
}

impl fmt::Debug for Watcher<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Watcher(..)" } else { "Watcher(nobody)" })
    }
}
