//! Euler tours: from the children's lists to a list of entries and exits, which is ranked.
//!
//! Node v is entered by element 2v of the list and left by element 2v + 1. An entry is followed by that of the first
//! child, or by the node's own exit; an exit by the entry of the next sibling, or by the exit of the parent. The
//! roots are siblings, so there is one list for the whole forest. Entries and exits are counted apart, in one walk:
//! the entries before a node's own are its place in preorder, the exits before its own its place in postorder, and
//! their difference is its depth. Tarjan and Vishkin 1985.
//!
//! Who asks for no levels gets siblings in any order: then nothing is sorted, and less is counted.
//!
//! Work O(n); memory: 70 bytes a node while it runs, most of it for the ranking; 36 without levels.
//!
//! *Measured* on an H200, random tree of 2^26 nodes: 22.6 ms, of which the sort by parents 2.8, the links 4.6, the
//! walk 12.3, the last pass 1.4.

mod links;

use thalweg_core::{Error, Result};

use self::links::Links;
use super::parents::{check_parents, cycle};
use crate::array::DeviceArray;
use crate::device::Device;
use crate::list::{Direction, Form, Heads, Input, Lists, STATUS, Status, Tuning};
use crate::primitives::elementwise::Elementwise;
use crate::primitives::{Op, inclusive_scan};

/// Preorder, levels and sizes of a forest, and what follows from them.
///
/// ```no_run
/// use thalweg_gpu::{Choice, Device, tree::EulerTour};
/// let device = Device::open(&Choice::Auto)?;
/// // 2 is the root of 0 and 3, 0 that of 1; 4 is alone.
/// let tour = EulerTour::new(&device.upload(&[2u32, 0, 2, 2, 4])?)?;
/// assert_eq!(tour.order()?.to_vec()?, [2, 0, 1, 3, 4]);
/// assert_eq!(tour.preorder().to_vec()?, [1, 2, 0, 3, 4]);
/// assert_eq!(tour.sizes().to_vec()?, [2, 1, 4, 1, 1]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct EulerTour {
    parents: DeviceArray<u32>,
    preorder: DeviceArray<u32>,
    sizes: DeviceArray<u32>,
    levels: DeviceArray<u32>,
}

impl EulerTour {
    /// Makes the tour. A root is its own parent or has none. At most 2^30 nodes.
    ///
    /// Work O(n) and that of [`Children::new`](super::Children::new); memory: 70 bytes a node while it runs.
    ///
    /// # Errors
    /// Those of the [contract](thalweg_trees::tree#the-contract-on-every-device), and of the device.
    pub fn new(parents: &DeviceArray<u32>) -> Result<Self> {
        check_parents(parents)?;
        run(parents, None)
    }

