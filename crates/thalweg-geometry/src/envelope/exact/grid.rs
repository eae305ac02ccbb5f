//! Values of a line at whole numbers that follow each other.

use super::{Exact, Number, Raw};

impl Exact {
    /// The first and the last whole number that a segment covers; the first is behind the last if there is none.
    pub(crate) fn whole_range(&self, line: u32) -> [i128; 2] {
        let x0 = self.frame.x0;
        match &self.raw {
            Raw::Narrow(rows) => [0, 2].map(|k| x0 + i128::from(rows[line as usize][k])),
            Raw::Wide(rows) => [0, 2].map(|k| x0 + i128::from(rows[line as usize][k])),
            // Infinite ends become the largest numbers there are.
            Raw::Doubles(rows) => [rows[line as usize][0].ceil() as i128, rows[line as usize][2].floor() as i128],
        }
    }

    /// The nearest doubles of a line's values at `x`, `x + 1` and so on.
    pub(crate) fn fill_values(&self, line: u32, x: i128, values: &mut [f64]) {
        let at = |i: usize| x + i as i128;
        match (self.level(line), self.fraction(line, x, values.len())) {
            (true, _) => values.fill(self.nearest_value(line, Number::integer(x))),
            (_, Some((start, step, denominator))) => {
                for (i, value) in values.iter_mut().enumerate() {
                    // Products, sums and the denominator are whole and below 2^53, and division rounds to the nearest.
                    *value = (start + step * i as f64) / denominator;
                }
            }
            _ => {
                for (i, value) in values.iter_mut().enumerate() {
                    *value = self.nearest_value(line, Number::integer(at(i)));
                }
            }
        }
    }

    /// Whether a segment is level.
    fn level(&self, line: u32) -> bool {
        match &self.raw {
            Raw::Narrow(rows) => rows[line as usize][1] == rows[line as usize][3],
            Raw::Wide(rows) => rows[line as usize][1] == rows[line as usize][3],
            // The slope of a ray stands where a segment has a y.
            Raw::Doubles(rows) => {
                let [x1, y1, x2, y2] = rows[line as usize];
                x1.is_finite() && x2.is_finite() && y1 == y2
            }
        }
    }

    /// The values at `len` numbers as `(start + i * step) / denominator`, if all of that is whole and below 2^53.
    fn fraction(&self, line: u32, x: i128, len: usize) -> Option<(f64, f64, f64)> {
        let (line, frame) = (self.narrow(line)?, self.frame);
        let x = u32::try_from(x - frame.x0).ok()?;
        let sign = if frame.flip { -1 } else { 1 };
        let (start, step) = (frame.y0 * line.dx + sign * line.value(x), sign * line.dy);
        let end = start + step * len as i128;
        let fits = |x: i128| x.unsigned_abs() <= 1 << 53;
        let all_fit = fits(start) && fits(end) && fits(step * len as i128) && fits(line.dx);
        all_fit.then_some((start as f64, step as f64, line.dx as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Frame;
    use super::*;

    #[test]
    fn runs_are_what_single_values_are() {
        let large = 1 << 31;
        let rows = vec![
            [0, 5, 10, 5],
            [0, 0, 7, 3],
            [2, 9, 9, 1],
            [0, 0, u32::MAX, u32::MAX - 1],
            [large, 0, large + 3, large],
        ];
        for flip in [false, true] {
            for (x0, y0) in [(0, 0), (-7, 3), (-(1i128 << 31), 1 << 40), (1 << 62, 1 << 63)] {
                let exact = Exact { raw: Raw::Narrow(rows.clone()), frame: Frame { x0, y0, flip } };
                for line in 0..rows.len() as u32 {
                    let [first, last] = exact.whole_range(line);
                    let mut values = vec![0.0; (last - first + 1).min(20) as usize];
                    exact.fill_values(line, first, &mut values);
                    for (i, value) in values.iter().enumerate() {
                        assert_eq!(*value, exact.nearest_value(line, Number::integer(first + i as i128)));
                    }
                }
            }
        }
    }
}
