//! The engine for slices on the host: up, solved, and back.

use thalweg_arrays::window::{Engine, Outputs, Shape, WindowEngine};
use thalweg_core::bits::Bits;
use thalweg_core::error::try_with_capacity;
use thalweg_core::{Coding, Error, Position, PositionsMut, PositionsRef, Result};

use super::along::Found;
use super::tuning::Tuning;
use super::{DeviceShape, Problem, check_len, wide};
use crate::array::{DeviceArray, Keys};
use crate::coding;
use crate::device::Device;

/// An engine for slices on the host: copies the array to the device, solves it there and copies the answers back.
///
/// ```no_run
/// use thalweg_arrays::window::{Outputs, Shape, Windows, solve_bits};
/// use thalweg_core::bits::{Bits, BitsMut};
/// use thalweg_core::{Coding, Order};
/// use thalweg_gpu::{Choice, Device, window};
/// let engine = window::engine(&Device::open(&Choice::Auto)?, window::Engine::Blocks)?;
/// let (array, mut lowest) = ([3, 1, 2, 4], [0; 4]);
/// let outputs = Outputs { values: Some(BitsMut::of(&mut lowest)), positions: None };
/// solve_bits(Bits::of(&array), Coding::of::<i32>(Order::Min), Shape::Regular(Windows::new(3)), 0, &*engine, outputs)?;
/// assert_eq!(lowest, [1, 1, 1, 2]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotOnDevice`] for an engine that GPUs do not have.
pub fn engine(device: &Device, engine: Engine) -> Result<Box<dyn WindowEngine>> {
    match engine {
        Engine::Blocks => Ok(Box::new(OnDevice(device.clone()))),
        other => Err(crate::not_on_gpu("window", other.name(), "blocks")),
    }
}

#[derive(Debug)]
struct OnDevice(Device);

impl WindowEngine for OnDevice {
    fn name(&self) -> &'static str {
        Engine::Blocks.name()
    }

    /// On the device: the array, the answers, and what the kernels need beside them.
    fn extra_bytes(&self, len: usize, width: usize, shape: &Shape<'_>) -> usize {
        let words = coding::words_of(width);
        let key = 4 * u64::from(words);
        let count = shape.count(len).unwrap_or(0) as u64;
        let len = len as u64;
        let scratch = match shape {
            // The index of range minima, at most, and the ranges.
            Shape::Ragged { .. } => len * key / 4 + 16 * count,
            Shape::Grid { .. } => 2 * (len + count) * (key + 4),
            Shape::Regular(windows) => {
                let tuning = Tuning::of_words(&self.0, words);
                let (wide, tile) = (windows.width as u64, tuning.wide_tile());
                if wide <= tile { 0 } else { wide::entries(1, len, wide.min(2 * len), tile) * (key + 4) }
            }
            _ => 0,
        };
        (len * key + count * (key + 4) + scratch) as usize
    }

    fn solve(&self, bits: Bits<'_>, coding: Coding, shape: Shape<'_>, fill: u64, outputs: Outputs<'_>) -> Result<()> {
        let (expected, got) = (8 * coding.bytes() as u32, 8 * bits.width() as u32);
        if got != expected {
            return Err(Error::Bits { what: "the array's keys", expected, got });
        }
        let device = &self.0;
        let len = bits.len();
        check_len(len as u64)?;
        let count = shape.count(len)? as u64;
        check_len(count)?;
        let array = Keys::upload(device, bits)?;
        let words = array.words();
        let values = outputs.values.as_ref().map(|_| Keys::new(device, count, words)).transpose()?;
        let positions = outputs.positions.as_ref().map(|_| Keys::new(device, count, 1)).transpose()?;
        let found = Found { values: values.as_ref(), positions: positions.as_ref() };
        let problem = Problem { array: &array, coding, fill };
        let tuning = Tuning::of_words(device, words);
        match shape {
            Shape::Regular(windows) => problem.solve(DeviceShape::Regular(windows), found, &tuning)?,
            Shape::Grid { columns, windows } => {
                problem.solve(DeviceShape::Grid { columns, windows }, found, &tuning)?;
            }
            Shape::Ragged { starts, ends } => {
                let (starts, ends) = (bounds(device, starts)?, bounds(device, ends)?);
                problem.solve(DeviceShape::Ragged { starts: &starts, ends: &ends }, found, &tuning)?;
            }
            _ => return Err(crate::not_on_gpu("window", "this shape", "regular, ragged and grid windows")),
        }
        if let (Some(out), Some(values)) = (outputs.values, &values) {
            values.download(out)?;
        }
        if let (Some(out), Some(positions)) = (outputs.positions, &positions) {
            let positions = positions.typed::<u32>();
            match out {
                PositionsMut::U32(out) => positions.download(out)?,
                PositionsMut::U64(out) => {
                    for (wide, narrow) in out.iter_mut().zip(positions.to_vec()?) {
                        *wide = narrow.checked().map_or(u64::NONE, |i| i as u64);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Bounds, which are at most an array's length, on the device.
fn bounds(device: &Device, bounds: PositionsRef<'_>) -> Result<DeviceArray<u32>> {
    match bounds {
        PositionsRef::U32(bounds) => device.upload(bounds),
        PositionsRef::U64(bounds) => {
            let mut narrow = try_with_capacity(bounds.len(), "bounds of windows")?;
            narrow.extend(bounds.iter().map(|&bound| bound as u32));
            device.upload(&narrow)
        }
    }
}
