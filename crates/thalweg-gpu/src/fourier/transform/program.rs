//! What a plan does: kernels one after the other, on arrays of the caller and of its own.

use std::sync::Arc;

use thalweg_core::error::expect_len;
use thalweg_core::{DeviceErrorKind, Error, Result};
use thalweg_fourier::Lines;

use super::pass::{Pass, Place, Turn};
use super::text::{self, Extras, Product, Sharding};
use super::tuning::Tuning;
use super::{lengths, tables};
use crate::array::Keys;
use crate::device::Device;
use crate::kernel::Kernel;
use crate::recorder::Recorder;

/// An array that a step sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::fourier) enum Slot {
    /// What is transformed.
    Input,
    /// Where the results go. Plans that work in place have no input.
    Output,
    /// One of the plan's.
    Own(usize),
}

/// A kernel, its arrays in the order in which it declares them, and its parameters.
#[derive(Clone, Debug)]
pub(in crate::fourier) struct Step {
    pub(in crate::fourier) kernel: Arc<Kernel>,
    pub(in crate::fourier) arrays: Vec<Slot>,
    pub(in crate::fourier) workgroups: u64,
    pub(in crate::fourier) params: Vec<u32>,
}

/// All steps, and the plan's own arrays.
#[derive(Debug)]
pub(in crate::fourier) struct Program {
    device: Device,
    arrays: Vec<Keys>,
    steps: Vec<Step>,
    input: u64,
    output: u64,
}

impl Program {
    /// Records all steps. Without an input, the program works in place.
    pub(in crate::fourier) fn record(
        &self,
        commands: &mut Recorder<'_>,
        input: Option<&Keys>,
        output: &Keys,
    ) -> Result<()> {
        if let Some(input) = input {
            self.check("numbers on the device", input, self.input)?;
        }
        self.check("room for results on the device", output, self.output)?;
        let mut prepared = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let buffers: Vec<_> = step
                .arrays
                .iter()
                .flat_map(|&slot| match slot {
                    Slot::Input => input.unwrap_or(output).bindings(),
                    Slot::Output => output.bindings(),
                    Slot::Own(i) => self.arrays[i].bindings(),
                })
                .collect();
            prepared.push(commands.prepare(&step.kernel, step.workgroups, &buffers, &step.params)?);
        }
        commands.run(&prepared);
        Ok(())
    }

    fn check(&self, what: &'static str, array: &Keys, len: u64) -> Result<()> {
        expect_len(what, array.len() as usize, len as usize)?;
        if array.sharding() != Keys::sharding_of(&self.device, len, 1)? {
            let what = "an array that was cut off a longer one is not transformed: copy it first";
            return Err(self.device.context().error(DeviceErrorKind::Misuse, what));
        }
        Ok(())
    }

    /// Runs all steps.
    pub(in crate::fourier) fn run(&self, input: Option<&Keys>, output: &Keys) -> Result<()> {
        let mut commands = self.device.record();
        self.record(&mut commands, input, output)?;
        commands.submit().map(|_| ())
    }

    pub(in crate::fourier) fn device(&self) -> &Device {
        &self.device
    }
}

/// Makes a program.
#[derive(Debug)]
pub(in crate::fourier) struct Maker {
    pub(in crate::fourier) device: Device,
    tuning: Tuning,
    arrays: Vec<Keys>,
    steps: Vec<Step>,
    input: u64,
    output: u64,
    /// An array for results between passes, and its complex values. The largest one that was needed.
    scratch: Option<(Slot, u64)>,
}

impl Maker {
    /// For arrays of so many numbers.
    pub(in crate::fourier) fn new(device: &Device, tuning: Tuning, input: u64, output: u64) -> Result<Self> {
        for numbers in [input, output] {
            if numbers / 2 > u64::from(u32::MAX) {
                return Err(Error::device_limit(format!(
                    "a transform of {numbers} numbers: positions on the device have 32 bits, enough for 2^33"
                )));
            }
        }
        Ok(Self { device: device.clone(), tuning, arrays: Vec::new(), steps: Vec::new(), input, output, scratch: None })
    }

    pub(in crate::fourier) fn finish(self) -> Program {
        let Self { device, arrays, steps, input, output, .. } = self;
        Program { device, arrays, steps, input, output }
    }

    pub(in crate::fourier) fn push(&mut self, step: Step) {
        self.steps.push(step);
    }

    pub(in crate::fourier) fn add(&mut self, keys: Keys) -> Slot {
        self.arrays.push(keys);
        Slot::Own(self.arrays.len() - 1)
    }

    /// A new array of so many complex values.
    pub(in crate::fourier) fn complex(&mut self, len: u64) -> Result<Slot> {
        let keys = Keys::new(&self.device, 2 * len, 1)?;
        Ok(self.add(keys))
    }

