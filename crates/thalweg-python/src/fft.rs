//! Fourier transforms, by the conventions of `numpy.fft`.
//!
//! The library transforms arrays of up to three dimensions. Dimensions that are not transformed, next to each other, are one
//! for it, which is enough for most; for the rest [`Plan`] goes along one axis after the other.

use bytemuck::Pod;
use numpy::Element;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PySlice, PyTuple};
use rayon::prelude::*;
use thalweg::Device;
use thalweg::fourier::transform::{Builder, Direction, Norm};
use thalweg::fourier::{Axes, Complex, Float, Shape};

use crate::array::{Lent, to_numpy};
use crate::device::{device, named};
use crate::errors::{bad_input, bad_type};
use crate::out::{self, Buffer};
use crate::work::{Stop, Threads, call, call_to_the_end};

/// Elements that a task copies.
const GRAIN: usize = 1 << 14;

/// What is to be transformed: sizes and places of the axes.
struct Plan {
    /// The sizes of the array that is transformed, or that comes out of a transform to real numbers.
    shape: Vec<usize>,
    axes: Vec<usize>,
    direction: Direction,
    norm: Norm,
    device: Device,
}

/// A transform of an array of up to three dimensions: its sizes, and the axes.
type Step = (Vec<usize>, Vec<usize>);

/// The same transform along `axes`, seen as an array of as few dimensions as can be.
fn merged(shape: &[usize], axes: &[usize]) -> Step {
    let (mut sizes, mut places) = (vec![], vec![0; shape.len()]);
    let mut last_is_axis = true;
    for (dimension, &size) in shape.iter().enumerate() {
        let is_axis = axes.contains(&dimension);
        match sizes.last_mut() {
            Some(last) if !is_axis && !last_is_axis => *last *= size,
            _ if !is_axis && size == 1 => continue,
            _ => sizes.push(size),
        }
        (places[dimension], last_is_axis) = (sizes.len() - 1, is_axis);
    }
    (sizes, axes.iter().map(|&axis| places[axis]).collect())
}

impl Plan {
    fn steps(&self, shape: &[usize], axes: &[usize]) -> Vec<Step> {
        let at_once = merged(shape, axes);
        if at_once.0.len() <= thalweg::fourier::MAX_DIMENSIONS {
            return vec![at_once];
        }
        // The last one first.
        axes.iter().rev().map(|&axis| merged(shape, &[axis])).collect()
    }

    fn is_at_once(&self) -> bool {
        merged(&self.shape, &self.axes).0.len() <= thalweg::fourier::MAX_DIMENSIONS
    }

    fn builder(&self) -> Builder {
        Builder::new().direction(self.direction).norm(self.norm).device(self.device.clone())
    }

    fn complex<T: Float>(&self, values: &mut [Complex<T>], shape: &[usize], axes: &[usize]) -> thalweg::Result<()> {
        if axes.is_empty() {
            return Ok(());
        }
        for (sizes, axes) in self.steps(shape, axes) {
            let shape = Shape::new(&sizes)?;
            self.builder().axes(Axes::new(&axes, &shape)?).transform(values, &shape)?;
        }
        Ok(())
    }

    /// The sizes, with half of the frequencies along the last axis.
    fn halved(&self) -> Vec<usize> {
        let mut shape = self.shape.clone();
        if let Some(&last) = self.axes.last() {
            shape[last] = shape[last] / 2 + 1;
        }
        shape
    }

    fn halve<T: Float>(&self, values: &[T]) -> thalweg::Result<Vec<Complex<T>>> {
        let (&last, others) = self.axes.split_last().expect("there are axes");
        let now = if self.is_at_once() { &self.axes[..] } else { &[last] };
        let (sizes, axes) = merged(&self.shape, now);
        let shape = Shape::new(&sizes)?;
        let half = self.builder().axes(Axes::new(&axes, &shape)?).transform_real(values, &shape)?;
        let mut half = half.into_inner();
        if now.len() < self.axes.len() {
            self.complex(&mut half, &self.halved(), others)?;
        }
        Ok(half)
    }

