//! List ranking on the device: sums of weights along linked lists, for every element.
//!
//! Lists are arrays of links: `next[i]` is the element behind element `i`. The last element of a list links to
//! itself, or nowhere (`u32::MAX`). An array may hold any number of lists; every element belongs to one. [`rank`]
//! counts the links behind every element, [`sums`] adds weights; [`Options`] chooses direction and engine. The
//! [contract](thalweg_trees::list#the-contract-on-every-device) is that of the CPU, for at most [`MOST`] elements.
//!
//! | engine | idea | work | random accesses an element | H200, 2^26 | source |
//! |---|---|---|---|---|---|
//! | `helman_jaja` (default) | random splitters, sublists walked at the same time, recursive | O(n) | 2 | 7.9 ms | Helman and JaJa 1999 |
//! | `pointer_jumping` | every element adds its link's record, log n rounds | O(n log n) | log n | 64 ms | Wyllie 1979 |
//! | `independent_set` | random elements that are no neighbours are taken out, and put back | O(n) | about 5 | 15 ms | Anderson and Miller 1988 |

mod helman_jaja;
mod independent_set;
mod links;
mod pointer_jumping;
mod records;
mod status;
mod workgroups;

use thalweg_core::error::expect_len;
use thalweg_core::memory::large_zeroed;
use thalweg_core::{Error, Key, Result};
use thalweg_trees::list::Numbers;
pub use thalweg_trees::list::{Direction, Engine, Options, Weight};

pub use self::helman_jaja::Tuning;
use self::helman_jaja::record_sums;
pub(crate) use self::helman_jaja::{Heads, Input, Lists, Marked};
pub(crate) use self::links::element_of;
use self::links::{check, endless, record_heads, record_pack};
use self::records::Weights;
pub(crate) use self::records::{Form, widening};
pub(crate) use self::status::{STATUS, Status};
use crate::array::{DeviceArray, Keys};

/// Elements at most: the numbers of sublists and of threads that walk them fit 32 bits together.
pub const MOST: u64 = 1 << 31;

/// For every element the number of links to the end of its list, or from its head.
///
/// ```no_run
/// use thalweg_gpu::{Choice, Device, list::{self, Options}};
/// let device = Device::open(&Choice::Auto)?;
/// // 2 -> 0 -> 3, and 1 alone.
/// let next = device.upload(&[3, u32::MAX, 0, 3])?;
/// assert_eq!(list::rank(&next, &Options::default())?.to_vec()?, [1, 0, 2, 0]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
///
/// # Errors
/// Those of the [contract](thalweg_trees::list#the-contract-on-every-device); [`Error::NotOnDevice`] for
/// [`Engine::Sequential`]; those of the device.
pub fn rank(next: &DeviceArray<u32>, options: &Options) -> Result<DeviceArray<u32>> {
    Ok(run(next, None, options, None)?.typed())
}

/// For every element the sum of its weight and of the weights of all elements behind it in its list, or before it: 64 bits
/// wide, as on the CPU.
///
/// ```no_run
/// use thalweg_gpu::list::{self, Direction, Options};
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let (next, weights) = (device.upload(&[3, u32::MAX, 0, 3])?, device.upload(&[10, 20, 30, 40])?);
/// let from_head = Options { direction: Direction::FromHead, ..Options::default() };
/// assert_eq!(list::sums(&next, &weights, &from_head)?.to_vec()?, [40i64, 20, 30, 80]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
///
/// # Errors
/// As [`rank`].
pub fn sums<W: Weight<Sum: Key> + Key>(
    next: &DeviceArray<u32>,
    weights: &DeviceArray<W>,
    options: &Options,
) -> Result<DeviceArray<W::Sum>> {
    let weights = Weights { keys: weights.keys(), signed: W::SIGNED };
    Ok(run(next, Some(weights), options, None)?.typed())
}

/// [`sums`] of weights from the host, to the host: every weight that the CPU takes. Of arrays, one number after the other
/// is summed.
///
/// ```no_run
/// use thalweg_gpu::list::{self, Options};
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let next = device.upload(&[1u32, 1])?;
/// assert_eq!(list::sums_of_slice(&next, &[[1, 30], [2, 40]], &Options::default())?, [[3i64, 70], [2, 40]]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
///
/// # Errors
/// As [`rank`].
pub fn sums_of_slice<W: Weight>(next: &DeviceArray<u32>, weights: &[W], options: &Options) -> Result<Vec<W::Sum>> {
    expect_len("weights", weights.len(), next.len())?;
    let mut sums = large_zeroed::<W::Sum>(next.len(), "sums")?;
    for_each_column(W::view(weights), W::COUNT, W::words(&mut sums), |numbers| {
        let (keys, signed) = upload_numbers(next, numbers)?;
        run(next, Some(Weights { keys: &keys, signed }), options, None)
    })?;
    Ok(sums)
}

/// [`rank`] by [`Engine::HelmanJaja`] with other sizes than the library's, for measurements.
///
/// # Errors
/// As [`rank`], and [`Error::BadOption`] for sizes that do not work.
pub fn rank_tuned(next: &DeviceArray<u32>, options: &Options, tuning: Tuning) -> Result<DeviceArray<u32>> {
    Ok(run(next, None, options, Some(tuning))?.typed())
}

/// [`sums`] by [`Engine::HelmanJaja`] with other sizes than the library's, for measurements.
///
/// # Errors
/// As [`rank_tuned`].
pub fn sums_tuned<W: Weight<Sum: Key> + Key>(
    next: &DeviceArray<u32>,
    weights: &DeviceArray<W>,
    options: &Options,
    tuning: Tuning,
) -> Result<DeviceArray<W::Sum>> {
    let weights = Weights { keys: weights.keys(), signed: W::SIGNED };
    Ok(run(next, Some(weights), options, Some(tuning))?.typed())
}

