//! What can be chosen about a convolution, and what follows from it: which elements there are, and where they lie.

use std::fmt;
use std::str::FromStr;

use thalweg_core::engine_names;

use crate::{Error, Result, Shape};

engine_names! {
    /// The engines of convolutions. See the [module's table](super).
    "convolution": Engine {
        /// Slides the kernel over blocks of the result.
        Direct = "direct",
        /// Products of spectra, in tiles.
        Spectral = "spectral",
        /// Adds up every element's products in twice the precision; sequential. The oracle of the tests.
        Naive = "naive",
    }
}

/// An enum whose variants have names, which are options and no engines.
macro_rules! choice_names {
    ($(#[$meta:meta])* $option:literal: $enum:ident { $($(#[$vmeta:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum $enum { $($(#[$vmeta])* $variant,)* }

        impl $enum {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];
            /// Their names.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// The name, as the command line takes it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }

        impl fmt::Display for $enum {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }

        impl FromStr for $enum {
            type Err = Error;
            fn from_str(name: &str) -> Result<Self> {
                Self::ALL.iter().copied().find(|choice| choice.name().eq_ignore_ascii_case(name)).ok_or_else(|| {
                    let reason = format!("'{name}' is none of {}", Self::NAMES.join(", "));
                    Error::BadOption { option: $option, reason }
                })
            }
        }
    };
}

choice_names! {
    /// What is taken to lie beyond an array's ends.
    "boundary": Boundary {
        /// Zeros.
        #[default]
        Zero = "zero",
        /// The array again, and again: (a b c d | a b c d | a b c d).
        Wrap = "wrap",
        /// The array backwards, and forwards again, with the last element twice: (d c b a | a b c d | d c b a).
        Reflect = "reflect",
        /// The last element for ever: (a a a a | a b c d | d d d d).
        Nearest = "nearest",
    }
}

choice_names! {
    /// Which elements of a convolution are told.
    "extent": Extent {
        /// As many as the array has, the kernel's centre over each of them in turn.
        #[default]
        Same = "same",
        /// All to which an element of the array contributes: n + m - 1. With boundary zero only.
        Full = "full",
        /// Those for which nothing beyond the ends is needed: |n - m| + 1.
        Valid = "valid",
    }
}

impl Boundary {
    /// Where the element at `position` of an array of `len` elements that goes on beyond its ends is found; `None` where there
    /// is a zero.
    ///
    /// ```
    /// use thalweg_fourier::convolution::Boundary;
    /// assert_eq!(Boundary::Reflect.locate(-2, 3), Some(1));
    /// assert_eq!(Boundary::Wrap.locate(7, 3), Some(1));
    /// assert_eq!(Boundary::Nearest.locate(-100, 3), Some(0));
    /// assert_eq!(Boundary::Zero.locate(3, 3), None);
    /// ```
    #[inline]
    pub fn locate(self, position: isize, len: usize) -> Option<usize> {
        if (0..len as isize).contains(&position) {
            return Some(position as usize);
        }
        let wide = position as i128;
        match self {
            Self::Zero => None,
            Self::Wrap => Some(wide.rem_euclid(len as i128) as usize),
            Self::Reflect => {
                let place = wide.rem_euclid(2 * len as i128) as usize;
                Some(if place < len { place } else { 2 * len - 1 - place })
            }
            Self::Nearest => Some(if position < 0 { 0 } else { len - 1 }),
        }
    }
}

/// What can be chosen about a convolution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// What lies beyond the array's ends.
    pub boundary: Boundary,
    /// Which elements are told.
    pub extent: Extent,
    /// Correlation: the kernel is not turned around.
    pub correlate: bool,
    /// The engine; `None` leaves the choice to the library.
    pub engine: Option<Engine>,
}

/// Where a result lies along an axis, in the full convolution of the array with the kernel, the latter turned around for a
/// correlation: element `i` is `sum kernel[j] * array[start + i - j]` over all `j`, the array going on beyond its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The first element that is told.
    pub start: usize,
    /// How many are told.
    pub len: usize,
}

