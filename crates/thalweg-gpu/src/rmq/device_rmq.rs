//! The index over an array on the device, with its type.

use std::marker::PhantomData;

use thalweg_arrays::rmq::Engine;
use thalweg_core::bits::BitsMut;
use thalweg_core::error::expect_len;
use thalweg_core::{Coding, Key, Order, Position, Result};

use super::Index;
use super::lines::Shape;
use crate::array::DeviceArray;
use crate::recorder::Timing;

/// A range-minimum index over an array on the device, for queries that lie there, too.
///
/// With [`Order::Max`] read "largest" for "smallest" everywhere. Ties go to the leftmost position.
///
/// ```no_run
/// use thalweg_core::Order;
/// use thalweg_gpu::{Choice, Device, rmq::{DeviceRmq, Engine}};
/// let device = Device::open(&Choice::Auto)?;
/// let highest = DeviceRmq::with_engine(device.upload(&[2.0, 9.0, 9.0, 4.0])?, Order::Max, Engine::default())?;
/// let (queries, out) = (device.upload(&[0u32, 3, 2, 3])?, device.allocate::<u32>(2)?);
/// highest.positions(&queries, &out)?;
/// assert_eq!(out.to_vec()?, [1, 2]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
#[derive(Debug)]
pub struct DeviceRmq<K: Key> {
    index: Index,
    order: Order,
    keys: PhantomData<K>,
}

impl<K: Key> DeviceRmq<K> {
    /// An index for minima with the default engine. The array's memory is shared, not copied.
    pub fn new(array: DeviceArray<K>) -> Result<Self> {
        Self::with_engine(array, Order::Min, Engine::default())
    }

    /// An index with an order and an engine of the caller's choice.
    ///
    /// # Errors
    /// Those of [`build`](fn@super::build).
    pub fn with_engine(array: DeviceArray<K>, order: Order, engine: Engine) -> Result<Self> {
        let index = Index::over(array.keys().clone(), Coding::of::<K>(order), engine)?;
        Ok(Self { index, order, keys: PhantomData })
    }

    /// An index with the engine `lines` and sizes of the caller's, for measurements.
    ///
    /// # Errors
    /// [`Error::BadOption`](thalweg_core::Error::BadOption) for sizes that do not work.
    pub fn with_shape(array: DeviceArray<K>, order: Order, shape: Shape) -> Result<Self> {
        let (keys, coding) = (array.keys().clone(), Coding::of::<K>(order));
        let index = Index::with_shape(keys, coding, Engine::default(), Some(shape))?;
        Ok(Self { index, order, keys: PhantomData })
    }

    /// The same index, with other tiles for batches from the host, of so many queries: for measurements.
    pub fn with_tile(mut self, queries: usize) -> Self {
        self.index.set_tile(queries);
        self
    }

    /// Length of the array.
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether the array is empty. Then every query is out of range.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Name of the engine in use.
    pub fn engine(&self) -> &'static str {
        self.index.engine()
    }

    /// Whether minima or maxima are answered.
    pub fn order(&self) -> Order {
        self.order
    }

    /// The array.
    pub fn array(&self) -> DeviceArray<K> {
        self.index.keys().typed()
    }

    /// How long the device took to build the index.
    pub fn build_time(&self) -> Timing {
        self.index.build_time()
    }

    /// Bytes that the device holds in addition to the array.
    pub fn device_bytes(&self) -> usize {
        self.index.device_bytes()
    }

    /// The index without its type, such as for [`Index::with_array`].
    pub fn into_index(self) -> Index {
        self.index
    }

    /// Positions of the smallest elements of many ranges: `queries` holds left and right bounds in turn, both inclusive. How
    /// long the device took.
    ///
    /// # Errors
    /// [`Error::Query`](thalweg_core::Error::Query) names the first range that is not inside the array,
    /// [`Error::Width`](thalweg_core::Error::Width) if positions need 64 bits; then the output is unspecified.
    pub fn positions<P: Position>(&self, queries: &DeviceArray<P>, out: &DeviceArray<P>) -> Result<Timing> {
        self.index.expect_width::<P>()?;
        self.index.positions_on_device(queries.keys(), out.keys())
    }

    /// Smallest elements of many ranges, as [`DeviceRmq::positions`].
    pub fn values<P: Position>(&self, queries: &DeviceArray<P>, out: &DeviceArray<K>) -> Result<Timing> {
        self.index.values_on_device(queries.keys(), out.keys())
    }

    /// [`DeviceRmq::positions`] of queries from the host.
    pub fn positions_of_slice<P: Position>(&self, queries: &[[P; 2]], out: &mut [P]) -> Result<()> {
        expect_len("output of the batch", out.len(), queries.len())?;
        self.index.positions(P::pairs(queries), P::buffer(out))
    }

    /// [`DeviceRmq::values`] of queries from the host.
    pub fn values_of_slice<P: Position>(&self, queries: &[[P; 2]], out: &mut [K]) -> Result<()> {
        expect_len("output of the batch", out.len(), queries.len())?;
        self.index.values(P::pairs(queries), BitsMut::of(out))
    }
}
