//! The problem as engines see it: two finite windows, and a part of their full convolution.
//!
//! What lies beyond the ends becomes part of the array's window, and what meets only zeros is cut off both. Then boundaries
//! are gone, array and kernel may change places, and element (r, c) of the answer is
//! `sum a[i, j] * b[start_r + r - i, start_c + c - j]`.

use crate::convolution::{Boundary, Place};

use super::integer::Values;

/// A rectangle of an array that goes on beyond its ends.
#[derive(Clone, Copy, Debug)]
pub struct Window<'a> {
    /// The array's elements.
    pub values: Values<'a>,
    /// Its rows and columns.
    pub sizes: [usize; 2],
    /// What lies beyond its ends.
    pub boundary: Boundary,
    /// Row and column of the rectangle's first element.
    pub origin: [isize; 2],
    /// The rectangle's rows and columns.
    pub extent: [usize; 2],
    /// Whether the array's elements are taken in the opposite order, the last one first.
    pub turned: bool,
}

/// Neighbours that are found in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Run {
    /// Zeros.
    Zeros,
    /// One element, again and again.
    Constant(usize),
    /// An element and those after it.
    Forward(usize),
    /// An element and those before it.
    Backward(usize),
}

/// What is found from `position` on along an axis of `len` elements, and for how many elements that is so.
fn run_at(boundary: Boundary, len: usize, position: isize) -> (Run, usize) {
    if (0..len as isize).contains(&position) {
        return (Run::Forward(position as usize), len - position as usize);
    }
    let before = if position < 0 { position.unsigned_abs() } else { usize::MAX };
    match boundary {
        Boundary::Zero => (Run::Zeros, before),
        Boundary::Nearest => (Run::Constant(if position < 0 { 0 } else { len - 1 }), before),
        // There is one element only.
        _ if len == 1 => (Run::Constant(0), usize::MAX),
        Boundary::Wrap => {
            let at = position.rem_euclid(len as isize) as usize;
            (Run::Forward(at), len - at)
        }
        Boundary::Reflect => {
            // An array of two or more elements has less than 2^62.
            let at = position.rem_euclid(2 * len as isize) as usize;
            if at < len { (Run::Forward(at), len - at) } else { (Run::Backward(2 * len - 1 - at), 2 * len - at) }
        }
    }
}

impl<'a> Window<'a> {
    /// All of an array, with zeros beyond.
    pub fn all(values: Values<'a>, sizes: [usize; 2]) -> Self {
        Self { values, sizes, boundary: Boundary::Zero, origin: [0, 0], extent: sizes, turned: false }
    }

    /// Where an element is stored.
    pub fn stored(&self, at: usize) -> usize {
        if self.turned { self.values.len() - 1 - at } else { at }
    }

    /// Reports, from left to right, the runs of `len` elements of a row of the window, from a column on: where they begin in
    /// that stretch, how many there are, what they are. Positions of runs count through the whole array.
    pub fn row_runs(&self, row: usize, column: usize, len: usize, report: &mut dyn FnMut(usize, usize, Run)) {
        let y = self.boundary.locate(self.origin[0] + row as isize, self.sizes[0]);
        let Some(y) = y else { return report(0, len, Run::Zeros) };
        let start = y * self.sizes[1];
        let mut done = 0;
        while done < len {
            let (run, count) = run_at(self.boundary, self.sizes[1], self.origin[1] + (column + done) as isize);
            let count = count.min(len - done);
            let run = match run {
                Run::Zeros => Run::Zeros,
                Run::Constant(at) => Run::Constant(self.stored(start + at)),
                Run::Forward(at) if self.turned => Run::Backward(self.stored(start + at)),
                Run::Backward(at) if self.turned => Run::Forward(self.stored(start + at)),
                Run::Forward(at) => Run::Forward(start + at),
                Run::Backward(at) => Run::Backward(start + at),
            };
            report(done, count, run);
            done += count;
        }
    }