impl Options {
    /// The result's place along every axis; and the check of all that must go together.
    ///
    /// # Errors
    /// [`Error::Shape`] for other than one or two dimensions, a kernel with another number of them than the array, more
    /// elements than can be numbered, [`Extent::Valid`] where neither holds the other; [`Error::BadOption`] for
    /// [`Extent::Full`] with another boundary than zero.
    pub fn places(&self, array: &Shape, kernel: &Shape) -> Result<Vec<Place>> {
        let wrong = |what, reason| Err(Error::Shape { what, reason });
        if array.dimensions() > 2 {
            return wrong("the array", format!("{} dimensions: convolutions have one or two", array.dimensions()));
        }
        if kernel.dimensions() != array.dimensions() {
            let (has, not) = (kernel.dimensions(), array.dimensions());
            return wrong("the kernel", format!("it has dimensions {has}, the array has {not}"));
        }
        if self.extent == Extent::Full && self.boundary != Boundary::Zero {
            let reason = format!("full goes with boundary zero, not with {}", self.boundary);
            return Err(Error::BadOption { option: "extent", reason });
        }
        let pairs = || array.sizes().iter().copied().zip(kernel.sizes().iter().copied());
        if self.extent == Extent::Valid && pairs().any(|(n, m)| n < m) && pairs().any(|(n, m)| n > m) {
            return wrong("the kernel", format!("{kernel:?} and the array, {array:?}: neither holds the other"));
        }
        let places: Vec<Place> = pairs()
            .map(|(n, m)| match self.extent {
                // The centre is m / 2, before the kernel is turned around.
                Extent::Same => Place { start: if self.correlate { (m - 1) - m / 2 } else { m / 2 }, len: n },
                // Sizes are below 2^63.
                Extent::Full => Place { start: 0, len: n + m - 1 },
                Extent::Valid => Place { start: n.min(m) - 1, len: n.abs_diff(m) + 1 },
            })
            .collect();
        Shape::new(&places.iter().map(|place| place.len).collect::<Vec<_>>())?;
        Ok(places)
    }

    /// The shape of the result.
    ///
    /// # Errors
    /// As for [`Options::places`].
    ///
    /// ```
    /// use thalweg_fourier::Shape;
    /// use thalweg_fourier::convolution::{Extent, Options};
    /// let options = Options { extent: Extent::Valid, ..Options::default() };
    /// assert_eq!(options.result_shape(&Shape::new(&[9, 7])?, &Shape::new(&[3, 2])?)?, Shape::new(&[7, 6])?);
    /// # Ok::<(), thalweg_fourier::Error>(())
    /// ```
    pub fn result_shape(&self, array: &Shape, kernel: &Shape) -> Result<Shape> {
        let sizes: Vec<usize> = self.places(array, kernel)?.iter().map(|place| place.len).collect();
        Shape::new(&sizes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_printed() {
        for &boundary in Boundary::ALL {
            assert_eq!(boundary.to_string().parse(), Ok(boundary));
        }
        for &extent in Extent::ALL {
            assert_eq!(extent.to_string().to_uppercase().parse(), Ok(extent));
        }
        let error = "mirror".parse::<Boundary>().unwrap_err().to_string();
        assert_eq!(error, "boundary: 'mirror' is none of zero, wrap, reflect, nearest");
    }

    #[test]
    fn beyond_the_ends() {
        let spelled = |boundary: Boundary| -> String {
            (-9..12).map(|i| boundary.locate(i, 4).map_or('0', |at| char::from(b"abcd"[at]))).collect()
        };
        assert_eq!(spelled(Boundary::Zero), "000000000abcd00000000");
        assert_eq!(spelled(Boundary::Wrap), "dabcdabcdabcdabcdabcd");
        assert_eq!(spelled(Boundary::Reflect), "aabcddcbaabcddcbaabcd");
        assert_eq!(spelled(Boundary::Nearest), "aaaaaaaaaabcddddddddd");
        assert_eq!(Boundary::Reflect.locate(-1, 1), Some(0));
    }

    #[test]
    fn what_does_not_go_together_is_an_error() {
        let shape = |sizes: &[usize]| Shape::new(sizes).unwrap();
        let said = |options: Options, array: &[usize], kernel: &[usize]| {
            options.places(&shape(array), &shape(kernel)).unwrap_err().to_string()
        };
        let plain = Options::default();
        assert_eq!(said(plain, &[2, 2, 2], &[1, 1, 1]), "the array: 3 dimensions: convolutions have one or two");
        assert_eq!(said(plain, &[2, 2], &[2]), "the kernel: it has dimensions 1, the array has 2");
        let full = Options { extent: Extent::Full, boundary: Boundary::Wrap, ..plain };
        assert_eq!(said(full, &[2], &[2]), "extent: full goes with boundary zero, not with wrap");
        let valid = Options { extent: Extent::Valid, ..plain };
        assert_eq!(said(valid, &[2, 5], &[3, 3]), "the kernel: [3, 3] and the array, [2, 5]: neither holds the other");
        assert_eq!(valid.places(&shape(&[2]), &shape(&[5])).unwrap(), [Place { start: 1, len: 4 }]);
        let huge = Options { extent: Extent::Full, ..plain };
        assert!(huge.places(&shape(&[1 << 33, 1 << 29]), &shape(&[1 << 33, 1 << 29])).is_err());
    }
}
