//! Stable sorting by [keys](Key) on the device.
//!
//! [`sort()`](fn@sort), [`sort_idx`], [`sort_by_key`] and [`sort_pairs`] serve the common case; those that end in `_with`
//! take [`Options`], that is, an order and an engine:
//!
//! | engine | idea | work | source |
//! |---|---|---|---|
//! | `radix` (default) | least significant digit first, 8 bits a pass | O(n · digits) | Satish et al. 2009; Adinets and Merrill 2022 |
//! | `merge` | every element finds its place by a search in the neighbouring sorted segment | O(n log n) rounds · search | BSGP, Hou et al. 2008 |
//!
//! Both are stable, so both give the same result. The order is that of [`Key::rank`]: NaN comes last in either
//! [`Order`](thalweg_core::Order), -0.0 equals 0.0. The CPU's `comparison` is
//! [`Error::NotOnDevice`](thalweg_core::Error::NotOnDevice).

mod merge;
pub(super) mod ping_pong;
pub(super) mod radix;

use thalweg_core::error::expect_len;
pub use thalweg_core::primitives::sort::{Engine, Options};
use thalweg_core::{Coding, Key, Result};

use self::ping_pong::{Input, Payload, Sorted};
use crate::array::{DeviceArray, Keys};
use crate::coding::KeyCode;
use crate::primitives::sizes;

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
    sort_with(keys, Options::default())
}

/// [`sort()`](fn@sort) with a choice of order and engine.
pub fn sort_with<K: Key>(keys: &mut DeviceArray<K>, options: Options) -> Result<()> {
    let sorted = run(keys.keys(), Payload::None, true, Coding::of::<K>(options.order), options)?;
    *keys = sorted.keys().typed();
    Ok(())
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
    sort_idx_with(keys, Options::default())
}

/// [`sort_idx`] with a choice of order and engine.
///
/// ```no_run
/// use thalweg_core::Order;
/// use thalweg_gpu::primitives::sort::{Engine, Options, sort_idx_with};
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let keys = device.upload(&[1.5, 0.5, 2.5])?;
/// let order = sort_idx_with(&keys, Options { order: Order::Max, engine: Some(Engine::Radix) })?;
/// assert_eq!(order.to_vec()?, [2, 0, 1]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub fn sort_idx_with<K: Key>(keys: &DeviceArray<K>, options: Options) -> Result<DeviceArray<u32>> {
    let sorted = run(keys.keys(), Payload::Indices, false, Coding::of::<K>(options.order), options)?;
    Ok(sorted.payloads().typed())
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
    sort_by_key_with(values, keys, Options::default())
}

/// [`sort_by_key`] with a choice of order and engine.
pub fn sort_by_key_with<V: Key, K: Key>(
    values: &DeviceArray<V>,
    keys: &DeviceArray<K>,
    options: Options,
) -> Result<DeviceArray<V>> {
    expect_len("sort keys", keys.len(), values.len())?;
    let coding = Coding::of::<K>(options.order);
    Ok(run(keys.keys(), Payload::Array(values.keys()), false, coding, options)?.payloads().typed())
}

/// Sorts keys, ascending and stable, and the values that belong to them.
///
/// As [`sort_by_key`], with the keys in place of their copy.
pub fn sort_pairs<K: Key, V: Key>(keys: &mut DeviceArray<K>, values: &mut DeviceArray<V>) -> Result<()> {
    sort_pairs_with(keys, values, Options::default())
}

/// [`sort_pairs`] with a choice of order and engine.
pub fn sort_pairs_with<K: Key, V: Key>(
    keys: &mut DeviceArray<K>,
    values: &mut DeviceArray<V>,
    options: Options,
) -> Result<()> {
    expect_len("sort keys", keys.len(), values.len())?;
    let coding = Coding::of::<K>(options.order);
    let (sorted_keys, sorted_values) = run(keys.keys(), Payload::Array(values.keys()), true, coding, options)?.both();
    (*keys, *values) = (sorted_keys.typed(), sorted_values.typed());
    Ok(())
}

