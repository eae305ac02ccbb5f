//! Convolutions and correlations: of floats, and exact ones of integers.

use numpy::Element;
use pyo3::prelude::*;
use pyo3::types::PyList;
use thalweg::fourier::convolution::{self, Boundary, Extent};
use thalweg::fourier::exact::{self, Numbers, Values};
use thalweg::fourier::{Float, Shape};

use crate::array::{Copy, Kind, Lent, to_numpy};
use crate::device::{device, engine, named};
use crate::errors::{OrRaise, bad_type};
use crate::out;
use crate::work::{Threads, call};

/// What all the functions have in common.
struct Asked<'a, 'py> {
    array: &'a Bound<'py, PyAny>,
    kernel: &'a Bound<'py, PyAny>,
    extent: &'a str,
    boundary: &'a str,
    correlate: bool,
    engine: Option<&'a str>,
    device: &'a str,
}

/// Whether the elements are whole numbers.
fn is_whole(array: &Bound<'_, PyAny>) -> PyResult<bool> {
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    Ok(matches!(kind.as_str(), "b" | "i" | "u"))
}

/// Elements of whole numbers, with their type as data.
fn values(lent: &Lent) -> Values<'_> {
    match (lent.dtype.kind, lent.dtype.bytes) {
        (Kind::Signed, 1) => Values::I8(lent.slice()),
        (Kind::Signed, 2) => Values::I16(lent.slice()),
        (Kind::Signed, 4) => Values::I32(lent.slice()),
        (Kind::Signed, _) => Values::I64(lent.slice()),
        (_, 1) => Values::U8(lent.slice()),
        (_, 2) => Values::U16(lent.slice()),
        (_, 4) => Values::U32(lent.slice()),
        (_, _) => Values::U64(lent.slice()),
    }
}

pub fn boundary(name: &str) -> PyResult<Boundary> {
    let known: Vec<_> = Boundary::ALL.iter().map(|&boundary| (boundary.name(), boundary)).collect();
    named("boundary", name, &known)
}

