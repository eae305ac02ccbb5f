//! Stable sorting by [keys](Key) on the device.
//!
//! [`sort()`](fn@sort), [`sort_idx`] and [`sort_by_key`] serve the common case, [`Builder`] chooses order and engine:
//!
//! | engine | idea | work | source |
//! |---|---|---|---|
//! | `radix` (default) | least significant digit first, 8 bits a pass | O(n · digits) | Satish et al. 2009; Adinets and Merrill 2022 |
//! | `merge` | every element finds its place by a search in the neighbouring sorted segment | O(n log n) rounds · search | BSGP, Hou et al. 2008 |
//!
//! Both are stable, so both give the same result. The order is that of [`Key::rank`]: NaN comes last in either
//! [`Order`], -0.0 equals 0.0.

mod merge;
pub(super) mod ping_pong;
pub(super) mod radix;

use thalweg_core::{Error, Key, Order, Result, engine_names};

use self::ping_pong::{Payload, Sorted};
use crate::array::DeviceArray;
use crate::coding;
use crate::primitives::sizes;

engine_names! {
    /// The sorting engines of this crate. See the [module's table](self).
    "sort on the device": Engine {
        /// Least significant digit first. The default.
        Radix = "radix",
        /// Merging by binary search.
        Merge = "merge",
    }
}

/// Sorts keys, ascending and stable, with the default engine.
///
/// Work O(n · digits). Extra memory: twice the keys while it runs, as the result takes new memory: clones of the array
/// keep the keys as they were.
///
/// ```no_run
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let mut keys = device.upload(&[2.5, -1.0, 0.0])?;
/// thalweg_gpu::primitives::sort(&mut keys)?;
/// assert_eq!(keys.to_vec()?, [-1.0, 0.0, 2.5]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub fn sort<K: Key>(keys: &mut DeviceArray<K>) -> Result<()> {
    Builder::new().sort(keys)
}

/// The positions of the keys in ascending order, equal keys from left to right: a stable argsort. BSGP's `sort_idx`.
///
/// Work O(n · digits). Extra memory: the result, and twice the keys and once the positions while it runs.
///
/// ```no_run
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let order = thalweg_gpu::primitives::sort_idx(&device.upload(&[30, 10, 20, 10])?)?;
/// assert_eq!(order.to_vec()?, [1, 3, 2, 0]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub fn sort_idx<K: Key>(keys: &DeviceArray<K>) -> Result<DeviceArray<u32>> {
    Builder::new().sort_idx(keys)
}

/// The values in ascending order of their keys, stable.
///
/// As [`sort_idx`], with values in place of positions.
///
/// ```no_run
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let (values, keys) = (device.upload(&[1u64, 2, 3])?, device.upload(&[31u8, 104, 8])?);
/// assert_eq!(thalweg_gpu::primitives::sort_by_key(&values, &keys)?.to_vec()?, [3, 1, 2]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub fn sort_by_key<V: Key, K: Key>(values: &DeviceArray<V>, keys: &DeviceArray<K>) -> Result<DeviceArray<V>> {
    Builder::new().sort_by_key(values, keys)
}

/// Sorting with a choice of order and engine.
///
/// ```no_run
/// use thalweg_core::Order;
/// use thalweg_gpu::primitives::sort::{Builder, Engine};
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let keys = device.upload(&[1.5, 0.5, 2.5])?;
/// let order = Builder::new().order(Order::Max).engine(Engine::Radix).sort_idx(&keys)?;
/// assert_eq!(order.to_vec()?, [2, 0, 1]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Builder {
    order: Order,
    engine: Option<Engine>,
}

impl Builder {
    /// Ascending, default engine.
    pub fn new() -> Self {
        Self::default()
    }

    /// Chooses the order: [`Order::Min`] puts the smallest key first, [`Order::Max`] the largest.
    pub fn order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// Chooses the engine; `None` leaves the choice to the library.
    pub fn engine(mut self, engine: impl Into<Option<Engine>>) -> Self {
        self.engine = engine.into();
        self
    }

    /// The engine that would run on `len` keys.
    pub fn chosen(&self, _len: u64) -> Engine {
        self.engine.unwrap_or(Engine::Radix)
    }

