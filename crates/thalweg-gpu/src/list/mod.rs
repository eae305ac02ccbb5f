//! List ranking on the device: sums of weights along linked lists, for every element.
//!
//! Lists are arrays of links: `next[i]` is the element behind element `i`. The last element of a list links to
//! itself, or nowhere (`u32::MAX`). An array may hold any number of lists; every element belongs to one. [`rank`]
//! counts the links behind every element; [`Builder`] has a choice of direction and engine, and sums weights.
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

pub use thalweg_trees::list::Direction;
use thalweg_core::{Error, Key, Result, engine_names};

#[doc(hidden)]
pub use self::helman_jaja::Tuning;
use self::helman_jaja::record_sums;
pub(crate) use self::helman_jaja::{Heads, Input, Lists};
pub(crate) use self::links::element_of;
use self::links::{check, endless, record_heads, record_pack};
pub(crate) use self::records::Form;
use self::records::{Column, Sums};
pub(crate) use self::status::{STATUS, Status};
use crate::array::DeviceArray;
use crate::coding;
use crate::device::Device;
use crate::memory::Buffer;

engine_names! {
    /// The list ranking engines of this crate. See the [module's table](self).
    "list ranking on the device": Engine {
        /// Random splitters, sublists walked at the same time. The default.
        HelmanJaja = "helman_jaja",
        /// Wyllie's doubling.
        PointerJumping = "pointer_jumping",
        /// Contraction by random independent sets.
        IndependentSet = "independent_set",
    }
}

/// What can be summed along lists: integers of 32 and 64 bits.
///
/// Sums have the type of the weights and wrap around: where those of 32-bit weights may not fit, take weights of 64
/// bits.
pub trait Weight: Key + sealed::Sealed {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for u32 {}
    impl Sealed for i32 {}
    impl Sealed for u64 {}
    impl Sealed for i64 {}
}

impl Weight for u32 {}
impl Weight for i32 {}
impl Weight for u64 {}
impl Weight for i64 {}

/// Elements at most: the numbers of sublists and of threads that walk them fit 32 bits together.
pub const MOST: u64 = 1 << 31;

/// For every element the number of links to the end of its list, with the default engine.
///
/// ```no_run
/// use thalweg_gpu::{Choice, Device, list};
/// let device = Device::open(&Choice::Auto)?;
/// // 2 -> 0 -> 3, and 1 alone.
/// let next = device.upload(&[3, u32::MAX, 0, 3])?;
/// assert_eq!(list::rank(&next)?.to_vec()?, [1, 0, 2, 0]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub fn rank(next: &DeviceArray<u32>) -> Result<DeviceArray<u32>> {
    Builder::new().rank(next)
}

/// List ranking with a choice of direction and engine.
///
/// Links out of range, an element that two others link to, and lists without an end are errors that name an element.
/// All engines give the same sums, whatever the seed.
///
/// ```no_run
/// use thalweg_gpu::list::{Builder, Direction};
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let (next, weights) = (device.upload(&[3, u32::MAX, 0, 3])?, device.upload(&[10, 20, 30, 40])?);
/// let sums = Builder::new().direction(Direction::FromHead).sums(&next, &weights)?;
/// assert_eq!(sums.to_vec()?, [40, 20, 30, 80]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Builder {
    engine: Option<Engine>,
    direction: Direction,
    seed: u32,
    tuning: Option<Tuning>,
}

impl Builder {
    /// To the end, default engine.
    pub fn new() -> Self {
        Self::default()
    }

    /// Chooses the engine; `None` leaves the choice to the library.
    pub fn engine(mut self, engine: impl Into<Option<Engine>>) -> Self {
        self.engine = engine.into();
        self
    }

    /// Chooses the direction.
    pub fn direction(mut self, direction: Direction) -> Self {
        self.direction = direction;
        self
    }

    /// Seeds the random choices. They change the time that a run takes, not its result.
    pub fn seed(mut self, seed: u32) -> Self {
        self.seed = seed;
        self
    }

    /// The engine that would run.
    pub fn chosen(&self) -> Engine {
        self.engine.unwrap_or(Engine::HelmanJaja)
    }

    #[doc(hidden)]
    pub fn tuning(mut self, tuning: Tuning) -> Self {
        self.tuning = Some(tuning);
        self
    }

    /// For every element the number of links to the end of its list, or from its head.
    pub fn rank(&self, next: &DeviceArray<u32>) -> Result<DeviceArray<u32>> {
        let sums = self.run(next, Form::One, &[])?;
        match sums.columns.into_iter().next() {
            Some(Column::Narrow(sums)) => Ok(sums),
            _ => unreachable!("one sum of 32 bits"),
        }
    }