impl<'py> Asked<'_, 'py> {
    /// Boundary and extent.
    fn options(&self) -> PyResult<convolution::Options> {
        let known: Vec<_> = Extent::ALL.iter().map(|&extent| (extent.name(), extent)).collect();
        let (extent, boundary) = (named("mode", self.extent, &known)?, boundary(self.boundary)?);
        Ok(convolution::Options { boundary, extent, correlate: self.correlate, engine: None })
    }

    /// Of floats, or exact where both are whole numbers.
    fn answer(self) -> PyResult<Bound<'py, PyAny>> {
        let array = to_numpy("array", self.array, Copy::IfNeeded)?.into_any();
        let kernel = to_numpy("kernel", self.kernel, Copy::IfNeeded)?.into_any();
        let both = Asked { array: &array, kernel: &kernel, ..self };
        if is_whole(&array)? && is_whole(&kernel)? { both.exact("int64") } else { both.floats() }
    }

    fn floats(self) -> PyResult<Bound<'py, PyAny>> {
        let py = self.array.py();
        let mut sides = vec![];
        for (what, object) in [("array", self.array), ("kernel", self.kernel)] {
            let (lent, shape, is_complex) = Lent::floats(what, object)?;
            if is_complex {
                return Err(bad_type(format!("{what}: complex numbers; convolve .real and .imag, each for itself")));
            }
            sides.push((lent, Shape::new(&shape).or_raise()?));
        }
        let wide = sides.iter().any(|(lent, _)| lent.dtype.bytes == 8);
        for (lent, _) in sides.iter_mut().filter(|(lent, _)| wide && lent.dtype.bytes == 4) {
            *lent = Lent::floats("array", &lent.owner(py).call_method1("astype", ("float64",))?)?.0;
        }
        let options = self.options()?;
        let shape = options.result_shape(&sides[0].1, &sides[1].1).or_raise()?;
        let engine: Option<convolution::Engine> = engine(self.engine)?;
        let builder = convolution::Builder::new()
            .boundary(options.boundary)
            .extent(options.extent)
            .correlate(options.correlate)
            .engine(engine)
            .device(device(py, self.device)?);
        fn run<T: Float + Element>(
            py: Python<'_>,
            builder: convolution::Builder,
            sides: Vec<(Lent, Shape)>,
        ) -> PyResult<Bound<'_, PyAny>> {
            let values = call(py, Threads::All, move |_| {
                let [(array, shape), (kernel, kernel_shape)] = &sides[..] else { unreachable!("there are two") };
                Ok(builder.convolve::<T>(array.slice(), shape, kernel.slice(), kernel_shape)?.into_inner())
            })?;
            Ok(out::array(py, values))
        }
        let values = if wide { run::<f64>(py, builder, sides)? } else { run::<f32>(py, builder, sides)? };
        out::shaped(&values, shape.sizes())
    }

    fn exact(self, dtype: &str) -> PyResult<Bound<'py, PyAny>> {
        let py = self.array.py();
        let side = |what: &str, object| {
            let (lent, shape) = Lent::of_any_shape(what, object, Copy::IfNeeded)?;
            match lent.dtype.kind {
                Kind::Bool | Kind::Unsigned | Kind::Signed => Ok((lent, Shape::new(&shape).or_raise()?)),
                _ => {
                    let name = lent.owner(py).getattr("dtype")?;
                    Err(bad_type(format!("{what}: dtype {name}, where integers are needed; convolve takes floats")))
                }
            }
        };
        let ((array, shape), (kernel, kernel_shape)) = (side("array", self.array)?, side("kernel", self.kernel)?);
        let options = self.options()?;
        let result = options.result_shape(&shape, &kernel_shape).or_raise()?;
        let engine: Option<exact::Engine> = engine(self.engine)?;
        let known = [("int64", exact::Kind::I64), ("uint64", exact::Kind::U64), ("object", exact::Kind::I128)];
        let kind = named("dtype", dtype, &known)?;
        let builder = exact::Builder::new()
            .boundary(options.boundary)
            .extent(options.extent)
            .correlate(options.correlate)
            .engine(engine)
            .device(device(py, self.device)?);
        let numbers = call(py, Threads::All, move |_| {
            Ok(builder.convolve_of(values(&array), &shape, values(&kernel), &kernel_shape, kind)?.into_inner())
        })?;
        let numbers = match numbers {
            Numbers::I64(numbers) => out::array(py, numbers),
            Numbers::U64(numbers) => out::array(py, numbers),
            Numbers::I128(numbers) => {
                let list = PyList::new(py, numbers)?;
                py.import("numpy")?.call_method1("array", (list, "object"))?
            }
            _ => return Err(bad_type("dtype: unknown")),
        };
        out::shaped(&numbers, result.sizes())
    }
}

