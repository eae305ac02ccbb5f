//! Gaussian blur of pictures.

mod alpha;
mod direct;
mod kernel;
mod line;
mod naive;
mod options;
mod sample;

pub use kernel::radius;
pub use options::{Engine, Options, Picture};
pub use sample::Sample;
use thalweg_core::error::expect_len;

use crate::Result;

/// The engine that would run: the one that is asked for, or what the library chooses.
///
/// # Errors
/// As for [`gaussian`].
pub fn choose(picture: Picture, options: &Options) -> Result<Engine> {
    picture.samples()?;
    let _reach = [radius(options.sigma[0])?, radius(options.sigma[1])?];
    Ok(options.engine.unwrap_or(Engine::Direct))
}

/// Blurs a picture.
///
/// Where a picture has alpha, colours count as much as they are opaque, and a pixel that is transparent afterwards keeps its
/// colour.
///
/// ```
/// use thalweg_fourier::blur::{Options, Picture, gaussian};
/// let picture = Picture { height: 1, width: 5, channels: 1, alpha: false };
/// assert_eq!(gaussian(&[0u8, 0, 255, 0, 0], picture, &Options::new(0.5))?, [0, 27, 201, 27, 0]);
/// # Ok::<(), thalweg_fourier::Error>(())
/// ```
///
/// # Errors
/// [`Error::Empty`](crate::Error::Empty), [`Error::Shape`](crate::Error::Shape) and [`Error::Length`](crate::Error::Length) for
/// a picture that is none, [`Error::BadOption`](crate::Error::BadOption) for a sigma that is not finite and above 0.
pub fn gaussian<S: Sample>(pixels: &[S], picture: Picture, options: &Options) -> Result<Vec<S>> {
    expect_len("the picture", pixels.len(), picture.samples()?)?;
    match choose(picture, options)? {
        Engine::Direct => direct::gaussian(pixels, picture, options),
        Engine::Naive => naive::gaussian(pixels, picture, options),
    }
}
