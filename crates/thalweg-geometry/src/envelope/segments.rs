//! Segments at the door: checked, and put into the frame in which the engines work.

use std::cmp::Ordering;

use rayon::prelude::*;
use thalweg_core::memory::computed;
use thalweg_core::parallel::find_first;
use thalweg_core::{Error, Result};

use super::exact::{Exact, Frame, Raw};
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
    rows: Stored<'a, 4>,
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

/// The segments in the frame of one side: see [`Frame`].
#[derive(Debug)]
pub(crate) struct Loader<'s> {
    rows: Rows<'s>,
    pub(crate) frame: Frame,
}

#[derive(Debug)]
enum Rows<'s> {
    I32(&'s [[i32; 4]]),
    /// With the smallest x, and with the y at which the frame has 0; whether both spans are below 2^32.
    I64 {
        rows: &'s [[i64; 4]],
        x: i64,
        y: i64,
        narrow: bool,
    },
    F32(&'s [[f32; 4]]),
    F64(&'s [[f64; 4]]),
}

impl<'s> Loader<'s> {
    pub(crate) fn new(segments: &'s Segments<'_>, side: Side) -> Self {
        let flip = side == Side::Upper;
        let doubles = Frame { flip, ..Frame::default() };
        match &segments.rows {
            Stored::I32 { rows, origin } => {
                let at = |x: i32| i128::from(x) + i128::from(*origin);
                let y0 = at(if flip { i32::MAX } else { i32::MIN });
                Self { rows: Rows::I32(rows), frame: Frame { x0: at(i32::MIN), y0, flip } }
            }
            Stored::I64 { rows, origin } => {
                let ([x, y_low], [x_high, y_high]) = bounds(rows);
                let y = if flip { y_high } else { y_low };
                let narrow = [(x, x_high), (y_low, y_high)].iter().all(|(low, high)| low.abs_diff(*high) >> 32 == 0);
                let at = |x: i64| i128::from(x) + i128::from(*origin);
                Self { rows: Rows::I64 { rows, x, y, narrow }, frame: Frame { x0: at(x), y0: at(y), flip } }
            }
            Stored::F32(rows) => Self { rows: Rows::F32(rows), frame: doubles },
            Stored::F64(rows) => Self { rows: Rows::F64(rows), frame: doubles },
        }
    }

    fn row_i32(&self, [x1, y1, x2, y2]: [i32; 4]) -> [u32; 4] {
        let x = |x: i32| x as u32 ^ 1 << 31;
        let y = |y: i32| if self.frame.flip { !x(y) } else { x(y) };
        [x(x1), y(y1), x(x2), y(y2)]
    }

    fn row_i64(&self, row: [i64; 4], x0: i64, y0: i64) -> [u64; 4] {
        let x = |x: i64| x.wrapping_sub(x0) as u64;
        let y = |y: i64| if self.frame.flip { y0.wrapping_sub(y) as u64 } else { y.wrapping_sub(y0) as u64 };
        [x(row[0]), y(row[1]), x(row[2]), y(row[3])]
    }

    fn row_f64(&self, [x1, y1, x2, y2]: [f64; 4]) -> [f64; 4] {
        if self.frame.flip { [x1, -y1, x2, -y2] } else { [x1, y1, x2, y2] }
    }

    /// Hands the nearest doubles of all rows, in the frame, to `scan`, which is compiled for every layout.
    pub(crate) fn scan<S: Scan>(&self, scan: S) -> S::Output {
        match &self.rows {
            Rows::I32(rows) => scan.run(|i| self.row_i32(rows[i]).map(f64::from)),
            Rows::I64 { rows, x, y, .. } => scan.run(|i| self.row_i64(rows[i], *x, *y).map(|x| x as f64)),
            Rows::F32(rows) => scan.run(|i| self.row_f64(rows[i].map(f64::from))),
            Rows::F64(rows) => scan.run(|i| self.row_f64(rows[i])),
        }
    }

    /// The segments with these numbers, ends in order.
    pub(crate) fn exact(&self, ids: &[u32]) -> Result<Exact> {
        fn made<T: Copy + PartialOrd + Send>(ids: &[u32], row: impl Fn(usize) -> [T; 4] + Sync) -> Result<Vec<[T; 4]>> {
            computed(ids.len(), GRAIN, "the segments", |k| ordered(row(ids[k] as usize)))
        }
        let raw = match &self.rows {
            Rows::I32(rows) => Raw::Narrow(made(ids, |i| self.row_i32(rows[i]))?),
            Rows::I64 { rows, x, y, narrow: true } => {
                Raw::Narrow(made(ids, |i| self.row_i64(rows[i], *x, *y).map(|x| x as u32))?)
            }
            Rows::I64 { rows, x, y, narrow: false } => Raw::Wide(made(ids, |i| self.row_i64(rows[i], *x, *y))?),
            Rows::F32(rows) => Raw::Doubles(made(ids, |i| self.row_f64(rows[i].map(f64::from)))?),
            Rows::F64(rows) => Raw::Doubles(made(ids, |i| self.row_f64(rows[i]))?),
        };
        Ok(Exact { raw, frame: self.frame })
    }

    /// Whether a segment covers a single x.
    pub(crate) fn is_point(&self, id: u32) -> bool {
        fn equal<T: PartialEq>([x1, _, x2, _]: &[T; 4]) -> bool {
            x1 == x2
        }
        match &self.rows {
            Rows::I32(rows) => equal(&rows[id as usize]),
            Rows::I64 { rows, .. } => equal(&rows[id as usize]),
            Rows::F32(rows) => equal(&rows[id as usize]),
            Rows::F64(rows) => equal(&rows[id as usize]),
        }
    }

    /// Compares two points by x, then y in the frame, then number.
    pub(crate) fn compare_points(&self, one: u32, two: u32) -> Ordering {
        fn compare<T: Copy + PartialOrd>(one: [T; 4], two: [T; 4]) -> Ordering {
            let key = |row| {
                let [x, y, ..] = ordered(row);
                (x, y)
            };
            key(one).partial_cmp(&key(two)).expect("points are finite")
        }
        let (i, j) = (one as usize, two as usize);
        let order = match &self.rows {
            Rows::I32(rows) => compare(self.row_i32(rows[i]), self.row_i32(rows[j])),
            Rows::I64 { rows, x, y, .. } => compare(self.row_i64(rows[i], *x, *y), self.row_i64(rows[j], *x, *y)),
            Rows::F32(rows) => compare(self.row_f64(rows[i].map(f64::from)), self.row_f64(rows[j].map(f64::from))),
            Rows::F64(rows) => compare(self.row_f64(rows[i]), self.row_f64(rows[j])),
        };
        order.then(one.cmp(&two))
    }
}

/// A loop over rows that must be fast.
pub(crate) trait Scan {
    type Output;
    /// Runs with a function that gives the row of a number.
    fn run(self, row: impl Fn(usize) -> [f64; 4] + Sync) -> Self::Output;
}

/// The left end first; of a vertical segment the lowest point, twice.
fn ordered<T: Copy + PartialOrd>([x1, y1, x2, y2]: [T; 4]) -> [T; 4] {
    if x1 < x2 {
        [x1, y1, x2, y2]
    } else if x2 < x1 {
        [x2, y2, x1, y1]
    } else {
        let y = if y2 < y1 { y2 } else { y1 };
        [x1, y, x1, y]
    }
}

/// The smallest and the largest x and y; zeros if there are no rows.
fn bounds(rows: &[[i64; 4]]) -> ([i64; 2], [i64; 2]) {
    if rows.is_empty() {
        return ([0; 2], [0; 2]);
    }
    let none = ([i64::MAX; 2], [i64::MIN; 2]);
    let join = |(low, high): ([i64; 2], [i64; 2]), (l, h): ([i64; 2], [i64; 2])| {
        ([low[0].min(l[0]), low[1].min(l[1])], [high[0].max(h[0]), high[1].max(h[1])])
    };
    let of_row = |&[x1, y1, x2, y2]: &[i64; 4]| ([x1.min(x2), y1.min(y2)], [x1.max(x2), y1.max(y2)]);
    rows.par_chunks(GRAIN).map(|rows| rows.iter().map(of_row).fold(none, join)).reduce(|| none, join)
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

    #[test]
    fn every_type_has_its_frame() {
        let rows = |side, stored: &Segments<'_>| {
            let loader = Loader::new(stored, side);
            let frame = loader.frame;
            let Exact { raw, .. } = loader.exact(&[0, 1]).unwrap();
            let given = |x: i128, y: i128| (frame.x0 + x, if frame.flip { frame.y0 - y } else { frame.y0 + y });
            let ends = |[x1, y1, x2, y2]: [i128; 4]| (given(x1, y1), given(x2, y2));
            match raw {
                Raw::Narrow(rows) => ("narrow", rows.iter().map(|row| ends(row.map(i128::from))).collect::<Vec<_>>()),
                Raw::Wide(rows) => ("wide", rows.iter().map(|row| ends(row.map(i128::from))).collect()),
                Raw::Doubles(rows) => {
                    let y = |y: f64| if frame.flip { -y } else { y } as i128;
                    let ends = |&[x1, y1, x2, y2]: &[f64; 4]| ((x1 as i128, y(y1)), (x2 as i128, y(y2)));
                    ("doubles", rows.iter().map(ends).collect())
                }
            }
        };
        // The second is vertical: from below its lower end is seen.
        macro_rules! check {
            ($t:ident, $kind:literal) => {{
                let (low, high) = (<$t>::MIN as i128, <$t>::MAX as i128);
                let data = [[<$t>::MAX, 1, <$t>::MIN, 100], [5, <$t>::MIN, 5, <$t>::MAX]];
                let segments = Segments::new(&data).unwrap();
                for (side, seen) in [(Side::Lower, low), (Side::Upper, high)] {
                    let (kind, got) = rows(side, &segments);
                    assert_eq!(kind, $kind);
                    assert_eq!(got, [((low, 100), (high, 1)), ((5, seen), (5, seen))], "{side:?}");
                }
            }};
        }
        check!(i8, "narrow");
        check!(u8, "narrow");
        check!(i16, "narrow");
        check!(u16, "narrow");
        check!(i32, "narrow");
        check!(u32, "narrow");
        check!(i64, "wide");
        check!(u64, "wide");
        let near =
            [[i64::MAX, i64::MIN, i64::MAX - 9, i64::MIN + 7], [i64::MAX - 3, i64::MIN + 1, i64::MAX - 3, i64::MIN]];
        assert_eq!(rows(Side::Upper, &Segments::new(&near).unwrap()).0, "narrow");
        let floats = [[2.0f32, 1.0, 1.0, 7.0], [5.0, 3.0, 5.0, 4.0]];
        let (kind, got) = rows(Side::Upper, &Segments::new(&floats).unwrap());
        assert_eq!((kind, got), ("doubles", vec![((1, 7), (2, 1)), ((5, 4), (5, 4))]));
    }
}
