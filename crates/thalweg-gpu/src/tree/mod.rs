//! Forests and trees on the device.
//!
//! A [`Forest`] is an array of parents; a root is its own parent, or has none (`u32::MAX`). From it follow [roots and
//! depths](Forest::depths), [children](Forest::children) and the [Euler tour](Forest::tour) with preorder, postorder,
//! sizes and depths.

mod cartesian;
mod children;
mod depths;
pub mod lca;
mod subtree;
mod tour;

use thalweg::{Error, Key, Result, engine_names};

pub use self::cartesian::Cartesian;
pub use self::children::Children;
pub use self::depths::Depths;
pub use self::subtree::Nodes;
pub use self::tour::Tour;
use crate::array::DeviceArray;
use crate::device::Device;
use crate::kernel::Source;
use crate::list;
use crate::recorder::Recorder;
use crate::transfer::read_word;

engine_names! {
    /// The engines for roots and depths.
    "forest on the device": Engine {
        /// Walks to nodes that know, and pointer jumping for deep trees. The default, but for deep trees.
        PointerJumping = "pointer_jumping",
        /// From the Euler tour. The default for deep trees.
        EulerTour = "euler_tour",
    }
}

/// Threads of a workgroup. Not measured.
const THREADS: u32 = 256;

/// A forest, given by the parent of every node.
///
/// ```no_run
/// use thalweg_gpu::{Choice, Device, tree::Forest};
/// let device = Device::open(&Choice::Auto)?;
/// // 2 is the root of 0, 3 and 4, 0 that of 1; 5 is alone.
/// let forest = Forest::from_parents(device.upload(&[2, 0, 2, 2, 2, u32::MAX])?)?;
/// assert_eq!(forest.depths()?.depths.to_vec()?, [1, 2, 0, 1, 1, 0]);
/// assert_eq!(forest.tour()?.preorder.to_vec()?, [1, 2, 0, 3, 4, 5]);
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Forest {
    parents: DeviceArray<u32>,
    list: list::Builder,
}

impl Forest {
    /// The forest of these parents. A parent that is no node is an error that names the first node that has one. A
    /// cycle is found by what is computed from the parents, and is an error then that names the first node on one.
    pub fn from_parents(parents: DeviceArray<u32>) -> Result<Self> {
        let len = parents.len();
        if len > list::MOST - 1 {
            return Err(Error::device_limit(format!("forest of {len} nodes: more than {}", list::MOST - 1)));
        }
        if let Some((element, to)) = first_bad(&parents, len, true)? {
            return Err(Error::Link { what: "node", element: element as usize, to: to.into(), len: len as usize });
        }
        Ok(Self { parents, list: list::Builder::new() })
    }

    /// How many nodes there are.
    pub fn len(&self) -> u64 {
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

    /// The parent of every node, as given.
    pub fn parents(&self) -> &DeviceArray<u32> {
        &self.parents
    }

    /// For measurements and tests: how Euler tours are ranked.
    #[doc(hidden)]
    pub fn list_builder(mut self, list: list::Builder) -> Self {
        self.list = list;
        self
    }

    /// The root of every node's tree, and every node's distance to it: by walks and, where trees are deep, by the Euler
    /// tour.
    ///
    /// Work O(n); memory: 16 bytes a node, 70 for deep trees.
    pub fn depths(&self) -> Result<Depths> {
        depths::run(self, true)
    }

    /// The same by a certain engine.
    pub fn depths_by(&self, engine: Engine) -> Result<Depths> {
        match engine {
            Engine::PointerJumping => depths::run(self, false),
            Engine::EulerTour => tour::depths(self, &self.tour()?),
        }
    }

    /// The children of every node, in increasing order, and the roots. Cycles are not noticed.
    ///
    /// Work O(n) a digit of a radix sort; memory: 16 bytes a node while it runs.
    pub fn children(&self) -> Result<Children> {
        Ok(children::run(self)?.0)
    }

    /// The Euler tour: preorder, sizes and depths, and what follows from them. At most 2^30 nodes.
    ///
    /// Work O(n) and that of [`Forest::children`]; memory: 70 bytes a node while it runs.
    pub fn tour(&self) -> Result<Tour> {
        tour::run(self, self.list)
    }

    /// The error for parents with a cycle: names the first node on one. By walking on the host, as there is no result
    /// to compute any more.
    fn cycle(&self) -> Result<Error> {
        let parents = self.parents.to_vec()?;
        let mut seen_by = vec![u32::MAX; parents.len()];
        let mut first = parents.len();
        for start in 0..parents.len() {
            let mut at = start;
            while seen_by[at] == u32::MAX {
                seen_by[at] = start as u32;
                match parents[at] as usize {
                    up if parents[at] != u32::MAX && up != at => at = up,
                    _ => break,
                }
            }
            // A way that meets itself, and not at a root, is a cycle from there on.
            if seen_by[at] == start as u32 && parents[at] != u32::MAX && parents[at] as usize != at {
                let mut on = at;
                loop {
                    first = first.min(on);
                    on = parents[on] as usize;
                    if on == at {
                        break;
                    }
                }
            }
        }
        Ok(Error::Cycle { what: "node", element: first.min(parents.len().saturating_sub(1)) })
    }
}

/// The first entry that is no node, and what it is. With `or_none`, `u32::MAX` is allowed.
fn first_bad(nodes: &DeviceArray<u32>, len: u64, or_none: bool) -> Result<Option<(u32, u32)>> {
    let device = nodes.device();
    let bad = device.words(1, "entries that are no nodes")?;
    let mut commands = device.record();
    commands.clear(&bad, 4);
    let or_none = if or_none { "node != NO_NODE && " } else { "" };
    // The largest complement is that of the first entry.
    let body = format!("let node = nodes_at(i);\n    if {or_none}node >= params.a {{ atomicMax(&bad[0], ~i); }}");
    NodeKernel::on(device, nodes.len(), "check nodes", &body)
        .reads("nodes", "u32", nodes)
        .declare(|source| source.atomics("bad"), [bad.all()].into_iter())
        .dispatch(&mut commands, &[len as u32])?;
    commands.submit()?;
    match read_word(device, &bad, 0)? {
        0 => Ok(None),
        bad => Ok(Some((!bad, list::element_of(nodes, (!bad).into())?))),
    }
}

/// A kernel with one thread an element and a few lines of its own.
pub(crate) struct NodeKernel<'a> {
    device: &'a Device,
    count: u64,
    source: Source,
    bindings: Vec<crate::memory::Binding<'a>>,
}

