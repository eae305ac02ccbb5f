//! An index that owns its array, and changes with it.

use std::ops::Deref;

use super::batch::OnCpu;
use super::engine::{ChangingEngine, RmqEngine};
use super::handle::Rmq;
use super::lines::ChangingLines;
use crate::width::expect_width;
use thalweg_core::bits::{Array, Bits, keys_of};
use thalweg_core::{Chosen, Coding, Error, Key, Order, Position, Result, by_width};

/// Builds the engine `lines` of the CPU over the bits of an array that is going to change. What is lent is copied.
///
/// # Errors
/// [`Error::OutOfMemory`]; [`Error::Bits`] if the coding is for keys of another width.
pub fn build_changing(array: Array<'_>, coding: Coding) -> Result<Box<dyn RmqEngine>> {
    expect_width(array.bits(), coding)?;
    by_width!(Array, array, array => {
        Ok(Box::new(OnCpu(ChangingLines::new(array.into_vec("the array")?, coding.ranking())?)))
    })
}

/// A range-minimum index that owns its array and follows its changes: elements that are set, elements that are appended.
///
/// It answers all that an [`Rmq`] does, as fast, between the changes: `&self` to ask, `&mut self` to change.
///
/// ```
/// # use thalweg_arrays as thalweg;
/// use thalweg::{Order, rmq::Changing};
/// let mut prices = Changing::new(vec![31, 41, 59, 26], Order::Min)?;
/// assert_eq!(prices.position(..), Some(3));
/// prices.set(2, 5)?;
/// prices.append(&[35, 89])?;
/// assert_eq!((prices.position(..), prices.value(3..)), (Some(2), Some(26)));
/// prices.set_batch(&[2u32, 5, 2], &[97, 9, 3])?;
/// assert_eq!(prices.array(), [31, 41, 3, 26, 35, 9]);
/// # Ok::<(), thalweg::Error>(())
/// ```
///
/// *Work.* An element that is set takes constant time, unless it changes the minimum of its group of 4,096 elements: then the
/// table over the groups changes, which is up to n/2048 entries. That happens to one random element in 2,000, and a batch
/// pays for it once. Appending takes constant time an element, over many.
///
/// *Memory.* That of an [`Rmq`] with `lines`; after elements have been appended up to half as much more, for array and
/// index, as room for others.
#[derive(Debug)]
pub struct Changing<K: Key> {
    rmq: Rmq<'static, K>,
}

impl<K: Key> Changing<K> {
    /// An index on the CPU over an array that it takes.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn new(array: Vec<K>, order: Order) -> Result<Self> {
        let engine = build_changing(Array::of(array), Coding::of::<K>(order))?;
        let chosen = Chosen::on_cpu(engine.name(), "the engine that follows changes");
        Self::from_engine(engine, order, chosen)
    }

    /// An index of an engine of the caller's, such as one that runs on another device. It must be over keys of this type, by
    /// this order.
    ///
    /// # Errors
    /// [`Error::BadOption`] for an engine that follows no changes.
    pub fn from_engine(mut engine: Box<dyn RmqEngine>, order: Order, chosen: Chosen) -> Result<Self> {
        if engine.as_changing().is_none() {
            let reason = format!("'{}' does not follow changes of its array: only 'lines' does", engine.name());
            return Err(Error::BadOption { option: "engine", reason });
        }
        Ok(Self { rmq: Rmq::from_engine(engine, order, chosen) })
    }

    /// The array as it is now.
    pub fn array(&self) -> &[K] {
        self.rmq.engine.array().and_then(keys_of).expect("an engine that follows changes has its array")
    }

    /// Sets one element.
    ///
    /// # Errors
    /// Those of [`Changing::set_batch`].
    pub fn set(&mut self, position: usize, value: K) -> Result<()> {
        self.set_batch(&[position as u64], &[value])
    }

    /// Sets many elements, on all threads of the current rayon pool. Where a position is there several times the last one
    /// wins, on any number of threads.
    ///
    /// # Errors
    /// [`Error::Change`] names the first position that is not inside the array, [`Error::Length`] tells of more or fewer values
    /// than positions, [`Error::OutOfMemory`]: then nothing has changed. Those of a device.
    pub fn set_batch<P: Position>(&mut self, positions: &[P], values: &[K]) -> Result<()> {
        self.engine().set_batch(P::view(positions), Bits::of(values))
    }

    /// Appends elements.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]: then nothing has changed. Those of a device.
    pub fn append(&mut self, values: &[K]) -> Result<()> {
        let done = self.engine().append(Bits::of(values));
        self.rmq.len = self.rmq.engine.len();
        done
    }

    /// Makes room for so many more elements: what is appended up to there moves nothing.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]: then nothing has changed. Those of a device.
    pub fn reserve(&mut self, additional: usize) -> Result<()> {
        let len = self.rmq.len.saturating_add(additional);
        self.engine().reserve(len)
    }

    fn engine(&mut self) -> &mut dyn ChangingEngine {
        self.rmq.engine.as_changing().expect("asked when the index was made")
    }
}

/// All questions: those of an index that does not change.
impl<K: Key> Deref for Changing<K> {
    type Target = Rmq<'static, K>;

    fn deref(&self) -> &Rmq<'static, K> {
        &self.rmq
    }
}
