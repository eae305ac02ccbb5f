//! The forest: how trees grow, fold, meet and are released.

use thalweg_core::Result;
use thalweg_core::error::try_with_capacity;
use thalweg_core::memory::{computed, filled, try_with_large_capacity};
use thalweg_core::simd::prefetch;

use crate::Rows;
use crate::matching::parts::Solved;
use crate::matching::{Label, NOBODY};

/// Vertices that a task looks at, where all are looked at.
const GRAIN: usize = 1 << 14;

/// Where a vertex is, ordered so that comparisons tell much. In bytes of their own, because most looks at a neighbour end
/// here, and 10^6 of them stay in the second-level cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    /// In no tree.
    New,
    /// At odd distance from the root of a tree, and in no blossom.
    Inner,
    /// At even distance from the root.
    Outer,
    /// At odd distance in the tree, but at even distance on another way, through a blossom.
    Turned,
}

/// What else is known of a vertex.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Node {
    partner: u32,
    /// Of inner and turned vertices: the outer vertex above.
    parent: u32,
    /// The number of its tree.
    tree: u32,
    /// When a search for a common base came by last.
    mark: u32,
    /// Of turned vertices: the edge that closed the cycle, its end below this vertex first.
    bridge: [u32; 2],
}

/// What is known of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tree {
    Alive,
    /// Its root was matched in this round.
    Spent,
    /// Its vertices were released.
    Released,
}

/// Two partners who joined a tree together.
#[derive(Clone, Copy, Debug)]
struct Couple {
    inner: u32,
    outer: u32,
    tree: u32,
}

/// An alternating forest, and the matching that it improves.
#[derive(Debug)]
pub(super) struct Forest<'a> {
    rows: Rows<'a>,
    states: Vec<State>,
    /// The way to the base of the blossom that a vertex is in: its own number if it is the base, or in none. Apart from the
    /// nodes, because nearly all edges of a large blossom are between its vertices.
    blossoms: Vec<u32>,
    nodes: Vec<Node>,
    trees: Vec<Tree>,
    /// The root of every tree.
    roots: Vec<u32>,
    /// Outer vertices whose neighbours are to be looked at, in the order in which they came.
    queue: Vec<u32>,
    /// Who is in a tree and no root, in the order in which they came.
    couples: Vec<Couple>,
    /// How many trees are alive, and how many are spent.
    alive: usize,
    spent: usize,
    mark: u32,
    /// Scratch of [`Forest::augment`].
    path: Vec<[u32; 2]>,
    stretches: Vec<[u32; 2]>,
}

impl<'a> Forest<'a> {
    /// A tree for everybody who has no partner.
    pub(super) fn new(rows: Rows<'a>, partners: &[u32]) -> Result<Self> {
        let n = rows.len();
        let mut states = filled(n, State::New, "states")?;
        let mut nodes = computed(n, GRAIN, "nodes of the forest", |v| Node {
            partner: partners[v],
            parent: NOBODY,
            tree: NOBODY,
            mark: 0,
            bridge: [NOBODY; 2],
        })?;
        let roots: Vec<u32> = (0..n as u32).filter(|&v| partners[v as usize] == NOBODY).collect();
        for (tree, &root) in (0..).zip(&roots) {
            states[root as usize] = State::Outer;
            nodes[root as usize].tree = tree;
        }
        // A vertex becomes outer once a round at most.
        let mut queue = try_with_large_capacity(n, "queue")?;
        queue.extend_from_slice(&roots);
        Ok(Self {
            rows,
            states,
            blossoms: computed(n, GRAIN, "blossoms", |v| v as u32)?,
            nodes,
            trees: vec![Tree::Alive; roots.len()],
            queue,
            couples: try_with_large_capacity(n / 2, "couples")?,
            alive: roots.len(),
            spent: 0,
            roots,
            mark: 0,
            path: Vec::new(),
            stretches: Vec::new(),
        })
    }

