//! What a query looks at, for people who want to see it.

use std::ops::Range;

/// How an index came to an answer. Made by [`RmqEngine::explain`](super::RmqEngine::explain).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// The range that was asked for, both ends inclusive.
    pub range: [usize; 2],
    /// The answer.
    pub position: usize,
    /// What was looked at, in this order.
    pub looks: Vec<Look>,
}

/// A look at one cache line of a level, or at one entry.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Look {
    /// Where.
    pub level: Level,
    /// What for.
    pub purpose: Purpose,
    /// The entries that were fetched.
    pub fetched: Range<usize>,
    /// Those of them that bear upon the answer.
    pub counted: Range<usize>,
    /// The positions of the array that the counted ones stand for.
    pub elements: Range<usize>,
}

/// A level of an index, from the array upwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Level {
    /// The array itself.
    Elements,
    /// Minima of 16 elements.
    Lines,
    /// Minima of 256 elements.
    Blocks,
    /// Minima of 4,096 elements.
    Groups,
    /// Minima of powers of two of groups.
    Table,
    /// Whether a group is in order.
    Shapes,
}

impl Level {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Elements => "elements",
            Self::Lines => "lines",
            Self::Blocks => "blocks",
            Self::Groups => "groups",
            Self::Table => "table",
            Self::Shapes => "shapes",
        }
    }
}

/// What a look is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Purpose {
    /// The counted entries compete for the answer.
    Candidates,
    /// Can the end of the range that lies below this entry hold something better? If not, it is not opened.
    MayOpen,
    /// The place of the best inside the winning entry.
    Place,
}

impl Purpose {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Candidates => "candidates",
            Self::MayOpen => "may_open",
            Self::Place => "place",
        }
    }
}
