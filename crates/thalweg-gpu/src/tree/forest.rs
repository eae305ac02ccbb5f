//! Roots and depths: the front door of forests.

use thalweg_core::Result;
use thalweg_core::memory::filled;

use super::children::Children;
use super::depths;
use super::parents::check_parents;
use super::tour::EulerTour;
use super::{Engine, tour};
use crate::array::DeviceArray;
use crate::device::Device;

/// The root and the depth of every node, on the host, and the name of the engine that found them. What [`Forest`] finds, in half
/// the device's memory, as nothing stays there; the host touches its own meanwhile.
///
/// ```no_run
/// use thalweg_gpu::{Choice, Device, tree};
/// let device = Device::open(&Choice::Auto)?;
/// let (roots, depths, _) = tree::roots_and_depths(&device.upload(&[2, 0, 2])?, None)?;
/// assert_eq!((roots, depths), (vec![2, 2, 2], vec![1, 2, 0]));
/// # Ok::<(), thalweg_core::Error>(())
/// ```
///
/// # Errors
/// As [`Forest::from_parents`].
pub fn roots_and_depths(
    parents: &DeviceArray<u32>,
    engine: Option<Engine>,
) -> Result<(Vec<u32>, Vec<u32>, &'static str)> {
    let find = || {
        check_parents(parents)?;
        depths::find(parents, engine)
    };
    let memory = |what| filled(parents.len(), 0, what);
    let (found, memory) = rayon::join(find, || Ok((memory("roots")?, memory("depths")?)));
    let (found, (mut roots, mut depths)) = (found?, memory?);
    found.download(&mut roots, &mut depths)?;
    Ok((roots, depths, found.engine.name()))
}

/// A forest, with the root and the depth of every node.
///
/// ```no_run
/// use thalweg_gpu::{Choice, Device, tree::Forest};
/// let device = Device::open(&Choice::Auto)?;
/// // 2 is the root of 0, 3 and 4, 0 that of 1; 5 is alone.
/// let forest = Forest::from_parents(device.upload(&[2, 0, 2, 2, 2, u32::MAX])?)?;
/// assert_eq!(forest.depths().to_vec()?, [1, 2, 0, 1, 1, 0]);
/// assert_eq!(forest.tour()?.preorder().to_vec()?, [1, 2, 0, 3, 4, 5]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Forest {
    parents: DeviceArray<u32>,
    roots: DeviceArray<u32>,
    depths: DeviceArray<u32>,
    engine: Engine,
}

impl Forest {
    /// Checks that the parents make a forest, and finds roots and depths: by walks and, where trees are deep, by the Euler
    /// tour.
    ///
    /// Work O(n); memory: 16 bytes a node, 70 for deep trees.
    ///
    /// # Errors
    /// Those of the [contract](thalweg_trees::tree#the-contract-on-every-device), and of the device.
    pub fn from_parents(parents: DeviceArray<u32>) -> Result<Self> {
        Self::with_engine(parents, None)
    }

    /// The same by an engine of the caller's choice.
    ///
    /// # Errors
    /// As [`Forest::from_parents`].
    pub fn with_engine(parents: DeviceArray<u32>, engine: Option<Engine>) -> Result<Self> {
        check_parents(&parents)?;
        let found = depths::find(&parents, engine)?;
        let engine = found.engine;
        let (roots, depths) = found.apart()?;
        Ok(Self { parents, roots, depths, engine })
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// The device that holds it.
    pub fn device(&self) -> &Device {
        self.parents.device()
    }

    /// Name of the engine that found roots and depths.
    pub fn engine(&self) -> &'static str {
        self.engine.name()
    }

    /// The parents as they were given.
    pub fn parents(&self) -> &DeviceArray<u32> {
        &self.parents
    }

    /// The root of every node's tree.
    pub fn roots(&self) -> &DeviceArray<u32> {
        &self.roots
    }

    /// How many edges every node is away from its root.
    pub fn depths(&self) -> &DeviceArray<u32> {
        &self.depths
    }

    /// The children of every node. See [`Children`].
    pub fn children(&self) -> Result<Children> {
        Children::of_checked(&self.parents)
    }

    /// The Euler tour. See [`EulerTour`].
    pub fn tour(&self) -> Result<EulerTour> {
        tour::run(&self.parents, None)
    }

    /// Roots and depths, without the rest.
    pub fn into_roots_and_depths(self) -> (DeviceArray<u32>, DeviceArray<u32>) {
        (self.roots, self.depths)
    }
}
