//! How a convolution becomes a cyclic one: sizes of the transforms, and where the array, the kernel and the results lie in them.

use thalweg_core::Result;
use thalweg_fourier::Shape;
use thalweg_fourier::convolution::{Boundary, Extent, Options, Place};

/// One axis of a cyclic convolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    /// The length of its transforms.
    pub(super) len: usize,
    /// Values from its beginning that are not zero.
    pub(super) used: usize,
    /// Where the first one lies in the array.
    pub(super) first: i64,
    /// The kernel's element that comes first.
    pub(super) shift: usize,
    /// From where on results are in the imaginary parts; 0 if none are.
    pub(super) ahead: usize,
}

impl Axis {
    /// Without wrapping around; the results perhaps in two halves.
    fn linear(place: Place, kernel: usize, halves: bool) -> Self {
        let results = if halves { place.len.div_ceil(2) } else { place.len };
        let used = results + kernel - 1;
        Self {
            len: good_len(used),
            used,
            first: place.start as i64 - (kernel as i64 - 1),
            shift: kernel - 1,
            ahead: if halves { results } else { 0 },
        }
    }

    /// Wrapping around as the boundary does.
    fn cyclic(place: Place) -> Self {
        Self { len: place.len, used: place.len, first: 0, shift: place.start, ahead: 0 }
    }
}

/// Both axes, down and across, with the fewest values to transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) axes: [Axis; 2],
    pub(super) results: [usize; 2],
}

impl Frame {
    pub(super) fn new(shape: &Shape, kernel: &Shape, options: &Options) -> Result<Self> {
        let in_rows = |along: &[usize]| -> [usize; 2] {
            match *along {
                [across] => [1, across],
                [down, across, ..] => [down, across],
                [] => [1, 1],
            }
        };
        let places = match options.places(shape, kernel)?[..] {
            [across] => [Place { start: 0, len: 1 }, across],
            [down, across, ..] => [down, across],
            [] => [Place { start: 0, len: 1 }; 2],
        };
        let kernel = in_rows(kernel.sizes());
        let wraps = options.boundary == Boundary::Wrap && options.extent == Extent::Same;
        let plain = |axis: usize| -> Axis {
            let linear = Axis::linear(places[axis], kernel[axis], false);
            let cyclic = Axis::cyclic(places[axis]);
            if wraps && good_len(cyclic.len) == cyclic.len && cyclic.len < linear.len { cyclic } else { linear }
        };
        let halved = |axis: usize| Axis::linear(places[axis], kernel[axis], places[axis].len > 1);
        let choices = [[halved(0), plain(1)], [plain(0), halved(1)], [plain(0), plain(1)]];
        let axes = choices.into_iter().min_by_key(|[a, b]| a.len * b.len).expect("three of them");
        Ok(Self { axes, results: places.map(|place| place.len) })
    }

    pub(super) fn len(&self) -> u64 {
        (self.axes[0].len * self.axes[1].len) as u64
    }

    /// Whether the results are in two halves.
    pub(super) fn packed(&self) -> bool {
        self.axes.iter().any(|axis| axis.ahead > 0)
    }
}

/// The smallest number from `least` on without prime factors above 7.
fn good_len(least: usize) -> usize {
    (least..)
        .find(|&n| {
            [2, 3, 5, 7].into_iter().fold(n, |mut n, p| {
                while n > 1 && n.is_multiple_of(p) {
                    n /= p;
                }
                n
            }) <= 1
        })
        .expect("powers of two go on")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_lengths() {
        for (least, good) in [(1, 1), (11, 12), (127, 128), (1025, 1029), (4096, 4096)] {
            assert_eq!(good_len(least), good);
        }
    }

    #[test]
    fn two_halves_are_packed() {
        let [shape, kernel] = [[100, 60], [5, 5]].map(|sizes| Shape::new(&sizes).unwrap());
        let frame = Frame::new(&shape, &kernel, &Options::default()).unwrap();
        assert_eq!(frame.axes[0], Axis { len: 54, used: 54, first: -2, shift: 4, ahead: 50 });
        assert_eq!(frame.axes[1], Axis { len: 64, used: 64, first: -2, shift: 4, ahead: 0 });
        assert!(frame.packed());
    }

    #[test]
    fn large_kernels_that_wrap_are_not() {
        let shape = Shape::new(&[64, 64]).unwrap();
        let options = Options { boundary: Boundary::Wrap, ..Options::default() };
        let frame = Frame::new(&shape, &shape, &options).unwrap();
        assert_eq!(frame.axes.map(|axis| (axis.len, axis.shift)), [(64, 32); 2]);
        assert!(!frame.packed());
    }
}
