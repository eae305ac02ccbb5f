//! Lines of any length: by passes, or as a convolution by passes where a length has large prime factors.

use thalweg_core::Result;
use thalweg_fourier::Lines;

use super::bluestein;
use super::program::{How, Maker, Slot};

impl Maker {
    /// Transforms all lines of an array, into another one or in place.
    pub(in crate::fourier) fn lines(&mut self, lines: Lines, from: Slot, to: Slot, how: How) -> Result<()> {
        if Self::takes(lines.len) {
            let steps = self.smooth_lines(lines, from, to, how)?;
            steps.into_iter().for_each(|step| self.push(step));
            Ok(())
        } else {
            bluestein::lines(self, lines, from, to, how)
        }
    }
}
