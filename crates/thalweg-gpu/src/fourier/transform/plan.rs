//! Complex transforms made ready: passes compiled, tables and extra memory on the device.

use thalweg_core::Result;
use thalweg_fourier::Shape;
use thalweg_fourier::transform::{Direction, Options};

use super::program::{How, Maker, Program, Slot};
use super::tuning::Tuning;
use crate::array::DeviceArray;
use crate::device::Device;

/// A complex transform of arrays of one shape, made ready to run many times.
///
/// Complex values on the device are pairs of `f32`, the real part first: an array of twice as many elements. A plan holds its
/// tables of roots of unity and as much memory as the array where a transform takes several passes.
///
/// ```no_run
/// use thalweg_fourier::{Shape, transform::Options};
/// use thalweg_gpu::{Choice, Device, fourier::transform::Plan};
/// let device = Device::open(&Choice::Auto)?;
/// let plan = Plan::new(&device, &Shape::line(4)?, &Options::FORWARD)?;
/// let mut values = device.upload(&[1.0f32, 0.0, 2.0, 0.0, 3.0, 0.0, 4.0, 0.0])?;
/// plan.run(&mut values)?;
/// assert_eq!(values.to_vec()?, [10.0, 0.0, -2.0, 2.0, -2.0, 0.0, -2.0, -2.0]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Plan(Program);

impl Plan {
    /// Makes a transform ready.
    ///
    /// # Errors
    /// [`Error::Shape`](thalweg_core::Error::Shape) for axes that the shape does not have; those of the device, also for
    /// arrays of 2^32 values and more.
    pub fn new(device: &Device, shape: &Shape, options: &Options) -> Result<Self> {
        Self::with(device, shape, options, Tuning::DEFAULT)
    }

    /// The same, with a choice of how the work is shared out.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn with(device: &Device, shape: &Shape, options: &Options, tuning: Tuning) -> Result<Self> {
        let numbers = 2 * shape.len() as u64;
        let mut maker = Maker::new(device, tuning, numbers, numbers)?;
        let axes = options.axes_of(shape);
        along_axes(&mut maker, shape, axes.as_slice(), Slot::Output, options, options.factor(shape))?;
        Ok(Self(maker.finish()))
    }

    /// Transforms an array in place.
    ///
    /// # Errors
    /// [`Error::Length`](thalweg_core::Error::Length) if the array does not have twice as many elements as the shape; those
    /// of the device.
    pub fn run(&self, values: &mut DeviceArray<f32>) -> Result<()> {
        self.0.run(None, values.keys())
    }
}

/// Transforms an array in place along axes, the last one first, and multiplies all by a factor.
pub(super) fn along_axes(
    maker: &mut Maker,
    shape: &Shape,
    axes: &[usize],
    array: Slot,
    options: &Options,
    mut factor: f64,
) -> Result<()> {
    let inverse = options.direction == Direction::Inverse;
    for &axis in axes.iter().rev() {
        let lines = shape.lines(axis);
        // The first axis takes the factor; where all lengths are 1, it is 1.
        if lines.len > 1 {
            maker.lines(lines, array, array, How::new(inverse, std::mem::replace(&mut factor, 1.0)))?;
        }
    }
    Ok(())
}