    /// For every element the sum of its weight and of the weights of all elements behind it in its list, or before it.
    pub fn sums<W: Weight>(&self, next: &DeviceArray<u32>, weights: &DeviceArray<W>) -> Result<DeviceArray<W>> {
        Ok(self.sums_of_all(next, &[weights])?.remove(0))
    }

    /// The same for several weights. Three of 32 bits are summed in one walk.
    ///
    /// ```no_run
    /// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
    /// let (next, a, b) = (device.upload(&[1u32, 1])?, device.upload(&[1, 2])?, device.upload(&[30, 40])?);
    /// let sums = thalweg_gpu::list::Builder::new().sums_of_all(&next, &[&a, &b])?;
    /// assert_eq!((sums[0].to_vec()?, sums[1].to_vec()?), (vec![3, 2], vec![70, 40]));
    /// # Ok::<(), thalweg_core::Error>(())
    /// ```
    pub fn sums_of_all<W: Weight>(
        &self,
        next: &DeviceArray<u32>,
        weights: &[&DeviceArray<W>],
    ) -> Result<Vec<DeviceArray<W>>> {
        for weights in weights {
            if weights.len() != next.len() {
                let (expected, got) = (next.len() as usize, weights.len() as usize);
                return Err(Error::Length { what: "weights", expected, got });
            }
        }
        let narrow = coding::words::<W>() == 1;
        let mut all = Vec::new();
        for walk in weights.chunks(if narrow { 3 } else { 1 }) {
            let form = match walk.len() {
                _ if !narrow => Form::Wide,
                1 => Form::One,
                2 => Form::Two,
                _ => Form::Three,
            };
            let columns: Vec<_> = walk
                .iter()
                .map(|w| if narrow { Column::Narrow(w.seen_as()) } else { Column::Wide(w.seen_as()) })
                .collect();
            all.extend(self.run(next, form, &columns)?.columns.into_iter().map(|column| match column {
                Column::Narrow(sums) => sums.seen_as(),
                Column::Wide(sums) => sums.seen_as(),
            }));
        }
        Ok(all)
    }

    /// The ranking of `len` elements that are known to be links of lists.
    pub(crate) fn lists<'a>(
        &self,
        device: &'a Device,
        form: Form,
        direction: Direction,
        status: &'a Buffer,
        len: u64,
    ) -> Lists<'a> {
        let tuning = self.tuning.unwrap_or_else(|| Tuning::of(len));
        Lists { device, form, direction, status, seed: self.seed, tuning }
    }

    /// Sums the columns, or links where there are none.
    fn run(&self, next: &DeviceArray<u32>, form: Form, columns: &[Column]) -> Result<Sums> {
        let &Self { direction, seed, .. } = self;
        let (device, len) = (next.device(), next.len());
        if len > MOST {
            return Err(Error::device_limit(format!("list ranking of {len} elements: more than {MOST}")));
        }
        if len == 0 {
            return Sums::new(device, form, 0);
        }
        let count = len as u32;
        let status = device.words(STATUS, "status of lists")?;
        let (followed, ends) = check(next, &status)?;
        let links = columns.is_empty();
        let mut commands = device.record();
        // What must have been visited.
        let mut visits = 0;
        let sums = match self.chosen() {
            Engine::HelmanJaja => {
                let heads = record_heads(&mut commands, device, &followed, ends, count, &status)?;
                let lists = self.lists(device, form, direction, &status, len);
                let records = if links { None } else { Some(record_pack(&mut commands, next, form, columns)?) };
                let input = records.as_ref().map_or(Input::Links(next), Input::Records);
                let marked = lists.record(&mut commands, input, Heads::Listed(&heads), count)?;
                let sums = record_sums(&mut commands, &lists, &marked, records.as_ref(), count)?;
                visits = marked.visits();
                marked.keep_in(&mut commands);
                records.into_iter().for_each(|records| records.keep_in(&mut commands));
                heads.keep_in(&mut commands);
                commands.submit()?;
                sums
            }
            Engine::PointerJumping => {
                let records = record_pack(&mut commands, next, form, columns)?;
                let sums = pointer_jumping::record(&mut commands, device, form, &records, direction, links, &status)?;
                records.keep_in(&mut commands);
                commands.submit()?;
                sums
            }
            Engine::IndependentSet => {
                let records = record_pack(&mut commands, next, form, columns)?;
                commands.submit()?;
                independent_set::run(device, form, records, direction, links, seed, &status)?
            }
        };
        let state = Status::read(device, &status)?;
        if state.cycle || state.visited != visits {
            return Err(endless(next)?);
        }
        Ok(sums)
    }
}