    fn restore<T: Float>(&self, half: &[Complex<T>]) -> thalweg::Result<Vec<T>> {
        let (&last, others) = self.axes.split_last().expect("there are axes");
        let now = if self.is_at_once() { &self.axes[..] } else { &[last] };
        let (sizes, axes) = merged(&self.shape, now);
        let shape = Shape::new(&sizes)?;
        let builder = self.builder().axes(Axes::new(&axes, &shape)?);
        let restored = if now.len() < self.axes.len() {
            let mut half = half.to_vec();
            self.complex(&mut half, &self.halved(), others)?;
            builder.restore_real(&half, &shape)?
        } else {
            builder.restore_real(half, &shape)?
        };
        Ok(restored.into_inner())
    }
}

/// A number of the input as a complex one.
trait Part<T>: Pod + Sync {
    fn complex(self) -> Complex<T>;
}

impl<T: Float> Part<T> for Complex<T>
where
    Self: Pod,
{
    fn complex(self) -> Self {
        self
    }
}

impl Part<f32> for f32 {
    fn complex(self) -> Complex<Self> {
        Complex::new(self, 0.0)
    }
}

impl Part<f64> for f64 {
    fn complex(self) -> Complex<Self> {
        Complex::new(self, 0.0)
    }
}

/// Copies an array to one of other sizes: what has no room is left out, what is missing is 0.
fn fit<T: Float, P: Part<T>>(from: &[P], sizes: &[usize], to: &mut [Complex<T>], shape: &[usize]) {
    let (Some((&had, outer)), Some((&has, rows))) = (sizes.split_last(), shape.split_last()) else { return };
    let copy = |to: &mut [Complex<T>], from: &[P]| to.iter_mut().zip(from).for_each(|(to, from)| *to = from.complex());
    if sizes == shape {
        to.par_chunks_mut(GRAIN).zip(from.par_chunks(GRAIN)).for_each(|(to, from)| copy(to, from));
        return;
    }
    to.par_chunks_mut(has).with_min_len(GRAIN.div_ceil(has)).enumerate().for_each(|(row, to)| {
        // Where the row was, if it was anywhere.
        let (mut rest, mut at, mut stride) = (row, Some(0), 1);
        for (&size, &was) in rows.iter().zip(outer).rev() {
            let place = rest % size;
            at = at.filter(|_| place < was).map(|at| at + place * stride);
            (rest, stride) = (rest / size, stride * was);
        }
        let from = at.map_or(&[][..], |at| &from[at * had..(at + 1) * had]);
        let filled = had.min(has).min(from.len());
        copy(&mut to[..filled], from);
        to[filled..].fill(Complex::default());
    });
}

/// What all the functions have in common: array, sizes, axes, norm.
struct Asked<'a, 'py> {
    array: &'a Bound<'py, PyAny>,
    sizes: Option<Vec<isize>>,
    axes: Option<Vec<isize>>,
    norm: Option<&'a str>,
    device: &'a str,
}

fn norm(name: Option<&str>) -> PyResult<Norm> {
    let known = [("backward", Norm::Backward), ("ortho", Norm::Ortho), ("forward", Norm::Forward)];
    name.map_or(Ok(Norm::Backward), |name| named("norm", name, &known))
}

/// The axes, counted from 0, of an array of so many dimensions.
fn axes(asked: Option<&[isize]>, sizes: Option<&[isize]>, dimensions: usize) -> PyResult<Vec<usize>> {
    let all: Vec<isize>;
    let asked = match (asked, sizes) {
        (Some(asked), _) => asked,
        (None, sizes) => {
            let count = sizes.map_or(dimensions, <[isize]>::len) as isize;
            all = (-count..0).collect();
            &all
        }
    };
    if let Some(sizes) = sizes.filter(|sizes| sizes.len() != asked.len()) {
        return Err(bad_input(format!("s: {} sizes for {} axes", sizes.len(), asked.len())));
    }
    let mut axes = Vec::with_capacity(asked.len());
    for &axis in asked {
        let place = if axis < 0 { axis.wrapping_add(dimensions as isize) } else { axis };
        if place < 0 || place as usize >= dimensions {
            return Err(bad_input(format!("axes: there is no axis {axis} in an array of {dimensions} dimensions")));
        }
        if axes.contains(&(place as usize)) {
            return Err(bad_input(format!("axes: axis {axis} is named twice; transform it in a second call")));
        }
        axes.push(place as usize);
    }
    if axes.is_empty() {
        return Err(bad_input("axes: none is named"));
    }
    Ok(axes)
}