    /// How a kernel must declare an array of numbers.
    pub(in crate::fourier) fn numbers(&self, slot: Slot) -> Result<Sharding> {
        match slot {
            Slot::Input => Keys::sharding_of(&self.device, self.input, 1),
            Slot::Output => Keys::sharding_of(&self.device, self.output, 1),
            Slot::Own(i) => Ok(self.arrays[i].sharding()),
        }
    }

    /// How a kernel must declare it if it sees pairs of numbers.
    pub(in crate::fourier) fn pairs(&self, slot: Slot) -> Result<Sharding> {
        Ok(self.numbers(slot)?.map(|(shift, count)| (shift - 1, count)))
    }

    /// Whether lines of this length are transformed without [`bluestein`](super::bluestein).
    pub(in crate::fourier) fn takes(len: usize) -> bool {
        lengths::is_smooth(len as u64)
    }

    /// Whether lines are transformed in one pass.
    pub(in crate::fourier) fn in_one_pass(&self, lines: Lines) -> bool {
        let most = if lines.stride == 1 { self.tuning.longest_row } else { self.tuning.longest_part };
        lines.len as u64 <= u64::from(most)
    }

    /// The steps that transform all lines of an array, into another one or in place: lines without large factors.
    pub(super) fn smooth_lines(&mut self, lines: Lines, from: Slot, to: Slot, how: How) -> Result<Vec<Step>> {
        let Lines { outer, len, stride } = lines;
        let (outer, len, stride) = (outer as u64, len as u64, stride as u64);
        let (tuning, limits) = (self.tuning, *self.device.limits());
        let parts = match self.in_one_pass(lines) {
            true => vec![len],
            false => lengths::passes(len, tuning.longest_part.into()),
        };
        if let [len] = parts[..] {
            let pass = Pass::new(len as u32, Place::Same { inner: stride }, outer * stride, None, &tuning, &limits);
            return Ok(vec![self.step(&pass, from, to, how)?]);
        }
        let all = outer * len * stride;
        let scratch = self.scratch(all)?;
        let mut rest = len;
        let mut steps = Vec::with_capacity(parts.len());
        for (i, &part) in parts.iter().enumerate() {
            rest /= part;
            let (first, last) = (i == 0, i + 1 == parts.len());
            let (place, turn) = if last {
                let part = |i: usize| if i + 1 < parts.len() { parts[i] } else { 1 };
                (Place::Turned { parts: [part(0), part(1), part(2)], stride }, None)
            } else {
                (Place::Same { inner: rest * stride }, Some(Turn { count: rest, stride }))
            };
            let pass = Pass::new(part as u32, place, all / part, turn, &tuning, &limits);
            let how = if last { how } else { How::new(how.inverse, 1.0) };
            steps.push(self.step(&pass, if first { from } else { scratch }, if last { to } else { scratch }, how)?);
        }
        Ok(steps)
    }

    /// An array of at least so many complex values for results between passes: the same one for all lines.
    fn scratch(&mut self, len: u64) -> Result<Slot> {
        match self.scratch {
            Some((slot, enough)) if enough >= len => Ok(slot),
            _ => {
                let slot = self.complex(len)?;
                self.scratch = Some((slot, len));
                Ok(slot)
            }
        }
    }

    fn step(&mut self, pass: &Pass, from: Slot, to: Slot, how: How) -> Result<Step> {
        let (product, factors) = how.product.map_or((Product::None, None), |(product, slot)| (product, Some(slot)));
        let extras = Extras { inverse: how.inverse, factor: how.factor, in_place: from == to, product };
        let factors_sharding = factors.map_or(Ok(None), |slot| self.pairs(slot))?;
        let roots = tables::upload(&self.device, pass)?.keys().clone();
        let roots = self.add(roots);
        let shardings = text::Shardings {
            roots: self.pairs(roots)?,
            from: self.pairs(from)?,
            to: self.pairs(to)?,
            factors: factors_sharding,
        };
        let kernel = self.device.kernel(&text::source(pass, extras, shardings))?;
        let data = if from == to { vec![roots, to] } else { vec![roots, from, to] };
        let arrays = data.into_iter().chain(factors).collect();
        Ok(Step { kernel, arrays, workgroups: pass.tiles(), params: vec![pass.lines as u32] })
    }
}

/// Which way lines are transformed, and what the results are multiplied by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::fourier) struct How {
    pub(in crate::fourier) inverse: bool,
    pub(in crate::fourier) factor: f64,
    /// Whether the results are multiplied by those of another transform.
    pub(in crate::fourier) product: Option<(Product, Slot)>,
}

impl How {
    pub(in crate::fourier) fn new(inverse: bool, factor: f64) -> Self {
        Self { inverse, factor, product: None }
    }
}
