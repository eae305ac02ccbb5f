//! Suffix arrays with a choice of device, and what is read off them at once.

use thalweg_core::{Answer, Positions, Result};
use thalweg_text::{Bwt, Repeat, Stage, SuffixArray, Symbol, Watcher, suffix_array};

use crate::Device;
use crate::costs::Costs;
use crate::device::{Question, on_device, threads};
use crate::setters::setters;

/// What sorting the suffixes of `len` bytes costs, with or without LCP: libsais takes 45 to 60 ns a byte on one thread and does
/// not scale well, prefix doubling 1.3 on an H200, 2 with LCP, after 0.1 s for memory and kernels from the
/// driver's cache. LCP takes 4 ns on 16 threads; how it scales was not measured.
pub(super) fn costs(len: usize, with_lcp: bool, threads: usize) -> Costs {
    let (len, threads, down) = (len as f64, threads as f64, if with_lcp { 8.0 } else { 4.0 });
    let lcp = if with_lcp { 16e-9 * len / threads.sqrt() } else { 0.0 };
    let cpu = 60e-9 * len / threads.powf(0.35) + lcp;
    let device = 0.1 + if with_lcp { 2.0e-9 } else { 1.3e-9 } * len;
    Costs { cpu, bytes_up: len, bytes_down: down * len, device }
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
            |gpu| self.on_gpu(gpu, text, Parts::default()).map(|sorted| sorted.suffixes),
            || suffix_array(text)
        )
    }

    /// The suffix array and what neighbours have in common.
    pub fn build_with_lcp<'t, T: Symbol>(&self, text: &'t [T]) -> Result<Answer<(SuffixArray<'t, T>, Positions)>> {
        let (sorted, chosen) = self.build_parts(text, Parts { lcp: true, ..Parts::default() })?.into_parts();
        Ok(Answer::new((sorted.suffixes, sorted.lcp.expect("it was asked for")), chosen))
    }

    /// The suffix array, and what else is asked for.
    ///
    /// ```
    /// use thalweg::text::{Parts, SuffixBuilder};
    /// let sorted = SuffixBuilder::new().build_parts(b"banana", Parts { bwt: true, ..Parts::default() })?.into_inner();
    /// assert_eq!(sorted.bwt.map(|bwt| bwt.primary), Some(4));
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn build_parts<'t, T: Symbol>(&self, text: &'t [T], parts: Parts) -> Result<Answer<Sorted<'t, T>>> {
        self.watcher.enter(Stage::SuffixArray);
        on_device!(self.device, self.question(text, parts.lcp), |gpu| self.on_gpu(gpu, text, parts), || {
            let suffixes = suffix_array(text)?;
            if parts.lcp {
                self.watcher.enter(Stage::Lcp);
            }
            let lcp = parts.lcp.then(|| suffixes.lcp()).transpose()?;
            if parts.bwt {
                self.watcher.enter(Stage::Bwt);
            }
            let bwt = parts.bwt.then(|| suffixes.bwt()).transpose()?;
            Ok(Sorted { suffixes, lcp, bwt, all_checked: false })
        })
    }

    /// The Burrows-Wheeler transform alone: from a device, nothing else comes back.
    ///
    /// ```
    /// use thalweg::text::SuffixBuilder;
    /// let bwt = SuffixBuilder::new().bwt(b"banana")?.into_inner();
    /// assert_eq!((&bwt.symbols[..], bwt.primary), (&b"annbaa"[..], 4)); // annb$aa
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn bwt(&self, text: &[u8]) -> Result<Answer<Bwt<u8>>> {
        self.watcher.enter(Stage::SuffixArray);
        on_device!(
            self.device,
            self.question(text, false),
            |gpu| {
                let text = upload(gpu, text)?;
                let positions = thalweg_gpu::text::suffix_array(&text)?;
                self.watcher.enter(Stage::Bwt);
                thalweg_gpu::text::bwt(&text, &positions)
            },
            || {
                let suffixes = suffix_array(text)?;
                self.watcher.enter(Stage::Bwt);
                suffixes.bwt()
            }
        )
    }

    /// The longest substring that occurs more than once, and its places.
    pub fn longest_repeat<T: Symbol>(&self, text: &[T]) -> Result<Answer<Repeat>> {
        let (found, chosen) = self.build_with_lcp(text)?.into_parts();
        let (suffixes, lcp) = found;
        Ok(Answer::new(thalweg_text::longest_repeat_from_lcp(suffixes.positions(), &lcp)?, chosen))
    }

    /// Sorts on a device, which checks what it has made, too.
    #[cfg(feature = "gpu")]
    #[allow(unsafe_code)]
    fn on_gpu<'t, T: Symbol>(&self, gpu: &thalweg_gpu::Device, text: &'t [T], parts: Parts) -> Result<Sorted<'t, T>> {
        use thalweg_gpu::text::{bwt, check_suffixes, suffix_array, suffix_array_with_lcp, to_positions};
        let on_device = upload(gpu, text)?;
        let (positions, lcp) = if parts.lcp {
            let found = suffix_array_with_lcp(&on_device)?;
            (found.positions, Some(found.lcp))
        } else {
            (suffix_array(&on_device)?, None)
        };
        check_suffixes(&on_device, &positions, lcp.as_ref().filter(|_| parts.check))?;
        let bwt = match parts.bwt {
            false => None,
            true => {
                self.watcher.enter(Stage::Bwt);
                let Bwt { symbols, primary } = bwt(&on_device, &positions)?;
                Some(Bwt { symbols: bytemuck::cast_vec(symbols), primary })
            }
        };
        drop(on_device);
        let lcp = lcp.as_ref().map(to_positions).transpose()?;
        // SAFETY: the device has checked that it is a permutation.
        let suffixes = unsafe { SuffixArray::from_checked(text, to_positions(&positions)?)? };
        Ok(Sorted { suffixes, lcp, bwt, all_checked: true })
    }
}

/// What comes with a suffix array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// What neighbours have in common.
    pub lcp: bool,
    /// The Burrows-Wheeler transform.
    pub bwt: bool,
    /// Whether a device also checks what neighbours have in common. That suffixes are in order is checked in any case.
    pub check: bool,
}

/// A suffix array, and what was asked for besides.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sorted<'t, T: Symbol> {
    /// The suffixes in order.
    pub suffixes: SuffixArray<'t, T>,
    /// What neighbours have in common.
    pub lcp: Option<Positions>,
    /// The Burrows-Wheeler transform.
    pub bwt: Option<Bwt<T>>,
    /// Whether all suffixes, and what neighbours have in common if [`Parts::check`] asked for it, were checked. A GPU does;
    /// the CPU's are libsais's.
    pub all_checked: bool,
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
