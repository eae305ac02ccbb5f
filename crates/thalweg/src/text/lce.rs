//! Longest common extensions with a choice of RMQ engine and device.

use thalweg_core::Result;
use thalweg_text::{Lce, Stage, Symbol, Watcher, suffix_array};

use crate::Device;
use crate::costs::Costs;
use crate::device::{Question, on_device, threads};
use crate::rmq::{self, Engine};
use crate::setters::setters;

/// What sorting the suffixes of `len` symbols, an index over them and `pairs` queries cost.
///
/// Beside suffixes and LCP: on the CPU the inverse and the index, 1 ns a symbol at 2^24 and 22 at 2^26 on 16 threads, for
/// which 6.5 stand, and 45 ns a pair over the threads; on an H200 12 ns a pair with the copies.
pub(super) fn costs(len: usize, pairs: usize, threads: usize) -> Costs {
    let sorting = super::suffixes::costs(len, true, threads);
    let (len, pairs) = (len as f64, pairs as f64);
    let cpu = sorting.cpu + 6.5e-9 * len + 45e-9 * pairs / threads as f64;
    Costs { cpu, device: sorting.device + 12e-9 * pairs, bytes_down: 0.0, ..sorting }
}

/// Builds an [`Lce`] with a choice of RMQ engine and device.
///
/// ```
/// use thalweg::{rmq::Engine, text::LceBuilder};
/// let lce = LceBuilder::new().engine(Engine::SparseTable).build(b"abcabc")?;
/// assert_eq!((lce.get(0, 3), lce.engine()), (Some(3), "sparse_table"));
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct LceBuilder<'w> {
    engine: Option<Engine>,
    watcher: Watcher<'w>,
    device: Device,
    pairs: usize,
}

impl<'w> LceBuilder<'w> {
    /// The default engine, [`Device::Auto`].
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Chooses the engine of the range minima; `None` leaves the choice to the library.
        engine: Option<Engine>,
        /// Chooses the device.
        device: Device,
    }

    /// How many pairs are going to be asked for, for [`Device::Auto`].
    pub fn expected_pairs(mut self, pairs: usize) -> Self {
        self.pairs = pairs;
        self
    }

    /// Calls `watcher` whenever a stage of the work begins.
    pub fn watch(mut self, watcher: &'w (dyn Fn(Stage) + Sync)) -> Self {
        self.watcher = Watcher::new(watcher);
        self
    }

    /// Sorts the suffixes of a text and builds the index.
    pub fn build<T: Symbol>(&self, text: &[T]) -> Result<Lce> {
        let engine = self.engine.unwrap_or_default();
        let question = Question {
            engine: engine.name(),
            gpu_engine: engine.name(),
            asked: self.engine.is_some(),
            on_cpu: rmq::is_on_cpu(engine),
            on_gpu: rmq::is_on_gpu(engine),
            costs: costs(text.len(), self.pairs, threads()),
        };
        self.watcher.enter(Stage::SuffixArray);
        let built = on_device!(
            self.device,
            question,
            |gpu| {
                // A device sorts bytes; other symbols are sorted here.
                let lce = if size_of::<T>() == 1 {
                    let found = thalweg_gpu::text::suffix_array_with_lcp(&super::suffixes::upload(gpu, text)?)?;
                    self.watcher.enter(Stage::Index);
                    thalweg_gpu::text::Lce::with_engine(&found.positions, found.lcp, engine)?
                } else {
                    let suffixes = suffix_array(text)?;
                    self.watcher.enter(Stage::Lcp);
                    let (positions, lcp) = (upload(gpu, suffixes.positions())?, upload(gpu, &suffixes.lcp()?)?);
                    self.watcher.enter(Stage::Index);
                    thalweg_gpu::text::Lce::with_engine(&positions, lcp, engine)?
                };
                let chosen = thalweg_core::Chosen::on_device(gpu.name(), engine.name(), "");
                Ok(Lce::from_engine(Box::new(lce), chosen))
            },
            || Lce::of(&suffix_array(text)?, engine, self.watcher)
        )?;
        let (lce, chosen) = built.into_parts();
        Ok(lce.with_chosen(chosen))
    }
}

#[cfg(feature = "gpu")]
fn upload(gpu: &thalweg_gpu::Device, positions: &thalweg_core::Positions) -> Result<thalweg_gpu::DeviceArray<u32>> {
    let narrow = positions.as_u32().ok_or_else(|| thalweg_core::Error::NotOnDevice {
        problem: "text",
        engine: "lce",
        reason: format!("{} symbols: positions on a GPU have 32 bits", positions.len()),
    })?;
    gpu.upload(narrow)
}
