//! All nearest smaller values (ANSV) on the device.
//!
//! For every element: the nearest element to its left, and to its right, that is smaller (not larger, greater, not
//! smaller: see [`Relation`]). [`Builder`] works on arrays that are on the device already; [`OnDevice`] is an engine for
//! slices on the host, for [`thalweg_arrays::ansv::Builder::run_on`].
//!
//! | engine | idea | work | source |
//! |---|---|---|---|
//! | `tiles` (default) | runs in registers, links between runs, searches or tile pairs beyond the tile | O(n) | this project |
//! | `thesis` | minima of subsets, recursion, merging of subsets, one run a side | O(n) | Berkman et al. 1993, Ryssel 2025 |

mod four;
pub(crate) mod hierarchy;
mod sides;
mod targets;
mod thesis;
mod tiles;

use thalweg_arrays::ansv::{AnsvEngine, Outputs, Relation, Sides};
use thalweg_core::{Error, Key, Position, Result, engine_names};

use self::targets::Targets;
#[doc(hidden)]
pub use self::thesis::Tuning as ThesisTuning;
#[doc(hidden)]
pub use self::tiles::Tuning;
use crate::array::DeviceArray;
use crate::coding;
use crate::device::Device;
use crate::recorder::Timing;

engine_names! {
    /// The ANSV engines of this crate. See the [module's table](self).
    "ansv on the device": Engine {
        /// Tiles in workgroup memory, then searches or tile pairs. The default.
        Tiles = "tiles",
        /// The thesis's six kernels: merging of subsets, recursively, as if values were distinct, one run a side.
        Thesis = "thesis",
    }
}

/// Neighbours on both sides: a position for every element, `u32::MAX` where there is none.
#[derive(Clone, Debug)]
pub struct Ansv {
    /// Nearest to the left.
    pub left: DeviceArray<u32>,
    /// Nearest to the right.
    pub right: DeviceArray<u32>,
}

/// ANSV of arrays on the device, with a choice of relation and engine.
///
/// Work O(n) for all data, memory for n/15 keys beside the answers. Arrays have at most 2^32 - 1 elements.
///
/// ```no_run
/// use thalweg_gpu::{Choice, Device, ansv};
/// let device = Device::open(&Choice::Auto)?;
/// let array = device.upload(&[4u32, 2, 6, 2, 8])?;
/// let answer = ansv::Builder::new().run(&array)?;
/// assert_eq!(answer.left.to_vec()?, [u32::MAX, u32::MAX, 1, u32::MAX, 3]);
/// assert_eq!(answer.right.to_vec()?, [1, u32::MAX, 3, u32::MAX, u32::MAX]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Builder {
    relation: Relation,
    engine: Option<Engine>,
    tuning: Option<Tuning>,
    thesis: ThesisTuning,
}

impl Builder {
    /// Strictly smaller, default engine.
    pub fn new() -> Self {
        Self::default()
    }

    /// Chooses the relation.
    pub fn relation(mut self, relation: Relation) -> Self {
        self.relation = relation;
        self
    }

    /// Chooses the engine; `None` leaves the choice to the library.
    pub fn engine(mut self, engine: impl Into<Option<Engine>>) -> Self {
        self.engine = engine.into();
        self
    }

    /// The engine that would run.
    pub fn chosen(&self) -> Engine {
        self.engine.unwrap_or(Engine::Tiles)
    }

    #[doc(hidden)]
    pub fn tuning(mut self, tuning: Tuning) -> Self {
        self.tuning = Some(tuning);
        self
    }

    #[doc(hidden)]
    pub fn thesis_tuning(mut self, tuning: ThesisTuning) -> Self {
        self.thesis = tuning;
        self
    }

    /// Both sides.
    pub fn run<K: Key>(&self, array: &DeviceArray<K>) -> Result<Ansv> {
        let (left, right) = (answers(array)?, answers(array)?);
        self.run_into(array, Some(&left), Some(&right))?;
        Ok(Ansv { left, right })
    }

    /// The left side only.
    pub fn left<K: Key>(&self, array: &DeviceArray<K>) -> Result<DeviceArray<u32>> {
        let left = answers(array)?;
        self.run_into(array, Some(&left), None)?;
        Ok(left)
    }

    /// The right side only.
    pub fn right<K: Key>(&self, array: &DeviceArray<K>) -> Result<DeviceArray<u32>> {
        let right = answers(array)?;
        self.run_into(array, None, Some(&right))?;
        Ok(right)
    }

    /// Into arrays of the caller's, of the same length. A side that is `None` is not computed. The work is under way when
    /// this returns.
    pub fn run_into<K: Key>(
        &self,
        array: &DeviceArray<K>,
        left: Option<&DeviceArray<u32>>,
        right: Option<&DeviceArray<u32>>,
    ) -> Result<()> {
        self.record(array, Targets { left, right }, |commands| commands.submit().map(|_| ()))
    }

