//! All nearest smaller values (ANSV) on the device.
//!
//! For every element: the nearest element to its left, and to its right, that is smaller (not larger, greater, not
//! smaller: see [`Relation`]). [`solve`] and its siblings work on arrays that are on the device already;
//! [`engine()`](fn@engine) is an engine for slices on the host, for [`solve_into`](thalweg_arrays::ansv::solve_into()) of the
//! host.
//!
//! | engine | idea | work | source |
//! |---|---|---|---|
//! | `tiles` (default) | runs in registers, links between runs, searches or tile pairs beyond the tile | O(n) | this project |
//! | `thesis` | minima of subsets, recursion, merging of subsets, one run a side | O(n) | Berkman et al. 1993, Ryssel 2025 |
//!
//! The other engines of the CPU are [`Error::NotOnDevice`]. Arrays have at most 2^32 - 1 elements; `tiles` takes memory for
//! n/15 keys beside the answers.

mod four;
pub(crate) mod hierarchy;
mod host;
mod sides;
mod targets;
mod thesis;
mod tiles;

pub use thalweg_arrays::ansv::{Engine, Relation, ThesisOptions};
use thalweg_core::error::expect_len;
use thalweg_core::{Coding, Error, Key, Result};

pub use self::host::engine;
use self::sides::Side;
pub use self::targets::DeviceSides;
pub use self::tiles::Tuning;
use crate::array::{DeviceArray, Keys};
use crate::recorder::{Recorder, Timing};

/// Neighbours on both sides: a position for every element, `u32::MAX` where there is none.
#[derive(Clone, Debug)]
pub struct DeviceAnsv {
    /// Nearest to the left.
    pub left: DeviceArray<u32>,
    /// Nearest to the right.
    pub right: DeviceArray<u32>,
}

/// Both sides.
///
/// Work O(n) for all data.
///
/// ```no_run
/// use thalweg_gpu::{Choice, Device, ansv::{self, Engine, Relation}};
/// let device = Device::open(&Choice::Auto)?;
/// let array = device.upload(&[4u32, 2, 6, 2, 8])?;
/// let answer = ansv::solve(&array, Relation::Smaller, Engine::Tiles)?;
/// assert_eq!(answer.left.to_vec()?, [u32::MAX, u32::MAX, 1, u32::MAX, 3]);
/// assert_eq!(answer.right.to_vec()?, [1, u32::MAX, 3, u32::MAX, u32::MAX]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotOnDevice`] for an engine that GPUs do not have, [`Error::BadOption`] for options that do not work; those of
/// the device.
pub fn solve<K: Key>(array: &DeviceArray<K>, relation: Relation, engine: Engine) -> Result<DeviceAnsv> {
    let (left, right) = (answers(array.keys())?, answers(array.keys())?);
    solve_into(array, relation, engine, DeviceSides { left: Some(&left), right: Some(&right) })?;
    Ok(DeviceAnsv { left, right })
}

/// The left side only. See [`solve`].
pub fn left<K: Key>(array: &DeviceArray<K>, relation: Relation, engine: Engine) -> Result<DeviceArray<u32>> {
    one_side(array.keys(), Coding::of::<K>(relation.order()), relation.is_strict(), engine, Side::Left)
}

/// The right side only. See [`solve`].
pub fn right<K: Key>(array: &DeviceArray<K>, relation: Relation, engine: Engine) -> Result<DeviceArray<u32>> {
    one_side(array.keys(), Coding::of::<K>(relation.order()), relation.is_strict(), engine, Side::Right)
}

/// Into arrays of the caller's, of the same length. A side that is `None` is not computed. The work is under way when this
/// returns. See [`solve`].
///
/// # Errors
/// As [`solve`], and [`Error::Length`] if an array has another length.
pub fn solve_into<K: Key>(
    array: &DeviceArray<K>,
    relation: Relation,
    engine: Engine,
    sides: DeviceSides<'_>,
) -> Result<()> {
    Problem::of(array, relation).start(engine.try_into()?, &sides)
}

/// Like [`solve_into`], waits for the end, and returns the time that the device took.
pub fn solve_timed<K: Key>(
    array: &DeviceArray<K>,
    relation: Relation,
    engine: Engine,
    sides: DeviceSides<'_>,
) -> Result<Timing> {
    Problem::of(array, relation).time(engine.try_into()?, &sides)
}

