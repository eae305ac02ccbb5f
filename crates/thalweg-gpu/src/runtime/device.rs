//! An open device: what it can do, its buffers, its kernels and its clock in one handle.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use thalweg::Result;

use super::adapter::{self, Choice, Kind};
use super::clock::{Timing, Watch, Watched};
use super::context::{Context, Options};
use super::kernel::{Kernel, Kernels, Source};
use super::limits::Limits;
use super::memory::{self, Buffer, Use};
use super::recorder::Recorder;

/// A GPU, ready to work. Cheap to clone: clones share buffers and kernels.
///
/// ```no_run
/// use thalweg_gpu::{Choice, Device};
/// let device = Device::open(&Choice::Auto)?;
/// println!("{}: {:?}", device.name(), device.limits());
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone)]
pub struct Device(Arc<Opened>);

struct Opened {
    context: Arc<Context>,
    kernels: Kernels,
    watch: Watch,
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
        let context = Context::open(adapter::choose(adapter::adapters(), choice)?, options)?;
        Ok(Self(Arc::new(Opened { context, kernels: Kernels::default(), watch: Watch::default() })))
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

    /// Waits until all work given to the device is done.
    pub fn wait(&self) -> Result<()> {
        self.0.context.wait(None)
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
    /// # Ok::<(), thalweg::Error>(())
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

    /// A buffer of at least `bytes` bytes, of undefined content.
    pub(crate) fn buffer(&self, purpose: Use, bytes: u64, what: &'static str) -> Result<Buffer> {
        memory::allocate(&self.0.context, purpose, bytes, what)
    }

    /// A storage buffer for `words` words of 32 bits.
    pub(crate) fn words(&self, words: u64, what: &'static str) -> Result<Buffer> {
        self.buffer(Use::Storage, words.max(1).saturating_mul(4), what)
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

impl Source {
    /// The fewest and the most threads of a subgroup: `WIDTH_MIN`, `WIDTH_MAX`, and the logarithm of the latter. And
    /// `fixed_width`, which makes a constant of the builtin where it is one.
    pub(crate) fn subgroups(self, device: &Device) -> Self {
        self.widths(device.limits().subgroup_min, device.limits().subgroup_max)
    }
}

#[cfg(test)]
mod tests {
    use thalweg::{DeviceErrorKind, Error, Result};

    use super::*;
    use crate::{ansv, list, primitives, rmq, testing};

    #[track_caller]
    fn lost<T: fmt::Debug>(result: Result<T>) {
        assert_eq!(result.as_ref().err().and_then(Error::device_kind), Some(DeviceErrorKind::Lost), "{result:?}");
    }

    #[test]
    fn a_lost_device_is_an_error_everywhere() {
        let Some(device) = testing::open(Options { checked: true, binding_bytes: None }) else { return };
        let array = device.upload(&[3u32, 1, 2]).unwrap();
        let mut out = array.duplicate().unwrap();
        let index = rmq::Builder::new().build_on_device(array.clone()).unwrap();
        let queries = device.upload(&[0u32, 2]).unwrap();
        let commands = device.record();

        device.context().raw.destroy();
        lost(device.wait());
        lost(commands.submit());
        lost(device.upload(&[1u8]));
        lost(device.allocate::<f64>(10));
        lost(array.to_vec());
        lost(array.duplicate());
        lost(primitives::reduce(&array, primitives::Op::Min));
        lost(primitives::inclusive_scan_into(&array, &mut out, primitives::Op::Sum));
        lost(primitives::sort(&mut out));
        lost(ansv::Builder::new().run(&array));
        lost(list::rank(&array));
        lost(index.argmin_batch(&[[0u32, 2]], &mut [0]));
        lost(index.argmin_on_device(&queries, &device_answer(&out)));
        lost(device.timed(|| array.to_vec()));
        lost(crate::measure(&device, 1 << 20));
    }

    /// An array for one answer: there is no making one any more.
    fn device_answer(array: &crate::DeviceArray<u32>) -> crate::DeviceArray<u32> {
        let mut array = array.clone();
        array.truncate(1);
        array
    }

    #[test]
    fn a_kernel_that_does_not_compile_is_an_error_and_the_device_goes_on() {
        let Some(device) = testing::open(Options { checked: true, binding_bytes: None }) else { return };
        let wrong = [
            Source::new("wrong", "struct Params { count: u32 } nonsense", "main"),
            Source::new("wrong", "struct Params { count: u32 }", "main"),
            Source::new("wrong", "struct Params { count: u32 } @unroll for (;;) {}", "main"),
        ];
        for source in wrong {
            let e = device.kernel(&source).unwrap_err();
            assert!(e.to_string().contains("kernel wrong.main: "), "{e}");
        }
        assert_eq!(device.upload(&[1u8, 2]).unwrap().to_vec().unwrap(), [1, 2]);
    }

    #[test]
    fn copies_of_foreign_buffers_and_onto_themselves_are_refused() {
        let options = Options { checked: true, binding_bytes: None };
        let (Some(device), Some(other)) = (testing::open(options), testing::open(options)) else { return };
        let (a, b) = (device.words(4, "a").unwrap(), device.words(4, "b").unwrap());
        let foreign = other.words(4, "foreign").unwrap();
        let refused = |record: &dyn Fn(&mut Recorder<'_>)| {
            let mut commands = device.record();
            record(&mut commands);
            // What comes later does not hide it.
            commands.copy((&a, 0), (&b, 0), 16);
            let kind = commands.submit().err().and_then(|e| e.device_kind());
            assert_eq!(kind, Some(DeviceErrorKind::Misuse));
            device.wait().unwrap();
        };
        refused(&|commands| commands.copy((&a, 0), (&a, 8), 8));
        refused(&|commands| commands.copy((&foreign, 0), (&a, 0), 8));
        refused(&|commands| commands.copy((&a, 0), (&foreign, 0), 8));
        refused(&|commands| commands.clear(&foreign, 16));
    }
}
