//! An index that owns its array, on the host and on the device, and changes with it.

use thalweg_arrays::rmq::{ChangingEngine, RmqEngine, Writes, bad_change};
use thalweg_core::bits::{Array, Bits};
use thalweg_core::error::expect_len;
use thalweg_core::parallel::{find_first, try_for_each_chunk};
use thalweg_core::storage::Storage;
use thalweg_core::{Coding, Error, Position, PositionsRef, Rank, Result, by_width};

use super::Index;
use super::lines::Changes;
use super::with_array::WithArray;
use crate::array::Keys;
use crate::device::Device;
use crate::recorder::Timing;

/// Changes of one round at most: lists of them, and the notes on them, are bindings of 128 MiB at most, which every device has.
const ROUND: usize = 1 << 24;
/// Positions or keys that one task looks at.
const TASK: usize = 1 << 14;
const VALUES: &str = "the values of a change";
const ARRAY: &str = "the array";

/// Copies the bits of an array to the device and builds the engine `lines` over them, for an array that is going to change: what
/// is lent is copied. [`ChangingIndex::into_engine`] makes it an engine of the host.
///
/// ```no_run
/// use thalweg_arrays::rmq::Changing;
/// use thalweg_core::bits::Array;
/// use thalweg_core::{Chosen, Coding, Order};
/// use thalweg_gpu::{Choice, Device, rmq};
/// let device = Device::open(&Choice::Auto)?;
/// let index = rmq::build_changing(&device, Array::of::<i32>(vec![31, 41, 59, 26]), Coding::of::<i32>(Order::Min))?;
/// let chosen = Chosen::on_device(device.name(), "lines", "an example");
/// let mut prices = Changing::<i32>::from_engine(index.into_engine(), Order::Min, chosen)?;
/// prices.set_batch(&[2u32, 0, 2], &[7, 50, 5])?;
/// prices.append(&[35])?;
/// assert_eq!((prices.position(..), prices.array()), (Some(2), &[50, 41, 5, 26, 35][..]));
/// # Ok::<(), thalweg_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Bits`] if the coding is for keys of another width; [`Error::OutOfMemory`]; those of the device.
pub fn build_changing(device: &Device, array: Array<'_>, coding: Coding) -> Result<ChangingIndex> {
    let (expected, got) = (8 * coding.bytes() as u32, 8 * array.bits().width() as u32);
    if got != expected {
        return Err(Error::Bits { what: "the array's keys", expected, got });
    }
    let array = by_width!(Array, array, array => Rank::store(array.into_vec(ARRAY)?.into()));
    let room = Keys::upload(device, array.bits())?;
    let index = Index::with_room(room.clone(), room.len(), coding)?;
    Ok(ChangingIndex(WithArray { index, array, room: Some(room) }))
}

/// A range-minimum index on the device that owns its array, which may change: see [`build_changing`].
#[derive(Debug)]
pub struct ChangingIndex(WithArray<'static>);

impl ChangingIndex {
    /// The index as an engine of the host, which follows changes.
    pub fn into_engine(self) -> Box<dyn RmqEngine> {
        Box::new(self.0)
    }

    /// [`ChangingEngine::set_batch`], and how long the device took, without the way of the changes to it.
    ///
    /// # Errors
    /// Those of [`ChangingEngine::set_batch`].
    pub fn set_batch(&mut self, positions: PositionsRef<'_>, values: Bits<'_>) -> Result<Timing> {
        self.0.set(positions, values)
    }

    /// How long the device took to build the index.
    pub fn build_time(&self) -> Timing {
        self.0.index.build_time()
    }

    /// The index, for queries.
    pub fn engine(&self) -> &dyn RmqEngine {
        &self.0
    }
}

impl ChangingEngine for WithArray<'_> {
    fn set_batch(&mut self, positions: PositionsRef<'_>, values: Bits<'_>) -> Result<()> {
        self.set(positions, values).map(|_| ())
    }

    fn append(&mut self, values: Bits<'_>) -> Result<()> {
        self.expect_width(values)?;
        if values.is_empty() {
            return Ok(());
        }
        let (len, more) = (self.array.len(), values.len());
        self.reserve_on_host(more)?;
        let room = self.room.as_ref().map_or(0, Keys::len) as usize;
        if len + more > room {
            // Half as much again, so that what is appended moves a few times only.
            self.grow((len + more).max(len + len / 2), Some(values))?;
        } else if let Some(room) = &self.room {
            room.write(len as u64, values)?;
            self.index.append(view(room, len + more), self.index.tells_bits(values))?;
        }
        self.extend_on_host(values);
        Ok(())
    }

    fn reserve(&mut self, len: usize) -> Result<()> {
        let (old, room) = (self.array.len(), self.room.as_ref().map_or(0, Keys::len) as usize);
        if len > room {
            self.reserve_on_host(len - old)?;
            self.grow(len, None)?;
        }
        Ok(())
    }
}

