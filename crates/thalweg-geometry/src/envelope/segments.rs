//! Segments at the door: what they may be, checked.

use thalweg_core::parallel::find_first;
use thalweg_core::{Error, Result};

use super::place::MOST;
use crate::coordinates::{Coordinate, Stored, not_finite};

/// Rows that a task looks at.
const GRAIN: usize = 1 << 14;

/// Which envelope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Side {
    /// What is seen from below: the lowest segment everywhere.
    #[default]
    Lower,
    /// What is seen from above.
    Upper,
}

/// Segments `[x1, y1, x2, y2]`, their ends in any order.
///
/// They are closed: both ends belong to them. They may cross, overlap, and be vertical or points. Doubles may go on for ever:
/// an infinite x has the *slope* beside it instead of a y.
///
/// | row | what it is |
/// |---|---|
/// | `[x, y, inf, m]` | the ray from (x, y) to the right, with slope m |
/// | `[-inf, m, x, y]` | the ray from (x, y) to the left, with slope m |
/// | `[-inf, m, inf, b]` | the line y = m x + b |
///
/// Integers have no infinities; those of up to 53 bits are the same as doubles.
///
/// ```
/// # use thalweg_geometry as thalweg;
/// use thalweg::envelope::Segments;
/// let whole = [[0, 5, 9, 5], [3, 8, 3, -8]];
/// assert_eq!(Segments::new(&whole)?.len(), 2);
/// let line = [[f64::NEG_INFINITY, 0.5, f64::INFINITY, 3.0]]; // y = x / 2 + 3
/// assert!(Segments::new(&line).is_ok());
/// assert!(Segments::new(&[[0.0, f64::NAN, 1.0, 1.0]]).is_err());
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Segments<'a> {
    pub(super) rows: Stored<'a, 4>,
}

impl<'a> Segments<'a> {
    /// Segments of any type of coordinates. Integers of 32 and 64 bits and floats stay where they are.
    ///
    /// # Errors
    /// [`Error::NotFinite`] and [`Error::Segment`] with the first row that is none; [`Error::BadOption`] for more than
    /// 2^32 - 3 segments; [`Error::OutOfMemory`] for the copy that other types need.
    pub fn new<T: Coordinate>(rows: &'a [[T; 4]]) -> Result<Self> {
        Self::from_stored(T::stored(rows)?)
    }

    /// Segments that have been through the door.
    ///
    /// # Errors
    /// As for [`Segments::new`].
    pub fn from_stored(rows: Stored<'a, 4>) -> Result<Self> {
        if rows.len() > MOST {
            let reason = format!("{} are more than the {MOST} that can be numbered", rows.len());
            return Err(Error::BadOption { option: "segments", reason });
        }
        match &rows {
            Stored::F32(rows) => check(rows.len(), &|i| rows[i].map(f64::from))?,
            Stored::F64(rows) => check(rows.len(), &|i| rows[i])?,
            Stored::I32 { .. } | Stored::I64 { .. } => {}
        }
        Ok(Self { rows })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rows as they are stored, for other devices.
    pub fn stored(&self) -> &Stored<'a, 4> {
        &self.rows
    }
}

fn check(len: usize, row: &(dyn Fn(usize) -> [f64; 4] + Sync)) -> Result<()> {
    let bad = find_first(len, GRAIN, &|mut range| range.find(|&i| wrong(i, row(i)).is_some()));
    bad.map_or(Ok(()), |i| Err(wrong(i, row(i)).expect("it was found")))
}

/// What is wrong with a row, if anything.
fn wrong(i: usize, [x1, y1, x2, y2]: [f64; 4]) -> Option<Error> {
    if !y1.is_finite() || !y2.is_finite() || x1.is_nan() || x2.is_nan() {
        let culprits: [f64; 4] = [y1, y2, if x1.is_nan() { x1 } else { 0.0 }, if x2.is_nan() { x2 } else { 0.0 }];
        return Some(not_finite("segment", i, &culprits));
    }
    (x1.is_infinite() && x1 == x2).then_some(Error::Segment { row: i, reason: "both ends are at the same infinity" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_rows_are_named() {
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        let refused = |row: [f64; 4]| Segments::new(&[[0.0; 4], row]).unwrap_err().to_string();
        assert_eq!(refused([0.0, nan, 1.0, 1.0]), "segment 1: a coordinate is NaN");
        assert_eq!(refused([nan, 0.0, inf, 1.0]), "segment 1: a coordinate is NaN");
        assert_eq!(refused([0.0, 0.0, 1.0, -inf]), "segment 1: a coordinate is -infinity");
        assert_eq!(refused([-inf, inf, inf, 0.0]), "segment 1: a coordinate is infinity");
        assert_eq!(refused([inf, 0.0, inf, 0.0]), "segment 1: both ends are at the same infinity");
        assert!(Segments::new(&[[f32::INFINITY, 1.0, 0.0, 0.0]]).is_ok());
        assert!(Segments::new(&[[f32::INFINITY, 1.0, f32::INFINITY, 0.0]]).is_err());
    }
}
