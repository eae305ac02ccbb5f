//! String matching without an index, on any device.
//!
//! [`find_all`] serves the common case on the CPU; [`Builder`] chooses engine and device.

use thalweg_core::{Answer, Positions, Result};
pub use thalweg_text::search::{Engine, agreements, count, find_all};
use thalweg_text::search::{count_with, find_all_with};

use crate::Device;
use crate::costs::Costs;
use crate::device::{Question, on_device};
use crate::setters::setters;

/// What looking through `len` bytes costs: the memory's speed is more than the bus's, so it stays on the CPU.
pub fn costs(len: usize) -> Costs {
    Costs { cpu: len as f64 * 0.1e-9, bytes_up: len as f64, bytes_down: 0.0, device: 0.0 }
}

/// Finds a pattern with a choice of engine and device.
///
/// ```
/// use thalweg::text::search::{Builder, Engine};
/// let found = Builder::new().engine(Engine::Kmp).find_all(b"banana", b"ana")?;
/// assert_eq!(found.as_u32(), Some(&[1, 3][..]));
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Builder {
    engine: Option<Engine>,
    device: Device,
}

impl Builder {
    /// Default engine, [`Device::Auto`].
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Chooses the engine; `None` leaves the choice to the library.
        engine: Option<Engine>,
        /// Chooses the device.
        device: Device,
    }

    /// The engine that would run.
    pub fn chosen_engine(&self) -> Engine {
        self.engine.unwrap_or_default()
    }

    fn question(&self, text: &[u8]) -> Question {
        let engine = self.chosen_engine();
        Question {
            engine: engine.name(),
            gpu_engine: engine.name(),
            asked: self.engine.is_some(),
            on_cpu: true,
            on_gpu: matches!(engine, Engine::Blocks | Engine::Duel),
            costs: costs(text.len()),
        }
    }

    /// All places of the pattern, overlapping ones too, from left to right.
    pub fn find_all(&self, text: &[u8], pattern: &[u8]) -> Result<Answer<Positions>> {
        let engine = self.chosen_engine();
        on_device!(
            self.device,
            self.question(text),
            |gpu| {
                let text = thalweg_gpu::text::Text::upload(gpu, text)?;
                Ok(Positions::U32(thalweg_gpu::text::search::find_all(&text, pattern, engine)?.to_vec()?))
            },
            || find_all_with(text, pattern, engine)
        )
    }

    /// How many places there are.
    pub fn count(&self, text: &[u8], pattern: &[u8]) -> Result<Answer<usize>> {
        let engine = self.chosen_engine();
        on_device!(
            self.device,
            self.question(text),
            |gpu| {
                let text = thalweg_gpu::text::Text::upload(gpu, text)?;
                Ok(thalweg_gpu::text::search::find_all(&text, pattern, engine)?.len())
            },
            || count_with(text, pattern, engine)
        )
    }
}
