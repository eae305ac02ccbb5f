//! String matching on the device: all occurrences of a pattern in a text.
//!
//! Overlapping occurrences count, and places come in increasing order. An empty pattern occurs at every position, the end of
//! the text included. [`find_all`] takes one of these engines:
//!
//! | engine | idea | work | source |
//! |---|---|---|---|
//! | `blocks` (default) | every thread compares at its 32 positions, four bytes at a time | O(n m), O(n) where mismatches come early | straightforward |
//! | `duel` | witnesses let one of two places survive, without reading the pattern there | O(n + m) | Vishkin 1985, JáJá 1992 |

mod blocks;
mod duel;
mod pattern;

use thalweg_core::Result;
pub use thalweg_text::search::Engine;

use super::checks::check_narrow;
use super::device_text::Text;
use crate::array::DeviceArray;
use crate::primitives::elementwise::Elementwise;

/// All places where `pattern` occurs in `text`.
///
/// Memory: n/8 bytes and the result, and n/4 bytes while it runs.
///
/// ```no_run
/// use thalweg_gpu::text::{Text, search::{Engine, find_all}};
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let text = Text::upload(&device, b"banana")?;
/// assert_eq!(find_all(&text, b"ana", Engine::Blocks)?.to_vec()?, [1, 3]);
/// assert_eq!(find_all(&text, b"", Engine::Duel)?.len(), 7);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotOnDevice`](thalweg_core::Error::NotOnDevice) for an engine that GPUs do not have; those of the device.
pub fn find_all(text: &Text, pattern: &[u8], engine: Engine) -> Result<DeviceArray<u32>> {
    let find = match engine {
        Engine::Blocks => blocks::find,
        Engine::Duel => duel::find,
        other => return Err(crate::not_on_gpu("search", other.name(), "blocks and duel")),
    };
    check_narrow(text.count(), "a search in a text")?;
    if pattern.is_empty() {
        return everywhere(text);
    }
    if pattern.len() > text.len() {
        return DeviceArray::new(text.device(), 0);
    }
    find(text, pattern)
}

/// All positions, and the end.
fn everywhere(text: &Text) -> Result<DeviceArray<u32>> {
    let (device, count) = (text.device(), text.count() + 1);
    let places = DeviceArray::<u32>::new(device, count)?;
    let mut commands = device.record();
    Elementwise::statement(device, count, "all places", "places_put(i, i);")
        .writes("places", "u32", &places)
        .dispatch(&mut commands, &[])?;
    commands.submit()?;
    Ok(places)
}
