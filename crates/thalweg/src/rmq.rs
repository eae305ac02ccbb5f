//! Range minimum queries (RMQ), on any device.
//!
//! Given an array, answer many times: where is the smallest element between two positions? It does not change, but for
//! [`Changing`], which owns it.
//! [`Rmq::new`] builds an index with the default engine on the CPU; [`Builder`] chooses order, engine and device.
//!
//! | engine | idea | extra memory | query | where |
//! |---|---|---|---|---|
//! | `lines` (default) | minima of cache lines, opened only where they can matter, under a small table | 9 % | O(1), mostly from cache | CPU, GPU |
//! | `hierarchy` | minima of chunks of c, of those again, down to t chunks | n/(c-1) keys and positions | O(c log n + ct) | CPU, GPU |
//! | `padded_tree` | codes of the Cartesian trees of blocks, packed tables over them | 4.1 bits an element | O(1), mostly from cache | CPU, GPU |
//! | `inlabel` | lowest common ancestors in the Cartesian tree | 24 bytes an element, 16 on GPUs | O(1), two to four random reads | CPU, GPU |
//! | `balanced_parens` | pushes and pops of a stack as parentheses; needs no array | 2.25 bits an element | O(1) but for rare bisections | CPU |
//! | `sparse_table` | the answer for every power-of-two range | n log n positions | O(1), two random reads | CPU |
//! | `prefix_suffix_tree` | prefix and suffix minima in every node of a binary tree | n log n positions | O(1), two random reads | CPU |
//! | `naive` | scans the range | none | O(n) | CPU, GPU |

use std::borrow::Cow;

use thalweg_arrays::rmq::build;
#[cfg(feature = "file")]
pub use thalweg_arrays::rmq::file;
pub use thalweg_arrays::rmq::{
    Assignment, Below, Changing, ChangingEngine, Engine, HierarchyOptions, LinesOptions, Listed, Load,
    PaddedTreeOptions, RayOptions, Rmq, RmqEngine, Smallest, build_changing, build_in_parts, build_without_array,
    bytes_in_parts,
};
use thalweg_core::bits::Array;
use thalweg_core::{Chosen, Coding, Key, Order, Result};

use crate::Device;
use crate::costs::Costs;
use crate::device::{Question, on_device, threads};
use crate::setters::setters;

/// What building an index over `len` keys of `width` bytes and asking it `queries` times costs.
///
/// On the CPU some 0.1 ns a byte and 45 ns a query, over the threads, and 0.07 ns an element on any number of them, which share the memory. On a GPU a
/// batch streams, in memory that is used again: 21 GB/s both ways on an H200.
pub fn costs(len: usize, width: usize, queries: usize, threads: usize) -> Costs {
    let (len, queries, word) = (len as f64, queries as f64, width.max(4) as f64);
    let cpu = 0.07e-9 * len + (0.1e-9 * word * len + 45e-9 * queries) / threads as f64;
    Costs { cpu, bytes_up: len * word, bytes_down: 0.0, device: (8.0 + word) * queries / 21e9 }
}

/// Chooses order, engine and device of a range-minimum index.
///
/// ```
/// use thalweg::{Device, Order, rmq::{Builder, Engine}};
/// let a = [2.0, 9.0, 9.0, 4.0];
/// let highest = Builder::new().order(Order::Max).engine(Engine::Naive).device(Device::Cpu).build(&a)?;
/// assert_eq!(highest.position(..), Some(1));
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Builder {
    order: Order,
    engine: Option<Engine>,
    device: Device,
    queries: usize,
}

impl Builder {
    /// Minimum, default engine, [`Device::Auto`].
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Minimum or maximum.
        order: Order,
        /// Chooses the engine, with its options; `None` leaves the choice to the library.
        ///
        /// ```
        /// use thalweg::rmq::{Builder, Engine, HierarchyOptions};
        /// let pairs = HierarchyOptions { chunk: Some(2), threshold: Some(1), ..HierarchyOptions::DEFAULT };
        /// let layers = Builder::new().engine(Engine::Hierarchy(pairs)).build(&[4, 2, 8, 6])?;
        /// assert_eq!(layers.position(..), Some(1));
        /// # Ok::<(), thalweg::Error>(())
        /// ```
        engine: Option<Engine>,
        /// Chooses the device.
        device: Device,
    }

    /// How many queries are going to be asked, for [`Device::Auto`]: an index of which little is asked does not pay a GPU. One that is there takes less
    /// memory of the host for a few batches.
    pub fn expected_queries(mut self, queries: usize) -> Self {
        self.queries = queries;
        self
    }

    /// The engine that would be built.
    pub fn chosen_engine(&self) -> Engine {
        self.engine.unwrap_or(Engine::Lines(LinesOptions::DEFAULT))
    }

    /// Builds the index over a borrowed slice, or over an owned vector (`Rmq<'static, K>`).
    pub fn build<'a, K: Key>(&self, array: impl Into<Cow<'a, [K]>>) -> Result<Rmq<'a, K>> {
        self.build_bits(Array::of(array.into()), Coding::of::<K>(self.order))
            .map(|(engine, chosen)| Rmq::from_engine(engine, self.order, chosen))
    }
}

