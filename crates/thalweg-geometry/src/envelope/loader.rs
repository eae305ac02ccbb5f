//! Segments in the frame in which the engines work: moved so that coordinates begin at 0, and turned over for upper envelopes.

use std::cmp::Ordering;

use rayon::prelude::*;
use thalweg_core::Result;
use thalweg_core::memory::computed;
use thalweg_core::parallel::find_first;

use super::exact::{Exact, Frame, Raw};
use super::segments::{Segments, Side};
use crate::coordinates::Stored;

/// Rows that a task looks at.
const GRAIN: usize = 1 << 14;

/// The segments in the frame of one side: see [`Frame`].
#[derive(Debug)]
pub(crate) struct Loader<'s> {
    rows: Rows<'s>,
    pub(crate) frame: Frame,
}

/// Rows as they lie in memory, with what must be known to put them into the frame.
#[derive(Debug)]
enum Rows<'s> {
    I32(&'s [[i32; 4]]),
    I64 {
        rows: &'s [[i64; 4]],
        zero: Zero,
        /// Whether both spans are below 2^32.
        narrow: bool,
    },
    F32(&'s [[f32; 4]]),
    F64(&'s [[f64; 4]]),
    /// Floats that are whole numbers, and span less than 2^32.
    Whole {
        rows: Floats<'s>,
        zero: Zero,
    },
}

/// The numbers at which the frame has zeros.
#[derive(Clone, Copy, Debug)]
struct Zero {
    x: i64,
    y: i64,
    flip: bool,
}

impl Zero {
    /// The lower left corner, or the upper one for the upper envelope.
    fn of(bounds: Bounds, flip: bool) -> Self {
        Self { x: bounds.low[0], y: if flip { bounds.high[1] } else { bounds.low[1] }, flip }
    }

    fn frame(self, origin: u64) -> Frame {
        let [x0, y0] = [self.x, self.y].map(|zero| i128::from(zero) + i128::from(origin));
        Frame { x0, y0, flip: self.flip }
    }

    #[inline(always)]
    fn row(self, row: [i64; 4]) -> [u64; 4] {
        let x = |x: i64| x.wrapping_sub(self.x) as u64;
        let y = |y: i64| if self.flip { self.y.wrapping_sub(y) as u64 } else { y.wrapping_sub(self.y) as u64 };
        [x(row[0]), y(row[1]), x(row[2]), y(row[3])]
    }
}

/// Floats of either width.
#[derive(Clone, Copy, Debug)]
enum Floats<'s> {
    F32(&'s [[f32; 4]]),
    F64(&'s [[f64; 4]]),
}

impl Floats<'_> {
    fn get(self, i: usize) -> [f64; 4] {
        match self {
            Self::F32(rows) => rows[i].map(f64::from),
            Self::F64(rows) => rows[i],
        }
    }

    fn len(self) -> usize {
        match self {
            Self::F32(rows) => rows.len(),
            Self::F64(rows) => rows.len(),
        }
    }

    /// A row of whole numbers.
    fn whole(self, i: usize) -> [i64; 4] {
        self.get(i).map(|x| x as i64)
    }

    /// The bounds, if all numbers are whole and exact as integers of 64 bits.
    fn whole_bounds(self) -> Option<Bounds> {
        let is_whole = |x: &f64| x.abs() <= (1u64 << 52) as f64 && x.fract() == 0.0;
        let other = find_first(self.len(), GRAIN, &|mut range| range.find(|&i| !self.get(i).iter().all(is_whole)));
        other.is_none().then(|| Bounds::new(self.len(), &|i| self.whole(i)))
    }
}

impl<'s> Loader<'s> {
    pub(crate) fn new(segments: &'s Segments<'_>, side: Side) -> Self {
        let flip = side == Side::Upper;
        match &segments.rows {
            Stored::I32 { rows, origin } => {
                // Numbers of 32 bits span less than 2^32 wherever they are.
                let (low, high) = ([i32::MIN.into(); 2], [i32::MAX.into(); 2]);
                Self { rows: Rows::I32(rows), frame: Zero::of(Bounds { low, high }, flip).frame(*origin) }
            }
            Stored::I64 { rows, origin } => {
                let bounds = Bounds::new(rows.len(), &|i| rows[i]);
                let zero = Zero::of(bounds, flip);
                Self { rows: Rows::I64 { rows, zero, narrow: bounds.is_narrow() }, frame: zero.frame(*origin) }
            }
            Stored::F32(rows) => Self::of_floats(Floats::F32(rows), Rows::F32(rows), flip),
            Stored::F64(rows) => Self::of_floats(Floats::F64(rows), Rows::F64(rows), flip),
        }
    }

    /// Whole numbers are compared in 128 bits, too, if they are floats.
    fn of_floats(floats: Floats<'s>, rows: Rows<'s>, flip: bool) -> Self {
        match floats.whole_bounds().filter(Bounds::is_narrow) {
            Some(bounds) => {
                let zero = Zero::of(bounds, flip);
                Self { rows: Rows::Whole { rows: floats, zero }, frame: zero.frame(0) }
            }
            None => Self { rows, frame: Frame { flip, ..Frame::default() } },
        }
    }

    #[inline(always)]
    fn row_i32(&self, [x1, y1, x2, y2]: [i32; 4]) -> [u32; 4] {
        let x = |x: i32| x as u32 ^ 1 << 31;
        let y = |y: i32| if self.frame.flip { !x(y) } else { x(y) };
        [x(x1), y(y1), x(x2), y(y2)]
    }

    #[inline(always)]
    fn row_f64(&self, [x1, y1, x2, y2]: [f64; 4]) -> [f64; 4] {
        if self.frame.flip { [x1, -y1, x2, -y2] } else { [x1, y1, x2, y2] }
    }

    /// Hands the nearest doubles of all rows, in the frame, to `scan`, which is compiled for every layout.
    pub(crate) fn scan<S: Scan>(&self, scan: S) -> S::Output {
        match &self.rows {
            Rows::I32(rows) => scan.run(|i| self.row_i32(rows[i]).map(f64::from)),
            Rows::I64 { rows, zero, .. } => scan.run(|i| zero.row(rows[i]).map(|x| x as f64)),
            Rows::F32(rows) => scan.run(|i| self.row_f64(rows[i].map(f64::from))),
            Rows::F64(rows) => scan.run(|i| self.row_f64(rows[i])),
            Rows::Whole { rows, zero } => scan.run(|i| zero.row(rows.whole(i)).map(|x| x as f64)),
        }
    }

    /// The segments with these numbers, ends in order.
    pub(crate) fn exact(&self, ids: &[u32]) -> Result<Exact> {
        fn made<T: Copy + PartialOrd + Send>(ids: &[u32], row: impl Fn(usize) -> [T; 4] + Sync) -> Result<Vec<[T; 4]>> {
            computed(ids.len(), GRAIN, "the segments", |k| ordered(row(ids[k] as usize)))
        }
        let narrow = |row: [u64; 4]| row.map(|x| x as u32);
        let raw = match &self.rows {
            Rows::I32(rows) => Raw::Narrow(made(ids, |i| self.row_i32(rows[i]))?),
            Rows::I64 { rows, zero, narrow: true } => Raw::Narrow(made(ids, |i| narrow(zero.row(rows[i])))?),
            Rows::I64 { rows, zero, narrow: false } => Raw::Wide(made(ids, |i| zero.row(rows[i]))?),
            Rows::F32(rows) => Raw::Doubles(made(ids, |i| self.row_f64(rows[i].map(f64::from)))?),
            Rows::F64(rows) => Raw::Doubles(made(ids, |i| self.row_f64(rows[i]))?),
            Rows::Whole { rows, zero } => Raw::Narrow(made(ids, |i| narrow(zero.row(rows.whole(i))))?),
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
            Rows::Whole { rows, .. } => equal(&rows.get(id as usize)),
        }
    }

    /// Compares two points by x, then y in the frame, then number.
    pub(crate) fn compare_points(&self, one: u32, two: u32) -> Ordering {
        fn compare<T: Copy + PartialOrd>([one, two]: [[T; 4]; 2]) -> Ordering {
            let key = |row| {
                let [x, y, ..] = ordered(row);
                (x, y)
            };
            key(one).partial_cmp(&key(two)).expect("points are finite")
        }
        let ids = [one, two].map(|id| id as usize);
        let order = match &self.rows {
            Rows::I32(rows) => compare(ids.map(|i| self.row_i32(rows[i]))),
            Rows::I64 { rows, zero, .. } => compare(ids.map(|i| zero.row(rows[i]))),
            Rows::F32(rows) => compare(ids.map(|i| self.row_f64(rows[i].map(f64::from)))),
            Rows::F64(rows) => compare(ids.map(|i| self.row_f64(rows[i]))),
            Rows::Whole { rows, .. } => compare(ids.map(|i| self.row_f64(rows.get(i)))),
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
#[derive(Clone, Copy, Debug)]
struct Bounds {
    low: [i64; 2],
    high: [i64; 2],
}

impl Bounds {
    fn new(len: usize, row: &(dyn Fn(usize) -> [i64; 4] + Sync)) -> Self {
        if len == 0 {
            return Self { low: [0; 2], high: [0; 2] };
        }
        let of_row = |i| {
            let [x1, y1, x2, y2] = row(i);
            Self { low: [x1.min(x2), y1.min(y2)], high: [x1.max(x2), y1.max(y2)] }
        };
        let none = Self { low: [i64::MAX; 2], high: [i64::MIN; 2] };
        (0..len).into_par_iter().with_min_len(GRAIN).map(of_row).reduce(|| none, Self::join)
    }

    fn join(self, other: Self) -> Self {
        let each = |k: usize| (self.low[k].min(other.low[k]), self.high[k].max(other.high[k]));
        let [(x, x_high), (y, y_high)] = [each(0), each(1)];
        Self { low: [x, y], high: [x_high, y_high] }
    }

    /// Whether both spans are below 2^32.
    fn is_narrow(&self) -> bool {
        (0..2).all(|k| self.low[k].abs_diff(self.high[k]) >> 32 == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        // Whole floats are integers; beyond 2^32, or beside a half, they are doubles.
        for (most, want) in [(9.0f32, "narrow"), (1e10, "doubles"), (0.5, "doubles"), (f32::INFINITY, "doubles")] {
            let floats = [[2.0, 1.0, 1.0, 7.0], [5.0, 3.0, 5.0, 4.0], [0.0, 0.0, most, 0.0]];
            for side in [Side::Lower, Side::Upper] {
                let (kind, got) = rows(side, &Segments::new(&floats).unwrap());
                let seen = if side == Side::Upper { 4 } else { 3 };
                assert_eq!((kind, got), (want, vec![((1, 7), (2, 1)), ((5, seen), (5, seen))]), "{most}");
            }
        }
    }
}
