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
}

impl Axis {
    /// Along which results do not wrap around, of a length that is a multiple of some number.
    fn linear(place: Place, kernel: usize, multiple: usize) -> Self {
        let used = place.len + kernel - 1;
        let first = place.start as i64 - (kernel as i64 - 1);
        Self { len: good_len(used, multiple), used, first, shift: kernel - 1 }
    }

    /// Along which they wrap around as the boundary does.
    fn cyclic(place: Place) -> Self {
        Self { len: place.len, used: place.len, first: 0, shift: place.start }
    }
}

/// Both axes, down and across; the latter of an even length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) axes: [Axis; 2],
    /// Rows and columns of results.
    pub(super) results: [usize; 2],
}

impl Frame {
    pub(super) fn new(shape: &Shape, kernel: &Shape, options: &Options) -> Result<Self> {
        let places = match options.places(shape, kernel)?[..] {
            [down, across] => [down, across],
            [across, ..] => [Place { start: 0, len: 1 }, across],
            [] => unreachable!("a shape has a dimension"),
        };
        let kernel = super::in_rows(kernel);
        let wraps = options.boundary == Boundary::Wrap && options.extent == Extent::Same;
        let axis = |axis: usize, multiple: usize| -> Axis {
            let linear = Axis::linear(places[axis], kernel[axis], multiple);
            let cyclic = Axis::cyclic(places[axis]);
            if wraps && good_len(cyclic.len, multiple) == cyclic.len && cyclic.len < linear.len {
                cyclic
            } else {
                linear
            }
        };
        Ok(Self { axes: [axis(0, 1), axis(1, 2)], results: places.map(|place| place.len) })
    }

    /// Rows and columns of the transforms.
    pub(super) fn size(&self) -> [usize; 2] {
        self.axes.map(|axis| axis.len)
    }

    pub(super) fn len(&self) -> u64 {
        self.size().iter().map(|&len| len as u64).product()
    }

    /// Whether the array is its own extension, and all of the transforms' values are results.
    pub(super) fn is_plain(&self, size: [usize; 2]) -> bool {
        self.size() == size && self.results == size && self.axes.iter().all(|axis| axis.first == 0)
    }
}

/// The smallest multiple from `least` on without prime factors above 7.
fn good_len(least: usize, multiple: usize) -> usize {
    let is_good = |n: usize| {
        let rest = [2, 3, 5, 7].into_iter().fold(n, |mut n, p| {
            while n.is_multiple_of(p) {
                n /= p;
            }
            n
        });
        rest == 1
    };
    (least.next_multiple_of(multiple)..).step_by(multiple).find(|&n| is_good(n)).expect("powers of two go on")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_lengths() {
        for (least, good) in [(1, 1), (11, 12), (127, 128), (1025, 1029), (4096, 4096)] {
            assert_eq!(good_len(least, 1), good);
        }
        assert_eq!([1, 1025, 4096].map(|least| good_len(least, 2)), [2, 1050, 4096]);
    }

    #[test]
    fn arrays_with_room_for_what_lies_beyond() {
        let [shape, kernel] = [[100, 61], [5, 5]].map(|sizes| Shape::new(&sizes).unwrap());
        let frame = Frame::new(&shape, &kernel, &Options::default()).unwrap();
        assert_eq!(frame.axes[0], Axis { len: 105, used: 104, first: -2, shift: 4 });
        assert_eq!(frame.axes[1], Axis { len: 70, used: 65, first: -2, shift: 4 });
        assert!(!frame.is_plain([100, 61]));
    }

    #[test]
    fn arrays_that_wrap_need_no_room() {
        let shape = Shape::new(&[64, 64]).unwrap();
        let options = Options { boundary: Boundary::Wrap, ..Options::default() };
        let frame = Frame::new(&shape, &shape, &options).unwrap();
        assert_eq!(frame.axes.map(|axis| (axis.len, axis.shift)), [(64, 32); 2]);
        assert!(frame.is_plain([64, 64]));
    }
}
