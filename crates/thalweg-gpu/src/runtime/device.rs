//! An open device: what it can do, its buffers, its kernels and its clock in one handle.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use thalweg_core::Result;

use super::adapter::{self, Adapter, Choice, Kind};
use super::clock::{Timing, Watch, Watched};
use super::context::{Context, Options};
use super::kernel::{Kernel, KernelText, Kernels, Source};
use super::limits::Limits;
use super::memory::{self, Buffer, Use};
use super::phases::{Phase, Phases};
use super::pinned::Pinned;
use super::recorder::Recorder;

/// A GPU, ready to work. Cheap to clone: clones share buffers and kernels.
///
/// ```no_run
/// use thalweg_gpu::{Choice, Device};
/// let device = Device::open(&Choice::Auto)?;
/// println!("{}: {:?}", device.name(), device.limits());
/// # Ok::<(), thalweg_core::Error>(())
/// ```
#[derive(Clone)]
pub struct Device(Arc<Opened>);

struct Opened {
    context: Arc<Context>,
    kernels: Kernels,
    watch: Watch,
    pinned: Pinned,
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device").field("name", &self.name()).finish_non_exhaustive()
    }
}

impl Device {
    /// Opens the adapter of this choice.
    pub fn open(choice: &Choice) -> Result<Self> {
        Self::open_with(choice, Options::default())
    }

    /// Opens the adapter of this choice, with options.
    pub fn open_with(choice: &Choice, options: Options) -> Result<Self> {
        let start = Instant::now();
        let device = Self::of(adapter::choose(adapter::adapters(), choice)?, options)?;
        device.context().tally.add(Phase::Opening, start.elapsed());
        Ok(device)
    }

    /// Opens an adapter, which may have been told to do less than it can.
    pub(crate) fn of(adapter: Adapter, options: Options) -> Result<Self> {
        let context = Context::open(adapter, options)?;
        let (kernels, watch, pinned) = (Kernels::default(), Watch::default(), Pinned::default());
        Ok(Self(Arc::new(Opened { context, kernels, watch, pinned })))
    }

    /// The adapter's name.
    pub fn name(&self) -> &str {
        &self.0.context.name
    }

    /// The driver and its version.
    pub fn driver(&self) -> &str {
        &self.0.context.driver
    }

    /// What the device can hold and do.
    pub fn limits(&self) -> &Limits {
        &self.0.context.limits
    }

    /// Whether the device is the CPU in disguise.
    pub fn is_software(&self) -> bool {
        self.0.context.kind == Kind::Software
    }

    /// Whether the device still answers. One that does not has to be opened anew.
    pub fn is_alive(&self) -> bool {
        self.0.context.alive().is_ok()
    }

    /// Waits until all work given to the device is done.
    pub fn wait(&self) -> Result<()> {
        self.0.context.wait(None)
    }

    /// Gives the device's memory back to the driver that is kept for the next work; what copies go through stays. It takes some 30 ms a
    /// gigabyte on an H200, which may as well pass on another thread.
    pub fn trim(&self) {
        self.0.context.pool.trim();
    }

    /// Where the time went since the device was opened: see [`Phases`].
    pub fn phases(&self) -> Phases {
        self.0.context.tally.read()
    }

    /// The kernels that were compiled for this device so far.
    pub fn kernel_texts(&self) -> Vec<KernelText> {
        self.0.kernels.texts()
    }

    /// Runs `work` and returns how long the device was at it, by its own clock: the sum over all lists of commands that
    /// were submitted meanwhile, whatever the host did in between. By the host's clock where the device has none.
    ///
    /// ```no_run
    /// # use thalweg_gpu::{Choice, Device, primitives};
    /// let device = Device::open(&Choice::Auto)?;
    /// let keys = device.upload(&[3, 1, 2])?;
    /// let (order, timing) = device.timed(|| primitives::sort_idx(&keys))?;
    /// println!("sorted in {:?}: {:?}", timing.device, order.to_vec()?);
    /// # Ok::<(), thalweg_core::Error>(())
    /// ```
    pub fn timed<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<(T, Timing)> {
        let start = Instant::now();
        let outer = self.0.watch.swap(Some(Vec::new()));
        let result = work();
        let watched = self.0.watch.swap(outer).unwrap_or_default();
        let result = result?;
        self.wait()?;
        let device = if self.limits().timestamps {
            watched.iter().map(|watched| watched.time(&self.0.context)).sum::<Result<Duration>>()?
        } else {
            start.elapsed()
        };
        // Whoever times this from outside times all of it.
        self.0.watch.note(Watched::Time(device));
        Ok((result, Timing { device }))
    }

    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.0.context
    }

    /// The arrays of the host that the device copies by itself.
    pub(crate) fn pinned(&self) -> &Pinned {
        &self.0.pinned
    }

    /// A buffer of at least `bytes` bytes, of undefined content.
    pub(crate) fn buffer(&self, purpose: Use, bytes: u64, what: &'static str) -> Result<Buffer> {
        memory::allocate(&self.0.context, purpose, bytes, what)
    }

    /// A storage buffer for `words` words of 32 bits.
    pub(crate) fn words(&self, words: u64, what: &'static str) -> Result<Buffer> {
        self.buffer(Use::Storage, words.max(1).saturating_mul(4), what)
    }

    /// Keeps all buffers that are laid aside, however large they are, until what is returned is dropped: for computations of
    /// many rounds, which need memory of the same size again and again.
    pub(crate) fn hold(&self) -> Hold<'_> {
        self.0.context.pool.hold();
        Hold(self)
    }

    /// The compiled kernel, from the cache where it was compiled before.
    pub(crate) fn kernel(&self, source: &Source) -> Result<Arc<Kernel>> {
        self.0.kernels.get(&self.0.context, source)
    }

    /// Starts a list of commands.
    pub(crate) fn record(&self) -> Recorder<'_> {
        Recorder::new(&self.0.context, &self.0.watch)
    }
}

/// See [`Device::hold`].
#[derive(Debug)]
pub(crate) struct Hold<'d>(&'d Device);

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        self.0.context().pool.release();
    }
}

impl Source {
    /// The fewest and the most threads of a subgroup: `WIDTH_MIN`, `WIDTH_MAX`, and the logarithm of the latter. And
    /// `fixed_width`, which makes a constant of the builtin where it is one.
    pub(crate) fn subgroups(self, device: &Device) -> Self {
        self.widths(device.limits().subgroup_min, device.limits().subgroup_max)
    }
}
