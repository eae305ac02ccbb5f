//! Coordinates of ten types, erased at the door to two: exact integers (`i64`) and doubles (`f64`).
//!
//! Nothing is lost: narrower integers are widened, `u64` is shifted by 2^63, which changes no difference and no order, and
//! `f32` is widened. Everything that decides is compiled for the two types.
//!
//! What only scans, and devices that take 32 bits, read the coordinates as they lie in memory ([`Stored`]: four layouts, the
//! other six types are converted): a widened copy of points would take longer than finding their hull.

use std::borrow::Cow;

use thalweg_core::memory::computed;
use thalweg_core::parallel::find_first;
use thalweg_core::{Error, Result};

/// Rows of `N` coordinates, such as points (2) or segments (4), in one of four layouts.
#[derive(Clone, Debug)]
pub enum Stored<'a, const N: usize> {
    /// Integers of 32 bits.
    I32 {
        /// The rows, less the origin.
        rows: Cow<'a, [[i32; N]]>,
        /// What is to be added to every stored number to get the one that was given: 2^31 for `u32`, otherwise 0.
        origin: u64,
    },
    /// Integers of 64 bits.
    I64 {
        /// The rows, less the origin.
        rows: Cow<'a, [[i64; N]]>,
        /// What is to be added to every stored number to get the one that was given: 2^63 for `u64`, otherwise 0.
        origin: u64,
    },
    /// Floats of 32 bits, which may not be finite.
    F32(Cow<'a, [[f32; N]]>),
    /// Floats of 64 bits, which may not be finite.
    F64(Cow<'a, [[f64; N]]>),
}

impl<'a, const N: usize> Stored<'a, N> {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        match self {
            Self::I32 { rows, .. } => rows.len(),
            Self::I64 { rows, .. } => rows.len(),
            Self::F32(rows) => rows.len(),
            Self::F64(rows) => rows.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The same rows, lent.
    pub fn lent(&self) -> Stored<'_, N> {
        match self {
            Self::I32 { rows, origin } => Stored::I32 { rows: Cow::Borrowed(rows), origin: *origin },
            Self::I64 { rows, origin } => Stored::I64 { rows: Cow::Borrowed(rows), origin: *origin },
            Self::F32(rows) => Stored::F32(Cow::Borrowed(rows)),
            Self::F64(rows) => Stored::F64(Cow::Borrowed(rows)),
        }
    }

    /// The rows in one of the two number types: what has 64 bits is passed on as it is, the rest is copied.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if there is no room for the copy.
    pub fn widened(self) -> Result<Rows<'a, N>> {
        Ok(match self {
            Self::I32 { rows, origin } => {
                let origin = origin as i64; // 2^31 at most
                Rows::Integers { rows: converted(&rows, |x: i32| i64::from(x) + origin)?, origin: 0 }
            }
            Self::I64 { rows, origin } => Rows::Integers { rows, origin },
            Self::F32(rows) => Rows::Doubles(converted(&rows, f64::from)?),
            Self::F64(rows) => Rows::Doubles(rows),
        })
    }
}

/// Rows of `N` coordinates, such as points (2) or segments (4), in one of the two number types.
#[derive(Clone, Debug)]
pub enum Rows<'a, const N: usize> {
    /// Exact integers.
    Integers {
        /// The rows, less the origin.
        rows: Cow<'a, [[i64; N]]>,
        /// What is to be added to every stored number to get the one that was given: 2^63 for `u64`, otherwise 0.
        origin: u64,
    },
    /// Doubles, which may not be finite: see [`check_finite`].
    Doubles(Cow<'a, [[f64; N]]>),
}

impl<const N: usize> Rows<'_, N> {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Integers { rows, .. } => rows.len(),
            Self::Doubles(rows) => rows.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A type of coordinates: integers of 8 to 64 bits, `f32`, `f64`.
///
/// Sealed: engines are compiled for `i64` and `f64`, and everything else becomes one of them.
pub trait Coordinate: Copy + Send + Sync + sealed::Sealed + 'static {
    /// The rows in one of the four layouts: lent, or a copy if the type is another one.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if there is no room for the copy.
    fn stored<const N: usize>(rows: &[[Self; N]]) -> Result<Stored<'_, N>>;

    /// The rows in one of the two number types: lent, or a copy if the type is another one.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if there is no room for the copy.
    fn rows<const N: usize>(rows: &[[Self; N]]) -> Result<Rows<'_, N>> {
        Self::stored(rows)?.widened()
    }
}

/// Rows that a task converts.
const GRAIN: usize = 1 << 14;

/// A copy in another type.
pub(crate) fn converted<T: Copy + Sync, U: Copy + Send, const N: usize>(
    rows: &[[T; N]],
    convert: impl Fn(T) -> U + Sync,
) -> Result<Cow<'static, [[U; N]]>> {
    Ok(Cow::Owned(computed(rows.len(), GRAIN, "coordinates", |i| rows[i].map(&convert))?))
}

