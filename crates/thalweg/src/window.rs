//! Sliding windows: the minimum or maximum of every window of an array, and where it is.
//!
//! [`Builder`] takes the windows, as [`Windows`] of one width (centred or trailing, with borders shrunk, filled or dropped, at any
//! stride) or as any [`Shape`]: by bounds that ascend, or of the rows and columns of a picture.
//!
//! | engine | idea | work | where |
//! |---|---|---|---|
//! | `blocks` (default) | ends and beginnings of blocks, in vector lanes or workgroups | O(n) | CPU, GPU |
//! | `naive` | looks at every element of every window | O(n w) | CPU |

use std::cell::RefCell;

use thalweg_arrays::window::solve_bits;
pub use thalweg_arrays::window::{Align, Border, Engine, Outputs, Shape, WindowEngine, Windows, engine, values};
use thalweg_core::bits::{Bits, BitsMut};
use thalweg_core::memory::{filled, large_zeroed};
use thalweg_core::{Answer, Coding, Key, Order, Position, Positions, Result};

use crate::Device;
use crate::costs::Costs;
use crate::device::{Question, on_device, threads};
use crate::setters::setters;

/// What `count` windows of `len` keys of `width` bytes cost: on the CPU 3 ns an element, over the threads.
pub fn costs(len: usize, width: usize, count: usize, threads: usize) -> Costs {
    let (len, count, word) = (len as f64, count as f64, width.max(4) as f64);
    Costs { cpu: 3e-9 * len / threads as f64, bytes_up: len * word, bytes_down: count * word, device: 0.0 }
}

/// Windows with a choice of order, engine and device.
///
/// ```
/// use thalweg::Order;
/// use thalweg::window::{Align, Border, Builder, Windows};
/// let windows = Windows { align: Align::Trailing, border: Border::Drop, ..Windows::new(3) };
/// let highest = Builder::new(windows).order(Order::Max).both(&[3, 1, 4, 1, 5])?;
/// assert_eq!(highest.0, [4, 4, 5]);
/// assert_eq!(highest.1.iter().collect::<Vec<_>>(), [Some(2), Some(2), Some(4)]);
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Builder<'a> {
    shape: Shape<'a>,
    order: Order,
    engine: Option<Engine>,
    device: Device,
    fill: Option<u64>,
}

impl<'a> Builder<'a> {
    /// Windows of one width: minima, default engine, [`Device::Auto`].
    pub fn new(windows: Windows) -> Self {
        Self::of(Shape::Regular(windows))
    }

    /// The same for any shape.
    ///
    /// ```
    /// use thalweg::window::{Builder, Shape, Windows};
    /// let picture = [5, 3, 8, 1, 9, 2];
    /// let shape = Shape::Grid { columns: 3, windows: [Windows::new(3); 2] };
    /// assert_eq!(*Builder::of(shape).values(&picture)?, [1, 1, 2, 1, 1, 2]);
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn of(shape: Shape<'a>) -> Self {
        Self { shape, order: Order::Min, engine: None, device: Device::Auto, fill: None }
    }

    setters! {
        /// Minimum or maximum.
        order: Order,
        /// Chooses the engine; `None` leaves the choice to the library.
        engine: Option<Engine>,
        /// Chooses the device.
        device: Device,
    }

    /// The value of windows that have none, where [`Border::Fill`] says so or a window by bounds is empty. It must be of the
    /// array's type; without it, NaN for floats and 0 for integers.
    pub fn fill<K: Key>(mut self, value: K) -> Self {
        self.fill = Some(value.to_low_bits());
        self
    }

    /// The engine that would run.
    pub fn chosen_engine(&self) -> Engine {
        self.engine.unwrap_or_default()
    }

    /// The best value of every window.
    pub fn values<K: Key>(&self, array: &[K]) -> Result<Answer<Vec<K>>> {
        let mut values = filled(self.shape.count(array.len())?, K::default(), "values of windows")?;
        let outputs = Outputs { values: Some(BitsMut::of(&mut values)), positions: None };
        let done = self.run_into(array, outputs)?;
        Ok(done.map(|()| values))
    }

    /// Where it is: the leftmost position; none where a window has none.
    pub fn positions<K: Key>(&self, array: &[K]) -> Result<Answer<Positions>> {
        let mut positions = Places::new(array.len(), self.shape.count(array.len())?)?;
        let outputs = Outputs { values: None, positions: Some(positions.buffer()) };
        let done = self.run_into(array, outputs)?;
        Ok(done.map(|()| positions.0))
    }

