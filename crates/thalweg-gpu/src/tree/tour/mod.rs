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
//! Work O(n); memory: 70 bytes a node while it runs, most of it for the ranking; 17 without levels, of up to 2^26
//! nodes, and 25 of more.
//!
//! *Measured* on an H200, random tree of 2^26 nodes: 22.6 ms, of which the sort by parents 2.8, the links 4.6, the
//! walk 12.3, the last pass 1.4.

mod links;

use thalweg_core::{Error, Result};

use super::parents::{check_parents, cycle};
use crate::array::DeviceArray;
use crate::device::Device;
use crate::list::{Direction, Form, Heads, Input, Lists, Marked, STATUS, Status, Tuning};
use crate::primitives::elementwise::Elementwise;
use crate::primitives::{Op, inclusive_scan};
use crate::recorder::Recorder;

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
    expect_few(parents)?;
    let (device, len) = (parents.device(), parents.count());
    let array = || DeviceArray::<u32>::new(device, len);
    if len == 0 {
        return Ok(EulerTour { parents: parents.clone(), preorder: array()?, sizes: array()?, levels: array()? });
    }
    let links = links::in_order(parents)?;
    let tour = EulerTour { parents: parents.clone(), preorder: array()?, sizes: array()?, levels: array()? };
    walk(parents, &links, (Form::Two, false), tuning, |commands, marked| {
        Elementwise::new(device, len, "tour", include_str!("counts.wgsl"))
            .declare(|source| marked.declare(source.include(Form::Two.text())), marked.bindings())
            .writes("preorder", "u32", &tour.preorder)
            .writes("sizes", "u32", &tour.sizes)
            .writes("depths", "u32", &tour.levels)
            .dispatch(commands, &[marked.sublists()])
    })?;
    Ok(tour)
}

/// The ranges of all subtrees in preorder, of a forest that is not empty.
#[derive(Debug)]
pub(super) struct Ranges {
    /// A node's first number, counted from 2, and its last one.
    pub(super) pairs: DeviceArray<u64>,
    /// Memory that is of no more use: two pairs more than there are nodes.
    pub(super) spare: DeviceArray<u64>,
}

/// The ranges. Only entries are counted, siblings come in any order, and ranges take the place of marks: a third of the memory
/// of a tour, less to write at random places, and no sort.
pub(super) fn ranges(parents: &DeviceArray<u32>) -> Result<Ranges> {
    check_parents(parents)?;
    expect_few(parents)?;
    let links = links::in_any_order(parents)?;
    let narrow = numbered(parents, &links, true)?;
    let pairs = narrow.map_or_else(|| numbered(parents, &links, false), |pairs| Ok(Some(pairs)))?;
    Ok(Ranges { pairs: pairs.expect("wide marks are never too narrow"), spare: links.as_pairs() })
}

/// The ranges, unless marks are too narrow.
fn numbered(parents: &DeviceArray<u32>, links: &DeviceArray<u32>, narrow: bool) -> Result<Option<DeviceArray<u64>>> {
    const REPLACE: &str = "fn range_put(i: u32, range: vec2<u32>) {
        marks_put(2u * i, range.x);
        marks_put(2u * i + 1u, range.y);
    }\n";
    const APART: &str = "fn range_put(i: u32, range: vec2<u32>) { ranges_put(i, range); }\n";
    let (device, len) = (parents.device(), parents.count());
    let mut pairs = None;
    let done = walk(parents, links, (Form::One, narrow), None, |commands, marked| {
        let into = marked.narrow().map_or_else(|| DeviceArray::new(device, len), |words| Ok(words.as_pairs()))?;
        let kernel = Elementwise::new(device, len, "ranges", include_str!("ranges.wgsl")).include(Form::One.text());
        let kernel = match marked.narrow() {
            Some(_) => kernel.include(REPLACE).declare(|source| marked.declare_to_replace(source), marked.bindings()),
            None => kernel.include(APART).declare(|source| marked.declare(source), marked.bindings()).writes(
                "ranges",
                "vec2<u32>",
                &into,
            ),
        };
        kernel.dispatch(commands, &[marked.sublists()])?;
        pairs = Some(into);
        Ok(())
    })?;
    Ok(pairs.filter(|_| done))
}

fn expect_few(parents: &DeviceArray<u32>) -> Result<()> {
    let len = parents.count();
    if len > MOST {
        return Err(Error::device_limit(format!("Euler tour of {len} nodes: more than {MOST}")));
    }
    Ok(())
}

/// Walks the tour of a forest that is not empty; `then` records what follows from the marks, which may be narrow. Whether they
/// were not too narrow.
fn walk(
    parents: &DeviceArray<u32>,
    links: &DeviceArray<u32>,
    (form, narrow): (Form, bool),
    tuning: Option<Tuning>,
    then: impl FnOnce(&mut Recorder<'_>, &Marked) -> Result<()>,
) -> Result<bool> {
    let (device, count) = (parents.device(), 2 * parents.count());
    let status = device.words(STATUS, "status of lists")?;
    let mut commands = device.record();
    commands.clear(&status, 4 * STATUS);
    let tuning = tuning.unwrap_or_else(|| Tuning::of(count));
    let lists = Lists { device, form, direction: Direction::FromHead, status: &status, seed: 0, tuning, narrow };
    let marked = lists.record(&mut commands, Input::Tour(links, form), Heads::Root(count as u32), count as u32)?;
    then(&mut commands, &marked)?;
    let visits = marked.visits();
    marked.keep_in(&mut commands);
    commands.submit()?;
    let state = Status::read(device, &status)?;
    // The entries and exits of nodes on cycles, and below, are on no list from a root.
    if state.cycle || state.visited != visits {
        return Err(cycle(parents)?);
    }
    Ok(!state.long)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, testing};

    #[test]
    fn ranges_by_narrow_and_by_wide_marks() {
        let Some(device) = testing::open(Options { checked: true, binding_bytes: None }) else { return };
        for n in [1u32, 2, 300, 5000] {
            let parents: Vec<u32> = (0..n).map(|v| v.wrapping_mul(0x9e37_79b9) % (v / 2 + 1)).collect();
            let parents = device.upload(&parents).unwrap();
            let links = links::in_any_order(&parents).unwrap();
            let [narrow, wide] = [true, false].map(|narrow| numbered(&parents, &links, narrow).unwrap().unwrap());
            let (narrow, wide) = (narrow.to_vec().unwrap(), wide.to_vec().unwrap());
            assert_eq!(narrow, wide, "{n}");
            // The root's are all numbers, from 2 on, and every number is the first one of one node.
            assert_eq!(narrow[0], u64::from(n + 1) << 32 | 2);
            let mut firsts: Vec<u32> = narrow.iter().map(|&range| range as u32).collect();
            firsts.sort_unstable();
            assert!(firsts.into_iter().eq(2..n + 2), "{n}");
        }
    }
}
