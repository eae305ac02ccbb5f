//! LZ77: the greedy factorisation of a text into phrases that occurred before, exactly, on any device.
//!
//! [`lz77()`](fn@super::lz77) serves the common case on the CPU; [`Builder`] chooses engine, sources and device:
//!
//! | engine | idea | where |
//! |---|---|---|
//! | `starts` (default) | the longest match only where a phrase begins | CPU |
//! | `lpf` | longest previous factors of all positions first | CPU, GPU |
//! | `naive` | compares with everything before | CPU |
//!
//! Phrases and sources are the same with every engine and on every device.

use thalweg_core::{Answer, Result};
pub use thalweg_text::lz77::{
    Engine, Factors, Iter, Lpf, Options, Phrase, Source, choose_sources, factorise, factorise_suffixes,
    factors_from_lpf, lpf, lpf_with_sources, lz77,
};
use thalweg_text::{Stage, Watcher};

use crate::Device;
use crate::costs::Costs;
use crate::device::{Question, on_device, threads};
use crate::setters::setters;

/// What factorising `len` bytes costs: the suffix array, and what follows it, 50 ns a byte on one thread (3.4 s for 64 MiB);
/// on a device longest previous factors and phrases take 0.6 ns a byte more, and only phrases come back, say a byte for a byte.
pub fn costs(len: usize, threads: usize) -> Costs {
    let sorting = super::suffixes::costs(len, true, threads);
    let (len, threads) = (len as f64, threads as f64);
    let (cpu, device) = (sorting.cpu + 50e-9 * len / threads, sorting.device + 0.6e-9 * len);
    Costs { cpu, device, bytes_up: len, bytes_down: len }
}

/// Factorises with a choice of engine, sources and device.
///
/// ```
/// use thalweg::text::{Phrase, lz77::{Builder, Source}};
/// let factors = Builder::new().source(Source::Nearest).run(b"xyxyzxy")?;
/// assert_eq!(factors.iter().last(), Some(Phrase::Copy { source: 2, length: 2 }));
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Builder<'w> {
    engine: Option<Engine>,
    source: Source,
    watcher: Watcher<'w>,
    device: Device,
}

impl<'w> Builder<'w> {
    /// Default engine, any source, [`Device::Auto`].
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Chooses the engine; `None` leaves the choice to the library.
        engine: Option<Engine>,
        /// Chooses the sources of phrases.
        source: Source,
        /// Chooses the device.
        device: Device,
    }

    /// Calls `watcher` whenever a stage of the work begins.
    pub fn watch(mut self, watcher: &'w (dyn Fn(Stage) + Sync)) -> Self {
        self.watcher = Watcher::new(watcher);
        self
    }

    /// Factorises a text.
    pub fn run(&self, text: &[u8]) -> Result<Answer<Factors>> {
        let engine = self.engine.unwrap_or_default();
        let question = Question {
            engine: engine.name(),
            gpu_engine: Engine::Lpf.name(),
            asked: self.engine.is_some(),
            on_cpu: true,
            // Without a wish a device takes the engine that it has.
            on_gpu: self.engine.is_none_or(|engine| engine == Engine::Lpf),
            costs: costs(text.len(), threads()),
        };
        let options = Options { engine, source: self.source, watcher: self.watcher };
        on_device!(self.device, question, |gpu| self.on_gpu(gpu, text), || factorise(text, &options))
    }

    /// Suffix array, LCP, longest previous factors and the jumps from one to the next on the device; the phrases come back.
    #[cfg(feature = "gpu")]
    fn on_gpu(&self, gpu: &thalweg_gpu::Device, text: &[u8]) -> Result<Factors> {
        use thalweg_core::Error;
        use thalweg_gpu::text::to_positions;
        if let Some(engine) = self.engine.filter(|&engine| engine != Engine::Lpf) {
            let reason = "a GPU has 'lpf'; the CPU has all".to_owned();
            return Err(Error::NotOnDevice { problem: "lz77", engine: engine.name(), reason });
        }
        self.watcher.enter(Stage::SuffixArray);
        let on_device = thalweg_gpu::text::Text::upload(gpu, text)?;
        let suffixes = thalweg_gpu::text::suffix_array_with_lcp(&on_device)?;
        self.watcher.enter(Stage::Factors);
        let factors = thalweg_gpu::text::lz77(&on_device, &suffixes)?;
        if self.source == Source::Any {
            return Ok(factors);
        }
        let (positions, lcp) = (to_positions(&suffixes.positions)?, to_positions(&suffixes.lcp)?);
        let suffixes = thalweg_text::SuffixArray::from_sorted(text, positions)?;
        choose_sources(factors, &suffixes, Some(&lcp), self.source, self.watcher)
    }
}
