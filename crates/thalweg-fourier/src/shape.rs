//! Shapes of arrays, and the lines along an axis.

use std::fmt;

use thalweg_core::{Error, Result};

/// Most dimensions that an array can have.
pub const MAX_DIMENSIONS: usize = 3;

/// The sizes of an array's dimensions, one to three, none of them 0. Elements lie row by row: the last index runs fastest.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    sizes: [usize; MAX_DIMENSIONS],
    dimensions: usize,
}

impl Shape {
    /// A shape with these sizes.
    ///
    /// # Errors
    /// [`Error::Empty`] if a size is 0, [`Error::Shape`] for no dimension, more than three, or more elements than can be
    /// numbered.
    ///
    /// ```
    /// use thalweg_fourier::Shape;
    /// assert_eq!(Shape::new(&[480, 640])?.len(), 307_200);
    /// assert!(Shape::new(&[3, 0]).is_err());
    /// # Ok::<(), thalweg_fourier::Error>(())
    /// ```
    pub fn new(sizes: &[usize]) -> Result<Self> {
        let wrong = |reason| Err(Error::Shape { what: "the array", reason });
        if sizes.is_empty() || sizes.len() > MAX_DIMENSIONS {
            return wrong(format!("{} dimensions, not 1 to {MAX_DIMENSIONS}", sizes.len()));
        }
        if sizes.contains(&0) {
            return Err(Error::Empty { what: "the array" });
        }
        if sizes
            .iter()
            .try_fold(1usize, |product, &size| product.checked_mul(size))
            .is_none_or(|n| n > isize::MAX as usize)
        {
            return wrong("too many elements".into());
        }
        let mut all = [1; MAX_DIMENSIONS];
        all[..sizes.len()].copy_from_slice(sizes);
        Ok(Self { sizes: all, dimensions: sizes.len() })
    }

    /// One dimension.
    pub fn line(len: usize) -> Result<Self> {
        Self::new(&[len])
    }

    /// The sizes.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes[..self.dimensions]
    }

    /// How many dimensions there are.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// How many elements there are: at least one.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.sizes.iter().product()
    }

    /// The same with another size along an axis.
    pub fn with_size(&self, axis: usize, size: usize) -> Result<Self> {
        let mut sizes = self.sizes;
        sizes[axis] = size;
        Self::new(&sizes[..self.dimensions])
    }

    /// How the lines along an axis lie.
    ///
    /// # Panics
    /// If there is no such axis.
    pub fn lines(&self, axis: usize) -> Lines {
        let sizes = self.sizes();
        Lines { outer: sizes[..axis].iter().product(), len: sizes[axis], stride: sizes[axis + 1..].iter().product() }
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.sizes()).finish()
    }
}

/// The lines along an axis: element `i` of line (`o`, `s`) is at `(o * len + i) * stride + s`, for `o` below `outer` and `s`
/// below `stride`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lines {
    /// The product of the sizes before the axis.
    pub outer: usize,
    /// The size along the axis.
    pub len: usize,
    /// The product of the sizes after the axis.
    pub stride: usize,
}

/// Axes of an array, each at most once, in the order in which they are transformed: the last one first.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Axes {
    axes: [usize; MAX_DIMENSIONS],
    count: usize,
}

impl Axes {
    /// These axes, counted from 0, of an array of this shape.
    ///
    /// # Errors
    /// [`Error::Shape`] if there is none, one twice, or one that the array does not have.
    pub fn new(axes: &[usize], shape: &Shape) -> Result<Self> {
        let wrong = |reason: String| Err(Error::Shape { what: "axes", reason });
        if axes.is_empty() {
            return wrong("none is named".into());
        }
        for (i, &axis) in axes.iter().enumerate() {
            if axis >= shape.dimensions() {
                return wrong(format!("there is no axis {axis} in an array of {} dimensions", shape.dimensions()));
            }
            if axes[..i].contains(&axis) {
                return wrong(format!("axis {axis} is named twice"));
            }
        }
        let mut all = [0; MAX_DIMENSIONS];
        all[..axes.len()].copy_from_slice(axes);
        Ok(Self { axes: all, count: axes.len() })
    }

    /// All axes of the array.
    pub fn all(shape: &Shape) -> Self {
        let axes = [0, 1, 2];
        Self { axes, count: shape.dimensions() }
    }

    /// The last axis alone: every row is transformed.
    pub fn last(shape: &Shape) -> Self {
        Self { axes: [shape.dimensions() - 1, 0, 0], count: 1 }
    }

    /// The axes as they were given.
    pub fn as_slice(&self) -> &[usize] {
        &self.axes[..self.count]
    }
}

impl fmt::Debug for Axes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.as_slice()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_reach_every_element_once() {
        let shape = Shape::new(&[3, 4, 5]).unwrap();
        for axis in 0..3 {
            let Lines { outer, len, stride } = shape.lines(axis);
            let mut seen: Vec<usize> = (0..outer)
                .flat_map(|o| (0..stride).flat_map(move |s| (0..len).map(move |i| (o * len + i) * stride + s)))
                .collect();
            seen.sort_unstable();
            assert!(seen.into_iter().eq(0..60));
        }
    }

    #[test]
    fn bad_shapes_and_axes_are_errors() {
        for sizes in [&[][..], &[0], &[2, 0], &[1, 1, 1, 1], &[usize::MAX, 2], &[usize::MAX]] {
            assert!(Shape::new(sizes).is_err(), "{sizes:?}");
        }
        let shape = Shape::new(&[2, 3]).unwrap();
        for axes in [&[][..], &[2], &[0, 0], &[0, 1, 0]] {
            assert!(Axes::new(axes, &shape).is_err(), "{axes:?}");
        }
        assert_eq!(Axes::new(&[1, 0], &shape).unwrap().as_slice(), [1, 0]);
    }
}
