//! The engines for slices on the host: up, solved, and back.

use thalweg_arrays::ansv::{AnsvEngine, Engine, Outputs, Sides};
use thalweg_core::bits::Bits;
use thalweg_core::{Coding, Error, Position, Result};

use super::{DeviceSides, Kernels, Problem, answers, check_len, thesis, tiles};
use crate::array::{DeviceArray, Keys};
use crate::coding;
use crate::device::Device;

/// An engine for slices on the host: copies the array to the device, solves it there and copies the answers back.
///
/// ```no_run
/// use thalweg_arrays::ansv::{Relation, Sides, solve_into};
/// use thalweg_gpu::{Choice, Device, ansv};
/// let engine = ansv::engine(&Device::open(&Choice::Auto)?, ansv::Engine::Tiles)?;
/// let mut left = [0u32; 3];
/// solve_into(&[1, 3, 2], Relation::Smaller, &*engine, Sides { left: Some(&mut left), right: None })?;
/// assert_eq!(left, [u32::MAX, 0, 0]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotOnDevice`] for an engine that GPUs do not have.
pub fn engine(device: &Device, engine: Engine) -> Result<Box<dyn AnsvEngine>> {
    Ok(Box::new(OnDevice { device: device.clone(), name: engine.name(), kernels: engine.try_into()? }))
}

#[derive(Debug)]
struct OnDevice {
    device: Device,
    name: &'static str,
    kernels: Kernels,
}

impl AnsvEngine for OnDevice {
    fn name(&self) -> &'static str {
        self.name
    }

    /// On the device: the array, the answers, and what the engine needs beside them.
    fn extra_bytes(&self, len: usize, width: usize) -> usize {
        let (len, words) = (len as u64, coding::words_of(width));
        let scratch = match self.kernels {
            Kernels::Tiles(_) => tiles::extra_bytes(len, words),
            Kernels::Thesis(options) => thesis::extra_bytes(len, words, options),
        };
        (len * (4 * u64::from(words) + 8) + scratch) as usize
    }

    fn solve(&self, bits: Bits<'_>, coding: Coding, strict: bool, outputs: Outputs<'_>) -> Result<()> {
        let (expected, got) = (8 * coding.bytes() as u32, 8 * bits.width() as u32);
        if got != expected {
            return Err(Error::Bits { what: "the array's keys", expected, got });
        }
        check_len(bits.len() as u64)?;
        let array = Keys::upload(&self.device, bits)?;
        let (with_left, with_right) = match &outputs {
            Outputs::U32(sides) => (sides.left.is_some(), sides.right.is_some()),
            Outputs::U64(sides) => (sides.left.is_some(), sides.right.is_some()),
        };
        let target = |wanted: bool| wanted.then(|| answers(&array)).transpose();
        let (left, right) = (target(with_left)?, target(with_right)?);
        let sides = DeviceSides { left: left.as_ref(), right: right.as_ref() };
        Problem { array: &array, coding, strict }.start(self.kernels, &sides)?;
        match outputs {
            Outputs::U32(sides) => fetch(sides, [left, right]),
            Outputs::U64(sides) => fetch(sides, [left, right]),
        }
    }
}

/// Brings the answers that are wanted to where they belong.
fn fetch<P: Position>(sides: Sides<'_, P>, answers: [Option<DeviceArray<u32>>; 2]) -> Result<()> {
    for (out, answers) in [sides.left, sides.right].into_iter().zip(answers) {
        if let (Some(out), Some(answers)) = (out, answers) {
            answers.download_positions(out)?;
        }
    }
    Ok(())
}