macro_rules! coordinates {
    ($($t:ident: $rows:ident => $stored:expr;)*) => {$(
        impl Coordinate for $t {
            fn stored<const N: usize>($rows: &[[Self; N]]) -> Result<Stored<'_, N>> {
                Ok($stored)
            }
        }
    )*};
}
coordinates! {
    i8: rows => Stored::I32 { rows: converted(rows, i32::from)?, origin: 0 };
    u8: rows => Stored::I32 { rows: converted(rows, i32::from)?, origin: 0 };
    i16: rows => Stored::I32 { rows: converted(rows, i32::from)?, origin: 0 };
    u16: rows => Stored::I32 { rows: converted(rows, i32::from)?, origin: 0 };
    i32: rows => Stored::I32 { rows: Cow::Borrowed(rows), origin: 0 };
    u32: rows => Stored::I32 { rows: converted(rows, |x| (x as i32) ^ i32::MIN)?, origin: 1 << 31 };
    i64: rows => Stored::I64 { rows: Cow::Borrowed(rows), origin: 0 };
    u64: rows => Stored::I64 { rows: converted(rows, |x| (x as i64) ^ i64::MIN)?, origin: 1 << 63 };
    f32: rows => Stored::F32(Cow::Borrowed(rows));
    f64: rows => Stored::F64(Cow::Borrowed(rows));
}

mod sealed {
    pub trait Sealed {}
    macro_rules! seal {
        ($($t:ident)*) => {$(impl Sealed for $t {})*};
    }
    seal!(i8 u8 i16 u16 i32 u32 i64 u64 f32 f64);
}

/// Checks that all doubles are finite.
///
/// # Errors
/// [`Error::NotFinite`] with the first row that holds NaN or an infinity; `what` a row is, such as `point`.
pub fn check_finite<const N: usize>(rows: &[[f64; N]], what: &'static str) -> Result<()> {
    let is_bad = |row: &[f64; N]| !row.iter().all(|x| x.is_finite());
    let bad = find_first(rows.len(), GRAIN, &|range| {
        let start = range.start;
        rows[range].iter().position(is_bad).map(|i| start + i)
    });
    bad.map_or(Ok(()), |row| Err(not_finite(what, row, &rows[row])))
}

/// The error for a row that holds NaN or an infinity.
pub fn not_finite(what: &'static str, row: usize, values: &[f64]) -> Error {
    let number = match values.iter().find(|x| !x.is_finite()) {
        Some(x) if x.is_nan() => "NaN",
        Some(x) if *x < 0.0 => "-infinity",
        _ => "infinity",
    };
    Error::NotFinite { what, row, number }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integers<T: Coordinate>(rows: &[[T; 2]]) -> (Vec<[i64; 2]>, u64) {
        match T::rows(rows).unwrap() {
            Rows::Integers { rows, origin } => (rows.into_owned(), origin),
            Rows::Doubles(_) => panic!("integers are integers"),
        }
    }

    #[test]
    fn integers_keep_their_order_and_differences() {
        assert_eq!(integers(&[[i8::MIN, i8::MAX]]), (vec![[-128, 127]], 0));
        assert_eq!(integers(&[[0, u32::MAX]]), (vec![[0, 0xffff_ffff]], 0));
        assert_eq!(integers(&[[0u8, 255]]), (vec![[0, 255]], 0));
        assert_eq!(integers(&[[i64::MIN, i64::MAX]]), (vec![[i64::MIN, i64::MAX]], 0));
        assert_eq!(integers(&[[0, u64::MAX], [1 << 63, 7]]), (vec![[i64::MIN, i64::MAX], [0, i64::MIN + 7]], 1 << 63));
    }

    #[test]
    fn what_has_the_type_already_is_lent() {
        assert!(matches!(i64::rows(&[[1i64, 2]]).unwrap(), Rows::Integers { rows: Cow::Borrowed(_), .. }));
        assert!(matches!(f64::rows(&[[1.0, 2.0]]).unwrap(), Rows::Doubles(Cow::Borrowed(_))));
        assert!(matches!(f32::rows(&[[1.5f32, 2.0]]).unwrap(), Rows::Doubles(rows) if rows[0] == [1.5, 2.0]));
        assert!(matches!(i32::stored(&[[1i32, 2]]).unwrap(), Stored::I32 { rows: Cow::Borrowed(_), origin: 0 }));
        assert!(matches!(f32::stored(&[[1.5f32, 2.0]]).unwrap(), Stored::F32(Cow::Borrowed(_))));
    }

    #[test]
    fn the_first_row_that_is_not_finite_is_named() {
        let mut rows = vec![[0.0; 4]; 100_000];
        assert_eq!(check_finite(&rows, "segment"), Ok(()));
        for (row, column, x, number) in [
            (99_999, 3, f64::INFINITY, "infinity"),
            (70_000, 0, f64::NEG_INFINITY, "-infinity"),
            (3, 1, f64::NAN, "NaN"),
        ] {
            rows[row][column] = x;
            assert_eq!(check_finite(&rows, "segment"), Err(Error::NotFinite { what: "segment", row, number }));
        }
    }
}
