//! The labels of Gallai and Edmonds.

/// What every maximum matching has to do with a vertex (Gallai 1964, Edmonds 1965).
///
/// The labels depend on the graph alone, not on the matching. They prove that a matching is maximum, see
/// [`verify`](super::verify): if A is taken away, every component of D is odd, so that at most one of its vertices for every
/// vertex of A finds a partner outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Label {
    /// All others: matched among each other.
    C = 0,
    /// Beside D, but not in it: always matched, to vertices in D. This is the set of Tutte and Berge.
    A = 1,
    /// Left without a partner by some maximum matching.
    D = 2,
}

impl Label {
    /// The label with this number, as files have it: 0 for C, 1 for A, 2 for D.
    ///
    /// ```
    /// # mod thalweg { pub use thalweg_graph as graph; pub use thalweg_graph::*; }
    /// use thalweg::graph::matching::Label;
    /// assert_eq!(Label::from_number(1), Some(Label::A));
    /// assert_eq!((Label::from_number(3), Label::D as u8), (None, 2));
    /// ```
    pub const fn from_number(number: u8) -> Option<Self> {
        match number {
            0 => Some(Self::C),
            1 => Some(Self::A),
            2 => Some(Self::D),
            _ => None,
        }
    }
}