    /// Grows, matches and releases until no tree can grow.
    pub(super) fn grow_all(&mut self) -> Result<()> {
        loop {
            let mut next = 0;
            while let Some(&v) = self.queue.get(next) {
                next += 1;
                self.fetch_ahead(next);
                self.scan(v);
            }
            self.queue.clear();
            if self.spent == 0 {
                return Ok(());
            }
            self.release()?;
        }
    }

    /// The matching, and what the forest has come to.
    pub(super) fn solved(self) -> Result<Solved> {
        Ok(Solved {
            partners: computed(self.nodes.len(), GRAIN, "partners", |v| self.nodes[v].partner)?,
            labels: computed(self.states.len(), GRAIN, "labels", |v| match self.states[v] {
                State::New => Label::C,
                State::Inner => Label::A,
                State::Outer | State::Turned => Label::D,
            })?,
        })
    }

    #[inline(always)]
    fn node(&mut self, v: u32) -> &mut Node {
        &mut self.nodes[v as usize]
    }

    /// Asks for what the vertices in the queue from `next` on will need.
    #[inline(always)]
    fn fetch_ahead(&self, next: usize) {
        if let Some(&v) = self.queue.get(next + 6) {
            prefetch(self.rows.offsets(), v as usize);
        }
        if let Some(&v) = self.queue.get(next + 3) {
            prefetch(self.rows.targets(), self.rows.offsets()[v as usize]);
        }
        if let Some(&v) = self.queue.get(next) {
            for &u in self.rows.row(v).iter().take(8) {
                prefetch(&self.states, u as usize);
                prefetch(&self.blossoms, u as usize);
            }
        }
    }

    /// Looks at all neighbours of an outer vertex.
    fn scan(&mut self, v: u32) {
        let tree = self.node(v).tree;
        if self.trees[tree as usize] != Tree::Alive {
            return;
        }
        let mut base = self.base(v);
        for &u in self.rows.row(v) {
            match self.states[u as usize] {
                State::New => self.grow(v, u),
                State::Inner => {}
                State::Outer | State::Turned => {
                    if self.blossoms[u as usize] == base {
                        continue;
                    }
                    let bases = [base, self.base(u)];
                    if bases[0] == bases[1] {
                        continue;
                    }
                    let other = self.node(u).tree;
                    if other == tree {
                        self.shrink([v, u], bases);
                        base = self.base(v);
                    } else if self.trees[other as usize] == Tree::Alive {
                        return self.augment([v, u]);
                    }
                }
            }
        }
    }

    /// A vertex and its partner join the tree of an outer vertex beside it.
    fn grow(&mut self, v: u32, inner: u32) {
        let tree = self.node(v).tree;
        let node = self.node(inner);
        (node.parent, node.tree) = (v, tree);
        let outer = node.partner;
        self.node(outer).tree = tree;
        self.states[inner as usize] = State::Inner;
        self.states[outer as usize] = State::Outer;
        self.couples.push(Couple { inner, outer, tree });
        self.queue.push(outer);
    }

    /// The base of the blossom that an outer vertex is in. Halves the way there.
    #[inline]
    fn base(&mut self, mut v: u32) -> u32 {
        loop {
            let up = self.blossoms[v as usize];
            if up == v {
                return v;
            }
            let above = self.blossoms[up as usize];
            self.blossoms[v as usize] = above;
            v = above;
        }
    }

    /// The base above a base, or nobody above the root's.
    #[inline]
    fn above(&mut self, base: u32) -> u32 {
        match self.node(base).partner {
            NOBODY => NOBODY,
            inner => {
                let parent = self.node(inner).parent;
                self.base(parent)
            }
        }
    }

    /// The lowest base that is above two bases of one tree. Both ways are walked in turns, so that it takes no longer than
    /// the blossom is.
    fn common_base(&mut self, [mut a, mut b]: [u32; 2]) -> u32 {
        if self.mark == u32::MAX {
            self.mark = 0;
            self.nodes.iter_mut().for_each(|node| node.mark = 0);
        }
        self.mark += 1;
        loop {
            if a != NOBODY {
                if self.node(a).mark == self.mark {
                    return a;
                }
                self.node(a).mark = self.mark;
                a = self.above(a);
            }
            std::mem::swap(&mut a, &mut b);
        }
    }