    /// The same for the window's rows one after the other, zeros between them and beyond: `pitch` elements a row.
    pub fn flat_runs(&self, pitch: usize, from: isize, len: usize, report: &mut dyn FnMut(usize, usize, Run)) {
        let mut done = 0;
        if from < 0 {
            done = from.unsigned_abs().min(len);
            report(0, done, Run::Zeros);
        }
        while done < len {
            let at = (from + done as isize) as usize;
            let (row, column) = (at / pitch, at % pitch);
            if row >= self.extent[0] {
                return report(done, len - done, Run::Zeros);
            }
            let count = if column < self.extent[1] {
                let count = (self.extent[1] - column).min(len - done);
                self.row_runs(row, column, count, &mut |start, count, run| report(done + start, count, run));
                count
            } else {
                let count = (pitch - column).min(len - done);
                report(done, count, Run::Zeros);
                count
            };
            done += count;
        }
    }

    /// Elements when rows lie one after the other, `pitch` apart.
    pub fn flat_len(&self, pitch: usize) -> usize {
        (self.extent[0] - 1) * pitch + self.extent[1]
    }
}

/// Two windows, and the part of their full convolution that is told.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// The larger window.
    pub array: Window<'a>,
    /// The smaller one.
    pub kernel: Window<'a>,
    /// The part.
    pub places: [Place; 2],
}

impl<'a> Problem<'a> {
    /// Takes boundaries into the array's window, and leaves out what meets only zeros.
    pub fn new(array: Window<'a>, kernel: Window<'a>, places: [Place; 2]) -> Self {
        let (mut array, mut kernel, mut places) = (array, kernel, places);
        for (axis, place) in places.iter_mut().enumerate() {
            let (n, m) = (array.sizes[axis] as isize, kernel.sizes[axis] as isize);
            let (start, end) = (place.start as isize, (place.start + place.len) as isize);
            let (mut from, mut to) = (start - (m - 1), end);
            let (mut kernel_from, mut kernel_to) = (0, m);
            if array.boundary == Boundary::Zero {
                (from, to) = (from.max(0), to.min(n));
                (kernel_from, kernel_to) = ((start - (n - 1)).max(0), m.min(end));
            }
            (array.origin[axis], array.extent[axis]) = (from, (to - from) as usize);
            (kernel.origin[axis], kernel.extent[axis]) = (kernel_from, (kernel_to - kernel_from) as usize);
            place.start = (start - from - kernel_from) as usize;
        }
        let elements = |window: &Window<'_>| window.extent[0].saturating_mul(window.extent[1]);
        if elements(&kernel) > elements(&array) {
            std::mem::swap(&mut array, &mut kernel);
        }
        Self { array, kernel, places }
    }

    /// Rows and columns of the answer.
    pub fn result_sizes(&self) -> [usize; 2] {
        self.places.map(|place| place.len)
    }

    /// Products that an element of the answer can be the sum of.
    pub fn terms(&self) -> usize {
        (0..2).map(|axis| self.array.extent[axis].min(self.kernel.extent[axis])).product()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_what_boundaries_say() {
        for &boundary in Boundary::ALL {
            for len in 1..5 {
                for from in -12..9 {
                    let values: Vec<u8> = (0..len as u8).collect();
                    let mut window = Window::all(Values::U8(&values), [1, len]);
                    (window.boundary, window.origin, window.extent) = (boundary, [0, from], [1, 20]);
                    let mut found = vec![];
                    window.row_runs(0, 1, 15, &mut |start, count, run| {
                        assert_eq!(start, found.len());
                        found.extend((0..count).map(|i| match run {
                            Run::Zeros => None,
                            Run::Constant(at) => Some(at),
                            Run::Forward(at) => Some(at + i),
                            Run::Backward(at) => Some(at - i),
                        }));
                    });
                    let expected: Vec<_> = (0..15).map(|i| boundary.locate(from + 1 + i, len)).collect();
                    assert_eq!(found, expected, "{boundary} {len} {from}");
                }
            }
        }
    }

    #[test]
    fn flat_rows_have_zeros_between() {
        let values = [1u8, 2, 3, 4];
        let window = Window::all(Values::U8(&values), [2, 2]);
        let mut found = vec![9; 12];
        window.flat_runs(5, -2, 12, &mut |start, count, run| {
            for i in 0..count {
                found[start + i] = if let Run::Forward(at) = run { values[at + i] } else { 0 };
            }
        });
        assert_eq!(found, [0, 0, 1, 2, 0, 0, 0, 3, 4, 0, 0, 0]);
        let window = Window { turned: true, ..window };
        window.row_runs(1, 0, 2, &mut |start, count, run| assert_eq!((start, count, run), (0, 2, Run::Backward(1))));
    }
}