impl Builder {
    /// Builds an index that does not need the array afterwards and does not borrow it: it tells positions, no values.
    /// That takes an engine whose answers come from the index alone, which is on the CPU.
    ///
    /// # Errors
    /// [`Error::BadOption`](crate::Error::BadOption) for an engine that compares elements of the array when it is asked.
    pub fn build_without_array<K: Key>(&self, array: &[K]) -> Result<Rmq<'static, K>> {
        Rmq::without_array(array, self.order, self.chosen_engine())
    }

    /// Builds an index that owns the array and follows its changes: with the engine `lines`. On a GPU the host has a copy of
    /// the array, which follows too.
    ///
    /// ```
    /// use thalweg::{Order, rmq::Builder};
    /// let mut prices = Builder::new().order(Order::Max).build_changing(vec![3.5, 2.0, 4.25])?;
    /// prices.set(1, 9.0)?;
    /// prices.append(&[7.0])?;
    /// assert_eq!((prices.position(..), prices.position(2..)), (Some(1), Some(3)));
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::BadOption`](crate::Error::BadOption) for an engine that does not follow changes; those of the device.
    pub fn build_changing<K: Key>(&self, array: Vec<K>) -> Result<Changing<K>> {
        let (engine, chosen) = self.build_changing_bits(Array::of(array), Coding::of::<K>(self.order))?;
        Changing::from_engine(engine, self.order, chosen)
    }

    /// The same without a type: see [`build_bits`](Self::build_bits).
    ///
    /// # Errors
    /// As above.
    pub fn build_changing_bits(&self, array: Array<'_>, coding: Coding) -> Result<(Box<dyn RmqEngine>, Chosen)> {
        let engine = self.chosen_engine();
        if engine != Engine::Lines(LinesOptions::DEFAULT) {
            let reason = format!("'{engine}' does not follow changes of its array: only 'lines' does, without options");
            return Err(crate::Error::BadOption { option: "engine", reason });
        }
        let question = self.question(engine, array.len(), coding);
        // A device that fails must not take the array with it.
        let on_device = on_device!(
            self.device,
            question,
            |gpu| thalweg_gpu::rmq::build_changing(gpu, lent(&array), coding).map(Some),
            || Ok(None::<UnbuiltChanging>)
        )?;
        let (index, chosen) = on_device.into_parts();
        Ok((
            match index {
                #[cfg(feature = "gpu")]
                Some(index) => index.into_engine(),
                #[cfg(not(feature = "gpu"))]
                Some(never) => match never {},
                None => build_changing(array, coding)?,
            },
            chosen,
        ))
    }

    /// What `Auto` must know of an index.
    fn question(&self, engine: Engine, len: usize, coding: Coding) -> Question {
        Question {
            engine: engine.name(),
            gpu_engine: engine.name(),
            asked: self.engine.is_some(),
            on_cpu: is_on_cpu(engine),
            on_gpu: is_on_gpu(engine),
            costs: costs(len, coding.bytes(), self.queries, threads()),
        }
    }

    /// Builds the index over an array on a GPU, which it shares: queries and answers can stay there.
    #[cfg(feature = "gpu")]
    pub fn build_on_device<K: Key>(
        &self,
        array: thalweg_gpu::DeviceArray<K>,
    ) -> Result<thalweg_gpu::rmq::DeviceRmq<K>> {
        thalweg_gpu::rmq::DeviceRmq::with_engine(array, self.order, self.chosen_engine())
    }

    /// [`build`](Self::build) without a type: of the bits of an array, of keys that the coding tells the order of (which is
    /// the coding's, not this builder's). For those who learn the type at run time.
    pub fn build_bits<'a>(&self, array: Array<'a>, coding: Coding) -> Result<(Box<dyn RmqEngine + 'a>, Chosen)> {
        let engine = self.chosen_engine();
        let question = self.question(engine, array.len(), coding);
        // A device that fails must not take the array with it.
        let on_device = on_device!(
            self.device,
            question,
            |gpu| thalweg_gpu::rmq::build(gpu, array.bits(), coding, engine)
                .map(|index| Some(index.expecting(self.queries))),
            || Ok(None::<Unbuilt>)
        )?;
        #[cfg_attr(not(feature = "gpu"), allow(unused_mut))]
        let (index, mut chosen) = on_device.into_parts();
        #[cfg(feature = "gpu")]
        if let Some(remark) = index.as_ref().and_then(thalweg_gpu::rmq::Index::remark) {
            chosen = chosen.with_remark(remark);
        }
        Ok((
            match index {
                #[cfg(feature = "gpu")]
                Some(index) => index.with_array(array),
                #[cfg(not(feature = "gpu"))]
                Some(never) => match never {},
                None => build(array, coding, engine)?,
            },
            chosen,
        ))
    }
}

/// What a device has built: without GPUs, nothing.
#[cfg(feature = "gpu")]
type Unbuilt = thalweg_gpu::rmq::Index;
#[cfg(not(feature = "gpu"))]
type Unbuilt = std::convert::Infallible;
#[cfg(feature = "gpu")]
type UnbuiltChanging = thalweg_gpu::rmq::ChangingIndex;
#[cfg(not(feature = "gpu"))]
type UnbuiltChanging = std::convert::Infallible;

/// The same array, lent: a device copies it.
#[cfg(feature = "gpu")]
fn lent<'a>(array: &'a Array<'_>) -> Array<'a> {
    thalweg_core::by_width!(Array, array, array => Array::of(&array[..]))
}

/// Whether the CPU has an engine with these options.
pub(crate) fn is_on_cpu(engine: Engine) -> bool {
    match engine {
        Engine::Lines(options) => !options.compact,
        Engine::Hierarchy(options) => (options.group, options.load, options.assignment) == (None, None, None),
        engine => !engine.needs_gpu(),
    }
}

/// Whether GPUs have an engine.
pub(crate) fn is_on_gpu(engine: Engine) -> bool {
    use Engine::{Hierarchy, Inlabel, Lines, Naive, PaddedTree, Ray};
    matches!(engine, Lines(_) | Hierarchy(_) | PaddedTree(_) | Inlabel | Ray(_) | Naive)
}