/// Sorts keys without their type.
fn run(keys: &Keys, payload: Payload<'_>, keep_keys: bool, coding: Coding, options: Options) -> Result<Sorted> {
    let device = keys.device();
    let mut commands = device.record();
    let sorted = match options.chosen(keys.len() as usize) {
        Engine::Radix => {
            let sizes = sizes::radix(device, keys.words().max(payload.words()));
            radix::record(&mut commands, keys, payload, keep_keys, coding, sizes)?
        }
        Engine::Merge => merge::record(&mut commands, keys, payload, keep_keys, coding.into(), sizes::merge(device))?,
        other => return Err(crate::not_on_gpu("sort", other.name(), "radix and merge")),
    };
    commands.submit()?;
    Ok(sorted)
}

/// Sorts keys, ascending and stable, and returns them with the positions that they come from.
#[cfg(feature = "geometry")]
pub(crate) fn sort_with_positions<K: Key>(keys: &DeviceArray<K>) -> Result<(DeviceArray<K>, DeviceArray<u32>)> {
    let options = Options::default();
    let (keys, positions) = run(keys.keys(), Payload::Indices, true, Coding::of::<K>(options.order), options)?.both();
    Ok((keys.typed(), positions.typed()))
}

/// The positions of keys without their type in ascending order, equal keys from left to right.
pub(crate) fn positions_in_order(keys: &Keys, code: KeyCode) -> Result<DeviceArray<u32>> {
    let mut commands = keys.device().record();
    let sizes = sizes::radix(keys.device(), keys.words().max(1));
    let sorted = radix::record_bits(
        &mut commands,
        keys,
        Payload::Indices,
        (false, Input::Stays),
        (code, 32 * keys.words()),
        sizes,
    )?;
    commands.submit()?;
    Ok(sorted.payloads().typed())
}

/// Sorts numbers less than `end`, and returns them with the positions that they come from: fewer rounds than for all numbers.
pub(crate) fn sort_numbers(keys: &DeviceArray<u32>, end: u64) -> Result<(DeviceArray<u32>, DeviceArray<u32>)> {
    let bits = end.next_power_of_two().ilog2();
    let (keys, positions) = sort_low_bits(keys.keys(), Payload::Indices, bits)?;
    Ok((keys.typed(), positions.typed()))
}

/// What belongs to numbers of at most `bits` bits, by default their positions, in the order of the numbers. Both arrays are
/// used up: four arrays are all that it needs, the result among them, with room for `room` elements.
pub(crate) fn sort_consuming(
    keys: DeviceArray<u32>,
    values: Option<DeviceArray<u32>>,
    bits: u32,
    room: u64,
) -> Result<DeviceArray<u32>> {
    if let Some(values) = &values {
        expect_len("sort keys", keys.len(), values.len())?;
    }
    let device = keys.device().clone();
    let mut commands = device.record();
    let payload = values.as_ref().map_or(Payload::Indices, |values| Payload::Array(values.keys()));
    let how = (KeyCode::plain(1), bits.max(1));
    let sizes = sizes::radix(&device, 1);
    let sorted =
        radix::record_bits(&mut commands, keys.keys(), payload, (false, Input::IsUsedUp { room }), how, sizes)?;
    commands.submit()?;
    Ok(sorted.payloads().typed())
}

/// Sorts unsigned numbers that differ in their lowest bits only, and what goes with them.
fn sort_low_bits(keys: &Keys, payload: Payload<'_>, bits: u32) -> Result<(Keys, Keys)> {
    let mut commands = keys.device().record();
    let sizes = sizes::radix(keys.device(), keys.words().max(payload.words()));
    let how = (KeyCode::plain(keys.words()), bits.max(1));
    let sorted = radix::record_bits(&mut commands, keys, payload, (true, Input::Stays), how, sizes)?;
    commands.submit()?;
    Ok(sorted.both())
}