impl WithArray<'_> {
    fn set(&mut self, positions: PositionsRef<'_>, values: Bits<'_>) -> Result<Timing> {
        expect_len(VALUES, values.len(), positions.len())?;
        self.expect_width(values)?;
        match positions {
            PositionsRef::U32(positions) => self.set_each(positions, values),
            PositionsRef::U64(positions) => self.set_each(positions, values),
        }
    }

    fn set_each<P: Position>(&mut self, positions: &[P], values: Bits<'_>) -> Result<Timing> {
        let len = self.array.len();
        let bad = find_first(positions.len(), TASK, &|range| {
            let start = range.start;
            positions[range].iter().position(|position| position.get() >= len).map(|row| start + row)
        });
        if let Some(row) = bad {
            return Err(bad_change(row, positions[row], len));
        }
        let mut timing = Timing::default();
        for start in (0..positions.len()).step_by(ROUND) {
            let rows = start..positions.len().min(start + ROUND);
            let positions = &positions[rows.clone()];
            let values = by_width!(Bits, values, values => Bits::of(&values[rows]));
            timing.device += self.set_round(positions, values)?.device;
        }
        Ok(timing)
    }

    /// Changes that are inside the array. Those of the host's array are sorted out while the device gets its own, and written
    /// while it works; what is refused before that changes nothing.
    fn set_round<P: Position>(&mut self, positions: &[P], values: Bits<'_>) -> Result<Timing> {
        let Self { index, array, .. } = self;
        let device = index.keys().device().clone();
        let (on_device, news) = (Keys::upload(&device, Bits::of(positions))?, Keys::upload(&device, values)?);
        let changes = Changes { positions: &on_device, news: &news, distinct: ascend(positions) };
        let faithful = index.tells_bits(values);
        by_width!(Array, array, array => {
            let values = Rank::of_bits(values).unwrap_or_default();
            let writes = Writes::new(positions, values, array.len())?;
            index.set(&changes, faithful, || writes.to(array.own_mut().unwrap_or_default()))
        })
    }

    fn expect_width(&self, values: Bits<'_>) -> Result<()> {
        let (expected, got) = (8 * self.array.bits().width() as u32, 8 * values.width() as u32);
        if got == expected { Ok(()) } else { Err(Error::Bits { what: VALUES, expected, got }) }
    }

    /// Moves the array to where there is room for so many elements, and builds the index there, with these behind the others.
    fn grow(&mut self, room: usize, more: Option<Bits<'_>>) -> Result<()> {
        let (len, old) = (self.array.len(), self.index.keys());
        let keys = Keys::new(old.device(), room as u64, old.words())?;
        keys.write(0, self.array.bits())?;
        if let Some(more) = more {
            keys.write(len as u64, more)?;
        }
        let all = view(&keys, len + more.map_or(0, |more| more.len()));
        let mut index = Index::with_room(all, room as u64, self.index.coding())?;
        index.set_tile(self.index.tile());
        (self.index, self.room) = (index, Some(keys));
        Ok(())
    }

    fn reserve_on_host(&mut self, more: usize) -> Result<()> {
        by_width!(Array, &mut self.array, array => change(array, |array| {
            let bytes = (array.len() + more).saturating_mul(size_of_val(&array[..]) / array.len().max(1));
            array.try_reserve(more).map_err(|_| Error::OutOfMemory { bytes, what: ARRAY })
        }))
    }

    /// With elements for which there is room.
    fn extend_on_host(&mut self, values: Bits<'_>) {
        by_width!(Array, &mut self.array, array => {
            let done = change(array, |array| {
                array.extend_from_slice(Rank::of_bits(values).unwrap_or_default());
                Ok(())
            });
            done.expect("an array of its own");
        });
    }
}

impl Index {
    /// Whether the ranks of these keys tell their bits: no NaN, no negative zero.
    fn tells_bits(&self, keys: Bits<'_>) -> bool {
        fn tell<R: Rank>(keys: &[R], coding: Coding) -> bool {
            let ranking = coding.ranking();
            try_for_each_chunk(keys.len(), TASK, &|range| {
                keys[range].iter().all(|key| key.ranked(ranking).unrank(ranking) == Some(*key))
            })
        }
        !self.coding().is_float() || by_width!(Bits, keys, keys => tell(keys, self.coding()))
    }
}

/// Whether every position is larger than the one before it, so that none is there twice.
fn ascend<P: Position>(positions: &[P]) -> bool {
    try_for_each_chunk(positions.len(), TASK, &|range| {
        // With the one before the range.
        positions[range.start.saturating_sub(1)..range.end].windows(2).all(|pair| pair[0] < pair[1])
    })
}

/// The first elements of an array.
fn view(room: &Keys, len: usize) -> Keys {
    let mut view = room.clone();
    view.truncate(len as u64);
    view
}

/// Changes an array as a vector, which it is.
fn change<R: Rank>(array: &mut Storage<'_, R>, change: impl FnOnce(&mut Vec<R>) -> Result<()>) -> Result<()> {
    let mut vec = std::mem::replace(array, Vec::new().into()).into_vec(ARRAY)?;
    let done = change(&mut vec);
    *array = vec.into();
    done
}
