//! Cartesian trees, from nearest smaller values.
//!
//! The node of an element is the ancestor of all elements between its nearest not larger one on the left and its
//! nearest smaller one on the right; equal elements descend from the leftmost. So the tree is binary, its inorder is
//! the array, and the root is the leftmost minimum. The parent is the larger of the two neighbours, and which one
//! that is follows from the neighbours themselves: all between them is larger than either, so the left one is not
//! larger than the right one just if it is that one's neighbour.
//!
//! Work O(n), that of two ANSV runs of one side each and of one pass; memory: 8 bytes an element. Gabow, Bentley and
//! Tarjan 1984, Berkman, Schieber and Vishkin 1993.

use thalweg_core::{Coding, Error, Key, Order, Result};

use crate::ansv;
use crate::array::{DeviceArray, Keys};
use crate::device::Device;
use crate::inlabel::Inlabel;
use crate::primitives::elementwise::Elementwise;
use crate::recorder::Recorder;

/// The Cartesian tree of an array: every subtree covers a range of it, with the leftmost best element of the range as
/// its root.
///
/// ```no_run
/// use thalweg_gpu::{Choice, Device, tree::Cartesian};
/// let device = Device::open(&Choice::Auto)?;
/// let tree = Cartesian::new(&device.upload(&[3, 1, 4, 1, 5])?)?;
/// assert_eq!(tree.parents()?.to_vec()?, [1, u32::MAX, 3, 1, 3]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cartesian {
    /// The neighbours of every element; `u32::MAX` where there is none.
    left: DeviceArray<u32>,
    right: DeviceArray<u32>,
}

/// Elements at most: their numbers, counted from 1, take 31 bits.
const MOST: u64 = (1 << 31) - 1;

impl Cartesian {
    /// The tree of an array on the device, with the leftmost minimum at the root.
    pub fn new<K: Key>(array: &DeviceArray<K>) -> Result<Self> {
        Self::with_order(array, Order::Min)
    }

    /// The tree with the leftmost best element by an order at the root.
    pub fn with_order<K: Key>(array: &DeviceArray<K>, order: Order) -> Result<Self> {
        Self::of_keys(array.keys(), Coding::of::<K>(order))
    }

    /// The tree of keys without their type.
    pub(crate) fn of_keys(array: &Keys, coding: Coding) -> Result<Self> {
        let len = array.len();
        if len > MOST {
            return Err(Error::device_limit(format!("Cartesian tree of {len} elements: more than {MOST}")));
        }
        let [left, right] = ansv::bounds(array, coding)?;
        Ok(Self { left, right })
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.left.len()
    }

    /// The same, as kernels count them.
    fn count(&self) -> u64 {
        self.left.count()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.left.is_empty()
    }

    /// The device that holds it.
    pub fn device(&self) -> &Device {
        self.left.device()
    }

    /// Declares `parent_of(i)`.
    fn with_parents<'a>(&'a self, kernel: Elementwise<'a>) -> Elementwise<'a> {
        kernel.include(include_str!("parent.wgsl")).reads("left", "u32", &self.left).reads("right", "u32", &self.right)
    }

    /// The parent of every element; `u32::MAX` for the root.
    pub fn parents(&self) -> Result<DeviceArray<u32>> {
        let parents = DeviceArray::new(self.device(), self.count())?;
        let mut commands = self.device().record();
        let put = "parents_put(i, parent_of(i));";
        self.with_parents(Elementwise::statement(self.device(), self.count(), "cartesian parents", put))
            .writes("parents", "u32", &parents)
            .dispatch(&mut commands, &[])?;
        commands.submit()?;
        Ok(parents)
    }

    /// The left and the right child of every element; `u32::MAX` where there is none.
    pub fn children(&self) -> Result<[DeviceArray<u32>; 2]> {
        let (device, len) = (self.device(), self.count());
        let [left, right] = [DeviceArray::new(device, len)?, DeviceArray::new(device, len)?];
        let mut commands = device.record();
        Elementwise::statement(device, len, "no children", "lefts_put(i, NO_ELEMENT); rights_put(i, NO_ELEMENT);")
            .writes("lefts", "u32", &left)
            .writes("rights", "u32", &right)
            .dispatch(&mut commands, &[])?;
        self.with_parents(Elementwise::new(device, len, "cartesian children", include_str!("children.wgsl")))
            .writes("lefts", "u32", &left)
            .writes("rights", "u32", &right)
            .dispatch(&mut commands, &[])?;
        commands.submit()?;
        Ok([left, right])
    }

    /// The position of the root: the leftmost best element.
    pub fn root(&self) -> Result<Option<usize>> {
        if self.is_empty() {
            return Ok(None);
        }
        let root = DeviceArray::<u32>::new(self.device(), 1)?;
        let mut commands = self.device().record();
        let put = "if parent_of(i) == NO_ELEMENT { root_put(0u, i); }";
        self.with_parents(Elementwise::statement(self.device(), self.count(), "cartesian root", put))
            .writes("root", "u32", &root)
            .dispatch(&mut commands, &[])?;
        commands.submit()?;
        Ok(root.to_vec()?.first().map(|&root| root as usize))
    }

    /// Records the construction of the index for lowest common ancestors: see [`Inlabel`].
    pub(crate) fn record_inlabel(&self, commands: &mut Recorder<'_>) -> Result<Inlabel> {
        let len = self.count();
        let index = Inlabel::new(self.device(), len, len)?;
        let declare = |kernel| self.with_parents(kernel).include(include_str!("inlabel.wgsl"));
        index.record(commands, len, declare)?;
        Ok(index)
    }
}
