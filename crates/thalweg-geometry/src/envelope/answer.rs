//! The pieces of an envelope, and what can be asked of them.

use std::cmp::Ordering;

use num_rational::BigRational;
use thalweg_core::Result;
use thalweg_core::memory::computed;
use thalweg_core::parallel::find_first;

use super::lines::Lines;
use super::place::{GAP, Piece};
use super::query::Query;
use super::segments::Side;
use crate::coordinates::{Coordinate, Stored, not_finite};

/// Pieces or questions that a task takes.
const GRAIN: usize = 1 << 10;

/// A piece of an envelope: from `start` up to the start of the next piece.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnvelopePiece {
    /// Where it begins: the nearest double.
    pub start: f64,
    /// Which segment it is a part of, from 0; `None` for a gap.
    pub segment: Option<usize>,
}

/// The lower or upper envelope of some segments: its pieces from left to right.
///
/// A piece is closed. Where two meet, both count, and the envelope is the lower one there (the higher one, for an upper
/// envelope). A point, or a vertical segment, that is lower than everything else at its x is a piece of its own, and the
/// next piece begins at the same x. So every value is expressed, and no two neighbours are of the same segment.
///
/// There is a gap, `None`, wherever there is no segment between others, and after the last one; with lines or rays the
/// first piece begins at minus infinity, and the last one may never end.
///
/// ```
/// # use thalweg_geometry as thalweg;
/// use thalweg::envelope::lower_envelope;
/// // A roof, a floor with a hole below it, and a point in the hole.
/// let segments = [[0, 4, 9, 7], [0, 0, 3, 0], [5, 0, 9, 0], [4, -2, 4, -2]];
/// let envelope = lower_envelope(&segments)?;
/// assert_eq!(envelope.starts(), [0.0, 3.0, 4.0, 4.0, 5.0, 9.0]);
/// let ids: Vec<_> = envelope.pieces().map(|piece| piece.segment).collect();
/// assert_eq!(ids, [Some(1), Some(0), Some(3), Some(0), Some(2), None]);
/// assert_eq!(envelope.values_at(&[3.0, 3.5, 4.0, 9.0])?, [0.0, 4.0 + 3.5 / 3.0, -2.0, 0.0]);
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Envelope {
    lines: Lines,
    pieces: Vec<Piece>,
    starts: Vec<f64>,
    ids: Vec<u32>,
    side: Side,
}

impl Envelope {
    pub(super) fn new(lines: Lines, mut pieces: Vec<Piece>, side: Side) -> Result<Self> {
        // What never ends is not followed by a gap.
        pieces.pop_if(|last| last.line == GAP && last.at.is_exact() && last.at.lo == f64::INFINITY);
        let starts = computed(pieces.len(), GRAIN, "starts of pieces", |i| lines.exact.nearest_place(&pieces[i].at))?;
        let ids = computed(pieces.len(), GRAIN, "numbers of segments", |i| match pieces[i].line {
            GAP => Self::GAP,
            line => lines.id(line),
        })?;
        Ok(Self { lines, pieces, starts, ids, side })
    }

    /// What [`Envelope::ids`] has for a gap.
    pub const GAP: u32 = u32::MAX;

    /// How many pieces there are, gaps included.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Whether there are none: there were no segments.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Which envelope it is.
    pub fn side(&self) -> Side {
        self.side
    }

    /// Where the pieces begin: the nearest doubles, ascending. Different numbers may have the same nearest double; see
    /// [`Envelope::exact_start`].
    pub fn starts(&self) -> &[f64] {
        &self.starts
    }

    /// Of which segments the pieces are; [`Envelope::GAP`] for a gap. Where segments are equal it is the first of them.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// The pieces from left to right.
    pub fn pieces(&self) -> impl ExactSizeIterator<Item = EnvelopePiece> + '_ {
        let segment = |id: u32| (id != Self::GAP).then_some(id as usize);
        self.starts.iter().zip(&self.ids).map(move |(&start, &id)| EnvelopePiece { start, segment: segment(id) })
    }

    /// Where a piece begins, exactly; `None` at minus infinity.
    ///
    /// ```
    /// # use thalweg_geometry as thalweg;
    /// use thalweg::envelope::lower_envelope;
    /// let envelope = lower_envelope(&[[0, 0, 3, 3], [0, 2, 5, 0]])?;
    /// assert_eq!(envelope.exact_start(1).unwrap().to_string(), "10/7");
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    ///
    /// # Panics
    /// If there is no such piece.
    pub fn exact_start(&self, piece: usize) -> Option<BigRational> {
        self.lines.exact.exact_place(&self.pieces[piece].at)
    }

    /// The envelope's values at some x, in any order: the nearest doubles, NaN in gaps. O(log n) each, on all threads.
    ///
    /// # Errors
    /// [`Error::NotFinite`](thalweg_core::Error::NotFinite) with the first x that is not finite.
    pub fn values_at<T: Coordinate>(&self, xs: &[T]) -> Result<Vec<f64>> {
        let x0 = self.lines.exact.frame.x0;
        let value = |query: Query| self.value_at(&query);
        let made = |len, value: &(dyn Fn(usize) -> f64 + Sync)| computed(len, GRAIN, "values", value);
        match T::stored(xs.as_chunks::<1>().0)? {
            Stored::I32 { rows, origin } => {
                made(rows.len(), &|i| value(Query::whole(x0, i128::from(rows[i][0]) + i128::from(origin))))
            }
            Stored::I64 { rows, origin } => {
                made(rows.len(), &|i| value(Query::whole(x0, i128::from(rows[i][0]) + i128::from(origin))))
            }
            Stored::F32(rows) => {
                check_finite(rows.len(), &|i| rows[i][0].into())?;
                made(rows.len(), &|i| value(Query::double(x0, rows[i][0].into())))
            }
            Stored::F64(rows) => {
                check_finite(rows.len(), &|i| rows[i][0])?;
                made(rows.len(), &|i| value(Query::double(x0, rows[i][0])))
            }
        }
    }

    fn value_at(&self, x: &Query) -> f64 {
        let is_before = |piece: &Piece| self.lines.compare_place(&piece.at, x).is_le();
        let mut at = self.pieces.partition_point(is_before);
        let mut lowest = GAP;
        // The piece that has begun, and all that end here.
        while let Some(before) = at.checked_sub(1) {
            at = before;
            let Piece { at: start, line } = self.pieces[at];
            if line != GAP && (lowest == GAP || self.lines.compare_at(line, lowest, x) == Ordering::Less) {
                lowest = line;
            }
            if self.lines.compare_place(&start, x).is_lt() {
                break;
            }
        }
        if lowest == GAP { f64::NAN } else { self.lines.exact.nearest_value(lowest, x.number()) }
    }
}

fn check_finite(len: usize, x: &(dyn Fn(usize) -> f64 + Sync)) -> Result<()> {
    let bad = find_first(len, 1 << 14, &|mut range| range.find(|&i| !x(i).is_finite()));
    bad.map_or(Ok(()), |row| Err(not_finite("x", row, &[x(row)])))
}

/// Two envelopes are equal if their pieces are, exactly.
impl PartialEq for Envelope {
    fn eq(&self, other: &Self) -> bool {
        let starts = |envelope: &Self, i| envelope.exact_start(i);
        self.starts == other.starts
            && self.ids == other.ids
            && (0..self.len()).all(|i| starts(self, i) == starts(other, i))
    }
}