/// The sizes of the array along the axes become those that are asked for.
fn resize(shape: &mut [usize], axes: &[usize], sizes: Option<&[isize]>) -> PyResult<()> {
    for (at, &axis) in axes.iter().enumerate() {
        let size = sizes.map_or(-1, |sizes| sizes[at]);
        if size != -1 {
            shape[axis] = usize::try_from(size).map_err(|_| bad_input(format!("s: {size} is no size")))?;
        }
        if shape[axis] == 0 {
            return Err(bad_input(format!("axes: there is nothing to transform along axis {axis}")));
        }
    }
    Ok(())
}

/// A new array with these sizes: what has no room is left out, what is missing is 0.
fn fitted<'py>(array: &Bound<'py, PyAny>, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    let py = array.py();
    let sizes: Vec<usize> = array.getattr("shape")?.extract()?;
    let both: Vec<_> = sizes.iter().zip(shape).map(|(&a, &b)| PySlice::new(py, 0, a.min(b) as isize, 1)).collect();
    let both = PyTuple::new(py, both)?;
    let part = array.get_item(&both)?;
    if sizes.iter().zip(shape).all(|(a, b)| a >= b) {
        return Ok(part);
    }
    let options = PyDict::new(py);
    options.set_item("dtype", array.getattr("dtype")?)?;
    let whole = py.import("numpy")?.call_method("zeros", (PyTuple::new(py, shape)?,), Some(&options))?;
    whole.set_item(both, part)?;
    Ok(whole)
}