/// The numbers as keys on the device of an array, and whether they have signs.
pub(crate) fn upload_numbers(beside: &DeviceArray<u32>, numbers: Numbers<'_>) -> Result<(Keys, bool)> {
    let device = beside.device();
    let (keys, signed) = match numbers {
        Numbers::I32(numbers) => (device.upload(numbers)?.keys().clone(), true),
        Numbers::U32(numbers) => (device.upload(numbers)?.keys().clone(), false),
        Numbers::I64(numbers) => (device.upload(numbers)?.keys().clone(), true),
        Numbers::U64(numbers) => (device.upload(numbers)?.keys().clone(), false),
    };
    Ok((keys, signed))
}

/// Calls `sum` with every column of numbers of which elements have `count` each, and puts the 64-bit sums, of which there may
/// be another number of elements, where they belong in `out`, `count` an element.
pub(crate) fn for_each_column(
    numbers: Numbers<'_>,
    count: usize,
    out: &mut [u64],
    sum: impl Fn(Numbers<'_>) -> Result<Keys>,
) -> Result<()> {
    if count == 1 {
        return sum(numbers)?.typed::<u64>().download(out);
    }
    for first in 0..count {
        let sums = match numbers {
            Numbers::I32(numbers) => sum(Numbers::I32(&column(numbers, count, first))),
            Numbers::U32(numbers) => sum(Numbers::U32(&column(numbers, count, first))),
            Numbers::I64(numbers) => sum(Numbers::I64(&column(numbers, count, first))),
            Numbers::U64(numbers) => sum(Numbers::U64(&column(numbers, count, first))),
        };
        for (out, sum) in out.iter_mut().skip(first).step_by(count).zip(sums?.typed::<u64>().to_vec()?) {
            *out = sum;
        }
    }
    Ok(())
}

fn column<T: Copy>(numbers: &[T], count: usize, first: usize) -> Vec<T> {
    numbers.iter().copied().skip(first).step_by(count).collect()
}

/// 32 bits of a seed.
pub(crate) fn seed_of(options: &Options) -> u32 {
    (options.seed ^ options.seed >> 32) as u32
}

/// Sums weights, in 64 bits, or counts links, in 32, where there are none.
fn run(
    next: &DeviceArray<u32>,
    weights: Option<Weights<'_>>,
    options: &Options,
    tuning: Option<Tuning>,
) -> Result<Keys> {
    let &Options { direction, engine, .. } = options;
    let seed = seed_of(options);
    let engine = engine.unwrap_or(Engine::HelmanJaja);
    if !engine.is_on_gpu() {
        return Err(crate::not_on_gpu("list", engine.name(), "helman_jaja, pointer_jumping and independent_set"));
    }
    let (device, len) = (next.device(), next.count());
    if let Some(weights) = weights {
        expect_len("weights", weights.keys.len() as usize, next.len())?;
    }
    let tuning = tuning.unwrap_or_else(|| Tuning::of(len));
    tuning.check()?;
    if len > MOST {
        return Err(Error::device_limit(format!("list ranking of {len} elements: more than {MOST}")));
    }
    let (form, links) = if weights.is_some() { (Form::Wide, false) } else { (Form::One, true) };
    if len == 0 {
        return Keys::new(device, 0, form.words());
    }
    let count = len as u32;
    let status = device.words(STATUS, "status of lists")?;
    let (followed, ends) = check(next, &status)?;
    // By walks, and what must have been visited.
    let by_walks = |narrow| {
        let mut commands = device.record();
        let heads = record_heads(&mut commands, device, &followed, ends, count, &status)?;
        let lists = Lists { device, form, direction, status: &status, seed, tuning, narrow };
        let records = match links {
            true => None,
            false => Some(record_pack(&mut commands, next, form, weights)?),
        };
        let input = records.as_ref().map_or(Input::Links(next), Input::Records);
        let marked = lists.record(&mut commands, input, Heads::Listed(&heads), count)?;
        let sums = record_sums(&mut commands, &lists, &marked, records.as_ref(), count)?;
        let visits = marked.visits();
        marked.keep_in(&mut commands);
        records.into_iter().for_each(|records| records.keep_in(&mut commands));
        heads.keep_in(&mut commands);
        commands.submit()?;
        Ok((sums, visits))
    };
    let (mut sums, mut visits) = match engine {
        Engine::PointerJumping => {
            let mut commands = device.record();
            let records = record_pack(&mut commands, next, form, weights)?;
            let sums = pointer_jumping::record(&mut commands, device, form, &records, direction, links, &status)?;
            records.keep_in(&mut commands);
            commands.submit()?;
            (sums, 0)
        }
        Engine::IndependentSet => {
            let mut commands = device.record();
            let records = record_pack(&mut commands, next, form, weights)?;
            commands.submit()?;
            (independent_set::run(device, form, records, direction, links, seed, &status)?, 0)
        }
        _ => by_walks(true)?,
    };
    let mut state = Status::read(device, &status)?;
    if state.long {
        let mut commands = device.record();
        commands.clear(&status, 4 * STATUS);
        commands.submit()?;
        (sums, visits) = by_walks(false)?;
        state = Status::read(device, &status)?;
    }
    if state.cycle || state.visited != visits {
        return Err(endless(next)?);
    }
    Ok(sums)
}