    /// Values and positions at once.
    pub fn both<K: Key>(&self, array: &[K]) -> Result<Answer<(Vec<K>, Positions)>> {
        let count = self.shape.count(array.len())?;
        let mut values = filled(count, K::default(), "values of windows")?;
        let mut positions = Places::new(array.len(), count)?;
        let outputs = Outputs { values: Some(BitsMut::of(&mut values)), positions: Some(positions.buffer()) };
        let done = self.run_into(array, outputs)?;
        Ok(done.map(|()| (values, positions.0)))
    }

    /// Into the caller's buffers, one entry a window.
    pub fn run_into<K: Key>(&self, array: &[K], outputs: Outputs<'_>) -> Result<Answer<()>> {
        self.run_bits(Bits::of(array), Coding::of::<K>(self.order), self.filling::<K>().to_low_bits(), outputs)
    }

    /// The value of windows that have none.
    fn filling<K: Key>(&self) -> K {
        let nothing = if K::FLOAT { K::from_f64(f64::NAN) } else { K::default() };
        self.fill.map_or(nothing, K::from_low_bits)
    }

    /// [`run_into`](Self::run_into) without a type: of the bits of an array, of keys that the coding tells the order of, whatever
    /// the builder's order and value to fill with.
    pub fn run_bits(&self, array: Bits<'_>, coding: Coding, fill: u64, outputs: Outputs<'_>) -> Result<Answer<()>> {
        let chosen = self.chosen_engine();
        let count = self.shape.count(array.len())?;
        let question = Question {
            engine: chosen.name(),
            gpu_engine: chosen.name(),
            asked: self.engine.is_some(),
            on_cpu: true,
            on_gpu: chosen == Engine::Blocks,
            costs: costs(array.len(), coding.bytes(), count, threads()),
        };
        // A device that fails leaves the buffers to the CPU.
        let outputs = RefCell::new(outputs);
        let solve = |engine: &dyn WindowEngine| {
            solve_bits(array, coding, self.shape, fill, engine, outputs.borrow_mut().reborrow())
        };
        on_device!(self.device, question, |gpu| solve(&*thalweg_gpu::window::engine(gpu, chosen)?), || solve(&*engine(
            chosen
        )))
    }

    /// Of an array on a GPU: the best value of every window and its position (`u32::MAX` for none), which stay there. For one of
    /// them alone, or bounds that are on the GPU, see [`thalweg_gpu::window::solve_into`].
    #[cfg(feature = "gpu")]
    pub fn run_on_device<K: Key>(
        &self,
        array: &thalweg_gpu::DeviceArray<K>,
    ) -> Result<(thalweg_gpu::DeviceArray<K>, thalweg_gpu::DeviceArray<u32>)> {
        use thalweg_gpu::window::{DeviceOutputs, DeviceShape, solve_into};
        let device = array.device();
        let (starts, ends);
        let narrow = |bounds: thalweg_core::PositionsRef<'_>| match bounds {
            thalweg_core::PositionsRef::U32(bounds) => device.upload(bounds),
            thalweg_core::PositionsRef::U64(bounds) => {
                // A bound beyond 32 bits is beyond the array, whose window then is none.
                let bounds: Vec<u32> = bounds.iter().map(|&b| u32::try_from(b).unwrap_or(u32::MAX)).collect();
                device.upload(&bounds)
            }
        };
        let shape = match self.shape {
            Shape::Ragged { starts: s, ends: e } => {
                (starts, ends) = (narrow(s)?, narrow(e)?);
                DeviceShape::Ragged { starts: &starts, ends: &ends }
            }
            Shape::Grid { columns, windows } => DeviceShape::Grid { columns, windows },
            Shape::Regular(windows) => DeviceShape::Regular(windows),
            _ => return Err(thalweg_core::Error::BadOption { option: "shape", reason: "GPUs do not have it".into() }),
        };
        let count = shape.count(array.len())?;
        let (values, positions) = (device.allocate::<K>(count)?, device.allocate::<u32>(count)?);
        let outputs = DeviceOutputs { values: Some(&values), positions: Some(&positions) };
        solve_into(array, self.order, shape, self.filling(), outputs)?;
        Ok((values, positions))
    }
}

/// Places for positions, in the width that the array's length needs.
struct Places(Positions);

impl Places {
    fn new(len: usize, count: usize) -> Result<Self> {
        Ok(Self(if u32::fits(len) {
            Positions::U32(large_zeroed(count, "positions of windows")?)
        } else {
            Positions::U64(large_zeroed(count, "positions of windows")?)
        }))
    }

    fn buffer(&mut self) -> thalweg_core::PositionsMut<'_> {
        match &mut self.0 {
            Positions::U32(positions) => u32::buffer(positions),
            Positions::U64(positions) => u64::buffer(positions),
        }
    }
}
