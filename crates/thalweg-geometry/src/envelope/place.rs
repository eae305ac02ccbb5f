//! Where one piece of an envelope ends and the next begins.
//!
//! Such an x is the end of a segment or the crossing of two. As a number it is a fraction, of some 160 bits for coordinates
//! of 32; so it is kept as what it is, with two doubles around it. Nearly all comparisons are settled by the doubles, and
//! the others by [exact arithmetic](super::exact) on the segments that are named here.

/// No segment: a gap of the envelope.
pub(crate) const GAP: u32 = u32::MAX;
/// Marks of [`Place::second`]: the place is an end of the first segment.
const LEFT: u32 = u32::MAX;
const RIGHT: u32 = u32::MAX - 1;
/// So many lines can be told from the marks.
pub(crate) const MOST: usize = (u32::MAX - 2) as usize;

/// An x: between `lo` and `hi`, and exactly `lo` if they are equal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) lo: f64,
    pub(crate) hi: f64,
    first: u32,
    second: u32,
}

/// What a place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The left end of a line.
    Left(u32),
    /// The right end of a line.
    Right(u32),
    /// Where two lines, not parallel, are equal.
    Crossing(u32, u32),
}

impl Place {
    pub(crate) fn new(lo: f64, hi: f64, origin: Origin) -> Self {
        let (first, second) = match origin {
            Origin::Left(line) => (line, LEFT),
            Origin::Right(line) => (line, RIGHT),
            Origin::Crossing(one, two) => (one, two),
        };
        Self { lo, hi, first, second }
    }

    pub(crate) fn origin(&self) -> Origin {
        match self.second {
            LEFT => Origin::Left(self.first),
            RIGHT => Origin::Right(self.first),
            second => Origin::Crossing(self.first, second),
        }
    }

    /// Whether `lo` is the very number.
    pub(crate) fn is_exact(&self) -> bool {
        self.lo == self.hi
    }
}

/// A piece of an envelope: from here on, up to where the next one begins, this line is the lowest, or there is none.
///
/// The last piece of an envelope is a gap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub(crate) at: Place,
    pub(crate) line: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_knows_what_it_is() {
        for origin in
            [Origin::Left(0), Origin::Right(7), Origin::Left(MOST as u32 - 1), Origin::Crossing(3, MOST as u32 - 1)]
        {
            assert_eq!(Place::new(1.0, 2.0, origin).origin(), origin);
        }
        assert_eq!(size_of::<Piece>(), 32);
    }
}
