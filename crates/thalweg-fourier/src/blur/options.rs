//! What can be chosen about a blur, and the pictures that are blurred.

use thalweg_core::engine_names;

use crate::convolution::Boundary;
use crate::{Error, Result};

engine_names! {
    /// The engines of blurs. See the [module's table](super).
    "blur": Engine {
        /// Rows and then columns, by sums of products.
        Direct = "direct",
        /// Rows and then columns, by Fourier transforms.
        Spectral = "spectral",
        /// Adds up all products in double precision; sequential. The oracle of the tests.
        Naive = "naive",
    }
}

/// A picture's sizes. Its samples lie row by row, those of a pixel next to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Picture {
    /// How many rows.
    pub height: usize,
    /// How many pixels a row has.
    pub width: usize,
    /// How many samples a pixel has: 1 to 4.
    pub channels: usize,
    /// Whether the last sample of a pixel says how opaque it is, from 0 to the largest number of the type, or 1.
    pub alpha: bool,
}

impl Picture {
    /// How many samples there are.
    ///
    /// # Errors
    /// [`Error::Empty`] if there is none, [`Error::Shape`] for more than four channels, alpha alone, or more samples than
    /// can be numbered.
    pub fn samples(&self) -> Result<usize> {
        let wrong = |reason: String| Err(Error::Shape { what: "the picture", reason });
        if self.height == 0 || self.width == 0 {
            return Err(Error::Empty { what: "the picture" });
        }
        if !(1..=4).contains(&self.channels) {
            return wrong(format!("{} channels, not 1 to 4", self.channels));
        }
        if self.alpha && self.channels == 1 {
            return wrong("alpha, and no colour".into());
        }
        let row = self.width.checked_mul(self.channels);
        match row.and_then(|row| row.checked_mul(self.height)).filter(|&samples| samples <= isize::MAX as usize) {
            Some(samples) => Ok(samples),
            None => wrong("too many samples".into()),
        }
    }
}

/// What can be chosen about a blur.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The Gaussian's standard deviation in pixels, down the columns and along the rows.
    pub sigma: [f64; 2],
    /// What lies beyond the picture's borders.
    pub boundary: Boundary,
    /// The engine; `None` leaves the choice to the library.
    pub engine: Option<Engine>,
}

impl Options {
    /// The same deviation both ways; the picture is reflected at its borders.
    pub fn new(sigma: f64) -> Self {
        Self { sigma: [sigma; 2], boundary: Boundary::Reflect, engine: None }
    }
}