impl<'py> Asked<'_, 'py> {
    fn py(&self) -> Python<'py> {
        self.array.py()
    }

    fn plan(&self, shape: Vec<usize>, axes: Vec<usize>, direction: Direction) -> PyResult<Plan> {
        Ok(Plan { shape, axes, direction, norm: norm(self.norm)?, device: device(self.py(), self.device)? })
    }

    /// A transform of complex numbers.
    fn complex(self, direction: Direction, out: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py();
        let (lent, sizes, is_complex) = Lent::floats("a", self.array)?;
        let axes = axes(self.axes.as_deref(), self.sizes.as_deref(), sizes.len())?;
        let mut shape = sizes.clone();
        resize(&mut shape, &axes, self.sizes.as_deref())?;
        let wide = lent.dtype.bytes == 8;
        let dtype = out::dtype(py, if wide { "complex128" } else { "complex64" })?;
        let mut buffer = match out {
            Some(out) => Buffer::given(out, &shape, &dtype)?,
            None => Buffer::new(py, &shape, &dtype)?,
        };
        // In place where the array itself is to be overwritten; what overlaps otherwise is copied first.
        let mut source = Some(lent);
        if let (Some(out), Some(lent)) = (out, &source)
            && py.import("numpy")?.call_method1("may_share_memory", (out, lent.owner(py)))?.extract()?
        {
            source = match is_complex && buffer.is_at(lent.slice::<u8>().as_ptr()) && sizes == shape {
                true => None,
                false => Some(Lent::floats("a", &lent.owner(py).call_method0("copy")?)?.0),
            };
        }
        let plan = self.plan(shape, axes, direction)?;
        let work = move |_: &Stop| {
            fn run<T: Float + Part<T>>(
                plan: &Plan,
                source: Option<(&Lent, bool, &[usize])>,
                to: &mut [Complex<T>],
            ) -> thalweg::Result<()> {
                match source {
                    None => {}
                    Some((lent, true, sizes)) => fit(lent.slice::<Complex<T>>(), sizes, to, &plan.shape),
                    Some((lent, false, sizes)) => fit(lent.slice::<T>(), sizes, to, &plan.shape),
                }
                plan.complex(to, &plan.shape, &plan.axes)
            }
            if buffer.len() > 0 {
                let source = source.as_ref().map(|lent| (lent, is_complex, &sizes[..]));
                match wide {
                    true => run::<f64>(&plan, source, buffer.slice())?,
                    false => run::<f32>(&plan, source, buffer.slice())?,
                }
            }
            Ok(buffer)
        };
        let done = if out.is_some() { call_to_the_end(py, work)? } else { call(py, Threads::All, work)? };
        Ok(done.into_array(py))
    }

    /// Half of the frequencies of real numbers.
    fn halve(self) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py();
        let (mut lent, sizes, is_complex) = Lent::floats("a", self.array)?;
        if is_complex {
            return Err(bad_type("a: complex numbers, where real ones are needed; fft takes them, or take .real"));
        }
        let axes = axes(self.axes.as_deref(), self.sizes.as_deref(), sizes.len())?;
        let mut shape = sizes.clone();
        resize(&mut shape, &axes, self.sizes.as_deref())?;
        if shape != sizes {
            lent = Lent::floats("a", &fitted(lent.owner(py), &shape)?)?.0;
        }
        let plan = self.plan(shape, axes, Direction::Forward)?;
        let halved = plan.halved();
        fn run<'py, T: Float>(py: Python<'py>, plan: Plan, lent: Lent) -> PyResult<Bound<'py, PyAny>>
        where
            Complex<T>: Element,
        {
            let work = move |_: &Stop| if lent.len == 0 { Ok(vec![]) } else { plan.halve::<T>(lent.slice()) };
            Ok(out::array(py, call(py, Threads::All, work)?))
        }
        let half = if lent.dtype.bytes == 8 { run::<f64>(py, plan, lent)? } else { run::<f32>(py, plan, lent)? };
        out::shaped(&half, &halved)
    }

    /// Real numbers from half of their frequencies.
    fn restore(self) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py();
        let array = to_numpy("a", self.array, crate::array::Copy::IfNeeded)?;
        let (mut lent, sizes, is_complex) = Lent::floats("a", &array)?;
        if !is_complex {
            let complex = if lent.dtype.bytes == 8 { "complex128" } else { "complex64" };
            lent = Lent::floats("a", &lent.owner(py).call_method1("astype", (complex,))?)?.0;
        }
        let axes = axes(self.axes.as_deref(), self.sizes.as_deref(), sizes.len())?;
        let last = *axes.last().expect("there are axes");
        let mut shape = sizes.clone();
        shape[last] = 2 * sizes[last].saturating_sub(1);
        resize(&mut shape, &axes, self.sizes.as_deref())?;
        let plan = self.plan(shape, axes, Direction::Inverse)?;
        let halved = plan.halved();
        if halved != sizes {
            lent = Lent::floats("a", &fitted(lent.owner(py), &halved)?)?.0;
        }
        let shape = plan.shape.clone();
        fn run<T: Float + Element>(py: Python<'_>, plan: Plan, lent: Lent) -> PyResult<Bound<'_, PyAny>>
        where
            Complex<T>: Pod,
        {
            let work = move |_: &Stop| if lent.len == 0 { Ok(vec![]) } else { plan.restore::<T>(lent.slice()) };
            Ok(out::array(py, call(py, Threads::All, work)?))
        }
        let values = if lent.dtype.bytes == 8 { run::<f64>(py, plan, lent)? } else { run::<f32>(py, plan, lent)? };
        out::shaped(&values, &shape)
    }
}

/// The size of a transform along one axis. (Among several, -1 leaves one as it is.)
fn one(n: Option<isize>) -> PyResult<Option<Vec<isize>>> {
    match n {
        Some(n) if n < 1 => Err(bad_input(format!("n: {n} is no number of elements"))),
        n => Ok(n.map(|n| vec![n])),
    }
}

/// The axes of transforms in two dimensions.
fn two(axes: Option<Vec<isize>>) -> Option<Vec<isize>> {
    axes.or_else(|| Some(vec![-2, -1]))
}

