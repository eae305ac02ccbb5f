//! Suffix arrays with a choice of device, and what is read off them at once.

use thalweg_core::{Answer, Positions, Result};
use thalweg_text::{Repeat, Stage, SuffixArray, Symbol, Watcher, suffix_array};

use crate::Device;
use crate::costs::Costs;
use crate::device::{Question, on_device, threads};
use crate::setters::setters;

/// What sorting the suffixes of `len` bytes costs, with or without LCP: libsais takes 45 ns a byte on one thread and does
/// not scale well, prefix doubling 13 on an H200. LCP takes 4 ns on 16 threads; how it scales was not measured.
pub(super) fn costs(len: usize, with_lcp: bool, threads: usize) -> Costs {
    let (len, threads, down) = (len as f64, threads as f64, if with_lcp { 8.0 } else { 4.0 });
    let lcp = if with_lcp { 16e-9 * len / threads.sqrt() } else { 0.0 };
    let cpu = 45e-9 * len / threads.powf(0.35) + lcp;
    Costs { cpu, bytes_up: len, bytes_down: down * len, device: 13e-9 * len }
}

/// Sorts suffixes with a choice of device.
///
/// ```
/// use thalweg::text::SuffixBuilder;
/// let suffixes = SuffixBuilder::new().build(b"banana")?;
/// assert_eq!(suffixes.positions().as_u32(), Some(&[5, 3, 1, 0, 4, 2][..]));
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SuffixBuilder<'w> {
    device: Device,
    watcher: Watcher<'w>,
}

impl<'w> SuffixBuilder<'w> {
    /// [`Device::Auto`].
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Chooses the device.
        device: Device,
    }

    /// Calls `watcher` whenever a stage of the work begins.
    pub fn watch(mut self, watcher: &'w (dyn Fn(Stage) + Sync)) -> Self {
        self.watcher = Watcher::new(watcher);
        self
    }

    fn question<T: Symbol>(&self, text: &[T], with_lcp: bool) -> Question {
        let costs = costs(text.len(), with_lcp, threads());
        Question {
            engine: "suffix_array",
            gpu_engine: "suffix_array",
            asked: false,
            on_cpu: true,
            on_gpu: size_of::<T>() == 1,
            costs,
        }
    }

    /// The suffix array.
    pub fn build<'t, T: Symbol>(&self, text: &'t [T]) -> Result<Answer<SuffixArray<'t, T>>> {
        self.watcher.enter(Stage::SuffixArray);
        on_device!(
            self.device,
            self.question(text, false),
            |gpu| {
                let positions = thalweg_gpu::text::suffix_array(&upload(gpu, text)?)?.to_vec()?;
                SuffixArray::from_sorted(text, Positions::U32(positions))
            },
            || suffix_array(text)
        )
    }

    /// The suffix array and what neighbours have in common.
    pub fn build_with_lcp<'t, T: Symbol>(&self, text: &'t [T]) -> Result<Answer<(SuffixArray<'t, T>, Positions)>> {
        self.watcher.enter(Stage::SuffixArray);
        on_device!(
            self.device,
            self.question(text, true),
            |gpu| {
                let found = thalweg_gpu::text::suffix_array_with_lcp(&upload(gpu, text)?)?;
                let (positions, lcp) = (Positions::U32(found.positions.to_vec()?), Positions::U32(found.lcp.to_vec()?));
                Ok((SuffixArray::from_sorted(text, positions)?, lcp))
            },
            || {
                let suffixes = suffix_array(text)?;
                self.watcher.enter(Stage::Lcp);
                let lcp = suffixes.lcp()?;
                Ok((suffixes, lcp))
            }
        )
    }

    /// The longest substring that occurs more than once, and its places.
    pub fn longest_repeat<T: Symbol>(&self, text: &[T]) -> Result<Answer<Repeat>> {
        let (found, chosen) = self.build_with_lcp(text)?.into_parts();
        let (suffixes, lcp) = found;
        Ok(Answer::new(thalweg_text::longest_repeat_from_lcp(suffixes.positions(), &lcp)?, chosen))
    }
}

/// A text of bytes on a device. Other symbols are the CPU's.
#[cfg(feature = "gpu")]
pub(super) fn upload<T: Symbol>(gpu: &thalweg_gpu::Device, text: &[T]) -> Result<thalweg_gpu::text::Text> {
    let bytes = (size_of::<T>() == 1).then(|| bytemuck::cast_slice::<T, u8>(text));
    let bytes = bytes.ok_or_else(|| thalweg_core::Error::NotOnDevice {
        problem: "text",
        engine: "suffix_array",
        reason: "symbols of a text on a GPU are bytes; the CPU takes u32, too".to_owned(),
    })?;
    thalweg_gpu::text::Text::upload(gpu, bytes)
}
