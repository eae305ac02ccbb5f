//! How far: whole numbers with four neighbours, [`Length`]s with eight.

use std::fmt;

use super::Length;

/// Exact distances, and floating-point numbers near to them.
pub(super) trait Measure: Copy + PartialEq + fmt::Debug + Send + Sync + 'static {
    const ZERO: Self;

    /// One more step into a cell of this cost.
    fn plus(self, cost: u32, is_diagonal: bool) -> Self;

    /// One step less, if there is so much.
    fn minus(self, cost: u32, is_diagonal: bool) -> Option<Self>;

    fn is_less(self, other: Self) -> bool;

    /// The number, up to a relative error of 2^-51.
    fn approximate(self) -> f64;

    /// Whether no two different numbers up to this one look the same when approximated.
    fn is_told_apart(self) -> bool;

    fn length(self) -> Length;

    /// The distance of cells so many rows and columns apart, where all costs are 1 and there are no walls.
    fn without_walls(rows: u64, columns: u64) -> f64;
}

impl Measure for u64 {
    const ZERO: Self = 0;

    #[inline(always)]
    fn plus(self, cost: u32, _: bool) -> Self {
        self + u64::from(cost)
    }

    #[inline(always)]
    fn minus(self, cost: u32, _: bool) -> Option<Self> {
        self.checked_sub(u64::from(cost))
    }

    #[inline(always)]
    fn is_less(self, other: Self) -> bool {
        self < other
    }

    #[inline(always)]
    fn approximate(self) -> f64 {
        self as f64
    }

    fn is_told_apart(self) -> bool {
        self < 1 << 52
    }

    fn length(self) -> Length {
        Length::new(self, 0)
    }

    #[inline(always)]
    fn without_walls(rows: u64, columns: u64) -> f64 {
        (rows + columns) as f64
    }
}

impl Measure for Length {
    const ZERO: Self = Self::ZERO;

    #[inline(always)]
    fn plus(self, cost: u32, is_diagonal: bool) -> Self {
        let cost = u64::from(cost);
        if is_diagonal {
            Self::new(self.straight, self.diagonal + cost)
        } else {
            Self::new(self.straight + cost, self.diagonal)
        }
    }

    #[inline(always)]
    fn minus(self, cost: u32, is_diagonal: bool) -> Option<Self> {
        let cost = u64::from(cost);
        if is_diagonal {
            Some(Self::new(self.straight, self.diagonal.checked_sub(cost)?))
        } else {
            Some(Self::new(self.straight.checked_sub(cost)?, self.diagonal))
        }
    }

    #[inline(always)]
    fn is_less(self, other: Self) -> bool {
        self < other
    }

    #[inline(always)]
    fn approximate(self) -> f64 {
        self.straight as f64 + self.diagonal as f64 * std::f64::consts::SQRT_2
    }

    /// Different sums differ by at least 1 / (a + b√2), where a and b are the differences of their parts: by 2^-24 here,
    /// and floating-point numbers below 2^24 are exact to 2^-27.
    fn is_told_apart(self) -> bool {
        self.straight.max(self.diagonal) < 1 << 22
    }

    fn length(self) -> Length {
        self
    }

    #[inline(always)]
    fn without_walls(rows: u64, columns: u64) -> f64 {
        let (least, most) = (rows.min(columns), rows.max(columns));
        (most - least) as f64 + least as f64 * std::f64::consts::SQRT_2
    }
}