/// The discrete Fourier transform along an axis: `X[k] = sum x[j] exp(-2 pi i j k / n)`. As `numpy.fft.fft`.
///
/// Args:
///     a: Real or complex numbers in any number of dimensions. Integers are taken as float64.
///     n: How many numbers of the axis are transformed: the first ones, or all and then zeros. None for all.
///     axis: The axis.
///     norm: Where the factor 1/n goes: "backward" (the default) to `ifft`, "forward" here, "ortho" its root to both.
///     out: An array for the result, of its shape and dtype. It may be `a` itself: then nothing is copied.
///     device: "auto", "cpu", "gpu" (for complex64), or a name of `thalweg.devices()`.
///
/// Returns:
///     complex64 for float32 and complex64, complex128 otherwise.
///
/// >>> import numpy as np
/// >>> from thalweg.fft import fft
/// >>> fft(np.array([1.0, 2.0, 3.0, 4.0]))
/// array([10.+0.j, -2.+2.j, -2.+0.j, -2.-2.j])
#[pyfunction]
#[pyo3(
    signature = (a, n=None, axis=-1, norm=None, out=None, *, device="auto"),
    text_signature = "(a, n=None, axis=-1, norm=None, out=None, *, device='auto')"
)]
pub fn fft<'py>(
    a: &Bound<'py, PyAny>,
    n: Option<isize>,
    axis: isize,
    norm: Option<&str>,
    out: Option<&Bound<'py, PyAny>>,
    device: &str,
) -> PyResult<Bound<'py, PyAny>> {
    Asked { array: a, sizes: one(n)?, axes: Some(vec![axis]), norm, device }.complex(Direction::Forward, out)
}

/// The inverse of `fft`, divided by n. As `numpy.fft.ifft`, with the arguments of `fft`.
///
/// >>> import numpy as np
/// >>> from thalweg.fft import fft, ifft
/// >>> ifft(fft(np.array([1.0, 2.0, 3.0, 4.0]))).real
/// array([1., 2., 3., 4.])
#[pyfunction]
#[pyo3(
    signature = (a, n=None, axis=-1, norm=None, out=None, *, device="auto"),
    text_signature = "(a, n=None, axis=-1, norm=None, out=None, *, device='auto')"
)]
pub fn ifft<'py>(
    a: &Bound<'py, PyAny>,
    n: Option<isize>,
    axis: isize,
    norm: Option<&str>,
    out: Option<&Bound<'py, PyAny>>,
    device: &str,
) -> PyResult<Bound<'py, PyAny>> {
    Asked { array: a, sizes: one(n)?, axes: Some(vec![axis]), norm, device }.complex(Direction::Inverse, out)
}

/// The transform of real numbers, whose second half tells nothing new: the first n // 2 + 1 of n. As `numpy.fft.rfft`.
///
/// Args:
///     a: Real numbers in any number of dimensions. Integers are taken as float64.
///     n: How many numbers of the axis are transformed: the first ones, or all and then zeros. None for all.
///     axis: The axis.
///     norm: As for `fft`.
///     device: As for `fft`; GPUs take float32.
///
/// Returns:
///     complex64 for float32, complex128 otherwise.
///
/// >>> import numpy as np
/// >>> from thalweg.fft import rfft
/// >>> rfft(np.array([1.0, 2.0, 3.0, 4.0]))
/// array([10.+0.j, -2.+2.j, -2.+0.j])
#[pyfunction]
#[pyo3(
    signature = (a, n=None, axis=-1, norm=None, *, device="auto"),
    text_signature = "(a, n=None, axis=-1, norm=None, *, device='auto')"
)]
pub fn rfft<'py>(
    a: &Bound<'py, PyAny>,
    n: Option<isize>,
    axis: isize,
    norm: Option<&str>,
    device: &str,
) -> PyResult<Bound<'py, PyAny>> {
    Asked { array: a, sizes: one(n)?, axes: Some(vec![axis]), norm, device }.halve()
}