    /// The same with other sizes than the library's for the list ranking, for measurements.
    ///
    /// # Errors
    /// As [`EulerTour::new`], and [`Error::BadOption`] for sizes that do not work.
    pub fn tuned(parents: &DeviceArray<u32>, tuning: Tuning) -> Result<Self> {
        tuning.check()?;
        check_parents(parents)?;
        run(parents, Some(tuning))
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// The same, as kernels count them.
    pub(super) fn count(&self) -> u64 {
        self.parents.count()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// The device that holds it.
    pub fn device(&self) -> &Device {
        self.parents.device()
    }

    /// The parents as they were given.
    pub fn parents(&self) -> &DeviceArray<u32> {
        &self.parents
    }

    /// Every node's place in preorder: nodes before their children, children and roots in increasing order.
    pub fn preorder(&self) -> &DeviceArray<u32> {
        &self.preorder
    }

    /// How many nodes every subtree has, its root included. They follow it in preorder.
    pub fn sizes(&self) -> &DeviceArray<u32> {
        &self.sizes
    }

    /// How many edges every node is away from its root.
    pub fn levels(&self) -> &DeviceArray<u32> {
        &self.levels
    }

    pub(super) fn as_ranges(&self) -> Ranges {
        Ranges { preorder: self.preorder.clone(), sizes: self.sizes.clone() }
    }

    /// An array that follows from a node's place `pre`, subtree `size` and `depth`: `put` writes the part of node `i`.
    fn derived(&self, put: &'static str) -> Result<DeviceArray<u32>> {
        let out = DeviceArray::new(self.device(), self.count())?;
        let mut commands = self.device().record();
        Elementwise::new(self.device(), self.count(), "tour", include_str!("derived.wgsl"))
            .include(&format!("fn derive(i: u32, pre: u32, size: u32, depth: u32) {{ {put} }}\n"))
            .reads("preorder", "u32", &self.preorder)
            .reads("sizes", "u32", &self.sizes)
            .reads("depths", "u32", &self.levels)
            .writes("out", "u32", &out)
            .dispatch(&mut commands, &[])?;
        commands.submit()?;
        Ok(out)
    }

    /// Every node's place in postorder: nodes behind their children.
    pub fn postorder(&self) -> Result<DeviceArray<u32>> {
        self.derived("out_put(i, pre + size - 1u - depth);")
    }

    /// Every node's first place in the tour of 2n places: where it is entered.
    pub fn firsts(&self) -> Result<DeviceArray<u32>> {
        self.derived("out_put(i, 2u * pre - depth);")
    }

    /// Every node's last place in the tour: just before it is left.
    pub fn lasts(&self) -> Result<DeviceArray<u32>> {
        self.derived("out_put(i, 2u * (pre + size) - depth - 2u);")
    }

    /// The nodes in preorder.
    pub fn order(&self) -> Result<DeviceArray<u32>> {
        self.derived("out_put(pre, i);")
    }

    /// The root of every node's tree: the last node of depth 0 before a node in preorder, or the node itself.
    pub fn roots(&self) -> Result<DeviceArray<u32>> {
        let (device, len) = (self.device(), self.count());
        // The places of the roots in preorder, and then the last root up to every place.
        let starts = DeviceArray::<u32>::new(device, len)?;
        let mut commands = device.record();
        Elementwise::new(device, len, "starts", include_str!("starts.wgsl"))
            .reads("preorder", "u32", &self.preorder)
            .reads("depths", "u32", &self.levels)
            .writes("starts", "u32", &starts)
            .dispatch(&mut commands, &[])?;
        commands.submit()?;
        let starts = inclusive_scan(&starts, Op::Max)?;
        let order = self.order()?;
        let roots = DeviceArray::<u32>::new(device, len)?;
        let mut commands = device.record();
        Elementwise::statement(device, len, "roots", "roots_put(i, order_at(starts_at(preorder_at(i))));")
            .reads("preorder", "u32", &self.preorder)
            .reads("starts", "u32", &starts)
            .reads("order", "u32", &order)
            .writes("roots", "u32", &roots)
            .dispatch(&mut commands, &[])?;
        commands.submit()?;
        Ok(roots)
    }
}

/// Nodes at most: their entries and exits are ranked.
pub(super) const MOST: u64 = crate::list::MOST / 2;

/// The tour of parents that are known to be nodes.
pub(super) fn run(parents: &DeviceArray<u32>, tuning: Option<Tuning>) -> Result<EulerTour> {
    let (Ranges { preorder, sizes }, levels) = walk(parents, tuning, Form::Two)?;
    Ok(EulerTour { parents: parents.clone(), preorder, sizes, levels })
}

/// The ranges of all subtrees in preorder.
#[derive(Debug)]
pub(super) struct Ranges {
    pub(super) preorder: DeviceArray<u32>,
    pub(super) sizes: DeviceArray<u32>,
}

/// The same without levels, for which only entries are counted, and with siblings in any order: half the memory of the walk,
/// less to write at random places, and no sort.
pub(super) fn ranges(parents: &DeviceArray<u32>) -> Result<Ranges> {
    check_parents(parents)?;
    Ok(walk(parents, None, Form::One)?.0)
}

/// Walks the tour, and counts entries and exits, or, in one sum, entries alone. Then there are no levels.
fn walk(parents: &DeviceArray<u32>, tuning: Option<Tuning>, form: Form) -> Result<(Ranges, DeviceArray<u32>)> {
    let (device, len) = (parents.device(), parents.count());
    if len > MOST {
        return Err(Error::device_limit(format!("Euler tour of {len} nodes: more than {MOST}")));
    }
    let array = || DeviceArray::<u32>::new(device, len);
    if len == 0 {
        return Ok((Ranges { preorder: array()?, sizes: array()? }, array()?));
    }
    let Links { links, head } =
        if form == Form::One { Links::in_any_order(parents)? } else { Links::in_order(parents)? };
    let ranges = Ranges { preorder: array()?, sizes: array()? };
    let levels = if form == Form::One { DeviceArray::new(device, 0)? } else { array()? };
    let status = device.words(STATUS, "status of lists")?;
    let mut commands = device.record();
    commands.clear(&status, 4 * STATUS);
    let tuning = tuning.unwrap_or_else(|| Tuning::of(2 * len));
    let text = if form == Form::One { include_str!("ranges.wgsl") } else { include_str!("counts.wgsl") };
    let lists = Lists { device, form, direction: Direction::FromHead, status: &status, seed: 0, tuning };
    let marked = lists.record(&mut commands, Input::Tour(&links, form), Heads::Listed(&head), 2 * len as u32)?;
    let kernel = Elementwise::new(device, len, "tour", text)
        .declare(|source| marked.declare(source.include(form.text())), marked.bindings())
        .writes("preorder", "u32", &ranges.preorder)
        .writes("sizes", "u32", &ranges.sizes);
    let kernel = if form == Form::One { kernel } else { kernel.writes("depths", "u32", &levels) };
    kernel.dispatch(&mut commands, &[marked.sublists()])?;
    let visits = marked.visits();
    marked.keep_in(&mut commands);
    commands.submit()?;
    let state = Status::read(device, &status)?;
    // The entries and exits of nodes on cycles, and below, are on no list from a root.
    if state.cycle || state.visited != visits {
        return Err(cycle(parents)?);
    }
    Ok((ranges, levels))
}