impl<'a> NodeKernel<'a> {
    /// One thread a node.
    fn new(forest: &'a Forest, name: &'static str, body: &str) -> Self {
        Self::on(forest.device(), forest.len(), name, body)
    }

    /// One thread for each of `count` elements, which are fewer than 2^32 - 2^8. The lines know `i`.
    pub(crate) fn on(device: &'a Device, count: u64, name: &'static str, body: &str) -> Self {
        let source = Source::new(name, include_str!("nodes.wgsl"), "for_each").constant("THREADS", THREADS);
        Self { device, count, source: source.replace("BODY", body), bindings: Vec::new() }
    }

    pub(crate) fn count(mut self, count: u64) -> Self {
        self.count = count;
        self
    }

    pub(crate) fn include(mut self, text: &str) -> Self {
        self.source = self.source.include(text);
        self
    }

    pub(crate) fn declare(
        mut self,
        declare: impl FnOnce(Source) -> Source,
        bindings: impl Iterator<Item = crate::memory::Binding<'a>>,
    ) -> Self {
        self.source = declare(self.source);
        self.bindings.extend(bindings);
        self
    }

    pub(crate) fn reads<K: Key>(self, name: &'static str, element: &'static str, array: &'a DeviceArray<K>) -> Self {
        self.declare(|source| source.reads_sharded(name, element, array.sharding()), array.bindings())
    }

    pub(crate) fn writes<K: Key>(self, name: &'static str, element: &'static str, array: &'a DeviceArray<K>) -> Self {
        self.declare(|source| source.writes_sharded(name, element, array.sharding()), array.bindings())
    }

    /// An array seen as pairs.
    pub(crate) fn reads_pairs(self, name: &'static str, array: &'a DeviceArray<u32>) -> Self {
        let sharding = array.sharding().map(|(shift, shards)| (shift - 1, shards));
        self.declare(|source| source.reads_sharded(name, "vec2<u32>", sharding), array.bindings())
    }

    /// An array seen as pairs.
    pub(crate) fn writes_pairs(self, name: &'static str, array: &'a DeviceArray<u32>) -> Self {
        let sharding = array.sharding().map(|(shift, shards)| (shift - 1, shards));
        self.declare(|source| source.writes_sharded(name, "vec2<u32>", sharding), array.bindings())
    }

    /// An array seen as vectors of 16 bytes.
    fn writes_packs<K: Key>(self, name: &'static str, array: &'a DeviceArray<K>) -> Self {
        let sharding = array.packs().sharding;
        self.declare(|source| source.writes_sharded(name, "vec4<u32>", sharding), array.bindings())
    }

    /// Records the kernel. Its parameters `a`, `b` and `c` are these.
    pub(crate) fn dispatch(self, commands: &mut Recorder<'_>, params: &[u32]) -> Result<()> {
        let mut all = vec![self.count as u32];
        all.extend_from_slice(params);
        all.resize(4, 0);
        let groups = self.count.div_ceil(THREADS.into());
        commands.dispatch(&*self.device.kernel(&self.source)?, groups, &self.bindings, &all)
    }
}
