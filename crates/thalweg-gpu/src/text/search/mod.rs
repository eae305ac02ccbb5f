//! String matching on the device: all occurrences of a pattern in a text.
//!
//! Overlapping occurrences count, and places come in increasing order. An empty pattern occurs at every position, the end of
//! the text included. [`find_all`] serves the common case, [`Builder`] chooses:
//!
//! | engine | idea | work | source |
//! |---|---|---|---|
//! | `blocks` (default) | every thread compares at its 32 positions, four bytes at a time | O(n m), O(n) where mismatches come early | straightforward |
//! | `duel` | witnesses let one of two places survive, without reading the pattern there | O(n + m) | Vishkin 1985, JáJá 1992 |

mod blocks;
mod duel;
mod pattern;

use thalweg_core::{Result, engine_names};

use super::device_text::Text;
use crate::array::DeviceArray;
use crate::primitives::elementwise::Elementwise;

engine_names! {
    /// The engines of string matching on the device. See the [module's table](self).
    "search on the device": Engine {
        /// Every thread compares at its positions. The default.
        Blocks = "blocks",
        /// Witnesses and duels.
        Duel = "duel",
    }
}

/// All places where `pattern` occurs in `text`, with the default engine.
///
/// Memory: n/8 bytes and the result, and n/4 bytes while it runs.
///
/// ```no_run
/// use thalweg_gpu::text::{Text, find_all};
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let text = Text::upload(&device, b"banana")?;
/// assert_eq!(find_all(&text, b"ana")?.to_vec()?, [1, 3]);
/// assert_eq!(find_all(&text, b"")?.len(), 7);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub fn find_all(text: &Text, pattern: &[u8]) -> Result<DeviceArray<u32>> {
    Builder::new().find_all(text, pattern)
}

/// String matching with a choice of engine.
///
/// ```no_run
/// use thalweg_gpu::text::{Text, search::{Builder, Engine}};
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let text = Text::upload(&device, b"aaaa")?;
/// let places = Builder::new().engine(Engine::Duel).find_all(&text, b"aa")?;
/// assert_eq!(places.to_vec()?, [0, 1, 2]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Builder {
    engine: Option<Engine>,
}

impl Builder {
    /// The default engine.
    pub fn new() -> Self {
        Self::default()
    }

    /// Chooses the engine; `None` leaves the choice to the library.
    pub fn engine(mut self, engine: impl Into<Option<Engine>>) -> Self {
        self.engine = engine.into();
        self
    }

    /// The engine that would run.
    pub fn chosen(&self) -> Engine {
        self.engine.unwrap_or(Engine::Blocks)
    }

    /// All places.
    pub fn find_all(&self, text: &Text, pattern: &[u8]) -> Result<DeviceArray<u32>> {
        if pattern.is_empty() {
            return everywhere(text);
        }
        if pattern.len() as u64 > text.len() {
            return DeviceArray::new(text.device(), 0);
        }
        match self.chosen() {
            Engine::Blocks => blocks::find(text, pattern),
            Engine::Duel => duel::find(text, pattern),
        }
    }
}

/// All positions, and the end.
fn everywhere(text: &Text) -> Result<DeviceArray<u32>> {
    let (device, count) = (text.device(), text.len() + 1);
    let places = DeviceArray::<u32>::new(device, count)?;
    let mut commands = device.record();
    Elementwise::statement(device, count, "all places", "places_put(i, i);")
        .writes("places", "u32", &places)
        .dispatch(&mut commands, &[])?;
    commands.submit()?;
    Ok(places)
}
