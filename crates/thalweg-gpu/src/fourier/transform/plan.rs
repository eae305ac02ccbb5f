//! A transform made ready: its passes compiled, its tables and its extra memory on the device.

use std::sync::Arc;

use thalweg_core::error::expect_len;
use thalweg_core::{DeviceErrorKind, Error, Result};
use thalweg_fourier::transform::{Direction, Options};
use thalweg_fourier::{Lines, Shape};

use super::lengths;
use super::pass::{Pass, Place, Turn};
use super::text::{self, Extras, Sharding};
use super::tuning::Tuning;
use super::{bluestein, tables};
use crate::array::{DeviceArray, Keys};
use crate::device::Device;
use crate::kernel::Kernel;
use crate::recorder::Recorder;

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
pub struct Plan {
    device: Device,
    len: usize,
    memory: Memory,
    steps: Vec<Step>,
}

/// The arrays of a plan besides the one that it transforms.
#[derive(Debug, Default)]
pub(super) struct Memory {
    pub(super) arrays: Vec<Keys>,
}

/// An array that a step sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// The one that is transformed.
    Values,
    /// One of the plan's.
    Own(usize),
}

/// A kernel, its arrays in the order in which it declares them, and its parameters.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) kernel: Arc<Kernel>,
    pub(super) arrays: Vec<Slot>,
    pub(super) workgroups: u64,
    pub(super) params: Vec<u32>,
}

impl Memory {
    /// A new array of so many complex values.
    pub(super) fn complex(&mut self, device: &Device, len: u64) -> Result<Slot> {
        Ok(self.add(Keys::new(device, 2 * len, 1)?))
    }

    pub(super) fn add(&mut self, keys: Keys) -> Slot {
        self.arrays.push(keys);
        Slot::Own(self.arrays.len() - 1)
    }
}

/// How a kernel must declare an array of numbers that it sees as complex values.
fn complex(sharding: Sharding) -> Sharding {
    sharding.map(|(shift, count)| (shift - 1, count))
}

/// What makes the steps of a plan.
pub(super) struct Maker<'a> {
    pub(super) device: &'a Device,
    pub(super) tuning: Tuning,
    pub(super) memory: Memory,
    /// How the array that is transformed is spread over buffers.
    pub(super) values: Sharding,
}

impl Maker<'_> {
    pub(super) fn sharding(&self, slot: Slot) -> Sharding {
        match slot {
            Slot::Values => self.values,
            Slot::Own(i) => complex(self.memory.arrays[i].sharding()),
        }
    }

    /// The steps that transform all lines of an array, with the help of another of the same size, which is made if it is needed.
    pub(super) fn smooth_lines(
        &mut self,
        lines: Lines,
        array: Slot,
        scratch: &mut Option<Slot>,
        (inverse, factor): (bool, f64),
    ) -> Result<Vec<Step>> {
        let Lines { outer, len, stride } = lines;
        let (outer, len, stride) = (outer as u64, len as u64, stride as u64);
        let limits = self.device.limits();
        let tuning = self.tuning;
        let most = u64::from(if stride == 1 { tuning.longest_row } else { tuning.longest_part });
        let parts = if len <= most { vec![len] } else { lengths::passes(len, tuning.longest_part.into()) };
        let mut steps = Vec::with_capacity(parts.len());
        if let [len] = parts[..] {
            let pass = Pass::new(len as u32, Place::Same { inner: stride }, outer * stride, None, &tuning, limits);
            steps.push(self.step(&pass, inverse, factor, array, array)?);
            return Ok(steps);
        }
        let scratch = match *scratch {
            Some(slot) => slot,
            None => *scratch.insert(self.memory.complex(self.device, outer * len * stride)?),
        };
        let all = outer * len * stride;
        let mut rest = len;
        for (i, &part) in parts.iter().enumerate() {
            rest /= part;
            let lines = all / part;
            let last = i + 1 == parts.len();
            let (place, turn) = if last {
                let part = |i: usize| if i + 1 < parts.len() { parts[i] } else { 1 };
                (Place::Turned { parts: [part(0), part(1), part(2)], stride }, None)
            } else {
                (Place::Same { inner: rest * stride }, Some(Turn { count: rest, stride }))
            };
            let pass = Pass::new(part as u32, place, lines, turn, &tuning, limits);
            let from = if i == 0 { array } else { scratch };
            let to = if last { array } else { scratch };
            steps.push(self.step(&pass, inverse, if last { factor } else { 1.0 }, from, to)?);
        }
        Ok(steps)
    }

    fn step(&mut self, pass: &Pass, inverse: bool, factor: f64, from: Slot, to: Slot) -> Result<Step> {
        let extras = Extras { inverse, factor, in_place: from == to };
        let source = text::source(pass, extras, self.sharding(from), self.sharding(to));
        let kernel = self.device.kernel(&source)?;
        let roots = self.memory.add(tables::upload(self.device, pass)?.keys().clone());
        let arrays = if from == to { vec![roots, to] } else { vec![roots, from, to] };
        Ok(Step { kernel, arrays, workgroups: pass.tiles(), params: vec![pass.lines as u32] })
    }
}