    /// An edge between two bases of one tree makes a blossom of everything on the ways to their common base.
    fn shrink(&mut self, edge: [u32; 2], bases: [u32; 2]) {
        let top = self.common_base(bases);
        for (mut base, bridge) in [(bases[0], edge), (bases[1], [edge[1], edge[0]])] {
            while base != top {
                // In no blossom so far: it would be one with its partner's.
                let inner = self.node(base).partner;
                let node = self.node(inner);
                node.bridge = bridge;
                let parent = node.parent;
                self.blossoms[base as usize] = top;
                self.blossoms[inner as usize] = top;
                self.states[inner as usize] = State::Turned;
                self.queue.push(inner);
                base = self.base(parent);
            }
        }
    }

    /// Matches the roots of two trees that an edge joins: along the edge and the two ways to the roots, who was matched is
    /// not, and the other way round.
    fn augment(&mut self, edge: [u32; 2]) {
        self.path.push(edge);
        for v in edge {
            self.trace(v);
            let tree = self.node(v).tree;
            self.trees[tree as usize] = Tree::Spent;
            self.alive -= 1;
            self.spent += 1;
        }
        // Only now: the ways are told by partners.
        let mut path = std::mem::take(&mut self.path);
        for [a, b] in path.drain(..) {
            self.node(a).partner = b;
            self.node(b).partner = a;
        }
        self.path = path;
    }

    /// Adds to the path the edges that are to be matched on the way from an outer vertex to its root.
    ///
    /// An outer vertex is left by its partner and the partner's parent. A turned vertex `v` has its bridge below: the way is
    /// from `v` by its partner down to the one end, over the bridge, and from the other end on. The stretch between the
    /// partner and the lower end is walked later, upwards.
    fn trace(&mut self, v: u32) {
        self.stretches.push([v, NOBODY]);
        while let Some([mut v, end]) = self.stretches.pop() {
            while v != end && self.node(v).partner != NOBODY {
                let partner = self.node(v).partner;
                if self.states[v as usize] == State::Turned {
                    let [below, across] = self.node(v).bridge;
                    self.path.push([below, across]);
                    self.stretches.push([below, partner]);
                    v = across;
                } else {
                    let parent = self.node(partner).parent;
                    self.path.push([partner, parent]);
                    v = parent;
                }
            }
        }
    }

    /// Releases the vertices of spent trees, and grafts those beside living trees onto them.
    fn release(&mut self) -> Result<()> {
        let mut released = try_with_capacity(2 * self.couples.len() + self.spent, "released vertices")?;
        for (tree, &root) in self.trees.iter_mut().zip(&self.roots) {
            if *tree == Tree::Spent {
                *tree = Tree::Released;
                released.push(root);
            }
        }
        self.spent = 0;
        let trees = &self.trees;
        self.couples.retain(|couple| {
            let is_alive = trees[couple.tree as usize] == Tree::Alive;
            if !is_alive {
                released.extend([couple.inner, couple.outer]);
            }
            is_alive
        });
        for &v in &released {
            self.states[v as usize] = State::New;
            self.blossoms[v as usize] = v;
        }
        if self.alive == 0 {
            return Ok(());
        }
        // All are looked at before one is grafted, so that trees share what is released.
        let mut grafts = Vec::new();
        for (i, &v) in released.iter().enumerate() {
            if let Some(&ahead) = released.get(i + 12) {
                prefetch(self.rows.offsets(), ahead as usize);
            }
            if let Some(&ahead) = released.get(i + 6) {
                prefetch(self.rows.targets(), self.rows.offsets()[ahead as usize]);
            }
            let is_outer = |&&u: &&u32| self.states[u as usize] >= State::Outer;
            if let Some(&outer) = self.rows.row(v).iter().find(is_outer) {
                grafts.push([outer, v]);
            }
        }
        for [outer, v] in grafts {
            if self.states[v as usize] == State::New {
                self.grow(outer, v);
            }
        }
        Ok(())
    }
}