    /// Sorts keys. See [`sort()`](fn@sort).
    pub fn sort<K: Key>(&self, keys: &mut DeviceArray<K>) -> Result<()> {
        let sorted = self.run(keys, Payload::<u32>::None, true)?;
        *keys = sorted.0.expect("keys are kept");
        Ok(())
    }

    /// The positions of the keys in order. See [`sort_idx`].
    pub fn sort_idx<K: Key>(&self, keys: &DeviceArray<K>) -> Result<DeviceArray<u32>> {
        Ok(self.run(keys, Payload::Indices, false)?.1.expect("there are payloads"))
    }

    /// The values in order of their keys. See [`sort_by_key`].
    pub fn sort_by_key<V: Key, K: Key>(
        &self,
        values: &DeviceArray<V>,
        keys: &DeviceArray<K>,
    ) -> Result<DeviceArray<V>> {
        same_length(values, keys)?;
        Ok(self.run(keys, Payload::Array(values), false)?.1.expect("there are payloads"))
    }

    /// Sorts keys and the values that belong to them.
    pub fn sort_pairs<K: Key, V: Key>(&self, keys: &mut DeviceArray<K>, values: &mut DeviceArray<V>) -> Result<()> {
        same_length(values, keys)?;
        let sorted = self.run(keys, Payload::Array(values), true)?;
        *keys = sorted.0.expect("keys are kept");
        *values = sorted.1.expect("there are payloads");
        Ok(())
    }

    fn run<K: Key, V: Key>(
        &self,
        keys: &DeviceArray<K>,
        payload: Payload<'_, V>,
        keep_keys: bool,
    ) -> Result<Sorted<K, V>> {
        let mut commands = keys.device().record();
        let sorted = match self.chosen(keys.len()) {
            Engine::Radix => {
                let payload_words = match payload {
                    Payload::None => 0,
                    Payload::Indices => 1,
                    Payload::Array(_) => coding::words::<V>(),
                };
                let sizes = sizes::radix(keys.device(), coding::words::<K>().max(payload_words));
                radix::record(&mut commands, keys, payload, keep_keys, self.order, sizes)?
            }
            Engine::Merge => {
                merge::record(&mut commands, keys, payload, keep_keys, self.order, sizes::merge(keys.device()))?
            }
        };
        commands.submit()?;
        Ok(sorted)
    }
}

/// Sorts numbers less than `end`, and returns them with the positions that they come from: fewer rounds than for all numbers.
pub(crate) fn sort_numbers(keys: &DeviceArray<u32>, end: u64) -> Result<(DeviceArray<u32>, DeviceArray<u32>)> {
    let mut commands = keys.device().record();
    let sizes = sizes::radix(keys.device(), 1);
    let bits = end.next_power_of_two().ilog2().max(1);
    let sorted = radix::record_bits(&mut commands, keys, Payload::Indices, true, Order::Min, sizes, bits)?;
    commands.submit()?;
    Ok((sorted.0.expect("keys are kept"), sorted.1.expect("there are payloads")))
}

/// Sorts numbers of at most `bits` bits and the values that belong to them.
pub(crate) fn sort_numbers_with<K: Key, V: Key>(
    keys: &DeviceArray<K>,
    values: &DeviceArray<V>,
    bits: u32,
) -> Result<(DeviceArray<K>, DeviceArray<V>)> {
    same_length(values, keys)?;
    let mut commands = keys.device().record();
    let sizes = sizes::radix(keys.device(), coding::words::<K>().max(coding::words::<V>()));
    let payload = Payload::Array(values);
    let sorted = radix::record_bits(&mut commands, keys, payload, true, Order::Min, sizes, bits.max(1))?;
    commands.submit()?;
    Ok((sorted.0.expect("keys are kept"), sorted.1.expect("there are payloads")))
}

fn same_length<V: Key, K: Key>(values: &DeviceArray<V>, keys: &DeviceArray<K>) -> Result<()> {
    if values.len() == keys.len() {
        return Ok(());
    }
    Err(Error::Length { what: "sort keys", expected: values.len() as usize, got: keys.len() as usize })
}