    /// Like [`Builder::run_into`], waits for the end, and returns the time that the device took.
    pub fn run_timed<K: Key>(
        &self,
        array: &DeviceArray<K>,
        left: Option<&DeviceArray<u32>>,
        right: Option<&DeviceArray<u32>>,
    ) -> Result<Timing> {
        let mut timing = Timing::default();
        self.record(array, Targets { left, right }, |commands| {
            timing = commands.submit_timed()?;
            Ok(())
        })?;
        Ok(timing)
    }

    fn record<K: Key>(
        &self,
        array: &DeviceArray<K>,
        targets: Targets<'_>,
        submit: impl FnOnce(crate::recorder::Recorder<'_>) -> Result<()>,
    ) -> Result<()> {
        check_len(array.len())?;
        for (what, target) in [("left answers", targets.left), ("right answers", targets.right)] {
            let got = target.map_or(array.len(), DeviceArray::len);
            if got != array.len() {
                return Err(Error::Length { what, expected: array.len() as usize, got: got as usize });
            }
        }
        if let (Some(left), Some(right)) = (targets.left, targets.right) {
            left.expect_apart(right)?;
        }
        if array.is_empty() || targets.left.is_none() && targets.right.is_none() {
            return Ok(());
        }
        let device = array.device();
        let mut commands = device.record();
        commands.start_clock();
        match self.chosen() {
            Engine::Tiles => {
                let tuning = self.tuning.unwrap_or_else(|| Tuning::of::<K>(device));
                let scratch = tiles::record(&mut commands, array, self.relation, &targets, tuning)?;
                submit(commands)?;
                drop(scratch);
            }
            Engine::Thesis => {
                let scratch = thesis::record(&mut commands, array, self.relation, &targets, self.thesis)?;
                submit(commands)?;
                drop(scratch);
            }
        }
        Ok(())
    }
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

fn answers<K: Key>(array: &DeviceArray<K>) -> Result<DeviceArray<u32>> {
    check_len(array.len())?;
    DeviceArray::new(array.device(), array.len())
}

/// An engine for slices on the host: copies the array to the device, solves it there and copies the answers back.
///
/// ```no_run
/// use thalweg_arrays::ansv::{Builder, Sides};
/// use thalweg_gpu::{Choice, Device, ansv};
/// let engine = ansv::OnDevice::new(&Device::open(&Choice::Auto)?, ansv::Engine::Tiles);
/// let mut left = [0u32; 3];
/// Builder::new().run_on(&engine, &[1, 3, 2], Sides { left: Some(&mut left), right: None })?;
/// assert_eq!(left, [u32::MAX, 0, 0]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct OnDevice {
    device: Device,
    engine: Engine,
}

impl OnDevice {
    /// The engine on the device.
    pub fn new(device: &Device, engine: Engine) -> Self {
        Self { device: device.clone(), engine }
    }

    fn solve_into<K: Key, P: Position>(
        &self,
        array: &[K],
        relation: Relation,
        sides: Sides<'_, P>,
        download: impl Fn(&DeviceArray<u32>, &mut [P]) -> Result<()>,
    ) -> Result<()> {
        check_len(array.len() as u64)?;
        let array = self.device.upload(array)?;
        let target = |wanted: bool| wanted.then(|| answers(&array)).transpose();
        let (left, right) = (target(sides.left.is_some())?, target(sides.right.is_some())?);
        Builder::new().relation(relation).engine(self.engine).run_into(&array, left.as_ref(), right.as_ref())?;
        for (out, answers) in [(sides.left, left), (sides.right, right)] {
            if let (Some(out), Some(answers)) = (out, answers) {
                download(&answers, out)?;
            }
        }
        Ok(())
    }
}

impl<K: Key> AnsvEngine<K> for OnDevice {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    /// On the device: the array, the answers, and what the engine needs beside them.
    fn extra_bytes(&self, len: usize) -> usize {
        let len = len as u64;
        let scratch = match self.engine {
            Engine::Tiles => tiles::extra_bytes::<K>(len),
            Engine::Thesis => thesis::extra_bytes::<K>(len),
        };
        (len * (coding::bytes::<K>() + 8) + scratch) as usize
    }

    fn solve(&self, array: &[K], relation: Relation, outputs: Outputs<'_>) -> Result<()> {
        match outputs {
            Outputs::U32(sides) => self.solve_into(array, relation, sides, |answers, out| answers.download(out)),
            Outputs::U64(sides) => self.solve_into(array, relation, sides, |answers, out| {
                for (wide, narrow) in out.iter_mut().zip(answers.to_vec()?) {
                    *wide = narrow.checked().map_or(u64::NONE, |i| i as u64);
                }
                Ok(())
            }),
        }
    }
}