/// The inverse of `rfft`: real numbers from the first half of their frequencies. As `numpy.fft.irfft`.
///
/// Args:
///     a: Complex numbers in any number of dimensions.
///     n: How many numbers come out. None for 2 (m - 1), m being the size of the axis: for an odd number n must be told.
///     axis: The axis.
///     norm: As for `fft`.
///     device: As for `fft`; GPUs take complex64.
///
/// Returns:
///     float32 for complex64, float64 otherwise.
///
/// >>> import numpy as np
/// >>> from thalweg.fft import irfft, rfft
/// >>> irfft(rfft(np.array([1.0, 2.0, 4.0])), n=3)
/// array([1., 2., 4.])
#[pyfunction]
#[pyo3(
    signature = (a, n=None, axis=-1, norm=None, *, device="auto"),
    text_signature = "(a, n=None, axis=-1, norm=None, *, device='auto')"
)]
pub fn irfft<'py>(
    a: &Bound<'py, PyAny>,
    n: Option<isize>,
    axis: isize,
    norm: Option<&str>,
    device: &str,
) -> PyResult<Bound<'py, PyAny>> {
    Asked { array: a, sizes: one(n)?, axes: Some(vec![axis]), norm, device }.restore()
}

/// The transform along two axes, the last two unless others are named. As `numpy.fft.fft2`, with the arguments of `fftn`.
///
/// >>> import numpy as np
/// >>> from thalweg.fft import fft2
/// >>> fft2(np.eye(2)).real
/// array([[2., 0.],
///        [0., 2.]])
#[pyfunction]
#[pyo3(signature = (a, s=None, axes=None, norm=None, out=None, *, device="auto"))]
pub fn fft2<'py>(
    a: &Bound<'py, PyAny>,
    s: Option<Vec<isize>>,
    axes: Option<Vec<isize>>,
    norm: Option<&str>,
    out: Option<&Bound<'py, PyAny>>,
    device: &str,
) -> PyResult<Bound<'py, PyAny>> {
    Asked { array: a, sizes: s, axes: two(axes), norm, device }.complex(Direction::Forward, out)
}

/// The inverse of `fft2`. As `numpy.fft.ifft2`, with the arguments of `fftn`.
///
/// >>> import numpy as np
/// >>> from thalweg.fft import fft2, ifft2
/// >>> ifft2(fft2(np.eye(2))).real
/// array([[1., 0.],
///        [0., 1.]])
#[pyfunction]
#[pyo3(signature = (a, s=None, axes=None, norm=None, out=None, *, device="auto"))]
pub fn ifft2<'py>(
    a: &Bound<'py, PyAny>,
    s: Option<Vec<isize>>,
    axes: Option<Vec<isize>>,
    norm: Option<&str>,
    out: Option<&Bound<'py, PyAny>>,
    device: &str,
) -> PyResult<Bound<'py, PyAny>> {
    Asked { array: a, sizes: s, axes: two(axes), norm, device }.complex(Direction::Inverse, out)
}

/// The transform along several axes. As `numpy.fft.fftn`.
///
/// Args:
///     a: Real or complex numbers in any number of dimensions. Integers are taken as float64.
///     s: How many numbers of every axis are transformed, as n of `fft`; -1 for all.
///     axes: The axes, each at most once. None for all, or for as many of the last as `s` has sizes.
///     norm: As for `fft`.
///     out: As for `fft`.
///     device: As for `fft`.
///
/// Returns:
///     complex64 for float32 and complex64, complex128 otherwise.
///
/// >>> import numpy as np
/// >>> from thalweg.fft import fftn
/// >>> fftn(np.ones((2, 2, 2))).real.ravel()
/// array([8., 0., 0., 0., 0., 0., 0., 0.])
#[pyfunction]
#[pyo3(signature = (a, s=None, axes=None, norm=None, out=None, *, device="auto"))]
pub fn fftn<'py>(
    a: &Bound<'py, PyAny>,
    s: Option<Vec<isize>>,
    axes: Option<Vec<isize>>,
    norm: Option<&str>,
    out: Option<&Bound<'py, PyAny>>,
    device: &str,
) -> PyResult<Bound<'py, PyAny>> {
    Asked { array: a, sizes: s, axes, norm, device }.complex(Direction::Forward, out)
}

