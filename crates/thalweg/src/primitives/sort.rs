//! Stable parallel sorting by [keys](Key), on any device.
//!
//! [`sort()`](fn@sort), [`sort_idx`] and [`sort_by_key`] serve the common case on the CPU, [`Builder`] chooses order,
//! engine and device:
//!
//! | engine | idea | work | where |
//! |---|---|---|---|
//! | `radix` (default) | by digits | O(n · digits) | CPU, GPU |
//! | `merge` | every element finds its place by a search in the neighbouring sorted segment | O(n log n) rounds · search | CPU, GPU |
//! | `comparison` | rayon's parallel merge sort | O(n log n) | CPU |
//!
//! All are stable, so all give the same result. The order is that of [`Key::rank`]: NaN comes last in either
//! [`Order`], -0.0 equals 0.0.

pub use thalweg_core::primitives::sort::*;
use thalweg_core::{Answer, Key, Order, Positions, Result};

use crate::Device;
use crate::costs::Costs;
use crate::device::{Question, on_device, threads};
use crate::setters::setters;

/// What sorting `len` keys of `width` bytes costs, with `down` bytes an element that come back: 12 ns an element over the
/// threads for 32 bits. That 64 bits take twice as long, and whole runs on a GPU, were not measured.
pub fn costs(len: usize, width: usize, down: usize, threads: usize) -> Costs {
    let (len, word) = (len as f64, width.max(4) as f64);
    Costs { cpu: 3e-9 * word * len / threads as f64, bytes_up: word * len, bytes_down: down as f64 * len, device: 0.0 }
}

/// Sorting with a choice of order, engine and device.
///
/// ```
/// use thalweg::Order;
/// use thalweg::primitives::sort::{Builder, Engine};
/// let order = Builder::new().order(Order::Max).engine(Engine::Merge).sort_idx(&[1.5, 0.5, 2.5])?;
/// assert_eq!(order.as_u32(), Some(&[2, 0, 1][..]));
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Builder {
    options: Options,
    device: Device,
}

impl Builder {
    /// Ascending, default engine, [`Device::Auto`].
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Chooses the order: [`Order::Min`] puts the smallest key first, [`Order::Max`] the largest.
        order in options: Order,
        /// Chooses the engine; `None` leaves the choice to the library.
        engine in options: Option<Engine>,
        /// Chooses the device.
        device: Device,
    }

    /// The choices but for the device.
    pub fn options(&self) -> &Options {
        &self.options
    }

    fn question<K: Key>(&self, len: usize, down: usize) -> Question {
        let engine = self.options.chosen(len);
        Question {
            engine: engine.name(),
            gpu_engine: engine.name(),
            asked: self.options.engine.is_some(),
            on_cpu: true,
            on_gpu: engine != Engine::Comparison,
            costs: costs(len, size_of::<K>(), down, threads()),
        }
    }

    /// Sorts keys.
    pub fn sort<K: Key>(&self, keys: &mut [K]) -> Result<Answer<()>> {
        let question = self.question::<K>(keys.len(), size_of::<K>().max(4));
        // A device that fails leaves the keys to the CPU.
        let keys = std::cell::RefCell::new(keys);
        on_device!(
            self.device,
            question,
            |gpu| {
                let mut sorted = gpu.upload(&keys.borrow()[..])?;
                thalweg_gpu::primitives::sort::sort_with(&mut sorted, self.options)?;
                sorted.download(&mut keys.borrow_mut()[..])
            },
            || sort_with(&mut keys.borrow_mut()[..], self.options)
        )
    }

    /// The positions of the keys in order, equal keys from left to right: a stable argsort.
    pub fn sort_idx<K: Key>(&self, keys: &[K]) -> Result<Answer<Positions>> {
        on_device!(
            self.device,
            self.question::<K>(keys.len(), 4),
            |gpu| {
                let order = thalweg_gpu::primitives::sort::sort_idx_with(&gpu.upload(keys)?, self.options)?;
                Ok(Positions::U32(order.to_vec()?))
            },
            || sort_idx_with(keys, self.options)
        )
    }
}
