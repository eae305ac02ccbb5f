//! A line in doubles, with a bound of its errors.
//!
//! # Errors
//! With u = 2^-53, a slope is within 3u of `dy / dx` (two rounded differences and a quotient), `rise = slope (x - x1)` within
//! 6u, and its sum with `y1` adds u |y|. [`View::value`] says 8u |rise| + 2u |y|, which leaves a quarter for the roundings of
//! the bound itself and of the difference of two values. Products below the normal range are off by 2^-1075 at most, which is
//! in the constant part. Where a slope leaves the range in which this holds, the constant part is infinite, and everything
//! about the segment is decided exactly.

/// A line in doubles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub(crate) x: f64,
    y: f64,
    pub(crate) slope: f64,
    /// Error of every value, beside what depends on x.
    pub(crate) error: f64,
}

impl View {
    /// Through a point, with a direction. Rounded coordinates are off by u times themselves.
    fn of(x: f64, y: f64, dx: f64, dy: f64, rounded: bool) -> Self {
        let slope = dy / dx;
        let is_sound = dx.is_finite() && dy.is_finite() && slope.abs() < 1e300 && (dy == 0.0 || slope.abs() > 1e-290);
        let error = match (is_sound, rounded) {
            (false, _) => f64::INFINITY,
            (true, false) => f64::from_bits(2), // 2^-1073
            (true, true) => f64::EPSILON * (y.abs() + slope.abs() * x.abs()),
        };
        Self { x, y, slope, error }
    }

    pub(crate) fn of_narrow([x1, y1, x2, y2]: [u32; 4]) -> Self {
        let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(f64::from);
        Self::of(x1, y1, run(x2 - x1), y2 - y1, false)
    }

    pub(crate) fn of_wide([x1, y1, x2, y2]: [u64; 4]) -> Self {
        // Differences before they are rounded: they may be much smaller than what they are of.
        let dy = if y1 <= y2 { (y2 - y1) as f64 } else { -((y1 - y2) as f64) };
        Self::of(x1 as f64, y1 as f64, run((x2 - x1) as f64), dy, true)
    }

    pub(crate) fn of_doubles([x1, y1, x2, y2]: [f64; 4]) -> Self {
        match (x1.is_finite(), x2.is_finite()) {
            (true, true) => Self::of(x1, y1, run(x2 - x1), y2 - y1, false),
            (false, true) => Self::of(x2, y2, 1.0, y1, false),
            (true, false) => Self::of(x1, y1, 1.0, y2, false),
            (false, false) => Self::of(0.0, y2, 1.0, y1, false),
        }
    }

    /// The value at `x`, and a bound of its error.
    #[inline(always)]
    pub(crate) fn value(&self, x: f64) -> (f64, f64) {
        let rise = self.slope * (x - self.x);
        let y = self.y + rise;
        (y, self.error + (4.0 * f64::EPSILON) * rise.abs() + f64::EPSILON * y.abs())
    }
}

/// A point is drawn as a level line.
fn run(dx: f64) -> f64 {
    if dx == 0.0 { 1.0 } else { dx }
}