/// [`solve_timed`] by [`Engine::Tiles`] with other sizes than the library's, for measurements.
///
/// # Errors
/// As [`solve_into`], and [`Error::BadOption`] for sizes that do not work.
pub fn solve_tuned<K: Key>(
    array: &DeviceArray<K>,
    relation: Relation,
    tuning: Tuning,
    sides: DeviceSides<'_>,
) -> Result<Timing> {
    Problem::of(array, relation).time(Kernels::Tiles(Some(tuning)), &sides)
}

/// An engine that GPUs have, with its sizes.
#[derive(Clone, Copy, Debug)]
enum Kernels {
    /// `None` leaves the sizes to the library.
    Tiles(Option<Tuning>),
    Thesis(ThesisOptions),
}

impl TryFrom<Engine> for Kernels {
    type Error = Error;

    fn try_from(engine: Engine) -> Result<Self> {
        match engine {
            Engine::Tiles => Ok(Self::Tiles(None)),
            Engine::Thesis(options) => Ok(Self::Thesis(options)),
            other => Err(crate::not_on_gpu("ansv", other.name(), "tiles and thesis")),
        }
    }
}

/// Keys, and which neighbours are looked for: those whose rank is smaller; not larger, unless `strict`.
#[derive(Clone, Copy, Debug)]
struct Problem<'a> {
    array: &'a Keys,
    coding: Coding,
    strict: bool,
}

impl<'a> Problem<'a> {
    fn of<K: Key>(array: &'a DeviceArray<K>, relation: Relation) -> Self {
        let (coding, strict) = (Coding::of::<K>(relation.order()), relation.is_strict());
        Self { array: array.keys(), coding, strict }
    }

    fn start(&self, kernels: Kernels, sides: &DeviceSides<'_>) -> Result<()> {
        self.record(kernels, sides, |commands| commands.submit().map(|_| Timing::default())).map(|_| ())
    }

    fn time(&self, kernels: Kernels, sides: &DeviceSides<'_>) -> Result<Timing> {
        self.record(kernels, sides, |commands| commands.submit_timed())
    }

    fn record(
        &self,
        kernels: Kernels,
        sides: &DeviceSides<'_>,
        submit: fn(Recorder<'_>) -> Result<Timing>,
    ) -> Result<Timing> {
        let array = self.array;
        check_len(array.len())?;
        for (what, side) in [("left output", sides.left), ("right output", sides.right)] {
            let len = array.len() as usize;
            expect_len(what, side.map_or(len, DeviceArray::len), len)?;
        }
        if let (Some(left), Some(right)) = (sides.left, sides.right) {
            left.keys().expect_apart(right.keys())?;
        }
        if array.is_empty() || sides.left.is_none() && sides.right.is_none() {
            return Ok(Timing::default());
        }
        let mut commands = array.device().record();
        commands.start_clock();
        match kernels {
            Kernels::Tiles(tuning) => {
                let tuning = tuning.unwrap_or_else(|| Tuning::of_words(array.words()));
                let scratch = tiles::record(&mut commands, self, sides, tuning)?;
                let timing = submit(commands)?;
                drop(scratch);
                Ok(timing)
            }
            Kernels::Thesis(options) => {
                let scratch = thesis::record(&mut commands, self, sides, options)?;
                let timing = submit(commands)?;
                drop(scratch);
                Ok(timing)
            }
        }
    }
}

/// One side of keys without a type: the nearest neighbours whose rank is smaller; not larger, unless `strict`.
fn one_side(array: &Keys, coding: Coding, strict: bool, engine: Engine, side: Side) -> Result<DeviceArray<u32>> {
    let out = answers(array)?;
    let sides = match side {
        Side::Left => DeviceSides { left: Some(&out), right: None },
        Side::Right => DeviceSides { left: None, right: Some(&out) },
    };
    Problem { array, coding, strict }.start(engine.try_into()?, &sides)?;
    Ok(out)
}

/// For every key the ends of the range in which it is the leftmost best one: the nearest to the left that is not worse, and
/// the nearest to the right that is better.
pub(crate) fn bounds(array: &Keys, coding: Coding) -> Result<[DeviceArray<u32>; 2]> {
    let side = |strict, side| one_side(array, coding, strict, Engine::Tiles, side);
    Ok([side(false, Side::Left)?, side(true, Side::Right)?])
}

fn check_len(len: u64) -> Result<()> {
    if len > u64::from(u32::MAX) {
        return Err(Error::device_limit(format!(
            "ANSV of {len} elements: positions on the device have 32 bits, enough for {}",
            u32::MAX
        )));
    }
    Ok(())
}

fn answers(array: &Keys) -> Result<DeviceArray<u32>> {
    check_len(array.len())?;
    DeviceArray::new(array.device(), array.len())
}
