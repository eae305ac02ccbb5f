//! Gaussian blur of pictures.
//!
//! The kernel is cut off at four standard deviations, as `scipy.ndimage.gaussian_filter` does, and adds up to one. Rows are blurred,
//! then columns. [`gaussian`] takes [`Options`]:
//!
//! | engine | idea | work a sample |
//! |---|---|---|
//! | `direct` | sums of products, in single precision, in registers | O(sigma) |
//! | `spectral` | two lines at a time through a Fourier transform | O(log n) |
//! | `naive` | sums of products in double precision; sequential | O(sigma) |
//!
//! By default `direct` for small deviations, `spectral` for large ones (`rule.rs`), `direct` for all with alpha.

mod alpha;
mod direct;
mod kernel;
mod line;
mod naive;
mod options;
mod sample;
mod spectral;

pub use kernel::radius;
pub use options::{Engine, Options, Picture};
pub use sample::Sample;
use thalweg_core::error::expect_len;

use crate::float::same;
use crate::good_length::good_length;
use crate::{Result, rule};

/// The engine that would run: the one that is asked for, or what the library chooses.
///
/// # Errors
/// As for [`gaussian`].
pub fn choose(picture: Picture, options: &Options) -> Result<Engine> {
    Ok(estimate(picture, options)?.0)
}

/// The engine that would run, and about how many seconds one thread takes.
///
/// # Errors
/// As for [`gaussian`].
pub fn estimate(picture: Picture, options: &Options) -> Result<(Engine, f64)> {
    let samples = picture.samples()? as f64;
    let reach = [radius(options.sigma[0])?, radius(options.sigma[1])?];
    let lines = [(picture.height, reach[0]), (picture.width, reach[1])].map(|(len, reach)| (len, reach.min(len)));
    let products: f64 = lines.iter().map(|&(_, reach)| 2.0 * reach as f64 + 1.0).sum();
    let products = samples * rule::direct::<f32>(products) * 1e-9;
    let transforms = |(len, reach): (usize, usize)| {
        let size = good_length(len + 2 * reach);
        rule::transforms::<f32>(samples * size as f64 / len as f64, size)
    };
    let transforms = lines.map(transforms).iter().sum::<f64>() * 1e-9;
    Ok(match options.engine {
        Some(Engine::Spectral) => (Engine::Spectral, transforms),
        // With alpha they would need double precision.
        None if transforms < products && !picture.alpha => (Engine::Spectral, transforms),
        Some(engine) => (engine, products),
        None => (Engine::Direct, products),
    })
}

/// A blurred picture, and the engine that made it.
#[derive(Clone, Debug, PartialEq)]
pub struct Blurred<S> {
    /// The samples.
    pub samples: Vec<S>,
    /// The engine that was asked for or chosen; `direct` where transforms would have spread what is not finite.
    pub engine: Engine,
}

/// Blurs a picture.
///
/// Where a picture has alpha, colours count as much as they are opaque, and a pixel that is transparent afterwards keeps its
/// colour. NaN and infinities reach as far as the kernel. Samples of 8 and 16 bits are within half a level of the exact blur and
/// 2^-20 of the largest (2^-19 with alpha), those of single precision within that of the largest; a picture of one colour stays
/// as it is. The same for any number of threads; on machines with other vectors the last bits may differ.
///
/// Work: `direct` O(sigma) a sample, `spectral` O(log n). Extra memory: a number in single precision for a sample.
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
/// a picture that is none, [`Error::BadOption`](crate::Error::BadOption) for a sigma that is not finite, not above 0, or above 2^24;
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub fn gaussian<S: Sample>(pixels: &[S], picture: Picture, options: &Options) -> Result<Vec<S>> {
    Ok(blur(pixels, picture, options)?.samples)
}

/// [`gaussian`], and the engine that ran.
///
/// # Errors
/// As for [`gaussian`].
pub fn blur<S: Sample>(pixels: &[S], picture: Picture, options: &Options) -> Result<Blurred<S>> {
    // Here, and not again, with all transforms, in every crate that calls this.
    match S::NAME {
        u8::NAME => bytes(bytemuck::cast_slice(pixels), picture, options).map(same),
        u16::NAME => words(bytemuck::cast_slice(pixels), picture, options).map(same),
        _ => floats(bytemuck::cast_slice(pixels), picture, options).map(same),
    }
}

fn bytes(pixels: &[u8], picture: Picture, options: &Options) -> Result<Blurred<u8>> {
    blur_here(pixels, picture, options)
}

fn words(pixels: &[u16], picture: Picture, options: &Options) -> Result<Blurred<u16>> {
    blur_here(pixels, picture, options)
}

fn floats(pixels: &[f32], picture: Picture, options: &Options) -> Result<Blurred<f32>> {
    blur_here(pixels, picture, options)
}

fn blur_here<S: Sample>(pixels: &[S], picture: Picture, options: &Options) -> Result<Blurred<S>> {
    expect_len("the picture", pixels.len(), picture.samples()?)?;
    let mut engine = choose(picture, options)?;
    if engine == Engine::Spectral && !S::can_be_transformed(pixels, 3 * picture.height.max(picture.width)) {
        engine = Engine::Direct;
    }
    let samples = match engine {
        Engine::Direct => direct::gaussian(pixels, picture, options)?,
        Engine::Spectral => spectral::gaussian(pixels, picture, options)?,
        Engine::Naive => naive::gaussian(pixels, picture, options)?,
    };
    Ok(Blurred { samples, engine })
}
