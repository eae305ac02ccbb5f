//! Blurred pictures.

use numpy::Element;
use pyo3::prelude::*;
use thalweg::fourier::blur::{Builder, Engine, Picture, Sample};

use crate::array::{Copy, Kind, Lent};
use crate::convolution::boundary;
use crate::device::{device, engine};
use crate::errors::{bad_input, bad_type};
use crate::out;
use crate::work::{Threads, call};

/// One deviation both ways, or one each.
fn deviations(sigma: &Bound<'_, PyAny>) -> PyResult<[f64; 2]> {
    if let Ok(both) = sigma.extract::<f64>() {
        return Ok([both; 2]);
    }
    let each = || sigma.try_iter()?.map(|number| number?.extract()).collect::<PyResult<Vec<f64>>>();
    match each().as_deref() {
        Ok([down, along]) => Ok([*down, *along]),
        _ => Err(bad_type("sigma: neither a number nor two of them")),
    }
}

/// A picture, blurred by a Gaussian.
///
/// The kernel is cut off at four standard deviations and adds up to one, as that of scipy.ndimage.gaussian_filter. Channels are
/// blurred each for itself, never into one another.
///
/// Args:
///     image: Shape (height, width) or (height, width, channels), with up to four channels; uint8, uint16 or float32.
///     sigma: The standard deviation in pixels; or two, down the columns and along the rows.
///     boundary: What lies beyond the borders: "reflect" (the default: d c b a | a b c d | d c b a), "nearest", "wrap" or
///         "zero" (SciPy's "constant").
///     alpha: Whether the last channel says how opaque a pixel is: then colours count as much as they are opaque.
///     engine: How: "direct", "spectral" (by transforms) or "naive"; None for what takes less time.
///     device: "auto" or "cpu": pictures are blurred on the CPU.
///
/// Returns:
///     An array of the same shape and dtype. Integers are rounded to nearest (SciPy cuts them off).
///
/// >>> import numpy as np
/// >>> from thalweg.blur import gaussian
/// >>> gaussian(np.array([[0, 0, 255, 0, 0]], np.uint8), 0.5)
/// array([[  0,  27, 201,  27,   0]], dtype=uint8)
#[pyfunction]
#[pyo3(signature = (image, sigma, boundary="reflect", *, alpha=false, engine=None, device="auto"))]
pub fn gaussian<'py>(
    py: Python<'py>,
    image: &Bound<'py, PyAny>,
    sigma: &Bound<'py, PyAny>,
    boundary: &str,
    alpha: bool,
    engine: Option<&str>,
    device: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let (lent, shape) = Lent::of_any_shape("image", image, Copy::IfNeeded)?;
    let (height, width, channels) = match *shape {
        [height, width] => (height, width, 1),
        [height, width, channels] => (height, width, channels),
        _ => {
            return Err(bad_input(format!("image: shape {shape:?}, not (height, width) or (height, width, channels)")));
        }
    };
    let picture = Picture { height, width, channels, alpha };
    let engine: Option<Engine> = self::engine(engine)?;
    let builder = Builder::new(1.0)
        .sigma(deviations(sigma)?)
        .boundary(self::boundary(boundary)?)
        .engine(engine)
        .device(self::device(py, device)?);
    fn run<S: Sample + Element>(
        py: Python<'_>,
        builder: Builder,
        lent: Lent,
        picture: Picture,
    ) -> PyResult<Bound<'_, PyAny>> {
        let samples = call(py, Threads::All, move |_| Ok(builder.blur::<S>(lent.slice(), picture)?.into_inner()))?;
        Ok(out::array(py, samples))
    }
    let samples = match (lent.dtype.kind, lent.dtype.bytes) {
        (Kind::Unsigned, 1) => run::<u8>(py, builder, lent, picture)?,
        (Kind::Unsigned, 2) => run::<u16>(py, builder, lent, picture)?,
        (Kind::Float, 4) => run::<f32>(py, builder, lent, picture)?,
        _ => {
            let dtype = lent.owner(py).getattr("dtype")?;
            let advice = "uint8, uint16 and float32 work: use .astype(np.float32)";
            return Err(bad_type(format!("image: dtype {dtype} does not work; {advice}")));
        }
    };
    out::shaped(&samples, &shape)
}
