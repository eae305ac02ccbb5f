//! What can be chosen about a transform.

use crate::shape::{Axes, Shape};

/// Which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From values to frequencies: `exp(-2 pi i j k / n)`.
    #[default]
    Forward,
    /// From frequencies to values: `exp(+2 pi i j k / n)`.
    Inverse,
}

/// Where the factor 1/n goes, n being the number of elements that are transformed together. As `norm` of NumPy and SciPy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Norm {
    /// To the inverse transform.
    #[default]
    Backward,
    /// Its root to both.
    Ortho,
    /// To the forward transform.
    Forward,
}

impl Norm {
    /// The factor of a transform of `len` elements.
    pub fn factor(self, direction: Direction, len: usize) -> f64 {
        match (self, direction) {
            (Self::Backward, Direction::Forward) | (Self::Forward, Direction::Inverse) => 1.0,
            (Self::Backward, Direction::Inverse) | (Self::Forward, Direction::Forward) => 1.0 / len as f64,
            (Self::Ortho, _) => 1.0 / (len as f64).sqrt(),
        }
    }
}

/// What can be chosen about a transform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// Which way.
    pub direction: Direction,
    /// Where the factor 1/n goes.
    pub norm: Norm,
    /// Along which axes; `None` for all.
    pub axes: Option<Axes>,
}

impl Options {
    /// Forward along all axes.
    pub const FORWARD: Self = Self { direction: Direction::Forward, norm: Norm::Backward, axes: None };
    /// Back along all axes.
    pub const INVERSE: Self = Self { direction: Direction::Inverse, ..Self::FORWARD };

    /// The axes, of an array of this shape.
    pub fn axes_of(&self, shape: &Shape) -> Axes {
        self.axes.unwrap_or_else(|| Axes::all(shape))
    }

    /// The factor of a transform of an array of this shape.
    pub fn factor(&self, shape: &Shape) -> f64 {
        let len = self.axes_of(shape).as_slice().iter().map(|&axis| shape.sizes()[axis]).product();
        self.norm.factor(self.direction, len)
    }
}