/// The inverse of `fftn`. As `numpy.fft.ifftn`, with the arguments of `fftn`.
///
/// >>> import numpy as np
/// >>> from thalweg.fft import ifftn
/// >>> ifftn(np.ones((2, 2))).real
/// array([[1., 0.],
///        [0., 0.]])
#[pyfunction]
#[pyo3(signature = (a, s=None, axes=None, norm=None, out=None, *, device="auto"))]
pub fn ifftn<'py>(
    a: &Bound<'py, PyAny>,
    s: Option<Vec<isize>>,
    axes: Option<Vec<isize>>,
    norm: Option<&str>,
    out: Option<&Bound<'py, PyAny>>,
    device: &str,
) -> PyResult<Bound<'py, PyAny>> {
    Asked { array: a, sizes: s, axes, norm, device }.complex(Direction::Inverse, out)
}

/// The transform of real numbers along two axes, the last two unless others are named. As `numpy.fft.rfft2`.
///
/// >>> import numpy as np
/// >>> from thalweg.fft import rfft2
/// >>> rfft2(np.ones((4, 4))).shape
/// (4, 3)
#[pyfunction]
#[pyo3(signature = (a, s=None, axes=None, norm=None, *, device="auto"))]
pub fn rfft2<'py>(
    a: &Bound<'py, PyAny>,
    s: Option<Vec<isize>>,
    axes: Option<Vec<isize>>,
    norm: Option<&str>,
    device: &str,
) -> PyResult<Bound<'py, PyAny>> {
    Asked { array: a, sizes: s, axes: two(axes), norm, device }.halve()
}

/// The inverse of `rfft2`. As `numpy.fft.irfft2`.
///
/// >>> import numpy as np
/// >>> from thalweg.fft import irfft2, rfft2
/// >>> irfft2(rfft2(np.eye(2)))
/// array([[1., 0.],
///        [0., 1.]])
#[pyfunction]
#[pyo3(signature = (a, s=None, axes=None, norm=None, *, device="auto"))]
pub fn irfft2<'py>(
    a: &Bound<'py, PyAny>,
    s: Option<Vec<isize>>,
    axes: Option<Vec<isize>>,
    norm: Option<&str>,
    device: &str,
) -> PyResult<Bound<'py, PyAny>> {
    Asked { array: a, sizes: s, axes: two(axes), norm, device }.restore()
}

/// The transform of real numbers along several axes: half of the frequencies of the last one. As `numpy.fft.rfftn`.
///
/// Args:
///     a: Real numbers in any number of dimensions. Integers are taken as float64.
///     s: How many numbers of every axis are transformed; -1 for all.
///     axes: The axes, each at most once. None for all, or for as many of the last as `s` has sizes.
///     norm: As for `fft`.
///     device: As for `rfft`.
///
/// >>> import numpy as np
/// >>> from thalweg.fft import rfftn
/// >>> rfftn(np.ones((2, 2, 6))).shape
/// (2, 2, 4)
#[pyfunction]
#[pyo3(signature = (a, s=None, axes=None, norm=None, *, device="auto"))]
pub fn rfftn<'py>(
    a: &Bound<'py, PyAny>,
    s: Option<Vec<isize>>,
    axes: Option<Vec<isize>>,
    norm: Option<&str>,
    device: &str,
) -> PyResult<Bound<'py, PyAny>> {
    Asked { array: a, sizes: s, axes, norm, device }.halve()
}

/// The inverse of `rfftn`. As `numpy.fft.irfftn`; `s` tells the sizes that come out.
///
/// >>> import numpy as np
/// >>> from thalweg.fft import irfftn, rfftn
/// >>> a = np.arange(6.0).reshape(2, 3)
/// >>> np.allclose(irfftn(rfftn(a), s=a.shape), a)
/// True
#[pyfunction]
#[pyo3(signature = (a, s=None, axes=None, norm=None, *, device="auto"))]
pub fn irfftn<'py>(
    a: &Bound<'py, PyAny>,
    s: Option<Vec<isize>>,
    axes: Option<Vec<isize>>,
    norm: Option<&str>,
    device: &str,
) -> PyResult<Bound<'py, PyAny>> {
    Asked { array: a, sizes: s, axes, norm, device }.restore()
}