impl Plan {
    /// Makes a transform ready.
    ///
    /// # Errors
    /// [`Error::Shape`] for axes that the shape does not have; those of the device, also for arrays of 2^32 values and more.
    pub fn new(device: &Device, shape: &Shape, options: &Options) -> Result<Self> {
        Self::with(device, shape, options, Tuning::DEFAULT)
    }

    /// The same, with a choice of how the work is shared out.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn with(device: &Device, shape: &Shape, options: &Options, tuning: Tuning) -> Result<Self> {
        if shape.len() > u32::MAX as usize {
            return Err(Error::device_limit(format!(
                "a transform of {} values: positions on the device have 32 bits, enough for {}",
                shape.len(),
                u32::MAX
            )));
        }
        let len = shape.len();
        let values = complex(Keys::sharding_of(device, 2 * len as u64, 1)?);
        let mut maker = Maker { device, tuning, memory: Memory::default(), values };
        let mut scratch = None;
        let mut steps = Vec::new();
        let inverse = options.direction == Direction::Inverse;
        let mut factor = options.factor(shape);
        for &axis in options.axes_of(shape).as_slice().iter().rev() {
            let lines = shape.lines(axis);
            if lines.len == 1 {
                continue;
            }
            // The first axis takes the factor of all.
            let how = (inverse, std::mem::replace(&mut factor, 1.0));
            if lengths::is_smooth(lines.len as u64) {
                steps.extend(maker.smooth_lines(lines, Slot::Values, &mut scratch, how)?);
            } else {
                steps.extend(bluestein::steps(&mut maker, lines, how)?);
            }
        }
        Ok(Self { device: device.clone(), len, memory: maker.memory, steps })
    }

    /// Transforms an array in place.
    ///
    /// # Errors
    /// [`Error::Length`] if the array does not have twice as many elements as the shape; those of the device.
    pub fn run(&self, values: &mut DeviceArray<f32>) -> Result<()> {
        let mut commands = self.device.record();
        self.record(&mut commands, values.keys())?;
        commands.submit().map(|_| ())
    }

    pub(crate) fn record(&self, commands: &mut Recorder<'_>, values: &Keys) -> Result<()> {
        expect_len("complex values on the device", values.len() as usize, 2 * self.len)?;
        let expected = Keys::sharding_of(&self.device, values.len(), 1)?;
        if values.sharding() != expected {
            let what = "a longer array that was cut off is not transformed: copy it first";
            return Err(self.device.context().error(DeviceErrorKind::Misuse, what));
        }
        let mut prepared = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let buffers: Vec<_> = step
                .arrays
                .iter()
                .flat_map(|&slot| match slot {
                    Slot::Values => values.bindings(),
                    Slot::Own(i) => self.memory.arrays[i].bindings(),
                })
                .collect();
            prepared.push(commands.prepare(&step.kernel, step.workgroups, &buffers, &step.params)?);
        }
        commands.run(&prepared);
        Ok(())
    }
}
