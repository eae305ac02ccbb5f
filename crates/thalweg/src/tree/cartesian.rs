//! The Cartesian tree of an array, on any device.

use thalweg_core::{Answer, Key, Order, Position, Result};

use super::Cartesian;
use crate::Device;
use crate::costs::Costs;
use crate::device::{Question, on_device, threads};
use crate::setters::setters;

/// What the tree of `len` keys of `width` bytes costs: two runs of ANSV, 15 ns an element over the threads.
fn costs(len: usize, width: usize, threads: usize) -> Costs {
    let len = len as f64;
    Costs { cpu: 15e-9 * len / threads as f64, bytes_up: len * width.max(4) as f64, bytes_down: 4.0 * len, device: 0.0 }
}

/// Chooses order and device of a [`Cartesian`] tree.
///
/// ```
/// use thalweg::{Order, tree::CartesianBuilder};
/// let tree = CartesianBuilder::new().order(Order::Max).build::<u32, _>(&[1.0, 3.0, 2.0])?;
/// assert_eq!(tree.root(), Some(1));
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct CartesianBuilder {
    order: Order,
    device: Device,
}

impl CartesianBuilder {
    /// The leftmost minimum is the root, [`Device::Auto`].
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Minimum or maximum at the root.
        order: Order,
        /// Chooses the device.
        device: Device,
    }

    /// Builds the tree. Parents are of the type `P`.
    ///
    /// # Errors
    /// [`Error::Width`](crate::Error::Width) if positions of the array do not fit it.
    pub fn build<P: Position, K: Key>(&self, array: &[K]) -> Result<Answer<Cartesian<P>>> {
        let costs = costs(array.len(), size_of::<K>(), threads());
        on_device!(
            self.device,
            Question { engine: "ansv", gpu_engine: "ansv", asked: false, on_cpu: true, on_gpu: true, costs },
            |gpu| {
                let tree = thalweg_gpu::tree::Cartesian::with_order(&gpu.upload(array)?, self.order)?;
                Cartesian::from_parts(crate::numbers::download(&tree.parents()?)?, tree.root()?)
            },
            || Cartesian::with_order(array, self.order)
        )
    }
}