/// The convolution of an array with a kernel, in one or two dimensions: `out[i] = sum kernel[j] array[i - j]`.
///
/// Args:
///     array: float32 or float64. Two arrays of integers are convolved exactly, as by `convolve_exact`, into int64; where one is
///         of integers, they are taken as float64.
///     kernel: Of as many dimensions. It may be larger than the array.
///     mode: "full" (n + m - 1 elements, the default), "valid" (|n - m| + 1, for which nothing beyond the ends is needed) or
///         "same": as many as the array has, with the kernel's middle, m // 2, over each of them, as scipy.ndimage does.
///     boundary: What lies beyond the array's ends: "zero"; or with "same" also "wrap", "reflect" (d c b a | a b c d | d c b a)
///         or "nearest".
///     engine: How: "direct", "spectral" (by transforms) or "naive"; None for what takes less time. For integers "direct", "ntt"
///         or "naive".
///     device: "auto", "cpu", "gpu" (for float32 and integers), or a name of `thalweg.devices()`.
///
/// Returns:
///     float32 if both are float32, float64, or int64.
///
/// Raises:
///     InputError: Shapes do not go together; or a sum of integers does not fit int64, and `element` says which.
///
/// >>> import numpy as np
/// >>> from thalweg.fft import convolve
/// >>> convolve(np.array([1.0, 2.0, 4.0, 8.0]), np.array([0.5, 0.0, -0.5]))
/// array([ 0.5,  1. ,  1.5,  3. , -2. , -4. ])
/// >>> convolve([1.0, 2.0, 4.0, 8.0], [0.5, 0.0, -0.5], "same", "nearest")
/// array([0.5, 1.5, 3. , 2. ])
#[pyfunction]
#[pyo3(signature = (array, kernel, mode="full", boundary="zero", *, engine=None, device="auto"))]
pub fn convolve<'py>(
    array: &Bound<'py, PyAny>,
    kernel: &Bound<'py, PyAny>,
    mode: &str,
    boundary: &str,
    engine: Option<&str>,
    device: &str,
) -> PyResult<Bound<'py, PyAny>> {
    Asked { array, kernel, extent: mode, boundary, correlate: false, engine, device }.answer()
}

/// The correlation of an array with a kernel: `out[i] = sum kernel[j] array[i + j]`, the kernel not turned around. With the
/// arguments of `convolve`.
///
/// >>> import numpy as np
/// >>> from thalweg.fft import correlate
/// >>> correlate(np.array([1.0, 2.0, 4.0, 8.0]), np.array([-1.0, 1.0]), "valid")
/// array([1., 2., 4.])
#[pyfunction]
#[pyo3(signature = (array, kernel, mode="full", boundary="zero", *, engine=None, device="auto"))]
pub fn correlate<'py>(
    array: &Bound<'py, PyAny>,
    kernel: &Bound<'py, PyAny>,
    mode: &str,
    boundary: &str,
    engine: Option<&str>,
    device: &str,
) -> PyResult<Bound<'py, PyAny>> {
    Asked { array, kernel, extent: mode, boundary, correlate: true, engine, device }.answer()
}

/// The convolution of integers, exact: nothing is rounded, and nothing overflows unnoticed.
///
/// Args:
///     array: Integers of any type, in one or two dimensions.
///     kernel: Integers of any type, of as many dimensions.
///     mode: As for `convolve`.
///     boundary: As for `convolve`.
///     dtype: Of the result: "int64", "uint64", or "object" for Python's integers (up to 128 bits).
///     correlate: Whether the kernel is not turned around.
///     engine: How: "ntt" (transforms modulo primes), "direct" or "naive"; None for what takes less time.
///     device: "auto", "cpu", "gpu", or a name of `thalweg.devices()`.
///
/// Raises:
///     InputError: A sum does not fit; its `element` says which is the first.
///
/// >>> import numpy as np
/// >>> from thalweg.fft import convolve_exact
/// >>> digits = convolve_exact(np.array([7, 6, 5, 4, 3, 2, 1]), np.array([1, 2, 3, 4, 5, 6, 7]))
/// >>> sum(int(d) * 10**i for i, d in enumerate(digits)) == 1234567 * 7654321
/// True
#[pyfunction]
#[pyo3(signature = (array, kernel, mode="full", boundary="zero", *, dtype="int64", correlate=false, engine=None, device="auto"))]
#[allow(clippy::too_many_arguments)]
pub fn convolve_exact<'py>(
    array: &Bound<'py, PyAny>,
    kernel: &Bound<'py, PyAny>,
    mode: &str,
    boundary: &str,
    dtype: &str,
    correlate: bool,
    engine: Option<&str>,
    device: &str,
) -> PyResult<Bound<'py, PyAny>> {
    Asked { array, kernel, extent: mode, boundary, correlate, engine, device }.exact(dtype)
}
